//! The parts of many records, for whoever counts them: host, program, process id and message id by
//! kinds and columns in segments, and record by record where those do not tell and in the tail.

use segment::{KindRows, Namespace, TextBit};
use store::{OpenChunk, ReadError, SegmentHandle};

use crate::chunks::ChunkSink;
use crate::field_reader::{Remembered, Unread, ValueSink};
use crate::field_values::RecordSink;
use crate::part::Block;

/// Reads a part of the records of a segment.
pub(crate) struct PartReader {
    part: Namespace,
    /// For each kind by its number the value, where it is the same for all records; known from the first
    /// chunk on.
    fixed: Option<Vec<Option<Box<[u8]>>>>,
}

impl PartReader {
    pub(crate) fn new(part: Namespace) -> Self {
        Self { part, fixed: None }
    }

    /// Makes ready to read a segment.
    pub(crate) fn begin(&mut self) {
        self.fixed = None;
    }

    /// Hands the values of rows of a chunk with some ordinals, which ascend, to `sink`; returns the ordinals of those
    /// whose records have to be looked at. All are of one segment since [`Self::begin`].
    ///
    /// # Errors
    /// When the kinds of the segment or of the rows cannot be read: nothing was handed over.
    pub(crate) fn read_chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
        sink: &mut impl ValueSink,
    ) -> Result<Vec<u32>, ReadError> {
        let open = self.add_fixed(segment, chunk, ordinals, sink)?;
        Ok(match open.is_empty() {
            true => open,
            false => self.add_varying(segment, chunk, open, sink),
        })
    }

    /// Adds the rows of kinds with one value, for which no column is looked at; the ordinals of the others,
    /// which ascend.
    fn add_fixed(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        mut ordinals: &[u32],
        sink: &mut impl ValueSink,
    ) -> Result<Vec<u32>, ReadError> {
        let kinds = segment.kind_ordinals(chunk)?;
        let fixed = match self.fixed.take() {
            Some(fixed) => fixed,
            None => segment.fixed_texts(self.part)?,
        };
        let mut others = Vec::new();
        for (kind, of_kind) in kinds {
            let count = ordinals.partition_point(|ordinal| *ordinal < of_kind.end);
            let (own, rest) = ordinals.split_at(count);
            ordinals = rest;
            match fixed.get(kind as usize) {
                _ if own.is_empty() => {}
                Some(Some(value)) => {
                    let seen = sink.see(value);
                    sink.rows(own, seen);
                    if sink.is_full() {
                        sink.settle();
                    }
                }
                _ => others.extend_from_slice(own),
            }
        }
        others.extend_from_slice(ordinals);
        self.fixed = Some(fixed);
        Ok(others)
    }

    /// Adds the rows of other kinds; the ordinals of those whose records have to be looked at.
    fn add_varying(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: Vec<u32>,
        sink: &mut impl ValueSink,
    ) -> Vec<u32> {
        // Why it cannot be read is reported where its records are.
        let Ok(opened) = segment.open_chunk(chunk) else {
            return ordinals;
        };
        let mut open = Vec::new();
        for kind in opened.kind_rows(&ordinals) {
            let mut done = 0;
            let read = read_kind(&opened, &kind, self.part, &mut done, sink);
            if read != Ok(true) {
                let left = kind.ranked().skip(done);
                open.extend(left.map(|(ordinal, _)| opened.ordinal(ordinal)));
            }
        }
        open.sort_unstable();
        open
    }
}

/// Hands the values of a part of the records of a segment to a sink, chunk by chunk.
pub(crate) struct PartChunks<'s, S> {
    reader: PartReader,
    sink: &'s mut S,
}

impl<'s, S: RecordSink> PartChunks<'s, S> {
    pub(crate) fn new(part: Namespace, sink: &'s mut S) -> Self {
        let reader = PartReader::new(part);
        Self { reader, sink }
    }
}

impl<S: RecordSink> ChunkSink for PartChunks<'_, S> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let open = self
            .reader
            .read_chunk(segment, chunk, ordinals, self.sink)?;
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
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let rows = segment.at_ordinals(chunk, ordinals)?.into_iter();
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
    // Those without a slot are done with.
    let (Some(slot), None) = (slot, other) else {
        return Ok(false);
    };
    let mut column = Remembered::default();
    for (ordinal, rank) in kind.ranked() {
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
        sink.row(chunk.ordinal(ordinal), seen);
        *done += 1;
        if sink.is_full() {
            column.forget();
            sink.settle();
        }
    }
    Ok(true)
}
