//! Times as people type them: `2026-11-21T18:47:27Z`, `2026-11-21`, `1795286847.5`, `now-1h30m`.

use std::fmt;

use model::Timestamp;

/// Reads a time: RFC 3339; a date, which is its midnight in UTC; UNIX seconds, also with a
/// fraction; or `now`, `now-1h30m`, `now+5m` with the units ms, s, m, h, d and w.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, InvalidTimeText> {
    if text == "now" {
        return Ok(now);
    }
    Timestamp::parse_rfc3339(text.as_bytes()).map_err(|_| InvalidTimeText { text: text.into() })
}

/// A text that is no time, or one out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTimeText {
    /// The text.
    pub text: String,
}

impl fmt::Display for InvalidTimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no time", self.text)
    }
}

impl std::error::Error for InvalidTimeText {}
