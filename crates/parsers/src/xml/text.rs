//! The text of an element: a place in the input, or put together where entities, comments or sections cut it
//! in parts.

use memchr::{memchr, memchr2};

use crate::limits::OWN_BYTES_MAX;
use crate::{Pairs, Piece};

/// A text that goes on.
#[derive(Debug)]
pub(super) struct Text {
    /// Where the only part stands, if there is one.
    only: Option<(usize, usize)>,
    /// All parts, once there are several.
    joined: Vec<u8>,
    /// Whether there are more of them than there is room for.
    is_too_long: bool,
}

impl Text {
    /// An empty text, which grows in this memory.
    pub(super) fn new(joined: Vec<u8>) -> Self {
        Self {
            only: None,
            joined,
            is_too_long: false,
        }
    }

    /// The memory, for the next document.
    pub(super) fn into_memory(self) -> Vec<u8> {
        self.joined
    }

    /// Adds a part of the input.
    pub(super) fn push(&mut self, part: &[u8], input: &[u8]) {
        if self.only.is_none() && self.joined.is_empty() && !self.is_too_long {
            let start = part.as_ptr().addr().wrapping_sub(input.as_ptr().addr());
            self.only = Some((start, start.wrapping_add(part.len())));
        } else {
            self.join(input, |joined| joined.extend_from_slice(part), part.len());
        }
    }

    /// Adds the entity of a name.
    pub(super) fn push_entity(&mut self, name: &str, input: &[u8]) {
        self.join(
            input,
            |joined| append_entity(name.as_bytes(), joined),
            name.len() + 2,
        );
    }

    fn join(&mut self, input: &[u8], append: impl FnOnce(&mut Vec<u8>), bytes_max: usize) {
        if let Some((start, end)) = self.only.take() {
            let first = input.get(start..end).unwrap_or_default();
            self.is_too_long = first.len() > OWN_BYTES_MAX;
            if !self.is_too_long {
                self.joined.extend_from_slice(first);
            }
        }
        self.is_too_long |= self.joined.len() + bytes_max > OWN_BYTES_MAX;
        if !self.is_too_long {
            append(&mut self.joined);
        }
    }

    /// The text, which begins anew; `None` where there is none but white space, and where it is too long.
    pub(super) fn take(
        &mut self,
        strip_white_space: bool,
        input: &[u8],
        pairs: &mut Pairs,
    ) -> Option<Piece> {
        let strip = |text: &'_ [u8]| -> (usize, usize) {
            let start = text.len() - text.trim_ascii_start().len();
            (start, text.trim_ascii().len())
        };
        if let Some((start, end)) = self.only.take() {
            let (first, len) = strip(input.get(start..end)?);
            (len > 0).then_some(())?;
            let piece = Piece::input(start, end);
            return Some(if strip_white_space {
                piece.part(first, len)
            } else {
                piece
            });
        }
        let is_too_long = std::mem::take(&mut self.is_too_long);
        if is_too_long {
            pairs.note_truncated();
        }
        let (first, len) = strip(&self.joined);
        let piece = if len == 0 || is_too_long {
            None
        } else if strip_white_space {
            pairs.push_own(self.joined.get(first..first + len)?)
        } else {
            pairs.push_own(&self.joined)
        };
        self.joined.clear();
        piece
    }
}

/// Appends a text without its entities. What is none stays as it is.
pub(super) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest) {
        let (before, entity) = rest.split_at(at);
        out.extend_from_slice(before);
        // Names of entities are short; a far semicolon belongs to something else, as does one behind another
        // beginning.
        let near = entity.get(1..ENTITY_BYTES_MAX.min(entity.len()));
        let end = near.and_then(|near| memchr2(b';', b'&', near));
        let Some(end) = end
            .map(|end| end + 1)
            .filter(|end| entity.get(*end) == Some(&b';'))
        else {
            out.push(b'&');
            rest = entity.get(1..).unwrap_or_default();
            continue;
        };
        append_entity(entity.get(1..end).unwrap_or_default(), out);
        rest = entity.get(end + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// Longest entity that is looked for, in bytes, with `&` and `;`: a character may have zeros in front.
const ENTITY_BYTES_MAX: usize = 32;

/// Appends what an entity stands for; as it is written if it is not one of XML.
fn append_entity(name: &[u8], out: &mut Vec<u8>) {
    let known = match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        _ => match character(name) {
            Some(character) => character,
            None => {
                out.push(b'&');
                out.extend_from_slice(name);
                return out.push(b';');
            }
        },
    };
    out.extend_from_slice(known.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The character of `#10` or `#xA`.
fn character(name: &[u8]) -> Option<char> {
    let number = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // A sign is no digit.
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    let code = u32::from_str_radix(digits, radix)
        .ok()
        .filter(|code| is_number && *code > 0)?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_xml_are_undone_and_others_stay() {
        for (text, expected) in [
            ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
            ("&#65;&#x42;&#x1F600;&#0000010;", "AB\u{1f600}\n"),
            (
                "&#0;&#xD800;&#x110000;&#+5;&#;&#x;",
                "&#0;&#xD800;&#x110000;&#+5;&#;&#x;",
            ),
            ("&own; & &amp", "&own; & &amp"),
            ("&&amp;;", "&&;"),
        ] {
            let mut out = Vec::new();
            unescape(text.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{text}");
        }
    }
}
