//! The index into pages.

use super::Index;
use super::lists::SharedLists;
use crate::footer::Footer;
use crate::lexicon::LexiconWriter;
use crate::limits::LEXICON_INLINE_MAX;
use crate::page::PageWriter;
use crate::postings::encode_list;
use crate::term::{Listed, Location, TermEntry};

impl Index {
    /// Writes the tally page, the posting pages and the lexicon pages, and enters them in the footer.
    pub(crate) fn write(
        &mut self,
        footer: &mut Footer,
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) {
        self.write_tally(footer, pages, file);
        let order = self.terms.sorted();
        self.pairs.sort_unstable();
        let mut lists = SharedLists::new(footer.rows);
        let mut lexicon = LexiconWriter::new(footer.rows);
        let (mut rows, mut key) = (Vec::new(), Vec::new());
        for number in &order {
            let Some(term) = self.terms.get(*number) else {
                continue;
            };
            rows.clear();
            self.terms.rows_into(term, &mut rows);
            let groups = groups_of(&self.pairs, *number);
            let entry = self.entry(&groups, &rows, &mut lists, pages, file);
            // Words that are fixed in a kind of no rows are in none.
            if entry.rows > 0 {
                self.terms.key_into(term, &mut key);
                lexicon.push(&key, entry, pages);
            }
        }
        footer.posting_pages = lists.finish(pages, file);
        footer.lexicon_pages = lexicon.finish(pages, file);
    }

    /// Writes the tally page.
    pub(crate) fn write_tally(
        &self,
        footer: &mut Footer,
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) {
        if footer.rows > 0 {
            footer.tally_page = Some(self.tally.write(pages, file));
        }
    }

    /// The entry of a term that all rows of some groups have, and some other rows.
    pub(crate) fn entry(
        &self,
        groups: &[u32],
        rows: &[u32],
        lists: &mut SharedLists,
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) -> TermEntry {
        let of_groups: u32 = groups.iter().map(|group| self.tally.rows(*group)).sum();
        let all = lists.segment_rows() as usize;
        TermEntry {
            rows: of_groups + rows.len() as u32,
            groups: listed(groups, usize::MAX, lists, pages, file),
            slots: listed(rows, all, lists, pages, file),
        }
    }
}

/// The groups of a term among the pairs of terms and groups.
pub(crate) fn groups_of(pairs: &[(u32, u32)], term: u32) -> Vec<u32> {
    let start = pairs.partition_point(|(known, _)| *known < term);
    let own = pairs.get(start..).unwrap_or(&[]).iter();
    own.take_while(|(known, _)| *known == term)
        .map(|(_, group)| *group)
        .collect()
}

fn listed(
    numbers: &[u32],
    all: usize,
    lists: &mut SharedLists,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) -> Listed {
    let location = match numbers {
        [] => Location::Nowhere,
        numbers if numbers.len() == all => Location::All,
        [number] => Location::One(*number),
        numbers if numbers.len() <= LEXICON_INLINE_MAX => {
            let mut few = [0; LEXICON_INLINE_MAX];
            for (place, number) in few.iter_mut().zip(numbers) {
                *place = *number;
            }
            Location::Few(few)
        }
        numbers => {
            let mut list = Vec::new();
            encode_list(numbers, &mut list);
            lists.push(&list, pages, file)
        }
    };
    Listed {
        count: numbers.len() as u32,
        location,
    }
}
