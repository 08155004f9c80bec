//! Records that the other side refuses for good, as records of another logspace, with the reason.

use std::sync::Arc;
use std::sync::mpsc;

use model::limits::RECORD_FIELDS_MAX;
use model::{Field, LogspaceName, RecordBatch, RecordParts, Span};
use store::{AppendError, Durability, Store};

use crate::sink::{Batch, Failure, Item, Rejected};

/// The group of the fields that are added. The number is the one for examples (RFC 5612), as in what Logwood says
/// of itself.
const GROUP: &[u8] = b"logwood@32473";

/// The tag of such a record.
const TAG: &str = "rejected";

/// Where refused records go.
#[derive(Clone)]
pub(crate) struct DeadLetters {
    pub(crate) store: Arc<Store>,
    pub(crate) logspace: LogspaceName,
    pub(crate) destination: String,
}

impl DeadLetters {
    /// Keeps records; they are durable on return.
    pub(crate) fn keep(&self, batch: &Batch, rejected: &[Rejected]) -> Result<(), Failure> {
        let mut records = RecordBatch::new();
        for refused in rejected {
            let Some(item) = batch.get(refused.place) else {
                continue;
            };
            if self.push(&mut records, item, &refused.reason).is_err() {
                self.append(std::mem::take(&mut records))?;
                self.push(&mut records, item, &refused.reason)
                    .map_err(|full| Failure::new(full.to_string()))?;
            }
        }
        self.append(records)
    }

    /// Adds one as it is, with fields that say who refused it, why, and where it was.
    fn push(
        &self,
        records: &mut RecordBatch,
        item: Item<'_>,
        reason: &str,
    ) -> Result<(), model::BatchFull> {
        let record = item.record;
        let head = record.head();
        let raw = record.raw();
        let mut extra = record.bytes().get(raw.len()..).unwrap_or(&[]).to_vec();
        let mut fields = record.field_spans().to_vec();
        fields.truncate(RECORD_FIELDS_MAX - 3);
        let id = format!("{}:{}", item.logspace, item.number.0);
        let group = put(&mut extra, raw.len(), GROUP);
        let values = [
            ("destination", self.destination.as_str()),
            ("reason", reason),
            ("id", &id),
        ];
        for (name, value) in values {
            fields.push(Field {
                group,
                name: put(&mut extra, raw.len(), name.as_bytes()),
                value: put(&mut extra, raw.len(), value.as_bytes()),
            });
        }
        let source = records.source_index(record.source())?;
        // A batch that has no room for one more tag goes without.
        let mut tags = records.tag_bit(TAG).unwrap_or_default();
        for tag in record.tags() {
            tags |= records.tag_bit(tag)?;
        }
        let parts = RecordParts {
            time: head.time,
            priority: head.priority,
            host: head.host,
            program: head.program,
            pid: head.pid,
            msgid: head.msgid,
            structured_data: head.structured_data,
            message: head.message,
            tags,
            fields,
            extra,
        };
        records.push(raw, &parts, record.received(), record.peer(), source)
    }

    fn append(&self, records: RecordBatch) -> Result<(), Failure> {
        if records.is_empty() {
            return Ok(());
        }
        let (sender, receiver) = mpsc::channel();
        let told = Box::new(move |result| _ = sender.send(result));
        let Self {
            store, logspace, ..
        } = self;
        store.append(logspace, records, Durability::Strict, told);
        let kept = receiver.recv().unwrap_or(Err(AppendError::Closed));
        kept.map(|_| ()).map_err(|error| {
            Failure::new(format!(
                "refused records cannot be kept in {logspace}: {error}"
            ))
        })
    }
}

/// Puts a text behind the message; where it is.
fn put(extra: &mut Vec<u8>, raw_len: usize, text: &[u8]) -> Span {
    let start = raw_len + extra.len();
    extra.extend_from_slice(text);
    Span::new(start, start + text.len())
}
