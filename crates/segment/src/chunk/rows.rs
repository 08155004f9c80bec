//! Rows cut by kind, before they are encoded.

use std::ops::Range;

use model::{RecordBatch, RecordHead};

use super::slot_texts::SlotTexts;
use crate::index::asks_slots_only;
use crate::kinds::{Cut, Cutter, Guesses, How, Joined, Kinds, join};
use crate::limits::KIND_ROWS_MIN;

/// The rows of a chunk: their kinds and their values. It only holds buffers.
#[derive(Debug, Default)]
pub(crate) struct CutRows {
    cutter: Cutter,
    guesses: Guesses,
    /// The kinds that have all that does not vary, and how many rows each has.
    fine: Kinds,
    counts: Vec<Count>,
    rows: Vec<Row>,
    /// The numbers of the rows in the order of their kinds.
    order: Vec<u32>,
    texts: SlotTexts,
}

/// A row and where its values start.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: u32,
    values: u32,
}

/// How many rows a kind has so far.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    rows: u32,
    /// Whether further ones are known by their slots.
    is_known_by_slots: bool,
}

/// The rows of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) kind: u32,
    /// Where they stand in the order of kinds.
    pub(crate) rows: Range<usize>,
}

impl Group {
    /// How many rows it has.
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }
}

impl CutRows {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.guesses.clear();
        self.fine = Kinds::new();
        self.counts.clear();
        self.rows.clear();
        self.order.clear();
        self.texts.clear();
    }

    /// Cuts the next record, which is one of a batch; whether its text may be asked for again. It is not
    /// where slots tell all of it and its kind is one of those that are kept, of which [`Self::cut`]
    /// makes kinds of the segment, given those that this has so far.
    pub(super) fn cut_next(
        &mut self,
        batch: &RecordBatch,
        head: &RecordHead,
        kinds: &Kinds,
    ) -> bool {
        let values = self.texts.len();
        let kind = self.cut_fine(batch, head);
        self.rows.push(Row { kind, values });
        if kind as usize >= self.counts.len() {
            self.counts.resize(kind as usize + 1, Count::default());
        }
        let Some(count) = self.counts.get_mut(kind as usize) else {
            return true;
        };
        count.rows += 1;
        if count.rows == KIND_ROWS_MIN && kind != Kinds::WHOLE {
            // Kinds become those of the segment in the order of their numbers, so this one will be
            // among them if there is room for all up to it.
            let shape = self.fine.shape(kind);
            count.is_known_by_slots =
                kinds.have_room_for(&self.fine) && shape.is_ok_and(|shape| asks_slots_only(&shape));
        }
        !count.is_known_by_slots
    }

    /// Finds the kind and the values of each record. Kinds with few records are not worth their
    /// columns: their records get one that kinds like it are joined in, or a coarser one. Those that
    /// were cut before need no text in the batch where [`Self::cut_next`] said so.
    pub(super) fn cut(&mut self, batch: &RecordBatch, kinds: &mut Kinds) {
        for head in batch.heads().get(self.rows.len()..).unwrap_or(&[]) {
            self.cut_next(batch, head, kinds);
        }
        let fine = std::mem::take(&mut self.fine);
        let mut counts: Vec<u32> = self.counts.iter().map(|count| count.rows).collect();
        counts.resize(fine.len(), 0);
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
    fn cut_fine(&mut self, batch: &RecordBatch, head: &RecordHead) -> u32 {
        if let Some((kind, slots)) = self.guesses.guess(batch, head) {
            let text = text_range(head);
            self.texts
                .push(batch.bytes(), text, slots.iter().copied(), None);
            return kind;
        }
        let cut = self.cutter.cut(batch, head, How::Fine);
        let kind = match cut.how {
            How::Fine => self.fine.intern(cut.key),
            How::Coarse | How::Whole => None,
        };
        let Some(kind) = kind else {
            return Kinds::WHOLE;
        };
        self.guesses.learn(kind, cut.key);
        push_cut(&cut, head, batch, &mut self.texts);
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
                let text = text_range(head);
                let mut slots = Vec::new();
                let own = text.start as u32..text.end as u32;
                joined.slots_into(&self.texts.origins(row.values, own.start), own, &mut slots);
                row.kind = *kind;
                row.values = self.texts.len();
                self.texts
                    .push(batch.bytes(), text, slots.into_iter(), None);
                continue;
            }
            let cut = self.cutter.cut(batch, head, How::Coarse);
            let known = kinds.intern(cut.key);
            let cut = match known {
                Some(_) => cut,
                None => self.cutter.cut(batch, head, How::Whole),
            };
            row.kind = known.unwrap_or(Kinds::WHOLE);
            row.values = self.texts.len();
            push_cut(&cut, head, batch, &mut self.texts);
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

    /// The bytes that slots are in, with the words that touch them.
    pub(crate) fn slot_bytes(&self) -> &[u8] {
        self.texts.bytes()
    }

    /// Where the slots of a row start and end in those, and what is behind them.
    pub(crate) fn places(&self, row: usize) -> &[(u32, u32)] {
        let row = self.rows.get(row);
        row.map_or(&[], |row| self.texts.places(row.values))
    }

    /// Appends the values of a slot of rows.
    pub(super) fn column<'a>(&'a self, rows: &[u32], slot: usize, column: &mut Vec<&'a [u8]>) {
        column.extend(rows.iter().map(|row| {
            let row = self.rows.get(*row as usize);
            row.map_or(&[][..], |row| self.texts.value(row.values, slot))
        }));
    }
}

/// `raw` and `extra` in the bytes of the batch.
fn text_range(head: &RecordHead) -> Range<usize> {
    let start = head.start as usize;
    start..start + head.raw_len as usize + head.extra_len as usize
}

fn push_cut(cut: &Cut<'_>, head: &RecordHead, batch: &RecordBatch, texts: &mut SlotTexts) {
    let slots = cut.slots.iter();
    let slots = slots.map(|slot| {
        let [start, end] = [slot.start, slot.end].map(|place| head.start + place as u32);
        (start, end)
    });
    texts.push(batch.bytes(), text_range(head), slots, cut.whole);
}
