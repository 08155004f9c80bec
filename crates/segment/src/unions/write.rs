//! The lists of a segment written anew, as unions where those take less.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use super::parts::{Occurrence, Words};
use super::{CodedOrdinals, Union};
use crate::compact::index::IndexChoice;
use crate::input::PageError;
use crate::merge::{MergeError, MergeInput, TermCursor};
use crate::page::{PageEntry, PageWriter};
use crate::postings::{PostingWriter, encode_list};
use crate::term::{Listed, Location, TermEntry};

/// zstd level of the pages, that of segments which are sealed: what is saved is seen by it, and what is kept
/// is compressed once more.
pub(crate) const TRIAL_LEVEL: i32 = 1;

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
    /// By what the input says of lists of ordinals and, apart, of groups.
    moved: [HashMap<Listed, Moved>; 2],
    /// The ordinals of the term at hand, and those that its parts tell.
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
            let ordinals = terms.slot_ordinals()?;
            let moved = self.place(key, &ordinals);
            self.moved[0].insert(entry.slots, moved);
        }
        Ok(())
    }

    /// Writes the ordinals of a term as a list or as a union.
    fn place(&mut self, key: &[u8], ordinals: &[u32]) -> Moved {
        encode_list(ordinals, &mut self.list);
        let words = self.words;
        let occurrences = words.of(key);
        if !occurrences.is_empty() {
            let union = self.union_of(occurrences, ordinals);
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

    /// Ordinals by parts that tell some of them and no others.
    fn union_of(&mut self, occurrences: &[Occurrence], ordinals: &[u32]) -> Union {
        ordinals
            .iter()
            .for_each(|ordinal| super::set(&mut self.own, *ordinal));
        let mut parts = Vec::new();
        for occurrence in occurrences {
            if let Some(part) = self.part_of(occurrence) {
                parts.push((part, occurrence));
            }
        }
        let is_told = |ordinal: &u32| is_set(&self.told, *ordinal);
        let others = ordinals.iter().filter(|ordinal| !is_told(ordinal));
        let others = others.copied().collect();
        parts.sort_by_key(|(part, _)| (part.part, part.track));
        clear(&mut self.told, ordinals);
        for (part, occurrence) in &mut parts {
            part.new = self.tell(occurrence);
        }
        clear(&mut self.told, ordinals);
        clear(&mut self.own, ordinals);
        Union {
            parts: parts.into_iter().map(|(part, _)| part).collect(),
            others,
        }
    }

    /// What an occurrence of the term at hand is in a union; `None` where it has other rows too, or is not worth
    /// it.
    fn part_of(&mut self, occurrence: &Occurrence) -> Option<CodedOrdinals> {
        let words = self.words;
        let track = words.track(occurrence)?;
        let (mut codes, mut new) = (Vec::new(), 0_usize);
        for (code, ordinals) in words.codes(occurrence) {
            codes.push(code);
            for ordinal in ordinals {
                if !is_set(&self.own, ordinal) {
                    return None;
                }
                new += usize::from(!is_set(&self.told, ordinal));
            }
        }
        // What it takes, roughly, against a byte for each ordinal that is told by it alone.
        if new <= PART_BYTES + codes.len() && !self.choice.is_forced {
            return None;
        }
        self.tell(occurrence);
        Some(CodedOrdinals {
            part: track.part,
            track: track.track,
            codes,
            new: 0,
        })
    }

    /// Notes that the ordinals of an occurrence are told; how many were not before.
    fn tell(&mut self, occurrence: &Occurrence) -> u32 {
        let mut new = 0;
        for (_, ordinals) in self.words.codes(occurrence) {
            for ordinal in ordinals {
                new += u32::from(!is_set(&self.told, ordinal));
                super::set(&mut self.told, ordinal);
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

    /// The posting pages.
    pub(crate) fn lists(&self) -> &[PageEntry] {
        let [lists, _] = &self.pages;
        lists
    }

    /// Its stored pages, and the entries of the posting pages and the union pages.
    pub(crate) fn into_parts(self) -> (Vec<u8>, [Vec<PageEntry>; 2]) {
        (self.bytes, self.pages)
    }

    /// Where it has what the input says of a term.
    pub(crate) fn moved(&self, entry: TermEntry) -> TermEntry {
        let lists = self.lists();
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

/// Clears the bits of some ordinals, and of those beside them.
fn clear(bits: &mut [u8], ordinals: &[u32]) {
    for ordinal in ordinals {
        if let Some(byte) = bits.get_mut((ordinal >> 3) as usize) {
            *byte = 0;
        }
    }
}

fn is_set(bits: &[u8], ordinal: u32) -> bool {
    let byte = bits.get((ordinal >> 3) as usize);
    byte.is_some_and(|byte| byte >> (ordinal & 7) & 1 == 1)
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
