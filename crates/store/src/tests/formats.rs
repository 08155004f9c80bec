//! Files of every version of the formats are read for ever, and those of newer ones are refused. So
//! are segments of versions 1 to 4, which no release wrote.
//!
//! The files in `testdata` were written once and never change; those of the manifest and the segments
//! of versions 2 to 4 by other programs, after FORMAT.md.

use std::collections::HashMap;

use segment::TermEntry;

use super::reindex::{assert_left, written_anew};
use super::*;
use crate::inspect::{InspectOptions, ManifestView, View, inspect};
use crate::{LeftBecause, ReindexOptions, VerifyOptions, verify};

const MANIFEST_V1: &[u8] = include_bytes!("../../testdata/manifest.v1");
const MANIFEST_V2: &[u8] = include_bytes!("../../testdata/manifest.v2");
const JOURNAL_V1: &[u8] = include_bytes!("../../testdata/journal.v1");
const SEGMENT_V1: &[u8] = include_bytes!("../../testdata/segment.v1");
const SEGMENT_V2: &[u8] = include_bytes!("../../testdata/segment.v2");
const SEGMENT_V3: &[u8] = include_bytes!("../../testdata/segment.v3");
const SEGMENT_V4: &[u8] = include_bytes!("../../testdata/segment.v4");
const SEGMENT_V5: &[u8] = include_bytes!("../../testdata/segment.v5");
const SEGMENT_V6: &[u8] = include_bytes!("../../testdata/segment.v6");
const SEGMENT_V7: &[u8] = include_bytes!("../../testdata/segment.v7");
const SEGMENT_V8: &[u8] = include_bytes!("../../testdata/segment.v8");
const SEGMENT_V9: &[u8] = include_bytes!("../../testdata/segment.v9");
const SEGMENT_V10: &[u8] = include_bytes!("../../testdata/segment.v10");
const SEGMENT_V11: &[u8] = include_bytes!("../../testdata/segment.v11");
const SEGMENT_V12: &[u8] = include_bytes!("../../testdata/segment.v12");
const SEGMENT_V13: &[u8] = include_bytes!("../../testdata/segment.v13");
const SEGMENT_V14: &[u8] = include_bytes!("../../testdata/segment.v14");
const SEGMENT_V15: &[u8] = include_bytes!("../../testdata/segment.v15");
const SEGMENT_V16: &[u8] = include_bytes!("../../testdata/segment.v16");
const SEGMENT_V17: &[u8] = include_bytes!("../../testdata/segment.v17");

const FIRST_JOURNAL: &str = "journal/00000000000000000001.journal";
const MANIFEST: &str = "logspaces/main/manifest";
const FIRST_SEGMENT: &str = "logspaces/main/1970/01-01/00000000000000000001.segment";

/// A data directory with one file besides an empty logspace.
fn directory_with(path: &str, bytes: &[u8]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    drop(open(dir.path()));
    remove_journal_of(dir.path());
    let path = dir.path().join(path);
    std::fs::create_dir_all(path.parent().expect("has one")).expect("creates");
    std::fs::write(path, bytes).expect("writes");
    dir
}

/// A data directory with one segment that its manifest does not name, opened: it has it taken back.
fn taken_back(segment: &[u8]) -> (tempfile::TempDir, Store) {
    let dir = directory_with(FIRST_SEGMENT, segment);
    std::fs::remove_file(dir.path().join(MANIFEST)).expect("removes");
    let store = open(dir.path());
    (dir, store)
}

fn remove_journal_of(dir: &Path) {
    for file in journal_files(dir) {
        std::fs::remove_file(file).expect("removes");
    }
}

fn manifest(bytes: &[u8]) -> ManifestView {
    let dir = directory_with(MANIFEST, bytes);
    let path = dir.path().join(MANIFEST);
    match inspect(&RealDisk, &path, &InspectOptions::default()).expect("reads") {
        View::Manifest(view) => view,
        other => panic!("{other:?}"),
    }
}

fn firsts(view: &ManifestView) -> Vec<(u64, u32, u16, bool, String)> {
    let entries = view.entries.iter();
    entries
        .map(|entry| {
            (
                entry.first_number.0,
                entry.records,
                entry.generation,
                entry.is_imported,
                entry.day.clone(),
            )
        })
        .collect()
}

#[test]
fn manifests_of_version_1_are_read() {
    let view = manifest(MANIFEST_V1);
    assert_eq!((view.version, view.records.len()), (1, 2));
    assert_eq!((view.next.0, view.sealed.0), (23, 11));
    assert!(view.damages.is_empty() && view.torn_at.is_none());
    assert_eq!(
        firsts(&view),
        [
            (1, 10, 0, false, "2026-11-20".to_owned()),
            (11, 5, 0, true, "2026-11-13".to_owned()),
            (16, 7, 0, true, "2026-11-14".to_owned()),
        ]
    );
}

#[test]
fn manifests_of_version_2_are_read() {
    let view = manifest(MANIFEST_V2);
    assert_eq!((view.version, view.records.len()), (2, 4));
    assert_eq!((view.next.0, view.sealed.0), (23, 16));
    assert_eq!(view.removed, 2);
    assert!(view.damages.is_empty() && view.torn_at.is_none());
    assert_eq!(
        firsts(&view),
        [
            (1, 15, 1, false, "2026-11-20".to_owned()),
            (16, 7, 0, true, "2026-11-14".to_owned()),
        ]
    );
}

#[test]
fn journals_of_version_1_are_read() {
    let dir = directory_with(FIRST_JOURNAL, JOURNAL_V1);
    let store = open(dir.path());
    let found = texts(&store);
    assert_eq!(found, ["first", "second", "third", "fourth"]);
}

#[test]
fn segments_of_version_5_are_read() {
    let (dir, store) = taken_back(SEGMENT_V5);
    assert_eq!(texts(&store), ["first", "second", "third", "fourth"]);
    let options = VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 1,
    };
    let verified = verify(&RealDisk, dir.path(), &options, &|_, _| {}).expect("reads");
    assert_eq!((verified.findings, verified.segment_records), (vec![], 4));
}

#[test]
fn segments_of_version_7_are_read() {
    let (dir, store) = taken_back(SEGMENT_V7);
    let found = texts(&store);
    assert_eq!(found.len(), 2_000);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    let key = segment::Namespace::Message.key(b"about");
    let term = segment.find_term(&key).expect("reads").expect("is there");
    let expected = found.iter().filter(|text| text.contains("About")).count();
    let seats = segment.slot_seats(&term, |_| true).expect("reads");
    assert_eq!(seats.len(), expected);
    let mut bits = vec![0; 250];
    segment
        .mark_slot_seats(&term, |_| true, &mut bits)
        .expect("reads");
    assert_eq!(segment::marked(&bits), seats);
    check_deeply(dir.path(), 2_000);
}

#[test]
fn segments_of_version_8_are_read() {
    let (dir, store) = taken_back(SEGMENT_V8);
    assert_eq!(texts(&store).len(), 2_000);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    let prefix = segment::Namespace::Message.key(b"");
    let (mut keys, mut terms) = (0, Vec::new());
    let about = |key: segment::KnownKey<'_>| Some(key.bytes.ends_with(b"bout"));
    segment
        .scan_terms(&prefix, &mut |key, term| {
            keys += 1;
            terms.extend((about(key) == Some(true)).then_some((term, true)));
            true
        })
        .expect("reads");
    let mut found = Vec::new();
    let visit = &mut |term, is_sure| found.push((term, is_sure));
    let whole = segment.scan_wanted_terms(&prefix, b"bout", about, visit, || true);
    assert!(whole.expect("reads"));
    assert!(!found.is_empty() && found.len() < keys);
    assert_eq!(found, terms);
    check_deeply(dir.path(), 2_000);
}

#[test]
fn segments_of_version_9_are_read() {
    let (dir, store) = taken_back(SEGMENT_V9);
    let text = |row: usize| {
        let number = ["one", "two", "three"][row % 3];
        format!("step {} of {number} is done", row % 11)
    };
    assert!(texts(&store).into_iter().eq((0..17_000).map(text)));
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert_eq!(segment.footer().chunks[0].heads.len(), 2);
    // Each look reads the head page of its row alone.
    for row in [16_999, 16_384, 16_383, 0] {
        let (_, seat) = segment.with_seat(row).expect("reads");
        assert_eq!(segment.seated(0, &[seat]).expect("reads"), [(row, seat)]);
        let record = segment.records(0, [row]).expect("reads");
        assert_eq!(
            record.get(0).expect("one").raw(),
            text(row as usize).as_bytes()
        );
    }
    check_deeply(dir.path(), 17_000);
}

#[test]
fn segments_of_version_10_are_read() {
    let (dir, store) = taken_back(SEGMENT_V10);
    assert_eq!(texts(&store).len(), 17_000);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    let chunk = segment.open_chunk(0).expect("reads");
    let kinds = chunk.kind_rows(&(0..17_000).collect::<Vec<_>>());
    let [first, ..] = &kinds[..] else {
        panic!("no kinds");
    };
    let (ranks, stamp) = chunk.stamp(first, 0, 5_000).expect("a stamp");
    assert!(ranks.contains(&5_000));
    assert_eq!(stamp.numbers, Some(0..=10));
    check_deeply(dir.path(), 17_000);
}

#[test]
fn segments_of_version_11_are_read() {
    let (dir, store) = taken_back(SEGMENT_V11);
    let found = texts(&store);
    assert_eq!(found.len(), 600);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert!(segment.footer().has_addresses);
    for (key, text) in [(&b"0a000105"[..], "10.0.1.5 "), (b"0a0003", "10.0.3. ")] {
        let key = segment::Namespace::MessageAddress.key(key);
        let term = segment.find_term(&key).expect("reads").expect("is there");
        let expected = found.iter().filter(|own| own.contains(text)).count();
        assert!(expected > 0);
        assert_eq!(term.rows as usize, expected, "{text}");
    }
    check_deeply(dir.path(), 600);
}

#[test]
fn segments_of_version_12_are_read() {
    let (dir, store) = taken_back(SEGMENT_V12);
    assert_eq!(texts(&store).len(), 2_000);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    let (prefix, mut told) = (segment::Namespace::Message.key(b""), Vec::new());
    let scanned = segment.scan_terms(&prefix, &mut |_, term| {
        told.push(term);
        true
    });
    scanned.expect("reads");
    let by_columns = |term: &&TermEntry| segment.is_told_by_columns(term);
    assert!(told.iter().filter(by_columns).count() > 50);
    let by_lists = |term: &&TermEntry| term.slots.count > 9 && !by_columns(term);
    assert!(told.iter().filter(by_lists).count() > 5);
    let edges = [0, 700, 1_999].map(|row| segment.seats(0, &(0..row)).expect("reads"));
    for term in told {
        let from_columns = segment.rows_told_by_columns(&term).expect("reads");
        assert_eq!(from_columns > 0, by_columns(&&term));
        assert!(from_columns <= term.slots.count);
        let mut seats = segment.slot_seats(&term, |_| true).expect("reads");
        let tally = segment.tally().expect("reads");
        for group in segment.groups_of(&term).expect("reads") {
            seats.extend(tally.seats(group));
        }
        let expected = edges.each_ref().map(|edge| {
            let is_before = |seat: &&u32| edge.iter().any(|range| range.contains(seat));
            seats.iter().filter(is_before).count() as u64
        });
        let counts = segment.count_seats_before(&term, &edges.each_ref().map(Vec::as_slice));
        assert_eq!(counts.expect("reads"), Some(expected.to_vec()));
    }
    check_deeply(dir.path(), 2_000);
}

#[test]
fn segments_of_version_13_are_read() {
    let (dir, store) = taken_back(SEGMENT_V13);
    let text = |row: usize| match row % 1_000 {
        999 => format!("audit {row} was opened by root"),
        _ => format!("step {} of many is done", row % 11),
    };
    assert!(texts(&store).into_iter().eq((0..17_000).map(text)));
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert_eq!(segment.footer().chunks[0].heads.len(), 2);
    for row in [16_999, 16_384, 16_383, 15_999, 0] {
        let (_, seat) = segment.with_seat(row).expect("reads");
        assert_eq!(segment.seated(0, &[seat]).expect("reads"), [(row, seat)]);
        // Before it on all pages, of both kinds.
        let seats = segment.seats(0, &(0..row)).expect("reads");
        assert_eq!(
            seats.iter().map(|own| own.len()).sum::<usize>(),
            row as usize
        );
        assert!(seats.iter().all(|range| !range.contains(&seat)));
    }
    check_deeply(dir.path(), 17_000);
}

/// Every word has as many records as have it, and none with another end is found.
fn check_identifiers(segment: &crate::SegmentHandle, texts: &[String]) {
    let find = |word: &str| {
        let key = segment::Namespace::Message.key(word.to_lowercase().as_bytes());
        let term = segment.find_term(&key).expect("reads");
        term.map_or(0, |term| term.rows as usize)
    };
    let words_of = |text: &'_ String| -> Vec<String> {
        let words = text.split(|at: char| !at.is_alphanumeric() && at != '_');
        words.map(str::to_owned).collect()
    };
    for text in texts.iter().step_by(41) {
        for word in words_of(text) {
            let has_word = |text: &&String| {
                words_of(text)
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(&word))
            };
            let expected = texts.iter().filter(has_word).count();
            assert!(word.is_empty() || find(&word) == expected, "{word}");
            if word.len() >= 12 {
                let last = if word.ends_with('0') { '1' } else { '0' };
                let others = [
                    format!("{word}0"),
                    format!("{}{last}", &word[..word.len() - 1]),
                ];
                assert_eq!(others.each_ref().map(|other| find(other)), [0, 0], "{word}");
            }
        }
    }
}

#[test]
fn segments_of_version_14_are_read() {
    let (dir, store) = taken_back(SEGMENT_V14);
    let found = texts(&store);
    assert_eq!(found.len(), 2_000);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert!(segment.footer().has_cut_words);
    check_identifiers(&segment, &found);
    // Who lists terms sees the start of one.
    let id = found[0].split(' ').nth(1).expect("a request has one");
    let options = InspectOptions {
        terms: Some(segment::Namespace::Message.key(id.as_bytes())),
        ..InspectOptions::default()
    };
    let looked = inspect(&RealDisk, segment.path(), &options).expect("reads");
    let View::Segment(view) = looked else {
        panic!("{looked:?}");
    };
    let [term] = view.terms.as_slice() else {
        panic!("{:?}", view.terms);
    };
    let start = term
        .term
        .strip_prefix("message ")
        .and_then(|own| own.strip_suffix('\u{2026}'));
    assert!(
        start.is_some_and(|start| id.starts_with(start)),
        "{}",
        term.term
    );
    assert_eq!(term.records, 1);
    check_deeply(dir.path(), 2_000);
}

#[test]
fn segments_of_version_15_are_read() {
    let (dir, store) = taken_back(SEGMENT_V15);
    let found = texts(&store);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert!(segment.counts_values());
    let counts = value_counts(&segment);
    for agent in ["curl/8.1", "Mozilla/5.0 (X11; Linux)"] {
        let has_agent = |text: &&String| text.ends_with(&format!("\"{agent}\""));
        let expected = found.iter().filter(has_agent).count();
        let own = counts.get(agent).copied().unwrap_or_default();
        assert_eq!(own as usize, expected, "{agent}");
    }
    // How many rows of each kind have a word that columns tell.
    let key = segment::Namespace::Message.key(b"about");
    let term = segment.find_term(&key).expect("reads").expect("is there");
    assert!(segment.is_told_by_columns(&term));
    let groups = segment.rows_by_group(&term).expect("reads").expect("known");
    let rows: u32 = groups.iter().map(|own| own.rows).sum();
    assert!(groups.iter().all(|own| own.parts.is_some()), "{groups:?}");
    assert_eq!(segment.rows_told_by_columns(&term).expect("reads"), rows);
    let has_word = |text: &&String| text.contains("About");
    assert_eq!(rows as usize, found.iter().filter(has_word).count());
    check_deeply(dir.path(), found.len() as u64);
}

#[test]
fn segments_of_version_16_are_read() {
    let (dir, store) = taken_back(SEGMENT_V16);
    let found = texts(&store);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert!(segment.footer().has_marked_lists);
    // A word that every third row has.
    let key = segment::Namespace::Message.key(b"about");
    let term = segment.find_term(&key).expect("reads").expect("is there");
    assert!(term.rows > 600 && term.rows == term.slots.count);
    let seats = segment.slot_seats(&term, |_| true).expect("reads");
    let rows = segment.seated(0, &seats).expect("reads");
    let rows: Vec<u32> = rows.into_iter().map(|(row, _)| row).collect();
    let has_word = |(_, text): &(u32, &String)| text.contains("About");
    let expected = (0..).zip(&found).filter(has_word).map(|(row, _)| row);
    assert_eq!(rows, expected.collect::<Vec<u32>>());
    let edge = segment.seats(0, &(0..1_000)).expect("reads");
    let counts = segment.count_seats_before(&term, &[&edge]).expect("reads");
    let before = rows.iter().filter(|row| **row < 1_000).count();
    assert_eq!(counts, Some(vec![before as u64]));
    check_deeply(dir.path(), found.len() as u64);
}

#[test]
fn segments_of_version_17_are_read() {
    let (dir, store) = taken_back(SEGMENT_V17);
    let found = texts(&store);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    assert!(segment.footer().cuts_letters && segment.footer().has_received_units);
    check_identifiers(&segment, &found);
    // One a second.
    let first = segment.first_received();
    for row in [0, 1, 15, 16, 17, 999, 1_999] {
        let time = first.plus_nanos(i64::from(row) * 1_000_000_000);
        assert_eq!(segment.received(row).expect("reads"), time);
        assert_eq!(segment.row_at(time).expect("reads"), row);
        assert_eq!(segment.row_at(time.plus_nanos(1)).expect("reads"), row + 1);
    }
    check_deeply(dir.path(), found.len() as u64);
}

/// How many rows of the first chunk have each value that is counted, in any slot of the message.
fn value_counts(segment: &crate::SegmentHandle) -> HashMap<String, u32> {
    let chunk = segment.open_chunk(0).expect("reads");
    let mut counts = HashMap::new();
    for (_, seats) in segment.kind_seats(0).expect("reads") {
        let kinds = chunk.kind_rows(&[seats.start]);
        let bits = kinds[0].text(segment::Namespace::Message);
        for bit in bits.unwrap_or_default() {
            let segment::TextBit::Slot(slot) = bit else {
                continue;
            };
            let parts = chunk.value_counts(&kinds[0], slot).expect("reads");
            for part in parts.expect("is counted") {
                for (number, rows) in part.values() {
                    let text = part.text(number).expect("there");
                    let text = String::from_utf8_lossy(text.text).into_owned();
                    *counts.entry(text).or_default() += rows;
                }
            }
        }
    }
    counts
}

#[test]
fn segments_of_older_versions_are_written_anew() {
    let versions = [
        (SEGMENT_V5, true),
        (SEGMENT_V6, true),
        (SEGMENT_V7, true),
        (SEGMENT_V8, true),
        (SEGMENT_V9, true),
        (SEGMENT_V10, true),
        (SEGMENT_V11, false),
        (SEGMENT_V12, false),
        (SEGMENT_V13, false),
        (SEGMENT_V14, false),
        (SEGMENT_V15, false),
        (SEGMENT_V16, false),
        (SEGMENT_V17, false),
    ];
    for (number, (bytes, is_outdated)) in (5..).zip(versions) {
        let (dir, store) = taken_back(bytes);
        let before = texts(&store);
        drop(store);
        let asked = ReindexOptions {
            is_dry_run: true,
            ..ReindexOptions::default()
        };
        let told = written_anew(dir.path(), &asked);
        assert_eq!(
            told.segments,
            u64::from(is_outdated),
            "version {number} {told:?}"
        );
        assert_eq!(told.current, u64::from(!is_outdated), "version {number}");
        assert!(dir.path().join(FIRST_SEGMENT).exists(), "version {number}");
        let asked = ReindexOptions {
            is_all: true,
            ..ReindexOptions::default()
        };
        let done = written_anew(dir.path(), &asked);
        assert_eq!((done.segments, done.left), (1, vec![]), "version {number}");
        assert_eq!(done.records, before.len() as u64, "version {number}");
        assert!(!dir.path().join(FIRST_SEGMENT).exists(), "version {number}");
        let again = written_anew(dir.path(), &ReindexOptions::default());
        assert_eq!((again.segments, again.current), (0, 1), "version {number}");
        check_deeply(dir.path(), before.len() as u64);
        assert!(texts(&open(dir.path())) == before, "version {number}");
    }
}

#[test]
fn an_older_segment_that_cannot_be_read_is_not_written_anew() {
    let mut bytes = SEGMENT_V10.to_vec();
    // In the first page of columns.
    bytes[300] ^= 0x10;
    let (dir, store) = taken_back(&bytes);
    drop(store);
    let done = written_anew(dir.path(), &ReindexOptions::default());
    assert_left(&done, LeftBecause::Damaged);
    assert_eq!(
        std::fs::read(dir.path().join(FIRST_SEGMENT)).expect("is there"),
        bytes
    );
}

/// Finds nothing wrong with a directory of so many records in segments.
fn check_deeply(directory: &Path, records: u64) {
    let options = VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 1,
    };
    let verified = verify(&RealDisk, directory, &options, &|_, _| {}).expect("reads");
    assert_eq!(
        (verified.findings, verified.segment_records),
        (vec![], records)
    );
}

#[test]
fn segments_of_version_6_are_read() {
    let (dir, store) = taken_back(SEGMENT_V6);
    let found = texts(&store);
    assert_eq!(found.len(), 1_000);
    assert!(
        found
            .iter()
            .all(|text| text.starts_with("denied by \"rule "))
    );
    check_deeply(dir.path(), 1_000);
    let file = dir.path().join(FIRST_SEGMENT);
    let looked = inspect(&RealDisk, &file, &InspectOptions::default()).expect("reads");
    let View::Segment(view) = looked else {
        panic!("{looked:?}");
    };
    let [dictionaries, ..] = view.sections.as_slice() else {
        panic!("has sections");
    };
    assert_eq!(
        (view.version, dictionaries.page_name, dictionaries.pages),
        (6, "dictionary page", 2)
    );
    assert_eq!(view.damages, []);
}

/// A file whose version is raised by one, with a right checksum at an offset, bound to it or not.
fn newer(bytes: &[u8], at: usize, (end, is_bound): (usize, bool)) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // More than any version there is.
    bytes[at] += 40;
    let seed = match is_bound {
        true => crc32c::crc32c(&0_u64.to_le_bytes()),
        false => 0,
    };
    let crc = crc32c::crc32c_append(seed, &bytes[..end]);
    bytes[end..end + 4].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Opens a directory with one file, which fails and leaves the file alone; the error of the store,
/// and that of looking into the file.
fn refused(path: &str, bytes: &[u8]) -> (String, Error) {
    let dir = directory_with(path, bytes);
    let file = dir.path().join(path);
    if path == FIRST_SEGMENT {
        // So that the directory has it taken back.
        std::fs::remove_file(dir.path().join(MANIFEST)).expect("removes");
    }
    let clock = Arc::new(TestClock::default());
    let opened = Store::open(options(dir.path()), Arc::new(RealDisk), clock);
    let Err(error) = opened.map(|_| ()) else {
        panic!("{path} was opened");
    };
    let text = error.to_string();
    assert!(text.contains(path), "{text}");
    let looked = inspect(&RealDisk, &file, &InspectOptions::default());
    let Err(looked) = looked.map(|_| ()) else {
        panic!("{path} was looked into");
    };
    assert_eq!(std::fs::read(&file).expect("reads"), bytes, "{path}");
    (text, looked)
}

#[test]
fn files_of_newer_versions_are_refused_and_left_alone() {
    let files = [
        (FIRST_JOURNAL, newer(JOURNAL_V1, 4, (60, false))),
        (MANIFEST, newer(MANIFEST_V2, 4, (12, false))),
        (FIRST_SEGMENT, newer(SEGMENT_V17, 8, (60, true))),
    ];
    for (path, bytes) in files {
        let (text, looked) = refused(path, &bytes);
        assert!(text.ends_with("use a newer Logwood"), "{text}");
        assert!(matches!(looked, Error::NewerFormat { .. }), "{looked}");
    }
}

#[test]
fn segments_of_versions_1_to_4_are_refused_and_left_alone() {
    let older = [SEGMENT_V1, SEGMENT_V2, SEGMENT_V3, SEGMENT_V4];
    for (version, bytes) in (1..).zip(older) {
        let (text, looked) = refused(FIRST_SEGMENT, bytes);
        let wanted = format!("has format version {version}, this program reads 5 and newer");
        assert!(text.contains(&wanted), "{text}");
        assert!(text.ends_with("import the logs again"), "{text}");
        assert!(
            matches!(looked, Error::OlderFormat { found, .. } if found == version),
            "{looked}"
        );
    }
}
