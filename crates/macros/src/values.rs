//! What macros stand for.

use std::net::IpAddr;

use model::FieldRef;

use crate::context::Scene;
use crate::dates::Local;
use crate::macro_name::Macro;
use crate::output::Output;
use crate::view::View;

/// Writes what a macro stands for; nothing where the record has no such part.
pub(crate) fn write(name: Macro, scene: &Scene<'_>, out: &mut Output<'_>) {
    let (view, context) = (scene.view, scene.context);
    if let Some(text) = text(name, view) {
        out.push(text);
        return;
    }
    let priority = view.priority;
    match name {
        Macro::Facility => out.push(priority.facility().name().as_bytes()),
        Macro::FacilityNumber => out.decimal(u64::from(priority.facility().number())),
        Macro::Severity => out.push(priority.severity().name().as_bytes()),
        Macro::SeverityNumber => out.decimal(u64::from(priority.severity().number())),
        Macro::Priority => out.decimal(u64::from(priority.number())),
        Macro::PriorityHex => {
            for digit in [priority.number() >> 4, priority.number() & 15] {
                out.byte(hex_digit(digit));
            }
        }
        Macro::BsdTag => {
            out.byte(b'0' + priority.severity().number());
            out.byte(b'A' + priority.facility().number());
        }
        Macro::Tags => write_tags(view, out),
        Macro::HostFrom | Macro::Peer => write_peer(view, out),
        Macro::SourceAddress if view.peer.is_none() => out.push(b"127.0.0.1"),
        Macro::SourceAddress => write_peer(view, out),
        Macro::IpProtocol => match view.peer {
            Some(IpAddr::V6(address)) if address.to_ipv4_mapped().is_none() => out.byte(b'6'),
            _ => out.byte(b'4'),
        },
        Macro::RawSize => out.decimal(view.raw.len() as u64),
        Macro::Header => write_header(view, out),
        Macro::StructuredData => write_structured_data(view, out),
        Macro::SequenceNumber if context.sequence > 0 => out.decimal(context.sequence),
        Macro::Number => write_number(view, out),
        Macro::Id if view.number.is_some() => {
            out.push(view.logspace.as_bytes());
            out.byte(b':');
            write_number(view, out);
        }
        Macro::OwnHost => out.push(context.own_host.as_bytes()),
        Macro::Date(stamp, part) => {
            Local::of(stamp, scene).write(part, context.fraction_digits, out);
        }
        _ => {}
    }
}

/// What stands somewhere as it is written.
pub(crate) fn text<'a>(name: Macro, view: &View<'a>) -> Option<&'a [u8]> {
    Some(match name {
        Macro::Host => view.host,
        Macro::Program => view.program,
        Macro::Pid => view.pid,
        Macro::MsgId => view.msgid,
        Macro::Message => view.message,
        Macro::Raw => view.raw,
        Macro::WrittenHeader => view.written_header(),
        Macro::Source => view.source.as_bytes(),
        Macro::Logspace => view.logspace.as_bytes(),
        _ => return None,
    })
}

pub(crate) fn write_peer(view: &View<'_>, out: &mut Output<'_>) {
    use std::io::Write;
    let mut text = [0_u8; 64];
    let Some(peer) = view.peer else {
        return;
    };
    let mut rest = &mut text[..];
    // An address takes at most 45 bytes.
    _ = write!(rest, "{peer}");
    let len = 64 - rest.len();
    out.push(text.get(..len).unwrap_or_default());
}

pub(crate) fn write_number(view: &View<'_>, out: &mut Output<'_>) {
    if let Some(number) = view.number {
        out.decimal(number.0);
    }
}

/// The tags with commas between.
fn write_tags(view: &View<'_>, out: &mut Output<'_>) {
    for (index, tag) in view.tags().enumerate() {
        if index > 0 {
            out.byte(b',');
        }
        out.push(tag.as_bytes());
    }
}

/// The header as it was written, or one made of program and process id.
pub(crate) fn write_header(view: &View<'_>, out: &mut Output<'_>) {
    let written = view.written_header();
    if !written.is_empty() {
        out.push(written);
    } else if !view.program.is_empty() {
        out.push(view.program);
        if !view.pid.is_empty() {
            out.byte(b'[');
            out.push(view.pid);
            out.byte(b']');
        }
        out.push(b": ");
    }
}

/// The structured data as it was written, or made of the fields that have a group.
pub(crate) fn write_structured_data(view: &View<'_>, out: &mut Output<'_>) {
    if !view.structured_data.is_empty() {
        out.push(view.structured_data);
        return;
    }
    let mut group: &[u8] = b"";
    for field in view.fields().filter(|field| !field.group.is_empty()) {
        if field.group != group {
            out.push(if group.is_empty() { b"[" } else { b"][" });
            write_name(field.group, out);
            group = field.group;
        }
        write_parameter(&field, out);
    }
    if !group.is_empty() {
        out.byte(b']');
    }
}

fn write_parameter(field: &FieldRef<'_>, out: &mut Output<'_>) {
    out.byte(b' ');
    write_name(field.name, out);
    out.push(b"=\"");
    for piece in field
        .value
        .split_inclusive(|byte| matches!(byte, b'"' | b'\\' | b']'))
    {
        let Some((last, rest)) = piece.split_last() else {
            continue;
        };
        out.push(rest);
        if matches!(last, b'"' | b'\\' | b']') {
            out.byte(b'\\');
        }
        out.byte(*last);
    }
    out.byte(b'"');
}

/// A name of structured data: what must not stand in one becomes `_` (RFC 5424 section 6.3.2).
fn write_name(name: &[u8], out: &mut Output<'_>) {
    for byte in name {
        let is_fit = byte.is_ascii_graphic() && !matches!(byte, b'=' | b'"' | b']');
        out.byte(if is_fit { *byte } else { b'_' });
    }
}

pub(crate) fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"
        .get(usize::from(value))
        .copied()
        .unwrap_or(b'0')
}
