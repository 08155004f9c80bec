//! Dates: a time of the record, in a zone, in one of syslog-ng's forms.

use model::{CivilTime, Timestamp};

use crate::context::Scene;
use crate::limits::FRACTION_DIGITS_MAX;
use crate::output::Output;
use crate::zone::Zone;

/// Which time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// When the sender says it happened.
    Sent,
    /// When Logwood read it.
    Received,
    /// When the record is written.
    Current,
}

/// A form of a time, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatePart {
    Date,
    FullDate,
    IsoDate,
    UnixTime,
    Year,
    Month,
    MonthAbbreviation,
    MonthName,
    MonthWeek,
    Day,
    YearDay,
    Hour,
    Hour12,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    AmPm,
    Week,
    IsoWeek,
    WeekDay,
    WeekDayAbbreviation,
    WeekDayName,
    Offset,
    /// With nine digits, in UTC, as the HTTP API writes it.
    Rfc3339,
}

const PARTS: [(&str, DatePart); 27] = [
    ("DATE", DatePart::Date),
    ("STAMP", DatePart::Date),
    ("FULLDATE", DatePart::FullDate),
    ("ISODATE", DatePart::IsoDate),
    ("UNIXTIME", DatePart::UnixTime),
    ("YEAR", DatePart::Year),
    ("MONTH", DatePart::Month),
    ("MONTH_ABBREV", DatePart::MonthAbbreviation),
    ("MONTH_NAME", DatePart::MonthName),
    ("MONTH_WEEK", DatePart::MonthWeek),
    ("DAY", DatePart::Day),
    ("YEAR_DAY", DatePart::YearDay),
    ("HOUR", DatePart::Hour),
    ("HOUR12", DatePart::Hour12),
    ("MIN", DatePart::Minute),
    ("SEC", DatePart::Second),
    ("MSEC", DatePart::Millisecond),
    ("USEC", DatePart::Microsecond),
    ("AMPM", DatePart::AmPm),
    ("WEEK", DatePart::Week),
    ("ISOWEEK", DatePart::IsoWeek),
    ("WEEKDAY", DatePart::WeekDayAbbreviation),
    ("WEEK_DAY", DatePart::WeekDay),
    ("WEEK_DAY_ABBREV", DatePart::WeekDayAbbreviation),
    ("WEEK_DAY_NAME", DatePart::WeekDayName),
    ("TZ", DatePart::Offset),
    ("TZOFFSET", DatePart::Offset),
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEK_DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

impl DatePart {
    pub(crate) fn find(name: &str) -> Option<Self> {
        let found = PARTS.iter().find(|(known, _)| *known == name);
        found.map(|(_, part)| *part)
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        PARTS.iter().map(|(name, _)| *name)
    }

    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Self)> {
        PARTS.iter().copied()
    }
}

/// A time in its zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    time: Timestamp,
    civil: CivilTime,
    offset_seconds: i32,
}

impl Local {
    /// The time that is meant, in the zone that is asked for.
    pub(crate) fn of(stamp: Stamp, scene: &Scene<'_>) -> Self {
        let (view, context) = (scene.view, scene.context);
        let (time, stated) = match stamp {
            Stamp::Sent => (view.time, matches!(context.zone, Zone::OfMessage(_))),
            Stamp::Received => (view.received, false),
            Stamp::Current => (context.now, false),
        };
        let offset = if stated { view.stated_offset() } else { None };
        Self::at(time, offset.unwrap_or_else(|| context.zone.offset(time)))
    }

    /// A time at an offset east of UTC.
    pub(crate) fn at(time: Timestamp, offset_seconds: i32) -> Self {
        let moved = time.plus_nanos(i64::from(offset_seconds) * 1_000_000_000);
        Self {
            time,
            civil: moved.to_civil(),
            offset_seconds,
        }
    }

    /// `Nov 21 18:47:27`, the day padded with a space.
    pub(crate) fn write_bsd(&self, fraction_digits: u8, out: &mut Output<'_>) {
        let day = self.civil.day;
        out.push(abbreviation(&MONTHS, usize::from(self.civil.month) - 1));
        out.push(if day < 10 { b"  " } else { b" " });
        out.decimal(u64::from(day));
        out.byte(b' ');
        self.write_clock(fraction_digits, out);
    }

    /// `2026-11-21T18:47:27.120+01:00`, with `Z` or `+00:00` for UTC.
    pub(crate) fn write_iso(&self, fraction_digits: u8, has_z: bool, out: &mut Output<'_>) {
        let mut text = *b"0000-00-00T00:00:00";
        let civil = self.civil;
        let year = u16::try_from(civil.year).unwrap_or(0);
        let digits = [
            (0, u8::try_from(year / 100).unwrap_or(0)),
            (2, u8::try_from(year % 100).unwrap_or(0)),
            (5, civil.month),
            (8, civil.day),
            (11, civil.hour),
            (14, civil.minute),
            (17, civil.second),
        ];
        for (at, value) in digits {
            if let Some([tens, ones]) = text.get_mut(at..at + 2) {
                (*tens, *ones) = (b'0' + value / 10, b'0' + value % 10);
            }
        }
        out.push(&text);
        self.write_fraction(fraction_digits, out);
        match (has_z, self.offset_seconds) {
            (true, 0) => out.byte(b'Z'),
            _ => self.write_offset(out),
        }
    }

    fn write_clock(&self, fraction_digits: u8, out: &mut Output<'_>) {
        let civil = self.civil;
        out.padded(u64::from(civil.hour), 2);
        out.byte(b':');
        out.padded(u64::from(civil.minute), 2);
        out.byte(b':');
        out.padded(u64::from(civil.second), 2);
        self.write_fraction(fraction_digits, out);
    }

    fn write_fraction(&self, digits: u8, out: &mut Output<'_>) {
        let digits = digits.min(FRACTION_DIGITS_MAX);
        if digits == 0 {
            return;
        }
        let scale = 10_u32.pow(u32::from(FRACTION_DIGITS_MAX - digits));
        out.byte(b'.');
        out.padded(
            u64::from(self.civil.nanosecond / scale),
            usize::from(digits),
        );
    }

    fn write_offset(&self, out: &mut Output<'_>) {
        let minutes = u64::from(self.offset_seconds.unsigned_abs() / 60);
        out.byte(if self.offset_seconds < 0 { b'-' } else { b'+' });
        out.padded(minutes / 60, 2);
        out.byte(b':');
        out.padded(minutes % 60, 2);
    }

    /// Writes one of the parts of a date.
    pub(crate) fn write(&self, part: DatePart, fraction_digits: u8, out: &mut Output<'_>) {
        let civil = self.civil;
        let nanosecond = u64::from(civil.nanosecond);
        match part {
            DatePart::Date => self.write_bsd(fraction_digits, out),
            DatePart::FullDate => {
                out.padded(self.year(), 4);
                out.byte(b' ');
                self.write_bsd(fraction_digits, out);
            }
            DatePart::IsoDate => self.write_iso(fraction_digits, false, out),
            DatePart::Rfc3339 => Self::at(self.time, 0).write_iso(9, true, out),
            DatePart::UnixTime => {
                out.signed(self.time.nanos().div_euclid(1_000_000_000));
                self.write_fraction(fraction_digits, out);
            }
            DatePart::Year => out.padded(self.year(), 4),
            DatePart::Month => out.padded(u64::from(civil.month), 2),
            DatePart::MonthAbbreviation => {
                out.push(abbreviation(&MONTHS, usize::from(civil.month) - 1));
            }
            DatePart::MonthName => out.push(name(&MONTHS, usize::from(civil.month) - 1)),
            DatePart::Day => out.padded(u64::from(civil.day), 2),
            DatePart::Hour => out.padded(u64::from(civil.hour), 2),
            DatePart::Hour12 => out.padded(u64::from((civil.hour + 11) % 12 + 1), 2),
            DatePart::Minute => out.padded(u64::from(civil.minute), 2),
            DatePart::Second => out.padded(u64::from(civil.second), 2),
            DatePart::Millisecond => out.padded(nanosecond / 1_000_000, 3),
            DatePart::Microsecond => out.padded(nanosecond / 1_000, 6),
            DatePart::AmPm => out.push(if civil.hour < 12 { b"AM" } else { b"PM" }),
            DatePart::Offset => self.write_offset(out),
            _ => self.write_of_calendar(part, out),
        }
    }

    /// Parts that depend on the day of the week or of the year.
    fn write_of_calendar(&self, part: DatePart, out: &mut Output<'_>) {
        let week_day = self.week_day();
        let from_monday = (week_day + 6) % 7;
        let year_day = self.year_day();
        match part {
            DatePart::YearDay => out.padded(year_day + 1, 3),
            DatePart::WeekDay => out.decimal(week_day + 1),
            DatePart::WeekDayAbbreviation => out.push(abbreviation(&WEEK_DAYS, place(week_day))),
            DatePart::WeekDayName => out.push(name(&WEEK_DAYS, place(week_day))),
            // The first Monday starts week 1.
            DatePart::Week => out.padded((year_day + 7 - from_monday) / 7, 2),
            DatePart::MonthWeek => {
                let day = u64::from(self.civil.day) - 1;
                // A week ends on Sunday; that of the first day is 0.
                let first_from_monday = (from_monday + 35 - day) % 7;
                out.decimal((day + first_from_monday) / 7);
            }
            DatePart::IsoWeek => out.padded(self.iso_week(), 2),
            _ => {}
        }
    }

    fn year(&self) -> u64 {
        u64::try_from(self.civil.year).unwrap_or(0)
    }

    /// The day as a number from 1970-01-01 on, in the zone.
    fn day(&self) -> i64 {
        let offset = i64::from(self.offset_seconds) * 1_000_000_000;
        self.time.plus_nanos(offset).day()
    }

    /// 0 for Sunday.
    fn week_day(&self) -> u64 {
        u64::try_from((self.day() + 4).rem_euclid(7)).unwrap_or(0)
    }

    /// 0 for the first of January.
    fn year_day(&self) -> u64 {
        self.days_since_new_year(self.civil.year)
    }

    fn days_since_new_year(&self, year: i16) -> u64 {
        let first = CivilTime {
            year,
            month: 1,
            day: 1,
            ..CivilTime::default()
        };
        let first = Timestamp::from_civil(first, 0).map_or(0, Timestamp::day);
        u64::try_from(self.day() - first).unwrap_or(0)
    }

    /// The week of ISO 8601: that with the first Thursday of a year is its first.
    fn iso_week(&self) -> u64 {
        let from_monday = i64::try_from((self.week_day() + 6) % 7).unwrap_or(0);
        let nanos = (3 - from_monday) * 86_400 * 1_000_000_000;
        let thursday = Self::at(self.time.plus_nanos(nanos), self.offset_seconds);
        thursday.year_day() / 7 + 1
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn name(names: &[&'static str], index: usize) -> &'static [u8] {
    names.get(index).map_or(b"", |name| name.as_bytes())
}

fn abbreviation(names: &[&'static str], index: usize) -> &'static [u8] {
    name(names, index).get(..3).unwrap_or_default()
}
