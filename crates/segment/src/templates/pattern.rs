//! What a message has in common with others of its kind, as text.

use std::ops::Range;

use super::cut::{SLOT, cut};

/// Stands for each part in which messages of one kind differ.
const VARIES: &[u8] = b"<*>";

/// Makes patterns of messages, with memory that is used again.
#[derive(Debug, Default)]
pub struct Patterns {
    shape: Vec<u8>,
    slots: Vec<Range<usize>>,
    text: Vec<u8>,
}

impl Patterns {
    /// The pattern of a message: the message with `<*>` for each part that varies.
    pub fn of(&mut self, message: &[u8]) -> &[u8] {
        cut(message, &mut self.shape, &mut self.slots);
        if self.slots.is_empty() {
            return &self.shape;
        }
        self.text.clear();
        append_of_shape(&self.shape, &mut self.text);
        &self.text
    }
}

/// The pattern that a shape is.
pub(super) fn of_shape(shape: &[u8]) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(shape.len());
    append_of_shape(shape, &mut pattern);
    pattern
}

fn append_of_shape(shape: &[u8], out: &mut Vec<u8>) {
    for (index, fixed) in shape.split(|byte| *byte == SLOT).enumerate() {
        if index > 0 {
            out.extend_from_slice(VARIES);
        }
        out.extend_from_slice(fixed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_kind_share_a_pattern() {
        let mut patterns = Patterns::default();
        for (message, pattern) in [
            ("took 5 ms", "took <*> ms"),
            ("took long", "took long"),
            ("10.0.0.1: 5", "<*>: <*>"),
            ("", ""),
        ] {
            assert_eq!(patterns.of(message.as_bytes()), pattern.as_bytes());
        }
    }
}
