//! Pairs in a text: `user=root`, `msg="two words"`, `(uid=0)`, `to=<a@example.com>, delay=1.6`.
//!
//! A name stands right before `=`, at the start of the text or behind white space, a bracket, a quote or
//! one of `, ; |`; so the parameters of an address (`/a?b=c&d=e`) are no fields. A value stands right
//! behind: in double quotes, where `\"` and `\\` are escapes; in single quotes, unless there are pairs
//! inside, as auditd writes them; otherwise up to white space, a double quote, a bracket that it did not
//! open, or one of `, ; | :` that ends it because white space, another pair or the end follows.

use memchr::{memchr, memchr2};

use crate::out::{Out, Sink};
use crate::rule::Part;
use crate::unescape::Escapes;

/// Bytes that brackets are balanced by.
const OPENING: &[u8] = b"([{<";
const CLOSING: &[u8] = b")]}>";

/// Whether a byte may stand in a name.
pub(crate) fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-./@$".contains(&byte)
}

/// The name that ends at a place, none of whose bytes stands before `from`.
pub(crate) fn name_before(text: &[u8], from: usize, end: usize) -> Option<&[u8]> {
    let start = run_before(text, from, end);
    let is_bounded = match start.checked_sub(1) {
        Some(last) => is_boundary(*text.get(last)?),
        None => true,
    };
    let mut name = text.get(start..end)?;
    // Options of command lines.
    while let [b'-', rest @ ..] = name {
        name = rest;
    }
    let starts = name
        .first()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"_@$".contains(byte));
    let is_number = name
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.');
    (is_bounded && starts && !is_number).then_some(name)
}

/// Where the bytes of names start that end at a place.
pub(crate) fn run_before(text: &[u8], from: usize, end: usize) -> usize {
    let before = text.get(from..end).unwrap_or_default().iter().rev();
    end - before.take_while(|byte| is_key_byte(**byte)).count()
}

fn is_boundary(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f || b"([{<,;|'\"".contains(&byte)
}

/// Reads the value of a pair; returns the place behind it. `None` where there is no pair after all.
pub(crate) fn value<S: Sink>(
    start: usize,
    name: &[u8],
    buffer: &mut Vec<u8>,
    out: &mut Out<'_, '_, S>,
) -> Option<usize> {
    match out.byte(start) {
        // A comparison or an arrow.
        Some(b'=' | b'>' | b'~') => return None,
        Some(b'"') => {
            if let Some(end) = closing_quote(out.from(start + 1)) {
                let end = start + 1 + end;
                out.read(start + 1..end, Part::Quoted);
                out.escaped(name, out.part(start + 1, end), Escapes::Quotes, buffer);
                return Some(end + 1);
            }
            out.read(start..out.text.len(), Part::Key);
        }
        Some(b'\'') => {
            let inside = out.from(start + 1);
            if let Some(len) = memchr(b'\'', inside) {
                let end = start + 1 + len;
                out.read(start..start + 1, Part::Fixed);
                out.read(end..end + 1, Part::Fixed);
                let inside = inside.get(..len).unwrap_or_default();
                if memchr(b'=', inside).is_some() {
                    out.read_part(inside, Part::Key);
                    return Some(start + 1);
                }
                out.read_part(inside, Part::Single);
                out.plain(name, inside);
                return Some(end + 1);
            }
            out.read(start..out.text.len(), Part::Key);
        }
        _ => {}
    }
    let end = start + plain_len(out.from(start));
    out.read(start..end, Part::Key);
    out.plain(name, out.part(start, end));
    Some(end)
}

/// Where the first quotation mark stands that is not escaped.
pub(crate) fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The length of a value without quotes at the start of a text.
fn plain_len(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        let is_end = match byte {
            0..=b' ' | 0x7f | b'"' => true,
            b',' | b';' | b'|' => is_over(text.get(at + 1..).unwrap_or_default(), true),
            b':' | b'\'' => is_over(text.get(at + 1..).unwrap_or_default(), false),
            _ if byte.is_ascii_alphanumeric() => false,
            _ if OPENING.contains(byte) => {
                depth += 1;
                false
            }
            _ if CLOSING.contains(byte) => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    false
                }
                None => true,
            },
            _ => false,
        };
        if is_end {
            return at;
        }
    }
    text.len()
}

/// Whether what follows says that a value was over: white space, a bracket or quote that closes, the
/// end, or another pair.
fn is_over(behind: &[u8], or_pair: bool) -> bool {
    let Some(first) = behind.first() else {
        return true;
    };
    if *first <= b' ' || *first == b'"' || *first == b'\'' || CLOSING.contains(first) {
        return true;
    }
    let len = behind.iter().take_while(|byte| is_key_byte(**byte)).count();
    or_pair && len > 0 && behind.get(len) == Some(&b'=')
}
