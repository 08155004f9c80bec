//! Which formats have fields of a name that need not stand in the message, and by which words such
//! messages are told.

use crate::{access_log, event};

/// Letters that, behind a backslash, stand for white space or a control character. In the message
/// they are joined to the word that follows.
pub const ESCAPE_LETTERS: [u8; 5] = *b"bfnrt";

/// Words of which one stands in each message that is an access log, in lower case: its time has the
/// month.
pub const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// A format that has a field of a name wherever it is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Access logs: one of [`MONTHS`] is a word of the message.
    AccessLog,
    /// CEF: `cef` is a word of the message.
    Cef,
    /// LEEF: `leef` is a word of the message.
    Leef,
}

impl Origin {
    /// The formats that have a field of this name, in any ASCII case, without the name in the text.
    pub fn of(name: &[u8]) -> impl Iterator<Item = Self> {
        let is_among = |names: &[&str]| {
            let mut names = names.iter();
            names.any(|known| known.as_bytes().eq_ignore_ascii_case(name))
        };
        let found = [
            is_among(&access_log::NAMES).then_some(Self::AccessLog),
            is_among(&event::CEF_NAMES).then_some(Self::Cef),
            is_among(&event::LEEF_NAMES).then_some(Self::Leef),
        ];
        found.into_iter().flatten()
    }
}

/// Whether a word, in lower case, starts as an escaped character does: `u` and four hexadecimal
/// digits.
pub fn is_escape_word(word: &[u8]) -> bool {
    matches!(word, [b'u', digits @ ..] if digits.len() >= 4
        && digits.iter().take(4).all(u8::is_ascii_hexdigit))
}
