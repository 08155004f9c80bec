//! What the kinds of rows tell of a leaf: of a kind whose records have in common what passes, or nothing
//! that varies where it could, no record and no column is read.

use std::ops::Range;

use store::{ReadError, SegmentHandle};

use crate::row_set::RowSet;
use crate::run::Run;

/// Some rows of a segment.
pub(crate) struct ByKind {
    /// Those that pass.
    pub(crate) passed: RowSet,
    /// Those that have to be looked at.
    pub(crate) left: RowSet,
}

/// Parts some rows of a segment by what their kinds tell of a leaf. Where those cannot be read, or the
/// question is stopped, rows are left.
pub(crate) fn by_kind(
    run: &mut Run<'_>,
    leaf: usize,
    segment: &SegmentHandle,
    rows: RowSet,
) -> ByKind {
    let told = ordinals_told(run, leaf, segment, &rows).unwrap_or_default();
    if told.passing.is_empty() && told.failing.is_empty() {
        return ByKind {
            passed: RowSet::empty(),
            left: rows,
        };
    }
    let passing = RowSet::of_ranges(told.passing);
    let told = RowSet::of_ranges(told.failing).or(passing.clone());
    ByKind {
        left: rows.minus(&told, segment.rows()),
        passed: rows.and(passing),
    }
}

/// The ordinals of the kinds, chunk by chunk, that have some of the rows.
#[derive(Default)]
struct Told {
    passing: Vec<Range<u32>>,
    failing: Vec<Range<u32>>,
}

fn ordinals_told(
    run: &mut Run<'_>,
    leaf: usize,
    segment: &SegmentHandle,
    rows: &RowSet,
) -> Result<Told, ReadError> {
    let (kinds, groups) = (segment.kinds()?, segment.tally()?);
    let mut told = Told::default();
    let mut ahead = 0..segment.rows();
    while let Some(next) = rows.first_within(&ahead)
        && let Some((kind, ordinals)) = groups.group_of(next)
    {
        ahead.start = ordinals.end;
        // A segment may have 65,536 kinds.
        if run.is_stopped() {
            break;
        }
        match run.check(leaf).passes_kind(&kinds, kind) {
            Some(true) => told.passing.push(ordinals),
            Some(false) => told.failing.push(ordinals),
            None => {}
        }
    }
    Ok(told)
}
