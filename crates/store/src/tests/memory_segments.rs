//! Memory segments of what is not sealed, which nobody but a reader sees.

use super::*;
use crate::limits::{MEMORY_SEGMENT_LOOKS, MEMORY_SEGMENT_ROWS_MIN};
use crate::logspace::LogspaceState;
use crate::memory_segments::memory_segment_of;
use crate::segment_handle::page_cache;
use crate::snapshot::TailChunk;

/// Records that there is a memory segment of, when they were looked at.
const ENOUGH: usize = MEMORY_SEGMENT_ROWS_MIN + 1_000;

/// Records of one second, that of the last number: batches that follow each other do so in time.
fn numbered(numbers: std::ops::Range<usize>) -> RecordBatch {
    let seconds = 1_000 + i64::try_from(numbers.end).expect("few");
    let texts: Vec<String> = numbers.map(|number| format!("message {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut batch = batch(&texts);
    batch.make_received_monotone(Timestamp::from_seconds(seconds));
    batch
}

/// Appends records in small batches.
fn fill(store: &Store, numbers: std::ops::Range<usize>) {
    for start in numbers.clone().step_by(500) {
        append(store, numbered(start..numbers.end.min(start + 500)));
    }
}

fn chunks(store: &Store) -> Vec<Arc<TailChunk>> {
    let chunk = |part| match part {
        Part::Tail(chunk) => Some(chunk),
        Part::Segment(_) => None,
    };
    snapshot(store)
        .parts
        .into_iter()
        .filter_map(chunk)
        .collect()
}

/// Looks at all records of the tail so often that a memory segment of them pays.
fn look(store: &Store) {
    for chunk in chunks(store) {
        chunk.note_looks(chunk.batch.len() * MEMORY_SEGMENT_LOOKS as usize);
    }
    // A question wakes who makes them.
    snapshot(store);
}

fn indexed(store: &Store) -> usize {
    sealed_records(store) as usize - sealed(store)
}

fn sealed(store: &Store) -> usize {
    let status = store.status();
    let main = &status.logspaces[0];
    (main.records - main.tail_records) as usize
}

#[test]
fn what_was_looked_at_often_has_a_memory_segment_with_the_same_records() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    fill(&store, 0..ENOUGH);
    let (before, status) = (rows(&store), store.status());
    look(&store);
    wait_until(&store, |store| indexed(store) > 0);
    // The newest chunk still grows.
    assert!(indexed(&store) >= MEMORY_SEGMENT_ROWS_MIN && chunks(&store).len() == 1);
    assert_eq!(rows(&store), before);
    let now = store.status();
    for of in [&status, &now] {
        let main = &of.logspaces[0];
        assert_eq!((main.segments, main.data_bytes), (0, 0));
        assert_eq!(
            (main.records, main.tail_records),
            (ENOUGH as u64, ENOUGH as u64)
        );
    }

    fill(&store, ENOUGH..ENOUGH + 700);
    assert_eq!(texts(&store).len(), ENOUGH + 700);
    drop(store);
    let store = open(dir.path());
    assert_eq!((indexed(&store), texts(&store).len()), (0, ENOUGH + 700));
}

#[test]
fn few_looks_and_few_records_make_none() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    fill(&store, 0..ENOUGH);
    for chunk in chunks(&store) {
        chunk.note_looks(chunk.batch.len() * (MEMORY_SEGMENT_LOOKS as usize - 1));
    }
    snapshot(&store);
    wait_until(&store, Store::is_idle);
    assert_eq!(indexed(&store), 0);

    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    fill(&store, 0..MEMORY_SEGMENT_ROWS_MIN / 2);
    for _ in 0..10 {
        look(&store);
    }
    wait_until(&store, Store::is_idle);
    assert_eq!(indexed(&store), 0);
}

#[test]
fn memory_segments_go_with_what_is_sealed() {
    let dir = tempfile::tempdir().expect("temporary directory");
    // A memory segment and a half.
    let store = open_with(segments_of(ENOUGH * 3 / 2, dir.path()), Arc::new(RealDisk));
    let mut memory_segments = 0;
    for round in 0..6 {
        fill(&store, round * ENOUGH..(round + 1) * ENOUGH);
        let had = indexed(&store);
        look(&store);
        wait_until(&store, Store::is_idle);
        memory_segments += usize::from(indexed(&store) > had);
        let expected: Vec<String> = (0..(round + 1) * ENOUGH)
            .map(|number| format!("message {number}"))
            .collect();
        assert!(texts(&store) == expected, "round {round}");
        let numbers: Vec<u64> = rows(&store)
            .into_iter()
            .map(|(number, ..)| number)
            .collect();
        assert!(
            numbers.into_iter().eq(1..=expected.len() as u64),
            "round {round}"
        );
    }
    assert!(
        memory_segments > 1 && segments(&store) > 1,
        "{memory_segments}"
    );
}

#[test]
fn imports_in_between_end_a_memory_segment() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    fill(&store, 0..5_000);
    // Takes the next numbers.
    store
        .import(&LogspaceName::main(), numbered(0..10))
        .expect("imported");
    fill(&store, 5_010..ENOUGH + 5_000);
    let before = rows(&store);
    look(&store);
    wait_until(&store, |store| indexed(store) > 5_010);
    assert_eq!(rows(&store), before);
}

#[test]
fn a_memory_segment_that_comes_too_late_is_let_go() {
    let (whole, mut state) = (numbered(0..9_001), LogspaceState::new());
    for rows in [0..5_000, 5_000..9_000, 9_000..9_001] {
        let mut part = RecordBatch::new();
        for record in whole.iter().skip(rows.start).take(rows.len()) {
            part.push_record(record).expect("room");
        }
        state.publish(RecordNumber(rows.start as u64 + 1), part);
    }
    let memory_segment_now = |state: &LogspaceState| {
        let chunks = state.settled_tail();
        let cache = page_cache(1 << 20);
        Arc::new(memory_segment_of(chunks, Path::new("main"), cache).expect("built"))
    };
    let memory_segment = memory_segment_now(&state);
    assert_eq!(memory_segment.rows(), 9_000);
    state.freeze(5_000, usize::MAX);
    let rest = memory_segment_now(&state);
    assert_eq!(
        (rest.first_number(), rest.rows()),
        (RecordNumber(5_001), 4_000)
    );
    state.finish_seal(Vec::new());
    assert!(!state.add_memory_segment(memory_segment));
    assert!(state.add_memory_segment(rest));
}
