//! What the index knows of a field in the text of messages, whose words are words of the message
//! (`text_fields` says which are not).
//!
//! The words of its name must be there, or those by which a format is told that has such a field
//! without its name; and the words that the test asks for. Words that follow an escaped letter are
//! looked up with that letter too, and rows with an escaped character may have any field.

use model::words;
use query::{Leaf, Probe, WordProbe};
use segment::{KnownKey, Namespace, TermEntry};
use store::{ReadError, SegmentHandle};
use text_fields::{ESCAPE_LETTERS, MONTHS, Origin, is_escape_word};

use crate::among::Among;
use crate::evaluate::probe_rows;
use crate::gathered::union;
use crate::in_data::InData;
use crate::plan::{WHOLE_LEXICON_COST, probe_cost};
use crate::row_set::RowSet;
use crate::word_rows::{find_terms, with_all};

/// What the index is asked for a field.
#[derive(Clone, Debug)]
pub(crate) struct NamedAsk {
    /// The name.
    pub(crate) name: String,
    /// Conditions of which a row meets one.
    names: Vec<AllOf>,
    /// Another one, which access logs meet that have the field by its place alone.
    of_log: Option<AllOf>,
    /// The same; none where any value may pass.
    values: Vec<AllOf>,
    in_data: InData,
}

/// A word of each message that is a CEF event.
const CEF_WORD: &[u8] = b"cef";

/// A word of each message that is a LEEF event.
const LEEF_WORD: &[u8] = b"leef";

/// Words of which one stands in each message that is an event.
const EVENT_WORDS: [&[u8]; 2] = [CEF_WORD, LEEF_WORD];

/// Conditions that a row meets all of; each is met by a word that meets one of its probes.
type AllOf = Vec<Vec<WordProbe>>;

impl NamedAsk {
    /// What is asked for a leaf of a field of this name.
    pub(crate) fn new(name: &str, leaf: &Leaf) -> Self {
        let own = words::words(name.as_bytes()).map(|word| behind_escapes(exact(word)));
        let (mut names, mut of_log): (Vec<AllOf>, _) = (vec![own.collect()], None);
        for origin in Origin::of(name.as_bytes()) {
            match origin {
                Origin::AccessLog => {
                    let months = MONTHS.iter().map(|month| exact(month.as_bytes()));
                    of_log = Some(vec![months.collect()]);
                }
                Origin::Cef => names.push(vec![vec![exact(CEF_WORD)]]),
                Origin::Leef => names.push(vec![vec![exact(LEEF_WORD)]]),
            }
        }
        let mut probes = Probe::alternatives(leaf);
        if probes.is_empty() {
            probes.push(Probe::of(leaf));
        }
        let with_addresses = |probe: Probe| match probe.with_addresses {
            Some(own) => *own,
            None => probe,
        };
        Self {
            name: name.to_owned(),
            names,
            of_log,
            values: of_values(probes.into_iter().map(with_addresses)),
            in_data: InData::new(name, leaf),
        }
    }

    /// What the look-ups cost.
    pub(crate) fn cost(&self) -> usize {
        let conditions = self.names.iter().chain(&self.of_log).chain(&self.values);
        let conditions = conditions.flatten().flatten();
        conditions.map(probe_cost).max().unwrap_or(0)
    }

    /// The rows that may have the field in their text, and pass, of those that are asked about.
    pub(crate) fn rows(
        &self,
        among: Among<'_>,
        segment: &SegmentHandle,
    ) -> Result<RowSet, ReadError> {
        // Names are in many rows, such as the month that all access logs have.
        let mut rows = match self.values.as_slice() {
            [] => RowSet::All,
            values => any_of(values, among, segment)?,
        };
        if !rows.is_empty() {
            let left = among.or_found(&rows, segment.rows());
            let mut named = any_of(&self.names, left, segment)?;
            if let Some(of_log) = &self.of_log {
                named = named.or(all_of(of_log, left, segment)?);
            }
            rows = rows.and(named);
        }
        Ok(rows.or(escaped_rows(segment)?))
    }

    /// The rows that may have the field in their text in another way than by its place in an access log, and
    /// those that may be events, which are no access logs.
    pub(crate) fn rows_beside_logs(&self, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
        let events = terms_of(&EVENT_WORDS.map(exact), segment)?;
        let named = any_of(&self.names, Among::ALL, segment)?;
        let rows = named.or(union(&events, segment)?);
        Ok(rows.or(escaped_rows(segment)?))
    }

    /// The rows that may have the field in their structured data, if it is all in there, and pass.
    pub(crate) fn rows_in_data(&self, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
        self.in_data.rows(segment)
    }
}

/// The conditions on values of some probes; none where any value may pass.
fn of_values(probes: impl IntoIterator<Item = Probe>) -> Vec<AllOf> {
    let all = |probe: Probe| probe.words.into_iter().map(behind_escapes).collect();
    let mut values: Vec<AllOf> = probes.into_iter().map(all).collect();
    // Columns of the kinds that have the name are asked in less time than all words are.
    let is_dear = |one_of: &Vec<WordProbe>| {
        let costs = one_of.iter().map(probe_cost);
        costs.max().unwrap_or(0) >= WHOLE_LEXICON_COST
    };
    for conditions in &mut values {
        conditions.retain(|one_of| !is_dear(one_of));
    }
    if values.iter().any(Vec::is_empty) {
        values.clear();
    }
    values
}

fn exact(word: &[u8]) -> WordProbe {
    WordProbe::Exact(words::fold(word).into_owned())
}

/// A condition on a word, or an address, and on that word, or the first number of that address, with an
/// escaped letter in front.
fn behind_escapes(probe: WordProbe) -> Vec<WordProbe> {
    let mut probes = Vec::with_capacity(1 + ESCAPE_LETTERS.len());
    for letter in ESCAPE_LETTERS {
        let joined = |bytes: &Vec<u8>| [&[letter], bytes.as_slice()].concat();
        probes.extend(match &probe {
            WordProbe::Exact(word) => Some(WordProbe::Exact(joined(word))),
            WordProbe::Prefix(prefix) => Some(WordProbe::Prefix(joined(prefix))),
            WordProbe::Pattern(pattern) => pattern.behind(&[letter]).map(WordProbe::Pattern),
            WordProbe::Address(key) => key
                .first_number()
                .map(|first| exact(&joined(&first.to_string().into_bytes()))),
            // Wherever the word starts, its end is the same.
            WordProbe::Suffix(_) | WordProbe::Contains(_) => None,
        });
    }
    probes.push(probe);
    probes
}

fn any_of(
    choice: &[AllOf],
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<RowSet, ReadError> {
    let mut either = RowSet::empty();
    for conditions in choice {
        either = either.or(all_of(conditions, among, segment)?);
    }
    Ok(either)
}

/// The rows that meet all conditions, and some more. Words are looked up before the rows of any are read.
fn all_of(
    conditions: &AllOf,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<RowSet, ReadError> {
    let (mut choices, mut others) = (Vec::new(), Vec::new());
    for probes in conditions {
        let terms = terms_of(probes, segment)?;
        if probes.iter().any(|probe| !probe.is_look_up()) {
            others.push((probes, terms));
        } else if terms.is_empty() {
            return Ok(RowSet::empty());
        } else {
            choices.push(terms);
        }
    }
    let mut rows = with_all(choices, segment)?.finish();
    for (probes, terms) in others {
        if rows.is_empty() {
            break;
        }
        let left = among.or_found(&rows, segment.rows());
        let mut either = union(&terms, segment)?;
        for probe in probes.iter().filter(|probe| !probe.is_look_up()) {
            either = either.or(probe_rows(Namespace::Message, probe, left, segment)?);
        }
        rows = rows.and(either);
    }
    Ok(rows)
}

/// The terms of those that are words or addresses.
fn terms_of(probes: &[WordProbe], segment: &SegmentHandle) -> Result<Vec<TermEntry>, ReadError> {
    let mut terms = Vec::new();
    for probe in probes {
        terms.append(&mut find_terms(Namespace::Message, probe, segment)?);
    }
    Ok(terms)
}

/// The rows with a word that starts as an escaped character does.
fn escaped_rows(segment: &SegmentHandle) -> Result<RowSet, ReadError> {
    let mut terms: Vec<TermEntry> = Vec::new();
    let key = Namespace::Message.key(b"u");
    let is_wanted = |key: KnownKey<'_>| match is_escape_word(key.bytes.get(1..).unwrap_or(&[])) {
        false if key.left_out.is_some() => None,
        is_wanted => Some(is_wanted),
    };
    let visit = &mut |term, _| terms.push(term);
    segment.scan_wanted_terms(&key, b"u", is_wanted, visit, || true)?;
    union(&terms, segment)
}
