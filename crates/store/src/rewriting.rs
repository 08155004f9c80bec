//! Segments that are read to be written anew, and what becomes of those that cannot be read.

use std::path::Path;

use segment::{Footer, MergeError, MergeInput, PageEntry};

use crate::error::{Error, ReadError};
use crate::logspace::Logspace;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::Damage;
use crate::store::Shared;

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

    /// Another one of which each page is waited for like those of this one.
    pub(crate) fn instead<'b>(&'b self, segment: &'b SegmentHandle) -> Input<'b> {
        Input {
            segment,
            wait: self.wait,
        }
    }

    /// Its file.
    pub(crate) fn path(&self) -> &Path {
        self.segment.path()
    }

    /// Its size in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.segment.file_bytes()
    }
}

impl MergeInput for Input<'_> {
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
    error: MergeError<Stop>,
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

fn error(inputs: &[&SegmentHandle], error: MergeError<Stop>) -> Error {
    let path = |input: usize| {
        let path = inputs.get(input).map(|input| input.path().to_owned());
        path.unwrap_or_default()
    };
    match error {
        MergeError::Build(error) => error.into(),
        MergeError::Read {
            input,
            source: Stop::Read(source),
        } => Error::Unreadable {
            path: path(input),
            what: source.to_string(),
        },
        MergeError::Read {
            source: Stop::Write(error),
            ..
        } => error,
        MergeError::Read {
            source: Stop::Over, ..
        } => Error::Closing,
        MergeError::Damaged {
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
