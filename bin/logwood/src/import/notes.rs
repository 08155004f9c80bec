//! What is wrong with a file, found while it is read to its end.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::output;

/// Remarks about a file, shared by what reads it and what reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Remarks>>);

#[derive(Debug, Default)]
struct Remarks {
    texts: Vec<String>,
    is_damaged: bool,
}

impl Notes {
    /// Something that whoever imports the file should know.
    pub(super) fn note(&self, text: String) {
        let mut remarks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.texts.push(text);
    }

    /// The same, where a part of the file could not be read.
    pub(super) fn damage(&self, text: String) {
        self.note(text);
        let mut remarks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remarks.is_damaged = true;
    }

    /// Says the remarks so far of a file, and whether a part of it could not be read.
    pub(crate) fn report(&self, path: &Path) -> bool {
        let (remarks, is_damaged) = self.take();
        for remark in remarks {
            output::words(&format!("{}: {remark}", path.display()));
        }
        is_damaged
    }

    /// The remarks so far, and whether a part could not be read.
    pub(super) fn take(&self) -> (Vec<String>, bool) {
        let mut remarks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut remarks.texts), remarks.is_damaged)
    }
}

/// A reader that ends where its input cannot be read on, and notes that.
pub(super) struct Guarded<R> {
    inner: R,
    /// What it is: `gzip data`.
    what: &'static str,
    bytes: u64,
    is_over: bool,
    notes: Notes,
}

impl<R: Read> Guarded<R> {
    pub(super) fn new(inner: R, what: &'static str, notes: &Notes) -> Self {
        Self {
            inner,
            what,
            bytes: 0,
            is_over: false,
            notes: notes.clone(),
        }
    }
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        match self.inner.read(buffer) {
            Ok(read) => {
                self.bytes += read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.is_over = true;
                let (what, bytes) = (self.what, self.bytes);
                let how = match error.kind() {
                    io::ErrorKind::UnexpectedEof => format!("the {what} end too early"),
                    _ => format!("the {what} cannot be read on ({error})"),
                };
                self.notes.damage(format!(
                    "{how}: imported are the lines of the first {bytes} bytes, what follows is missing"
                ));
                Ok(0)
            }
        }
    }
}
