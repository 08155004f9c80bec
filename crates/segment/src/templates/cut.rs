//! What of a text varies.
//!
//! A text is cut into tokens at white space and at punctuation that separates. A token is variable
//! where it has a digit, a dot inside or a character of paths and addresses, where it follows a `=`,
//! and where it stands in quotes, unless a colon behind them makes it a key; an empty pair of double
//! quotes is passed over. Times, MAC and IPv6 addresses are one token in spite of their colons. The rest is what all messages of one kind share.
//!
//! A wrong guess costs bytes, never contents: shape and slots together always give the text.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use crate::limits::{QUOTED_BYTES_MAX, TEMPLATE_SLOTS_MAX};

/// Stands for a slot in a shape. No text has it outside its slots.
pub(crate) const SLOT: u8 = 0;

/// Bytes below this one stand in slots only, so that a shape has other marks too. White space that
/// separates the columns of a table is above.
pub(crate) const MARKS: u8 = 8;

/// Ends a token.
pub(super) const BREAK: u8 = 1;
/// Makes a token variable.
pub(super) const VARIES: u8 = 2;
/// Part of a hexadecimal number.
pub(super) const HEX: u8 = 4;
/// Makes a token variable where it is not its last byte.
const DOT: u8 = 8;
/// No part of a hexadecimal number.
const NOT_HEX: u8 = 16;

static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    loop {
        let mut kind = match byte {
            0..MARKS => VARIES,
            b'0'..=b'9' | b'/' | b'\\' | b'@' | b'%' => VARIES,
            MARKS..=b' ' | 0x7f => BREAK,
            b'&' | b':' | b'~' | b'?' | b'!' | b'[' | b']' | b'=' | b',' | b';' | b'(' | b')' => {
                BREAK
            }
            b'\'' | b'"' | b'<' | b'>' | b'{' | b'}' | b'|' => BREAK,
            b'.' => DOT,
            _ => 0,
        };
        kind |= if byte.is_ascii_hexdigit() {
            HEX
        } else {
            NOT_HEX
        };
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
        {
            kinds[byte as usize] = kind;
        }
        if byte == u8::MAX {
            return kinds;
        }
        byte += 1;
    }
}

#[inline]
pub(super) const fn kind(byte: u8) -> u8 {
    #[expect(clippy::indexing_slicing, reason = "there is one for each byte")]
    KINDS[byte as usize]
}

/// Whether a byte of what does not vary is part of a token.
#[inline]
pub(crate) fn is_in_token(byte: u8) -> bool {
    kind(byte) & BREAK == 0
}

/// Cuts a text: replaces `shape` by what does not vary, with [`SLOT`] for each slot, and `slots` by
/// where those are. What is behind the last slot that there may be belongs to it.
pub(super) fn cut(text: &[u8], shape: &mut Vec<u8>, slots: &mut Vec<Range<usize>>) {
    shape.clear();
    slots.clear();
    cut_behind(text, 0, shape, slots);
}

/// The same for a part of a text, `start` bytes behind its start: appends to what was cut so far.
/// False where there would be too many slots; the shape is of no use then.
pub(crate) fn cut_behind(
    text: &[u8],
    start: usize,
    shape: &mut Vec<u8>,
    slots: &mut Vec<Range<usize>>,
) -> bool {
    let mut fixed = 0;
    let mut at = 0;
    let mut unclosed = 0;
    while let Some(byte) = text.get(at) {
        let (slot, next) = if kind(*byte) & BREAK == 0 {
            let (slot_end, end) = token(text, at);
            ((at < slot_end).then_some(at..slot_end), end)
        } else if matches!(*byte, b'"' | b'\'') {
            quoted(text, at, &mut unclosed).unwrap_or((None, at + 1))
        } else {
            (None, at + 1)
        };
        at = next;
        let Some(slot) = slot else {
            continue;
        };
        shape.extend_from_slice(text.get(fixed..slot.start).unwrap_or(&[]));
        shape.push(SLOT);
        if slots.len() + 1 >= TEMPLATE_SLOTS_MAX {
            let has_room = slots.len() < TEMPLATE_SLOTS_MAX;
            slots.push(start + slot.start..start + text.len());
            return has_room;
        }
        fixed = slot.end;
        slots.push(start + slot.start..start + slot.end);
    }
    shape.extend_from_slice(text.get(fixed..).unwrap_or(&[]));
    true
}

pub(super) type Step = (Option<Range<usize>>, usize);

/// Where the slot that is the token at a place ends; `None` where the token is no slot.
#[inline]
pub(crate) fn token_slot(text: &[u8], start: usize) -> Option<usize> {
    if kind(*text.get(start)?) & BREAK != 0 {
        return None;
    }
    let (slot_end, _) = token(text, start);
    (start < slot_end).then_some(slot_end)
}

/// Where the slot behind the quote before a place ends; `None` where that quote opens no slot. No
/// double quote before it was left open.
#[inline]
pub(crate) fn quoted_slot(text: &[u8], start: usize) -> Option<usize> {
    let (slot, _) = quoted(text, start.checked_sub(1)?, &mut 0)?;
    slot.map(|slot| slot.end)
}

/// Where the slot ends that the token at a place is, which is that place where the token is none or does
/// not vary, and where the token ends. Two numbers, as they are returned in registers.
#[inline]
fn token(text: &[u8], start: usize) -> (usize, usize) {
    let mut all = 0;
    let mut end = start;
    loop {
        let rest = text.get(end..).unwrap_or(&[]);
        let mut len = 0_usize;
        for byte in rest {
            let kind = kind(*byte);
            if kind & BREAK != 0 {
                break;
            }
            all |= kind;
            len = len.wrapping_add(1);
        }
        end += len;
        if len == rest.len() || !is_in_address(text, start..end, all) {
            break;
        }
        all |= VARIES;
        end += 1;
    }
    let varies = all & VARIES != 0
        || start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'=');
    if all & DOT == 0 {
        return (if varies { end } else { start }, end);
    }
    let token = text.get(start..end).unwrap_or(&[]);
    let dots = token.iter().rev().take_while(|byte| **byte == b'.').count();
    let last = end - dots;
    let has_dot = || token.iter().rev().skip(dots).any(|byte| *byte == b'.');
    let is_slot = varies || has_dot();
    (if is_slot { last } else { start }, end)
}

/// Whether an address goes on behind a token: with a colon, behind hexadecimal digits only and before
/// one.
fn is_in_address(text: &[u8], token: Range<usize>, all: u8) -> bool {
    text.get(token.end) == Some(&b':')
        && all & NOT_HEX == 0
        && (all & VARIES != 0 || token.len() <= 4)
        && is_hex(text, token.end + 1)
}

fn is_hex(text: &[u8], at: usize) -> bool {
    text.get(at)
        .is_some_and(|byte| kind(*byte) & HEX != 0 || *byte == b':')
}

/// What stands in quotes at a place and is no key, and the place behind the quotes. Before `unclosed`
/// no double quote opens: one that did was not closed, and those behind backslashes would each be
/// searched for as far again.
pub(super) fn quoted(text: &[u8], start: usize, unclosed: &mut usize) -> Option<Step> {
    let quote = *text.get(start)?;
    let is_open = match quote {
        b'"' => start >= *unclosed,
        // An apostrophe stands in a word.
        b'\'' => {
            start == 0
                || text
                    .get(start - 1)
                    .is_some_and(|byte| kind(*byte) & BREAK != 0)
        }
        _ => false,
    };
    if !is_open {
        return None;
    }
    let inside = text.get(start + 1..)?;
    let inside = inside.get(..QUOTED_BYTES_MAX).unwrap_or(inside);
    let len = quoted_len(inside, quote);
    let Some(len) = len else {
        if quote == b'"' {
            *unclosed = start + 1 + inside.len();
        }
        return None;
    };
    // One that was never closed turns inside and outside round for the rest of the text.
    if quote == b'"' && opens(text, start + 1 + len) {
        return None;
    }
    // What would open at the second one are quotes of another value.
    if len == 0 {
        return (quote == b'"').then_some((None, start + 2));
    }
    let slot = start + 1..start + 1 + len;
    let next = text.get(slot.end + 1);
    let is_closed = quote == b'"' || next.is_none_or(|byte| kind(*byte) & (BREAK | DOT) != 0);
    if !is_closed {
        return None;
    }
    let behind = slot.end + 1;
    let is_key = next == Some(&b':') && !text.get(slot.clone())?.iter().any(|byte| *byte < MARKS);
    Some(((!is_key).then_some(slot), behind))
}

/// Whether the double quote at a place can only be one that opens, and none that closes: it stands at the
/// start of a word, behind white space or what goes before a value.
fn opens(text: &[u8], quote: usize) -> bool {
    let before = quote.checked_sub(1).and_then(|before| text.get(before));
    let is_before = |byte: &u8| matches!(byte, b' ' | b'\t' | b'[' | b'(' | b'=' | b',' | b':');
    let is_behind = |byte: &u8| kind(*byte) & BREAK == 0;
    before.is_some_and(is_before) && text.get(quote + 1).is_some_and(is_behind)
}

/// How many bytes stand before the quote that ends them. One behind a backslash does not.
fn quoted_len(inside: &[u8], quote: u8) -> Option<usize> {
    let mut len = 0;
    loop {
        let rest = inside.get(len..)?;
        let found = memchr::memchr2(quote, b'\\', rest)?;
        if rest.get(found) == Some(&quote) {
            return Some(len + found);
        }
        len += found + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape_of(text: &str) -> String {
        let (mut shape, mut slots) = (Vec::new(), Vec::new());
        cut(text.as_bytes(), &mut shape, &mut slots);
        String::from_utf8(shape).expect("text").replace('\0', "<>")
    }

    #[test]
    fn what_varies_is_a_slot() {
        for (text, shape) in [
            ("session opened for user", "session opened for user"),
            ("took 12 ms, 3.5%", "took <> ms, <>"),
            ("connect from web-01.example.com.", "connect from <>."),
            ("at 12:34:56 up", "at <> up"),
            ("to fe80::1 and de:ad:be:ef:00:01", "to <> and <>"),
            ("error: disk full", "error: disk full"),
            ("abcdef: disk full", "abcdef: disk full"),
            ("code:5", "code:<>"),
            ("open /etc/passwd: no such file", "open <>: no such file"),
            ("uid=root gid=", "uid=<> gid="),
            ("user 'john doe' isn't known", "user '<>' isn't known"),
            ("they're the users' files", "they're the users' files"),
            (r#"{"level":"warn","n":7}"#, r#"{"level":"<>","n":<>}"#),
            (r#"said "a \"b\" c" once"#, r#"said "<>" once"#),
            (r#"an open " quote"#, r#"an open " quote"#),
            (r#"an open " \"quote\" "#, r#"an open " <>"<>" "#),
            (
                r#"operator "Ge' with `5' [file "/a b"] [id "1 2"], x: "GET /""#,
                r#"operator "Ge' with <>' [file "<>"] [id "<>"], x: "<>""#,
            ),
            (r#"a="b " c=" d""#, r#"a="<>" c="<>""#),
            (r#"none "" here"#, r#"none "" here"#),
            (r#"{"a":"","b":""}"#, r#"{"a":"","b":""}"#),
            (r#"{"k 1":"a b"}"#, r#"{"k 1":"<>"}"#),
            ("mail of a@b to c", "mail of <> to c"),
            ("...", "..."),
            ("", ""),
        ] {
            assert_eq!(shape_of(text), shape, "{text}");
        }
    }

    #[test]
    fn bytes_of_marks_stand_in_slots_only() {
        for byte in 0..MARKS {
            for text in [vec![b'a', byte, b'b'], vec![b'"', byte, b'"', b':']] {
                let (mut shape, mut slots) = (Vec::new(), Vec::new());
                cut(&text, &mut shape, &mut slots);
                let marks = shape.iter().filter(|byte| **byte < MARKS);
                assert_eq!((marks.count(), slots.len()), (1, 1), "{text:?}");
            }
        }
        assert_eq!(shape_of("tabs\tseparate\t7"), "tabs\tseparate\t<>");
    }

    #[test]
    fn more_slots_than_there_may_be_are_one() {
        let text = "7 ".repeat(2 * TEMPLATE_SLOTS_MAX);
        let (mut shape, mut slots) = (Vec::new(), Vec::new());
        cut(text.as_bytes(), &mut shape, &mut slots);
        assert_eq!(slots.len(), TEMPLATE_SLOTS_MAX);
        assert_eq!(slots.last().map(|slot| slot.end), Some(text.len()));
        assert_eq!(shape.last(), Some(&SLOT));
    }

    proptest! {
        #[test]
        fn shape_and_slots_give_the_text(
            text in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b" :=.\"'\\/a7\0f".to_vec())],
                0..200,
            ),
        ) {
            let (mut shape, mut slots) = (Vec::new(), Vec::new());
            cut(&text, &mut shape, &mut slots);
            let mut given = Vec::new();
            let mut next = slots.iter();
            for byte in &shape {
                match byte {
                    &SLOT => {
                        let slot = next.next().expect("a slot").clone();
                        given.extend_from_slice(text.get(slot).expect("in the text"));
                    }
                    byte => given.push(*byte),
                }
            }
            prop_assert!(next.next().is_none());
            prop_assert_eq!(given, text);
        }

        #[test]
        fn no_word_stands_in_shape_and_slot(text in "[a-z0-9 :=.\"'/]{0,60}") {
            let bytes = text.as_bytes();
            let (mut shape, mut slots) = (Vec::new(), Vec::new());
            cut(bytes, &mut shape, &mut slots);
            for slot in slots {
                for edge in [slot.start, slot.end] {
                    let before = edge.checked_sub(1).and_then(|at| bytes.get(at));
                    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| model::words::is_word_byte(*byte));
                    prop_assert!(!(is_word(before) && is_word(bytes.get(edge))), "{text}: {slot:?}");
                }
            }
        }
    }
}
