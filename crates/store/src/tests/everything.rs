//! Nothing is missing silently: each file and directory of a data directory, as the directory itself
//! names them, goes missing, is cut, is exchanged, or is replaced by something else. Then either all
//! records are there and exact, or the start is refused, or the loss is told in the status, in
//! answers and by a check.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::{Archive, VerifyOptions, restore, verify};

type Records = BTreeMap<(String, u64), String>;

/// Files that may change without anybody noticing, and why. Records are there and exact all the same.
const UNNOTICED: [(&str, &str); 8] = [
    ("data/lock", "the lock counts, not the file"),
    ("data/searches.json", "no record depends on it"),
    ("data/id", "it is written anew from the inventory"),
    (
        "data/backup",
        "whose backup it is; without it no later one is written over it",
    ),
    (".empty", "a day whose segments are in the archive"),
    (".free", "it holds nothing and waits to be used again"),
    (
        ".stop.journal",
        "a header alone, made by a stop: without it the last commit is written once more",
    ),
    (
        "slow/old/id",
        "whose archive it is: without it nothing is written there",
    ),
];

/// A place with a data directory that has everything, and its archive.
struct Place {
    dir: tempfile::TempDir,
    clock: Arc<TestClock>,
    /// What stands in front of each text, so that two places have other records of the same sizes.
    mark: char,
}

fn name(text: &str) -> LogspaceName {
    LogspaceName::parse(text).expect("a name")
}

impl Place {
    fn new(mark: char) -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::create_dir(dir.path().join("slow")).expect("creates");
        let clock = Arc::new(TestClock::default());
        Self { dir, clock, mark }
    }

    fn open(&self) -> Result<Store, Error> {
        open_at(self.dir.path(), &self.clock)
    }

    fn add(&self, store: &Store, logspace: &str, day: i64, texts: &[&str]) {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| format!("{}{}{text}", self.mark, &logspace[..1]))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut batch = batch(&texts);
        batch.make_received_monotone(Timestamp::from_seconds(day * 86_400));
        append_to(store, &name(logspace), batch);
    }

    fn pass_to(&self, store: &Store, day: i64) {
        let nanos = day * 86_400 * 1_000_000_000;
        self.clock.0.store(nanos, Ordering::Relaxed);
        store
            .set_retention(&name("main"), crate::Retention::default())
            .expect("there");
        wait_until(store, Store::is_idle);
    }

    /// Segments of several days, a compacted one, archived ones, a journal of several files, saved
    /// searches, documents; three logspaces.
    fn fill(&self) -> Store {
        let store = self.open().expect("opens");
        for logspace in ["main", "old", "quiet"] {
            store.create_logspace(&name(logspace)).expect("creates");
        }
        store
            .save_searches("{\"version\": 1, \"searches\": []}")
            .expect("saves");
        for name in ["cursor", "users"] {
            let name = crate::DocumentName::parse(name).expect("a name");
            let text = format!("{} of {}", name.as_str(), self.mark);
            store
                .put_document(&name, text.as_bytes(), 0)
                .expect("writes");
        }
        for logspace in ["main", "old"] {
            self.add(&store, logspace, 0, &["a0", "b0", "c0", "d0"]);
            wait_until(&store, Store::is_idle);
        }
        self.add(&store, "main", 1, &["a1", "b1", "c1", "d1"]);
        self.add(&store, "main", 2, &["tail"]);
        let dir = self.dir.path().join("slow");
        let after = Duration::from_secs(3_600);
        store
            .set_archive(&name("old"), Some(Archive { after, dir }))
            .expect("there");
        self.pass_to(&store, 2);
        let digest = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for round in 0..3_u64 {
            let noise: String = (0..400)
                .map(|n| format!("{:x}", digest(400 * round + n)))
                .collect();
            self.add(&store, "quiet", 2, &[&noise]);
            self.add(&store, "main", 2, &["small"]);
        }
        wait_until(&store, Store::is_idle);
        store
    }
}

fn open_at(dir: &Path, clock: &Arc<TestClock>) -> Result<Store, Error> {
    let options = Options {
        journal_file_bytes: 8 * 1024,
        free_bytes_warn: 0,
        ..segments_of(4, &dir.join("data"))
    };
    let clock: Arc<dyn Clock> = clock.clone();
    Store::open(options, Arc::new(RealDisk), clock)
}

/// The records that can be read, and the logspaces whose answers are not complete.
fn look(store: &Store) -> (Records, Vec<String>) {
    let (mut found, mut told) = (Records::new(), Vec::new());
    for logspace in store.logspaces() {
        let snapshot = store.snapshot(&logspace).expect("there");
        let mut is_told = !snapshot.damages.is_empty();
        for part in &snapshot.parts {
            let batches: Vec<RecordBatch> = match part {
                Part::Tail(chunk) => vec![chunk.batch.clone()],
                Part::Segment(segment) => {
                    let read: Vec<_> = (0..segment.chunks())
                        .map(|index| segment.chunk_records(index))
                        .collect();
                    is_told |= read.iter().any(Result::is_err);
                    read.into_iter().flatten().collect()
                }
            };
            let records = batches.iter().flat_map(RecordBatch::iter);
            for (number, record) in (part.first_number().0..).zip(records) {
                let text = String::from_utf8_lossy(record.raw()).into_owned();
                found.insert((logspace.to_string(), number), text);
            }
        }
        if is_told {
            told.push(logspace.to_string());
        }
    }
    (found, told)
}

/// Everything below a directory, by its path in it, directories as well.
fn paths(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("lists").path();
        if path.is_dir() {
            found.extend(paths(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Missing,
    Empty,
    Half,
    To64,
    Exchanged,
    OfAnother,
    Directory,
}

const HARMS: [Harm; 7] = [
    Harm::Missing,
    Harm::Empty,
    Harm::Half,
    Harm::To64,
    Harm::Exchanged,
    Harm::OfAnother,
    Harm::Directory,
];

/// What tells which files can stand for each other.
fn kind(path: &Path) -> String {
    let file = path.file_name().expect("has one").to_string_lossy();
    match file.rsplit_once('.') {
        Some((_, ending)) => ending.to_owned(),
        None if path.is_dir() => format!("{} deep", path.components().count()),
        None => file.into_owned(),
    }
}

/// Does harm to a path of a copy of a place; whether it can be done.
fn harm(copy: &Path, other: &Path, path: &Path, how: Harm) -> bool {
    let target = copy.join(path);
    let is_dir = target.is_dir();
    let remove = |path: &Path| match path.is_dir() {
        true => std::fs::remove_dir_all(path).expect("removes"),
        false => std::fs::remove_file(path).expect("removes"),
    };
    let cut = |len: u64| {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(&target)
            .expect("opens");
        let is_shorter = len < file.metadata().expect("known").len();
        file.set_len(len).expect("cuts");
        is_shorter
    };
    let half = || std::fs::metadata(&target).expect("known").len() / 2;
    match how {
        Harm::Missing => remove(&target),
        Harm::Empty | Harm::Half | Harm::To64 if is_dir => return false,
        Harm::Empty => return cut(0),
        Harm::Half => return cut(half()),
        Harm::To64 => return cut(64),
        Harm::Exchanged => {
            let all = paths(copy);
            let same = |one: &&PathBuf| kind(one) == kind(&target) && **one != target;
            let Some(one) = all.iter().find(same) else {
                return false;
            };
            let aside = copy.join("aside");
            for (from, to) in [(&target, &aside), (one, &target), (&aside, one)] {
                std::fs::rename(from, to).expect("renames");
            }
        }
        Harm::OfAnother => {
            let from = other.join(path);
            if is_dir || !from.is_file() {
                return false;
            }
            std::fs::copy(from, &target).expect("copies");
        }
        Harm::Directory => {
            remove(&target);
            match is_dir {
                true => std::fs::write(&target, b"a file").expect("writes"),
                false => std::fs::create_dir(&target).expect("creates"),
            }
        }
    }
    true
}

/// The notes of where the archive is name a place; a copy has its own.
fn copy_place(from: &Path, to: &Path) {
    copy(from, to);
    let note = to.join("data/logspaces/old/archive");
    if let Ok(text) = std::fs::read_to_string(&note) {
        let text = text.replace(&from.display().to_string(), &to.display().to_string());
        std::fs::write(note, text).expect("writes");
    }
}

/// Whether it is a directory that holds no file.
fn is_empty(dir: &Path) -> bool {
    dir.is_dir() && paths(dir).iter().all(|path| path.is_dir())
}

/// How a path is named in the list of what may go unnoticed.
fn role(path: &Path, from: &Path) -> String {
    let text = path.display().to_string();
    let len = std::fs::metadata(from.join(path)).map_or(0, |file| file.len());
    match len {
        _ if is_empty(&from.join(path)) => text + ".empty",
        64 if text.ends_with(".journal") => text.replace(".journal", ".stop.journal"),
        _ => text,
    }
}

/// Whether a check finds or notes something, and whether it says that something is lost.
fn checked(dir: &Path) -> (bool, bool) {
    let options = VerifyOptions {
        logspace: None,
        is_deep: false,
        threads: 1,
    };
    match verify(&RealDisk, &dir.join("data"), &options, &|_, _| {}) {
        Ok(verified) => {
            let is_found = !verified.findings.is_empty();
            (is_found || !verified.notes.is_empty(), is_found)
        }
        Err(_) => (true, true),
    }
}

/// Does every harm to everything in a place, and looks what becomes of it.
fn check_everything(place: &Place, from: &Path, other: &Path, must_notice: bool) {
    let expected = {
        let whole = tempfile::tempdir().expect("temporary directory");
        copy_place(from, whole.path());
        assert_eq!(checked(whole.path()), (false, false));
        let store = open_at(whole.path(), &place.clock).expect("opens");
        let (expected, told) = look(&store);
        assert_eq!(told, Vec::<String>::new());
        expected
    };
    let mut wrong = Vec::new();
    for path in paths(from) {
        let path = path.strip_prefix(from).expect("below").to_owned();
        if path.components().count() < 2 {
            continue;
        }
        for how in HARMS {
            let copy = tempfile::tempdir().expect("temporary directory");
            copy_place(from, copy.path());
            if !harm(copy.path(), other, &path, how) {
                continue;
            }
            let case = format!("{how:?} {}", path.display());
            let (is_noted, is_found) = checked(copy.path());
            let Ok(store) = open_at(copy.path(), &place.clock) else {
                continue;
            };
            let (found, told) = look(&store);
            let missing = expected
                .iter()
                .filter(|(key, text)| found.get(*key) != Some(*text));
            let missing: Vec<_> = missing
                .map(|((logspace, number), _)| (logspace, *number))
                .collect();
            let foreign = found
                .iter()
                .filter(|(key, text)| expected.get(*key) != Some(*text));
            if foreign.count() > 0 {
                wrong.push(format!("{case}: has records that were never there"));
            }
            for (logspace, number) in &missing {
                if !told.contains(logspace) {
                    wrong.push(format!(
                        "{case}: {number} of {logspace} is missing silently"
                    ));
                }
            }
            if !missing.is_empty() && !is_found {
                wrong.push(format!("{case}: a check finds nothing"));
            }
            let role = role(&path, from);
            let is_listed = UNNOTICED.iter().any(|(listed, _)| role.ends_with(listed));
            if must_notice && !is_listed && told.is_empty() && !is_noted {
                wrong.push(format!("{case}: nobody notices"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_of_a_stopped_store_is_missing_silently() {
    let (place, other) = (Place::new('x'), Place::new('y'));
    drop(place.fill());
    drop(other.fill());
    check_everything(&place, place.dir.path(), other.dir.path(), true);
}

#[test]
fn nothing_of_a_killed_store_is_missing_silently() {
    let (place, other) = (Place::new('x'), Place::new('y'));
    let stores = [place.fill(), other.fill()];
    let killed = [(); 2].map(|()| tempfile::tempdir().expect("temporary directory"));
    copy_place(place.dir.path(), killed[0].path());
    copy_place(other.dir.path(), killed[1].path());
    drop(stores);
    check_everything(&place, killed[0].path(), killed[1].path(), false);
}

#[test]
fn nothing_of_a_backup_or_of_what_is_restored_is_missing_silently() {
    let (place, other) = (Place::new('x'), Place::new('y'));
    let made = [&place, &other].map(|place| {
        let store = place.fill();
        let backup = tempfile::tempdir().expect("temporary directory");
        store
            .backup(&backup.path().join("data"))
            .expect("makes a backup");
        backup
    });
    check_everything(&place, made[0].path(), made[1].path(), false);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let restored = made.map(|backup| {
        let restored = tempfile::tempdir().expect("temporary directory");
        let to = restored.path().join("data");
        let report = restore(&disk, &backup.path().join("data"), &to).expect("restores");
        assert_eq!(report.damages, []);
        restored
    });
    check_everything(&place, restored[0].path(), restored[1].path(), false);
}

#[test]
fn what_is_lost_is_told_until_somebody_accepts_it() {
    let place = Place::new('x');
    drop(place.fill());
    let data = place.dir.path().join("data");
    for path in [journal_files(&data)[0].clone(), data.join("logspaces/main")] {
        match path.is_dir() {
            true => std::fs::remove_dir_all(&path).expect("removes"),
            false => std::fs::remove_file(&path).expect("removes"),
        }
        // New records are sealed behind the loss, and the journal that shows it goes.
        for round in 0..3 {
            let store = place.open().expect("opens");
            store.create_logspace(&name("main")).expect("creates");
            place.add(&store, "main", 3 + round, &["1", "2", "3", "4", "5"]);
            wait_until(&store, Store::is_idle);
            assert!(!look(&store).1.is_empty(), "round {round}");
        }
        let options = VerifyOptions {
            logspace: None,
            is_deep: true,
            threads: 1,
        };
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let clock = Arc::clone(&place.clock) as Arc<dyn Clock>;
        let mended = crate::repair(
            Options::new(&data),
            &options,
            true,
            &disk,
            clock,
            &|_, _| {},
        );
        let mended = mended.expect("is accepted");
        assert!(!mended.before.findings.is_empty() && !mended.accepted.is_empty());
        assert_eq!(mended.after.findings, []);
        assert!(!mended.after.notes.is_empty(), "the loss stays known");
        for _ in 0..2 {
            let store = place.open().expect("opens");
            assert_eq!(look(&store).1, Vec::<String>::new());
        }
    }
}
