//! Lists of records: the newest that match, or those that come first in another order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use model::{LogspaceName, RecordNumber, Timestamp};
use query::{Column, FieldName, Question, Stage, Table, Value, default_columns};

use crate::cancel::{Cancel, Stop};
use crate::limits::{TABLE_BYTES_MAX, TABLE_VALUE_BYTES};
use crate::parallel::{locked, unlocked};
use crate::question::Start;
use crate::question::groups::row_bytes;
use crate::question::records::Records;
use crate::question::values::cell;
use crate::rows::RowRef;
use crate::run::Run;
use crate::scope::Scope;
use crate::search::{Order, search_each};
use crate::time_kind::TimeKind;

/// The records that the first `head` leaves, or `wanted` of them: in the order of the sorts before
/// it, else the newest first. All stages are still to be done, to no harm where they are done
/// already: the rows are in that order, and there are no more of them.
pub(super) fn list(scope: &Scope, question: &Question, wanted: usize, cancel: &Cancel) -> Start {
    let head = question.stages.iter().find_map(|stage| match stage {
        Stage::Head(rows) => Some(*rows),
        _ => None,
    });
    let limit = head.unwrap_or(wanted);
    let before_head = question
        .stages
        .iter()
        .take_while(|stage| !matches!(stage, Stage::Head(_)));
    let mut sorts: Vec<Sort<'_>> = before_head.filter_map(Sort::of).collect();
    // The last one counts most.
    sorts.reverse();
    let columns = columns(question);
    if sorts.is_empty() {
        newest(scope, question, columns, limit, cancel)
    } else {
        sorted(scope, question, columns, &sorts, limit, cancel)
    }
}

/// Every column that the stages name, or the usual ones and those that are sorted by.
fn columns(question: &Question) -> Vec<Column> {
    let fields = question.stages.iter().find_map(|stage| match stage {
        Stage::Fields(columns) => Some(columns.clone()),
        _ => None,
    });
    let mut columns = fields.unwrap_or_else(default_columns);
    let sorts = question.stages.iter().filter_map(|stage| match stage {
        Stage::Sort { column, .. } => Some(column.clone()),
        _ => None,
    });
    columns.extend(sorts);
    columns
}

fn newest(
    scope: &Scope,
    question: &Question,
    columns: Vec<Column>,
    limit: usize,
    cancel: &Cancel,
) -> Start {
    let mut rows = Vec::new();
    let (mut bytes, mut has_memory) = (0, true);
    let each = search_each(
        scope,
        &question.query,
        Order::NewestFirst,
        cancel,
        &mut |row| {
            let cells = cells(&columns, row);
            let own = row_bytes(&cells);
            bytes += own;
            has_memory = cancel.take(own);
            if bytes > TABLE_BYTES_MAX || !has_memory {
                return ControlFlow::Break(());
            }
            rows.push(cells);
            if rows.len() < limit {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
    );
    let mut completeness = each.completeness;
    if bytes > TABLE_BYTES_MAX {
        completeness.miss(too_large);
    }
    if !has_memory {
        completeness.miss(|| Stop::Memory.to_string());
    }
    Start {
        table: Table { columns, rows },
        matched: None,
        cost: each.cost,
        completeness,
    }
}

fn sorted(
    scope: &Scope,
    question: &Question,
    columns: Vec<Column>,
    sorts: &[Sort<'_>],
    limit: usize,
    cancel: &Cancel,
) -> Start {
    let mut run = Run::new(&scope.snapshots, &question.query, cancel);
    let first = Mutex::new(First::new(limit, cancel));
    let mut records = Records {
        run: &mut run,
        scope,
        query: &question.query,
        matched: 0,
    };
    records.each(
        &[],
        || (),
        |(), rows| {
            let places = rows.iter().map(|row| Place::of(sorts, scope.time, *row));
            let places: Vec<Place> = places.collect();
            let mut first = locked(&first);
            for (place, row) in places.into_iter().zip(rows) {
                if first.has_room_for(&place) {
                    first.add(place, cells(&columns, *row));
                }
            }
        },
    );
    let matched = records.matched;
    let first = unlocked(first);
    if first.is_full {
        run.left_out(too_large());
    }
    let (cost, completeness) = run.finish();
    Start {
        table: Table {
            columns,
            rows: first.into_rows(),
        },
        matched: Some(matched),
        cost,
        completeness,
    }
}

fn too_large() -> String {
    format!("more rows than fit into {TABLE_BYTES_MAX} bytes")
}

fn cells(columns: &[Column], row: RowRef<'_>) -> Vec<Value> {
    let value = |column: &Column| match column {
        Column::Field(field) => cell(field, row),
        // Nothing is computed in a list.
        _ => Value::Missing,
    };
    columns.iter().map(value).collect()
}

/// One order among others.
#[derive(Clone, Copy)]
struct Sort<'a> {
    field: &'a FieldName,
    is_descending: bool,
}

impl<'a> Sort<'a> {
    fn of(stage: &'a Stage) -> Option<Self> {
        match stage {
            Stage::Sort {
                column: Column::Field(field),
                is_descending,
            } => Some(Self {
                field,
                is_descending: *is_descending,
            }),
            _ => None,
        }
    }
}

/// The place of a record in the order asked for; equal ones stand the newest first.
struct Place {
    keys: Vec<(Value, bool)>,
    at: Timestamp,
    logspace: LogspaceName,
    number: RecordNumber,
}

impl Place {
    fn of(sorts: &[Sort<'_>], time: TimeKind, row: RowRef<'_>) -> Self {
        let keys = sorts.iter();
        Self {
            keys: keys
                .map(|sort| (cell(sort.field, row), sort.is_descending))
                .collect(),
            at: time.of(row.record),
            logspace: row.logspace.clone(),
            number: row.number,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let keys = self.keys.iter().zip(&other.keys);
        let by_keys = keys.map(|((one, is_descending), (two, _))| one.compare(two, *is_descending));
        let by_keys = by_keys.fold(Ordering::Equal, Ordering::then);
        by_keys.then_with(|| other.compare_age(self))
    }

    /// The older one comes first.
    fn compare_age(&self, other: &Self) -> Ordering {
        let name = (self.at, &self.logspace, self.number);
        name.cmp(&(other.at, &other.logspace, other.number))
    }

    fn bytes(&self) -> usize {
        let keys = self.keys.iter();
        let bytes = keys.map(|(value, _)| TABLE_VALUE_BYTES + value.heap_bytes());
        size_of::<Self>() + bytes.sum::<usize>()
    }
}

/// A row and its place; the greatest is the one that comes last.
struct Placed {
    place: Place,
    cells: Vec<Value>,
}

impl Placed {
    fn bytes(&self) -> usize {
        self.place.bytes() + row_bytes(&self.cells)
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Placed {}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Placed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place.compare(&other.place)
    }
}

/// The rows that come first of all that were seen.
struct First<'c> {
    rows: BinaryHeap<Placed>,
    limit: usize,
    bytes: usize,
    cancel: &'c Cancel,
    /// The most bytes that there were so far, which count until the answer is sent.
    taken: usize,
    /// Whether rows were left out that the limit would have let in.
    is_full: bool,
}

impl<'c> First<'c> {
    fn new(limit: usize, cancel: &'c Cancel) -> Self {
        Self {
            rows: BinaryHeap::new(),
            limit,
            bytes: 0,
            cancel,
            taken: 0,
            is_full: false,
        }
    }

    fn has_room_for(&self, place: &Place) -> bool {
        let is_before = |last: &Placed| place.compare(&last.place).is_lt();
        (self.rows.len() < self.limit && !self.is_full) || self.rows.peek().is_some_and(is_before)
    }

    fn add(&mut self, place: Place, cells: Vec<Value>) {
        let row = Placed { place, cells };
        self.bytes += row.bytes();
        let more = self.bytes.saturating_sub(self.taken);
        if more > 0 && !self.cancel.take(more) {
            // The question is stopped, and says so.
            self.bytes -= row.bytes();
            return;
        }
        self.taken += more;
        self.rows.push(row);
        while self.rows.len() > self.limit || self.bytes > TABLE_BYTES_MAX {
            self.is_full |= self.rows.len() <= self.limit;
            let Some(last) = self.rows.pop() else { break };
            self.bytes -= last.bytes();
        }
    }

    fn into_rows(self) -> Vec<Vec<Value>> {
        let rows = self.rows.into_sorted_vec();
        rows.into_iter().map(|row| row.cells).collect()
    }
}
