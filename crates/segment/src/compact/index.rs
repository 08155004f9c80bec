//! The lexicon of a segment written anew, with the starts of words where the rest stands in a column.
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use super::check::check;
use crate::Namespace;
use crate::footer::{Footer, LexiconPageEntry};
use crate::lexicon::{LexiconPages, LexiconWriter};
use crate::limits::{
    CUT_SAVING_PERCENT_MIN, LETTERS_SAVING_PERCENT_MIN, TRUNCATION_INDEX_BYTES_MAX,
};
use crate::merge::{MergeError, MergeInput, TermCursor};
use crate::page::{PageEntry, PageWriter};
use crate::term::{Location, TermEntry};

/// A quick level, for what is compressed to know how much it takes and once more for good.
const TRIAL_LEVEL: i32 = 1;

/// When words are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexChoice {
    /// How many percent of the segment cutting words has to save.
    pub(crate) cut_percent_min: u64,
    /// How many percent more letters have to save that are left out of them.
    pub(crate) letters_percent_min: u64,
}

impl IndexChoice {
    /// Where they pay.
    pub(crate) const PAYING: Self = Self {
        cut_percent_min: CUT_SAVING_PERCENT_MIN,
        letters_percent_min: LETTERS_SAVING_PERCENT_MIN,
    };

    /// Wherever they can be.
    #[cfg(test)]
    pub(crate) const ALWAYS: Self = Self {
        cut_percent_min: 0,
        letters_percent_min: 0,
    };
}

/// What of the index was written anew.
pub(crate) struct Rewritten {
    /// The stored pages of these entries, one behind another, whose offsets are places in it.
    pub(crate) bytes: Vec<u8>,
    pub(crate) lexicon_pages: Vec<LexiconPageEntry>,
    pub(crate) bigram_page: Option<PageEntry>,
}

impl Rewritten {
    /// Puts its pages into a footer, in the place of those of the index there; the entries of all of them.
    pub(crate) fn put_into<'f>(
        &self,
        footer: &'f mut Footer,
    ) -> impl Iterator<Item = &'f mut PageEntry> {
        footer.has_truncated_terms = true;
        footer.lexicon_pages.clone_from(&self.lexicon_pages);
        footer.bigram_page = self.bigram_page;
        let lexicon = footer.lexicon_pages.iter_mut().map(|page| &mut page.page);
        lexicon.chain(&mut footer.bigram_page)
    }

    /// The stored bytes of one of its pages.
    pub(crate) fn page(&self, entry: &PageEntry) -> &[u8] {
        let start = entry.offset as usize;
        let page = self.bytes.get(start..start + entry.stored_len as usize);
        page.unwrap_or(&[])
    }
}

/// A lexicon with truncated terms, where those save enough. A segment that has them keeps what it has.
pub(super) fn choose_index<I: MergeInput>(
    input: &I,
    choice: IndexChoice,
) -> Result<Option<Rewritten>, MergeError<I::Error>> {
    let footer = input.footer();
    let index = footer.pages().filter(|(section, _)| section.is_index());
    let index: u64 = index.map(|(_, page)| u64::from(page.stored_len)).sum();
    if footer.has_truncated_terms
        || footer.lexicon_pages.is_empty()
        || index > TRUNCATION_INDEX_BYTES_MAX
    {
        return Ok(None);
    }
    let Some(rewritten) = rewrite(input, choice)? else {
        return Ok(None);
    };
    // The original is deleted: what is found must not depend on how the index is made.
    check(input, &rewritten)?;
    Ok(Some(rewritten))
}

/// Writes the terms of a segment with whole words anew, with words cut where that saves enough; `None` where all
/// stays what it was.
///
/// # Errors
/// When a page of the input is damaged or cannot be read.
pub(super) fn rewrite<I: MergeInput>(
    input: &I,
    choice: IndexChoice,
) -> Result<Option<Rewritten>, MergeError<I::Error>> {
    let footer = input.footer();
    let mut pages = PageWriter::new(TRIAL_LEVEL);
    let all = footer.pages().map(|(_, page)| u64::from(page.stored_len));
    let all: u64 = all.sum();
    let is_enough = |saved: u64, percent| saved.saturating_mul(100) >= all.saturating_mul(percent);
    let mut write = |cutting| write_terms(input, cutting, &mut pages);
    let mut lexicon = write(LexiconWriter::cutting(footer.rows, Alphabet::Hexadecimal))?;
    // Letters of identifiers are as good as random, and take three quarters of a byte each.
    let letters = lexicon.letters() / 4 * 3;
    if letters > 0 && is_enough(letters, choice.letters_percent_min) {
        drop(lexicon);
        lexicon = write(LexiconWriter::cutting(footer.rows, Alphabet::Letters))?;
    }
    let before = footer.lexicon_pages.iter();
    let before: u64 = before.map(|page| u64::from(page.page.stored_len)).sum();
    let saved = before.saturating_sub(lexicon.stored_len());
    if !is_enough(saved, choice.cut_percent_min) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let lexicon = lexicon.append(&mut pages, &mut bytes);
    Ok(Some(Rewritten {
        bytes,
        lexicon_pages: lexicon.pages,
        bigram_page: lexicon.bigram_page,
    }))
}

/// Writes the terms of a segment. Only one lexicon is in memory at a time.
fn write_terms<I: MergeInput>(
    input: &I,
    mut lexicon: LexiconWriter,
    pages: &mut PageWriter,
) -> Result<LexiconPages, MergeError<I::Error>> {
    let mut terms = TermCursor::new(input, 0)?;
    while let Some((key, entry)) = terms.key().zip(terms.entry()) {
        lexicon.push_cuttable(key, entry, may_be_cut(key, &entry), pages);
        terms.advance()?;
    }
    Ok(lexicon.close(pages))
}

/// Whether the word of a term may be cut: one of its rows is known, and has the word in its record.
fn may_be_cut(ordered: &[u8], entry: &TermEntry) -> bool {
    let namespace = ordered.first().copied();
    let is_of_text = [Namespace::Message, Namespace::StructuredData]
        .iter()
        .any(|own| namespace == Some(*own as u8));
    is_of_text && !matches!(entry.slots.location, Location::Nowhere | Location::All)
}
