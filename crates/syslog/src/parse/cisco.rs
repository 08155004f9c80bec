//! What devices of Cisco write in front of the time stamp, in any order, a colon behind each.
//!
//! | mark | from | kept as |
//! |---|---|---|
//! | `29: ` | a sequence number; a second one is the device's own | `meta.sequenceId` |
//! | `router1: ` | `logging origin-id`, `logging hostnameprefix` | the host |
//! | `RP/0/RSP0/CPU0:` | the node, IOS XR | `node` |
//! | `*apfReceiveTask: ` | the task, wireless controllers | `task` |
//! | `: `, `:` | NX-OS, ASA | |
//! | `*`, `.` | the clock is not synchronised, or once was | `timeQuality.isSynced` |
//! | `13w1d: `, `00:00:35: ` | the time since the start, for the stamp | `uptime` |
//!
//! They are marks only where a time stamp, or `%FACILITY-1-MNEMONIC`, comes in the end.

use model::Span;

use super::decision::Decision;
use super::words::{HOST, is, is_mnemonic, is_uptime};
use super::{Message, stamp};
use crate::cursor::Cursor;
use crate::limits::{CISCO_MARKS_MAX, HOST_BYTES_MAX, OCTET_COUNT_DIGITS_MAX};

/// The marks of a message.
#[derive(Clone, Copy, Default)]
struct Marks {
    sequence: Span,
    origin: Span,
    node: Span,
    task: Span,
    /// How many there are.
    count: usize,
}

impl<'a> Message<'a, '_> {
    /// Reads marks, a time stamp and what is behind it. Whether they are there; if not, nothing has
    /// happened.
    pub(super) fn cisco(&mut self, mut at: Cursor<'a>) -> bool {
        let mut marks = Marks::default();
        loop {
            if self.cisco_time(at, &marks) {
                return true;
            }
            if marks.count == CISCO_MARKS_MAX || !marks.read(&mut at) {
                return false;
            }
        }
    }

    /// Reads a time stamp, an uptime, or a message without either. Whether it is one of those.
    fn cisco_time(&mut self, at: Cursor<'a>, marks: &Marks) -> bool {
        let mut clock = at;
        let synchronised: Option<&[u8]> = match at.peek() {
            Some(b'*') => Some(b"0"),
            Some(b'.') => Some(b"1"),
            _ => None,
        };
        clock.skip(usize::from(synchronised.is_some()));
        let stamp = stamp::any(clock.rest(), self.zone, self.received);
        if let Some(stamp) = stamp {
            let behind = clock.rest().get(stamp.len..).unwrap_or_default();
            let is_cisco = stamp.has_colon || behind.starts_with(b" : %");
            if marks.are_names() && !is_cisco {
                return false;
            }
            self.push_marks(marks, synchronised);
            self.at = clock;
            self.take_stamp(&stamp);
            self.bsd_behind_stamp(true);
            return true;
        }
        let uptime = uptime(&mut clock);
        if let Some(uptime) = uptime {
            self.push_marks(marks, synchronised);
            self.push_meta(b"", b"uptime", uptime);
            self.decide(Decision::Uptime);
            self.at = clock;
        } else if marks.count > 0 && is_mnemonic(at.rest()) {
            self.push_marks(marks, None);
            self.at = at;
        } else {
            return false;
        }
        self.headerless();
        true
    }

    /// Keeps the marks, and what a sign in front of the clock says of it.
    fn push_marks(&mut self, marks: &Marks, synchronised: Option<&[u8]>) {
        for (group, name, value) in [
            (b"meta".as_slice(), b"sequenceId".as_slice(), marks.sequence),
            (b"", b"node", marks.node),
            (b"", b"task", marks.task),
        ] {
            if !value.is_empty() {
                self.push_meta(group, name, value);
            }
        }
        if let Some(synchronised) = synchronised {
            let value = self.push_extra(synchronised);
            self.push_meta(b"timeQuality", b"isSynced", value);
        }
        self.parts.host = marks.origin;
        if marks.count > 0 {
            self.decide(Decision::Marks);
        }
    }
}

impl Marks {
    /// Whether there are names among them, which may be words of a text.
    fn are_names(&self) -> bool {
        let names = [self.origin, self.node, self.task];
        self.sequence.is_empty() && names.iter().any(|name| !name.is_empty())
    }

    /// Reads one more. Whether there is one.
    fn read(&mut self, at: &mut Cursor<'_>) -> bool {
        self.count += 1;
        let mut ahead = *at;
        let is_task = ahead.eat(b'*');
        let start = ahead.at();
        let word = ahead.take_while(|byte| is(byte, HOST));
        let span = ahead.span_from(start);
        let is_number = word.iter().all(u8::is_ascii_digit);
        let is_node = word.contains(&b'/');
        let is_ended = match ahead.peek() {
            Some(b':') => true,
            // `router1 RP/0/RSP0/CPU0:`
            Some(b' ') => !is_number && !is_node && !is_task && is_node_next(ahead),
            _ => false,
        };
        if !is_ended || word.len() > HOST_BYTES_MAX {
            return false;
        }
        ahead.skip(1);
        let has_space = ahead.eat(b' ');
        let place = if word.is_empty() {
            // Nothing but a colon, in front of all others.
            if is_task || self.count > 1 {
                return false;
            }
            *at = ahead;
            return true;
        } else if is_task {
            &mut self.task
        } else if is_number {
            if word.len() > OCTET_COUNT_DIGITS_MAX || !has_space {
                return false;
            }
            if !self.sequence.is_empty() {
                *at = ahead;
                return true;
            }
            &mut self.sequence
        } else if is_node {
            &mut self.node
        } else {
            &mut self.origin
        };
        if !place.is_empty() {
            return false;
        }
        *place = span;
        *at = ahead;
        true
    }
}

/// Whether a space and a node with its colon follow.
fn is_node_next(mut at: Cursor<'_>) -> bool {
    at.eat(b' ');
    let word = at.take_while(|byte| is(byte, HOST));
    word.contains(&b'/') && at.peek() == Some(b':')
}

/// Reads `13w1d: ` in front of a mnemonic.
fn uptime(at: &mut Cursor<'_>) -> Option<Span> {
    let mut ahead = *at;
    let start = ahead.at();
    let word = ahead.take_word().strip_suffix(b":")?;
    if !is_uptime(word) || !ahead.eat(b' ') || !is_mnemonic(ahead.rest()) {
        return None;
    }
    *at = ahead;
    Some(Span::new(start, start + word.len()))
}
