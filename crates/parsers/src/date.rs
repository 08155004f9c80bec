//! Times by patterns such as `%Y-%m-%d %H:%M:%S`, in the letters of `strptime`.
//!
//! A pattern says all of a text. What it leaves out comes from a time of reference, which is that of receipt
//! for most: the year is the latest that puts the time at most a week ahead of it, as for syslog headers;
//! where there is but a time of day, the day is the latest that puts it at most half a day ahead.

mod pattern;
mod reading;

use model::{CivilTime, Timestamp};

use crate::limits::DATE_PATTERNS_MAX;
use crate::{Error, Failed};

pub use pattern::DatePattern;

/// Patterns that are tried in order.
#[derive(Clone, Debug)]
pub struct DatePatterns {
    patterns: Box<[DatePattern]>,
}

impl DatePatterns {
    /// Reads the patterns.
    pub fn new(patterns: &[String]) -> Result<Self, Error> {
        if patterns.is_empty() {
            return Err(Error::Empty {
                option: "patterns",
                remedy: "write at least one, such as \"%Y-%m-%d %H:%M:%S\"",
            });
        }
        Error::check_count("patterns", patterns.len(), DATE_PATTERNS_MAX)?;
        let patterns = patterns.iter().map(|pattern| DatePattern::new(pattern));
        Ok(Self {
            patterns: patterns.collect::<Result<_, _>>()?,
        })
    }

    /// The time that the first pattern gives which fits; see [`DatePattern::parse`]. On failure, where the
    /// pattern that got furthest has stopped.
    pub fn parse(
        &self,
        text: &[u8],
        reference: Timestamp,
        zone: impl Fn(CivilTime) -> Option<Timestamp>,
    ) -> Result<Timestamp, Failed> {
        let mut furthest = Failed::new(0, "expected a time");
        for pattern in &self.patterns {
            match pattern.parse(text, reference, &zone) {
                Ok(time) => return Ok(time),
                Err(failed) if failed.at >= furthest.at => furthest = failed,
                Err(_) => {}
            }
        }
        Err(furthest)
    }
}

#[cfg(test)]
mod tests;
