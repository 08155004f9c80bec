//! Damaged files, questions that are stopped, and what must not disturb an answer.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use model::{LogspaceName, RecordNumber, TimeRange};
use query::{Query, naive, parse, parse_question};
use segment::PageEntry;
use store::{Part, SegmentHandle, Snapshot, TailChunk};

use crate::testing::{self, DAY, Sample, batch};
use crate::{
    Cancel, Cursor, Order, Scope, SearchOptions, StatsField, count, fields, histogram, record,
    rows_after, search, stats, tabulate,
};

const ROWS: u64 = 90;

/// Ninety records of ten kilobytes, a second apart; every third holds `fizz`, every tenth `t3`.
fn samples() -> Vec<Sample> {
    let sample = |index: u64| Sample {
        received: 1_790_000_000_000_000_000 + index.cast_signed() * 1_000_000_000,
        message: format!(
            "{} t{} {} {}",
            index,
            index % 10,
            if index.is_multiple_of(3) {
                "fizz"
            } else {
                "none"
            },
            format!("{index}x").repeat(4_000)
        )
        .into_bytes(),
        host: "web".to_owned(),
        ..Sample::default()
    };
    (0..ROWS).map(sample).collect()
}

/// Stores the samples in one segment, damages a page of it, and opens it again.
fn damaged(directory: &Path, page: impl Fn(&SegmentHandle) -> PageEntry) -> Scope {
    let store = testing::open(directory, 1_000);
    store
        .import(&LogspaceName::main(), batch(&samples()))
        .expect("imported");
    let snapshot = store.snapshot(&LogspaceName::main()).expect("there");
    let [Part::Segment(segment)] = &snapshot.parts[..] else {
        panic!("one segment")
    };
    assert!(
        segment.footer().chunks[0].columns.len() > 3,
        "several pages"
    );
    let offset = page(segment).offset;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(segment.path())
        .expect("opens");
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset + 2).expect("read");
    file.write_all_at(&[byte[0] ^ 0x40], offset + 2)
        .expect("written");
    drop(store);
    let store = testing::open_read_only(directory);
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

#[test]
fn a_damaged_page_is_left_out_and_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = damaged(directory.path(), |segment| {
        segment.footer().chunks[0].columns[1]
    });
    let Part::Segment(segment) = &scope.snapshots[0].parts[0] else {
        panic!("a segment")
    };
    let bad = segment.footer().chunks[0].columns[1];
    let cancel = Cancel::new();

    let options = SearchOptions {
        limit: 1_000,
        ..SearchOptions::default()
    };
    let found = search(&scope, &Query::all(), &options, &cancel);
    let numbers: Vec<u64> = found.rows.iter().rev().map(|row| row.id.number.0).collect();
    let is_whole = |number: &u64| segment.records(0, [*number as u32 - 1]).is_ok();
    let expected: Vec<u64> = (1..=ROWS).filter(is_whole).collect();
    assert!((1..ROWS as usize).contains(&expected.len()));
    assert_eq!(numbers, expected);
    let reason = found.completeness.reason().expect("incomplete");
    assert!(
        reason.contains(&format!("damaged at offset {}", bad.offset)),
        "{reason}"
    );

    // What no record is needed for is not affected.
    let counted = count(&scope, &Query::all(), &cancel);
    assert!(counted.completeness.is_complete());
    assert_eq!(counted.count, ROWS);

    // Nor is what the kinds of the records tell.
    let fixed = parse("/fizz/").into_result().expect("valid");
    let counted = count(&scope, &fixed, &cancel);
    assert!(counted.completeness.is_complete());
    assert_eq!(counted.count, ROWS / 3);

    let regex = parse("/fizz.*x$/").into_result().expect("valid");
    let counted = count(&scope, &regex, &cancel);
    assert_eq!(counted.completeness.reason(), Some(reason));
    let kept = expected
        .iter()
        .filter(|number| (**number - 1).is_multiple_of(3));
    assert_eq!(counted.count, kept.count() as u64);

    // Hosts stand in another page.
    let by_host = stats(scope.clone(), &Query::all(), &StatsField::Host, 10, &cancel);
    assert_eq!((by_host.total, by_host.values[0].count), (ROWS, ROWS));
    assert!(by_host.completeness.is_complete());
    let messages = parse_question("| top message 1000").question;
    let by_message = tabulate(&scope, &messages, 1_000, &cancel);
    assert_eq!(by_message.matched, Some(ROWS));
    assert_eq!(by_message.table.rows.len(), expected.len());
    assert_eq!(by_message.completeness.reason(), Some(reason));
    let patterns = parse_question("| patterns").question;
    let patterns = tabulate(&scope, &patterns, 1_000, &cancel);
    assert_eq!(patterns.completeness.reason(), Some(reason));
    assert!(
        !fields(scope.clone(), &Query::all(), &cancel)
            .completeness
            .is_complete()
    );

    let after = rows_after(
        &scope.snapshots[0],
        RecordNumber(0),
        &Query::all(),
        1_000,
        &cancel,
    );
    assert_eq!((after.rows.len(), after.last.0), (expected.len(), ROWS));
    assert!(!after.completeness.is_complete());

    let mut id = found.rows[0].id.clone();
    let mut lost = (1..=ROWS).filter(|number| !expected.contains(number));
    id.number = RecordNumber(lost.next().expect("some are lost"));
    assert!(record(&scope.snapshots, &id).is_err());
}

#[test]
fn a_damaged_index_costs_time_and_no_answer() {
    let pages: [fn(&SegmentHandle) -> PageEntry; 2] = [
        |segment| segment.footer().lexicon_pages[0].page,
        |segment| segment.footer().posting_pages[0],
    ];
    for page in pages {
        let directory = tempfile::tempdir().expect("a directory");
        let scope = damaged(directory.path(), page);
        for (text, expected) in [
            ("fizz", 30),
            ("NOT fizz", 60),
            ("fi*", 30),
            ("f?zz 3", 1),
            ("t3", 9),
        ] {
            let query = parse(text).into_result().expect("valid");
            let counted = count(&scope, &query, &Cancel::new());
            assert_eq!(counted.count, expected, "{text}");
            assert!(counted.completeness.is_complete());
        }
        let by = stats(
            scope.clone(),
            &Query::all(),
            &StatsField::Severity,
            10,
            &Cancel::new(),
        );
        assert_eq!((by.values.len(), by.values[0].count), (1, ROWS));
    }
}

/// A store with the golden segment.
fn golden(directory: &Path) -> Scope {
    drop(testing::open(directory, 1_000));
    let day = directory.join("logspaces/main/1970/01-01");
    std::fs::create_dir_all(&day).expect("creates");
    let bytes = include_bytes!("../../../segment/testdata/golden.segment");
    std::fs::write(day.join("00000000000001000000.segment"), bytes).expect("writes");
    // So that the directory has it taken back.
    std::fs::remove_file(directory.join("logspaces/main/manifest")).expect("removes");
    let store = testing::open(directory, 1_000);
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

#[test]
fn phrases_are_found_as_by_looking_at_every_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let whole = golden(directory.path());
    let Part::Segment(segment) = &whole.snapshots[0].parts[0] else {
        panic!("a segment")
    };
    let records = segment.chunk_records(0).expect("readable");
    let mut all = 0;
    for text in [
        "\"html http 1\"",
        "\"Mozilla/5.0 (X11\"",
        "\"5.0 (linux\"",
        "\"404 8\"",
        "\"eth3 curl/8.1\"",
        "\"eth3 \\\"curl/8.1\"",
        "eth3 8",
        "cn4a2 mozilla",
        "10.1.0.7",
        "10.2.0.*",
        "/curl/ AND 10.0.0.8",
        "NOT \"GET /p3/About.html\"",
        "\"200 8\" OR \"304 -\"",
        "status:>=404 10.1.0.39",
        "client:10.2.0.0/24",
    ] {
        let query = parse(text).into_result().expect("valid");
        let expected = records.iter();
        let expected = expected.filter(|record| naive::matches(&query.root, *record));
        let expected = expected.count() as u64;
        let counted = count(&whole, &query, &Cancel::new());
        assert_eq!(counted.count, expected, "{text}");
        all += expected;
    }
    assert!(all > 100, "{all}");
}

#[test]
fn unreadable_times_leave_the_segment_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = damaged(directory.path(), |segment| {
        segment.footer().received_pages[0]
    });
    scope.range.start = scope.stored_range().expect("records").start.plus_nanos(1);
    assert!(
        !count(&scope, &Query::all(), &Cancel::new())
            .completeness
            .is_complete()
    );
    assert!(
        !histogram(&scope, &Query::all(), 9, &Cancel::new())
            .completeness
            .is_complete()
    );
    let found = search(
        &scope,
        &Query::all(),
        &SearchOptions::default(),
        &Cancel::new(),
    );
    assert!(found.rows.is_empty() && !found.completeness.is_complete());
}

#[test]
fn known_damage_makes_every_answer_incomplete() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    store
        .import(&LogspaceName::main(), batch(&samples()))
        .expect("imported");
    let path = {
        let snapshot = store.snapshot(&LogspaceName::main()).expect("there");
        let [Part::Segment(segment)] = &snapshot.parts[..] else {
            panic!("one segment")
        };
        segment.path().to_owned()
    };
    drop(store);
    // The footer is at the end.
    let file = OpenOptions::new().write(true).open(&path).expect("opens");
    file.set_len(file.metadata().expect("there").len() - 4)
        .expect("cut");
    let store = testing::open(directory.path(), 1_000);
    let scope = Scope::new(testing::snapshots(&store));
    let found = count(&scope, &Query::all(), &Cancel::new());
    assert_eq!(found.count, 0);
    let reason = found.completeness.reason().expect("incomplete");
    assert!(
        reason.starts_with("some of main cannot be read: "),
        "{reason}"
    );
}

#[test]
fn a_stopped_question_returns_what_it_had() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    store
        .import(&LogspaceName::main(), batch(&samples()))
        .expect("imported");
    let scope = Scope::new(testing::snapshots(&store));
    let (cancelled, expired) = (Cancel::new(), Cancel::new());
    cancelled.cancel();
    cancelled.expire();
    expired.expire();
    for (cancel, reason) in [(cancelled, "cancelled"), (expired, "deadline passed")] {
        let found = search(&scope, &Query::all(), &SearchOptions::default(), &cancel);
        assert!(found.rows.is_empty());
        assert_eq!(found.completeness.reason(), Some(reason));
        assert_eq!(
            count(&scope, &Query::all(), &cancel).completeness.reason(),
            Some(reason)
        );
    }

    // In the middle: rows so far, in order, and where to go on.
    let cancel = Cancel::new();
    let mut seen = 0;
    let each = crate::search_each(
        &scope,
        &Query::all(),
        Order::OldestFirst,
        &cancel,
        &mut |row| {
            seen += 1;
            assert_eq!(row.number.0, seen);
            if seen == 5 {
                cancel.cancel();
            }
            std::ops::ControlFlow::Continue(())
        },
    );
    assert_eq!(
        (each.rows, each.completeness.reason()),
        (5, Some("cancelled"))
    );
    let options = SearchOptions {
        limit: 1,
        cursor: each.cursor,
        order: Order::OldestFirst,
    };
    let next = search(&scope, &Query::all(), &options, &Cancel::new());
    assert_eq!(next.rows[0].id.number.0, 6);
}

#[test]
fn a_cursor_survives_sealing_and_new_records() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    let samples = samples();
    store
        .import(&LogspaceName::main(), batch(&samples))
        .expect("imported");
    let sealed = store.snapshot(&LogspaceName::main()).expect("there");
    let chunk = TailChunk::new(RecordNumber(1), batch(&samples), Arc::default());
    let tail = Snapshot {
        parts: vec![Part::Tail(Arc::new(chunk))],
        ..sealed
    };

    let first = SearchOptions {
        limit: 40,
        ..SearchOptions::default()
    };
    let first = search(
        &Scope::new(vec![tail]),
        &Query::all(),
        &first,
        &Cancel::new(),
    );
    let mut newer = samples;
    for sample in &mut newer {
        sample.received += 3_600_000_000_000;
    }
    testing::append(&store, &LogspaceName::main(), batch(&newer));
    let text = first.cursor.as_ref().expect("there is more").to_string();
    let second = SearchOptions {
        limit: 100,
        cursor: Some(Cursor::parse(&text).expect("a cursor")),
        order: Order::NewestFirst,
    };
    let grown = store.snapshot(&LogspaceName::main()).expect("there");
    let second = search(
        &Scope::new(vec![grown]),
        &Query::all(),
        &second,
        &Cancel::new(),
    );
    assert!(second.cursor.is_none());
    let rows = first.rows.iter().chain(&second.rows);
    let numbers: Vec<u64> = rows.map(|row| row.id.number.0).collect();
    assert_eq!(numbers, (1..=ROWS).rev().collect::<Vec<u64>>());
}

#[test]
fn what_kinds_tell_is_answered_without_their_chunks() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = damaged(directory.path(), |segment| {
        segment.footer().chunks[0].directory
    });
    for (text, rows) in [("/fizz/", ROWS / 3), ("NOT /fizz|none/", 0)] {
        let query = parse(text).into_result().expect("valid");
        let counted = count(&scope, &query, &Cancel::new());
        assert!(counted.completeness.is_complete(), "{text}");
        assert_eq!((counted.count, counted.cost.rows_verified), (rows, 0));
    }
    let varying = parse("/9x/").into_result().expect("valid");
    let counted = count(&scope, &varying, &Cancel::new());
    assert!(!counted.completeness.is_complete());
}

#[test]
fn newest_rows_cost_the_newest_segments_only() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 1_000);
    for (days, part) in (0..).zip(samples().chunks_mut(10)) {
        for sample in &mut *part {
            sample.received += days * DAY;
        }
        store
            .import(&LogspaceName::main(), batch(part))
            .expect("imported");
    }
    drop(store);
    let store = testing::open(directory.path(), 1_000);
    let mut scope = Scope::new(testing::snapshots(&store));
    let options = SearchOptions {
        limit: 15,
        ..SearchOptions::default()
    };
    let found = search(&scope, &Query::all(), &options, &Cancel::new());
    assert_eq!(found.rows.len(), 15);
    assert_eq!(
        (found.cost.segments_total, found.cost.segments_pruned),
        (9, 7)
    );
    assert!(found.cost.bytes_read > 0);
    assert_eq!(found.cost.rows_verified, 0);

    let stored = scope.stored_range().expect("records");
    let end = stored.start.plus_nanos(2 * DAY);
    scope.range = TimeRange {
        start: stored.start,
        end,
    };
    let found = count(&scope, &Query::all(), &Cancel::new());
    assert_eq!((found.count, found.cost.segments_pruned), (20, 7));
}
