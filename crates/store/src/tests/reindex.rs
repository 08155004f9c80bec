//! Segments are written anew where that can be done, and otherwise stay what they are.

use std::time::Duration;

use super::*;
use crate::{Archive, LeftBecause, ReindexOptions, Reindexed, reindex};

/// All of them.
fn all() -> ReindexOptions {
    ReindexOptions {
        is_all: true,
        ..ReindexOptions::default()
    }
}

fn reindexed(options: Options, asked: &ReindexOptions) -> Result<Reindexed, Error> {
    let (disk, clock) = (Arc::new(RealDisk) as _, Arc::new(TestClock::default()));
    reindex(options, asked, &disk, clock, &|_, _| {})
}

pub(super) fn written_anew(directory: &Path, asked: &ReindexOptions) -> Reindexed {
    reindexed(Options::new(directory), asked).expect("is done")
}

/// A directory with a segment of two records.
fn of_one_segment() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(2, dir.path()), Arc::new(RealDisk));
    append(&store, batch(&["a", "b"]));
    wait_until(&store, |store| segments(store) == 1);
    dir
}

/// The segments below a directory, and what is in them.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let day = dir.join("1970/01-01");
    let found = std::fs::read_dir(&day).expect("lists");
    let paths = found.map(|entry| entry.expect("lists").path());
    let own = paths.filter(|path| path.extension().is_some_and(|ending| ending == "segment"));
    own.map(|path| (path.clone(), std::fs::read(path).expect("reads")))
        .collect()
}

/// Nothing was written, for this reason.
pub(super) fn assert_left(found: &Reindexed, because: LeftBecause) {
    let reasons: Vec<LeftBecause> = found.left.iter().map(|left| left.reason).collect();
    assert_eq!((found.segments, reasons), (0, vec![because]));
}

#[test]
fn a_damaged_one_stays() {
    let dir = of_one_segment();
    for file in journal_files(dir.path()) {
        std::fs::remove_file(file).expect("removes");
    }
    let main = dir.path().join("logspaces/main");
    let [(path, mut bytes)] = files(&main).try_into().expect("one");
    // In the first page of columns.
    bytes[70] ^= 0x10;
    std::fs::write(&path, &bytes).expect("writes");
    let done = written_anew(dir.path(), &all());
    assert_left(&done, LeftBecause::Damaged);
    assert_eq!(files(&main), [(path, bytes)]);
}

/// What the journal still has becomes a whole segment at the next start.
#[test]
fn a_damaged_one_whose_records_are_in_the_journal_waits_for_the_next_start() {
    let dir = of_one_segment();
    let main = dir.path().join("logspaces/main");
    let [(path, mut bytes)] = files(&main).try_into().expect("one");
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&path, &bytes).expect("writes");
    let done = written_anew(dir.path(), &all());
    assert_left(&done, LeftBecause::InJournal);
    assert_eq!(texts(&open(dir.path())), ["a", "b"]);
}

#[test]
fn one_in_the_archive_stays() {
    let [dir, slow] = [(); 2].map(|()| tempfile::tempdir().expect("temporary directory"));
    let clock = Arc::new(TestClock::default());
    let options = segments_of(2, dir.path());
    let store = Store::open(options, Arc::new(RealDisk), clock.clone()).expect("opens");
    let main = LogspaceName::main();
    store.create_logspace(&main).expect("creates");
    append(&store, batch(&["a", "b"]));
    wait_until(&store, |store| segments(store) == 1);
    clock.0.store(3 * 86_400 * 1_000_000_000, Ordering::Relaxed);
    let archive = Archive {
        after: Duration::from_secs(3_600),
        dir: slow.path().to_owned(),
    };
    store.set_archive(&main, Some(archive)).expect("there");
    wait_until(&store, |store| {
        store.status().logspaces[0].archived_segments == 1
    });
    drop(store);
    let before = files(&slow.path().join("main"));
    assert_left(&written_anew(dir.path(), &all()), LeftBecause::Archived);
    assert_eq!(files(&slow.path().join("main")), before);
}

#[test]
fn one_that_the_disk_has_no_room_for_stays() {
    let dir = of_one_segment();
    let before = files(&dir.path().join("logspaces/main"));
    let options = Options {
        free_bytes_warn: u64::MAX,
        ..Options::new(dir.path())
    };
    let found = reindexed(options, &all()).expect("is done");
    assert_left(&found, LeftBecause::NoRoom);
    assert_eq!(files(&dir.path().join("logspaces/main")), before);
    let done = written_anew(dir.path(), &all());
    assert_eq!((done.segments, done.records, done.left), (1, 2, vec![]));
    assert_ne!(files(&dir.path().join("logspaces/main")), before);
    assert_eq!(texts(&open(dir.path())), ["a", "b"]);
}

#[test]
fn a_logspace_that_is_not_there_is_said() {
    let dir = of_one_segment();
    let asked = ReindexOptions {
        logspace: Some(LogspaceName::parse("other").expect("a name")),
        ..ReindexOptions::default()
    };
    assert!(matches!(
        reindexed(Options::new(dir.path()), &asked),
        Err(Error::UnknownLogspace(_))
    ));
}
