//! Kinds with few records whose messages start alike, as one kind in which what follows is a slot.
//!
//! A message that goes on where others of its form end, with another state, a further parameter or a
//! trace, is a kind of its own each time. As text all of it would be written and read again; so only what
//! is behind the last place where enough of them are still the same is.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use super::{Joined, STAMP_BYTES, anchor_before};
use crate::kinds::layout::Layout;
use crate::kinds::{EDGE, END, Kinds, STAMP};
use crate::limits::{KIND_KEY_BYTES_MAX, KIND_ROWS_MIN, TEMPLATE_SLOTS_MAX};
use crate::templates::cut::SLOT;
use crate::wire::Reader;

/// A kind with few records.
struct Rare<'a> {
    kind: u32,
    rows: u32,
    key: &'a [u8],
    /// Where the message is in the key, which has nothing but the layout behind it.
    message: Range<usize>,
}

/// Kinds that start alike, from one of those that are left on.
struct Alike {
    /// How many bytes of their keys are the same.
    len: usize,
    /// The first of them among those that are left.
    first: usize,
}

/// Finds kinds to join among those of which some have less than [`KIND_ROWS_MIN`] records, but for those
/// that are taken, given the number of records of each kind: by the number of the kind, what stands for
/// it. The longest start that enough of them share is taken first.
pub(super) fn join(kinds: &Kinds, counts: &[u32], taken: &[bool]) -> Vec<(u32, Joined)> {
    let rare = rare(kinds, counts, taken);
    // Starts that kinds share are a stack, the longest on top, as the kinds are sorted by their starts.
    let (mut found, mut left, mut open): (_, Vec<&Rare<'_>>, Vec<Alike>) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut before: Option<&Rare<'_>> = None;
    for one in rare.iter().map(Some).chain([None]) {
        let len = before
            .zip(one)
            .map_or(0, |(before, one)| alike(before, one));
        let mut first = left.len().saturating_sub(1);
        while let Some(last) = open.pop_if(|last| last.len > len) {
            take(&mut left, &last, &mut found);
            first = last.first.min(left.len());
        }
        if len > 0 && open.last().is_none_or(|last| last.len < len) {
            open.push(Alike { len, first });
        }
        left.extend(one);
        before = one;
    }
    found
}

/// Joins those that are left of some that start alike, where they have records enough.
fn take(left: &mut Vec<&Rare<'_>>, alike: &Alike, found: &mut Vec<(u32, Joined)>) {
    let own = left.get(alike.first..).unwrap_or(&[]);
    let rows: u32 = own.iter().map(|one| one.rows).sum();
    if own.len() < 2 || rows < KIND_ROWS_MIN {
        return;
    }
    let joined = own
        .iter()
        .map(|one| Some((one.kind, one.cut_at(alike.len)?)));
    found.extend(joined.flatten());
    left.truncate(alike.first);
}

/// Those with few records, sorted by what is behind the message and then by what is before and in it.
fn rare<'k>(kinds: &'k Kinds, counts: &[u32], taken: &[bool]) -> Vec<Rare<'k>> {
    let mut found = Vec::new();
    for ((kind, rows), taken) in (0_u32..).zip(counts).zip(taken) {
        let is_rare = kind != Kinds::WHOLE && !taken && (1..KIND_ROWS_MIN).contains(rows);
        let Some(key) = kinds.key(kind).filter(|_| is_rare) else {
            continue;
        };
        if let Some(message) = message_of(key) {
            found.push(Rare {
                kind,
                rows: *rows,
                key,
                message,
            });
        }
    }
    found.sort_unstable_by(|one, next| one.parts().cmp(&next.parts()));
    found
}

impl Rare<'_> {
    /// What is behind the message, and what is before it and in it.
    fn parts(&self) -> (&[u8], &[u8]) {
        let (start, behind) = self
            .key
            .split_at_checked(self.message.end)
            .unwrap_or_default();
        (behind, start)
    }

    /// Whether what follows may be a slot: nothing, or what a space is in front of. A byte of a stamp may
    /// look like one, but behind a stamp nothing is found.
    fn is_end(&self, at: usize) -> bool {
        at == self.message.end || self.key.get(at) == Some(&b' ')
    }

    /// What it is with all as a slot that is behind so many bytes of its key, if it is within the limits of
    /// kinds.
    fn cut_at(&self, at: usize) -> Option<Joined> {
        let start = self.key.get(..at)?;
        let behind = self.key.get(self.message.end..)?;
        let key = [start, &[SLOT], behind].concat();
        let slot = slots_of(start);
        let is_within = slot < TEMPLATE_SLOTS_MAX && key.len() <= KIND_KEY_BYTES_MAX;
        Some(Joined {
            key,
            slot,
            anchor: anchor_before(start).filter(|_| is_within)?,
            len: None,
        })
    }
}

/// How many bytes of two keys are the same, up to where both may be cut; 0 where the messages have nothing
/// in common, or there is more than a message that differs.
fn alike(one: &Rare<'_>, next: &Rare<'_>) -> usize {
    let ((behind, one_start), (next_behind, next_start)) = (one.parts(), next.parts());
    if behind != next_behind {
        return 0;
    }
    let bytes = one_start.iter().zip(next_start);
    let same = bytes.take_while(|(own, other)| own == other).count();
    let ends = one.message.start + 1..=same;
    let end = ends.rev().find(|at| one.is_end(*at) && next.is_end(*at));
    // Cut records are what tells the start of the message, so that both start at the same place.
    end.filter(|_| one.message.start == next.message.start)
        .unwrap_or(0)
}

/// Where the message is in a key, where nothing else is in its piece and nothing behind it.
fn message_of(key: &[u8]) -> Option<Range<usize>> {
    let (mut start, mut edges, mut at) = (1, 0, 1);
    loop {
        match *key.get(at)? {
            END => break,
            EDGE => {
                edges += 1;
                start = at + 1;
            }
            STAMP => at += STAMP_BYTES,
            _ => {}
        }
        at += 1;
    }
    let mut reader = Reader::new("layout", key.get(at + 1..)?);
    let layout = Layout::decode_parts(&mut reader, edges + 1).ok()?;
    let [.., message] = layout.parts;
    let is_last = message.start as usize == edges && message.len == 1;
    (is_last && layout.raw_len as usize == edges + 1).then_some(start..at)
}

/// How many slots the start of a key has.
fn slots_of(start: &[u8]) -> usize {
    let (mut slots, mut at) = (0, 1);
    while let Some(byte) = start.get(at) {
        match *byte {
            SLOT => slots += 1,
            STAMP => at += STAMP_BYTES,
            _ => {}
        }
        at += 1;
    }
    slots
}
