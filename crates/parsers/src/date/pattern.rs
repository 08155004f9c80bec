//! A pattern, read once into what it expects.

use model::{CivilTime, Timestamp};

use super::reading::Reading;
use crate::limits::DATE_PATTERN_BYTES_MAX;
use crate::{Error, Failed};

/// A pattern of a time.
///
/// | letters | what is expected |
/// |---|---|
/// | `%Y`, `%y` | year of four or two digits (`69` is 1969) |
/// | `%m`, `%b` `%B` `%h` | month as a number or by its English name, short or long |
/// | `%d` `%e`, `%j` | day of the month, day of the year |
/// | `%H` `%k`, `%I` `%l` with `%p` | hour of 24, hour of 12 with `AM` or `PM` |
/// | `%M`, `%S`, `%f` | minute, second, fraction of a second of up to nine digits |
/// | `%z`, `%Z` | offset from UTC (`Z`, `+01:00`, `-0530`, `+01`), also an abbreviation such as `CEST` |
/// | `%a` `%A` | day of the week, which says nothing more |
/// | `%s` | seconds since 1970; with `%f` right behind, the digits behind the first ten are the fraction |
/// | `%T`, `%R`, `%D`, `%F` | `%H:%M:%S`, `%H:%M`, `%m/%d/%y`, `%Y-%m-%d` |
/// | `%n`, `%t`, white space | white space, any or none |
/// | `%%` | a percent sign |
#[derive(Clone, Debug)]
pub struct DatePattern {
    parts: Box<[Part]>,
}

/// What is expected at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Byte(u8),
    Space,
    Year,
    YearOfCentury,
    Month,
    MonthName,
    Day,
    DayOfYear,
    Hour,
    HourOfHalf,
    Half,
    Minute,
    Second,
    Fraction,
    Offset,
    Zone,
    Weekday,
    Epoch { digits_max: usize },
}

/// Digits of seconds since 1970: those of the years 2001 to 2286 have ten.
const EPOCH_DIGITS: usize = 10;

impl DatePattern {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let remedy = "write a pattern such as \"%Y-%m-%d %H:%M:%S\"";
        Error::check_filled("pattern", pattern, DATE_PATTERN_BYTES_MAX, remedy)?;
        let mut parts = Vec::new();
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            if letter == '%' {
                let conversion = letters.next().unwrap_or(' ');
                convert(conversion, &mut parts)?;
            } else if letter.is_ascii_whitespace() {
                parts.push(Part::Space);
            } else {
                let mut bytes = [0; 4];
                let bytes = letter.encode_utf8(&mut bytes).bytes();
                parts.extend(bytes.map(Part::Byte));
            }
        }
        share_digits(&mut parts);
        check_whole(pattern, &parts)?;
        Ok(Self {
            parts: parts.into(),
        })
    }

    /// The time that a text says. `zone` has the instant of a civil time for texts that name no zone, or
    /// nothing for times that it has not; `Timestamp::from_civil(civil, 3_600)` is one.
    pub fn parse(
        &self,
        text: &[u8],
        reference: Timestamp,
        zone: impl Fn(CivilTime) -> Option<Timestamp>,
    ) -> Result<Timestamp, Failed> {
        let reading = Reading::of(text, &self.parts)?;
        let time = reading.time(reference, &zone);
        time.ok_or(Failed::new(0, "there is no such time"))
    }
}

/// Appends what the letter behind a percent sign stands for.
fn convert(conversion: char, parts: &mut Vec<Part>) -> Result<(), Error> {
    let colon = Part::Byte(b':');
    let (dash, slash) = (Part::Byte(b'-'), Part::Byte(b'/'));
    let digits_max = EPOCH_DIGITS + 1;
    let found: &[Part] = match conversion {
        'Y' => &[Part::Year],
        'y' => &[Part::YearOfCentury],
        'm' => &[Part::Month],
        'b' | 'B' | 'h' => &[Part::MonthName],
        'd' | 'e' => &[Part::Day],
        'j' => &[Part::DayOfYear],
        'H' | 'k' => &[Part::Hour],
        'I' | 'l' => &[Part::HourOfHalf],
        'p' => &[Part::Half],
        'M' => &[Part::Minute],
        'S' => &[Part::Second],
        'f' => &[Part::Fraction],
        'z' => &[Part::Offset],
        'Z' => &[Part::Zone],
        'a' | 'A' => &[Part::Weekday],
        's' => &[Part::Epoch { digits_max }],
        'T' => &[Part::Hour, colon, Part::Minute, colon, Part::Second],
        'R' => &[Part::Hour, colon, Part::Minute],
        'D' => &[Part::Month, slash, Part::Day, slash, Part::YearOfCentury],
        'F' => &[Part::Year, dash, Part::Month, dash, Part::Day],
        'n' | 't' => &[Part::Space],
        '%' => &[Part::Byte(b'%')],
        _ => return Err(Error::UnknownConversion { conversion }),
    };
    parts.extend_from_slice(found);
    Ok(())
}

/// Seconds since 1970 with a fraction right behind have the first digits only.
fn share_digits(parts: &mut [Part]) {
    let mut rest = parts;
    while let [first, behind @ ..] = rest {
        if let (Part::Epoch { digits_max }, Some(Part::Fraction)) = (first, behind.first()) {
            *digits_max = EPOCH_DIGITS;
        }
        rest = behind;
    }
}

/// Checks that the parts say a time together.
fn check_whole(pattern: &str, parts: &[Part]) -> Result<(), Error> {
    let has = |part: Part| parts.contains(&part);
    let has_epoch = parts.iter().any(|part| matches!(part, Part::Epoch { .. }));
    let has_month = has(Part::Month) || has(Part::MonthName);
    let has_day = has_month && has(Part::Day) || has(Part::DayOfYear);
    let has_part_of_date =
        has_month || has(Part::Day) || has(Part::Year) || has(Part::YearOfCentury);
    let has_hour = has(Part::Hour) || has(Part::HourOfHalf);
    let remedy = if has(Part::HourOfHalf) && !has(Part::Half) {
        "an hour of twelve needs `%p`"
    } else if !(has_epoch || has_day || has_hour && !has_part_of_date) {
        "write a day and its month, a time of day alone, or `%s`"
    } else {
        return Ok(());
    };
    Err(Error::unfit("pattern", pattern, remedy))
}
