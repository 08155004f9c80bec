//! How many messages a source and its senders should send, and how it is judged.

use std::time::Duration;

use crate::limits::EXPECTED_PERIOD;

/// How many messages are usual in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The period. Each begins when the one before ends.
    pub period: Duration,
    /// Messages of the source as a whole.
    pub source: Bounds,
    /// Messages of each sender that has sent before.
    pub sender: Bounds,
}

/// The least and the most that is usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Fewer are too few.
    pub min: Option<u64>,
    /// More are too many.
    pub max: Option<u64>,
}

/// How a number compares with what is usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// As expected, or nothing is expected.
    #[default]
    Usual,
    /// Too few messages: perhaps a sender is silent.
    Low,
    /// Too many.
    High,
}

impl Expected {
    /// Whether anything is expected at all.
    pub(crate) fn is_any(&self) -> bool {
        let none = Bounds::default();
        self.source != none || self.sender != none
    }
}

impl Default for Expected {
    fn default() -> Self {
        Self {
            period: EXPECTED_PERIOD,
            source: Bounds::default(),
            sender: Bounds::default(),
        }
    }
}

impl Bounds {
    /// Judges a number of messages.
    pub(crate) fn judge(self, messages: u64) -> Level {
        if self.min.is_some_and(|min| messages < min) {
            Level::Low
        } else if self.max.is_some_and(|max| messages > max) {
            Level::High
        } else {
            Level::Usual
        }
    }
}

impl Level {
    /// Its name: `usual`, `low`, `high`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::Low => "low",
            Self::High => "high",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_themselves_are_usual() {
        let bounds = Bounds {
            min: Some(2),
            max: Some(4),
        };
        let levels: Vec<_> = (1..=5).map(|messages| bounds.judge(messages)).collect();
        let usual = Level::Usual;
        assert_eq!(levels, [Level::Low, usual, usual, usual, Level::High]);
        assert_eq!(Bounds::default().judge(0), usual);
    }
}
