//! One logspace in memory: its segments, its tail, and the next record number.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};

use model::{LogspaceName, RecordBatch, RecordNumber, Timestamp};
use segment::Footer;

use crate::archive::Archive;
use crate::followers::Followers;
use crate::import::FailedImport;
use crate::limits::TAIL_CHUNK_BYTES;
use crate::manifest::{Entry, Manifest};
use crate::memory_segments::MemorySegments;
use crate::numbers::Unsettled;
use crate::pauses::Pauses;
use crate::places::Places;
use crate::retention::Retention;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::{Damage, Part, Snapshot, TailChunk};
use crate::status::LogspaceStatus;
use crate::store::locked;

/// A logspace.
pub(crate) struct Logspace {
    /// Its name.
    pub(crate) name: LogspaceName,
    /// Its directory.
    pub(crate) dir: PathBuf,
    /// Its manifest; `None` when the store is open for reading only. Locked before the state.
    pub(crate) manifest: Mutex<Option<Manifest>>,
    retention: Mutex<Retention>,
    archive: Mutex<Option<Archive>>,
    /// Where archived segments lie.
    archive_home: Mutex<Option<PathBuf>>,
    /// Why the last try to archive failed.
    archive_failure: Mutex<Option<String>>,
    /// Why the last try to compact failed.
    compaction_failure: Mutex<Option<String>>,
    /// Held by whoever puts segments in the place of others, from choosing them on; compacting
    /// holds it only at its end. Locked before the manifest.
    pub(crate) rewriting: Mutex<()>,
    state: Mutex<LogspaceState>,
    /// Tells those who wait with the state that a watermark has moved.
    pub(crate) news: Condvar,
}

/// What changes in a logspace.
pub(crate) struct LogspaceState {
    /// The number of the next record.
    pub(crate) next: u64,
    /// Numbers whose records are not seen, or not durable, so far.
    pub(crate) unsettled: Unsettled,
    /// Lower numbers are not given again after a power cut, whatever it takes: the inventory says so.
    pub(crate) ceiling: u64,
    /// Who reads it in the order of numbers.
    pub(crate) followers: Followers,
    /// Imports that failed and of which something is left on the disk.
    pub(crate) failed_imports: Vec<FailedImport>,
    /// The number behind the last record that was ever in the journal.
    pub(crate) journaled: u64,
    /// No record received from now on is stamped earlier, but for a clock that is set back.
    pub(crate) last_received: Timestamp,
    /// At the start, the number behind the record with [`Self::last_received`].
    received_end: u64,
    /// How often times of receipt went back since the start.
    pub(crate) clock_steps_back: u64,
    /// Sealed records, in the order of their numbers.
    pub(crate) segments: Vec<Arc<SegmentHandle>>,
    /// What cannot be read.
    pub(crate) damages: Arc<[Damage]>,
    /// At the start, what [`crate::manifest::Contents::sealed`] says, where it can be trusted.
    pub(crate) sealed: u64,
    /// At the start, the numbers of the records in segments that cannot be read.
    pub(crate) unreadable: Vec<Range<u64>>,
    /// At the start, segments in whose place another file lies.
    pub(crate) foreign: Vec<(Entry, PathBuf)>,
    /// Segments that were damaged at the start so that they could not be opened, to be mended.
    pub(crate) unopened: Vec<Entry>,
    /// Records deleted since the start because they need not be kept.
    pub(crate) expired_records: u64,
    /// Segments that turned out to be damaged when they were to be merged.
    unmergeable: BTreeSet<PathBuf>,
    /// Segments that the disk would not read when they were to be merged.
    pub(crate) merge_pauses: Pauses,
    /// Segments that could not be compacted.
    pub(crate) compaction_pauses: Pauses,
    /// Segments that were compacted.
    compacted: BTreeSet<PathBuf>,
    /// Bytes saved by that since the start.
    compaction_saved_bytes: u64,
    tail: Vec<Arc<TailChunk>>,
    tail_bytes: usize,
    tail_rows: usize,
    /// The stretches at the front of the tail that are being sealed and must stay as they are, in order.
    frozen: VecDeque<FrozenSize>,
    memory_segments: MemorySegments,
}

/// How much a stretch of a tail is.
#[derive(Clone, Copy, Debug, Default)]
struct FrozenSize {
    chunks: usize,
    bytes: usize,
    rows: usize,
}

/// A stretch of a tail that is being sealed.
pub(crate) struct Frozen {
    /// Its records.
    pub(crate) chunks: Vec<Arc<TailChunk>>,
    /// Their memory in bytes.
    pub(crate) bytes: usize,
}

impl LogspaceState {
    /// An empty logspace.
    pub(crate) fn new() -> Self {
        Self {
            next: 1,
            unsettled: Unsettled::default(),
            ceiling: 0,
            followers: Followers::default(),
            failed_imports: Vec::new(),
            journaled: 1,
            last_received: Timestamp::MIN,
            received_end: 0,
            clock_steps_back: 0,
            segments: Vec::new(),
            damages: Arc::from([]),
            sealed: 0,
            unreadable: Vec::new(),
            foreign: Vec::new(),
            unopened: Vec::new(),
            expired_records: 0,
            unmergeable: BTreeSet::new(),
            merge_pauses: Pauses::default(),
            compaction_pauses: Pauses::default(),
            compacted: BTreeSet::new(),
            compaction_saved_bytes: 0,
            tail: Vec::new(),
            tail_bytes: 0,
            tail_rows: 0,
            frozen: VecDeque::new(),
            memory_segments: MemorySegments::default(),
        }
    }

    /// Adds durable records to the tail, joined with the last chunk where both are small.
    pub(crate) fn publish(&mut self, first: RecordNumber, mut batch: RecordBatch) {
        let end = first.0 + batch.len() as u64;
        self.next = self.next.max(end);
        self.journaled = self.journaled.max(end);
        self.settle_numbers(&(first.0..end));
        self.tail_bytes += batch.memory_bytes();
        self.tail_rows += batch.len();
        if self.join_last(first, &batch) {
            return;
        }
        batch.shrink_to_fit();
        if let Some(last) = self.tail.last_mut().and_then(Arc::get_mut) {
            // It grew, and will not any more.
            last.batch.shrink_to_fit();
        }
        let looks = self.memory_segments.looks();
        let chunk = TailChunk::new(first, batch, looks);
        self.tail.push(Arc::new(chunk));
    }

    /// At the start, takes the last time of receipt of records before a number, unless later ones are
    /// known: those may have earlier times, where the clock was set back.
    pub(crate) fn note_received(&mut self, end: u64, last_received: Timestamp) {
        if end >= self.received_end {
            self.received_end = end;
            self.last_received = last_received;
        }
    }

    /// Adds records to the last chunk of the tail, if that is small and goes on with them; whether
    /// it did.
    fn join_last(&mut self, first: RecordNumber, batch: &RecordBatch) -> bool {
        let last_is_free = self.tail.len() > self.frozen_size().chunks;
        let Some(last) = self.tail.last_mut().filter(|_| last_is_free) else {
            return false;
        };
        let bytes = last.batch.memory_bytes() + batch.memory_bytes();
        if !last.goes_on_with(first, batch) || bytes >= TAIL_CHUNK_BYTES {
            return false;
        }
        // Mostly nobody reads it; who does keeps what was there.
        if let Some(chunk) = Arc::get_mut(last) {
            return chunk.batch.append(batch).is_ok();
        }
        let mut joined = last.batch.clone();
        if joined.append(batch).is_err() {
            return false;
        }
        *last = Arc::new(TailChunk::new(
            last.first,
            joined,
            self.memory_segments.looks(),
        ));
        true
    }

    /// The memory of the tail in bytes, and its records.
    pub(crate) fn tail_size(&self) -> (usize, usize) {
        (self.tail_bytes, self.tail_rows)
    }

    /// The records that are not yet sealed.
    pub(crate) fn tail(&self) -> Vec<Arc<TailChunk>> {
        self.tail.clone()
    }

    /// The same, to look at.
    pub(crate) fn tail_chunks(&self) -> &[Arc<TailChunk>] {
        &self.tail
    }

    /// The number behind the newest record of the tail.
    pub(crate) fn tail_end(&self) -> Option<u64> {
        self.tail.last().map(|chunk| chunk.end())
    }

    /// The number and the day of the oldest record of the tail.
    pub(crate) fn tail_start(&self) -> Option<(RecordNumber, i64)> {
        start_of(self.tail.first()?)
    }

    /// What of the tail is being sealed.
    fn frozen_size(&self) -> FrozenSize {
        let mut all = FrozenSize::default();
        for stretch in &self.frozen {
            all.chunks += stretch.chunks;
            all.bytes += stretch.bytes;
            all.rows += stretch.rows;
        }
        all
    }

    /// The memory in bytes and the records of what of the tail is not being sealed.
    pub(crate) fn open_size(&self) -> (usize, usize) {
        let frozen = self.frozen_size();
        (self.tail_bytes - frozen.bytes, self.tail_rows - frozen.rows)
    }

    /// The number and the day of the oldest record of the tail that is not being sealed.
    pub(crate) fn open_start(&self) -> Option<(RecordNumber, i64)> {
        start_of(self.tail.get(self.frozen_size().chunks)?)
    }

    /// Takes chunks from the front of what of the tail is not being sealed: at least one where there is one,
    /// consecutive in number and in order of receipt, up to about `rows_max` records and `bytes_max` bytes. They
    /// stay visible until [`LogspaceState::finish_seal`], which is called once for each stretch in the order they were taken.
    pub(crate) fn freeze(&mut self, rows_max: usize, bytes_max: usize) -> Frozen {
        let mut size = FrozenSize::default();
        let mut chunks: Vec<Arc<TailChunk>> = Vec::new();
        for chunk in self.tail.iter().skip(self.frozen_size().chunks) {
            let (rows, bytes) = (chunk.batch.len(), chunk.batch.memory_bytes());
            let is_full = size.rows + rows > rows_max || size.bytes + bytes > bytes_max;
            if let Some(last) = chunks.last()
                && (is_full || !last.goes_on_with(chunk.first, &chunk.batch))
            {
                break;
            }
            size.chunks += 1;
            size.rows += rows;
            size.bytes += bytes;
            chunks.push(Arc::clone(chunk));
        }
        if size.chunks > 0 {
            self.frozen.push_back(size);
        }
        let bytes = size.bytes;
        Frozen { chunks, bytes }
    }

    /// Gives all that is frozen back to the tail, after a sealer that panicked; how many bytes that was.
    pub(crate) fn thaw(&mut self) -> usize {
        let bytes = self.frozen_size().bytes;
        self.frozen.clear();
        bytes
    }

    /// Replaces the first frozen stretch by the segments made of it; how many bytes it had.
    pub(crate) fn finish_seal(&mut self, sealed: Vec<Arc<SegmentHandle>>) -> usize {
        let size = self.frozen.pop_front().unwrap_or_default();
        self.tail.drain(..size.chunks);
        self.tail_bytes -= size.bytes;
        self.tail_rows -= size.rows;
        self.memory_segments
            .keep_from(RecordNumber(self.tail_start_number()));
        self.add_segments(sealed);
        size.bytes
    }

    /// Whether the next memory segment may be due.
    pub(crate) fn is_memory_segment_due(&self) -> bool {
        self.memory_segments.may_be_due(self.tail_rows)
    }

    /// The memory segments of the tail.
    pub(crate) fn memory_segments(&self) -> &MemorySegments {
        &self.memory_segments
    }

    /// The chunks of the tail that neither grow nor are being sealed.
    pub(crate) fn settled_tail(&self) -> &[Arc<TailChunk>] {
        let grown = self.tail.len().saturating_sub(1);
        let frozen = self.frozen_size().chunks;
        self.tail.get(frozen..grown).unwrap_or(&[])
    }

    /// Adds a memory segment, unless some of its records were sealed meanwhile; whether it did.
    pub(crate) fn add_memory_segment(&mut self, memory_segment: Arc<SegmentHandle>) -> bool {
        let is_of_tail = memory_segment.first_number().0 >= self.tail_start_number();
        if is_of_tail {
            self.memory_segments.add(memory_segment);
        }
        is_of_tail
    }

    /// The number of the oldest record of the tail; the largest one where it is empty.
    fn tail_start_number(&self) -> u64 {
        self.tail.first().map_or(u64::MAX, |chunk| chunk.first.0)
    }

    /// Adds segments in the order of their numbers.
    pub(crate) fn add_segments(&mut self, added: Vec<Arc<SegmentHandle>>) {
        self.segments.extend(added);
        self.segments.sort_by_key(|segment| segment.first_number());
    }

    /// The open segments with these files.
    pub(crate) fn handles(&self, paths: &[PathBuf]) -> Vec<Arc<SegmentHandle>> {
        let segments = self.segments.iter();
        segments
            .filter(|segment| paths.iter().any(|path| path == segment.path()))
            .cloned()
            .collect()
    }

    /// Whether a segment is open, nothing speaks against reading all of it, and it is not compacted for good.
    pub(crate) fn is_mergeable(&self, path: &Path) -> bool {
        let mut segments = self.segments.iter();
        let is_mergeable = |segment: &Arc<SegmentHandle>| {
            segment.index_damage().is_none() && !segment.footer().has_truncated_terms
        };
        !self.unmergeable.contains(path)
            && segments.any(|segment| segment.path() == path && is_mergeable(segment))
    }

    /// How many bytes the lexicon of a segment has; 0 where it is not open.
    pub(crate) fn lexicon_bytes(&self, path: &Path) -> u64 {
        let mut segments = self.segments.iter();
        let segment = segments.find(|segment| segment.path() == path);
        let pages = segment.map(|segment| segment.footer().lexicon_pages.iter());
        let pages = pages.into_iter().flatten();
        pages.map(|page| u64::from(page.page.stored_len)).sum()
    }

    /// Whether a segment is open.
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        self.segments.iter().any(|segment| segment.path() == path)
    }

    /// The segments in which readers found the index damaged, but for those of which records are
    /// damaged as well.
    pub(crate) fn with_damaged_index(&self) -> Vec<(PathBuf, Damage)> {
        let segments = self.segments.iter();
        segments
            .filter(|segment| !self.unmergeable.contains(segment.path()))
            .filter_map(|segment| {
                Some((segment.path().to_owned(), segment.index_damage()?.clone()))
            })
            .collect()
    }

    /// Whether any of these records is known, sealed or not.
    pub(crate) fn has_any(&self, numbers: &Range<u64>) -> bool {
        let mut segments = self.segments.iter();
        self.tail_has_any(numbers)
            || segments.any(|segment| {
                let first = segment.first_number().0;
                first < numbers.end && numbers.start < first + u64::from(segment.rows())
            })
    }

    /// Whether the tail has any of these records.
    pub(crate) fn tail_has_any(&self, numbers: &Range<u64>) -> bool {
        let mut chunks = self.tail.iter();
        chunks.any(|chunk| chunk.first.0 < numbers.end && numbers.start < chunk.end())
    }

    /// Notes a segment that must not be merged because it is damaged.
    pub(crate) fn refuse_to_merge(&mut self, damage: Damage) {
        self.unmergeable.insert(damage.path.clone());
        self.add_damages([damage]);
    }

    /// Puts a segment in the place of those it was merged from.
    pub(crate) fn replace(&mut self, paths: &[PathBuf], merged: Vec<Arc<SegmentHandle>>) {
        self.segments
            .retain(|segment| !paths.iter().any(|path| path == segment.path()));
        for path in paths {
            self.merge_pauses.forget(path);
            self.compaction_pauses.forget(path);
            self.compacted.remove(path);
        }
        self.add_segments(merged);
    }

    /// Notes that a segment was compacted, and how many bytes that saved.
    pub(crate) fn note_compacted(&mut self, path: PathBuf, saved_bytes: u64) {
        self.compaction_pauses.forget(&path);
        self.compacted.insert(path);
        self.compaction_saved_bytes += saved_bytes;
    }

    /// Forgets segments that need not be kept.
    pub(crate) fn expire(&mut self, paths: &[PathBuf], records: u64) {
        self.replace(paths, Vec::new());
        self.expired_records += records;
    }

    /// Whether a sealed segment holds the record.
    pub(crate) fn is_sealed(&self, number: RecordNumber) -> bool {
        let behind = self
            .segments
            .partition_point(|segment| segment.first_number() <= number);
        behind
            .checked_sub(1)
            .and_then(|index| self.segments.get(index))
            .is_some_and(|segment| number.0 < segment.first_number().0 + u64::from(segment.rows()))
    }

    /// Forgets that another file lies in the place of a segment whose records the journal has: a seal
    /// failed after its record of the manifest was written, and the next one, with more records,
    /// wrote the file anew. It is sealed again.
    pub(crate) fn settle_foreign(&mut self) {
        for (entry, path) in std::mem::take(&mut self.foreign) {
            if entry
                .numbers()
                .all(|number| self.tail_has_any(&(number..number + 1)))
            {
                self.settle_damages(&path);
            }
        }
    }

    /// Forgets damages of a file that can be read again.
    pub(crate) fn settle_damages(&mut self, path: &Path) {
        let others = self.damages.iter().filter(|damage| damage.path != path);
        self.damages = others.cloned().collect();
    }

    /// Notes something that cannot be read.
    pub(crate) fn add_damages(&mut self, damages: impl IntoIterator<Item = Damage>) {
        self.damages = self.damages.iter().cloned().chain(damages).collect();
    }
}

/// The number and the day of the first record of a chunk.
fn start_of(chunk: &TailChunk) -> Option<(RecordNumber, i64)> {
    Some((chunk.first, chunk.batch.get(0)?.received().day()))
}

impl Logspace {
    /// A logspace in a directory.
    pub(crate) fn new(
        name: LogspaceName,
        places: Places,
        manifest: Option<Manifest>,
        state: LogspaceState,
    ) -> Self {
        Self {
            name,
            dir: places.home,
            manifest: Mutex::new(manifest),
            retention: Mutex::default(),
            archive: Mutex::default(),
            archive_home: Mutex::new(places.archive),
            archive_failure: Mutex::default(),
            compaction_failure: Mutex::default(),
            rewriting: Mutex::default(),
            state: Mutex::new(state),
            news: Condvar::new(),
        }
    }

    /// How much of it is kept.
    pub(crate) fn retention(&self) -> Retention {
        *locked(&self.retention)
    }

    /// Sets how much of it is kept.
    pub(crate) fn set_retention(&self, retention: Retention) {
        *locked(&self.retention) = retention;
    }

    /// What of it is archived.
    pub(crate) fn archive(&self) -> Option<Archive> {
        locked(&self.archive).clone()
    }

    /// Sets what of it is archived.
    pub(crate) fn set_archive(&self, archive: Option<Archive>) {
        *locked(&self.archive) = archive;
    }

    /// Notes where archived segments lie.
    pub(crate) fn set_archive_home(&self, home: PathBuf) {
        *locked(&self.archive_home) = Some(home);
    }

    /// Notes how the last try to archive went; whether that is news.
    pub(crate) fn set_archive_failure(&self, failure: Option<String>) -> bool {
        let mut known = locked(&self.archive_failure);
        let is_news = *known != failure;
        *known = failure;
        is_news
    }

    /// Notes how the last try to compact went; whether that is news.
    pub(crate) fn set_compaction_failure(&self, failure: Option<String>) -> bool {
        let mut known = locked(&self.compaction_failure);
        let is_news = *known != failure;
        *known = failure;
        is_news
    }

    /// Where its segments lie.
    pub(crate) fn places(&self) -> Places {
        Places {
            home: self.dir.clone(),
            archive: locked(&self.archive_home).clone(),
        }
    }

    /// The file of a segment.
    pub(crate) fn path(&self, entry: &Entry) -> PathBuf {
        self.places().segment(entry)
    }

    /// What changes, locked.
    pub(crate) fn state(&self) -> std::sync::MutexGuard<'_, LogspaceState> {
        locked(&self.state)
    }

    /// What a reader sees now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        let segments = state.segments.iter().cloned().map(Part::Segment);
        let mut parts: Vec<Part> = segments
            .chain(state.memory_segments.parts(&state.tail))
            .collect();
        parts.sort_by_key(Part::first_number);
        Snapshot {
            logspace: self.name.clone(),
            parts,
            end: RecordNumber(state.visible_end()),
            damages: Arc::clone(&state.damages),
        }
    }

    /// Figures for the administrator.
    pub(crate) fn status(&self) -> LogspaceStatus {
        let state = self.state();
        let sealed = state.segments.clone();
        let tail = state.tail();
        let damages = Arc::clone(&state.damages);
        let (tail_bytes, tail_records) = state.tail_size();
        let expired_records = state.expired_records;
        let followers = state.follower_status();
        let compacted_segments = state.compacted.len();
        let compaction_saved_bytes = state.compaction_saved_bytes;
        let clock_steps_back = state.clock_steps_back;
        let in_index = state.with_damaged_index();
        drop(state);
        let (archived, here): (Vec<_>, Vec<_>) = sealed
            .iter()
            .partition(|segment| !segment.path().starts_with(&self.dir));
        let footers = || sealed.iter().map(|segment| segment.footer());
        let sealed_parts = sealed.iter().cloned().map(Part::Segment);
        let parts: Vec<Part> = sealed_parts
            .chain(tail.into_iter().map(Part::Tail))
            .collect();
        let file_bytes = |segments: &[&Arc<SegmentHandle>]| {
            segments.iter().map(|segment| segment.file_bytes()).sum()
        };
        LogspaceStatus {
            name: self.name.clone(),
            records: parts.iter().map(|part| u64::from(part.rows())).sum(),
            segments: sealed.len(),
            retention: self.retention(),
            data_bytes: footers().map(Footer::data_bytes).sum(),
            disk_bytes: file_bytes(&here),
            archived_segments: archived.len(),
            archived_bytes: file_bytes(&archived),
            archive_failure: locked(&self.archive_failure).clone(),
            compacted_segments,
            compaction_saved_bytes,
            compaction_failure: locked(&self.compaction_failure).clone(),
            raw_bytes: footers().map(|footer| footer.raw_bytes).sum(),
            tail_records: tail_records as u64,
            tail_bytes: tail_bytes as u64,
            expired_records,
            followers,
            first_received: parts.iter().map(Part::first_received).min(),
            last_received: parts.iter().map(Part::last_received).max(),
            clock_steps_back,
            // What only the index lost makes no answer incomplete, and is in no snapshot.
            damages: damages
                .iter()
                .cloned()
                .chain(in_index.into_iter().map(|(_, damage)| damage))
                .collect(),
        }
    }
}
