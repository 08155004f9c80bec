//! Names and values of fields in the newest records, for whoever types a query and cannot wait.

use std::ops::ControlFlow;

use model::words::fold;
use query::{Expr, FieldName, Leaf, Pattern, Piece, Query, Target, Test};

use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::fields::{FieldCount, Names};
use crate::limits::STATS_SHARED_BYTES_MAX;
use crate::question::groups::Groups;
use crate::question::values::each_value;
use crate::scope::Scope;
use crate::search::{Each, Order, search_each};
use crate::stats::ValueCount;

/// What the newest records have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent<T> {
    /// The names or values.
    pub found: Vec<T>,
    /// How many records were looked at.
    pub records: u64,
    /// What it cost.
    pub cost: Cost,
    /// Whether these are all records there are.
    pub completeness: Completeness,
}

/// The fields that the newest records have, as [`fields`](crate::fields()) has them.
pub fn recent_fields(scope: &Scope, records_max: u64, cancel: &Cancel) -> Recent<FieldCount> {
    let mut names = Names::within(cancel, STATS_SHARED_BYTES_MAX);
    let mut left = records_max;
    let each = search_each(
        scope,
        &Query::all(),
        Order::NewestFirst,
        cancel,
        &mut |row| {
            names.add(row.record);
            count_down(&mut left)
        },
    );
    recent(names.list(), each, left)
}

/// The values of a field that start with a text, in either case, in the newest records: the most
/// frequent first, `limit` of them.
pub fn recent_values(
    scope: &Scope,
    field: &FieldName,
    start: &str,
    limit: usize,
    records_max: u64,
    cancel: &Cancel,
) -> Recent<ValueCount> {
    let folded = fold(start.as_bytes()).into_owned();
    let mut groups: Groups<u64> = Groups::new(cancel);
    let mut left = records_max;
    let query = query_for(field, start);
    let each = search_each(scope, &query, Order::NewestFirst, cancel, &mut |row| {
        each_value(field, row, &mut |value| {
            if fold(value).starts_with(&folded) {
                groups.change(value, |count, _| {
                    *count += 1;
                    0
                });
            }
        });
        count_down(&mut left)
    });
    let mut values: Vec<(&[u8], &u64)> = groups.iter().collect();
    values.sort_unstable_by(|one, two| two.1.cmp(one.1).then_with(|| one.0.cmp(two.0)));
    values.truncate(limit);
    let values = values.iter().map(|(value, count)| ValueCount {
        value: String::from_utf8_lossy(value).into_owned(),
        count: **count,
    });
    recent(values.collect(), each, left)
}

/// The records in which a value may start so. Where an index knows the words of the field it leaves
/// the others out; otherwise looking at a record is as dear as asking a query of it.
fn query_for(field: &FieldName, start: &str) -> Query {
    let FieldName::Part(target) = field else {
        return Query::all();
    };
    let pieces = [Piece::Literal(start.as_bytes().to_vec()), Piece::AnyRun];
    match (target, Pattern::new(pieces)) {
        (Target::Peer, _) => Query::all(),
        (target, Some(pattern)) if !start.is_empty() => Query {
            root: Expr::Leaf(Leaf {
                target: target.clone(),
                test: Test::Term(pattern.folded()),
            }),
        },
        _ => Query::all(),
    }
}

fn count_down(left: &mut u64) -> ControlFlow<()> {
    *left = left.saturating_sub(1);
    if *left == 0 {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

fn recent<T>(found: Vec<T>, each: Each, left: u64) -> Recent<T> {
    let mut completeness = each.completeness;
    if left == 0 {
        completeness.miss(|| format!("only the newest {} records were looked at", each.rows));
    }
    Recent {
        found,
        records: each.rows,
        cost: each.cost,
        completeness,
    }
}
