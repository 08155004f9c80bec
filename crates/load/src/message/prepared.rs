//! A text that is the same in every message but for its number and its stamps.
//!
//! The text is laid out once, padding included. A message is the text with digits and stamps
//! written over in place, and one copy of it; the stamps are written only when they change.

use jiff::tz::TimeZone;
use model::Timestamp;
use model::limits::MESSAGE_BYTES_MAX;

use super::stamp::{StampForm, offset_seconds};
use crate::random::Random;
use crate::{Error, Source};

/// A text under construction, with the places that change.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    numbers: Vec<Number>,
    stamps: Vec<(usize, StampForm)>,
    /// The number of the first message, and how much each next one has more.
    first: u64,
    step: u64,
}

/// Where the number stands.
#[derive(Clone, Copy, Debug)]
struct Number {
    at: usize,
    digits: usize,
}

impl Text {
    /// An empty text of messages with these numbers.
    pub(super) fn numbered(first: u64, step: u64) -> Self {
        Self {
            first,
            step,
            ..Self::default()
        }
    }

    /// Adds text that stays the same.
    #[must_use]
    pub(super) fn with(mut self, text: &str) -> Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds the number, zeros in front.
    #[must_use]
    pub(super) fn with_number(mut self, digits: usize) -> Self {
        let at = self.bytes.len();
        self.numbers.push(Number { at, digits });
        self.bytes.resize(at + digits, b'0');
        self
    }

    /// Adds a stamp.
    #[must_use]
    pub(super) fn with_stamp(mut self, form: StampForm) -> Self {
        self.stamps.push((self.bytes.len(), form));
        form.write(Timestamp::from_seconds(0), 0, &mut self.bytes);
        self
    }
}

/// How long messages are, without a line end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// As long as the text where it is `None`.
    pub(super) bytes: Option<usize>,
    /// Drawn up to this where it is there.
    pub(super) bytes_max: Option<usize>,
}

/// Whether messages can have these sizes, the smallest and the largest.
pub(super) fn check_sizes(bytes_min: usize, bytes_max: usize) -> Result<(), Error> {
    if bytes_max < bytes_min || bytes_max > MESSAGE_BYTES_MAX {
        return Err(Error::OutOfRange {
            what: "the largest size of a message",
            found: bytes_max as u64,
            min: bytes_min as u64,
            max: MESSAGE_BYTES_MAX as u64,
        });
    }
    Ok(())
}

/// Messages of one text.
#[derive(Debug)]
pub(super) struct Prepared {
    text: Text,
    next: u64,
    bytes_min: usize,
    bytes_max: usize,
    is_padded: bool,
    /// The time that the stamps show, in units of their finest grain.
    shown: Option<i64>,
    grain_nanos: i64,
    zone: TimeZone,
    random: Random,
}

impl Prepared {
    pub(super) fn new(
        mut text: Text,
        lengths: &Lengths,
        padding: &[u8],
        zone: TimeZone,
        seed: u64,
    ) -> Result<Self, Error> {
        let fixed = text.bytes.len();
        // The last byte of the fixed part is the space before the padding, which may be left out.
        let shortest = fixed - usize::from(text.bytes.last() == Some(&b' '));
        let bytes_min = lengths.bytes.unwrap_or(fixed);
        let bytes_max = lengths.bytes_max.unwrap_or(bytes_min);
        if bytes_min < shortest {
            return Err(Error::TooShort {
                bytes: bytes_min,
                bytes_min: shortest,
            });
        }
        check_sizes(bytes_min, bytes_max)?;
        let missing = bytes_max.saturating_sub(fixed);
        text.bytes
            .extend(padding.iter().copied().cycle().take(missing));
        let forms = text.stamps.iter().map(|(_, form)| form.grain_nanos());
        Ok(Self {
            next: text.first,
            bytes_min,
            bytes_max,
            is_padded: lengths.bytes.is_some(),
            shown: None,
            grain_nanos: forms.min().unwrap_or(i64::MAX),
            zone,
            random: Random::new(seed),
            text,
        })
    }

    /// Writes the stamps of a time.
    fn stamp(&mut self, now: Timestamp) {
        let offset = offset_seconds(&self.zone, now);
        let mut stamp = Vec::with_capacity(32);
        for (at, form) in &self.text.stamps {
            stamp.clear();
            form.write(now, offset, &mut stamp);
            if let Some(place) = self.text.bytes.get_mut(*at..*at + stamp.len()) {
                place.copy_from_slice(&stamp);
            }
        }
    }

    /// Writes the number wherever it stands.
    fn number(&mut self) {
        for index in 0..self.text.numbers.len() {
            while let Some(number) = self.text.numbers.get(index).copied()
                && !self.write_digits(number)
            {
                self.widen(index);
            }
        }
    }

    /// Whether there was room.
    fn write_digits(&mut self, number: Number) -> bool {
        let place = self
            .text
            .bytes
            .get_mut(number.at..number.at + number.digits);
        let mut rest = self.next;
        for byte in place.into_iter().flatten().rev() {
            // A remainder of ten fits.
            *byte = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        rest == 0
    }

    /// Makes room for one more digit: by padding where there is some, else the message grows.
    fn widen(&mut self, index: usize) {
        let Some(number) = self.text.numbers.get_mut(index) else {
            return;
        };
        number.digits += 1;
        let at = number.at;
        self.text.bytes.insert(at, b'0');
        if self.is_padded {
            self.text.bytes.truncate(self.bytes_max);
        } else {
            self.bytes_min += 1;
            self.bytes_max += 1;
        }
        let numbers = self.text.numbers.iter_mut().map(|number| &mut number.at);
        let stamps = self.text.stamps.iter_mut().map(|(at, _)| at);
        for place in numbers.chain(stamps).filter(|place| **place > at) {
            *place += 1;
        }
    }
}

impl Source for Prepared {
    fn next_message(&mut self, now: Timestamp, out: &mut Vec<u8>) -> bool {
        let shown = now.nanos().div_euclid(self.grain_nanos);
        if self.shown != Some(shown) {
            self.shown = Some(shown);
            self.stamp(now);
        }
        self.number();
        self.next += self.text.step;
        let len = if self.bytes_min == self.bytes_max {
            self.bytes_max
        } else {
            let len = self
                .random
                .range(self.bytes_min as u64, self.bytes_max as u64);
            usize::try_from(len).unwrap_or(self.bytes_max)
        };
        out.extend_from_slice(self.text.bytes.get(..len).unwrap_or(&self.text.bytes));
        true
    }
}
