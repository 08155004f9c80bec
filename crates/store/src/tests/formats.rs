//! Files of version 1 are read for ever; those of any other version, and of development versions before the first
//! release, are refused and left alone.
//!
//! The files in `testdata` were written once and never change.

use segment::Namespace;

use super::*;
use crate::inspect::{InspectOptions, View, inspect};
use crate::{VerifyOptions, verify};

const MANIFEST: &[u8] = include_bytes!("../../testdata/manifest.v1");
const JOURNAL: &[u8] = include_bytes!("../../testdata/journal.v1");
const SEGMENT: &[u8] = include_bytes!("../../../segment/testdata/golden.segment");
const COMPACTED_SEGMENT: &[u8] =
    include_bytes!("../../../segment/testdata/golden-compacted.segment");

/// The store that the journal file is of.
const STORE: &str = "0000000000000000000000000000002a";

const JOURNAL_PATH: &str = "journal/00000000000000000001.journal";
const MANIFEST_PATH: &str = "logspaces/main/manifest";
const SEGMENT_PATH: &str = "logspaces/main/1970/01-01/00000000000000000001.segment";
const LATER_SEGMENT_PATH: &str = "logspaces/main/1970/01-01/00000000000001000000.segment";

/// A data directory with one file besides an empty logspace whose manifest is lost.
fn directory_with(path: &str, bytes: &[u8]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    drop(open(dir.path()));
    for file in journal_files(dir.path()) {
        std::fs::remove_file(file).expect("removes");
    }
    std::fs::remove_file(dir.path().join(MANIFEST_PATH)).expect("removes");
    write(dir.path(), path, bytes);
    dir
}

fn write(dir: &Path, path: &str, bytes: &[u8]) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().expect("has one")).expect("creates");
    std::fs::write(path, bytes).expect("writes");
}

/// A data directory with one segment that its manifest does not name, opened: it has it taken back.
fn taken_back(path: &str, segment: &[u8]) -> (tempfile::TempDir, Store) {
    let dir = directory_with(path, segment);
    let store = open(dir.path());
    (dir, store)
}

fn only_segment(store: &Store) -> Arc<crate::SegmentHandle> {
    match snapshot(store).parts.as_slice() {
        [Part::Segment(segment)] => Arc::clone(segment),
        parts => panic!("{parts:?}"),
    }
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

/// How many records have a word in the message, as the index says.
fn counted(segment: &crate::SegmentHandle, word: &str) -> usize {
    let key = Namespace::Message.key(word.to_lowercase().as_bytes());
    let term = segment.find_term(&key).expect("reads");
    let Some(term) = term else {
        return 0;
    };
    let ordinals = segment.slot_ordinals(&term).expect("reads");
    let groups = segment.groups_of(&term).expect("reads");
    let tally = segment.tally().expect("reads");
    let rows_of_groups = groups.into_iter().map(|group| tally.rows(group) as usize);
    let all = ordinals.len() + rows_of_groups.sum::<usize>();
    assert_eq!(term.rows as usize, all, "{word}");
    all
}

/// What the journal and the manifest of the golden files are made by: two commits, then a rewritten manifest.
#[test]
#[ignore = "writes the golden files of a new version, once"]
fn the_golden_files_are_written() {
    let dir = tempfile::tempdir().expect("temporary directory");
    std::fs::write(dir.path().join("id"), STORE).expect("writes");
    let store = open_with(segments_of(3, dir.path()), Arc::new(RealDisk));
    append(&store, batch(&["first", "second"]));
    let path = dir.path().join(JOURNAL_PATH);
    append(&store, batch(&["third", "fourth"]));
    wait_until(&store, |store| segments(store) == 1);
    append(&store, batch(&["fifth"]));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
    let journal = std::fs::read(&path).expect("reads");
    let end = journal.iter().rposition(|byte| *byte != 0).expect("some");
    let end = (end + 1).next_multiple_of(16);
    std::fs::write(format!("{folder}/journal.v1"), &journal[..end]).expect("writes");
    let manifest = std::fs::read(dir.path().join(MANIFEST_PATH)).expect("reads");
    std::fs::write(format!("{folder}/manifest.v1"), manifest).expect("writes");
}

#[test]
fn manifests_are_read() {
    let dir = directory_with(MANIFEST_PATH, MANIFEST);
    let path = dir.path().join(MANIFEST_PATH);
    let looked = inspect(&RealDisk, &path, &InspectOptions::default()).expect("reads");
    let View::Manifest(view) = looked else {
        panic!("{looked:?}");
    };
    assert_eq!((view.version, view.records.len()), (1, 2));
    assert_eq!((view.next.0, view.sealed.0), (5, 5));
    assert!(view.damages.is_empty() && view.torn_at.is_none());
    let [entry] = view.entries.as_slice() else {
        panic!("{:?}", view.entries);
    };
    assert_eq!((entry.first_number.0, entry.records), (1, 4));
    assert_eq!((entry.generation, entry.is_imported), (0, false));
    assert_eq!(entry.day, "1970-01-01");
}

#[test]
fn journals_are_read() {
    let dir = tempfile::tempdir().expect("temporary directory");
    write(dir.path(), "id", STORE.as_bytes());
    write(dir.path(), JOURNAL_PATH, JOURNAL);
    let found = texts(&open(dir.path()));
    assert_eq!(found, ["first", "second", "third", "fourth", "fifth"]);
}

#[test]
fn segments_are_read() {
    let (dir, store) = taken_back(LATER_SEGMENT_PATH, SEGMENT);
    let found = texts(&store);
    assert_eq!(found.len(), 2_001);
    let segment = only_segment(&store);
    let has_word = |text: &&String| text.contains("ÉRROR");
    let expected = found.iter().filter(has_word).count();
    assert!(expected > 0);
    assert_eq!(counted(&segment, "érror"), expected);
    for row in [0, 399, 400, 2_000] {
        let (_, ordinal) = segment.with_ordinal(row).expect("reads");
        assert_eq!(
            segment.at_ordinals(0, &[ordinal]).expect("reads"),
            [(row, ordinal)]
        );
    }
    check_deeply(dir.path(), 2_001);
}

#[test]
fn segments_with_truncated_terms_are_read() {
    let (dir, store) = taken_back(SEGMENT_PATH, COMPACTED_SEGMENT);
    let found = texts(&store);
    assert_eq!(found.len(), 1_600);
    let segment = only_segment(&store);
    for text in found.iter().take(1_000).step_by(41) {
        let id = text.split('\t').next().expect("has one");
        let expected = found.iter().filter(|text| text.starts_with(id)).count();
        assert_eq!(counted(&segment, id), expected, "{id}");
        // None with another end is found.
        assert_eq!(counted(&segment, &format!("{id}0")), 0);
        let (start, end) = id.split_at(id.len() - 1);
        let other = if end == "0" { "1" } else { "0" };
        assert_eq!(counted(&segment, &format!("{start}{other}")), 0);
    }
    check_deeply(dir.path(), 1_600);
    let options = InspectOptions {
        terms: Some(Namespace::Message.key(&found[0].as_bytes()[..17])),
        ..InspectOptions::default()
    };
    let looked = inspect(&RealDisk, segment.path(), &options).expect("reads");
    let View::Segment(view) = looked else {
        panic!("{looked:?}");
    };
    assert_eq!((view.version, view.damages.len()), (1, 0));
}

/// All files below a directory, but the lock, whose text says who has it.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("lists").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !path.ends_with("lock") {
            let bytes = std::fs::read(&path).expect("reads");
            files.push((path, bytes));
        }
    }
    files.sort();
    files
}

/// A format, by what its files start with.
#[derive(Clone, Copy)]
struct Format {
    magic: &'static [u8],
    /// What its files started with in development versions, and the highest of those.
    development: (&'static [u8], u8),
    /// Where the checksum of the header is, and whether it is bound to the offset 0.
    crc: (usize, bool),
}

const FORMATS: [Format; 3] = [
    Format {
        magic: b"LWSEGMT\n",
        development: (b"LOGWOOD\n", 17),
        crc: (60, true),
    },
    Format {
        magic: b"LWMA",
        development: (b"LWMF", 3),
        crc: (12, false),
    },
    Format {
        magic: b"LWJO",
        development: (b"LWJF", 2),
        crc: (60, false),
    },
];

impl Format {
    /// Gives the files of a directory that are of the format another start and a right checksum; the first of them.
    fn change(self, dir: &Path, magic: &[u8], version: u16) -> String {
        let own = files(dir).into_iter();
        let own = own.filter(|(_, bytes)| bytes.starts_with(self.magic));
        let mut first = None;
        for (path, mut bytes) in own {
            let start = [magic, &version.to_le_bytes()].concat();
            bytes[..start.len()].copy_from_slice(&start);
            let (end, is_bound) = self.crc;
            let seed = match is_bound {
                true => crc32c::crc32c(&0_u64.to_le_bytes()),
                false => 0,
            };
            let crc = crc32c::crc32c_append(seed, &bytes[..end]);
            bytes[end..end + 4].copy_from_slice(&crc.to_le_bytes());
            std::fs::write(&path, bytes).expect("writes");
            first.get_or_insert(path);
        }
        let first = first.expect("one of them");
        let path = first.strip_prefix(dir).expect("is in it");
        path.display().to_string()
    }
}

/// A data directory with a segment, and a record in the journal.
fn stopped_store() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(2, dir.path()), Arc::new(RealDisk));
    append(&store, batch(&["first", "second"]));
    wait_until(&store, |store| segments(store) == 1);
    append(&store, batch(&["third"]));
    dir
}

/// Neither receives into a directory nor reads it, and changes nothing in it: the texts of the errors, which name the
/// file and say what to do.
fn refused(dir: &Path, path: &str) -> Vec<String> {
    let before = files(dir);
    let clock = || Arc::new(TestClock::default());
    let opened = Store::open(options(dir), Arc::new(RealDisk), clock()).map(|_| ());
    let read = Store::open_read_only(options(dir), Arc::new(RealDisk), clock()).map(|_| ());
    let looked = inspect(&RealDisk, &dir.join(path), &InspectOptions::default()).map(|_| ());
    let checking = VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 1,
    };
    let checked = verify(&RealDisk, dir, &checking, &|_, _| {}).map(|_| ());
    assert_eq!(files(dir), before, "{path}");
    let texts =
        [opened, read, looked, checked].map(|result| result.expect_err("is refused").to_string());
    for text in &texts {
        assert!(text.contains(path), "{text}");
        assert!(text.ends_with("import the logs again"), "{text}");
    }
    texts.into()
}

#[test]
fn files_of_other_versions_are_refused_and_left_alone() {
    for format in FORMATS {
        let dir = stopped_store();
        for version in [0, 2, 9, 258] {
            let path = format.change(dir.path(), format.magic, version);
            for text in refused(dir.path(), &path) {
                let wanted =
                    format!("has format version {version}, this program reads version 1: ");
                assert!(text.contains(&wanted), "{text}");
            }
        }
    }
}

#[test]
fn files_of_development_versions_are_refused_and_left_alone() {
    for format in FORMATS {
        let (magic, newest) = format.development;
        for version in 1..=newest {
            let dir = stopped_store();
            let path = format.change(dir.path(), magic, version.into());
            for text in refused(dir.path(), &path) {
                assert!(text.contains("a development version"), "{text}");
            }
        }
    }
}

#[test]
fn manifests_of_the_first_development_version_which_had_no_checksum_are_refused_as_well() {
    let dir = stopped_store();
    let [_, manifest, _] = FORMATS;
    let manifest = manifest.change(dir.path(), b"LWMF", 1);
    let path = dir.path().join(&manifest);
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[12..16].fill(0);
    std::fs::write(&path, bytes).expect("writes");
    refused(dir.path(), &manifest);
}

#[test]
fn a_segment_of_another_version_that_no_manifest_names_is_refused_as_well() {
    for (magic, version) in [(&b"LWSEGMT\n"[..], 2), (b"LOGWOOD\n", 17)] {
        let dir = directory_with(LATER_SEGMENT_PATH, SEGMENT);
        let [segment, ..] = FORMATS;
        segment.change(dir.path(), magic, version);
        let before = std::fs::read(dir.path().join(LATER_SEGMENT_PATH)).expect("reads");
        let clock = Arc::new(TestClock::default());
        let opened = Store::open(options(dir.path()), Arc::new(RealDisk), clock).map(|_| ());
        let text = opened.expect_err("is refused").to_string();
        assert!(text.contains(LATER_SEGMENT_PATH), "{text}");
        let after = std::fs::read(dir.path().join(LATER_SEGMENT_PATH)).expect("reads");
        assert!(before == after);
    }
}
