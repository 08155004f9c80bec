//! ArcSight's Common Event Format: `CEF:0|Vendor|Product|Version|Class|Name|Severity|extension`.
//!
//! A message that is CEF already is written as it is: what its sender said of the event is more than what
//! a header of syslog has.

use crate::context::Scene;
use crate::output::Output;
use crate::values;

/// Longest name of an event, in bytes; the standard's limit for the field is 512.
const NAME_BYTES_MAX: usize = 512;

/// Appends a record in the format.
pub(super) fn write(scene: &Scene<'_>, out: &mut Output<'_>) {
    let view = scene.view;
    if view.message.starts_with(b"CEF:0|") || view.message.starts_with(b"CEF:1|") {
        out.push(view.message);
        return;
    }
    let program = if view.program.is_empty() {
        b"syslog"
    } else {
        view.program
    };
    let class = if view.msgid.is_empty() {
        program
    } else {
        view.msgid
    };
    let line = view
        .message
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let name = if line.is_empty() { program } else { cut(line) };
    out.push(b"CEF:0|Logwood|");
    header(program, out);
    out.push(b"|1|");
    header(class, out);
    out.byte(b'|');
    header(name, out);
    out.byte(b'|');
    // 10 is the worst here, and 7 the least bad in syslog.
    let severity = [10, 9, 8, 7, 5, 3, 2, 0];
    let severity = severity.get(usize::from(view.priority.severity().number()));
    out.decimal(*severity.unwrap_or(&0));
    out.push(b"|rt=");
    out.signed(view.time.nanos().div_euclid(1_000_000));
    extension(b" dvchost=", view.host, out);
    if view.peer.is_some() {
        out.push(b" dvc=");
        values::write_peer(view, out);
    }
    extension(
        b" dvcpid=",
        if is_number(view.pid) { view.pid } else { b"" },
        out,
    );
    extension(b" deviceProcessName=", view.program, out);
    out.push(b" deviceFacility=");
    out.push(view.priority.facility().name().as_bytes());
    if view.number.is_some() {
        out.push(b" externalId=");
        out.push(view.logspace.as_bytes());
        out.byte(b':');
        values::write_number(view, out);
    }
    extension(b" msg=", view.message, out);
}

fn is_number(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

/// The start of a text, cut between characters.
fn cut(text: &[u8]) -> &[u8] {
    let mut end = text.len().min(NAME_BYTES_MAX);
    let is_inside = |end: usize| text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80);
    while end > 0 && is_inside(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// A part of the header: `|` and `\` have a backslash in front, and there are no lines.
fn header(part: &[u8], out: &mut Output<'_>) {
    for chunk in part.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                b'|' | b'\\' => out.push(&[b'\\', byte]),
                0..b' ' | 0x7f => out.byte(b' '),
                _ => out.byte(byte),
            }
        }
        if !chunk.invalid().is_empty() {
            out.push("\u{fffd}".as_bytes());
        }
    }
}

/// A pair of the extension, where there is a value for it.
fn extension(name: &[u8], value: &[u8], out: &mut Output<'_>) {
    if value.is_empty() {
        return;
    }
    out.push(name);
    for chunk in value.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            extension_byte(byte, out);
        }
        if !chunk.invalid().is_empty() {
            out.push("\u{fffd}".as_bytes());
        }
    }
}

fn extension_byte(byte: u8, out: &mut Output<'_>) {
    match byte {
        b'=' | b'\\' => out.push(&[b'\\', byte]),
        b'\n' => out.push(b"\\n"),
        b'\r' => out.push(b"\\r"),
        0..b' ' | 0x7f => out.byte(b' '),
        _ => out.byte(byte),
    }
}

/// Escapes what was made from a place on as a value of the extension.
pub(crate) fn escape_extension(start: usize, out: &mut Output<'_>) {
    let is_odd = |byte: &u8| matches!(byte, b'=' | b'\\' | 0..b' ' | 0x7f..);
    if !out.since(start).iter().any(is_odd) {
        return;
    }
    let value = out.since(start).to_vec();
    out.truncate(start);
    extension(b"", &value, out);
}
