//! The chunks of several segments behind each other.
//!
//! A chunk is copied page by page and its kinds are numbered anew. Small chunks beside each other, as
//! a quiet logspace makes them, are decoded and written as one: kinds and columns pay off only where
//! they have many rows.
#![deny(clippy::indexing_slicing)]

use model::{RecordBatch, Timestamp};

use super::{MergeError, MergeInput};
use crate::builder::push_chunk;
use crate::chunk::{kinds_of, relabel};
use crate::input::{self, OpenChunk, PageError, damaged};
use crate::limits::{CHUNK_BYTES, CHUNK_ROWS, SMALL_CHUNK_BYTES, SMALL_CHUNK_ROWS};
use crate::page::PageWriter;
use crate::{ChunkEntry, ChunkWriter, Corrupt, Footer, Kinds, PageEntry};

/// A chunk of an input.
struct Source<'a, I> {
    number: usize,
    input: &'a I,
    entry: &'a ChunkEntry,
}

/// What is written so far.
struct Target<'a> {
    kinds: Kinds,
    writer: ChunkWriter,
    pages: PageWriter,
    footer: &'a mut Footer,
    file: &'a mut Vec<u8>,
}

/// Appends the chunks of all inputs; the kinds of the result.
pub(super) fn merge<I: MergeInput>(
    inputs: &[I],
    zstd_level: i32,
    footer: &mut Footer,
    file: &mut Vec<u8>,
) -> Result<Kinds, MergeError<I::Error>> {
    let mut target = Target {
        kinds: Kinds::new(),
        writer: ChunkWriter::new(zstd_level),
        pages: PageWriter::new(zstd_level),
        footer,
        file,
    };
    let mut small: Vec<Source<'_, I>> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let kinds = input::kinds(input).map_err(|error| merge_error(number, error))?;
        for entry in &input.footer().chunks {
            let source = Source {
                number,
                input,
                entry,
            };
            if is_small(entry) {
                small.push(source);
                continue;
            }
            target.join(std::mem::take(&mut small))?;
            let copied = target.copy(&source, &kinds);
            copied.map_err(|error| merge_error(number, error))?;
        }
    }
    target.join(small)?;
    Ok(target.kinds)
}

fn is_small(entry: &ChunkEntry) -> bool {
    let columns = entry.columns.iter().map(|page| u64::from(page.raw_len));
    entry.page.rows < SMALL_CHUNK_ROWS && columns.sum::<u64>() < SMALL_CHUNK_BYTES
}

impl Target<'_> {
    /// Appends a chunk as it is.
    fn copy<I: MergeInput>(
        &mut self,
        source: &Source<'_, I>,
        kinds: &Kinds,
    ) -> Result<(), PageError<I::Error>> {
        let Source { input, entry, .. } = source;
        let raw = input::chunk_page(*input, entry)?;
        let numbers = kinds_of(&raw).map_err(damaged(&entry.page))?;
        let Some(numbers) = self.numbers(&numbers, kinds, &entry.page)? else {
            return self.rewrite(source, kinds);
        };
        let mut columns = Vec::with_capacity(entry.columns.len());
        for page in &entry.columns {
            let stored = input::stored(*input, page)?;
            page.check(&stored).map_err(damaged(page))?;
            columns.push(PageEntry {
                first_row: page.first_row,
                rows: page.rows,
                ..PageWriter::append_stored(&stored, page.raw_len, self.file)
            });
        }
        let mut relabelled = Vec::with_capacity(raw.len());
        relabel(&raw, &numbers, &mut relabelled).map_err(damaged(&entry.page))?;
        let page = PageEntry {
            rows: entry.page.rows,
            ..self.pages.append(&relabelled, self.file)
        };
        push_chunk(&mut self.footer.chunks, ChunkEntry { columns, page });
        Ok(())
    }

    /// The numbers in the result of kinds of an input; `None` where there is no room for them all.
    fn numbers<E>(
        &mut self,
        numbers: &[u64],
        kinds: &Kinds,
        page: &PageEntry,
    ) -> Result<Option<Vec<u64>>, PageError<E>> {
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            let key = u32::try_from(*number)
                .ok()
                .and_then(|number| kinds.key(number));
            let key = key.ok_or_else(|| {
                damaged(page)(Corrupt::Invalid {
                    what: "number of a kind",
                    value: *number,
                })
            })?;
            let Some(number) = self.kinds.intern(key) else {
                return Ok(None);
            };
            found.push(u64::from(number));
        }
        Ok(Some(found))
    }

    /// Appends the records of a chunk anew.
    fn rewrite<I: MergeInput>(
        &mut self,
        source: &Source<'_, I>,
        kinds: &Kinds,
    ) -> Result<(), PageError<I::Error>> {
        let records = decode(source, kinds)?;
        self.write(&records);
        Ok(())
    }

    /// Appends small chunks, joined.
    fn join<I: MergeInput>(
        &mut self,
        sources: Vec<Source<'_, I>>,
    ) -> Result<(), MergeError<I::Error>> {
        let mut open = RecordBatch::new();
        let mut kinds: Option<(usize, Kinds)> = None;
        let is_alone = sources.len() == 1;
        for source in sources {
            let number = source.number;
            let fail = |error| merge_error(number, error);
            let own = match kinds.take() {
                Some((known, kinds)) if known == number => kinds,
                _ => input::kinds(source.input).map_err(fail)?,
            };
            if is_alone {
                return self.copy(&source, &own).map_err(fail);
            }
            let records = decode(&source, &own).map_err(fail)?;
            kinds = Some((number, own));
            if open.len() + records.len() > CHUNK_ROWS
                || open.bytes().len() + records.bytes().len() > CHUNK_BYTES
                || open.append(&records).is_err()
            {
                self.write(&std::mem::replace(&mut open, records));
            }
        }
        if !open.is_empty() {
            self.write(&open);
        }
        Ok(())
    }

    fn write(&mut self, records: &RecordBatch) {
        let chunk = self.writer.write(records, &mut self.kinds, self.file);
        push_chunk(&mut self.footer.chunks, chunk);
    }
}

/// All records of a chunk.
fn decode<I: MergeInput>(
    source: &Source<'_, I>,
    kinds: &Kinds,
) -> Result<RecordBatch, PageError<I::Error>> {
    let Source { input, entry, .. } = source;
    let rows = entry.page.first_row..entry.page.first_row + entry.page.rows;
    let received: Vec<Timestamp> = input::received(*input, &rows)?;
    OpenChunk::new(*input, entry, kinds, &received)?.records(0..entry.page.rows)
}

fn merge_error<E>(input: usize, error: PageError<E>) -> MergeError<E> {
    match error {
        PageError::Read(source) => MergeError::Read { input, source },
        PageError::Damaged(offset, source) => MergeError::Damaged {
            input,
            offset,
            source,
        },
    }
}
