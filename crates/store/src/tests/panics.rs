//! A thread of the store that panics: nothing is acknowledged that is not durable, and it is told.

use super::hooked::HookedDisk;
use super::*;
use crate::AppendError;

fn panic_at(disk: &HookedDisk, ending: &'static str, times: u64) {
    let mut left = times;
    disk.hook(move |path| {
        if left > 0 && path.to_string_lossy().ends_with(ending) {
            left -= 1;
            panic!("on purpose");
        }
        Ok(())
    });
}

#[test]
fn a_sealer_that_panics_tries_again() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(HookedDisk::default());
    let small = segments_of(2, dir.path());
    let store = open_with(small, Arc::clone(&disk) as Arc<dyn Disk>);
    panic_at(&disk, "01.tmp", 2);
    append(&store, batch(&["a", "b"]));
    append(&store, batch(&["c"]));
    assert_eq!(texts(&store), ["a", "b", "c"]);
    wait_until(&store, |store| segments(store) == 1);
    assert_eq!(texts(&store), ["a", "b", "c"]);
    drop(store);
    assert_eq!(texts(&open(dir.path())), ["a", "b", "c"]);
}

#[test]
fn a_committer_that_panics_acknowledges_nothing_any_more_and_is_told() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let disk = Arc::new(HookedDisk::default());
    let little = Options {
        journal_file_bytes: 1_024,
        ..options(dir.path())
    };
    let store = open_with(little, Arc::clone(&disk) as Arc<dyn Disk>);
    append(&store, batch(&["before"]));
    panic_at(&disk, ".journal", u64::MAX);
    let outcome = |text: &str| {
        let (sender, receiver) = mpsc::channel();
        let on_durable = Box::new(move |result| _ = sender.send(result));
        let strict = Durability::Strict;
        store.append(&LogspaceName::main(), batch(&[text]), strict, on_durable);
        receiver.recv()
    };
    // Larger than what is left of the file, however it is compressed.
    let digest = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let noise: String = (1..1_000).map(|at| format!("{:x}", digest(at))).collect();
    // Nobody is left to call back, or they are refused.
    assert!(!matches!(outcome(&noise), Ok(Ok(_))));
    wait_until(
        &store,
        |store| matches!(&store.status().state, State::Stalled(why) if why.contains("panicked")),
    );
    assert_eq!(outcome("after"), Ok(Err(AppendError::Closed)));
    assert_eq!(texts(&store), ["before"]);
    drop(store);
    assert_eq!(texts(&open(dir.path())), ["before"]);
}
