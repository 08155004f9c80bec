//! The macros by name. Those of syslog-ng have its names; a record's parts also have the names that
//! queries give them, in small letters.

use crate::dates::{DatePart, Stamp};
use crate::nearest::nearest;

/// What stands for a part of a record, or for something known when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Macro {
    Facility,
    FacilityNumber,
    Severity,
    SeverityNumber,
    Priority,
    PriorityHex,
    BsdTag,
    Tags,
    Host,
    HostFrom,
    Program,
    Pid,
    MsgId,
    Message,
    Header,
    WrittenHeader,
    Raw,
    RawSize,
    StructuredData,
    Source,
    SourceAddress,
    Peer,
    IpProtocol,
    SequenceNumber,
    Id,
    Number,
    Logspace,
    OwnHost,
    Date(Stamp, DatePart),
}

/// Every macro that is no date.
const NAMES: [(&str, Macro); 50] = [
    ("FACILITY", Macro::Facility),
    ("FACILITY_NUM", Macro::FacilityNumber),
    ("SEVERITY", Macro::Severity),
    ("LEVEL", Macro::Severity),
    ("PRIORITY", Macro::Severity),
    ("SEVERITY_NUM", Macro::SeverityNumber),
    ("LEVEL_NUM", Macro::SeverityNumber),
    ("PRI", Macro::Priority),
    ("TAG", Macro::PriorityHex),
    ("BSDTAG", Macro::BsdTag),
    ("TAGS", Macro::Tags),
    ("HOST", Macro::Host),
    ("FULLHOST", Macro::Host),
    ("HOST_FROM", Macro::HostFrom),
    ("FULLHOST_FROM", Macro::HostFrom),
    ("PROGRAM", Macro::Program),
    ("PID", Macro::Pid),
    ("MSGID", Macro::MsgId),
    ("MSG", Macro::Message),
    ("MESSAGE", Macro::Message),
    ("MSGONLY", Macro::Message),
    ("MSGHDR", Macro::Header),
    ("LEGACY_MSGHDR", Macro::WrittenHeader),
    ("RAWMSG", Macro::Raw),
    ("RAWMSG_SIZE", Macro::RawSize),
    ("SDATA", Macro::StructuredData),
    ("SOURCE", Macro::Source),
    ("SOURCEIP", Macro::SourceAddress),
    ("PEERIP", Macro::SourceAddress),
    ("IP_PROTO", Macro::IpProtocol),
    ("SEQNUM", Macro::SequenceNumber),
    ("RCPTID", Macro::Number),
    ("ID", Macro::Id),
    ("LOGSPACE", Macro::Logspace),
    ("LOGHOST", Macro::OwnHost),
    ("facility", Macro::Facility),
    ("severity", Macro::Severity),
    ("host", Macro::Host),
    ("program", Macro::Program),
    ("pid", Macro::Pid),
    ("msgid", Macro::MsgId),
    ("message", Macro::Message),
    ("raw", Macro::Raw),
    ("structured_data", Macro::StructuredData),
    ("source", Macro::Source),
    ("peer", Macro::Peer),
    ("tags", Macro::Tags),
    ("id", Macro::Id),
    ("number", Macro::Number),
    ("logspace", Macro::Logspace),
];

/// Macros of syslog-ng that there are not, and what to do.
const UNSUPPORTED: [(&str, &str); 12] = [
    (
        "SOURCEPORT",
        "ports of senders are not kept; `${SOURCEIP}` is the address",
    ),
    (
        "PEERPORT",
        "ports of senders are not kept; `${SOURCEIP}` is the address",
    ),
    (
        "DESTIP",
        "the own address is not kept; `${SOURCE}` is the source with its address",
    ),
    (
        "DESTPORT",
        "the own port is not kept; `${SOURCE}` is the source with its address",
    ),
    (
        "PROTO",
        "give each transport a source of its own: `${SOURCE}` tells them apart",
    ),
    (
        "TRANSPORT",
        "give each transport a source of its own: `${SOURCE}` tells them apart",
    ),
    (
        "UNIQID",
        "`${ID}` names a record for ever: its logspace and number",
    ),
    ("HOSTID", "`${LOGHOST}` is this host"),
    ("RUNID", "`${ID}` names a record over restarts"),
    (
        "SYSUPTIME",
        "leave it out: it depends on when the server was started",
    ),
    ("CONTEXT_ID", "a template sees one record"),
    ("STAMP_TZ", "write `${TZOFFSET}`"),
];

/// The prefixes of dates.
const STAMPS: [(&str, Stamp); 5] = [
    ("", Stamp::Sent),
    ("S_", Stamp::Sent),
    ("R_", Stamp::Received),
    ("C_", Stamp::Current),
    ("P_", Stamp::Current),
];

/// The macro of a name.
pub(crate) fn find(name: &str) -> Option<Macro> {
    let fixed = NAMES.iter().find(|(known, _)| *known == name);
    if let Some((_, found)) = fixed {
        return Some(*found);
    }
    match name {
        "time" => return Some(Macro::Date(Stamp::Sent, DatePart::Rfc3339)),
        "received" => return Some(Macro::Date(Stamp::Received, DatePart::Rfc3339)),
        _ => {}
    }
    STAMPS.iter().find_map(|(prefix, stamp)| {
        let part = DatePart::find(name.strip_prefix(prefix)?)?;
        Some(Macro::Date(*stamp, part))
    })
}

/// What to do without a macro of syslog-ng that there is not.
pub(crate) fn unsupported(name: &str) -> Option<&'static str> {
    let found = UNSUPPORTED.iter().find(|(known, _)| *known == name);
    found.map(|(_, hint)| *hint)
}

/// The macro that a name in capitals was likely meant to be.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if !name.bytes().all(is_capital) {
        return None;
    }
    let known = NAMES.iter().map(|(known, _)| *known);
    let known = known.filter(|known| known.starts_with(|c: char| c.is_ascii_uppercase()));
    nearest(name, known.chain(DatePart::names()))
}

/// Every macro with its name, those with prefixes included, as `--scope everything` lists them.
pub(crate) fn all() -> impl Iterator<Item = (String, Macro)> {
    let fixed = NAMES.iter().take_while(|(name, _)| *name != "facility");
    let fixed = fixed.map(|(name, found)| ((*name).to_owned(), *found));
    let dates = STAMPS.iter().flat_map(|(prefix, stamp)| {
        DatePart::all()
            .map(move |(name, part)| (format!("{prefix}{name}"), Macro::Date(*stamp, part)))
    });
    fixed.chain(dates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, found) in all() {
            assert_eq!(find(&name), Some(found), "{name}");
            assert!(unsupported(&name).is_none(), "{name}");
            assert!(seen.insert(name));
        }
        assert_eq!(near("MESAGE"), Some("MESSAGE"));
        assert_eq!(near("ISODAT"), Some("ISODATE"));
        assert_eq!(near("mesage"), None);
        assert_eq!(near("USER"), None);
    }
}
