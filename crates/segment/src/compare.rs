//! Whether a segment says of its rows what its rows say: counts, times and every term of the index,
//! made anew and compared.
#![deny(clippy::indexing_slicing)]

use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::Range;

use crate::input::{self, PageError, Pages};
use crate::lexicon::class::plain_key;
use crate::rewrite::{TermCursor, damaged, stored, tally};
use crate::{
    Bigrams, Built, ChunkEntry, Footer, Kinds, LexiconPage, LexiconPageEntry, Namespace, PageEntry,
    RewriteError, RewriteInput, ZoneMap, ZoneMaps,
};

/// What differs between a segment's index and its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A count, sum or time of the footer.
    Footer {
        /// Which.
        what: &'static str,
    },
    /// Terms of the index.
    Terms {
        /// How many are missing, made up, or in other rows.
        terms: u64,
        /// The key of the first of them.
        first_key: Vec<u8>,
        /// Where in the file the lexicon page with it is, in bytes.
        offset: u64,
    },
    /// How many rows have each value of a part, in the tally page.
    ValueRows {
        /// The part, in the plural.
        what: &'static str,
        /// Where in the file the tally page is, in bytes.
        offset: u64,
    },
    /// Which pairs of bytes are in the words of lexicon pages.
    Bigrams {
        /// Of how many pages.
        pages: u64,
        /// Where in the file the bigram page is, in bytes.
        offset: u64,
    },
    /// What is said of the values of parts of columns.
    ZoneMaps {
        /// Of how many parts.
        parts: u64,
        /// Where in the file the first zone map page with one of them is, in bytes.
        offset: u64,
    },
}

/// A segment in memory.
struct InMemory<'a>(&'a Built);

impl RewriteInput for InMemory<'_> {
    type Error = Infallible;

    fn footer(&self) -> &Footer {
        &self.0.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Infallible> {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(entry.stored_len as usize);
        Ok(self.0.bytes.get(start..end).unwrap_or(&[]).to_vec())
    }
}

/// A segment whose index is compared.
struct Side<'a, I> {
    terms: TermCursor<'a, I>,
    /// The ordinals of each group, by number.
    groups: Vec<Range<u32>>,
    /// The row of each ordinal.
    order: Vec<u32>,
    rows: Vec<u32>,
}

impl<'a, I: RewriteInput> Side<'a, I> {
    fn new(input: &'a I) -> Result<Self, RewriteError<I::Error>> {
        let (groups, order) = ordinals(input)?;
        Ok(Self {
            terms: TermCursor::new(input, 0)?,
            groups,
            order,
            rows: Vec::new(),
        })
    }

    /// Finds all rows of the term at hand.
    fn find_rows(&mut self) -> Result<(), RewriteError<I::Error>> {
        let mut ordinals = self.terms.slot_ordinals()?;
        for group in self.terms.groups()? {
            let own = self.groups.get(group as usize).cloned();
            ordinals.extend(own.unwrap_or_default());
        }
        let rows = ordinals
            .iter()
            .filter_map(|ordinal| self.order.get(*ordinal as usize));
        self.rows.clear();
        self.rows.extend(rows);
        self.rows.sort_unstable();
        Ok(())
    }
}

/// The ordinals of each group of a segment, and the row of each ordinal.
type Ordinals = (Vec<Range<u32>>, Vec<u32>);

fn ordinals<I: RewriteInput>(input: &I) -> Result<Ordinals, RewriteError<I::Error>> {
    let mut groups = Vec::new();
    let mut order = vec![0; input.footer().rows as usize];
    for chunk in &input.footer().chunks {
        let row_kinds = input::row_kinds(input, chunk).map_err(|error| error.of_input(0))?;
        let first = chunk.page.first_row;
        let mut start = first;
        for (_, rows) in row_kinds.kinds() {
            groups.push(start..start.saturating_add(*rows));
            start = start.saturating_add(*rows);
        }
        let mut kept = vec![None; chunk.heads.len()];
        let mut page = |number| input::kept_row_metadata_page(input, chunk, &mut kept, number);
        let checked = row_kinds.check(&mut page);
        checked.map_err(|error| error.of_input(0))?;
        let found = row_kinds.with_ordinals(0..chunk.page.rows, &mut page);
        for (row, ordinal) in found.map_err(|error| error.of_input(0))? {
            if let Some(place) = order.get_mut(first.saturating_add(ordinal) as usize) {
                *place = first.saturating_add(row);
            }
        }
    }
    Ok((groups, order))
}

/// Compares a segment with one that was built of the same rows.
///
/// # Errors
/// When the index of the segment cannot be read.
pub fn compare<I: RewriteInput>(
    input: &I,
    rebuilt: &Built,
) -> Result<Vec<Difference>, RewriteError<I::Error>> {
    let mut differences = compare_footers(input.footer(), &rebuilt.footer);
    let rebuilt = InMemory(rebuilt);
    differences.extend(compare_value_rows(input, &rebuilt)?);
    differences.extend(compare_bigrams(input)?);
    differences.extend(compare_zone_maps(input)?);
    let mut stored = Side::new(input)?;
    let Ok(mut expected) = Side::new(&rebuilt) else {
        return Ok(differences);
    };
    let (mut terms, mut first) = (0, None);
    loop {
        let order = match (stored.terms.key(), expected.terms.key()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), Some(other)) if stored.terms.is_key(other) => Ordering::Equal,
            (Some(key), Some(other)) => key.cmp(other),
        };
        let mut is_same = false;
        if order.is_eq() {
            stored.find_rows()?;
            is_same = expected.find_rows().is_ok()
                && stored.rows == expected.rows
                && stored.terms.count() == expected.terms.count();
        }
        if !is_same {
            terms += 1;
            let key = stored.terms.key().filter(|_| order.is_le());
            let key = key.or(expected.terms.key());
            first
                .get_or_insert_with(|| (plain_key(key.unwrap_or_default()), stored.terms.offset()));
        }
        if order.is_le() {
            stored.terms.advance()?;
        }
        if order.is_ge() && expected.terms.advance().is_err() {
            break;
        }
    }
    if let Some((first_key, offset)) = first {
        differences.push(Difference::Terms {
            terms,
            first_key,
            offset,
        });
    }
    Ok(differences)
}

/// Where one of the segments does not count values, nothing is wrong.
fn compare_value_rows<I: RewriteInput>(
    input: &I,
    rebuilt: &InMemory<'_>,
) -> Result<Vec<Difference>, RewriteError<I::Error>> {
    let Some(entry) = &input.footer().tally_page else {
        return Ok(Vec::new());
    };
    let stored = tally(input, 0, entry)?;
    let expected = rebuilt.footer().tally_page.as_ref();
    let Some(Ok(expected)) = expected.map(|entry| tally(rebuilt, 0, entry)) else {
        return Ok(Vec::new());
    };
    let mut differences = Vec::new();
    for (part, what) in [(Namespace::Host, "hosts"), (Namespace::Program, "programs")] {
        let stored = stored.counts_of(part);
        let stored = stored.map_err(|source| damaged(0, entry, source))?;
        let expected = expected.counts_of(part).ok().flatten();
        if stored
            .zip(expected)
            .is_some_and(|(stored, expected)| stored != expected)
        {
            let offset = entry.offset;
            differences.push(Difference::ValueRows { what, offset });
        }
    }
    Ok(differences)
}

/// Which pages have which words differs from one writer to another: what a segment says is compared with its
/// own pages.
fn compare_bigrams<I: RewriteInput>(
    input: &I,
) -> Result<Option<Difference>, RewriteError<I::Error>> {
    let footer = input.footer();
    let Some(entry) = &footer.bigram_page else {
        return Ok(None);
    };
    let bigrams = Bigrams::decode(entry, &stored(input, 0, entry)?);
    let bigrams = bigrams.map_err(|source| damaged(0, entry, source))?;
    let mut pages = 0;
    for (number, LexiconPageEntry { page: entry, .. }) in footer.lexicon_pages.iter().enumerate() {
        let page = LexiconPage::decode(entry, &stored(input, 0, entry)?);
        let own = page.and_then(|page| page.bigrams());
        let own = own.map_err(|source| damaged(0, entry, source))?;
        pages += u64::from(bigrams.set(number) != own.as_ref());
    }
    let offset = entry.offset;
    Ok((pages > 0).then_some(Difference::Bigrams { pages, offset }))
}

/// Which parts there are differs as well: zone maps are compared with the columns of the segment.
fn compare_zone_maps<I: RewriteInput>(
    input: &I,
) -> Result<Option<Difference>, RewriteError<I::Error>> {
    let footer = input.footer();
    if footer.zone_map_pages().next().is_none() {
        return Ok(None);
    }
    let kinds = input::kinds(input).map_err(|error| error.of_input(0))?;
    let (mut parts, mut first) = (0, None);
    for chunk in &footer.chunks {
        let Some(entry) = &chunk.zone_maps else {
            continue;
        };
        let zone_maps = ZoneMaps::decode(entry, &stored(input, 0, entry)?);
        let zone_maps = zone_maps.map_err(|source| damaged(0, entry, source))?;
        let wrong = wrong_zone_maps(input, chunk, &kinds, &zone_maps);
        let wrong = wrong.map_err(|error| error.of_input(0))?;
        if wrong > 0 {
            parts += wrong;
            first.get_or_insert(entry.offset);
        }
    }
    Ok(first.map(|offset| Difference::ZoneMaps { parts, offset }))
}

/// Of how many parts the zone maps of a chunk say something else than their columns.
fn wrong_zone_maps<I: RewriteInput>(
    input: &I,
    chunk: &ChunkEntry,
    kinds: &Kinds,
    zone_maps: &ZoneMaps,
) -> Result<u64, PageError<I::Error>> {
    let mut pages = Pages::new(input, chunk, kinds)?;
    let mut wrong = 0;
    for number in 0..pages.chunk().parts() {
        let Some(zone_map) = zone_maps.get(number) else {
            continue;
        };
        let part = pages.part_rows(number)?;
        let made = ZoneMap::of_column(&part.column);
        wrong += u64::from(!made.is_some_and(|made| zone_map.agrees_with(&made)));
    }
    Ok(wrong + zone_maps.behind(pages.chunk().parts()) as u64)
}

fn compare_footers(stored: &Footer, expected: &Footer) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (what, is_same) in [
        ("number of rows", stored.rows == expected.rows),
        (
            "time of the first receipt",
            stored.first_received == expected.first_received,
        ),
        (
            "time of the last receipt",
            stored.last_received == expected.last_received,
        ),
        (
            "first times of the received pages",
            stored.received_firsts == expected.received_firsts,
        ),
        ("earliest time", stored.first_time == expected.first_time),
        ("latest time", stored.last_time == expected.last_time),
        (
            "bytes of all records",
            stored.raw_bytes == expected.raw_bytes,
        ),
        ("counts of rows", stored.counts == expected.counts),
    ] {
        if !is_same {
            differences.push(Difference::Footer { what });
        }
    }
    differences
}

#[cfg(test)]
mod tests;
