//! Where that stands in a message of which a record keeps the meaning alone: the priority and the
//! time stamp. For whoever explains a message, or writes another stamp there.

use model::{RecordParts, Span, Timestamp};

use super::decision::Decisions;
use super::stamp::{Stamp, StampForm};
use super::{Context, ParseOptions, Parser};
use crate::cursor::Cursor;

/// What was found of a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How the header was read.
    pub header: Header,
    /// `<34>`; empty where there is none.
    pub priority: Span,
    /// The time stamp; `None` where there is none, or `-` for it.
    pub stamp: Option<FoundStamp>,
    /// What was decided where it could be read in another way.
    pub decisions: Decisions,
}

/// How the header of a message was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// RFC 5424 section 6.2.
    Rfc5424,
    /// RFC 3164 section 4.1 in whatever dialect: from the time stamp on.
    Rfc3164,
    /// There is none, or it was not to be read.
    #[default]
    None,
}

/// A time stamp of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundStamp {
    /// Where it stands in the message.
    pub span: Span,
    /// How it is written.
    pub form: StampForm,
    /// Whether it says the year.
    pub has_year: bool,
    /// Whether it says the zone.
    pub has_zone: bool,
}

impl FoundStamp {
    /// A stamp that stands here.
    #[inline]
    pub(super) fn at(at: Cursor<'_>, stamp: &Stamp) -> Self {
        // The colon that Cisco writes is no part of the time.
        let len = stamp.len - usize::from(stamp.has_colon);
        Self {
            span: Span::new(at.at(), at.at() + len),
            form: stamp.form,
            has_year: stamp.has_year,
            has_zone: stamp.has_zone,
        }
    }
}

/// Finds the time stamp of a message, or of a line of a log file that begins as one does.
pub fn find_stamp(raw: &[u8]) -> Option<FoundStamp> {
    let context = Context {
        received: Timestamp::from_seconds(0),
        peer: None,
    };
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    parser.parse(raw, &context, &mut parts);
    parser.layout().stamp
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stamp, and whether it says year and zone.
    fn check(raw: &str, expected: Option<(&str, bool, bool)>) {
        let found = find_stamp(raw.as_bytes());
        let shown = found.map(|found| {
            let text = found.span.of(raw.as_bytes());
            (text, found.has_year, found.has_zone)
        });
        let expected = expected.map(|(text, year, zone)| (text.as_bytes(), year, zone));
        assert_eq!(shown, expected, "{raw}");
    }

    #[test]
    fn the_stamp_is_found_where_each_kind_of_message_has_it() {
        let bsd = Some(("Oct 11 22:14:15", false, false));
        check("<34>Oct 11 22:14:15 h su: x", bsd);
        check("Oct 11 22:14:15 h su: x", bsd);
        let local = Some(("2026-11-22T05:12:21", true, false));
        check("<38>2026-11-22T05:12:21 localhost p[1]: x", local);
        let iso = Some(("2026-11-22T05:12:21.5+01:00", true, true));
        check("<38>1 2026-11-22T05:12:21.5+01:00 h p - - - x", iso);
        let cisco = Some(("Mar  1 18:46:11.123 UTC", false, true));
        check(
            "<38>29: *Mar  1 18:46:11.123 UTC: %SYS-5-CONFIG_I: x",
            cisco,
        );
        check("<38>1 - h p - - - x", None);
        check("<38>no stamp", None);
        check("<38 x", None);
        check("", None);
    }

    #[test]
    fn header_and_priority_are_told() {
        let layout = |raw: &str| {
            let context = Context {
                received: Timestamp::from_seconds(0),
                peer: None,
            };
            let mut parser = Parser::new(ParseOptions::default());
            let mut parts = RecordParts::default();
            parser.parse(raw.as_bytes(), &context, &mut parts);
            (parser.layout().header, parser.layout().priority)
        };
        let start = Span::new(0, 4);
        assert_eq!(layout("<38>1 - h p - - - x"), (Header::Rfc5424, start));
        let bsd = layout("<38>Oct 11 22:14:15 h su: x");
        assert_eq!(bsd, (Header::Rfc3164, start));
        assert_eq!(layout("<38>text"), (Header::None, start));
        assert_eq!(layout(" <38>text"), (Header::None, Span::new(1, 5)));
        assert_eq!(layout("text"), (Header::None, Span::default()));
    }
}
