//! What people and programs do to a data directory that nobody has open: the store starts, what is
//! gone is told, nothing is there twice, and what is not its own stays.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::manifest::Manifest;
use crate::{VerifyOptions, verify};

/// One thing done to the directory. Files and places are chosen by numbers of any size.
#[derive(Clone, Debug)]
enum Tampering {
    Remove(usize),
    Cut(usize, usize),
    Zero(usize, usize),
    Append(usize),
    Exchange(usize, usize),
    CopyOver(usize, usize),
    OlderManifest,
    Foreign(usize),
}

fn any_tampering() -> impl Strategy<Value = Tampering> {
    use Tampering::{Append, CopyOver, Cut, Exchange, Foreign, OlderManifest, Remove, Zero};
    let n = any::<usize>;
    prop_oneof![
        n().prop_map(Remove),
        (n(), n()).prop_map(|(file, at)| Cut(file, at)),
        (n(), n()).prop_map(|(file, at)| Zero(file, at)),
        n().prop_map(Append),
        (n(), n()).prop_map(|(a, b)| Exchange(a, b)),
        (n(), n()).prop_map(|(a, b)| CopyOver(a, b)),
        Just(OlderManifest),
        n().prop_map(Foreign),
    ]
}

const FOREIGN: [&str; 4] = [
    "logspaces/main/notes.txt",
    "logspaces/main/1970/01-01/x.segment.old",
    "journal/readme",
    "logspaces/main/1970/01-01/photo.jpg",
];

/// A directory with three segments and a tail, its records, and its manifest as it was before.
fn specimen(dir: &Path) -> (BTreeMap<u64, String>, Vec<u8>) {
    let manifest = dir.join("logspaces/main/manifest");
    let store = open_with(segments_of(2, dir), Arc::new(RealDisk));
    append(&store, batch(&["0a", "0b"]));
    wait_until(&store, |store| segments(store) == 1);
    let older = std::fs::read(&manifest).expect("reads");
    for round in 1..3 {
        append(&store, batch(&[&format!("{round}a"), &format!("{round}b")]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    append(&store, batch(&["tail"]));
    let records = rows(&store).into_iter();
    (
        records.map(|(number, _, text)| (number, text)).collect(),
        older,
    )
}

/// All files but the lock and the notes, by path.
fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("lists") {
        let path = entry.expect("lists").path();
        if path.is_dir() {
            files(&path, found);
        } else if !path.ends_with("lock") && !path.ends_with("id") {
            found.push(path);
        }
    }
    found.sort();
}

fn tamper(dir: &Path, what: &Tampering, older: &[u8]) {
    let mut all = Vec::new();
    files(dir, &mut all);
    let read = |path: &PathBuf| std::fs::read(path).expect("reads");
    let write = |path: &PathBuf, bytes: &[u8]| std::fs::write(path, bytes).expect("writes");
    let file = |number: &usize| &all[number % all.len()];
    match what {
        Tampering::Remove(number) => std::fs::remove_file(file(number)).expect("removes"),
        Tampering::Cut(number, at) => {
            let bytes = read(file(number));
            write(file(number), &bytes[..at % (bytes.len() + 1)]);
        }
        Tampering::Zero(number, at) => {
            let mut bytes = read(file(number));
            let start = at % (bytes.len() + 1);
            let end = bytes.len().min(start + 512);
            bytes[start..end].fill(0);
            write(file(number), &bytes);
        }
        Tampering::Append(number) => {
            let mut bytes = read(file(number));
            bytes.extend_from_slice(b"something else");
            write(file(number), &bytes);
        }
        Tampering::Exchange(one, other) => {
            let bytes = [read(file(one)), read(file(other))];
            write(file(one), &bytes[1]);
            write(file(other), &bytes[0]);
        }
        Tampering::CopyOver(from, to) => write(file(to), &read(file(from))),
        Tampering::OlderManifest => write(&dir.join("logspaces/main/manifest"), older),
        Tampering::Foreign(number) => {
            let path = dir.join(FOREIGN[number % FOREIGN.len()]);
            write(&path, b"not ours");
        }
    }
}

/// Whether the last record of the manifest is not whole.
fn is_manifest_cut(dir: &Path) -> bool {
    let read = Manifest::read(&RealDisk, &dir.join("logspaces/main"));
    let mut damages = read.into_iter().flat_map(|(_, damages)| damages);
    damages.any(|damage| damage.what.contains("the last record"))
}

/// The records that can be read, and whether anything was told.
fn look(store: &Store) -> (Vec<(u64, String)>, bool) {
    let snapshot = snapshot(store);
    let (mut found, mut is_told) = (Vec::new(), !snapshot.damages.is_empty());
    for part in &snapshot.parts {
        let batches: Vec<RecordBatch> = match part {
            Part::Tail(chunk) => vec![chunk.batch.clone()],
            Part::Segment(segment) => {
                let read = (0..segment.chunks()).map(|index| segment.chunk_records(index));
                let read: Vec<_> = read.collect();
                is_told |= read.iter().any(Result::is_err);
                read.into_iter().flatten().collect()
            }
        };
        let records = batches.iter().flat_map(RecordBatch::iter);
        let texts = records.map(|record| String::from_utf8_lossy(record.raw()).into_owned());
        found.extend((part.first_number().0..).zip(texts));
    }
    (found, is_told)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_was_done_to_the_directory_is_told_and_nothing_foreign_is_touched(
        done in prop::collection::vec(any_tampering(), 1..4),
    ) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let (records, older) = specimen(dir.path());
        for what in &done {
            tamper(dir.path(), what, &older);
        }
        let foreign: Vec<_> = FOREIGN.iter().map(|path| dir.path().join(path)).collect();
        let before: Vec<_> = foreign.iter().map(|path| std::fs::read(path).ok()).collect();
        let is_cut = is_manifest_cut(dir.path());
        let store = open_with(segments_of(1_000, dir.path()), Arc::new(RealDisk));
        let (found, is_told) = look(&store);
        for (number, text) in &found {
            prop_assert_eq!(records.get(number), Some(text));
        }
        let mut numbers: Vec<_> = found.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        let count = numbers.len();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), count, "a record is there twice");
        // A commit at the end of the journal that is not whole looks like one that never finished,
        // and so does the end of a manifest, whose segments the journal would have then. What an
        // older manifest does not name is set aside.
        let is_last = |number: &u64| *number == *records.keys().last().expect("some");
        let mut all = Vec::new();
        files(dir.path(), &mut all);
        let is_aside = all.iter().any(|path| path.extension().is_some_and(|end| end == "orphan"));
        let missing: Vec<_> = records.keys().filter(|number| !numbers.contains(number)).collect();
        let is_fine = is_told || is_aside || is_cut || missing.into_iter().all(is_last);
        prop_assert!(is_fine, "found {found:?}");
        wait_until(&store, Store::is_idle);
        drop(store);
        let after: Vec<_> = foreign.iter().map(|path| std::fs::read(path).ok()).collect();
        prop_assert_eq!(before, after);
        let options = VerifyOptions { logspace: None, is_deep: true, threads: 1 };
        verify(&RealDisk, dir.path(), &options, &|_, _| {}).expect("can be checked");
    }
}
