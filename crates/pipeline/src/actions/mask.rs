//! What should not be read is made unreadable. `raw` keeps it.

use std::sync::Arc;

use model::Editor;
use regex::bytes::Regex;
use ring::hmac;

use super::subst::{InvalidRegex, compile};
use crate::place::Target;
use crate::step::{Action, Failure, Scratch};

/// Masks parts and fields, or what matches in them.
#[derive(Clone, Debug)]
pub struct Mask {
    targets: Vec<Target>,
    pattern: Option<Regex>,
    masking: Masking,
}

/// What stands there then.
#[derive(Clone, Debug)]
pub enum Masking {
    /// This text.
    Redact(String),
    /// As many asterisks as there were characters, but for the last four.
    KeepLastFour,
    /// The first 16 hexadecimal digits of HMAC-SHA-256 with a key: equal values stay equal.
    Hash(Arc<hmac::Key>),
}

/// Hexadecimal digits of a hash: 64 bits, so that a billion values hardly meet.
const HASH_BYTES: usize = 8;

impl Masking {
    /// A hash with the key of a text.
    pub fn hash(key: &str) -> Self {
        Self::Hash(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())))
    }

    fn write(&self, text: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Redact(with) => out.extend_from_slice(with.as_bytes()),
            Self::KeepLastFour => {
                let starts = |byte: &&u8| **byte & 0xc0 != 0x80;
                let characters = text.iter().filter(starts).count();
                // A text of up to four characters would show as a whole.
                let masked = if characters > 4 {
                    characters - 4
                } else {
                    characters
                };
                let mut seen = 0;
                for byte in text {
                    seen += usize::from(starts(&byte));
                    if seen > masked {
                        out.push(*byte);
                    } else if starts(&byte) {
                        out.push(b'*');
                    }
                }
            }
            Self::Hash(key) => {
                let tag = hmac::sign(key, text);
                for byte in tag.as_ref().iter().take(HASH_BYTES) {
                    out.extend(format!("{byte:02x}").bytes());
                }
            }
        }
    }
}

impl Mask {
    /// With a `pattern` only what it matches is masked.
    ///
    /// # Errors
    /// When the pattern is no regular expression.
    pub fn new(
        targets: Vec<Target>,
        pattern: Option<&str>,
        masking: Masking,
    ) -> Result<Self, InvalidRegex> {
        let pattern = pattern.map(|pattern| compile(pattern, false)).transpose()?;
        Ok(Self {
            targets,
            pattern,
            masking,
        })
    }
}

impl Action for Mask {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        for target in &self.targets {
            let (input, text) = (&mut scratch.input, &mut scratch.text);
            input.clear();
            text.clear();
            target.read(record.record(), input);
            if input.is_empty() {
                continue;
            }
            match &self.pattern {
                None => self.masking.write(input, text),
                Some(pattern) => {
                    let mut end = 0;
                    for found in pattern.find_iter(input) {
                        text.extend_from_slice(input.get(end..found.start()).unwrap_or_default());
                        self.masking.write(found.as_bytes(), text);
                        end = found.end();
                    }
                    if end == 0 {
                        continue;
                    }
                    text.extend_from_slice(input.get(end..).unwrap_or_default());
                }
            }
            target.write(record, text)?;
        }
        Ok(())
    }
}
