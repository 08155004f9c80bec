//! When the rows of a segment were received.

use std::sync::Arc;

use model::Timestamp;
use segment::{ChunkEntry, ReceivedRows, ReceivedTimes};

use super::{Kind, Page, SegmentHandle};
use crate::error::ReadError;

/// Of more rows of a page than these on average, all times are taken at once.
const MANY_ROWS: usize = 256;

impl SegmentHandle {
    /// The times of receipt of a received page.
    pub fn received_page(&self, index: usize) -> Result<Arc<ReceivedTimes>, ReadError> {
        let entry = self.entry(&self.footer.received_pages, index)?;
        let page = self.page(Kind::Received, index, || {
            let times = ReceivedTimes::decode(entry, &self.read(entry)?);
            Ok(Page::Received(Arc::new(
                times.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Received(times) => Ok(times),
            _ => Err(self.out_of_range()),
        }
    }

    /// When a row was received.
    pub fn received(&self, row: u32) -> Result<Timestamp, ReadError> {
        let index = self.received_page_of(row);
        let entry = self.entry(&self.footer.received_pages, index)?;
        let within = row.checked_sub(entry.first_row);
        let times = self.received_page(index)?;
        let time = within.and_then(|within| times.get(within as usize));
        time.ok_or_else(|| self.out_of_range())
    }

    /// The first row received at or after a time; the number of rows where there is none.
    pub fn row_at(&self, time: Timestamp) -> Result<u32, ReadError> {
        if time <= self.first_received() {
            return Ok(0);
        }
        if time > self.last_received() {
            return Ok(self.rows());
        }
        let firsts = &self.footer.received_firsts;
        let earlier = firsts.partition_point(|first| *first < time);
        let page = earlier.saturating_sub(1);
        let entry = self.entry(&self.footer.received_pages, page)?;
        let times = self.received_page(page)?;
        let within = times.count_before(time);
        Ok(entry.first_row + u32::try_from(within).unwrap_or(u32::MAX))
    }

    /// The pages of times of receipt that have some rows of a chunk, counted from its first.
    pub(super) fn received_of(
        &self,
        chunk: &ChunkEntry,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<Vec<ReceivedRows>, ReadError> {
        let pages = &self.footer.received_pages;
        let of_chunk = {
            let first = chunk.page.first_row;
            first..first.saturating_add(chunk.page.rows)
        };
        let mut wanted: Vec<usize> = Vec::new();
        let (mut last, mut count) = (0..0, 0);
        for row in rows {
            count += 1;
            let row = row.saturating_add(of_chunk.start);
            if last.contains(&row) || !of_chunk.contains(&row) {
                continue;
            }
            let index = self.received_page_of(row);
            let entry = self.entry(pages, index)?;
            last = entry.first_row..entry.first_row.saturating_add(entry.rows);
            wanted.push(index);
        }
        wanted.sort_unstable();
        wanted.dedup();
        let are_many = count > wanted.len() * MANY_ROWS;
        let received = wanted.into_iter().map(|index| {
            let entry = self.entry(pages, index)?;
            let start = entry.first_row.max(of_chunk.start);
            let end = entry.first_row.saturating_add(entry.rows).min(of_chunk.end);
            Ok(ReceivedRows {
                rows: start - of_chunk.start..end.max(start) - of_chunk.start,
                times: match self.received_page(index)? {
                    times if are_many => Arc::new(times.unpacked()),
                    times => times,
                },
                from: (start - entry.first_row) as usize,
            })
        });
        received.collect()
    }

    /// The page with the time of a row.
    fn received_page_of(&self, row: u32) -> usize {
        let pages = &self.footer.received_pages;
        let behind = pages.partition_point(|page| page.first_row <= row);
        behind.saturating_sub(1)
    }
}
