//! Which words the codes of a segment's columns have, and which rows have the codes.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use model::words::{fold_into, is_word_byte};

use super::parts_of;
use crate::MergeInput;
use crate::chunk::PartRows;
use crate::columns::codes::NO_CODE;
use crate::input::{self, PageError, Pages};
use crate::kinds::SlotPart;
use crate::lexicon::class::order_into;
use crate::limits::{UNION_KINDS_OF, UNION_MEMORY_BYTES_MAX};

/// The words of columns.
#[derive(Debug, Default)]
pub(super) struct Words {
    tracks: Vec<Track>,
    cells: Vec<Cell>,
    /// For each cell the rows of its part that have the code, counted from the first row of the part.
    rows: Vec<u16>,
    /// Of each word that enough rows have: its ordered key, and in which cells.
    words: HashMap<Box<[u8]>, Vec<Occurrence>>,
    occurring: Vec<u32>,
}

/// A track of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    pub(super) part: u32,
    pub(super) track: u32,
    /// The ordinal of its first row.
    pub(super) first: u32,
}

/// A code of a track.
#[derive(Clone, Copy, Debug)]
struct Cell {
    code: u32,
    /// Where its rows start.
    rows: u32,
    count: u32,
}

/// Where a word is on a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    track: u32,
    /// The cells, in `occurring`.
    start: u32,
    end: u32,
}

/// The codes of a track while it is read.
struct Codes {
    /// For each code that occurs: the code, and its rows.
    found: Vec<(u32, Vec<u16>)>,
}

impl Codes {
    fn of(codes: &[u32]) -> Self {
        let mut order: Vec<(u32, u16)> = codes.iter().copied().zip(0..).collect();
        order.retain(|(code, _)| *code != NO_CODE);
        order.sort_unstable();
        let same = order.chunk_by(|one, next| one.0 == next.0);
        let found = same.filter_map(|same| {
            let (code, _) = same.first()?;
            Some((*code, same.iter().map(|(_, row)| *row).collect()))
        });
        Self {
            found: found.collect(),
        }
    }
}

impl Words {
    /// Reads the columns of a segment. Words of fewer than `hits_min` rows of a part are left out there, of more in a
    /// chunk of many kinds.
    pub(super) fn read<I: MergeInput>(
        input: &I,
        hits_min: usize,
    ) -> Result<Self, PageError<I::Error>> {
        let kinds = input::kinds(input)?;
        let mut words = Self::default();
        let mut base = 0;
        for entry in &input.footer().chunks {
            let mut pages = Pages::new(input, entry, &kinds)?;
            let first = entry.page.first_row;
            let hits_min = hits_min.max(pages.chunk().kind_count() / UNION_KINDS_OF);
            for (slot, numbers) in pages.chunk().parts_of_slots() {
                for number in numbers {
                    if words.memory_bytes() > UNION_MEMORY_BYTES_MAX {
                        return Ok(words);
                    }
                    if pages.chunk().part_len(number) < hits_min {
                        continue;
                    }
                    let part = pages.part_rows(number)?;
                    words.add_part(base + number as u32, first, &slot, &part, hits_min);
                }
            }
            base += parts_of(entry) as u32;
        }
        Ok(words)
    }

    fn memory_bytes(&self) -> usize {
        // A word takes an entry of the table, its key and its occurrences.
        self.rows.len() * 2
            + self.cells.len() * size_of::<Cell>()
            + self.occurring.len() * 4
            + self.tracks.len() * (size_of::<Track>() + size_of::<Occurrence>())
            + self.words.len() * 128
    }

    fn add_part(
        &mut self,
        part: u32,
        first: u32,
        slot: &SlotPart,
        rows: &PartRows,
        hits_min: usize,
    ) {
        let mut codes = Vec::new();
        for track in 0..rows.column.tracks() {
            rows.column.codes(track, &mut codes);
            let codes = Codes::of(&codes);
            let own = Track {
                part,
                track: track as u32,
                first: first + rows.ordinals.start,
            };
            let words = words_of(track, slot, rows, &codes);
            self.add_track(own, &codes, words, hits_min);
        }
    }

    fn add_track(
        &mut self,
        track: Track,
        codes: &Codes,
        words: HashMap<Vec<u8>, Vec<u32>>,
        hits_min: usize,
    ) {
        let number = self.tracks.len() as u32;
        let mut cells = vec![u32::MAX; codes.found.len()];
        let mut kept: Vec<_> = words
            .into_iter()
            .filter(|(_, places)| {
                let rows = |place: &u32| codes.found.get(*place as usize).map_or(0, |f| f.1.len());
                places.iter().map(rows).sum::<usize>() >= hits_min
            })
            .collect();
        if kept.is_empty() {
            return;
        }
        kept.sort_unstable();
        self.tracks.push(track);
        for (key, places) in kept {
            let start = self.occurring.len() as u32;
            for place in places {
                let found = codes.found.get(place as usize);
                let cell = cells.get_mut(place as usize);
                if let Some((cell, (code, rows))) = cell.zip(found) {
                    if *cell == u32::MAX {
                        *cell = self.cells.len() as u32;
                        self.cells.push(Cell {
                            code: *code,
                            rows: self.rows.len() as u32,
                            count: rows.len() as u32,
                        });
                        self.rows.extend_from_slice(rows);
                    }
                    self.occurring.push(*cell);
                }
            }
            let end = self.occurring.len() as u32;
            self.words.entry(key.into()).or_default().push(Occurrence {
                track: number,
                start,
                end,
            });
        }
    }

    /// Where a word is.
    pub(super) fn of(&self, key: &[u8]) -> &[Occurrence] {
        self.words.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn track(&self, occurrence: &Occurrence) -> Option<&Track> {
        self.tracks.get(occurrence.track as usize)
    }

    /// The codes of an occurrence, each with the ordinals that have it.
    pub(super) fn codes(
        &self,
        occurrence: &Occurrence,
    ) -> impl Iterator<Item = (u32, impl Iterator<Item = u32>)> {
        let range = occurrence.start as usize..occurrence.end as usize;
        let first = self.track(occurrence).map_or(0, |track| track.first);
        let cells = self.occurring.get(range).unwrap_or(&[]).iter();
        let cells = cells.filter_map(|cell| self.cells.get(*cell as usize));
        cells.map(move |cell| {
            let start = cell.rows as usize;
            let rows = self.rows.get(start..start + cell.count as usize);
            let ordinals = rows.unwrap_or(&[]).iter();
            (cell.code, ordinals.map(move |row| first + u32::from(*row)))
        })
    }
}

/// The words of each code of a track: by their ordered keys the places of the codes, ascending.
fn words_of(
    track: usize,
    slot: &SlotPart,
    rows: &PartRows,
    codes: &Codes,
) -> HashMap<Vec<u8>, Vec<u32>> {
    let mut words: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
    let (mut text, mut folded, mut key, mut ordered) = (vec![], vec![], vec![], vec![]);
    for (place, (_, own)) in (0..).zip(&codes.found) {
        let row = own.first().copied().unwrap_or_default();
        text.clear();
        let before = slot.before.as_deref().unwrap_or(&[]);
        text.extend_from_slice(before);
        let ends = rows
            .column
            .append_of_code(track, usize::from(row), &mut text);
        if !ends.is_start {
            text.drain(..before.len());
        }
        if ends.is_end {
            text.extend_from_slice(slot.after.as_deref().unwrap_or(&[]));
        }
        let is_start = ends.is_start && slot.before.is_some();
        let is_end = ends.is_end && slot.after.is_some();
        folded.clear();
        fold_into(whole_words(&text, is_start, is_end), &mut folded);
        for word in model::words::words(&folded) {
            key.clear();
            key.extend_from_slice(&slot.part.key(word));
            ordered.clear();
            order_into(&key, &mut ordered);
            match words.get_mut(&ordered) {
                Some(places) if places.last() == Some(&place) => {}
                Some(places) => places.push(place),
                None => _ = words.insert(ordered.clone(), vec![place]),
            }
        }
    }
    words
}

/// What is left of a text without the words at its ends that go on beyond them.
fn whole_words(text: &[u8], is_start: bool, is_end: bool) -> &[u8] {
    let mut text = text;
    if !is_start {
        let cut = text.iter().position(|byte| !is_word_byte(*byte));
        text = cut.and_then(|cut| text.get(cut..)).unwrap_or(&[]);
    }
    if !is_end {
        let cut = text.iter().rposition(|byte| !is_word_byte(*byte));
        text = cut.and_then(|cut| text.get(..=cut)).unwrap_or(&[]);
    }
    text
}
