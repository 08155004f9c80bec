//! What a stop leaves for the next start, and what it does not claim.

use super::*;

/// The bytes of the journal that are written, without what is only allocated.
fn written(dir: &Path) -> Vec<(PathBuf, usize)> {
    let len = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("reads");
        bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0)
    };
    let files = journal_files(dir).into_iter();
    files.map(|path| (path.clone(), len(&path))).collect()
}

#[test]
fn a_start_after_a_stop_writes_nothing_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    for durability in Durability::ALL {
        let store = open(dir.path());
        append_as(&store, batch(&["a", "b"]), durability);
        drop(store);
        let before = written(dir.path());
        let expected = rows(&open(dir.path()));
        for _ in 0..3 {
            assert_eq!(rows(&open(dir.path())), expected);
            assert_eq!(written(dir.path()), before, "{durability:?}");
        }
    }
    let expected = rows(&open(dir.path()));
    // What earlier stops noted is known behind later ones.
    assert_eq!(expected.len(), 6);
    assert_eq!(written(dir.path()).len(), 3);
}

#[test]
fn a_start_after_a_kill_writes_the_last_commit_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["a"]));
    append(&store, batch(&["b"]));
    let killed = tempfile::tempdir().expect("temporary directory");
    copy(dir.path(), killed.path());
    assert_eq!(texts(&open(killed.path())), ["a", "b"]);
    assert_eq!(written(killed.path()).len(), 2);
}

#[test]
fn a_stop_whose_sync_fails_claims_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(FailingDisk::default());
    let store = open_with(options(dir.path()), Arc::clone(&disk) as Arc<dyn Disk>);
    append(&store, batch(&["synced"]));
    append_as(&store, batch(&["not synced"]), Durability::Fast);
    disk.failures.store(u64::MAX, Ordering::SeqCst);
    store.close();
    assert!(store.status().unsynced_bytes > 0);
    drop(store);
    let before = written(dir.path());
    assert_eq!(texts(&open(dir.path())), ["synced", "not synced"]);
    assert!(written(dir.path()).len() > before.len());
}

#[test]
fn damage_in_the_last_commit_before_a_stop_is_reported() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = open(dir.path());
    append(&store, batch(&["a"]));
    append(&store, batch(&["b"]));
    drop(store);
    let (path, len) = written(dir.path()).remove(0);
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[len] ^= 1;
    std::fs::write(&path, bytes).expect("writes");
    let store = open(dir.path());
    assert_eq!(texts(&store), ["a"]);
    // The block, and the record that is missing.
    let damages = snapshot(&store).damages;
    assert_eq!(damages.len(), 2);
    assert_eq!(damages[0].path, path);
    assert!(
        damages[1]
            .what
            .starts_with("records 2 to 2 of main are missing")
    );
}
