//! Lines cut and changed at every byte, and any bytes at all.

use super::*;
use proptest::prelude::*;

/// A line of every kind above, for cutting up.
const LINES: &[&str] = &[
    "<34>Oct 1 22:14:15 h su[12]: text",
    "<38>2026-11-21T19:12:18 h p[1]: text",
    "<38>2026-11-21T19:12:18.123456789+02:00 h p[1]: text",
    "<38>2026-11-21 19:12:18,123Z h p: text",
    "<38>Jan 31 2025 17:24:03: %ASA-4-402119: text",
    "<38>29: *Mar  1 18:46:11.123: %SYS-5-CONFIG_I: text",
    "<38>29: router1: 000031: .Mar  1 18:46:11 UTC: %SYS-5-CONFIG_I: text",
    "<38>Feb 12 12:00:00 2024 h p: text",
    "<38>: 2024 Feb 12 12:00:00 +01:00: %SYS-5-CONFIG_I: text",
    "<38>User logged in",
    "<999>Feb 29 12:00:00 h p: text",
    "<38>1 2026-11-21T19:12:18Z h p 1 ID [a b=\"c\\\"d\"][e f=\"g\"] \u{feff}text",
    "<38>1 2026-11-21T19:12:18Z h p 1 ID [x a=noquote] text",
    "<38> 2026-11-21T19:12:18 h p 1 ID - \u{feff}text",
    "<34>1 - - - - - -",
    "<34>2 2026-11-21T19:12:18Z h p 1 ID - text",
    "<34>Oct 11 22:14:15 fe80::1%eth0 p: text",
    "<34>Oct 11 22:14:15 last message repeated 3 times",
    "<34>Oct 11 22:14:15 Message forwarded from h: su[12]: text",
    "30 <34>Oct 11 22:14:15 h su: text",
    "<34>{\"json\":1}",
];

/// Stamps, two of an hour that a zone has twice.
const STAMPS: &[&str] = &[
    "Oct  1 22:14:15",
    "Feb 29 12:00:00",
    "Oct 26 02:30:00",
    "2025-10-26T02:30:00",
    "2026-11-21T19:12:18",
    "2026-11-21T19:12:18.123456789+01:00",
    "2024 Feb 12 12:00:00",
];

/// What may stand behind a stamp: hosts, years and zones among them.
const BEHIND: &[&str] = &[
    " host su: x",
    " h",
    " 2024 host su: x",
    " UTC host su: x",
    " +02:00 host su: x",
    ": host su: x",
    ".5 host su: x",
    " Host su: x",
    "",
];

/// Days between what is usual and when messages are received.
const DAYS: [i64; 7] = [0, 1, -26, -60, 200, 366, 3_000];

/// Every span lies within the message and `extra`, and no byte behind the header is lost: the
/// message reaches to the end of what is not terminator.
fn assert_sound(raw: &[u8], parts: &RecordParts) {
    let len = raw.len() + parts.extra.len();
    let fields = parts.fields.iter();
    let spans = fields.flat_map(|field| [field.group, field.name, field.value]);
    let spans = spans.chain([
        parts.host,
        parts.program,
        parts.pid,
        parts.msgid,
        parts.structured_data,
        parts.message,
    ]);
    for span in spans {
        assert!(
            span.start as usize + span.len as usize <= len,
            "{span:?} of {len}"
        );
    }
    let message_end = (parts.message.start + parts.message.len) as usize;
    assert!(parts.message.is_empty() || message_end == trim_end(raw).len());
}

#[test]
fn every_line_cut_at_every_byte_is_parsed() {
    for line in LINES {
        for end in 0..=line.len() {
            let raw = &line.as_bytes()[..end];
            assert_sound(raw, &parse(raw));
            // With a digit, a colon, a bracket gone on for ever.
            if let Some(last) = raw.last() {
                let long = [raw, &[*last; 300]].concat();
                assert_sound(&long, &parse(&long));
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_parsed(raw in prop::collection::vec(any::<u8>(), 0..200)) {
        assert_sound(&raw, &parse(&raw));
    }

    #[test]
    fn any_line_with_bytes_changed_is_parsed(
        line in 0..LINES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut raw = LINES[line].as_bytes().to_vec();
        for (index, byte) in changes {
            let index = index.index(raw.len());
            raw[index] = byte;
        }
        assert_sound(&raw, &parse(&raw));
    }

    #[test]
    fn any_syslog_like_text_is_parsed(raw in "(<[0-9]{0,4}>)?([0-9]{1,2} )?([A-Z][a-z]{2} {1,2}[0-9]{1,2} )?[-0-9:. ]{0,20}[ a-z:\\[\\]\"=\\\\-]{0,40}") {
        assert_sound(raw.as_bytes(), &parse(raw.as_bytes()));
    }

    #[test]
    fn every_instant_is_read_back_from_its_iso_stamp(nanos in 0..4_000_000_000_000_000_000_i64) {
        let time = Timestamp::from_nanos(nanos);
        let raw = format!("<34>{time} h su: x");
        prop_assert_eq!(parse(raw.as_bytes()).time, time);
        let raw = format!("<34>1 {time} h su - - - x");
        prop_assert_eq!(parse(raw.as_bytes()).time, time);
    }

    /// What a parser has read before, and when, is not to be seen in what it makes of a message.
    #[test]
    fn stamps_mean_the_same_whatever_was_read_before(
        messages in prop::collection::vec(
            (0..STAMPS.len(), 0..BEHIND.len(), prop::sample::select(&DAYS[..])),
            1..12,
        ),
        is_fixed in any::<bool>(),
    ) {
        let options = || ParseOptions {
            zone: if is_fixed { TimeZone::UTC } else { TimeZone::get("Europe/Berlin").unwrap() },
            ..ParseOptions::default()
        };
        let mut parser = Parser::new(options());
        for (stamp, behind, day) in messages {
            let raw = format!("<34>{}{}", STAMPS[stamp], BEHIND[behind]);
            let context = Context {
                received: instant(RECEIVED).plus_nanos(day * 86_400_000_000_000),
                ..context()
            };
            let [mut parts, mut fresh] = [RecordParts::default(), RecordParts::default()];
            parser.parse(raw.as_bytes(), &context, &mut parts);
            Parser::new(options()).parse(raw.as_bytes(), &context, &mut fresh);
            prop_assert_eq!(parts, fresh, "{}", raw);
        }
    }

    #[test]
    fn a_reused_parts_is_as_good_as_new(one in 0..LINES.len(), other in 0..LINES.len()) {
        let mut parser = Parser::new(ParseOptions::default());
        let mut parts = RecordParts::default();
        parser.parse(LINES[one].as_bytes(), &context(), &mut parts);
        parser.parse(LINES[other].as_bytes(), &context(), &mut parts);
        prop_assert_eq!(parts, parse(LINES[other].as_bytes()));
    }
}
