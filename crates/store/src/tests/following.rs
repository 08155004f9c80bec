//! Following a logspace: every record once, in the order of numbers, whatever happens beside it.

use std::time::Duration;

use super::hooked::HookedDisk;
use super::*;
use crate::{FollowOptions, Follower, Gap, GapReason, News, Retention, Undelivered, Until};

const LONG: Duration = Duration::from_secs(60);

fn follow(store: &Store, after: u64) -> Follower {
    follow_as(store, after, Until::Visible, Undelivered::Delete)
}

fn follow_as(store: &Store, after: u64, until: Until, undelivered: Undelivered) -> Follower {
    let options = FollowOptions {
        name: "test".to_owned(),
        after: RecordNumber(after),
        until,
        undelivered,
    };
    store.follow(&LogspaceName::main(), options).expect("there")
}

/// What comes next, piece by piece: records with their numbers, and what is missing.
fn read(follower: &mut Follower, records: usize, bytes: usize) -> (Vec<(u64, String)>, Vec<Gap>) {
    let (mut rows, mut gaps) = (Vec::new(), Vec::new());
    while let Some(next) = follower.next(records, bytes).expect("reads") {
        assert!(next.records.len() <= records);
        gaps.extend(next.gaps);
        for (number, record) in (next.first.0..).zip(next.records.iter()) {
            let text = String::from_utf8(record.raw().to_vec()).expect("text");
            rows.push((number, text));
        }
        let last = rows.last().map_or(0, |(number, _)| *number);
        assert!(next.records.is_empty() || follower.position().0 == last);
    }
    (rows, gaps)
}

fn read_all(follower: &mut Follower) -> Vec<(u64, String)> {
    let (rows, gaps) = read(follower, 1_000, 1 << 20);
    assert_eq!(gaps, []);
    rows
}

fn numbers(rows: &[(u64, String)]) -> Vec<u64> {
    rows.iter().map(|(number, _)| *number).collect()
}

fn told(gaps: &[Gap]) -> Vec<(u64, u64, u64, GapReason)> {
    let told = gaps
        .iter()
        .map(|gap| (gap.numbers.start, gap.numbers.end, gap.records, gap.reason));
    told.collect()
}

#[test]
fn every_record_comes_once_from_the_tail_and_from_segments() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(4, dir.path()), Arc::new(RealDisk));
    let mut follower = follow(&store, 0);
    assert_eq!(read_all(&mut follower), []);
    let mut found = Vec::new();
    for round in 0..20_u64 {
        let texts = [
            format!("a{round}"),
            format!("b{round}"),
            format!("c{round}"),
        ];
        append(&store, batch(&texts.each_ref().map(String::as_str)));
        if round % 3 == 0 {
            wait_until(&store, Store::is_idle);
        }
        assert!(round > 0 || follower.pending() == 3);
        found.extend(read_all(&mut follower));
        assert_eq!(follower.pending(), 0);
    }
    assert_eq!(numbers(&found), Vec::from_iter(1..=60));
    assert_eq!(found[59].1, "c19");
    wait_until(&store, Store::is_idle);
    drop(follower);
    drop(store);
    let store = open_with(segments_of(4, dir.path()), Arc::new(RealDisk));
    for (records, bytes) in [
        (1_000, 1 << 20),
        (1, 1 << 20),
        (7, 1 << 20),
        (1_000, 1),
        (1_000, 300),
    ] {
        let case = format!("{records} records, {bytes} bytes");
        assert_eq!(
            read(&mut follow(&store, 0), records, bytes).0,
            found,
            "{case}"
        );
        let (rest, _) = read(&mut follow(&store, 31), records, bytes);
        assert_eq!(rest, found[31..], "{case}");
    }
}

#[test]
fn a_piece_takes_no_more_memory_than_it_may_but_for_one_record() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open_with(segments_of(64, dir.path()), Arc::new(RealDisk));
    let large = "x".repeat(40_000);
    let texts: Vec<&str> = (0..70)
        .map(|n| if n % 9 == 0 { large.as_str() } else { "small" })
        .collect();
    append(&store, batch(&texts));
    wait_until(&store, Store::is_idle);
    append(&store, batch(&texts));
    let mut follower = follow(&store, 0);
    let mut records = 0;
    while let Some(next) = follower.next(1_000, 10_000).expect("reads") {
        let bytes = next.records.memory_bytes();
        assert!(bytes <= 10_000 || next.records.len() == 1, "{bytes}");
        records += next.records.len();
    }
    assert_eq!(records, 140);
}

/// A store whose imports wait in front of their first file until they are let go.
fn with_held_import(
    dir: &Path,
    outcome: io::Result<()>,
) -> (Arc<Store>, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let disk = Arc::new(HookedDisk::default());
    let store = open_with(options(dir), Arc::clone(&disk) as Arc<dyn Disk>);
    let (reached, is_reached) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let mut outcome = Some(outcome);
    disk.hook(move |path| {
        if path.to_string_lossy().ends_with(".tmp")
            && path.to_string_lossy().contains("logspaces")
            && let Some(outcome) = outcome.take()
        {
            reached.send(()).expect("waits");
            may_go.recv().expect("lets go");
            return outcome;
        }
        Ok(())
    });
    (Arc::new(store), is_reached, go)
}

#[test]
fn an_import_under_way_is_not_passed() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (store, reached, go) = with_held_import(dir.path(), Ok(()));
    append(&store, batch(&["before"]));
    let mut follower = follow(&store, 0);
    let importing = Arc::clone(&store);
    let import = std::thread::spawn(move || {
        importing.import(&LogspaceName::main(), batch(&["old 1", "old 2"]))
    });
    reached.recv().expect("reaches the disk");
    // The hook holds the disk, but a journal file is open already.
    append(&store, batch(&["behind"]));
    assert_eq!(snapshot(&store).end, RecordNumber(2));
    assert_eq!(read_all(&mut follower), [(1, "before".to_owned())]);
    assert_eq!(follower.pending(), 0);
    go.send(()).expect("waits");
    import.join().expect("ends").expect("imports");
    assert_eq!(follower.wait(LONG), News::Some);
    let rest = read_all(&mut follower);
    assert_eq!(numbers(&rest), [2, 3, 4]);
    assert_eq!(rest[2].1, "behind");
    assert_eq!(snapshot(&store).end, RecordNumber(5));
}

#[test]
fn a_failed_import_is_passed_and_leaves_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let refused = Err(io::Error::other("injected"));
    let (store, reached, go) = with_held_import(dir.path(), refused);
    append(&store, batch(&["before"]));
    let importing = Arc::clone(&store);
    let import = std::thread::spawn(move || {
        importing.import(&LogspaceName::main(), batch(&["old 1", "old 2"]))
    });
    reached.recv().expect("reaches the disk");
    append(&store, batch(&["behind"]));
    let mut follower = follow(&store, 0);
    assert_eq!(numbers(&read_all(&mut follower)), [1]);
    go.send(()).expect("waits");
    assert!(import.join().expect("ends").is_err());
    assert_eq!(numbers(&read_all(&mut follower)), [4]);
    store
        .import(&LogspaceName::main(), batch(&["again"]))
        .expect("imports");
    assert_eq!(numbers(&read_all(&mut follower)), [5]);
    let files = walk(&dir.path().join("logspaces"));
    let segments = files.iter().filter(|name| name.contains("segment"));
    assert_eq!(segments.count(), 1, "{files:?}");
}

/// The names of all files below a directory.
fn walk(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("lists").path();
        match path.is_dir() {
            true => names.extend(walk(&path)),
            false => names.push(path.display().to_string()),
        }
    }
    names
}

#[test]
fn what_is_not_synced_is_seen_and_not_durable() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    let mut visible = follow(&store, 0);
    let mut durable = follow_as(&store, 0, Until::Durable, Undelivered::Delete);
    append(&store, batch(&["strict"]));
    append_as(&store, batch(&["fast"]), Durability::Fast);
    assert_eq!(numbers(&read_all(&mut visible)), [1, 2]);
    assert_eq!(numbers(&read_all(&mut durable)), [1]);
    append(&store, batch(&["strict"]));
    assert_eq!(durable.wait(LONG), News::Some);
    assert_eq!(numbers(&read_all(&mut durable)), [2, 3]);
    assert_eq!(numbers(&read_all(&mut visible)), [3]);
}

#[test]
fn numbers_go_on_behind_those_that_a_power_cut_may_have_taken() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let killed = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["strict"]));
    append_as(&store, batch(&["fast"]), Durability::Fast);
    // Nothing of the journal was flushed but what a strict commit has waited for.
    copy(dir.path(), killed.path());
    drop(store);
    let journal = journal_files(killed.path()).remove(0);
    let bytes = std::fs::read(&journal).expect("reads");
    let is_block = |word: &[u8]| word == b"LWJB";
    let last = bytes.windows(4).rposition(is_block).expect("has blocks");
    let mut bytes = bytes;
    bytes[last..].fill(0);
    std::fs::write(&journal, bytes).expect("writes");
    let store = open(killed.path());
    assert_eq!(numbers(&read_all(&mut follow(&store, 0))), [1]);
    let next = append(&store, batch(&["other"])).first;
    assert!(next.0 > 2, "{next:?}");
    // A follower that has seen the second one goes on with the next one.
    let mut follower = follow(&store, 2);
    assert_eq!(numbers(&read_all(&mut follower)), [next.0]);
    drop(follower);
    drop(store);
    // A stop leaves nothing open, so no numbers are left out.
    let store = open(killed.path());
    assert_eq!(append(&store, batch(&["more"])).first.0, next.0 + 1);
}

fn keep_bytes(store: &Store, bytes_max: Option<u64>) {
    let kept = Retention {
        bytes_max,
        ..Retention::default()
    };
    store
        .set_retention(&LogspaceName::main(), kept)
        .expect("there");
    wait_until(store, Store::is_idle);
}

/// A store with segments of four records each, none of which is merged.
fn with_segments(dir: &Path, count: usize) -> Store {
    let store = open_with(segments_of(4, dir), Arc::new(RealDisk));
    for round in 0..count {
        let texts = ["a", "b", "c", "d"].map(|text| format!("{text}{round}"));
        append(&store, batch(&texts.each_ref().map(String::as_str)));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    wait_until(&store, Store::is_idle);
    store
}

#[test]
fn what_a_follower_needs_stays_until_it_has_confirmed_it() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = with_segments(dir.path(), 4);
    let mut follower = follow_as(&store, 4, Until::Durable, Undelivered::Keep);
    keep_bytes(&store, Some(0));
    assert_eq!(numbers(&read_all(&mut follower)), Vec::from_iter(5..=16));
    assert_eq!(rows(&store).len(), 12, "the first four were not needed");
    // To read is not to confirm.
    keep_bytes(&store, Some(0));
    assert_eq!(rows(&store).len(), 12);
    follower.confirm(RecordNumber(11));
    keep_bytes(&store, Some(0));
    assert_eq!(rows(&store)[0].0, 9);
    let status = store.status().logspaces.remove(0).followers.remove(0);
    assert_eq!(status.confirmed, RecordNumber(11));
    assert_eq!((status.pending_records, status.missed_records), (5, 0));
    drop(follower);
    wait_until(&store, |store| segments(store) == 1);
}

#[test]
fn what_is_deleted_unseen_is_told_and_counted() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = with_segments(dir.path(), 4);
    let mut follower = follow_as(&store, 2, Until::Durable, Undelivered::Delete);
    keep_bytes(&store, Some(0));
    assert_eq!(segments(&store), 1);
    assert_eq!(follower.missed(), 10);
    let (found, gaps) = read(&mut follower, 100, 1 << 20);
    assert_eq!(numbers(&found), [13, 14, 15, 16]);
    assert_eq!(told(&gaps), [(3, 13, 10, GapReason::Deleted)]);
    drop(follower);
    drop(store);
    // After a start, and when the manifest was written anew, it is still known.
    let rewritten = dir.path().join("logspaces/main/manifest");
    for round in 0..2 {
        let store = open(dir.path());
        let (_, gaps) = read(&mut follow(&store, 0), 100, 1 << 20);
        assert_eq!(
            told(&gaps),
            [(1, 13, 12, GapReason::Deleted)],
            "round {round}"
        );
        drop(store);
        let bytes = std::fs::read(&rewritten).expect("reads");
        // The last record is cut, so that the manifest is written anew.
        let cut = [bytes.as_slice(), &[1, 2, 3, 4, 5, 6, 7, 8]].concat();
        std::fs::write(&rewritten, cut).expect("writes");
    }
}

#[test]
fn segments_that_are_gone_or_damaged_are_told_with_their_records() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = with_segments(dir.path(), 5);
    drop(store);
    // The journal could bring them back.
    for journal in walk(&dir.path().join("journal")) {
        std::fs::remove_file(journal).expect("removes");
    }
    let mut files: Vec<String> = walk(&dir.path().join("logspaces"));
    files.retain(|name| name.ends_with(".segment"));
    files.sort();
    std::fs::remove_file(&files[1]).expect("removes");
    // Every byte of the records of another one.
    let mut bytes = std::fs::read(&files[3]).expect("reads");
    let end = bytes.len() / 4;
    bytes[32..end].fill(0xff);
    std::fs::write(&files[3], bytes).expect("writes");
    let store = open(dir.path());
    let (found, gaps) = read(&mut follow(&store, 0), 100, 1 << 20);
    let lost: u64 = gaps.iter().map(|gap| gap.records).sum();
    assert_eq!(lost + found.len() as u64, 20, "{gaps:?}");
    let expected = (1..=4).chain(9..=12).chain(17..=20);
    let found = numbers(&found);
    assert!(
        expected.into_iter().all(|number| found.contains(&number)),
        "{found:?}"
    );
    assert_eq!(told(&gaps[..1]), [(5, 9, 4, GapReason::Damaged)]);
    assert!(gaps.iter().all(|gap| gap.damage.is_some()), "{gaps:?}");
}

#[test]
fn a_disk_that_would_not_read_is_asked_again_or_passed_over() {
    let dir = tempfile::tempdir().expect("temporary directory");
    drop(with_segments(dir.path(), 2));
    let disk = Arc::new(FailingDisk::default());
    let store = open_with(
        segments_of(4, dir.path()),
        Arc::clone(&disk) as Arc<dyn Disk>,
    );
    let mut follower = follow(&store, 0);
    disk.reads.store(1, Ordering::SeqCst);
    assert!(follower.next(2, 1 << 20).is_err());
    assert_eq!(follower.position(), RecordNumber(0));
    let next = follower.next(2, 1 << 20).expect("reads").expect("there");
    assert_eq!((next.first, next.records.len()), (RecordNumber(1), 2));
    assert_eq!(follower.pass_over(), None);
    disk.reads.store(1_000, Ordering::SeqCst);
    let mut behind = follow(&store, 4);
    assert!(behind.next(2, 1 << 20).is_err());
    let gap = behind.pass_over().expect("failed");
    disk.reads.store(0, Ordering::SeqCst);
    assert_eq!((gap.numbers, gap.records), (5..7, 2));
    assert_eq!(numbers(&read_all(&mut behind)), [7, 8]);
}

#[test]
fn who_waits_is_woken_by_a_commit_and_by_the_end() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = Arc::new(open(dir.path()));
    let follower = follow(&store, 0);
    assert_eq!(follower.wait(Duration::ZERO), News::None);
    let waiting = std::thread::spawn(move || {
        let mut follower = follower;
        let woken = follower.wait(LONG);
        let found = read_all(&mut follower);
        (woken, found.len(), follower.wait(LONG))
    });
    append(&store, batch(&["a", "b"]));
    wait_until(&store, |_| {
        waiting.is_finished() || store.status().logspaces[0].followers.len() == 1
    });
    store.close();
    let (woken, found, end) = waiting.join().expect("ends");
    assert!(woken == News::Some || woken == News::Closed);
    assert_eq!((found, end), (2, News::Closed));
}

#[test]
fn a_position_that_was_never_given_is_refused() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["a", "b"]));
    follow(&store, 2);
    let options = FollowOptions {
        name: "test".to_owned(),
        after: RecordNumber(3),
        until: Until::Durable,
        undelivered: Undelivered::Keep,
    };
    let error = store
        .follow(&LogspaceName::main(), options)
        .expect_err("too high");
    assert!(error.to_string().contains("as high as 3"), "{error}");
}

#[test]
fn who_has_unsubscribed_is_not_called() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let subscription =
        store.on_commit(Box::new(move || _ = counted.fetch_add(1, Ordering::SeqCst)));
    append(&store, batch(&["a"]));
    // The call comes behind the acknowledgement.
    wait_until(&store, |_| calls.load(Ordering::SeqCst) == 1);
    drop(subscription);
    append(&store, batch(&["b"]));
    append(&store, batch(&["c"]));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
