//! Messages of one source into batches.

use std::net::IpAddr;

use model::limits::BATCH_BYTES_MAX;
use model::{BatchFull, RecordBatch, RecordHead, RecordParts, Timestamp};
use syslog::{Context, Parser};

use crate::sink::Gathered;

/// Parses messages and gathers them. Keeps its vectors, so that a message allocates nothing.
pub(crate) struct Assembler {
    parser: Parser,
    source_name: Box<str>,
    parts: RecordParts,
    batch: RecordBatch,
    source: u16,
    raw_bytes: u64,
}

impl Assembler {
    pub(crate) fn new(parser: Parser, source_name: &str) -> Self {
        let (batch, source) = empty_batch(source_name);
        Self {
            parser,
            source_name: source_name.into(),
            parts: RecordParts::default(),
            batch,
            source,
            raw_bytes: 0,
        }
    }

    /// Adds a message; `tags` are what the framing has to say of it. On an error nothing is added
    /// and there is no room for it beside what is gathered.
    pub(crate) fn push(
        &mut self,
        raw: &[u8],
        tags: u64,
        received: Timestamp,
        peer: Option<IpAddr>,
    ) -> Result<(), BatchFull> {
        let context = Context { received, peer };
        self.parser.parse(raw, &context, &mut self.parts);
        self.parts.tags |= tags;
        self.batch
            .push(raw, &self.parts, received, peer, self.source)?;
        self.raw_bytes += raw.len() as u64;
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Memory of what is gathered, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.batch.memory_bytes()
    }

    /// Memory that a message of this length will take at least, in bytes.
    pub(crate) fn message_bytes(raw_len: usize) -> usize {
        raw_len.min(BATCH_BYTES_MAX) + size_of::<RecordHead>()
    }

    /// Takes what is gathered and starts afresh.
    pub(crate) fn take(&mut self) -> Gathered {
        let (batch, source) = empty_batch(&self.source_name);
        self.source = source;
        Gathered {
            batch: std::mem::replace(&mut self.batch, batch),
            raw_bytes: std::mem::take(&mut self.raw_bytes),
        }
    }
}

fn empty_batch(source_name: &str) -> (RecordBatch, u16) {
    let mut batch = RecordBatch::new();
    // The first source of a batch always fits; it has index 0.
    let source = batch.source_index(source_name).unwrap_or_default();
    (batch, source)
}
