//! The lines of a file, sent once more.
//!
//! All connections share the file: each line goes to the one that asks next. It is the one source
//! that reads, from the reader it was given.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use model::Timestamp;
use model::limits::MESSAGE_BYTES_MAX;
use syslog::find_stamp;

use super::stamp::{StampForm, offset_seconds};
use crate::limits::REPLAY_READ_BYTES;
use crate::{Error, Source};

/// A file whose lines are messages.
#[derive(Clone, Debug)]
pub struct Replay {
    file: Arc<Mutex<Lines>>,
    /// Where the leading time stamps are to be those of now, the zone of local ones.
    restamp: Option<TimeZone>,
}

#[derive(Debug)]
struct Lines {
    reader: BufReader<File>,
    is_endless: bool,
    /// What ended the reading early.
    failure: Option<io::Error>,
}

impl Replay {
    /// Opens a file. With `is_endless` it starts again at its end; with a zone for `restamp`,
    /// leading time stamps are written anew, in their own form.
    pub fn open(path: &Path, is_endless: bool, restamp: Option<TimeZone>) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::File {
            action: "open",
            path: path.to_owned(),
            source,
        })?;
        let lines = Lines {
            reader: BufReader::with_capacity(REPLAY_READ_BYTES, file),
            is_endless,
            failure: None,
        };
        Ok(Self {
            file: Arc::new(Mutex::new(lines)),
            restamp,
        })
    }

    /// The source of one connection.
    pub fn source(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    /// Why reading ended before the end of the file, if it did.
    pub fn failure(&self) -> Option<io::Error> {
        self.lines().failure.take()
    }

    fn lines(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// Appends the next line that is not empty, without its end. Whether there was one.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let start = out.len();
        let mut has_started_again = false;
        loop {
            let mut limited = (&mut self.reader).take(MESSAGE_BYTES_MAX as u64);
            let read = limited.read_until(b'\n', out)?;
            if read == 0 && (has_started_again || !self.is_endless) {
                return Ok(false);
            }
            if read == 0 {
                self.reader.rewind()?;
                has_started_again = true;
                continue;
            }
            if read == MESSAGE_BYTES_MAX && out.last() != Some(&b'\n') {
                self.reader.skip_until(b'\n')?;
            }
            while out.len() > start && matches!(out.last(), Some(b'\n' | b'\r')) {
                out.pop();
            }
            if out.len() > start {
                return Ok(true);
            }
        }
    }
}

impl Source for Replay {
    fn next_message(&mut self, now: Timestamp, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let mut lines = self.lines();
        match lines.next(out) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                lines.failure = Some(error);
                out.truncate(start);
                return false;
            }
        }
        drop(lines);
        if let Some(zone) = &self.restamp {
            restamp(out, start, now, zone);
        }
        true
    }
}

/// Writes the leading stamp of the message that begins at `start` anew.
pub(super) fn restamp(out: &mut Vec<u8>, start: usize, now: Timestamp, zone: &TimeZone) {
    let Some(found) = out.get(start..).and_then(find_stamp) else {
        return;
    };
    let form = match (found.has_year, found.has_zone) {
        (false, _) => StampForm::Bsd,
        (true, false) => StampForm::Iso,
        (true, true) => StampForm::IsoMicros,
    };
    let mut stamp = Vec::with_capacity(32);
    form.write(now, offset_seconds(zone, now), &mut stamp);
    let at = start + found.span.start as usize;
    out.splice(at..at + found.span.len as usize, stamp);
}
