//! What a pattern stands for: a rule, with what it adds to a message and what follows from it.

use std::time::Duration;

use macros::{Condition, Template};

/// The class of rules that name none.
pub const CLASS_DEFAULT: &str = "system";

/// A rule of a database.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// Its id, for `.classifier.rule_id`.
    pub id: String,
    /// Its class, for `.classifier.class`; [`CLASS_DEFAULT`] where it names none.
    pub class: String,
    /// Who wrote it.
    pub provider: String,
    /// What a person should know about it.
    pub description: String,
    /// Where a person finds more.
    pub urls: Vec<String>,
    /// The line of its file.
    pub line: usize,
    /// Tags of its messages, the first of them `.classifier.` with its class.
    pub tags: Vec<String>,
    /// Values of its messages, set in this order behind those of its pattern.
    pub values: Vec<RuleValue>,
    /// The context that its messages belong to.
    pub context: Option<ContextRule>,
    /// What follows from a match, or from the end of a context.
    pub actions: Vec<Action>,
}

/// A value that a rule sets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleValue {
    /// Its name.
    pub name: String,
    /// What it is.
    pub template: Template,
    /// Its type.
    pub value_type: ValueType,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueType {
    /// Text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// A number.
    Double,
    /// `true` or `false`.
    Boolean,
    /// A time.
    DateTime,
    /// A list.
    List,
    /// JSON.
    Json,
    /// Nothing.
    Null,
    /// Bytes.
    Bytes,
}

/// Types by their names.
const TYPES: [(&str, ValueType); 13] = [
    ("string", ValueType::String),
    ("integer", ValueType::Integer),
    ("int", ValueType::Integer),
    ("int32", ValueType::Integer),
    ("int64", ValueType::Integer),
    ("double", ValueType::Double),
    ("float", ValueType::Double),
    ("boolean", ValueType::Boolean),
    ("datetime", ValueType::DateTime),
    ("list", ValueType::List),
    ("json", ValueType::Json),
    ("null", ValueType::Null),
    ("bytes", ValueType::Bytes),
];

impl ValueType {
    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        let found = TYPES.iter().find(|(known, _)| *known == name);
        found.map(|(_, known)| *known)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = TYPES.iter().find(|(_, known)| *known == self);
        found.map_or("string", |(name, _)| name)
    }
}

/// Which messages share a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRule {
    /// What tells contexts of a scope apart.
    pub id: Template,
    /// What else they have in common.
    pub scope: Scope,
    /// How long a context waits for its next message, in the time of messages.
    pub timeout: Duration,
}

/// What messages of a context have in common beside its id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Host, program and process id.
    #[default]
    Process,
    /// Host and program.
    Program,
    /// The host.
    Host,
    /// Nothing.
    Global,
}

impl Scope {
    /// The scope of that name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        let named = |known: &str| name.eq_ignore_ascii_case(known);
        Some(match () {
            () if named("process") => Self::Process,
            () if named("program") => Self::Program,
            () if named("host") => Self::Host,
            () if named("global") => Self::Global,
            () => return None,
        })
    }
}

/// What follows from a match, or from the end of a context.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Action {
    /// When it is done.
    pub trigger: Trigger,
    /// What must hold as well.
    pub condition: Option<Condition>,
    /// How often it is done at most.
    pub rate: Option<Rate>,
    /// What is done.
    pub content: Content,
}

/// When an action is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    /// When a message matches the rule.
    #[default]
    Match,
    /// When the context of the rule got no message for its timeout.
    Timeout,
}

/// How often an action is done at most, for each scope of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many times,
    pub count: u32,
    /// in how many seconds.
    pub seconds: u32,
}

/// What an action does.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// Makes a message.
    Message(NewMessage),
    /// Starts a context with a message of its own.
    Context(ContextRule, NewMessage),
}

/// A message that an action makes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NewMessage {
    /// What it has from those that led to it.
    pub inherit: Inherit,
    /// Tags that are added.
    pub tags: Vec<String>,
    /// Values that are set.
    pub values: Vec<RuleValue>,
}

/// What a new message has from those that led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inherit {
    /// Its time only.
    #[default]
    None,
    /// All that the last message of the context has.
    LastMessage,
    /// All that any message of the context has; of several values of a name, the last.
    Context,
}

impl Inherit {
    /// The mode of that name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        let named = |known: &str| name.eq_ignore_ascii_case(known);
        Some(match () {
            () if named("none") => Self::None,
            () if named("last-message") => Self::LastMessage,
            () if named("context") => Self::Context,
            () => return None,
        })
    }

    /// The mode of version 4, `inherit-properties`.
    pub fn parse_properties(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("context") {
            return Some(Self::Context);
        }
        match text.bytes().next()? {
            b'T' | b't' | b'1' => Some(Self::LastMessage),
            b'F' | b'f' | b'0' => Some(Self::None),
            _ => None,
        }
    }
}

/// A message that shows what a rule matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// The rule that has it, by its place in [`crate::Database::rules`].
    pub rule: usize,
    /// The line of its file.
    pub line: usize,
    /// The program of the message.
    pub program: Option<String>,
    /// The message.
    pub message: Option<String>,
    /// What must be found in it.
    pub values: Vec<ExpectedValue>,
}

/// A value that must be found in an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedValue {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Its type, where that matters.
    pub type_name: Option<String>,
}
