//! Rows with words in a text, side by side or in some other way: by the values that have them so, in kinds where all
//! rows with one of the words have such a value.
//!
//! Rows that have a passing value in a slot pass, and only rows that have the word can. Where both are as many, they
//! are the same rows.

use std::collections::BTreeMap;

use query::WordProbe;
use segment::{Edges, KindRows, Namespace, TermEntry, TextBit, TextTest};
use store::{OpenChunk, PartValues, ReadError, SegmentHandle};

use super::{RowsTold, Told, windows};
use crate::among::Among;
use crate::cancel::Cancel;
use crate::check::LeafTest;
use crate::gathered::union;
use crate::plan::Words;
use crate::row_set::RowSet;
use crate::word_rows::find_word;

/// What values tell of the rows of a segment with some words.
pub(super) fn told(words: &Words, segment: &SegmentHandle, cancel: &Cancel) -> Option<Told> {
    let mut test = LeafTest::clone(words.test.as_deref()?);
    let mut texts: BTreeMap<u32, Text> = BTreeMap::new();
    let mut terms = Vec::new();
    for namespace in words.namespaces {
        let term = match rarest(*namespace, words, segment).ok()? {
            Rarest::Term(term) => term,
            Rarest::Missing => continue,
            Rarest::Unknown => return None,
        };
        terms.push(term);
        for (group, rows) in segment.rows_by_group(&term).ok()?? {
            let own = Text::One(*namespace, rows);
            texts
                .entry(group)
                .and_modify(|text| *text = Text::Several)
                .or_insert(own);
        }
    }
    let tally = segment.tally().ok()?;
    let (mut known, mut open) = (0, Vec::new());
    let mut opened: Option<(usize, OpenChunk<'_>)> = None;
    for group in 0..tally.len() {
        if cancel.stopped().is_some() {
            return None;
        }
        let seats = tally.seats(group);
        let matching = match texts.get(&group) {
            None => Some(0),
            Some(Text::Several) => None,
            Some(Text::One(namespace, rows)) => {
                let number = segment.chunk_of_row(seats.start);
                if opened.as_ref().is_none_or(|(own, _)| *own != number) {
                    opened = Some((number, segment.open_chunk(number).ok()?));
                }
                let (_, chunk) = opened.as_ref()?;
                let kinds = chunk.kind_rows(&[seats.start]);
                let kind = kinds.first()?;
                let all = seats.len() as u64;
                matching(chunk, kind, (*namespace, u64::from(*rows)), all, &mut test).ok()?
            }
        };
        match matching {
            Some(matching) => known += matching,
            None => open.push(seats),
        }
    }
    let mut open = RowSet::of_ranges(open);
    if !open.is_empty() {
        let may = union(&terms, Among::set(&open), segment).ok()?;
        open = open.and(may);
    }
    Some(Told {
        matching: known,
        open,
        in_text: None,
        looked_at: 0,
    })
}

/// The text in which rows of a group have the words.
enum Text {
    /// This one, and so many may.
    One(Namespace, u32),
    /// One or another.
    Several,
}

/// The rarest of some words.
enum Rarest {
    Term(TermEntry),
    /// One of them is nowhere.
    Missing,
    /// None of them is a whole word.
    Unknown,
}

/// The rarest of the words in a text.
fn rarest(
    namespace: Namespace,
    words: &Words,
    segment: &SegmentHandle,
) -> Result<Rarest, ReadError> {
    let mut rarest: Option<TermEntry> = None;
    for probe in &words.probes {
        let WordProbe::Exact(word) = probe else {
            continue;
        };
        let Some(term) = find_word(namespace, word, segment)? else {
            return Ok(Rarest::Missing);
        };
        if rarest.is_none_or(|rarest| term.rows < rarest.rows) {
            rarest = Some(term);
        }
    }
    Ok(rarest.map_or(Rarest::Unknown, Rarest::Term))
}

/// How many rows of a kind have a text that passes, given how many may and how many there are; `None` where that is
/// not known.
fn matching(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (text, may): (Namespace, u64),
    all: u64,
    test: &mut LeafTest,
) -> Result<Option<u64>, ReadError> {
    let Some(bits) = kind.text(text) else {
        return Ok(None);
    };
    let mut told = Vec::with_capacity(bits.len());
    for (at, bit) in bits.iter().enumerate() {
        let own = match bit {
            TextBit::Fixed(bytes) => {
                let edges = Edges {
                    is_start: at == 0,
                    is_end: at + 1 == bits.len(),
                };
                if passes(test, bytes, edges) {
                    return Ok(Some(all));
                }
                RowsTold::default()
            }
            TextBit::Slot(slot) => {
                let Some(parts) = chunk.value_counts(kind, *slot)? else {
                    return Ok(None);
                };
                let own = told_by_slot(&parts, &bits, at, test);
                if own.passing == may {
                    return Ok(Some(may));
                }
                own
            }
        };
        told.push(own);
    }
    Ok(windows::matching(chunk, kind, (&bits, &told), test))
}

/// What is known of rows by what they have in a slot of a text, with what is fixed around it.
fn told_by_slot(
    parts: &[PartValues],
    bits: &[TextBit<'_>],
    at: usize,
    test: &mut LeafTest,
) -> RowsTold {
    let fixed = |at: Option<usize>| match at.and_then(|at| bits.get(at)) {
        Some(TextBit::Fixed(bytes)) => *bytes,
        _ => &[],
    };
    let (before, after) = (fixed(at.checked_sub(1)), fixed(Some(at + 1)));
    let edges = Edges {
        is_start: at == usize::from(!before.is_empty()),
        is_end: at + 1 + usize::from(!after.is_empty()) == bits.len(),
    };
    RowsTold::of(parts, |own| {
        // What stands for numbers tells of those that do not matter.
        let is_told = !own.has_numbers || test.ignores_digits();
        let text = [before, &own.text, after].concat();
        is_told.then(|| passes(test, &text, edges))
    })
}

/// Whether a text passes that has these bytes where `edges` says, which may be all of it.
fn passes(test: &mut LeafTest, bytes: &[u8], edges: Edges) -> bool {
    match edges.is_start && edges.is_end {
        true => test.passes(bytes),
        false => test.passes_around(bytes, edges),
    }
}
