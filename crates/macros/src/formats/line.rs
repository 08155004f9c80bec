//! Lines of RFC 3164 and RFC 5424. Parts of the header are made fit to be read back: bytes that would end
//! a word become `_`, what is too long is cut, and what is empty is `-`. The message is written as it is.

use crate::context::Scene;
use crate::dates::{Local, Stamp};
use crate::output::Output;
use crate::values;

/// Longest parts of a header (RFC 5424 section 6).
const HOST_BYTES_MAX: usize = 255;
const PROGRAM_BYTES_MAX: usize = 48;
const PID_BYTES_MAX: usize = 128;
const MSGID_BYTES_MAX: usize = 32;

/// Most digits of a fraction in RFC 5424 (section 6.2.3).
const FRACTION_DIGITS_MAX: u8 = 6;

/// `<PRI>Mmm dd hh:mm:ss HOST TAG: MSG`, the tag as it was written where it is known.
pub(super) fn rfc3164(scene: &Scene<'_>, out: &mut Output<'_>) {
    let view = scene.view;
    priority(scene, out);
    Local::of(Stamp::Sent, scene).write_bsd(scene.context.fraction_digits, out);
    out.byte(b' ');
    word(view.host, HOST_BYTES_MAX, out);
    out.byte(b' ');
    values::write_header(view, out);
    out.push(view.message);
}

/// `<PRI>1 TIMESTAMP HOST APP-NAME PROCID MSGID SD MSG`.
pub(super) fn rfc5424(scene: &Scene<'_>, out: &mut Output<'_>) {
    let view = scene.view;
    priority(scene, out);
    out.push(b"1 ");
    let digits = match view.time.nanos().rem_euclid(1_000_000_000) {
        0 => scene.context.fraction_digits,
        _ => FRACTION_DIGITS_MAX,
    };
    let local = Local::of(Stamp::Sent, scene);
    local.write_iso(digits.min(FRACTION_DIGITS_MAX), true, out);
    for (part, bytes_max) in [
        (view.host, HOST_BYTES_MAX),
        (view.program, PROGRAM_BYTES_MAX),
        (view.pid, PID_BYTES_MAX),
        (view.msgid, MSGID_BYTES_MAX),
    ] {
        out.byte(b' ');
        word(part, bytes_max, out);
    }
    out.byte(b' ');
    let start = out.len();
    values::write_structured_data(view, out);
    if out.len() == start {
        out.byte(b'-');
    }
    if !view.message.is_empty() {
        out.byte(b' ');
        out.push(view.message);
    }
}

fn priority(scene: &Scene<'_>, out: &mut Output<'_>) {
    out.byte(b'<');
    out.decimal(u64::from(scene.view.priority.number()));
    out.byte(b'>');
}

/// A word of printable ASCII.
fn word(part: &[u8], bytes_max: usize, out: &mut Output<'_>) {
    if part.is_empty() {
        out.byte(b'-');
        return;
    }
    let start = out.len();
    out.push(part.get(..bytes_max).unwrap_or(part));
    for byte in out.since_mut(start) {
        if !byte.is_ascii_graphic() {
            *byte = b'_';
        }
    }
}
