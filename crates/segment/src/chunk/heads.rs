//! What is kept of the rows of a chunk beside their texts.
//!
//! It stands in a page of its own: who asks what is in a text needs the columns alone, and this takes
//! more than what says where they are. Times of receipt are elsewhere, in smaller pages, of which a
//! reader of a few rows has those of these rows.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use model::{RecordBatch, RecordHead, Timestamp};

use super::ChunkEntry;
use crate::Corrupt;
use crate::page::open;
use crate::rows::{Loose, bare_head};
use crate::wire::Reader;

/// Times, peers, sources and tags of the rows of a chunk, but for their times of receipt.
#[derive(Debug)]
pub struct ChunkLoose {
    rows: u32,
    loose: Loose,
}

/// The same with times of receipt.
#[derive(Clone, Debug)]
pub struct ChunkHeads {
    own: Arc<ChunkLoose>,
    received: Vec<ReceivedRows>,
}

/// Times of receipt of some consecutive rows of a chunk.
#[derive(Clone, Debug)]
pub struct ReceivedRows {
    /// The rows, counted from the first of the chunk.
    pub rows: Range<u32>,
    /// Their times stand among these.
    pub times: Arc<Vec<Timestamp>>,
    /// Where the first of them does.
    pub from: usize,
}

impl ChunkLoose {
    /// Reads a chunk page from its stored bytes.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &ChunkEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("chunk page", &entry.page, stored)?;
        let mut reader = Reader::new("chunk page", &raw);
        let rows = entry.page.rows;
        if rows as usize > model::limits::BATCH_RECORDS_MAX {
            return Err(Corrupt::Invalid {
                what: "number of rows",
                value: u64::from(rows),
            });
        }
        let loose = Loose::decode(&mut reader, rows as usize)?;
        reader.finish()?;
        Ok(Self { rows, loose })
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.loose.memory_bytes()
    }
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
        if entry.page.rows as usize != received.len() {
            return Err(Corrupt::Invalid {
                what: "number of rows",
                value: received.len() as u64,
            });
        }
        let own = Arc::new(ChunkLoose::decode(entry, stored)?);
        let all = ReceivedRows {
            rows: 0..own.rows,
            times: Arc::new(received),
            from: 0,
        };
        Ok(Self::new(own, vec![all]))
    }

    /// Those of rows whose times of receipt are given, in order.
    pub fn new(own: Arc<ChunkLoose>, received: Vec<ReceivedRows>) -> Self {
        Self { own, received }
    }

    /// When the rows say they were written, all of them.
    ///
    /// # Errors
    /// When the time of receipt of a row is not there.
    pub fn times(&self) -> Result<Vec<Timestamp>, Corrupt> {
        let times = (0..self.own.rows as usize).map(|row| {
            let head = self.get(row).ok_or(Corrupt::Short {
                what: "received page",
            })?;
            Ok(head.time)
        });
        times.collect()
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

    /// What does not follow from the kind of a row.
    pub(super) fn get(&self, row: usize) -> Option<RecordHead> {
        let (received, loose) = (self.received(row)?, &self.own.loose);
        Some(RecordHead {
            time: loose.times.get(row, received)?,
            peer: loose.peers.get(row)?,
            source: loose.sources.get(row)?,
            tags: loose.tags.get(row)?,
            ..bare_head(received)
        })
    }

    fn received(&self, row: usize) -> Option<Timestamp> {
        let part = self
            .received
            .iter()
            .find(|part| row < part.rows.end as usize)?;
        let behind = row.checked_sub(part.rows.start as usize)?;
        part.times.get(part.from + behind).copied()
    }

    /// The names of the sources and tags, and no records.
    pub(super) fn names(&self) -> &RecordBatch {
        &self.own.loose.names
    }
}
