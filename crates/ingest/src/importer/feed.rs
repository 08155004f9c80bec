//! A file in pieces, cut into lines.

use memchr::memchr;
use model::RecordBatch;
use model::limits::MESSAGE_BYTES_MAX;

use super::Importer;
use crate::limits::HOLE_BYTES_MIN;

/// Cuts a file into lines for an importer, however it comes.
///
/// NULs at the start of a line that are more than a few are a hole: what a log that was truncated while
/// its writer went on begins with, and what a file system leaves behind a crash. They are counted and
/// skipped.
#[derive(Debug)]
pub struct LineFeed {
    importer: Importer,
    /// The start of a line whose end has not come yet.
    line: Vec<u8>,
    /// NULs at the start of that line, which are not in it.
    nuls: u64,
}

impl LineFeed {
    /// A feed at the start of a file.
    pub fn new(importer: Importer) -> Self {
        Self {
            importer,
            line: Vec::new(),
            nuls: 0,
        }
    }

    /// Takes a piece; batches that are full by it are added to `full`.
    pub fn take(&mut self, piece: &[u8], full: &mut Vec<RecordBatch>) {
        let mut rest = piece;
        loop {
            rest = self.pass_nuls(rest);
            let Some(end) = memchr(b'\n', rest) else {
                break;
            };
            let (line, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or(&[]);
            if self.line.is_empty() {
                full.extend(self.importer.push(line));
            } else {
                self.keep(line);
                full.extend(self.importer.push(&self.line));
                self.line.clear();
            }
        }
        self.keep(rest);
    }

    /// The end of the file; what is left is added to `full`.
    pub fn finish(&mut self, full: &mut Vec<RecordBatch>) {
        self.end_nuls();
        if !self.line.is_empty() {
            full.extend(self.importer.push(&self.line));
            self.line = Vec::new();
        }
        full.extend(self.importer.finish());
    }

    /// What has been taken.
    pub fn importer(&self) -> &Importer {
        &self.importer
    }

    /// Moves over NULs at the start of a line.
    fn pass_nuls<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        if !self.line.is_empty() {
            return rest;
        }
        let nuls = rest.iter().take_while(|byte| **byte == 0).count();
        self.nuls = self.nuls.saturating_add(nuls as u64);
        let (_, rest) = rest.split_at(nuls);
        if !rest.is_empty() {
            self.end_nuls();
        }
        rest
    }

    /// Few NULs belong to the line.
    fn end_nuls(&mut self) {
        let nuls = std::mem::take(&mut self.nuls);
        if nuls >= HOLE_BYTES_MIN as u64 {
            self.importer.skip(nuls);
        } else if nuls > 0 {
            self.line.resize(nuls as usize, 0);
        }
    }

    /// What is behind the longest message is not kept: the importer would cut it off.
    fn keep(&mut self, part: &[u8]) {
        let room = (MESSAGE_BYTES_MAX + 1).saturating_sub(self.line.len());
        self.line
            .extend_from_slice(part.get(..room).unwrap_or(part));
    }
}
