//! Bodies in which records with the same labels stand together: those of Loki and OpenTelemetry.
//!
//! The piece of a record is its labels and its entry with a NUL between, which JSON never has.

use std::collections::HashMap;
use std::io::Write as _;

use model::{RecordRef, Severity};

use super::body::{Body, push_string};
use crate::render::Scene;
use crate::sink::Item;

/// Label of records that have none otherwise: Loki takes no stream without.
const LABEL: (&str, &str) = ("job", "logwood");

/// Appends the labels and the entry of a record.
pub(super) fn write_loki(
    body: &Body,
    item: Item<'_>,
    scene: &Scene,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let start = out.len();
    body.write_labels((item, None), scene, out)?;
    if out.get(start..) == Some(b"{}") {
        out.truncate(start);
        body.write_labels((item, Some(LABEL)), scene, out)?;
    }
    // Writing to memory does not fail.
    _ = write!(out, "\0[\"{}\",", item.record.time().nanos());
    push_rendered(body, item, scene, out)?;
    out.push(b']');
    Ok(())
}

/// Appends the streams of a push.
pub(super) fn push_loki<'a>(pieces: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"streams\":[");
    for (index, (labels, entries)) in grouped(pieces).iter().enumerate() {
        out.extend_from_slice(if index > 0 {
            b",{\"stream\":"
        } else {
            b"{\"stream\":"
        });
        out.extend_from_slice(labels);
        out.extend_from_slice(b",\"values\":[");
        push_list(entries, out);
        out.extend_from_slice(b"]}");
    }
    out.extend_from_slice(b"]}");
}

/// Appends the attributes of the resource of a record, and its entry.
pub(super) fn write_otlp(
    body: &Body,
    item: Item<'_>,
    scene: &Scene,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let mut value = Vec::new();
    let mut attributes = Attributes::begin(out);
    for (name, rendering) in &body.labels {
        value.clear();
        rendering.render(item, scene, &mut value)?;
        attributes.push(name, &value, out)?;
    }
    out.push(b']');
    let record = item.record;
    let (number, name) = severity(record.priority().severity());
    // Times before 1970 cannot be said.
    _ = write!(
        out,
        "\0{{\"timeUnixNano\":\"{}\",\"observedTimeUnixNano\":\"{}\",\"severityNumber\":{number},\
         \"severityText\":\"{name}\",\"body\":{{\"stringValue\":",
        record.time().nanos().max(0),
        record.received().nanos().max(0),
    );
    push_rendered(body, item, scene, out)?;
    out.extend_from_slice(b"},\"attributes\":");
    push_attributes(item, record, out)?;
    out.push(b'}');
    Ok(())
}

/// Appends the groups of an export of logs.
pub(super) fn push_otlp<'a>(pieces: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"resourceLogs\":[");
    for (index, (attributes, entries)) in grouped(pieces).iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"resource\":{\"attributes\":");
        out.extend_from_slice(attributes);
        out.extend_from_slice(
            b"},\"scopeLogs\":[{\"scope\":{\"name\":\"logwood\"},\"logRecords\":[",
        );
        push_list(entries, out);
        out.extend_from_slice(b"]}]}");
    }
    out.extend_from_slice(b"]}");
}

/// What is known of a record beside its text.
fn push_attributes(item: Item<'_>, record: RecordRef<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    let mut attributes = Attributes::begin(out);
    let id = format!("{}:{}", item.logspace, item.number.0);
    let facility = record.priority().facility().name();
    for (name, value) in [
        ("logwood.id", id.as_bytes()),
        ("syslog.facility", facility.as_bytes()),
        ("syslog.procid", record.pid()),
        ("syslog.msgid", record.msgid()),
    ] {
        attributes.push(name, value, out)?;
    }
    // An attribute has one value, and its name stands once.
    let mut seen = std::collections::HashSet::new();
    for field in record.fields() {
        let name = field.full_name();
        if seen.insert(name.clone()) {
            attributes.push(&name, field.value, out)?;
        }
    }
    out.push(b']');
    Ok(())
}

/// A list of attributes that is being written.
struct Attributes {
    start: usize,
}

impl Attributes {
    fn begin(out: &mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { start: out.len() }
    }

    /// Appends one that has a value.
    fn push(&mut self, name: &str, value: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        if value.is_empty() {
            return Ok(());
        }
        if out.len() > self.start {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"key\":");
        push_string(name.as_bytes(), out)?;
        out.extend_from_slice(b",\"value\":{\"stringValue\":");
        push_string(value, out)?;
        out.extend_from_slice(b"}}");
        Ok(())
    }
}

/// Number and text of a severity, as the data model of OpenTelemetry maps those of syslog.
fn severity(severity: Severity) -> (u8, &'static str) {
    let number = match severity.number() {
        0 => 21,
        1 => 19,
        2 => 18,
        3 => 17,
        4 => 13,
        5 => 10,
        6 => 9,
        _ => 5,
    };
    (number, severity.name())
}

fn push_rendered(
    body: &Body,
    item: Item<'_>,
    scene: &Scene,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let mut text = Vec::new();
    body.text.rendering().render(item, scene, &mut text)?;
    push_string(&text, out)
}

/// Entries by their labels, both in the order in which they come.
fn grouped<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<(&'a [u8], Vec<&'a [u8]>)> {
    let mut groups: Vec<(&[u8], Vec<&[u8]>)> = Vec::new();
    let mut places = HashMap::new();
    for piece in pieces {
        let mut halves = piece.splitn(2, |byte| *byte == 0);
        let (Some(labels), Some(entry)) = (halves.next(), halves.next()) else {
            continue;
        };
        let place = *places.entry(labels).or_insert_with(|| {
            groups.push((labels, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, entries)) = groups.get_mut(place) {
            entries.push(entry);
        }
    }
    groups
}

fn push_list(entries: &[&[u8]], out: &mut Vec<u8>) {
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(entry);
    }
}
