//! A query made ready to be asked of many records: what [`naive`] says, as fast as we can.
//!
//! Texts are searched as they are where that decides; otherwise the message and the structured data
//! are folded, once per record however many terms look at them. Cheap tests go first. Nothing is allocated per record.

mod folded;
mod literal;
mod reach;
mod search;
mod text;

use model::RecordRef;
use text_fields::FieldFinder;

use crate::ast::{Expr, Leaf, Network, Number, Query, RegexPattern, Target, Test};
use crate::codes::codes;
use crate::naive;

use folded::FoldedText;
use search::{PatternSearch, SearchScratch};

pub(crate) use search::character_len;
pub use text::TextMatcher;

/// A compiled query. Holds scratch memory, hence `&mut`: each thread takes its own clone.
#[derive(Clone, Debug)]
pub struct Matcher {
    root: Node,
    scratch: Scratch,
}

impl Matcher {
    /// Compiles a query.
    pub fn new(query: &Query) -> Self {
        Self {
            root: Node::new(&query.root),
            scratch: Scratch::default(),
        }
    }

    /// Whether the record meets the query; the same answer as [`naive::matches`].
    pub fn matches(&mut self, record: RecordRef<'_>) -> bool {
        self.scratch.message.reset();
        self.scratch.structured_data.reset();
        self.root.matches(record, &mut self.scratch)
    }
}

/// A condition, members in the order of their cost.
#[derive(Clone, Debug)]
enum Node {
    Constant(bool),
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Severity(u32),
    Facility(u32),
    Network(Network),
    Text(Target, Box<TextTest>),
    /// A test of the fields of a name.
    Named(Box<FieldFinder<'static>>, Box<TextTest>),
}

/// A test of one text.
#[derive(Clone, Debug)]
enum TextTest {
    Present,
    Pattern(Box<PatternSearch>),
    Number(Test),
    Network(Network),
    Regex(RegexPattern),
}

/// Memory that is used again for each record.
#[derive(Clone, Debug, Default)]
struct Scratch {
    message: FoldedText,
    structured_data: FoldedText,
    other: FoldedText,
    search: SearchScratch,
}

impl Node {
    fn new(expr: &Expr) -> Self {
        match expr {
            Expr::All => Self::Constant(true),
            Expr::Nothing => Self::Constant(false),
            Expr::And(members) => Self::And(Self::by_cost(members)),
            Expr::Or(members) => Self::Or(Self::by_cost(members)),
            Expr::Not(inner) => Self::Not(Box::new(Self::new(inner))),
            Expr::Leaf(leaf) => Self::leaf(leaf),
        }
    }

    fn by_cost(members: &[Expr]) -> Vec<Self> {
        let mut nodes: Vec<Self> = members.iter().map(Self::new).collect();
        nodes.sort_by_key(Self::cost);
        nodes
    }

    fn leaf(leaf: &Leaf) -> Self {
        match (&leaf.target, &leaf.test, codes(leaf)) {
            (Target::Severity, _, Some(set)) => Self::Severity(set),
            (_, _, Some(set)) => Self::Facility(set),
            (Target::Peer, Test::Network(network), _) => Self::Network(*network),
            (Target::Named(name), test, _) => Self::Named(
                Box::new(FieldFinder::new(name.clone().into_bytes())),
                Box::new(TextTest::new(test)),
            ),
            (target, test, _) => Self::Text(target.clone(), Box::new(TextTest::new(test))),
        }
    }

    /// A rough number of nanoseconds; only its order matters.
    fn cost(&self) -> u32 {
        match self {
            Self::Constant(_) => 0,
            Self::And(members) | Self::Or(members) => members.iter().map(Self::cost).sum(),
            Self::Not(inner) => inner.cost(),
            Self::Severity(_) | Self::Facility(_) | Self::Network(_) => 1,
            // Finding the fields is what costs.
            Self::Named(..) => 150,
            Self::Text(target, test) => {
                let text = match target {
                    Target::Text | Target::Message => 100,
                    Target::Peer => 50,
                    _ => 10,
                };
                match &**test {
                    TextTest::Present => text / 10,
                    TextTest::Regex(_) => text * 5,
                    TextTest::Pattern(search) if search.is_general() => text * 2,
                    _ => text,
                }
            }
        }
    }

    fn matches(&mut self, record: RecordRef<'_>, scratch: &mut Scratch) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::And(members) => {
                let mut members = members.iter_mut();
                members.all(|member| member.matches(record, scratch))
            }
            Self::Or(members) => {
                let mut members = members.iter_mut();
                members.any(|member| member.matches(record, scratch))
            }
            Self::Not(inner) => !inner.matches(record, scratch),
            Self::Severity(set) => *set >> record.priority().severity().number() & 1 == 1,
            Self::Facility(set) => *set >> record.priority().facility().number() & 1 == 1,
            Self::Network(network) => record
                .peer()
                .is_some_and(|address| network.contains(address.to_canonical())),
            Self::Text(target, test) => test.matches_target(target, record, scratch),
            Self::Named(finder, test) => test.matches_named(finder, record, scratch),
        }
    }
}

impl TextTest {
    fn new(test: &Test) -> Self {
        match test {
            Test::Present => Self::Present,
            Test::Term(pattern) => Self::Pattern(Box::new(PatternSearch::folded(pattern))),
            Test::Exact(pattern) => Self::Pattern(Box::new(PatternSearch::exact(pattern))),
            Test::Compare { .. } | Test::Between { .. } => Self::Number(test.clone()),
            Test::Network(network) => Self::Network(*network),
            Test::Regex(pattern) => Self::Regex(pattern.clone()),
        }
    }

    fn matches_target(
        &self,
        target: &Target,
        record: RecordRef<'_>,
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch {
            message,
            structured_data,
            other,
            search,
        } = scratch;
        let mut matches = |text: &[u8]| {
            other.reset();
            self.matches(text, other, search)
        };
        match target {
            Target::Text => {
                let structured = record.structured_data();
                self.matches(record.message(), message, search)
                    || self.may_pass(structured)
                        && self.matches(structured, structured_data, search)
            }
            Target::Message => self.matches(record.message(), message, search),
            Target::Host => matches(record.host()),
            Target::Program => matches(record.program()),
            Target::Pid => matches(record.pid()),
            Target::Msgid => matches(record.msgid()),
            Target::Facility => matches(record.priority().facility().name().as_bytes()),
            Target::Severity => matches(record.priority().severity().name().as_bytes()),
            Target::Tag => record.tags().any(|tag| matches(tag.as_bytes())),
            Target::Source => matches(record.source().as_bytes()),
            Target::Peer => record
                .peer()
                .is_some_and(|address| matches(address.to_canonical().to_string().as_bytes())),
            // Those have a node of their own.
            Target::Named(_) => false,
        }
    }

    fn matches_named(
        &self,
        finder: &mut FieldFinder<'_>,
        record: RecordRef<'_>,
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { other, search, .. } = scratch;
        let mut matches = |text: &[u8]| {
            other.reset();
            self.matches(text, other, search)
        };
        let mut fields = record.fields();
        if fields.any(|field| field.is_named(finder.name()) && matches(field.value)) {
            return true;
        }
        let mut found = false;
        finder.each(record.message(), &mut |value| {
            found = found || matches(value);
        });
        found
    }

    /// Whether a text may pass. Most records have no structured data, and of all tests only an
    /// expression may find something in an empty text that it does not find in the message.
    fn may_pass(&self, text: &[u8]) -> bool {
        !text.is_empty() || matches!(self, Self::Regex(_))
    }

    fn matches(&self, text: &[u8], folded: &mut FoldedText, scratch: &mut SearchScratch) -> bool {
        match self {
            Self::Present => !text.is_empty(),
            Self::Pattern(search) => search.is_in(text, folded, scratch),
            Self::Number(test) => {
                Number::parse(text).is_some_and(|number| naive::matches_number(test, number))
            }
            Self::Network(network) => network.contains_text(text),
            Self::Regex(pattern) => pattern.regex().is_match(text),
        }
    }
}

#[cfg(test)]
mod tests;
