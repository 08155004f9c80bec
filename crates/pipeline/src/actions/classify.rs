//! Messages are classified by a pattern database of syslog-ng.

use std::path::PathBuf;

use model::{Editor, Span, TextPart};
use patterndb::{Database, MatchedValue, Rule};

use super::set::render;
use crate::file::{FileUser, FromFile};
use crate::place::set_named;
use crate::step::{Action, Failure, Scratch};

/// Class of messages that no rule is of.
const UNKNOWN: &str = "unknown";

/// Finds the rule of a message; its class, id, values and tags become those of the record.
#[derive(Debug)]
pub struct Classify {
    database: FromFile<Database>,
    prefix: Box<str>,
    is_strict: bool,
}

impl Classify {
    /// `prefix` stands in front of the names of values, those of the classifier excepted. Where `is_strict`,
    /// the route rejects a record that no rule is of.
    pub fn new(file: PathBuf, prefix: &str, is_strict: bool) -> Self {
        let read: fn(&[u8]) -> Result<Database, String> =
            |content| Database::parse(content).map_err(|error| error.to_string());
        Self {
            database: FromFile::new(file, read),
            prefix: prefix.into(),
            is_strict,
        }
    }

    fn set(&self, record: &mut Editor<'_>, name: &str, value: Span) -> Result<(), Failure> {
        match self.prefix.is_empty() || name.starts_with(".classifier.") {
            true => set_named(record, name, value),
            false => set_named(record, &format!("{}.{name}", self.prefix), value),
        }
    }
}

/// Where a matched value stands in the record, given where the text does that it is of.
fn span(value: &MatchedValue<'_, '_>, text: Span) -> Span {
    let start = text.start as usize;
    Span::new(start + value.range.start, start + value.range.end)
}

/// The rule of a record, and the values that its patterns take of program and message, those of the program first.
fn find<'d>(
    database: &'d Database,
    record: &Editor<'_>,
) -> Option<(&'d Rule, Vec<(&'d str, Span)>)> {
    let (program, message) = (
        record.part(TextPart::Program),
        record.part(TextPart::Message),
    );
    let bytes = record.record().bytes();
    let found = database.classify(program.of(bytes), message.of(bytes))?;
    let of_program = found
        .program_values()
        .map(|value| (value.name, span(&value, program)));
    let of_message = found
        .values()
        .map(|value| (value.name, span(&value, message)));
    Some((found.rule, of_program.chain(of_message).collect()))
}

impl Action for Classify {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        let database = self.database.get()?;
        let Some((rule, values)) = find(&database, record) else {
            if self.is_strict {
                return Err(Failure::NoMatch);
            }
            let class = record.append(UNKNOWN.as_bytes())?;
            set_named(record, ".classifier.class", class)?;
            record.add_tag(".classifier.unknown")?;
            return Ok(());
        };
        let texts = [
            (".classifier.class", rule.class.as_str()),
            (".classifier.rule_id", rule.id.as_str()),
        ];
        for (name, text) in texts {
            let value = record.append(text.as_bytes())?;
            set_named(record, name, value)?;
        }
        for (name, value) in values.into_iter().filter(|(_, value)| !value.is_empty()) {
            self.set(record, name, value)?;
        }
        for tag in &rule.tags {
            record.add_tag(tag)?;
        }
        for value in &rule.values {
            render(&value.template, record, scratch)?;
            if !scratch.text.is_empty() {
                let text = record.append(&scratch.text)?;
                self.set(record, &value.name, text)?;
            }
        }
        Ok(())
    }

    fn file(&self) -> Option<&dyn FileUser> {
        Some(&self.database)
    }
}
