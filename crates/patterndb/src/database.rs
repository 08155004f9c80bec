//! A loaded database, and how it classifies.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{LoadError, Warning};
use crate::load;
use crate::rule::{Example, Rule, ValueType};
use crate::tree::{Captures, Tree};

/// A pattern database, ready to classify.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) version: u32,
    pub(crate) published: String,
    pub(crate) rules: Vec<Arc<Rule>>,
    pub(crate) examples: Vec<Example>,
    pub(crate) warnings: Vec<Warning>,
    /// Patterns of programs; their values are places in `messages`.
    pub(crate) programs: Tree,
    /// Patterns of messages, of rulesets that share their programs; their values are places in `rules`.
    pub(crate) messages: Vec<Tree>,
}

/// What a message is found to be.
#[derive(Clone, Debug)]
pub struct Match<'d, 't> {
    /// The rule.
    pub rule: &'d Arc<Rule>,
    message: Taken<'d, 't>,
    program: Taken<'d, 't>,
}

/// What a pattern took of a text.
#[derive(Clone, Debug)]
struct Taken<'d, 't> {
    text: &'t [u8],
    captures: Captures<'d>,
}

impl<'d, 't> Match<'d, 't> {
    /// What the pattern of the rule took of the message; of several of a name the last.
    pub fn values(&self) -> impl Iterator<Item = MatchedValue<'d, 't>> {
        self.message.values()
    }

    /// What the pattern of the program took of the program.
    pub fn program_values(&self) -> impl Iterator<Item = MatchedValue<'d, 't>> {
        self.program.values()
    }
}

impl<'d, 't> Taken<'d, 't> {
    fn values(&self) -> impl Iterator<Item = MatchedValue<'d, 't>> {
        let text = self.text;
        let all = self.captures.iter().enumerate();
        all.filter_map(move |(index, capture)| {
            let name = capture.parser.name.as_str();
            let behind = self.captures.get(index + 1..).unwrap_or_default();
            if behind.iter().any(|other| other.parser.name == name) {
                return None;
            }
            let range = capture.range();
            Some(MatchedValue {
                name,
                value: text.get(range.clone()).unwrap_or_default(),
                range,
                value_type: capture.parser.value_type(),
            })
        })
    }
}

/// A value that a pattern took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedValue<'d, 't> {
    /// Its name.
    pub name: &'d str,
    /// Where it stands in the text.
    pub range: Range<usize>,
    /// Its bytes.
    pub value: &'t [u8],
    /// Its type.
    pub value_type: ValueType,
}

impl Database {
    /// Loads a database from its file.
    ///
    /// A pattern that cannot be read is left out with a [`Warning`], as syslog-ng leaves it out; all else
    /// that is wrong is an error.
    pub fn parse(xml: &[u8]) -> Result<Self, LoadError> {
        load::database(xml)
    }

    /// Finds the rule of a message. `None` where there is none, and where looking it up would take too many
    /// steps.
    ///
    /// The program is looked up in a tree of its own, where `ssh` also finds the program `sshd`; a program
    /// that finds none has the rules of rulesets without program. Of these rules the first is found whose
    /// pattern takes the whole message, else the first that takes a start of it; "first" as the tree has
    /// them, literal text in front of parsers, parsers in the order of the file.
    pub fn classify<'d, 't>(
        &'d self,
        program: &'t [u8],
        message: &'t [u8],
    ) -> Option<Match<'d, 't>> {
        let program_found = self.programs.find(program)?;
        let tree = self.messages.get(program_found.value as usize)?;
        let found = tree.find(message)?;
        Some(Match {
            rule: self.rules.get(found.value as usize)?,
            message: Taken {
                text: message,
                captures: found.captures,
            },
            program: Taken {
                text: program,
                captures: program_found.captures,
            },
        })
    }

    /// All rules that have a pattern for the whole message, the one that is found first. More than one is
    /// mostly a mistake.
    pub fn classify_all(&self, program: &[u8], message: &[u8]) -> Vec<&Arc<Rule>> {
        let found = self.programs.find(program);
        let tree = found.and_then(|found| self.messages.get(found.value as usize));
        let all = tree.map(|tree| tree.find_all(message)).unwrap_or_default();
        let all = all.into_iter();
        all.filter_map(|place| self.rules.get(place as usize))
            .collect()
    }

    /// The version of its format.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// When it was published, as it says.
    pub fn published(&self) -> &str {
        &self.published
    }

    /// Its rules, in the order of the file.
    pub fn rules(&self) -> &[Arc<Rule>] {
        &self.rules
    }

    /// Its examples, in the order of the file.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Patterns that are left out, in the order of the file.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
