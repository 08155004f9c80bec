//! The parts of many records, for whoever counts them: host, program, process id and message id by
//! kinds and columns in segments, and record by record where those do not tell and in the tail.

use segment::{KindRows, Namespace, TextBit};
use store::{OpenChunk, ReadError, SegmentHandle};

use crate::chunks::ChunkSink;
use crate::field_reader::{Remembered, Unread, ValueSink};
use crate::field_values::RecordSink;
use crate::part::Block;

/// Hands the values of a part of records to a sink, chunk by chunk.
pub(crate) struct PartChunks<'s, S> {
    pub(crate) part: Namespace,
    pub(crate) sink: &'s mut S,
}

impl<S: RecordSink> ChunkSink for PartChunks<'_, S> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        seats: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let mut open = Vec::new();
        for kind in opened.kind_rows(seats) {
            let mut done = 0;
            let read = read_kind(&opened, &kind, self.part, &mut done, self.sink);
            if read != Ok(true) {
                let left = kind.ranked().skip(done);
                open.extend(left.map(|(seat, _)| opened.seat(seat)));
            }
        }
        open.sort_unstable();
        self.sink.settle();
        Ok(open)
    }

    fn block(&mut self, block: &Block) {
        self.sink.records(block);
    }
}

/// Hands records to a sink of which only peers, sources and tags are looked at: without their texts.
pub(crate) struct HeadChunks<'s, S> {
    pub(crate) sink: &'s mut S,
}

impl<S: RecordSink> ChunkSink for HeadChunks<'_, S> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        seats: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let rows = segment.seated(chunk, seats)?.into_iter();
        let heads = segment.heads(chunk, rows.map(|(row, _)| row))?;
        heads.iter().for_each(|head| self.sink.record(head));
        self.sink.settle();
        Ok(Vec::new())
    }

    fn block(&mut self, block: &Block) {
        self.sink.records(block);
    }
}

/// Goes through the rows of a kind, `done` of which are done with; `false` where their records have to
/// be read.
fn read_kind<S: ValueSink>(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    part: Namespace,
    done: &mut usize,
    sink: &mut S,
) -> Result<bool, Unread> {
    let Some(bits) = kind.text(part) else {
        return Ok(false);
    };
    let mut slots = bits.iter().filter_map(|bit| match bit {
        TextBit::Slot(slot) => Some(*slot),
        TextBit::Fixed(_) => None,
    });
    let (slot, other) = (slots.next(), slots.next());
    let mut text = Vec::new();
    let Some(slot) = slot else {
        put_fixed(&bits, &mut text);
        let seen = sink.see(&text);
        for (seat, _) in kind.ranked() {
            sink.row(chunk.seat(seat), seen);
        }
        return Ok(true);
    };
    if other.is_some() {
        return Ok(false);
    }
    let mut column = Remembered::default();
    for (seat, rank) in kind.ranked() {
        let seen = column.ask(chunk, kind, (slot, rank), |values| {
            text.clear();
            for bit in &bits {
                match bit {
                    TextBit::Fixed(bytes) => text.extend_from_slice(bytes),
                    TextBit::Slot(_) => values.append(rank, &mut text),
                }
            }
            sink.see(&text)
        })?;
        sink.row(chunk.seat(seat), seen);
        *done += 1;
    }
    Ok(true)
}

fn put_fixed(bits: &[TextBit<'_>], text: &mut Vec<u8>) {
    for bit in bits {
        if let TextBit::Fixed(bytes) = bit {
            text.extend_from_slice(bytes);
        }
    }
}
