//! What is in a segment.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use model::{RecordNumber, Timestamp};
use segment::{Footer, Section};

use super::{InspectOptions, SampleView, TemplatesView, templates};
use crate::disk::Disk;
use crate::error::{Error, ReadError};
use crate::limits::{INSPECT_CACHE_BYTES, INSPECT_TERMS_MAX, INSPECT_TOP_TERMS};
use crate::raw_segment::RawSegment;
use crate::segment_handle::{SegmentHandle, page_cache};
use crate::snapshot::Damage;

/// A segment.
#[derive(Clone, Debug)]
pub struct SegmentView {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The version of its format.
    pub version: u16,
    /// The number of its first record, as its header says.
    pub first_number: Option<RecordNumber>,
    /// How many records it has.
    pub records: u32,
    /// When the first and the last record were received.
    pub received: (Timestamp, Timestamp),
    /// The earliest and the latest time that a sender gave.
    pub time: (Timestamp, Timestamp),
    /// Bytes of its messages as they arrived.
    pub raw_bytes: u64,
    /// Bytes of footer and trailer; 0 where they cannot be read, and nothing but damages is known then.
    pub footer_bytes: u64,
    /// Its kinds of pages, in the order of the file.
    pub sections: Vec<SectionView>,
    /// Its pages, in the order of the file.
    pub pages: Vec<PageView>,
    /// How many kinds of records it has, and the records whose messages are kept as text, since they
    /// are like too few others.
    pub kinds: KindsView,
    /// How many terms its index has.
    pub term_count: u64,
    /// The terms that were asked for, by key.
    pub terms: Vec<TermView>,
    /// The terms with the most records.
    pub top_terms: Vec<TermView>,
    /// Its messages by kind, where that was asked for.
    pub templates: Option<TemplatesView>,
    /// Its first records.
    pub samples: Vec<SampleView>,
    /// What cannot be read.
    pub damages: Vec<Damage>,
}

/// What the records of a segment have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindsView {
    /// How many kinds of records there are.
    pub count: usize,
    /// Records whose messages are text: like too few others to be cut into what is fixed and what
    /// varies.
    pub text_records: u64,
}

/// All pages of a kind.
#[derive(Clone, Copy, Debug)]
pub struct SectionView {
    /// What one of them is called.
    pub page_name: &'static str,
    /// How many there are.
    pub pages: usize,
    /// Their bytes in the file.
    pub stored_bytes: u64,
    /// Their bytes before compression.
    pub raw_bytes: u64,
}

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct PageView {
    /// What it is called.
    pub page_name: &'static str,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its bytes in the file.
    pub stored_bytes: u32,
    /// Its bytes before compression.
    pub raw_bytes: u32,
    /// How many rows, lists or terms it has.
    pub count: u32,
}

/// A term of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermView {
    /// The part of a record it stands in, and the word or number.
    pub term: String,
    /// How many records have it.
    pub records: u32,
}

/// Looks into a segment.
pub(super) fn inspect(
    disk: &dyn Disk,
    path: &Path,
    options: &InspectOptions,
) -> Result<SegmentView, Error> {
    let raw = RawSegment::open(disk, path)?;
    let none = Footer::default();
    let footer = raw.footer.as_ref().map_or(&none, |(_, footer)| footer);
    let footer_start = raw.footer.as_ref().map_or(raw.bytes, |(start, _)| *start);
    let broken = [raw.header.as_ref().err(), raw.footer.as_ref().err()];
    let broken = broken.into_iter().flatten();
    let mut view = SegmentView {
        path: path.to_owned(),
        bytes: raw.bytes,
        version: segment::FORMAT_VERSION,
        first_number: raw.header.as_ref().ok().map(|header| header.first_number),
        records: footer.rows,
        received: (footer.first_received, footer.last_received),
        time: (footer.first_time, footer.last_time),
        raw_bytes: footer.raw_bytes,
        footer_bytes: raw.bytes.saturating_sub(footer_start),
        sections: Section::ALL
            .iter()
            .map(|kind| section(footer, *kind))
            .collect(),
        pages: footer.pages().map(page).collect(),
        kinds: KindsView::default(),
        term_count: 0,
        terms: Vec::new(),
        top_terms: Vec::new(),
        templates: None,
        samples: Vec::new(),
        damages: broken
            .map(|broken| Damage::new(path, broken.offset, broken.what.as_str()))
            .collect(),
    };
    check_pages(&raw, footer, &mut view.damages);
    if let Ok(handle) = SegmentHandle::open(disk, path, page_cache(INSPECT_CACHE_BYTES)) {
        // Pages that cannot be read are listed already.
        view.kinds = read_kinds(&handle).unwrap_or_default();
        read_terms(&handle, options, &mut view);
        if options.templates > 0 {
            let found = templates::find(&handle, options.templates);
            // Pages that cannot be read are listed already.
            view.templates = found.ok();
        }
        read_samples(&handle, options.rows, &mut view);
    }
    Ok(view)
}

fn check_pages(raw: &RawSegment, footer: &Footer, damages: &mut Vec<Damage>) {
    let mut buffer = Vec::new();
    for (section, page) in footer.pages() {
        let what = match raw.read_into(page, &mut buffer) {
            Err(error) => Some(error.to_string()),
            Ok(()) => segment::check_stored(section.page_name(), page, &buffer)
                .err()
                .map(|error| error.to_string()),
        };
        damages.extend(what.map(|what| Damage::new(&raw.path, page.offset, what)));
    }
}

fn section(footer: &Footer, kind: Section) -> SectionView {
    let mut view = SectionView {
        page_name: kind.page_name(),
        pages: 0,
        stored_bytes: 0,
        raw_bytes: 0,
    };
    for (_, page) in footer.pages().filter(|(section, _)| *section == kind) {
        view.pages += 1;
        view.stored_bytes += u64::from(page.stored_len);
        view.raw_bytes += u64::from(page.raw_len);
    }
    view
}

fn page((section, page): (Section, &segment::PageEntry)) -> PageView {
    PageView {
        page_name: section.page_name(),
        offset: page.offset,
        stored_bytes: page.stored_len,
        raw_bytes: page.raw_len,
        count: page.rows,
    }
}

/// Reads which kind each row is of.
fn read_kinds(handle: &SegmentHandle) -> Result<KindsView, ReadError> {
    let with_text = handle.kinds()?.with_text();
    let mut used = vec![false; with_text.len()];
    let mut text_records = 0;
    for chunk in 0..handle.chunks() {
        for (kind, rows) in &handle.kinds_of(chunk)? {
            let kind = *kind as usize;
            if let (Some(used), Some(is_text)) = (used.get_mut(kind), with_text.get(kind)) {
                *used = true;
                text_records += if *is_text { u64::from(*rows) } else { 0 };
            }
        }
    }
    Ok(KindsView {
        count: used.iter().filter(|used| **used).count(),
        text_records,
    })
}

/// Reads the index once: counts its terms and keeps those that are wanted.
fn read_terms(handle: &SegmentHandle, options: &InspectOptions, view: &mut SegmentView) {
    let mut top: Vec<TermView> = Vec::new();
    let (terms, count) = (&mut view.terms, &mut view.term_count);
    let result = handle.scan_terms(b"", &mut |key, entry| {
        *count += 1;
        let named = || TermView {
            term: match key.left_out {
                Some(_) => key_text(key.bytes) + "\u{2026}",
                None => key_text(key.bytes),
            },
            records: entry.rows,
        };
        let is_wanted = options.terms.as_ref().is_some_and(|prefix| {
            key.bytes.starts_with(prefix) || key.left_out.is_some() && prefix.starts_with(key.bytes)
        });
        if is_wanted && terms.len() < INSPECT_TERMS_MAX {
            terms.push(named());
        }
        let behind = top.partition_point(|known| known.records >= entry.rows);
        if behind < INSPECT_TOP_TERMS {
            top.insert(behind, named());
            top.truncate(INSPECT_TOP_TERMS);
        }
        true
    });
    view.top_terms = top;
    // Pages with wrong checksums are listed already; this one has another fault.
    if let Err(error) = result
        && view.damages.is_empty()
    {
        view.damages
            .push(Damage::new(&view.path, 0, error.to_string()));
    }
}

fn read_samples(handle: &SegmentHandle, rows: usize, view: &mut SegmentView) {
    for index in 0..handle.chunks() {
        let wanted = rows.saturating_sub(view.samples.len());
        if wanted == 0 {
            return;
        }
        let rows = handle.chunk_rows(index);
        let first = handle.first_number().0.saturating_add(rows.start.into());
        let Ok(batch) = handle.records(index, rows.take(wanted)) else {
            continue;
        };
        for (number, record) in (first..).zip(batch.iter()).take(wanted) {
            view.samples.push(SampleView {
                number: RecordNumber(number),
                received: record.received(),
                raw: record.raw().to_vec(),
            });
        }
    }
}

/// A key in words.
fn key_text(key: &[u8]) -> String {
    let Some((namespace, word)) = key.split_first() else {
        return String::new();
    };
    let name = match namespace {
        b'm' => "message",
        b's' => "structured data",
        b'h' => "host",
        b'p' => "program",
        b'i' => "pid",
        b'g' => "msgid",
        b't' => "tag",
        b'o' => "source",
        b'v' => "severity",
        b'f' => "facility",
        b'a' => "address in message",
        b'd' => "address in structured data",
        _ => "unknown",
    };
    match (namespace, word) {
        (b'v' | b'f', [number]) => format!("{name} {number}"),
        (b'a' | b'd', digits) => format!("{name} {}", dotted(digits)),
        _ => format!("{name} {}", String::from_utf8_lossy(word)),
    }
}

/// The numbers of an address as it is written; the start of one ends with a dot.
fn dotted(digits: &[u8]) -> String {
    let text = String::from_utf8_lossy(digits);
    match u32::from_str_radix(&text, 16) {
        Ok(numbers) if digits.len() == 8 => Ipv4Addr::from_bits(numbers).to_string(),
        Ok(numbers) if digits.len() == 6 => {
            let [_, one, two, three] = numbers.to_be_bytes();
            format!("{one}.{two}.{three}.")
        }
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_as_they_are_written() {
        for (key, shown) in [
            (&b"mword"[..], "message word"),
            (b"v\x03", "severity 3"),
            (b"a0a1e0111", "address in message 10.30.1.17"),
            (b"dac1ffe", "address in structured data 172.31.254."),
            (b"a0a", "address in message 0a"),
            (b"", ""),
        ] {
            assert_eq!(key_text(key), shown);
        }
    }
}
