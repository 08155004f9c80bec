//! Reads the XML of a database, of versions 1 to 6.
//!
//! The versions are one language that grew: an element that came with a later version is read in an earlier
//! one too. Only version 1 calls a ruleset `program`. Elements that only group others (`patterns`, `urls`,
//! `tags`, `values`) may be there or not. What is refused is what syslog-ng refuses.

mod rules;

use std::collections::HashMap;

use crate::database::Database;
use crate::error::{LoadError, PatternProblem, Problem, Warning};
use crate::limits::{FILE_BYTES_MAX, TREE_DEPTH_MAX, WARNINGS_MAX};
use crate::pattern;
use crate::tree::Tree;
use crate::xml::{Element, Part, Xml};

/// The oldest version and the newest.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=6;

/// The version of files that name none.
const VERSION_DEFAULT: u32 = 4;

/// The place of rules whose ruleset has no program.
const NO_PROGRAM: u32 = 0;

pub(crate) fn database(xml: &[u8]) -> Result<Database, LoadError> {
    if xml.len() > FILE_BYTES_MAX {
        return Err(LoadError::new(1, Problem::TooLarge(xml.len())));
    }
    let text = match str::from_utf8(xml) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let read = xml.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + memchr::memchr_iter(b'\n', read).count();
            let error = LoadError::new(line, Problem::NotUtf8);
            return Err(
                error.with_hint("convert it, for example by `iconv -f ISO-8859-1 -t UTF-8`")
            );
        }
    };
    Loader::new(text).database()
}

/// A file that is read, and what is read of it.
struct Loader<'x> {
    xml: Xml<'x>,
    database: Database,
    /// The places of rules by program pattern.
    programs: HashMap<String, u32>,
}

/// A pattern of a rule, until it is known where it belongs.
struct RulePattern {
    text: String,
    rule: u32,
    line: usize,
}

impl<'x> Loader<'x> {
    fn new(text: &'x str) -> Self {
        let mut programs = Tree::new();
        programs.set_root(NO_PROGRAM);
        Self {
            xml: Xml::new(text),
            database: Database {
                version: VERSION_DEFAULT,
                published: String::new(),
                rules: Vec::new(),
                examples: Vec::new(),
                warnings: Vec::new(),
                programs,
                messages: vec![Tree::new()],
            },
            programs: HashMap::new(),
        }
    }

    fn database(mut self) -> Result<Database, LoadError> {
        match self.xml.next_element()? {
            Some(element) if element.name == "patterndb" => self.patterndb(&element)?,
            Some(element) => {
                let error = self.xml.error(Problem::NoDatabase);
                return Err(error.with_hint(format!("the file begins with <{}>", element.name)));
            }
            None => return Err(self.xml.error(Problem::NoDatabase)),
        }
        if let Some(element) = self.xml.next_element()? {
            return Err(self.misplaced(&element, "file", "one <patterndb>"));
        }
        let trees = self.database.messages.iter();
        if trees
            .chain([&self.database.programs])
            .any(|tree| tree.depth() > TREE_DEPTH_MAX)
        {
            let error = self.xml.error(Problem::TreeTooDeep);
            return Err(error.with_hint("a pattern has fewer than a hundred parsers"));
        }
        Ok(self.database)
    }

    fn patterndb(&mut self, element: &Element) -> Result<(), LoadError> {
        if let Some(version) = element.get("version") {
            self.database.version = self.version(version)?;
        }
        self.database.published = element.get("pub_date").unwrap_or_default().to_owned();
        while let Some(child) = self.child("patterndb", &[])? {
            match child.name.as_str() {
                "ruleset" => self.ruleset("ruleset")?,
                "program" if self.database.version == 1 => self.ruleset("program")?,
                _ => return Err(self.misplaced(&child, "patterndb", "<ruleset>")),
            }
        }
        Ok(())
    }

    /// The version, of which syslog-ng reads the digits at the start.
    fn version(&mut self, text: &str) -> Result<u32, LoadError> {
        let version = leading_number(text).filter(|version| VERSIONS.contains(version));
        version.ok_or_else(|| {
            let error = self.xml.error(Problem::Version(text.to_owned()));
            error.with_hint("versions 1 to 6 can be read")
        })
    }

    fn ruleset(&mut self, name: &'static str) -> Result<(), LoadError> {
        let mut place = None;
        let mut patterns = Vec::new();
        while let Some(child) = self.child(name, &["patterns", "urls"])? {
            match child.name.as_str() {
                "pattern" => {
                    let line = self.xml.line();
                    if let Some(text) = self.text(&child)? {
                        place = Some(self.program(place, &text, line)?);
                    }
                }
                "rules" => self.rules(&mut patterns)?,
                "url" | "description" => _ = self.text(&child)?,
                _ => {
                    let wanted = "<pattern>, <rules>, <url> and <description>";
                    return Err(self.misplaced(&child, name, wanted));
                }
            }
        }
        let place = place.unwrap_or(NO_PROGRAM);
        for pattern in patterns {
            self.message_pattern(place, &pattern);
        }
        Ok(())
    }

    /// The place of rules of a program pattern. Rulesets that begin with the same one are one.
    fn program(&mut self, place: Option<u32>, text: &str, line: usize) -> Result<u32, LoadError> {
        match (place, self.programs.get(text).copied()) {
            (None, Some(known)) => Ok(known),
            (Some(place), Some(known)) if place == known => Ok(place),
            (Some(_), Some(_)) => {
                let error = LoadError::new(line, Problem::JoinedRulesets(text.to_owned()));
                Err(error.with_hint("rulesets that share a program share all of them, or none"))
            }
            (place, None) => {
                let place = place.unwrap_or_else(|| self.new_place());
                self.program_pattern(place, text, line);
                self.programs.insert(text.to_owned(), place);
                Ok(place)
            }
        }
    }

    fn new_place(&mut self) -> u32 {
        self.database.messages.push(Tree::new());
        // A file has fewer bytes than that.
        u32::try_from(self.database.messages.len() - 1).unwrap_or(NO_PROGRAM)
    }

    fn program_pattern(&mut self, place: u32, text: &str, line: usize) {
        let inserted = match pattern::elements(text) {
            Ok(elements) => {
                let programs = &mut self.database.programs;
                let inserted = programs.insert(elements, place, line);
                inserted.map_err(|_| PatternProblem::Duplicate(text.to_owned()))
            }
            Err(problem) => Err(problem),
        };
        if let Err(problem) = inserted {
            self.warn(line, text, problem);
        }
    }

    fn message_pattern(&mut self, place: u32, pattern: &RulePattern) {
        let Some(tree) = self.database.messages.get_mut(place as usize) else {
            return;
        };
        let inserted = match pattern::elements(&pattern.text) {
            Ok(elements) => tree
                .insert(elements, pattern.rule, pattern.line)
                .map_err(|other| {
                    let other = self.database.rules.get(other as usize);
                    let id = other.map(|rule| rule.id.clone()).unwrap_or_default();
                    PatternProblem::Duplicate(id)
                }),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = inserted {
            self.warn(pattern.line, &pattern.text, problem);
        }
    }

    fn warn(&mut self, line: usize, pattern: &str, problem: PatternProblem) {
        if self.database.warnings.len() < WARNINGS_MAX {
            self.database.warnings.push(Warning {
                line,
                pattern: pattern.to_owned(),
                problem,
            });
        }
    }

    /// The next child of an element, or `None` at its end. Starts and ends of `groups` are skipped.
    fn child(
        &mut self,
        parent: &'static str,
        groups: &[&str],
    ) -> Result<Option<Element>, LoadError> {
        loop {
            match self.xml.next()? {
                Part::Start(element) if groups.contains(&element.name.as_str()) => {}
                Part::Start(element) => return Ok(Some(element)),
                Part::End(name) if groups.contains(&name.as_str()) => {}
                Part::End(_) | Part::Over => return Ok(None),
                Part::Text(text) if is_space(&text) => {}
                Part::Text(_) => {
                    let error = self.xml.error(Problem::Text(parent.to_owned()));
                    return Err(error.with_hint("for a note write a comment: `<!-- ... -->`"));
                }
            }
        }
    }

    /// The text of an element that has nothing else. As in syslog-ng `<a></a>` has an empty one and `<a/>`
    /// has none.
    fn text(&mut self, element: &Element) -> Result<Option<String>, LoadError> {
        let mut found = (!element.is_empty).then(String::new);
        loop {
            match self.xml.next()? {
                Part::Text(text) => found = Some(text),
                Part::Start(child) => {
                    return Err(self.misplaced(&child, &element.name, "text"));
                }
                Part::End(_) | Part::Over => return Ok(found),
            }
        }
    }

    fn misplaced(&mut self, element: &Element, parent: &str, wanted: &str) -> LoadError {
        let error = self.xml.error(Problem::Element {
            element: element.name.clone(),
            parent: parent.to_owned(),
        });
        error.with_hint(format!("<{parent}> takes {wanted}"))
    }
}

fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// The number at the start of a text, in decimal digits.
fn leading_number(text: &str) -> Option<u32> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}
