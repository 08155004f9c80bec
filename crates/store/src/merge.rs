//! Which segments are merged, and merging them.
//!
//! Small segments cost every search a look into each of their lexicons. Consecutive ones of a day
//! are merged when enough of about the same size have come together, so that a record is written
//! anew a few times in its life and not once for every neighbour.

use crate::error::Error;
use crate::limits::{MERGE_FAN_IN, MERGE_FULL_FAN_IN, MERGE_ROWS_MAX};
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::publish::{self, Origin};
use crate::rewriting::{self, Input, Stop};
use crate::segment_handle::SegmentHandle;
use crate::store::{Shared, locked};

/// Merges some segments of a logspace where that is due; whether it was.
pub(crate) fn merge_some(shared: &Shared, logspace: &Logspace) -> Result<bool, Error> {
    let _alone = locked(&logspace.rewriting);
    let entries = match locked(&logspace.manifest).as_ref() {
        Some(manifest) => manifest.contents().entries.clone(),
        None => return Ok(false),
    };
    let bytes_max = shared.options.shares().merged;
    let now = shared.clock.now();
    let due = due(entries, now.day(), bytes_max, |entry| {
        let (state, path) = (logspace.state(), logspace.path(entry));
        state.is_mergeable(&path) && state.merge_pauses.is_over(&path, now)
    });
    if due.is_empty() {
        return Ok(false);
    }
    merge(shared, logspace, &due)?;
    Ok(true)
}

/// The segments to merge next into one of at most `bytes_max`, in order; none where nothing is due.
/// Segments that cannot be read stay as they are.
pub(crate) fn due(
    mut entries: Vec<Entry>,
    today: i64,
    bytes_max: u64,
    is_mergeable: impl Fn(&Entry) -> bool,
) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.first);
    let chains = entries.chunk_by(follows);
    for chain in chains {
        // A day that is over gets no more segments to wait for.
        let (fan_in, full_fan_in) = match chain.first() {
            Some(first) if first.day < today => (2, 2),
            _ => (MERGE_FAN_IN, MERGE_FULL_FAN_IN),
        };
        let mut start = 0;
        while let Some(rest) = chain.get(start..).filter(|rest| !rest.is_empty()) {
            let (run, is_full) = run(rest, bytes_max);
            let enough = if is_full { full_fan_in } else { fan_in };
            if run.len() >= enough && run.iter().all(&is_mergeable) {
                return run.to_vec();
            }
            start += 1;
        }
    }
    Vec::new()
}

/// Whether a segment goes on where another ends.
fn follows(entry: &Entry, next: &Entry) -> bool {
    next.first.0 == entry.first.0 + u64::from(entry.rows)
        && next.day == entry.day
        && next.is_imported == entry.is_imported
        && !next.is_archived
        && !entry.is_archived
        && next.first_received >= entry.last_received
}

/// The longest part from the start that may become one segment, in which none is larger than all
/// others together: it would be written again for little. Whether the next one is too much for it.
fn run(chain: &[Entry], bytes_max: u64) -> (&[Entry], bool) {
    let (mut bytes, mut rows, mut largest) = (0, 0, 0);
    let (mut len, mut is_full) = (0, false);
    for (index, entry) in chain.iter().enumerate() {
        bytes += entry.file_bytes;
        rows += u64::from(entry.rows);
        largest = largest.max(entry.file_bytes);
        is_full = bytes > bytes_max || rows > MERGE_ROWS_MAX;
        if is_full {
            break;
        }
        if 2 * largest <= bytes {
            len = index + 1;
        }
    }
    (chain.get(..len).unwrap_or(&[]), is_full)
}

fn merge(shared: &Shared, logspace: &Logspace, entries: &[Entry]) -> Result<(), Error> {
    let paths: Vec<_> = entries.iter().map(|entry| logspace.path(entry)).collect();
    let handles = logspace.state().handles(&paths);
    let segments: Vec<&SegmentHandle> = handles.iter().map(AsRef::as_ref).collect();
    let Some(first) = entries.first() else {
        return Ok(());
    };
    let generation = entries.iter().map(|entry| entry.generation).max();
    let origin = Origin {
        is_imported: first.is_imported,
        generation: generation.unwrap_or(0).saturating_add(1),
        replaced: entries.iter().map(Entry::id).collect(),
    };
    let place = (first.day, first.first);
    let written = publish::write(shared, logspace, place, &origin, |file| {
        let wait = || match shared.housekeeper.is_closed() {
            true => Err(Stop::Over),
            false => Ok(()),
        };
        let inputs = segments.iter().map(|segment| Input::new(segment, &wait));
        let inputs: Vec<_> = inputs.collect();
        let level = shared.options.compression_level;
        let merged = segment::merge(&inputs, level, &mut |piece| {
            file.push(piece).map_err(Stop::Write)
        });
        merged.map_err(|error| rewriting::failure(shared, logspace, &segments, error))
    })?;
    let merged = publish::name(shared, logspace, &[written], &origin)?;
    logspace.state().replace(&paths, merged);
    tracing::debug!(logspace = %logspace.name, segments = entries.len(), "merged");
    for path in &paths {
        shared.remove_segment(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{RecordNumber, Timestamp};

    const BYTES_MAX: u64 = 1_000;

    /// Segments of these sizes, one after the other, on day 10.
    fn chain(sizes: &[u64]) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut first = 1;
        for size in sizes {
            entries.push(Entry {
                first: RecordNumber(first),
                rows: 10,
                is_imported: false,
                is_archived: false,
                is_compacted: false,
                day: 10,
                file_bytes: *size,
                first_received: Timestamp::from_seconds(864_000 + first.cast_signed()),
                last_received: Timestamp::from_seconds(864_009 + first.cast_signed()),
                raw_bytes: 0,
                generation: 0,
            });
            first += 10;
        }
        entries
    }

    fn due_firsts(entries: Vec<Entry>, today: i64) -> Vec<u64> {
        let due = due(entries, today, BYTES_MAX, |_| true);
        due.iter().map(|entry| entry.first.0).collect()
    }

    #[test]
    fn segments_of_today_wait_until_enough_have_come() {
        assert_eq!(due_firsts(chain(&[5; 7]), 10), []);
        let eight = [1, 11, 21, 31, 41, 51, 61, 71];
        assert_eq!(due_firsts(chain(&[5; 8]), 10), eight);
        assert_eq!(due_firsts(chain(&[5; 2]), 11), [1, 11]);
        assert_eq!(due_firsts(chain(&[5]), 11), []);
    }

    #[test]
    fn a_large_segment_is_not_written_again_for_small_ones() {
        let small = [100, 5, 5, 5, 5, 5, 5, 5, 5];
        let behind = [11, 21, 31, 41, 51, 61, 71, 81];
        assert_eq!(due_firsts(chain(&small), 10), behind);
        assert_eq!(due_firsts(chain(&[100, 5]), 11), []);
        assert_eq!(due_firsts(chain(&[100, 50, 50]), 11), [1, 11, 21]);
    }

    #[test]
    fn fewer_are_enough_where_no_more_fit() {
        let quarter = BYTES_MAX / 4;
        assert_eq!(due_firsts(chain(&[quarter; 4]), 10), []);
        assert_eq!(due_firsts(chain(&[quarter; 5]), 10), [1, 11, 21, 31]);
        let third = BYTES_MAX / 3;
        assert_eq!(due_firsts(chain(&[third; 9]), 10), []);
    }

    #[test]
    fn nothing_grows_over_the_limits() {
        let half = BYTES_MAX / 2;
        assert_eq!(due_firsts(chain(&[half + 1, half + 1]), 11), []);
        assert_eq!(due_firsts(chain(&[half, half, half]), 11), [1, 11]);
    }

    #[test]
    fn only_what_goes_on_where_the_other_ends_is_merged() {
        let mut gap = chain(&[5, 5, 5]);
        gap.remove(1);
        assert_eq!(due_firsts(gap, 11), []);
        let mut imported = chain(&[5, 5]);
        imported[1].is_imported = true;
        assert_eq!(due_firsts(imported, 11), []);
        let mut earlier = chain(&[5, 5]);
        earlier[1].first_received = Timestamp::from_seconds(0);
        assert_eq!(due_firsts(earlier, 11), []);
        let mut other_day = chain(&[5, 5]);
        other_day[1].day = 11;
        assert_eq!(due_firsts(other_day, 12), []);
        let unreadable = due(chain(&[5, 5]), 11, BYTES_MAX, |entry| entry.first.0 == 1);
        assert!(unreadable.is_empty());
    }
}
