//! Makes syslog: lines of RFC 3164 and RFC 5424, structured data, octet-counted frames.
//!
//! Everything is appended to the caller's vector, without a format string. Header parts are made
//! fit to be read back: bytes that would end a word are written as `_`, an empty part as `-`, a
//! long one is cut at the RFC's limit. The message is written as it is; a line feed in it needs
//! octet counting.

#[cfg(test)]
mod tests;

use model::{Priority, Timestamp};

use crate::limits::{HOST_BYTES_MAX, NAME_BYTES_MAX, PID_BYTES_MAX, PROGRAM_BYTES_MAX};

/// What an RFC 3164 line says.
#[derive(Clone, Copy, Debug)]
pub struct Rfc3164<'a> {
    /// Facility and severity.
    pub priority: Priority,
    /// The time, as is: the line says neither year nor zone. Move it by the offset of the zone
    /// that the reader assumes.
    pub time: Timestamp,
    /// HOSTNAME; empty for none.
    pub host: &'a [u8],
    /// The program part of TAG; empty for no TAG.
    pub program: &'a [u8],
    /// The bracketed part of TAG; empty for none.
    pub pid: &'a [u8],
    /// CONTENT.
    pub message: &'a [u8],
}

/// What an RFC 5424 line says.
#[derive(Clone, Copy, Debug)]
pub struct Rfc5424<'a> {
    /// Facility and severity.
    pub priority: Priority,
    /// The time; written in UTC with microseconds, the most that the RFC allows.
    pub time: Option<Timestamp>,
    /// HOSTNAME; empty for none.
    pub host: &'a [u8],
    /// APP-NAME; empty for none.
    pub program: &'a [u8],
    /// PROCID; empty for none.
    pub pid: &'a [u8],
    /// MSGID; empty for none.
    pub msgid: &'a [u8],
    /// STRUCTURED-DATA, ready: made by [`sd_element`] or taken from a record; empty for none.
    pub structured_data: &'a [u8],
    /// Whether to put the byte order mark before the message, which says that it is UTF-8.
    pub has_bom: bool,
    /// MSG; with neither it nor the mark, the line ends behind the structured data.
    pub message: &'a [u8],
}

/// Appends `<PRI>Mmm dd hh:mm:ss HOST TAG: MSG`, without a line end.
pub fn rfc3164(line: &Rfc3164<'_>, out: &mut Vec<u8>) {
    priority(line.priority, out);
    stamp_bsd(line.time, out);
    out.push(b' ');
    word(line.host, HOST_BYTES_MAX, out);
    out.push(b' ');
    if !line.program.is_empty() {
        tag_word(line.program, PROGRAM_BYTES_MAX, out);
        if !line.pid.is_empty() {
            out.push(b'[');
            tag_word(line.pid, PID_BYTES_MAX, out);
            out.push(b']');
        }
        out.extend_from_slice(b": ");
    }
    out.extend_from_slice(line.message);
}

/// Appends `<PRI>1 TIMESTAMP HOST APP-NAME PROCID MSGID SD MSG`, without a line end.
pub fn rfc5424(line: &Rfc5424<'_>, out: &mut Vec<u8>) {
    priority(line.priority, out);
    out.extend_from_slice(b"1 ");
    match line.time {
        Some(time) => {
            stamp_iso(time, 6, out);
            out.push(b'Z');
        }
        None => out.push(b'-'),
    }
    for (part, bytes_max) in [
        (line.host, HOST_BYTES_MAX),
        (line.program, PROGRAM_BYTES_MAX),
        (line.pid, PID_BYTES_MAX),
        (line.msgid, NAME_BYTES_MAX),
    ] {
        out.push(b' ');
        word(part, bytes_max, out);
    }
    out.push(b' ');
    if line.structured_data.is_empty() {
        out.push(b'-');
    } else {
        out.extend_from_slice(line.structured_data);
    }
    if line.has_bom || !line.message.is_empty() {
        out.push(b' ');
        if line.has_bom {
            out.extend_from_slice(b"\xef\xbb\xbf");
        }
        out.extend_from_slice(line.message);
    }
}

/// Appends one element of structured data, `[id name="value"]`, values escaped (RFC 5424 section
/// 6.3). Elements stand one behind the other without a space.
pub fn sd_element<'a>(
    id: &[u8],
    parameters: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    out: &mut Vec<u8>,
) {
    out.push(b'[');
    sd_name(id, out);
    for (name, value) in parameters {
        out.push(b' ');
        sd_name(name, out);
        out.extend_from_slice(b"=\"");
        for byte in value {
            if matches!(byte, b'"' | b'\\' | b']') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.push(b'"');
    }
    out.push(b']');
}

/// Appends an octet-counted frame (RFC 6587 section 3.4.1): `LEN SP MSG`.
pub fn octet_counted(message: &[u8], out: &mut Vec<u8>) {
    decimal(message.len() as u64, out);
    out.push(b' ');
    out.extend_from_slice(message);
}

/// Appends `<PRI>`.
pub fn priority(priority: Priority, out: &mut Vec<u8>) {
    out.push(b'<');
    decimal(u64::from(priority.number()), out);
    out.push(b'>');
}

/// Appends `Mmm dd hh:mm:ss` in UTC, the day padded with a space (RFC 3164 section 4.1.2).
pub fn stamp_bsd(time: Timestamp, out: &mut Vec<u8>) {
    const MONTHS: [&[u8; 3]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let civil = time.to_civil();
    let month = MONTHS.get(usize::from(civil.month).wrapping_sub(1));
    out.extend_from_slice(month.copied().unwrap_or(b"Jan"));
    out.push(b' ');
    if civil.day < 10 {
        out.push(b' ');
    }
    decimal(u64::from(civil.day), out);
    out.push(b' ');
    clock(civil.hour, civil.minute, civil.second, out);
}

/// Appends `2026-11-21T18:47:27` in UTC with so many digits of fraction, 0 to 9 (RFC 5424 allows
/// 6), and no zone.
pub fn stamp_iso(time: Timestamp, fraction_digits: usize, out: &mut Vec<u8>) {
    let civil = time.to_civil();
    padded(u64::from(civil.year.unsigned_abs()), 4, out);
    out.push(b'-');
    padded(u64::from(civil.month), 2, out);
    out.push(b'-');
    padded(u64::from(civil.day), 2, out);
    out.push(b'T');
    clock(civil.hour, civil.minute, civil.second, out);
    if fraction_digits > 0 {
        out.push(b'.');
        let end = out.len() + fraction_digits.min(9);
        padded(u64::from(civil.nanosecond), 9, out);
        out.truncate(end);
    }
}

/// Appends a number in decimal.
pub fn decimal(number: u64, out: &mut Vec<u8>) {
    padded(number, 1, out);
}

/// Appends a number in decimal with at least `width` digits, zeros in front; at most 20.
pub fn padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut rest = number;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        if rest == 0 && used >= width {
            break;
        }
        // A remainder of ten fits.
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        used += 1;
    }
    let start = digits.len() - used.max(1);
    out.extend_from_slice(digits.get(start..).unwrap_or(&[]));
}

fn clock(hour: u8, minute: u8, second: u8, out: &mut Vec<u8>) {
    padded(u64::from(hour), 2, out);
    out.push(b':');
    padded(u64::from(minute), 2, out);
    out.push(b':');
    padded(u64::from(second), 2, out);
}

/// Appends a part of the header: what is not printable ASCII becomes `_`, nothing becomes `-`.
fn word(part: &[u8], bytes_max: usize, out: &mut Vec<u8>) {
    if part.is_empty() {
        out.push(b'-');
    }
    let kept = part.iter().take(bytes_max);
    out.extend(kept.map(|byte| replace_unless(byte.is_ascii_graphic(), *byte)));
}

/// Appends a part of a TAG, without what would end it.
fn tag_word(part: &[u8], bytes_max: usize, out: &mut Vec<u8>) {
    out.extend(part.iter().take(bytes_max).map(|byte| {
        let fits = byte.is_ascii_graphic() && !matches!(byte, b'[' | b']' | b':');
        replace_unless(fits, *byte)
    }));
}

/// Appends an SD-NAME.
fn sd_name(name: &[u8], out: &mut Vec<u8>) {
    if name.is_empty() {
        out.push(b'_');
    }
    out.extend(name.iter().take(NAME_BYTES_MAX).map(|byte| {
        let fits = byte.is_ascii_graphic() && !matches!(byte, b'=' | b']' | b'"');
        replace_unless(fits, *byte)
    }));
}

fn replace_unless(fits: bool, byte: u8) -> u8 {
    if fits { byte } else { b'_' }
}
