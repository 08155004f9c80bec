//! What can be saved of a damaged segment: its rows where they can be read, in a new segment with
//! an index made anew.
//!
//! The rows of a segment are everything; its times of receipt and its index only help. So a segment
//! whose row pages are whole loses nothing, and of another one the whole pages are kept, under the
//! numbers that their records always had.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::limits::BATCH_RECORDS_MAX;
use model::{RecordBatch, RecordNumber, Timestamp};

use crate::builder::push_page;
use crate::envelope::Header;
use crate::limits::{PAGE_RAW_BYTES_MAX, RECEIVED_PAGE_ROWS, SEGMENT_ROWS_MAX};
use crate::page::{CODEC_PLAIN, CODEC_ZSTD, checksum, open};
use crate::rows::decode_rows;
use crate::wire::Reader;
use crate::{
    BuildError, BuildOptions, Builder, Built, Footer, MergeInput, PageEntry, decode_received_page,
    decode_row_page, received,
};

/// What was saved of a segment.
#[derive(Clone, Debug, Default)]
pub struct Mended {
    /// Segments of the rows that can be read, each of consecutive numbers; one where nothing is
    /// lost.
    pub parts: Vec<Built>,
    /// Which rows cannot be read.
    pub lost: Vec<Range<u32>>,
    /// Rows that can be read but whose times of receipt cannot: they have that of the last row
    /// before them whose time is known.
    pub undated_rows: u32,
}

impl Mended {
    /// How many rows cannot be read.
    pub fn lost_rows(&self) -> u32 {
        self.lost.iter().map(|rows| rows.end - rows.start).sum()
    }
}

/// Reads whatever rows of a segment can be read and builds segments of them. The index of the
/// segment is not looked at.
///
/// # Errors
/// When what was read does not go into a segment.
pub fn mend<I: MergeInput>(input: &I, zstd_level: i32) -> Result<Mended, BuildError> {
    let mut mended = Mended::default();
    let mut open: Option<(u32, Builder)> = None;
    let first_number = input.footer().first_number;
    let (times, undated_rows) = read_times(input);
    mended.undated_rows = undated_rows;
    for entry in &input.footer().row_pages {
        let rows = entry.first_row..entry.first_row.saturating_add(entry.rows);
        let Some(batch) = read_rows(input, entry, &times) else {
            mended.lost.push(rows);
            continue;
        };
        if open.as_ref().is_some_and(|(end, _)| *end != rows.start)
            && let Some((_, builder)) = open.take()
        {
            mended.parts.push(builder.finish()?);
        }
        let number = RecordNumber(first_number.0 + u64::from(rows.start));
        let (end, builder) = open.get_or_insert_with(|| {
            let options = BuildOptions {
                first_number: number,
                zstd_level,
            };
            (rows.start, Builder::new(options))
        });
        builder.push(&batch)?;
        *end = rows.end;
    }
    if let Some((_, builder)) = open {
        mended.parts.push(builder.finish()?);
    }
    Ok(mended)
}

fn read_rows<I: MergeInput>(
    input: &I,
    entry: &PageEntry,
    times: &[Timestamp],
) -> Option<RecordBatch> {
    let start = entry.first_row as usize;
    let times = times.get(start..start + entry.rows as usize)?;
    decode_row_page(entry, &input.stored(entry).ok()?, times).ok()
}

/// The times of receipt of all rows, none before the one in front of it, and how many are made up.
fn read_times<I: MergeInput>(input: &I) -> (Vec<Timestamp>, u32) {
    let footer = input.footer();
    let (mut times, mut undated_rows) = (Vec::new(), 0);
    let mut last = footer.first_received;
    for entry in &footer.received_pages {
        let stored = input.stored(entry).ok();
        let read = stored.and_then(|stored| decode_received_page(entry, &stored).ok());
        match read {
            Some(read) => times.extend(read.iter().map(|time| {
                last = last.max(*time);
                last
            })),
            None => {
                times.resize(times.len() + entry.rows as usize, last);
                undated_rows += entry.rows;
            }
        }
    }
    let rows = footer.rows.min(SEGMENT_ROWS_MAX) as usize;
    undated_rows += u32::try_from(rows.saturating_sub(times.len())).unwrap_or(0);
    times.resize(rows, last);
    (times, undated_rows)
}

/// A footer that names the row pages and received pages of a file whose own footer cannot be read,
/// as far as they follow each other from the start. Pages that were stored without compression
/// cannot be found, since nothing says where they end, except a last received page.
///
/// The checksums of pages are lost with the footer: only their form shows that they are whole.
/// `received` stands in where no times of receipt are found.
pub fn find_pages(file: &[u8], first_number: RecordNumber, received: Timestamp) -> Footer {
    let mut footer = Footer {
        first_number,
        first_received: received,
        last_received: received,
        ..Footer::default()
    };
    let mut offset = Header::LEN;
    while let Some((entry, rows)) = find_row_page(file, offset)
        && let Some(sum) = footer.rows.checked_add(rows)
        && sum <= SEGMENT_ROWS_MAX
    {
        offset += entry.stored_len as usize;
        push_page(&mut footer.row_pages, entry, rows);
        footer.rows = sum;
    }
    let mut dated_rows = 0;
    while dated_rows < footer.rows {
        let rows = RECEIVED_PAGE_ROWS.min(footer.rows - dated_rows);
        let Some(entry) = find_received_page(file, offset, rows) else {
            break;
        };
        offset += entry.stored_len as usize;
        push_page(&mut footer.received_pages, entry, rows);
        dated_rows += rows;
    }
    footer
}

fn find_row_page(file: &[u8], offset: usize) -> Option<(PageEntry, u32)> {
    let (entry, raw) = find_compressed_page(file, offset)?;
    let mut reader = Reader::new("rows", &raw);
    let rows = reader.count("number of rows", BATCH_RECORDS_MAX).ok()?;
    let batch = decode_rows(&raw, &vec![Timestamp::MIN; rows]).ok()?;
    let is_possible = !batch.is_empty() && batch.len() == rows;
    is_possible.then_some((entry, u32::try_from(rows).ok()?))
}

fn find_received_page(file: &[u8], offset: usize, rows: u32) -> Option<PageEntry> {
    if let Some((entry, raw)) = find_compressed_page(file, offset) {
        return received::decode(&raw, rows as usize)
            .is_ok()
            .then_some(entry);
    }
    let rest = file.get(offset..)?;
    let (codec, payload) = rest.split_first()?;
    if *codec != CODEC_PLAIN {
        return None;
    }
    let mut reader = Reader::new("times of receipt", payload);
    for _ in 0..rows {
        reader.varint().ok()?;
    }
    let raw_len = payload.len() - reader.rest().len();
    entry_at(rest.get(..=raw_len)?, offset, raw_len)
}

/// The zstd frame behind a codec byte, and what it holds.
fn find_compressed_page(file: &[u8], offset: usize) -> Option<(PageEntry, Vec<u8>)> {
    let rest = file.get(offset..)?;
    let (codec, payload) = rest.split_first()?;
    if *codec != CODEC_ZSTD {
        return None;
    }
    let frame_len = zstd::zstd_safe::find_frame_compressed_size(payload).ok()?;
    let raw_len = zstd::zstd_safe::get_frame_content_size(payload).ok()??;
    let raw_len = usize::try_from(raw_len).ok()?;
    if raw_len > PAGE_RAW_BYTES_MAX {
        return None;
    }
    let stored = rest.get(..=frame_len)?;
    let entry = entry_at(stored, offset, raw_len)?;
    let raw = open("page", &entry, stored).ok()?.into_owned();
    Some((entry, raw))
}

fn entry_at(stored: &[u8], offset: usize, raw_len: usize) -> Option<PageEntry> {
    Some(PageEntry {
        offset: offset as u64,
        stored_len: u32::try_from(stored.len()).ok()?,
        raw_len: u32::try_from(raw_len).ok()?,
        crc: checksum(offset as u64, stored),
        first_row: 0,
        rows: 0,
    })
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
