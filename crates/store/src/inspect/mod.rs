//! Looking into the files of a data directory, for people and scripts. Nothing is touched, and no
//! file is trusted: what cannot be read is listed beside what can.

mod directory;
mod journal;
mod manifest;
mod segment;
mod templates;

use std::path::Path;

use ::segment::HEADER_MAGIC;

use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::journal::FILE_MAGIC;
use crate::manifest::MAGIC as MANIFEST_MAGIC;
use crate::names;

pub use directory::{DayView, DirectoryView, FileView, LogspaceView, inspect_directory};
pub use journal::{BlockView, JournalView};
pub use manifest::{EntryView, ManifestView, RecordView};
pub use segment::{KindsView, PageView, SectionView, SegmentView, TermView};
pub use templates::{TemplateView, TemplatesView};

/// How much is shown of a file.
#[derive(Clone, Debug, Default)]
pub struct InspectOptions {
    /// Which terms of a segment: those whose keys start so.
    pub terms: Option<Vec<u8>>,
    /// How many kinds of messages of a segment; all its messages are read for any.
    pub templates: usize,
    /// How many records of a segment or journal file.
    pub rows: usize,
}

/// What is in a file.
#[derive(Clone, Debug)]
pub enum View {
    /// It is a journal file.
    Journal(JournalView),
    /// It is a manifest.
    Manifest(ManifestView),
    /// It is a segment.
    Segment(Box<SegmentView>),
}

/// A record, as far as a view shows it.
#[derive(Clone, Debug)]
pub struct SampleView {
    /// Its number.
    pub number: model::RecordNumber,
    /// When it was received.
    pub received: model::Timestamp,
    /// The bytes that arrived.
    pub raw: Vec<u8>,
}

/// Looks into a file. What it is, its first bytes tell, or its name where they are damaged.
///
/// # Errors
/// When it is of no kind that is known, of a newer format, or cannot be read at all.
pub fn inspect(disk: &dyn Disk, path: &Path, options: &InspectOptions) -> Result<View, Error> {
    let file = disk
        .open(path, OpenMode::Read)
        .map_err(Error::io("open", path))?;
    let mut magic = [0; 8];
    let bytes = file.len().map_err(Error::io("read", path))?;
    if bytes >= magic.len() as u64 {
        file.read_exact_at(&mut magic, 0)
            .map_err(Error::io("read", path))?;
    }
    drop(file);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_journal = [names::JOURNAL_SUFFIX, names::FREE_SUFFIX]
        .iter()
        .any(|ending| name.ends_with(ending));
    // A segment that was set aside has another ending behind its own.
    let is_segment = name.contains(names::SEGMENT_SUFFIX);
    if magic.starts_with(&FILE_MAGIC) || is_journal {
        Ok(View::Journal(journal::inspect(disk, path, options)?))
    } else if magic.starts_with(&MANIFEST_MAGIC) || name == names::MANIFEST {
        Ok(View::Manifest(manifest::inspect(disk, path)?))
    } else if magic == HEADER_MAGIC || is_segment {
        let view = segment::inspect(disk, path, options)?;
        Ok(View::Segment(Box::new(view)))
    } else {
        Err(Error::UnknownFile {
            path: path.to_owned(),
        })
    }
}
