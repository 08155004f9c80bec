//! Time stamps as senders write them.
//!
//! | form | who |
//! |---|---|
//! | `Oct 11 22:14:15`, `Oct  1 ...`, `Oct 1 ...`, with `.123` or `,123` | RFC 3164, Cisco IOS |
//! | `Jan 31 2025 17:24:03` | Cisco ASA |
//! | `Feb 12 12:00:00 2024` | LinkSys |
//! | `Aug 24 05:34:00 CST 1987` | date(1), RFC 3164 section 5.4 |
//! | `2024 Feb 12 12:00:00` | Brocade, Cisco NX-OS |
//! | `2026-11-21T19:12:18`, with a space for `T`, with fraction, `Z`, `+01:00`, `+0100`, `+01` | RFC 5424, rsyslog, loggen |
//! | `2026-11-21T19:12Z` | programs that leave out the seconds |
//! | `11/21/2026:19:12:18`, `21/11/2026:...`, `2026/11/21:...` | NetScaler |
//!
//! Behind the clock of any of them may stand `AM` or `PM`, with the fraction (`PM.071`, Cisco), or a
//! dot without one; behind that a zone (` UTC`, ` +01:00`, ` GMT+01:00`, in small letters too) and a
//! colon (Cisco). Numbers since 1970 have a file of their own (`epoch`). A stamp without a year is given the latest year that puts it at most a week ahead of the time of receipt: a clock
//! may run ahead a little, but a log that is imported may be most of a year old.

use model::{CivilTime, Timestamp, zone_offset_seconds};

use super::zone::Zone;
use crate::cursor::Cursor;

/// How far ahead of its receipt a stamp without a year may be.
const AHEAD_NANOS_MAX: i64 = 7 * 86_400 * 1_000_000_000;

/// Less than lies between a day and the same one a year later, whatever zones do meanwhile.
const YEAR_NANOS_MIN: i64 = 360 * 86_400 * 1_000_000_000;

/// What four digits beside a month may be to be a year; else they may be a host.
const YEARS: std::ops::Range<i16> = 1970..2200;

/// What the digits of a fraction of a second are worth, by their number.
const FRACTION_SCALE: [u32; 10] = [
    0,
    100_000_000,
    10_000_000,
    1_000_000,
    100_000,
    10_000,
    1_000,
    100,
    10,
    1,
];

/// How a time stamp is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StampForm {
    /// `Oct 11 22:14:15`, with the year behind the day or the time.
    #[default]
    MonthFirst,
    /// `2024 Feb 12 12:00:00`
    YearFirst,
    /// `2026-11-21T19:12:18Z`
    Iso,
    /// `11/21/2026:19:12:18`
    Slashes,
    /// `1650972789.426960608`
    Epoch,
}

/// A stamp that was recognised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Its length with zone and colon, in bytes.
    pub(super) len: usize,
    /// What it says; `None` for an impossible date or time.
    pub(super) time: Option<Timestamp>,
    /// How it is written.
    pub(super) form: StampForm,
    /// Whether a colon ends it.
    pub(super) has_colon: bool,
    /// Whether it says the year.
    pub(super) has_year: bool,
    /// Whether it says the zone.
    pub(super) has_zone: bool,
    /// Whether its clock has twelve hours.
    pub(super) has_twelve_hours: bool,
    /// Whether its time follows from the text and the year alone.
    pub(super) is_certain: bool,
}

/// What a stamp says of the time. The civil year is only a number where `has_year`.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading {
    civil: CivilTime,
    form: StampForm,
    has_year: bool,
    has_twelve_hours: bool,
    offset_seconds: Option<i32>,
}

impl Stamp {
    /// Whether a certain stamp says the same to whoever receives it then.
    pub(super) fn is_still_right(&self, received: Timestamp) -> bool {
        let latest = received.plus_nanos(AHEAD_NANOS_MAX);
        self.has_year || self.time.is_some_and(|time| is_latest(time, latest))
    }
}

/// Whether no later year has the same day by then, which need not be worked out.
fn is_latest(time: Timestamp, latest: Timestamp) -> bool {
    time <= latest && latest.nanos().saturating_sub(time.nanos()) < YEAR_NANOS_MIN
}

/// Reads a stamp of any form at the start of `text`, if a space, a colon or the end follows it.
pub(super) fn any(text: &[u8], zone: &Zone, received: Timestamp) -> Option<Stamp> {
    let mut at = Cursor::new(text);
    let mut reading = match at.peek()? {
        b'0'..=b'9' => iso(&mut at)
            .or_else(|| year_first(&mut at))
            .or_else(|| slashes(&mut at))?,
        _ => month_first(&mut at)?,
    };
    if reading.offset_seconds.is_none() {
        reading.offset_seconds = zone_behind(&mut at);
        if reading.offset_seconds.is_some()
            && !reading.has_year
            && let Some(year) = year_behind(&mut at)
        {
            reading = reading.with_year(year);
        }
    }
    let has_colon = at.eat(b':');
    if !has_colon && !matches!(at.peek(), None | Some(b' ' | b'\t')) {
        return None;
    }
    let stamp = reading.stamp(at.at(), zone, received);
    Some(Stamp { has_colon, ..stamp })
}

/// Reads an RFC 5424 TIMESTAMP at the start of `text`, if a space or the end follows it. The zone
/// may be missing and the `T` a space.
pub(super) fn ietf(text: &[u8], zone: &Zone, received: Timestamp) -> Option<Stamp> {
    let mut at = Cursor::new(text);
    let reading = iso(&mut at)?;
    if !matches!(at.peek(), None | Some(b' ')) {
        return None;
    }
    Some(reading.stamp(at.at(), zone, received))
}

impl Reading {
    /// What a stamp of this length says.
    fn stamp(&self, len: usize, zone: &Zone, received: Timestamp) -> Stamp {
        let time = self.time(zone, received);
        let has_zone = self.offset_seconds.is_some();
        Stamp {
            len,
            time,
            form: self.form,
            has_colon: false,
            has_year: self.has_year,
            has_zone,
            has_twelve_hours: self.has_twelve_hours,
            is_certain: has_zone || time.is_some_and(|time| zone.is_certain(time)),
        }
    }

    /// What a stamp with a year says.
    pub(super) fn of_year(civil: CivilTime, offset_seconds: Option<i32>) -> Self {
        Self {
            civil,
            has_year: true,
            offset_seconds,
            ..Self::default()
        }
    }

    /// What a stamp without year and zone says.
    pub(super) fn without_year(civil: CivilTime) -> Self {
        Self {
            civil,
            ..Self::default()
        }
    }

    /// The same in a year that stands elsewhere.
    pub(super) fn with_year(mut self, year: i16) -> Self {
        self.civil.year = year;
        self.has_year = true;
        self
    }

    /// The time; `None` for an impossible one.
    pub(super) fn time(&self, zone: &Zone, received: Timestamp) -> Option<Timestamp> {
        if self.has_year {
            return self.in_year(self.civil.year, zone, received);
        }
        let latest = received.plus_nanos(AHEAD_NANOS_MAX);
        let this_year = received.to_civil().year;
        // Nearly all stamps are of now: then the same day a year later is too late, and need not
        // be worked out.
        if let Some(time) = self.in_year(this_year, zone, received)
            && is_latest(time, latest)
        {
            return Some(time);
        }
        // The 29th of February comes once in four years, around 2100 once in eight.
        let years_back = if self.civil.day == 29 { 8 } else { 1 };
        let next_year = this_year + 1;
        (0..=years_back + 1)
            .filter_map(|years| self.in_year(next_year - years, zone, received))
            .find(|time| *time <= latest)
    }

    fn in_year(&self, year: i16, zone: &Zone, received: Timestamp) -> Option<Timestamp> {
        let mut civil = CivilTime { year, ..self.civil };
        // A leap second has no number of its own in UNIX time.
        if civil.second == 60 {
            civil.second = 59;
        }
        match self.offset_seconds {
            Some(offset) => Timestamp::from_civil(civil, offset),
            None => zone.instant(civil, received),
        }
    }
}

/// `2026-11-21T19:12:18.123456789+01:00`
pub(super) fn iso(at: &mut Cursor<'_>) -> Option<Reading> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, between] = at.rest().first_chunk()? else {
        return None;
    };
    if !matches!(between, b'T' | b't' | b' ') {
        return None;
    }
    let mut ahead = *at;
    ahead.skip(11);
    let mut civil = clock(&mut ahead).or_else(|| match between {
        b' ' => None,
        _ => hour_and_minute(&mut ahead),
    })?;
    civil.year = four(y1, y2, y3, y4)?;
    civil.month = two(m1, m2)?;
    civil.day = two(d1, d2)?;
    let has_twelve_hours = behind_clock(&mut ahead, &mut civil);
    let offset_seconds = offset(&mut ahead);
    *at = ahead;
    Some(Reading {
        civil,
        form: StampForm::Iso,
        has_year: true,
        has_twelve_hours,
        offset_seconds,
    })
}

/// `19:12`, where an offset or the end of a word follows.
fn hour_and_minute(at: &mut Cursor<'_>) -> Option<CivilTime> {
    let &[h1, h2, b':', n1, n2] = at.rest().first_chunk()? else {
        return None;
    };
    let is_end = matches!(at.peek_at(5), None | Some(b' ' | b'Z' | b'z' | b'+' | b'-'));
    let civil = CivilTime {
        hour: two(h1, h2)?,
        minute: two(n1, n2)?,
        ..CivilTime::default()
    };
    is_end.then(|| {
        at.skip(5);
        civil
    })
}

/// `11/21/2026:19:12:18`, `21/11/2026:...` where the first number is no month, `2026/11/21:...`
fn slashes(at: &mut Cursor<'_>) -> Option<Reading> {
    let (year, month, day) = match *at.rest().first_chunk()? {
        [y1, y2, y3, y4, b'/', m1, m2, b'/', d1, d2, b':'] => {
            (four(y1, y2, y3, y4)?, two(m1, m2)?, two(d1, d2)?)
        }
        [a1, a2, b'/', b1, b2, b'/', y1, y2, y3, y4, b':'] => {
            let (first, second) = (two(a1, a2)?, two(b1, b2)?);
            let (month, day) = match first {
                13.. => (second, first),
                _ => (first, second),
            };
            (four(y1, y2, y3, y4)?, month, day)
        }
        _ => return None,
    };
    let mut ahead = *at;
    ahead.skip(11);
    let mut civil = CivilTime {
        year,
        month,
        day,
        ..clock(&mut ahead)?
    };
    let has_twelve_hours = behind_clock(&mut ahead, &mut civil);
    *at = ahead;
    Some(Reading {
        form: StampForm::Slashes,
        has_twelve_hours,
        ..Reading::of_year(civil, None)
    })
}

/// `2024 Feb 12 12:00:00`
fn year_first(at: &mut Cursor<'_>) -> Option<Reading> {
    let mut ahead = *at;
    let year = take_year(&mut ahead)?;
    let mut reading = month_first(&mut ahead)?;
    if reading.has_year {
        return None;
    }
    reading.form = StampForm::YearFirst;
    *at = ahead;
    Some(reading.with_year(year))
}

/// `Oct 11 22:14:15`, `Jan 31 2025 17:24:03` or `Feb 12 12:00:00 2024`
pub(super) fn month_first(at: &mut Cursor<'_>) -> Option<Reading> {
    let &[a, b, c, b' ', d1, d2] = at.rest().first_chunk()? else {
        return None;
    };
    let month = month_number(a, b, c)?;
    let mut ahead = *at;
    let day = if d2 == b' ' {
        ahead.skip(5);
        two(b'0', d1)?
    } else {
        ahead.skip(6);
        two(if d1 == b' ' { b'0' } else { d1 }, d2)?
    };
    if !ahead.eat(b' ') {
        return None;
    }
    let mut year = take_year(&mut ahead);
    let mut civil = clock(&mut ahead)?;
    let has_twelve_hours = behind_clock(&mut ahead, &mut civil);
    let offset_seconds = offset(&mut ahead);
    if year.is_none() && offset_seconds.is_none() {
        year = year_behind(&mut ahead);
    }
    *at = ahead;
    Some(Reading {
        civil: CivilTime {
            year: year.unwrap_or_default(),
            month,
            day,
            ..civil
        },
        form: StampForm::MonthFirst,
        has_year: year.is_some(),
        has_twelve_hours,
        offset_seconds,
    })
}

/// Four digits of a year and a space.
fn take_year(at: &mut Cursor<'_>) -> Option<i16> {
    let &[a, b, c, d, b' '] = at.rest().first_chunk()? else {
        return None;
    };
    let year = four(a, b, c, d).filter(|year| YEARS.contains(year))?;
    at.skip(5);
    Some(year)
}

/// A space, four digits of a year, and a space, a colon or the end.
fn year_behind(at: &mut Cursor<'_>) -> Option<i16> {
    let &[b' ', a, b, c, d] = at.rest().first_chunk()? else {
        return None;
    };
    let year = four(a, b, c, d).filter(|year| YEARS.contains(year))?;
    // `2001:db8::1` is a host.
    let is_end = match at.peek_at(5) {
        None | Some(b' ') => true,
        Some(b':') => matches!(at.peek_at(6), None | Some(b' ')),
        Some(_) => false,
    };
    is_end.then(|| {
        at.skip(5);
        year
    })
}

/// `22:14:15`, with a fraction: digits behind the ninth are not kept.
pub(super) fn clock(at: &mut Cursor<'_>) -> Option<CivilTime> {
    let &[h1, h2, b':', n1, n2, b':', s1, s2] = at.rest().first_chunk()? else {
        return None;
    };
    let mut civil = CivilTime {
        hour: two(h1, h2)?,
        minute: two(n1, n2)?,
        second: two(s1, s2)?,
        ..CivilTime::default()
    };
    at.skip(8);
    if let Some(nanosecond) = fraction(at) {
        civil.nanosecond = nanosecond;
    }
    Some(civil)
}

/// `.123` or `,123` in nanoseconds.
fn fraction(at: &mut Cursor<'_>) -> Option<u32> {
    let is_next = matches!(at.peek(), Some(b'.' | b','))
        && at.peek_at(1).is_some_and(|byte| byte.is_ascii_digit());
    if !is_next {
        return None;
    }
    at.skip(1);
    let digits = at.take_digits();
    let kept = digits.get(..9).unwrap_or(digits);
    let value = kept.iter().fold(0_u32, |value, digit| {
        value * 10 + u32::from(digit.wrapping_sub(b'0'))
    });
    let scale = FRACTION_SCALE.get(kept.len()).copied().unwrap_or_default();
    Some(value * scale)
}

/// Moves over a dot without digits, and over `AM` or `PM` with the fraction behind it. Whether the
/// clock has twelve hours.
#[inline]
fn behind_clock(at: &mut Cursor<'_>, civil: &mut CivilTime) -> bool {
    match at.rest().first_chunk() {
        Some(b". " | [b' ', b'A' | b'P' | b'a' | b'p']) => dot_or_half(at, civil),
        _ => false,
    }
}

#[cold]
fn dot_or_half(at: &mut Cursor<'_>, civil: &mut CivilTime) -> bool {
    let mut ahead = *at;
    if ahead.eat(b'.') && ahead.peek() == Some(b' ') {
        *at = ahead;
    }
    let Some(&[b' ', half, b'M' | b'm', ..]) = at.rest().first_chunk::<3>() else {
        return false;
    };
    let is_small = half.is_ascii_lowercase();
    let mut ahead = *at;
    ahead.skip(3);
    let is_pm = match half | 0x20 {
        b'a' => false,
        b'p' => true,
        _ => return false,
    };
    let nanosecond = fraction(&mut ahead);
    let is_end = matches!(ahead.peek(), None | Some(b' ' | b':'));
    if !is_end || is_small && is_tag_next(ahead) {
        return false;
    }
    // `13:05:07 PM` says it twice.
    match (civil.hour, is_pm) {
        (12, false) => civil.hour = 0,
        (1..12, true) => civil.hour += 12,
        _ => {}
    }
    civil.nanosecond = nanosecond.unwrap_or(civil.nanosecond);
    *at = ahead;
    true
}

/// Whether a space and a word with a colon or a bracket follow: then a word in small letters before
/// it is a host, as no other word can be.
fn is_tag_next(mut at: Cursor<'_>) -> bool {
    at.eat(b' ');
    let word = at.take_word();
    word.ends_with(b":") || word.contains(&b'[')
}

/// `Z`, `+01:00`, `+0100` or `+01` in seconds east of UTC.
pub(super) fn offset(at: &mut Cursor<'_>) -> Option<i32> {
    let sign = match at.peek()? {
        b'Z' | b'z' => {
            at.skip(1);
            return Some(0);
        }
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes, len) = match *at.rest() {
        [_, a, b, b':', c, d, ..] => (two(a, b)?, two(c, d)?, 6),
        [_, a, b, c, d, ..] if c.is_ascii_digit() => (two(a, b)?, two(c, d)?, 5),
        [_, a, b, ..] => (two(a, b)?, 0, 3),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    at.skip(len);
    Some(sign * (i32::from(hours) * 3_600 + i32::from(minutes) * 60))
}

/// A space and a zone: an offset, or an abbreviation with a space or a colon behind it, or with the
/// offset. A word that is not known is taken for a zone, which then is the configured one, only where
/// a Cisco message follows: ` XYZ: %`.
fn zone_behind(at: &mut Cursor<'_>) -> Option<i32> {
    let mut ahead = *at;
    if !ahead.eat(b' ') {
        return None;
    }
    let is_end = |at: Cursor<'_>| matches!(at.peek(), None | Some(b' ' | b':'));
    match ahead.peek()? {
        b'+' | b'-' => {
            let found = offset(&mut ahead).filter(|_| is_end(ahead))?;
            *at = ahead;
            Some(found)
        }
        b'A'..=b'Z' => {
            let word = ahead.take_while(|byte| byte.is_ascii_uppercase());
            let known = zone_offset_seconds(word);
            let mut found = known;
            if known.is_some() && matches!(ahead.peek(), Some(b'+' | b'-')) {
                found = Some(short_offset(&mut ahead).filter(|_| is_end(ahead))?);
            }
            let is_zone = match known {
                Some(_) => matches!(ahead.peek(), Some(b' ' | b':')),
                None => word.len() <= 7 && ahead.rest().starts_with(b": %"),
            };
            if is_zone {
                *at = ahead;
            }
            found.filter(|_| is_zone)
        }
        b'a'..=b'z' => {
            // Names of zones have two to four letters, those of hosts mostly more.
            let &[_, _, third, fourth, fifth] = ahead.rest().first_chunk()?;
            let is_end = |byte| matches!(byte, b' ' | b':');
            if !is_end(third) && !is_end(fourth) && !is_end(fifth) {
                return None;
            }
            let found = small_zone(&mut ahead)?;
            *at = ahead;
            Some(found)
        }
        _ => None,
    }
}

/// An abbreviation in small letters. Most words there are hosts: a colon has to follow it, or a host.
#[cold]
fn small_zone(at: &mut Cursor<'_>) -> Option<i32> {
    let known = small_zone_offset(at.take_while(|byte| byte.is_ascii_alphabetic()))?;
    let is_zone = match at.peek()? {
        b':' => at.peek_at(1) == Some(b' '),
        b' ' => at.peek_at(1).is_some() && !is_tag_next(*at),
        _ => false,
    };
    is_zone.then_some(known)
}

/// The offset of an abbreviation in small letters.
pub(super) fn small_zone_offset(word: &[u8]) -> Option<i32> {
    let mut large = [0; 4];
    let large = large.get_mut(..word.len()).filter(|_| word.len() >= 2)?;
    large.copy_from_slice(word);
    large.make_ascii_uppercase();
    zone_offset_seconds(large)
}

/// The offset behind a zone's name: `+01:00`, `+0100`, `+01` or `+1`, east of UTC.
fn short_offset(at: &mut Cursor<'_>) -> Option<i32> {
    if let Some(found) = offset(at) {
        return Some(found);
    }
    let &[sign, digit] = at.rest().first_chunk()?;
    let hours = i32::from(two(b'0', digit)?);
    at.skip(2);
    Some(if sign == b'-' { -hours } else { hours } * 3_600)
}

/// The number of a month's first three letters, in any case.
pub(super) fn month_number(a: u8, b: u8, c: u8) -> Option<u8> {
    // Letters only: `|` would make letters of other bytes.
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_alphabetic()) {
        return None;
    }
    Some(match &[a | 0x20, b | 0x20, c | 0x20] {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    })
}

/// The value of two digits.
pub(super) fn two(a: u8, b: u8) -> Option<u8> {
    let (a, b) = (a.wrapping_sub(b'0'), b.wrapping_sub(b'0'));
    (a < 10 && b < 10).then(|| a * 10 + b)
}

/// The value of four digits.
pub(super) fn four(a: u8, b: u8, c: u8, d: u8) -> Option<i16> {
    Some(i16::from(two(a, b)?) * 100 + i16::from(two(c, d)?))
}
