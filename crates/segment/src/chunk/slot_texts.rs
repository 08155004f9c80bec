//! The texts of slots, copied together.
//!
//! What varies of a record is a fifth of it or less, in several places. Index and columns read it slot by
//! slot, for all rows of a chunk, whose records are more than a cache holds: each slot of each row
//! would be waited for. So it is copied when a record is cut and is in the cache, and read here.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use crate::kinds::goes_on;

/// Slots that so few bytes are between are copied with those, which takes less than copying twice.
const JOINT_BYTES: usize = 16;

/// Where a value starts and ends.
type Place = (u32, u32);

/// Behind the values of a row. No value ends before it starts.
const END: Place = (1, 0);

/// What rows have in their slots. What of words and addresses stands around and between slots is there too,
/// so that they are whole.
#[derive(Debug, Default)]
pub(super) struct SlotTexts {
    bytes: Vec<u8>,
    /// Where each value is in `bytes`.
    places: Vec<Place>,
    /// Where each value starts in the text that it was copied from.
    origins: Vec<u32>,
}

impl SlotTexts {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
        self.origins.clear();
    }

    /// How many values there are, with an end for each row: what the next row is found by.
    pub(super) fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Adds a row whose text is a range of some bytes, given where in those its slots start and end, in
    /// their order, and a value that its text does not have.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        text: Range<usize>,
        slots: impl Iterator<Item = Place>,
        whole: Option<&[u8]>,
    ) {
        // What is to be copied, once there is a slot, and how much further on its bytes are then.
        let mut open = text.start..text.start;
        let mut shift = self.bytes.len().wrapping_sub(text.start);
        let mut is_open = false;
        for (start, end) in slots {
            let (from, to) = (start as usize, end as usize);
            if !is_open || from > open.end + JOINT_BYTES {
                let behind = self.close(bytes, &open, from, is_open);
                open.start = from - bytes_at_end(bytes, behind..from);
                shift = self.bytes.len().wrapping_sub(open.start);
                is_open = true;
            }
            open.end = to;
            let place = from.wrapping_add(shift);
            self.places.push((place as u32, (place + to - from) as u32));
            self.origins.push(start - text.start as u32);
        }
        self.close(bytes, &open, text.end, is_open);
        if let Some(value) = whole {
            let start = self.bytes.len() as u32;
            self.bytes.extend_from_slice(value);
            self.places.push((start, start + value.len() as u32));
            self.origins.push(0);
        }
        self.places.push(END);
        self.origins.push(0);
    }

    /// Copies what is open, if anything is, with what goes on behind it; where it ends, before `limit`.
    #[inline]
    fn close(&mut self, bytes: &[u8], open: &Range<usize>, limit: usize, is_open: bool) -> usize {
        if !is_open {
            return open.end;
        }
        let end = open.end + bytes_in_front(bytes, open.end..limit);
        let copied = bytes.get(open.start..end);
        self.bytes.extend_from_slice(copied.unwrap_or(&[]));
        end
    }

    /// The bytes that places are in.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the slots of the row are whose first value is given, and what is behind them.
    pub(super) fn places(&self, row: u32) -> &[Place] {
        self.places.get(row as usize..).unwrap_or(&[])
    }

    /// What is in a slot of the row whose first value is given.
    pub(super) fn value(&self, row: u32, slot: usize) -> &[u8] {
        let place = self.places.get(row as usize + slot);
        let (start, end) = place.copied().unwrap_or_default();
        let value = self.bytes.get(start as usize..end as usize);
        value.unwrap_or(&[])
    }

    /// Where the slots of the row whose first value is given start and end in the text that they were
    /// copied from, which now starts at `text`.
    pub(super) fn origins(&self, row: u32, text: u32) -> Vec<Place> {
        let origins = self.origins.get(row as usize..).unwrap_or(&[]);
        let slots = self.places(row).iter().zip(origins);
        slots
            .take_while(|(place, _)| **place != END)
            .map(|((start, end), origin)| (text + origin, text + origin + (end - start)))
            .collect()
    }
}

/// How many bytes of words and addresses stand at the start of a range.
#[inline]
fn bytes_in_front(bytes: &[u8], range: Range<usize>) -> usize {
    let bytes = bytes.get(range).unwrap_or(&[]).iter();
    bytes.take_while(|byte| goes_on(**byte)).count()
}

/// How many bytes of words and addresses stand at the end of a range.
#[inline]
fn bytes_at_end(bytes: &[u8], range: Range<usize>) -> usize {
    let bytes = bytes.get(range).unwrap_or(&[]).iter().rev();
    bytes.take_while(|byte| goes_on(**byte)).count()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slots_are_copied_with_the_words_around_them() {
        let text =
            "## a fixed start without words of slots, then x12.7y; 345 and so on, at the end 6";
        let slots = ["12", "7", "345", "6"].map(|slot| {
            let start = text.rfind(slot).expect("there") as u32;
            (start, start + slot.len() as u32)
        });
        let text = text.as_bytes();
        let mut texts = SlotTexts::default();
        texts.push(text, 3..text.len(), slots.into_iter(), Some(b"more"));
        assert_eq!(texts.bytes(), b"x12.7y; 3456more");
        assert_eq!(texts.places(0)[..4], [(1, 3), (4, 5), (8, 11), (11, 12)]);
        assert_eq!(texts.value(0, 2), b"345");
        assert_eq!(texts.value(0, 4), b"more");
        assert_eq!(texts.origins(0, 3)[..4], slots);
    }

    proptest! {
        /// Slots and the words that touch them read the same as in the text.
        #[test]
        fn nothing_of_a_word_is_left_behind(
            text in "[a1 .é\u{ff1a}-]{0,90}",
            cuts in prop::collection::vec(0..91_usize, 0..12),
            before in 0..9_usize,
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let slots: Vec<Place> = cuts.chunks_exact(2).map(|cut| (cut[0] as u32, cut[1] as u32)).collect();
            let mut texts = SlotTexts::default();
            texts.push(&vec![b'x'; before], 0..before, std::iter::empty(), None);
            let row = texts.len();
            texts.push(bytes, 0..bytes.len(), slots.iter().copied(), None);
            prop_assert_eq!(texts.origins(row, 0), slots.clone());
            for (number, (start, end)) in slots.iter().enumerate() {
                let (start, end) = (*start as usize, *end as usize);
                prop_assert_eq!(texts.value(row, number), &bytes[start..end]);
                let place = texts.places(row)[number];
                let front = bytes_at_end(bytes, 0..start);
                let behind = bytes_in_front(bytes, end..bytes.len());
                let copied = place.0 as usize - front..place.1 as usize + behind;
                prop_assert_eq!(&texts.bytes()[copied], &bytes[start - front..end + behind]);
            }
        }
    }
}
