//! Where a message's time stamp stands, for whoever wants to write another one there.

use jiff::tz::TimeZone;
use model::{Span, Timestamp};

use super::stamp;
use super::zone::Zone;
use crate::cursor::Cursor;

/// What a stamp leaves unsaid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampStyle {
    /// The year and the zone, as RFC 3164 does.
    WithoutYear,
    /// The zone.
    Local,
    /// Nothing.
    WithZone,
}

/// A time stamp of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundStamp {
    /// Where it stands in the message.
    pub span: Span,
    /// What it leaves unsaid.
    pub style: StampStyle,
}

/// Finds the time stamp at the start of a message: behind the priority and the version, or at the
/// very start of a line of a log file.
pub fn find_stamp(raw: &[u8]) -> Option<FoundStamp> {
    let mut at = Cursor::new(raw);
    if at.eat(b'<') {
        at.take_digits();
        if !at.eat(b'>') {
            return None;
        }
        at.eat_text(b"1 ");
    }
    let start = at.at();
    let found = stamp::any(
        at.rest(),
        &Zone::new(TimeZone::UTC),
        Timestamp::from_seconds(0),
    )?;
    let mut end = start + found.len;
    // The colon that Cisco writes is no part of the time.
    if raw.get(end - 1) == Some(&b':') {
        end -= 1;
    }
    let style = match (found.has_year, found.has_zone) {
        (false, _) => StampStyle::WithoutYear,
        (true, false) => StampStyle::Local,
        (true, true) => StampStyle::WithZone,
    };
    Some(FoundStamp {
        span: Span::new(start, end),
        style,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Option<(&str, StampStyle)>) {
        let found = find_stamp(raw.as_bytes());
        let shown = found.map(|found| (found.span.of(raw.as_bytes()), found.style));
        assert_eq!(
            shown,
            expected.map(|(text, style)| (text.as_bytes(), style))
        );
    }

    #[test]
    fn the_stamp_is_found_where_each_kind_of_message_has_it() {
        use StampStyle::{Local, WithZone, WithoutYear};
        let bsd = Some(("Oct 11 22:14:15", WithoutYear));
        check("<34>Oct 11 22:14:15 h su: x", bsd);
        check("Oct 11 22:14:15 h su: x", bsd);
        let local = Some(("2026-11-22T05:12:21", Local));
        check("<38>2026-11-22T05:12:21 localhost p[1]: x", local);
        let iso = Some(("2026-11-22T05:12:21.5+01:00", WithZone));
        check("<38>1 2026-11-22T05:12:21.5+01:00 h p - - - x", iso);
        check("<38>1 - h p - - - x", None);
        check("<38>no stamp", None);
        check("<38 x", None);
        check("", None);
    }
}
