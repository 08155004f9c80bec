//! One text, the same in every message, as `tcpflood -M` sends it.

use model::Timestamp;
use model::limits::MESSAGE_BYTES_MAX;

use crate::{Error, Source};

/// Messages that are all this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    text: Vec<u8>,
}

impl Fixed {
    /// The text may not be empty and not longer than a message.
    pub fn new(text: &str) -> Result<Self, Error> {
        if !(1..=MESSAGE_BYTES_MAX).contains(&text.len()) {
            return Err(Error::OutOfRange {
                what: "the size of the text",
                found: text.len() as u64,
                min: 1,
                max: MESSAGE_BYTES_MAX as u64,
            });
        }
        Ok(Self { text: text.into() })
    }
}

impl Source for Fixed {
    fn next_message(&mut self, _: Timestamp, out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&self.text);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_the_text() {
        let mut source = Fixed::new("<13>one").expect("a text");
        let mut out = Vec::new();
        for _ in 0..2 {
            assert!(source.next_message(Timestamp::from_seconds(0), &mut out));
        }
        assert_eq!(out, b"<13>one<13>one");
        Fixed::new("").expect_err("it is empty");
        Fixed::new(&"x".repeat(MESSAGE_BYTES_MAX + 1)).expect_err("it is too long");
    }
}
