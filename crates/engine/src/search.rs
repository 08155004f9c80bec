//! Rows: the newest or oldest that match, all of them, one by its name, and those that are new.

use std::ops::ControlFlow;

use model::{RecordId, RecordNumber};
use query::Query;
use store::{ReadError, Snapshot};

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::cursor::Cursor;
use crate::limits::{FOUND_ROW_BYTES, FOUND_ROW_COPIES, SEARCH_BYTES_MAX, SEARCH_ROWS_MAX};
use crate::ordered::Ordered;
use crate::part::{block, with_ordinal};
use crate::rows::{FoundRow, RowRef};
use crate::run::Run;
use crate::scope::Scope;
use crate::walk::{Hit, Walk};

/// In which order rows come: by [`Scope::time`], at the same instant by logspace, then by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Descending.
    #[default]
    NewestFirst,
    /// Ascending.
    OldestFirst,
}

/// Which of the rows that match are wanted.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How many at most; never more than [`SEARCH_ROWS_MAX`].
    pub limit: usize,
    /// Only those behind this place in the order asked for, which is one of the same kind of time
    /// ([`Cursor::kind`]). A cursor of the other order turns
    /// round: it leads to the rows before.
    pub cursor: Option<Cursor>,
    /// Which come first.
    pub order: Order,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 200,
            cursor: None,
            order: Order::NewestFirst,
        }
    }
}

/// Rows that match.
#[derive(Clone, Debug)]
pub struct Search {
    /// The rows, in order, without a gap.
    pub rows: Vec<FoundRow>,
    /// Where to go on; `None` where there is nothing further. There can be a cursor with fewer rows
    /// than the limit (see [`SEARCH_BYTES_MAX`]), and nothing behind a cursor.
    pub cursor: Option<Cursor>,
    /// What it cost.
    pub cost: Cost,
    /// Whether it is all.
    pub completeness: Completeness,
}

/// What a streamed answer came to.
#[derive(Clone, Debug)]
pub struct Each {
    /// How many rows were handed out.
    pub rows: u64,
    /// The place of the last one.
    pub cursor: Option<Cursor>,
    /// What it cost.
    pub cost: Cost,
    /// Whether it is all. An answer that the receiver broke off is complete as far as it went.
    pub completeness: Completeness,
}

/// What is new in a logspace.
#[derive(Clone, Debug)]
pub struct RowsAfter {
    /// The rows that match, in the order of their numbers.
    pub rows: Vec<FoundRow>,
    /// The last number that has been looked at: where to go on.
    pub last: RecordNumber,
    /// Whether the snapshot has been looked through to its end.
    pub is_at_end: bool,
    /// What it cost.
    pub cost: Cost,
    /// Whether everything up to `last` could be read.
    pub completeness: Completeness,
}

/// The first rows that match, in the order wanted.
pub fn search(scope: &Scope, query: &Query, options: &SearchOptions, cancel: &Cancel) -> Search {
    search_within(SEARCH_BYTES_MAX, scope, query, options, cancel)
}

/// The same with another bound on the bytes gathered.
pub(crate) fn search_within(
    bytes_max: usize,
    scope: &Scope,
    query: &Query,
    options: &SearchOptions,
    cancel: &Cancel,
) -> Search {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let limit = options.limit.min(SEARCH_ROWS_MAX);
    let cursor = options.cursor.as_ref();
    let mut merge = Ordered::new(scope, query, options.order, cursor, Some(limit));
    let mut rows = Vec::new();
    let mut bytes = 0;
    let mut cursor = options.cursor.clone();
    let mut is_finished = false;
    while rows.len() < limit && bytes < bytes_max {
        let Some((place, hit)) = merge.next(&mut run) else {
            is_finished = !run.is_stopped();
            break;
        };
        let id = RecordId {
            logspace: place.logspace.clone(),
            number: place.number,
        };
        let Some(row) = FoundRow::new(id, hit.holder, hit.index) else {
            continue;
        };
        let own = row.record().bytes().len();
        if !cancel.take(FOUND_ROW_BYTES + FOUND_ROW_COPIES * own) {
            break;
        }
        bytes += own;
        rows.push(row);
        cursor = Some(place.to_cursor(scope.time));
    }
    if is_finished || merge.is_at_end() {
        cursor = None;
    }
    let (cost, completeness) = run.finish();
    Search {
        rows,
        cursor,
        cost,
        completeness,
    }
}

/// Hands every row that matches to `visit`, in the order wanted, until it breaks off. Takes no
/// more memory for many rows than for few.
pub fn search_each(
    scope: &Scope,
    query: &Query,
    order: Order,
    cancel: &Cancel,
    visit: &mut dyn FnMut(RowRef<'_>) -> ControlFlow<()>,
) -> Each {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let mut merge = Ordered::new(scope, query, order, None, None);
    let mut rows = 0;
    let mut last = None;
    while let Some((place, hit)) = merge.next(&mut run) {
        let Some(record) = hit.holder.batch().get(hit.index) else {
            continue;
        };
        rows += 1;
        last = Some(place);
        if visit(RowRef {
            logspace: place.logspace,
            number: place.number,
            record,
        })
        .is_break()
        {
            break;
        }
    }
    let (cost, completeness) = run.finish();
    Each {
        rows,
        cursor: last.map(|place| place.to_cursor(scope.time)),
        cost,
        completeness,
    }
}

/// The record of that name; `None` where none of the logspaces has it.
///
/// # Errors
/// When the page it stands in cannot be read.
pub fn record(snapshots: &[Snapshot], id: &RecordId) -> Result<Option<FoundRow>, ReadError> {
    for snapshot in snapshots
        .iter()
        .filter(|snapshot| snapshot.logspace == id.logspace)
    {
        let behind = snapshot
            .parts
            .partition_point(|part| part.first_number() <= id.number);
        let Some(part) = behind
            .checked_sub(1)
            .and_then(|index| snapshot.parts.get(index))
        else {
            continue;
        };
        let row = u32::try_from(id.number.0 - part.first_number().0).unwrap_or(u32::MAX);
        if row < part.rows() {
            let (block, error) = block(part, &[with_ordinal(part, row)?]);
            if let Some(error) = error {
                return Err(error);
            }
            let index = block.index(row);
            return Ok(index.and_then(|index| FoundRow::new(id.clone(), block.holder, index)));
        }
    }
    Ok(None)
}

/// The first rows that match of those with greater numbers than `after`, in the order of their
/// numbers: what a live tail shows next.
pub fn rows_after(
    snapshot: &Snapshot,
    after: RecordNumber,
    query: &Query,
    limit: usize,
    cancel: &Cancel,
) -> RowsAfter {
    let mut run = Run::new(std::slice::from_ref(snapshot), query, cancel);
    let mut rows = Vec::new();
    let mut last = after;
    let mut is_at_end = true;
    'parts: for part in &snapshot.parts {
        let first = part.first_number().0;
        let end = first + u64::from(part.rows());
        if end <= after.0.saturating_add(1) {
            continue;
        }
        let skipped = after.0.saturating_add(1).saturating_sub(first);
        let range = u32::try_from(skipped).unwrap_or(u32::MAX)..part.rows();
        let order = Order::OldestFirst;
        let mut walk = Walk::new(&mut run, &snapshot.logspace, part, range, order, true);
        loop {
            if rows.len() >= limit || run.is_stopped() {
                is_at_end = false;
                break 'parts;
            }
            let Some(hit) = walk.next(&mut run) else {
                break;
            };
            last = hit.number;
            rows.extend(found(&snapshot.logspace, hit));
        }
        if run.is_stopped() {
            is_at_end = false;
            break;
        }
        last = RecordNumber(end - 1);
    }
    let (cost, completeness) = run.finish();
    RowsAfter {
        rows,
        last,
        is_at_end,
        cost,
        completeness,
    }
}

fn found(logspace: &model::LogspaceName, hit: Hit) -> Option<FoundRow> {
    let id = RecordId {
        logspace: logspace.clone(),
        number: hit.number,
    };
    FoundRow::new(id, hit.holder, hit.index)
}
