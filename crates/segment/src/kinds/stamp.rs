//! Time stamps that follow from the time of their record: RFC 3164's and RFC 3339's.
//!
//! A stamp is found by writing it: what does not come out as the very bytes that stand there is
//! none. So nothing depends on how the parser reads stamps.
#![deny(clippy::indexing_slicing)]

use model::{CivilTime, Timestamp};

use crate::Corrupt;
use crate::limits::STAMP_OFFSET_QUARTERS_MAX;
use crate::wire::Reader;

/// Nanoseconds in a quarter of an hour, the unit of all zones in use.
const QUARTER_NANOS: i64 = 900 * 1_000_000_000;

/// Quarters of an hour in a day.
const DAY_QUARTERS: i64 = 96;

/// Digits of a nanosecond.
const FRACTION_DIGITS_MAX: u8 = 9;

/// Nanoseconds in a second.
const SECOND_NANOS: i64 = 1_000_000_000;

/// Length of date and clock: `2026-10-01T22:14:15`.
const CLOCK_BYTES_MAX: usize = 19;

/// Length of the shortest stamp: `Oct 11 22:14:15`.
pub(super) const STAMP_BYTES_MIN: usize = 15;

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// How a time stamp is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    form: Form,
    /// Digits of the fraction of a second; none and no point where 0.
    digits: u8,
    zone: Zone,
    /// How far its clock is ahead of UTC, in quarters of an hour.
    quarters: i8,
}

/// The order of the parts. The value is the byte in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Form {
    /// `Oct  1 22:14:15`
    Month,
    /// `Oct 01 22:14:15`
    MonthPadded,
    /// `2026-10-01T22:14:15`
    Iso,
    /// `2026-10-01 22:14:15`
    IsoSpaced,
}

/// What is said of the zone. The value is the byte in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Zone {
    /// Nothing.
    Unsaid,
    /// `Z`
    Utc,
    /// `+01:00`
    Offset,
}

/// The date and the clock that were written last: messages of the same second share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    written: Option<(Form, i64)>,
    text: Vec<u8>,
}

/// A stamp, where it starts and how long it is.
pub(super) struct Found {
    pub(super) stamp: Stamp,
    pub(super) start: usize,
    pub(super) len: usize,
}

/// Finds the first stamp of a time in a text. `clock` and `buffer` are for trying.
pub(super) fn find(
    text: &[u8],
    time: Timestamp,
    clock: &mut Clock,
    buffer: &mut Vec<u8>,
) -> Option<Found> {
    let last = text.len().checked_sub(STAMP_BYTES_MIN)?;
    let mut is_in_word = false;
    for (start, byte) in text.iter().enumerate().take(last + 1) {
        let is_at_word = !is_in_word && byte.is_ascii_alphanumeric();
        is_in_word = byte.is_ascii_alphanumeric();
        if is_at_word
            && let Some(rest) = text.get(start..)
            && let Some(stamp) = Stamp::read(rest, time, clock, buffer)
        {
            let len = buffer.len();
            return Some(Found { stamp, start, len });
        }
    }
    None
}

impl Stamp {
    /// The stamp of a time at the start of a text, which `buffer` then holds.
    fn read(text: &[u8], time: Timestamp, clock: &mut Clock, buffer: &mut Vec<u8>) -> Option<Self> {
        let (form, minutes, clock_end) = read_clock(text)?;
        let (digits, at) = read_fraction(text, clock_end)?;
        let is_iso = form.is_iso();
        let (zone, said) = match text.get(at) {
            Some(b'Z') if is_iso => (Zone::Utc, Some(0)),
            Some(b'+' | b'-') if is_iso => match read_offset(text.get(at..)?) {
                Some(quarters) => (Zone::Offset, Some(quarters)),
                None => (Zone::Unsaid, None),
            },
            _ => (Zone::Unsaid, None),
        };
        let candidates = match said {
            Some(quarters) => [Some(quarters), None],
            None => possible_quarters(minutes, time)?,
        };
        candidates.into_iter().flatten().find_map(|quarters| {
            let stamp = Self {
                form,
                digits,
                zone,
                quarters: i8::try_from(quarters)
                    .ok()
                    .filter(|quarters| quarters.abs() <= STAMP_OFFSET_QUARTERS_MAX)?,
            };
            buffer.clear();
            stamp.write(time, clock, buffer).ok()?;
            text.starts_with(buffer).then_some(stamp)
        })
    }

    /// The length of the stamp of a time at the start of a text, where it is this one and no other.
    pub(super) fn is_at(
        self,
        text: &[u8],
        time: Timestamp,
        clock: &mut Clock,
        buffer: &mut Vec<u8>,
    ) -> Option<usize> {
        let ahead = i64::from(self.quarters) * QUARTER_NANOS;
        let local = time.nanos().checked_add(ahead)?;
        let behind = text.strip_prefix(clock.at(self.form, local.div_euclid(SECOND_NANOS)))?;
        // Days of two digits are written the same in both forms, and read as the other.
        if self.form == Form::MonthPadded && text.get(4) != Some(&b'0') {
            return None;
        }
        let behind = self.skip_fraction(behind, local.rem_euclid(SECOND_NANOS) as u32)?;
        let len = text.len() - behind.len();
        match (self.zone, behind) {
            (Zone::Utc, [b'Z', ..]) => Some(len + 1),
            (Zone::Offset, _) => {
                buffer.clear();
                self.write_offset(buffer);
                behind.starts_with(buffer).then_some(len + buffer.len())
            }
            (Zone::Unsaid, [b'Z' | b'+' | b'-', ..]) if self.form.is_iso() => {
                let found = Self::read(text, time, clock, buffer)?;
                (found == self).then_some(buffer.len())
            }
            (Zone::Unsaid, _) => Some(len),
            (Zone::Utc, _) => None,
        }
    }

    /// What is behind the fraction of a second, if it is the right one and has as many digits.
    fn skip_fraction(self, text: &[u8], nanosecond: u32) -> Option<&[u8]> {
        if self.digits == 0 {
            let digits = text.strip_prefix(b".").unwrap_or(text);
            return (!digits.first().is_some_and(u8::is_ascii_digit)).then_some(text);
        }
        let rest = text.strip_prefix(b".")?;
        let (digits, rest) = rest.split_at_checked(usize::from(self.digits))?;
        let mut number = 0;
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number * 10 + u32::from(digit);
        }
        let unit = 10_u32.pow(u32::from(FRACTION_DIGITS_MAX - self.digits));
        let is_same = number == nanosecond / unit;
        let ends = !rest.first().is_some_and(u8::is_ascii_digit);
        (is_same && ends).then_some(rest)
    }

    /// Appends the stamp of a time.
    pub(super) fn write(
        self,
        time: Timestamp,
        clock: &mut Clock,
        out: &mut Vec<u8>,
    ) -> Result<(), Corrupt> {
        let nanos = time.nanos();
        let local = nanos
            .checked_add(i64::from(self.quarters) * QUARTER_NANOS)
            .ok_or(Corrupt::Invalid {
                what: "time of a time stamp",
                value: nanos.cast_unsigned(),
            })?;
        let second = local.div_euclid(SECOND_NANOS);
        out.extend_from_slice(clock.at(self.form, second));
        if self.digits > 0 {
            let fraction = fraction(local.rem_euclid(SECOND_NANOS) as u32);
            let digits = fraction.get(..=usize::from(self.digits));
            out.extend_from_slice(digits.unwrap_or(&[]));
        }
        match self.zone {
            Zone::Unsaid => {}
            Zone::Utc => out.push(b'Z'),
            Zone::Offset => self.write_offset(out),
        }
        Ok(())
    }

    fn write_offset(self, out: &mut Vec<u8>) {
        let quarters = self.quarters.unsigned_abs();
        out.push(if self.quarters < 0 { b'-' } else { b'+' });
        put_two(quarters / 4, out);
        out.push(b':');
        put_two(quarters % 4 * 15, out);
    }

    /// Appends the parameters, four bytes of any value.
    pub(super) fn encode(self, out: &mut Vec<u8>) {
        let quarters = self.quarters.cast_unsigned();
        out.extend_from_slice(&[self.form as u8, self.digits, self.zone as u8, quarters]);
    }

    /// Reads the parameters.
    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let parameters = reader.array()?;
        let [form, digits, zone, quarters] = parameters;
        let form = [Form::Month, Form::MonthPadded, Form::Iso, Form::IsoSpaced]
            .get(usize::from(form))
            .copied();
        let zone = [Zone::Unsaid, Zone::Utc, Zone::Offset]
            .get(usize::from(zone))
            .copied();
        let stamp = form.zip(zone).map(|(form, zone)| Self {
            form,
            digits,
            zone,
            quarters: quarters.cast_signed(),
        });
        stamp.filter(Self::is_valid).ok_or(Corrupt::Invalid {
            what: "form of a time stamp",
            value: u64::from(u32::from_le_bytes(parameters)),
        })
    }

    fn is_valid(&self) -> bool {
        let zone_fits = match self.zone {
            Zone::Unsaid => true,
            Zone::Utc => self.form.is_iso() && self.quarters == 0,
            Zone::Offset => self.form.is_iso(),
        };
        let quarters_max = STAMP_OFFSET_QUARTERS_MAX.unsigned_abs();
        zone_fits
            && self.digits <= FRACTION_DIGITS_MAX
            && self.quarters.unsigned_abs() <= quarters_max
    }
}

impl Clock {
    /// Date and clock of a second since 1970 by the clock that is shown.
    fn at(&mut self, form: Form, second: i64) -> &[u8] {
        if self.written != Some((form, second)) {
            self.written = Some((form, second));
            self.text.clear();
            self.text.reserve(CLOCK_BYTES_MAX);
            // Only the least of all seconds is out of range, by less than a second.
            let nanos = second.saturating_mul(SECOND_NANOS);
            let civil = Timestamp::from_nanos(nanos).to_civil();
            write_date(form, &civil, &mut self.text);
            put_two(civil.hour, &mut self.text);
            self.text.push(b':');
            put_two(civil.minute, &mut self.text);
            self.text.push(b':');
            put_two(civil.second, &mut self.text);
        }
        &self.text
    }
}

/// Date and what separates it from the clock.
fn write_date(form: Form, civil: &CivilTime, out: &mut Vec<u8>) {
    match form {
        Form::Month | Form::MonthPadded => {
            let month = MONTHS.get(usize::from(civil.month).wrapping_sub(1));
            out.extend_from_slice(month.map_or(b"", |month| month.as_slice()));
            out.push(b' ');
            if form == Form::Month && civil.day < 10 {
                out.extend_from_slice(&[b' ', b'0' + civil.day]);
            } else {
                put_two(civil.day, out);
            }
            out.push(b' ');
        }
        Form::Iso | Form::IsoSpaced => {
            // Time stamps cover the years 1678 to 2261.
            let year = civil.year.unsigned_abs();
            put_two((year / 100) as u8, out);
            put_two((year % 100) as u8, out);
            out.push(b'-');
            put_two(civil.month, out);
            out.push(b'-');
            put_two(civil.day, out);
            out.push(if form == Form::Iso { b'T' } else { b' ' });
        }
    }
}

/// The point and all digits of a nanosecond.
fn fraction(mut nanosecond: u32) -> [u8; 10] {
    let mut text = [b'.'; 10];
    for digit in text.iter_mut().skip(1).rev() {
        *digit = b'0' + (nanosecond % 10) as u8;
        nanosecond /= 10;
    }
    text
}

impl Form {
    const fn is_iso(self) -> bool {
        matches!(self, Self::Iso | Self::IsoSpaced)
    }
}

/// The form of a stamp by its separators, minutes of the day by its clock, and where that ends.
fn read_clock(text: &[u8]) -> Option<(Form, i64, usize)> {
    if let Some(
        &[
            _,
            _,
            _,
            _,
            b'-',
            _,
            _,
            b'-',
            _,
            _,
            between,
            h1,
            h2,
            b':',
            m1,
            m2,
            b':',
            _,
            _,
        ],
    ) = text.first_chunk()
    {
        let form = match between {
            b'T' => Form::Iso,
            b' ' => Form::IsoSpaced,
            _ => return None,
        };
        return Some((form, two(h1, h2)? * 60 + two(m1, m2)?, 19));
    }
    let &[
        _,
        _,
        _,
        b' ',
        day,
        _,
        b' ',
        h1,
        h2,
        b':',
        m1,
        m2,
        b':',
        _,
        _,
    ] = text.first_chunk()?
    else {
        return None;
    };
    let form = if day == b'0' {
        Form::MonthPadded
    } else {
        Form::Month
    };
    Some((form, two(h1, h2)? * 60 + two(m1, m2)?, 15))
}

/// The number of digits of a fraction at a place, and where they end. None where a number goes on
/// that is no part of a stamp.
fn read_fraction(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let count_digits = |start: usize| {
        let rest = text.get(start..).unwrap_or(&[]).iter();
        rest.take(usize::from(FRACTION_DIGITS_MAX) + 1)
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    if text.get(at) != Some(&b'.') {
        return (count_digits(at) == 0).then_some((0, at));
    }
    match count_digits(at + 1) {
        0 => Some((0, at)),
        digits => u8::try_from(digits)
            .ok()
            .filter(|digits| *digits <= FRACTION_DIGITS_MAX)
            .map(|digits| (digits, at + 1 + usize::from(digits))),
    }
}

/// `+01:00` at the start of a text in quarters of an hour.
fn read_offset(text: &[u8]) -> Option<i64> {
    let &[sign, h1, h2, b':', m1, m2] = text.first_chunk()? else {
        return None;
    };
    let minutes = two(h1, h2)? * 60 + two(m1, m2)?;
    let quarters = minutes / 15;
    let is_whole = minutes % 15 == 0;
    is_whole.then_some(if sign == b'-' { -quarters } else { quarters })
}

/// How far a clock that shows these minutes of the day may be ahead of UTC at a time, in quarters of
/// an hour: today or on the day before or after, the lesser first.
fn possible_quarters(minutes: i64, time: Timestamp) -> Option<[Option<i64>; 2]> {
    let utc_minutes = time
        .nanos()
        .div_euclid(60 * 1_000_000_000)
        .rem_euclid(1_440);
    let ahead = (minutes - utc_minutes).rem_euclid(1_440);
    if ahead % 15 != 0 {
        return None;
    }
    let ahead = ahead / 15;
    let behind = ahead - DAY_QUARTERS;
    Some(if ahead <= DAY_QUARTERS / 2 {
        [Some(ahead), Some(behind)]
    } else {
        [Some(behind), Some(ahead)]
    })
}

/// The value of two digits.
fn two(a: u8, b: u8) -> Option<i64> {
    let (a, b) = (a.wrapping_sub(b'0'), b.wrapping_sub(b'0'));
    (a < 10 && b < 10).then(|| i64::from(a * 10 + b))
}

/// Appends two digits of a number below 100.
fn put_two(value: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + value / 10 % 10, b'0' + value % 10]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What of a text is a stamp of 2026-11-01T22:14:15.123456789Z.
    fn found(text: &str) -> Option<String> {
        let time = Timestamp::parse_rfc3339(b"2026-11-01T22:14:15.123456789Z").expect("valid");
        let found = find(
            text.as_bytes(),
            time,
            &mut Clock::default(),
            &mut Vec::new(),
        )?;
        let bytes = text.as_bytes().iter().copied();
        let bytes: Vec<u8> = bytes.skip(found.start).take(found.len).collect();
        let mut written = Vec::new();
        found
            .stamp
            .write(time, &mut Clock::default(), &mut written)
            .expect("in range");
        assert_eq!(written, bytes, "{text}");
        Some(String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn stamps_of_the_time_are_found() {
        for (text, stamp) in [
            ("Nov  1 22:14:15 ", "Nov  1 22:14:15"),
            ("Nov 01 22:14:15 ", "Nov 01 22:14:15"),
            ("Nov  2 00:14:15 ", "Nov  2 00:14:15"),
            ("Nov  1 16:44:15: ", "Nov  1 16:44:15"),
            ("12: *Nov  1 22:14:15.123: ", "Nov  1 22:14:15.123"),
            ("Nov  2 12:14:15 ", "Nov  2 12:14:15"),
            ("2026-11-01T22:14:15Z", "2026-11-01T22:14:15Z"),
            ("2026-11-01 23:14:15.1 x", "2026-11-01 23:14:15.1"),
            (
                "2026-11-02T04:14:15.123456789+06:00 ",
                "2026-11-02T04:14:15.123456789+06:00",
            ),
            (
                "2026-11-01T18:44:15.12-03:30 ",
                "2026-11-01T18:44:15.12-03:30",
            ),
            ("2026-11-01T22:14:15.", "2026-11-01T22:14:15"),
            ("2026-11-01T22:14:15z", "2026-11-01T22:14:15"),
            ("2026-11-01T23:14:15+0100", "2026-11-01T23:14:15"),
            ("2026-11-01T22:14:15-00:01", "2026-11-01T22:14:15"),
        ] {
            assert_eq!(found(text).as_deref(), Some(stamp), "{text}");
        }
    }

    #[test]
    fn what_the_time_does_not_give_is_no_stamp() {
        for text in [
            "",
            "Nov  1 22:14:1",
            "Nov  1 22:14:16 ",
            "Nov  1 22:13:15 ",
            "Nov  3 22:14:15 ",
            "nov  1 22:14:15 ",
            "xNov  1 22:14:15 ",
            "Nov  1 22:14:155 ",
            "Nov  1 22:14:15.124 ",
            "2026-11-01T22:14:15.1234567890Z",
            "2026-11-01T22:14:15-00:00",
            "2025-11-01T22:14:15Z",
            "2026-11-01T22:14:15+01:00",
            "2026-11-01t22:14:15Z",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    fn any_stamp() -> impl Strategy<Value = Stamp> {
        let max = STAMP_OFFSET_QUARTERS_MAX;
        let parameters = (0..4_u8, 0..=9_u8, 0..3_u8, -max..=max);
        parameters.prop_filter_map(
            "a zone that its form has",
            |(form, digits, zone, quarters)| {
                let bytes = [form, digits, zone, quarters.cast_unsigned()];
                Stamp::decode(&mut Reader::new("test", &bytes)).ok()
            },
        )
    }

    proptest! {
        #[test]
        fn parameters_round_trip(stamp in any_stamp()) {
            let mut out = Vec::new();
            stamp.encode(&mut out);
            prop_assert_eq!(Stamp::decode(&mut Reader::new("test", &out)), Ok(stamp));
        }

        #[test]
        fn what_is_written_is_found(stamp in any_stamp(), nanos in any::<i64>()) {
            let time = Timestamp::from_nanos(nanos);
            let mut text = b"*".to_vec();
            if stamp.write(time, &mut Clock::default(), &mut text).is_err() {
                return Ok(());
            }
            let len = text.len() - 1;
            text.extend_from_slice(b" host");
            let found = find(&text, time, &mut Clock::default(), &mut Vec::new()).expect("found");
            prop_assert_eq!((found.start, found.len), (1, len));
            let mut again = b"*".to_vec();
            found.stamp.write(time, &mut Clock::default(), &mut again).expect("in range");
            prop_assert!(text.starts_with(&again));
        }

        #[test]
        fn a_stamp_is_there_where_it_is_read(
            written in any_stamp(),
            other in any_stamp(),
            is_other in any::<bool>(),
            nanos in any::<i64>(),
            behind in "[ .0-9Z+:-]{0,8}",
        ) {
            let time = Timestamp::from_nanos(nanos);
            let (mut clock, mut buffer, mut text) = (Clock::default(), Vec::new(), Vec::new());
            if written.write(time, &mut clock, &mut text).is_err() {
                return Ok(());
            }
            text.extend_from_slice(behind.as_bytes());
            let stamp = if is_other { other } else { written };
            let is_read = Stamp::read(&text, time, &mut clock, &mut buffer) == Some(stamp);
            let expected = is_read.then_some(buffer.len());
            prop_assert_eq!(stamp.is_at(&text, time, &mut clock, &mut buffer), expected);
        }

        #[test]
        fn any_text_is_survived(text in "[A-Z0-9][a-z0-9]{2,3}[ -]{1,2}[0-9.:TZ+ -]{0,30}", nanos in any::<i64>()) {
            let _ = find(text.as_bytes(), Timestamp::from_nanos(nanos), &mut Clock::default(), &mut Vec::new());
        }
    }
}
