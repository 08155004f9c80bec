//! The values of a field of many records: by kinds and columns in segments, record by record where
//! those do not tell and in the tail.

use std::ops::Range;
use std::sync::Arc;

use model::RecordRef;
use segment::KindRows;
use store::{Part, SegmentHandle};

use crate::evaluate::with_fields;
use crate::field_reader::{FieldReader, ValueSink};
use crate::question::values::named;
use crate::resolve::visit_rows;
use crate::row_set::RowSet;
use crate::run::Run;

/// What becomes of values, and of records that have to be looked at.
pub(crate) trait RecordSink: ValueSink {
    /// A record, with all its values.
    fn record(&mut self, record: RecordRef<'_>);
}

/// Hands the values of the fields of a name to `sink`, of those rows of a part that may have some. A row
/// whose values are not handed over as a record has one at most.
pub(crate) fn read_values(
    run: &mut Run<'_>,
    part: &Part,
    (set, range): (RowSet, &Range<u32>),
    reader: &mut FieldReader,
    sink: &mut impl RecordSink,
) {
    let field = named(reader.name());
    let set = with_fields(part, set, [&field]);
    let Part::Segment(segment) = part else {
        return visit_rows(run, part, &set, range, &mut |record| sink.record(record));
    };
    let mut left = range.clone();
    while let Some(next) = set.first_within(&left) {
        if run.is_stopped() {
            return;
        }
        let chunk = segment.chunk_of_row(next);
        let end = segment.chunk_rows(chunk).end.min(left.end).max(next + 1);
        left.start = end;
        let seats = set.first_rows(&(next..end), usize::MAX);
        let open = RowSet::from_sorted(&read_chunk(segment, chunk, seats, reader, sink));
        visit_rows(run, part, &open, range, &mut |record| sink.record(record));
    }
}

/// Reads rows of a chunk by their seats; returns those whose records have to be looked at.
fn read_chunk(
    segment: &Arc<SegmentHandle>,
    chunk: usize,
    seats: Vec<u32>,
    reader: &mut FieldReader,
    sink: &mut impl RecordSink,
) -> Vec<u32> {
    // Whoever reads the records is to report what is wrong with the chunk.
    let Ok(opened) = segment.open_chunk(chunk) else {
        return seats;
    };
    let kinds = opened.kind_rows(&seats);
    let (with_data, plain): (Vec<_>, Vec<_>) = kinds
        .into_iter()
        .partition(|kind| kind.may_have_field(reader.name()));
    let mut open = reader.read(&opened, &plain, sink);
    let in_data = with_data.iter().flat_map(KindRows::ranked);
    open.extend(in_data.map(|(seat, _)| opened.seat(seat)));
    open.sort_unstable();
    open
}
