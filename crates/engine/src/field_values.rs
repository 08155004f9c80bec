//! The values of a field of many records: by kinds and columns in segments, record by record where
//! those do not tell and in the tail.

use model::RecordRef;
use segment::KindRows;
use store::{Part, ReadError, SegmentHandle};

use crate::chunks::{ChunkSink, each_chunk};
use crate::evaluate::with_fields;
use crate::field_reader::{FieldReader, ValueSink, Where};
use crate::part::Block;
use crate::question::values::named;
use crate::row_set::RowSet;
use crate::run::Run;

/// What becomes of values, and of records that have to be looked at.
pub(crate) trait RecordSink: ValueSink {
    /// A record, with all its values.
    fn record(&mut self, record: RecordRef<'_>);

    /// A chunk or a block is done with: what was seen may be named anew, and is not named again.
    fn settle(&mut self);

    /// The records of a block.
    fn records(&mut self, block: &Block) {
        for (_, record) in block.records() {
            self.record(record);
        }
        self.settle();
    }
}

/// Hands the values of the fields of a name to `sink`, of those rows of a part that may have some. A row
/// whose values are not handed over as a record has one at most.
pub(crate) fn read_values(
    run: &mut Run<'_>,
    part: &Part,
    set: RowSet,
    reader: &mut FieldReader,
    sink: &mut impl RecordSink,
) {
    let field = named(reader.name());
    let set = with_fields(part, set, [&field]);
    each_chunk(run, part, &set, &mut FieldChunks { reader, sink });
}

/// Reads a field chunk by chunk.
struct FieldChunks<'s, S> {
    reader: &'s mut FieldReader,
    sink: &'s mut S,
}

impl<S: RecordSink> ChunkSink for FieldChunks<'_, S> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        seats: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let kinds = opened.kind_rows(seats);
        let (with_data, plain): (Vec<_>, Vec<_>) = kinds
            .into_iter()
            .partition(|kind| kind.may_have_field(self.reader.name()));
        let mut open = self
            .reader
            .read(&opened, &plain, Where::Anywhere, self.sink);
        let in_data = with_data.iter().flat_map(KindRows::ranked);
        open.extend(in_data.map(|(seat, _)| opened.seat(seat)));
        open.sort_unstable();
        self.sink.settle();
        Ok(open)
    }

    fn block(&mut self, block: &Block) {
        self.sink.records(block);
    }
}
