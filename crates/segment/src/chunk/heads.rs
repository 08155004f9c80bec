//! What is kept of the rows of a chunk beside their texts.
//!
//! It stands in a page of its own: who asks what is in a text needs the columns alone, and this takes
//! more than what says where they are.
#![deny(clippy::indexing_slicing)]

use model::{RecordBatch, RecordHead, Timestamp};

use super::ChunkEntry;
use crate::Corrupt;
use crate::page::open;
use crate::rows::{Loose, bare_head};
use crate::wire::Reader;

/// Times, peers, sources and tags of the rows of a chunk.
#[derive(Debug)]
pub struct ChunkHeads {
    received: Vec<Timestamp>,
    loose: Loose,
}

impl ChunkHeads {
    /// Reads a chunk page from its stored bytes. `received` holds the times of receipt of its rows.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(
        entry: &ChunkEntry,
        stored: &[u8],
        received: Vec<Timestamp>,
    ) -> Result<Self, Corrupt> {
        let raw = open("chunk page", &entry.page, stored)?;
        let mut reader = Reader::new("chunk page", &raw);
        if entry.page.rows as usize != received.len() {
            return Err(Corrupt::Invalid {
                what: "number of rows",
                value: received.len() as u64,
            });
        }
        let loose = Loose::decode(&mut reader, &received)?;
        reader.finish()?;
        Ok(Self { received, loose })
    }

    /// When the rows say they were written.
    pub fn times(&self) -> &[Timestamp] {
        &self.loose.times
    }

    /// Some rows as records without a text, in the order given.
    ///
    /// # Errors
    /// When there is no such row.
    pub fn records(&self, rows: impl IntoIterator<Item = u32>) -> Result<RecordBatch, Corrupt> {
        let heads = rows.into_iter().map(|row| {
            self.get(row as usize).ok_or(Corrupt::Invalid {
                what: "row of a chunk",
                value: u64::from(row),
            })
        });
        let heads: Vec<_> = heads.collect::<Result<_, Corrupt>>()?;
        let mut batch = self.names().clone();
        let count = heads.len() as u64;
        batch
            .set_records(heads, Vec::new(), Vec::new())
            .map_err(|_| Corrupt::Invalid {
                what: "number of rows",
                value: count,
            })?;
        Ok(batch)
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[Timestamp]>(&self.received) + self.loose.memory_bytes()
    }

    /// What does not follow from the kind of a row.
    pub(super) fn get(&self, row: usize) -> Option<RecordHead> {
        Some(RecordHead {
            time: *self.loose.times.get(row)?,
            peer: self.loose.peers.get(row)?,
            source: self.loose.sources.get(row)?,
            tags: self.loose.tags.get(row)?,
            ..bare_head(*self.received.get(row)?)
        })
    }

    /// The names of the sources and tags, and no records.
    pub(super) fn names(&self) -> &RecordBatch {
        &self.loose.names
    }
}
