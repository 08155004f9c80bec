//! One message into a record's parts.
//!
//! The path of a message: preamble, priority, then RFC 5424 where a version 1 and its time stamp
//! follow, otherwise an RFC 3164 header, otherwise no header at all. Each step either moves the
//! cursor over what it understood or leaves it, so that what nobody understood is the message.
//!
//! What must stay true: parsing cannot fail; every part is a span of the message, and only text
//! that does not stand there (the peer's address, an unescaped value, the name of a Cisco field)
//! goes to `extra`; a record in good order allocates nothing once the parts' vectors have grown.

mod cisco;
mod decision;
mod epoch;
mod header;
mod ietf;
mod last_stamp;
mod layout;
mod log_line;
mod stamp;
mod structured;
mod tag;
#[cfg(test)]
mod tests;
mod words;
mod zone;

use std::io::Write;
use std::net::IpAddr;

use jiff::tz::TimeZone;
use model::{Priority, RecordParts, Span, Tag, Timestamp};

use crate::cursor::Cursor;
use crate::limits::OCTET_COUNT_DIGITS_MAX;
pub use decision::{Decision, Decisions};
use last_stamp::LastStamp;
pub use layout::{FoundStamp, Header, Layout, find_stamp};
use stamp::Stamp;
pub use stamp::StampForm;
use zone::Zone;

/// The UTF-8 byte order mark (RFC 5424 section 6.4).
const BOM: &[u8] = b"\xef\xbb\xbf";

/// How to read the messages of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParseMode {
    /// As syslog, of whatever dialect.
    #[default]
    Syslog,
    /// Not at all: the whole of it is the message, but for a CR at its end; the peer is the host, the
    /// time of receipt is the time.
    None,
}

/// Whose name the host of a record is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostRule {
    /// The one in the message, otherwise the address of the peer.
    #[default]
    Message,
    /// The one in the message, otherwise this one.
    MessageOr(String),
    /// The address of the peer, whatever the message says.
    Peer,
    /// Always this one.
    Fixed(String),
}

/// What a parser may be told.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseOptions {
    /// The zone of time stamps that do not name theirs. A fixed offset is fastest; another zone
    /// is looked up once a day of stamps.
    pub zone: TimeZone,
    /// How to read the messages.
    pub mode: ParseMode,
    /// Whose name the host is.
    pub host: HostRule,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            mode: ParseMode::Syslog,
            host: HostRule::Message,
        }
    }
}

impl ParseOptions {
    /// What the zone is called: `Europe/Budapest`, `UTC`, `+02`; `local` where it has no name.
    pub fn zone_name(&self) -> String {
        match (self.zone.iana_name(), self.zone.to_fixed_offset()) {
            (Some(name), _) => name.to_owned(),
            (None, Ok(offset)) => offset.to_string(),
            (None, Err(_)) => "local".to_owned(),
        }
    }
}

/// What is known of a message beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// When it was read: the time of messages without one, and what decides the year of those
    /// without a year.
    pub received: Timestamp,
    /// Who sent it: the host of messages without one.
    pub peer: Option<IpAddr>,
}

/// Parses messages. Cheap to make; it remembers the time stamp that it read last, and says the same
/// whatever that was.
#[derive(Debug)]
pub struct Parser {
    zone: Zone,
    last_stamp: LastStamp,
    mode: ParseMode,
    host: HostRule,
    layout: Layout,
}

impl Parser {
    /// A parser with these options.
    pub fn new(options: ParseOptions) -> Self {
        Self {
            zone: Zone::new(options.zone),
            last_stamp: LastStamp::default(),
            mode: options.mode,
            host: options.host,
            layout: Layout::default(),
        }
    }

    /// Makes `parts` of a message; what they held is forgotten.
    ///
    /// `raw` is the message without framing (see [`crate::frame::trim_terminator`]), of any length
    /// up to [`model::limits::MESSAGE_BYTES_MAX`]; spans saturate beyond 4 GiB. The tags of the
    /// frame are added by the caller: `parts.tags |= frame.tags`.
    pub fn parse(&mut self, raw: &[u8], context: &Context, parts: &mut RecordParts) {
        self.parse_named(raw, context, None, parts);
    }

    /// The same where the peer has a name, which stands wherever its address would.
    pub fn parse_named(
        &mut self,
        raw: &[u8],
        context: &Context,
        name: Option<&str>,
        parts: &mut RecordParts,
    ) {
        parts.clear();
        parts.time = context.received;
        self.layout = Layout::default();
        match self.mode {
            ParseMode::Syslog => Message {
                at: Cursor::new(trim_end(raw)),
                raw,
                zone: &self.zone,
                last_stamp: &mut self.last_stamp,
                received: context.received,
                parts,
                layout: &mut self.layout,
            }
            .parse(),
            ParseMode::None => {
                let message = raw.strip_suffix(b"\r").unwrap_or(raw);
                parts.message = Span::new(0, message.len());
            }
        }
        self.choose_host(raw.len(), context.peer, name, parts);
        if parts.message.is_empty() && parts.structured_data.is_empty() {
            parts.tags |= Tag::Empty.bit();
        }
        // Most messages are ASCII, which is seen several times faster.
        if !raw.is_ascii() && std::str::from_utf8(raw).is_err() {
            parts.tags |= Tag::InvalidUtf8.bit();
        }
    }

    /// Where that stands in the message that was parsed last of which its record keeps the meaning
    /// alone.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The time in a line of a log file that is no syslog message, such as that of an access log or of
    /// JSON. What it leaves unsaid is told by `received`, which should be later, and by the zone of the
    /// parser.
    pub fn log_time(&self, line: &[u8], received: Timestamp) -> Option<Timestamp> {
        log_line::log_time(line, &self.zone, received)
    }

    fn choose_host(
        &self,
        raw_len: usize,
        peer: Option<IpAddr>,
        name: Option<&str>,
        parts: &mut RecordParts,
    ) {
        match (&self.host, peer) {
            (HostRule::Message | HostRule::MessageOr(_), _) if !parts.host.is_empty() => {}
            (HostRule::Message | HostRule::Peer, Some(_)) if let Some(name) = name => {
                parts.host = push_name(name, raw_len, &mut parts.extra);
            }
            (HostRule::Message | HostRule::Peer, Some(peer)) => {
                parts.host = push_address(peer, raw_len, &mut parts.extra);
            }
            (HostRule::Message | HostRule::Peer, None) => {}
            (HostRule::Fixed(name) | HostRule::MessageOr(name), _) => {
                parts.host = push_name(name, raw_len, &mut parts.extra);
            }
        }
    }
}

/// A message being parsed: where we are in it, and what has been found.
struct Message<'a, 'p> {
    at: Cursor<'a>,
    /// The whole message; `extra` follows it.
    raw: &'a [u8],
    zone: &'a Zone,
    last_stamp: &'p mut LastStamp,
    received: Timestamp,
    parts: &'p mut RecordParts,
    layout: &'p mut Layout,
}

impl Message<'_, '_> {
    fn parse(&mut self) {
        self.skip_preamble();
        if !self.priority() {
            self.tag(Tag::MissingTimestamp);
            self.tag(Tag::Rfc3164MissingHeader);
            self.parts.message = self.at.span_of_rest();
            return;
        }
        self.skip_no_text();
        if !self.ietf() {
            self.bsd();
        }
    }

    /// Moves over NULs and byte order marks: files that were cut while their writers went on begin with
    /// thousands of the former.
    #[inline]
    fn skip_no_text(&mut self) {
        while let Some(0 | 0xef) = self.at.peek() {
            let before = self.at.at();
            self.at.eat_run(0);
            self.at.eat_text(BOM);
            if self.at.at() == before {
                return;
            }
            self.decide(Decision::BytesInFront);
        }
    }

    /// Moves over what should not stand before a message: NULs and byte order marks, and where a
    /// priority follows, spaces (Cisco ASA behind a line feed) and an octet count.
    fn skip_preamble(&mut self) {
        if self.at.peek() == Some(b'<') {
            return;
        }
        self.skip_no_text();
        let mut ahead = self.at;
        ahead.eat_run(b' ');
        let digits = ahead.take_digits().len();
        let is_count = (1..=OCTET_COUNT_DIGITS_MAX).contains(&digits) && ahead.eat(b' ');
        let is_before_priority = ahead.peek() == Some(b'<')
            && ahead.peek_at(1).is_some_and(|byte| byte.is_ascii_digit());
        if is_before_priority && (is_count || digits == 0) {
            if is_count {
                self.tag(Tag::UnexpectedFraming);
            }
            self.at = ahead;
        }
    }

    /// Reads `<PRI>`. Whether the rest may be read on: not behind `<34` without an end.
    fn priority(&mut self) -> bool {
        let mut ahead = self.at;
        if !ahead.eat(b'<') {
            self.tag(Tag::MissingPri);
            return true;
        }
        let digits = ahead.take_digits();
        if !ahead.eat(b'>') {
            // `<html>` is text, `<34 text` is a priority gone wrong.
            let is_broken = !digits.is_empty();
            self.tag(if is_broken {
                Tag::InvalidPri
            } else {
                Tag::MissingPri
            });
            return !is_broken;
        }
        // Three digits at most are added up: a longer run is wrong whatever it says.
        let number = match *digits {
            [a] => Some(digit(a)),
            [a, b] => Some(digit(a) * 10 + digit(b)),
            [a, b, c] => Some(digit(a) * 100 + digit(b) * 10 + digit(c)),
            _ => None,
        };
        let priority = number
            .and_then(|number| u8::try_from(number).ok())
            .and_then(Priority::from_number);
        match priority {
            Some(priority) => self.parts.priority = priority,
            None => self.tag(Tag::InvalidPri),
        }
        self.layout.priority = ahead.span_from(self.at.at());
        self.at = ahead;
        true
    }

    fn tag(&mut self, tag: Tag) {
        self.parts.tags |= tag.bit();
    }

    #[cold]
    fn decide(&mut self, decision: Decision) {
        self.layout.decisions.add(decision);
    }

    /// Whether a priority stood in front: a line such as `1 - none` is no header without one, and a
    /// line with any stamp may be of any log file.
    fn has_priority(&self) -> bool {
        self.parts.tags & Tag::MissingPri.bit() == 0
    }

    /// Moves over a stamp and takes its time, or says that it is impossible.
    #[inline]
    fn take_stamp(&mut self, stamp: &Stamp) {
        if stamp.has_twelve_hours {
            self.decide(Decision::TwelveHours);
        }
        self.layout.stamp = Some(FoundStamp::at(self.at, stamp));
        self.at.skip(stamp.len);
        match stamp.time {
            Some(time) => self.parts.time = time,
            None => self.tag(Tag::InvalidTimestamp),
        }
    }

    /// The rest is the message, without a byte order mark.
    fn take_message(&mut self) {
        self.at.eat_text(BOM);
        self.parts.message = self.at.span_of_rest();
    }

    /// Adds text that is not in the message, and returns its span.
    fn push_extra(&mut self, text: &[u8]) -> Span {
        let start = self.raw.len() + self.parts.extra.len();
        self.parts.extra.extend_from_slice(text);
        Span::new(start, start + text.len())
    }
}

/// The message without CR, LF and NUL at its end.
fn trim_end(raw: &[u8]) -> &[u8] {
    let mut trimmed = raw;
    while let [rest @ .., b'\r' | b'\n' | b'\0'] = trimmed {
        trimmed = rest;
    }
    trimmed
}

/// The value of an ASCII digit.
fn digit(byte: u8) -> u16 {
    u16::from(byte.wrapping_sub(b'0'))
}

/// Appends a name to `extra` and returns its span.
fn push_name(name: &str, raw_len: usize, extra: &mut Vec<u8>) -> Span {
    let start = raw_len + extra.len();
    extra.extend_from_slice(name.as_bytes());
    Span::new(start, start + name.len())
}

/// Appends the text of an address to `extra` and returns its span. An IPv4 address that came over
/// IPv6 is written as IPv4.
fn push_address(address: IpAddr, raw_len: usize, extra: &mut Vec<u8>) -> Span {
    let start = raw_len + extra.len();
    match address.to_canonical() {
        IpAddr::V4(address) => {
            for (index, octet) in address.octets().into_iter().enumerate() {
                if index > 0 {
                    extra.push(b'.');
                }
                crate::write::decimal(u64::from(octet), extra);
            }
        }
        // The rules of zero runs (RFC 5952) are std's; writing to a vector cannot fail.
        IpAddr::V6(address) => drop(write!(extra, "{address}")),
    }
    Span::new(start, raw_len + extra.len())
}
