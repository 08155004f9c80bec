//! Segments that follow each other into one, mostly without looking at a record.
//!
//! Chunks are copied as they are, but for the numbers of their kinds; small ones are joined. Times of
//! receipt are cut anew, and the index is merged term by term: a list of the result is the lists of
//! the inputs, each behind the rows before it.
//! Every page of the inputs is checked on the way, so that damage is not carried along.
//! Of the result only its lexicon is in memory, as that comes behind all that it refers to.

mod chunks;
mod coalesce;
mod index;
mod terms;

use model::{RecordNumber, Timestamp};
use thiserror::Error;

use crate::builder::{encode_end, push_received, write_kinds};
use crate::envelope::Header;
use crate::footer::{Counts, Footer};
use crate::limits::{RECEIVED_PAGE_ROWS, SEGMENT_RECORD_BYTES_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, decode_received_page};
use crate::page_file::{PageFile as _, Sink, StreamedFile};
use crate::{BuildError, Corrupt};

use chunks::Large;
pub use coalesce::can_be_coalesced;
pub(crate) use index::tally;
pub(crate) use terms::TermCursor;

/// A segment to be merged: its footer, and its pages when they are asked for.
pub trait MergeInput {
    /// Why a page cannot be read.
    type Error;

    /// What the segment says of itself.
    fn footer(&self) -> &Footer;

    /// The stored bytes of one of its pages.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Self::Error>;
}

/// Why segments are not merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MergeError<E> {
    /// A page of an input cannot be read.
    #[error("cannot read input {input}")]
    Read {
        /// Which input.
        input: usize,
        /// Why.
        source: E,
    },
    /// A page of an input is damaged.
    #[error("input {input} is damaged: {source}")]
    Damaged {
        /// Which input.
        input: usize,
        /// Where in the file, in bytes.
        offset: u64,
        /// What is wrong.
        source: Corrupt,
    },
    /// The inputs do not follow each other in number and time, or there are none.
    #[error("input {input} does not follow the one before it")]
    NotConsecutive {
        /// Which input.
        input: usize,
    },
    /// The lexicon of an input has the starts of some words alone.
    #[error("input {input} is compacted for good: it cannot be merged")]
    TruncatedTerms {
        /// Which input.
        input: usize,
    },
    /// The result would be too large.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Merges segments whose record numbers follow each other without a gap and whose times of receipt
/// do not go back. To a reader the result is what [`crate::Builder`] makes of all their records; it
/// is handed over in order and in pieces, and its footer returned.
///
/// # Errors
/// When they do not follow each other, are too large together, or cannot be read, when one of them has truncated terms
/// ([`Footer::has_truncated_terms`]), and when `sink` fails.
pub fn merge<I: MergeInput>(
    inputs: &[I],
    zstd_level: i32,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    merge_with(inputs, zstd_level, Large::Copied, sink)
}

/// A segment with larger chunks, each of several of its own, where [`can_be_coalesced`] says that there are
/// some. To a reader it says what it said before; it is handed over as by [`merge`].
///
/// # Errors
/// When it cannot be read, and when `sink` fails.
pub fn coalesce<I: MergeInput>(
    input: &I,
    zstd_level: i32,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    merge_with(
        std::slice::from_ref(input),
        zstd_level,
        Large::Coalesced,
        sink,
    )
}

fn merge_with<I: MergeInput>(
    inputs: &[I],
    zstd_level: i32,
    large: Large,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Footer, MergeError<I::Error>> {
    let mut footer = joined_footer(inputs)?;
    let mut file = StreamedFile::new(sink);
    let header = Header::of(&footer);
    let mut start = Vec::new();
    header.encode(&mut start);
    file.append(&start);
    let mut pages = PageWriter::new(zstd_level);
    let merged = chunks::merge(inputs, zstd_level, large, &mut footer, &mut file)?;
    write_received(inputs, &mut footer, &mut pages, &mut file)?;
    write_kinds(&merged.kinds, &mut footer, &mut pages, &mut file);
    index::merge(inputs, &merged, &mut footer, &mut pages, &mut file)?;
    let end = encode_end(&footer, file.offset())?;
    file.append(&end);
    file.hand_over().map_err(not_taken)?;
    Ok(footer)
}

/// The error of a sink.
fn not_taken<E>(source: E) -> MergeError<E> {
    MergeError::Read { input: 0, source }
}

/// The footer of the result without its pages.
fn joined_footer<I: MergeInput>(inputs: &[I]) -> Result<Footer, MergeError<I::Error>> {
    let Some(first) = inputs.first() else {
        return Err(MergeError::NotConsecutive { input: 0 });
    };
    let first = first.footer();
    let mut joined = Footer {
        first_number: first.first_number,
        first_received: first.first_received,
        last_received: first.first_received,
        first_time: first.first_time,
        last_time: first.last_time,
        ..Footer::default()
    };
    for (input, footer) in inputs.iter().map(MergeInput::footer).enumerate() {
        if footer.has_truncated_terms {
            return Err(MergeError::TruncatedTerms { input });
        }
        let next = RecordNumber(joined.first_number.0 + u64::from(joined.rows));
        if footer.first_number != next || footer.first_received < joined.last_received {
            return Err(MergeError::NotConsecutive { input });
        }
        let rows = u64::from(joined.rows) + u64::from(footer.rows);
        if rows > u64::from(SEGMENT_ROWS_MAX) {
            return Err(BuildError::TooManyRows { rows }.into());
        }
        joined.rows += footer.rows;
        joined.last_received = footer.last_received;
        joined.first_time = joined.first_time.min(footer.first_time);
        joined.last_time = joined.last_time.max(footer.last_time);
        joined.raw_bytes += footer.raw_bytes;
        add_counts(&mut joined.counts, &footer.counts);
    }
    if joined.raw_bytes > SEGMENT_RECORD_BYTES_MAX {
        let bytes = joined.raw_bytes;
        return Err(BuildError::TooManyBytes { bytes }.into());
    }
    Ok(joined)
}

fn add_counts(sum: &mut Counts, counts: &Counts) {
    let all = sum.severity.iter_mut().chain(&mut sum.facility);
    let all = all.chain(&mut sum.present).chain(&mut sum.worded);
    let other = counts.severity.iter().chain(&counts.facility);
    let other = other.chain(&counts.present).chain(&counts.worded);
    for (sum, count) in all.zip(other) {
        *sum += count;
    }
    sum.with_words += counts.with_words;
    sum.with_text += counts.with_text;
}

fn write_received<I: MergeInput>(
    inputs: &[I],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut StreamedFile<'_, I::Error>,
) -> Result<(), MergeError<I::Error>> {
    let page_rows = RECEIVED_PAGE_ROWS as usize;
    let mut open: Vec<Timestamp> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        for entry in &input.footer().received_pages {
            let stored = stored(input, number, entry)?;
            let times = decode_received_page(entry, &stored);
            open.extend(times.map_err(|source| damaged(number, entry, source))?);
            if open.len() >= page_rows {
                let rest = open.split_off(page_rows);
                push_received(&open, footer, pages, file);
                open = rest;
            }
        }
    }
    if !open.is_empty() {
        push_received(&open, footer, pages, file);
    }
    Ok(())
}

pub(crate) fn stored<I: MergeInput>(
    input: &I,
    number: usize,
    entry: &PageEntry,
) -> Result<Vec<u8>, MergeError<I::Error>> {
    input.stored(entry).map_err(|source| MergeError::Read {
        input: number,
        source,
    })
}

pub(crate) fn damaged<E>(input: usize, entry: &PageEntry, source: Corrupt) -> MergeError<E> {
    MergeError::Damaged {
        input,
        offset: entry.offset,
        source,
    }
}

#[cfg(test)]
mod tests;
