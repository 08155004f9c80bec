//! Old segments move to the archive, are read there, and come back with its disk.

use std::time::Duration;

use super::*;
use crate::{Archive, Retention};

struct Place {
    dir: tempfile::TempDir,
    clock: Arc<TestClock>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::create_dir(dir.path().join("slow")).expect("creates");
        let clock = Arc::new(TestClock::default());
        Self { dir, clock }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn slow(&self) -> PathBuf {
        self.dir.path().join("slow")
    }

    fn open(&self) -> Store {
        let small = segments_of(2, &self.data());
        let clock: Arc<dyn Clock> = self.clock.clone();
        let store = Store::open(small, Arc::new(RealDisk), clock).expect("opens");
        let main = LogspaceName::main();
        store.create_logspace(&main).expect("creates");
        store
    }

    fn archive_into(&self, store: &Store, dir: PathBuf) {
        let after = Duration::from_secs(3_600);
        let archive = Archive { after, dir };
        let main = LogspaceName::main();
        store.set_archive(&main, Some(archive)).expect("there");
    }

    /// A store with six records in the archive.
    fn filled(&self) -> Store {
        let store = self.open();
        fill_three(&store);
        let days = 3 * 86_400 * 1_000_000_000;
        self.clock.0.store(days, Ordering::Relaxed);
        self.archive_into(&store, self.slow());
        wait_until(&store, |store| archived(store) == segments(store));
        store
    }
}

fn archived(store: &Store) -> usize {
    store.status().logspaces[0].archived_segments
}

fn files_in(dir: &Path) -> usize {
    std::fs::read_dir(dir.join("1970/01-01")).map_or(0, |entries| {
        let name = |entry: io::Result<std::fs::DirEntry>| entry.expect("lists").file_name();
        let is_segment = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".segment");
        entries.map(name).filter(is_segment).count()
    })
}

#[test]
fn old_segments_move_and_stay_searchable() {
    let place = Place::new();
    let store = place.filled();
    let expected = ["0a", "0b", "1a", "1b", "2a", "2b"];
    assert_eq!(texts(&store), expected);
    assert_eq!(store.status().logspaces[0].disk_bytes, 0);
    wait_until(&store, |_| {
        files_in(&place.data().join("logspaces/main")) == 0
    });
    assert_ne!(files_in(&place.slow().join("main")), 0);
    append(&store, batch(&["new"]));
    drop(store);
    let clock: Arc<dyn Clock> = place.clock.clone();
    let options = options(&place.data());
    let reader = Store::open_read_only(options, Arc::new(RealDisk), clock).expect("opens");
    assert_eq!(texts(&reader).len(), 7);
    let store = place.open();
    assert_eq!(texts(&store).len(), 7);
}

#[test]
fn an_archive_that_is_not_there_is_said_and_comes_back() {
    let place = Place::new();
    drop(place.filled());
    let away = place.dir.path().join("away");
    std::fs::rename(place.slow(), &away).expect("renames");
    std::fs::create_dir(place.slow()).expect("creates");
    let store = place.open();
    place.archive_into(&store, place.slow());
    assert!(!snapshot(&store).damages.is_empty());
    append(&store, batch(&["new", "and new"]));
    wait_until(&store, |store| {
        let failure = store.status().logspaces[0].archive_failure.clone();
        failure.is_some_and(|failure| failure.contains("mounted"))
    });
    let main = LogspaceName::main();
    let nothing = Retention {
        age_max: Some(Duration::ZERO),
        bytes_max: None,
    };
    assert_eq!(std::fs::read_dir(place.slow()).expect("lists").count(), 0);
    std::fs::remove_dir(place.slow()).expect("removes");
    std::fs::rename(&away, place.slow()).expect("renames");
    wait_until(&store, |store| {
        // Wakes the housekeeper, which looks every ten seconds otherwise.
        place.archive_into(store, place.slow());
        snapshot(store).damages.is_empty()
    });
    assert_eq!(texts(&store).len(), 8);
    store.set_retention(&main, nothing).expect("there");
    wait_until(&store, |_| files_in(&place.slow().join("main")) == 0);
}

#[test]
fn a_move_cut_short_is_finished_or_undone_at_the_next_start() {
    let place = Place::new();
    drop(place.filled());
    let day = place.data().join("logspaces/main/1970/01-01");
    let name = "00000000000000000001.segment";
    let archived_day = place.slow().join("main/1970/01-01");
    let file = std::fs::read_dir(&archived_day)
        .expect("lists")
        .next()
        .expect("one")
        .expect("lists");
    // The original was not yet deleted, and half of a copy was begun.
    std::fs::create_dir_all(&day).expect("creates");
    std::fs::copy(file.path(), day.join(file.file_name())).expect("copies");
    std::fs::write(archived_day.join("x.tmp"), "half").expect("writes");
    let store = place.open();
    assert_eq!(texts(&store).len(), 6);
    assert_eq!(files_in(&place.data().join("logspaces/main")), 0);
    assert!(!archived_day.join("x.tmp").exists());
    assert!(!day.join(format!("{name}.orphan")).exists());
}

#[test]
fn a_damaged_manifest_takes_its_archived_segments_back() {
    let place = Place::new();
    let store = place.filled();
    append(&store, batch(&["6a", "6b"]));
    wait_until(&store, |store| {
        store.status().logspaces[0].tail_records == 0
    });
    drop(store);
    for file in journal_files(&place.data()) {
        std::fs::remove_file(file).expect("removes");
    }
    let path = place.data().join("logspaces/main/manifest");
    let whole = std::fs::read(&path).expect("reads");
    for at in (24..whole.len()).step_by(24) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).expect("writes");
        let store = place.open();
        let texts = texts(&store);
        let found = texts.iter().filter(|text| text.len() == 2).count();
        // The last record of a manifest is dropped like one that was never finished.
        assert!(found >= 6, "byte {at}: {texts:?}");
    }
}

#[test]
fn the_archive_of_another_store_is_refused() {
    let place = Place::new();
    drop(place.filled());
    let other = open(&place.dir.path().join("other"));
    let archive = Archive {
        after: Duration::from_secs(3_600),
        dir: place.slow(),
    };
    let main = LogspaceName::main();
    other.set_archive(&main, Some(archive)).expect("there");
    wait_until(&other, |store| {
        let failure = store.status().logspaces[0].archive_failure.clone();
        failure.is_some_and(|failure| failure.contains("another store"))
    });
}

#[test]
fn a_backup_has_what_is_archived() {
    let place = Place::new();
    let store = place.filled();
    let copy = place.dir.path().join("copy");
    let made = store.backup(&copy).expect("makes a backup");
    assert_eq!(made.damages, []);
    let away = place.dir.path().join("away");
    std::fs::rename(place.slow(), &away).expect("renames");
    let clock = Arc::new(TestClock::default());
    let reader = Store::open_read_only(options(&copy), Arc::new(RealDisk), clock).expect("opens");
    assert_eq!(texts(&reader), texts(&store));
    assert!(snapshot(&reader).damages.is_empty());
}
