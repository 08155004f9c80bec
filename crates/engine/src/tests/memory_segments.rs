//! Questions to records that are not sealed, before and after these have memory segments.

use std::time::{Duration, Instant};

use model::LogspaceName;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use query::{Query, parse};
use store::{Part, Store};

use super::kinds::{QUESTIONS, samples};
use crate::testing::{Sample, append, batch, list, open};
use crate::{Cancel, Scope, SearchOptions, count, search};

/// Records of the tail, which a memory segment is made of.
const RECORDS: usize = 9_000;

/// Some day in 2191, in nanoseconds.
const FAR_AHEAD: i64 = 7_000_000_000_000_000_000;

/// How long the memory segment is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

fn query(text: &str) -> Query {
    parse(text).into_result().expect("valid")
}

fn scope(store: &Store) -> Scope {
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

fn has_memory_segment(scope: &Scope) -> bool {
    let mut parts = scope.snapshots.iter().flat_map(|snapshot| &snapshot.parts);
    parts.any(|part| matches!(part, Part::Segment(_)))
}

/// The numbers of the records that match, newest first, page by page.
fn numbers(scope: &Scope, query: &Query) -> Vec<u64> {
    let (mut numbers, mut options) = (Vec::new(), SearchOptions::default());
    loop {
        let found = search(scope, query, &options, &Cancel::new());
        assert!(found.completeness.is_complete());
        assert_eq!(found.cost.bytes_read, 0, "there is nothing on the disk");
        numbers.extend(found.rows.iter().map(|row| row.id.number.0));
        options.cursor = found.cursor;
        if options.cursor.is_none() {
            return numbers;
        }
    }
}

#[test]
fn answers_are_the_same_with_memory_segments() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path(), 1_000_000);
    let mut runner = TestRunner::deterministic();
    let made = prop::collection::vec(samples(), 300);
    let mut made: Vec<Sample> = made.new_tree(&mut runner).expect("some").current();
    // Of a day that is not over: what is older is sealed after a while.
    for sample in &mut made {
        sample.received = FAR_AHEAD;
    }
    let mut stored = 0;
    while stored < RECORDS {
        append(&store, &LogspaceName::main(), batch(&made));
        stored += made.len();
    }

    let tail = scope(&store);
    assert!(!has_memory_segment(&tail));
    let before: Vec<_> = QUESTIONS
        .iter()
        .map(|text| numbers(&tail, &query(text)))
        .collect();
    // Those questions have looked at the records often enough.
    let started = Instant::now();
    let indexed = loop {
        let scope = scope(&store);
        if has_memory_segment(&scope) {
            break scope;
        }
        assert!(started.elapsed() < PATIENCE, "there is no memory segment");
        std::thread::yield_now();
    };
    for (text, before) in QUESTIONS.iter().zip(before) {
        let query = query(text);
        assert_eq!(numbers(&indexed, &query), before, "{text}");
        let expected = list(&indexed, &query).len() as u64;
        assert_eq!(before.len() as u64, expected, "{text}");
        let counted = count(&indexed, &query, &Cancel::new());
        assert_eq!(counted.count, expected, "{text}");
    }
}
