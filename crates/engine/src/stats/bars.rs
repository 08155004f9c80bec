//! The values of a part of the records that match, in each of many equal stretches of time.

use std::sync::Mutex;

use model::{LogspaceName, Timestamp};
use query::Query;
use store::Part;

use super::counting::Counting;
use super::tally::Tally;
use super::{StatsField, ValueCount};
use crate::answer::{Completeness, Cost};
use crate::cancel::Cancel;
use crate::histogram::edges;
use crate::limits::{STATS_BYTES_MAX, STATS_SHARED_BYTES_MAX};
use crate::parallel::{each_part, unlocked};
use crate::part::row_at;
use crate::resolve::resolve_within;
use crate::run::Run;
use crate::scope::Scope;

/// How many records have each value, bar by bar.
pub(crate) struct BarsBy {
    /// Where a bar starts, and the values of its records: of each bar the most frequent first, equally frequent
    /// ones in the order of their bytes. Bars without records are left out.
    pub(crate) values: Vec<(Timestamp, ValueCount)>,
    /// How many records match, with a value or without.
    pub(crate) total: u64,
    pub(crate) cost: Cost,
    pub(crate) completeness: Completeness,
}

/// Cuts the range of the scope into bars by the time of receipt, and counts the records that match by a part of
/// them; the first `limit` values. Empty values do not count.
pub(crate) fn bars_by(
    scope: &Scope,
    query: &Query,
    (by, bars): (&StatsField, usize),
    limit: usize,
    cancel: &Cancel,
) -> BarsBy {
    let mut run = Run::new(&scope.snapshots, query, cancel);
    let edges = edges(scope.range, bars);
    let tally = Mutex::new(Tally::new(cancel, STATS_SHARED_BYTES_MAX));
    let start = || (0, Counting::new(&tally, by));
    let add = |run: &mut Run<'_>, own: &mut (u64, Counting<'_>), place: (&LogspaceName, &Part)| {
        let (total, counting) = own;
        *total += add_part(run, scope, place, &edges, counting);
    };
    let parts = scope
        .parts()
        .map(|(snapshot, part)| (&snapshot.logspace, part));
    let accounts = each_part(&mut run, query, parts.collect(), start, add);
    let total = accounts.iter().map(|(total, _)| total).sum();
    drop(accounts);
    let tally = unlocked(tally);
    if tally.is_full() {
        run.left_out(format!(
            "more different values than fit into {STATS_BYTES_MAX} bytes"
        ));
    }
    let values = first_of(&tally, &edges, limit, cancel);
    let (cost, completeness) = run.finish();
    BarsBy {
        values,
        total,
        cost,
        completeness,
    }
}

/// Counts the rows of a part that match, in each of the bars that it has rows of; how many match.
fn add_part(
    run: &mut Run<'_>,
    scope: &Scope,
    (logspace, part): (&LogspaceName, &Part),
    edges: &[Timestamp],
    counting: &mut Counting<'_>,
) -> u64 {
    let set = resolve_within(run, part, scope.when());
    let len = set.len(part.rows());
    if len == 0 {
        return 0;
    }
    let (first, last) = (part.first_received(), part.last_received());
    let bars = (0_u32..).zip(edges.windows(2));
    for (number, bar) in bars {
        let &[start, end] = bar else { continue };
        if end <= first || last < start {
            continue;
        }
        counting.turn_to(&number.to_be_bytes());
        if start <= first && last < end {
            counting.add_part(run, (logspace, part), &set, true);
            continue;
        }
        match (row_at(part, start), row_at(part, end)) {
            (Ok(from), Ok(until)) => {
                let own = set.clone().and(run.ordinals_of(part, &(from..until)));
                counting.add_part(run, (logspace, part), &own, false);
            }
            (Err(error), _) | (_, Err(error)) => run.missed(&error),
        }
    }
    len
}

/// The first of all values, bar by bar, as far as there is memory for them.
fn first_of(
    tally: &Tally,
    edges: &[Timestamp],
    limit: usize,
    cancel: &Cancel,
) -> Vec<(Timestamp, ValueCount)> {
    if !cancel.take(tally.len() * size_of::<(Timestamp, u64, &[u8])>()) {
        return Vec::new();
    }
    let split = |(key, count): (_, u64)| {
        let (bar, value): (&[u8; 4], &[u8]) = <[u8]>::split_first_chunk(key)?;
        let start = edges.get(u32::from_be_bytes(*bar) as usize)?;
        Some((*start, std::cmp::Reverse(count), value))
    };
    let mut values: Vec<_> = tally.iter().filter_map(split).collect();
    values.sort_unstable();
    values.truncate(limit);
    let own = values.into_iter();
    let own = own.take_while(|(_, _, value)| {
        cancel.take(size_of::<(Timestamp, ValueCount)>() + value.len())
    });
    let own = own.map(|(start, count, value)| {
        let value = String::from_utf8_lossy(value).into_owned();
        let count = count.0;
        (start, ValueCount { value, count })
    });
    own.collect()
}
