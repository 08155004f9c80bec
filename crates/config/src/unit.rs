//! Numbers with a unit, as people write them: `64KiB`, `30s`.

use std::time::Duration;

/// Units of bytes, the larger of equal steps last so that printing can go from the end.
const BYTE_UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Units of time in milliseconds.
const TIME_UNITS: [(&str, u64); 6] = [
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
    ("w", 604_800_000),
];

/// Why a text is no number with a unit, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotAUnit {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// Parses a number of bytes. A bare number and a bare `K` are refused: they mean different things
/// to different people.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, NotAUnit> {
    let parsed = split(text).and_then(|(number, unit)| {
        let unit = if unit == "KB" { "kB" } else { unit };
        let (_, factor) = BYTE_UNITS.iter().find(|(name, _)| *name == unit)?;
        number.checked_mul(*factor)
    });
    parsed.ok_or_else(|| NotAUnit {
        message: format!("{text:?} is no size"),
        hint: format!(
            "write a whole number with a unit, such as {:?}; units are B, KiB, MiB, GiB, TiB \
             and kB, MB, GB, TB",
            suggest_bytes(text)
        ),
    })
}

/// The number of bytes with the largest unit that leaves it whole.
pub(crate) fn format_bytes(bytes: u64) -> String {
    let (name, factor) = BYTE_UNITS
        .iter()
        .rev()
        .filter(|(name, _)| name.len() == 3)
        .find(|(_, factor)| bytes > 0 && bytes.is_multiple_of(*factor))
        .unwrap_or(&("B", 1));
    format!("{}{name}", bytes / factor)
}

/// Parses a duration, to the millisecond.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, NotAUnit> {
    let parsed = split(text).and_then(|(number, unit)| {
        let (_, factor) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
        number.checked_mul(*factor)
    });
    parsed.map(Duration::from_millis).ok_or_else(|| NotAUnit {
        message: format!("{text:?} is no duration"),
        hint: "write a whole number with a unit, such as \"30s\"; units are ms, s, m, h, d, w"
            .to_owned(),
    })
}

/// The duration with the largest unit that leaves it whole; weeks are shown as days.
pub(crate) fn format_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (name, factor) = TIME_UNITS
        .iter()
        .rev()
        .skip(1)
        .find(|(_, factor)| millis > 0 && millis.is_multiple_of(*factor))
        .unwrap_or(&("ms", 1));
    format!("{}{name}", millis / factor)
}

/// A number and what stands behind it, with or without a space between.
fn split(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim_start_matches(' ')))
}

/// What was probably meant by a number with a wrong unit or none.
fn suggest_bytes(text: &str) -> String {
    let Some((number, unit)) = split(text) else {
        return "64KiB".to_owned();
    };
    let letter = unit.chars().next().map(|first| first.to_ascii_uppercase());
    match letter {
        Some(letter @ ('K' | 'M' | 'G' | 'T')) => format!("{number}{letter}iB"),
        None => format_bytes(number),
        Some(_) => "64KiB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_round_trip() {
        for (text, bytes) in [
            ("0B", 0),
            ("1B", 1),
            ("64KiB", 65_536),
            ("32MiB", 33_554_432),
            ("3GiB", 3 << 30),
            ("1000B", 1_000),
            ("1025B", 1_025),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes));
            assert_eq!(format_bytes(bytes), text);
        }
        assert_eq!(parse_bytes("2 MB"), Ok(2_000_000));
        assert_eq!(parse_bytes("1KB"), parse_bytes("1kB"));
    }

    #[test]
    fn a_wrong_size_is_told_what_it_may_mean() {
        for (text, suggestion) in [
            ("64K", "64KiB"),
            ("64kib", "64KiB"),
            ("65536", "64KiB"),
            ("2G", "2GiB"),
            ("", "64KiB"),
            ("big", "64KiB"),
            ("1.5MiB", "64KiB"),
            ("-1B", "64KiB"),
            ("99999999999999TiB", "99999999999999TiB"),
        ] {
            let problem = parse_bytes(text).expect_err(text);
            assert!(
                problem.hint.contains(&format!("{suggestion:?}")),
                "{text}: {problem:?}"
            );
        }
    }

    #[test]
    fn durations_round_trip() {
        for (text, millis) in [
            ("0ms", 0),
            ("1500ms", 1_500),
            ("30s", 30_000),
            ("5m", 300_000),
            ("36h", 129_600_000),
            ("7d", 604_800_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)));
            assert_eq!(format_duration(Duration::from_millis(millis)), text);
        }
        assert_eq!(parse_duration("1w"), parse_duration("7d"));
        for text in [
            "",
            "30",
            "s",
            "1.5s",
            "30 sec",
            "1h30m",
            "99999999999999999w",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
