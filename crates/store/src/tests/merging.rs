//! Segments that the disk would not read when they were to be merged.

use crate::Retention;

use super::hooked::HookedDisk;
use super::*;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Has the housekeeper look around, and waits until it has.
fn wake(store: &Store) {
    let woken = store.set_retention(&LogspaceName::main(), Retention::default());
    woken.expect("there");
    wait_until(store, Store::is_idle);
}

#[test]
fn a_merge_that_the_disk_refused_is_tried_again_after_a_pause() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(FailingDisk::default());
    let clock = Arc::new(TestClock::default());
    let store = Store::open(
        segments_of(2, dir.path()),
        Arc::clone(&disk) as Arc<dyn Disk>,
        Arc::clone(&clock) as Arc<dyn Clock>,
    );
    let store = store.expect("opens");
    let main = LogspaceName::main();
    store.create_logspace(&main).expect("creates");
    // All three are worth a merge, but no two of them, since one would be the larger part of it.
    for (round, text) in ["a", "long", "b"].into_iter().enumerate() {
        append(&store, batch(&[text, "c"]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    let expected = rows(&store);
    wait_until(&store, Store::is_idle);
    disk.reads.store(1_000, Ordering::SeqCst);
    let refused = || 1_000 - disk.reads.load(Ordering::SeqCst);
    // A day that is over is merged at once.
    clock.0.fetch_add(DAY, Ordering::SeqCst);
    let mut before = 0;
    for pause in [10, 20, 40] {
        wake(&store);
        assert!(refused() > before, "it was tried");
        before = refused();
        clock.0.fetch_add((pause - 1) * SECOND, Ordering::SeqCst);
        wake(&store);
        assert_eq!(refused(), before, "too soon");
        assert_eq!(segments(&store), 3);
        clock.0.fetch_add(SECOND, Ordering::SeqCst);
    }
    disk.reads.store(0, Ordering::SeqCst);
    assert!(snapshot(&store).damages.is_empty());
    wake(&store);
    assert_eq!(segments(&store), 1);
    assert_eq!(rows(&store), expected);
}

#[test]
fn a_store_that_closes_does_not_wait_for_a_merge() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(HookedDisk::default());
    let store = open_with(
        segments_of(2, dir.path()),
        Arc::clone(&disk) as Arc<dyn Disk>,
    );
    for round in 0..7 {
        append(&store, batch(&["a", "b"]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    wait_until(&store, Store::is_idle);
    let (begin, begun) = mpsc::channel();
    let shared = Arc::clone(&store.shared);
    disk.hook(move |path| {
        if path.ends_with("00000000000000000001.1.tmp") {
            _ = begin.send(());
            while !shared.housekeeper.is_closed() {
                std::thread::yield_now();
            }
        }
        Ok(())
    });
    append(&store, batch(&["c", "d"]));
    begun.recv().expect("the eighth segment leads to a merge");
    let expected = rows(&store);
    store.close();
    drop(store);
    assert_eq!(segment_files(dir.path()).len(), 8, "nothing was merged");
    let store = open(dir.path());
    assert_eq!(rows(&store), expected);
}
