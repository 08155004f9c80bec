//! Questions on several threads: one that is stopped ends at once, and a long one holds up no other.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use model::LogspaceName;
use query::{Query, parse, parse_question};
use store::{
    Disk, DiskEntry, DiskFile, OpenMode, Options, Part, RealDisk, SegmentHandle, Store, SystemClock,
};

use crate::limits::HELPED_PARTS_MIN;
use crate::testing::{DAY, Sample, batch};
use crate::{
    Cancel, Scope, SearchOptions, StatsField, count, fields, histogram_watched, search, stats,
    tabulate,
};

/// How long a thread of a test is waited for before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// A disk that tells what is read.
#[derive(Default)]
struct WatchedDisk(Arc<Mutex<Option<Watch>>>);

/// Called with the file and the offset of what is read.
type Watch = Box<dyn FnMut(&Path, u64) + Send>;

struct WatchedFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    watch: Arc<Mutex<Option<Watch>>>,
}

impl Disk for WatchedDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(path)
    }
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(WatchedFile {
            file: RealDisk.open(path, mode)?,
            path: path.to_owned(),
            watch: Arc::clone(&self.0),
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

impl DiskFile for WatchedFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if let Some(watch) = self.watch.lock().expect("nobody panicked").as_mut() {
            watch(&self.path, offset);
        }
        self.file.read_exact_at(buffer, offset)
    }
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(data, offset)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
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

/// Asks something; whether the answer is complete.
type Ask<'q> = dyn Fn(Scope, &Cancel) -> bool + 'q;

fn open(directory: &Path, disk: Arc<dyn Disk>) -> Store {
    let options = Options::new(directory);
    let store = Store::open(options, disk, Arc::new(SystemClock)).expect("opens");
    store
        .create_logspace(&LogspaceName::main())
        .expect("created");
    store
}

/// Imports segments of so many records, of `bytes` bytes and a bit more each.
fn import(store: &Store, segments: u64, records: u64, bytes: usize) {
    for segment in 0..segments {
        let samples = (0..records).map(|index| {
            let number = segment * records + index;
            let of_day = index.cast_signed() * 1_000_000;
            Sample {
                received: 1_790_000_000_000_000_000 + segment.cast_signed() * DAY + of_day,
                message: format!("n={number} {}", format!("{number}x").repeat(bytes / 8))
                    .into_bytes(),
                host: format!("web-{}", number % 7),
                ..Sample::default()
            }
        });
        let samples: Vec<Sample> = samples.collect();
        store
            .import(&LogspaceName::main(), batch(&samples))
            .expect("imported");
    }
}

fn scope(store: &Store) -> Scope {
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

fn segments(scope: &Scope) -> Vec<Arc<SegmentHandle>> {
    let parts = scope.snapshots[0].parts.iter();
    let segments = parts.filter_map(|part| match part {
        Part::Segment(segment) => Some(Arc::clone(segment)),
        Part::Tail(_) => None,
    });
    segments.collect()
}

/// The chunk of a page: the path of its segment and its number there.
type ChunkName = (PathBuf, usize);

/// For each page of columns its file, its offset and its chunk.
fn column_pages(segments: &[Arc<SegmentHandle>]) -> Vec<(PathBuf, u64, ChunkName)> {
    let mut pages = Vec::new();
    for segment in segments {
        for (number, chunk) in segment.footer().chunks.iter().enumerate() {
            for page in &chunk.columns {
                let path = segment.path().to_owned();
                pages.push((path.clone(), page.offset, (path, number)));
            }
        }
    }
    pages
}

/// Asks of a store that nothing was read from, and cancels while the third chunk is read: the chunks
/// that were read afterwards, and those there are.
fn chunks_read_after_cancelling(
    directory: &Path,
    ask: impl FnOnce(Scope, &Cancel) -> bool,
) -> (usize, usize) {
    let disk = WatchedDisk::default();
    let watch = Arc::clone(&disk.0);
    // Nothing is merged meanwhile, which reads too.
    let (options, clock) = (Options::new(directory), Arc::new(SystemClock));
    let store = Store::open_read_only(options, Arc::new(disk), clock).expect("opens");
    let scope = scope(&store);
    let pages = column_pages(&segments(&scope));
    let all: BTreeSet<ChunkName> = pages.iter().map(|(.., chunk)| chunk.clone()).collect();
    let cancel = Cancel::new();
    let after = Arc::<Mutex<BTreeSet<ChunkName>>>::default();
    let (own_cancel, own_after) = (cancel.clone(), Arc::clone(&after));
    let mut before = BTreeSet::new();
    *watch.lock().expect("no panic") = Some(Box::new(move |path, offset| {
        let page = pages
            .iter()
            .find(|(own, at, _)| own == path && *at == offset);
        let Some((.., chunk)) = page else { return };
        if own_cancel.stopped().is_some() {
            own_after.lock().expect("no panic").insert(chunk.clone());
        } else {
            before.insert(chunk.clone());
            if before.len() == 3 {
                own_cancel.cancel();
            }
        }
    }));
    let is_complete = ask(scope, &cancel);
    assert!(cancel.stopped().is_some(), "three chunks were read");
    assert!(!is_complete, "a stopped question says so");
    *watch.lock().expect("no panic") = None;
    let after = after.lock().expect("no panic").len();
    (after, all.len())
}

#[test]
fn a_question_that_is_cancelled_reads_no_further_chunk() {
    const SEGMENTS: u64 = 7;
    let directory = tempfile::tempdir().expect("a directory");
    import(
        &open(directory.path(), Arc::new(RealDisk)),
        SEGMENTS,
        100,
        600,
    );
    let threads = 1 + SEGMENTS as usize / HELPED_PARTS_MIN;
    let regex = parse("/[0-9]y[0-9]/").into_result().expect("valid");
    let by_field = StatsField::parse("n").expect("a field");
    let table = parse_question("| count by host, n").question;
    let asks: [&Ask<'_>; 6] = [
        &|scope, cancel| count(&scope, &regex, cancel).completeness.is_complete(),
        &|scope, cancel| {
            let bars = histogram_watched(&scope, &regex, 7, cancel, &mut |_| ());
            bars.completeness.is_complete()
        },
        &|scope, cancel| {
            let options = SearchOptions::default();
            let found = search(&scope, &regex, &options, cancel);
            found.completeness.is_complete()
        },
        &|scope, cancel| {
            let found = stats(scope, &Query::all(), &by_field, 9, cancel);
            found.completeness.is_complete()
        },
        &|scope, cancel| {
            let found = fields(scope, &regex, cancel);
            found.completeness.is_complete()
        },
        &|scope, cancel| {
            let found = tabulate(&scope, &table, 9, cancel);
            found.completeness.is_complete()
        },
    ];
    for (number, ask) in asks.into_iter().enumerate() {
        let (after, all) = chunks_read_after_cancelling(directory.path(), ask);
        assert!(all > 3 + threads, "{all} chunks");
        // Each thread may be about to read one.
        assert!(after <= threads, "question {number} read {after} of {all}");
    }
}

#[test]
fn a_short_question_is_answered_while_long_ones_hold_all_helpers() {
    const LONG: usize = 4;
    const SEGMENTS: u64 = 12;
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path(), Arc::new(RealDisk));
    import(&store, SEGMENTS, 50, 8);
    let scope = scope(&store);
    let mut barred = scope.clone();
    barred.range = scope.stored_range().expect("there are records");
    let regex = parse("/[0-9]x/").into_result().expect("valid");
    thread::scope(|threads| {
        let mut held = Vec::new();
        let (started, starts) = mpsc::channel();
        for _ in 0..LONG {
            let (release, released) = mpsc::channel::<()>();
            held.push(release);
            let (barred, regex, started) = (&barred, &regex, started.clone());
            threads.spawn(move || {
                // Until it is released: then the channel is closed.
                let hold = &mut move |_: crate::Counted<'_>| {
                    _ = started.send(());
                    _ = released.recv();
                };
                histogram_watched(barred, regex, 7, &Cancel::new(), hold).total
            });
        }
        for _ in 0..LONG {
            starts.recv_timeout(PATIENCE).expect("a long one starts");
        }
        let (answered, answers) = mpsc::channel();
        let (scope, regex) = (&scope, &regex);
        threads.spawn(move || {
            let found = count(scope, regex, &Cancel::new()).count;
            let tags = stats(
                scope.clone(),
                &Query::all(),
                &StatsField::Host,
                9,
                &Cancel::new(),
            );
            answered.send((found, tags.distinct)).is_ok()
        });
        let answer = answers.recv_timeout(PATIENCE);
        drop(held);
        assert_eq!(answer, Ok((SEGMENTS * 50, 7)));
    });
}
