//! The examples of a database: whether each message finds its rule and values.

use std::collections::HashMap;
use std::fmt::Write as _;

use model::Timestamp;

use crate::correlation::{Bounds, Correlator, Message};
use crate::database::Database;
use crate::rule::{Example, Rule, ValueType};

/// What the examples of a file show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// For a person to read.
    pub text: String,
    /// The end of it.
    pub verdict: Verdict,
}

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every example is as it says.
    Passed,
    /// No rule of the wanted id has an example.
    NoSuchRule,
    /// A message finds another rule, or a value is not as expected.
    Mismatch,
    /// The file is no database.
    NotLoaded,
}

impl Verdict {
    /// That of several files. A rule that one of them has is there.
    pub fn of_all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let verdicts: Vec<Self> = verdicts.into_iter().collect();
        let worst = verdicts.iter().copied().max().unwrap_or(Self::Passed);
        match worst {
            Self::NoSuchRule if verdicts.contains(&Self::Passed) => Self::Passed,
            worst => worst,
        }
    }

    /// The exit code of `pdbtool` for it.
    pub fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::NotLoaded => 1,
            Self::Mismatch => 2,
            Self::NoSuchRule => 3,
        }
    }
}

/// Tests the examples of a file, or those of rules of an id.
pub fn test(xml: &[u8], rule_id: Option<&str>) -> Report {
    let database = match Database::parse(xml) {
        Ok(database) => database,
        Err(error) => {
            return Report {
                text: format!("{error}\n"),
                verdict: Verdict::NotLoaded,
            };
        }
    };
    let mut text = String::new();
    for warning in database.warnings() {
        _ = writeln!(text, "warning: {warning}");
    }
    let mut verdict = match rule_id {
        Some(_) => Verdict::NoSuchRule,
        None => Verdict::Passed,
    };
    for example in database.examples() {
        let Some(rule) = database.rules().get(example.rule) else {
            continue;
        };
        if rule_id.is_some_and(|wanted| wanted != rule.id) {
            continue;
        }
        let tested = Tested {
            database: &database,
            rule,
            example,
        };
        match tested.run(&mut text) {
            Some(true) if verdict == Verdict::NoSuchRule => verdict = Verdict::Passed,
            Some(false) => verdict = Verdict::Mismatch,
            _ => {}
        }
    }
    if let (Verdict::NoSuchRule, Some(id)) = (verdict, rule_id) {
        _ = writeln!(text, "no rule `{id}` has an example that can be tested");
    }
    Report { text, verdict }
}

struct Tested<'t> {
    database: &'t Database,
    rule: &'t Rule,
    example: &'t Example,
}

/// Types of values by their names; of all others, text.
type Types<'t> = HashMap<&'t str, ValueType>;

impl Tested<'_> {
    /// Tests it and tells; whether all is as it says, or `None` where it cannot be tested.
    fn run(&self, out: &mut String) -> Option<bool> {
        let (line, id) = (self.example.line, &self.rule.id);
        let (Some(program), Some(text)) = (&self.example.program, &self.example.message) else {
            let what = match self.example.program {
                None => "its message has no `program`",
                Some(_) => "it has no message",
            };
            _ = writeln!(out, "line {line}: rule `{id}`: not tested, {what}");
            return None;
        };
        _ = writeln!(out, "line {line}: rule `{id}`: `{program}`: {text}");
        let all = self
            .database
            .classify_all(program.as_bytes(), text.as_bytes());
        if all.len() > 1 {
            let ids: Vec<&str> = all.iter().map(|rule| rule.id.as_str()).collect();
            _ = writeln!(
                out,
                "  note: these rules take the whole message: {}",
                ids.join(", ")
            );
        }
        let mut message = Message::new(Timestamp::default());
        message.set("MESSAGE", text.as_bytes());
        message.set("PROGRAM", program.as_bytes());
        let mut correlator = Correlator::new(Bounds::default());
        let (clock, scene) = (message.time, macros::Context::default());
        let found = correlator.process(self.database, &mut message, clock, &scene, &mut |_| {});
        let before = out.len();
        match found {
            Some(found) if found.id == *id => {}
            Some(found) => _ = writeln!(out, "  it finds rule `{}`", found.id),
            None => _ = writeln!(out, "  it finds no rule"),
        }
        self.values(
            &message,
            &self.types(program, text, found.map(|rule| &**rule)),
            out,
        );
        Some(out.len() == before)
    }

    fn types<'t>(&'t self, program: &'t str, text: &'t str, rule: Option<&'t Rule>) -> Types<'t> {
        let mut types = Types::new();
        if let Some(found) = self.database.classify(program.as_bytes(), text.as_bytes()) {
            let values = found.program_values().chain(found.values());
            types.extend(values.map(|value| (value.name, value.value_type)));
        }
        let set = rule.into_iter().flat_map(|rule| &rule.values);
        types.extend(set.map(|value| (value.name.as_str(), value.value_type)));
        types
    }

    /// Tells what is wrong with the values of a message.
    fn values(&self, message: &Message, types: &Types<'_>, out: &mut String) {
        for expected in &self.example.values {
            let name = expected.name.as_str();
            let value = String::from_utf8_lossy(message.get(name));
            if value != expected.value {
                _ = writeln!(out, "  `{name}` is `{value}` and not `{}`", expected.value);
            }
            let found = types.get(name).copied().unwrap_or_default();
            let Some(type_name) = &expected.type_name else {
                continue;
            };
            match ValueType::parse(type_name) {
                None => _ = writeln!(out, "  `{name}`: there is no type `{type_name}`"),
                Some(wanted) if wanted != found => {
                    let (found, wanted) = (found.name(), wanted.name());
                    _ = writeln!(out, "  `{name}` is of type {found} and not {wanted}");
                }
                Some(_) => {}
            }
        }
        let mut types: Vec<_> = types.iter().collect();
        types.sort_unstable_by_key(|(name, _)| **name);
        for (name, value_type) in types {
            let value = String::from_utf8_lossy(message.get(name));
            if !fits(&value, *value_type) {
                let value_type = value_type.name();
                _ = writeln!(out, "  `{name}` is `{value}`, which is no {value_type}");
            }
        }
    }
}

/// Whether a text is a value of a type.
fn fits(text: &str, value_type: ValueType) -> bool {
    match value_type {
        ValueType::Integer => {
            let unsigned = text.trim_start_matches(['+', '-']);
            let hexadecimal = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X"));
            match hexadecimal {
                Some(digits) => i64::from_str_radix(digits, 16).is_ok(),
                None => text.parse::<i64>().is_ok(),
            }
        }
        ValueType::Double => text.parse::<f64>().is_ok(),
        ValueType::Boolean => {
            matches!(
                text,
                "true" | "false" | "True" | "False" | "1" | "0" | "yes" | "no"
            )
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V6: &str = include_str!("../../testdata/v6.xml");

    #[test]
    fn examples_that_are_as_they_say_pass() {
        let report = test(V6.as_bytes(), None);
        assert_eq!(report.verdict, Verdict::Passed, "{}", report.text);
        assert!(
            report
                .text
                .contains("rule `accepted`: `sshd`: Accepted password")
        );
        assert_eq!(
            test(V6.as_bytes(), Some("accepted")).verdict,
            Verdict::Passed
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let changes = [
            (
                ">bob</test_value>",
                ">eve</test_value>",
                "`usracct.username` is `bob` and not `eve`",
            ),
            (
                "type='integer'>4711",
                "type='double'>4711",
                "is of type integer and not double",
            ),
            (
                "type='integer'>4711",
                "type='number'>4711",
                "there is no type `number`",
            ),
            (
                ">Accepted password",
                ">accepted password",
                "it finds no rule",
            ),
            (
                "type='integer'>${port}",
                "type='integer'>${HOST}x",
                "`usracct.port` is `x`, which is no integer",
            ),
        ];
        for (old, new, told) in changes {
            let changed = V6.replace(old, new);
            assert_ne!(changed, V6, "{old}");
            let report = test(changed.as_bytes(), None);
            assert_eq!(report.verdict, Verdict::Mismatch, "{new}: {}", report.text);
            assert!(report.text.contains(told), "{new}: {}", report.text);
        }
    }

    #[test]
    fn another_rule_that_takes_the_message_is_told() {
        let other = "</rule><rule id='other'><pattern>@ANYSTRING:x@</pattern></rule>";
        let report = test(V6.replacen("</rule>", other, 1).as_bytes(), None);
        assert_eq!(report.verdict, Verdict::Passed);
        assert!(report.text.contains("accepted, other"), "{}", report.text);
    }

    #[test]
    fn verdicts_have_the_codes_of_pdbtool() {
        assert_eq!(test(b"<x/>", None).verdict.code(), 1);
        assert_eq!(test(V6.as_bytes(), Some("nope")).verdict.code(), 3);
        let of = |verdicts: &[Verdict]| Verdict::of_all(verdicts.iter().copied());
        assert_eq!(of(&[]), Verdict::Passed);
        assert_eq!(of(&[Verdict::NoSuchRule, Verdict::Passed]), Verdict::Passed);
        assert_eq!(
            of(&[Verdict::NoSuchRule, Verdict::NoSuchRule]),
            Verdict::NoSuchRule
        );
        assert_eq!(
            of(&[Verdict::Mismatch, Verdict::NotLoaded]),
            Verdict::NotLoaded
        );
        assert_eq!(of(&[Verdict::Mismatch, Verdict::Passed]).code(), 2);
    }
}
