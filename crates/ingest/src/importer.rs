//! Lines of a file into batches that can be imported.
//!
//! Synchronous and without I/O: the caller reads the lines and stores the batches.

use model::{RecordBatch, RecordParts, Tag, Timestamp};
use syslog::{Context, ParseOptions, Parser};

use crate::limits::{IMPORT_BATCH_BYTES, IMPORT_BATCH_RECORDS};

/// Which time imported records are filed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTime {
    /// The time stamp of each message. A line without one belongs to the line before it and takes
    /// that one's; at the head of a file it takes the time of the import.
    Message,
    /// The time of the import.
    Now,
}

/// Gathers lines into batches.
pub struct Importer {
    parser: Parser,
    time: ImportTime,
    now: Timestamp,
    last: Timestamp,
    source: String,
    source_index: u16,
    batch: RecordBatch,
    parts: RecordParts,
    records: u64,
    bytes: u64,
}

impl Importer {
    /// An importer whose records carry `source` as their source. `now` is the time of the import.
    pub fn new(options: ParseOptions, time: ImportTime, now: Timestamp, source: &str) -> Self {
        let mut importer = Self {
            parser: Parser::new(options),
            time,
            now,
            last: now,
            source: source.to_owned(),
            source_index: 0,
            batch: RecordBatch::new(),
            parts: RecordParts::default(),
            records: 0,
            bytes: 0,
        };
        importer.start_batch();
        importer
    }

    /// Takes one line, its end stripped; empty ones are skipped. Returns the batch that is full by
    /// it, if one is.
    pub fn push(&mut self, line: &[u8]) -> Option<RecordBatch> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let (line, truncated) = match line.get(..model::limits::MESSAGE_BYTES_MAX) {
            Some(kept) if kept.len() < line.len() => (kept, Tag::Truncated.bit()),
            _ => (line, 0),
        };
        let context = Context {
            received: self.now,
            peer: None,
        };
        self.parser.parse(line, &context, &mut self.parts);
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
        self.records += 1;
        self.bytes += line.len() as u64;
        full
    }

    /// Gives the record its time: that of its header or of a form of log files, or else that of the line
    /// before.
    fn find_time(&mut self, line: &[u8]) {
        let missing = Tag::MissingTimestamp.bit();
        if self.parts.tags & (missing | Tag::InvalidTimestamp.bit()) == 0 {
            self.last = self.parts.time;
            return;
        }
        if let Some(time) = self.parser.log_time(line, self.now) {
            self.parts.tags &= !missing;
            self.last = time;
        }
        self.parts.time = self.last;
    }

    /// The records gathered since the last batch.
    pub fn finish(&mut self) -> Option<RecordBatch> {
        (!self.batch.is_empty()).then(|| self.take())
    }

    /// Records and bytes taken so far.
    pub fn progress(&self) -> (u64, u64) {
        (self.records, self.bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn import(time: ImportTime, lines: &[&str]) -> Vec<(String, i64)> {
        let now = Timestamp::from_seconds(1_800_000_000);
        let mut importer = Importer::new(ParseOptions::default(), time, now, "import");
        for line in lines {
            assert!(importer.push(line.as_bytes()).is_none());
        }
        let batch = importer.finish().expect("records");
        let seen = |r: model::RecordRef<'_>| {
            (
                String::from_utf8_lossy(r.raw()).into_owned(),
                r.received().nanos() / 1_000_000_000 - 1_800_000_000,
            )
        };
        batch.iter().map(seen).collect()
    }

    #[test]
    fn lines_without_a_time_take_that_of_the_line_before() {
        let lines = [
            "first",
            "<13>1 2027-01-15T08:00:10Z h p - - - x",
            "\tat Main.java:1\r",
            "",
        ];
        let found = import(ImportTime::Message, &lines);
        assert_eq!(
            found,
            [
                ("first".to_owned(), 0),
                ("<13>1 2027-01-15T08:00:10Z h p - - - x".to_owned(), 10),
                ("\tat Main.java:1".to_owned(), 10),
            ]
        );
    }

    #[test]
    fn log_files_that_are_no_syslog_have_their_times() {
        let lines = [
            "1.2.3.4 - - [15/Jan/2027:08:00:07 +0000] \"GET / HTTP/1.1\" 200 1",
            "[2027-01-15 08:00:08,250] WARN x",
            "java.lang.Error: x",
            "{\"ts\":1800000009.5}",
        ];
        let found = import(ImportTime::Message, &lines);
        let times: Vec<i64> = found.into_iter().map(|(_, time)| time).collect();
        assert_eq!(times, [7, 8, 8, 9]);
    }

    #[test]
    fn now_files_everything_under_the_import() {
        let found = import(
            ImportTime::Now,
            &["<13>1 2001-01-15T08:00:10Z h p - - - x", "y"],
        );
        assert!(found.iter().all(|(_, received)| *received == 0));
    }
}
