//! All rows of a part that match, as a set: what counting and statistics work on.

use std::ops::Range;

use model::RecordRef;
use store::Part;

use crate::evaluate::Bounds;
use crate::part::{page, page_rows};
use crate::row_set::RowSet;
use crate::run::Run;
use crate::walk::matching;

/// The rows of a range of a part that match. Outside the range the set says nothing. Only pages
/// with doubtful rows are decoded.
pub(crate) fn resolve(run: &mut Run<'_>, part: &Part, range: &Range<u32>) -> RowSet {
    if range.is_empty() {
        return RowSet::empty();
    }
    let Bounds { sure, maybe } = run.bounds(part);
    let Some(maybe) = maybe else { return sure };
    let doubtful = Bounds::doubtful(maybe.minus(&sure, part.rows()));
    let mut verified = Vec::new();
    let mut left = range.clone();
    while let Some(row) = doubtful.upper().first_within(&left) {
        if run.is_stopped() {
            break;
        }
        let rows = rows_of_page(part, row, &left);
        left.start = rows.end;
        match page(part, row) {
            Ok(page) => verified.extend(matching(run, &doubtful, &page, rows)),
            Err(error) => run.missed(&error),
        }
    }
    sure.or(RowSet::from_sorted(&verified))
}

/// Calls `visit` with every record of a set of rows, page by page, ascending.
pub(crate) fn visit_rows(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
    visit: &mut dyn FnMut(RecordRef<'_>),
) {
    visit_numbered(run, part, set, range, &mut |_, record| visit(record));
}

/// The same, with the row of the part that each record is.
pub(crate) fn visit_numbered(
    run: &mut Run<'_>,
    part: &Part,
    set: &RowSet,
    range: &Range<u32>,
    visit: &mut dyn FnMut(u32, RecordRef<'_>),
) {
    let mut left = range.clone();
    while let Some(row) = set.first_within(&left) {
        if run.is_stopped() {
            return;
        }
        let rows = rows_of_page(part, row, &left);
        left.start = rows.end;
        match page(part, row) {
            Ok(page) => {
                for row in set.within(&rows) {
                    if let Some(record) = page.record(row) {
                        visit(row, record);
                    }
                }
            }
            Err(error) => run.missed(&error),
        }
    }
}

/// The rows of a range that share a page with one of them.
fn rows_of_page(part: &Part, row: u32, range: &Range<u32>) -> Range<u32> {
    let rows = page_rows(part, row);
    rows.start.max(range.start)..rows.end.min(range.end)
}
