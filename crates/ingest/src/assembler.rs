//! Messages of one source into batches.

use std::net::IpAddr;

use model::limits::BATCH_BYTES_MAX;
use model::{BatchFull, RecordBatch, RecordHead, RecordParts, Timestamp};
use syslog::{Context, Parser};

use crate::names::{LastName, Names};
use crate::sequence;
use crate::sink::Gathered;

/// Index of the only source in each batch.
const SOURCE: u16 = 0;

/// Parses messages and gathers them. Keeps its vectors, so that a message allocates nothing.
pub(crate) struct Assembler {
    parser: Parser,
    parts: RecordParts,
    /// Where the names of peers are found, if those are wanted.
    names: Option<(Names, LastName)>,
    /// Without records, with the source's name: its clones cost nothing.
    template: RecordBatch,
    batch: RecordBatch,
    raw_bytes: u64,
    /// Numbers of messages whose senders count them.
    numbers: Vec<(u64, u32)>,
    /// Records and bytes of the last batch, by which the next one makes room.
    last: (usize, usize),
}

/// A batch without records, with the name of their source at index 0.
pub(crate) fn template(source_name: &str) -> RecordBatch {
    let mut template = RecordBatch::new();
    // The first source always fits.
    _ = template.source_index(source_name);
    template
}

impl Assembler {
    /// An assembler of clones of a [`template`].
    pub(crate) fn new(parser: Parser, template: RecordBatch) -> Self {
        Self {
            parser,
            parts: RecordParts::default(),
            names: None,
            batch: template.clone(),
            template,
            raw_bytes: 0,
            numbers: Vec::new(),
            last: (0, 1),
        }
    }

    /// The same where peers have their names by DNS, as far as they are known.
    pub(crate) fn with_names(mut self, names: Option<Names>) -> Self {
        self.names = names.map(|names| (names, LastName::default()));
        self
    }

    /// Makes room for the messages of so many bytes from the wire, so that they are not moved
    /// while they gather; for no more than a share of the budget covers.
    pub(crate) fn expect(&mut self, bytes: usize, share: usize) {
        let (bytes, records) = expected(self.last, bytes, share);
        self.batch.reserve(bytes, records);
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
        let name = match (&mut self.names, peer) {
            (Some((names, last)), Some(peer)) => last.name(names, peer),
            _ => None,
        };
        self.parser
            .parse_named(raw, &context, name, &mut self.parts);
        self.parts.tags |= tags;
        self.batch.push(raw, &self.parts, received, peer, SOURCE)?;
        self.raw_bytes += raw.len() as u64;
        if !self.parts.fields.is_empty() {
            self.numbers
                .extend(sequence::number(raw, &self.parts, peer));
        }
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
        let batch = std::mem::replace(&mut self.batch, self.template.clone());
        self.last = (batch.len(), batch.bytes().len().max(1));
        Gathered {
            batch,
            raw_bytes: std::mem::take(&mut self.raw_bytes),
            numbers: std::mem::take(&mut self.numbers),
        }
    }
}

/// The bytes and records that so many bytes from the wire are, where the last batch had so many
/// records in so many bytes; together they take no more memory than a share of the budget. What
/// frames the messages counts as bytes of theirs: short ones would take many times the share.
fn expected(last: (usize, usize), bytes: usize, share: usize) -> (usize, usize) {
    let (records, of_bytes) = last;
    let bytes = bytes.min(share);
    let records = records * bytes / of_bytes;
    let covered = (share - bytes) / size_of::<RecordHead>();
    // A few more than the last time: one too few would move them all.
    (bytes, (records + records / 8 + 1).min(covered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{READ_BUDGET_BYTES, READ_BYTES};

    #[test]
    fn room_is_made_for_what_the_share_covers() {
        let memory = |(bytes, records): (usize, usize)| bytes + records * size_of::<RecordHead>();
        // Messages of 250 bytes find room, and some more.
        let (bytes, records) = expected((260, 65_000), READ_BYTES, READ_BUDGET_BYTES);
        assert!(bytes == READ_BYTES && records > 262 && records < 300);
        // Of three bytes each, of which frames take four times as much.
        for last in [(1_000, 3_000), (2_300, 2_300), (1, 1), (0, 1)] {
            for (bytes, share) in [
                (READ_BYTES, READ_BUDGET_BYTES),
                (READ_BYTES, READ_BYTES / 2),
                (20, 8 * 1024),
                (READ_BYTES, 1),
            ] {
                let expected = expected(last, bytes, share);
                assert!(memory(expected) <= share, "{last:?} {bytes} {share}");
            }
        }
    }
}
