//! Where fields go while a message is read, and how many may follow.

use std::ops::Range;

use memchr::memchr;

use crate::limits::{FIELDS_MAX, NAME_BYTES_MAX};
use crate::rule::Part;
use crate::unescape::Escapes;

/// Whoever looks for fields.
pub(crate) trait Sink {
    /// Whether places are wanted rather than values, and so also those of values that are not there.
    const OUTLINES: bool = false;

    /// Whether fields of this name are wanted. The values of others are not decoded.
    fn wants(&mut self, name: &[u8]) -> bool;

    /// A field that is wanted.
    fn found(&mut self, name: &[u8], value: &[u8]);

    /// Something that the next field, or all of what is found, depends on.
    fn note(&mut self, _note: Note) {}
}

/// What is said about a message beside its fields, for whoever wants to know for which other messages
/// that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// What was read of a stretch of the text, and so how far other bytes would change it.
    Read(Range<usize>, Part),
    /// The next field is there unless its value is `-` or empty.
    UnlessDash,
    /// The next field is there unless its value is `-`.
    IfNotDash,
    /// The value of the next field is this part of a request.
    RequestPart(usize),
    /// The value of the next field goes on up to this byte only.
    UpTo(u8),
}

/// Memory that is used again for each message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The names of the objects around the place at hand, each with a dot behind it.
    pub(crate) path: Vec<u8>,
    /// A value without its escapes.
    pub(crate) value: Vec<u8>,
}

/// A message that is read, and where its fields go.
pub(crate) struct Out<'m, 's, S> {
    pub(crate) text: &'m [u8],
    sink: &'s mut S,
    left: usize,
}

impl<'m, 's, S: Sink> Out<'m, 's, S> {
    pub(crate) fn new(text: &'m [u8], sink: &'s mut S) -> Self {
        Self {
            text,
            sink,
            left: FIELDS_MAX,
        }
    }

    /// The bytes from one place until before another; none where they are not there.
    pub(crate) fn part(&self, start: usize, end: usize) -> &'m [u8] {
        self.text.get(start..end).unwrap_or(&[])
    }

    /// The bytes from a place on.
    pub(crate) fn from(&self, start: usize) -> &'m [u8] {
        self.text.get(start..).unwrap_or(&[])
    }

    /// The byte at a place.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Whether no more fields are taken.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Notes something.
    pub(crate) fn note(&mut self, note: Note) {
        self.sink.note(note);
    }

    /// Notes how a stretch of the text was read.
    pub(crate) fn read(&mut self, stretch: Range<usize>, part: Part) {
        if S::OUTLINES {
            self.sink.note(Note::Read(stretch, part));
        }
    }

    /// The same of a part of the text.
    pub(crate) fn read_part(&mut self, bytes: &[u8], part: Part) {
        if S::OUTLINES
            && let Some(stretch) = place_of(bytes, self.text)
        {
            self.sink.note(Note::Read(stretch, part));
        }
    }

    /// A field that is not there where its value is `-` or empty, up to a byte if there is one.
    pub(crate) fn unless_dash(&mut self, name: &[u8], value: &[u8], up_to: Option<u8>) {
        if S::OUTLINES {
            if value.is_empty() {
                return;
            }
            self.sink.note(Note::UnlessDash);
            if let Some(byte) = up_to {
                self.sink.note(Note::UpTo(byte));
            }
            return self.plain(name, value);
        }
        let end = up_to.and_then(|byte| memchr(byte, value));
        let value = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
        if value != b"-" && !value.is_empty() {
            self.plain(name, value);
        }
    }

    /// A field that an outline has unless its value is `-`.
    pub(crate) fn if_not_dash(&mut self, name: &[u8], value: &[u8]) {
        self.sink.note(Note::IfNotDash);
        self.plain(name, value);
    }

    /// A field whose value is as it stands in the message.
    pub(crate) fn plain(&mut self, name: &[u8], value: &[u8]) {
        if self.takes(name) {
            self.sink.found(name, value);
        }
    }

    /// A field whose value may have escapes, which `buffer` is for.
    pub(crate) fn escaped(
        &mut self,
        name: &[u8],
        value: &[u8],
        escapes: Escapes,
        buffer: &mut Vec<u8>,
    ) {
        if S::OUTLINES && memchr(b'\\', value).is_some() {
            self.read_part(value, Part::Unknown);
        }
        if self.takes(name) {
            let value = if S::OUTLINES {
                value
            } else {
                escapes.undo(value, buffer)
            };
            self.sink.found(name, value);
        }
    }

    fn takes(&mut self, name: &[u8]) -> bool {
        if self.left == 0 || name.is_empty() || name.len() > NAME_BYTES_MAX {
            return false;
        }
        self.left -= 1;
        self.sink.wants(name)
    }
}

/// Where a part of a text stands in it; `None` where it is of another.
pub(crate) fn place_of(part: &[u8], text: &[u8]) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let end = start + part.len();
    (end <= text.len()).then_some(start..end)
}
