//! Segments that the disk would not read when they were to be merged.

use crate::Retention;

use super::*;

const DAY: i64 = 86_400 * 1_000_000_000;

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
    // Three, so that none is larger than all others together.
    for round in 0..3 {
        append(&store, batch(&["a", "b"]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    let expected = rows(&store);
    wait_until(&store, Store::is_idle);
    // The kinds are there twice, so that a merge that cannot read them tries twice.
    disk.reads.store(4, Ordering::SeqCst);
    // A day that is over is merged at once.
    clock.0.fetch_add(DAY, Ordering::SeqCst);
    for (failures_left, pause) in [(2, 10), (0, 20)] {
        wake(&store);
        assert_eq!(disk.reads.load(Ordering::SeqCst), failures_left);
        clock
            .0
            .fetch_add((pause - 1) * 1_000_000_000, Ordering::SeqCst);
        wake(&store);
        assert_eq!(disk.reads.load(Ordering::SeqCst), failures_left, "too soon");
        assert_eq!(segments(&store), 3);
        clock.0.fetch_add(1_000_000_000, Ordering::SeqCst);
    }
    assert!(snapshot(&store).damages.is_empty());
    wake(&store);
    assert_eq!(segments(&store), 1);
    assert_eq!(rows(&store), expected);
}
