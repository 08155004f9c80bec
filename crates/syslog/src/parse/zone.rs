//! Civil times without a zone into instants, in the zone a source is configured with.
//!
//! A look-up in a zone's rules costs more than the whole of a message's parsing, so the offset of
//! one civil day is remembered: stamps of a source are nearly all of today. Days on which the
//! offset changes are looked up each time.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use model::{CivilTime, Timestamp};

/// A zone, and the offset of the day that was asked for last.
#[derive(Debug)]
pub(super) struct Zone {
    zone: TimeZone,
    /// Offset in seconds of a zone that has but one.
    fixed: Option<i32>,
    /// A day's key in the upper half, its offset in seconds in the lower; 0 where none is known.
    /// Both halves are always written together, so no other ordering is needed.
    day: AtomicU64,
}

impl Zone {
    pub(super) fn new(zone: TimeZone) -> Self {
        Self {
            fixed: zone.to_fixed_offset().ok().map(Offset::seconds),
            zone,
            day: AtomicU64::new(0),
        }
    }

    /// The instant of a civil time here. Of an hour that the zone has twice, the one closer to
    /// `received`; in one that it skips, the later. `None` for an impossible date.
    pub(super) fn instant(&self, civil: CivilTime, received: Timestamp) -> Option<Timestamp> {
        if let Some(offset) = self.fixed {
            return Timestamp::from_civil(civil, offset);
        }
        if !civil.is_valid() {
            return None;
        }
        let key = day_key(civil);
        let known = self.day.load(Ordering::Relaxed);
        if (known >> 32) as u32 == key {
            return Timestamp::from_civil(civil, (known as u32).cast_signed());
        }
        if let Some(offset) = self.offset_of_day(civil) {
            let entry = u64::from(key) << 32 | u64::from(offset.cast_unsigned());
            self.day.store(entry, Ordering::Relaxed);
            return Timestamp::from_civil(civil, offset);
        }
        let at = |offset: Offset| Timestamp::from_civil(civil, offset.seconds());
        match self.offset_at(date_time(civil)?) {
            AmbiguousOffset::Unambiguous { offset } => at(offset),
            AmbiguousOffset::Gap { before, .. } => at(before),
            AmbiguousOffset::Fold { before, after } => {
                let (first, second) = (at(before)?, at(after)?);
                let is_second = distance(second, received) < distance(first, received);
                Some(if is_second { second } else { first })
            }
        }
    }

    /// Whether a civil time that is this instant is no other, as far as that is known at hand: the zone
    /// has one offset, or the day that was asked for last has one.
    pub(super) fn is_certain(&self, time: Timestamp) -> bool {
        if self.fixed.is_some() {
            return true;
        }
        let known = self.day.load(Ordering::Relaxed);
        let offset = i64::from((known as u32).cast_signed());
        let civil = time.plus_nanos(offset * 1_000_000_000).to_civil();
        (known >> 32) as u32 == day_key(civil)
    }

    /// The offset of a civil day, if it keeps one from midnight to midnight.
    fn offset_of_day(&self, civil: CivilTime) -> Option<i32> {
        let midnight = CivilTime {
            hour: 0,
            minute: 0,
            second: 0,
            nanosecond: 0,
            ..civil
        };
        let start = date_time(midnight)?;
        let end = start.checked_add(jiff::Span::new().days(1)).ok()?;
        let only = |offset| match offset {
            AmbiguousOffset::Unambiguous { offset } => Some(offset),
            AmbiguousOffset::Gap { .. } | AmbiguousOffset::Fold { .. } => None,
        };
        let offset = only(self.offset_at(start))?;
        (only(self.offset_at(end))? == offset).then(|| offset.seconds())
    }

    fn offset_at(&self, civil: DateTime) -> AmbiguousOffset {
        self.zone.to_ambiguous_timestamp(civil).offset()
    }
}

/// Nanoseconds between two instants.
fn distance(one: Timestamp, other: Timestamp) -> u64 {
    one.nanos().abs_diff(other.nanos())
}

/// A number for each civil day; never 0, as months start at 1.
fn day_key(civil: CivilTime) -> u32 {
    u32::from(civil.year.cast_unsigned()) << 16 | u32::from(civil.month) << 8 | u32::from(civil.day)
}

fn date_time(civil: CivilTime) -> Option<DateTime> {
    let narrow = |value: u8| i8::try_from(value).ok();
    DateTime::new(
        civil.year,
        narrow(civil.month)?,
        narrow(civil.day)?,
        narrow(civil.hour)?,
        narrow(civil.minute)?,
        narrow(civil.second)?,
        i32::try_from(civil.nanosecond).ok()?,
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn civil(text: &str) -> CivilTime {
        let text = format!("{text}Z");
        Timestamp::parse_rfc3339(text.as_bytes())
            .unwrap()
            .to_civil()
    }

    fn check(zone: &Zone, text: &str, received: &str, expected: &str) {
        let received = Timestamp::parse_rfc3339(received.as_bytes()).unwrap();
        let found = zone.instant(civil(text), received).unwrap().to_string();
        assert_eq!(found, format!("{expected}.000000000Z"), "{text}");
    }

    #[test]
    fn summer_time_is_found_day_by_day() {
        let zone = Zone::new(TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap());
        for _ in 0..2 {
            let check = |text, expected| check(&zone, text, "2026-10-25T01:30:00Z", expected);
            check("2026-01-31T12:00:00", "2026-01-31T11:00:00");
            check("2026-07-31T12:00:00", "2026-07-31T10:00:00");
            check("2026-07-31T00:00:00", "2026-07-30T22:00:00");
            check("2026-07-31T23:59:59", "2026-07-31T21:59:59");
            // The day the clocks go forward: 02:30 does not exist.
            check("2026-03-29T01:59:59", "2026-03-29T00:59:59");
            check("2026-03-29T02:30:00", "2026-03-29T01:30:00");
            check("2026-03-29T03:00:00", "2026-03-29T01:00:00");
            check("2026-10-25T01:00:00", "2026-10-24T23:00:00");
            check("2026-10-25T03:00:00", "2026-10-25T02:00:00");
        }
        // The hour that comes twice is the one that was just now.
        let twice = "2026-10-25T02:30:00";
        check(&zone, twice, "2026-10-25T00:31:00Z", "2026-10-25T00:30:00");
        check(&zone, twice, "2026-10-25T01:31:00Z", "2026-10-25T01:30:00");
    }

    #[test]
    fn a_remembered_day_answers_as_a_look_up_does() {
        let rules = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
        let zone = Zone::new(rules.clone());
        let mut seconds = 1_767_225_600;
        while seconds < 1_767_225_600 + 366 * 86_400 {
            let now = Timestamp::from_seconds(seconds);
            let offset = rules.to_offset(jiff::Timestamp::from_second(seconds).unwrap());
            let local = now.plus_nanos(i64::from(offset.seconds()) * 1_000_000_000);
            assert_eq!(zone.instant(local.to_civil(), now), Some(now), "{now}");
            seconds += 1_799;
        }
    }

    #[test]
    fn impossible_dates_have_no_instant() {
        for zone in [
            TimeZone::UTC,
            TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap(),
        ] {
            let zone = Zone::new(zone);
            let civil = CivilTime {
                year: 2026,
                month: 2,
                day: 30,
                ..CivilTime::default()
            };
            assert_eq!(zone.instant(civil, Timestamp::default()), None);
            assert_eq!(zone.instant(CivilTime::default(), Timestamp::MAX), None);
        }
    }
}
