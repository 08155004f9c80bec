//! The values of a field of all rows of a segment that counts the values of its columns: kind by kind, by what is
//! counted, else by the columns of kinds where these tell. What is left has to be asked of the index and read.

use std::ops::Range;

use store::{OpenChunk, ReadError, SegmentHandle};

use crate::among::Among;
use crate::cancel::Cancel;
use crate::evaluate::with_field;
use crate::field_reader::{CountSink, FieldReader, Unread, Where};
use crate::named::NamedAsk;
use crate::row_set::RowSet;

/// Rows of a segment that may have a value which was not handed over. All others have none.
#[derive(Debug)]
pub(crate) struct Left {
    /// All of them.
    pub(crate) rows: RowSet,
    /// Those that may have it in their text; `None` where that is not known.
    pub(crate) in_text: Option<RowSet>,
}

/// Hands the values of the fields of a name to a sink, each with how many rows have it, and no row twice. Kinds whose
/// values are not counted are read where `reads` says so, and left otherwise, as are rows whose columns cannot be read,
/// and all that are not reached when the question is stopped.
///
/// # Errors
/// When the index cannot be read: nothing was handed over.
pub(crate) fn count_field(
    ask: &NamedAsk,
    (reader, reads): (&mut FieldReader, bool),
    segment: &SegmentHandle,
    cancel: &Cancel,
    sink: &mut impl CountSink,
) -> Result<Left, ReadError> {
    let beside = ask.rows_beside_logs(Among::ALL, segment)?;
    let data = segment.seats_with_field(reader.name())?;
    let data = [data.in_data, data.anywhere].map(RowSet::of_ranges);
    let mut open = Open::default();
    for number in 0..segment.chunks() {
        let Ok((opened, kinds)) = opened(number, segment) else {
            open.kinds.push(segment.chunk_rows(number));
            continue;
        };
        for (_, seats) in kinds {
            // A segment may have 65,536 kinds.
            if cancel.stopped().is_some() {
                open.kinds.push(seats);
                continue;
            }
            let place = match beside.first_within(&seats) {
                Some(_) => Where::Anywhere,
                None => Where::InLog,
            };
            let may_have = place == Where::Anywhere || ask.may_be_in_log();
            let has_data = data.iter().any(|rows| rows.first_within(&seats).is_some());
            match (has_data, may_have) {
                (true, true) if reader.has_none(&opened, &seats, place) != Ok(true) => {
                    open.kinds.push(seats);
                }
                (true, _) => open.of_data.push(seats),
                (false, true) => match reader.count(&opened, &seats, (place, reads), sink) {
                    Ok(Some(mut rows)) => open.rows.append(&mut rows),
                    Ok(None) | Err(Unread) => open.kinds.push(seats),
                },
                (false, false) => {}
            }
        }
    }
    Ok(open.may_have(ask, data, segment))
}

/// A chunk, and the seats of its kinds.
fn opened(number: usize, segment: &SegmentHandle) -> Result<OpenedKinds<'_>, ReadError> {
    Ok((segment.open_chunk(number)?, segment.kind_seats(number)?))
}

type OpenedKinds<'s> = (OpenChunk<'s>, Vec<(u32, Range<u32>)>);

/// Rows that were not handed over.
#[derive(Default)]
struct Open {
    /// All rows with these seats.
    kinds: Vec<Range<u32>>,
    /// Those with these as well.
    rows: Vec<u32>,
    /// All rows with these, which have the field in their structured data, if at all.
    of_data: Vec<Range<u32>>,
}

impl Open {
    /// Those that may have the field, and pass, by what the index says. `data` has the rows with the field within
    /// their structured data, and anywhere.
    fn may_have(mut self, ask: &NamedAsk, data: [RowSet; 2], segment: &SegmentHandle) -> Left {
        self.rows.sort_unstable();
        let open = RowSet::of_ranges(self.kinds).or(RowSet::from_sorted(&self.rows));
        let (rows, in_text) = match open.is_empty() {
            true => (open.clone(), Some(open)),
            false => with_field(ask, open, segment),
        };
        if self.of_data.is_empty() {
            return Left { rows, in_text };
        }
        let [within, anywhere] = data;
        let in_data = ask.rows_in_data(segment).unwrap_or(RowSet::All);
        let of_data = anywhere.or(within.and(in_data));
        Left {
            rows: rows.or(RowSet::of_ranges(self.of_data).and(of_data)),
            in_text,
        }
    }
}
