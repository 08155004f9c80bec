//! JSON objects of a record, without what the record does not have.

use std::cmp::Ordering;

use model::FieldRef;
use smallvec::SmallVec;

use crate::context::Scene;
use crate::dates::Local;
use crate::json::{self, Invalid};
use crate::output::Output;
use crate::values;
use crate::view::View;

/// The version of the schema whose names `ecs` uses.
const ECS_VERSION: &str = "8.17.0";

/// A JSON object with the names of the HTTP API.
pub(super) fn json(scene: &Scene<'_>, out: &mut Output<'_>) {
    let view = scene.view;
    out.byte(b'{');
    if view.number.is_some() {
        out.push(b"\"id\":\"");
        json::content(view.logspace.as_bytes(), Invalid::Replace, out);
        out.byte(b':');
        values::write_number(view, out);
        out.push(b"\",");
    }
    if !view.logspace.is_empty() {
        out.push(b"\"logspace\":");
        json::string(view.logspace.as_bytes(), Invalid::Replace, out);
        out.byte(b',');
    }
    out.push(b"\"received\":\"");
    Local::at(view.received, 0).write_iso(9, true, out);
    out.push(b"\",\"time\":\"");
    Local::at(view.time, 0).write_iso(9, true, out);
    out.byte(b'"');
    text(b",\"host\":", view.host, out);
    text(b",\"program\":", view.program, out);
    text(b",\"pid\":", view.pid, out);
    text(b",\"msgid\":", view.msgid, out);
    out.push(b",\"facility\":\"");
    out.push(view.priority.facility().name().as_bytes());
    out.push(b"\",\"severity\":\"");
    out.push(view.priority.severity().name().as_bytes());
    out.push(b"\",\"message\":");
    json::string(view.message, Invalid::Replace, out);
    text(b",\"source\":", view.source.as_bytes(), out);
    address(b",\"peer\":\"", view, out);
    tags(view, out);
    fields(b",\"fields\":{", view, out);
    out.byte(b'}');
}

/// A JSON object with the names of the Elastic Common Schema.
pub(super) fn ecs(scene: &Scene<'_>, out: &mut Output<'_>) {
    let view = scene.view;
    out.push(b"{\"@timestamp\":\"");
    Local::at(view.time, 0).write_iso(9, true, out);
    out.push(b"\",\"ecs\":{\"version\":\"");
    out.push(ECS_VERSION.as_bytes());
    out.push(b"\"},\"event\":{\"created\":\"");
    Local::at(view.received, 0).write_iso(9, true, out);
    out.byte(b'"');
    if view.number.is_some() {
        out.push(b",\"id\":\"");
        json::content(view.logspace.as_bytes(), Invalid::Replace, out);
        out.byte(b':');
        values::write_number(view, out);
        out.byte(b'"');
    }
    text(b",\"dataset\":", view.logspace.as_bytes(), out);
    out.push(b"},\"message\":");
    json::string(view.message, Invalid::Replace, out);
    object(b",\"host\":{\"name\":", view.host, out);
    if !view.program.is_empty() {
        object(b",\"service\":{\"name\":", view.program, out);
        out.push(b",\"process\":{\"name\":");
        json::string(view.program, Invalid::Replace, out);
        if let Some(pid) = process_number(view.pid) {
            out.push(b",\"pid\":");
            out.decimal(pid);
        }
        out.byte(b'}');
    }
    if view.peer.is_some() {
        address(b",\"source\":{\"ip\":\"", view, out);
        out.byte(b'}');
    }
    ecs_log(view, out);
    tags(view, out);
    out.byte(b'}');
}

/// The part `log` of the schema.
fn ecs_log(view: &View<'_>, out: &mut Output<'_>) {
    let (facility, severity) = (view.priority.facility(), view.priority.severity());
    out.push(b",\"log\":{\"level\":\"");
    out.push(severity.name().as_bytes());
    out.push(b"\",\"syslog\":{\"priority\":");
    out.decimal(u64::from(view.priority.number()));
    out.push(b",\"facility\":{\"code\":");
    out.decimal(u64::from(facility.number()));
    out.push(b",\"name\":\"");
    out.push(facility.name().as_bytes());
    out.push(b"\"},\"severity\":{\"code\":");
    out.decimal(u64::from(severity.number()));
    out.push(b",\"name\":\"");
    out.push(severity.name().as_bytes());
    out.push(b"\"}");
    text(b",\"hostname\":", view.host, out);
    text(b",\"appname\":", view.program, out);
    text(b",\"procid\":", view.pid, out);
    text(b",\"msgid\":", view.msgid, out);
    fields(b",\"structured_data\":{", view, out);
    out.push(b"}}");
}

/// A process id that is a number.
fn process_number(pid: &[u8]) -> Option<u64> {
    let text = str::from_utf8(pid).ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A member, where there is a value for it.
fn text(start: &[u8], value: &[u8], out: &mut Output<'_>) {
    if !value.is_empty() {
        out.push(start);
        json::string(value, Invalid::Replace, out);
    }
}

/// A member in an object of its own, where there is a value for it.
fn object(start: &[u8], value: &[u8], out: &mut Output<'_>) {
    if !value.is_empty() {
        text(start, value, out);
        out.byte(b'}');
    }
}

fn address(start: &[u8], view: &View<'_>, out: &mut Output<'_>) {
    if view.peer.is_some() {
        out.push(start);
        values::write_peer(view, out);
        out.byte(b'"');
    }
}

fn tags(view: &View<'_>, out: &mut Output<'_>) {
    let mut has_tags = false;
    for tag in view.tags() {
        out.push(if has_tags {
            b",".as_slice()
        } else {
            b",\"tags\":["
        });
        json::string(tag.as_bytes(), Invalid::Replace, out);
        has_tags = true;
    }
    if has_tags {
        out.byte(b']');
    }
}

/// The fields by full name, in the order of names; a name with several values has an array of them.
pub(crate) fn fields(start: &[u8], view: &View<'_>, out: &mut Output<'_>) {
    if view.field_spans.is_empty() {
        return;
    }
    let mut fields: SmallVec<[FieldRef<'_>; 32]> = view.fields().collect();
    // Most have them in order, and a stable sort sees that.
    fields.sort_by(order);
    out.push(start);
    let groups = fields.chunk_by(|left, right| order(left, right).is_eq());
    for (index, group) in groups.enumerate() {
        let Some(first) = group.first() else {
            continue;
        };
        out.push(if index > 0 { b",\"" } else { b"\"" });
        if !first.group.is_empty() {
            json::content(first.group, Invalid::Replace, out);
            out.byte(b'.');
        }
        json::content(first.name, Invalid::Replace, out);
        out.push(b"\":");
        if let [only] = group {
            json::string(only.value, Invalid::Replace, out);
            continue;
        }
        for (index, field) in group.iter().enumerate() {
            out.byte(if index > 0 { b',' } else { b'[' });
            json::string(field.value, Invalid::Replace, out);
        }
        out.byte(b']');
    }
    out.byte(b'}');
}

/// The order of full names.
fn order(left: &FieldRef<'_>, right: &FieldRef<'_>) -> Ordering {
    if left.group == right.group {
        return left.name.cmp(right.name);
    }
    full_name(left).cmp(full_name(right))
}

fn full_name<'f>(field: &FieldRef<'f>) -> impl Iterator<Item = &'f u8> + use<'f> {
    let dot: &[u8] = if field.group.is_empty() { b"" } else { b"." };
    field.group.iter().chain(dot).chain(field.name)
}
