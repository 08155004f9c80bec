//! Bounds on what the wire may ask for, each with its reason.

/// Most digits of an octet count (RFC 6587 section 3.4.1), leading zeros included.
///
/// The same as syslog-ng. `loggen -R -P` writes nine, zeros in front.
pub const OCTET_COUNT_DIGITS_MAX: usize = 10;

/// Most digits of an octet count behind its leading zeros; checked before they are added up.
pub const OCTET_COUNT_SIGNIFICANT_MAX: usize = 8;

/// Largest octet count and RELP DATALEN that is believed, in bytes.
///
/// A message above the source's limit is cut, and the rest of its frame is skipped: a larger bound
/// would let one wrong count swallow that much of the stream.
pub const FRAME_BYTES_MAX: usize = model::limits::MESSAGE_BYTES_MAX;

/// Bytes beside the message that a framer needs in its buffer: an octet count, its space, a
/// terminator, and the priority behind it.
pub const FRAME_OVERHEAD_BYTES: usize =
    OCTET_COUNT_DIGITS_MAX + 1 + TERMINATOR_BYTES_MAX + PRIORITY_DIGITS_MAX + 2;

/// Most digits of a priority (RFC 5424 section 6.2.1).
pub const PRIORITY_DIGITS_MAX: usize = 3;

/// Longest terminator of a message: NUL, LF, NUL.
pub const TERMINATOR_BYTES_MAX: usize = 3;

/// Largest RELP transaction number; the next one is 1 again (RELP specification, "TXNR").
pub const RELP_TRANSACTION_MAX: u32 = 999_999_999;

/// Most digits of a RELP transaction number and of a RELP data length.
pub const RELP_DIGITS_MAX: usize = 9;

/// Longest RELP command, in letters.
pub const RELP_COMMAND_BYTES_MAX: usize = 32;

/// Bytes of the longest RELP header: number, command and length, a space behind each.
pub const RELP_HEADER_BYTES_MAX: usize = 2 * (RELP_DIGITS_MAX + 1) + RELP_COMMAND_BYTES_MAX + 1;

/// Longest HOSTNAME (RFC 5424 section 6), in bytes; a longer word is no host in an RFC 3164 header.
pub const HOST_BYTES_MAX: usize = 255;

/// Most marks in front of a time stamp of Cisco's that are read: each kind once, a second number, and a
/// colon.
pub const CISCO_MARKS_MAX: usize = 6;

/// Most digits of a fraction of a second in a file of a syslogd: rsyslog and syslog-ng write six at
/// most, container engines nine.
pub const FILE_FRACTION_DIGITS_MAX: usize = 6;

/// Longest APP-NAME (RFC 5424 section 6), in bytes; a longer word is none.
pub const PROGRAM_BYTES_MAX: usize = 48;

/// Longest PROCID (RFC 5424 section 6) that is written, in bytes.
pub const PID_BYTES_MAX: usize = 128;

/// Longest MSGID, SD-ID or PARAM-NAME (RFC 5424 section 6) that is written, in bytes.
pub const NAME_BYTES_MAX: usize = 32;

/// Memory that unpacking a zstd frame is taken to need where the frame does not say, in bytes: what
/// RFC 8878 section 3.1.1.1.2 asks of every decoder.
pub const ZSTD_WINDOW_BYTES_DEFAULT: u64 = 8 * 1024 * 1024;

/// Longest PROXY header of version 1, CR LF included (its specification, section 2.1).
pub const PROXY_V1_BYTES_MAX: usize = 107;

/// Longest PROXY header of version 2 that is read. Addresses take 232 bytes at most; the rest is
/// room for what proxies add, such as the subject of a certificate.
pub const PROXY_V2_BYTES_MAX: usize = 4 * 1024;
