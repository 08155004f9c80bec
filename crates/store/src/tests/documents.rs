//! Documents: there after a start, in a backup, missed when they are gone, whole when the disk refuses.

use super::*;
use crate::{Document, DocumentName, FileKind, VerifyOptions, repair, restore, verify};

fn named(text: &str) -> DocumentName {
    DocumentName::parse(text).expect("a name")
}

fn found(store: &Store, name: &str) -> Option<(u64, String)> {
    let document = store.document(&named(name)).expect("reads");
    document.map(|Document { version, bytes }| {
        let text = String::from_utf8(bytes).expect("text");
        (version, text)
    })
}

fn put(store: &Store, name: &str, text: &str, version: u64) -> Result<u64, Error> {
    store.put_document(&named(name), text.as_bytes(), version)
}

fn file(dir: &Path, name: &str) -> PathBuf {
    dir.join("documents").join(format!("{name}.document"))
}

fn findings(dir: &Path) -> Vec<(FileKind, PathBuf)> {
    let options = VerifyOptions {
        logspace: None,
        is_deep: false,
        threads: 1,
    };
    let verified = verify(&RealDisk, dir, &options, &|_, _| {}).expect("checks");
    let findings = verified.findings.into_iter();
    findings
        .map(|finding| (finding.file, finding.damage.path))
        .collect()
}

#[test]
fn a_document_is_replaced_by_who_has_read_it() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    assert_eq!(found(&store, "cursor"), None);
    assert_eq!(put(&store, "cursor", "17", 0).expect("writes"), 1);
    assert_eq!(put(&store, "cursor", "18", 1).expect("writes"), 2);
    for stale in [0, 1, 3] {
        let error = put(&store, "cursor", "19", stale).expect_err("another version");
        assert!(error.to_string().contains("has version 2"), "{error}");
    }
    assert_eq!(found(&store, "cursor"), Some((2, "18".to_owned())));
    put(&store, "a.b", "", 0).expect("writes");
    drop(store);
    let store = open(dir.path());
    assert_eq!(found(&store, "cursor"), Some((2, "18".to_owned())));
    assert_eq!(found(&store, "a.b"), Some((1, String::new())));
    assert_eq!(store.documents(), [named("a.b"), named("cursor")]);
    assert!(store.remove_document(&named("a.b")).expect("removes"));
    assert!(!store.remove_document(&named("a.b")).expect("is not there"));
    drop(store);
    assert_eq!(findings(dir.path()), []);
    let store = open(dir.path());
    assert_eq!(store.documents(), [named("cursor")]);
}

#[test]
fn of_many_who_write_at_once_one_wins_each_time() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    put(&store, "count", "0", 0).expect("writes");
    let (threads, rounds) = (4, 8);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut done = 0;
                while done < rounds {
                    let (version, text) = found(&store, "count").expect("there");
                    let next = text.parse::<u64>().expect("a number") + 1;
                    done += u64::from(put(&store, "count", &next.to_string(), version).is_ok());
                }
            });
        }
    });
    let expected = (threads * rounds + 1, (threads * rounds).to_string());
    assert_eq!(found(&store, "count"), Some(expected));
}

#[test]
fn a_disk_that_refuses_leaves_the_document_as_it_was() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(hooked::HookedDisk::default());
    let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
    put(&store, "cursor", "1", 0).expect("writes");
    disk.hook(|_| Err(io::Error::other("injected")));
    assert!(put(&store, "cursor", "2", 1).is_err());
    disk.unhook();
    assert_eq!(found(&store, "cursor"), Some((1, "1".to_owned())));
    assert_eq!(put(&store, "cursor", "2", 1).expect("writes"), 2);
}

#[test]
fn what_is_too_large_is_not_written() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    let long = vec![0; crate::limits::DOCUMENT_BYTES_MAX + 1];
    let error = store.put_document(&named("long"), &long, 0);
    let error = error.expect_err("too long").to_string();
    assert!(error.contains("4194305 bytes"), "{error}");
    assert_eq!(store.documents(), []);
    let longest = &long[1..];
    let fitting = crate::limits::DOCUMENTS_BYTES_MAX / longest.len();
    for n in 0..fitting {
        let name = named(&format!("d{n}"));
        store.put_document(&name, longest, 0).expect("writes");
    }
    let error = put(&store, "more", "x", 0).expect_err("too many");
    assert!(
        error.to_string().contains("bytes of all documents"),
        "{error}"
    );
    store
        .put_document(&named("d0"), longest, 1)
        .expect("replaces");
}

#[test]
fn a_backup_and_what_is_restored_have_them_and_are_whole() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| dir.path().join(name);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let store = open(&path("data"));
    for name in ["kept", "removed"] {
        put(&store, name, "x", 0).expect("writes");
    }
    store.backup(&path("copy")).expect("makes a backup");
    put(&store, "kept", "y", 1).expect("writes");
    store.remove_document(&named("removed")).expect("removes");
    store.backup(&path("copy")).expect("makes a backup");
    assert_eq!(findings(&path("copy")), []);
    let report = restore(&disk, &path("copy"), &path("restored")).expect("restores");
    assert_eq!(report.damages, []);
    assert_eq!(findings(&path("restored")), []);
    for name in ["copy", "restored"] {
        let store = open(&path(name));
        assert_eq!(store.documents(), [named("kept")], "{name}");
        assert_eq!(found(&store, "kept"), Some((2, "y".to_owned())), "{name}");
    }
}

#[test]
fn a_document_that_is_gone_is_missed_until_it_is_given_up() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    for name in ["gone", "cut", "whole"] {
        put(&store, name, "position 17", 0).expect("writes");
    }
    drop(store);
    std::fs::remove_file(file(dir.path(), "gone")).expect("removes");
    let text = std::fs::read(file(dir.path(), "cut")).expect("reads");
    std::fs::write(file(dir.path(), "cut"), &text[..text.len() - 1]).expect("writes");
    let expected = ["cut", "gone"].map(|name| (FileKind::Document, file(dir.path(), name)));
    for _ in 0..2 {
        assert_eq!(findings(dir.path()), expected);
        let store = open(dir.path());
        assert_eq!(store.status().damaged_documents.len(), 2);
        for name in ["gone", "cut"] {
            let error = store.document(&named(name)).expect_err("cannot be read");
            assert!(error.to_string().contains(name), "{error}");
            assert!(put(&store, name, "new", 0).is_err());
        }
        assert!(found(&store, "whole").is_some());
        // No record is concerned.
        assert!(snapshot(&store).damages.is_empty());
    }
    let options = VerifyOptions {
        logspace: None,
        is_deep: false,
        threads: 1,
    };
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let clock = Arc::new(TestClock::default());
    let store = super::options(dir.path());
    let repaired = repair(store, &options, true, &disk, clock, &|_, _| {}).expect("repairs");
    assert_eq!(repaired.accepted.len(), 2);
    assert_eq!(findings(dir.path()), []);
    let store = open(dir.path());
    assert_eq!(found(&store, "gone"), None);
    put(&store, "gone", "new", 0).expect("writes");
}

#[test]
fn a_document_that_is_put_back_can_be_read_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    put(&store, "cursor", "17", 0).expect("writes");
    drop(store);
    let path = file(dir.path(), "cursor");
    let aside = dir.path().join("aside");
    std::fs::rename(&path, &aside).expect("renames");
    let store = open(dir.path());
    assert!(store.document(&named("cursor")).is_err());
    std::fs::rename(&aside, &path).expect("renames");
    assert_eq!(found(&store, "cursor"), Some((1, "17".to_owned())));
    assert_eq!(store.status().damaged_documents, []);
}
