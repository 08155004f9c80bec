//! A tail beside imports: what takes its numbers early and comes late is not passed.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use engine::Cancel;
use model::{LogspaceName, RecordBatch, RecordId, RecordNumber, RecordParts, Timestamp};
use query::Query;
use store::{
    Disk, DiskEntry, DiskFile, Durability, OpenMode, Options, RealDisk, Store, SystemClock,
};

use crate::tail::Tail;

/// A disk that holds the first segment back until it may go on.
struct HeldDisk(Mutex<Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>>);

impl Disk for HeldDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(path)
    }
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_segment = name.starts_with("0000") && name.ends_with(".tmp");
        if mode == OpenMode::Create
            && is_segment
            && let Some((reached, go)) = self.0.lock().expect("not poisoned").take()
        {
            reached.send(()).expect("waits");
            go.recv().expect("lets go");
        }
        RealDisk.open(path, mode)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        RealDisk.list(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_dir(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_dir(path)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        RealDisk.free_bytes(path)
    }
}

fn batch(texts: &[&str]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("test").expect("fits");
    for text in texts {
        let time = Timestamp::from_seconds(1_000);
        let pushed = batch.push(text.as_bytes(), &RecordParts::default(), time, None, source);
        pushed.expect("fits");
    }
    batch
}

fn append(store: &Store, text: &str) {
    let (sender, receiver) = mpsc::channel();
    let on_durable = Box::new(move |result| _ = sender.send(result));
    store.append(
        &LogspaceName::main(),
        batch(&[text]),
        Durability::Strict,
        on_durable,
    );
    receiver.recv().expect("called back").expect("durable");
}

fn numbers(tail: &mut Tail, store: &Store) -> Vec<u64> {
    let until = Instant::now() + Duration::from_secs(60);
    let news = tail.news(store, until, &Cancel::new());
    assert!(news.is_at_end && news.dropped == 0);
    news.rows.iter().map(|row| row.id.number.0).collect()
}

#[test]
fn a_tail_waits_for_an_import_that_has_taken_earlier_numbers() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let (reached, is_reached) = mpsc::channel();
    let (go, may_go) = mpsc::channel();
    let disk = HeldDisk(Mutex::new(Some((reached, may_go))));
    let store = Store::open(
        Options::new(dir.path()),
        Arc::new(disk),
        Arc::new(SystemClock),
    );
    let store = Arc::new(store.expect("opens"));
    let main = LogspaceName::main();
    store.create_logspace(&main).expect("creates");
    append(&store, "before");
    let importing = Arc::clone(&store);
    let import = std::thread::spawn(move || {
        importing.import(&LogspaceName::main(), batch(&["old 1", "old 2"]))
    });
    is_reached.recv().expect("reaches the disk");
    append(&store, "behind");

    let look = || vec![store.snapshot(&main).expect("there")];
    let after = |number| RecordId {
        logspace: main.clone(),
        number: RecordNumber(number),
    };
    let mut tails = [
        (Tail::new(Query::all(), look(), None, 0), vec![]),
        (Tail::new(Query::all(), look(), None, 5), vec![1]),
        (Tail::new(Query::all(), look(), Some(&after(0)), 0), vec![1]),
        (Tail::new(Query::all(), look(), Some(&after(1)), 0), vec![]),
    ];
    for (tail, expected) in &mut tails {
        assert_eq!(numbers(tail, &store), *expected);
    }
    go.send(()).expect("waits");
    import.join().expect("ends").expect("imports");
    for (tail, _) in &mut tails {
        assert_eq!(numbers(tail, &store), [2, 3, 4]);
        assert_eq!(numbers(tail, &store), Vec::<u64>::new());
    }
}
