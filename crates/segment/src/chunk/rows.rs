//! Rows cut by kind, before they are encoded.

use std::ops::Range;

use model::{RecordBatch, RecordHead};

use crate::kinds::{Cut, Cutter, Guesses, How, Joined, Kinds, join};
use crate::limits::KIND_ROWS_MIN;

/// The rows of a chunk: their kinds and their values. It only holds buffers.
#[derive(Debug, Default)]
pub(crate) struct CutRows {
    cutter: Cutter,
    guesses: Guesses,
    /// The kinds that have all that does not vary.
    fine: Kinds,
    rows: Vec<Row>,
    /// The numbers of the rows in the order of their kinds.
    order: Vec<u32>,
    values: Vec<Value>,
    /// Values that are not in the text of their record.
    side: Vec<u8>,
}

/// A row and where its values start.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: u32,
    values: u32,
}

/// The rows of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) kind: u32,
    /// Where they stand in the order of kinds.
    pub(crate) rows: Range<usize>,
}

/// A value: where it starts and ends in the bytes of the batch, or behind them in `side`.
type Value = (u32, u32);

impl Group {
    /// How many rows it has.
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }
}

/// Behind the values of a row. No value ends before it starts.
const END: Value = (1, 0);

impl CutRows {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.guesses.clear();
        self.fine = Kinds::new();
        self.rows.clear();
        self.order.clear();
        self.values.clear();
        self.side.clear();
    }

    /// Cuts the records that were added to a batch since it was called before. Records that have just
    /// been copied are still in the cache, which those of a whole chunk are too many for.
    pub(super) fn cut_added(&mut self, batch: &RecordBatch) {
        let mut fine = std::mem::take(&mut self.fine);
        for head in batch.heads().get(self.rows.len()..).unwrap_or(&[]) {
            let values = self.values.len() as u32;
            let kind = self.cut_fine(batch, head, &mut fine);
            self.rows.push(Row { kind, values });
        }
        self.fine = fine;
    }

    /// Finds the kind and the values of each record. Kinds with few records are not worth their
    /// columns: their records get one that kinds like it are joined in, or a coarser one.
    pub(super) fn cut(&mut self, batch: &RecordBatch, kinds: &mut Kinds) {
        self.cut_added(batch);
        let fine = std::mem::take(&mut self.fine);
        let mut counts = vec![0; fine.len()];
        for row in &self.rows {
            if let Some(count) = counts.get_mut(row.kind as usize) {
                *count += 1;
            }
        }
        let kept = (0_u32..).zip(&counts).map(|(kind, count)| {
            let is_kept = kind != Kinds::WHOLE && *count >= KIND_ROWS_MIN;
            is_kept.then(|| kinds.intern(fine.key(kind)?)).flatten()
        });
        let kept: Vec<Option<u32>> = kept.collect();
        let mut joined = vec![None; fine.len()];
        for (kind, found) in join(&fine, &counts) {
            let number = kinds.intern(&found.key);
            if let Some(place) = joined.get_mut(kind as usize) {
                *place = number.map(|number| (number, found));
            }
        }
        self.cut_others(batch, &kept, &joined, kinds);
    }

    /// The number of a record's kind among those that have all that does not vary, and its values behind
    /// the others. The whole kind, without values, where it has none.
    fn cut_fine(&mut self, batch: &RecordBatch, head: &RecordHead, fine: &mut Kinds) -> u32 {
        if let Some((kind, slots)) = self.guesses.guess(batch, head) {
            self.values.extend_from_slice(slots);
            self.values.push(END);
            return kind;
        }
        let cut = self.cutter.cut(batch, head, How::Fine);
        let kind = match cut.how {
            How::Fine => fine.intern(cut.key),
            How::Coarse | How::Whole => None,
        };
        let Some(kind) = kind else {
            return Kinds::WHOLE;
        };
        self.guesses.learn(kind, cut.key);
        push_values(&cut, head.start, batch, &mut self.values, &mut self.side);
        kind
    }

    /// Gives rows the kinds that are kept or joined, and the others coarser ones.
    fn cut_others(
        &mut self,
        batch: &RecordBatch,
        kept: &[Option<u32>],
        joined: &[Option<(u32, Joined)>],
        kinds: &mut Kinds,
    ) {
        for (row, head) in self.rows.iter_mut().zip(batch.heads()) {
            let fine = row.kind as usize;
            if let Some(Some(kind)) = kept.get(fine) {
                row.kind = *kind;
                continue;
            }
            if let Some(Some((kind, joined))) = joined.get(fine) {
                let slots = self.values.get(row.values as usize..).unwrap_or(&[]);
                let slots: Vec<Value> = slots.iter().take_while(|v| **v != END).copied().collect();
                let text = head.start..head.start + head.raw_len + head.extra_len;
                row.kind = *kind;
                row.values = self.values.len() as u32;
                joined.slots_into(&slots, text, &mut self.values);
                self.values.push(END);
                continue;
            }
            let cut = self.cutter.cut(batch, head, How::Coarse);
            let known = kinds.intern(cut.key);
            let cut = match known {
                Some(_) => cut,
                None => self.cutter.cut(batch, head, How::Whole),
            };
            row.kind = known.unwrap_or(Kinds::WHOLE);
            row.values = self.values.len() as u32;
            push_values(&cut, head.start, batch, &mut self.values, &mut self.side);
        }
    }

    /// Puts the rows into the order of their kinds, those of a kind in their own; the kinds that
    /// there are, of so many.
    pub(super) fn by_kind(&mut self, kinds: usize) -> Vec<Group> {
        let mut places = vec![0_usize; kinds];
        for row in &self.rows {
            if let Some(count) = places.get_mut(row.kind as usize) {
                *count += 1;
            }
        }
        let mut groups = Vec::new();
        let mut start = 0;
        for (kind, place) in (0..).zip(&mut places) {
            let end = start + *place;
            *place = start;
            if start < end {
                let rows = start..end;
                groups.push(Group { kind, rows });
            }
            start = end;
        }
        self.order.clear();
        self.order.resize(self.rows.len(), 0);
        for (number, row) in (0..).zip(&self.rows) {
            if let Some(place) = places.get_mut(row.kind as usize)
                && let Some(ordered) = self.order.get_mut(*place)
            {
                *ordered = number;
                *place += 1;
            }
        }
        groups
    }

    /// The rows of a kind.
    pub(crate) fn rows_of(&self, group: &Group) -> &[u32] {
        self.order.get(group.rows.clone()).unwrap_or(&[])
    }

    /// Where the slots of a row start and end in the bytes of the batch, and what is behind them. Of the
    /// whole kind, the second one is elsewhere.
    pub(crate) fn places(&self, row: usize) -> &[(u32, u32)] {
        let start = self.rows.get(row).map(|row| row.values as usize);
        start
            .and_then(|start| self.values.get(start..))
            .unwrap_or(&[])
    }

    /// Appends the values of a slot of rows.
    pub(super) fn column<'a>(
        &'a self,
        batch: &'a RecordBatch,
        rows: &[u32],
        slot: usize,
        column: &mut Vec<&'a [u8]>,
    ) {
        let bytes = batch.bytes();
        column.extend(rows.iter().map(|row| {
            let row = self.rows.get(*row as usize);
            let value = row.and_then(|row| self.values.get(row.values as usize + slot));
            let (start, end) = value.map_or((0, 0), |(start, end)| (*start, *end));
            let (start, end) = (start as usize, end as usize);
            let value = if end <= bytes.len() {
                bytes.get(start..end)
            } else {
                self.side.get(start - bytes.len()..end - bytes.len())
            };
            value.unwrap_or(&[])
        }));
    }
}

fn push_values(
    cut: &Cut<'_>,
    start: u32,
    batch: &RecordBatch,
    values: &mut Vec<Value>,
    side: &mut Vec<u8>,
) {
    let slots = cut.slots.iter();
    values.extend(slots.map(|slot| (start + slot.start as u32, start + slot.end as u32)));
    if let Some(value) = cut.whole {
        let at = (batch.bytes().len() + side.len()) as u32;
        side.extend_from_slice(value);
        values.push((at, at + value.len() as u32));
    }
    values.push(END);
}
