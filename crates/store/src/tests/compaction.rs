//! Days that are over get smaller once, and nobody who reads them notices.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::{RecordParts, Span};

use super::hooked::HookedDisk;
use super::*;
use crate::inspect::{InspectOptions, View, inspect};
use crate::{Archive, LogspaceStatus, Retention};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

struct Place {
    dir: tempfile::TempDir,
    clock: Arc<TestClock>,
    disk: Arc<HookedDisk>,
    options: Options,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let options = Options {
            // Next to nothing, so that there is something to be had.
            compression_level: -100,
            free_bytes_warn: 0,
            ..segments_of(2, &dir.path().join("data"))
        };
        Self {
            dir,
            clock: Arc::new(TestClock::default()),
            disk: Arc::new(HookedDisk::default()),
            options,
        }
    }

    fn open(&self) -> Store {
        let clock: Arc<dyn Clock> = self.clock.clone();
        let disk: Arc<dyn Disk> = self.disk.clone();
        let store = Store::open(self.options.clone(), disk, clock).expect("opens");
        let main = LogspaceName::main();
        store.create_logspace(&main).expect("creates");
        store
    }

    /// A store with three segments of a day that is over.
    fn filled(&self) -> Store {
        let store = self.open();
        fill(&store);
        self.pass(DAY);
        store
    }

    /// Calls `hook` when the compaction of a segment begins.
    fn hook(&self, hook: impl FnMut(&Path) -> io::Result<()> + Send + 'static) {
        self.hook_opening(OpenMode::Create, hook);
    }

    /// Calls `hook` when what the compaction writes is opened in one way.
    fn hook_opening(
        &self,
        mode: OpenMode,
        mut hook: impl FnMut(&Path) -> io::Result<()> + Send + 'static,
    ) {
        self.disk.hook_opening(mode, move |path| {
            if path.to_string_lossy().ends_with(".compact.tmp") {
                return hook(path);
            }
            Ok(())
        });
    }

    fn pass(&self, nanos: i64) {
        self.clock.0.fetch_add(nanos, Ordering::SeqCst);
    }

    fn day(&self) -> PathBuf {
        self.options.data_dir.join("logspaces/main/1970/01-01")
    }

    fn files(&self) -> Vec<String> {
        segment_files(&self.options.data_dir)
    }
}

/// Three segments of records in which the same text comes again and again.
fn fill(store: &Store) {
    for round in 0..3 {
        let text = |at: usize| format!("{round} {at} {}", "one or two three ".repeat(40));
        append(store, batch(&[&text(0), &text(1)]));
        wait_until(store, |store| segments(store) == round + 1);
    }
}

/// Letters that only a code for letters makes smaller.
fn letters(len: u32) -> String {
    let digest = |at: u32| {
        at.wrapping_mul(0x9e37_79b9)
            .rotate_left(11)
            .wrapping_mul(at | 1)
    };
    let letter = |at| char::from(b'a' + (digest(at) >> 24) as u8 % 16);
    (0..len).map(letter).collect()
}

/// Has the background look around, and waits until it has.
fn wake(store: &Store) {
    let everything = Retention::default();
    let woken = store.set_retention(&LogspaceName::main(), everything);
    woken.expect("there");
    wait_until(store, Store::is_idle);
}

fn status(store: &Store) -> LogspaceStatus {
    store.status().logspaces.remove(0)
}

fn is_compacted(place: &Place) -> Vec<bool> {
    let path = place.options.data_dir.join("logspaces/main/manifest");
    match inspect(&RealDisk, &path, &InspectOptions::default()).expect("reads") {
        View::Manifest(view) => view.entries.iter().map(|e| e.is_compacted).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn days_that_are_over_are_compacted_once() {
    let place = Place::new();
    let store = place.open();
    fill(&store);
    wake(&store);
    assert_eq!(status(&store).compacted_segments, 0, "the day goes on");
    let (expected, before) = (rows(&store), status(&store).disk_bytes);
    let held = snapshot(&store);
    place.pass(DAY);
    wake(&store);
    let after = status(&store);
    assert_eq!(after.compacted_segments, after.segments);
    assert!(after.disk_bytes < before);
    assert!(after.compaction_saved_bytes > 0 && after.compaction_failure.is_none());
    assert_eq!(rows(&store), expected);
    // Whoever looked before reads on.
    for part in &held.parts {
        if let Part::Segment(segment) = part {
            segment.chunk_records(0).expect("reads");
        }
    }
    let files = place.files();
    assert!(is_compacted(&place).into_iter().all(|is| is));
    drop(store);
    let store = place.open();
    wake(&store);
    assert_eq!(place.files(), files, "once is enough");
    assert_eq!(rows(&store), expected);
    assert_eq!(status(&store).compacted_segments, after.segments);
    let made = store.backup(&place.dir.path().join("copy"));
    assert_eq!(made.expect("makes a backup").damages, []);
    drop(store);
    let whole = crate::VerifyOptions {
        logspace: None,
        is_deep: true,
        threads: 1,
    };
    for dir in [
        place.options.data_dir.clone(),
        place.dir.path().join("copy"),
    ] {
        let verified = crate::verify(&RealDisk, &dir, &whole, &|_, _| {}).expect("reads");
        assert_eq!((verified.findings, verified.notes), (vec![], vec![]));
    }
}

#[test]
fn what_would_not_get_smaller_is_left_alone_and_remembered() {
    let mut place = Place::new();
    place.options.compression_level = place.options.compaction_level;
    let store = place.filled();
    wake(&store);
    let (files, after) = (place.files(), status(&store));
    assert_eq!(after.compacted_segments, after.segments);
    assert_eq!(after.compaction_saved_bytes, 0);
    assert!(is_compacted(&place).into_iter().all(|is| is));
    drop(store);
    place.hook(|_| panic!("it is remembered"));
    let store = place.open();
    wake(&store);
    assert_eq!(place.files(), files);
    assert_eq!(status(&store).compacted_segments, after.segments);
}

#[test]
fn nothing_is_compacted_where_that_is_not_wanted_or_the_disk_is_low() {
    for (compaction_level, free_bytes_warn) in [(0, 0), (15, u64::MAX)] {
        let mut place = Place::new();
        place.options.compaction_level = compaction_level;
        place.options.free_bytes_warn = free_bytes_warn;
        let store = place.filled();
        wake(&store);
        assert_eq!(status(&store).compacted_segments, 0);
    }
}

#[test]
fn what_comes_later_to_a_day_is_compacted_too() {
    let place = Place::new();
    let store = place.filled();
    wake(&store);
    let main = LogspaceName::main();
    for text in ["late", "later", "latest"] {
        let text = format!("{text} {}", "one or two three ".repeat(40));
        store.import(&main, batch(&[&text])).expect("imports");
        wake(&store);
        let now = status(&store);
        assert_eq!(now.compacted_segments, now.segments, "{now:?}");
    }
    assert_eq!(rows(&store).len(), 9);
    let expected = rows(&store);
    drop(store);
    assert_eq!(rows(&place.open()), expected);
}

/// Identifiers whose starts alone are in the lexicon once they are compacted.
#[test]
fn what_is_compacted_for_good_is_not_merged_with_what_comes_later() {
    let place = Place::new();
    let store = place.filled();
    wake(&store);
    let main = LogspaceName::main();
    let id = |row: u64| {
        let mixed = (row + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "{:016x}",
            (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
        )
    };
    let cut_segments = |store: &Store| {
        let parts = snapshot(store).parts;
        let is_cut = |part: &&Part| match part {
            Part::Segment(segment) => segment.footer().has_truncated_terms,
            Part::Tail(_) => false,
        };
        parts.iter().filter(is_cut).count()
    };
    for round in 0..3 {
        let texts: Vec<String> = (0..700).map(|row| id(round * 700 + row)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        store.import(&main, batch(&texts)).expect("imports");
        wake(&store);
        assert_eq!(cut_segments(&store), round as usize + 1);
        let now = status(&store);
        assert_eq!(now.compacted_segments, now.segments, "{now:?}");
    }
    let found = texts(&store);
    assert!((0..2_100).all(|row| found.contains(&id(row))));
    drop(store);
    assert_eq!(texts(&place.open()), found);
}

#[test]
fn a_segment_that_goes_meanwhile_does_not_come_back() {
    // When it is about to be written, and when it is written and read back.
    for moment in [OpenMode::Create, OpenMode::Read] {
        let place = Place::new();
        let store = Arc::new(place.open());
        fill(&store);
        let theirs = Arc::clone(&store);
        let hooked = Arc::new(AtomicBool::new(false));
        let is_hooked = Arc::clone(&hooked);
        place.hook_opening(moment, move |_| {
            is_hooked.store(true, Ordering::SeqCst);
            let nothing = Retention {
                age_max: Some(Duration::ZERO),
                bytes_max: None,
            };
            let main = LogspaceName::main();
            theirs.set_retention(&main, nothing).expect("there");
            wait_until(&theirs, |store| segments(store) == 0);
            // What comes back now would stay.
            theirs
                .set_retention(&main, Retention::default())
                .expect("there");
            Ok(())
        });
        place.pass(DAY);
        let everything = Retention::default();
        let main = LogspaceName::main();
        store.set_retention(&main, everything).expect("there");
        wait_until(&store, |_| hooked.load(Ordering::SeqCst));
        wait_until(&store, Store::is_idle);
        place.disk.unhook();
        assert_eq!(texts(&store), Vec::<String>::new(), "{moment:?}");
        assert_eq!(std::fs::read_dir(place.day()).map_or(0, Iterator::count), 0);
    }
}

#[test]
fn a_disk_that_refuses_is_told_and_tried_again() {
    let place = Place::new();
    place.hook(|_| Err(io::Error::from_raw_os_error(28)));
    let store = place.filled();
    let expected = rows(&store);
    wake(&store);
    let failure = status(&store).compaction_failure.expect("told");
    assert!(failure.contains("No space left"), "{failure}");
    wake(&store);
    assert_eq!(status(&store).compaction_failure, Some(failure));
    assert_eq!(status(&store).compacted_segments, 0);
    place.disk.unhook();
    place.pass(10 * SECOND);
    wake(&store);
    let after = status(&store);
    assert_eq!(after.compaction_failure, None);
    assert_eq!(after.compacted_segments, after.segments);
    assert_eq!(rows(&store), expected);
}

#[test]
fn damage_is_told_and_not_carried_along() {
    let place = Place::new();
    let store = place.open();
    append(&store, batch(&[&letters(8_000), "x"]));
    wait_until(&store, |store| segments(store) == 1 && store.is_idle());
    let path = place.day().join(&place.files()[0]);
    let raw = crate::raw_segment::RawSegment::open(&RealDisk, &path).expect("opens");
    let (_, footer) = raw.footer.expect("whole");
    let page = footer.chunks[0].columns[0];
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[page.offset as usize + 30] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    place.pass(DAY);
    wake(&store);
    let damages = snapshot(&store).damages;
    assert_eq!((&damages[0].path, damages[0].offset), (&path, page.offset));
    assert_eq!(std::fs::read(&path).expect("reads"), bytes);
}

/// As many records as make two chunks and can be one.
fn many() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("test").expect("room");
    for row in 0..segment::limits::CHUNK_ROWS + 20_000 {
        let line = format!("user u{} logged in after {} ms", row % 1_000, row % 77);
        let parts = RecordParts {
            message: Span::new(0, line.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(row as i64);
        let pushed = batch.push(line.as_bytes(), &parts, received, None, source);
        pushed.expect("room");
    }
    batch
}

/// How many records each chunk of the only segment has.
fn chunks(store: &Store) -> Vec<usize> {
    let [Part::Segment(segment)] = &snapshot(store).parts[..] else {
        panic!("not one segment");
    };
    (0..segment.chunks())
        .map(|chunk| segment.chunk_rows(chunk).len())
        .collect()
}

#[test]
fn chunks_of_days_that_are_over_become_larger() {
    let place = Place::new();
    let store = place.open();
    store
        .import(&LogspaceName::main(), many())
        .expect("imports");
    let expected = rows(&store);
    assert_eq!(chunks(&store).len(), 2);
    place.pass(DAY);
    wake(&store);
    assert_eq!(chunks(&store), [expected.len()]);
    assert_eq!(rows(&store), expected);
    assert_eq!(status(&store).compaction_failure, None);
    assert_eq!(place.files().len(), 1);
    let files = std::fs::read_dir(place.day()).expect("there");
    assert_eq!(files.count(), 1, "nothing is left behind");
    drop(store);
    assert_eq!(rows(&place.open()), expected);
}

#[test]
fn a_kill_in_the_middle_leaves_nothing_behind() {
    let place = Place::new();
    let killed = tempfile::tempdir().expect("temporary directory");
    let (from, to) = (place.options.data_dir.clone(), killed.path().to_owned());
    // What lies there when the next one is begun.
    let mut begun = 0;
    place.hook(move |path| {
        begun += 1;
        if begun == 2 {
            copy(&from, &to);
            let half = to.join(path.strip_prefix(&from).expect("within"));
            std::fs::write(half, "half").expect("writes");
        }
        Ok(())
    });
    let store = place.open();
    // No two of them are worth a merge.
    for (round, len) in [8_000, 2_000, 100].into_iter().enumerate() {
        append(&store, batch(&[&letters(len), "x"]));
        wait_until(&store, |store| segments(store) == round + 1);
    }
    let expected = rows(&store);
    place.pass(DAY);
    wake(&store);
    drop(store);
    let options = Options {
        data_dir: killed.path().to_owned(),
        ..place.options
    };
    let clock: Arc<dyn Clock> = place.clock;
    let store = Store::open(options, Arc::new(RealDisk), clock).expect("opens");
    assert_eq!(rows(&store), expected);
    wake(&store);
    assert_eq!(rows(&store), expected);
    assert_eq!(status(&store).compacted_segments, segments(&store));
    let names = segment_files(killed.path());
    let is_segment = |name: &String| name.ends_with(".segment");
    assert!(names.iter().all(is_segment), "{names:?}");
    assert_eq!(names.len(), segments(&store));
}

#[test]
fn what_a_kill_left_before_it_counted_is_deleted_and_nothing_else_is() {
    let place = Place::new();
    let store = place.filled();
    wake(&store);
    let expected = rows(&store);
    let files = place.files();
    drop(store);
    let whole = std::fs::read(place.day().join(&files[0])).expect("reads");
    let another = place.day().join("00000000000000000001.9.segment");
    std::fs::write(&another, &whole).expect("writes");
    // One of records that nobody has.
    let far = segment::BuildOptions {
        first_number: RecordNumber(70),
        zstd_level: 1,
    };
    let mut builder = segment::Builder::new(far);
    builder.push(&batch(&["far"])).expect("small");
    let built = builder.finish().expect("small").bytes;
    let far = place.day().join("00000000000000000070.1.segment");
    std::fs::write(&far, built).expect("writes");
    let store = place.open();
    assert_eq!(rows(&store), expected);
    assert!(!another.exists() && !far.exists());
    let aside = format!("{}.orphan", far.display());
    assert!(Path::new(&aside).exists());
}

#[test]
fn the_archive_waits_for_it_but_not_for_ever() {
    let place = Place::new();
    place.hook(|_| Err(io::Error::other("refused")));
    let store = place.filled();
    std::fs::create_dir(place.dir.path().join("slow")).expect("creates");
    let archive = Archive {
        after: Duration::from_secs(3_600),
        dir: place.dir.path().join("slow"),
    };
    let main = LogspaceName::main();
    store.set_archive(&main, Some(archive)).expect("there");
    wait_until(&store, Store::is_idle);
    assert_eq!(status(&store).archived_segments, 0);
    place.disk.unhook();
    place.pass(10 * SECOND);
    wake(&store);
    wake(&store);
    let moved = status(&store);
    assert_eq!(moved.archived_segments, moved.segments);
    assert_eq!(moved.compacted_segments, moved.segments);
    // One that cannot be compacted goes a day later.
    place.hook(|_| Err(io::Error::other("refused")));
    let mut late = batch(&[&"one or two three ".repeat(40)]);
    late.make_received_monotone(Timestamp::from_seconds(86_400));
    store.import(&main, late).expect("imports");
    place.pass(DAY);
    wake(&store);
    assert_eq!(status(&store).archived_segments, moved.segments);
    place.pass(DAY);
    wake(&store);
    assert_eq!(status(&store).archived_segments, moved.segments + 1);
}
