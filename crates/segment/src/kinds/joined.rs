//! Kinds with few records that differ in one word or in how they end, as one kind in which that is a slot.
//!
//! Names of users, states and services are words without a digit, so that each makes a kind of its
//! own. One by one these have too few records for columns, together often enough. It is what Drain
//! does with the templates of a cluster (He et al., ICWS 2017), for one word; for what is left,
//! [`endings`].
#![deny(clippy::indexing_slicing)]

mod endings;

use std::ops::Range;

use super::{EDGE, END, Kinds, STAMP};
use crate::hash::Seeds;
use crate::limits::{JOINED_WORDS_MAX, KIND_ROWS_MIN, TEMPLATE_SLOTS_MAX};
use crate::templates::cut::{MARKS, SLOT, is_in_token};

/// Bytes of a key that tell the form of a stamp, behind its mark.
const STAMP_BYTES: usize = 4;

/// A kind with one slot more than the kind it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    /// Its key.
    pub(crate) key: Vec<u8>,
    /// The number of its further slot.
    slot: usize,
    anchor: Anchor,
    /// How long that is; `None` where all is in it that follows.
    len: Option<usize>,
}

/// Where the word of a record is that goes into the further slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// So many bytes behind the start of the text.
    Start(usize),
    /// So many bytes behind the slot before.
    Slot(usize),
    /// So many bytes before the slot behind.
    NextSlot(usize),
    /// So many bytes before the end of the text.
    End(usize),
}

/// A word of a key: where it is, and how many slots are before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    at: Range<usize>,
    slots: usize,
}

/// What a kind would be with a word as a slot.
#[derive(Clone, Copy, Debug)]
struct Way {
    hash: u64,
    kind: u32,
    word: usize,
}

/// Finds kinds to join among those that some have less than [`KIND_ROWS_MIN`] records of, given the
/// number of records of each kind: by the number of the kind, what stands for it. Those that differ in one
/// word come first, as a word is all that is a slot then.
pub(crate) fn join(kinds: &Kinds, counts: &[u32]) -> Vec<(u32, Joined)> {
    let ways = ways(kinds, counts);
    let rows_of = |kind: u32| counts.get(kind as usize).copied().unwrap_or(0);
    let mut choices: Vec<(u32, &[Way])> = ways
        .chunk_by(|one, next| one.hash == next.hash)
        .map(|ways| (ways.iter().map(|way| rows_of(way.kind)).sum(), ways))
        .filter(|(rows, ways)| ways.len() > 1 && *rows >= KIND_ROWS_MIN)
        .collect();
    // The hashes differ from process to process, the order does not.
    choices.sort_unstable_by_key(|(rows, ways)| {
        let first = ways.first().map(|way| (way.kind, way.word));
        (u32::MAX - rows, first)
    });
    let mut taken = vec![false; counts.len()];
    let mut joined = Vec::new();
    for (_, ways) in choices {
        let is_free = |way: &&Way| !taken.get(way.kind as usize).copied().unwrap_or(true);
        let free: Vec<Way> = ways.iter().filter(is_free).copied().collect();
        let found = alike(kinds, &free);
        let rows: u32 = found.iter().map(|(kind, _)| rows_of(*kind)).sum();
        if found.len() > 1 && rows >= KIND_ROWS_MIN {
            for (kind, _) in &found {
                if let Some(taken) = taken.get_mut(*kind as usize) {
                    *taken = true;
                }
            }
            joined.extend(found);
        }
    }
    joined.extend(endings::join(kinds, counts, &taken));
    joined
}

/// A kind with few records.
struct Rare {
    /// Made of all but its words: kinds that differ in one word have the same.
    frame: u64,
    kind: u32,
    words: Vec<Word>,
}

/// All ways to make a slot of a word of the kinds with few records, equal ones beside each other. Only
/// kinds are looked at that have records enough together with those that differ from them in words.
fn ways(kinds: &Kinds, counts: &[u32]) -> Vec<Way> {
    let seeds = Seeds::of_process();
    let mut rare = rare(seeds, kinds, counts);
    rare.sort_unstable_by_key(|one| (one.frame, one.kind));
    let rows_of = |one: &Rare| counts.get(one.kind as usize).copied().unwrap_or(0);
    let mut ways = Vec::new();
    let mut hashes = Vec::new();
    for alike in rare.chunk_by(|one, next| one.frame == next.frame) {
        if alike.len() < 2 || alike.iter().map(rows_of).sum::<u32>() < KIND_ROWS_MIN {
            continue;
        }
        for one in alike {
            let key = kinds.key(one.kind).unwrap_or(&[]);
            hashes.clear();
            hashes.extend((0..).zip(&one.words).map(|(place, word): (u64, &Word)| {
                let word = key.get(word.at.clone()).unwrap_or(&[]);
                seeds.hash(word).wrapping_mul(2 * place + 1)
            }));
            let all = hashes
                .iter()
                .fold(one.frame, |all, own| all.wrapping_add(*own));
            ways.extend(hashes.iter().enumerate().map(|(word, own)| Way {
                hash: all.wrapping_sub(*own).wrapping_mul(2 * word as u64 + 1),
                kind: one.kind,
                word,
            }));
        }
    }
    ways.sort_unstable_by_key(|way| (way.hash, way.kind, way.word));
    ways
}

fn rare(seeds: Seeds, kinds: &Kinds, counts: &[u32]) -> Vec<Rare> {
    let mut found = Vec::new();
    let mut frame = Vec::new();
    for (kind, rows) in (0_u32..).zip(counts) {
        let is_rare = kind != Kinds::WHOLE && (1..KIND_ROWS_MIN).contains(rows);
        let Some(key) = kinds.key(kind).filter(|_| is_rare) else {
            continue;
        };
        let words = words(key);
        frame.clear();
        let mut end = 0;
        for word in &words {
            frame.extend_from_slice(key.get(end..word.at.start).unwrap_or(&[]));
            frame.push(SLOT);
            end = word.at.end;
        }
        frame.extend_from_slice(key.get(end..).unwrap_or(&[]));
        found.push(Rare {
            frame: seeds.hash(&frame),
            kind,
            words,
        });
    }
    found
}

/// Those that are the same kind as the first, each kind once.
fn alike(kinds: &Kinds, ways: &[Way]) -> Vec<(u32, Joined)> {
    let mut found: Vec<(u32, Joined)> = Vec::new();
    for way in ways {
        let Some(joined) = kinds.key(way.kind).and_then(|key| made_of(key, way.word)) else {
            continue;
        };
        let is_alike = found
            .first()
            .is_none_or(|(_, first)| first.key == joined.key);
        if is_alike && found.last().is_none_or(|(kind, _)| *kind != way.kind) {
            found.push((way.kind, joined));
        }
    }
    found
}

/// What a kind is with a word as a slot.
fn made_of(key: &[u8], word: usize) -> Option<Joined> {
    let word = words(key).get(word)?.clone();
    let behind = key.get(word.at.end..)?;
    Some(Joined {
        key: [key.get(..word.at.start)?, &[SLOT], behind].concat(),
        slot: word.slots,
        anchor: anchor(key, &word)?,
        len: Some(word.at.len()),
    })
}

/// The words of a key that may become slots, at most [`JOINED_WORDS_MAX`]; none where there is no
/// room for a slot.
fn words(key: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut slots = 0;
    // The priority is first.
    let mut at = 1;
    let mut is_behind_slot = false;
    while let Some(byte) = key.get(at) {
        match *byte {
            END => break,
            SLOT => slots += 1,
            STAMP => at += STAMP_BYTES,
            byte if byte >= MARKS && is_in_token(byte) => {
                let rest = key.get(at..).unwrap_or(&[]);
                let is_token = |byte: &&u8| **byte >= MARKS && is_in_token(**byte);
                let len = rest.iter().take_while(is_token).count();
                let token = rest.get(..len).unwrap_or(&[]);
                let dots = token.iter().rev().take_while(|byte| **byte == b'.');
                let end = at + len - dots.count();
                let touches = is_behind_slot || matches!(rest.get(len), Some(&(SLOT | STAMP)));
                if !touches && at < end && words.len() < JOINED_WORDS_MAX {
                    words.push(Word { at: at..end, slots });
                }
                at += len - 1;
            }
            _ => {}
        }
        is_behind_slot = matches!(*byte, SLOT | STAMP);
        at += 1;
    }
    if slots >= TEMPLATE_SLOTS_MAX {
        words.clear();
    }
    words
}

/// Where a word of a key is in a text: by what stands before it or, where a stamp is between, behind
/// it, since a stamp is as long as the time makes it. No kind has two.
fn anchor(key: &[u8], word: &Word) -> Option<Anchor> {
    if let Some(anchor) = anchor_before(key.get(..word.at.start)?) {
        return Some(anchor);
    }
    let mut bytes = word.at.len();
    for byte in key.get(word.at.end..)? {
        match *byte {
            SLOT => return Some(Anchor::NextSlot(bytes)),
            END => return Some(Anchor::End(bytes)),
            STAMP => return None,
            EDGE => {}
            _ => bytes += 1,
        }
    }
    None
}

/// Where what follows the start of a key is in a text, by what stands before it; `None` where a stamp is
/// between.
fn anchor_before(start: &[u8]) -> Option<Anchor> {
    let mut found = Some(Anchor::Start(0));
    let mut at = 1;
    while let Some(byte) = start.get(at) {
        match *byte {
            SLOT => found = Some(Anchor::Slot(0)),
            STAMP => {
                found = None;
                at += STAMP_BYTES;
            }
            EDGE => {}
            _ => {
                if let Some(Anchor::Start(bytes) | Anchor::Slot(bytes)) = &mut found {
                    *bytes += 1;
                }
            }
        }
        at += 1;
    }
    found
}

impl Joined {
    /// Appends the slots of a record, given those of its former kind and where its text is.
    pub(crate) fn slots_into(
        &self,
        slots: &[(u32, u32)],
        text: Range<u32>,
        out: &mut Vec<(u32, u32)>,
    ) {
        let before = self.slot.checked_sub(1).and_then(|slot| slots.get(slot));
        let start = match self.anchor {
            Anchor::Start(bytes) => text.start + bytes as u32,
            Anchor::Slot(bytes) => before.map_or(text.start, |slot| slot.1) + bytes as u32,
            Anchor::NextSlot(bytes) => {
                let next = slots.get(self.slot).map_or(text.end, |slot| slot.0);
                next - bytes as u32
            }
            Anchor::End(bytes) => text.end - bytes as u32,
        };
        let (before, behind) = slots.split_at_checked(self.slot).unwrap_or((slots, &[]));
        out.extend_from_slice(before);
        match self.len {
            Some(len) => {
                out.push((start, start + len as u32));
                out.extend_from_slice(behind);
            }
            None => out.push((start, text.end)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests;
