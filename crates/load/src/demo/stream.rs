//! The stream itself: the next line, whenever it is asked for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::{Priority, Timestamp};
use syslog::write::{
    Rfc3164, Rfc5424, decimal, padded, priority, rfc3164, rfc5424, stamp_bsd, stamp_iso,
};

use crate::Source;
use crate::demo::cast::{Style, draw_host};
use crate::demo::incident::incident_at;
use crate::demo::program::{in_trouble, programs_of};
use crate::demo::rate::Rate;
use crate::demo::scene::{Said, Scene};
use crate::random::Random;

/// Messages a second, on average over days, unless told otherwise.
pub const MESSAGES_PER_SECOND: f64 = 50.0;

/// Most lines that wait for their time; what is said beyond is forgotten. Reached only where time
/// stands still.
const PENDING_MAX: usize = 10_000;

/// A made-up company's log: the same lines for the same seed and times.
#[derive(Debug)]
pub struct Demo {
    seed: u64,
    random: Random,
    rate: Rate,
    offset_seconds: i32,
    pending: BinaryHeap<Reverse<Pending>>,
    /// Lines said so far; orders what is due at the same time.
    said: u64,
    scratch: Vec<Said>,
}

/// A line that waits for its time.
#[derive(Debug)]
struct Pending {
    due: Timestamp,
    number: u64,
    said: Said,
}

impl Pending {
    fn order(&self) -> (Timestamp, u64) {
        (self.due, self.number)
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Pending {}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl Demo {
    /// A stream of [`MESSAGES_PER_SECOND`].
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            random: Random::new(seed),
            rate: Rate::new(seed, MESSAGES_PER_SECOND),
            offset_seconds: 0,
            pending: BinaryHeap::new(),
            said: 0,
            scratch: Vec::new(),
        }
    }

    /// The same with another mean rate in messages per second.
    #[must_use]
    pub fn with_rate(mut self, per_second: f64) -> Self {
        self.rate = Rate::new(self.seed, per_second);
        self
    }

    /// The same in a zone, in seconds east of UTC: time stamps of RFC 3164 do not name theirs and
    /// must be in the zone that their reader assumes.
    #[must_use]
    pub fn with_utc_offset(mut self, seconds: i32) -> Self {
        self.offset_seconds = seconds;
        self
    }

    /// How many messages a second there should be.
    pub fn rate(&self) -> &Rate {
        &self.rate
    }

    /// When the next message should be sent after one that was sent at `time`. Messages come
    /// independently of each other, as from many senders.
    pub fn next_time(&mut self, time: Timestamp) -> Timestamp {
        let rate = self.rate.at(time).max(1e-3);
        let nanos = self.random.exponential(1e9 / rate) as i64;
        time.plus_nanos(nanos.max(1))
    }

    /// Appends a line, without a line end, that is written at `now`. Times should not go back.
    pub fn next_line(&mut self, now: Timestamp, out: &mut Vec<u8>) {
        let is_due = |pending: &Reverse<Pending>| pending.0.due <= now;
        if self.pending.peek().is_some_and(is_due)
            && let Some(Reverse(pending)) = self.pending.pop()
        {
            self.write(&pending.said, now, out);
            return;
        }
        self.happen(now);
        let mut said = std::mem::take(&mut self.scratch).into_iter();
        if let Some(first) = said.next() {
            self.write(&first, now, out);
        }
        for said in said {
            if self.pending.len() < PENDING_MAX {
                self.said += 1;
                let nanos = i64::try_from(said.delay_ms).unwrap_or(0) * 1_000_000;
                self.pending.push(Reverse(Pending {
                    due: now.plus_nanos(nanos),
                    number: self.said,
                    said,
                }));
            }
        }
    }

    /// Lets something happen; its lines are in `scratch`, the first one to be written now.
    fn happen(&mut self, now: Timestamp) {
        let incident = incident_at(self.seed, now)
            .filter(|incident| self.random.unit() < Rate::incident_part(now, incident.intensity));
        let host = match &incident {
            Some(incident) => incident.host(&mut self.random),
            None => draw_host(&mut self.random),
        };
        let mut scene = Scene {
            random: &mut self.random,
            host,
            now,
            said: std::mem::take(&mut self.scratch),
        };
        match incident {
            Some(incident) => in_trouble(incident.trouble, &incident.address(), &mut scene),
            None => {
                if let Some(program) = scene.random.weighted(programs_of(host.role)) {
                    program(&mut scene);
                }
            }
        }
        self.scratch = scene.said;
    }

    fn write(&self, said: &Said, now: Timestamp, out: &mut Vec<u8>) {
        let number = said.voice.facility * 8 + said.severity;
        let level = Priority::from_number(number).unwrap_or(Priority::DEFAULT);
        let local = now.plus_nanos(i64::from(self.offset_seconds) * 1_000_000_000);
        let pid = match said.voice.pid {
            0 => String::new(),
            pid => pid.to_string(),
        };
        let host = said.host.name.as_bytes();
        let program = said.voice.program.as_bytes();
        let message = said.body.as_bytes();
        match said.host.style {
            Style::Bsd => rfc3164(
                &Rfc3164 {
                    priority: level,
                    time: local,
                    host,
                    program,
                    pid: pid.as_bytes(),
                    message,
                },
                out,
            ),
            Style::Ietf => rfc5424(
                &Rfc5424 {
                    priority: level,
                    time: Some(now),
                    host,
                    program,
                    pid: pid.as_bytes(),
                    msgid: said.voice.msgid.as_bytes(),
                    structured_data: said.structured_data.as_bytes(),
                    has_bom: false,
                    message,
                },
                out,
            ),
            Style::Iso => {
                priority(level, out);
                stamp_iso(now, 6, out);
                out.extend_from_slice(b"+00:00 ");
                out.extend_from_slice(host);
                out.push(b' ');
                tag(program, pid.as_bytes(), out);
                out.extend_from_slice(message);
            }
            Style::Asa => {
                priority(level, out);
                asa_stamp(local, out);
                out.push(b' ');
                out.extend_from_slice(host);
                out.extend_from_slice(b" : ");
                tag(program, b"", out);
                out.extend_from_slice(message);
            }
            Style::Ios => {
                priority(level, out);
                // Each switch numbers its own messages; this is near enough.
                decimal(self.said % 900_000 + 1, out);
                out.extend_from_slice(b": ");
                out.extend_from_slice(host);
                out.extend_from_slice(b": ");
                stamp_bsd(local, out);
                out.push(b'.');
                padded(millis(local), 3, out);
                out.extend_from_slice(b": ");
                tag(program, b"", out);
                out.extend_from_slice(message);
            }
        }
    }
}

impl Source for Demo {
    fn next_message(&mut self, now: Timestamp, out: &mut Vec<u8>) -> bool {
        self.next_line(now, out);
        true
    }
}

/// `program[pid]: `.
fn tag(program: &[u8], pid: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(program);
    if !pid.is_empty() {
        out.push(b'[');
        out.extend_from_slice(pid);
        out.push(b']');
    }
    out.extend_from_slice(b": ");
}

/// `Nov 21 2026 18:47:27`.
fn asa_stamp(time: Timestamp, out: &mut Vec<u8>) {
    let mut stamp = Vec::with_capacity(16);
    stamp_bsd(time, &mut stamp);
    let (date, clock) = stamp.split_at_checked(6).unwrap_or((&stamp, b""));
    out.extend_from_slice(date);
    out.push(b' ');
    decimal(u64::from(time.to_civil().year.unsigned_abs()), out);
    out.extend_from_slice(clock);
}

fn millis(time: Timestamp) -> u64 {
    u64::from(time.to_civil().nanosecond / 1_000_000)
}

#[cfg(test)]
mod tests;
