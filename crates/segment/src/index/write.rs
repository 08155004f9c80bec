//! The index into pages.

use super::lists::SharedLists;
use super::{Index, tally};
use crate::footer::Footer;
use crate::lexicon::LexiconWriter;
use crate::page::PageWriter;
use crate::postings::encode_list;
use crate::term::{Listed, Location, TermEntry};

impl Index {
    /// Writes the tally page, the posting pages and the lexicon pages, and enters them in the footer.
    pub(crate) fn write(&self, footer: &mut Footer, pages: &mut PageWriter, file: &mut Vec<u8>) {
        self.write_tally(footer, pages, file);
        let order = self.terms.sorted();
        let kinds = self.kinds_by_term();
        let mut lists = SharedLists::new(footer.rows);
        let mut rows = Vec::new();
        let mut entries = Vec::with_capacity(order.len());
        for number in &order {
            rows.clear();
            if let Some(term) = self.terms.get(*number) {
                self.terms.rows_into(term, &mut rows);
            }
            let kinds = kinds_of(&kinds, *number);
            entries.push(entry(self, kinds, &rows, &mut lists, pages, file));
        }
        footer.posting_pages = lists.finish(pages, file);
        let mut lexicon = LexiconWriter::new(footer.rows);
        let mut key = Vec::new();
        let sorted = order.iter().filter_map(|number| self.terms.get(*number));
        for (term, entry) in sorted.zip(entries) {
            self.terms.key_into(term, &mut key);
            lexicon.push(&key, entry, pages, file);
        }
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
            footer.tally_page = Some(tally::write(&self.kinds, pages, file));
        }
    }

    /// For each fixed word of each kind its term and the kind, in this order.
    pub(crate) fn kinds_by_term(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (kind, words) in (0..).zip(&self.kinds) {
            if words.rows() > 0 {
                pairs.extend(words.fixed().iter().map(|term| (*term, kind)));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// How many rows are of some kinds.
    fn rows_of(&self, kinds: &[(u32, u32)]) -> u32 {
        let kinds = kinds
            .iter()
            .filter_map(|(_, kind)| self.kinds.get(*kind as usize));
        kinds.map(super::KindWords::rows).sum()
    }
}

/// The pairs of one term among those of all.
pub(crate) fn kinds_of(pairs: &[(u32, u32)], term: u32) -> &[(u32, u32)] {
    let start = pairs.partition_point(|(known, _)| *known < term);
    let own = pairs.get(start..).unwrap_or(&[]);
    let len = own.iter().take_while(|(known, _)| *known == term).count();
    own.get(..len).unwrap_or(&[])
}

/// The entry of a term that is fixed in some kinds and stands in slots of some other rows.
pub(crate) fn entry(
    index: &Index,
    kinds: &[(u32, u32)],
    rows: &[u32],
    lists: &mut SharedLists,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) -> TermEntry {
    let numbers: Vec<u32> = kinds.iter().map(|(_, kind)| *kind).collect();
    let all = lists.segment_rows() as usize;
    TermEntry {
        rows: index.rows_of(kinds) + rows.len() as u32,
        kinds: listed(&numbers, usize::MAX, lists, pages, file),
        slots: listed(rows, all, lists, pages, file),
    }
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
