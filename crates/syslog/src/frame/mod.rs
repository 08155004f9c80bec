//! Cuts a TCP or TLS stream into messages (RFC 6587, RFC 5425).
//!
//! Each frame says for itself how it is framed: digits and a space are an octet count where a
//! priority or a packed message follows, anything else is text up to the next line feed. So a line
//! of text may start with a number. Behind a first count that was shown in this way, any is
//! believed: messages without a priority are counted too. Senders that mix the two, or that start
//! the connection with a keep-alive line, are read right; syslog-ng decides once per connection
//! and is not.
//!
//! What must stay true:
//! - any split of the stream gives the same frames;
//! - the framer keeps no bytes: the caller's buffer does, and `message_bytes_max` plus
//!   [`FRAME_OVERHEAD_BYTES`] of it are always enough;
//! - `raw` is what the sender framed, byte for byte, without the count and the terminator;
//! - a frame that is too long is cut and the rest of it skipped, and the next one is whole;
//! - a count that cannot be is not guessed at: the line is kept whole, the wrong count with it.
//!
//! A NUL ends a message where a priority or the end of the stream follows it, and everywhere once
//! one has: such a sender ends all its messages so, and the last one does not wait for the next.
//! Before that, a message that holds a NUL stays one message, unlike in syslog-ng's text transport.
//! One NUL beside the line feed is taken for a part of the terminator.
//!
//! The one guess is made where a count was provably wrong: text right behind an octet-counted
//! frame that starts with neither a priority nor a count. `loggen -P` with too small a `-s` sends
//! that, and no line feed at all, so such text also ends where a count and `<` stand.

#[cfg(test)]
mod tests;

use memchr::{memchr, memchr2};
use model::Tag;
use model::limits::{MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MAX};

use crate::limits::{
    FRAME_BYTES_MAX, FRAME_OVERHEAD_BYTES, OCTET_COUNT_DIGITS_MAX, OCTET_COUNT_SIGNIFICANT_MAX,
    PRIORITY_DIGITS_MAX, TERMINATOR_BYTES_MAX,
};
use crate::packing;

/// How the messages of a stream are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// By octet counts and line feeds, each message by what stands in front of it; by NULs where
    /// the sender shows that it ends messages with them.
    #[default]
    Auto,
    /// By line feeds alone: digits and a space are text.
    Lines,
    /// By NULs alone: a message may have several lines.
    Nul,
}

/// What a framer may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramerOptions {
    /// How messages are told apart.
    pub framing: Framing,
    /// Longest message in bytes; the rest of a longer one is cut off. Held to 1 to
    /// [`MESSAGE_BYTES_MAX`].
    pub message_bytes_max: usize,
}

impl Default for FramerOptions {
    fn default() -> Self {
        Self {
            framing: Framing::Auto,
            message_bytes_max: MESSAGE_BYTES_DEFAULT,
        }
    }
}

/// One message as it was framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The message, byte for byte; never empty, at most `message_bytes_max` long.
    pub raw: &'a [u8],
    /// Bits of [`Tag::Truncated`], [`Tag::InvalidOctetCount`] and [`Tag::IncompleteFrame`], to be
    /// added to the record's tags.
    pub tags: u64,
}

/// What became of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A message. The next call gets the buffer from `consumed` on.
    Frame {
        /// The message.
        frame: Frame<'a>,
        /// Bytes of the buffer that are done with.
        consumed: usize,
    },
    /// No complete message. The next call gets the buffer from `consumed` on, and more behind it.
    NeedMore {
        /// Bytes of the buffer that are done with.
        consumed: usize,
    },
}

/// Cuts one stream into messages; one framer a connection.
#[derive(Clone, Debug)]
pub struct Framer {
    framing: Framing,
    message_bytes_max: usize,
    state: State,
    /// Bytes of the present frame that are known to hold no end.
    scanned: usize,
    /// Whether the last frame had an octet count.
    was_counted: bool,
    /// Whether any had.
    has_counted: bool,
    /// Whether a NUL has ended a message.
    ends_by_nul: bool,
    cut_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The buffer starts with a frame.
    Start,
    /// The rest of a line is to be skipped.
    SkipLine,
    /// So many bytes are to be skipped.
    SkipOctets(usize),
}

/// How a frame says it is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    /// Digits, and perhaps the start of a priority: the next bytes decide.
    Unknown,
    /// A line of text.
    Text,
    /// A line of text with digits in front that were meant as a count.
    WrongCount,
    /// `count` bytes behind a header of `len`.
    Counted { len: usize, count: usize },
}

impl Framer {
    /// A framer at the start of a stream.
    pub fn new(options: FramerOptions) -> Self {
        Self {
            framing: options.framing,
            message_bytes_max: options.message_bytes_max.clamp(1, MESSAGE_BYTES_MAX),
            state: State::Start,
            scanned: 0,
            was_counted: false,
            has_counted: false,
            ends_by_nul: false,
            cut_bytes: 0,
        }
    }

    /// The size of the caller's buffer with which every frame can be found, in bytes.
    pub fn buffer_bytes_min(&self) -> usize {
        self.message_bytes_max + FRAME_OVERHEAD_BYTES
    }

    /// Bytes cut off messages that were too long, so far.
    pub fn cut_bytes(&self) -> u64 {
        self.cut_bytes
    }

    /// Whether the message that [`Self::next`] found last had an octet count.
    pub fn was_counted(&self) -> bool {
        self.was_counted
    }

    /// Finds the next message.
    ///
    /// `buffer` is the stream from where the last call left off: what it consumed gone, what it
    /// did not consume still in front. Call until it needs more, then read more.
    pub fn next<'b>(&mut self, buffer: &'b [u8]) -> Step<'b> {
        let mut start = match self.skip(buffer) {
            Ok(start) => start,
            Err(consumed) => return Step::NeedMore { consumed },
        };
        loop {
            start += self.leading_terminators(buffer.get(start..).unwrap_or(&[]));
            let rest = buffer.get(start..).unwrap_or(&[]);
            let found = match header(self.framing, rest, self.has_counted) {
                Header::Unknown => None,
                Header::Counted { len, count } => self.counted(rest, len, count),
                Header::WrongCount => self.line(rest, Tag::InvalidOctetCount.bit()),
                Header::Text => self.line(rest, 0),
            };
            let Some((frame, consumed)) = found else {
                return Step::NeedMore { consumed: start };
            };
            start += consumed;
            self.scanned = 0;
            let is_cut = frame.tags & Tag::Truncated.bit() != 0;
            if is_cut || !is_terminator_only(frame.raw) {
                return Step::Frame {
                    frame,
                    consumed: start,
                };
            }
        }
    }

    /// The message that the end of the stream cut short, if any, with
    /// [`Tag::IncompleteFrame`]. `buffer` is what is left when [`Self::next`] needed more. The
    /// framer is as new afterwards.
    pub fn finish<'b>(&mut self, buffer: &'b [u8]) -> Option<Frame<'b>> {
        let start = self.skip(buffer);
        let is_leftover = self.was_counted;
        let has_counted = std::mem::take(&mut self.has_counted);
        *self = Self {
            cut_bytes: self.cut_bytes,
            ..Self::new(FramerOptions {
                framing: self.framing,
                message_bytes_max: self.message_bytes_max,
            })
        };
        let rest = buffer.get(start.ok()?..)?;
        let rest = rest.get(self.leading_terminators(rest)..)?;
        let incomplete = Tag::IncompleteFrame.bit();
        let wrong_count = Tag::InvalidOctetCount.bit();
        let (body, tags) = match header(self.framing, rest, has_counted) {
            Header::Counted { len, .. } if len < rest.len() => (rest.get(len..)?, incomplete),
            Header::WrongCount => (rest, incomplete | wrong_count),
            Header::Text if is_leftover && !rest.starts_with(b"<") => {
                (rest, incomplete | wrong_count)
            }
            Header::Text if self.framing == Framing::Auto && rest.ends_with(b"\0") => (rest, 0),
            _ => (rest, incomplete),
        };
        let frame = self.cut(trim_terminator(body), tags);
        (!is_terminator_only(frame.raw)).then_some(frame)
    }

    /// Where a text that is not counted ends, behind what ends it, if that is within the first
    /// `window` bytes. Else how far there is no end for sure: to a NUL of which it is not known yet
    /// what follows, or to the end of the window. The first `scanned` bytes hold no end.
    fn text_end(&mut self, text: &[u8], window: usize, scanned: usize) -> Result<usize, usize> {
        let window = text.get(..window).unwrap_or(text);
        let mut from = scanned;
        loop {
            let unread = window.get(from..).unwrap_or(&[]);
            let found = match self.framing {
                Framing::Auto => memchr2(b'\n', b'\0', unread),
                Framing::Lines => memchr(b'\n', unread),
                Framing::Nul => memchr(b'\0', unread),
            };
            let at = from + found.ok_or(window.len())?;
            let is_nul = window.get(at) == Some(&b'\0');
            if !is_nul || self.framing == Framing::Nul || self.ends_by_nul {
                return Ok(at + 1);
            }
            from = at + 1;
            if starts_with_priority(text.get(from..).unwrap_or(&[])).ok_or(at)? {
                self.ends_by_nul = true;
                return Ok(from);
            }
        }
    }

    /// Number of bytes that end nothing.
    fn leading_terminators(&self, rest: &[u8]) -> usize {
        let ends_nothing = |byte: &&u8| match self.framing {
            Framing::Auto | Framing::Lines => matches!(byte, b'\n' | b'\0'),
            Framing::Nul => **byte == b'\0',
        };
        rest.iter().take_while(ends_nothing).count()
    }

    /// Skips what is left of a frame that was cut. Returns the offset behind it, or how much of the
    /// buffer belongs to it where its end is not there.
    fn skip(&mut self, buffer: &[u8]) -> Result<usize, usize> {
        let (skipped, end) = match self.state {
            State::Start => return Ok(0),
            State::SkipLine => match self.text_end(buffer, buffer.len(), 0) {
                Ok(end) => (end - 1, Ok(end)),
                Err(skipped) => (skipped, Err(skipped)),
            },
            State::SkipOctets(count) if count > buffer.len() => {
                self.state = State::SkipOctets(count - buffer.len());
                (buffer.len(), Err(buffer.len()))
            }
            State::SkipOctets(count) => (count, Ok(count)),
        };
        self.cut_bytes = self.cut_bytes.saturating_add(skipped as u64);
        if end.is_ok() {
            self.state = State::Start;
        }
        end
    }

    /// An octet-counted frame and its length, if it is there as far as it is kept.
    fn counted<'b>(
        &mut self,
        rest: &'b [u8],
        header_len: usize,
        count: usize,
    ) -> Option<(Frame<'b>, usize)> {
        let message_end = header_len + self.message_bytes_max;
        if count > self.message_bytes_max + TERMINATOR_BYTES_MAX {
            let raw = rest.get(header_len..message_end)?;
            self.state = State::SkipOctets(count - self.message_bytes_max);
            (self.was_counted, self.has_counted) = (true, true);
            let tags = Tag::Truncated.bit();
            return Some((Frame { raw, tags }, message_end));
        }
        let body = rest.get(header_len..header_len + count)?;
        (self.was_counted, self.has_counted) = (true, true);
        Some((self.cut(trim_counted(body), 0), header_len + count))
    }

    /// A line of text and its length with what ends it, if it is there as far as it is kept.
    fn line<'b>(&mut self, rest: &'b [u8], tags: u64) -> Option<(Frame<'b>, usize)> {
        let window_len = self.message_bytes_max + TERMINATOR_BYTES_MAX;
        let window = rest.get(..window_len).unwrap_or(rest);
        let is_leftover = self.was_counted && !rest.starts_with(b"<");
        let tags = if is_leftover {
            tags | Tag::InvalidOctetCount.bit()
        } else {
            tags
        };
        let end = if is_leftover {
            leftover_end(window, self.scanned).ok_or(window.len())
        } else {
            self.text_end(rest, window_len, self.scanned)
        };
        match end {
            Ok(end) => {
                self.was_counted = false;
                let line = window.get(..end)?;
                return Some((self.cut(trim_terminator(line), tags), end));
            }
            Err(scanned) if scanned < window_len => {
                self.scanned = scanned;
                return None;
            }
            Err(_) => {}
        }
        self.was_counted = false;
        self.state = State::SkipLine;
        let raw = rest.get(..self.message_bytes_max)?;
        let tags = tags | Tag::Truncated.bit();
        Some((Frame { raw, tags }, self.message_bytes_max))
    }

    /// The message, cut where it is too long.
    fn cut<'b>(&mut self, raw: &'b [u8], tags: u64) -> Frame<'b> {
        match raw.split_at_checked(self.message_bytes_max) {
            Some((kept, cut)) if !cut.is_empty() => {
                self.cut_bytes = self.cut_bytes.saturating_add(cut.len() as u64);
                Frame {
                    raw: kept,
                    tags: tags | Tag::Truncated.bit(),
                }
            }
            _ => Frame { raw, tags },
        }
    }
}

/// A message without its terminator: LF or NUL, and a NUL on either side of LF. A CR stays, so that lines
/// come back as they were; the parser counts it to no part of the message.
pub fn trim_terminator(message: &[u8]) -> &[u8] {
    let message = message.strip_suffix(b"\0").unwrap_or(message);
    let Some(message) = message.strip_suffix(b"\n") else {
        return message;
    };
    message.strip_suffix(b"\0").unwrap_or(message)
}

/// The same for a message whose length is known: of a datagram, of a counted frame, of RELP. A packed
/// message ends with a checksum, which may well look like a terminator, and is left alone.
pub fn trim_counted(message: &[u8]) -> &[u8] {
    if packing::of_message(message).is_some() {
        return message;
    }
    trim_terminator(message)
}

/// Reads what stands in front of a frame. Cisco's sequence numbers, dates, addresses and ordinary
/// text start with digits too: what follows them shows whether a count was meant.
fn header(framing: Framing, rest: &[u8], has_counted: bool) -> Header {
    match (framing, rest) {
        (_, []) => return Header::Unknown,
        (Framing::Lines | Framing::Nul, _) => return Header::Text,
        (Framing::Auto, _) => {}
    }
    let digits = rest
        .iter()
        .take(OCTET_COUNT_DIGITS_MAX + 1)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (number, behind) = rest.split_at(digits);
    match behind {
        _ if digits > OCTET_COUNT_DIGITS_MAX => Header::WrongCount,
        [] => Header::Unknown,
        _ if digits == 0 => Header::Text,
        [b' ', message @ ..] => match (has_counted, starts_message(message)) {
            (false, None) => Header::Unknown,
            (false, Some(false)) => Header::Text,
            (true, _) | (_, Some(true)) => match octet_count(number) {
                Some(count) => Header::Counted {
                    len: digits + 1,
                    count,
                },
                None => Header::WrongCount,
            },
        },
        [b'<', ..] => Header::WrongCount,
        _ => Header::Text,
    }
}

/// Whether bytes are what messages start with on the wire, and text behind a number hardly does: a
/// priority, or a message that was packed by itself. `None` where more of them are needed.
fn starts_message(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [b'z'] | [b'z', b'x'] => None,
        [b'z', ..] => Some(packing::of_message(bytes).is_some()),
        _ => starts_with_priority(bytes),
    }
}

/// Whether bytes start with a priority; `None` where more of them are needed.
fn starts_with_priority(bytes: &[u8]) -> Option<bool> {
    let (first, behind) = bytes.split_first()?;
    let digits = behind.iter().take(PRIORITY_DIGITS_MAX);
    let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
    match (first, behind.get(digits)) {
        (b'<', None) => None,
        (b'<', Some(b'>')) => Some(digits > 0),
        _ => Some(false),
    }
}

/// The value of a count; `None` where it is zero or larger than is believed.
fn octet_count(digits: &[u8]) -> Option<usize> {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let significant = digits.get(zeros..)?;
    if significant.is_empty() || significant.len() > OCTET_COUNT_SIGNIFICANT_MAX {
        return None;
    }
    let count = significant.iter().fold(0_usize, |count, digit| {
        count * 10 + usize::from(digit.wrapping_sub(b'0'))
    });
    (count <= FRAME_BYTES_MAX).then_some(count)
}

/// Where text behind a wrong count ends: behind a line feed, before a count and `<`, or between a NUL
/// and `<`.
fn leftover_end(window: &[u8], scanned: usize) -> Option<usize> {
    let mut from = scanned;
    loop {
        let found = from + memchr2(b'\n', b'<', window.get(from..)?)?;
        if window.get(found) == Some(&b'\n') {
            return Some(found + 1);
        }
        let before = window.get(..found)?;
        if before.len() > 1 && before.ends_with(b"\0") {
            return Some(found);
        }
        if let Some(before) = before.strip_suffix(b" ") {
            let digits = before
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let start = before.len() - digits;
            if start > 0 && (1..=OCTET_COUNT_DIGITS_MAX).contains(&digits) {
                return Some(start);
            }
        }
        from = found + 1;
    }
}

/// Whether nothing but terminators stands in a frame, as in a keep-alive line.
fn is_terminator_only(raw: &[u8]) -> bool {
    raw.iter().all(|byte| matches!(byte, b'\r' | b'\n' | b'\0'))
}
