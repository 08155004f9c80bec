//! A lexicon with the starts of words where the rest stands in a column.
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use super::RewriteInput;
use crate::lexicon::{LexiconPages, LexiconWriter};
use crate::limits::{
    CUT_SAVING_PERCENT_MIN, LETTERS_SAVING_PERCENT_MIN, TRUNCATION_INDEX_BYTES_MAX,
};
use crate::page::PageWriter;
use crate::term::{Location, TermEntry};
use crate::{Corrupt, Namespace};

/// A quick level, for what is compressed to know how much it takes and once more for good.
pub(super) const TRIAL_LEVEL: i32 = 1;

/// When words are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truncation {
    /// How many percent of the segment cutting words has to save.
    percent_min: u64,
    /// How many percent more letters have to save that are left out of them.
    letters_percent_min: u64,
}

impl Truncation {
    /// Where it pays.
    pub(crate) const PAYING: Self = Self {
        percent_min: CUT_SAVING_PERCENT_MIN,
        letters_percent_min: LETTERS_SAVING_PERCENT_MIN,
    };

    /// Wherever they can be.
    #[cfg(test)]
    pub(crate) const ALWAYS: Self = Self {
        percent_min: 0,
        letters_percent_min: 0,
    };

    /// Whether there is memory for two lexicons of what is made of some segments.
    pub(super) fn is_possible<I: RewriteInput>(self, inputs: &[I]) -> bool {
        let pages = inputs.iter().flat_map(|input| input.footer().pages());
        let index = pages.filter(|(section, _)| section.is_index());
        let index = index.map(|(_, page)| u64::from(page.stored_len));
        index.sum::<u64>() <= TRUNCATION_INDEX_BYTES_MAX
    }
}

/// A lexicon of whole words with words cut, where that saves enough of a segment of so many rows whose other pages take
/// `others` bytes; and whether it does. Only two lexicons are in memory at a time.
///
/// # Errors
/// When what was made does not say what was there before.
pub(super) fn truncate(
    whole: LexiconPages,
    rows: u32,
    others: u64,
    choice: Truncation,
) -> Result<(LexiconPages, bool), Corrupt> {
    if whole.stored_len() == 0 {
        return Ok((whole, false));
    }
    let all = others + whole.stored_len();
    let is_enough = |saved: u64, percent| saved.saturating_mul(100) >= all.saturating_mul(percent);
    let mut pages = PageWriter::new(TRIAL_LEVEL);
    let mut write =
        |left_out| write_cut(&whole, LexiconWriter::cutting(rows, left_out), &mut pages);
    let mut cut = write(Alphabet::Hexadecimal)?;
    // Letters of identifiers are as good as random, and take three quarters of a byte each.
    let letters = cut.letters() / 4 * 3;
    if letters > 0 && is_enough(letters, choice.letters_percent_min) {
        drop(cut);
        cut = write(Alphabet::Letters)?;
    }
    let saved = whole.stored_len().saturating_sub(cut.stored_len());
    if !is_enough(saved, choice.percent_min) {
        return Ok((whole, false));
    }
    check(&whole, &cut)?;
    Ok((cut, true))
}

/// Writes the terms of a lexicon once more.
fn write_cut(
    whole: &LexiconPages,
    mut lexicon: LexiconWriter,
    pages: &mut PageWriter,
) -> Result<LexiconPages, Corrupt> {
    let mut terms = whole.terms();
    while let Some(entry) = terms.advance()? {
        let key = terms.key().bytes;
        lexicon.push_cuttable(key, entry, may_be_cut(key, &entry), pages);
    }
    Ok(lexicon.close(pages))
}

/// Goes through both: the whole one is not kept. A word that is cut is told from all others by what is left of it.
fn check(whole: &LexiconPages, cut: &LexiconPages) -> Result<(), Corrupt> {
    let (mut before, mut after) = (whole.terms(), cut.terms());
    loop {
        let (one, other) = (before.advance()?, after.advance()?);
        let is_same = one == other && after.key().may_be(before.key().bytes);
        match one {
            None if other.is_none() => return Ok(()),
            Some(_) if is_same => {}
            term => {
                return Err(Corrupt::Invalid {
                    what: "term in a lexicon that was made anew",
                    value: term.map_or(0, |term| term.rows.into()),
                });
            }
        }
    }
}

/// Whether the word of a term may be cut: one of its rows is known, and has the word in its record.
fn may_be_cut(ordered: &[u8], entry: &TermEntry) -> bool {
    let namespace = ordered.first().copied();
    let is_of_text = [Namespace::Message, Namespace::StructuredData]
        .iter()
        .any(|own| namespace == Some(*own as u8));
    is_of_text && !matches!(entry.slots.location, Location::Nowhere | Location::All)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lexicon of some words of messages, each in a row of its own.
    fn lexicon<'w>(words: impl IntoIterator<Item = &'w str>) -> LexiconPages {
        let mut pages = PageWriter::new(1);
        let mut lexicon = LexiconWriter::new(9);
        for (row, word) in (0..).zip(words) {
            let entry = TermEntry {
                rows: 1,
                slots: crate::Listed {
                    count: 1,
                    location: Location::One(row),
                },
                groups: crate::Listed::default(),
            };
            let key = [&[Namespace::Message as u8, 0], word.as_bytes()].concat();
            lexicon.push(&key, entry, &mut pages);
        }
        lexicon.close(&mut pages)
    }

    #[test]
    fn a_lexicon_that_says_something_else_is_noticed() {
        let whole = lexicon(["able", "baker", "charlie"]);
        assert_eq!(
            check(&whole, &lexicon(["able", "baker", "charlie"])),
            Ok(())
        );
        for others in [
            &["able", "baker"][..],
            &["able", "baker", "charlie", "dog"],
            &["able", "bakers", "charlie"],
        ] {
            assert!(
                check(&whole, &lexicon(others.iter().copied())).is_err(),
                "{others:?}"
            );
        }
    }
}
