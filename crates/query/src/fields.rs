//! The names of Logwood's own fields, and which of them a misspelt name may mean.

use crate::ast::Target;

/// The prefix of a field with any name: `nvpair:name=value`.
pub(crate) const PAIR: &str = "nvpair";

/// The prefix of a pattern of messages, where a text in quotes follows: `pattern:"took <*> ms"`.
/// Else it is the name of a field.
pub(crate) const PATTERN: &str = "pattern";

/// Every name of a part of the record, the canonical one of a target first.
const NAMES: [(&str, Target); 12] = [
    ("message", Target::Message),
    ("host", Target::Host),
    ("program", Target::Program),
    ("pid", Target::Pid),
    ("msgid", Target::Msgid),
    ("facility", Target::Facility),
    ("severity", Target::Severity),
    ("priority", Target::Severity),
    ("tag", Target::Tag),
    ("source", Target::Source),
    ("peer", Target::Peer),
    ("ip", Target::Peer),
];

/// What others call our fields: RFC 5424, syslog-ng, rsyslog, journald, the Elastic schema.
const OTHER_NAMES: [(&str, &str); 24] = [
    ("hostname", "host"),
    ("host_name", "host"),
    ("host.name", "host"),
    ("_hostname", "host"),
    ("loghost", "host"),
    ("programname", "program"),
    ("process.name", "program"),
    ("syslog_identifier", "program"),
    ("syslogtag", "program"),
    ("_comm", "program"),
    ("_pid", "pid"),
    ("process.pid", "pid"),
    ("fromhost-ip", "peer"),
    ("fromhost", "peer"),
    ("syslogseverity", "severity"),
    ("syslogfacility", "facility"),
    ("log.level", "severity"),
    ("appname", "program"),
    ("app-name", "program"),
    ("app_name", "program"),
    ("procid", "pid"),
    ("identifier", "program"),
    ("msg", "message"),
    ("sev", "severity"),
];

/// Names shorter than this are near to too many others for a suggestion.
const SUGGEST_LEN_MIN: usize = 4;

/// The target of one of Logwood's own names, in any ASCII case.
pub(crate) fn target(name: &str) -> Option<Target> {
    NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, target)| target.clone())
}

/// Every name of a part of the record that a query knows, for completion and for documents.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// The canonical name of a target; `None` for [`Target::Text`] and [`Target::Named`].
pub(crate) fn name(target: &Target) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(_, named)| named == target)
        .map(|(known, _)| *known)
}

/// Our name of a field that other programs give this name.
pub(crate) fn other_name(name: &str) -> Option<&'static str> {
    let named = OTHER_NAMES
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name));
    named.map(|(_, ours)| *ours)
}

/// Which of Logwood's own names a name may have been meant as.
pub fn suggestion(name: &str) -> Option<&'static str> {
    if let Some(ours) = other_name(name) {
        return Some(ours);
    }
    let name = name.to_ascii_lowercase();
    if name.len() < SUGGEST_LEN_MIN {
        return None;
    }
    nearest(&name, field_names().chain([PAIR]))
}

/// The candidate that a word was likely meant as: one slip of the finger away, two in long words.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let slips_max = if word.len() < 6 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|candidate| (slips(word, candidate), candidate))
        .filter(|(slips, _)| (1..=slips_max).contains(slips))
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// How many slips of the finger lie between two words: a letter more, less, changed, or two
/// neighbours swapped (optimal string alignment distance). Counts bytes: the candidates are ASCII.
fn slips(one: &str, two: &str) -> usize {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one.len().abs_diff(two.len()) > 2 {
        return usize::MAX;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in two.iter().enumerate() {
            let changed = last[j] + usize::from(a != b);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == two[j - 1] && one[i - 1] == *b {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_recognised() {
        for (typed, meant) in [
            ("sevrity", Some("severity")),
            ("Severty", Some("severity")),
            ("hots", Some("host")),
            ("progam", Some("program")),
            ("facilty", Some("facility")),
            ("nvpiar", Some("nvpair")),
            ("hostname", Some("host")),
            ("user", None),
            ("id", None),
            ("event_id", None),
        ] {
            assert_eq!(suggestion(typed), meant, "{typed}");
        }
    }

    #[test]
    fn slips_are_counted() {
        for (one, two, count) in [
            ("", "", 0),
            ("ab", "ba", 1),
            ("abc", "abc", 0),
            ("abc", "adc", 1),
            ("abc", "abcd", 1),
            ("ca", "abc", 3),
        ] {
            assert_eq!(slips(one, two), count, "{one} {two}");
        }
    }

    #[test]
    fn every_target_with_a_name_is_found_by_it() {
        for (known, target_of_name) in &NAMES {
            assert_eq!(target(known).as_ref(), Some(target_of_name));
            let canonical = name(target_of_name).expect("it has one");
            assert_eq!(target(canonical).as_ref(), Some(target_of_name));
        }
        assert_eq!(name(&Target::Severity), Some("severity"));
        assert_eq!(name(&Target::Peer), Some("peer"));
    }
}
