//! Memory segments: segments in memory of what is not sealed yet, for questions that come again and again.
//!
//! A question looks at every record of the tail. Some forty looks at a record take as long as making it a
//! part of a segment, in which it is found without one; so stretches of the tail that were looked at nearly as
//! often get a memory segment, by a thread of its own, and nobody pays for it where nobody asks. A memory segment is never
//! written: the sealer makes its segments of the tail, in larger pieces, and memory segments go with what they were
//! made of.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::RecordNumber;
use segment::{BuildOptions, Builder};

use crate::disk::DiskFile;
use crate::error::Error;
use crate::limits::{
    MEMORY_SEGMENT_LOOKS, MEMORY_SEGMENT_OF_TAILS, MEMORY_SEGMENT_ROWS_MAX, MEMORY_SEGMENT_ROWS_MIN,
};
use crate::logspace::Logspace;
use crate::segment_handle::{PageCache, SegmentHandle};
use crate::snapshot::{Part, TailChunk};
use crate::store::Shared;

/// How often it looks without being asked, which finds nothing that nobody asked for.
const ROUND: Duration = Duration::from_secs(24 * 3_600);

/// The memory segments of a tail.
#[derive(Default)]
pub(crate) struct MemorySegments {
    /// In the order of their numbers, each of whole chunks.
    segments: Vec<Arc<SegmentHandle>>,
    /// At how many records of the tail questions have looked that a memory segment would have spared them.
    looks: Arc<AtomicU64>,
}

impl MemorySegments {
    /// Where looks at records of the tail are counted.
    pub(crate) fn looks(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.looks)
    }

    /// Whether questions have looked often enough at so many records of the tail.
    fn is_worth_it(&self, rows: usize) -> bool {
        self.looks.load(Ordering::Relaxed) >= MEMORY_SEGMENT_LOOKS * rows as u64
    }

    /// Whether the next memory segment of a tail of so many records may be due, unless they are large.
    pub(crate) fn may_be_due(&self, rows: usize) -> bool {
        let indexed: usize = self
            .segments
            .iter()
            .map(|memory_segment| memory_segment.rows() as usize)
            .sum();
        self.is_worth_it(MEMORY_SEGMENT_ROWS_MIN.max(rows.saturating_sub(indexed)))
    }

    /// The chunks that the next memory segment is to be made of, if one is due, which take so many bytes at most.
    /// `chunks` are those of the tail that neither grow nor are being sealed.
    fn next(&self, chunks: &[Arc<TailChunk>], bytes_max: usize) -> Option<Vec<Arc<TailChunk>>> {
        let end = self.segments.last().map_or(0, |last| end_of(last));
        let chunks = chunks.iter().skip_while(|chunk| chunk.first.0 < end);
        let chunks: Vec<_> = chunks.cloned().collect();
        let rows: usize = chunks.iter().map(|chunk| chunk.batch.len()).sum();
        let bytes: usize = chunks.iter().map(|chunk| chunk.batch.memory_bytes()).sum();
        let is_enough = rows >= MEMORY_SEGMENT_ROWS_MIN || bytes >= bytes_max;
        (is_enough && self.is_worth_it(rows)).then(|| first_stretch(chunks, bytes_max))
    }

    /// Adds a memory segment, of records behind those of the others.
    pub(crate) fn add(&mut self, memory_segment: Arc<SegmentHandle>) {
        let spent = MEMORY_SEGMENT_LOOKS * u64::from(memory_segment.rows());
        let looks = self.looks.load(Ordering::Relaxed);
        // Looks that are counted meanwhile are lost, which nobody misses.
        self.looks
            .store(looks.saturating_sub(spent), Ordering::Relaxed);
        self.segments.push(memory_segment);
    }

    /// Forgets those that begin before a record, which is the first of the tail now.
    pub(crate) fn keep_from(&mut self, first: RecordNumber) {
        self.segments
            .retain(|memory_segment| memory_segment.first_number() >= first);
    }

    /// The memory segments and the chunks of a tail that have none.
    pub(crate) fn parts(&self, tail: &[Arc<TailChunk>]) -> impl Iterator<Item = Part> {
        let mut memory_segments = self.segments.iter().peekable();
        let open = tail.iter().filter(move |chunk| {
            while memory_segments
                .next_if(|memory_segment| end_of(memory_segment) <= chunk.first.0)
                .is_some()
            {}
            memory_segments
                .peek()
                .is_none_or(|memory_segment| chunk.first < memory_segment.first_number())
        });
        let open = open.cloned().map(Part::Tail);
        self.segments.iter().cloned().map(Part::Segment).chain(open)
    }
}

/// The number behind the last record.
fn end_of(memory_segment: &SegmentHandle) -> u64 {
    memory_segment.first_number().0 + u64::from(memory_segment.rows())
}

/// The first chunks whose records have consecutive numbers and are in order of receipt, as many as
/// go into a memory segment.
fn first_stretch(chunks: Vec<Arc<TailChunk>>, bytes_max: usize) -> Vec<Arc<TailChunk>> {
    let (mut rows, mut bytes) = (0, 0);
    let mut stretch: Vec<Arc<TailChunk>> = Vec::new();
    for chunk in chunks {
        rows += chunk.batch.len();
        bytes += chunk.batch.memory_bytes();
        let is_full = rows > MEMORY_SEGMENT_ROWS_MAX || bytes > bytes_max;
        if stretch
            .last()
            .is_some_and(|last| is_full || !last.goes_on_with(chunk.first, &chunk.batch))
        {
            break;
        }
        stretch.push(chunk);
    }
    stretch
}

/// Runs until closed.
pub(crate) fn run(shared: &Shared) {
    while shared.memory_builder.wait(ROUND) {
        for logspace in shared.logspaces() {
            while !shared.memory_builder.is_closed() && make_next(shared, &logspace) {}
        }
        shared.memory_builder.set_failure(None);
        shared.memory_builder.finish_round();
    }
}

/// Makes the next memory segment of a logspace, if one is due; whether there may be another one.
fn make_next(shared: &Shared, logspace: &Logspace) -> bool {
    if shared.has_large_tails() {
        return false;
    }
    let chunks = {
        let state = logspace.state();
        let bytes_max = shared.options.shares().tails / MEMORY_SEGMENT_OF_TAILS;
        state
            .memory_segments()
            .next(state.settled_tail(), bytes_max)
    };
    let Some(chunks) = chunks else {
        return false;
    };
    match memory_segment_of(&chunks, &logspace.dir, Arc::clone(&shared.cache)) {
        Ok(memory_segment) => logspace
            .state()
            .add_memory_segment(Arc::new(memory_segment)),
        Err(error) => {
            // The records are looked at one by one as before, and as many times until the next try.
            logspace
                .state()
                .memory_segments()
                .looks
                .store(0, Ordering::Relaxed);
            tracing::warn!(logspace = %logspace.name, %error, "cannot index what is not sealed");
            false
        }
    }
}

/// Makes a memory segment of chunks of the tail of the logspace in a directory.
pub(crate) fn memory_segment_of(
    chunks: &[Arc<TailChunk>],
    dir: &Path,
    cache: Arc<PageCache>,
) -> Result<SegmentHandle, Error> {
    let first = chunks.first().map(|chunk| chunk.first).unwrap_or_default();
    let mut builder = Builder::new(BuildOptions {
        first_number: first,
        ..BuildOptions::default()
    });
    for chunk in chunks {
        builder.push(&chunk.batch)?;
    }
    let built = builder.finish()?;
    // There is no such file; messages call the memory segment so.
    let path = dir.join(format!("{:020}.memory_segment", first.0));
    SegmentHandle::of_file(Box::new(MemoryFile(built.bytes)), &path, cache)
}

/// A file that is in memory and never changes.
struct MemoryFile(Vec<u8>);

impl DiskFile for MemoryFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self
            .0
            .get(start..)
            .and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(bytes.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn allocate(&self, _: u64) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(ErrorKind::ReadOnlyFilesystem.into())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(true)
    }
}
