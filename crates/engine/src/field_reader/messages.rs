//! The messages of rows, put together from columns: no other text of their records is read.

use segment::{KindRows, Namespace, SlotValues, TextBit};
use store::OpenChunk;

use super::Unread;

/// The messages of rows of a kind.
pub(crate) struct Messages<'k> {
    bits: Vec<TextBit<'k>>,
    /// Of each stretch the part of its column that was read last.
    columns: Vec<Option<SlotValues>>,
    message: Vec<u8>,
}

impl<'k> Messages<'k> {
    /// Those of a kind; `None` where they are anywhere.
    pub(crate) fn of(kind: &KindRows<'k>) -> Option<Self> {
        let bits = kind.text(Namespace::Message)?;
        Some(Self {
            columns: bits.iter().map(|_| None).collect(),
            bits,
            message: Vec::new(),
        })
    }

    /// The message of the row with a rank; `None` as soon as `is_no_use` says so of its start.
    pub(crate) fn get(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        rank: u32,
        is_no_use: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<&[u8]>, Unread> {
        self.message.clear();
        for (bit, column) in self.bits.iter().zip(&mut self.columns) {
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
                return Ok(None);
            }
        }
        Ok(Some(&self.message))
    }
}
