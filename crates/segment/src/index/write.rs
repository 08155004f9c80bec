//! The index into pages.

use super::lists::SharedLists;
use super::{Index, PartCounts, TERMS_AHEAD};
use crate::footer::Footer;
use crate::lexicon::LexiconWriter;
use crate::limits::{LEXICON_INLINE_MAX, MARKED_LIST_NUMBERS_MIN};
use crate::page::PageWriter;
use crate::page_file::PageFile;
use crate::postings::encode_list;
use crate::term::{Listed, Location, TermEntry};
use crate::terms::Term;

/// What holds the ordinals of a term.
#[derive(Default)]
struct Buffers {
    list: Vec<u8>,
    ordinals: Vec<u32>,
}

impl Index {
    /// Writes the tally page, the posting pages, the lexicon pages and the bigram page, and enters them in
    /// the footer.
    pub(crate) fn write(
        &mut self,
        footer: &mut Footer,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) {
        self.write_tally(&self.counts, footer, pages, file);
        let order = self.terms.sorted();
        let groups = self.groups();
        let mut lists = SharedLists::new(footer.rows);
        let mut lexicon = LexiconWriter::new(footer.rows);
        let (mut buffers, mut key) = (Buffers::default(), Vec::new());
        for numbers in order.chunks(TERMS_AHEAD) {
            self.terms.touch(numbers);
            for number in numbers {
                let Some(term) = self.terms.get(*number) else {
                    continue;
                };
                let groups = self.list_groups(groups.of(*number), &mut lists, pages, file);
                let slots = self.list_slots(term, &mut buffers, &mut lists, pages, file);
                let entry = groups.with(slots);
                // Words that are fixed in a kind of no rows are in none.
                if entry.rows > 0 {
                    self.terms.key_into(term, &mut key);
                    lexicon.push(&key, entry, pages);
                }
            }
        }
        footer.posting_pages = lists.finish(pages, file);
        let lexicon = lexicon.finish(pages, file);
        footer.lexicon_pages = lexicon.pages;
        footer.bigram_page = lexicon.bigram_page;
    }

    /// Where the ordinals of a term are that are in none of its groups.
    fn list_slots(
        &self,
        term: &Term,
        Buffers { list, ordinals }: &mut Buffers,
        lists: &mut SharedLists,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> Listed {
        let (rows, all) = (term.rows as usize, lists.segment_rows() as usize);
        let is_listed_so = rows > LEXICON_INLINE_MAX && rows < MARKED_LIST_NUMBERS_MIN;
        if is_listed_so && rows < all {
            list.clear();
            self.terms.list_into(term, list);
            return Listed {
                count: term.rows,
                location: lists.push(list, pages, file),
            };
        }
        ordinals.clear();
        self.terms.ordinals_into(term, list, ordinals);
        listed(ordinals, all, lists, pages, file)
    }

    /// Writes the tally page, with the values of all rows of the segment.
    pub(crate) fn write_tally(
        &self,
        counts: &PartCounts,
        footer: &mut Footer,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) {
        if footer.rows > 0 {
            footer.tally_page = Some(self.tally.write(counts, pages, file));
        }
    }

    /// The groups of all terms.
    pub(crate) fn groups(&self) -> Groups {
        let mut ends = vec![0; self.terms.len() + 1];
        for (term, _) in &self.pairs {
            ends[*term as usize + 1] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        // Each start moves to its end while groups, which ascend for each term, are put there.
        let mut groups = vec![0; self.pairs.len()];
        for (term, group) in &self.pairs {
            let start = &mut ends[*term as usize];
            groups[*start as usize] = *group;
            *start += 1;
        }
        Groups { ends, groups }
    }

    /// Where the groups of a term are.
    pub(crate) fn list_groups(
        &self,
        groups: &[u32],
        lists: &mut SharedLists,
        pages: &mut PageWriter,
        file: &mut dyn PageFile,
    ) -> ListedGroups {
        ListedGroups {
            rows: groups.iter().map(|group| self.tally.rows(*group)).sum(),
            groups: listed(groups, usize::MAX, lists, pages, file),
        }
    }
}

/// The groups of a term.
pub(crate) struct ListedGroups {
    rows: u32,
    groups: Listed,
}

impl ListedGroups {
    /// The entry of a term that all rows of these groups have, and some other rows.
    pub(crate) fn with(self, slots: Listed) -> TermEntry {
        TermEntry {
            rows: self.rows + slots.count,
            groups: self.groups,
            slots,
        }
    }
}

/// For each term the groups whose rows all have it.
pub(crate) struct Groups {
    /// For each term the end of its groups.
    ends: Vec<u32>,
    groups: Vec<u32>,
}

impl Groups {
    /// The groups of a term, ascending.
    pub(crate) fn of(&self, term: u32) -> &[u32] {
        let term = term as usize;
        let start = term.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.groups[start as usize..self.ends[term] as usize]
    }
}

/// Where some numbers of `all` are.
pub(crate) fn listed(
    numbers: &[u32],
    all: usize,
    lists: &mut SharedLists,
    pages: &mut PageWriter,
    file: &mut dyn PageFile,
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
