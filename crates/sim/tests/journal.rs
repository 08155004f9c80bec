//! A journal whose sync has failed, on a disk that does not let another file be made either.
#![expect(clippy::expect_used, reason = "a test may panic")]

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use model::{LogspaceName, RecordBatch, RecordParts, Span, Timestamp};
use sim::{Call, Fault, Machine, Plan, SimClock};
use store::{AppendError, Appended, Clock, Durability, Options, Part, State, Store};

type Outcome = Result<Appended, AppendError>;

/// How often the store tries in vain.
const TRIES: u64 = 300;

struct Rig {
    machine: Machine,
    clock: Arc<SimClock>,
}

impl Rig {
    fn new() -> Self {
        let clock = Arc::new(SimClock::new(Timestamp::from_seconds(1_700_000_000)));
        let machine = Machine::new(1, Arc::clone(&clock));
        Self { machine, clock }
    }

    fn open(&self) -> Store {
        let options = Options {
            journal_file_bytes: 4_096,
            free_bytes_min: 0,
            free_bytes_warn: 0,
            ..Options::new("/data")
        };
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let store = Store::open(options, self.machine.disk(), clock).expect("opens");
        let main = LogspaceName::main();
        store.create_logspace(&main).expect("creates");
        store
    }

    fn journal_files(&self) -> Vec<PathBuf> {
        let files = self.machine.files().into_iter().map(|(path, _)| path);
        let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == "journal");
        files.filter(is_journal).collect()
    }

    /// Waits until the store has tried in vain often enough to show what it leaves behind.
    fn wait_for_tries(&self) {
        let start = self.machine.calls();
        wait_until("tries", || self.machine.calls() > start + TRIES);
    }
}

fn wait_until(what: &str, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_done() {
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::yield_now();
    }
}

fn append(store: &Store, text: &str, durability: Durability) -> mpsc::Receiver<Outcome> {
    append_then(store, text, durability, || ())
}

/// Appends a record; `then` is called when it is durable, or never will be.
fn append_then(
    store: &Store,
    text: &str,
    durability: Durability,
    then: impl FnOnce() + Send + 'static,
) -> mpsc::Receiver<Outcome> {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("test").expect("room");
    let parts = RecordParts {
        message: Span::new(0, text.len()),
        ..RecordParts::default()
    };
    let received = Timestamp::from_seconds(1_700_000_000);
    let pushed = batch.push(text.as_bytes(), &parts, received, None, source);
    pushed.expect("room");
    let (sender, receiver) = mpsc::channel();
    let on_durable = Box::new(move |result| {
        then();
        _ = sender.send(result);
    });
    store.append(&LogspaceName::main(), batch, durability, on_durable);
    receiver
}

fn acknowledged(outcome: &mpsc::Receiver<Outcome>) -> u64 {
    let outcome = outcome.recv_timeout(Duration::from_secs(60));
    outcome.expect("called back").expect("durable").first.0
}

fn texts(store: &Store) -> Vec<String> {
    let snapshot = store.snapshot(&LogspaceName::main()).expect("there");
    let mut texts = Vec::new();
    for part in &snapshot.parts {
        let Part::Tail(chunk) = part else {
            panic!("nothing is sealed")
        };
        let records = chunk.batch.iter();
        texts.extend(records.map(|record| String::from_utf8_lossy(record.raw()).into_owned()));
    }
    texts
}

fn is_stalled(store: &Store) -> bool {
    matches!(store.status().state, State::Stalled(_))
}

/// Makes a sync fail and every other file too, until the disk is mended.
fn survives(fail: impl Fn(&Machine), reason: &str, early: Durability) {
    let rig = Rig::new();
    let store = rig.open();
    assert_eq!(acknowledged(&append(&store, "before", early)), 1);
    let files_before = rig.journal_files().len();
    fail(&rig.machine);
    let during = append(&store, "during", Durability::Strict);
    wait_until("a stall", || is_stalled(&store));
    let after = append(&store, "after", Durability::Strict);
    rig.wait_for_tries();
    // It says why, acknowledges nothing, shows nothing that is not durable, and goes on answering.
    let status = store.status();
    let State::Stalled(told) = status.state else {
        panic!("it works")
    };
    assert!(told.contains(reason) && told.contains("journal"), "{told}");
    assert_eq!(status.pending_records, 2);
    assert!(during.try_recv().is_err() && after.try_recv().is_err());
    assert_eq!(texts(&store), ["before"]);
    let left = rig.journal_files();
    assert!(left.len() <= files_before + 2, "{left:?}");
    rig.machine.mend();
    assert_eq!(acknowledged(&during), 2);
    assert_eq!(acknowledged(&after), 3);
    wait_until("work", || !is_stalled(&store));
    assert_eq!(texts(&store), ["before", "during", "after"]);
    rig.machine.stop();
    drop(store);
    rig.machine.release();
    rig.machine.cut_power(0);
    assert_eq!(texts(&rig.open()), ["before", "during", "after"]);
}

fn failing(only: &[Call], fault: Fault) -> Plan {
    Plan {
        fault: Some((u64::MAX, fault)),
        only: only.to_vec(),
        ..Plan::default()
    }
}

#[test]
fn a_failed_sync_waits_for_room_for_another_file() {
    for early in Durability::ALL {
        let fail = |machine: &Machine| {
            machine.set_room(Some(0));
            machine.set_plan(Plan {
                fault: Some((1, Fault::Io)),
                only: vec![Call::Sync],
                ..Plan::default()
            });
        };
        survives(fail, "No space left", early);
    }
}

#[test]
fn a_failed_sync_waits_for_a_disk_that_makes_files_again() {
    let calls = [
        &[Call::Sync, Call::Create][..],
        &[Call::Sync, Call::Allocate],
        &[Call::Sync, Call::Write],
        &[Call::Sync, Call::SyncDir],
        &[Call::Sync],
        &[Call::Write],
    ];
    for only in calls {
        for (fault, reason) in [
            (Fault::Io, "Input/output error"),
            (Fault::NoSpace, "No space left"),
        ] {
            for early in [Durability::Strict, Durability::Fast] {
                let plan = failing(only, fault);
                survives(|machine| machine.set_plan(plan.clone()), reason, early);
            }
        }
    }
}

#[test]
fn what_waits_behind_a_commit_that_is_refused_is_refused_too() {
    let rig = Rig::new();
    let store = rig.open();
    assert_eq!(
        acknowledged(&append(&store, "before", Durability::Strict)),
        1
    );
    let plan = failing(&[Call::Sync, Call::Write], Fault::Io);
    rig.machine.set_plan(plan);
    // The disk works again from the very moment at which the first of them is given up.
    let machine = rig.machine.clone();
    let mend = move || machine.mend();
    let refused = append_then(&store, "refused", Durability::Strict, mend);
    wait_until("a stall", || is_stalled(&store));
    let behind = append(&store, "behind", Durability::Strict);
    rig.wait_for_tries();
    drop(store);
    for outcome in [refused, behind] {
        let outcome = outcome.recv().expect("called back");
        assert!(matches!(outcome, Err(AppendError::Closed)), "{outcome:?}");
    }
    assert_eq!(texts(&rig.open()), ["before"]);
}
