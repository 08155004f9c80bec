//! The named fields in the text of a message: what everybody reads as `status 404` or `user root`
//! without being told. Pure functions over bytes: no state, no I/O.
//!
//! Known are access logs (`access_log`), CEF and LEEF (`event`), and in any other text JSON
//! objects (`json`) and pairs such as `key=value` (`pairs`), side by side (`text`). A message is read
//! once from left to right, in time linear in its length; what is torn or broken gives the fields
//! before that place. Nothing is guessed: a field needs its name in the text, or its place in a
//! format that is told by its shape.
//!
//! # What an index of words may rely on
//! The bytes of a value stand in the message as they are, between bytes that belong to no word; so
//! each word of a value is a word of the message. Names that stand in the message do so as well. There
//! are two exceptions, in JSON and CEF: behind a backslash, one of [`ESCAPE_LETTERS`] is joined
//! to the word that follows it in the message, and `u` with four hexadecimal digits stands for a
//! character ([`is_escape_word`]). [`Origin`] says where a name that need not stand in the message
//! comes from.
#![deny(clippy::indexing_slicing)]

mod access_log;
mod event;
mod finder;
mod json;
pub mod limits;
mod origin;
mod out;
mod outline;
mod pairs;
mod rule;
#[cfg(test)]
mod tests;
mod text;
mod unescape;

pub use access_log::Lead;
pub use event::Event;
pub use finder::FieldFinder;
pub use origin::{ESCAPE_LETTERS, MONTHS, Origin, is_escape_word};
pub use outline::{FieldOutline, Outline, Piece, Stretch};
pub use rule::{Bytes, Rule, Summary};
pub use unescape::Escapes;

use out::{Out, Scratch, Sink};

/// Finds the fields of messages. Holds buffers, hence `&mut`.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    scratch: Scratch,
}

impl Detector {
    /// Calls `visit` with the name and the value of each field of a message, in order, empty ones and
    /// repeated ones included.
    pub fn each(&mut self, message: &[u8], visit: &mut dyn FnMut(&[u8], &[u8])) {
        self.scan(message, &mut All(visit));
    }

    /// The same of a message that is a CEF or LEEF event; `None` where it is none.
    pub fn each_of_event(
        &mut self,
        message: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Option<Event> {
        event::read(
            &mut self.scratch.value,
            &mut Out::new(message, &mut All(visit)),
        )
    }

    /// The same of a message that starts as an access log; returns whether it does.
    pub fn each_of_access_log(
        &mut self,
        message: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> bool {
        let Scratch { path, value } = &mut self.scratch;
        path.clear();
        let mut sink = All(visit);
        let mut out = Out::new(message, &mut sink);
        let start = access_log::read(&mut out);
        if start > 0 {
            text::read(start, path, value, &mut out);
        }
        start > 0
    }

    fn scan(&mut self, message: &[u8], sink: &mut impl Sink) {
        let mut out = Out::new(message, sink);
        let Scratch { path, value } = &mut self.scratch;
        path.clear();
        if event::read(value, &mut out).is_none() {
            let start = access_log::read(&mut out);
            text::read(start, path, value, &mut out);
        }
    }
}

/// Takes all fields.
struct All<'v>(&'v mut dyn FnMut(&[u8], &[u8]));

impl Sink for All<'_> {
    fn wants(&mut self, _: &[u8]) -> bool {
        true
    }

    fn found(&mut self, name: &[u8], value: &[u8]) {
        (self.0)(name, value);
    }
}
