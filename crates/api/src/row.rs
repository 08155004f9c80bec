//! A record as JSON.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{RecordId, RecordRef, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text_fields::Detector;

/// A record. Bytes that are not UTF-8 are shown as U+FFFD, except in `raw`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// What it is called for ever: `main:42`.
    pub id: String,
    /// The logspace that holds it.
    pub logspace: String,
    /// When Logwood read it.
    pub received: String,
    /// When the sender says it happened.
    pub time: String,
    /// The host.
    pub host: String,
    /// The program.
    pub program: String,
    /// The process id.
    pub pid: String,
    /// The message id (RFC 5424 MSGID).
    pub msgid: String,
    /// The facility's name.
    pub facility: String,
    /// The severity's name.
    pub severity: String,
    /// The message.
    pub message: String,
    /// The source it came through.
    pub source: String,
    /// Address of the sender.
    pub peer: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Structured data by full name, and the fields in the text of the message. Where both have a name,
    /// the values of the structured data come first.
    pub fields: BTreeMap<String, FieldValue>,
    /// The names of those that stand in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_fields: Vec<String>,
    /// The bytes as they arrived, where they are UTF-8 and were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The bytes as they arrived, in base64, where they are not UTF-8 and were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_base64: Option<String>,
    /// Which parts stand in those bytes, and where, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PartPlace>,
}

/// Where a part of a record stands in the bytes that arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartPlace {
    /// The name of the part or field. That of a field stands as often as it has values, in order.
    pub part: String,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

/// The value of a field, or its values where its name stands several times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// The value.
    One(String),
    /// The values, in the order of the message.
    Many(Vec<String>),
}

impl Row {
    /// A record as JSON, with its bytes where `with_raw` says so.
    pub fn new(id: &RecordId, record: RecordRef<'_>, with_raw: bool) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let raw = with_raw.then(|| record.raw());
        let priority = record.priority();
        let (fields, text_fields) = fields(record);
        Self {
            id: id.to_string(),
            logspace: id.logspace.to_string(),
            received: record.received().to_string(),
            time: record.time().to_string(),
            host: text(record.host()),
            program: text(record.program()),
            pid: text(record.pid()),
            msgid: text(record.msgid()),
            facility: priority.facility().to_string(),
            severity: priority.severity().to_string(),
            message: text(record.message()),
            source: record.source().to_owned(),
            peer: record.peer().map(|peer| peer.to_string()),
            tags: record.tags().map(String::from).collect(),
            fields,
            text_fields,
            raw: raw
                .and_then(|raw| std::str::from_utf8(raw).ok())
                .map(String::from),
            raw_base64: raw
                .filter(|raw| std::str::from_utf8(raw).is_err())
                .map(|raw| STANDARD.encode(raw)),
            places: if with_raw { places(record) } else { Vec::new() },
        }
    }

    /// The bytes as they arrived; `None` where they were not asked for.
    pub fn raw_bytes(&self) -> Option<Vec<u8>> {
        match (&self.raw, &self.raw_base64) {
            (Some(raw), _) => Some(raw.clone().into_bytes()),
            (None, Some(encoded)) => STANDARD.decode(encoded).ok(),
            (None, None) => None,
        }
    }
}

/// The parts that stand in the message. The others came with the connection, were unescaped, or are
/// what the source was told.
fn places(record: RecordRef<'_>) -> Vec<PartPlace> {
    let head = record.head();
    let parts = [
        ("host", head.host),
        ("program", head.program),
        ("pid", head.pid),
        ("msgid", head.msgid),
        ("message", head.message),
    ];
    let parts = parts
        .into_iter()
        .map(|(name, span)| (name.to_owned(), span));
    let names = record.fields().map(|field| field.full_name());
    let values = record.field_spans().iter().map(|field| field.value);
    parts
        .chain(names.zip(values))
        .chain(text_places(record))
        .filter_map(|(part, span)| {
            let end = span.start.checked_add(span.len)?;
            let is_there = !span.is_empty() && end <= head.raw_len;
            is_there.then_some(PartPlace {
                part,
                start: span.start,
                end,
            })
        })
        .collect()
}

/// Where the values of the fields of the text stand, those that stand there as they are.
fn text_places(record: RecordRef<'_>) -> Vec<(String, Span)> {
    let (message, span) = (record.message(), record.head().message);
    let stored = stored(record);
    let mut places = Vec::new();
    let mut unescaped = BTreeSet::new();
    Detector::default().each(message, &mut |name, value| {
        if value.is_empty() || stored.contains(&(name.to_vec(), value.to_vec())) {
            return;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if message.as_ptr_range().contains(&value.as_ptr()) {
            let start = span.start as usize + (value.as_ptr().addr() - message.as_ptr().addr());
            places.push((name, Span::new(start, start + value.len())));
        } else {
            unescaped.insert(name);
        }
    });
    // The values of a name are told by their order.
    places.retain(|(name, _)| !unescaped.contains(name));
    places
}

/// The fields that a record has by itself. One that a step has parsed stands in the text as well, and is told
/// once.
fn stored(record: RecordRef<'_>) -> BTreeSet<(Vec<u8>, Vec<u8>)> {
    let fields = record.fields();
    fields
        .map(|field| (field.full_name().into_bytes(), field.value.to_vec()))
        .collect()
}

/// The fields, and the names of those that stand in the text.
fn fields(record: RecordRef<'_>) -> (BTreeMap<String, FieldValue>, Vec<String>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut fields = BTreeMap::new();
    let mut add = |name: String, value: String| {
        fields
            .entry(name)
            .and_modify(|known: &mut FieldValue| known.add(value.clone()))
            .or_insert(FieldValue::One(value));
    };
    for field in record.fields() {
        add(field.full_name(), text(field.value));
    }
    let stored = stored(record);
    let mut in_text = BTreeSet::new();
    Detector::default().each(record.message(), &mut |name, value| {
        if !value.is_empty() && !stored.contains(&(name.to_vec(), value.to_vec())) {
            add(text(name), text(value));
            in_text.insert(text(name));
        }
    });
    (fields, in_text.into_iter().collect())
}

impl FieldValue {
    fn add(&mut self, value: String) {
        match self {
            Self::Many(values) => values.push(value),
            Self::One(first) => *self = Self::Many(vec![std::mem::take(first), value]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Field, RecordBatch, RecordParts};

    #[test]
    fn a_field_that_is_stored_and_in_the_text_is_told_once() {
        let raw = b"a=1 b=2";
        let mut parts = RecordParts {
            message: Span::new(0, raw.len()),
            ..RecordParts::default()
        };
        parts.fields.push(Field {
            group: Span::default(),
            name: Span::new(0, 1),
            value: Span::new(2, 3),
        });
        let mut batch = RecordBatch::new();
        batch.push(raw, &parts, parts.time, None, 0).expect("room");
        let id = RecordId::parse("main:1").expect("valid");
        let row = Row::new(&id, batch.get(0).expect("one record"), true);
        assert_eq!(row.fields["a"], FieldValue::One("1".to_owned()));
        assert_eq!(row.text_fields, ["b"]);
        let of_a = row.places.iter().filter(|place| place.part == "a");
        assert_eq!(of_a.count(), 1);
    }

    #[test]
    fn fields_of_the_text_are_among_the_fields() {
        let raw = br#"a=1 {"b":"x","b":"y\n","c":{"d":2}} e="#;
        let mut batch = RecordBatch::new();
        let parts = RecordParts {
            message: Span::new(0, raw.len()),
            ..RecordParts::default()
        };
        batch.push(raw, &parts, parts.time, None, 0).expect("room");
        let id = RecordId::parse("main:1").expect("valid");
        let row = Row::new(&id, batch.get(0).expect("one record"), true);
        assert_eq!(row.text_fields, ["a", "b", "c.d"]);
        let one = |text: &str| FieldValue::One(text.to_owned());
        assert_eq!(
            (&row.fields["a"], &row.fields["c.d"]),
            (&one("1"), &one("2"))
        );
        let both = FieldValue::Many(vec!["x".to_owned(), "y\n".to_owned()]);
        assert_eq!(row.fields["b"], both);
        let places = row
            .places
            .iter()
            .map(|place| (&place.part[..], place.start));
        let places: Vec<_> = places.filter(|(part, _)| *part != "message").collect();
        assert_eq!(places, [("a", 2), ("c.d", 32)]);
    }

    #[test]
    fn places_are_those_of_parts_that_stand_in_the_message() {
        let raw = b"<13>web1 app: k=v";
        let mut batch = RecordBatch::new();
        let field = Field {
            group: Span::default(),
            name: Span::new(14, 15),
            value: Span::new(16, 17),
        };
        let parts = RecordParts {
            host: Span::new(4, 8),
            // An address that did not stand there.
            program: Span::new(raw.len(), raw.len() + 3),
            message: Span::new(14, 17),
            fields: vec![field],
            extra: b"::1".to_vec(),
            ..RecordParts::default()
        };
        batch.push(raw, &parts, parts.time, None, 0).expect("room");
        let id = RecordId::parse("main:1").expect("valid");
        let record = batch.get(0).expect("one record");
        let places = Row::new(&id, record, true).places;
        let told: Vec<_> = places
            .iter()
            .map(|place| (&place.part[..], place.start, place.end))
            .collect();
        // The field is structured data and stands in the text as well, with the same value.
        let k = ("k", 16, 17);
        assert_eq!(told, [("host", 4, 8), ("message", 14, 17), k]);
        assert!(Row::new(&id, record, false).places.is_empty());
    }

    #[test]
    fn raw_is_exact_whether_or_not_it_is_text() {
        for raw in [&b"<13>plain"[..], b"\xff\x00broken"] {
            let mut batch = RecordBatch::new();
            let span = Span::new(0, 1);
            let field = Field {
                group: Span::default(),
                name: span,
                value: span,
            };
            let parts = RecordParts {
                fields: vec![field, field],
                ..RecordParts::default()
            };
            batch.push(raw, &parts, parts.time, None, 0).expect("room");
            let id = RecordId::parse("main:1").expect("valid");
            let row = Row::new(&id, batch.get(0).expect("one record"), true);
            let json = serde_json::to_string(&row).expect("serialises");
            let back: Row = serde_json::from_str(&json).expect("parses");
            assert_eq!(back.raw_bytes().as_deref(), Some(raw));
            assert!(
                matches!(back.fields.values().next(), Some(FieldValue::Many(v)) if v.len() == 2)
            );
        }
    }
}
