//! The RFC 3164 header and its dialects: what stands before the time stamp, host and TAG.
//!
//! Host and program are only taken where the text leaves little doubt, because what is taken for
//! one of them is not in the message any more and a bare search term does not find it there.
//! Without a time stamp nothing but `name[123]:` and Cisco's `%FACILITY-1-MNEMONIC:` is.

use model::{Field, Span, Tag};

use super::{BOM, Header, Message, stamp};
use crate::cursor::Cursor;
use crate::limits::{HOST_BYTES_MAX, OCTET_COUNT_DIGITS_MAX};

/// A byte of a host's name or address, or of a chain of them as syslog-ng writes it (`a/b`, `s@a`).
const HOST: u8 = 1;
/// A byte of a program that a colon or a bracket ends.
const PROGRAM: u8 = 2;
/// A byte of a program that only a space ends.
const BARE: u8 = 4;
/// A byte of an IPv6 address with zone.
const IPV6: u8 = 8;

/// What each byte may be part of.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        let mut class = 0;
        if character.is_ascii_alphanumeric() || character >= 0x80 {
            class |= HOST | PROGRAM | BARE;
        }
        if matches!(character, b'-' | b'_' | b'.' | b'/') {
            class |= HOST | PROGRAM | BARE;
        }
        if character == b'@' {
            class |= HOST | PROGRAM;
        }
        if matches!(
            character,
            b'%' | b'+' | b'~' | b'$' | b'#' | b'*' | b'(' | b')' | b'\\'
        ) {
            class |= PROGRAM;
        }
        if character.is_ascii_hexdigit() || matches!(character, b':' | b'.') {
            class |= IPV6;
        }
        #[cfg_attr(
            not(test),
            expect(clippy::indexing_slicing, reason = "evaluated at compile time")
        )]
        {
            classes[byte] = class;
        }
        byte += 1;
    }
    classes
}

fn is(byte: u8, class: u8) -> bool {
    CLASSES
        .get(usize::from(byte))
        .is_some_and(|found| found & class != 0)
}

impl<'a> Message<'a, '_> {
    /// Reads a message that is not RFC 5424, with whatever header it has.
    pub(super) fn bsd(&mut self) {
        let mut ahead = self.at;
        ahead.eat_run(b' ');
        let text = ahead.rest();
        let stamp = self.last_stamp.any(text, self.zone, self.received);
        if let Some(stamp) = &stamp {
            self.at = ahead;
            self.take_stamp(stamp);
            self.bsd_behind_stamp();
        } else if !self.cisco(ahead) {
            self.headerless();
        }
    }

    /// Reads host and TAG behind a time stamp.
    fn bsd_behind_stamp(&mut self) {
        self.layout.header = Header::Rfc3164;
        self.at.eat_run(b' ');
        self.forwarded();
        if self.parts.host.is_empty() && !is_repeat_note(self.at.rest()) {
            self.host();
        }
        if !is_repeat_note(self.at.rest()) {
            let is_behind_host = !self.parts.host.is_empty();
            self.program(is_behind_host);
        }
        self.take_message();
    }

    /// AIX's `Message forwarded from HOST: `.
    fn forwarded(&mut self) {
        let mut ahead = self.at;
        if !ahead.eat_text(b"Message forwarded from ") {
            return;
        }
        let start = ahead.at();
        if let Some((b':', host @ [_, ..])) = ahead.take_word().split_last() {
            self.parts.host = Span::new(start, start + host.len());
            ahead.eat_run(b' ');
            self.at = ahead;
        }
    }

    /// Reads a host with a space behind it, if there is one.
    fn host(&mut self) {
        let mut ahead = self.at;
        let start = ahead.at();
        let mut word = ahead.take_while(|byte| is(byte, HOST));
        let is_host = !word.is_empty() && ahead.peek() == Some(b' ');
        if !is_host {
            ahead = self.at;
            word = ahead.take_word();
        }
        if ahead.is_end() || word.len() > HOST_BYTES_MAX {
            return;
        }
        if !is_host && !is_ipv6(word) {
            if !self.is_program_next() {
                self.tag(Tag::InvalidHostname);
            }
            return;
        }
        if word != b"-" {
            self.parts.host = ahead.span_from(start);
        }
        ahead.eat(b' ');
        self.at = ahead;
    }

    /// Reads a TAG: `prog: `, `prog[pid]: `, `prog[pid] `, and behind a host `prog ` too. Where
    /// there is none, nothing has happened, and all that is left is the message.
    fn program(&mut self, is_behind_host: bool) {
        let mut ahead = self.at;
        ahead.eat_run(b' ');
        // `fw01 : %ASA-6-302013: text`
        let is_detached = is_behind_host && ahead.eat_text(b": ");
        if is_detached && ahead.peek() != Some(b'%') {
            return;
        }
        if let Some(tag) = read_tag(&mut ahead) {
            self.parts.program = tag.program;
            self.parts.pid = tag.pid;
            ahead.eat(b' ');
            self.at = ahead;
        } else if is_behind_host && !is_detached {
            let start = ahead.at();
            let word = ahead.take_while(|byte| is(byte, BARE));
            if is_name(word) && ahead.peek() == Some(b' ') && !word.starts_with(BOM) {
                self.parts.program = ahead.span_from(start);
                ahead.skip(1);
                self.at = ahead;
            }
        }
    }

    fn is_program_next(&self) -> bool {
        read_tag(&mut self.at.clone()).is_some()
    }

    /// Cisco's marks before the time stamp: `29: *Mar  1 18:46:11.123: %SYS-5-...`, with the host
    /// between (`logging origin-id`), with a second number (`service sequence-numbers`), or `: `
    /// alone (NX-OS). `*` says that the clock is not synchronised, `.` that it once was.
    fn cisco(&mut self, mut ahead: Cursor<'a>) -> bool {
        let sequence = sequence_number(&mut ahead);
        let mut origin = Span::default();
        if sequence.is_some() || ahead.eat_text(b": ") {
            origin = origin_host(&mut ahead).unwrap_or_default();
            sequence_number(&mut ahead);
        }
        let synchronised = match ahead.peek() {
            Some(b'*') => Some(b"0"),
            Some(b'.') => Some(b"1"),
            _ => None,
        };
        let mut clock = ahead;
        clock.skip(usize::from(synchronised.is_some()));
        let stamp = stamp::any(clock.rest(), self.zone, self.received);
        let is_unstamped = sequence.is_some() && ahead.peek() == Some(b'%');
        if stamp.is_none() && !is_unstamped {
            return false;
        }
        if let Some(value) = sequence {
            self.push_meta(b"meta", b"sequenceId", value);
        }
        self.parts.host = origin;
        let Some(stamp) = stamp else {
            self.at = ahead;
            self.headerless();
            return true;
        };
        if let Some(synchronised) = synchronised {
            let value = self.push_extra(synchronised);
            self.push_meta(b"timeQuality", b"isSynced", value);
        }
        self.at = clock;
        self.take_stamp(&stamp);
        self.bsd_behind_stamp();
        true
    }

    /// Adds a field under a name of RFC 5424 section 7 that does not stand in the message.
    fn push_meta(&mut self, group: &[u8], name: &[u8], value: Span) {
        let group = self.push_extra(group);
        let name = self.push_extra(name);
        self.parts.fields.push(Field { group, name, value });
    }

    /// A message without a time stamp.
    fn headerless(&mut self) {
        self.tag(Tag::MissingTimestamp);
        self.at.eat(b' ');
        let mut ahead = self.at;
        match read_tag(&mut ahead) {
            Some(tag) if tag.is_certain => {
                self.parts.program = tag.program;
                self.parts.pid = tag.pid;
                ahead.eat(b' ');
                self.at = ahead;
            }
            _ => self.tag(Tag::Rfc3164MissingHeader),
        }
        self.take_message();
    }
}

/// The TAG of RFC 3164 section 4.1.3, taken apart.
struct ReadTag {
    program: Span,
    pid: Span,
    /// Whether it can hardly be the start of a sentence: `name[123]:` or `%FACILITY-1-MNEMONIC:`.
    is_certain: bool,
}

/// Reads `prog:`, `prog[pid]:` or `prog[pid]`.
fn read_tag(at: &mut Cursor<'_>) -> Option<ReadTag> {
    let start = at.at();
    let mut ahead = *at;
    let is_cisco = ahead.peek() == Some(b'%');
    if !is_name(ahead.take_while(|byte| is(byte, PROGRAM))) {
        return None;
    }
    // `Foo::Bar[12]: text`
    while ahead.eat_text(b"::") {
        ahead.take_while(|byte| is(byte, PROGRAM));
    }
    let program = ahead.span_from(start);
    let mut pid = Span::default();
    let is_numbered = ahead.eat(b'[');
    if is_numbered {
        let start = ahead.at();
        ahead.take_while(|byte| !matches!(byte, b' ' | b'[' | b']'));
        pid = ahead.span_from(start);
        if !ahead.eat(b']') {
            return None;
        }
    }
    let has_colon = ahead.eat(b':');
    let is_end = match (is_numbered, has_colon) {
        (_, true) if ahead.rest().starts_with(b"//") => false, // A URL.
        (_, true) => true,
        (true, false) => matches!(ahead.peek(), None | Some(b' ')),
        (false, false) => false,
    };
    if !is_end {
        return None;
    }
    *at = ahead;
    Some(ReadTag {
        program,
        pid,
        is_certain: has_colon && (is_numbered || is_cisco),
    })
}

/// Whether a word can be a program's name: not a number, a version or an IPv4 address.
fn is_name(word: &[u8]) -> bool {
    word.iter()
        .any(|byte| !byte.is_ascii_digit() && *byte != b'.')
}

/// Whether the word is an IPv6 address by its looks: two colons or more, nothing but hexadecimal
/// digits, colons and dots up to a zone (`%eth0`), no more than four digits between colons but in
/// an IPv4 tail.
fn is_ipv6(word: &[u8]) -> bool {
    let address = word
        .split(|byte| *byte == b'%')
        .next()
        .filter(|address| address.iter().all(|byte| is(*byte, IPV6)));
    let Some(address) = address else {
        return false;
    };
    let colons = address.iter().filter(|byte| **byte == b':').count();
    let is_open = address.ends_with(b":") && !address.ends_with(b"::");
    (2..=8).contains(&colons)
        && !is_open
        && address
            .split(|byte| *byte == b':')
            .all(|group| group.len() <= 4 || group.contains(&b'.'))
}

/// Whether this is what syslogd says instead of repeating a message.
fn is_repeat_note(text: &[u8]) -> bool {
    text.strip_prefix(b"last message repeated ")
        .and_then(|rest| rest.first())
        .is_some_and(u8::is_ascii_digit)
}

/// Reads `29: `.
fn sequence_number(at: &mut Cursor<'_>) -> Option<Span> {
    let mut ahead = *at;
    let start = ahead.at();
    let digits = ahead.take_digits().len();
    let number = ahead.span_from(start);
    let is_number = (1..=OCTET_COUNT_DIGITS_MAX).contains(&digits) && ahead.eat_text(b": ");
    is_number.then(|| {
        *at = ahead;
        number
    })
}

/// Reads `router1: `, where a time stamp or another number follows.
fn origin_host(at: &mut Cursor<'_>) -> Option<Span> {
    let mut ahead = *at;
    let start = ahead.at();
    let host = ahead.take_while(|byte| is(byte, HOST));
    let span = ahead.span_from(start);
    let is_host = host.len() <= HOST_BYTES_MAX && host.iter().any(u8::is_ascii_alphabetic);
    if !is_host || !ahead.eat_text(b": ") {
        return None;
    }
    *at = ahead;
    Some(span)
}
