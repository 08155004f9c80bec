//! A position in a byte slice that can only be moved, never run off the end.

use model::Span;

/// Reads a slice from the front. Copy it to look ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Everything from the next byte on.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// The next byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte `ahead` bytes behind the next one.
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at.saturating_add(ahead)).copied()
    }

    /// Whether nothing is left.
    pub(crate) fn is_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Moves on, at most to the end.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    /// Moves over the byte if it is next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.at += 1;
        }
        is_next
    }

    /// Moves over the text if it is next.
    pub(crate) fn eat_text(&mut self, text: &[u8]) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Moves over a run of the byte.
    pub(crate) fn eat_run(&mut self, byte: u8) {
        while self.eat(byte) {}
    }

    /// Moves over bytes that fit and returns them.
    pub(crate) fn take_while(&mut self, fits: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let len = rest
            .iter()
            .position(|byte| !fits(*byte))
            .unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or(&[])
    }

    /// Moves over a run of ASCII digits and returns it.
    pub(crate) fn take_digits(&mut self) -> &'a [u8] {
        self.take_while(|byte| byte.is_ascii_digit())
    }

    /// Moves to the next space or the end and returns the word before it.
    pub(crate) fn take_word(&mut self) -> &'a [u8] {
        self.take_while(|byte| byte != b' ')
    }

    /// The span from an earlier offset to here.
    pub(crate) fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The span of everything left.
    pub(crate) fn span_of_rest(&self) -> Span {
        Span::new(self.at, self.bytes.len())
    }
}
