//! What the index of a segment says of a query: which rows match for sure, and which may.
//!
//! With both bounds, `NOT` of something the index knows only roughly is no loss: rows that cannot
//! match the inside match the outside for sure.

use std::ops::Range;

use query::{FieldName, Leaf, Target, Test, WordProbe};
use segment::{KnownKey, Location, Namespace, TermEntry};
use store::{Part, ReadError, SegmentHandle};

use crate::among::Among;
use crate::bounds::Bounds;
use crate::gathered::union;
use crate::limits::MARKED_ORDINALS_MIN;
use crate::named::NamedAsk;
use crate::plan::{Ask, Plan, Words};
use crate::row_set::{RowSet, Scatter};
use crate::word_rows::{find_terms, rows_of_all, rows_of_any, word_bounds};

/// Pages of the lexicon that are gone through in the time of a look at a row that stands alone. One page
/// takes as long as some rows beside each other, so that no more pages are read than rows are left.
const LONE_ROW_PAGES: u64 = 16;

/// What the index says of a condition, and of its parts where they leave rows open.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The rows that match.
    pub(crate) bounds: Bounds,
    /// What decides on the others.
    pub(crate) inner: Inner,
}

/// What a condition consists of.
#[derive(Clone, Debug)]
pub(crate) enum Inner {
    /// All of these hold; of none, it does.
    And(Vec<Node>),
    /// One of these holds.
    Or(Vec<Node>),
    /// It does not hold.
    Not(Box<Node>),
    /// The leaf of this number does. Of a field, the rows that may have it in their text and pass, where
    /// the index was asked.
    Leaf(usize, Option<RowSet>),
}

impl Node {
    /// A condition that the index decides.
    pub(crate) fn decided(rows: RowSet) -> Self {
        Self {
            bounds: Bounds::exact(rows),
            inner: Inner::And(Vec::new()),
        }
    }

    /// Its opposite, in a segment of so many rows.
    fn not(self, rows: u32) -> Self {
        let bounds = self.bounds.clone().not(rows);
        Self::new(bounds, Inner::Not(Box::new(self)))
    }

    fn new(bounds: Bounds, inner: Inner) -> Self {
        if bounds.maybe.is_none() {
            return Self::decided(bounds.sure);
        }
        Self { bounds, inner }
    }
}

/// The bounds of a plan's rows in a segment. Never fails: where the index cannot be
/// read, every row may match.
pub(crate) fn evaluate(plan: &Plan, among: Among<'_>, segment: &SegmentHandle) -> Node {
    match plan {
        Plan::All => Node::decided(RowSet::All),
        Plan::Nothing => Node::decided(RowSet::empty()),
        // A condition may have hundreds of them.
        Plan::Leaf(_, number) if among.is_stopped() => {
            Node::new(Bounds::doubtful(RowSet::All), Inner::Leaf(*number, None))
        }
        Plan::Leaf(ask, number) => {
            among.note_work();
            // Where the index cannot be read, every row may match.
            let open = || (Bounds::doubtful(RowSet::All), None);
            let (bounds, in_text) =
                if ask.lexicon_pages(segment) > among.rows_max().max(LONE_ROW_PAGES) {
                    open()
                } else if let Ask::Field(ask) = ask {
                    ask_for_field(ask, among, segment).unwrap_or_else(|_| open())
                } else {
                    ask_index(ask, among, segment).map_or_else(|_| open(), |bounds| (bounds, None))
                };
            Node::new(bounds, Inner::Leaf(*number, in_text))
        }
        Plan::Not(inner) => evaluate(inner, among, segment).not(segment.rows()),
        Plan::And(members) => all_of(members, among, segment),
        Plan::Or(members) => any_of(members, among, segment),
    }
}

/// The rows of all members. Those that are one term come first: where one of them is nowhere, the rows of
/// the others need not be read. What a member decides is in the bounds, and needs no node.
fn all_of(members: &[Plan], among: Among<'_>, segment: &SegmentHandle) -> Node {
    let split = Members::of(members);
    match rows_of_all(&split.words, &split.without, segment) {
        Ok(rows) => all_of_each(Bounds::exact(rows.finish()), split.others, among, segment),
        Err(_) => all_of_each(Bounds::exact(RowSet::All), members, among, segment),
    }
}

/// Members of a condition, by what the index is asked for them.
#[derive(Default)]
pub(crate) struct Members<'p> {
    /// Those that are one term.
    pub(crate) words: Vec<&'p Words>,
    /// Those that are the opposite of one.
    pub(crate) without: Vec<&'p Words>,
    pub(crate) others: Vec<&'p Plan>,
}

impl<'p> Members<'p> {
    pub(crate) fn of(members: &'p [Plan]) -> Self {
        let mut split = Self::default();
        for member in members {
            match (member.one_term(), member) {
                (Some(own), _) => split.words.push(own),
                (None, Plan::Not(inner)) if inner.one_term().is_some() => {
                    split.without.extend(inner.one_term());
                }
                _ => split.others.push(member),
            }
        }
        split
    }
}

fn all_of_each<'p>(
    mut bounds: Bounds,
    members: impl IntoIterator<Item = &'p Plan>,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Node {
    let mut nodes = Vec::new();
    for member in members {
        if bounds.upper().is_empty() {
            break;
        }
        let left = among.or_found(bounds.upper(), segment.rows());
        let (plan, is_not) = match member {
            Plan::Not(inner) => (&**inner, true),
            member => (member, false),
        };
        let mut node = evaluate(plan, left, segment);
        if node.bounds.maybe.is_none() {
            bounds = match is_not {
                true => bounds.minus(&node.bounds.sure, segment.rows()),
                false => bounds.and(node.bounds),
            };
            continue;
        }
        if is_not {
            node = node.not(segment.rows());
        }
        bounds = bounds.and(node.bounds.clone());
        nodes.push(node);
    }
    if bounds.upper().is_empty() {
        return Node::decided(RowSet::empty());
    }
    Node::new(bounds, Inner::And(nodes))
}

/// The rows of any member. The rows of those that are one term are gathered together.
fn any_of(members: &[Plan], among: Among<'_>, segment: &SegmentHandle) -> Node {
    let (mut words, mut others) = (Vec::new(), Vec::new());
    for member in members {
        match member.one_term() {
            Some(own) => words.push(own),
            None => others.push(member),
        }
    }
    match rows_of_any(&words, segment) {
        Ok(rows) => any_of_each(Bounds::exact(rows.finish()), others, among, segment),
        Err(_) => any_of_each(Bounds::exact(RowSet::empty()), members, among, segment),
    }
}

fn any_of_each<'p>(
    mut bounds: Bounds,
    members: impl IntoIterator<Item = &'p Plan>,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Node {
    let mut nodes = Vec::new();
    for member in members {
        if bounds.sure == RowSet::All {
            break;
        }
        let node = evaluate(member, among, segment);
        if node.bounds.maybe.is_none() {
            bounds = bounds.or(node.bounds);
            continue;
        }
        bounds = bounds.or(node.bounds.clone());
        nodes.push(node);
    }
    if bounds.sure == RowSet::All {
        return Node::decided(RowSet::All);
    }
    Node::new(bounds, Inner::Or(nodes))
}

/// The rows of a part, of some, that may have all of these fields of records; others have no value to
/// count. Where the index cannot tell, all of them.
pub(crate) fn with_fields<'f>(
    part: &Part,
    mut rows: RowSet,
    fields: impl IntoIterator<Item = &'f FieldName>,
) -> RowSet {
    let Part::Segment(segment) = part else {
        return rows;
    };
    for field in fields {
        let FieldName::Part(target @ Target::Named(name)) = field else {
            continue;
        };
        let leaf = Leaf {
            target: target.clone(),
            test: Test::Present,
        };
        (rows, _) = with_field(&NamedAsk::new(name, &leaf), rows, segment);
    }
    rows
}

/// The rows of a segment, of some, that may have a field; and those that may have it in their text, where the index
/// can tell.
pub(crate) fn with_field(
    ask: &NamedAsk,
    rows: RowSet,
    segment: &SegmentHandle,
) -> (RowSet, Option<RowSet>) {
    match ask_for_field(ask, Among::ALL, segment) {
        Ok((bounds, in_text)) => (rows.and(bounds.upper().clone()), in_text),
        Err(_) => (rows, None),
    }
}

fn ask_index(ask: &Ask, among: Among<'_>, segment: &SegmentHandle) -> Result<Bounds, ReadError> {
    match ask {
        Ask::Nothing => Ok(Bounds::doubtful(RowSet::All)),
        Ask::Words(words) => word_bounds(words, among, segment),
        Ask::AnyWords(choice) => {
            let mut bounds = Bounds::exact(RowSet::empty());
            for words in choice {
                bounds = bounds.or(word_bounds(words, among, segment)?);
            }
            Ok(bounds)
        }
        Ask::Codes(namespace, codes) => code_rows(*namespace, codes, segment).map(Bounds::exact),
        Ask::Presence(namespace) => {
            let rows = segment.footer().counts.present(*namespace);
            Ok(any_word(&[*namespace], rows.unwrap_or(0), among, segment))
        }
        Ask::AnyText => {
            let rows = segment.footer().counts.with_text;
            let namespaces = [Namespace::Message, Namespace::StructuredData];
            Ok(any_word(&namespaces, rows, among, segment))
        }
        Ask::Field(ask) => ask_for_field(ask, among, segment).map(|(bounds, _)| bounds),
    }
}

/// What the index says of a field, and the rows that may have it in their text and pass.
fn ask_for_field(
    ask: &NamedAsk,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<(Bounds, Option<RowSet>), ReadError> {
    let ordinals = segment.ordinals_with_field(ask.name.as_bytes())?;
    let in_text = ask.rows(among, segment)?;
    let mut rows = in_text.clone().or(of_ranges(ordinals.anywhere, segment));
    if !ordinals.in_data.is_empty() {
        let in_data = of_ranges(ordinals.in_data, segment);
        rows = rows.or(in_data.and(ask.rows_in_data(segment)?));
    }
    Ok((Bounds::doubtful(rows), Some(in_text)))
}

fn of_ranges(ranges: Vec<Range<u32>>, segment: &SegmentHandle) -> RowSet {
    if ranges.is_empty() {
        return RowSet::empty();
    }
    let mut rows = Scatter::new(segment.rows());
    ranges.into_iter().for_each(|range| rows.add_range(range));
    rows.finish()
}

/// How many of some rows have a number; `None` where the index cannot be read.
pub(crate) fn count_code(
    namespace: Namespace,
    code: u8,
    among: &RowSet,
    segment: &SegmentHandle,
) -> Option<u64> {
    if *among == RowSet::All {
        let term = segment.find_term(&namespace.key(&[code])).ok()?;
        return Some(term.map_or(0, |term| term.rows.into()));
    }
    let rows = code_rows(namespace, &[code], segment).ok()?;
    Some(rows.and(among.clone()).len(segment.rows()))
}

/// Rows where a text is not empty, as the footer has counted them. Those with a word are sure;
/// where these are not all, the others have a text without a word, such as `---`.
fn any_word(
    namespaces: &[Namespace],
    counted: u32,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Bounds {
    if counted == segment.rows() {
        return Bounds::exact(RowSet::All);
    }
    if counted == 0 {
        return Bounds::exact(RowSet::empty());
    }
    let mut sure = RowSet::empty();
    for namespace in namespaces {
        let any = WordProbe::Prefix(Vec::new());
        match probe_bounds(*namespace, &any, among, segment) {
            Ok(bounds) => sure = sure.or(bounds.sure),
            Err(_) => return Bounds::doubtful(RowSet::All),
        }
    }
    if sure.len(segment.rows()) == u64::from(counted) {
        return Bounds::exact(sure);
    }
    Bounds {
        sure,
        maybe: Some(RowSet::All),
    }
}

/// The rows with a word in a text that meets a condition; those with one that is cut and may, too. Where the question is stopped meanwhile, any row may.
pub(crate) fn probe_bounds(
    namespace: Namespace,
    probe: &WordProbe,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<Bounds, ReadError> {
    if probe.is_look_up() {
        let terms = find_terms(namespace, probe, segment)?;
        return union(&terms, segment).map(Bounds::exact);
    }
    if segment.footer().counts.worded(namespace) == Some(0) {
        return Ok(Bounds::exact(RowSet::empty()));
    }
    let (mut sure, mut open) = (Vec::new(), Opened::default());
    let meets = probe.search();
    let is_wanted = |key: KnownKey<'_>| {
        let word = key.bytes.get(1..).unwrap_or(&[]);
        match key.left_out {
            Some(alphabet) => probe.is_met_by_start(word, alphabet),
            None => Some(meets(word)),
        }
    };
    let (key, letters) = (namespace.key(probe.prefix()), probe.letters());
    let visit = &mut |term, is_sure| match is_sure {
        true => sure.push(term),
        false => open.push(term),
    };
    let goes_on = || !among.is_stopped();
    if !segment.scan_wanted_terms(&key, letters, is_wanted, visit, goes_on)? {
        return Ok(Bounds::doubtful(RowSet::All));
    }
    let sure = union(&sure, segment)?;
    if open.is_empty() {
        return Ok(Bounds::exact(sure));
    }
    let open = open.rows(segment)?;
    Ok(Bounds::between(sure, open, segment.rows()))
}

/// Terms of which only a look at their rows tells whether they are wanted. There may be one for every other row, most
/// of them in one row alone: of those, that is all that is kept.
#[derive(Default)]
struct Opened {
    ordinals: Vec<u32>,
    others: Vec<TermEntry>,
}

impl Opened {
    fn push(&mut self, term: TermEntry) {
        match (term.rows, term.slots.location) {
            (1, Location::One(ordinal)) => self.ordinals.push(ordinal),
            _ => self.others.push(term),
        }
    }

    fn is_empty(&self) -> bool {
        self.ordinals.is_empty() && self.others.is_empty()
    }

    /// The rows that hold any of them.
    fn rows(mut self, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
        let others = union(&self.others, segment)?;
        if self.ordinals.len() >= MARKED_ORDINALS_MIN {
            let mut marked = Scatter::new(segment.rows());
            marked.add(&self.ordinals);
            return Ok(others.or(marked.finish()));
        }
        self.ordinals.sort_unstable();
        self.ordinals.dedup();
        Ok(others.or(RowSet::from_sorted(&self.ordinals)))
    }
}

/// The rows with a word in a text that may meet a condition.
pub(crate) fn probe_rows(
    namespace: Namespace,
    probe: &WordProbe,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<RowSet, ReadError> {
    let bounds = probe_bounds(namespace, probe, among, segment)?;
    Ok(bounds.upper().clone())
}

/// The rows with one of some numbers.
pub(crate) fn code_rows(
    namespace: Namespace,
    codes: &[u8],
    segment: &SegmentHandle,
) -> Result<RowSet, ReadError> {
    let mut terms = Vec::with_capacity(codes.len());
    for code in codes {
        terms.extend(segment.find_term(&namespace.key(&[*code]))?);
    }
    union(&terms, segment)
}

#[cfg(test)]
mod tests;
