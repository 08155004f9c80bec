//! Somebody else's hands in the data directory of a store that runs or starts.

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::{VerifyOptions, verify};

/// Hands a record over; the receiver says whether it became durable.
fn hand_over(store: &Store, text: &str) -> mpsc::Receiver<Result<Appended, crate::AppendError>> {
    let (sender, receiver) = mpsc::channel();
    let on_durable = Box::new(move |result| _ = sender.send(result));
    store.append(
        &LogspaceName::main(),
        batch(&[text]),
        Durability::Strict,
        on_durable,
    );
    receiver
}

fn is_stalled(store: &Store) -> bool {
    matches!(store.status().state, State::Stalled(_))
}

#[test]
fn a_lock_file_that_is_deleted_lets_nobody_in() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    let clock = Arc::new(TestClock::default());
    let again = || Store::open(options(dir.path()), Arc::new(RealDisk), clock.clone());
    std::fs::remove_file(dir.path().join("lock")).expect("removes");
    assert!(Store::holder(&RealDisk, dir.path()).is_some());
    assert!(matches!(again(), Err(Error::Locked { .. })));
    // The one that was refused has made a new file, which is locked by nobody.
    assert!(matches!(again(), Err(Error::Locked { .. })));
    assert!(Store::holder(&RealDisk, dir.path()).is_some());
    append(&store, batch(&["still here"]));
    drop(store);
    assert_eq!(Store::holder(&RealDisk, dir.path()), None);
    assert!(again().is_ok());
}

#[test]
fn nothing_is_acknowledged_while_the_journal_is_away() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (journal, away) = (dir.path().join("journal"), dir.path().join("away"));
    let store = open(dir.path());
    append(&store, batch(&["before"]));
    std::fs::rename(&journal, &away).expect("renames");
    let waiting = hand_over(&store, "meanwhile");
    wait_until(&store, is_stalled);
    assert_eq!(waiting.try_recv(), Err(mpsc::TryRecvError::Empty));
    std::fs::rename(&away, &journal).expect("renames");
    assert!(waiting.recv().expect("called back").is_ok());
    wait_until(&store, |store| !is_stalled(store));
    drop(store);
    assert_eq!(texts(&open(dir.path())), ["before", "meanwhile"]);
}

#[test]
fn a_journal_file_that_is_removed_or_replaced_is_written_no_more() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["one"]));
    let newest = || journal_files(dir.path()).pop().expect("there is one");
    let copied = dir.path().join("copied");
    let first = newest();
    std::fs::copy(&first, &copied).expect("copies");
    std::fs::rename(&copied, &first).expect("renames");
    assert!(
        hand_over(&store, "two")
            .recv()
            .expect("called back")
            .is_ok()
    );
    let second = newest();
    assert_ne!(first, second, "it goes on in another file");
    std::fs::remove_file(&second).expect("removes");
    assert!(
        hand_over(&store, "three")
            .recv()
            .expect("called back")
            .is_ok()
    );
    assert_ne!(second, newest());
    drop(store);
    // What was acknowledged behind the removal is there.
    let found = texts(&open(dir.path()));
    assert!(
        found.contains(&"one".to_owned()) && found.contains(&"three".to_owned()),
        "{found:?}"
    );
}

/// Every file below a directory.
fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("lists").path();
        match path.is_dir() {
            true => files_below(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn what_is_no_file_hangs_neither_a_start_nor_a_check() {
    let original = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(2, original.path()), Arc::new(RealDisk));
    fill(&store, 0..4);
    wait_until(&store, |store| segments(store) > 0);
    append(&store, batch(&["in the journal"]));
    store.save_searches("{}").expect("saves");
    drop(store);
    let mut files = Vec::new();
    files_below(original.path(), &mut files);
    assert!(files.len() > 4, "{files:?}");
    let deep = VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 1,
    };
    for kind in [FileType::Fifo, FileType::Socket] {
        for file in &files {
            let dir = tempfile::tempdir().expect("temporary directory");
            copy(original.path(), dir.path());
            let path = dir
                .path()
                .join(file.strip_prefix(original.path()).expect("below"));
            std::fs::remove_file(&path).expect("removes");
            mknodat(CWD, &path, kind, Mode::from_raw_mode(0o600), 0).expect("makes");
            // Whether it starts is another matter: what counts is that it says so.
            let options_here = segments_of(2, dir.path());
            let disk: Arc<dyn Disk> = Arc::new(RealDisk);
            _ = verify(disk.as_ref(), dir.path(), &deep, &|_, _| {});
            _ = Store::holder(disk.as_ref(), dir.path());
            let opened = Store::open(options_here, disk, Arc::new(TestClock::default()));
            if let Ok(store) = opened {
                _ = store.saved_searches();
            }
        }
    }
}

#[test]
fn imports_and_the_state_heed_the_room_that_is_to_stay_free() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let full = Options {
        free_bytes_min: u64::MAX,
        ..options(dir.path())
    };
    let store = open_with(full, Arc::new(RealDisk));
    // Before anything was written.
    let State::Stalled(reason) = store.status().state else {
        panic!("it takes records")
    };
    assert!(reason.contains("store.free_min"), "{reason}");
    let imported = store.import(&LogspaceName::main(), batch(&["a"]));
    let Err(Error::NoRoom(why)) = imported else {
        panic!("imported: {imported:?}")
    };
    assert!(why.contains("store.free_min"), "{why}");
    assert!(texts(&store).is_empty() && segments(&store) == 0);
    drop(store);
    let store = open(dir.path());
    assert_eq!(store.status().state, State::Working);
    store
        .import(&LogspaceName::main(), batch(&["a"]))
        .expect("imports");
    assert_eq!(texts(&store), ["a"]);
}
