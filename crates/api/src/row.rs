//! A record as JSON.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{RecordId, RecordRef};
use serde::{Deserialize, Serialize};

/// A record. Bytes that are not UTF-8 are shown as U+FFFD, except in `raw`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Structured data and other parsed values, by full name.
    pub fields: BTreeMap<String, FieldValue>,
    /// The bytes as they arrived, where they are UTF-8 and were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The bytes as they arrived, in base64, where they are not UTF-8 and were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_base64: Option<String>,
}

/// The value of a field, or its values where its name stands several times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
            fields: fields(record),
            raw: raw
                .and_then(|raw| std::str::from_utf8(raw).ok())
                .map(String::from),
            raw_base64: raw
                .filter(|raw| std::str::from_utf8(raw).is_err())
                .map(|raw| STANDARD.encode(raw)),
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

fn fields(record: RecordRef<'_>) -> BTreeMap<String, FieldValue> {
    let mut fields = BTreeMap::new();
    for field in record.fields() {
        let value = String::from_utf8_lossy(field.value).into_owned();
        fields
            .entry(field.full_name())
            .and_modify(|known: &mut FieldValue| known.add(value.clone()))
            .or_insert(FieldValue::One(value));
    }
    fields
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
    use model::{Field, RecordBatch, RecordParts, Span};

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
