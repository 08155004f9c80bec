//! Records of several chunks whose kinds take turns, so that ordinals and rows differ everywhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{LogspaceName, TimeRange, Timestamp};
use query::parse;
use store::{Options, RealDisk, Store, SystemClock};

use crate::testing::{self, Sample, batch};
use crate::{Cancel, Order, Scope, SearchOptions, StatsField, count, histogram, search, stats};

/// More than a chunk of 262,144.
const RECORDS: i64 = 280_000;
const START: i64 = 1_790_000_000_000_000_000;

/// Different in the records of a kind.
fn host(index: i64) -> String {
    format!("web-{:03}", index % 83)
}

/// The same in the records of a kind.
fn program(index: i64) -> String {
    ["login", "lamps", "disks"][index as usize % 3].to_owned()
}

fn sample(index: i64) -> Sample {
    Sample {
        received: START + index,
        host: host(index),
        program: program(index),
        message: match index % 3 {
            0 => format!("session {index} opened by user-{}", index % 50),
            1 => format!(
                "lamp {} is {}",
                index % 7,
                ["on", "off"][index as usize % 2]
            ),
            _ => format!("disk {} has {index} blocks", index % 11),
        }
        .into_bytes(),
        ..Sample::default()
    }
}

/// A question, and whether the record of an index matches.
type Asked = (&'static str, fn(i64) -> bool);

/// A part, and its value in the record of an index.
type Counted = (StatsField, fn(i64) -> String);

/// Questions that the index answers, that columns do, and both.
fn questions() -> Vec<Asked> {
    vec![
        ("*", |_| true),
        ("session", |index| index % 3 == 0),
        ("off", |index| index % 3 == 1 && index % 2 == 1),
        ("NOT lamp", |index| index % 3 != 1),
        ("session OR off", |index| {
            index % 3 == 0 || (index % 3 == 1 && index % 2 == 1)
        }),
        ("\"is off\" AND \"lamp 3\"", |index| {
            index % 3 == 1 && index % 2 == 1 && index % 7 == 3
        }),
        ("/user-4[0-9]/", |index| index % 3 == 0 && index % 50 >= 40),
        ("NOT /user-4[0-9]/", |index| {
            index % 3 != 0 || index % 50 < 40
        }),
        ("38 AND blocks", |index| index == 38),
    ]
}

#[test]
fn any_range_of_several_chunks_is_answered_exactly() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    let samples: Vec<Sample> = (0..RECORDS).map(sample).collect();
    let main = LogspaceName::main();
    store.import(&main, batch(&samples)).expect("imported");
    drop(store);
    // With room for all columns, and with room for a few pages.
    for memory_bytes in [512 << 20, 1 << 20] {
        let options = Options {
            memory_bytes,
            ..Options::new(directory.path())
        };
        let (disk, clock) = (Arc::new(RealDisk), Arc::new(SystemClock));
        let store = Store::open_read_only(options, disk, clock).expect("opens");
        ask_all(Scope::new(testing::snapshots(&store)));
    }
}

/// Asks all questions of several ranges.
fn ask_all(mut scope: Scope) {
    let never = Cancel::new();
    let ranges = [(0, RECORDS), (0, 5), (9_007, 57_000), (16_384, 65_536)];
    let others = [(262_000, 263_000), (229_999, 279_001), (262_144, RECORDS)];
    for (start, end) in ranges.into_iter().chain(others) {
        scope.range = TimeRange {
            start: Timestamp::from_nanos(START + start),
            end: Timestamp::from_nanos(START + end),
        };
        for (text, matches) in questions() {
            let query = parse(text).into_result().expect("valid");
            let expected: Vec<i64> = (start..end).filter(|index| matches(*index)).collect();
            let what = format!("{text} from {start} to {end}");
            let found = count(&scope, &query, &never);
            assert_eq!(found.count, expected.len() as u64, "{what}");
            let found = histogram(&scope, &query, 7, &never);
            for (place, bar) in found.bars.iter().enumerate() {
                let next = found.bars.get(place + 1).map(|next| next.start);
                let until = next.unwrap_or(scope.range.end).nanos();
                let inside = bar.start.nanos()..until;
                let own = expected
                    .iter()
                    .filter(|index| inside.contains(&(START + **index)));
                assert_eq!(bar.count, own.count() as u64, "{what}, bar {place}");
            }
            let parts: [Counted; 2] = [(StatsField::Program, program), (StatsField::Host, host)];
            for (by, value) in parts {
                let found = stats(scope.clone(), &query, &by, usize::MAX, &never);
                let mut counts = BTreeMap::new();
                for index in &expected {
                    *counts.entry(value(*index)).or_insert(0) += 1;
                }
                let found = found
                    .values
                    .into_iter()
                    .map(|each| (each.value, each.count));
                assert_eq!(
                    found.collect::<BTreeMap<_, _>>(),
                    counts,
                    "{what} by {by:?}"
                );
            }
            for order in [Order::NewestFirst, Order::OldestFirst] {
                // Once from one row metadata page into the next, from either end.
                let limit = if start == 9_007 { 10_000 } else { 700 };
                let options = SearchOptions {
                    limit,
                    order,
                    ..SearchOptions::default()
                };
                let rows = search(&scope, &query, &options, &never).rows;
                let mut first = expected.clone();
                if order == Order::NewestFirst {
                    first.reverse();
                }
                first.truncate(limit);
                let numbers = rows.iter().map(|row| row.id.number.0 as i64 - 1);
                assert!(numbers.eq(first), "{what}");
            }
        }
    }
}
