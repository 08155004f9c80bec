//! The chunks of several segments behind each other.
//!
//! A chunk is copied page by page and its kinds are numbered anew. Small chunks beside each other, as
//! a quiet logspace makes them, are decoded and written as one: kinds and columns pay off only where
//! they have many rows.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::{RecordBatch, Timestamp};

use super::coalesce::{self, Moved};
use super::{RewriteError, RewriteInput, not_taken};
use crate::builder::{push_chunk, write_chunk};
use crate::footer::Counts;
use crate::index::Index;
use crate::input::{self, ColumnsInOrder, OpenChunk, PageError, damaged};
use crate::limits::{CHUNK_BYTES, CHUNK_ROWS, SMALL_CHUNK_BYTES, SMALL_CHUNK_ROWS};
use crate::page::{PageWriter, open as open_page};
use crate::page_file::StreamedFile;
use crate::{ChunkEntry, ChunkWriter, Corrupt, Footer, Kinds, PageEntry, RowKinds};

/// A chunk of an input.
struct Source<'a, I> {
    number: usize,
    input: &'a I,
    entry: &'a ChunkEntry,
    row_kinds: RowKinds,
    /// The number of its first group.
    groups: u32,
}

/// The chunks of what is written.
pub(super) struct Joined {
    /// Its kinds.
    pub(super) kinds: Kinds,
    /// Its groups, and the words of rows that were written anew.
    pub(super) index: Index,
    /// The groups of chunks that were copied, in the order of the inputs.
    pub(super) copied: Vec<Copied>,
    /// The rows, and ordinals, that were written anew: which of their words are fixed may have changed.
    pub(super) rewritten: Vec<Range<u32>>,
    /// The groups that are in a larger one, by their ordinals.
    pub(super) moved: Vec<Moved>,
}

/// Groups of chunks that were copied, or are one chunk now.
pub(super) struct Copied {
    /// The input they are from.
    pub(super) input: usize,
    /// Their numbers there.
    pub(super) groups: Range<u32>,
    pub(super) to: CopiedTo,
}

/// Where groups are.
#[derive(Clone, Copy)]
pub(super) enum CopiedTo {
    /// The number of the first of them in the result; the others follow.
    Groups(u32),
    /// The place of the first of them among those that are in larger ones.
    Moved(usize),
}

/// What becomes of chunks that are large enough to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Large {
    /// They are copied.
    Copied,
    /// Those beside each other become one. There is one input.
    Coalesced,
    /// The same of small ones, and of few.
    #[cfg(test)]
    CoalescedAlways,
    /// They are copied, and so are small ones.
    #[cfg(test)]
    KeptAlways,
}

impl Large {
    /// Whether all pages are compressed anew.
    fn is_compressed(self) -> bool {
        match self {
            Self::Copied => false,
            Self::Coalesced => true,
            #[cfg(test)]
            Self::CoalescedAlways => true,
            #[cfg(test)]
            Self::KeptAlways => false,
        }
    }

    /// Makes writers of pages with a level of zstd.
    pub(super) fn page_writer(self, zstd_level: i32) -> impl Fn() -> PageWriter {
        move || match self.is_compressed() {
            true => PageWriter::new(zstd_level).checked(),
            false => PageWriter::new(zstd_level),
        }
    }

    /// Whether a chunk is joined with others like it, record by record.
    fn joins(self, chunk: &ChunkEntry) -> bool {
        match self {
            Self::Copied | Self::Coalesced => is_small(chunk),
            #[cfg(test)]
            Self::CoalescedAlways | Self::KeptAlways => false,
        }
    }
}

/// What is written so far.
pub(super) struct Target<'a, 's, E> {
    pub(super) joined: Joined,
    /// For the counts of rows written anew, which are known already.
    counted: Counts,
    writer: ChunkWriter,
    pub(super) page_writer: &'a dyn Fn() -> PageWriter,
    /// Compresses the pages that are copied; `None` where they stay what they are.
    pages: Option<PageWriter>,
    pub(super) footer: &'a mut Footer,
    pub(super) file: &'a mut StreamedFile<'s, E>,
}

/// Appends the chunks of all inputs.
pub(super) fn join<'a, I: RewriteInput>(
    inputs: &[I],
    page_writer: &'a dyn Fn() -> PageWriter,
    large: Large,
    footer: &'a mut Footer,
    file: &'a mut StreamedFile<'_, I::Error>,
) -> Result<Joined, RewriteError<I::Error>> {
    let mut target = Target {
        joined: Joined {
            kinds: Kinds::new(),
            index: Index::new(),
            copied: Vec::new(),
            rewritten: Vec::new(),
            moved: Vec::new(),
        },
        counted: Counts::default(),
        writer: ChunkWriter::new(1).with_pages(page_writer()),
        page_writer,
        pages: large.is_compressed().then(page_writer),
        footer,
        file,
    };
    let mut small: Vec<Source<'_, I>> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let kinds = input::kinds(input).map_err(|error| error.of_input(number))?;
        let chunks = &input.footer().chunks;
        if inputs.len() == 1 {
            target.keep_kinds(&kinds);
        }
        let mut groups = 0;
        for stretch in coalesce::stretches(chunks, large) {
            let mut own = Vec::with_capacity(stretch.len());
            for entry in chunks.get(stretch).unwrap_or(&[]) {
                let row_kinds = input::row_kinds(input, entry);
                let row_kinds = row_kinds.map_err(|error| error.of_input(number))?;
                let first = groups;
                groups += row_kinds.kinds().len() as u32;
                own.push(Source {
                    number,
                    input,
                    entry,
                    row_kinds,
                    groups: first,
                });
            }
            if let [source] = &own[..]
                && large.joins(source.entry)
            {
                small.extend(own);
                continue;
            }
            target.join(std::mem::take(&mut small))?;
            let placed = target.place(&own, &kinds);
            placed.map_err(|error| error.of_input(number))?;
            target.file.relieve().map_err(not_taken)?;
        }
    }
    target.join(small)?;
    Ok(target.joined)
}

/// Whether a chunk is joined with those beside it.
fn is_small(entry: &ChunkEntry) -> bool {
    let columns = entry.columns.iter().map(|page| u64::from(page.raw_len));
    entry.page.rows < SMALL_CHUNK_ROWS && columns.sum::<u64>() < SMALL_CHUNK_BYTES
}

impl<E> Target<'_, '_, E> {
    /// Gives the kinds of the only input the numbers that they have there.
    fn keep_kinds(&mut self, kinds: &Kinds) {
        for key in (0..).map_while(|number| kinds.key(number)) {
            self.joined.kinds.intern(key);
        }
    }

    /// Appends a chunk as it is, or several as one.
    fn place<I: RewriteInput<Error = E>>(
        &mut self,
        sources: &[Source<'_, I>],
        kinds: &Kinds,
    ) -> Result<(), PageError<I::Error>> {
        if let [first, _, ..] = sources {
            let open = sources
                .iter()
                .map(|source| ColumnsInOrder::new(source.input, source.entry, kinds));
            let mut open = open.collect::<Result<Vec<_>, _>>()?;
            let before = self.joined.moved.len();
            if self.coalesce(&mut open)? {
                let groups = (self.joined.moved.len() - before) as u32;
                self.joined.copied.push(Copied {
                    input: first.number,
                    groups: first.groups..first.groups + groups,
                    to: CopiedTo::Moved(before),
                });
                return Ok(());
            }
        }
        sources
            .iter()
            .try_for_each(|source| self.copy(source, kinds))
    }

    /// Appends a chunk as it is.
    fn copy<I: RewriteInput<Error = E>>(
        &mut self,
        source: &Source<'_, I>,
        kinds: &Kinds,
    ) -> Result<(), PageError<I::Error>> {
        let Source {
            input,
            entry,
            row_kinds,
            ..
        } = source;
        let Some(numbers) = self.numbers(row_kinds.kinds(), kinds, &entry.rows)? else {
            return self.rewrite(source, kinds);
        };
        let rows = row_kinds.kinds().iter().map(|(_, rows)| *rows);
        let own = numbers.iter().copied().zip(rows);
        let groups = own.len() as u32;
        self.joined.copied.push(Copied {
            input: source.number,
            groups: source.groups..source.groups + groups,
            to: CopiedTo::Groups(self.joined.index.tally.len()),
        });
        self.joined.index.tally.push(own);
        let mut columns = Vec::with_capacity(entry.columns.len());
        for page in &entry.columns {
            columns.push(self.copy_page(*input, page)?);
        }
        let directory = self.copy_stored(*input, &entry.directory)?;
        let zone_maps = entry.zone_maps.as_ref();
        let zone_maps = zone_maps.map(|page| self.copy_page(*input, page));
        let zone_maps = zone_maps.transpose()?;
        let mut heads = Vec::with_capacity(entry.heads.len());
        for page in &entry.heads {
            heads.push(self.copy_page(*input, page)?);
        }
        let mut relabelled = Vec::new();
        row_kinds.relabelled(&numbers, &mut relabelled);
        let rows = PageEntry {
            rows: entry.rows.rows,
            ..PageWriter::append_plain(&relabelled, self.file)
        };
        let page = self.copy_page(*input, &entry.page)?;
        let entry = ChunkEntry {
            columns,
            directory,
            zone_maps,
            heads,
            rows,
            page,
        };
        push_chunk(&mut self.footer.chunks, entry);
        Ok(())
    }

    /// Appends a page as it says, compressed where that is wanted.
    fn copy_page<I: RewriteInput<Error = E>>(
        &mut self,
        input: &I,
        page: &PageEntry,
    ) -> Result<PageEntry, PageError<I::Error>> {
        let Some(pages) = &mut self.pages else {
            return self.copy_stored(input, page);
        };
        let stored = input::stored(input, page)?;
        let raw = open_page("page", page, &stored).map_err(damaged(page))?;
        let copied = match pages.compressed(&raw) {
            Some(compressed) if compressed.len() + 1 < stored.len() => {
                PageWriter::append_compressed(compressed, page.raw_len, self.file)
            }
            _ => PageWriter::append_stored(&stored, page.raw_len, self.file),
        };
        Ok(PageEntry {
            first_row: page.first_row,
            rows: page.rows,
            ..copied
        })
    }

    /// Appends a page as it is stored, checked.
    fn copy_stored<I: RewriteInput<Error = E>>(
        &mut self,
        input: &I,
        page: &PageEntry,
    ) -> Result<PageEntry, PageError<I::Error>> {
        let stored = input::stored(input, page)?;
        page.check(&stored).map_err(damaged(page))?;
        Ok(PageEntry {
            first_row: page.first_row,
            rows: page.rows,
            ..PageWriter::append_stored(&stored, page.raw_len, self.file)
        })
    }

    /// The numbers in the result of kinds of an input; `None` where there is no room for them all.
    fn numbers(
        &mut self,
        numbers: &[(u32, u32)],
        kinds: &Kinds,
        page: &PageEntry,
    ) -> Result<Option<Vec<u32>>, PageError<E>> {
        let mut found = Vec::with_capacity(numbers.len());
        for (number, _) in numbers {
            let key = kinds.key(*number).ok_or_else(|| {
                damaged(page)(Corrupt::Invalid {
                    what: "number of a kind",
                    value: u64::from(*number),
                })
            })?;
            let Some(number) = self.joined.kinds.intern(key) else {
                return Ok(None);
            };
            found.push(number);
        }
        Ok(Some(found))
    }

    /// Appends the records of a chunk anew.
    fn rewrite<I: RewriteInput<Error = E>>(
        &mut self,
        source: &Source<'_, I>,
        kinds: &Kinds,
    ) -> Result<(), PageError<I::Error>> {
        let mut gathered = RecordBatch::new();
        let mut open = open(source, kinds)?;
        for rows in source.entry.windows() {
            self.gather(&mut gathered, open.records(rows)?);
        }
        self.write(&gathered);
        Ok(())
    }

    /// Adds records to those of the next chunk, or, where that would be too large, writes it first.
    fn gather(&mut self, gathered: &mut RecordBatch, records: RecordBatch) {
        if gathered.len() + records.len() > CHUNK_ROWS
            || gathered.bytes().len() + records.bytes().len() > CHUNK_BYTES
            || gathered.append(&records).is_err()
        {
            self.write(&std::mem::replace(gathered, records));
        }
    }

    /// Appends small chunks, joined.
    fn join<I: RewriteInput<Error = E>>(
        &mut self,
        sources: Vec<Source<'_, I>>,
    ) -> Result<(), RewriteError<I::Error>> {
        let mut gathered = RecordBatch::new();
        let mut open_input: Option<(usize, Kinds)> = None;
        let is_alone = sources.len() == 1;
        for source in sources {
            let number = source.number;
            let fail = |error: PageError<_>| error.of_input(number);
            let own = match open_input.take() {
                Some((known, kinds)) if known == number => kinds,
                _ => input::kinds(source.input).map_err(fail)?,
            };
            if is_alone {
                return self.copy(&source, &own).map_err(fail);
            }
            let mut open = open(&source, &own).map_err(fail)?;
            let records = open.records(0..source.entry.page.rows).map_err(fail)?;
            drop(open);
            open_input = Some((number, own));
            self.gather(&mut gathered, records);
        }
        self.write(&gathered);
        Ok(())
    }

    /// Appends a chunk of records, if there are some.
    fn write(&mut self, records: &RecordBatch) {
        if records.is_empty() {
            return;
        }
        let Joined {
            kinds,
            index,
            rewritten,
            ..
        } = &mut self.joined;
        let last = self.footer.chunks.last().map(|last| &last.page);
        let first = last.map_or(0, |last| last.first_row + last.rows);
        let chunk = write_chunk(
            records,
            &mut self.writer,
            kinds,
            index,
            (&self.footer.chunks, &mut self.counted),
            self.file,
        );
        rewritten.push(first..first + records.len() as u32);
        push_chunk(&mut self.footer.chunks, chunk);
    }
}

/// The records of a chunk.
fn open<'a, I: RewriteInput>(
    source: &Source<'a, I>,
    kinds: &Kinds,
) -> Result<OpenChunk<'a, I>, PageError<I::Error>> {
    let Source { input, entry, .. } = source;
    let rows = entry.page.first_row..entry.page.first_row + entry.page.rows;
    let received: Vec<Timestamp> = input::received(*input, &rows)?;
    OpenChunk::new(*input, entry, kinds, &received)
}
