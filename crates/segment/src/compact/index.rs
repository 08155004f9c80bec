//! The index of a segment written anew: with unions, and with the starts of words where the rest stands in a
//! column.
#![deny(clippy::indexing_slicing)]

use model::words::Alphabet;

use super::check::check;
use crate::Namespace;
use crate::footer::{Footer, LexiconPageEntry};
use crate::lexicon::{LexiconPages, LexiconWriter};
use crate::limits::{
    CUT_SAVING_PERCENT_MIN, LETTERS_SAVING_PERCENT_MIN, UNION_HITS_MIN, UNION_INDEX_BYTES_MAX,
    UNION_SAVING_PERCENT_MIN,
};
use crate::merge::{MergeError, MergeInput, TermCursor};
use crate::page::{PageEntry, PageWriter};
use crate::term::{Location, TermEntry};
use crate::unions::write::{Placed, TRIAL_LEVEL, with_unions};

/// When unions are made and words cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexChoice {
    /// Rows of a part that have a word, from which on it may be told by the part.
    pub(crate) hits_min: usize,
    /// Whether it does not matter what they take.
    pub(crate) is_forced: bool,
    /// How many percent of the segment cutting words has to save.
    pub(crate) cut_percent_min: u64,
    /// How many percent more letters have to save that are left out of them.
    pub(crate) letters_percent_min: u64,
}

impl IndexChoice {
    /// Where they pay.
    pub(crate) const PAYING: Self = Self {
        hits_min: UNION_HITS_MIN,
        is_forced: false,
        cut_percent_min: CUT_SAVING_PERCENT_MIN,
        letters_percent_min: LETTERS_SAVING_PERCENT_MIN,
    };

    /// Wherever they can be.
    #[cfg(test)]
    pub(crate) const ALWAYS: Self = Self {
        hits_min: 1,
        is_forced: true,
        cut_percent_min: 0,
        letters_percent_min: 0,
    };

    /// Unions wherever they can be, and whole words.
    #[cfg(test)]
    pub(crate) const UNIONS: Self = Self {
        cut_percent_min: u64::MAX,
        ..Self::ALWAYS
    };
}

/// What of the index was written anew.
pub(crate) struct Rewritten {
    /// The stored pages of these entries, one behind another, whose offsets are places in it.
    pub(crate) bytes: Vec<u8>,
    /// Posting pages and union pages; `None` where the posting pages stay what they are.
    pub(crate) lists: Option<[Vec<PageEntry>; 2]>,
    pub(crate) lexicon_pages: Vec<LexiconPageEntry>,
    pub(crate) bigram_page: Option<PageEntry>,
    /// Whether words are cut.
    pub(crate) has_cuts: bool,
}

impl Rewritten {
    /// Puts its pages into a footer, in the place of those of the index there; the entries of all of them.
    pub(crate) fn put_into<'f>(
        &self,
        footer: &'f mut Footer,
    ) -> impl Iterator<Item = &'f mut PageEntry> {
        if let Some([posting_pages, union_pages]) = &self.lists {
            footer.posting_pages.clone_from(posting_pages);
            footer.union_pages.clone_from(union_pages);
        }
        footer.has_truncated_terms = self.has_cuts;
        footer.lexicon_pages.clone_from(&self.lexicon_pages);
        footer.bigram_page = self.bigram_page;
        let lists = self.lists.is_some();
        let lists = [&mut footer.posting_pages, &mut footer.union_pages]
            .into_iter()
            .filter(move |_| lists)
            .flatten();
        let lexicon = footer.lexicon_pages.iter_mut().map(|page| &mut page.page);
        lists.chain(lexicon).chain(&mut footer.bigram_page)
    }

    /// The stored bytes of one of its pages.
    pub(crate) fn page(&self, entry: &PageEntry) -> &[u8] {
        let start = entry.offset as usize;
        let page = self.bytes.get(start..start + entry.stored_len as usize);
        page.unwrap_or(&[])
    }
}

/// What of the index is written anew: with unions and truncated terms, where those save enough. A segment that has either
/// keeps what it has.
pub(super) fn choose_index<I: MergeInput>(
    input: &I,
    choice: IndexChoice,
) -> Result<Option<Rewritten>, MergeError<I::Error>> {
    let footer = input.footer();
    let index = footer.pages().filter(|(section, _)| section.is_index());
    let index: u64 = index.map(|(_, page)| u64::from(page.stored_len)).sum();
    let is_done = footer.has_truncated_terms || !footer.union_pages.is_empty();
    if is_done || footer.lexicon_pages.is_empty() || index > UNION_INDEX_BYTES_MAX {
        return Ok(None);
    }
    let placed = choose_unions(input, choice)?;
    let Some(rewritten) = rewrite(input, placed, choice)? else {
        return Ok(None);
    };
    // The original is deleted: what is found must not depend on how the index is made.
    check(input, &rewritten)?;
    Ok(Some(rewritten))
}

/// Unions for a segment, where they save enough.
fn choose_unions<I: MergeInput>(
    input: &I,
    choice: IndexChoice,
) -> Result<Option<Placed>, MergeError<I::Error>> {
    let footer = input.footer();
    if footer.posting_pages.is_empty() {
        return Ok(None);
    }
    let Some(placed) = with_unions(input, choice)? else {
        return Ok(None);
    };
    let lists = footer.posting_pages.iter();
    let lists: u64 = lists.map(|page| u64::from(page.stored_len)).sum();
    let saved = lists.saturating_sub(placed.bytes());
    let all = footer.pages().map(|(_, page)| u64::from(page.stored_len));
    let is_enough = saved * 100 >= all.sum::<u64>() * UNION_SAVING_PERCENT_MIN;
    Ok((choice.is_forced || is_enough).then_some(placed))
}

/// Writes the terms of a segment with whole words anew, with the places of what they have now, and with words cut
/// where that saves enough; `None` where all stays what it was.
///
/// # Errors
/// When a page of the input is damaged or cannot be read.
pub(super) fn rewrite<I: MergeInput>(
    input: &I,
    placed: Option<Placed>,
    choice: IndexChoice,
) -> Result<Option<Rewritten>, MergeError<I::Error>> {
    let footer = input.footer();
    let mut pages = PageWriter::new(TRIAL_LEVEL);
    let all = footer.pages().map(|(_, page)| u64::from(page.stored_len));
    let all: u64 = all.sum();
    let is_enough = |saved: u64, percent| saved.saturating_mul(100) >= all.saturating_mul(percent);
    let mut write = |cutting| write_terms(input, placed.as_ref(), cutting, &mut pages);
    let mut lexicon = write(LexiconWriter::cutting(footer.rows, Alphabet::Hexadecimal))?;
    // Letters of identifiers are as good as random, and take three quarters of a byte each.
    let letters = lexicon.letters() / 4 * 3;
    let cuts_letters = letters > 0 && is_enough(letters, choice.letters_percent_min);
    if cuts_letters {
        drop(lexicon);
        lexicon = write(LexiconWriter::cutting(footer.rows, Alphabet::Letters))?;
    }
    let before = footer.lexicon_pages.iter();
    let before: u64 = before.map(|page| u64::from(page.page.stored_len)).sum();
    let saved = before.saturating_sub(lexicon.stored_len());
    let has_cuts = is_enough(saved, choice.cut_percent_min);
    if !has_cuts {
        if placed.is_none() {
            return Ok(None);
        }
        drop(lexicon);
        let whole = LexiconWriter::new(footer.rows);
        lexicon = write(whole)?;
    }
    let (mut bytes, lists) = placed.map(Placed::into_parts).unzip();
    let bytes = bytes.get_or_insert_default();
    let lexicon = lexicon.append(&mut pages, bytes);
    Ok(Some(Rewritten {
        bytes: std::mem::take(bytes),
        lists,
        lexicon_pages: lexicon.pages,
        bigram_page: lexicon.bigram_page,
        has_cuts,
    }))
}

/// Writes the terms of a segment, with the places of what they have now. Only one lexicon is in memory at a time.
fn write_terms<I: MergeInput>(
    input: &I,
    placed: Option<&Placed>,
    mut lexicon: LexiconWriter,
    pages: &mut PageWriter,
) -> Result<LexiconPages, MergeError<I::Error>> {
    let lists = match placed {
        Some(placed) => placed.lists(),
        None => &input.footer().posting_pages,
    };
    let mut terms = TermCursor::new(input, 0)?;
    while let Some((key, mut entry)) = terms.key().zip(terms.entry()) {
        if let Some(placed) = placed {
            entry = placed.moved(entry);
        }
        let may_cut = may_be_cut(key, &entry, lists.len());
        lexicon.push_cuttable(key, entry, may_cut, pages);
        terms.advance()?;
    }
    Ok(lexicon.close(pages))
}

/// Whether the word of a term may be cut: one of its rows is known without a look at columns, and has the word in its
/// record.
fn may_be_cut(ordered: &[u8], entry: &TermEntry, posting_pages: usize) -> bool {
    let namespace = ordered.first().copied();
    let is_of_text = [Namespace::Message, Namespace::StructuredData]
        .iter()
        .any(|own| namespace == Some(*own as u8));
    let is_known = match entry.slots.location {
        Location::One(_) | Location::Few(_) => true,
        Location::List { page, .. } => (page as usize) < posting_pages,
        Location::Nowhere | Location::All => false,
    };
    is_of_text && is_known
}
