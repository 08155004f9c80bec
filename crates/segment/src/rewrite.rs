//! Segments written anew: several as one, one made small for good, or what is left of a damaged one.
//!
//! Chunks are copied as they are, but for the numbers of their kinds, or become a larger one column by column;
//! small ones are joined. Times of receipt are cut anew, and the index is merged term by term: a list of the
//! result is the lists of the inputs, each behind the rows before it. So no record is looked at, but where chunks
//! are small or pages are damaged.
//! Every page of the inputs is checked on the way, so that damage is not carried along.
//! Of the result only its lexicon is in memory, as that comes behind all that it refers to.

mod chunks;
mod coalesce;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod compact_tests;
mod index;
mod salvage;
mod terms;
mod truncate;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod truncation_tests;

use std::ops::Range;

use model::{RecordNumber, Timestamp};
use thiserror::Error;

use crate::builder::{encode_end, push_received, write_kinds};
use crate::envelope::Header;
use crate::footer::{Counts, Footer};
use crate::limits::{RECEIVED_PAGE_ROWS, SEGMENT_RECORD_BYTES_MAX, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, PageWriter, decode_received_page};
use crate::page_file::{PageFile as _, StreamedFile};
use crate::{BuildError, Built, Corrupt};

use chunks::Large;
pub use coalesce::can_be_coalesced;
pub(crate) use index::tally;
pub use salvage::LOST_TAG;
pub(crate) use terms::TermCursor;
pub(crate) use truncate::Truncation;

/// A segment to be written anew: its footer, and its pages when they are asked for.
pub trait RewriteInput {
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

/// Why segments are not written anew.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RewriteError<E> {
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
    #[error("input {input} is compacted for good: it cannot be joined with others")]
    TruncatedTerms {
        /// Which input.
        input: usize,
    },
    /// The result would be too large.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// What becomes of segments that are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewriteOptions {
    /// What they are to be.
    pub to: Rewrite,
    /// The level of zstd, 1 to 22, of what is compressed.
    pub zstd_level: i32,
}

/// What segments can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Several that follow each other become one. To a reader it is what [`crate::Builder`] makes of all their
    /// records. Takes little: pages are copied.
    Merged,
    /// One becomes as small as it gets: chunks beside each other become a larger one ([`can_be_coalesced`]), all
    /// pages are compressed, and words whose rest stands in a column are cut, where that saves enough. To a reader it
    /// says what it said before. One with truncated terms cannot be written anew but by [`Rewrite::Salvaged`].
    Compacted,
    /// Of one, the records that can be read become segments of at most so many rows each and those that are read
    /// together. The index is made anew of them. The others keep their numbers: an empty record with the tag
    /// [`LOST_TAG`] stands in the place of each.
    Salvaged {
        /// How many.
        rows_max: u32,
    },
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The footers of the segments, one behind the other.
    pub footers: Vec<Footer>,
    /// Which rows of the input could not be read.
    pub lost: Vec<Range<u32>>,
    /// Rows that were read but whose times of receipt could not be: they have that of the last row before them
    /// whose time is known.
    pub undated_rows: u32,
}

impl Rewritten {
    /// How many rows could not be read.
    pub fn lost_rows(&self) -> u32 {
        self.lost.iter().map(|rows| rows.end - rows.start).sum()
    }

    /// How many rows were read.
    pub fn saved_rows(&self) -> u32 {
        let rows: u32 = self.footers.iter().map(|footer| footer.rows).sum();
        rows - self.lost_rows().min(rows)
    }
}

/// What is handed over of segments that are written.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'p> {
    /// The next bytes of one.
    Bytes(&'p [u8]),
    /// One is whole.
    End(&'p Footer),
}

/// Takes the next piece; the error is that of who gives it.
pub(crate) type Sink<'s, E> = dyn FnMut(Piece<'_>) -> Result<(), E> + 's;

/// Writes segments anew and hands over what comes of it, in order and in pieces.
///
/// # Errors
/// When they do not follow each other, are too large together, or cannot be read, when one of them has truncated terms
/// ([`Footer::has_truncated_terms`]), and when `sink` fails. What is salvaged fails for the last reason alone, and where
/// what was read does not go into a segment.
pub fn rewrite<I: RewriteInput>(
    inputs: &[I],
    options: &RewriteOptions,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Rewritten, RewriteError<I::Error>> {
    let level = options.zstd_level;
    match (options.to, inputs) {
        (Rewrite::Merged, _) => join(inputs, level, How::MERGED, sink),
        (Rewrite::Compacted, [_]) => join(inputs, level, How::COMPACTED, sink),
        (Rewrite::Salvaged { rows_max }, [input]) => salvage::salvage(input, level, rows_max, sink),
        (_, []) => Err(RewriteError::NotConsecutive { input: 0 }),
        (_, _) => Err(RewriteError::NotConsecutive { input: 1 }),
    }
}

/// The same in memory; no segments where no row was saved.
///
/// # Errors
/// As [`rewrite`].
pub fn rewrite_in_memory<I: RewriteInput>(
    inputs: &[I],
    options: &RewriteOptions,
) -> Result<(Vec<Built>, Rewritten), RewriteError<I::Error>> {
    let mut built = Vec::new();
    let rewritten = rewrite(inputs, options, &mut in_memory(&mut built))?;
    if rewritten.saved_rows() == 0 && !rewritten.lost.is_empty() {
        built.clear();
    }
    Ok((built, rewritten))
}

/// A sink that keeps segments.
pub(crate) fn in_memory<E>(built: &mut Vec<Built>) -> impl FnMut(Piece<'_>) -> Result<(), E> {
    let mut bytes = Vec::new();
    move |piece| {
        match piece {
            Piece::Bytes(more) => bytes.extend_from_slice(more),
            Piece::End(footer) => built.push(Built {
                bytes: std::mem::take(&mut bytes),
                footer: footer.clone(),
            }),
        }
        Ok(())
    }
}

/// How segments are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    large: Large,
    /// When words are cut; `None` where they never are.
    truncation: Option<Truncation>,
}

impl How {
    pub(crate) const MERGED: Self = Self {
        large: Large::Copied,
        truncation: None,
    };
    pub(crate) const COMPACTED: Self = Self {
        large: Large::Coalesced,
        truncation: Some(Truncation::PAYING),
    };

    /// With words cut wherever they can be.
    #[cfg(test)]
    pub(crate) const TRUNCATED: Self = Self {
        truncation: Some(Truncation::ALWAYS),
        ..Self::COMPACTED
    };
}

pub(crate) fn join<I: RewriteInput>(
    inputs: &[I],
    zstd_level: i32,
    how: How,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Rewritten, RewriteError<I::Error>> {
    let mut footer = joined_footer(inputs)?;
    let mut take = |bytes: &[u8]| sink(Piece::Bytes(bytes));
    let mut file = StreamedFile::new(&mut take);
    let header = Header::of(&footer);
    let mut start = Vec::new();
    header.encode(&mut start);
    file.append(&start);
    let writer = how.large.page_writer(zstd_level);
    let mut pages = writer();
    let joined = chunks::join(inputs, &writer, how.large, &mut footer, &mut file)?;
    write_received(inputs, &mut footer, &mut pages, &mut file)?;
    write_kinds(&joined.kinds, &mut footer, &mut pages, &mut file);
    let output = (&mut pages, &mut file);
    index::join(inputs, &joined, how.truncation, &mut footer, output)?;
    let end = encode_end(&footer, file.offset())?;
    file.append(&end);
    file.hand_over().map_err(not_taken)?;
    sink(Piece::End(&footer)).map_err(not_taken)?;
    Ok(Rewritten {
        footers: vec![footer],
        ..Rewritten::default()
    })
}

/// The error of a sink.
fn not_taken<E>(source: E) -> RewriteError<E> {
    RewriteError::Read { input: 0, source }
}

/// The footer of the result without its pages.
fn joined_footer<I: RewriteInput>(inputs: &[I]) -> Result<Footer, RewriteError<I::Error>> {
    let Some(first) = inputs.first() else {
        return Err(RewriteError::NotConsecutive { input: 0 });
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
    for (input, footer) in inputs.iter().map(RewriteInput::footer).enumerate() {
        if footer.has_truncated_terms {
            return Err(RewriteError::TruncatedTerms { input });
        }
        let next = RecordNumber(joined.first_number.0 + u64::from(joined.rows));
        if footer.first_number != next || footer.first_received < joined.last_received {
            return Err(RewriteError::NotConsecutive { input });
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

fn write_received<I: RewriteInput>(
    inputs: &[I],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut StreamedFile<'_, I::Error>,
) -> Result<(), RewriteError<I::Error>> {
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

pub(crate) fn stored<I: RewriteInput>(
    input: &I,
    number: usize,
    entry: &PageEntry,
) -> Result<Vec<u8>, RewriteError<I::Error>> {
    input.stored(entry).map_err(|source| RewriteError::Read {
        input: number,
        source,
    })
}

pub(crate) fn damaged<E>(input: usize, entry: &PageEntry, source: Corrupt) -> RewriteError<E> {
    RewriteError::Damaged {
        input,
        offset: entry.offset,
        source,
    }
}

#[cfg(test)]
mod tests;
