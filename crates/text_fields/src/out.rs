//! Where fields go while a message is read, and how many may follow.

use crate::limits::{FIELDS_MAX, NAME_BYTES_MAX};
use crate::unescape::Escapes;

/// Whoever looks for fields.
pub(crate) trait Sink {
    /// Whether fields of this name are wanted. The values of others are not decoded.
    fn wants(&mut self, name: &[u8]) -> bool;

    /// A field that is wanted.
    fn found(&mut self, name: &[u8], value: &[u8]);
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
        if self.takes(name) {
            self.sink.found(name, escapes.undo(value, buffer));
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
