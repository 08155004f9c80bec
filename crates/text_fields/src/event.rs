//! Events of security devices: CEF (ArcSight) and LEEF (QRadar), anywhere behind a header of their own.
//!
//! ```text
//! CEF:0|vendor|product|version|class|name|severity|src=10.0.0.1 msg=a text act=deny
//! CEF: 0|vendor|...
//! LEEF:1.0|vendor|product|version|event|src=10.0.0.1<tab>usrName=root
//! LEEF:2.0|vendor|product|version|event|^|src=10.0.0.1^usrName=root
//! ```

use memchr::{memchr, memchr2, memmem};

use crate::Origin;
use crate::out::{Out, Sink};
use crate::pairs::is_key_byte;
use crate::unescape::Escapes;

/// What both formats start with, but for the letters in front.
const MARK: &[u8] = b"EF:";

/// The names of the parts of a header, as its makers call them.
pub(crate) const CEF_NAMES: [&str; 6] = [
    "deviceVendor",
    "deviceProduct",
    "deviceVersion",
    "deviceEventClassId",
    "name",
    "severity",
];

/// As [`CEF_NAMES`].
pub(crate) const LEEF_NAMES: [&str; 4] = ["vendor", "product", "version", "eventId"];

/// Longest version of a format, in bytes.
const VERSION_BYTES_MAX: usize = 4;

/// Whether a text may hold an event.
pub(crate) fn has_mark(text: &[u8]) -> bool {
    // Few texts have a bar, and looking for a byte is quicker.
    memchr(b'|', text).is_some() && memmem::find(text, MARK).is_some()
}

/// An event that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// [`Origin::Cef`] or [`Origin::Leef`].
    pub origin: Origin,
    /// Whether all parts of its header are there.
    pub is_whole: bool,
}

/// Reads an event; `None` where there is none.
pub(crate) fn read<S: Sink>(buffer: &mut Vec<u8>, out: &mut Out<'_, '_, S>) -> Option<Event> {
    let text = out.text;
    memchr(b'|', text)?;
    let (start, is_cef) = memmem::find_iter(text, MARK).find_map(|mark| {
        let before = text.get(..mark)?;
        let (before, is_cef) = match before.strip_suffix(b"LE") {
            Some(before) => (before, false),
            None => (before.strip_suffix(b"C")?, true),
        };
        let is_bounded = before
            .last()
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte < 0x80 && *byte != b'_');
        // Some write a blank in front of the version.
        let mut start = mark + MARK.len();
        start += usize::from(text.get(start) == Some(&b' '));
        let version = text.get(start..)?;
        let version_len = memchr(b'|', version.get(..VERSION_BYTES_MAX.min(version.len()))?)?;
        let version = version.get(..version_len)?;
        let is_version = version.first()?.is_ascii_digit()
            && version
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.');
        (is_bounded && is_version).then_some((start + version_len + 1, is_cef))
    })?;
    let (origin, is_whole) = if is_cef {
        (Origin::Cef, cef(start, buffer, out))
    } else {
        (Origin::Leef, leef(start, out))
    };
    Some(Event { origin, is_whole })
}

/// Reads the header and what follows; returns whether the header is whole.
fn cef<S: Sink>(mut at: usize, buffer: &mut Vec<u8>, out: &mut Out<'_, '_, S>) -> bool {
    for (name, left) in CEF_NAMES.iter().zip((0..CEF_NAMES.len()).rev()) {
        let rest = out.from(at);
        let part = match next(b'|', rest) {
            Some(end) => rest.get(..end).unwrap_or_default(),
            // The last part may be the end.
            None if left == 0 => rest,
            None => return false,
        };
        out.escaped(name.as_bytes(), part, Escapes::Event, buffer);
        at += part.len() + 1;
    }
    extension(out.from(at), buffer, out);
    true
}

/// Pairs whose values go on until the next name.
fn extension<S: Sink>(text: &[u8], buffer: &mut Vec<u8>, out: &mut Out<'_, '_, S>) {
    let mut open: Option<(&[u8], usize)> = None;
    let mut at = 0;
    while let Some(equals) = text.get(at..).and_then(|rest| next(b'=', rest)) {
        let equals = at + equals;
        if let Some((name, behind)) = key_before(text, at, equals) {
            if let Some((name, start)) = open {
                let value = text.get(start..behind).unwrap_or_default();
                out.escaped(name, value.trim_ascii_end(), Escapes::Event, buffer);
            }
            open = Some((name, equals + 1));
        }
        at = equals + 1;
        if out.is_full() {
            return;
        }
    }
    if let Some((name, start)) = open {
        let value = text.get(start..).unwrap_or_default();
        out.escaped(name, value.trim_ascii_end(), Escapes::Event, buffer);
    }
}

/// The name in front of `=`, and where it starts. It stands at a start or behind white space.
fn key_before(text: &[u8], from: usize, equals: usize) -> Option<(&[u8], usize)> {
    let before = text.get(from..equals)?;
    let is_key = |byte: &u8| is_key_byte(*byte) || matches!(byte, b'[' | b']');
    let len = before.iter().rev().take_while(|byte| is_key(byte)).count();
    let start = equals - len;
    let is_bounded = match start.checked_sub(1) {
        Some(last) => text.get(last)?.is_ascii_whitespace(),
        None => true,
    };
    (len > 0 && is_bounded).then(|| Some((text.get(start..equals)?, start)))?
}

/// Where a byte stands that is not escaped.
fn next(wanted: u8, text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(wanted, b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&wanted) {
            return Some(at);
        }
        at += 2;
    }
}

/// As [`cef`].
fn leef<S: Sink>(mut at: usize, out: &mut Out<'_, '_, S>) -> bool {
    for name in LEEF_NAMES {
        let rest = out.from(at);
        let Some(end) = memchr(b'|', rest) else {
            return false;
        };
        out.plain(name.as_bytes(), rest.get(..end).unwrap_or_default());
        at += end + 1;
    }
    let mut rest = out.from(at);
    let mut delimiter = b'\t';
    if let Some(end) = memchr(b'|', rest)
        && let Some(own) = rest.get(..end).and_then(delimiter_of)
    {
        delimiter = own;
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    for pair in rest.split(|byte| *byte == delimiter) {
        let Some(equals) = memchr(b'=', pair) else {
            continue;
        };
        let (name, value) = pair.split_at(equals);
        if name.iter().copied().all(is_key_byte) {
            out.plain(name, value.get(1..).unwrap_or_default());
        }
        if out.is_full() {
            break;
        }
    }
    true
}

/// What LEEF 2.0 names between the last bars: a character, or its hexadecimal code behind `x` or `0x`.
/// Letters and digits would cut words in two.
fn delimiter_of(text: &[u8]) -> Option<u8> {
    let delimiter = match text {
        [] => b'\t',
        [one] => *one,
        _ => {
            let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"x"));
            let digits = std::str::from_utf8(digits?).ok()?;
            u8::from_str_radix(digits, 16).ok()?
        }
    };
    let is_word = delimiter.is_ascii_alphanumeric() || delimiter == b'_' || delimiter >= 0x80;
    (!is_word).then_some(delimiter)
}
