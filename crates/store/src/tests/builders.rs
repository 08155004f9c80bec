//! Several builders at once: the same records in the same order, whatever becomes of some of them.

use std::sync::mpsc::Sender;
use std::sync::{Barrier, mpsc};

use proptest::prelude::*;

use super::hooked::HookedDisk;
use super::*;
use crate::builders::For;

fn with_builders(threads: usize, segment_rows: usize, dir: &Path) -> Options {
    Options {
        threads,
        ..segments_of(segment_rows, dir)
    }
}

/// Keeps a builder busy until the sender is dropped.
fn occupy(store: &Store) -> Sender<()> {
    let (hold, held) = mpsc::channel::<()>();
    let (begin, begun) = mpsc::channel();
    let work = move |_: &mut segment::Builder| {
        begin.send(()).expect("waited for");
        _ = held.recv();
        Ok(Vec::new())
    };
    store.shared.builders.submit(For::Import, Box::new(work));
    begun.recv().expect("a builder takes it");
    hold
}

fn numbered(numbers: std::ops::Range<usize>) -> RecordBatch {
    let texts: Vec<String> = numbers.map(|number| format!("message {number}")).collect();
    batch(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn assert_numbered(store: &Store, count: usize) {
    let found = rows(store)
        .into_iter()
        .map(|(number, _, text)| (number, text));
    let expected = (0..count).map(|number| (number as u64 + 1, format!("message {number}")));
    assert!(found.eq(expected), "{:?}", rows(store));
}

#[test]
fn builders_work_at_the_same_time() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(3, 10, dir.path()), Arc::new(RealDisk));
    let together = Arc::new(Barrier::new(3));
    let building: Vec<_> = [For::Sealer, For::Import, For::Import]
        .into_iter()
        .map(|whom| {
            let together = Arc::clone(&together);
            let work = move |_: &mut segment::Builder| {
                together.wait();
                Ok(Vec::new())
            };
            store.shared.builders.submit(whom, Box::new(work))
        })
        .collect();
    for building in building {
        assert!(building.wait().is_ok());
    }
}

#[test]
fn stretches_of_a_tail_are_built_beside_each_other() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(2, 10, dir.path()), Arc::new(RealDisk));
    let held = [occupy(&store), occupy(&store)];
    for start in (0..40).step_by(5) {
        append(&store, numbered(start..start + 5));
    }
    // One for each builder, and the rest of the tail is for those that come next.
    wait_until(&store, |store| store.shared.builders.waiting() == 2);
    assert_eq!(segments(&store), 0);
    assert_numbered(&store, 40);
    drop(held);
    wait_until(&store, |store| {
        store.is_idle() && sealed_records(store) == 40
    });
    assert_numbered(&store, 40);
}

#[test]
fn a_builder_that_panics_is_told_and_works_on() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(1, 10, dir.path()), Arc::new(RealDisk));
    let panics = Box::new(|_: &mut segment::Builder| panic!("on purpose"));
    let building = store.shared.builders.submit(For::Import, panics);
    assert!(matches!(building.wait(), Err(Error::BuilderPanicked)));
    append(&store, numbered(0..10));
    wait_until(&store, |store| segments(store) == 1);
    assert_numbered(&store, 10);
}

#[test]
fn what_failed_to_be_built_is_built_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(2, 10, dir.path()), Arc::new(RealDisk));
    let held = [occupy(&store), occupy(&store)];
    append(&store, numbered(0..10));
    append(&store, numbered(10..20));
    wait_until(&store, |store| store.shared.builders.waiting() == 2);
    // The first of them; the second waits for it.
    store.shared.builders.fail_one();
    store.shared.sealer.wake();
    drop(held);
    append(&store, numbered(20..25));
    wait_until(&store, |store| sealed_records(store) == 20);
    assert_numbered(&store, 25);
    drop(store);
    assert_numbered(&open(dir.path()), 25);
}

#[test]
fn what_cannot_be_written_holds_up_what_is_behind_it_and_nothing_else() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(HookedDisk::default());
    let other = LogspaceName::parse("other").expect("a name");
    let store = open_with(
        with_builders(2, 10, dir.path()),
        Arc::clone(&disk) as Arc<dyn Disk>,
    );
    store.create_logspace(&other).expect("creates");
    // The first segment of main.
    disk.hook(|path| {
        let path = path.to_string_lossy();
        match path.contains("main") && path.ends_with("001.tmp") {
            true => Err(io::Error::other("injected")),
            false => Ok(()),
        }
    });
    for start in (0..30).step_by(10) {
        append(&store, numbered(start..start + 10));
    }
    append_to(&store, &other, numbered(0..10));
    let sealed_of = |store: &Store, name: &LogspaceName| {
        let status = store.status();
        let found = status.logspaces.into_iter().find(|l| l.name == *name);
        found.map_or(0, |logspace| logspace.segments)
    };
    wait_until(&store, |store| sealed_of(store, &other) == 1);
    assert_eq!(sealed_of(&store, &LogspaceName::main()), 0);
    assert_numbered(&store, 30);
    let killed = tempfile::tempdir().expect("temporary directory");
    copy(dir.path(), killed.path());
    assert_numbered(&open(killed.path()), 30);
    disk.unhook();
    wait_until(&store, |store| sealed_records(store) == 30);
    assert_numbered(&store, 30);
    drop(store);
    assert_numbered(&open(dir.path()), 30);
}

#[test]
fn a_stop_publishes_what_is_being_built() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(2, 10, dir.path()), Arc::new(RealDisk));
    let held = [occupy(&store), occupy(&store)];
    append(&store, numbered(0..10));
    append(&store, numbered(10..20));
    append(&store, numbered(20..30));
    wait_until(&store, |store| store.shared.builders.waiting() == 2);
    std::thread::scope(|scope| {
        let closing = scope.spawn(|| store.close());
        wait_until(&store, |store| store.shared.sealer.is_closed());
        drop(held);
        closing.join().expect("closes");
    });
    // The third stretch stays in the journal, unless a builder was free before the sealer saw the stop.
    let sealed = sealed_records(&store);
    assert!(sealed >= 20, "{sealed}");
    drop(store);
    let store = open(dir.path());
    assert_eq!(sealed_records(&store), sealed);
    assert_numbered(&store, 30);
}

#[test]
fn imports_keep_the_order_in_which_they_began() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(with_builders(3, 1_000, dir.path()), Arc::new(RealDisk));
    let main = LogspaceName::main();
    let start = |numbers| store.start_import(&main, numbered(numbers)).expect("begun");
    let (first, second, third) = (start(0..10), start(10..20), start(20..30));
    assert_eq!(second.records(), 10);
    third.finish().expect("imported");
    second.finish().expect("imported");
    // Its numbers stay its own until it comes.
    assert_eq!(rows(&store).first().map(|(number, ..)| *number), Some(11));
    append(&store, numbered(30..35));
    first.finish().expect("imported");
    assert_numbered(&store, 35);
    drop(store);
    assert_numbered(&open(dir.path()), 35);
}

#[test]
fn an_import_into_a_store_that_is_closed_or_read_only_is_refused() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, numbered(0..1));
    store.close();
    let main = LogspaceName::main();
    let refused = store.import(&main, numbered(1..2));
    assert!(matches!(refused, Err(Error::Closing)));
    drop(store);
    let clock = Arc::new(TestClock::default());
    let reading = Store::open_read_only(options(dir.path()), Arc::new(RealDisk), clock);
    let refused = reading.expect("opens").import(&main, numbered(1..2));
    assert!(matches!(refused, Err(Error::ReadOnly)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_number_of_builders_keeps_all_records_in_order(
        threads in 1_usize..6,
        segment_rows in 1_usize..40,
        // Records, whether they are imported, and whether the store is opened anew behind them.
        steps in prop::collection::vec((1_usize..30, 0_u8..8), 1..25),
    ) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let options = with_builders(threads, segment_rows, dir.path());
        let mut store = open_with(options.clone(), Arc::new(RealDisk));
        let mut count = 0;
        for (records, what) in steps {
            let batch = numbered(count..count + records);
            count += records;
            match what {
                0 => store.import(&LogspaceName::main(), batch).expect("imported"),
                _ => _ = append(&store, batch),
            }
            if what == 1 {
                drop(store);
                store = open_with(options.clone(), Arc::new(RealDisk));
            }
        }
        assert_numbered(&store, count);
        wait_until(&store, Store::is_idle);
        assert_numbered(&store, count);
        drop(store);
        assert_numbered(&open_with(options, Arc::new(RealDisk)), count);
    }
}
