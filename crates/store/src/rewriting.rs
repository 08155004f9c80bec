//! Segments are written anew: what is due next ([`plan`]), how it is read and written, and what becomes of what cannot
//! be read.

pub(crate) mod compact;
pub(crate) mod mend;
mod merge;
pub(crate) mod plan;

use segment::{Footer, PageEntry, Piece, Rewrite, RewriteError, RewriteInput, RewriteOptions};

use crate::error::{Error, ReadError};
use crate::logspace::Logspace;
use crate::segment_file::SegmentFile;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::Damage;
use crate::store::{Shared, locked};
pub(crate) use plan::By;
use plan::Job;

/// Rewrites what is due next in a logspace; whether something was.
pub(crate) fn rewrite_next(shared: &Shared, logspace: &Logspace, by: By) -> Result<bool, Error> {
    // Who compacts writes beside the others, and takes it in the end.
    let _alone = (by == By::Housekeeper).then(|| locked(&logspace.rewriting));
    let Some(job) = plan::next(shared, logspace, by) else {
        return Ok(false);
    };
    match job {
        Job::Reopen(entry) => mend::reopen(shared, logspace, &entry)?,
        Job::Reindex(entry, damage) => mend::reindex(shared, logspace, &entry, &damage)?,
        Job::Merge(entries) => merge::merge(shared, logspace, &entries)?,
        Job::Compact(entry, segment) => compact::compact(shared, logspace, &entry, &segment)?,
    }
    Ok(true)
}

/// Writes segments anew as one file.
fn write(
    shared: &Shared,
    inputs: &[Input<'_>],
    to: Rewrite,
    file: &mut SegmentFile<'_>,
) -> Result<Footer, RewriteError<Stop>> {
    let zstd_level = match to {
        Rewrite::Compacted => shared.options.compaction_level,
        _ => shared.options.compression_level,
    };
    let options = RewriteOptions { to, zstd_level };
    let rewritten = segment::rewrite(inputs, &options, &mut |piece| match piece {
        Piece::Bytes(bytes) => file.push(bytes).map_err(Stop::Write),
        Piece::End(_) => Ok(()),
    })?;
    let last = rewritten.footers.into_iter().next_back();
    last.ok_or(RewriteError::NotConsecutive { input: 0 })
}

/// Why segments are not written anew.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error(transparent)]
    Read(ReadError),
    #[error(transparent)]
    Write(Error),
    #[error("the store is closing, or the segment is gone")]
    Over,
}

/// A segment that is read page by page, as long as that is wanted.
pub(crate) struct Input<'a> {
    segment: &'a SegmentHandle,
    wait: &'a Wait<'a>,
}

/// Waits until the next page may be read.
type Wait<'a> = dyn Fn() -> Result<(), Stop> + Sync + 'a;

impl<'a> Input<'a> {
    /// A segment of which each page is waited for.
    pub(crate) fn new(segment: &'a SegmentHandle, wait: &'a Wait<'a>) -> Self {
        Self { segment, wait }
    }

    /// Its size in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.segment.file_bytes()
    }
}

impl RewriteInput for Input<'_> {
    type Error = Stop;

    fn footer(&self) -> &Footer {
        self.segment.footer()
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Stop> {
        (self.wait)()?;
        self.segment.read(entry).map_err(Stop::Read)
    }
}

/// Why some segments could not be written anew. Those that cannot be read are mended, or left alone.
pub(crate) fn failure(
    shared: &Shared,
    logspace: &Logspace,
    inputs: &[&SegmentHandle],
    error: RewriteError<Stop>,
) -> Error {
    let error = self::error(inputs, error);
    if let Error::Damaged { path, offset, what } = &error {
        let is_index = inputs
            .iter()
            .any(|input| input.path() == path && input.note_index_damage(*offset, what));
        // An index is made anew; lost records are lost.
        if !is_index {
            let damage = Damage::new(path, *offset, what.as_str());
            logspace.state().refuse_to_merge(damage);
        }
    }
    if let Error::Unreadable { path, .. } = &error {
        let now = shared.clock.now();
        logspace.state().merge_pauses.add(path, now);
    }
    error
}

fn error(inputs: &[&SegmentHandle], error: RewriteError<Stop>) -> Error {
    let path = |input: usize| {
        let path = inputs.get(input).map(|input| input.path().to_owned());
        path.unwrap_or_default()
    };
    match error {
        RewriteError::Build(error) => error.into(),
        RewriteError::Read {
            input,
            source: Stop::Read(source),
        } => Error::Unreadable {
            path: path(input),
            what: source.to_string(),
        },
        RewriteError::Read {
            source: Stop::Write(error),
            ..
        } => error,
        RewriteError::Read {
            source: Stop::Over, ..
        } => Error::Closing,
        RewriteError::Damaged {
            input,
            offset,
            source,
        } => Error::Damaged {
            path: path(input),
            offset,
            what: source.to_string(),
        },
        other => Error::Damaged {
            path: path(0),
            offset: 0,
            what: other.to_string(),
        },
    }
}
