//! The zone in which times are written: that of the message, or one for all.

use jiff::tz::{Offset, TimeZone};
use model::Timestamp;

/// The zone in which times are written.
#[derive(Clone, Debug)]
pub enum Zone {
    /// The offset that the message states, for its own time; where it states none, and for other times,
    /// this zone.
    OfMessage(TimeZone),
    /// One zone for all.
    Fixed(TimeZone),
}

impl Default for Zone {
    fn default() -> Self {
        Self::OfMessage(TimeZone::UTC)
    }
}

impl Zone {
    /// The offset of this zone at an instant, in seconds east of UTC.
    pub(crate) fn offset(&self, time: Timestamp) -> i32 {
        let (Self::OfMessage(zone) | Self::Fixed(zone)) = self;
        offset_in(zone, time)
    }
}

fn offset_in(zone: &TimeZone, time: Timestamp) -> i32 {
    if *zone == TimeZone::UTC {
        return 0;
    }
    let second = time.nanos().div_euclid(1_000_000_000);
    let instant = jiff::Timestamp::from_second(second);
    instant.map_or(0, |instant| zone.to_offset(instant).seconds())
}

/// A zone by its name or offset: `UTC`, `Europe/Budapest`, `+02:00`. `None` where there is no such zone.
pub fn named_zone(name: &str) -> Option<TimeZone> {
    if name.eq_ignore_ascii_case("utc") || name == "Z" {
        return Some(TimeZone::UTC);
    }
    if name.starts_with(['+', '-']) {
        let seconds = read_offset(name.as_bytes())?;
        return Some(TimeZone::fixed(Offset::from_seconds(seconds).ok()?));
    }
    TimeZone::get(name).ok()
}

/// The offset that a message states in its time stamp. The stamp is read again and has to give the time
/// of the record, so that no other part of the message is taken for it.
pub(crate) fn stated_offset(raw: &[u8], time: Timestamp) -> Option<i32> {
    let start = match raw.first() {
        Some(b'<') => raw.iter().take(5).position(|byte| *byte == b'>')? + 1,
        _ => 0,
    };
    let rest = raw.get(start..)?;
    let rest = rest.strip_prefix(b"1 ").unwrap_or(rest);
    let stamp = rest.split(|byte| *byte == b' ').next()?;
    let stamp = stamp.strip_suffix(b":").unwrap_or(stamp);
    // The shortest has no fraction and `Z`, the longest nine digits and an offset.
    if !(20..=35).contains(&stamp.len()) || Timestamp::parse_rfc3339(stamp) != Ok(time) {
        return None;
    }
    let sign = stamp
        .get(19..)?
        .iter()
        .position(|byte| matches!(byte, b'+' | b'-'));
    match sign {
        Some(at) => read_offset(stamp.get(19 + at..)?),
        None => Some(0),
    }
}

/// `+01:00`, `-0530` or `+01` into seconds east of UTC.
fn read_offset(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let two = |tens: u8, ones: u8| {
        let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
        is_number.then(|| i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
    };
    let (hours, minutes) = match *digits {
        [a, b, b':', c, d] | [a, b, c, d] => (two(a, b)?, two(c, d)?),
        [a, b] => (two(a, b)?, 0),
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_of_a_message_is_read_from_its_stamp_alone() {
        let time = Timestamp::parse_rfc3339(b"2026-11-21T18:47:27.120+01:00").expect("a time");
        for (raw, offset) in [
            ("<13>2026-11-21T18:47:27.120+01:00 h p: m", Some(3_600)),
            (
                "<13>1 2026-11-21T18:47:27.120+01:00 h p - - - m",
                Some(3_600),
            ),
            ("2026-11-21T12:17:27.12-0530 h p: m", Some(-19_800)),
            ("<13>1 2026-11-21T17:47:27.120Z h p - - - m", Some(0)),
            ("<13>1 2026-11-21T17:47:28.120Z h p - - - m", None),
            (
                "<13>Nov 21 18:47:27 h p: 2026-11-21T18:47:27.120+01:00",
                None,
            ),
            ("", None),
            ("<", None),
        ] {
            assert_eq!(stated_offset(raw.as_bytes(), time), offset, "{raw}");
        }
    }

    #[test]
    fn zones_have_names_and_offsets() {
        for name in ["UTC", "utc", "+02:00", "-0330"] {
            assert!(named_zone(name).is_some(), "{name}");
        }
        for name in ["", "+2", "+25:00", "Nowhere/Land"] {
            assert!(named_zone(name).is_none(), "{name}");
        }
    }
}
