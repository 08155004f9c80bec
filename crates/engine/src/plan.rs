//! A query made ready to be asked of many segments: what the index has to be asked for each leaf.

use query::{Expr, Leaf, Piece, Probe, Target, Test, WordProbe};
use segment::Namespace;

/// A condition in terms of the index.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Every row.
    All,
    /// No row.
    Nothing,
    /// The rows of all members, the cheap ones first.
    And(Vec<Plan>),
    /// The rows of any member, the cheap ones first.
    Or(Vec<Plan>),
    /// The rows that are not those of the member.
    Not(Box<Plan>),
    /// Rows whose words meet the probes.
    Words(Words),
    /// Rows with one of these numbers.
    Codes(Namespace, Vec<u8>),
    /// Rows with any text in a part that is indexed.
    Presence(Namespace),
    /// Rows with anything but white space and delimiters in the message or the structured data.
    AnyText,
    /// Rows that no index tells.
    Unknown,
}

/// Words to look up.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// The texts to look in. A row qualifies by one of them alone.
    pub(crate) namespaces: &'static [Namespace],
    /// Each must be met by a word of that text. At least one.
    pub(crate) probes: Vec<WordProbe>,
    /// Whether a row that qualifies matches for sure.
    pub(crate) is_exact: bool,
}

impl Plan {
    /// The plan of a condition.
    pub(crate) fn of(expr: &Expr) -> Self {
        match expr {
            Expr::All => Self::All,
            Expr::Nothing => Self::Nothing,
            Expr::And(members) => Self::And(sorted(members)),
            Expr::Or(members) => Self::Or(sorted(members)),
            Expr::Not(inner) => Self::Not(Box::new(Self::of(inner))),
            Expr::Leaf(leaf) => of_leaf(leaf),
        }
    }

    /// What a look-up costs, roughly: a page of the lexicon, a range of it, all of it.
    fn cost(&self) -> usize {
        match self {
            Self::All | Self::Nothing | Self::Unknown | Self::Codes(..) => 0,
            Self::Words(words) => words.probes.iter().map(probe_cost).max().unwrap_or(0),
            Self::Presence(_) | Self::AnyText => 3,
            Self::And(members) | Self::Or(members) => {
                members.iter().map(Self::cost).max().unwrap_or(0)
            }
            Self::Not(inner) => inner.cost(),
        }
    }
}

fn sorted(members: &[Expr]) -> Vec<Plan> {
    let mut plans: Vec<Plan> = members.iter().map(Plan::of).collect();
    plans.sort_by_key(Plan::cost);
    plans
}

fn probe_cost(probe: &WordProbe) -> usize {
    match probe {
        WordProbe::Exact(_) => 1,
        WordProbe::Prefix(_) => 2,
        WordProbe::Suffix(_) | WordProbe::Contains(_) => 4,
    }
}

fn of_leaf(leaf: &Leaf) -> Plan {
    let namespaces: &'static [Namespace] = match leaf.target {
        Target::Text => &[Namespace::Message, Namespace::StructuredData],
        Target::Message => &[Namespace::Message],
        Target::Host => &[Namespace::Host],
        Target::Program => &[Namespace::Program],
        Target::Pid => &[Namespace::Pid],
        Target::Msgid => &[Namespace::Msgid],
        Target::Tag => &[Namespace::Tag],
        Target::Source => &[Namespace::Source],
        Target::Severity => return of_codes(Namespace::Severity, leaf, 8),
        Target::Facility => return of_codes(Namespace::Facility, leaf, 24),
        // The sender's address is not indexed. Neither are fields: their values may stand anywhere
        // in the raw message or nowhere, so that the words of no other part can rule a row out.
        Target::Peer | Target::Named(_) => return Plan::Unknown,
    };
    if let (Test::Present, [namespace]) = (&leaf.test, namespaces) {
        return Plan::Presence(*namespace);
    }
    if leaf.target == Target::Text && is_any_text(&leaf.test) {
        return Plan::AnyText;
    }
    let probe = Probe::of(leaf);
    if probe.words.is_empty() {
        return Plan::Unknown;
    }
    // Of several tags, each may meet another probe.
    let is_one_text = leaf.target != Target::Tag || probe.words.len() == 1;
    Plan::Words(Words {
        namespaces,
        probes: probe.words,
        is_exact: probe.is_exact && is_one_text,
    })
}

/// Whether the test is `*?` or the like: one byte that a wildcard runs over is enough.
fn is_any_text(test: &Test) -> bool {
    let (Test::Term(pattern) | Test::Exact(pattern)) = test else {
        return false;
    };
    let pieces = pattern.pieces();
    let count = |wanted: &Piece| pieces.iter().filter(|piece| *piece == wanted).count();
    // Without a `*`, the character would have to stand alone.
    count(&Piece::AnyOne) == 1
        && count(&Piece::AnyRun) > 0
        && count(&Piece::AnyOne) + count(&Piece::AnyRun) == pieces.len()
}

/// A test of a number that has so many values: it is asked of each of them, not of the rows.
fn of_codes(namespace: Namespace, leaf: &Leaf, values: u8) -> Plan {
    let set = query::codes(leaf).unwrap_or(0);
    let codes: Vec<u8> = (0..values).filter(|code| set >> code & 1 == 1).collect();
    match codes.len() {
        0 => Plan::Nothing,
        len if len == usize::from(values) => Plan::All,
        _ => Plan::Codes(namespace, codes),
    }
}
