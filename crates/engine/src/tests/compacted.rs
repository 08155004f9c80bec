//! Days that are over, whose chunks have more rows than are looked at together.

use std::path::Path;

use model::{LogspaceName, TimeRange, Timestamp};
use query::Query;
use store::Store;

use crate::limits::SELECTED_ROWS;
use crate::testing::{self, Sample};
use crate::{
    Cancel, Order, Scope, SearchOptions, StatsField, TimeKind, count, histogram, search, stats,
};

const ROWS: usize = SELECTED_ROWS + 60_000;

/// When the record of a row happened: none of its neighbours do in order.
fn time_of(row: usize) -> i64 {
    1_000 + (row as i64 * 77_773) % ROWS as i64
}

fn took(row: usize) -> usize {
    row * 31 % 91
}

fn message(row: usize) -> String {
    format!("user u{} took={} of {row}", row % 997, took(row))
}

/// A store of a day in 1970, which has one chunk once it is compacted.
fn compacted(directory: &Path) -> Store {
    let sample = |row: usize| Sample {
        received: row as i64,
        time: Some(time_of(row)),
        message: message(row).into_bytes(),
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..ROWS).map(sample).collect();
    testing::compacted(directory, &samples, |segment| segment.chunks() == 1)
}

#[test]
fn large_chunks_are_asked_part_by_part() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = compacted(directory.path());
    let main = LogspaceName::main();
    let scope = Scope::new(vec![store.snapshot(&main).expect("there")]);
    ask_texts(&scope);
    count_values(scope.clone());
    ask_times(scope);
}

/// What the index does not decide is asked of all rows.
fn ask_texts(scope: &Scope) {
    type Passes = fn(usize) -> bool;
    let questions: [(&str, Passes); 3] = [
        ("/u99[0-9] took=1/", |row| {
            row % 997 >= 990 && took(row).to_string().starts_with('1')
        }),
        ("took:>=60", |row| took(row) >= 60),
        ("/=[0-9]+ of [0-9]*7$/", |row| row % 10 == 7),
    ];
    for (text, passes) in questions {
        let expected = (0..ROWS).filter(|row| passes(*row)).count() as u64;
        let counted = count(scope, &parse(text), &Cancel::new());
        assert_eq!((counted.count, expected > 0), (expected, true), "{text}");
    }
}

fn count_values(scope: Scope) {
    let by = StatsField::Named("took".to_owned());
    let found = stats(scope, &Query::all(), &by, 100, &Cancel::new());
    let mut expected = [0; 91];
    (0..ROWS).for_each(|row| expected[took(row)] += 1);
    assert_eq!(found.values.len(), expected.len());
    for own in found.values {
        let value: usize = own.value.parse().expect("a number");
        assert_eq!(own.count, expected[value], "{value}");
    }
}

/// Ranges, bars and lists by the times of senders.
fn ask_times(mut scope: Scope) {
    let (start, end) = (1_000 + ROWS as i64 / 3, 1_000 + ROWS as i64 / 2);
    scope.time = TimeKind::Event;
    scope.range = TimeRange {
        start: Timestamp::from_nanos(start),
        end: Timestamp::from_nanos(end),
    };
    let (query, cancel) = (parse("u5"), Cancel::new());
    let is_found = |row: &usize| row % 997 == 5 && (start..end).contains(&time_of(*row));
    let found = (0..ROWS).filter(is_found);
    let mut expected: Vec<(i64, usize)> = found.map(|row| (time_of(row), row)).collect();
    expected.sort_unstable();
    let counted = count(&scope, &query, &cancel);
    assert_eq!(counted.count, expected.len() as u64);

    let bars = histogram(&scope, &query, 7, &cancel).bars;
    let ends = bars.iter().skip(1).map(|bar| bar.start.nanos());
    for (bar, end) in bars.iter().zip(ends.chain([end])) {
        let own = bar.start.nanos()..end;
        let own = expected.iter().filter(|(time, _)| own.contains(time));
        assert_eq!(bar.count, own.count() as u64, "{}", bar.start.nanos());
    }

    let mut listed: Vec<String> = expected.iter().map(|(_, row)| message(*row)).collect();
    for order in [Order::OldestFirst, Order::NewestFirst] {
        let options = SearchOptions {
            limit: 20,
            order,
            ..SearchOptions::default()
        };
        let found = search(&scope, &query, &options, &cancel).rows;
        assert_eq!(found.len(), 20);
        for (found, message) in found.iter().zip(&listed) {
            let found = found.record().message();
            assert_eq!(String::from_utf8_lossy(found), *message);
        }
        listed.reverse();
    }
}

fn parse(text: &str) -> Query {
    query::parse(text).into_result().expect("valid")
}
