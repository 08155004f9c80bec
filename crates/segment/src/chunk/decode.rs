//! A chunk into records, all of them or some.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use model::RecordBatch;

use super::page::ColumnPage;
use super::{ChunkEntry, ChunkHeads, RowKinds};
use crate::Corrupt;
use crate::columns::Column;
use crate::columns::pack::Directory;
use crate::kinds::{Kinds, Shape, Texts};
use crate::page::open;
use crate::wire::Reader;

/// What kinds the rows of a chunk are of, and where their columns are.
#[derive(Debug)]
pub struct Chunk {
    kinds: Vec<ChunkKind>,
    /// For each row the place of its kind, and how many rows of that kind stand before it.
    rows: Vec<(u16, u32)>,
    directory: Directory,
}

/// A kind of a chunk.
#[derive(Debug)]
pub(super) struct ChunkKind {
    pub(super) shape: Arc<Shape>,
    /// Its number in the segment.
    pub(super) number: u32,
    rows: u32,
    /// Its first column.
    pub(super) column: usize,
}

/// A row of the chunk, and its place among the rows of its kind.
pub(super) type Ranked = (u32, u32);

/// Reads one column, mostly forwards.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The rows of the part at hand.
    rows: Range<u32>,
    column: Option<Arc<Column>>,
}

impl Chunk {
    /// Reads a chunk page from its stored bytes. `kinds` is the table of the segment, `row_kinds` the
    /// row page of the chunk. What stands behind the directory is not looked at (see [`ChunkHeads`]).
    ///
    /// # Errors
    /// When the bytes are not what was written, or were written with another table.
    pub fn decode(
        entry: &ChunkEntry,
        stored: &[u8],
        row_kinds: &RowKinds,
        kinds: &Kinds,
    ) -> Result<Self, Corrupt> {
        let raw = open("chunk page", &entry.page, stored)?;
        let mut reader = Reader::new("chunk page", &raw);
        let rows = row_kinds.places().len();
        if rows != entry.page.rows as usize {
            return Err(invalid("number of rows", rows as u64));
        }
        let mut kinds = find_kinds(row_kinds, kinds)?;
        let directory = Directory::decode(&mut reader, &entry.columns)?;
        check_columns(&mut kinds, &directory)?;
        Ok(Self {
            rows: ranks(row_kinds),
            kinds,
            directory,
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Memory it takes, in bytes; kinds count as much as rows.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[(u16, u32)]>(&self.rows)
            + size_of_val::<[ChunkKind]>(&self.kinds)
            + self.directory.memory_bytes()
    }

    /// The records of some rows, in the order given. `own` is what stands beside their texts; `page`
    /// gives a page of the columns, decompressed. It is asked once for each column that has some of the
    /// rows, and several columns share a page, so it should keep what it has opened.
    ///
    /// # Errors
    /// When the columns are not what was written, or a page cannot be had.
    pub fn records<E: From<Corrupt>>(
        &self,
        rows: impl IntoIterator<Item = u32>,
        own: &ChunkHeads,
        mut page: impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<RecordBatch, E> {
        let mut cursors = Vec::new();
        cursors.resize_with(self.directory.columns(), Cursor::default);
        let (mut heads, mut texts) = (Vec::new(), Texts::default());
        for row in rows {
            let found = self.place(row).and_then(|(kind, rank)| {
                let columns = kind.column..kind.column + kind.shape.slots();
                Some((
                    kind,
                    rank,
                    own.get(row as usize)?,
                    cursors.get_mut(columns)?,
                ))
            });
            let Some((kind, rank, mut head, cursors)) = found else {
                return Err(invalid("row of a chunk", u64::from(row)).into());
            };
            let mut failure = None;
            let slot = |slot: usize, out: &mut Vec<u8>| {
                let short = Corrupt::Short { what: "column" };
                let cursor = cursors.get_mut(slot).ok_or(short)?;
                if !cursor.has(rank) {
                    let column = kind.column + slot;
                    match self.seek(column, rank, &mut page) {
                        Ok(found) => *cursor = found,
                        Err(error) => {
                            failure = Some(error);
                            return Err(short);
                        }
                    }
                }
                cursor.append(rank, out)
            };
            let written = kind.shape.write(head.time, slot, &mut head, &mut texts);
            if let Some(failure) = failure {
                return Err(failure);
            }
            written?;
            heads.push(head);
        }
        let total = texts.bytes.len() as u64;
        let mut batch = own.names().clone();
        batch
            .set_records(heads, texts.fields, texts.bytes)
            .map_err(|_| invalid("length of all records", total))?;
        Ok(batch)
    }

    /// The rows of each kind that has some of those given, in their order. Those that the chunk does
    /// not have are left out.
    pub(super) fn by_kind(
        &self,
        rows: impl IntoIterator<Item = u32>,
    ) -> Vec<(&ChunkKind, Vec<Ranked>)> {
        let kinds = self.kinds.iter().map(|kind| (kind, Vec::new()));
        let mut kinds: Vec<(&ChunkKind, Vec<Ranked>)> = kinds.collect();
        for row in rows {
            if let Some((place, rank)) = self.rows.get(row as usize)
                && let Some((_, own)) = kinds.get_mut(usize::from(*place))
            {
                own.push((row, *rank));
            }
        }
        kinds.retain(|(_, rows)| !rows.is_empty());
        kinds
    }

    /// The kind of a row and its place among the rows of that kind.
    fn place(&self, row: u32) -> Option<(&ChunkKind, u32)> {
        let (place, rank) = *self.rows.get(row as usize)?;
        Some((self.kinds.get(usize::from(place))?, rank))
    }

    pub(super) fn seek<E: From<Corrupt>>(
        &self,
        column: usize,
        rank: u32,
        page: &mut impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<Cursor, E> {
        let short = Corrupt::Short { what: "column" };
        let (number, rows) = self.directory.find(column, rank).ok_or(short)?;
        let part = self.directory.part(number).ok_or(short)?;
        let page = page(part.page as usize)?;
        Ok(Cursor {
            rows,
            column: Some(page.column(number, part)?),
        })
    }
}

impl Cursor {
    pub(super) fn has(&self, rank: u32) -> bool {
        self.rows.contains(&rank)
    }

    /// How many different values the part at hand has, where each stands once; otherwise 0.
    pub(super) fn distinct(&self) -> usize {
        self.column.as_ref().map_or(0, |column| column.distinct())
    }

    /// The number of the value of a row of the part at hand among those different ones.
    pub(super) fn number(&self, rank: u32) -> Option<usize> {
        let column = self.column.as_ref()?;
        column.number(rank.checked_sub(self.rows.start)? as usize)
    }

    /// The number that the value of a row of the part at hand is, where that is known without its text.
    pub(super) fn integer(&self, rank: u32) -> Option<i64> {
        let column = self.column.as_ref()?;
        column.integer(rank.checked_sub(self.rows.start)? as usize)
    }

    /// The column at hand and its rows.
    pub(super) fn into_part(self) -> Option<(Range<u32>, Arc<Column>)> {
        Some((self.rows, self.column?))
    }

    /// Appends the value of a row of the part at hand.
    pub(super) fn append(&self, rank: u32, out: &mut Vec<u8>) -> Result<(), Corrupt> {
        let short = Corrupt::Short { what: "column" };
        let column = self.column.as_ref().ok_or(short)?;
        column.append((rank - self.rows.start) as usize, out);
        Ok(())
    }
}

/// The kind of each row by its place, and how many of that kind stand before it.
fn ranks(row_kinds: &RowKinds) -> Vec<(u16, u32)> {
    let mut counts = vec![0; row_kinds.kinds().len()];
    let places = row_kinds.places().iter();
    let ranked = places.filter_map(|place| {
        let count = counts.get_mut(usize::from(*place))?;
        *count += 1;
        Some((*place, *count - 1))
    });
    ranked.collect()
}

fn find_kinds(row_kinds: &RowKinds, kinds: &Kinds) -> Result<Vec<ChunkKind>, Corrupt> {
    let numbered = row_kinds.kinds().iter();
    let found = numbered.map(|(number, rows)| {
        Ok(ChunkKind {
            shape: kinds.shared_shape(*number)?,
            number: *number,
            rows: *rows,
            column: 0,
        })
    });
    found.collect()
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
