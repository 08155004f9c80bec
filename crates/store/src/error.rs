//! What can go wrong, in words for whoever has to mend it.

use std::io;
use std::path::{Path, PathBuf};

use model::{LogspaceName, RecordNumber};
use segment::Corrupt;

use crate::documents::DocumentName;
use crate::lock::LockHolder;

/// A store cannot be opened, or an operation on it failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried, such as `open`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process has the data directory open.
    #[error("the data directory {data_dir} is in use by {holder}")]
    Locked {
        /// The data directory.
        data_dir: PathBuf,
        /// Who has it.
        holder: LockHolder,
    },
    /// The directory for reading is not there.
    #[error("{data_dir} is not a Logwood data directory: it has no logspaces")]
    NotADataDirectory {
        /// The directory.
        data_dir: PathBuf,
    },
    /// The file is of a development version before the first release.
    #[error(
        "{path} was written by a development version before the first release, which this program \
         does not read: move the data directory away and import the logs again"
    )]
    DevelopmentFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file is of another version of the format than the one that this program reads.
    #[error(
        "{path} has format version {found}, this program reads version {supported}: use the Logwood \
         that wrote it, or move the data directory away and import the logs again"
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
        /// The version that can be read.
        supported: u16,
    },
    /// A file does not hold what it should.
    #[error("{path} is damaged at offset {offset}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in it, in bytes.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// A file is in the place of another one, and says so.
    #[error(
        "{path} {whose}: put the file back that was here, or this one where it belongs; see also \
         `logwood verify`"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        whose: String,
    },
    /// A segment cannot be read now; it may be later.
    #[error("cannot read {path}: {what}")]
    Unreadable {
        /// The segment's file.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// A directory for a backup or a restore holds something else.
    #[error("{path} {why}")]
    WrongDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        why: &'static str,
    },
    /// The disk has less room than is to be kept.
    #[error("{0}")]
    NoRoom(String),
    /// The store is open for reading only.
    #[error("the store is open for reading only")]
    ReadOnly,
    /// A first backup or a restore into the directory did not come to its end.
    #[error("{data_dir} holds {what} that was not finished: begin it again")]
    Unfinished {
        /// The directory.
        data_dir: PathBuf,
        /// What was begun.
        what: String,
    },
    /// A thread that builds segments panicked. Nothing was written.
    #[error(
        "a builder of segments has panicked, which is a mistake of Logwood's own: try again, and report it"
    )]
    BuilderPanicked,
    /// The store is closing, so what takes long is given up.
    #[error("the store is closing")]
    Closing,
    /// A file that is to be looked into is none of Logwood's.
    #[error("{path} is no journal file, manifest or segment")]
    UnknownFile {
        /// The file.
        path: PathBuf,
    },
    /// No such logspace.
    #[error("there is no logspace {0}")]
    UnknownLogspace(LogspaceName),
    /// A text that cannot name a document.
    #[error(
        "{name:?} cannot name a document: use letters, digits, - and _, with single dots between"
    )]
    DocumentName {
        /// The text.
        name: String,
    },
    /// Somebody else has changed a document meanwhile.
    #[error(
        "the document {name} has version {found}, not {expected}: read it again, and change what it says now"
    )]
    DocumentChanged {
        /// The document.
        name: DocumentName,
        /// The version that was to be replaced; 0 for none.
        expected: u64,
        /// Its version; 0 where there is none.
        found: u64,
    },
    /// A document, or all of them, would be too large.
    #[error("the document {name} is not written: {found} {what}, at most {max} are kept")]
    DocumentTooLarge {
        /// The document.
        name: DocumentName,
        /// What there is too much of.
        what: &'static str,
        /// How much there would be.
        found: usize,
        /// How much there may be.
        max: usize,
    },
    /// Somebody wants to go on behind a record that was never there.
    #[error(
        "{logspace} has given no number as high as {}: the position is of another store, or newer than \
         this copy of it", .number.0
    )]
    NumberNotGiven {
        /// The logspace.
        logspace: LogspaceName,
        /// The number.
        number: RecordNumber,
    },
    /// A segment could not be built from its records.
    #[error("cannot build a segment: {0}")]
    Build(#[from] segment::BuildError),
}

impl Error {
    /// A file of another version than the one that is read.
    pub(crate) fn other_format(path: &Path, found: u16, supported: u16) -> Self {
        Self::OtherFormat {
            path: path.to_owned(),
            found,
            supported,
        }
    }

    /// A file of a development version before the first release.
    pub(crate) fn development_format(path: &Path) -> Self {
        Self::DevelopmentFormat {
            path: path.to_owned(),
        }
    }

    /// What is wrong with a segment of another version than this program reads.
    pub(crate) fn of_segment_format(path: &Path, corrupt: &Corrupt) -> Option<Self> {
        match corrupt {
            Corrupt::Development { .. } => Some(Self::development_format(path)),
            Corrupt::Version { found } => {
                Some(Self::other_format(path, *found, segment::FORMAT_VERSION))
            }
            _ => None,
        }
    }

    /// Whether it is a file of another version than this program reads: it may be whole, so it is
    /// left as it is and nothing is opened without it.
    pub(crate) fn is_other_format(&self) -> bool {
        matches!(
            self,
            Self::OtherFormat { .. } | Self::DevelopmentFormat { .. }
        )
    }

    /// Whether the disk had no room for it.
    pub(crate) fn is_for_want_of_room(&self) -> bool {
        let Self::Io { source, .. } = self else {
            return false;
        };
        let kind = source.kind();
        matches!(
            kind,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        )
    }

    /// Wraps an I/O error with what was tried on what.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

/// A page of a segment cannot be read. The other pages can.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read {path} at offset {offset}: {reason}")]
    Io {
        /// The segment's file.
        path: PathBuf,
        /// Where in it, in bytes.
        offset: u64,
        /// Why not.
        reason: String,
    },
    /// The page does not hold what was written.
    #[error("{path} is damaged at offset {offset}: {reason}")]
    Damaged {
        /// The segment's file.
        path: PathBuf,
        /// Where in it, in bytes.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// A row or page that the segment does not have: an error of the caller.
    #[error("{path} has no record {number:?}")]
    OutOfRange {
        /// The segment's file.
        path: PathBuf,
        /// The record asked for.
        number: RecordNumber,
    },
}
