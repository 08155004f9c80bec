//! Where syslog-ng differs.

use super::super::models::{syslog_ng_behind_stamp, syslog_ng_without_stamp};
use super::super::parts::{Parsed, Part, RECEIPT, severity};
use super::super::variations::{Header, Priority, Stamp, Tag, Text, Variation};
use super::{
    INDENTED, INDENTED_WHY, MARK_WHY, MARKED, NAMES, NINE_DIGITS, NINE_DIGITS_WHY, NO_PRIORITY,
    NO_PRIORITY_WHY, NO_STAMP, NO_STAMP_WHY, NO_TAG, NO_TAG_WHY, Rule, TIME, TOO_LARGE,
    TOO_LARGE_WHY, has_nine_digits, has_no_stamp, indented, is_bsd, is_marked, is_of_any_file,
    is_too_large, marked,
};

pub(in super::super) const RULES: &[Rule] = &[
    Rule {
        when: TOO_LARGE,
        does: "Counts on beyond the last facility, such as 24.",
        why: TOO_LARGE_WHY,
        parts: &[Part::Facility, Part::Severity],
        applies: is_too_large,
        says: too_large,
    },
    Rule {
        when: NINE_DIGITS,
        does: "Keeps six.",
        why: NINE_DIGITS_WHY,
        parts: TIME,
        applies: has_nine_digits,
        says: six_digits,
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
        does: "Takes the first word of the stamp for the program, and the peer for the host.",
        why: UNREAD_WHY,
        parts: NAMES,
        applies: is_unread,
        says: |variation, part, _| syslog_ng_without_stamp(&variation.behind_priority).part(part),
    },
    Rule {
        when: NO_STAMP,
        does: "Takes the first word for the program.",
        why: NO_STAMP_WHY,
        parts: NAMES,
        applies: has_no_stamp,
        says: |variation, part, _| syslog_ng_without_stamp(&variation.behind_priority).part(part),
    },
    Rule {
        when: NO_TAG,
        does: "Takes the word in its place for the program, whatever it is.",
        why: NO_TAG_WHY,
        parts: NAMES,
        applies: |variation| {
            matches!(
                variation.header,
                Header::Bsd {
                    tag: Tag::None | Tag::Bare,
                    ..
                }
            )
        },
        says: |variation, part, _| syslog_ng_behind_stamp(&variation.behind_stamp).part(part),
    },
    Rule {
        when: NO_PRIORITY,
        does: "Takes the words in the places of host and program for them.",
        why: NO_PRIORITY_WHY,
        parts: NAMES,
        applies: is_of_any_file,
        says: |variation, part, _| syslog_ng_behind_stamp(&variation.behind_stamp).part(part),
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
        when: INDENTED,
        does: "Keeps it.",
        why: INDENTED_WHY,
        parts: &[Part::Message],
        applies: |variation| !is_bsd(variation) && variation.text == Text::Indented,
        says: indented,
    },
];

const UNREAD: &str =
    "The day has one digit and no second space, or the year stands in front of the month.";
const UNREAD_WHY: &str = "Many devices write it so; syslog-ng 4.11 reads the former.";

fn is_unread(variation: &Variation) -> bool {
    matches!(
        variation.header.stamp(),
        Stamp::Unpadded | Stamp::YearInFront
    )
}

fn too_large(variation: &Variation, part: Part, _: &Parsed) -> String {
    match (variation.priority, part) {
        (Priority::TooLarge(number), Part::Facility) => (number / 8).to_string(),
        (Priority::TooLarge(number), _) => severity(number % 8),
        _ => String::new(),
    }
}

fn six_digits(_: &Variation, part: Part, ours: &Parsed) -> String {
    let time = ours.part(part);
    let Some((seconds, fraction)) = time.split_once('.') else {
        return time.to_owned();
    };
    let digits = fraction.trim_end_matches('Z');
    let kept = digits.get(..6).unwrap_or(digits).trim_end_matches('0');
    match kept {
        "" => format!("{seconds}Z"),
        _ => format!("{seconds}.{kept}Z"),
    }
}
