//! What a text says of a time, and which time that is.

use model::{CivilTime, Timestamp, zone_offset_seconds};

use super::pattern::Part;
use crate::Failed;

/// What a text says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    year: Option<i16>,
    month: Option<u8>,
    day: Option<u8>,
    day_of_year: Option<u16>,
    hour: u8,
    hour_of_half: Option<u8>,
    is_pm: bool,
    minute: u8,
    second: u8,
    nanosecond: u32,
    offset_seconds: Option<i32>,
    epoch_seconds: Option<i64>,
}

/// The zone of texts that name none.
type Zone<'z> = &'z dyn Fn(CivilTime) -> Option<Timestamp>;

/// Nanoseconds of a day.
const DAY_NANOS: i64 = 86_400 * 1_000_000_000;

/// How far ahead of the reference a time without a year may be; the same as for syslog headers.
const AHEAD_NANOS_MAX: i64 = 7 * DAY_NANOS;

/// How far back the last 29 February may be.
const YEARS_BACK_MAX: i16 = 8;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

impl Reading {
    /// What a text says, white space around it aside.
    pub(super) fn of(text: &[u8], parts: &[Part]) -> Result<Self, Failed> {
        let mut reading = Self::default();
        let mut cursor = Cursor { text, at: 0 };
        cursor.skip_space();
        for part in parts {
            reading.take(*part, &mut cursor)?;
        }
        cursor.skip_space();
        if cursor.at < text.len() {
            return Err(cursor.failed("expected the end behind the time"));
        }
        Ok(reading)
    }

    fn take(&mut self, part: Part, cursor: &mut Cursor<'_>) -> Result<(), Failed> {
        match part {
            Part::Byte(byte) => cursor.byte(byte)?,
            Part::Space => cursor.skip_space(),
            Part::Year => {
                let year = cursor.number(4, 4, 0..=9_999, "expected a year of four digits")?;
                self.year = i16::try_from(year).ok();
            }
            Part::YearOfCentury => {
                let year = cursor.number(2, 2, 0..=99, "expected a year of two digits")?;
                let year = if year < 69 {
                    2_000 + year
                } else {
                    1_900 + year
                };
                self.year = i16::try_from(year).ok();
            }
            Part::Month => self.month = Some(cursor.small(1..=12, "expected a month, 1 to 12")?),
            Part::MonthName => {
                self.month = Some(cursor.name(&MONTHS, "expected the name of a month")?);
            }
            Part::Day => {
                cursor.skip_space();
                self.day = Some(cursor.small(1..=31, "expected a day, 1 to 31")?);
            }
            Part::DayOfYear => {
                let day = cursor.number(1, 3, 1..=366, "expected a day of the year, 1 to 366")?;
                self.day_of_year = u16::try_from(day).ok();
            }
            Part::Hour => {
                cursor.skip_space();
                self.hour = cursor.small(0..=23, "expected an hour, 0 to 23")?;
            }
            Part::HourOfHalf => {
                cursor.skip_space();
                self.hour_of_half = Some(cursor.small(1..=12, "expected an hour, 1 to 12")?);
            }
            Part::Half => self.is_pm = cursor.name(&["am", "pm"], "expected AM or PM")? == 2,
            Part::Minute => self.minute = cursor.small(0..=59, "expected a minute, 0 to 59")?,
            // A leap second has no place of its own in UNIX time.
            Part::Second => {
                self.second = cursor.small(0..=60, "expected a second, 0 to 60")?.min(59);
            }
            Part::Fraction => self.nanosecond = cursor.fraction()?,
            Part::Offset => self.offset_seconds = Some(cursor.offset()?),
            Part::Zone => self.offset_seconds = Some(cursor.zone()?),
            Part::Weekday => _ = cursor.name(&WEEKDAYS, "expected the name of a day")?,
            Part::Epoch { digits_max } => {
                let reason = "expected seconds since 1970";
                let seconds = cursor.number(1, digits_max, 0..=u64::MAX, reason)?;
                self.epoch_seconds = i64::try_from(seconds).ok();
            }
        }
        Ok(())
    }

    /// The time; `None` where there is no such one.
    pub(super) fn time(&self, reference: Timestamp, zone: Zone<'_>) -> Option<Timestamp> {
        if let Some(seconds) = self.epoch_seconds {
            let nanos = seconds.checked_mul(1_000_000_000)?;
            let nanos = nanos.checked_add(i64::from(self.nanosecond))?;
            return Some(Timestamp::from_nanos(nanos));
        }
        if let Some(year) = self.year {
            return self.in_year(year, zone);
        }
        let today = reference.to_civil();
        if self.month.is_some() || self.day_of_year.is_some() {
            let latest = reference.plus_nanos(AHEAD_NANOS_MAX);
            let mut years = (today.year - YEARS_BACK_MAX..=today.year + 1).rev();
            return years.find_map(|year| {
                let time = self.in_year(year, zone)?;
                (time <= latest).then_some(time)
            });
        }
        // The day of the zone is at most one off that of UTC.
        let latest = reference.plus_nanos(DAY_NANOS / 2);
        (-2..=2).rev().find_map(|days: i64| {
            let day = reference.plus_nanos(days * DAY_NANOS).to_civil();
            let time = self.on_day(day, zone)?;
            (time <= latest).then_some(time)
        })
    }

    fn in_year(&self, year: i16, zone: Zone<'_>) -> Option<Timestamp> {
        let first = CivilTime {
            year,
            month: self.month.unwrap_or(1),
            day: self.day.unwrap_or(1),
            ..CivilTime::default()
        };
        let Some(day) = self.day_of_year else {
            return self.on_day(first, zone);
        };
        let first = CivilTime {
            month: 1,
            day: 1,
            ..first
        };
        let start = Timestamp::from_civil(first, 0)?;
        let day = start
            .plus_nanos((i64::from(day) - 1) * DAY_NANOS)
            .to_civil();
        // Only some years have 366 days.
        (day.year == year).then(|| self.on_day(day, zone))?
    }

    /// The time on a day.
    fn on_day(&self, day: CivilTime, zone: Zone<'_>) -> Option<Timestamp> {
        let hour = match self.hour_of_half {
            // Twelve comes before one.
            Some(hour) => hour % 12 + if self.is_pm { 12 } else { 0 },
            None => self.hour,
        };
        let civil = CivilTime {
            hour,
            minute: self.minute,
            second: self.second,
            nanosecond: self.nanosecond,
            ..day
        };
        if !civil.is_valid() {
            return None;
        }
        match self.offset_seconds {
            Some(offset) => Timestamp::from_civil(civil, offset),
            None => zone(civil),
        }
    }
}

/// A text, and how far it is read.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn failed(&self, reason: &'static str) -> Failed {
        Failed::new(self.at, reason)
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn byte(&mut self, byte: u8) -> Result<(), Failed> {
        if self.rest().first() != Some(&byte) {
            return Err(self.failed("expected what the pattern says here"));
        }
        self.at += 1;
        Ok(())
    }

    /// The digits at this place, as many as there are up to a maximum.
    fn digits(&mut self, count_max: usize) -> &'a [u8] {
        let rest = self.rest();
        let digits = rest
            .iter()
            .take(count_max)
            .take_while(|byte| byte.is_ascii_digit());
        let digits = rest.get(..digits.count()).unwrap_or_default();
        self.at += digits.len();
        digits
    }

    /// A number of so many digits, none of which overflows.
    fn number(
        &mut self,
        count_min: usize,
        count_max: usize,
        range: std::ops::RangeInclusive<u64>,
        reason: &'static str,
    ) -> Result<u64, Failed> {
        let failed = self.failed(reason);
        let digits = self.digits(count_max);
        let number = number_of(digits);
        let is_one = digits.len() >= count_min && range.contains(&number);
        is_one.then_some(number).ok_or(failed)
    }

    /// A number of one or two digits.
    fn small(
        &mut self,
        range: std::ops::RangeInclusive<u64>,
        reason: &'static str,
    ) -> Result<u8, Failed> {
        let failed = self.failed(reason);
        let number = self.number(1, 2, range, reason)?;
        u8::try_from(number).map_err(|_| failed)
    }

    /// Nanoseconds of one to nine digits.
    fn fraction(&mut self) -> Result<u32, Failed> {
        let failed = self.failed("expected a fraction of up to nine digits");
        let digits = self.digits(9);
        let scale = u32::try_from(9 - digits.len()).map_err(|_| failed)?;
        let nanos = u32::try_from(number_of(digits)).map_err(|_| failed)?;
        let nanos = nanos.checked_mul(10_u32.pow(scale));
        nanos.filter(|_| !digits.is_empty()).ok_or(failed)
    }

    /// The number, from one on, of the name at this place, written out or with its first three letters.
    fn name(&mut self, names: &[&str], reason: &'static str) -> Result<u8, Failed> {
        let rest = self.rest();
        let letters = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let word = rest.get(..letters).unwrap_or_default();
        let is_it = |name: &&str| {
            let name = name.as_bytes();
            let short = name.get(..3).unwrap_or(name);
            word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(short)
        };
        let place = names.iter().position(is_it);
        let number = place.and_then(|place| u8::try_from(place + 1).ok());
        let number = number.ok_or(self.failed(reason))?;
        self.at += letters;
        Ok(number)
    }

    /// `Z`, `+01:00`, `-0530` or `+01`, in seconds east of UTC.
    fn offset(&mut self) -> Result<i32, Failed> {
        let failed = self.failed("expected an offset such as +01:00");
        let sign = match self.rest().first() {
            Some(b'Z' | b'z') => {
                self.at += 1;
                return Ok(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(failed),
        };
        self.at += 1;
        let digits = self.digits(4);
        let (hours, minutes) = match digits.len() {
            2 => {
                let hours = number_of(digits);
                let minutes = match self.rest() {
                    [b':', tens, ones, ..] if tens.is_ascii_digit() && ones.is_ascii_digit() => {
                        self.at += 1;
                        number_of(self.digits(2))
                    }
                    _ => 0,
                };
                (hours, minutes)
            }
            4 => (number_of(digits) / 100, number_of(digits) % 100),
            _ => return Err(failed),
        };
        if hours > 23 || minutes > 59 {
            return Err(failed);
        }
        let seconds = i32::try_from(hours * 3_600 + minutes * 60).map_err(|_| failed)?;
        Ok(sign * seconds)
    }

    /// An offset, or the abbreviation of a zone that has one.
    fn zone(&mut self) -> Result<i32, Failed> {
        let rest = self.rest();
        let letters = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        if letters == 0 {
            return self.offset();
        }
        let word = rest.get(..letters).unwrap_or_default();
        let failed = self.failed("expected the abbreviation of a zone such as CET");
        let offset = zone_offset_seconds(word).ok_or(failed)?;
        self.at += letters;
        Ok(offset)
    }
}

/// The number that at most eleven digits are.
fn number_of(digits: &[u8]) -> u64 {
    let digits = digits.iter();
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}
