//! In which parts of made-up messages syslog-ng and rsyslog differ from Logwood, and what they say.

mod rsyslog;
mod syslog_ng;

pub(super) use rsyslog::RULES as RSYSLOG;
pub(super) use syslog_ng::RULES as SYSLOG_NG;

use super::parts::{Parsed, Part};
use super::variations::{Header, Host, Priority, Stamp, Tag, Text, Variation};

/// A difference of one peer. Of its rules that apply to a message and a part, the first counts.
#[derive(Debug)]
pub(super) struct Rule {
    /// Which messages it is about, in words.
    pub(super) when: &'static str,
    /// What the peer does, in words.
    pub(super) does: &'static str,
    /// Why Logwood does otherwise.
    pub(super) why: &'static str,
    pub(super) parts: &'static [Part],
    pub(super) applies: fn(&Variation) -> bool,
    /// What the peer says of a part; the last is what Logwood says of all.
    pub(super) says: fn(&Variation, Part, &Parsed) -> String,
}

const TIME: &[Part] = &[Part::Time];
const NAMES: &[Part] = &[Part::Host, Part::Program, Part::Pid, Part::Message];

const TOO_LARGE: &str = "The priority is 192 or more.";
const TOO_LARGE_WHY: &str = "No such facility exists; it is `user.notice`, and the rest is in good \
                             order. Tagged `syslog.invalid_pri`.";
const NINE_DIGITS: &str = "The stamp has nine digits of a fraction.";
const NINE_DIGITS_WHY: &str = "No digit is lost.";
const NO_STAMP: &str = "There is no stamp.";
const NO_STAMP_WHY: &str = "A word of a sentence is no program and no host; `name[123]:` is. Tagged \
                            `syslog.missing_timestamp`.";
const NO_TAG: &str = "A stamp of RFC 3164, and no TAG behind it that ends with a colon or a pid.";
const NO_TAG_WHY: &str = "Quotes are no program, and a word that ends the message is its text.";
const NO_PRIORITY: &str = "No priority, and a TAG without a pid behind a stamp that no syslogd writes, or behind no host.";
const NO_PRIORITY_WHY: &str = "The line may be of any log file: all behind the stamp is its text.";
const MARKED: &str = "A byte order mark in front of the text, in RFC 3164.";
const MARK_WHY: &str = "The mark says that UTF-8 follows, and is no text.";
const INDENTED: &str = "RFC 5424 with a second space in front of the text.";
const INDENTED_WHY: &str = "rsyslog sends it so (`RSYSLOG_SyslogProtocol23Format`).";

fn is_bsd(variation: &Variation) -> bool {
    matches!(variation.header, Header::Bsd { .. })
}

/// Whether the line may be of a file of another program: TAGs of Cisco's are none of those.
fn is_of_any_file(variation: &Variation) -> bool {
    let Header::Bsd { stamp, host, tag } = variation.header else {
        return false;
    };
    let is_foreign = matches!(stamp, Stamp::NoZone | Stamp::SpaceForT | Stamp::NineDigits);
    let is_iso = is_foreign || matches!(stamp, Stamp::Zulu | Stamp::Offset | Stamp::SixDigits);
    variation.priority == Priority::Missing
        && tag == Tag::Colon
        && is_iso
        && (is_foreign || host == Host::None)
}

fn is_too_large(variation: &Variation) -> bool {
    matches!(variation.priority, Priority::TooLarge(_))
}

fn has_nine_digits(variation: &Variation) -> bool {
    variation.header.stamp() == Stamp::NineDigits
}

fn has_no_stamp(variation: &Variation) -> bool {
    is_bsd(variation) && variation.header.stamp() == Stamp::None
}

fn has_year_behind(variation: &Variation) -> bool {
    variation.header.stamp() == Stamp::YearBehindTime
}

/// The year behind the time of a stamp, and what follows it.
fn behind_clock(variation: &Variation) -> &str {
    let clock = "Feb 12 22:14:15 ".len();
    variation.behind_priority.get(clock..).unwrap_or_default()
}

/// The same time in this year.
fn this_year(variation: &Variation, part: Part, ours: &Parsed) -> String {
    let behind_year = ours.part(part).get(4..).unwrap_or_default();
    format!("{}{behind_year}", variation.this_year)
}

fn is_marked(variation: &Variation) -> bool {
    is_bsd(variation) && variation.text == Text::ByteOrderMark
}

/// The message with the byte order mark that Logwood took off.
fn marked(_: &Variation, part: Part, ours: &Parsed) -> String {
    format!("\u{feff}{}", ours.part(part))
}

/// The message with the space that Logwood took off.
fn indented(_: &Variation, part: Part, ours: &Parsed) -> String {
    format!(" {}", ours.part(part))
}
