//! How many rows of each kind of a segment hold a term.

use segment::TermEntry;
use store::{GroupRows, ReadError, SegmentHandle};

use crate::among::Among;
use crate::gathered::Gathered;

/// The rows of each group that hold a term, of those that have some: the numbers of the groups ascend. `None` where that
/// takes a look at columns.
pub(crate) fn rows_by_group(
    term: &TermEntry,
    segment: &SegmentHandle,
) -> Result<Option<Vec<GroupRows>>, ReadError> {
    if segment.is_told_by_columns(term) {
        return segment.rows_by_group(term);
    }
    let found = Gathered::of(std::slice::from_ref(term), Among::ALL, segment)?;
    let tally = segment.tally()?;
    let groups = (0..tally.len()).map(|group| GroupRows {
        group,
        rows: found.len_among(&[tally.seats(group)]) as u32,
        parts: None,
    });
    Ok(Some(groups.filter(|own| own.rows > 0).collect()))
}
