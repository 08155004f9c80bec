//! Checking one segment.

use std::ops::Range;

use model::LogspaceName;
use segment::{Difference, Footer, PageEntry, RewriteError, RewriteInput as _, Section};

use super::journal::{JournalRecords, holds};
use super::{Check, FileKind, Finding, Remedy};
use crate::error::{Error, ReadError};
use crate::manifest::Entry;
use crate::places::Places;
use crate::raw_segment::RawSegment;
use crate::snapshot::Damage;
use crate::store::locked;

/// What is wrong with a segment.
#[derive(Debug)]
struct Fault {
    offset: u64,
    what: String,
    records: u64,
    remedy: Remedy,
}

impl Check<'_> {
    /// Reads a segment.
    pub(super) fn segment(
        &self,
        name: &LogspaceName,
        places: &Places,
        entry: &Entry,
        records: &JournalRecords,
    ) -> Result<(), Error> {
        let path = places.segment(entry);
        let raw = RawSegment::open(self.disk, &path)?;
        let mut faults = self.check(&raw, entry);
        let is_whole = faults
            .iter()
            .all(|fault| fault.remedy == Remedy::RebuildIndex);
        if self.options.is_deep && is_whole {
            deep(&raw, &mut faults)?;
        }
        let is_in_journal = holds(records, name, &entry.numbers());
        for fault in faults {
            self.find(Finding {
                file: FileKind::Segment,
                logspace: Some(name.clone()),
                damage: Damage::new(&path, fault.offset, fault.what),
                records: Some(fault.records),
                remedy: match fault.remedy {
                    Remedy::Salvage if is_in_journal => Remedy::FromJournal,
                    remedy => remedy,
                },
            });
        }
        self.count_file(raw.bytes);
        let mut verified = locked(&self.verified);
        verified.segments += 1;
        verified.segment_records += u64::from(entry.rows);
        Ok(())
    }

    /// Reads every byte and checks it against its checksum, and the footer against the manifest.
    fn check(&self, raw: &RawSegment, entry: &Entry) -> Vec<Fault> {
        let mut faults = Vec::new();
        let all = |offset, what: String| Fault {
            offset,
            what,
            records: u64::from(entry.rows),
            remedy: Remedy::Salvage,
        };
        if let Err(broken) = &raw.header {
            faults.push(all(broken.offset, format!("header: {}", broken.what)));
        }
        let (end, footer) = match &raw.footer {
            Ok(found) => found,
            Err(broken) => {
                faults.push(all(broken.offset, format!("footer: {}", broken.what)));
                self.advance(raw.bytes);
                return faults;
            }
        };
        let mut buffer = Vec::new();
        let mut kinds_left = 2;
        for (section, page) in footer.pages() {
            let read = raw.read_into(page, &mut buffer);
            self.advance(u64::from(page.stored_len));
            let what = match read {
                Err(error) => Some(format!("{} cannot be read: {error}", section.page_name())),
                Ok(()) => segment::check_stored(section.page_name(), page, &buffer)
                    .err()
                    .map(|error| error.to_string()),
            };
            if let Some(what) = what {
                kinds_left -= i32::from(matches!(section, Section::Kinds | Section::Spare));
                faults.push(page_fault(footer, section, page, what));
            }
        }
        if kinds_left == 0 {
            faults.push(all(*end, "both copies of the kinds are damaged".to_owned()));
        }
        self.advance(raw.bytes.saturating_sub(pages_bytes(footer)));
        if let Some(gap) = footer.first_gap(*end) {
            faults.push(Fault {
                offset: gap,
                what: "bytes that belong to no page".to_owned(),
                records: 0,
                remedy: Remedy::RebuildIndex,
            });
        }
        match mismatch(raw, footer, entry) {
            Some(what) => faults.push(all(*end, what)),
            None if !raw.is(entry) => faults.push(Fault {
                // What can be read of it is of others.
                remedy: Remedy::Restore,
                ..all(0, "it is another file than the manifest names".to_owned())
            }),
            None => {}
        }
        faults
    }
}

fn pages_bytes(footer: &Footer) -> u64 {
    footer
        .pages()
        .map(|(_, page)| u64::from(page.stored_len))
        .sum()
}

fn page_fault(footer: &Footer, section: Section, page: &PageEntry, what: String) -> Fault {
    let (records, remedy) = match section {
        Section::Columns
        | Section::Directories
        | Section::RowMetadata
        | Section::Rows
        | Section::Chunks => (rows_around(footer, page), Remedy::Salvage),
        Section::Received => (page.rows, Remedy::Salvage),
        _ => (0, Remedy::RebuildIndex),
    };
    Fault {
        offset: page.offset,
        what,
        records: records.into(),
        remedy,
    }
}

/// How many rows the chunk of a page has: of those with a value in the page, there are at most as many.
fn rows_around(footer: &Footer, page: &PageEntry) -> u32 {
    let index = footer
        .chunks
        .partition_point(|chunk| chunk.page.offset < page.offset);
    footer.chunks.get(index).map_or(0, |chunk| chunk.page.rows)
}

/// What the segment says of itself and the manifest says otherwise.
fn mismatch(raw: &RawSegment, footer: &Footer, entry: &Entry) -> Option<String> {
    let first_of_header = raw.header.as_ref().ok().map(|header| header.first_number);
    let same = [
        (
            "number of the first record",
            footer.first_number == entry.first,
        ),
        (
            "number of the first record in the header",
            first_of_header.is_none_or(|first| first == entry.first),
        ),
        ("number of records", footer.rows == entry.rows),
        ("size of the file", raw.bytes == entry.file_bytes),
        (
            "times of receipt",
            (footer.first_received, footer.last_received)
                == (entry.first_received, entry.last_received),
        ),
        ("bytes of the messages", footer.raw_bytes == entry.raw_bytes),
    ];
    let (what, _) = same.iter().find(|(_, is_same)| !is_same)?;
    Some(format!("the {what} is not what the manifest says"))
}

/// Decodes everything, makes the index anew and compares. Checksums are right already, so that what
/// is found here was written wrong.
fn deep(raw: &RawSegment, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let input = raw.input()?;
    let (built, mended) = input.salvage(1, u32::MAX)?;
    for lost in &mended.lost {
        faults.push(lost_rows(input.footer(), lost));
    }
    if mended.undated_rows > 0 {
        let first = input.footer().received_pages.first();
        faults.push(Fault {
            offset: first.map_or(0, |page| page.offset),
            what: "a received page does not decode".to_owned(),
            records: u64::from(mended.undated_rows),
            remedy: Remedy::Salvage,
        });
    }
    let Some(rebuilt) = built.first() else {
        return Ok(());
    };
    if !mended.lost.is_empty() || !faults.is_empty() {
        return Ok(());
    }
    let found = match segment::compare(&input, rebuilt) {
        Ok(differences) => differences.into_iter().map(difference).collect(),
        Err(RewriteError::Damaged { offset, source, .. }) => vec![(offset, source.to_string())],
        Err(RewriteError::Read { source, .. }) => vec![(read_offset(&source), source.to_string())],
        Err(error) => vec![(0, error.to_string())],
    };
    for (offset, what) in found {
        faults.push(Fault {
            offset,
            what,
            records: 0,
            remedy: Remedy::RebuildIndex,
        });
    }
    Ok(())
}

fn lost_rows(footer: &Footer, lost: &Range<u32>) -> Fault {
    let chunk = footer.chunks.get(footer.chunk_of_row(lost.start));
    Fault {
        offset: chunk.map_or(0, |chunk| chunk.page.offset),
        what: "a column of a chunk does not decode".to_owned(),
        records: u64::from(lost.end - lost.start),
        remedy: Remedy::Salvage,
    }
}

fn difference(difference: Difference) -> (u64, String) {
    match difference {
        Difference::Footer { what } => (0, format!("the {what} in the footer is wrong")),
        Difference::Terms {
            terms,
            first_key,
            offset,
        } => {
            let key = String::from_utf8_lossy(&first_key);
            let what = format!("{terms} terms of the index are wrong, the first is {key:?}");
            (offset, what)
        }
        Difference::ValueRows { what, offset } => {
            (offset, format!("the counts of {what} are wrong"))
        }
        Difference::Bigrams { pages, offset } => (
            offset,
            format!("the bigrams of {pages} lexicon pages are wrong"),
        ),
        Difference::ZoneMaps { parts, offset } => (
            offset,
            format!("the zone maps of {parts} parts of columns are wrong"),
        ),
    }
}

fn read_offset(error: &ReadError) -> u64 {
    match error {
        ReadError::Io { offset, .. } | ReadError::Damaged { offset, .. } => *offset,
        ReadError::OutOfRange { .. } => 0,
    }
}
