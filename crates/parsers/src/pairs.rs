//! What a parser found. Names and values are places in the input, or in a buffer for those that do not
//! stand there as they are; so a parser copies only what has escapes, and allocates nothing once the
//! buffers have grown.

use memchr::memchr;
use model::limits::RECORD_FIELDS_MAX;
use regex_automata::util::primitives::NonMaxUsize;
use text_fields::Detector;

use crate::limits::{NAME_BYTES_MAX, OWN_BYTES_MAX};

/// What a parser found; reused from record to record so that nothing allocates.
#[derive(Debug, Default)]
pub struct Pairs {
    pairs: Vec<Pair>,
    own: Vec<u8>,
    is_truncated: bool,
    pub(crate) scratch: Scratch,
}

/// Memory of parsers, which are shared by threads and have none.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The names around the place at hand, each with its delimiter behind it.
    pub(crate) path: Vec<u8>,
    /// A text that is put together.
    pub(crate) text: Vec<u8>,
    /// What finds the fields of messages at search time.
    pub(crate) detector: Detector,
    /// The places of groups of a regular expression.
    pub(crate) slots: Vec<Option<NonMaxUsize>>,
}

/// A name or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// It stands in the input.
    Input {
        /// Where it starts.
        start: u32,
        /// Its length in bytes.
        len: u32,
    },
    /// It stands in [`Pairs::own`].
    Own {
        /// Where it starts.
        start: u32,
        /// Its length in bytes.
        len: u32,
    },
}

/// A name and its value, neither of them empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name, of at most [`NAME_BYTES_MAX`] bytes.
    pub name: Piece,
    /// The value.
    pub value: Piece,
}

impl Piece {
    /// A stretch of the input. Inputs are messages and far shorter than what 32 bits can say; what lies
    /// behind is no piece.
    pub fn input(start: usize, end: usize) -> Self {
        let (start, len) = narrow(start, end);
        Self::Input { start, len }
    }

    /// A part of it: so many bytes from a place of it on.
    pub(crate) fn part(self, from: usize, len: usize) -> Self {
        let (Self::Input { start, .. } | Self::Own { start, .. }) = self;
        let first = start as usize + from;
        let (start, len) = narrow(first, first + len);
        match self {
            Self::Input { .. } => Self::Input { start, len },
            Self::Own { .. } => Self::Own { start, len },
        }
    }

    /// Its length in bytes.
    pub fn byte_len(self) -> usize {
        let (Self::Input { len, .. } | Self::Own { len, .. }) = self;
        len as usize
    }
}

/// Start and length of a stretch; nothing where they do not fit.
fn narrow(start: usize, end: usize) -> (u32, u32) {
    match u32::try_from(end) {
        // What is not behind the end fits as well.
        Ok(end) if start <= end as usize => (start as u32, end - start as u32),
        _ => (0, 0),
    }
}

impl Pairs {
    /// Forgets all of them, and keeps the memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.own.clear();
        self.is_truncated = false;
    }

    /// The pairs, in the order of the input.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// What [`Piece::Own`] points into.
    pub fn own(&self) -> &[u8] {
        &self.own
    }

    /// The bytes of a piece.
    pub fn get<'a>(&'a self, piece: Piece, input: &'a [u8]) -> &'a [u8] {
        let (text, start, len) = match piece {
            Piece::Input { start, len } => (input, start, len),
            Piece::Own { start, len } => (self.own.as_slice(), start, len),
        };
        let text = text.get(start as usize..).unwrap_or_default();
        text.get(..len as usize).unwrap_or_default()
    }

    /// Whether a limit kept something out: [`RECORD_FIELDS_MAX`] pairs, [`NAME_BYTES_MAX`] of a name,
    /// [`OWN_BYTES_MAX`] of own text.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Adds a pair. What has no name or no value is none, and is left out. Returns whether there is room
    /// for more.
    pub fn push(&mut self, name: Piece, value: Piece) -> bool {
        if name.byte_len() == 0 || value.byte_len() == 0 {
            return true;
        }
        if name.byte_len() > NAME_BYTES_MAX {
            self.is_truncated = true;
            return true;
        }
        if self.pairs.len() >= RECORD_FIELDS_MAX {
            self.is_truncated = true;
            return false;
        }
        self.pairs.push(Pair { name, value });
        true
    }

    /// Adds text that does not stand in the input; `None` where there is no room for it.
    pub fn push_own(&mut self, text: &[u8]) -> Option<Piece> {
        self.push_own_with(text.len(), |own| own.extend_from_slice(text))
    }

    /// The same of text that `append` makes, of so many bytes at most.
    pub(crate) fn push_own_with(
        &mut self,
        bytes_max: usize,
        append: impl FnOnce(&mut Vec<u8>),
    ) -> Option<Piece> {
        let start = self.own.len();
        if start.saturating_add(bytes_max) > OWN_BYTES_MAX {
            self.is_truncated = true;
            return None;
        }
        append(&mut self.own);
        let (start, len) = narrow(start, self.own.len());
        Some(Piece::Own { start, len })
    }

    /// Adds a pair of texts, of which either may stand in the input. Returns whether there is room for more.
    pub(crate) fn push_texts(&mut self, name: &[u8], value: &[u8], input: &[u8]) -> bool {
        let pieces = self.piece_of(name, input).zip(self.piece_of(value, input));
        // A text without room is left out; others may have room.
        pieces.is_none_or(|(name, value)| self.push(name, value))
    }

    /// Adds a pair with a name that does not stand in the input.
    pub(crate) fn push_named(&mut self, name: &[u8], value: Piece) {
        if name.len() > NAME_BYTES_MAX {
            self.is_truncated = true;
        } else if value.byte_len() > 0
            && let Some(name) = self.push_own(name)
        {
            self.push(name, value);
        }
    }

    /// A part of the input as a piece, without its escapes if it has the byte that they start with.
    pub(crate) fn piece_with(
        &mut self,
        text: &[u8],
        input: &[u8],
        mark: u8,
        unescape: impl FnOnce(&[u8], &mut Vec<u8>),
    ) -> Option<Piece> {
        if memchr(mark, text).is_none() {
            return self.piece_of(text, input);
        }
        self.push_own_with(text.len(), |own| unescape(text, own))
    }

    /// A text as a piece: a place in the input where it is a part of that, else own text.
    fn piece_of(&mut self, text: &[u8], input: &[u8]) -> Option<Piece> {
        let start = text.as_ptr().addr().wrapping_sub(input.as_ptr().addr());
        match start.checked_add(text.len()) {
            Some(end) if end <= input.len() => Some(Piece::input(start, end)),
            _ => self.push_own(text),
        }
    }

    /// Gives the pair at a place another name; returns whether that can be one.
    pub(crate) fn rename(&mut self, at: usize, name: &[u8]) -> bool {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return false;
        }
        let own = self.push_own(name);
        match (self.pairs.get_mut(at), own) {
            (Some(pair), Some(own)) => {
                pair.name = own;
                true
            }
            _ => false,
        }
    }

    /// Takes pairs out.
    pub(crate) fn remove(&mut self, is_one: impl Fn(usize) -> bool) {
        let mut at = 0;
        self.pairs.retain(|_| {
            at += 1;
            !is_one(at - 1)
        });
    }

    /// Notes that a limit kept something out.
    pub(crate) fn note_truncated(&mut self) {
        self.is_truncated = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_both_kinds_are_found_again() {
        let input = b"user=root";
        let mut pairs = Pairs::default();
        let own = pairs.push_own(b"account").unwrap();
        assert!(pairs.push(own, Piece::input(5, 9)));
        assert!(pairs.push(own.part(2, 3), Piece::input(0, 4)));
        let text = |piece| pairs.get(piece, input);
        let [first, second] = pairs.pairs() else {
            panic!("two pairs");
        };
        assert_eq!(
            (text(first.name), text(first.value)),
            (&b"account"[..], &b"root"[..])
        );
        assert_eq!(
            (text(second.name), text(second.value)),
            (&b"cou"[..], &b"user"[..])
        );
        assert!(!pairs.is_truncated());
    }

    #[test]
    fn what_is_empty_is_no_pair() {
        let mut pairs = Pairs::default();
        assert!(pairs.push(Piece::input(0, 0), Piece::input(0, 1)));
        assert!(pairs.push(Piece::input(0, 1), Piece::input(1, 1)));
        assert!(pairs.pairs().is_empty() && !pairs.is_truncated());
    }

    #[test]
    fn limits_are_kept_and_told() {
        let mut pairs = Pairs::default();
        let value = Piece::input(0, 1);
        for _ in 0..RECORD_FIELDS_MAX {
            assert!(pairs.push(value, value));
        }
        assert!(!pairs.is_truncated());
        assert!(!pairs.push(value, value) && pairs.is_truncated());
        assert_eq!(pairs.pairs().len(), RECORD_FIELDS_MAX);

        pairs.clear();
        assert!(pairs.push(Piece::input(0, NAME_BYTES_MAX), value) && !pairs.is_truncated());
        assert!(pairs.push(Piece::input(0, NAME_BYTES_MAX + 1), value));
        assert!(pairs.is_truncated() && pairs.pairs().len() == 1);

        pairs.clear();
        assert!(pairs.push_own(&vec![b'x'; OWN_BYTES_MAX]).is_some() && !pairs.is_truncated());
        assert!(pairs.push_own(b"x").is_none() && pairs.is_truncated());
    }

    #[test]
    fn a_piece_of_another_input_is_nothing() {
        let pairs = Pairs::default();
        assert_eq!(pairs.get(Piece::input(3, 9), b"short"), b"");
        assert_eq!(pairs.get(Piece::input(9, 3), b"short"), b"");
        assert_eq!(
            pairs.get(Piece::input(usize::MAX - 1, usize::MAX), b"short"),
            b""
        );
    }
}
