//! The store as a whole, on a real disk and on one that fails.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};

use crate::journal::tests::batch;
use crate::limits::MERGE_FAN_IN;
use crate::{
    Appended, Clock, Disk, DiskEntry, DiskFile, Durability, Error, OpenMode, Options, Part,
    RealDisk, Snapshot, State, Store,
};

mod archive;
mod backup;
mod builders;
mod compaction;
mod documents;
mod everything;
mod following;
mod hooked;
mod kept_records;
mod lexicon;
mod meddling;
mod memory_segments;
mod merging;
mod panics;
mod searches;
mod stop;
mod tampering;

/// A clock that stands where it is put.
#[derive(Default)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// A disk on which syncs of the journal and of saved searches, and reads of segments, fail while a counter is above zero.
#[derive(Default)]
struct FailingDisk {
    failures: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
}

struct FailingFile {
    file: Box<dyn DiskFile>,
    failures: Option<Arc<AtomicU64>>,
    reads: Option<Arc<AtomicU64>>,
}

fn check(failures: Option<&Arc<AtomicU64>>) -> io::Result<()> {
    let spend = |left: u64| left.checked_sub(1);
    match failures.map(|left| left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend)) {
        Some(Ok(_)) => Err(io::Error::other("injected")),
        _ => Ok(()),
    }
}

impl Disk for FailingDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(path)
    }
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let ends_in = |ending| path.extension().is_some_and(|found| found == ending);
        Ok(Box::new(FailingFile {
            file: RealDisk.open(path, mode)?,
            failures: (ends_in("journal") || path.ends_with("searches.tmp"))
                .then(|| Arc::clone(&self.failures)),
            reads: ends_in("segment").then(|| Arc::clone(&self.reads)),
        }))
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        RealDisk.list(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_dir(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_dir(path)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        RealDisk.free_bytes(path)
    }
}

impl DiskFile for FailingFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        check(self.reads.as_ref())?;
        self.file.read_exact_at(buffer, offset)
    }
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(data, offset)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()?;
        check(self.failures.as_ref())
    }
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
    fn allocate(&self, len: u64) -> io::Result<()> {
        self.file.allocate(len)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }
}

fn options(dir: &Path) -> Options {
    Options {
        segment_rows: 1_000_000,
        journal_file_bytes: 256 * 1024,
        ..Options::new(dir)
    }
}

/// Options under which a tail becomes a segment at so many records.
fn segments_of(rows: usize, dir: &Path) -> Options {
    Options {
        segment_rows: rows,
        ..options(dir)
    }
}

fn open_with(options: Options, disk: Arc<dyn Disk>) -> Store {
    let store = Store::open(options, disk, Arc::new(TestClock::default())).expect("opens");
    store
        .create_logspace(&LogspaceName::main())
        .expect("creates");
    store
}

fn open(dir: &Path) -> Store {
    open_with(options(dir), Arc::new(RealDisk))
}

/// Appends and waits until it is durable.
fn append(store: &Store, batch: RecordBatch) -> Appended {
    append_as(store, batch, Durability::Strict)
}

/// Appends and waits until it is acknowledged.
fn append_as(store: &Store, batch: RecordBatch, durability: Durability) -> Appended {
    append_to_as(store, &LogspaceName::main(), batch, durability)
}

fn append_to(store: &Store, name: &LogspaceName, batch: RecordBatch) -> Appended {
    append_to_as(store, name, batch, Durability::Strict)
}

fn append_to_as(
    store: &Store,
    name: &LogspaceName,
    batch: RecordBatch,
    durability: Durability,
) -> Appended {
    let (sender, receiver) = mpsc::channel();
    let on_durable = Box::new(move |result| _ = sender.send(result));
    store.append(name, batch, durability, on_durable);
    receiver.recv().expect("called back").expect("durable")
}

fn snapshot(store: &Store) -> Snapshot {
    store.snapshot(&LogspaceName::main()).expect("there")
}

/// Every record: its number, when it was received (seconds) and its bytes.
fn rows(store: &Store) -> Vec<(u64, i64, String)> {
    let mut rows = Vec::new();
    for part in snapshot(store).parts {
        let mut number = part.first_number().0;
        let mut add = |batch: &RecordBatch| {
            for record in batch.iter() {
                let text = String::from_utf8(record.raw().to_vec()).expect("text");
                rows.push((number, record.received().nanos() / 1_000_000_000, text));
                number += 1;
            }
        };
        match &part {
            Part::Tail(chunk) => add(&chunk.batch),
            Part::Segment(segment) => {
                for index in 0..segment.chunks() {
                    add(&segment.chunk_records(index).expect("reads"));
                }
            }
        }
    }
    rows
}

fn texts(store: &Store) -> Vec<String> {
    rows(store).into_iter().map(|(_, _, text)| text).collect()
}

fn segments(store: &Store) -> usize {
    store
        .status()
        .logspaces
        .iter()
        .map(|logspace| logspace.segments)
        .sum()
}

/// Waits until the sealer has done what it has to.
fn wait_until(store: &Store, mut is_done: impl FnMut(&Store) -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_done(store) {
        assert!(
            std::time::Instant::now() < deadline,
            "still waiting after a minute"
        );
        std::thread::yield_now();
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("lists") {
        let entry = entry.expect("lists");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("stats").is_dir() {
            std::fs::create_dir_all(&target).expect("creates");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copies");
        }
    }
}

/// The journal files that have more than a header, as the note of a stop has.
fn journal_files(dir: &Path) -> Vec<PathBuf> {
    let has_blocks = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() > 64);
    let mut files: Vec<_> = std::fs::read_dir(dir.join("journal"))
        .expect("lists")
        .map(|entry| entry.expect("lists").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "journal"))
        .filter(has_blocks)
        .collect();
    files.sort();
    files
}

#[test]
fn durable_records_are_visible_and_survive_a_restart() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    assert_eq!(append(&store, batch(&["a", "b"])).first, RecordNumber(1));
    assert_eq!(append(&store, batch(&["c"])).first, RecordNumber(3));
    let before = rows(&store);
    assert_eq!(texts(&store), ["a", "b", "c"]);
    drop(store);
    let store = open(dir.path());
    assert_eq!(rows(&store), before);
    assert_eq!(append(&store, batch(&["d"])).first, RecordNumber(4));
    assert_eq!(texts(&store), ["a", "b", "c", "d"]);
}

#[test]
fn a_crash_at_any_moment_keeps_what_was_acknowledged() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    for round in 0..20 {
        append(&store, batch(&[&format!("message {round}")]));
        let crashed = tempfile::tempdir().expect("temporary directory");
        copy(dir.path(), crashed.path());
        let recovered = open(crashed.path());
        assert_eq!(texts(&recovered), texts(&store));
    }
}

/// How many records are in segments.
fn sealed_records(store: &Store) -> u32 {
    let parts = snapshot(store).parts;
    let sealed = parts.iter().map(|part| match part {
        Part::Segment(segment) => segment.rows(),
        Part::Tail(_) => 0,
    });
    sealed.sum()
}

#[test]
fn what_is_known_of_a_kind_serves_all_segments() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(2, dir.path()), Arc::new(RealDisk));
    for round in 0..2 {
        append(&store, batch(&["a", "b"]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    let ids = snapshot(&store).parts.into_iter().map(|part| match part {
        Part::Segment(segment) => {
            let kinds = segment.kinds().expect("reads");
            let ids = (0..kinds.len() as u32).map(|kind| kinds.id(kind));
            ids.collect::<Vec<_>>()
        }
        Part::Tail(_) => Vec::new(),
    });
    let ids: Vec<_> = ids.collect();
    assert!(ids[0].len() > 1, "not the whole kind alone: {ids:?}");
    assert!(
        ids[0].iter().all(Option::is_some) && ids[0] == ids[1],
        "{ids:?}"
    );
}

#[test]
fn sealed_records_stay_and_their_journal_goes() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(100, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    let mut expected = Vec::new();
    for round in 0..200_u64 {
        let text = format!("{round} {:x}", round.wrapping_mul(0x9E37_79B9_7F4A_7C15)).repeat(3);
        append(&store, batch(&[&text, "x"]));
        expected.extend([text, "x".to_owned()]);
    }
    // How many segments that is depends on what was merged meanwhile.
    wait_until(&store, |store| sealed_records(store) >= 300);
    assert_eq!(texts(&store), expected);
    let (before, sealed) = (rows(&store), sealed_records(&store));
    drop(store);
    let store = open_with(small, Arc::new(RealDisk));
    assert_eq!(rows(&store), before);
    // Merging may have made fewer segments of them.
    assert!(sealed_records(&store) >= sealed);
}

#[test]
fn journal_files_are_recycled_once_their_records_are_sealed() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(50, dir.path());
    let store = open_with(small, Arc::new(RealDisk));
    let mut seed = 1_u64;
    for _ in 0..600 {
        // Incompressible, so that the journal's files fill.
        let text: String = (0..500)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b'!' + u8::try_from(seed >> 58).expect("six bits"))
            })
            .collect();
        append(&store, batch(&[&text, &text[1..], &text[2..]]));
    }
    wait_until(&store, |store| {
        store.status().journal_bytes <= 3 * 256 * 1024
    });
    assert!(journal_files(dir.path()).len() <= 3);
}

#[test]
fn tails_of_many_logspaces_stay_under_one_ceiling() {
    const LOGSPACES: usize = 20;
    let dir = tempfile::tempdir().expect("temporary directory");
    let little = Options {
        memory_bytes: 1024 * 1024,
        ..options(dir.path())
    };
    let shares = little.shares();
    let store = open_with(little, Arc::new(RealDisk));
    let names: Vec<_> = (0..LOGSPACES)
        .map(|number| LogspaceName::parse(&format!("l{number}")).expect("a name"))
        .collect();
    for name in &names {
        store.create_logspace(name).expect("creates");
    }
    // Each of them has far less than the share of all.
    let text = "x".repeat(shares.tails / LOGSPACES / 4);
    let mut records = 0;
    for round in 0..40 {
        for name in &names {
            append_to(&store, name, batch(&[&format!("{round} {text}")]));
            records += 1;
        }
    }
    wait_until(&store, Store::is_idle);
    let status = store.status().logspaces;
    let tails: u64 = status.iter().map(|logspace| logspace.tail_bytes).sum();
    assert!(tails < shares.tails as u64, "{tails} bytes");
    let segments: usize = status.iter().map(|logspace| logspace.segments).sum();
    assert!(segments > 1, "{segments} segments");
    let found: u64 = status.iter().map(|logspace| logspace.records).sum();
    assert_eq!(found, records);
}

#[test]
fn a_segment_holds_one_day() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(4, dir.path());
    let store = open_with(small, Arc::new(RealDisk));
    let mut days = batch(&["a", "b", "c", "d"]);
    days.make_received_monotone(Timestamp::from_seconds(86_399));
    let mut late = batch(&["e", "f"]);
    late.make_received_monotone(Timestamp::from_seconds(86_400));
    days.append(&late).expect("room");
    append(&store, days);
    wait_until(&store, |store| segments(store) >= 2);
    assert_eq!(texts(&store), ["a", "b", "c", "d", "e", "f"]);
    for day in ["1970/01-01", "1970/01-02"] {
        let dir = dir.path().join("logspaces/main").join(day);
        assert!(std::fs::read_dir(dir).expect("there").count() >= 1, "{day}");
    }
}

#[test]
fn imports_are_sorted_and_filed_by_day() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["live"]));
    let mut old = RecordBatch::new();
    for (text, seconds) in [("late", 200_000), ("early", 5), ("next day", 90_000)] {
        let mut one = batch(&[text]);
        one.make_received_monotone(Timestamp::from_seconds(seconds));
        let mut fixed = RecordBatch::new();
        let record = one.get(0).expect("one");
        let head = model::RecordHead {
            received: Timestamp::from_seconds(seconds),
            ..*record.head()
        };
        fixed.source_index("test").expect("room");
        fixed.push_head(head, record.bytes(), &[]).expect("room");
        old.append(&fixed).expect("room");
    }
    store.import(&LogspaceName::main(), old).expect("imports");
    append(&store, batch(&["live again"]));
    let expected = [
        (1, 1_000, "live"),
        (2, 5, "early"),
        (3, 90_000, "next day"),
        (4, 200_000, "late"),
        (5, 1_000, "live again"),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(n, at, text)| (*n, *at, (*text).to_owned()))
        .collect();
    assert_eq!(rows(&store), expected);
    drop(store);
    assert_eq!(rows(&open(dir.path())), expected);
}

#[test]
fn a_failed_sync_is_never_trusted_and_loses_nothing() {
    for failures in 1..4 {
        let dir = tempfile::tempdir().expect("temporary directory");
        let disk = Arc::new(FailingDisk::default());
        let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
        append(&store, batch(&["before"]));
        disk.failures.store(failures, Ordering::SeqCst);
        append(&store, batch(&["during"]));
        append(&store, batch(&["after"]));
        assert_eq!(disk.failures.load(Ordering::SeqCst), 0);
        assert_eq!(store.status().state, State::Working);
        assert_eq!(texts(&store), ["before", "during", "after"]);
        drop(store);
        let files = journal_files(dir.path());
        assert!(
            files.len() > 1,
            "the file whose sync failed was written again"
        );
        assert_eq!(texts(&open(dir.path())), ["before", "during", "after"]);
    }
}

/// A disk that forgets what a failed sync should have kept, as ext4 does: a second sync succeeds
/// and the data is gone.
#[test]
fn what_was_acknowledged_before_its_sync_is_written_again_when_that_fails() {
    for durability in [Durability::Normal, Durability::Fast] {
        let dir = tempfile::tempdir().expect("temporary directory");
        let disk = Arc::new(FailingDisk::default());
        let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
        append_as(&store, batch(&["one"]), durability);
        append_as(&store, batch(&["two"]), durability);
        assert_eq!(texts(&store), ["one", "two"]);
        assert!(store.status().unsynced_bytes > 0);
        disk.failures.store(2, Ordering::SeqCst);
        append(&store, batch(&["three"]));
        assert_eq!(disk.failures.load(Ordering::SeqCst), 0);
        assert_eq!(store.status().unsynced_bytes, 0);
        drop(store);
        // What the failed files hold cannot be trusted, and they are gone: the newest one has
        // everything.
        assert_eq!(journal_files(dir.path()).len(), 1);
        assert_eq!(texts(&open(dir.path())), ["one", "two", "three"]);
    }
}

#[test]
fn what_was_acknowledged_early_survives_a_kill_while_no_sync_succeeds() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(FailingDisk::default());
    let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
    append_as(&store, batch(&["early"]), Durability::Fast);
    disk.failures.store(1_000, Ordering::SeqCst);
    let strict = Durability::Strict;
    store.append(
        &LogspaceName::main(),
        batch(&["late"]),
        strict,
        Box::new(drop),
    );
    // After the first failure, and after others.
    for failures in [1, 3] {
        wait_until(&store, |_| {
            disk.failures.load(Ordering::SeqCst) <= 1_000 - failures
        });
        wait_until(&store, |store| {
            matches!(store.status().state, State::Stalled(_))
        });
        let killed = tempfile::tempdir().expect("temporary directory");
        copy(dir.path(), killed.path());
        assert_eq!(texts(&open(killed.path()))[0], "early");
        assert!(journal_files(dir.path()).len() <= 3);
    }
    disk.failures.store(0, Ordering::SeqCst);
}

#[test]
fn what_is_acknowledged_early_is_synced_soon_and_at_the_end() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let clock = Arc::new(crate::SystemClock);
    let store = Store::open(options(dir.path()), Arc::new(RealDisk), clock).expect("opens");
    store
        .create_logspace(&LogspaceName::main())
        .expect("creates");
    append_as(&store, batch(&["soon"]), Durability::Normal);
    wait_until(&store, |store| store.status().unsynced_bytes == 0);
    append_as(&store, batch(&["end"]), Durability::Fast);
    store.close();
    assert_eq!(store.status().unsynced_bytes, 0);
    drop(store);
    assert_eq!(texts(&open(dir.path())), ["soon", "end"]);
}

#[test]
fn a_disk_that_never_takes_the_records_acknowledges_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(FailingDisk::default());
    let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
    disk.failures.store(u64::MAX, Ordering::SeqCst);
    let outcome = Arc::new(Mutex::new(None));
    let outcome_here = Arc::clone(&outcome);
    let on_durable = Box::new(move |result| *outcome_here.lock().expect("lock") = Some(result));
    store.append(
        &LogspaceName::main(),
        batch(&["lost"]),
        Durability::Strict,
        on_durable,
    );
    wait_until(&store, |store| {
        matches!(store.status().state, State::Stalled(_))
    });
    assert_eq!(*outcome.lock().expect("lock"), None);
    assert!(texts(&store).is_empty());
    store.close();
    assert_eq!(
        *outcome.lock().expect("lock"),
        Some(Err(crate::AppendError::Closed))
    );
}

#[test]
fn a_second_process_is_told_who_holds_the_directory() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    store.announce_http("127.0.0.1:1234").expect("writes");
    let again = Store::open(
        options(dir.path()),
        Arc::new(RealDisk),
        Arc::new(TestClock::default()),
    );
    let Err(Error::Locked { holder, .. }) = again else {
        panic!("two stores on one directory")
    };
    assert_eq!(holder.pid, Some(std::process::id()));
    assert_eq!(holder.http.as_deref(), Some("127.0.0.1:1234"));
    assert_eq!(Store::holder(&RealDisk, dir.path()), Some(holder));
    drop(store);
    assert_eq!(Store::holder(&RealDisk, dir.path()), None);
    open(dir.path());
}

#[test]
fn reading_only_sees_the_same_and_touches_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["a", "b"]));
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let clock = Arc::new(TestClock::default());
    let reader = Store::open_read_only(options(dir.path()), disk, clock).expect("opens");
    assert_eq!(rows(&reader), rows(&store));
    let (sender, receiver) = mpsc::channel();
    let on_durable = Box::new(move |result| _ = sender.send(result));
    reader.append(
        &LogspaceName::main(),
        batch(&["c"]),
        Durability::Strict,
        on_durable,
    );
    assert_eq!(
        receiver.recv().expect("called"),
        Err(crate::AppendError::ReadOnly)
    );
}

#[test]
fn a_damaged_segment_heals_from_the_journal_or_is_reported() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    drop(store);
    let path = dir
        .path()
        .join("logspaces/main/1970/01-01/00000000000000000003.segment");
    let mut bytes = std::fs::read(&path).expect("reads");
    let end = bytes.len();
    bytes[end - 3] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    let store = open_with(small.clone(), Arc::new(RealDisk));
    assert_eq!(texts(&store), ["0a", "0b", "1a", "1b", "2a", "2b"]);
    wait_until(&store, |store| segments(store) == 3);
    drop(store);
    let healed = open_with(small.clone(), Arc::new(RealDisk));
    assert_eq!(texts(&healed), ["0a", "0b", "1a", "1b", "2a", "2b"]);
    assert!(snapshot(&healed).damages.is_empty());
    drop(healed);

    // The spare page, from which the footer would be made anew, is damaged as well.
    let spare = bytes.windows(8).position(|part| part == b"LOGSPARE");
    bytes[spare.expect("there") + 20] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    for file in journal_files(dir.path()) {
        std::fs::remove_file(file).expect("removes");
    }
    let store = open_with(small, Arc::new(RealDisk));
    wait_until(&store, Store::is_idle);
    assert_eq!(texts(&store), ["0a", "0b", "2a", "2b"]);
    let damages = snapshot(&store).damages;
    assert_eq!(damages.len(), 1);
    assert_eq!(damages[0].path, path);
    assert_eq!(append(&store, batch(&["new"])).first, RecordNumber(7));
}

/// Three segments of two records.
fn fill_three(store: &Store) {
    fill(store, 0..3);
}

/// Segments of two records, which have these numbers among those of the store.
fn fill(store: &Store, numbers: std::ops::Range<usize>) {
    for number in numbers {
        append(
            store,
            batch(&[&format!("{number}a"), &format!("{number}b")]),
        );
        wait_until(store, |store| segments(store) == number + 1);
    }
}

/// Adds segments to so many until they are merged into one.
fn fill_until_merged(store: &Store, from: usize) {
    fill(store, from..MERGE_FAN_IN - 1);
    append(store, batch(&["last a", "last b"]));
    wait_until(store, |store| segments(store) == 1);
}

fn segment_files(dir: &Path) -> Vec<String> {
    let day = dir.join("logspaces/main/1970/01-01");
    let entries = std::fs::read_dir(day).expect("lists");
    let mut names: Vec<_> = entries
        .map(|entry| {
            entry
                .expect("lists")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn small_segments_are_merged_and_read_as_before() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    fill(&store, 3..MERGE_FAN_IN - 1);
    append(&store, batch(&["last a", "last b"]));
    let before = snapshot(&store);
    let expected = rows(&store);
    wait_until(&store, |store| segments(store) == 1);
    assert_eq!(rows(&store), expected);
    // Whoever looked before reads on.
    let old_rows: u32 = before.parts.iter().map(Part::rows).sum();
    assert_eq!(old_rows as usize, 2 * MERGE_FAN_IN);
    for part in &before.parts {
        if let Part::Segment(segment) = part {
            segment.chunk_records(0).expect("reads");
        }
    }
    drop(store);
    assert_eq!(
        segment_files(dir.path()),
        ["00000000000000000001.1.segment"]
    );
    let store = open_with(small, Arc::new(RealDisk));
    assert_eq!(rows(&store), expected);
}

#[test]
fn what_need_not_be_kept_goes_and_its_numbers_are_not_given_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    let kept = crate::Retention {
        bytes_max: Some(1),
        ..crate::Retention::default()
    };
    store
        .set_retention(&LogspaceName::main(), kept)
        .expect("known");
    wait_until(&store, |store| segments(store) == 1);
    assert_eq!(texts(&store), ["2a", "2b"]);
    assert_eq!(store.status().logspaces[0].expired_records, 4);
    let nothing = crate::Retention {
        age_max: Some(std::time::Duration::ZERO),
        ..kept
    };
    drop(store);
    let late = Arc::new(TestClock::default());
    late.0.store(2_000_000_000_000, Ordering::Relaxed);
    let store = Store::open(small.clone(), Arc::new(RealDisk), late).expect("opens");
    store
        .set_retention(&LogspaceName::main(), nothing)
        .expect("known");
    wait_until(&store, |store| segments(store) == 0);
    drop(store);
    for file in journal_files(dir.path()) {
        std::fs::remove_file(file).expect("removes");
    }
    let store = open_with(small, Arc::new(RealDisk));
    assert!(!dir.path().join("logspaces/main/1970").exists());
    assert_eq!(append(&store, batch(&["new"])).first, RecordNumber(7));
}

#[test]
fn a_removal_cut_short_is_finished_at_the_next_start() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    let day = dir.path().join("logspaces/main/1970/01-01");
    let name = "00000000000000000001.segment";
    let bytes = std::fs::read(day.join(name)).expect("reads");
    fill_until_merged(&store, 3);
    let expected = rows(&store);
    drop(store);
    std::fs::write(day.join(name), bytes).expect("writes");
    let store = open_with(small, Arc::new(RealDisk));
    assert_eq!(rows(&store), expected);
    assert_eq!(
        segment_files(dir.path()),
        ["00000000000000000001.1.segment"]
    );
}

#[test]
fn a_damaged_manifest_takes_its_segments_back() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let small = segments_of(2, dir.path());
    let store = open_with(small.clone(), Arc::new(RealDisk));
    fill_three(&store);
    let before = rows(&store);
    drop(store);
    for file in journal_files(dir.path()) {
        std::fs::remove_file(file).expect("removes");
    }
    let path = dir.path().join("logspaces/main/manifest");
    let mut bytes = std::fs::read(&path).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("writes");
    let store = open_with(small.clone(), Arc::new(RealDisk));
    assert_eq!(rows(&store), before);
    assert_eq!(snapshot(&store).damages.len(), 1);
    drop(store);
    let store = open_with(small, Arc::new(RealDisk));
    assert_eq!(rows(&store), before);
    assert!(snapshot(&store).damages.is_empty());
}

#[test]
fn receipt_never_goes_back_by_a_little() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch_at("late", 1_060));
    append(&store, batch(&["early"]));
    drop(store);
    let store = open(dir.path());
    append(&store, batch(&["earlier"]));
    let received: Vec<_> = rows(&store).iter().map(|(_, at, _)| *at).collect();
    assert_eq!(received, [1_060, 1_060, 1_060]);
    assert_eq!(store.status().logspaces[0].clock_steps_back, 0);
}

/// A record of a time.
fn batch_at(text: &str, seconds: i64) -> RecordBatch {
    let mut batch = batch(&[text]);
    batch.make_received_monotone(Timestamp::from_seconds(seconds));
    batch
}

/// The times of receipt, in seconds, of each part, which must be in order within it.
fn received_of_parts(store: &Store) -> Vec<(i64, i64)> {
    let seconds = |time: Timestamp| time.nanos() / 1_000_000_000;
    let bounds = |part: &Part| {
        (
            seconds(part.first_received()),
            seconds(part.last_received()),
        )
    };
    snapshot(store).parts.iter().map(bounds).collect()
}

#[test]
fn a_clock_that_was_ahead_holds_no_record_back() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let ahead = 10 * 365 * 86_400;
    let store = open(dir.path());
    append(&store, batch_at("before", 1_000));
    append(&store, batch_at("ahead", ahead));
    append(&store, batch_at("right", 1_100));
    append(&store, batch_at("and on", 1_101));
    let expected = [1_000, ahead, 1_100, 1_101];
    let times = |store: &Store| -> Vec<i64> { rows(store).iter().map(|(_, at, _)| *at).collect() };
    assert_eq!(times(&store), expected);
    assert_eq!(store.status().logspaces[0].clock_steps_back, 1);
    // What goes back is a part of its own: within each, records are in the order of receipt.
    assert_eq!(received_of_parts(&store), [(1_000, ahead), (1_100, 1_101)]);
    drop(store);
    // By way of the journal, and in segments, of which each holds one day.
    let store = open_with(segments_of(2, dir.path()), Arc::new(RealDisk));
    assert_eq!(times(&store), expected);
    append(&store, batch_at("later", 1_102));
    append(&store, batch_at("last", 1_103));
    wait_until(&store, |store| {
        store.status().logspaces[0].tail_records == 0
    });
    let expected = [1_000, ahead, 1_100, 1_101, 1_102, 1_103];
    assert_eq!(times(&store), expected);
    let parts = received_of_parts(&store);
    assert!(parts.iter().all(|(first, last)| first <= last), "{parts:?}");
    assert!(parts.contains(&(ahead, ahead)), "{parts:?}");
    drop(store);
    let store = open(dir.path());
    append(&store, batch_at("after a restart", 1_104));
    assert_eq!(times(&store).last(), Some(&1_104));
}

mod damage;
mod formats;
