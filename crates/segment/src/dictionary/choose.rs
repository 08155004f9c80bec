//! Which dictionary a segment gets, if any.
//!
//! Dictionaries are made of a sample of the pages of columns, in two ways: pieces of pages as they are,
//! which then take next to nothing in their own pages, and what zstd finds to repeat. Each is tried on
//! pages, and its own bytes count twice, as they stand in the file. Many logs gain nothing, which the
//! first try tells, of what takes no time to make; large ones are tried where small ones pay.
#![deny(clippy::indexing_slicing)]

use crate::limits::{
    COLUMN_PAGE_BYTES, DICTIONARY_BYTES_MAX, DICTIONARY_FIRST_PERCENT_MIN, DICTIONARY_LOOK_BYTES,
    DICTIONARY_SAMPLE_BYTES, DICTIONARY_SAVING_PERCENT_MIN, DICTIONARY_TRAINED_BYTES_MAX,
    DICTIONARY_TRIAL_BYTES, DICTIONARY_TRIAL_LEVEL_MAX,
};
use crate::page::{PageEntry, PageWriter};

/// A dictionary of pieces of pages has pieces of so many bytes where it is large, and whole pages where
/// the columns are few: what pages have in common stands in places of its own in each.
const PIECE_BYTES: usize = COLUMN_PAGE_BYTES / 4;

/// What zstd is told to be one sample: about what repeats together.
const TRAINED_SAMPLE_BYTES: usize = 512;

/// The columns are so many times as long as a dictionary at least: what it has of them is in them too.
const SHARE: u64 = 4;

/// What part of the columns the first dictionaries are that are tried, and between which bytes.
const FIRST_TRAINED: (u64, u64, u64) = (64, 8 << 10, 32 << 10);
const FIRST_PIECES: (u64, u64, u64) = (32, 2 * COLUMN_PAGE_BYTES as u64, 64 << 10);

/// Whether columns of so many bytes can have a dictionary that pays.
pub(crate) fn is_worth_a_try(columns_bytes: u64) -> bool {
    columns_bytes >= SHARE * FIRST_PIECES.1
}

/// What dictionaries are made of and tried on.
pub(crate) struct Sample {
    /// Bytes of all columns of the segment before compression.
    columns_bytes: u64,
    made_of: Vec<Vec<u8>>,
    /// Pages that are not made of; none where dictionaries are tried on all pages.
    tried_on: Vec<Vec<u8>>,
    pages: u64,
}

impl Sample {
    pub(crate) fn new(columns_bytes: u64) -> Self {
        Self {
            columns_bytes,
            made_of: Vec::new(),
            tried_on: Vec::new(),
            pages: 0,
        }
    }

    /// Those of all pages of columns that are to be pushed: all, or as many as it looks at, evenly by their
    /// bytes.
    pub(crate) fn wanted<'a>(&self, pages: &[&'a PageEntry]) -> Vec<&'a PageEntry> {
        let (mut passed, mut taken) = (0, 0);
        let mut wanted = Vec::new();
        for page in pages {
            let len = u64::from(page.raw_len);
            if taken * self.columns_bytes <= passed * DICTIONARY_LOOK_BYTES {
                wanted.push(*page);
                taken += len;
            }
            passed += len;
        }
        wanted
    }

    /// Takes what it needs of a page. Of many, some are tried on and the others give pieces: what a
    /// dictionary was made of would flatter it.
    pub(crate) fn push(&mut self, page: Vec<u8>) {
        self.pages += 1;
        let looked_at = self.columns_bytes.min(DICTIONARY_LOOK_BYTES);
        if looked_at <= DICTIONARY_SAMPLE_BYTES {
            self.made_of.push(page);
        } else if self
            .pages
            .is_multiple_of(looked_at / DICTIONARY_TRIAL_BYTES)
        {
            self.tried_on.push(page);
        } else {
            let step = looked_at.div_ceil(DICTIONARY_SAMPLE_BYTES) as usize;
            let pieces = page.chunks_exact(PIECE_BYTES).step_by(step);
            self.made_of.extend(pieces.map(<[u8]>::to_vec));
        }
    }

    /// The dictionary for pages that are compressed with a level of zstd; `None` where none saves enough.
    pub(crate) fn choose(&self, zstd_level: i32) -> Option<Vec<u8>> {
        let trial = Trial::of(self, zstd_level);
        let first = |(part, min, max): (u64, u64, u64)| {
            (self.columns_bytes / part).clamp(min, max) as usize
        };
        let piece_bytes = match self.tried_on.is_empty() {
            true => COLUMN_PAGE_BYTES,
            false => PIECE_BYTES,
        };
        let pieces = trial.of_dictionary(self.pieces(first(FIRST_PIECES), piece_bytes)?);
        if pieces.saved_by_pages < trial.percent(DICTIONARY_FIRST_PERCENT_MIN) {
            return None;
        }
        let trained = self.trained(first(FIRST_TRAINED));
        let small = better(pieces, trained.map(|trained| trial.of_dictionary(trained)));
        if small.saved < trial.percent(DICTIONARY_SAVING_PERCENT_MIN) {
            return None;
        }
        let large = [
            self.trained(DICTIONARY_TRAINED_BYTES_MAX),
            self.pieces(DICTIONARY_BYTES_MAX, PIECE_BYTES),
        ];
        let large = large.into_iter().flatten();
        let best = large.fold(small, |best, large| {
            better(best, Some(trial.of_dictionary(large)))
        });
        Some(best.dictionary)
    }

    /// Pieces of so many bytes, evenly.
    fn pieces(&self, bytes: usize, piece_bytes: usize) -> Option<Vec<u8>> {
        let pieces = self.made_of.iter();
        let pieces = pieces.flat_map(|page| page.chunks_exact(piece_bytes));
        let pieces: Vec<&[u8]> = pieces.collect();
        let wanted = bytes.div_ceil(piece_bytes).min(pieces.len());
        let mut dictionary = Vec::with_capacity(wanted * piece_bytes);
        for index in 0..wanted {
            // In the middle of its share.
            let place = (2 * index + 1) * pieces.len() / (2 * wanted);
            dictionary.extend_from_slice(pieces.get(place)?);
        }
        self.fitting(dictionary)
    }

    /// What zstd makes of all of it.
    fn trained(&self, bytes: usize) -> Option<Vec<u8>> {
        let samples = self.made_of.iter();
        let samples = samples.flat_map(|page| page.chunks(TRAINED_SAMPLE_BYTES));
        let lens: Vec<usize> = samples.map(<[u8]>::len).collect();
        let trained = zstd::dict::from_continuous(&self.made_of.concat(), &lens, bytes);
        // It refuses too few samples.
        self.fitting(trained.ok()?)
    }

    /// A dictionary, unless it is too long for the columns.
    fn fitting(&self, dictionary: Vec<u8>) -> Option<Vec<u8>> {
        let fits = dictionary.len() as u64 * SHARE <= self.columns_bytes;
        (fits && !dictionary.is_empty()).then_some(dictionary)
    }
}

/// A dictionary, and the bytes that it is reckoned to save of the pages it was tried on.
struct Tried {
    dictionary: Vec<u8>,
    saved_by_pages: f64,
    /// The same less what it takes itself.
    saved: f64,
}

fn better(one: Tried, other: Option<Tried>) -> Tried {
    match other {
        Some(other) if other.saved > one.saved => other,
        _ => one,
    }
}

/// Pages that dictionaries are tried on.
struct Trial<'a> {
    pages: &'a [Vec<u8>],
    /// What part of the columns they are.
    part: f64,
    zstd_level: i32,
    /// What they take without a dictionary.
    plain_bytes: f64,
}

impl<'a> Trial<'a> {
    fn of(sample: &'a Sample, zstd_level: i32) -> Self {
        let zstd_level = zstd_level.min(DICTIONARY_TRIAL_LEVEL_MAX);
        let pages = match sample.tried_on.is_empty() {
            true => &sample.made_of,
            false => &sample.tried_on,
        };
        let bytes: usize = pages.iter().map(Vec::len).sum();
        Self {
            pages,
            part: bytes as f64 / sample.columns_bytes.max(1) as f64,
            zstd_level,
            plain_bytes: stored_bytes(&mut PageWriter::new(zstd_level), pages),
        }
    }

    fn of_dictionary(&self, dictionary: Vec<u8>) -> Tried {
        let mut writer = PageWriter::with_dictionary(self.zstd_level, &dictionary);
        let saved_by_pages = self.plain_bytes - stored_bytes(&mut writer, self.pages);
        let plain = &mut PageWriter::new(self.zstd_level);
        let own = stored_bytes(plain, std::slice::from_ref(&dictionary));
        Tried {
            dictionary,
            saved_by_pages,
            saved: saved_by_pages - 2.0 * own * self.part,
        }
    }

    /// So many percent of what the pages take without a dictionary.
    fn percent(&self, percent: f64) -> f64 {
        self.plain_bytes * percent / 100.0
    }
}

/// What pages take in a file.
fn stored_bytes(writer: &mut PageWriter, pages: &[Vec<u8>]) -> f64 {
    let stored = pages.iter().map(|page| {
        let compressed = writer.compressed(page).map(<[u8]>::len);
        1 + compressed.unwrap_or(page.len())
    });
    stored.sum::<usize>() as f64
}
