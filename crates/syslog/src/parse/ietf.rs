//! The RFC 5424 header: version, time stamp, host, program, pid, message id, structured data.
//!
//! A message is read as RFC 5424 where a version 1 stands behind the priority and a time stamp of
//! its form, or `-`, behind that. Where what follows the host cannot be program, pid, message id and
//! structured data, it may be a TAG or text, and is read as in RFC 3164. `loggen -R -P` leaves the
//! version out: there the whole header has to be in order.

use model::{Span, Tag};

use super::decision::Decision;
use super::tag::read_tag;
use super::words::{is_event, is_number};
use super::{Header, Message, epoch, stamp, structured};
use crate::cursor::Cursor;
use crate::limits::PROGRAM_BYTES_MAX;

impl<'a> Message<'a, '_> {
    /// Reads an RFC 5424 message. Whether it is one; if not, we are where we were, or behind a
    /// version that has nothing to say.
    pub(super) fn ietf(&mut self) -> bool {
        let mut ahead = self.at;
        let version = ahead.take_digits();
        if version.len() > 3 || !ahead.eat(b' ') {
            return false;
        }
        match version {
            b"" => return self.ietf_without_version(),
            b"1" => {
                let before = self.at;
                self.at = ahead;
                if self.ietf_time() {
                    self.ietf_header();
                    return true;
                }
                self.at = before;
            }
            _ => {}
        }
        // Another version, or version 1 before an RFC 3164 header.
        let is_nil = ahead.rest().starts_with(b"- ") && self.has_priority();
        let is_stamped = stamp::any(ahead.rest(), self.zone, self.received).is_some()
            || self.has_priority() && epoch::stamp(ahead.rest()).is_some();
        if is_nil || is_stamped {
            self.tag(if version == b"1" {
                Tag::Rfc5424MissingPart
            } else {
                Tag::Rfc5424UnknownVersion
            });
            self.at = ahead;
        }
        false
    }

    /// `<13> 2026-11-21T22:41:42 host su 12 - - text`
    fn ietf_without_version(&mut self) -> bool {
        let before = self.at;
        self.at.skip(1);
        let mut ahead = self.at;
        let stamp = stamp::ietf(ahead.rest(), self.zone, self.received);
        let is_header = stamp.is_some_and(|stamp| {
            ahead.skip(stamp.len);
            is_whole(ahead)
        });
        if !is_header {
            self.at = before;
            return false;
        }
        self.tag(Tag::Rfc5424MissingPart);
        self.ietf_time();
        self.ietf_header();
        true
    }

    /// Reads the time stamp or `-`.
    fn ietf_time(&mut self) -> bool {
        if self.at.peek() == Some(b'-') {
            let is_nil = matches!(self.at.peek_at(1), None | Some(b' ')) && self.has_priority();
            self.at.skip(usize::from(is_nil));
            return is_nil;
        }
        let Some(stamp) = stamp::ietf(self.at.rest(), self.zone, self.received) else {
            return false;
        };
        self.take_stamp(&stamp);
        true
    }

    /// Reads what follows the time stamp.
    fn ietf_header(&mut self) {
        self.layout.header = Header::Rfc5424;
        let start = self.at;
        self.parts.host = self.ietf_word();
        let program = self.at;
        self.parts.program = self.ietf_word();
        self.parts.pid = self.ietf_word();
        self.parts.msgid = self.ietf_word();
        let is_program = self.parts.program.len as usize <= PROGRAM_BYTES_MAX;
        if !is_program || is_event_next(start) || is_event_next(program) || !self.at.eat(b' ') {
            return self.ietf_text(start);
        }
        match self.at.peek() {
            Some(b'-') if matches!(self.at.peek_at(1), None | Some(b' ')) => self.at.skip(1),
            Some(b'[') => {
                if !self.structured_data() {
                    self.tag(Tag::InvalidStructuredData);
                    return self.take_message();
                }
            }
            _ => return self.ietf_text(start),
        }
        if !self.at.is_end() && !self.at.eat(b' ') {
            self.tag(Tag::Rfc5424MissingPart);
        }
        // rsyslog's template puts a second space in front of the message.
        self.at.skip(usize::from(self.at.peek() == Some(b' ')));
        self.take_message();
    }

    /// Reads what follows the time stamp where it is no header of RFC 5424: a host, a TAG that a colon
    /// or a pid ends, and text.
    fn ietf_text(&mut self, start: Cursor<'a>) {
        self.tag(Tag::Rfc5424MissingPart);
        self.decide(Decision::NoRfc5424);
        self.parts.host = Span::default();
        self.parts.program = Span::default();
        self.parts.pid = Span::default();
        self.parts.msgid = Span::default();
        self.at = start;
        self.bsd_behind_stamp(false);
    }

    /// Reads a space and a word; `-` stands for none.
    fn ietf_word(&mut self) -> Span {
        if !self.at.eat(b' ') {
            self.tag(Tag::Rfc5424MissingPart);
            return Span::default();
        }
        let start = self.at.at();
        match self.at.take_word() {
            b"-" => Span::default(),
            b"" => {
                self.tag(Tag::Rfc5424MissingPart);
                Span::default()
            }
            _ => self.at.span_from(start),
        }
    }
}

/// Whether a space and an event of CEF or LEEF follow.
fn is_event_next(at: Cursor<'_>) -> bool {
    matches!(at.peek_at(1), Some(b'C' | b'L')) && is_event(at.rest().get(1..).unwrap_or_default())
}

/// Whether four words, of which the third is a pid or none, and structured data follow.
fn is_whole(mut at: Cursor<'_>) -> bool {
    for index in 0..4 {
        if !at.eat(b' ') {
            return false;
        }
        let is_tag = read_tag(&mut at.clone()).is_some();
        let word = at.take_word();
        let is_fit = match index {
            1 => !is_tag && !word.ends_with(b":"),
            2 => word == b"-" || is_number(word),
            _ => true,
        };
        if word.is_empty() || !is_fit {
            return false;
        }
    }
    let rest = at.rest().strip_prefix(b" ").unwrap_or_default();
    rest.starts_with(b"- ") || rest == b"-" || structured::len(rest).is_some()
}
