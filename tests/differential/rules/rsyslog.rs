//! Where rsyslog differs.

use super::super::models::rsyslog;
use super::super::parts::{NONSENSE, Parsed, Part, RECEIPT};
use super::super::variations::{Header, Host, Stamp, Tag, Text, Variation};
use super::{
    INDENTED, INDENTED_WHY, MARK_WHY, MARKED, NAMES, NINE_DIGITS, NINE_DIGITS_WHY, NO_PRIORITY,
    NO_PRIORITY_WHY, NO_STAMP, NO_STAMP_WHY, NO_TAG, NO_TAG_WHY, Rule, TIME, TOO_LARGE,
    TOO_LARGE_WHY, behind_clock, has_nine_digits, has_no_stamp, has_year_behind, indented, is_bsd,
    is_marked, is_of_any_file, is_too_large, marked, this_year,
};

pub(in super::super) const RULES: &[Rule] = &[
    Rule {
        when: TOO_LARGE,
        does: "Reads nothing: all of it is the text, of the facility `invld`.",
        why: TOO_LARGE_WHY,
        parts: &Part::ALL,
        applies: is_too_large,
        says: |variation, part, _| match part {
            Part::Facility => "invld".to_owned(),
            Part::Severity => "debug".to_owned(),
            _ => unread(part, &variation.sent),
        },
    },
    Rule {
        when: "RFC 5424 whose stamp has no zone.",
        does: "Reads nothing but the priority: the rest is the text.",
        why: "The zone is that of the source.",
        parts: &Part::ALL,
        applies: |variation| !is_bsd(variation) && variation.header.stamp() == Stamp::NoZone,
        says: |variation, part, ours| match part {
            Part::Facility | Part::Severity => ours.part(part).to_owned(),
            _ => unread(part, variation.behind_priority.trim_start_matches("1 ")),
        },
    },
    Rule {
        when: NINE_DIGITS,
        does: "Writes other bytes in their place.",
        why: NINE_DIGITS_WHY,
        parts: TIME,
        applies: has_nine_digits,
        says: |_, _, _| NONSENSE.to_owned(),
    },
    Rule {
        when: UNREAD,
        does: "Finds no stamp: the time is that of receipt.",
        why: UNREAD_WHY,
        parts: TIME,
        applies: is_unread,
        says: |_, _, _| RECEIPT.to_owned(),
    },
    Rule {
        when: UNREAD,
        does: "Takes the words of the stamp for host and program.",
        why: UNREAD_WHY,
        parts: NAMES,
        applies: is_unread,
        says: |variation, part, _| rsyslog(&variation.behind_priority).part(part),
    },
    Rule {
        when: YEAR_BEHIND,
        does: "The year is this one.",
        why: YEAR_BEHIND_WHY,
        parts: TIME,
        applies: has_year_behind,
        says: this_year,
    },
    Rule {
        when: YEAR_BEHIND,
        does: "Takes it for the host, the host for the program, and the rest for the text.",
        why: YEAR_BEHIND_WHY,
        parts: NAMES,
        applies: has_year_behind,
        says: |variation, part, _| rsyslog(behind_clock(variation)).part(part),
    },
    Rule {
        when: NO_STAMP,
        does: "Takes the first word for the host and the second for the program.",
        why: NO_STAMP_WHY,
        parts: NAMES,
        applies: has_no_stamp,
        says: |variation, part, _| rsyslog(&variation.behind_priority).part(part),
    },
    Rule {
        when: "The host is an IPv6 address, in RFC 3164.",
        does: "Takes it apart at its first colon, and the peer for the host.",
        why: "An address is a host.",
        parts: NAMES,
        applies: |variation| is_bsd(variation) && variation.header.host() == Host::Ipv6,
        says: behind_stamp,
    },
    Rule {
        when: NO_TAG,
        does: "Takes the words in the places of host and program for them, whatever they are.",
        why: NO_TAG_WHY,
        parts: NAMES,
        applies: |variation| matches!(tag(variation), Some(Tag::None | Tag::Bare)),
        says: behind_stamp,
    },
    Rule {
        when: "A program with a slash, in RFC 3164.",
        does: "Cuts it at the slash, unless `parser.permitSlashInProgramName` is set.",
        why: "postfix is many programs.",
        parts: &[Part::Program],
        applies: |variation| tag(variation) == Some(Tag::Path),
        says: behind_stamp,
    },
    Rule {
        when: NO_PRIORITY,
        does: "Takes the words in the places of host and program for them.",
        why: NO_PRIORITY_WHY,
        parts: NAMES,
        applies: is_of_any_file,
        says: behind_stamp,
    },
    Rule {
        when: MARKED,
        does: "Keeps it in the text.",
        why: MARK_WHY,
        parts: &[Part::Message],
        applies: is_marked,
        says: marked,
    },
    Rule {
        when: "A byte order mark in front of the text, in RFC 5424.",
        does: "Keeps it in the text.",
        why: MARK_WHY,
        parts: &[Part::Message],
        applies: |variation| !is_bsd(variation) && variation.text == Text::ByteOrderMark,
        says: marked,
    },
    Rule {
        when: "No host, in RFC 5424.",
        does: "Has none.",
        why: "The address of the peer is better than none.",
        parts: &[Part::Host],
        applies: |variation| !is_bsd(variation) && variation.header.host() == Host::None,
        says: |_, _, _| String::new(),
    },
    Rule {
        when: INDENTED,
        does: "Keeps it.",
        why: INDENTED_WHY,
        parts: &[Part::Message],
        applies: |variation| !is_bsd(variation) && variation.text == Text::Indented,
        says: indented,
    },
];

const UNREAD: &str = "The stamp is of ISO 8601 without a zone, or has a space for the `T`.";
const UNREAD_WHY: &str = "loggen and many programs write it so; the zone is that of the source.";
const YEAR_BEHIND: &str = "The year stands behind the time.";
const YEAR_BEHIND_WHY: &str =
    "The year stands there; rsyslog can be told with `detect.YearAfterTimestamp`.";

fn is_unread(variation: &Variation) -> bool {
    let stamp = variation.header.stamp();
    is_bsd(variation) && matches!(stamp, Stamp::NoZone | Stamp::SpaceForT)
}

fn tag(variation: &Variation) -> Option<Tag> {
    match variation.header {
        Header::Bsd { tag, .. } => Some(tag),
        Header::Ietf { .. } => None,
    }
}

fn behind_stamp(variation: &Variation, part: Part, _: &Parsed) -> String {
    rsyslog(&variation.behind_stamp).part(part)
}

/// What it says of a message that is all text.
fn unread(part: Part, text: &str) -> String {
    let value = match part {
        Part::Fate => "read",
        Part::Time => RECEIPT,
        Part::Host => "127.0.0.1",
        Part::Message => text,
        _ => "",
    };
    value.to_owned()
}
