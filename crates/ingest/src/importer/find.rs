//! The time stamp of a line, and whether it says its year.

use model::{RecordParts, Tag, Timestamp};
use syslog::{Context, ParseOptions, Parser};

/// What a line says of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing that can be.
    Nothing,
    /// All of it.
    WithYear,
    /// This, by the anchor.
    WithoutYear(Timestamp),
}

/// Reads stamps of lines, and nothing else.
#[derive(Debug)]
pub(super) struct StampFinder {
    parser: Parser,
    parts: RecordParts,
}

impl StampFinder {
    pub(super) fn new(options: ParseOptions) -> Self {
        Self {
            parser: Parser::new(options),
            parts: RecordParts::default(),
        }
    }

    pub(super) fn find(&mut self, line: &[u8], anchor: Timestamp) -> Found {
        let context = Context {
            received: anchor,
            peer: None,
        };
        self.parser.parse(line, &context, &mut self.parts);
        of_parsed(&self.parser, line, &self.parts, anchor)
    }
}

/// The same of a line that was parsed last.
pub(super) fn of_parsed(
    parser: &Parser,
    line: &[u8],
    parts: &RecordParts,
    anchor: Timestamp,
) -> Found {
    let missing = Tag::MissingTimestamp.bit() | Tag::InvalidTimestamp.bit();
    if parts.tags & missing == 0 {
        return match parser.layout().stamp {
            Some(stamp) if !stamp.has_year => Found::WithoutYear(parts.time),
            _ => Found::WithYear,
        };
    }
    let Some(time) = parser.log_time(line, anchor) else {
        return Found::Nothing;
    };
    // Only what does not say its year depends on the anchor. Leap years are eight years apart at most.
    let earlier = anchor.plus_nanos(-9 * 366 * 86_400 * 1_000_000_000);
    match parser.log_time(line, earlier) {
        Some(other) if other == time => Found::WithYear,
        _ => Found::WithoutYear(time),
    }
}
