//! Rows cut by kind, before they are encoded.

use model::RecordBatch;

use crate::kinds::{Cut, Cutter, How, Kinds};
use crate::limits::KIND_ROWS_MIN;

/// The rows of a chunk: their kinds and their values. It only holds buffers.
#[derive(Debug, Default)]
pub(super) struct CutRows {
    cutter: Cutter,
    rows: Vec<Row>,
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

/// A value: where it starts and ends in the bytes of the batch, or behind them in `side`.
type Value = (u32, u32);

/// Behind the values of a row. No value ends before it starts.
const END: Value = (1, 0);

impl CutRows {
    /// Finds the kind and the values of each record. Kinds with few records are not worth their
    /// columns: their records get a coarser one.
    pub(super) fn cut(&mut self, batch: &RecordBatch, kinds: &mut Kinds) {
        self.rows.clear();
        self.values.clear();
        self.side.clear();
        let mut fine = Kinds::new();
        let mut counts: Vec<u32> = Vec::new();
        for head in batch.heads() {
            let cut = self.cutter.cut(batch, head, How::Fine);
            let kind = match cut.how {
                How::Fine => fine.intern(cut.key).unwrap_or(Kinds::WHOLE),
                How::Coarse | How::Whole => Kinds::WHOLE,
            };
            counts.resize(counts.len().max(kind as usize + 1), 0);
            if let Some(count) = counts.get_mut(kind as usize) {
                *count += 1;
            }
            let values = self.values.len() as u32;
            if kind != Kinds::WHOLE {
                push_values(&cut, head.start, batch, &mut self.values, &mut self.side);
            }
            self.rows.push(Row { kind, values });
        }
        let kept = (0_u32..).zip(&counts).map(|(kind, count)| {
            let is_kept = kind != Kinds::WHOLE && *count >= KIND_ROWS_MIN;
            is_kept.then(|| kinds.intern(fine.key(kind)?)).flatten()
        });
        let kept: Vec<Option<u32>> = kept.collect();
        self.cut_others(batch, &kept, kinds);
    }

    /// Gives rows the kinds that are kept, and the others coarser ones.
    fn cut_others(&mut self, batch: &RecordBatch, kept: &[Option<u32>], kinds: &mut Kinds) {
        for (row, head) in self.rows.iter_mut().zip(batch.heads()) {
            if let Some(Some(kind)) = kept.get(row.kind as usize) {
                row.kind = *kind;
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

    /// The kind of each row.
    pub(super) fn kinds(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| row.kind)
    }

    /// How many slots a row has.
    pub(super) fn slots(&self, row: u32) -> usize {
        let values = self.values.get(self.start(row)..).unwrap_or(&[]);
        values.iter().take_while(|value| **value != END).count()
    }

    /// The value of a slot of a row.
    pub(super) fn value<'a>(&'a self, batch: &'a RecordBatch, row: u32, slot: usize) -> &'a [u8] {
        let Some((start, end)) = self.values.get(self.start(row) + slot) else {
            return &[];
        };
        let (start, end, len) = (*start as usize, *end as usize, batch.bytes().len());
        let value = if end <= len {
            batch.bytes().get(start..end)
        } else {
            self.side.get(start - len..end - len)
        };
        value.unwrap_or(&[])
    }

    fn start(&self, row: u32) -> usize {
        let row = self.rows.get(row as usize);
        row.map_or(usize::MAX, |row| row.values as usize)
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
    for value in cut.values().skip(cut.slots.len()) {
        let at = (batch.bytes().len() + side.len()) as u32;
        side.extend_from_slice(value);
        values.push((at, at + value.len() as u32));
    }
    values.push(END);
}
