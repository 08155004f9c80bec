//! Tags: short words on a record that say something the sender did not.

/// What the syslog parser has to say of a message. The value is the bit in a record's tag set.
///
/// Names follow syslog-ng's `syslog.*` tags where it has one for the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tag {
    /// No `<PRI>`; user.notice was assumed.
    MissingPri,
    /// A `<PRI>` that is no number from 0 to 191; user.notice was assumed.
    InvalidPri,
    /// No time stamp; the time of receipt stands in.
    MissingTimestamp,
    /// A time stamp with an impossible date or time; the time of receipt stands in.
    InvalidTimestamp,
    /// A host name with characters that no host name has; the peer's address stands in.
    InvalidHostname,
    /// Text behind the priority that is no RFC 3164 header; all of it is the message.
    Rfc3164MissingHeader,
    /// A version other than 1 behind the priority; read as RFC 3164.
    Rfc5424UnknownVersion,
    /// An RFC 5424 header with parts missing.
    Rfc5424MissingPart,
    /// Structured data that breaks RFC 5424 section 6.3; left in the message.
    InvalidStructuredData,
    /// More structured data parameters than are kept as fields.
    TooManyFields,
    /// An octet count stood in front of a message where none was expected; it was skipped.
    UnexpectedFraming,
    /// Longer than the source accepts; the end was cut off.
    Truncated,
    /// An octet count that is no number, is zero or is too large; read to the next line feed.
    InvalidOctetCount,
    /// The connection ended in the middle of a frame.
    IncompleteFrame,
    /// The message holds bytes that are not UTF-8.
    InvalidUtf8,
    /// The message is empty.
    Empty,
    /// Compressed, and could not be unpacked; kept as it came.
    InvalidCompression,
    /// It came in another encoding and is kept in UTF-8.
    Converted,
    /// A second header behind that of a relay; host, time and program are those of the second.
    InnerHeader,
    /// The host stood twice in front of the TAG; the second was skipped.
    RepeatedHost,
}

/// The names of the parser's tags, in the order of their bits.
pub const SYSLOG_TAG_NAMES: [&str; 20] = [
    "syslog.missing_pri",
    "syslog.invalid_pri",
    "syslog.missing_timestamp",
    "syslog.invalid_timestamp",
    "syslog.invalid_hostname",
    "syslog.rfc3164_missing_header",
    "syslog.rfc5424_unknown_version",
    "syslog.rfc5424_missing_part",
    "syslog.invalid_structured_data",
    "syslog.too_many_fields",
    "syslog.unexpected_framing",
    "syslog.truncated",
    "syslog.invalid_octet_count",
    "syslog.incomplete_frame",
    "syslog.invalid_utf8",
    "syslog.empty",
    "syslog.invalid_compression",
    "syslog.converted",
    "syslog.inner_header",
    "syslog.repeated_host",
];

impl Tag {
    /// The tag as a set of one.
    pub const fn bit(self) -> u64 {
        1 << self as u8
    }

    /// Its name: `syslog.missing_pri`.
    pub fn name(self) -> &'static str {
        SYSLOG_TAG_NAMES
            .get(self as usize)
            .copied()
            .unwrap_or("syslog.unknown")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_has_its_name() {
        assert_eq!(Tag::RepeatedHost as usize + 1, SYSLOG_TAG_NAMES.len());
        assert_eq!(Tag::MissingPri.name(), "syslog.missing_pri");
        assert_eq!(Tag::Empty.name(), "syslog.empty");
        assert_eq!(Tag::Converted.name(), "syslog.converted");
    }
}
