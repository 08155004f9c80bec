//! A segment's file as it is, read without trusting any part of it: what checks, repairs and shows
//! segments starts here. What only reads records uses [`crate::SegmentHandle`].

use std::io;
use std::path::{Path, PathBuf};

use segment::{
    Built, Corrupt, Footer, Header, PageEntry, Rewrite, RewriteError, RewriteInput, RewriteOptions,
    Rewritten, Spare, Trailer,
};

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::{Error, ReadError};
use crate::manifest::{Entry, fingerprint};

/// A segment's file.
pub(crate) struct RawSegment {
    pub(crate) path: PathBuf,
    file: Box<dyn DiskFile>,
    pub(crate) bytes: u64,
    pub(crate) header: Result<Header, Broken>,
    /// Where the footer starts, and what it says.
    pub(crate) footer: Result<(u64, Footer), Broken>,
}

/// A part that cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) offset: u64,
    pub(crate) what: String,
}

impl RawSegment {
    /// Opens a file and reads what it says of itself. Damage is no error.
    pub(crate) fn open(disk: &dyn Disk, path: &Path) -> Result<Self, Error> {
        let file = disk
            .open(path, OpenMode::Read)
            .map_err(Error::io("open", path))?;
        let bytes = file.len().map_err(Error::io("read", path))?;
        let header = read_header(file.as_ref());
        let footer = read_footer(file.as_ref(), bytes);
        for part in [header.as_ref().err(), footer.as_ref().err()] {
            if let Some((_, Unreadable::Corrupt(corrupt))) = part
                && let Some(error) = Error::of_segment_format(path, corrupt)
            {
                return Err(error);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
            header: header.map_err(Broken::new),
            footer: footer.map_err(Broken::new),
        })
    }

    /// The stored bytes of a page, into a buffer.
    pub(crate) fn read_into(&self, entry: &PageEntry, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        let end = entry.offset.saturating_add(u64::from(entry.stored_len));
        if end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer.resize(entry.stored_len as usize, 0);
        self.file.read_exact_at(buffer, entry.offset)
    }

    /// The segment as its footer describes it, or the spare page where the footer is lost; without
    /// records where neither can be read.
    pub(crate) fn input(&self) -> Result<RawInput<'_>, Error> {
        let footer = match &self.footer {
            Ok((_, footer)) => footer.clone(),
            Err(_) => {
                let mut bytes = vec![0; usize::try_from(self.bytes).unwrap_or(usize::MAX)];
                self.file
                    .read_exact_at(&mut bytes, 0)
                    .map_err(Error::io("read", self.path.as_path()))?;
                Spare::find(&bytes)
                    .map(|spare| spare.footer)
                    .unwrap_or_default()
            }
        };
        Ok(RawInput {
            segment: self,
            footer,
        })
    }
}

/// A segment and the footer that it has or should have.
pub(crate) struct RawInput<'a> {
    segment: &'a RawSegment,
    footer: Footer,
}

impl RawInput<'_> {
    /// The records that can be read, as segments of at most so many rows and those that are read together.
    ///
    /// # Errors
    /// When they do not go into a segment.
    pub(crate) fn salvage(
        &self,
        zstd_level: i32,
        rows_max: u32,
    ) -> Result<(Vec<Built>, Rewritten), Error> {
        let options = RewriteOptions {
            to: Rewrite::Salvaged { rows_max },
            zstd_level,
        };
        let salvaged = segment::rewrite_in_memory(std::slice::from_ref(self), &options);
        salvaged.map_err(|error| match error {
            RewriteError::Build(error) => error.into(),
            other => Error::Damaged {
                path: self.segment.path.clone(),
                offset: 0,
                what: other.to_string(),
            },
        })
    }
}

impl RewriteInput for RawInput<'_> {
    type Error = ReadError;

    fn footer(&self) -> &Footer {
        &self.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, ReadError> {
        let mut stored = Vec::new();
        let read = self.segment.read_into(entry, &mut stored);
        read.map_err(|error| ReadError::Io {
            path: self.segment.path.clone(),
            offset: entry.offset,
            reason: error.to_string(),
        })?;
        Ok(stored)
    }
}

impl RawSegment {
    /// Whether it is the file that a manifest names.
    pub(crate) fn is(&self, entry: &Entry) -> bool {
        let own = fingerprint(self.file.as_ref());
        entry.fingerprint == 0 || own.is_ok_and(|own| own == entry.fingerprint)
    }
}

enum Unreadable {
    Corrupt(Corrupt),
    Io(io::Error),
}

impl Broken {
    fn new((offset, why): (u64, Unreadable)) -> Self {
        let what = match why {
            Unreadable::Corrupt(error) => error.to_string(),
            Unreadable::Io(error) => format!("it cannot be read: {error}"),
        };
        Self { offset, what }
    }
}

fn read_header(file: &dyn DiskFile) -> Result<Header, (u64, Unreadable)> {
    let mut header = [0; Header::LEN];
    file.read_exact_at(&mut header, 0)
        .map_err(|error| (0, Unreadable::Io(error)))?;
    Header::decode(&header).map_err(|error| (0, Unreadable::Corrupt(error)))
}

fn read_footer(file: &dyn DiskFile, bytes: u64) -> Result<(u64, Footer), (u64, Unreadable)> {
    let offset = bytes.saturating_sub(Trailer::LEN as u64);
    let io_at = |offset| move |error| (offset, Unreadable::Io(error));
    let corrupt_at = |offset| move |error| (offset, Unreadable::Corrupt(error));
    let mut trailer = [0; Trailer::LEN];
    file.read_exact_at(&mut trailer, offset)
        .map_err(io_at(offset))?;
    let trailer = Trailer::decode(&trailer, bytes).map_err(corrupt_at(offset))?;
    let offset = trailer.footer_offset;
    let mut footer = vec![0; trailer.footer_len as usize];
    file.read_exact_at(&mut footer, offset)
        .map_err(io_at(offset))?;
    let footer = Footer::decode(&footer, &trailer).map_err(corrupt_at(offset))?;
    Ok((offset, footer))
}
