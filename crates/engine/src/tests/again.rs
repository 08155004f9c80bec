//! Questions that are asked again.

use std::sync::Arc;

use model::LogspaceName;
use query::{Query, Tokens, parse};
use store::{Options, RealDisk, Store, SystemClock};

use crate::testing::{self, DAY, Sample, batch};
use crate::{
    Cancel, Fields, Scope, SearchOptions, StatsField, count, fields, histogram, search, stats,
};

const SEGMENTS: usize = 5;

/// Records of some segments; every fourth has `a-fizz-b`, every other of those alone.
fn scope(directory: &tempfile::TempDir) -> Scope {
    let store = testing::open(directory.path(), 1_000);
    for segment in 0..SEGMENTS {
        let sample = |index: usize| Sample {
            received: 1_790_000_000_000_000_000 + segment as i64 * DAY + index as i64,
            host: format!("web-{}", index % 3),
            message: match index % 4 {
                0 => format!("{index} a-fizz-b {segment}").into_bytes(),
                2 => format!("{index} a-fizz {segment}").into_bytes(),
                _ => format!("{index} none").into_bytes(),
            },
            ..Sample::default()
        };
        let samples: Vec<Sample> = (0..100).map(sample).collect();
        store
            .import(&LogspaceName::main(), batch(&samples))
            .expect("imported");
    }
    drop(store);
    let store = testing::open(directory.path(), 1_000);
    Scope::new(testing::snapshots(&store))
}

/// Where rows are found too fast, or are too many, to be remembered themselves.
#[test]
fn counts_of_rows_that_are_not_remembered_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    for text in ["severity:0 OR facility:23", "severity:0 AND facility:23"] {
        let query = query(text, Tokens::Words);
        let first = count(&scope, &query, &never);
        assert_eq!(first.cost.segments_remembered, 0, "{text}");
        let again = count(&scope, &query, &never);
        assert_eq!(again.count, first.count, "{text}");
        assert_eq!(again.cost.segments_remembered, SEGMENTS, "{text}");
    }
}

/// Those of a part of the time are remembered though the rows of the part are not.
#[test]
fn bars_counted_again_look_at_no_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    scope.range.start = scope.range.start.plus_nanos(20);
    scope.range.end = scope.range.start.plus_nanos(60);
    let never = Cancel::new();
    for (text, in_each) in [
        ("/fi+zz-b/", [5, 5, 5]),
        ("NOT /fi+zz-b/", [15, 15, 15]),
        ("severity:0", [20, 20, 20]),
    ] {
        let query = query(text, Tokens::Words);
        let ask = || histogram(&scope, &query, 3, &never);
        let counts = |bars: &crate::Histogram| bars.bars.iter().map(|bar| bar.count).collect();
        let (first, again) = (ask(), ask());
        for found in [&first, &again] {
            let found: Vec<u64> = counts(found);
            assert_eq!(found, in_each, "{text}");
        }
        assert_eq!(first.cost.segments_remembered, 0, "{text}");
        assert_eq!(again.cost.segments_remembered, 1, "{text}");
        assert_eq!(again.cost.rows_verified, 0, "{text}");
    }
}

/// Bars of words are counted by the index, a word that stands in two texts by columns as well: once.
#[test]
fn bars_of_words_are_remembered() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    let sample = |index: usize| Sample {
        received: 1_790_000_000_000_000_000 + index as i64,
        message: match index % 3 {
            0 => format!("{index} a-fizz").into_bytes(),
            _ => format!("{index} none").into_bytes(),
        },
        structured_data: match index % 4 {
            0 => "[a@1 b=\"fizz\"]".to_owned(),
            _ => String::new(),
        },
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..600).map(sample).collect();
    store
        .import(&LogspaceName::main(), batch(&samples))
        .expect("imported");
    drop(store);
    let store = testing::open(directory.path(), 1_000);
    let mut scope = Scope::new(testing::snapshots(&store));
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    for (text, in_each) in [
        ("fizz", 60),
        ("NOT fizz", 60),
        ("message:fizz", 40),
        ("NOT message:none", 40),
    ] {
        let query = query(text, Tokens::Words);
        let first = histogram(&scope, &query, 5, &never);
        let counts = |bars: &crate::Histogram| -> Vec<u64> {
            bars.bars.iter().map(|bar| bar.count).collect()
        };
        assert_eq!(counts(&first), [in_each; 5], "{text}");
        assert_eq!(first.cost.segments_remembered, 0, "{text}");
        let again = histogram(&scope, &query, 5, &never);
        assert_eq!(counts(&again), counts(&first), "{text}");
        assert_eq!(again.cost.segments_remembered, 1, "{text}");
    }
}

fn query(text: &str, tokens: Tokens) -> Query {
    let query = parse(text).into_result().expect("valid");
    query.bounded_by(tokens)
}

#[test]
fn a_question_asked_again_looks_at_no_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    let by_records = ["/fi+zz-b/", "*izz AND NOT /none/", "NOT \"a-fizz-b\""];
    // Found by the index alone, in few rows of several words.
    let by_index = ["fizz AND b", "b OR none", "NOT (b OR none)", "fi*"];
    for text in by_records.into_iter().chain(by_index) {
        let query = query(text, Tokens::Words);
        let first = count(&scope, &query, &never);
        assert_eq!(first.cost.segments_remembered, 0, "{text}");
        let again = count(&scope, &query, &never);
        assert_eq!(again.count, first.count);
        assert_eq!(again.cost.segments_remembered, SEGMENTS);
        assert_eq!((again.cost.rows_verified, again.cost.bytes_read), (0, 0));
        let bars = histogram(&scope, &query, 3, &never);
        assert_eq!(bars.total, first.count);
        assert_eq!(bars.cost.segments_remembered, SEGMENTS);
        let options = SearchOptions {
            limit: 1_000,
            ..SearchOptions::default()
        };
        let rows = search(&scope, &query, &options, &never);
        assert_eq!(rows.rows.len() as u64, first.count);
        assert_eq!(rows.cost.segments_remembered, SEGMENTS);
        assert_eq!(rows.cost.rows_verified, 0);
    }
}

#[test]
fn values_counted_again_are_not_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    for (text, field) in [("a", "host"), ("/fi+zz-b/", "host"), ("*", "source")] {
        let query = query(text, Tokens::Words);
        let by = StatsField::parse(field).expect("a field");
        let first = stats(scope.clone(), &query, &by, 10, &never);
        assert_eq!(first.cost.segments_remembered, 0, "{text} by {field}");
        let again = stats(scope.clone(), &query, &by, 10, &never);
        assert_eq!((&again.values, again.total), (&first.values, first.total));
        assert_eq!(again.cost.segments_remembered, SEGMENTS);
        assert_eq!((again.cost.rows_verified, again.cost.bytes_read), (0, 0));
        // By another field, or of fewer rows, it is another question.
        let other = stats(scope.clone(), &query, &StatsField::Peer, 10, &never);
        assert_eq!(other.total, first.total);
        let mut part = scope.clone();
        part.range.end = part.range.start.plus_nanos(4_050);
        let fewer = stats(part, &query, &by, 10, &never);
        let counts = fewer.values.iter().map(|each| each.count);
        assert_eq!(counts.sum::<u64>(), fewer.total, "{text} by {field}");
        assert!(fewer.total < first.total);
    }
}

#[test]
fn names_counted_again_are_not_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    for text in ["*", "a", "/fi+zz-b/"] {
        let query = query(text, Tokens::Words);
        let first = fields(scope.clone(), &query, &never);
        assert_eq!(first.cost.segments_remembered, 0, "{text}");
        let again = fields(scope.clone(), &query, &never);
        assert_eq!(again.fields, first.fields, "{text}");
        assert_eq!(again.cost.segments_remembered, SEGMENTS);
        assert_eq!((again.cost.rows_verified, again.cost.bytes_read), (0, 0));
        // Of fewer rows, it is another question.
        let mut part = scope.clone();
        part.range.end = part.range.start.plus_nanos(4_050);
        let fewer = fields(part, &query, &never);
        let hosts = |found: &Fields| {
            let mut fields = found.fields.iter();
            fields
                .find(|field| field.name == "host")
                .map(|field| field.count)
        };
        assert!(hosts(&fewer) < hosts(&first), "{text}");
    }
}

#[test]
fn hosts_of_all_records_are_counted_without_their_columns() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = scope(&directory);
    scope.range = scope.stored_range().expect("records");
    let never = Cancel::new();
    let ask = |text| {
        let query = query(text, Tokens::Words);
        stats(scope.clone(), &query, &StatsField::Host, 10, &never)
    };
    let all = ask("*");
    let counts = all.values.iter();
    let counts: Vec<_> = counts
        .map(|each| (each.value.as_str(), each.count))
        .collect();
    let times = SEGMENTS as u64;
    let expected = [
        ("web-0", 34 * times),
        ("web-1", 33 * times),
        ("web-2", 33 * times),
    ];
    assert_eq!(counts, expected);
    assert_eq!((all.total, all.distinct), (100 * times, 3));
    // The same by columns, which have to be read.
    let by_columns = ask("a OR none OR nowhere");
    assert_eq!(by_columns.values, all.values);
    assert!(by_columns.cost.bytes_read > all.cost.bytes_read);
}

#[test]
fn what_was_found_stays_while_pages_come_and_go() {
    let directory = tempfile::tempdir().expect("a directory");
    let sample = |index: usize| Sample {
        received: 1_790_000_000_000_000_000 + (index / 100) as i64 * DAY + index as i64,
        message: format!("{} {}", index % 10, format!("{index}x").repeat(2_000)).into_bytes(),
        ..Sample::default()
    };
    let options = Options {
        // Pages get a quarter of it, a fraction of what a question about all messages reads.
        memory_bytes: 4 << 20,
        ..Options::new(directory.path())
    };
    let store = Store::open(options, Arc::new(RealDisk), Arc::new(SystemClock)).expect("opens");
    let main = LogspaceName::main();
    store.create_logspace(&main).expect("created");
    for segment in 0..SEGMENTS {
        let samples: Vec<Sample> = (100 * segment..100 * (segment + 1)).map(sample).collect();
        store.import(&main, batch(&samples)).expect("imported");
    }
    let scope = Scope::new(vec![store.snapshot(&main).expect("there")]);
    let never = Cancel::new();
    let query = |text| query(text, Tokens::Words);
    let first = count(&scope, &query("/^3 .*x$/"), &never);
    assert_eq!(first.count, 50);
    let read = count(&scope, &query("/^[45] .*y$/"), &never)
        .cost
        .bytes_read;
    assert!(read > 0, "pages did not fit");
    let again = count(&scope, &query("/^3 .*x$/"), &never);
    assert_eq!(again.count, 50);
    assert_eq!(again.cost.segments_remembered, SEGMENTS);
}

#[test]
fn the_same_text_with_other_tokens_is_another_question() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(&directory);
    let never = Cancel::new();
    // Each finds its own, also where the other was asked before.
    for _ in 0..2 {
        let words = count(&scope, &query("*fizz", Tokens::Words), &never);
        assert_eq!(words.count, 250);
        let between = Tokens::parse("ssb").expect("a rule");
        let whole = count(&scope, &query("*fizz", between), &never);
        assert_eq!(whole.count, 125);
    }
}

#[test]
fn an_answer_that_was_stopped_is_not_remembered() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = scope(&directory);
    let query = query("/fi+zz-b/", Tokens::Words);
    let stopped = Cancel::new();
    stopped.cancel();
    assert!(!count(&scope, &query, &stopped).completeness.is_complete());
    let found = count(&scope, &query, &Cancel::new());
    assert_eq!((found.count, found.cost.segments_remembered), (125, 0));
}
