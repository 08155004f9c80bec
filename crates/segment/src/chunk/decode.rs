//! A chunk into records, all of them or some.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use model::RecordBatch;

use super::page::ColumnPage;
use super::{ChunkEntry, ChunkHeads};
use crate::Corrupt;
use crate::columns::directory::{Directory, Part};
use crate::columns::{Alike, Column};
use crate::kinds::{ColumnGroup, Kinds, Shape, Shapes, Texts};
use crate::page::open_kept;
use crate::wire::Reader;

/// What kinds the rows of a chunk are of, and where their columns are.
#[derive(Debug)]
pub struct Chunk {
    kinds: Vec<ChunkKind>,
    /// Those of all kinds of the segment.
    shapes: Arc<Shapes>,
    directory: Directory,
}

/// A part of a column: its rows, and what is in them.
#[derive(Clone, Debug)]
pub struct PartRows {
    /// Their ordinals in the chunk.
    pub(crate) ordinals: Range<u32>,
    pub(crate) column: Arc<Column>,
}

/// A kind of a chunk.
#[derive(Debug)]
pub(super) struct ChunkKind {
    /// Its number in the segment.
    pub(super) number: u32,
    /// The ordinals of its rows.
    pub(super) ordinals: Range<u32>,
    /// The places of its slots among those of all kinds.
    slots: Range<u32>,
    /// For each column group the number of its first column.
    columns: [u32; ColumnGroup::COUNT],
}

/// Reads one column, mostly forwards.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The rows of the part at hand.
    rows: Range<u32>,
    column: Option<Arc<Column>>,
}

impl Chunk {
    /// Reads the directory page of a chunk from its stored bytes. `kinds` is the table of the segment,
    /// `row_kinds` the kinds of the row page of the chunk ([`super::RowKinds::kinds`]).
    ///
    /// # Errors
    /// When the bytes are not what was written, or were written with another table.
    pub fn decode(
        entry: &ChunkEntry,
        stored: impl Into<Vec<u8>>,
        row_kinds: &[(u32, u32)],
        kinds: &Kinds,
    ) -> Result<Self, Corrupt> {
        let (page, start) = open_kept("directory page", &entry.directory, stored.into())?;
        let mut reader = Reader::new("directory page", page.get(start..).unwrap_or(&[]));
        let shapes = Arc::clone(kinds.shapes());
        let directory = Directory::decode(&mut reader, &entry.columns, &page)?;
        reader.finish()?;
        let kinds = find_kinds(row_kinds, kinds)?;
        let rows = kinds.last().map_or(0, |last| last.ordinals.end);
        if rows != entry.page.rows {
            return Err(invalid("number of rows", u64::from(rows)));
        }
        let slots = kinds.last().map_or(0, |last| last.slots.end);
        if slots as usize != directory.columns() {
            return Err(invalid("number of columns", u64::from(slots)));
        }
        Ok(Self {
            kinds,
            shapes,
            directory,
        })
    }

    /// Checks what is not seen as it is read: where all columns are.
    ///
    /// # Errors
    /// When they do not fill the pages of the chunk.
    pub fn check(&self, entry: &ChunkEntry) -> Result<(), Corrupt> {
        self.directory.check(&entry.columns)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.kinds.last().map_or(0, |last| last.ordinals.end) as usize
    }

    /// Memory it takes, in bytes; kinds count as much as rows.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[ChunkKind]>(&self.kinds) + self.directory.memory_bytes()
    }

    /// The records of some rows, each given with its ordinal, in the order given. `own` is what stands beside their texts; `page`
    /// gives a page of the columns, decompressed. It is asked once for each column that has some of the
    /// rows, and several columns share a page, so it should keep what it has opened.
    ///
    /// # Errors
    /// When the columns are not what was written, or a page cannot be had.
    pub fn records<E: From<Corrupt>>(
        &self,
        rows: impl IntoIterator<Item = (u32, u32)>,
        own: &ChunkHeads,
        mut page: impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<RecordBatch, E> {
        // Of each kind that has a row, those of its slots: few rows are of few kinds.
        let mut cursors: Vec<Vec<Cursor>> = Vec::new();
        cursors.resize_with(self.kinds.len(), Vec::new);
        let (mut heads, mut texts) = (Vec::new(), Texts::default());
        for (row, ordinal) in rows {
            let place = self.place_of_kind(ordinal);
            let found = self.kinds.get(place).and_then(|kind| {
                let rank = ordinal - kind.ordinals.start;
                let cursors = cursors.get_mut(place)?;
                cursors.resize_with(kind.slots(), Cursor::default);
                Some((
                    kind,
                    self.shape(kind)?,
                    rank,
                    own.get(row as usize)?,
                    cursors,
                ))
            });
            let Some((kind, shape, rank, mut head, cursors)) = found else {
                return Err(invalid("row of a chunk", u64::from(row)).into());
            };
            let mut failure = None;
            let slot = |slot: usize, out: &mut Vec<u8>| {
                let short = Corrupt::Short { what: "column" };
                let cursor = cursors.get_mut(slot).ok_or(short)?;
                if !cursor.has(rank) {
                    match self.seek(kind, slot, rank, &mut page) {
                        Ok(found) => *cursor = found,
                        Err(error) => {
                            failure = Some(error);
                            return Err(short);
                        }
                    }
                }
                cursor.append(rank, out)
            };
            let written = shape.write(head.time, slot, &mut head, &mut texts);
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

    /// The ordinals of each kind that has some of those given, which ascend. Those that the chunk does not
    /// have are left out.
    pub(super) fn by_kind<'s>(&self, ordinals: &'s [u32]) -> Vec<(&ChunkKind, &'s [u32])> {
        let (mut found, mut left) = (Vec::new(), ordinals);
        while let Some(kind) = left.first().and_then(|ordinal| self.kind_at(*ordinal)) {
            let count = left
                .partition_point(|ordinal| *ordinal < kind.ordinals.end)
                .max(1);
            let (own, others) = left.split_at(count);
            found.push((kind, own));
            left = others;
        }
        found
    }

    /// Where the part of a number is: the page it lies in, and the ordinals of its rows in the chunk.
    fn place_of_part(&self, number: usize) -> Option<(Part, Range<u32>)> {
        let (column, before) = self.directory.column_of_part(number)?;
        let part = self.directory.part(number)?;
        let ordinals = &self.kind_of_column(u32::try_from(column).ok()?)?.ordinals;
        let start = ordinals.start.checked_add(before)?;
        let end = start.checked_add(part.rows)?;
        (end <= ordinals.end).then_some((part, start..end))
    }

    /// The kind that a column is of.
    pub(super) fn kind_of_column(&self, column: u32) -> Option<&ChunkKind> {
        let firsts = self.kinds.first()?.columns;
        let column_group = firsts.iter().rposition(|first| *first <= column)?;
        // A kind without columns in the column group begins where the next one does.
        let first_of =
            |kind: &ChunkKind| kind.columns.get(column_group).copied().unwrap_or(u32::MAX);
        let next = self.kinds.partition_point(|kind| first_of(kind) <= column);
        self.kinds.get(next.checked_sub(1)?)
    }

    /// The ordinals of the rows of a part of a column, by its number among those of the chunk; `None` where there
    /// is no such part.
    pub fn ordinals_of_part(&self, number: usize) -> Option<Range<u32>> {
        self.place_of_part(number).map(|(_, ordinals)| ordinals)
    }

    /// The rows of a part of a column, by its number among those of the chunk. `page` gives a page
    /// of the columns.
    ///
    /// # Errors
    /// When there is no such part, it is not what was written, or its page cannot be had.
    pub fn part_rows<E: From<Corrupt>>(
        &self,
        number: usize,
        page: impl FnOnce(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<PartRows, E> {
        let found = self.place_of_part(number);
        let (part, ordinals) = found.ok_or_else(|| invalid("part of a column", number as u64))?;
        let column = page(part.page as usize)?.column(number, &part)?;
        Ok(PartRows { ordinals, column })
    }

    /// The numbers of the parts of the column of a slot, given the place of its kind among those of the chunk.
    ///
    /// # Errors
    /// When there is no such slot, or it has not a value for each row.
    pub(crate) fn parts_of(&self, place: usize, slot: usize) -> Result<Range<usize>, Corrupt> {
        let kind = self.kinds.get(place).ok_or(Corrupt::Short {
            what: "kinds of a chunk",
        })?;
        self.parts_of_kind(kind, slot)
    }

    /// The same for a kind of the chunk.
    pub(super) fn parts_of_kind(
        &self,
        kind: &ChunkKind,
        slot: usize,
    ) -> Result<Range<usize>, Corrupt> {
        let column = self.column_of(kind, slot)?;
        Ok(self.directory.numbers_of(column))
    }

    /// How many parts all columns have.
    pub(crate) fn parts(&self) -> usize {
        self.directory.parts()
    }

    /// The kind of the row with an ordinal.
    fn kind_at(&self, ordinal: u32) -> Option<&ChunkKind> {
        self.kinds.get(self.place_of_kind(ordinal))
    }

    /// The place of that kind among those of the chunk.
    fn place_of_kind(&self, ordinal: u32) -> usize {
        self.kinds
            .partition_point(|kind| kind.ordinals.end <= ordinal)
    }

    /// What the rows of a kind have in common.
    pub(super) fn shape(&self, kind: &ChunkKind) -> Option<&Shape> {
        self.shapes.get(kind.number)
    }

    /// The hash of the key of a kind.
    pub(super) fn key_hash(&self, kind: &ChunkKind) -> Option<u64> {
        self.shapes.key_hash(kind.number)
    }

    /// The number of the column of a slot, which has a value for each row of its kind.
    pub(super) fn column_of(&self, kind: &ChunkKind, slot: usize) -> Result<usize, Corrupt> {
        let shape = self.shape(kind);
        let place = shape.and_then(|shape| shape.place(slot));
        let place = place.ok_or(Corrupt::Short { what: "column" })?;
        let mut firsts = kind.columns;
        let column = place
            .column_group
            .of(&mut firsts)
            .saturating_add(place.rank) as usize;
        let rows = self.directory.rows(column);
        if rows != kind.ordinals.len() as u64 {
            return Err(invalid("rows of a column", rows));
        }
        Ok(column)
    }

    /// The part of the column of a slot that has a row: its number, and the rows that it has.
    pub(super) fn part_of(
        &self,
        kind: &ChunkKind,
        slot: usize,
        rank: u32,
    ) -> Result<(usize, Range<u32>), Corrupt> {
        let column = self.column_of(kind, slot)?;
        let found = self.directory.find(column, rank);
        found.ok_or(Corrupt::Short { what: "column" })
    }

    pub(super) fn seek<E: From<Corrupt>>(
        &self,
        kind: &ChunkKind,
        slot: usize,
        rank: u32,
        page: &mut impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<Cursor, E> {
        let short = Corrupt::Short { what: "column" };
        let (number, rows) = self.part_of(kind, slot, rank)?;
        let part = self.directory.part(number).ok_or(short)?;
        let page = page(part.page as usize)?;
        Ok(Cursor {
            rows,
            column: Some(page.column(number, &part)?),
        })
    }
}

impl ChunkKind {
    /// How many slots it has.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }
}

impl Cursor {
    pub(super) fn has(&self, rank: u32) -> bool {
        self.rows.contains(&rank)
    }

    /// The rows of the part at hand.
    pub(super) fn rows(&self) -> Range<u32> {
        self.rows.clone()
    }

    /// How many numbers there are for values of the part at hand that stand once; 0 where none does. With 1 all
    /// its values are the same.
    pub(super) fn distinct(&self, alike: Alike) -> usize {
        let column = self.column.as_ref();
        column.map_or(0, |column| column.distinct(alike))
    }

    /// The number of the value of a row of the part at hand among those; `None` where it has none.
    pub(super) fn number(&self, rank: u32, alike: Alike) -> Option<usize> {
        let column = self.column.as_ref()?;
        column.number(rank.checked_sub(self.rows.start)? as usize, alike)
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

/// The kinds of a chunk. Their columns are column group by column group, those of a column group in the order of kinds and slots.
fn find_kinds(row_kinds: &[(u32, u32)], kinds: &Kinds) -> Result<Vec<ChunkKind>, Corrupt> {
    // For each column group how many columns it has so far.
    let mut next = [0_u32; ColumnGroup::COUNT];
    let (mut ordinals, mut slots) = (0_u32, 0_u32);
    let mut found = Vec::with_capacity(row_kinds.len());
    for (number, rows) in row_kinds {
        let (own_slots, of_column_groups) = kinds.shapes().slots(*number)?;
        let columns = next;
        for (next, own) in next.iter_mut().zip(of_column_groups) {
            *next = next.saturating_add(own);
        }
        let own_ordinals = ordinals..ordinals.saturating_add(*rows);
        let own_slots = slots..slots.saturating_add(own_slots);
        (ordinals, slots) = (own_ordinals.end, own_slots.end);
        found.push(ChunkKind {
            number: *number,
            ordinals: own_ordinals,
            slots: own_slots,
            columns,
        });
    }
    let mut start = 0_u32;
    for column_group in &mut next {
        start = start.saturating_add(std::mem::replace(column_group, start));
    }
    for kind in &mut found {
        for (column, start) in kind.columns.iter_mut().zip(next) {
            *column = column.saturating_add(start);
        }
    }
    Ok(found)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
