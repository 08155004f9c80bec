//! Records of answers, remembered: a page that is refreshed shows nearly all of them again, and where they are far from
//! each other each takes a dozen pages of columns to put together.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use model::RecordBatch;
use quick_cache::sync::Cache;

use super::SegmentHandle;
use crate::error::ReadError;
use crate::limits::KEPT_RECORDS_MAX;

/// Records by the segment and the rows they were asked for by.
pub(super) type RecordCache = Cache<RecordKey, Arc<KeptRecords>, RecordWeight>;

/// Which rows of which segment, by a number made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RecordKey {
    segment: u64,
    rows: u64,
}

/// The records of some rows.
#[derive(Debug)]
pub(super) struct KeptRecords {
    /// The rows, each with its ordinal.
    rows: Box<[(u32, u32)]>,
    records: Arc<RecordBatch>,
}

/// Weighs records by the memory they take.
#[derive(Clone)]
pub(super) struct RecordWeight;

impl quick_cache::Weighter<RecordKey, Arc<KeptRecords>> for RecordWeight {
    fn weight(&self, _: &RecordKey, kept: &Arc<KeptRecords>) -> u64 {
        // Names of sources and tags are some more, as is the entry.
        (size_of_val(&*kept.rows) + kept.records.memory_bytes()) as u64 + 512
    }
}

/// A cache of so many bytes.
pub(super) fn cache(bytes: u64) -> RecordCache {
    // What a segment has of a screen takes some 4 KiB; this sizes the table.
    let count = usize::try_from(bytes / (4 * 1024)).unwrap_or(usize::MAX);
    Cache::with_weighter(count.max(16), bytes, RecordWeight)
}

impl SegmentHandle {
    /// The records of some rows of a chunk, each given with its ordinal, in the order given; few of them are remembered.
    ///
    /// # Errors
    /// As [`Self::records`].
    pub fn kept_records(
        &self,
        chunk: usize,
        rows: &[(u32, u32)],
    ) -> Result<Arc<RecordBatch>, ReadError> {
        if rows.len() > KEPT_RECORDS_MAX {
            return self.records_at_ordinals(chunk, rows).map(Arc::new);
        }
        let key = self.record_key(rows);
        // Other rows may have the same number.
        if let Some(kept) = self.cache.records.get(&key)
            && *kept.rows == *rows
        {
            return Ok(Arc::clone(&kept.records));
        }
        let records = Arc::new(self.records_at_ordinals(chunk, rows)?);
        let kept = KeptRecords {
            rows: rows.into(),
            records: Arc::clone(&records),
        };
        self.cache.records.insert(key, Arc::new(kept));
        Ok(records)
    }

    fn record_key(&self, rows: &[(u32, u32)]) -> RecordKey {
        let mut hasher = DefaultHasher::new();
        rows.hash(&mut hasher);
        RecordKey {
            segment: self.uid,
            rows: hasher.finish(),
        }
    }
}
