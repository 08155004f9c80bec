//! Messages like those of a learned log: a million a second and more from one thread.
//!
//! A message is a template, drawn by what it follows, and a value for each slot of it. Values that
//! are fresh are 64 random bits, spelt as the slot wants; those that come again are taken from the
//! last few of the slot. Needles are appended by the number of the message.

use std::sync::Arc;

use model::{CivilTime, Priority, Timestamp};
use syslog::write::{decimal, padded, priority, stamp_bsd, stamp_iso};

use crate::Source;
use crate::learn::limits::SLOTS_MAX;
use crate::learn::plan::{Alphabet, Plan, Tail, Track, below, digits_of, uuid};
use crate::learn::tables::{
    ANY_TEMPLATE, PartTable, RECENT, SlotTable, Style, Tables, TemplateTable,
};
use crate::random::{Random, mix};

/// The structured data element of planted amounts and clients; the number is the one that RFC 5612
/// sets aside for documents.
const DATA_ID: &[u8] = b"[load@32473 ";

/// The messages of one connection.
#[derive(Debug)]
pub struct Realistic {
    tables: Arc<Tables>,
    random: Random,
    /// Messages made so far.
    made: u64,
    template: usize,
    memory: Vec<Memory>,
    clock: Clock,
    needles: Vec<Planted>,
    /// The number of the next message with a needle.
    next_needle: u64,
    /// Where slots stand in the message that is being written.
    spans: Vec<(usize, usize)>,
}

/// What a slot remembers.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The last value, or the place in a set.
    last: u64,
    /// Grows to [`RECENT`] where values come again at all.
    recent: Vec<u64>,
    at: usize,
    is_used: bool,
}

/// A needle and where it stands next.
#[derive(Debug)]
struct Planted {
    text: String,
    tail: Tail,
    track: Track,
    block: u64,
    next: u64,
}

/// The second of the message before, written.
#[derive(Debug)]
struct Clock {
    second: i64,
    civil: CivilTime,
    iso: Vec<u8>,
    bsd: Vec<u8>,
}

impl Realistic {
    /// The messages of a connection, counted from 0. The same tables, plan and connection give the
    /// same messages for the same times.
    pub fn new(tables: &Arc<Tables>, plan: &Plan, connection: usize) -> Self {
        let needles: Vec<Planted> = (0..plan.needles.len())
            .filter_map(|place| {
                let needle = plan.needles.get(place)?;
                let track = plan.track(place, connection)?;
                Some(Planted {
                    text: needle.text.clone(),
                    tail: needle.tail,
                    track,
                    block: 0,
                    next: track.place(0).unwrap_or(u64::MAX),
                })
            })
            .collect();
        let next_needle = needles.iter().map(|needle| needle.next).min();
        Self {
            random: Random::new(mix(plan.seed ^ mix(connection as u64))),
            made: 0,
            template: ANY_TEMPLATE,
            memory: vec![Memory::default(); tables.slots.len()],
            clock: Clock::new(),
            needles,
            next_needle: next_needle.unwrap_or(u64::MAX),
            spans: Vec::with_capacity(SLOTS_MAX),
            tables: Arc::clone(tables),
        }
    }

    /// How many messages were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Draws the next template.
    fn draw_template(&mut self, tables: &Tables) -> usize {
        let next = match tables.templates.get(self.template) {
            Some(TemplateTable {
                next_draw: Some(draw),
                next,
                ..
            }) => next.get(draw.pick(self.random.next())).copied(),
            _ => None,
        };
        let place = next
            .filter(|place| *place != ANY_TEMPLATE)
            .unwrap_or_else(|| tables.template_draw.pick(self.random.next()));
        self.template = place;
        place
    }

    /// Writes what stands before the message; `false` where there is none.
    fn write_header(
        &mut self,
        tables: &Tables,
        template: &TemplateTable,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) {
        let host_place = tables.host_draw.pick(self.random.next());
        let host = tables.hosts.get(host_place).map_or("", String::as_str);
        let program = match template.program.is_empty() {
            false => template.program.as_str(),
            true => {
                let place = tables.program_draw.pick(self.random.next());
                tables.programs.get(place).copied().unwrap_or_default()
            }
        };
        let has_pid = template.has_pid || template.program.is_empty();
        // A process lives as long as its host.
        let seed = (host_place as u64) << 32 | self.template as u64;
        let pid = 300 + below(mix(seed), 32_000);
        let level = Priority::from_number(template.priority).unwrap_or(Priority::DEFAULT);
        priority(level, out);
        if tables.style == Style::Rfc3164 {
            out.extend_from_slice(&self.clock.bsd);
            for part in [" ", host, " ", program] {
                out.extend_from_slice(part.as_bytes());
            }
            if has_pid {
                out.push(b'[');
                decimal(pid, out);
                out.push(b']');
            }
            out.extend_from_slice(b": ");
            return;
        }
        out.extend_from_slice(b"1 ");
        out.extend_from_slice(&self.clock.iso);
        let micros = now.nanos().rem_euclid(1_000_000_000) / 1_000;
        out.push(b'.');
        padded(u64::try_from(micros).unwrap_or(0), 6, out);
        for part in ["Z ", host, " ", program, " "] {
            out.extend_from_slice(part.as_bytes());
        }
        match has_pid {
            true => decimal(pid, out),
            false => out.push(b'-'),
        }
        out.push(b' ');
        match template.msgid.as_str() {
            "" => out.push(b'-'),
            msgid => out.extend_from_slice(msgid.as_bytes()),
        }
        out.push(b' ');
        self.write_data(template, out);
    }

    /// Writes planted structured data, and the sign for none where there is none at all.
    fn write_data(&self, template: &TemplateTable, out: &mut Vec<u8>) {
        let start = out.len();
        if self.made == self.next_needle {
            for needle in &self.needles {
                if needle.next == self.made && needle.tail.is_data() {
                    // An element may stand there once only.
                    let is_first = out.len() == start;
                    out.extend_from_slice(if is_first { DATA_ID } else { b" " });
                    needle.tail.write(needle.track.value(needle.block), out);
                }
            }
            if out.len() > start {
                out.push(b']');
            }
        }
        if !template.has_data {
            out.extend_from_slice(if out.len() == start { b"- " } else { b" " });
        }
    }

    fn write_parts(
        &mut self,
        tables: &Tables,
        template: &TemplateTable,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) {
        self.spans.clear();
        for part in &template.parts {
            let start = out.len();
            match part {
                PartTable::Text(text) => {
                    out.extend_from_slice(text.as_bytes());
                    continue;
                }
                PartTable::Same(place) => {
                    if let Some((start, end)) = self.spans.get(*place) {
                        out.extend_from_within(*start..*end);
                    }
                }
                PartTable::Slot(place) => {
                    if let (Some(slot), Some(memory)) =
                        (tables.slots.get(*place), self.memory.get_mut(*place))
                    {
                        write_slot(slot, memory, &mut self.random, &self.clock, now, out);
                    }
                }
            }
            self.spans.push((start, out.len()));
        }
    }

    /// Appends the needles of this message and moves each of them on.
    fn plant(&mut self, out: &mut Vec<u8>) {
        let mut next_needle = u64::MAX;
        for needle in &mut self.needles {
            if needle.next == self.made {
                if !needle.tail.is_data() {
                    out.push(b' ');
                    out.extend_from_slice(needle.text.as_bytes());
                    needle.tail.write(needle.track.value(needle.block), out);
                }
                needle.block += 1;
                needle.next = needle.track.place(needle.block).unwrap_or(u64::MAX);
            }
            next_needle = next_needle.min(needle.next);
        }
        self.next_needle = next_needle;
    }
}

impl Source for Realistic {
    fn next_message(&mut self, now: Timestamp, out: &mut Vec<u8>) -> bool {
        let tables = Arc::clone(&self.tables);
        self.clock.set(now);
        let place = self.draw_template(&tables);
        let Some(template) = tables.templates.get(place) else {
            return false;
        };
        if tables.style != Style::Bare {
            self.write_header(&tables, template, now, out);
        }
        self.write_parts(&tables, template, now, out);
        if self.made == self.next_needle {
            self.plant(out);
        }
        self.made += 1;
        true
    }
}

/// Writes a value of a slot.
fn write_slot(
    slot: &SlotTable,
    memory: &mut Memory,
    random: &mut Random,
    clock: &Clock,
    now: Timestamp,
    out: &mut Vec<u8>,
) {
    match slot {
        SlotTable::Values {
            values,
            draw,
            repeat,
        } => {
            let is_repeated = memory.is_used && random.below(1_000) < *repeat;
            if !is_repeated {
                memory.last = draw.pick(random.next()) as u64;
                memory.is_used = true;
            }
            let place = usize::try_from(memory.last).unwrap_or(0);
            if let Some(value) = values.get(place) {
                out.extend_from_slice(value.as_bytes());
            }
        }
        SlotTable::Number {
            points,
            width,
            recent,
        } => {
            let number = memory.recent_or(*recent, random, |random| number(points, random));
            padded(number, (*width).max(1), out);
        }
        SlotTable::Counter { start, step, width } => {
            if !memory.is_used {
                memory.is_used = true;
                memory.last = *start;
            }
            padded(memory.last, (*width).max(1), out);
            let step = random.below(step.saturating_mul(2).saturating_add(1));
            memory.last = memory.last.saturating_add(step);
        }
        SlotTable::Hex {
            digits,
            draw,
            alphabet,
            recent,
        } => {
            let value = memory.recent_or(*recent, random, Random::next);
            let len = digits.get(draw.pick(mix(value))).copied().unwrap_or(8);
            write_digits(value, len, *alphabet, out);
        }
        SlotTable::Uuid { recent } => uuid(memory.recent_or(*recent, random, Random::next), out),
        SlotTable::Address {
            networks,
            draw,
            recent,
        } => {
            let value = memory.recent_or(*recent, random, Random::next);
            let network = networks.get(draw.pick(mix(value))).copied();
            write_address(network.unwrap_or_default(), value, out);
        }
        SlotTable::Stamp(format) => {
            format.write(now, &clock.civil, out);
        }
    }
}

fn write_address([one, two]: [u8; 2], value: u64, out: &mut Vec<u8>) {
    let [three, four, ..] = value.to_le_bytes();
    for (place, byte) in [one, two, three, four].into_iter().enumerate() {
        if place > 0 {
            out.push(b'.');
        }
        decimal(u64::from(byte), out);
    }
}

fn write_digits(value: u64, len: u8, alphabet: Alphabet, out: &mut Vec<u8>) {
    let mut text = [0; u8::MAX as usize];
    if let Some(text) = text.get_mut(..usize::from(len)) {
        digits_of(value, alphabet, text);
        out.extend_from_slice(text);
    }
}

/// A number between two of the points, each pair as often.
fn number(points: &[u64], random: &mut Random) -> u64 {
    let pairs = points.len().saturating_sub(1) as u64;
    let place = usize::try_from(random.below(pairs)).unwrap_or(0);
    match points.get(place..place + 2) {
        Some([first, last]) => random.range(*first, (*last).min(u64::MAX - 1)),
        _ => 0,
    }
}

impl Memory {
    /// In so many of 1000 cases one of the last values, else a fresh one.
    fn recent_or(
        &mut self,
        recent: u64,
        random: &mut Random,
        fresh: impl Fn(&mut Random) -> u64,
    ) -> u64 {
        if recent == 0 {
            return fresh(random);
        }
        if !self.recent.is_empty() && random.below(1_000) < recent {
            let place = usize::try_from(random.below(self.recent.len() as u64)).unwrap_or(0);
            return self.recent.get(place).copied().unwrap_or_default();
        }
        let value = fresh(random);
        match self.recent.get_mut(self.at) {
            Some(kept) => *kept = value,
            None => self.recent.push(value),
        }
        self.at = (self.at + 1) % RECENT;
        value
    }
}

impl Clock {
    fn new() -> Self {
        Self {
            second: i64::MIN,
            civil: Timestamp::from_seconds(0).to_civil(),
            iso: Vec::with_capacity(20),
            bsd: Vec::with_capacity(16),
        }
    }

    fn set(&mut self, now: Timestamp) {
        let second = now.nanos().div_euclid(1_000_000_000);
        if second == self.second {
            return;
        }
        self.second = second;
        self.civil = now.to_civil();
        self.iso.clear();
        stamp_iso(now, 0, &mut self.iso);
        self.bsd.clear();
        stamp_bsd(now, &mut self.bsd);
    }
}

#[cfg(test)]
mod tests;
