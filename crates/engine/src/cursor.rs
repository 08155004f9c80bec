//! Where a search can be taken up again.

use std::fmt;

use model::{LogspaceName, RecordNumber, Timestamp};

use crate::limits::CURSOR_BYTES_MAX;
use crate::time_kind::TimeKind;

/// What stands in front of a cursor in the order of events.
const EVENT_MARK: char = 't';

/// The place of a record in the order of all records: by time, then logspace, then number. New records, sealing and merging do not move it.
///
/// As text it is opaque and safe in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    kind: TimeKind,
    at: Timestamp,
    logspace: LogspaceName,
    number: RecordNumber,
}

/// The same, borrowed. The order of the fields is the order of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position<'a> {
    /// Its time, of the kind that counts.
    pub(crate) at: Timestamp,
    /// Its logspace, by name.
    pub(crate) logspace: &'a LogspaceName,
    /// Its number there.
    pub(crate) number: RecordNumber,
}

impl Cursor {
    /// Reads the text of a cursor.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() > CURSOR_BYTES_MAX {
            return Err(InvalidCursor);
        }
        let hexadecimal = |digits: &str| {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let value = is_plain
                .then(|| u64::from_str_radix(digits, 16).ok())
                .flatten();
            value.ok_or(InvalidCursor)
        };
        let (kind, text) = match text.strip_prefix(EVENT_MARK) {
            Some(rest) => (TimeKind::Event, rest),
            None => (TimeKind::Received, text),
        };
        let mut parts = text.splitn(3, '.');
        let at = hexadecimal(parts.next().unwrap_or(""))?;
        let number = hexadecimal(parts.next().unwrap_or(""))?;
        let logspace = LogspaceName::parse(parts.next().unwrap_or(""));
        Ok(Self {
            kind,
            at: Timestamp::from_nanos(at.cast_signed()),
            logspace: logspace.map_err(|_| InvalidCursor)?,
            number: RecordNumber(number),
        })
    }

    /// The kind of time in whose order it is a place.
    pub fn kind(&self) -> TimeKind {
        self.kind
    }

    /// The place it stands for.
    pub(crate) fn position(&self) -> Position<'_> {
        Position {
            at: self.at,
            logspace: &self.logspace,
            number: self.number,
        }
    }
}

impl Position<'_> {
    /// The place as a cursor, in the order of a kind of time.
    pub(crate) fn to_cursor(self, kind: TimeKind) -> Cursor {
        Cursor {
            kind,
            at: self.at,
            logspace: self.logspace.clone(),
            number: self.number,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == TimeKind::Event {
            write!(f, "{EVENT_MARK}")?;
        }
        let at = self.at.nanos().cast_unsigned();
        write!(f, "{at:x}.{:x}.{}", self.number.0, self.logspace)
    }
}

/// A text that is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCursor;

impl fmt::Display for InvalidCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a cursor: take it unchanged from the end of the answer before")
    }
}

impl std::error::Error for InvalidCursor {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip_as_text() {
        for at in [Timestamp::MIN, Timestamp::from_nanos(-1), Timestamp::MAX] {
            for kind in [TimeKind::Received, TimeKind::Event] {
                let cursor = Cursor {
                    kind,
                    at,
                    logspace: LogspaceName::parse("web.eu-1").expect("valid"),
                    number: RecordNumber(u64::MAX),
                };
                assert_eq!(Cursor::parse(&cursor.to_string()), Ok(cursor));
            }
        }
    }

    #[test]
    fn other_texts_are_no_cursors() {
        let long = format!("1.1.{}", "x".repeat(CURSOR_BYTES_MAX));
        for text in [
            "",
            "1",
            "1.1",
            "1.1.",
            "1.x.main",
            "+1.1.main",
            "1..main",
            "tt1.1.main",
            "t",
            &long,
        ] {
            assert_eq!(Cursor::parse(text), Err(InvalidCursor), "{text:?}");
        }
    }

    #[test]
    fn the_order_is_time_then_logspace_then_number() {
        let [a, b] = ["a", "b"].map(|name| LogspaceName::parse(name).expect("valid"));
        let at = |nanos, logspace, number| Position {
            at: Timestamp::from_nanos(nanos),
            logspace,
            number: RecordNumber(number),
        };
        let ascending = [
            at(-1, &b, 9),
            at(0, &a, 2),
            at(0, &a, 3),
            at(0, &b, 1),
            at(1, &a, 1),
        ];
        assert!(ascending.is_sorted());
    }
}
