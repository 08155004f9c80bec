//! The index of a segment written anew: unions where they take less than lists, and the starts of words where
//! the rest stands in a column.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use super::parts::{Occurrence, Words};
use super::{CodedSeats, Union};
use crate::Namespace;
use crate::footer::{Footer, LexiconPageEntry};
use crate::input::PageError;
use crate::lexicon::LexiconWriter;
use crate::limits::{CUT_SAVING_PERCENT_MIN, UNION_HITS_MIN};
use crate::merge::{MergeError, MergeInput, TermCursor};
use crate::page::{PageEntry, PageWriter};
use crate::postings::{PostingWriter, encode_list};
use crate::term::{Listed, Location, TermEntry};

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
            footer.counts_unions = true;
        }
        footer.has_cut_words = self.has_cuts;
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

/// When unions are made and words cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexChoice {
    /// Rows of a part that have a word, from which on it may be told by the part.
    pub(crate) hits_min: usize,
    /// Whether it does not matter what they take.
    pub(crate) is_forced: bool,
    /// How many percent of the segment cutting words has to save.
    pub(crate) cut_percent_min: u64,
}

impl IndexChoice {
    /// Where they pay.
    pub(crate) const PAYING: Self = Self {
        hits_min: UNION_HITS_MIN,
        is_forced: false,
        cut_percent_min: CUT_SAVING_PERCENT_MIN,
    };

    /// Wherever they can be.
    #[cfg(test)]
    pub(crate) const ALWAYS: Self = Self {
        hits_min: 1,
        is_forced: true,
        cut_percent_min: 0,
    };

    /// Unions wherever they can be, and whole words.
    #[cfg(test)]
    pub(crate) const UNIONS: Self = Self {
        cut_percent_min: u64::MAX,
        ..Self::ALWAYS
    };
}

/// zstd level of the pages, that of segments which are sealed: what is saved is seen by it, and what is kept
/// is compressed once more.
const TRIAL_LEVEL: i32 = 1;

/// What a union takes for a part beside its codes, in bytes.
const PART_BYTES: usize = 4;

/// Where a list of the input is now.
#[derive(Clone, Copy, Debug)]
enum Moved {
    List(Location),
    Union(Location),
}

/// Writes the lists of a segment without unions anew; `None` where none becomes a union.
///
/// # Errors
/// When a page of the input is damaged or cannot be read.
pub(crate) fn with_unions<I: MergeInput>(
    input: &I,
    choice: IndexChoice,
) -> Result<Option<Placed>, MergeError<I::Error>> {
    let of_input = |error: PageError<I::Error>| error.of_input(0);
    let words = Words::read(input, choice.hits_min).map_err(of_input)?;
    let mut lists = Lists::new(input, &words, choice);
    let mut terms = TermCursor::new(input, 0)?;
    while let Some(key) = terms.key() {
        let key = key.to_vec();
        lists.add(&key, &mut terms)?;
        terms.advance()?;
    }
    Ok((lists.unions > 0).then(|| lists.finish()))
}

/// Lists and unions that are written.
pub(crate) struct Placed {
    bytes: Vec<u8>,
    /// Posting pages and union pages.
    pages: [Vec<PageEntry>; 2],
    moved: [HashMap<Listed, Moved>; 2],
}

struct Lists<'a> {
    words: &'a Words,
    choice: IndexChoice,
    pages: PageWriter,
    lists: PostingWriter,
    list_bytes: Vec<u8>,
    union_lists: PostingWriter,
    union_bytes: Vec<u8>,
    unions: usize,
    /// By what the input says of lists of seats and, apart, of groups.
    moved: [HashMap<Listed, Moved>; 2],
    /// The seats of the term at hand, and those that its parts tell.
    own: Vec<u8>,
    told: Vec<u8>,
    list: Vec<u8>,
    union: Vec<u8>,
}

impl<'a> Lists<'a> {
    fn new<I: MergeInput>(input: &I, words: &'a Words, choice: IndexChoice) -> Self {
        let rows = input.footer().rows;
        let bits = vec![0; (rows as usize).div_ceil(8)];
        Self {
            words,
            choice,
            pages: PageWriter::new(TRIAL_LEVEL),
            lists: PostingWriter::new(rows),
            list_bytes: Vec::new(),
            union_lists: PostingWriter::new(rows),
            union_bytes: Vec::new(),
            unions: 0,
            moved: Default::default(),
            own: bits.clone(),
            told: bits,
            list: Vec::new(),
            union: Vec::new(),
        }
    }

    fn add<I: MergeInput>(
        &mut self,
        key: &[u8],
        terms: &mut TermCursor<'_, I>,
    ) -> Result<(), MergeError<I::Error>> {
        let Some(entry) = terms.entry() else {
            return Ok(());
        };
        let is_new = |listed: &Listed, moved: &HashMap<Listed, Moved>| {
            listed.posting_page().is_some() && !moved.contains_key(listed)
        };
        if is_new(&entry.groups, &self.moved[1]) {
            encode_list(&terms.groups()?, &mut self.list);
            let at = self
                .lists
                .push(&self.list, &mut self.pages, &mut self.list_bytes);
            self.moved[1].insert(entry.groups, Moved::List(at));
        }
        if is_new(&entry.slots, &self.moved[0]) {
            let seats = terms.slot_seats()?;
            let moved = self.place(key, &seats);
            self.moved[0].insert(entry.slots, moved);
        }
        Ok(())
    }

    /// Writes the seats of a term as a list or as a union.
    fn place(&mut self, key: &[u8], seats: &[u32]) -> Moved {
        encode_list(seats, &mut self.list);
        let words = self.words;
        let occurrences = words.of(key);
        if !occurrences.is_empty() {
            let union = self.union_of(occurrences, seats);
            self.union.clear();
            union.encode(&mut self.union);
            let is_smaller = self.choice.is_forced || cost(&self.union) < cost(&self.list);
            if !union.parts.is_empty() && is_smaller {
                self.unions += 1;
                let at = self
                    .union_lists
                    .push(&self.union, &mut self.pages, &mut self.union_bytes);
                return Moved::Union(at);
            }
        }
        Moved::List(
            self.lists
                .push(&self.list, &mut self.pages, &mut self.list_bytes),
        )
    }

    /// Seats by parts that tell some of them and no others.
    fn union_of(&mut self, occurrences: &[Occurrence], seats: &[u32]) -> Union {
        seats
            .iter()
            .for_each(|seat| super::set(&mut self.own, *seat));
        let mut parts = Vec::new();
        for occurrence in occurrences {
            if let Some(part) = self.part_of(occurrence) {
                parts.push((part, occurrence));
            }
        }
        let is_told = |seat: &u32| is_set(&self.told, *seat);
        let others = seats.iter().filter(|seat| !is_told(seat));
        let others = others.copied().collect();
        parts.sort_by_key(|(part, _)| (part.part, part.track));
        clear(&mut self.told, seats);
        for (part, occurrence) in &mut parts {
            part.new = Some(self.tell(occurrence));
        }
        clear(&mut self.told, seats);
        clear(&mut self.own, seats);
        Union {
            parts: parts.into_iter().map(|(part, _)| part).collect(),
            others,
        }
    }

    /// What an occurrence of the term at hand is in a union; `None` where it has other rows too, or is not worth
    /// it.
    fn part_of(&mut self, occurrence: &Occurrence) -> Option<CodedSeats> {
        let words = self.words;
        let track = words.track(occurrence)?;
        let (mut codes, mut new) = (Vec::new(), 0_usize);
        for (code, seats) in words.codes(occurrence) {
            codes.push(code);
            for seat in seats {
                if !is_set(&self.own, seat) {
                    return None;
                }
                new += usize::from(!is_set(&self.told, seat));
            }
        }
        // What it takes, roughly, against a byte for each seat that is told by it alone.
        if new <= PART_BYTES + codes.len() && !self.choice.is_forced {
            return None;
        }
        self.tell(occurrence);
        Some(CodedSeats {
            part: track.part,
            track: track.track,
            codes,
            new: None,
        })
    }

    /// Notes that the seats of an occurrence are told; how many were not before.
    fn tell(&mut self, occurrence: &Occurrence) -> u32 {
        let mut new = 0;
        for (_, seats) in self.words.codes(occurrence) {
            for seat in seats {
                new += u32::from(!is_set(&self.told, seat));
                super::set(&mut self.told, seat);
            }
        }
        new
    }

    /// Writes what is left.
    fn finish(mut self) -> Placed {
        let posting_pages = self.lists.finish(&mut self.pages, &mut self.list_bytes);
        let unions = self
            .union_lists
            .finish(&mut self.pages, &mut self.union_bytes);
        let mut bytes = self.list_bytes;
        let union_pages = append(&unions, &self.union_bytes, &mut bytes);
        Placed {
            bytes,
            pages: [posting_pages, union_pages],
            moved: self.moved,
        }
    }
}

impl Placed {
    /// Bytes of its pages.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Where it has what the input says of a term.
    fn moved(&self, entry: TermEntry) -> TermEntry {
        let [lists, _] = &self.pages;
        let now = |listed: Listed, moved: &HashMap<Listed, Moved>| {
            let location = match moved.get(&listed) {
                None => listed.location,
                Some(Moved::List(location)) => *location,
                Some(Moved::Union(location)) => behind(*location, lists.len() as u32),
            };
            Listed { location, ..listed }
        };
        let [slots, groups] = &self.moved;
        TermEntry {
            slots: now(entry.slots, slots),
            groups: now(entry.groups, groups),
            ..entry
        }
    }
}

/// Writes the terms of a segment with whole words anew, with the places of what they have now, and with words cut
/// where that saves enough; `None` where all stays what it was.
///
/// # Errors
/// When a page of the input is damaged or cannot be read.
pub(crate) fn rewrite<I: MergeInput>(
    input: &I,
    placed: Option<Placed>,
    choice: IndexChoice,
) -> Result<Option<Rewritten>, MergeError<I::Error>> {
    let footer = input.footer();
    let mut pages = PageWriter::new(TRIAL_LEVEL);
    let mut whole = LexiconWriter::new(footer.rows);
    let mut cut = LexiconWriter::cutting(footer.rows);
    let mut terms = TermCursor::new(input, 0)?;
    let lists = placed
        .as_ref()
        .map_or(&footer.posting_pages, |placed| &placed.pages[0]);
    while let Some((key, mut entry)) = terms.key().zip(terms.entry()) {
        if let Some(placed) = &placed {
            entry = placed.moved(entry);
        }
        whole.push(key, entry, &mut pages);
        cut.push_cuttable(key, entry, may_be_cut(key, &entry, lists.len()), &mut pages);
        terms.advance()?;
    }
    let (whole, cut) = (whole.close(&mut pages), cut.close(&mut pages));
    let saved = whole.stored_len().saturating_sub(cut.stored_len());
    let all = footer.pages().map(|(_, page)| u64::from(page.stored_len));
    let needed = all.sum::<u64>().saturating_mul(choice.cut_percent_min);
    let has_cuts = saved.saturating_mul(100) >= needed;
    if placed.is_none() && !has_cuts {
        return Ok(None);
    }
    let (mut bytes, lists) = placed.map(|placed| (placed.bytes, placed.pages)).unzip();
    let bytes = bytes.get_or_insert_default();
    let lexicon = if has_cuts { cut } else { whole }.append(&mut pages, bytes);
    Ok(Some(Rewritten {
        bytes: std::mem::take(bytes),
        lists,
        lexicon_pages: lexicon.pages,
        bigram_page: lexicon.bigram_page,
        has_cuts,
    }))
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

/// A location in pages that stand behind so many others.
fn behind(location: Location, pages: u32) -> Location {
    match location {
        Location::List { page, offset } => Location::List {
            page: page + pages,
            offset,
        },
        location => location,
    }
}

/// Appends pages that were stored elsewhere.
fn append(pages: &[PageEntry], from: &[u8], to: &mut Vec<u8>) -> Vec<PageEntry> {
    let base = to.len() as u64;
    to.extend_from_slice(from);
    let moved = |page: &PageEntry| PageEntry {
        offset: page.offset + base,
        ..*page
    };
    pages.iter().map(moved).collect()
}

/// Clears the bits of some seats, and of those beside them.
fn clear(bits: &mut [u8], seats: &[u32]) {
    for seat in seats {
        if let Some(byte) = bits.get_mut((seat >> 3) as usize) {
            *byte = 0;
        }
    }
}

fn is_set(bits: &[u8], seat: u32) -> bool {
    let byte = bits.get((seat >> 3) as usize);
    byte.is_some_and(|byte| byte >> (seat & 7) & 1 == 1)
}

/// Parts of a byte that [`cost`] counts in.
const COST_ONE: u64 = 16;

/// Bytes of a list from which on their frequencies tell what it takes.
const COST_BYTES_MIN: usize = 64;

/// What a list takes after compression, roughly: the entropy of its bytes, where they are enough to tell.
fn cost(list: &[u8]) -> u64 {
    if list.len() < COST_BYTES_MIN {
        return list.len() as u64 * COST_ONE;
    }
    let mut counts = [0_u32; 256];
    for byte in list {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let len = list.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) * (len / f64::from(*count)).log2())
        .sum();
    (bits / 8.0 * COST_ONE as f64) as u64
}
