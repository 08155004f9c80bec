//! A chunk into rows.
#![deny(clippy::indexing_slicing)]

use model::limits::BATCH_RECORDS_MAX;
use model::{RecordBatch, RecordHead, Timestamp};

use super::ChunkEntry;
use crate::Corrupt;
use crate::column;
use crate::columns::Column;
use crate::columns::pack::Directory;
use crate::kinds::{Kinds, Shape, Texts};
use crate::limits::KINDS_MAX;
use crate::page::{PageEntry, open};
use crate::rows::decode_loose;
use crate::wire::Reader;

/// The records of a chunk. `received` holds the times of receipt of its rows; `stored` gives the
/// stored bytes of a page.
///
/// # Errors
/// When the bytes are not what was written, or `kinds` is not the table they were written with.
pub fn decode_chunk<'a>(
    entry: &ChunkEntry,
    kinds: &Kinds,
    received: &[Timestamp],
    stored: impl Fn(&PageEntry) -> &'a [u8],
) -> Result<RecordBatch, Corrupt> {
    let chunk = Chunk::decode(entry, stored(&entry.page), kinds, received)?;
    chunk.records(|index| {
        let page = entry.columns.get(index).ok_or(Corrupt::Short {
            what: "pages of a chunk",
        })?;
        Ok(open("column page", page, stored(page))?.into_owned())
    })
}

/// A chunk page, decoded.
#[derive(Debug)]
struct Chunk {
    kinds: Vec<ChunkKind>,
    /// For each row the place of its kind.
    kind_of: Vec<u16>,
    directory: Directory,
    /// What does not follow from kinds.
    heads: Vec<RecordHead>,
    /// The names of their sources and tags, and no records.
    names: RecordBatch,
}

/// A kind of a chunk.
#[derive(Debug)]
struct ChunkKind {
    shape: Shape,
    rows: u32,
    /// Its first column.
    column: usize,
}

impl Chunk {
    /// Reads a chunk page. `received` holds the times of receipt of its rows.
    fn decode(
        entry: &ChunkEntry,
        stored: &[u8],
        kinds: &Kinds,
        received: &[Timestamp],
    ) -> Result<Self, Corrupt> {
        let raw = open("chunk page", &entry.page, stored)?;
        let mut reader = Reader::new("chunk page", &raw);
        let rows = reader.count("number of rows", BATCH_RECORDS_MAX)?;
        if rows != received.len() {
            return Err(invalid("number of rows", rows as u64));
        }
        let mut chunk_kinds = decode_kinds(&mut reader, kinds, rows)?;
        let directory = Directory::decode(&mut reader, &entry.columns)?;
        check_columns(&mut chunk_kinds, &directory)?;
        let mut places = Vec::new();
        column::decode(&mut reader, rows, &mut places)?;
        let mut left: Vec<u32> = chunk_kinds.iter().map(|kind| kind.rows).collect();
        let mut kind_of = Vec::with_capacity(rows);
        for place in places {
            let index = usize::try_from(place).unwrap_or(usize::MAX);
            let left = left.get_mut(index).and_then(|left| {
                *left = left.checked_sub(1)?;
                Some(())
            });
            left.ok_or_else(|| invalid("kind of a row", place))?;
            kind_of.push(index as u16);
        }
        let (heads, names, reader) = decode_loose(reader, received)?;
        reader.finish()?;
        Ok(Self {
            kinds: chunk_kinds,
            kind_of,
            directory,
            heads,
            names,
        })
    }

    /// All its records. `page` gives a page of its columns, decompressed.
    fn records(
        self,
        mut page: impl FnMut(usize) -> Result<Vec<u8>, Corrupt>,
    ) -> Result<RecordBatch, Corrupt> {
        let columns = self.columns(&mut page)?;
        let mut cursors: Vec<Vec<Cursor<'_>>> = self
            .kinds
            .iter()
            .map(|kind| {
                let own = columns.get(kind.column..kind.column + kind.shape.slots());
                own.unwrap_or(&[])
                    .iter()
                    .map(|parts| Cursor::new(parts))
                    .collect()
            })
            .collect();
        let mut heads = self.heads;
        let mut texts = Texts::default();
        for (head, kind) in heads.iter_mut().zip(&self.kind_of) {
            let place = usize::from(*kind);
            let (Some(kind), Some(cursors)) = (self.kinds.get(place), cursors.get_mut(place))
            else {
                continue;
            };
            let next = |slot: usize, out: &mut Vec<u8>| {
                let cursor = cursors.get_mut(slot);
                cursor
                    .and_then(|cursor| cursor.append_next(out))
                    .ok_or(Corrupt::Short { what: "column" })
            };
            kind.shape.write(head.time, next, head, &mut texts)?;
        }
        let total = texts.bytes.len() as u64;
        let mut batch = self.names;
        batch
            .set_records(heads, texts.fields, texts.bytes)
            .map_err(|_| invalid("length of all records", total))?;
        Ok(batch)
    }

    /// The parts of every column.
    fn columns(
        &self,
        page: &mut impl FnMut(usize) -> Result<Vec<u8>, Corrupt>,
    ) -> Result<Vec<Vec<Column>>, Corrupt> {
        let mut columns = Vec::with_capacity(self.directory.columns());
        let mut at_hand: Option<(u32, Vec<u8>)> = None;
        for column in 0..self.directory.columns() {
            let mut parts = Vec::new();
            for part in self.directory.parts(column) {
                let raw = match at_hand.take() {
                    Some((known, raw)) if known == part.page => raw,
                    _ => page(part.page as usize)?,
                };
                parts.push(part.open(&raw)?);
                at_hand = Some((part.page, raw));
            }
            columns.push(parts);
        }
        Ok(columns)
    }
}

/// Goes through a column.
struct Cursor<'a> {
    parts: std::slice::Iter<'a, Column>,
    part: Option<&'a Column>,
    row: usize,
}

impl<'a> Cursor<'a> {
    fn new(parts: &'a [Column]) -> Self {
        Self {
            parts: parts.iter(),
            part: None,
            row: 0,
        }
    }

    /// Appends the next value; `None` behind the last.
    fn append_next(&mut self, out: &mut Vec<u8>) -> Option<()> {
        while self.part.is_none_or(|part| self.row == part.rows()) {
            self.part = Some(self.parts.next()?);
            self.row = 0;
        }
        self.part?.append(self.row, out);
        self.row += 1;
        Some(())
    }
}

fn decode_kinds(
    reader: &mut Reader<'_>,
    kinds: &Kinds,
    rows: usize,
) -> Result<Vec<ChunkKind>, Corrupt> {
    let count = reader.count("number of kinds", rows.min(KINDS_MAX))?;
    let (mut steps, mut counts) = (Vec::new(), Vec::new());
    column::decode(reader, count, &mut steps)?;
    column::decode(reader, count, &mut counts)?;
    let mut number = 0_u64;
    let mut found = Vec::with_capacity(count);
    let mut sum = 0_u64;
    for (step, rows) in steps.into_iter().zip(counts) {
        number = number.saturating_add(step);
        sum = sum.saturating_add(rows);
        let kind = u32::try_from(number).map_err(|_| invalid("number of a kind", number))?;
        found.push(ChunkKind {
            shape: kinds.shape(kind)?,
            rows: u32::try_from(rows).map_err(|_| invalid("rows of a kind", rows))?,
            column: 0,
        });
    }
    if sum != rows as u64 {
        return Err(invalid("rows of all kinds", sum));
    }
    Ok(found)
}

/// Gives each kind its columns; each has a value for each of its rows.
fn check_columns(kinds: &mut [ChunkKind], directory: &Directory) -> Result<(), Corrupt> {
    let mut column = 0;
    for kind in kinds {
        kind.column = column;
        column += kind.shape.slots();
        for own in kind.column..column {
            let parts = directory.parts(own).iter();
            let rows: u64 = parts.map(|part| u64::from(part.rows)).sum();
            if rows != u64::from(kind.rows) {
                return Err(invalid("rows of a column", rows));
            }
        }
    }
    if column != directory.columns() {
        return Err(invalid("number of columns", column as u64));
    }
    Ok(())
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
