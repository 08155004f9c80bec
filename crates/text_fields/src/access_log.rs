//! Access logs in the common and the combined format, as Apache, nginx and many others write them:
//!
//! ```text
//! client ident user [10/Oct/2000:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "referrer" "agent"
//! ```
//!
//! The name of the virtual host may stand before it all. What stands behind, such as the `rt=0.05` of
//! many configurations, is text as any other. A lone `-` says that there is no value. The time is no
//! field: a record has one already.

use memchr::{memchr, memchr2};

use crate::origin::MONTHS;
use crate::out::{Note, Out, Sink};
use crate::rule::Part;
use crate::unescape::Escapes;

/// The names of the fields. None of them stands in the message.
pub(crate) const NAMES: [&str; 12] = [
    "vhost", "client", "ident", "user", "method", "url", "path", "protocol", "status", "bytes",
    "referrer", "agent",
];

/// The names of those behind all others.
const QUOTED: [&str; 2] = ["referrer", "agent"];

/// The names of the words before the time.
const WORDS: [&str; WORDS_MAX] = ["vhost", "client", "ident", "user"];

/// Words before the time, at most.
const WORDS_MAX: usize = 4;

/// Length of `10/Oct/2000:13:55:36`, of what stands behind `[`.
const TIME_BYTES: usize = 20;

/// Reads an access log; returns the place behind it, 0 where it is none.
pub(crate) fn read<S: Sink>(out: &mut Out<'_, '_, S>) -> usize {
    let Some(log) = Log::of(out.text) else {
        return 0;
    };
    let mut buffer = Vec::new();
    for (name, value) in WORDS.into_iter().zip(log.words) {
        out.unless_dash(name.as_bytes(), value, None);
    }
    let request = log.request;
    match request.splitn(3, |byte| *byte == b' ').collect::<Vec<_>>()[..] {
        [method, url, protocol] => {
            out.read_part(request, Part::Request);
            let parts = [
                ("method", method, 0, None),
                ("url", url, 1, None),
                ("path", url, 1, Some(b'?')),
                ("protocol", protocol, 2, None),
            ];
            for (name, part, number, up_to) in parts {
                if S::OUTLINES {
                    out.note(Note::RequestPart(number));
                    out.unless_dash(name.as_bytes(), request, up_to);
                } else {
                    out.unless_dash(name.as_bytes(), part, up_to);
                }
            }
        }
        // What is no request, such as the start of TLS at a port without it.
        _ => {
            out.read_part(request, Part::Fixed);
            out.unless_dash(b"url", request, None);
        }
    }
    out.unless_dash(b"status", log.status, None);
    out.unless_dash(b"bytes", log.bytes, None);
    let quoted = log.quoted.into_iter().flatten();
    for (name, value) in QUOTED.into_iter().zip(quoted) {
        if S::OUTLINES {
            out.read_part(value, Part::Quoted);
            if memchr(b'\\', value).is_some() {
                out.read_part(value, Part::Unknown);
            }
            // An empty one is a field.
            out.if_not_dash(name.as_bytes(), value);
        } else if value != b"-" {
            out.escaped(name.as_bytes(), value, Escapes::Quotes, &mut buffer);
        }
    }
    log.note_parts(out);
    log.end
}

/// Whether a text starts with an access log.
pub(crate) fn is_one(text: &[u8]) -> bool {
    Log::of(text).is_some()
}

/// Whether the field of a name stands behind all others.
pub(crate) fn is_quoted(name: &[u8]) -> bool {
    let mut names = QUOTED.into_iter();
    names.any(|own| own.as_bytes().eq_ignore_ascii_case(name))
}

/// What the start of a message tells of a field that it has if it is an access log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead<'m> {
    /// Nothing yet.
    Open,
    /// The message is no access log.
    NoLog,
    /// The value, but for a lone `-`, which is none, if the message is one.
    Value(&'m [u8]),
}

impl<'m> Lead<'m> {
    /// What a start tells of a field of a name, in any ASCII case. Values are told of the words before the
    /// time, once that has begun.
    pub fn of(name: &[u8], start: &'m [u8]) -> Self {
        let (words, time) = match Words::of(start) {
            Words::Open => return Self::Open,
            Words::None => return Self::NoLog,
            Words::Before { words, time } => (words, time),
        };
        // It starts with a bracket.
        if time.len() > TIME_BYTES && !time.get(1..).is_some_and(is_time) {
            return Self::NoLog;
        }
        let is_it = |word: &str| word.as_bytes().eq_ignore_ascii_case(name);
        let at = WORDS.into_iter().position(is_it);
        let value = at.and_then(|at| words.get(at));
        value.map_or(Self::Open, |value| Self::Value(value))
    }
}

/// The parts of an access log.
struct Log<'m> {
    /// Virtual host, client, ident, user; the first may be empty.
    words: [&'m [u8]; WORDS_MAX],
    /// From the bracket that opens to the quotation mark behind the one that closes.
    time: &'m [u8],
    request: &'m [u8],
    status: &'m [u8],
    bytes: &'m [u8],
    /// Referrer and agent, in the combined format.
    quoted: Option<[&'m [u8]; 2]>,
    end: usize,
}

impl<'m> Log<'m> {
    /// Says what the parts may be.
    fn note_parts<S: Sink>(&self, out: &mut Out<'m, '_, S>) {
        out.read(0..self.end, Part::Frame);
        for word in self.words {
            out.read_part(word, Part::Word);
        }
        out.read_part(self.time, Part::Like);
        out.read_part(self.status, Part::Like);
        out.read_part(self.bytes, Part::NumberOrDash);
        // Whether there is a referrer, too, is told by two bytes.
        let behind = self.end..self.end + 2;
        let is_torn = self.quoted.is_none() && out.part(behind.start, behind.end) == b" \"";
        if is_torn {
            out.read(self.end..out.text.len(), Part::Fixed);
        }
    }

    fn of(text: &'m [u8]) -> Option<Self> {
        let Words::Before { words, time: rest } = Words::of(text) else {
            return None;
        };
        let from_time = rest;
        // The words have ended at a bracket.
        is_time(rest.get(1..)?).then_some(())?;
        let close = 1 + TIME_BYTES + memchr(b']', rest.get(1 + TIME_BYTES..)?.get(..8)?)?;
        let rest = rest.get(close..)?.strip_prefix(b"] \"")?;
        let (request, rest) = quoted(rest)?;
        let rest = rest.strip_prefix(b" ")?;
        let (status, rest) = word(rest)?;
        let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
        (status.len() == 3 && is_number(status)).then_some(())?;
        let (bytes, rest) = word(rest.strip_prefix(b" ")?)?;
        (bytes == b"-" || is_number(bytes)).then_some(())?;
        let combined = |rest: &'m [u8]| {
            let (referrer, rest) = quoted(rest.strip_prefix(b" \"")?)?;
            let (agent, rest) = quoted(rest.strip_prefix(b" \"")?)?;
            Some((Some([referrer, agent]), rest))
        };
        let (quoted, rest) = combined(rest).unwrap_or((None, rest));
        Some(Self {
            words,
            time: from_time.get(..close + b"] \"".len())?,
            request,
            status,
            bytes,
            quoted,
            end: text.len() - rest.len(),
        })
    }
}

/// The words that a text starts with if it is an access log.
enum Words<'m> {
    /// It ends before the time.
    Open,
    /// It is none.
    None,
    /// They are these, and the rest begins with the bracket of the time.
    Before {
        words: [&'m [u8]; WORDS_MAX],
        time: &'m [u8],
    },
}

impl<'m> Words<'m> {
    fn of(text: &'m [u8]) -> Self {
        let mut words: [&[u8]; WORDS_MAX] = [&[]; WORDS_MAX];
        let (mut rest, mut count) = (text, 0);
        while rest.first() != Some(&b'[') {
            let (Some((found, behind)), Some(next)) = (word(rest), words.get_mut(count)) else {
                return if rest.is_empty() {
                    Self::Open
                } else {
                    Self::None
                };
            };
            *next = found;
            count += 1;
            match behind.split_first() {
                None => return Self::Open,
                Some((b' ', behind)) => rest = behind,
                Some(_) => return Self::None,
            }
        }
        match count {
            // There is no virtual host.
            3 => words.rotate_right(1),
            WORDS_MAX => {}
            _ => return Self::None,
        }
        Self::Before { words, time: rest }
    }
}

/// The bytes up to a space, at least one.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text
        .iter()
        .position(|byte| *byte <= b' ' || *byte == b'"')
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The bytes up to a quotation mark that is not escaped, and those behind it.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
        at += 2;
    }
}

/// Whether the bytes start as `10/Oct/2000:13:55:36` does.
fn is_time(text: &[u8]) -> bool {
    let Some(time) = text.get(..TIME_BYTES) else {
        return false;
    };
    let has_shape = time
        .iter()
        .zip(b"00/aaa/0000:00:00:00")
        .all(|pair| match pair {
            (byte, b'0') => byte.is_ascii_digit(),
            (byte, b'a') => byte.is_ascii_alphabetic(),
            (byte, own) => byte == own,
        });
    let month = time.get(3..6).unwrap_or_default();
    has_shape
        && MONTHS
            .iter()
            .any(|known| known.as_bytes().eq_ignore_ascii_case(month))
}
