//! Years of stamps without one, in a file of which it is known when it was written last.
//!
//! The parser dates a stamp without a year to the year before some time, the anchor. That is right for
//! the last year of a file. In what is older the stamps go back by a year at each turn: where a whole
//! year fits between the anchor and the stamp before. A clock that starts wrong goes back too, and
//! comes forward again to where it was: that is no turn.

use jiff::tz::TimeZone;
use model::Timestamp;
use syslog::ParseOptions;

use super::find::{Found, StampFinder};
use crate::limits::YEAR_SCAN_STAMPS;

const DAY: i64 = 86_400 * 1_000_000_000;

/// A year of the Gregorian calendar on average, so that some of them are off by a day or two.
const YEAR: i64 = 31_556_952 * 1_000_000_000;

/// Backwards or forwards by more is another year rather than disorder or a gap.
const HALF_A_YEAR: i64 = YEAR / 2;

/// How far a clock that was put right may be before the time that it had.
const DISORDER: i64 = 3 * DAY;

/// What decides the years of stamps without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Years {
    /// When the file was written last: such a stamp is at most a week ahead of it.
    pub anchor: Timestamp,
    /// The year of the first of them, from where years go on at their turns; `None` where all of them are
    /// of the year before the anchor.
    pub first: Option<i16>,
}

/// Gives each stamp without a year its anchor, in the order of a file.
#[derive(Debug)]
pub(super) struct Calendar {
    years: Years,
    zone: TimeZone,
    /// By how many years the anchor of what is read stands back.
    back: i16,
    turns: Turns,
}

impl Calendar {
    pub(super) fn new(years: Years, zone: TimeZone) -> Self {
        Self {
            years,
            zone,
            back: 0,
            turns: Turns::default(),
        }
    }

    /// What the parser is to take for the time of receipt.
    pub(super) fn anchor(&self) -> Timestamp {
        match self.back {
            0 => self.years.anchor,
            back => years_before(self.years.anchor, back),
        }
    }

    /// Whether stamps without a year may move the anchor.
    pub(super) fn is_asked(&self) -> bool {
        self.years.first.is_some() || self.back != 0 || self.turns.before.is_some()
    }

    /// Takes the time that a stamp without a year has by the anchor, and tells whether that has moved: then
    /// it is to be read again.
    pub(super) fn moves(&mut self, time: Timestamp) -> bool {
        let before = self.back;
        if let Some(first) = self.years.first.take() {
            self.back = year_of(time, &self.zone) - first;
        }
        let in_last_year = time.plus_nanos(i64::from(before) * YEAR);
        match self.turns.see(in_last_year, self.years.anchor) {
            Turn::Year if self.back > 0 => self.back -= 1,
            Turn::Year => self.turns.before = None,
            Turn::Back => self.back += 1,
            Turn::None => {}
        }
        self.back != before
    }
}

/// Finds turns in times that are all given as if of the year before the anchor.
#[derive(Debug, Default)]
struct Turns {
    last: Option<Timestamp>,
    /// The last time before the last turn.
    before: Option<Timestamp>,
    /// The first time behind it.
    behind: Option<Timestamp>,
}

enum Turn {
    None,
    /// A year begins anew.
    Year,
    /// The turn before was none.
    Back,
}

impl Turns {
    fn see(&mut self, time: Timestamp, anchor: Timestamp) -> Turn {
        if time < anchor.plus_nanos(-YEAR) {
            // The 29th of February of another year.
            return Turn::None;
        }
        let Some(last) = self.last.replace(time) else {
            return Turn::None;
        };
        if time < last.plus_nanos(-HALF_A_YEAR) {
            (self.before, self.behind) = (Some(last), Some(time));
            return Turn::Year;
        }
        let is_far_ahead = time > last.plus_nanos(HALF_A_YEAR);
        let is_return = |before: Timestamp| time >= before.plus_nanos(-DISORDER);
        if is_far_ahead && self.before.is_some_and(is_return) {
            (self.before, self.behind) = (None, None);
            return Turn::Back;
        }
        Turn::None
    }

    /// Whether the last turn may still prove to be none: nothing is known of a day behind it.
    fn is_doubtful(&self) -> bool {
        let behind = self.behind.zip(self.last);
        behind.is_some_and(|(behind, last)| last < behind.plus_nanos(DAY))
    }
}

/// Finds the year in which a file starts, by going through it before it is imported.
#[derive(Debug)]
pub struct YearScan {
    finder: StampFinder,
    anchor: Timestamp,
    zone: TimeZone,
    turns: Turns,
    turn_count: i16,
    /// The year of the first stamp without one, as if of the year before the anchor.
    first: Option<i16>,
    /// Behind how many turns there is a 29th of February.
    leap: Vec<i16>,
    stamps: u32,
    /// The days that the last stamps named, without a year and with one.
    days: [Vec<u8>; 2],
    /// The last line that was passed over; empty where none was since.
    passed: Vec<u8>,
}

impl YearScan {
    /// A scan of a file that was written last at `anchor`.
    pub fn new(options: ParseOptions, anchor: Timestamp) -> Self {
        Self {
            zone: options.zone.clone(),
            finder: StampFinder::new(options),
            anchor,
            turns: Turns::default(),
            turn_count: 0,
            first: None,
            leap: Vec::new(),
            stamps: 0,
            days: [Vec::new(), Vec::new()],
            passed: Vec::new(),
        }
    }

    /// Whether more lines may matter: not where many had stamps, and all of those a year.
    pub fn is_open(&self) -> bool {
        self.first.is_some() || self.stamps < YEAR_SCAN_STAMPS
    }

    /// Takes a line. Most are of the day of the line before. Of these the last one tells all: there are no
    /// turns within a day, and parsing each line would take as long as importing it.
    pub fn see(&mut self, line: &[u8]) {
        let day = day_of(line);
        if self.first.is_some()
            && let Some((day, has_year)) = day
            && self
                .days
                .get(usize::from(has_year))
                .is_some_and(|known| known == day)
        {
            if !has_year {
                self.passed.clear();
                self.passed.extend_from_slice(line);
            }
            return;
        }
        self.catch_up();
        let Some(has_year) = self.see_whole(line) else {
            return;
        };
        if let Some(known) = self.days.get_mut(usize::from(has_year)) {
            known.clear();
            let day = day.filter(|(_, says_year)| *says_year == has_year);
            known.extend_from_slice(day.map_or(&[], |(day, _)| day));
        }
    }

    /// Takes the last line that was passed over.
    fn catch_up(&mut self) {
        if !self.passed.is_empty() {
            let passed = std::mem::take(&mut self.passed);
            self.see_whole(&passed);
        }
    }

    /// Takes a line and parses it; whether its stamp has a year, where there is one.
    pub(super) fn see_whole(&mut self, line: &[u8]) -> Option<bool> {
        let found = self.finder.find(line, self.anchor);
        if found == Found::Nothing {
            return None;
        }
        self.stamps = self.stamps.saturating_add(1);
        if let Found::WithoutYear(time) = found {
            self.see_time(time);
        }
        Some(found == Found::WithYear)
    }

    fn see_time(&mut self, time: Timestamp) {
        match self.turns.see(time, self.anchor) {
            Turn::Year => self.turn_count += 1,
            Turn::Back => self.turn_count -= 1,
            Turn::None => {}
        }
        let is_leap_day = is_leap_day(time, &self.zone);
        if is_leap_day && self.leap.last() != Some(&self.turn_count) {
            self.leap.push(self.turn_count);
        }
        if self.first.is_none() {
            self.first = Some(match is_leap_day {
                true => self.leap_day_year(),
                false => year_of(time, &self.zone),
            });
        }
    }

    /// The year of the file's first stamp without one, where it is another than the anchor alone says.
    pub fn first_year(mut self) -> Option<i16> {
        self.catch_up();
        let turns = self.turn_count - i16::from(self.turns.is_doubtful());
        let is_fitting = |shift: &i16| {
            let year = |behind: &i16| self.leap_day_year() - (turns - behind).max(0) - shift;
            self.leap.iter().all(|behind| is_leap_year(year(behind)))
        };
        // Leap years come once in four years, around 2100 once in eight.
        let shift = (0..8).find(is_fitting).unwrap_or(0);
        let back = turns.max(0) + shift;
        self.first.map(|year| year - back).filter(|_| back > 0)
    }

    /// The year in which the 29th of February before the anchor would be, leap year or not.
    fn leap_day_year(&self) -> i16 {
        let latest = self.anchor.plus_nanos(7 * DAY).to_civil();
        latest.year - i16::from(latest.month < 3)
    }
}

/// The day at the start of a line, as it stands there, and whether it has a year: `Oct  1 ` before a time, or
/// `2026-10-01`. `None` where there is none in these forms.
fn day_of(line: &[u8]) -> Option<(&[u8], bool)> {
    let behind_priority = line.strip_prefix(b"<").and_then(|rest| {
        let end = rest.iter().take(4).position(|byte| *byte == b'>')?;
        rest.get(end + 1..)
    });
    let rest = behind_priority.unwrap_or(line);
    let rest = rest.strip_prefix(b"1 ").unwrap_or(rest);
    let has_form = |text: &[u8], form: &[u8]| {
        text.iter().zip(form).all(|(byte, form)| match form {
            b'A' => byte.is_ascii_alphabetic(),
            b'0' => byte.is_ascii_digit(),
            b'1' => byte.is_ascii_digit() || *byte == b' ',
            form => byte == form,
        })
    };
    if rest
        .get(..10)
        .is_some_and(|text| has_form(text, b"0000-00-00"))
    {
        return Some((rest.get(..10)?, true));
    }
    let is_day = has_form(rest.get(..10)?, b"AAA 10 00:");
    is_day.then_some((rest.get(..7)?, false))
}

fn is_leap_year(year: i16) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The same day and time of day so many years before; on the 1st of March where there is no 29th of February.
fn years_before(time: Timestamp, years: i16) -> Timestamp {
    let mut civil = time.to_civil();
    civil.year -= years;
    if civil.month == 2 && civil.day == 29 && !is_leap_year(civil.year) {
        (civil.month, civil.day) = (3, 1);
    }
    Timestamp::from_civil(civil, 0).unwrap_or(time)
}

fn year_of(time: Timestamp, zone: &TimeZone) -> i16 {
    date_of(time, zone).map_or_else(|| time.to_civil().year, |date| date.year())
}

fn is_leap_day(time: Timestamp, zone: &TimeZone) -> bool {
    // Zones are at most a day apart.
    let civil = time.to_civil();
    let is_near = matches!((civil.month, civil.day), (2, 28 | 29) | (3, 1));
    let is_it = |date: jiff::civil::Date| date.month() == 2 && date.day() == 29;
    is_near && date_of(time, zone).is_some_and(is_it)
}

fn date_of(time: Timestamp, zone: &TimeZone) -> Option<jiff::civil::Date> {
    let time = jiff::Timestamp::from_nanosecond(time.nanos().into()).ok()?;
    Some(zone.to_datetime(time).date())
}
