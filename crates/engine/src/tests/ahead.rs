//! Rows that are few in many segments, which are looked into several at a time.

use model::LogspaceName;
use query::{Query, parse};

use crate::testing::{self, DAY, Sample, batch};
use crate::{Cancel, Order, Scope, SearchOptions, search};

fn query(text: &str) -> Query {
    parse(text).into_result().expect("valid")
}

const SEGMENTS: u64 = 40;

/// Segments of three rows, of which the second of every segment but each fourth has a word.
fn stored(directory: &std::path::Path) -> (Scope, Vec<u64>) {
    let store = testing::open(directory, 1_000);
    let mut expected = Vec::new();
    for segment in 0..SEGMENTS {
        let has_word = |row: u64| row == 1 && segment % 4 != 3;
        let rows: Vec<Sample> = (0..3)
            .map(|row: u64| Sample {
                received: segment.cast_signed() * DAY + row.cast_signed(),
                message: if has_word(row) {
                    b"zircon"
                } else {
                    &b"others"[..]
                }
                .to_vec(),
                ..Sample::default()
            })
            .collect();
        store
            .import(&LogspaceName::main(), batch(&rows))
            .expect("imported");
        let rows = (0..3).filter(|row| has_word(*row));
        expected.extend(rows.map(|row| segment * 3 + row + 1));
    }
    drop(store);
    let store = testing::open(directory, 1_000);
    (Scope::new(testing::snapshots(&store)), expected)
}

#[test]
fn they_come_in_order_page_by_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let (scope, expected) = stored(directory.path());
    for order in [Order::OldestFirst, Order::NewestFirst] {
        for limit in [1, 7, 29, 200] {
            let mut options = SearchOptions {
                limit,
                order,
                ..SearchOptions::default()
            };
            let mut numbers: Vec<u64> = Vec::new();
            loop {
                let found = search(&scope, &query("zircon"), &options, &Cancel::new());
                assert!(found.completeness.is_complete());
                assert!(found.rows.len() <= limit);
                numbers.extend(found.rows.iter().map(|row| row.id.number.0));
                options.cursor = found.cursor;
                if options.cursor.is_none() {
                    break;
                }
            }
            if order == Order::NewestFirst {
                numbers.reverse();
            }
            assert_eq!(numbers, expected, "{order:?} {limit}");
        }
    }
}

#[test]
fn no_more_segments_are_looked_into_than_it_takes() {
    let directory = tempfile::tempdir().expect("a directory");
    let (scope, expected) = stored(directory.path());
    let options = SearchOptions {
        limit: 3,
        order: Order::OldestFirst,
        ..SearchOptions::default()
    };
    let found = search(&scope, &query("zircon"), &options, &Cancel::new());
    let numbers: Vec<u64> = found.rows.iter().map(|row| row.id.number.0).collect();
    assert_eq!(numbers, expected[..3]);
    let looked_into = found.cost.segments_total - found.cost.segments_pruned;
    assert_eq!((found.cost.segments_total, looked_into), (40, 3));
}
