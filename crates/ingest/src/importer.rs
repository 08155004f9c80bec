//! Lines of a file into batches that can be imported.
//!
//! Synchronous and without I/O: the caller reads the lines and stores the batches.

mod feed;
mod find;
#[cfg(test)]
mod tests;
mod years;

use model::{RecordBatch, RecordParts, Tag, Timestamp};
use syslog::{Context, ParseOptions, Parser};

use crate::limits::{IMPORT_BATCH_BYTES, IMPORT_BATCH_RECORDS};
pub use feed::LineFeed;
use find::{Found, of_parsed};
use years::Calendar;
pub use years::{YearScan, Years};

/// Which time imported records are filed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTime {
    /// The time stamp of each message. A line without one belongs to the line before it and takes
    /// that one's; at the head of a file it takes the time of the import.
    Message,
    /// The time of the import.
    Now,
}

/// What an importer has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Records.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Lines with nothing in them, which are no records.
    pub empty_lines: u64,
    /// NULs of holes, which are no records either.
    pub skipped_bytes: u64,
}

/// Gathers lines into batches.
#[derive(Debug)]
pub struct Importer {
    parser: Parser,
    time: ImportTime,
    now: Timestamp,
    last: Timestamp,
    calendar: Calendar,
    source: String,
    source_index: u16,
    batch: RecordBatch,
    parts: RecordParts,
    progress: ImportProgress,
}

impl Importer {
    /// An importer whose records carry `source` as their source. `now` is the time of the import, and
    /// stamps without a year are of the year before it.
    pub fn new(options: ParseOptions, time: ImportTime, now: Timestamp, source: &str) -> Self {
        let years = Years {
            anchor: now,
            first: None,
        };
        let mut importer = Self {
            calendar: Calendar::new(years, options.zone.clone()),
            parser: Parser::new(options),
            time,
            now,
            last: now,
            source: source.to_owned(),
            source_index: 0,
            batch: RecordBatch::new(),
            parts: RecordParts::default(),
            progress: ImportProgress::default(),
        };
        importer.start_batch();
        importer
    }

    /// With what is known of the years of stamps without one.
    #[must_use]
    pub fn with_years(mut self, years: Years, options: &ParseOptions) -> Self {
        self.calendar = Calendar::new(years, options.zone.clone());
        self
    }

    /// Takes one line without its line feed. Empty ones are counted, and are no records. Returns the
    /// batch that is full by it, if one is.
    pub fn push(&mut self, line: &[u8]) -> Option<RecordBatch> {
        if matches!(line, b"" | b"\r") {
            self.progress.empty_lines += 1;
            return None;
        }
        let (line, truncated) = match line.get(..model::limits::MESSAGE_BYTES_MAX) {
            Some(kept) if kept.len() < line.len() => (kept, Tag::Truncated.bit()),
            _ => (line, 0),
        };
        self.parse(line);
        if self.time == ImportTime::Message {
            self.find_time(line);
        }
        self.parts.tags |= truncated;
        let received = if self.time == ImportTime::Message {
            self.last
        } else {
            self.now
        };
        let full = self.is_full(line.len()).then(|| self.take());
        let pushed = self
            .batch
            .push(line, &self.parts, received, None, self.source_index);
        debug_assert!(
            pushed.is_ok(),
            "a batch below the importer's limits has room for a message"
        );
        self.progress.records += 1;
        self.progress.bytes += line.len() as u64;
        full
    }

    /// Counts bytes of a hole.
    fn skip(&mut self, bytes: u64) {
        self.progress.skipped_bytes = self.progress.skipped_bytes.saturating_add(bytes);
    }

    fn parse(&mut self, line: &[u8]) {
        let mut context = Context {
            received: self.calendar.anchor(),
            peer: None,
        };
        self.parser.parse(line, &context, &mut self.parts);
        if self.calendar.is_asked()
            && let Found::WithoutYear(time) =
                of_parsed(&self.parser, line, &self.parts, context.received)
            && self.calendar.moves(time)
        {
            context.received = self.calendar.anchor();
            self.parser.parse(line, &context, &mut self.parts);
        }
        let missing = Tag::MissingTimestamp.bit() | Tag::InvalidTimestamp.bit();
        if self.parts.tags & missing != 0 {
            self.parts.time = self.now;
        }
    }

    /// Gives the record its time: that of its header or of a form of log files, or else that of the line
    /// before.
    fn find_time(&mut self, line: &[u8]) {
        let missing = Tag::MissingTimestamp.bit();
        if self.parts.tags & (missing | Tag::InvalidTimestamp.bit()) == 0 {
            self.last = self.parts.time;
            return;
        }
        if let Some(time) = self.parser.log_time(line, self.calendar.anchor()) {
            self.parts.tags &= !missing;
            self.last = time;
        }
        self.parts.time = self.last;
    }

    /// The records gathered since the last batch.
    pub fn finish(&mut self) -> Option<RecordBatch> {
        (!self.batch.is_empty()).then(|| self.take())
    }

    /// What has been taken so far.
    pub fn progress(&self) -> ImportProgress {
        self.progress
    }

    fn is_full(&self, next_bytes: usize) -> bool {
        !self.batch.is_empty()
            && (self.batch.len() >= IMPORT_BATCH_RECORDS
                || self.batch.bytes().len() + next_bytes > IMPORT_BATCH_BYTES)
    }

    fn take(&mut self) -> RecordBatch {
        let full = std::mem::take(&mut self.batch);
        self.start_batch();
        full
    }

    fn start_batch(&mut self) {
        // An empty batch has room for one source.
        self.source_index = self.batch.source_index(&self.source).unwrap_or_default();
    }
}
