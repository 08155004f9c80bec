//! The RFC 3164 header and its dialects behind the time stamp: host and TAG.
//!
//! What is taken for a host or a program is not in the message any more, and a bare search term does
//! not find it there. So a word is only taken out of the message where more than its place speaks for
//! it. A program that only a space ends is one, and stays in the message too. Without a priority the
//! line may be of any log file: there a TAG has to follow the host. Without a time stamp nothing but
//! `name[123]:` and Cisco's `%FACILITY-1-MNEMONIC:` is taken.

use model::{Field, Span, Tag};

use super::decision::Decision;
use super::stamp::{self, Stamp, StampForm};
use super::tag::{ReadTag, read_bare, read_tag};
use super::words::{
    HOST, is, is_capitalised, is_event, is_ipv6, is_level, is_no_host, is_number, is_repeat_note,
    is_same_host,
};
use super::{FoundStamp, Header, Message, epoch};
use crate::cursor::Cursor;
use crate::limits::{FILE_FRACTION_DIGITS_MAX, HOST_BYTES_MAX};

impl<'a> Message<'a, '_> {
    /// Reads a message that is not RFC 5424, with whatever header it has.
    pub(super) fn bsd(&mut self) {
        let mut ahead = self.at;
        ahead.eat_run(b' ');
        let text = ahead.rest();
        let mut stamp = self.last_stamp.any(text, self.zone, self.received);
        if stamp.is_none() && self.has_priority() {
            stamp = epoch::stamp(text);
        }
        if let Some(stamp) = &stamp {
            self.at = ahead;
            self.take_stamp(stamp);
            self.bsd_behind_stamp(true);
        } else if !self.cisco(ahead) {
            self.headerless();
        }
    }

    /// Reads host and TAG behind a time stamp, also one that only a space ends where that is taken.
    pub(super) fn bsd_behind_stamp(&mut self, takes_bare: bool) {
        self.layout.header = Header::Rfc3164;
        self.at.eat_run(b' ');
        self.forwarded();
        let start = self.at;
        let is_told = !self.parts.host.is_empty();
        if !is_told {
            self.host();
        }
        let is_header = is_repeat_note(self.at.rest()) || self.program(takes_bare);
        if !is_header && !is_told && !self.has_priority() {
            self.doubt(start);
        }
        self.take_message();
    }

    /// A message without a time stamp.
    pub(super) fn headerless(&mut self) {
        self.tag(Tag::MissingTimestamp);
        self.at.eat(b' ');
        let mut ahead = self.at;
        match read_tag(&mut ahead) {
            Some(tag) if tag.is_certain => self.take_tag(&tag, ahead),
            _ => self.tag(Tag::Rfc3164MissingHeader),
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
        let rest = self.at.rest();
        let is_something_else = match rest.first() {
            Some(b'l') => is_repeat_note(rest),
            Some(b':') => rest.starts_with(b": %"),
            Some(b'0'..=b'9' | b'A'..=b'Z') => is_event(rest) || self.stamp(rest).is_some(),
            _ => false,
        };
        if is_something_else {
            return;
        }
        let mut ahead = self.at;
        let start = ahead.at();
        let mut word = ahead.take_while(|byte| is(byte, HOST));
        let is_host = !word.is_empty() && ahead.peek() == Some(b' ');
        let is_no_name = is_no_host(word) && matches!(ahead.peek(), Some(b' ' | b':'));
        if is_no_name || is_host && is_number(word) && !self.has_priority() {
            return self.decide(Decision::NoHostName);
        }
        if !is_host {
            ahead = self.at;
            word = ahead.take_word();
        }
        if ahead.is_end() || word.len() > HOST_BYTES_MAX {
            return;
        }
        if !is_host && !is_ipv6(word) {
            if read_tag(&mut self.at.clone()).is_none() {
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
    /// there is none, all that is left is the message. Whether more than places tell a header.
    #[inline]
    fn program(&mut self, takes_bare: bool) -> bool {
        let mut ahead = self.at;
        ahead.eat_run(b' ');
        if is_event(ahead.rest()) {
            self.at = ahead;
            self.decide(Decision::Event);
            return self.has_priority() || !is_capitalised(self.host_text());
        }
        // `fw01 : %ASA-6-302013: text`
        let is_detached = ahead.peek() == Some(b':') && ahead.eat_text(b": ");
        if is_detached && ahead.peek() != Some(b'%') {
            return false;
        }
        let word = ahead;
        // `2026-11-21T10:00:00Z` would be the program `2026-11-21T10`.
        let is_number = matches!(word.peek(), Some(b'0'..=b'9'));
        if is_number && let Some(stamp) = self.stamp(word.rest()) {
            return self.inner_header(word, &stamp);
        }
        if let Some(tag) = read_tag(&mut ahead)
            && self.believes(&tag)
        {
            self.take_tag(&tag, ahead);
            return true;
        }
        !is_detached && self.no_tag(word, takes_bare)
    }

    /// Reads what else may stand where a TAG should. Whether it tells a header.
    #[cold]
    fn no_tag(&mut self, start: Cursor<'a>, takes_bare: bool) -> bool {
        let is_month = matches!(start.peek(), Some(b'A'..=b'Z'));
        if is_month && let Some(stamp) = self.stamp(start.rest()) {
            return self.inner_header(start, &stamp);
        }
        let has_host = !self.parts.host.is_empty();
        let mut behind = start;
        let word = behind.take_while(|byte| is(byte, HOST));
        let span = behind.span_from(start.at());
        if has_host && behind.eat(b' ') && is_same_host(word, self.host_text()) {
            behind.eat_run(b' ');
            return self.repeated_host(span, behind);
        }
        behind = start;
        if read_bare(&mut behind).is_none() {
            if is_level(word) {
                self.decide(Decision::LevelNoProgram);
            }
            return false;
        }
        behind.eat_run(b' ');
        if is_no_host(word) {
            return self.level(start, behind);
        }
        if !has_host || !takes_bare {
            return false;
        }
        self.parts.program = span;
        if is_event(behind.rest()) {
            self.at = behind;
            self.decide(Decision::Event);
            return true;
        }
        self.at = start;
        self.decide(Decision::ProgramInMessage);
        false
    }

    /// `udm udm ubios-x[3117]: text`: the TAG stands behind the second. Whether it does.
    #[cold]
    fn repeated_host(&mut self, host: Span, behind: Cursor<'a>) -> bool {
        let mut ahead = behind;
        let tag = read_tag(&mut ahead).filter(|tag| self.believes(tag));
        if tag.is_none() && !is_event(behind.rest()) {
            self.decide(Decision::NoProgram);
            return false;
        }
        // The longer name has the shorter one in it.
        if host.len > self.parts.host.len {
            self.parts.host = host;
        }
        self.tag(Tag::RepeatedHost);
        self.decide(Decision::RepeatedHost);
        match tag {
            Some(tag) => self.take_tag(&tag, ahead),
            None => {
                self.at = behind;
                self.decide(Decision::Event);
            }
        }
        true
    }

    /// `warning tmm[11048]: text`: the TAG stands behind the level, which stays in the message.
    /// Whether it does.
    #[cold]
    fn level(&mut self, start: Cursor<'a>, mut behind: Cursor<'a>) -> bool {
        let tag = read_tag(&mut behind);
        let Some(tag) = tag.filter(|tag| tag.is_numbered || self.has_priority()) else {
            self.decide(Decision::LevelNoProgram);
            return false;
        };
        self.take_tag(&tag, start);
        self.decide(Decision::LevelInFront);
        true
    }

    #[inline(never)]
    fn stamp(&self, text: &[u8]) -> Option<Stamp> {
        stamp::any(text, self.zone, self.received)
    }

    /// Reads the header of a sender behind that of a relay, which starts with a second time stamp. A
    /// stamp alone may be of the text: then it is no program. Whether there is such a header.
    #[cold]
    fn inner_header(&mut self, start: Cursor<'a>, stamp: &Stamp) -> bool {
        let mut at = start;
        at.skip(stamp.len);
        at.eat_run(b' ');
        let found = FoundStamp::at(start, stamp);
        let Some(inner) = stamp.time.and_then(|_| self.inner_names(at, found)) else {
            self.decide(Decision::NoProgram);
            return false;
        };
        self.at = start;
        self.parts.tags &= !Tag::InvalidTimestamp.bit();
        self.take_stamp(stamp);
        if !inner.host.is_empty() {
            let relay = std::mem::replace(&mut self.parts.host, inner.host);
            if !relay.is_empty() {
                self.push_meta(b"", b"relay", relay);
            }
        }
        self.tag(Tag::InnerHeader);
        self.decide(Decision::InnerHeader);
        match inner.tag {
            Some((tag, behind)) => self.take_tag(&tag, behind),
            None => {
                self.at = inner.at;
                // It is an event, or a program that only a space ends.
                self.program(true);
            }
        }
        true
    }

    /// Host and TAG behind the second time stamp of a message.
    fn inner_names(&self, start: Cursor<'a>, stamp: FoundStamp) -> Option<Inner<'a>> {
        let mut at = start;
        let word = at.take_while(|byte| is(byte, HOST));
        let host = at.span_from(start.at());
        let is_host = at.peek() == Some(b' ') && (1..=HOST_BYTES_MAX).contains(&word.len());
        if !is_host || is_no_host(word) || is_number(word) {
            let mut behind = start;
            let tag = read_tag(&mut behind).filter(|tag| tag.is_certain)?;
            return Some(Inner {
                host: Span::default(),
                at: start,
                tag: Some((tag, behind)),
            });
        }
        at.eat_run(b' ');
        let mut behind = at;
        let tag = read_tag(&mut behind);
        let tag = tag.filter(|tag| tag.is_numbered || self.is_of_syslogd(stamp, word));
        // No sentence has a word such as `CISE_Passed_Authentications`.
        let is_identifier = stamp.form == StampForm::MonthFirst
            && read_bare(&mut at.clone()).is_some_and(|word| word.contains(&b'_'));
        let is_header = tag.is_some() || is_identifier || is_event(at.rest());
        is_header.then_some(Inner {
            host,
            at,
            tag: tag.map(|tag| (tag, behind)),
        })
    }

    /// Whether a TAG is one: without a priority, the line may be of any log file.
    #[inline]
    fn believes(&self, tag: &ReadTag) -> bool {
        self.has_priority()
            || tag.is_numbered
            || tag.is_certain
            || self
                .layout
                .stamp
                .is_none_or(|stamp| self.is_of_syslogd(stamp, self.host_text()))
    }

    /// Whether stamp and host are as a syslogd writes them into its files: Java and containers write
    /// a space for the `T`, no zone, or nanoseconds, and sentences start with a large letter.
    fn is_of_syslogd(&self, stamp: FoundStamp, host: &[u8]) -> bool {
        if stamp.form != StampForm::Iso {
            return true;
        }
        let text = stamp.span.of(self.raw);
        let fraction = text.get("2026-11-28T10:00:00.".len()..).unwrap_or(b"");
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
        stamp.has_zone
            && text.contains(&b'T')
            && digits.count() <= FILE_FRACTION_DIGITS_MAX
            && !host.is_empty()
            && !is_capitalised(host)
    }

    /// Puts what may be words of the text back into it: all behind the stamp is the message. A stamp
    /// of RFC 3164 makes a word behind it a host yet.
    #[cold]
    fn doubt(&mut self, start: Cursor<'a>) {
        let form = self.layout.stamp.map(|stamp| stamp.form);
        self.at = start;
        self.parts.program = Span::default();
        self.layout.decisions.remove(Decision::ProgramInMessage);
        if self.parts.host.is_empty() {
            self.tag(Tag::Rfc3164MissingHeader);
        } else if form == Some(StampForm::MonthFirst) {
            self.decide(Decision::HostInMessage);
        } else {
            self.parts.host = Span::default();
            self.tag(Tag::Rfc3164MissingHeader);
            self.decide(Decision::NoTagNoHost);
        }
    }

    /// Takes program and pid of a TAG. What is left begins there, or a space behind it.
    #[inline]
    fn take_tag(&mut self, tag: &ReadTag, mut at: Cursor<'a>) {
        self.parts.program = tag.program;
        self.parts.pid = tag.pid;
        at.eat(b' ');
        self.at = at;
    }

    fn host_text(&self) -> &'a [u8] {
        self.parts.host.of(self.raw)
    }

    /// Adds a field under a name that does not stand in the message, such as those of RFC 5424
    /// section 7.
    pub(super) fn push_meta(&mut self, group: &[u8], name: &[u8], value: Span) {
        let group = match group {
            b"" => Span::default(),
            _ => self.push_extra(group),
        };
        let name = self.push_extra(name);
        self.parts.fields.push(Field { group, name, value });
    }
}

/// What stands behind the second time stamp of a message.
struct Inner<'a> {
    /// Empty where there is none.
    host: Span,
    /// Behind the host.
    at: Cursor<'a>,
    /// The TAG, and what is behind it.
    tag: Option<(ReadTag, Cursor<'a>)>,
}
