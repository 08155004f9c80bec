//! The indexes of several segments into one.
//!
//! Ordinals and groups of a word are those of the inputs behind each other. Rows that were written anew
//! have new entries, as their groups have changed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::chunks::{Copied, CopiedTo, Joined};
use super::coalesce::Moved;
use super::truncate::{TRIAL_LEVEL, truncate};
use super::{RewriteError, RewriteInput, TermCursor, Truncation, damaged, not_taken, stored};
use crate::Corrupt;
use crate::footer::Footer;
use crate::index::{Index, PartCounts, SharedLists, Tally, listed};
use crate::lexicon::LexiconWriter;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::{PageFile as _, StreamedFile};

/// The counts of values of all inputs together.
fn counts<I: RewriteInput>(inputs: &[I]) -> Result<PartCounts, RewriteError<I::Error>> {
    let mut counts = PartCounts::default();
    for (number, input) in inputs.iter().enumerate() {
        let Some(entry) = &input.footer().tally_page else {
            continue;
        };
        let added = counts.add_encoded(tally(input, number, entry)?.encoded_counts());
        added.map_err(|source| damaged(number, entry, source))?;
    }
    Ok(counts)
}

/// The tally page of an input.
pub(crate) fn tally<I: RewriteInput>(
    input: &I,
    number: usize,
    entry: &PageEntry,
) -> Result<Tally, RewriteError<I::Error>> {
    let stored = stored(input, number, entry)?;
    Tally::decode(entry, &stored).map_err(|source| damaged(number, entry, source))
}

/// Appends the pages of the index.
pub(super) fn join<I: RewriteInput>(
    inputs: &[I],
    joined: &Joined,
    truncation: Option<Truncation>,
    footer: &mut Footer,
    (pages, file): (&mut PageWriter, &mut StreamedFile<'_, I::Error>),
) -> Result<(), RewriteError<I::Error>> {
    let counts = counts(inputs)?;
    joined.index.write_tally(&counts, footer, pages, file);
    let index = &joined.index;
    let mut lists = SharedLists::new(footer.rows);
    let mut lexicon = LexiconWriter::new(footer.rows);
    // What is written more than once is compressed well in the end.
    let truncation = truncation.filter(|own| own.is_possible(inputs));
    let mut trial = truncation.map(|_| PageWriter::new(TRIAL_LEVEL));
    let own_groups = index.groups();
    let bases = bases(inputs);
    let (mut list, mut ordinals, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    let mut moved = MovedGroups::new(&joined.moved);
    each_term(inputs, index, |key, terms, holders| {
        ordinals.clear();
        groups.clear();
        for holder in &holders.inputs {
            let base = bases.get(*holder).copied().unwrap_or_default();
            if let Some(terms) = terms.get_mut(*holder) {
                let kept = terms
                    .slot_ordinals()?
                    .into_iter()
                    .map(|ordinal| base + ordinal);
                ordinals.extend(kept.filter(|ordinal| !contains(&joined.rewritten, *ordinal)));
                for group in terms.groups()? {
                    match renumbered(&joined.copied, *holder, group) {
                        Some(CopiedTo::Groups(group)) => groups.push(group),
                        Some(CopiedTo::Moved(place)) => moved.push(place),
                        None => {}
                    }
                }
            }
        }
        moved.settle(&index.tally, &mut groups, &mut ordinals);
        if let Some(number) = holders.own {
            groups.extend_from_slice(own_groups.of(number));
            groups.sort_unstable();
            if let Some(term) = index.terms.get(number) {
                index.terms.ordinals_into(term, &mut list, &mut ordinals);
                ordinals.sort_unstable();
            }
        }
        // A word that was in slots only, of rows which are written anew, may be gone.
        if !ordinals.is_empty() || !groups.is_empty() {
            let groups = index.list_groups(&groups, &mut lists, pages, file);
            let all = lists.segment_rows() as usize;
            let entry = groups.with(listed(&ordinals, all, &mut lists, pages, file));
            if joined.rewritten.is_empty() {
                check_rows(entry.rows, terms, holders)?;
            }
            lexicon.push(key, entry, trial.as_mut().unwrap_or(pages));
        }
        file.relieve().map_err(not_taken)
    })?;
    footer.posting_pages = lists.finish(pages, file);
    let mut lexicon = lexicon.close(trial.as_mut().unwrap_or(pages));
    if let Some(truncation) = truncation {
        let made = truncate(lexicon, footer.rows, file.offset(), truncation);
        let (made, has_truncated_terms) = made.map_err(|source| RewriteError::Damaged {
            input: 0,
            offset: 0,
            source,
        })?;
        footer.has_truncated_terms = has_truncated_terms;
        lexicon = made.compressed(pages);
    }
    while let Some(page) = lexicon.append_next(file) {
        footer.lexicon_pages.push(page);
        file.relieve().map_err(not_taken)?;
    }
    footer.bigram_page = lexicon.append_bigrams(pages, file);
    Ok(())
}

/// Checks that a term has as many rows as in the inputs, whose lists are deleted.
fn check_rows<I: RewriteInput>(
    rows: u32,
    terms: &[TermCursor<'_, I>],
    holders: &Holders,
) -> Result<(), RewriteError<I::Error>> {
    let own = holders.inputs.iter().filter_map(|input| terms.get(*input));
    if own.map(TermCursor::count).sum::<u32>() == rows {
        return Ok(());
    }
    let first = holders.inputs.first().copied().unwrap_or_default();
    Err(RewriteError::Damaged {
        input: first,
        offset: terms.get(first).map_or(0, TermCursor::offset),
        source: Corrupt::Invalid {
            what: "rows of a term",
            value: u64::from(rows),
        },
    })
}

/// Where a group of an input is; `None` where its rows were written anew.
fn renumbered(copied: &[Copied], input: usize, group: u32) -> Option<CopiedTo> {
    let behind = copied.partition_point(|chunk| (chunk.input, chunk.groups.end) <= (input, group));
    let chunk = copied.get(behind)?;
    let is_in = chunk.input == input && chunk.groups.contains(&group);
    let place = is_in.then(|| group - chunk.groups.start)?;
    Some(match chunk.to {
        CopiedTo::Groups(first) => CopiedTo::Groups(first + place),
        CopiedTo::Moved(first) => CopiedTo::Moved(first + place as usize),
    })
}

/// Groups of a term that are in larger ones.
struct MovedGroups<'m> {
    all: &'m [Moved],
    /// Those whose rows all have the term, by the larger ones.
    own: Vec<&'m Moved>,
}

impl<'m> MovedGroups<'m> {
    fn new(all: &'m [Moved]) -> Self {
        Self {
            all,
            own: Vec::new(),
        }
    }

    fn push(&mut self, place: usize) {
        self.own.extend(self.all.get(place));
    }

    /// Puts ordinals of the inputs in slots into those of the result, and adds the groups: as such where all
    /// rows of the larger one have the term, else by their ordinals.
    fn settle(&mut self, tally: &Tally, groups: &mut Vec<u32>, ordinals: &mut Vec<u32>) {
        if self.all.is_empty() {
            return;
        }
        move_ordinals(self.all, ordinals);
        self.own
            .sort_unstable_by_key(|moved| (moved.group, moved.to));
        for own in self.own.chunk_by(|one, next| one.group == next.group) {
            let group = own.first().map_or(0, |moved| moved.group);
            let rows: u32 = own
                .iter()
                .map(|moved| moved.ordinals_now().len() as u32)
                .sum();
            if rows == tally.rows(group) {
                groups.push(group);
            } else {
                ordinals.extend(own.iter().flat_map(|moved| moved.ordinals_now()));
            }
        }
        self.own.clear();
        groups.sort_unstable();
        ordinals.sort_unstable();
    }
}

/// Replaces ordinals, which ascend, by those that their rows have now.
fn move_ordinals(all: &[Moved], ordinals: &mut [u32]) {
    let mut left = all;
    for ordinal in ordinals {
        if left
            .first()
            .is_some_and(|first| first.ordinals.end <= *ordinal)
        {
            let behind = left.partition_point(|moved| moved.ordinals.end <= *ordinal);
            left = left.get(behind..).unwrap_or(&[]);
        }
        if let Some(moved) = left
            .first()
            .filter(|moved| moved.ordinals.start <= *ordinal)
        {
            *ordinal = moved.to + (*ordinal - moved.ordinals.start);
        }
    }
}

/// For each input the number of rows before it.
fn bases<I: RewriteInput>(inputs: &[I]) -> Vec<u32> {
    let mut base = 0;
    let rows = inputs.iter().map(|input| input.footer().rows);
    rows.map(|rows| {
        base += rows;
        base - rows
    })
    .collect()
}

/// Whether a number is in one of some ranges in ascending order.
fn contains(ranges: &[Range<u32>], number: u32) -> bool {
    let behind = ranges.partition_point(|range| range.end <= number);
    ranges
        .get(behind)
        .is_some_and(|range| range.contains(&number))
}

/// Where a key is.
#[derive(Debug, Default)]
struct Holders {
    /// The inputs that have it, in order.
    inputs: Vec<usize>,
    /// The number of its term in the index of what is new.
    own: Option<u32>,
}

/// Calls `visit` with every key of the inputs and of the index of what is new, in order, and who has
/// it.
fn each_term<I: RewriteInput>(
    inputs: &[I],
    index: &Index,
    mut visit: impl FnMut(
        &[u8],
        &mut [TermCursor<'_, I>],
        &Holders,
    ) -> Result<(), RewriteError<I::Error>>,
) -> Result<(), RewriteError<I::Error>> {
    let mut terms = Vec::with_capacity(inputs.len());
    let mut heap = BinaryHeap::new();
    for (number, input) in inputs.iter().enumerate() {
        let of_input = TermCursor::new(input, number)?;
        if let Some(key) = of_input.key() {
            heap.push(Reverse((key.to_vec(), number)));
        }
        terms.push(of_input);
    }
    let mut own = index.terms.sorted().into_iter().peekable();
    let push_own = |own: Option<&u32>, mut key: Vec<u8>, heap: &mut BinaryHeap<_>| {
        if let Some(term) = own.and_then(|number| index.terms.get(*number)) {
            index.terms.key_into(term, &mut key);
            heap.push(Reverse((key, inputs.len())));
        }
    };
    push_own(own.peek(), Vec::new(), &mut heap);
    let mut holders = Holders::default();
    let mut spare: Vec<Vec<u8>> = Vec::new();
    while let Some(Reverse((key, number))) = heap.pop() {
        (holders.inputs, holders.own) = (vec![number], None);
        while let Some(Reverse((next, _))) = heap.peek()
            && *next == key
            && let Some(Reverse((next, number))) = heap.pop()
        {
            holders.inputs.push(number);
            spare.push(next);
        }
        // It comes behind all inputs.
        if holders.inputs.last() == Some(&inputs.len()) {
            holders.inputs.pop();
            holders.own = own.next();
        }
        visit(&key, &mut terms, &holders)?;
        spare.push(key);
        if holders.own.is_some() {
            push_own(own.peek(), spare.pop().unwrap_or_default(), &mut heap);
        }
        for number in &holders.inputs {
            let Some(of_input) = terms.get_mut(*number) else {
                continue;
            };
            of_input.advance()?;
            if let Some(next) = of_input.key() {
                let mut key = spare.pop().unwrap_or_default();
                key.clear();
                key.extend_from_slice(next);
                heap.push(Reverse((key, *number)));
            }
        }
    }
    Ok(())
}
