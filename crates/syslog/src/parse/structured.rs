//! STRUCTURED-DATA (RFC 5424 section 6.3): elements in brackets, each an SD-ID and parameters.
//!
//! It is taken as a whole or, where it is broken, left in the message as a whole. More lenient than
//! the RFC in what cannot be misread: names may be longer than 32 bytes, `]` may stand unescaped
//! within quotes, spaces may stand before the closing bracket.

use memchr::memchr2;
use model::limits::RECORD_FIELDS_MAX;
use model::{Field, Span, Tag};

use super::Message;
use crate::cursor::Cursor;

/// What stands in structured data, in order.
enum Piece {
    /// An SD-ID.
    Id(Span),
    /// A parameter of the last SD-ID, and whether a backslash stands in its value.
    Parameter {
        name: Span,
        value: Span,
        has_backslash: bool,
    },
    /// The end of an element; whether it had parameters.
    End { is_bare: bool },
}

/// The length of well-formed structured data at the start of `text`.
pub(super) fn len(text: &[u8]) -> Option<usize> {
    let mut at = Cursor::new(text);
    elements(&mut at, |_| {})?;
    Some(at.at())
}

impl Message<'_, '_> {
    /// Reads structured data. Whether it is well-formed; if not, nothing has happened.
    pub(super) fn structured_data(&mut self) -> bool {
        let start = self.at;
        let fields_before = self.parts.fields.len();
        let extra_before = self.parts.extra.len();
        let tags_before = self.parts.tags;
        let mut at = self.at;
        let mut id = Span::default();
        let done = elements(&mut at, |piece| match piece {
            Piece::Id(span) => id = span,
            Piece::Parameter {
                name,
                value,
                has_backslash,
            } => {
                let value = if has_backslash {
                    self.unescaped(start, value)
                } else {
                    value
                };
                let group = id;
                self.push_field(Field { group, name, value });
            }
            Piece::End { is_bare: true } => self.push_field(Field {
                name: id,
                ..Field::default()
            }),
            Piece::End { is_bare: false } => {}
        });
        if done.is_none() {
            self.parts.fields.truncate(fields_before);
            self.parts.extra.truncate(extra_before);
            self.parts.tags = tags_before;
            return false;
        }
        self.parts.structured_data = at.span_from(start.at());
        self.at = at;
        true
    }

    fn push_field(&mut self, field: Field) {
        if self.parts.fields.len() < RECORD_FIELDS_MAX {
            self.parts.fields.push(field);
        } else {
            self.tag(Tag::TooManyFields);
        }
    }

    /// A value without its escapes, in `extra` if it has any. A backslash before another character
    /// than `"`, `\` and `]` stands for itself (RFC 5424 section 6.3.3). `data` is where the
    /// structured data starts.
    fn unescaped(&mut self, data: Cursor<'_>, value: Span) -> Span {
        let start = (value.start as usize).saturating_sub(data.at());
        let text = Span::new(start, start + value.len as usize).of(data.rest());
        let has_escape = text
            .windows(2)
            .any(|pair| matches!(pair, [b'\\', next] if is_escapable(*next)));
        if !has_escape {
            return value;
        }
        let start = self.raw.len() + self.parts.extra.len();
        let extra = &mut self.parts.extra;
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let escaped = if byte == b'\\' {
                bytes.next_if(|next| is_escapable(*next))
            } else {
                None
            };
            extra.push(escaped.unwrap_or(byte));
        }
        Span::new(start, self.raw.len() + self.parts.extra.len())
    }
}

/// Reads `[id name="value" ...]...`, a call for each piece. `None` where it is broken.
fn elements(at: &mut Cursor<'_>, mut visit: impl FnMut(Piece)) -> Option<()> {
    if at.peek() != Some(b'[') {
        return None;
    }
    while at.eat(b'[') {
        visit(Piece::Id(name(at)?));
        let mut is_bare = true;
        while !at.eat(b']') {
            if !at.eat(b' ') {
                return None;
            }
            at.eat_run(b' ');
            if at.peek() == Some(b']') {
                continue;
            }
            let name = name(at)?;
            let (value, has_backslash) = quoted(at)?;
            visit(Piece::Parameter {
                name,
                value,
                has_backslash,
            });
            is_bare = false;
        }
        visit(Piece::End { is_bare });
    }
    Some(())
}

/// Reads an SD-NAME: printable ASCII without `=`, space, `]` and `"`.
fn name(at: &mut Cursor<'_>) -> Option<Span> {
    let start = at.at();
    let name = at
        .take_while(|byte| byte.is_ascii_graphic() && byte != b'=' && byte != b']' && byte != b'"');
    (!name.is_empty()).then(|| at.span_from(start))
}

/// Reads `="value"` and returns the value as it stands there, and whether it holds a backslash.
fn quoted(at: &mut Cursor<'_>) -> Option<(Span, bool)> {
    if !at.eat_text(b"=\"") {
        return None;
    }
    let start = at.at();
    let mut has_backslash = false;
    loop {
        let found = memchr2(b'"', b'\\', at.rest())?;
        at.skip(found);
        if at.peek() == Some(b'"') {
            let value = at.span_from(start);
            at.skip(1);
            return Some((value, has_backslash));
        }
        has_backslash = true;
        at.skip(2);
    }
}

fn is_escapable(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b']')
}
