//! Names that stay valid for as long as a record is kept.

use std::fmt;

use crate::limits::NAME_BYTES_MAX;

/// The number of a record in its logspace: counted from 1, in the order of storing, never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordNumber(pub u64);

/// The name of a logspace: letters, digits, `-`, `_` and single inner dots, at most 128 bytes.
///
/// SSB's rule, so that its names can be taken over. It is also safe as one component of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogspaceName(Box<str>);

impl LogspaceName {
    /// The logspace that records go to where nothing else is configured.
    pub const MAIN: &'static str = "main";

    /// Checks and takes a name.
    pub fn parse(text: &str) -> Result<Self, InvalidLogspaceName> {
        let word = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        if text.len() > NAME_BYTES_MAX || !text.split('.').all(word) {
            return Err(InvalidLogspaceName(
                text.chars().take(NAME_BYTES_MAX).collect(),
            ));
        }
        Ok(Self(text.into()))
    }

    /// The default logspace, `main`.
    pub fn main() -> Self {
        Self(Self::MAIN.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LogspaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that cannot name a logspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLogspaceName(String);

impl fmt::Display for InvalidLogspaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} cannot name a logspace: use letters, digits, - and _, with single dots between",
            self.0
        )
    }
}

impl std::error::Error for InvalidLogspaceName {}

/// What a record is called for ever: `main:123456`, its logspace and its number there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The logspace that holds the record.
    pub logspace: LogspaceName,
    /// Its number there.
    pub number: RecordNumber,
}

impl RecordId {
    /// Parses `main:123456`.
    pub fn parse(text: &str) -> Result<Self, InvalidRecordId> {
        let invalid = || InvalidRecordId(text.chars().take(NAME_BYTES_MAX).collect());
        let (logspace, number) = text.split_once(':').ok_or_else(invalid)?;
        let logspace = LogspaceName::parse(logspace).map_err(|_| invalid())?;
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits
            .then(|| number.parse().ok())
            .flatten()
            .ok_or_else(invalid)?;
        Ok(Self {
            logspace,
            number: RecordNumber(number),
        })
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.logspace, self.number.0)
    }
}

/// A text that is no record id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRecordId(String);

impl fmt::Display for InvalidRecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a record id such as main:123456", self.0)
    }
}

impl std::error::Error for InvalidRecordId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logspace_names_are_safe_path_components() {
        for good in ["main", "web-01", "a.b_c", "X"] {
            assert_eq!(LogspaceName::parse(good).expect(good).as_str(), good);
        }
        for bad in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "a.",
            "a/b",
            "a b",
            "é",
            &"x".repeat(129),
        ] {
            assert!(LogspaceName::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn record_ids_round_trip() {
        let id = RecordId::parse("web.eu:42").expect("valid");
        assert_eq!(id.to_string(), "web.eu:42");
        for bad in [
            "", "main", "main:", "main:x", "main:-1", "main:+1", ":1", "a b:1",
        ] {
            assert!(RecordId::parse(bad).is_err(), "{bad:?}");
        }
    }
}
