//! Segments that the disk would not read when they were to be merged.

use crate::Retention;

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
    let long = "4f1d9c07e2ba58363d7fa90c15e8b6427a0cd3f95b81e64c2709af3d8e5b1c60";
    for (round, text) in ["a", long, "b"].into_iter().enumerate() {
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
