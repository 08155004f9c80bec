//! The RFC 5424 header: version, time stamp, host, program, pid, message id, structured data.
//!
//! A message is read as RFC 5424 where a version 1 stands behind the priority and a time stamp of
//! its form, or `-`, behind that; whatever is missing further on is tagged and what is there is
//! kept. `loggen -R -P` leaves the version out: there the whole header has to be in order.

use model::{Span, Tag};

use super::{Message, stamp, structured};

impl Message<'_, '_> {
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
        if is_nil || stamp::any(ahead.rest(), self.zone, self.received).is_some() {
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
        let is_header = stamp::ietf(ahead.rest(), self.zone, self.received).is_some_and(|stamp| {
            ahead.skip(stamp.len);
            for _ in 0..4 {
                if !ahead.eat(b' ') || ahead.take_word().is_empty() {
                    return false;
                }
            }
            ahead.eat(b' ')
                && (ahead.rest().starts_with(b"- ")
                    || ahead.rest() == b"-"
                    || structured::len(ahead.rest()).is_some())
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

    /// Whether a priority stood in front: a line such as `1 - none` is no header without one.
    fn has_priority(&self) -> bool {
        self.parts.tags & Tag::MissingPri.bit() == 0
    }

    /// Reads what follows the time stamp.
    fn ietf_header(&mut self) {
        self.parts.host = self.ietf_word();
        self.parts.program = self.ietf_word();
        self.parts.pid = self.ietf_word();
        self.parts.msgid = self.ietf_word();
        if !self.at.eat(b' ') {
            self.tag(Tag::Rfc5424MissingPart);
            return self.take_message();
        }
        match self.at.peek() {
            Some(b'-') if matches!(self.at.peek_at(1), None | Some(b' ')) => self.at.skip(1),
            Some(b'[') => {
                if !self.structured_data() {
                    self.tag(Tag::InvalidStructuredData);
                    return self.take_message();
                }
            }
            // No structured data at all: this is the message.
            _ => {
                self.tag(Tag::Rfc5424MissingPart);
                return self.take_message();
            }
        }
        if !self.at.is_end() && !self.at.eat(b' ') {
            self.tag(Tag::Rfc5424MissingPart);
        }
        // rsyslog's template puts a second space in front of the message.
        self.at.skip(usize::from(self.at.peek() == Some(b' ')));
        self.take_message();
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
