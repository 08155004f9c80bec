//! The messages of rows, put together from columns: no other text of their records is read.

use segment::{KindRows, Namespace, SlotValues, TextBit};
use store::OpenChunk;

use super::Unread;

/// Reads messages kind by kind. Holds scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageReader {
    message: Vec<u8>,
    /// Of each stretch of the kind at hand, the part of its column that was read last.
    columns: Vec<Option<SlotValues>>,
}

impl MessageReader {
    /// Hands the messages of rows of a kind to `visit`, by their seats in the segment, but for those of which
    /// `is_no_use` says so of a start; returns the seats of those that cannot be had without their records.
    pub(crate) fn read(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        is_no_use: impl Fn(&[u8]) -> bool,
        mut visit: impl FnMut(u32, &[u8]),
    ) -> Vec<u32> {
        let bits = kind.text(Namespace::Message).unwrap_or_default();
        let mut done = 0;
        self.columns.clear();
        self.columns.resize_with(bits.len(), || None);
        // Without bits, their place varies.
        for (seat, rank) in kind.ranked().take_while(|_| !bits.is_empty()) {
            match self.put(chunk, kind, &bits, rank, &is_no_use) {
                Ok(true) => visit(chunk.seat(seat), &self.message),
                Ok(false) => {}
                Err(Unread) => break,
            }
            done += 1;
        }
        let left = kind.ranked().skip(done);
        left.map(|(seat, _)| chunk.seat(seat)).collect()
    }

    /// Puts the message of a row together; `false` as soon as it is of no use.
    fn put(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        bits: &[TextBit<'_>],
        rank: u32,
        is_no_use: &impl Fn(&[u8]) -> bool,
    ) -> Result<bool, Unread> {
        self.message.clear();
        for (bit, column) in bits.iter().zip(&mut self.columns) {
            match bit {
                TextBit::Fixed(bytes) => self.message.extend_from_slice(bytes),
                TextBit::Slot(slot) => {
                    let known = column.take().filter(|values| values.rows().contains(&rank));
                    let values = match known {
                        Some(values) => values,
                        None => chunk.values(kind, *slot, rank)?,
                    };
                    column.insert(values).append(rank, &mut self.message);
                }
            }
            if is_no_use(&self.message) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
