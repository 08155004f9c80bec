//! What all messages of a kind have as their pattern, where that does not depend on what is in their slots.
//!
//! A kind may be coarser than the pattern of a message, and its slots may have words that do not vary by
//! themselves. So it is asked of what is in a slot whether the message is cut there and nowhere else with it, the
//! other slots having a digit. Slots are told apart by what is fixed between them, which makes one independent of
//! what is in another: a token ends at what separates tokens, and quotes at the next one, which no value of
//! another slot has that passes by itself.
//!
//! Where that is not so of one slot, the pattern is told with each of its values that are words or the like.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use super::cut::{BREAK, SLOT, VARIES, cut, kind};
use super::pattern;
use crate::chunk::TextBit;
use crate::columns::{ByteSet, ZoneMap};
use crate::limits::{QUOTED_BYTES_MAX, TEMPLATE_SLOTS_MAX};

/// What stands for what is in a slot. It varies wherever it stands, and starts as an address may go on behind a colon, so
/// that what is in the slot in front of that one is told from part of an address whatever is in this one.
const ANY: &[u8] = b"0";

/// The same in front of a colon, where it is no part of an address itself.
const ANY_BEFORE_COLON: &[u8] = b"0/";

/// Longest value of a slot that is asked about, in bytes. Values that differ in the digits of numbers alone are
/// asked about once, and what stands in quotes is cut at [`QUOTED_BYTES_MAX`].
const VALUE_BYTES_MAX: usize = QUOTED_BYTES_MAX / 2;

/// Bytes that end a token, or make it end before its last byte, or have a say in where quotes end.
const ENDING: ByteSet = set_of(BREAK, b".\\");

/// Bytes that are part of no token.
const BREAKS: ByteSet = set_of(BREAK, b"");

/// Bytes that make a token vary.
const VARYING: ByteSet = set_of(VARIES, b"");

/// Bytes that have a say in where quotes end.
const QUOTES: ByteSet = set_of(0, b"\"'\\");

/// The bytes of which a mark is true, and some more.
const fn set_of(mark: u8, others: &[u8]) -> ByteSet {
    let mut set: ByteSet = [0; 4];
    let mut byte = 0_usize;
    while byte <= u8::MAX as usize {
        let mut is_other = false;
        let mut place = 0;
        while place < others.len() {
            #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
            if others[place] as usize == byte {
                is_other = true;
            }
            place += 1;
        }
        if is_other || kind(byte as u8) & mark != 0 {
            #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
            {
                set[byte / 64] |= 1 << (byte % 64);
            }
        }
        byte += 1;
    }
    set
}

/// The pattern that messages have, if what is in their slots is such.
#[derive(Debug)]
pub struct PatternOutline {
    pattern: Vec<u8>,
    /// What does not vary, with a mark for each slot.
    shape: Vec<u8>,
    /// A message.
    message: Vec<u8>,
    slots: Vec<Place>,
    text: Vec<u8>,
    found: (Vec<u8>, Vec<Range<usize>>),
}

/// A slot.
#[derive(Debug)]
struct Place {
    slot: usize,
    /// Where it stands in the message.
    at: Range<usize>,
    role: Role,
    /// Whether words in it are words by themselves.
    is_apart: bool,
}

/// What a slot is, as far as what is fixed beside it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A token; behind `=` whatever it is.
    Token {
        is_value: bool,
    },
    /// What stands in double quotes.
    Quoted,
    Other,
}

impl PatternOutline {
    /// Of messages of this text; `None` where they are not cut at their slots.
    pub fn of(text: &[TextBit<'_>]) -> Option<Self> {
        let (mut shape, mut message, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        for (place, bit) in text.iter().enumerate() {
            match bit {
                TextBit::Fixed(bytes) => {
                    shape.extend_from_slice(bytes);
                    message.extend_from_slice(bytes);
                }
                TextBit::Slot(slot) => {
                    let is_before_colon = matches!(
                        text.get(place + 1),
                        Some(TextBit::Fixed(bytes)) if bytes.starts_with(b":")
                    );
                    let start = message.len();
                    message.extend_from_slice(match is_before_colon {
                        true => ANY_BEFORE_COLON,
                        false => ANY,
                    });
                    shape.push(SLOT);
                    slots.push(Place {
                        slot: *slot,
                        at: start..message.len(),
                        role: role(text, place),
                        is_apart: is_apart(text, place),
                    });
                }
            }
        }
        let mut outline = Self {
            pattern: pattern::of_shape(&shape),
            shape,
            message,
            slots,
            text: Vec::new(),
            found: Default::default(),
        };
        outline.text.clone_from(&outline.message);
        if !outline.is_cut_at_slots() {
            return None;
        }
        for place in 0..outline.slots.len() {
            let role = outline.slots.get(place).map(|own| own.role);
            // It might stand behind quotes that have nothing in them.
            if role == Some(Role::Quoted) && !outline.holds_with(place, b"a b") {
                outline.slots.get_mut(place)?.role = Role::Other;
            }
        }
        Some(outline)
    }

    /// The pattern.
    pub fn pattern(&self) -> &[u8] {
        &self.pattern
    }

    /// The numbers of the slots, in the order in which they stand.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.slots.iter().map(|place| place.slot)
    }

    /// Whether the message has the pattern with any of the values that a zone map is of, in the slot at a place.
    pub fn holds_with_all(&self, place: usize, zone_map: &ZoneMap) -> bool {
        let Some(own) = self.slots.get(place) else {
            return false;
        };
        if zone_map.has_empty() || *zone_map.lens.end() > VALUE_BYTES_MAX as u64 {
            return false;
        }
        match own.role {
            Role::Token { is_value } => {
                have_none(&zone_map.bytes(), &ENDING)
                    && (is_value || is_subset(&zone_map.first(), &VARYING))
            }
            // The quote in front of it opens where a word follows, whatever quotes are before it.
            Role::Quoted => {
                have_none(&zone_map.bytes(), &QUOTES) && have_none(&zone_map.first(), &BREAKS)
            }
            Role::Other => false,
        }
    }

    /// The same of one value, and of those that differ from it in the digits of numbers alone.
    pub fn holds_with(&mut self, place: usize, value: &[u8]) -> bool {
        value.len() <= VALUE_BYTES_MAX && self.put(place, value).is_some() && self.is_cut_at_slots()
    }

    /// The pattern of messages with a value in the slot at a place, or with one that differs from it in the digits of
    /// numbers alone, where it holds with what is in the others; `None` where it may depend on that.
    pub fn pattern_with(&mut self, place: usize, value: &[u8]) -> Option<Vec<u8>> {
        let (first, last) = (*value.first()?, *value.last()?);
        let is_told = value.len() <= VALUE_BYTES_MAX.min(TEMPLATE_SLOTS_MAX - self.slots.len())
            && self.slots.get(place)?.is_apart
            && [first, last].iter().all(|byte| kind(*byte) & BREAK == 0)
            && !value
                .iter()
                .any(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b':'));
        if !is_told {
            return None;
        }
        self.put(place, value)?;
        let (shape, slots) = &mut self.found;
        cut(&self.text, shape, slots);
        Some(pattern::of_shape(shape))
    }

    /// Makes a message with a value in the slot at a place.
    fn put(&mut self, place: usize, value: &[u8]) -> Option<()> {
        let own = self.slots.get(place)?;
        let before = self.message.get(..own.at.start)?;
        let behind = self.message.get(own.at.end..)?;
        self.text.clear();
        for bytes in [before, value, behind] {
            self.text.extend_from_slice(bytes);
        }
        Some(())
    }

    fn is_cut_at_slots(&mut self) -> bool {
        let (shape, slots) = &mut self.found;
        cut(&self.text, shape, slots);
        *shape == self.shape && slots.len() == self.slots.len()
    }
}

/// What the slot at a place of a text is by what stands beside it.
fn role(text: &[TextBit<'_>], place: usize) -> Role {
    let before = match place.checked_sub(1).and_then(|before| text.get(before)) {
        None => None,
        Some(TextBit::Fixed(bytes)) => bytes.last().copied(),
        Some(TextBit::Slot(_)) => return Role::Other,
    };
    let (behind, next) = match text.get(place + 1) {
        None => (None, None),
        Some(TextBit::Fixed(bytes)) => (bytes.first().copied(), bytes.get(1).copied()),
        Some(TextBit::Slot(_)) => return Role::Other,
    };
    let is_break = |byte: u8| kind(byte) & BREAK != 0;
    match (before, behind) {
        (Some(b'"'), Some(b'"')) => match next {
            Some(next) if is_break(next) => Role::Quoted,
            None if place + 2 == text.len() => Role::Quoted,
            _ => Role::Other,
        },
        (Some(b'"' | b'\''), _) | (_, Some(b':')) => Role::Other,
        _ if before.is_none_or(is_break) && behind.is_none_or(is_break) => Role::Token {
            is_value: before == Some(b'='),
        },
        _ => Role::Other,
    }
}

/// Whether what is fixed on both sides of the slot at a place separates tokens, and no quotes open before it and no
/// address goes on.
fn is_apart(text: &[TextBit<'_>], place: usize) -> bool {
    let separates = |byte: Option<&u8>, others: &[u8]| {
        byte.is_some_and(|byte| kind(*byte) & BREAK != 0 && !others.contains(byte))
    };
    let before = match place.checked_sub(1).and_then(|before| text.get(before)) {
        None => true,
        Some(TextBit::Fixed(bytes)) => separates(bytes.last(), b"\"':"),
        Some(TextBit::Slot(_)) => false,
    };
    let behind = match text.get(place + 1) {
        None => true,
        Some(TextBit::Fixed(bytes)) => separates(bytes.first(), b":"),
        Some(TextBit::Slot(_)) => false,
    };
    before && behind
}

fn have_none(bytes: &ByteSet, of: &ByteSet) -> bool {
    bytes.iter().zip(of).all(|(own, of)| own & of == 0)
}

fn is_subset(bytes: &ByteSet, of: &ByteSet) -> bool {
    bytes.iter().zip(of).all(|(own, of)| own & !of == 0)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use crate::Patterns;
    use crate::columns::{self, Column};
    use crate::limits::ZONE_MAP_ROWS_MIN;
    use crate::wire::Reader;
    use proptest::prelude::*;

    /// What is known of values that are all the same.
    fn zone_map_of(value: &[u8]) -> ZoneMap {
        let values = vec![value; ZONE_MAP_ROWS_MIN];
        let mut out = Vec::new();
        columns::encode(&values, &mut out);
        let column = Column::decode(&mut Reader::new("test", &out), values.len())
            .expect("is what was written");
        ZoneMap::of_column(&column).expect("of so many")
    }

    #[test]
    fn words_in_slots_are_told_from_what_varies() {
        use TextBit::{Fixed, Slot};
        let mut taken = PatternOutline::of(&[
            Fixed(b"took "),
            Slot(3),
            Fixed(b" ms for \""),
            Slot(1),
            Fixed(b"\""),
        ])
        .expect("is cut at its slots");
        assert_eq!(taken.pattern(), b"took <*> ms for \"<*>\"");
        assert_eq!(taken.slots().collect::<Vec<_>>(), [3, 1]);
        assert!(taken.holds_with(0, b"17") && taken.holds_with(0, b"1.5"));
        for word in [&b"long"[..], b"", b"17.", b"1 2", b"7:"] {
            assert!(!taken.holds_with(0, word), "{word:?}");
        }
        assert!(taken.holds_with(1, b"a word or two"));
        for word in [&b""[..], b"a\"b"] {
            assert!(!taken.holds_with(1, word), "{word:?}");
        }
        // What looks like part of an address goes on behind the colon.
        let mut pair =
            PatternOutline::of(&[Slot(0), Fixed(b":"), Slot(1)]).expect("is cut at its slots");
        assert!(pair.holds_with(0, b"20/Nov") && pair.holds_with(0, b"10.0.0.1"));
        assert!(!pair.holds_with(0, b"17") && pair.holds_with(1, b"17"));
        // It is no part of the quotes.
        let mut behind =
            PatternOutline::of(&[Fixed(b"none \"\""), Slot(0), Fixed(b"\" here")]).expect("is cut");
        assert!(!behind.holds_with(0, b"a b"));
        assert!(PatternOutline::of(&[Fixed(b"9 of "), Slot(0)]).is_none());
    }

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let some = prop::sample::select(b" :=.\"'\\/a7fz(\x01".to_vec());
        prop::collection::vec(some, 0..6)
    }

    /// A slot behind each fixed stretch.
    fn text_of<'p>(pieces: &'p [(Vec<u8>, Vec<u8>)], end: &'p [u8]) -> Vec<TextBit<'p>> {
        let mut text = Vec::new();
        for (slot, (fixed, _)) in pieces.iter().enumerate() {
            text.extend([TextBit::Fixed(fixed), TextBit::Slot(slot)]);
        }
        text.push(TextBit::Fixed(end));
        text.retain(|bit| *bit != TextBit::Fixed(b""));
        text
    }

    fn message_of(pieces: &[(Vec<u8>, Vec<u8>)], end: &[u8]) -> Vec<u8> {
        let pieces = pieces.iter().flat_map(|(fixed, value)| [&fixed[..], value]);
        pieces.chain([end]).collect::<Vec<_>>().concat()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn what_holds_of_each_value_holds_of_all(
            pieces in prop::collection::vec((piece(), piece()), 1..4),
            end in piece(),
        ) {
            let text = text_of(&pieces, &end);
            if let Some(mut outline) = PatternOutline::of(&text) {
                let mut values = pieces.iter().map(|(_, value)| value).enumerate();
                if values.all(|(place, value)| outline.holds_with(place, value)) {
                    let mut patterns = Patterns::default();
                    prop_assert_eq!(patterns.of(&message_of(&pieces, &end)), outline.pattern());
                }
            }
        }

        #[test]
        fn words_in_one_slot_have_the_pattern_that_is_told(
            pieces in prop::collection::vec((piece(), piece()), 1..4),
            end in piece(),
            place in 0..4_usize,
        ) {
            let text = text_of(&pieces, &end);
            let place = place % pieces.len();
            if let Some(mut outline) = PatternOutline::of(&text) {
                let others = pieces.iter().map(|(_, value)| value).enumerate();
                let mut others = others.filter(|(own, _)| *own != place);
                if others.all(|(own, value)| outline.holds_with(own, value))
                    && let Some(told) = outline.pattern_with(place, &pieces[place].1)
                {
                    let mut patterns = Patterns::default();
                    prop_assert_eq!(patterns.of(&message_of(&pieces, &end)), told);
                }
            }
        }

        #[test]
        fn what_a_zone_map_tells_holds_of_its_values(
            before in piece(),
            values in prop::collection::vec(piece(), 1..4),
            behind in piece(),
        ) {
            let bits = [TextBit::Fixed(&before), TextBit::Slot(0), TextBit::Fixed(&behind)];
            let is_there = |bit: &TextBit<'_>| *bit != TextBit::Fixed(b"");
            let text: Vec<TextBit<'_>> = bits.into_iter().filter(is_there).collect();
            if let Some(mut outline) = PatternOutline::of(&text) {
                for value in &values {
                    let zone_map = zone_map_of(value);
                    prop_assert!(
                        !outline.holds_with_all(0, &zone_map) || outline.holds_with(0, value),
                        "{:?} in {:?}", value, text
                    );
                }
            }
        }
    }
}
