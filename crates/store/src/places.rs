//! Where the segments of a logspace lie: in its directory, or in its archive.

use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::error::Error;
use crate::manifest::Entry;
use crate::names;
use crate::notes;

/// Where the segments of a logspace lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// The directory of the logspace.
    pub(crate) home: PathBuf,
    /// The directory of its archived segments; `None` where none was ever archived.
    pub(crate) archive: Option<PathBuf>,
}

impl Places {
    /// What a directory of a logspace says about it.
    pub(crate) fn read(disk: &dyn Disk, home: &Path) -> Result<Self, Error> {
        let note = notes::read(disk, &names::archive_note(home))?;
        Ok(Self {
            home: home.to_owned(),
            archive: note.filter(|note| !note.is_empty()).map(PathBuf::from),
        })
    }

    /// The file of a segment.
    pub(crate) fn segment(&self, entry: &Entry) -> PathBuf {
        let dir = match &self.archive {
            Some(archive) if entry.is_archived => archive,
            _ => &self.home,
        };
        names::segment(dir, entry.day, entry.id())
    }
}
