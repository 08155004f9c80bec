//! What can be saved of a damaged segment: its rows where they can be read, in a new segment with
//! an index made anew.
//!
//! The rows of a segment are everything; its times of receipt and its index only help. A damaged page
//! of columns takes the rows of some kinds with it, here and there in a chunk. The others keep their
//! numbers, so an empty record with the tag [`LOST_TAG`] stands in the place of each that is lost.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;

use model::{RecordBatch, RecordParts, Timestamp};

use crate::input::{self, OpenChunk};
use crate::limits::SEGMENT_ROWS_MAX;
use crate::{BuildError, BuildOptions, Builder, Built, ChunkEntry, Footer, decode_received_page};

use super::{Piece, RewriteError, RewriteInput, Rewritten, Sink, not_taken};

/// The tag of a record that stands in for one that is lost.
pub const LOST_TAG: &str = "store.lost";

/// The source of a record that stands in for one that is lost.
const LOST_SOURCE: &str = "";

/// Reads whatever rows of a segment can be read and builds segments of them, each of so many rows and those
/// that are read together at the most. The index of the segment is not looked at.
pub(super) fn salvage<I: RewriteInput>(
    input: &I,
    zstd_level: i32,
    rows_max: u32,
    sink: &mut Sink<'_, I::Error>,
) -> Result<Rewritten, RewriteError<I::Error>> {
    let footer: &Footer = input.footer();
    let (times, undated_rows) = read_times(input);
    let mut saved = Rewritten {
        undated_rows,
        ..Rewritten::default()
    };
    let kinds = input::kinds(input).unwrap_or_default();
    let mut builder = Builder::new(BuildOptions {
        first_number: footer.first_number,
        zstd_level,
    });
    let mut finish = |builder: &mut Builder, footers: &mut Vec<Footer>| {
        let Built { bytes, footer } = builder.finish()?;
        let taken = sink(Piece::Bytes(&bytes)).and_then(|()| sink(Piece::End(&footer)));
        footers.push(footer);
        taken.map_err(not_taken)
    };
    for entry in &footer.chunks {
        let rows = entry.page.first_row..entry.page.first_row.saturating_add(entry.page.rows);
        let times = times.get(rows.start as usize..rows.end as usize);
        let times = times.unwrap_or(&[]);
        let mut chunk = OpenChunk::new(input, entry, &kinds, times).ok();
        for rows in entry.windows() {
            let read = chunk
                .as_mut()
                .and_then(|chunk| chunk.records(rows.clone()).ok());
            match read {
                Some(batch) => builder.push(&batch)?,
                None => push_readable(
                    &mut chunk,
                    entry,
                    rows,
                    times,
                    &mut builder,
                    &mut saved.lost,
                )?,
            }
            if builder.rows() >= rows_max {
                finish(&mut builder, &mut saved.footers)?;
            }
        }
    }
    if builder.rows() > 0 {
        finish(&mut builder, &mut saved.footers)?;
    }
    Ok(saved)
}

/// Adds some records of a damaged chunk one by one, and stand-ins for those that cannot be read.
fn push_readable<I: RewriteInput>(
    chunk: &mut Option<OpenChunk<'_, I>>,
    entry: &ChunkEntry,
    rows: Range<u32>,
    times: &[Timestamp],
    builder: &mut Builder,
    lost: &mut Vec<Range<u32>>,
) -> Result<(), BuildError> {
    for row in rows {
        let read = chunk.as_mut().and_then(|chunk| chunk.records([row]).ok());
        if let Some(record) = read {
            builder.push(&record)?;
            continue;
        }
        let Some(time) = times.get(row as usize) else {
            continue;
        };
        builder.push(&stand_in(*time))?;
        let row = entry.page.first_row + row;
        match lost.last_mut() {
            Some(last) if last.end == row => last.end += 1,
            _ => lost.push(row..row + 1),
        }
    }
    Ok(())
}

/// An empty record.
fn stand_in(received: Timestamp) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let pushed = batch.source_index(LOST_SOURCE).and_then(|source| {
        let parts = RecordParts {
            time: received,
            tags: batch.tag_bit(LOST_TAG)?,
            ..RecordParts::default()
        };
        batch.push(b"", &parts, received, None, source)
    });
    debug_assert!(pushed.is_ok(), "an empty record fits into an empty batch");
    batch
}

/// The times of receipt of all rows, none before the one in front of it, and how many are made up.
fn read_times<I: RewriteInput>(input: &I) -> (Vec<Timestamp>, u32) {
    let footer = input.footer();
    let (mut times, mut undated_rows) = (Vec::new(), 0);
    let mut last = footer.first_received;
    for entry in &footer.received_pages {
        let stored = input.stored(entry).ok();
        let read = stored.and_then(|stored| decode_received_page(entry, &stored).ok());
        match read {
            Some(read) => times.extend(read.iter().map(|time| {
                last = last.max(*time);
                last
            })),
            None => {
                times.resize(times.len() + entry.rows as usize, last);
                undated_rows += entry.rows;
            }
        }
    }
    let rows = footer.rows.min(SEGMENT_ROWS_MAX) as usize;
    undated_rows += u32::try_from(rows.saturating_sub(times.len())).unwrap_or(0);
    times.resize(rows, last);
    (times, undated_rows)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
