//! Where a search can be taken up again.

use std::fmt;

use model::{LogspaceName, RecordNumber, Timestamp};

use crate::limits::CURSOR_BYTES_MAX;

/// The place of a record in the order of all records: by time of receipt, then logspace, then
/// number. New records, sealing and merging do not move it.
///
/// As text it is opaque and safe in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    received: Timestamp,
    logspace: LogspaceName,
    number: RecordNumber,
}

/// The same, borrowed. The order of the fields is the order of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position<'a> {
    /// When it was received.
    pub(crate) received: Timestamp,
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
        let mut parts = text.splitn(3, '.');
        let received = hexadecimal(parts.next().unwrap_or(""))?;
        let number = hexadecimal(parts.next().unwrap_or(""))?;
        let logspace = LogspaceName::parse(parts.next().unwrap_or(""));
        Ok(Self {
            received: Timestamp::from_nanos(received.cast_signed()),
            logspace: logspace.map_err(|_| InvalidCursor)?,
            number: RecordNumber(number),
        })
    }

    /// The place it stands for.
    pub(crate) fn position(&self) -> Position<'_> {
        Position {
            received: self.received,
            logspace: &self.logspace,
            number: self.number,
        }
    }
}

impl Position<'_> {
    /// The place as a cursor.
    pub(crate) fn to_cursor(self) -> Cursor {
        Cursor {
            received: self.received,
            logspace: self.logspace.clone(),
            number: self.number,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let received = self.received.nanos().cast_unsigned();
        write!(f, "{received:x}.{:x}.{}", self.number.0, self.logspace)
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
        for received in [Timestamp::MIN, Timestamp::from_nanos(-1), Timestamp::MAX] {
            let cursor = Cursor {
                received,
                logspace: LogspaceName::parse("web.eu-1").expect("valid"),
                number: RecordNumber(u64::MAX),
            };
            assert_eq!(Cursor::parse(&cursor.to_string()), Ok(cursor));
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
            &long,
        ] {
            assert_eq!(Cursor::parse(text), Err(InvalidCursor), "{text:?}");
        }
    }

    #[test]
    fn the_order_is_time_then_logspace_then_number() {
        let [a, b] = ["a", "b"].map(|name| LogspaceName::parse(name).expect("valid"));
        let at = |nanos, logspace, number| Position {
            received: Timestamp::from_nanos(nanos),
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
