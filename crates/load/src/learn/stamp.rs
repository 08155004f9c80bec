//! Time stamps inside messages: their formats, recognised in text and written for another time.
//!
//! A format is written as for strftime: `%Y %m %d %H %M %S %y %b %a`, `%e` for a day padded with a
//! space, `%-d` for one that is not padded, `%s` for UNIX seconds, `%1f` to `%9f` for digits of
//! the fraction. All else stands for itself.

use model::{CivilTime, Timestamp};
use syslog::write::{decimal, padded};

pub(crate) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
pub(crate) const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// What is looked for in text, the longer before what it begins with.
const FORMATS: [&str; 18] = [
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d-%H.%M.%S",
    "%Y%m%d-%H:%M:%S",
    "%Y/%m/%d %H:%M:%S",
    "%y/%m/%d %H:%M:%S",
    "%a %b %d %H:%M:%S %Y",
    "%b %d %Y %H:%M:%S",
    "%b %e %H:%M:%S",
    "%b %d %H:%M:%S",
    "%b %-d %H:%M:%S",
    "%d/%b/%Y:%H:%M:%S",
    "%m-%d %H:%M:%S",
    "%m.%d %H:%M:%S",
    "%y%m%d %H%M%S",
    "%Y.%m.%d",
    "%Y-%m-%d",
    "%H:%M:%S",
];

/// UNIX seconds that are taken for a time: the years 2000 to 2033.
const EPOCH_SECONDS: std::ops::Range<i64> = 946_684_800..2_000_000_000;

/// A part of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Year,
    ShortYear,
    Month,
    MonthName,
    Weekday,
    Day,
    SpacedDay,
    PlainDay,
    Hour,
    Minute,
    Second,
    Epoch,
    /// So many digits, 1 to 9.
    Fraction(u8),
    Byte(u8),
}

/// A format, ready to read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StampFormat(Vec<Item>);

impl StampFormat {
    /// Reads a format; `None` where it holds an unknown conversion.
    pub(crate) fn parse(format: &str) -> Option<Self> {
        let mut items = Vec::new();
        let mut bytes = format.bytes();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                items.push(Item::Byte(byte));
                continue;
            }
            items.push(match bytes.next()? {
                b'Y' => Item::Year,
                b'y' => Item::ShortYear,
                b'm' => Item::Month,
                b'b' => Item::MonthName,
                b'a' => Item::Weekday,
                b'd' => Item::Day,
                b'e' => Item::SpacedDay,
                b'-' if bytes.next()? == b'd' => Item::PlainDay,
                b'H' => Item::Hour,
                b'M' => Item::Minute,
                b'S' => Item::Second,
                b's' => Item::Epoch,
                digit @ b'1'..=b'9' if bytes.next()? == b'f' => Item::Fraction(digit - b'0'),
                _ => return None,
            });
        }
        Some(Self(items))
    }

    /// Writes a time, in UTC; `civil` is that time.
    pub(crate) fn write(&self, time: Timestamp, civil: &CivilTime, out: &mut Vec<u8>) {
        for item in &self.0 {
            match *item {
                Item::Byte(byte) => out.push(byte),
                Item::Year => padded(u64::from(civil.year.unsigned_abs()), 4, out),
                Item::ShortYear => padded(u64::from(civil.year.unsigned_abs() % 100), 2, out),
                Item::Month => padded(u64::from(civil.month), 2, out),
                Item::MonthName => {
                    let name = MONTHS.get(usize::from(civil.month).wrapping_sub(1));
                    out.extend_from_slice(name.copied().unwrap_or_default().as_bytes());
                }
                Item::Weekday => {
                    let day = time.nanos().div_euclid(86_400_000_000_000).rem_euclid(7);
                    let name = usize::try_from(day).ok().and_then(|day| WEEKDAYS.get(day));
                    out.extend_from_slice(name.copied().unwrap_or_default().as_bytes());
                }
                Item::Day => padded(u64::from(civil.day), 2, out),
                Item::SpacedDay => {
                    if civil.day < 10 {
                        out.push(b' ');
                    }
                    decimal(u64::from(civil.day), out);
                }
                Item::PlainDay => decimal(u64::from(civil.day), out),
                Item::Hour => padded(u64::from(civil.hour), 2, out),
                Item::Minute => padded(u64::from(civil.minute), 2, out),
                Item::Second => padded(u64::from(civil.second), 2, out),
                Item::Epoch => {
                    let seconds = time.nanos().div_euclid(1_000_000_000);
                    decimal(u64::try_from(seconds).unwrap_or(0), out);
                }
                Item::Fraction(digits) => {
                    let nanos = time.nanos().rem_euclid(1_000_000_000);
                    let end = out.len() + usize::from(digits);
                    padded(u64::try_from(nanos).unwrap_or(0), 9, out);
                    out.truncate(end);
                }
            }
        }
    }

    /// The length of a time in this format at the start of a text.
    fn matched_len(&self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        for item in &self.0 {
            let rest = text.get(at..)?;
            at += match *item {
                Item::Byte(byte) if rest.first() == Some(&byte) => 1,
                Item::Byte(_) | Item::Epoch | Item::Fraction(_) => return None,
                Item::Year => number(rest, 4, 1970, 2099)?,
                Item::ShortYear => number(rest, 2, 0, 99)?,
                Item::Month => number(rest, 2, 1, 12)?,
                Item::MonthName => name(rest, &MONTHS)?,
                Item::Weekday => name(rest, &WEEKDAYS)?,
                Item::Day => number(rest, 2, 1, 31)?,
                Item::SpacedDay if rest.first() == Some(&b' ') => {
                    1 + number(rest.get(1..)?, 1, 1, 9)?
                }
                Item::SpacedDay => number(rest, 2, 10, 31)?,
                Item::PlainDay => number(rest, 1, 1, 9)?,
                Item::Hour => number(rest, 2, 0, 23)?,
                Item::Minute => number(rest, 2, 0, 59)?,
                Item::Second => number(rest, 2, 0, 60)?,
            };
        }
        Some(at)
    }
}

/// Finds time stamps in text.
#[derive(Debug)]
pub(crate) struct StampFinder(Vec<(&'static str, StampFormat)>);

impl StampFinder {
    pub(crate) fn new() -> Self {
        let formats = FORMATS.iter();
        Self(
            formats
                .filter_map(|format| Some((*format, StampFormat::parse(format)?)))
                .collect(),
        )
    }

    /// The length and the format of a time stamp at the start of the text, which is the start of
    /// a word.
    pub(crate) fn find(&self, text: &[u8]) -> Option<(usize, String)> {
        if !text.first()?.is_ascii_alphanumeric() {
            return None;
        }
        if let Some(found) = epoch(text) {
            return Some(found);
        }
        for (format, items) in &self.0 {
            let Some(len) = items.matched_len(text) else {
                continue;
            };
            let rest = text.get(len..).unwrap_or_default();
            let fraction_len = if format.ends_with("%S") {
                fraction(rest)
            } else {
                0
            };
            let is_end = |byte: Option<&u8>| !byte.is_some_and(u8::is_ascii_digit);
            if fraction_len > 0 && is_end(rest.get(fraction_len)) {
                let separator = char::from(*rest.first()?);
                let format = format!("{format}{separator}%{}f", fraction_len - 1);
                return Some((len + fraction_len, format));
            }
            if is_end(rest.first()) {
                return Some((len, (*format).to_owned()));
            }
        }
        None
    }
}

/// UNIX seconds, or thousandths or millionths of one.
fn epoch(text: &[u8]) -> Option<(usize, String)> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let format = match digits {
        10 => "%s",
        13 => "%s%3f",
        16 => "%s%6f",
        _ => return None,
    };
    let seconds: i64 = std::str::from_utf8(text.get(..10)?).ok()?.parse().ok()?;
    let is_word = !text.get(digits).is_some_and(u8::is_ascii_alphabetic);
    (EPOCH_SECONDS.contains(&seconds) && is_word).then(|| (digits, format.to_owned()))
}

/// The length of a separator and 1 to 9 digits behind it; 0 where there are none.
fn fraction(text: &[u8]) -> usize {
    let Some(separator) = text.first() else {
        return 0;
    };
    let digits = text.iter().skip(1).take_while(|byte| byte.is_ascii_digit());
    match (separator, digits.count()) {
        (b'.' | b',', digits @ 1..=9) => digits + 1,
        (b':', 3) => 4,
        _ => 0,
    }
}

/// The length of a number of so many digits within its bounds.
fn number(text: &[u8], digits: usize, first: u32, last: u32) -> Option<usize> {
    let text = text.get(..digits)?;
    let mut value = 0;
    for byte in text {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    (first..=last).contains(&value).then_some(digits)
}

fn name(text: &[u8], names: &[&str]) -> Option<usize> {
    let found = text.get(..3)?;
    names
        .iter()
        .any(|name| name.as_bytes() == found)
        .then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_found_and_written_as_they_were() {
        let finder = StampFinder::new();
        for (text, format) in [
            ("2015-10-18 18:01:47,978 x", "%Y-%m-%d %H:%M:%S,%3f"),
            ("2026-11-21T18:47:27.120001Z", "%Y-%m-%dT%H:%M:%S.%6f"),
            ("20171223-22:15:29:606|", "%Y%m%d-%H:%M:%S:%3f"),
            ("Sun Dec 04 04:47:44 2005]", "%a %b %d %H:%M:%S %Y"),
            ("Jun  9 15:16:01 h", "%b %e %H:%M:%S"),
            ("Nov 9 12:01:01", "%b %-d %H:%M:%S"),
            ("081109 203615 148", "%y%m%d %H%M%S"),
            ("2005-06-03-15.42.50.675872 R", "%Y-%m-%d-%H.%M.%S.%6f"),
            ("1117838570 2005.06.03", "%s"),
            ("1514038530000 1", "%s%3f"),
            ("22:15:29", "%H:%M:%S"),
        ] {
            let (len, found) = finder.find(text.as_bytes()).expect(text);
            assert_eq!(found, format, "{text}");
            assert!(StampFormat::parse(&found).is_some(), "{found}");
            assert!(!text[len..].starts_with(|c: char| c.is_ascii_digit()));
        }
        for text in ["9999999999", "25:00:00", "12:30", "2026-13-01", "Mon", ""] {
            assert_eq!(finder.find(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_written_in_its_format() {
        let time = Timestamp::parse_rfc3339(b"2005-12-04T04:47:44.012345Z").expect("valid");
        for (format, text) in [
            ("%a %b %d %H:%M:%S %Y", "Sun Dec 04 04:47:44 2005"),
            ("%b %e %H:%M:%S.%3f", "Dec  4 04:47:44.012"),
            ("%y/%m/%d %-d", "05/12/04 4"),
            ("%s%3f", "1133671664012"),
        ] {
            let mut out = Vec::new();
            let format = StampFormat::parse(format).expect("valid");
            format.write(time, &time.to_civil(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
        assert_eq!(StampFormat::parse("%Q"), None);
    }
}
