//! Backups: of a store at work, one over the other, copied, restored, interrupted.

use super::*;
use crate::{Backup, Restore, restore};

fn read(dir: &Path) -> Store {
    let clock = Arc::new(TestClock::default());
    Store::open_read_only(options(dir), Arc::new(RealDisk), clock).expect("opens")
}

fn back_up(store: &Store, dir: &Path) -> Backup {
    store.backup(dir).expect("makes a backup")
}

fn restored(from: &Path, to: &Path) -> Restore {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    restore(&disk, from, to).expect("restores")
}

/// Kept, linked, copied and removed segments of the only logspace.
fn counts(backup: &Backup) -> [u64; 4] {
    let of = &backup.logspaces[0];
    [of.kept, of.linked, of.copied, of.removed]
}

#[test]
fn a_backup_has_all_that_was_durable_and_is_a_data_directory() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let copy = dir.path().join("copy");
    let store = open_with(segments_of(2, &dir.path().join("data")), Arc::new(RealDisk));
    fill_three(&store);
    append(&store, batch(&["tail"]));
    let expected = rows(&store);
    let made = back_up(&store, &copy);
    assert_eq!(made.logspaces[0].records, 7);
    assert_eq!(made.logspaces[0].last, Some(RecordNumber(7)));
    assert_eq!(made.damages, []);
    append(&store, batch(&["later", "and later"]));
    let there = read(&copy);
    assert_eq!(rows(&there), expected);
    assert_eq!(snapshot(&there).last_number(), Some(RecordNumber(7)));
    assert!(snapshot(&there).damages.is_empty());
}

#[test]
fn a_second_backup_adds_what_is_new_and_removes_what_is_gone() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let copy = dir.path().join("copy");
    let store = open_with(segments_of(2, &dir.path().join("data")), Arc::new(RealDisk));
    fill_three(&store);
    append(&store, batch(&["tail"]));
    assert_eq!(counts(&back_up(&store, &copy)), [0, 3, 0, 0]);
    assert_eq!(counts(&back_up(&store, &copy)), [3, 0, 0, 0]);
    append(&store, batch(&["3b"]));
    wait_until(&store, |store| segments(store) == 4);
    fill_until_merged(&store, 4);
    append(&store, batch(&["new tail"]));
    assert_eq!(counts(&back_up(&store, &copy)), [0, 1, 0, 3]);
    assert_eq!(rows(&read(&copy)), rows(&store));
    assert_eq!(segment_files(&copy), ["00000000000000000001.1.segment"]);
    assert_eq!(journal_files(&copy).len(), 1);
}

#[test]
fn where_links_are_refused_segments_are_copied_and_read_back() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (data, copy) = (dir.path().join("data"), dir.path().join("copy"));
    let store = open_with(segments_of(2, &data), Arc::new(FailingDisk::default()));
    fill_three(&store);
    let made = back_up(&store, &copy);
    assert_eq!(counts(&made), [0, 0, 3, 0]);
    assert_eq!(made.damages, []);
    assert_eq!(rows(&read(&copy)), rows(&store));
    let path = data.join("logspaces/main/1970/01-01/00000000000000000003.segment");
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[80] ^= 1;
    std::fs::write(&path, bytes).expect("writes");
    // What an older backup has whole is not replaced by what has become damaged.
    assert_eq!(counts(&back_up(&store, &copy)), [3, 0, 0, 0]);
    assert_eq!(rows(&read(&copy)).len(), 6);
    let made = back_up(&store, &dir.path().join("other"));
    assert_eq!(made.damages.len(), 1, "{:?}", made.damages);
}

#[test]
fn only_a_directory_that_is_ours_to_write_is_written_to() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let store = open(&path("data"));
    append(&store, batch(&["a"]));
    let refusal = |dir: &Path| match store.backup(dir) {
        Err(error) => error.to_string(),
        Ok(made) => panic!("made {made:?}"),
    };
    assert!(refusal(&path("data")).contains("inside of the data directory"));
    assert!(refusal(&path("data/backup")).contains("inside of the data directory"));
    assert!(refusal(dir.path()).contains("around it"));
    std::fs::create_dir(path("mine")).expect("creates");
    std::fs::write(path("mine/thesis"), "years of work").expect("writes");
    assert!(refusal(&path("mine")).contains("is not empty"));
    let other = open(&path("other"));
    back_up(&other, &path("backup of the other"));
    assert!(refusal(&path("other")).contains("is not empty"));
    assert!(refusal(&path("backup of the other")).contains("of another store"));
    assert_eq!(std::fs::read_dir(path("mine")).expect("lists").count(), 1);

    back_up(&store, &path("backup"));
    let received_into = open(&path("backup"));
    assert!(refusal(&path("backup")).contains("received into"));
    append(&received_into, batch(&["b"]));
    drop(received_into);
    assert!(refusal(&path("backup")).contains("received into"));
    assert_eq!(texts(&read(&path("backup"))), ["a", "b"]);
}

#[test]
fn a_restored_store_goes_on_where_the_backup_ended() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let store = open_with(segments_of(2, &path("data")), Arc::new(RealDisk));
    fill_three(&store);
    append(&store, batch(&["tail"]));
    let expected = rows(&store);
    back_up(&store, &path("backup"));
    let report = restored(&path("backup"), &path("restored"));
    assert_eq!((report.segments, report.damages.len()), (3, 0));
    let again = open_with(segments_of(2, &path("restored")), Arc::new(RealDisk));
    assert_eq!(rows(&again), expected);
    assert_eq!(append(&again, batch(&["new"])).first, RecordNumber(8));
    // The store it was may go on; its backup is not written over.
    let result = again.backup(&path("backup"));
    assert!(matches!(result, Err(Error::WrongDirectory { .. })));
    back_up(&again, &path("backup of the restored"));
    assert_eq!(rows(&read(&path("backup of the restored"))).len(), 8);
}

#[test]
fn a_restore_says_what_is_damaged_and_refuses_what_is_not_empty() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let store = open_with(
        segments_of(2, &path("data")),
        Arc::new(FailingDisk::default()),
    );
    fill_three(&store);
    back_up(&store, &path("backup"));
    let day = path("backup").join("logspaces/main/1970/01-01");
    let first = day.join("00000000000000000001.segment");
    let mut bytes = std::fs::read(&first).expect("reads");
    bytes[80] ^= 1;
    std::fs::write(&first, bytes).expect("writes");
    std::fs::remove_file(day.join("00000000000000000003.segment")).expect("removes");
    let report = restored(&path("backup"), &path("restored"));
    assert_eq!((report.segments, report.damages.len()), (2, 2));
    assert_eq!(snapshot(&read(&path("restored"))).parts.len(), 2);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let result = restore(&disk, &path("backup"), &path("restored"));
    assert!(matches!(result, Err(Error::WrongDirectory { .. })));
    let result = restore(&disk, &path("nothing"), &path("new"));
    assert!(matches!(result, Err(Error::NotADataDirectory { .. })));
}

#[test]
fn what_was_not_finished_is_not_used_and_can_be_begun_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let store = open_with(segments_of(2, &path("data")), Arc::new(RealDisk));
    fill_three(&store);
    back_up(&store, &path("backup"));
    restored(&path("backup"), &path("restored"));
    for (name, what) in [("backup", "a first backup"), ("restored", "a restore")] {
        std::fs::write(path(name).join("unfinished"), what).expect("writes");
        std::fs::remove_file(path(name).join("logspaces/main/manifest")).expect("removes");
        let clock = Arc::new(TestClock::default());
        let result = Store::open_read_only(options(&path(name)), Arc::new(RealDisk), clock);
        assert!(matches!(result, Err(Error::Unfinished { .. })));
    }
    back_up(&store, &path("backup"));
    restored(&path("backup"), &path("restored"));
    assert_eq!(rows(&read(&path("restored"))), rows(&store));
}

#[test]
fn journals_of_two_backups_add_up() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (data, copy) = (dir.path().join("data"), dir.path().join("copy"));
    let store = open(&data);
    append(&store, batch(&["a", "b"]));
    back_up(&store, &copy);
    let older = journal_files(&copy).remove(0);
    let bytes = std::fs::read(&older).expect("reads");
    // Joined with the others in the tail, so that the blocks overlap in part.
    append(&store, batch(&["c", "d"]));
    back_up(&store, &copy);
    assert!(!older.exists());
    // As if the second backup had been killed before it removed this file.
    std::fs::write(&older, bytes).expect("writes");
    assert_eq!(texts(&read(&copy)), ["a", "b", "c", "d"]);
    assert_eq!(rows(&read(&copy)), rows(&store));
    back_up(&store, &copy);
    assert_eq!(journal_files(&copy).len(), 1);
}
