//! Rows of a kind by the stretches of their text between bytes that no match has: where one of these alone may have a
//! match, and all of its values are told, so are the rows.

use segment::{ByteSet, KindRows, TextBit, TextTest, insert_byte};
use store::OpenChunk;

use super::RowsTold;
use crate::check::LeafTest;

/// How many rows of a kind have a text that passes, given what is told by each bit of it, of which none that is fixed
/// passes; `None` where that is not known.
pub(super) fn matching(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (bits, told): (&[TextBit<'_>], &[RowsTold]),
    test: &LeafTest,
) -> Option<u64> {
    let mut matching = None;
    let mut window = Window::default();
    for (bit, told) in bits.iter().zip(told) {
        match bit {
            TextBit::Slot(slot) => window.slots.push((*slot, told)),
            TextBit::Fixed(bytes) => {
                for byte in *bytes {
                    if test.is_cut(*byte) {
                        window.close(chunk, kind, test, &mut matching)?;
                    } else {
                        insert_byte(&mut window.bytes, *byte);
                    }
                }
            }
        }
    }
    window.close(chunk, kind, test, &mut matching)?;
    Some(matching.unwrap_or_default())
}

/// What stands between two bytes that no match has.
#[derive(Default)]
struct Window<'t> {
    /// What is fixed.
    bytes: ByteSet,
    slots: Vec<(usize, &'t RowsTold)>,
}

impl Window<'_> {
    /// Adds how many rows have a match in it, and starts the next one; `None` where that is not known, or where there
    /// are some in another window, which may be the same rows.
    fn close(
        &mut self,
        chunk: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        test: &LeafTest,
        matching: &mut Option<u64>,
    ) -> Option<()> {
        let own = std::mem::take(self);
        let rows = match own.slots.as_slice() {
            [] => 0,
            [(_, told)] if told.open == 0 => told.passing,
            slots => {
                let mut bytes = own.bytes;
                for (slot, _) in slots {
                    add_bytes_of(chunk, kind, *slot, &mut bytes)?;
                }
                (!test.may_pass_with(&bytes)).then_some(0)?
            }
        };
        if rows > 0 && matching.replace(rows).is_some() {
            return None;
        }
        Some(())
    }
}

/// Adds the bytes that stamps say the values of a slot may have; `None` where they do not.
fn add_bytes_of(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    slot: usize,
    bytes: &mut ByteSet,
) -> Option<()> {
    let mut rank = 0;
    for (_, rows) in kind.parts_of(slot).ok()? {
        let (_, stamp) = chunk.stamp(kind, slot, rank)?;
        let joined = bytes.iter_mut().zip(stamp.bytes());
        joined.for_each(|(bytes, own)| *bytes |= own);
        rank += rows;
    }
    Some(())
}
