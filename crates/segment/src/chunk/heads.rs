//! What is kept of the rows of a chunk beside their texts.
//!
//! It stands in a page of its own: who asks what is in a text needs the columns alone, and this takes
//! more than what says where they are. Times of receipt are elsewhere, in smaller pages, of which a
//! reader of a few rows has those of these rows.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use model::{RecordBatch, RecordHead, Timestamp};

use super::{ChunkEntry, RowMetadataPage};
use crate::Corrupt;
use crate::limits::CHUNK_ROWS_MAX;
use crate::page::open;
use crate::received::ReceivedTimes;
use crate::rows::LooseTables;
use crate::wire::Reader;

/// What the rows of a chunk refer to.
#[derive(Debug)]
pub struct ChunkLoose {
    rows: u32,
    /// How many of them a row metadata page has, but for the last one.
    page_rows: u32,
    tables: LooseTables,
}

/// Times, peers, sources and tags of rows of a chunk.
#[derive(Clone, Debug)]
pub struct ChunkHeads {
    own: Arc<ChunkLoose>,
    /// By their numbers; those that there are.
    pages: Vec<Option<Arc<RowMetadataPage>>>,
    received: Vec<ReceivedRows>,
}

/// Times of receipt of some consecutive rows of a chunk.
#[derive(Clone, Debug)]
pub struct ReceivedRows {
    /// The rows, counted from the first of the chunk.
    pub rows: Range<u32>,
    /// Their times stand among these.
    pub times: Arc<ReceivedTimes>,
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
        if rows as usize > CHUNK_ROWS_MAX {
            return Err(Corrupt::Invalid {
                what: "number of rows",
                value: u64::from(rows),
            });
        }
        let tables = LooseTables::decode(&mut reader, rows as usize)?;
        reader.finish()?;
        Ok(Self {
            rows,
            page_rows: entry.heads.first().map_or(rows, |page| page.rows).max(1),
            tables,
        })
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
    }
}

impl ChunkHeads {
    /// Reads a chunk page from its stored bytes. `received` holds the times of receipt of its rows; what
    /// row metadata pages have of them is added by [`Self::add_pages`].
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
            times: Arc::new(ReceivedTimes::of(received)),
            from: 0,
        };
        Ok(Self::new(own, vec![all]))
    }

    /// Those of rows whose times of receipt are given, in order; row metadata pages are added as in
    /// [`Self::decode`].
    pub fn new(own: Arc<ChunkLoose>, received: Vec<ReceivedRows>) -> Self {
        Self {
            own,
            pages: Vec::new(),
            received,
        }
    }

    /// Adds the row metadata pages that some rows need and that were not added. `page` gives one
    /// by its number.
    ///
    /// # Errors
    /// When a page cannot be had.
    pub fn add_pages<E>(
        &mut self,
        rows: impl IntoIterator<Item = u32>,
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<(), E> {
        for row in rows.into_iter().filter(|row| *row < self.own.rows) {
            let number = (row / self.own.page_rows) as usize;
            if number >= self.pages.len() {
                self.pages.resize(number + 1, None);
            }
            if let Some(place @ None) = self.pages.get_mut(number) {
                *place = Some(page(number)?);
            }
        }
        Ok(())
    }

    fn page(&self, number: usize) -> Option<&RowMetadataPage> {
        self.pages.get(number)?.as_deref()
    }

    /// When some rows say they were written.
    ///
    /// # Errors
    /// When the time of receipt of a row is not there.
    pub fn times(&self, rows: Range<u32>) -> Result<Vec<Timestamp>, Corrupt> {
        let times = rows.map(|row| {
            let head = self.get(row as usize).ok_or(Corrupt::Short {
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
        let (own, received) = (&self.own, self.received(row)?);
        let page_rows = own.page_rows as usize;
        let page = self.page(row / page_rows)?;
        page.loose.get(row % page_rows, received, &own.tables)
    }

    fn received(&self, row: usize) -> Option<Timestamp> {
        let part = self
            .received
            .iter()
            .find(|part| row < part.rows.end as usize)?;
        let behind = row.checked_sub(part.rows.start as usize)?;
        part.times.get(part.from + behind)
    }

    /// The names of the sources and tags, and no records.
    pub(crate) fn names(&self) -> &RecordBatch {
        &self.own.tables.names
    }

    /// All tags that rows have, as those names have them.
    pub(crate) fn tags(&self) -> u64 {
        self.own.tables.all_tags()
    }
}
