//! Which pairs of bytes stand side by side in the words of each lexicon page.
//!
//! A word with a wildcard in front may be on any page. Most pages hold identifiers, of which few have the
//! letters that words have beside each other: a page is read only if all pairs of the part that is fixed
//! are on it. Pages of numbers alone are told by their class ([`super::class`]), and have no set.
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use super::class::Class;
use super::invalid;
use crate::Corrupt;
use crate::limits::SEGMENT_ROWS_MAX;
use crate::page::{PageEntry, PageWriter, open};
use crate::page_file::PageFile;
use crate::wire::{Reader, put_varint};

/// Groups that bytes are told apart by.
const GROUPS: usize = 32;

/// Bytes of a set.
const SET_BYTES: usize = GROUPS * GROUPS / 8;

/// The group of digits.
const DIGITS: u8 = 26;

/// A byte of each group that has bytes of an alphabet.
const fn of_each_group(alphabet: Alphabet) -> &'static [u8] {
    match alphabet {
        Alphabet::Hexadecimal => b"0abcdef",
        Alphabet::Letters => b"0abcdefghijklmnopqrstuvwxyz",
    }
}

/// A set of pairs of groups of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BigramSet([u8; SET_BYTES]);

/// The sets of the lexicon pages of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bigrams {
    /// For each page the place of its set, from 1; 0 where it has none.
    places: Box<[u32]>,
    sets: Box<[BigramSet]>,
}

/// The group of a byte of a folded word: each letter is one, all digits are one, and so is `_`; other bytes
/// are four.
fn group(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'0'..=b'9' => DIGITS,
        b'_' => DIGITS + 1,
        _ => DIGITS + 2 + (byte & 3),
    }
}

/// The place in a set of one byte behind another: its byte, and the bit in that.
fn place(first: u8, second: u8) -> (usize, u8) {
    let second = group(second);
    let byte = usize::from(group(first)) * (GROUPS / 8) + usize::from(second / 8);
    (byte, 1 << (second % 8))
}

impl BigramSet {
    /// No pairs.
    const EMPTY: Self = Self([0; SET_BYTES]);

    /// Adds all pairs of a word.
    fn add(&mut self, word: &[u8]) {
        for pair in word.windows(2) {
            if let [first, second] = pair {
                let (byte, bit) = place(*first, *second);
                if let Some(byte) = self.0.get_mut(byte) {
                    *byte |= bit;
                }
            }
        }
    }

    /// Adds all pairs of an alphabet.
    fn add_all(&mut self, alphabet: Alphabet) {
        let all = of_each_group(alphabet).iter();
        all.for_each(|first| self.add_behind(&[*first], alphabet));
    }

    /// Adds the pairs that are begun by the last of some bytes where those of an alphabet follow.
    fn add_behind(&mut self, bytes: &[u8], alphabet: Alphabet) {
        if let Some(last) = bytes.last() {
            let all = of_each_group(alphabet).iter();
            all.for_each(|first| self.add(&[*last, *first]));
        }
    }

    /// Whether a word may be among those added that has these bytes in it.
    fn may_hold(&self, part: &[u8]) -> bool {
        part.windows(2).all(|pair| match pair {
            [first, second] => {
                let (byte, bit) = place(*first, *second);
                self.0.get(byte).is_some_and(|byte| byte & bit != 0)
            }
            _ => true,
        })
    }
}

/// Gathers the set of a lexicon page.
#[derive(Clone, Debug)]
pub(super) struct PageBigrams {
    set: BigramSet,
    has_words: bool,
    /// What numbers, and what is left out of words, are made of: the widest of these.
    digits: Option<Alphabet>,
}

impl PageBigrams {
    /// Of a page without words.
    pub(super) const fn new() -> Self {
        Self {
            set: BigramSet::EMPTY,
            has_words: false,
            digits: None,
        }
    }

    /// Adds a word of a class, or what is left of it where something is left out.
    pub(super) fn add(&mut self, class: Class, word: &[u8], left_out: Option<Alphabet>) {
        let digits = match class {
            Class::Word => left_out,
            Class::Decimal(_) | Class::Hexadecimal(_) => Some(Alphabet::Hexadecimal),
        };
        if class == Class::Word {
            self.has_words = true;
            self.set.add(word);
            if let Some(alphabet) = left_out {
                self.set.add_behind(word, alphabet);
            }
        }
        self.digits = self.digits.max(digits);
    }

    /// The set of the page, and starts that of the next one; `None` where it has numbers alone.
    pub(super) fn take(&mut self) -> Option<BigramSet> {
        let mut own = std::mem::replace(self, Self::new());
        if let Some(alphabet) = own.digits {
            own.set.add_all(alphabet);
        }
        own.has_words.then_some(own.set)
    }
}

/// Appends the page with the sets of all lexicon pages; none where there are no pages.
pub(super) fn write(
    sets: &[Option<BigramSet>],
    pages: &mut PageWriter,
    file: &mut dyn PageFile,
) -> Option<PageEntry> {
    if sets.is_empty() {
        return None;
    }
    let mut raw = Vec::new();
    put_varint(sets.len() as u64, &mut raw);
    for eight in sets.chunks(8) {
        let bits = eight.iter().zip(0..).filter(|(set, _)| set.is_some());
        raw.push(bits.fold(0, |all, (_, bit)| all | 1 << bit));
    }
    for set in sets.iter().flatten() {
        raw.extend_from_slice(&set.0);
    }
    Some(PageEntry {
        rows: sets.len() as u32,
        ..pages.append(&raw, file)
    })
}

impl Bigrams {
    /// Reads the stored bytes of a bigram page.
    ///
    /// # Errors
    /// When they are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("bigram page", entry, stored)?;
        let mut reader = Reader::new("bigram page", &raw);
        let pages = reader.count("number of lexicon pages", SEGMENT_ROWS_MAX as usize)?;
        if pages != entry.rows as usize {
            return Err(invalid("number of lexicon pages", pages as u64));
        }
        let bits = reader.bytes(pages.div_ceil(8))?;
        let mut sets = Vec::new();
        let mut places = Vec::with_capacity(pages);
        for page in 0..pages {
            let has_set = bits
                .get(page / 8)
                .is_some_and(|bits| bits >> (page % 8) & 1 != 0);
            if has_set {
                sets.push(BigramSet(reader.array()?));
            }
            places.push(if has_set { sets.len() as u32 } else { 0 });
        }
        reader.finish()?;
        Ok(Self {
            places: places.into(),
            sets: sets.into(),
        })
    }

    /// Whether a lexicon page may have a word with these bytes in it, one behind another. Where there is
    /// no telling, it may.
    pub fn may_hold(&self, page: usize, part: &[u8]) -> bool {
        self.set(page).is_none_or(|set| set.may_hold(part))
    }

    /// The set of a lexicon page, if it has one.
    pub(crate) fn set(&self, page: usize) -> Option<&BigramSet> {
        let place = self.places.get(page)?.checked_sub(1)?;
        self.sets.get(place as usize)
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.places) + size_of_val::<[BigramSet]>(&self.sets)
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sets of pages of words, written and read.
    fn of_pages(pages: &[Vec<&[u8]>]) -> Bigrams {
        let sets = pages.iter().map(|words| {
            let mut own = PageBigrams::new();
            words
                .iter()
                .for_each(|word| own.add(Class::of(word), word, None));
            own.take()
        });
        let sets: Vec<_> = sets.collect();
        let mut file = Vec::new();
        let entry = write(&sets, &mut PageWriter::new(1), &mut file).expect("pages");
        Bigrams::decode(&entry, &file).expect("valid")
    }

    #[test]
    fn a_page_may_hold_what_its_words_hold() {
        let bigrams = of_pages(&[
            vec![b"apple", b"pleased", b"0x17"],
            vec![b"1234", b"deadbeef"],
            vec![b"1234", b"zinc"],
        ]);
        let held = |part: &[u8]| -> Vec<usize> {
            (0..3)
                .filter(|page| bigrams.may_hold(*page, part))
                .collect()
        };
        assert_eq!(held(b"pple"), [0, 1]);
        assert_eq!(held(b"ppla"), [1], "all pairs must be there");
        assert_eq!(held(b"x9"), [0, 1], "digits are alike");
        assert_eq!(held(b"fa5"), [1, 2], "numbers have all pairs of digits");
        assert_eq!(held(b"q"), [0, 1, 2], "one byte is no pair");
        assert_eq!(held(b""), [0, 1, 2]);
        assert!(bigrams.may_hold(3, b"pple"), "nothing is known of it");
        assert!(bigrams.set(1).is_none());
    }

    #[test]
    fn what_is_cut_or_too_long_is_refused() {
        let sets = [Some(BigramSet::EMPTY), None];
        let mut file = Vec::new();
        let entry = write(&sets, &mut PageWriter::plain(), &mut file).expect("pages");
        let decode = |raw: &[u8], rows: u32| {
            let mut file = Vec::new();
            let placed = PageWriter::append_plain(raw, &mut file);
            Bigrams::decode(&PageEntry { rows, ..placed }, &file)
        };
        let raw = &file[1..];
        decode(raw, entry.rows).expect("valid");
        decode(raw, 3).expect_err("another number of pages");
        decode(&raw[..raw.len() - 1], 2).expect_err("a set is cut");
        decode(&[raw, &[0]].concat(), 2).expect_err("more than the sets");
        assert_eq!(write(&[], &mut PageWriter::plain(), &mut file), None);
    }

    proptest! {
        #[test]
        fn no_part_of_a_word_is_missed(
            pages in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(any::<u8>(), 1..9), 1..5), 1..20,
            ),
            from in 0..9_usize, len in 0..9_usize,
        ) {
            let of: Vec<Vec<&[u8]>> =
                pages.iter().map(|words| words.iter().map(Vec::as_slice).collect()).collect();
            let bigrams = of_pages(&of);
            for (page, words) in pages.iter().enumerate() {
                for word in words {
                    let end = word.len().min(from + len);
                    let part = word.get(from..end).unwrap_or(&[]);
                    prop_assert!(bigrams.may_hold(page, part));
                }
            }
        }
    }
}
