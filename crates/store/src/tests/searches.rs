//! Saved searches: there after a start, in a backup, and whole when the disk refuses.

use super::*;
use crate::restore;

fn saved(store: &Store) -> Option<String> {
    store.saved_searches().expect("reads")
}

#[test]
fn what_was_saved_is_there_after_a_start() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    assert_eq!(saved(&store), None);
    for text in ["[1, 2, 3]", "[1]"] {
        store.save_searches(text).expect("saves");
        assert_eq!(saved(&store).as_deref(), Some(text));
    }
    drop(store);
    assert_eq!(saved(&open(dir.path())).as_deref(), Some("[1]"));
}

#[test]
fn a_disk_that_refuses_leaves_what_was_saved_before() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(FailingDisk::default());
    let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
    store.save_searches("[1]").expect("saves");
    disk.failures.store(1, Ordering::SeqCst);
    assert!(store.save_searches("[1, 2]").is_err());
    assert_eq!(saved(&store).as_deref(), Some("[1]"));
    store.save_searches("[1, 2]").expect("saves");
    assert_eq!(saved(&store).as_deref(), Some("[1, 2]"));
}

#[test]
fn a_backup_and_what_is_restored_have_them_too() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let store = open(&path("data"));
    store.save_searches("[1]").expect("saves");
    store.backup(&path("copy")).expect("makes a backup");
    restore(&disk, &path("copy"), &path("restored")).expect("restores");
    for name in ["copy", "restored"] {
        assert_eq!(saved(&open(&path(name))).as_deref(), Some("[1]"), "{name}");
    }
}

#[test]
fn what_is_too_long_is_neither_written_nor_read() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(&dir.path().join("data"));
    let long = "x".repeat(usize::try_from(crate::limits::SEARCHES_BYTES_MAX).expect("fits") + 1);
    let error = store.save_searches(&long).expect_err("too long");
    assert!(error.to_string().contains("4194304 bytes"), "{error}");
    assert_eq!(saved(&store), None);
    std::fs::write(dir.path().join("data/searches.json"), &long).expect("writes");
    let error = store.saved_searches().expect_err("too long");
    assert!(error.to_string().contains("searches.json"), "{error}");
    // The records come into a backup all the same.
    let made = store
        .backup(&dir.path().join("copy"))
        .expect("makes a backup");
    assert_eq!(made.damages.len(), 1);
}
