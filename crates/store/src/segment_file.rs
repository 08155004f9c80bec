//! The file of a segment, written in pieces, and not named until it is whole and durable.

use std::path::Path;

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::limits::COPY_BYTES;

/// A file that is written from its start to its end.
pub(crate) struct SegmentFile<'p> {
    path: &'p Path,
    file: Box<dyn DiskFile>,
    /// What is not written yet.
    open: Vec<u8>,
    /// Bytes that are written.
    written: u64,
}

impl<'p> SegmentFile<'p> {
    /// An empty file.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn create(disk: &dyn Disk, path: &'p Path) -> Result<Self, Error> {
        let file = disk.open(path, OpenMode::Create);
        Ok(Self {
            path,
            file: file.map_err(Error::io("create", path))?,
            open: Vec::new(),
            written: 0,
        })
    }

    /// Appends the next piece. Small ones are gathered.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        if piece.len() < COPY_BYTES {
            self.open.extend_from_slice(piece);
            return match self.open.len() < COPY_BYTES {
                true => Ok(()),
                false => self.write_open(),
            };
        }
        self.write_open()?;
        self.write(piece)
    }

    /// Makes all of it durable; how many bytes there are.
    ///
    /// # Errors
    /// When the file cannot be written or synced.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        self.write_open()?;
        let synced = self.file.sync();
        synced.map_err(Error::io("sync", self.path))?;
        Ok(self.written)
    }

    fn write_open(&mut self) -> Result<(), Error> {
        let mut open = std::mem::take(&mut self.open);
        let result = self.write(&open);
        open.clear();
        self.open = open;
        result
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all_at(bytes, self.written);
        self.written += bytes.len() as u64;
        written.map_err(Error::io("write", self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test]
    fn pieces_of_any_size_stand_behind_each_other() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("file");
        let mut expected = Vec::new();
        let mut file = SegmentFile::create(&RealDisk, &path).expect("created");
        let sizes = [3, COPY_BYTES - 1, 0, COPY_BYTES, 7, 3 * COPY_BYTES, 1];
        for (byte, size) in (b'a'..).zip(sizes) {
            let piece = vec![byte; size];
            file.push(&piece).expect("written");
            expected.extend_from_slice(&piece);
        }
        assert_eq!(file.finish().expect("durable"), expected.len() as u64);
        let mut found = vec![0; expected.len()];
        let file = RealDisk.open(&path, OpenMode::Read).expect("there");
        assert_eq!(file.len().expect("known"), expected.len() as u64);
        file.read_exact_at(&mut found, 0).expect("read");
        assert!(found == expected);
    }
}
