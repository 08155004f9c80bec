//! A query made ready to be asked of many segments: what the index has to be asked for each leaf.

use query::{Expr, Leaf, Piece, Probe, Target, Test, WordProbe};
use segment::Namespace;
use store::SegmentHandle;

use crate::named::NamedAsk;

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
    /// The rows of a leaf: what the index is asked, and which of the leaves it is.
    Leaf(Ask, usize),
}

/// What the index is asked for a leaf.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// For rows whose words meet the probes.
    Words(Words),
    /// For rows whose words meet those of any of these.
    AnyWords(Vec<Words>),
    /// For rows with one of these numbers.
    Codes(Namespace, Vec<u8>),
    /// For rows with any text in a part that is indexed.
    Presence(Namespace),
    /// For rows with anything but white space and delimiters in the message or the structured data.
    AnyText,
    /// For rows that may have a field of a name, in their structured data or in their text.
    Field(Box<NamedAsk>),
    /// Nothing: no index tells.
    Nothing,
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
    /// The plan of a condition, whose leaves are numbered as [`Expr::visit_leaves`] visits them.
    pub(crate) fn of(expr: &Expr) -> Self {
        Self::numbered(expr, &mut 0)
    }

    fn numbered(expr: &Expr, leaves: &mut usize) -> Self {
        match expr {
            Expr::All => Self::All,
            Expr::Nothing => Self::Nothing,
            Expr::And(members) => Self::And(sorted(members, leaves)),
            Expr::Or(members) => Self::Or(sorted(members, leaves)),
            Expr::Not(inner) => Self::Not(Box::new(Self::numbered(inner, leaves))),
            Expr::Leaf(leaf) => {
                *leaves += 1;
                of_leaf(leaf, *leaves - 1)
            }
        }
    }

    /// Whether all that the index is asked for is one word or the like.
    pub(crate) fn is_one_look_up(&self) -> bool {
        match self {
            Self::All | Self::Nothing => true,
            Self::Leaf(ask, _) => ask.is_one_look_up(),
            Self::Not(inner) => inner.is_one_look_up(),
            Self::And(_) | Self::Or(_) => false,
        }
    }

    /// What it asks a segment for, where that is one term, which decides.
    pub(crate) fn one_term(&self) -> Option<&Words> {
        match self {
            Self::Leaf(Ask::Words(words), _) => {
                (words.is_exact && words.is_one_term()).then_some(words)
            }
            _ => None,
        }
    }

    /// What a look-up costs, roughly: a page of the lexicon, a range of it, all of it.
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::All | Self::Nothing => 0,
            Self::Leaf(ask, _) => ask.cost(),
            Self::And(members) | Self::Or(members) => {
                members.iter().map(Self::cost).max().unwrap_or(0)
            }
            Self::Not(inner) => inner.cost(),
        }
    }
}

impl Ask {
    /// As [`Plan::is_one_look_up`].
    fn is_one_look_up(&self) -> bool {
        match self {
            Self::Nothing | Self::Codes(..) => true,
            Self::Words(words) => words.cost() <= 1 && words.probes.len() == 1,
            Self::AnyWords(_) | Self::Presence(_) | Self::AnyText | Self::Field(_) => false,
        }
    }

    /// As [`Plan::cost`].
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::Nothing | Self::Codes(..) => 0,
            Self::Words(words) => words.cost(),
            Self::AnyWords(choice) => choice.iter().map(Words::cost).max().unwrap_or(0),
            Self::Presence(_) | Self::AnyText => 3,
            Self::Field(ask) => ask.cost().max(3),
        }
    }
}

impl Ask {
    /// How many pages are read of a segment's lexicon for conditions that any word may meet.
    pub(crate) fn lexicon_pages(&self, segment: &SegmentHandle) -> u64 {
        match self {
            Self::Words(words) => words.lexicon_pages(segment),
            Self::AnyWords(choice) => choice.iter().map(|own| own.lexicon_pages(segment)).sum(),
            // Fields leave such conditions out.
            Self::Nothing
            | Self::Codes(..)
            | Self::Presence(_)
            | Self::AnyText
            | Self::Field(_) => 0,
        }
    }
}

impl Words {
    /// Those of a probe of some texts; a row has one of each, or each word may be of another.
    fn new(namespaces: &'static [Namespace], probe: Probe, is_one_text: bool) -> Self {
        let have_addresses = namespaces.iter().all(|own| own.addresses().is_some());
        let probe = match probe.with_addresses {
            Some(own) if have_addresses => *own,
            own => Probe {
                with_addresses: own,
                ..probe
            },
        };
        Self {
            namespaces,
            probes: probe.words,
            is_exact: probe.is_exact && is_one_text,
        }
    }

    /// Whether a word or an address is all that is asked for.
    pub(crate) fn is_one_term(&self) -> bool {
        matches!(self.probes.as_slice(), [probe] if probe.is_look_up())
    }

    fn cost(&self) -> usize {
        self.probes.iter().map(probe_cost).max().unwrap_or(0)
    }

    /// As [`Ask::lexicon_pages`]. Where it is not known, the look-up tells why.
    fn lexicon_pages(&self, segment: &SegmentHandle) -> u64 {
        let dear = self.probes.iter();
        let dear = dear.filter(|probe| probe_cost(probe) >= WHOLE_LEXICON_COST);
        let pages = dear.flat_map(|probe| {
            self.namespaces.iter().map(|namespace| {
                let wanted = segment.lexicon_pages_wanted(&namespace.key(b""), probe.letters());
                wanted.map_or(0, |pages| pages.len() as u64)
            })
        });
        pages.sum()
    }
}

fn sorted(members: &[Expr], leaves: &mut usize) -> Vec<Plan> {
    let plans = members.iter().map(|member| Plan::numbered(member, leaves));
    let mut plans: Vec<Plan> = plans.collect();
    plans.sort_by_key(Plan::cost);
    plans
}

/// What a look-up costs that goes through the whole lexicon.
pub(crate) const WHOLE_LEXICON_COST: usize = 4;

/// What a look-up of a word costs.
pub(crate) fn probe_cost(probe: &WordProbe) -> usize {
    match probe {
        WordProbe::Exact(_) => 1,
        WordProbe::Pattern(pattern) if pattern.prefix().is_empty() => WHOLE_LEXICON_COST,
        WordProbe::Address(key) if key.is_whole() => 1,
        WordProbe::Prefix(_) | WordProbe::Pattern(_) | WordProbe::Address(_) => 2,
        WordProbe::Suffix(_) | WordProbe::Contains(_) => WHOLE_LEXICON_COST,
    }
}

/// The texts of a target that the index has words of; none where it has none of them.
pub(crate) fn namespaces(target: &Target) -> &'static [Namespace] {
    match target {
        Target::Text => &[Namespace::Message, Namespace::StructuredData],
        Target::Message => &[Namespace::Message],
        Target::Host => &[Namespace::Host],
        Target::Program => &[Namespace::Program],
        Target::Pid => &[Namespace::Pid],
        Target::Msgid => &[Namespace::Msgid],
        Target::Tag => &[Namespace::Tag],
        Target::Source => &[Namespace::Source],
        Target::Severity | Target::Facility | Target::Peer | Target::Named(_) => &[],
    }
}

fn of_leaf(leaf: &Leaf, number: usize) -> Plan {
    let ask = match &leaf.target {
        Target::Severity => return of_codes(Namespace::Severity, leaf, number, 8),
        Target::Facility => return of_codes(Namespace::Facility, leaf, number, 24),
        // The sender's address is not indexed.
        Target::Peer => Ask::Nothing,
        // Fields of the structured data are not: their values may stand anywhere in the raw message or
        // nowhere, so that the words of no other part can rule a row out. But kinds of records tell
        // their fields.
        Target::Named(name) => Ask::Field(Box::new(NamedAsk::new(name, leaf))),
        target => of_text(leaf, namespaces(target)),
    };
    Plan::Leaf(ask, number)
}

fn of_text(leaf: &Leaf, namespaces: &'static [Namespace]) -> Ask {
    if let (Test::Present, [namespace]) = (&leaf.test, namespaces) {
        return Ask::Presence(*namespace);
    }
    if leaf.target == Target::Text && is_any_text(&leaf.test) {
        return Ask::AnyText;
    }
    let words = |probe: Probe| {
        // Of several tags, each may meet another probe.
        let is_one_text = leaf.target != Target::Tag || probe.words.len() == 1;
        Words::new(namespaces, probe, is_one_text)
    };
    let alternatives = Probe::alternatives(leaf);
    if !alternatives.is_empty() {
        return Ask::AnyWords(alternatives.into_iter().map(words).collect());
    }
    let probe = Probe::of(leaf);
    if probe.words.is_empty() {
        return Ask::Nothing;
    }
    Ask::Words(words(probe))
}

/// Whether the test is `*?` or the like: one byte that a wildcard runs over is enough.
fn is_any_text(test: &Test) -> bool {
    let (Test::Term(pattern) | Test::Exact(pattern)) = test else {
        return false;
    };
    if !pattern.tokens().has_usual_stops() {
        return false;
    }
    let pieces = pattern.pieces();
    let count = |wanted: &Piece| pieces.iter().filter(|piece| *piece == wanted).count();
    // Without a `*`, the character would have to stand alone.
    count(&Piece::AnyOne) == 1
        && count(&Piece::AnyRun) > 0
        && count(&Piece::AnyOne) + count(&Piece::AnyRun) == pieces.len()
}

/// A test of a number that has so many values: it is asked of each of them, not of the rows.
fn of_codes(namespace: Namespace, leaf: &Leaf, number: usize, values: u8) -> Plan {
    let set = query::codes(leaf).unwrap_or(0);
    let codes: Vec<u8> = (0..values).filter(|code| set >> code & 1 == 1).collect();
    match codes.len() {
        0 => Plan::Nothing,
        len if len == usize::from(values) => Plan::All,
        _ => Plan::Leaf(Ask::Codes(namespace, codes), number),
    }
}
