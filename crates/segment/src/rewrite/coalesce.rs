//! Chunks beside each other into one, without cutting a record again.
//!
//! Kinds and slots stay what they are. The columns of a slot are read one behind the other and packed
//! anew, so that what was a few values in each of four pages stands in one; rows, and with them ordinals,
//! are numbered anew kind by kind. In memory are the directories of the chunks, one page of each, and
//! what is kept of all rows in a few bytes each.
#![deny(clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::ops::Range;

use model::RecordBatch;

use super::chunks::{Large, Target};
use crate::builder::{push_chunk, push_page};
use crate::chunk::{SidePages, column_places};
use crate::columns::pack::Packer;
use crate::columns::{Column, pack};
use crate::input::{ColumnsInOrder, PageError};
use crate::limits::{
    CHUNK_ROWS, CHUNK_ROWS_MAX, COLUMN_PARTS_MAX, ROW_METADATA_PAGE_ROWS, SMALL_CHUNK_ROWS,
};
use crate::page::PageWriter;
use crate::rows::LooseWriter;
use crate::{ChunkEntry, Corrupt, Footer, RewriteInput};

/// Values of a column that are packed together, in bytes and as many: parts are cut where one ends.
const VALUES_BYTES: usize = 4 << 20;
const VALUES_MAX: usize = 256 * 1024;

/// Whether a segment has chunks that belong into a larger one. What is compacted for good has not: chunks come
/// before words are cut.
pub fn can_be_coalesced(footer: &Footer) -> bool {
    let stretches = stretches(&footer.chunks, Large::Coalesced);
    !footer.has_truncated_terms && stretches.iter().any(|chunks| chunks.len() > 1)
}

/// The chunks that become one, all of them in order; one alone stays what it is.
///
/// What is made is larger than any chunk that is written of records: less would not be worth the work, and
/// so it is known which chunks were made this way. Of the others the records fit into one batch. Each has at
/// least as many rows as are read together, so that these are of two, and no more than may be in memory at once.
pub(super) fn stretches(chunks: &[ChunkEntry], large: Large) -> Vec<Range<usize>> {
    let rows = |chunk: usize| {
        chunks
            .get(chunk)
            .map_or(0, |entry| entry.page.rows as usize)
    };
    let (mut found, mut start) = (Vec::new(), 0);
    while start < chunks.len() {
        let is_taken = |chunk: usize| match large {
            Large::Copied => false,
            Large::Coalesced => (SMALL_CHUNK_ROWS as usize..=CHUNK_ROWS).contains(&rows(chunk)),
            #[cfg(test)]
            Large::CoalescedAlways => true,
            #[cfg(test)]
            Large::KeptAlways => false,
        };
        let (mut end, mut all) = (start, 0);
        while end < chunks.len() && is_taken(end) && all + rows(end) <= CHUNK_ROWS_MAX {
            all += rows(end);
            end += 1;
        }
        if all <= CHUNK_ROWS && large == Large::Coalesced || end == start {
            end = start + 1;
        }
        found.push(start..end);
        start = end;
    }
    found
}

/// A group of the input whose rows are in a larger one now.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    /// Its ordinals in the input.
    pub(super) ordinals: Range<u32>,
    /// The first of them in the result; the others follow.
    pub(super) to: u32,
    /// The group of the result.
    pub(super) group: u32,
}

impl Moved {
    /// Its ordinals in the result.
    pub(super) fn ordinals_now(&self) -> Range<u32> {
        self.to..self.to + (self.ordinals.end - self.ordinals.start)
    }
}

/// A kind of the larger chunk.
struct JoinedKind {
    number: u32,
    rows: u32,
    /// The chunks that have it, in order, and its place in each.
    sources: Vec<(usize, usize)>,
}

/// The values of some rows of a column.
#[derive(Default)]
struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Values {
    fn add(&mut self, column: &Column, rows: usize) {
        for row in 0..rows {
            column.append(row, &mut self.bytes);
            self.ends.push(self.bytes.len());
        }
    }

    fn are_many(&self) -> bool {
        self.bytes.len() >= VALUES_BYTES || self.ends.len() >= VALUES_MAX
    }

    fn slices(&self) -> Vec<&[u8]> {
        let mut start = 0;
        let ends = self.ends.iter();
        let slices = ends.map(|end| {
            let own = self.bytes.get(start..*end);
            start = *end;
            own.unwrap_or(&[])
        });
        slices.collect()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

impl<E> Target<'_, '_, E> {
    /// Appends some chunks of a segment as one, whose kinds have the numbers that they have there; whether
    /// they were: there may be more names, or parts of columns, than one chunk may have.
    pub(super) fn coalesce<I: RewriteInput<Error = E>>(
        &mut self,
        sources: &mut [ColumnsInOrder<'_, I>],
    ) -> Result<bool, PageError<E>> {
        let Some((names, tags)) = joined_names(sources) else {
            return Ok(false);
        };
        if sources.iter().map(ColumnsInOrder::parts).sum::<usize>() > COLUMN_PARTS_MAX {
            return Ok(false);
        }
        let joined = joined_kinds(sources);
        let kinds: Vec<(u32, u32)> = joined.iter().map(|kind| (kind.number, kind.rows)).collect();
        let places = joined_places(sources, &joined)?;
        let mut side = SidePages::new((self.page_writer)());
        let packed = self.pack_joined(sources, &joined, places.len(), &mut side.pages)?;
        let rows = places.len();
        let directory = side.directory(&packed.directory, rows, self.file);
        let zone_maps = side.zone_maps(&packed.zone_maps, self.file);
        let mut loose = LooseWriter::new(&names, tags);
        let mut heads = Vec::new();
        let mut own = Vec::with_capacity(ROW_METADATA_PAGE_ROWS);
        for (window, places) in (0_u32..).zip(places.chunks(ROW_METADATA_PAGE_ROWS)) {
            own.clear();
            own.extend(places.iter().copied().map(u64::from));
            let start = window * ROW_METADATA_PAGE_ROWS as u32;
            let batch = joined_heads(sources, &names, start..start + own.len() as u32)?;
            let page = side.head(&own, batch.heads(), &mut loose, self.file);
            push_page(&mut heads, page, own.len() as u32);
            self.file.relieve().map_err(PageError::Read)?;
        }
        let places = places.into_iter().map(u64::from);
        let row_page = side.kinds(&kinds, places, ROW_METADATA_PAGE_ROWS, self.file);
        let page = side.tables(&loose, rows, self.file);
        let entry = ChunkEntry {
            columns: packed.pages,
            directory,
            zone_maps,
            heads,
            rows: row_page,
            page,
        };
        self.note_moved(sources, &joined);
        self.joined.index.tally.push(kinds);
        push_chunk(&mut self.footer.chunks, entry);
        Ok(true)
    }

    /// Writes the pages of the columns of a chunk of so many rows.
    fn pack_joined<I: RewriteInput<Error = E>>(
        &mut self,
        sources: &mut [ColumnsInOrder<'_, I>],
        joined: &[JoinedKind],
        rows: usize,
        pages: &mut PageWriter,
    ) -> Result<pack::Packed, PageError<E>> {
        let mut columns = Vec::new();
        let numbers = joined.iter().map(|kind| kind.number);
        column_places(numbers, &self.joined.kinds, &mut columns);
        let mut packer = Packer::new(rows).with_check();
        let mut values = Values::default();
        for (_, place, slot) in columns {
            let Some(kind) = joined.get(place as usize) else {
                continue;
            };
            let mut parts = 0;
            for (source, own_place) in &kind.sources {
                let Some(source) = sources.get_mut(*source) else {
                    continue;
                };
                for number in source.parts_of(*own_place, slot as usize)? {
                    let part = source.part(number)?;
                    values.add(&part.column, part.ordinals.len());
                    if values.are_many() {
                        parts += packer.push_values(&values.slices(), pages, self.file);
                        values.clear();
                    }
                }
            }
            parts += packer.push_values(&values.slices(), pages, self.file);
            values.clear();
            packer.close_column(parts);
            self.file.relieve().map_err(PageError::Read)?;
        }
        let packed = packer.finish(pages, self.file);
        packed.check?;
        Ok(packed)
    }

    /// Notes which groups of the sources are in which of the next chunk.
    fn note_moved<I: RewriteInput<Error = E>>(
        &mut self,
        sources: &[ColumnsInOrder<'_, I>],
        joined: &[JoinedKind],
    ) {
        let last = self.footer.chunks.last().map(|last| &last.page);
        let first = last.map_or(0, |last| last.first_row + last.rows);
        let first_group = self.joined.index.tally.len();
        let mut moved = BTreeMap::new();
        let mut to = first;
        for (group, kind) in (first_group..).zip(joined) {
            for (source, place) in &kind.sources {
                moved.insert((*source, *place), (to, group));
                to += rows_of(sources, *source, *place);
            }
        }
        // In the order of the sources, and so of their ordinals.
        let mut ordinal = first;
        for ((source, place), (to, group)) in moved {
            let end = ordinal + rows_of(sources, source, place);
            let ordinals = std::mem::replace(&mut ordinal, end)..end;
            self.joined.moved.push(Moved {
                ordinals,
                to,
                group,
            });
        }
    }
}

fn rows_of<I: RewriteInput>(sources: &[ColumnsInOrder<'_, I>], source: usize, place: usize) -> u32 {
    let kind = sources
        .get(source)
        .and_then(|source| source.kinds().get(place));
    kind.map_or(0, |(_, rows)| *rows)
}

/// The names of sources and tags that rows of some chunks have, and their tags as those names have them;
/// `None` where one chunk may not have so many.
fn joined_names<I: RewriteInput>(sources: &[ColumnsInOrder<'_, I>]) -> Option<(RecordBatch, u64)> {
    let (mut names, mut all) = (RecordBatch::new(), 0);
    for source in sources {
        let (own, tags) = source.names();
        for name in own.sources() {
            names.source_index(name).ok()?;
        }
        let used = own.tags().iter().zip(0..u64::BITS);
        for (name, _) in used.filter(|(_, bit)| tags >> bit & 1 == 1) {
            all |= names.tag_bit(name).ok()?;
        }
    }
    Some((names, all))
}

/// The kinds of some chunks, by number.
fn joined_kinds<I: RewriteInput>(sources: &[ColumnsInOrder<'_, I>]) -> Vec<JoinedKind> {
    let mut joined: BTreeMap<u32, JoinedKind> = BTreeMap::new();
    for (number, source) in sources.iter().enumerate() {
        for (place, (kind, rows)) in source.kinds().iter().enumerate() {
            let joined = joined.entry(*kind).or_insert(JoinedKind {
                number: *kind,
                rows: 0,
                sources: Vec::new(),
            });
            joined.rows += rows;
            joined.sources.push((number, place));
        }
    }
    joined.into_values().collect()
}

/// For each row of some chunks the place of its kind among those of all of them, of which there are at most
/// [`KINDS_MAX`](crate::limits::KINDS_MAX).
fn joined_places<I: RewriteInput>(
    sources: &mut [ColumnsInOrder<'_, I>],
    joined: &[JoinedKind],
) -> Result<Vec<u16>, PageError<I::Error>> {
    let rows = sources.iter().map(|source| source.rows() as usize).sum();
    let mut all = Vec::with_capacity(rows);
    for (number, source) in sources.iter_mut().enumerate() {
        let mut now = vec![0; source.kinds().len()];
        for (place, kind) in (0..=u16::MAX).zip(joined) {
            for (_, own) in kind.sources.iter().filter(|(source, _)| *source == number) {
                if let Some(now) = now.get_mut(*own) {
                    *now = place;
                }
            }
        }
        let own = source.places()?.into_iter();
        let places = own.map(|place| now.get(place as usize).copied());
        let places: Option<Vec<u16>> = places.collect();
        all.extend(places.ok_or(Corrupt::Short {
            what: "kinds of a chunk",
        })?);
    }
    Ok(all)
}

/// Some rows of all chunks, one behind the other, without their texts. `names` has the names that they
/// refer to.
fn joined_heads<I: RewriteInput>(
    sources: &mut [ColumnsInOrder<'_, I>],
    names: &RecordBatch,
    rows: Range<u32>,
) -> Result<RecordBatch, PageError<I::Error>> {
    let mut batch = names.clone();
    let mut first = 0;
    for source in sources {
        let end = first + source.rows();
        let own = rows.start.max(first)..rows.end.min(end);
        if !own.is_empty() {
            let heads = source.heads(own.start - first..own.end - first)?;
            let more = batch.append(&heads);
            more.map_err(|_| Corrupt::Invalid {
                what: "number of rows",
                value: u64::from(end),
            })?;
        }
        first = end;
    }
    Ok(batch)
}
