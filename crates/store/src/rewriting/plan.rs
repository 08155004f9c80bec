//! What is to be rewritten next, and why.
//!
//! Damage comes first: a segment that could not be opened, or whose index is damaged, is made anew.
//!
//! Small segments cost every search a look into each of their lexicons. Consecutive ones of a day
//! are merged when enough of about the same size have come together, so that a record is written
//! anew a few times in its life and not once for every neighbour. When their day is over, two are enough.
//!
//! What there is nothing left to merge with is compacted once, when its day is over.

use std::sync::Arc;

use model::Timestamp;
use segment::limits::SEGMENT_RECORD_BYTES_MAX;

use crate::limits::{
    MERGE_FAN_IN, MERGE_FULL_FAN_IN, MERGE_LARGEST, MERGE_LAST_LARGEST, MERGE_PENDING_SEGMENTS,
    MERGE_ROWS_MAX,
};
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::Damage;
use crate::store::{Shared, locked};

/// Segments to be written anew.
pub(crate) enum Job {
    /// It could not be opened, as its header or footer is damaged.
    Reopen(Entry),
    /// Readers have found its index damaged.
    Reindex(Entry, Damage),
    /// They are small.
    Merge(Vec<Entry>),
    /// Its day is over.
    Compact(Entry, Arc<SegmentHandle>),
}

/// Who rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// What makes searches faster or whole again.
    Housekeeper,
    /// What makes files smaller, as long as nobody wants anything else.
    Compactor,
}

/// What one of the threads is to do next in a logspace; `None` where nothing is due.
pub(crate) fn next(shared: &Shared, logspace: &Logspace, by: By) -> Option<Job> {
    match by {
        By::Housekeeper => next_damaged(shared, logspace).or_else(|| next_small(shared, logspace)),
        By::Compactor => next_old(shared, logspace),
    }
}

/// Each that could not be opened is tried once. What the journal still has is sealed anew, whole.
fn next_damaged(shared: &Shared, logspace: &Logspace) -> Option<Job> {
    let entries = entries(logspace)?;
    let now = shared.clock.now();
    let mut state = logspace.state();
    while let Some(entry) = state.unopened.pop() {
        if entries.contains(&entry) && !state.has_any(&entry.numbers()) {
            return Some(Job::Reopen(entry));
        }
    }
    let damaged = state.with_damaged_index().into_iter();
    let mut open = damaged.filter(|(path, _)| state.merge_pauses.is_over(path, now));
    open.find_map(|(path, damage)| {
        let entry = entries.iter().find(|entry| logspace.path(entry) == path)?;
        Some(Job::Reindex(*entry, damage))
    })
}

fn next_small(shared: &Shared, logspace: &Logspace) -> Option<Job> {
    if !may_merge(shared, logspace) {
        return None;
    }
    let room = Room::of(shared);
    let now = shared.clock.now();
    let is_mergeable = |entry: &Entry| {
        let (state, path) = (logspace.state(), logspace.path(entry));
        state.is_mergeable(&path) && state.merge_pauses.is_over(&path, now)
    };
    let lexicon = |entry: &Entry| logspace.state().lexicon_bytes(&logspace.path(entry));
    let due = due(entries(logspace)?, now.day(), &room, lexicon, is_mergeable);
    (!due.is_empty()).then_some(Job::Merge(due))
}

/// Receiving goes first, unless so many segments have come together that searches suffer.
fn may_merge(shared: &Shared, logspace: &Logspace) -> bool {
    let state = logspace.state();
    let (_, rows) = state.tail_size();
    let segments = state.segments.len();
    drop(state);
    let is_quiet = !shared.has_large_tails() && rows < shared.options.segment_rows;
    is_quiet || segments >= MERGE_PENDING_SEGMENTS
}

/// The segments that a logspace has.
fn entries(logspace: &Logspace) -> Option<Vec<Entry>> {
    let manifest = locked(&logspace.manifest);
    Some(manifest.as_ref()?.contents().entries.clone())
}

/// Newer days first: where there is more to do than can be done, the
/// older ones are the first to be deleted.
fn next_old(shared: &Shared, logspace: &Logspace) -> Option<Job> {
    if shared.options.compaction_level == 0 {
        return None;
    }
    let entries = entries(logspace)?;
    let now = shared.clock.now();
    let mut open: Vec<Entry> = entries
        .iter()
        .filter(|entry| entry.day < now.day() && !entry.is_compacted && !entry.is_archived)
        .filter(|entry| shared.has_room_for(entry.file_bytes))
        .copied()
        .collect();
    open.sort_by_key(|entry| (std::cmp::Reverse(entry.day), entry.first));
    let state = logspace.state();
    let tail_day = state.tail_start().map_or(i64::MAX, |(_, day)| day);
    let room_of_merged = Room::of(shared);
    // A pause ends, and what it is about may then be merged.
    let is_merged = |day: i64| {
        let of_day = entries.iter().filter(|entry| entry.day == day).copied();
        let is_mergeable = |entry: &Entry| state.is_mergeable(&logspace.path(entry));
        let lexicon = |entry: &Entry| state.lexicon_bytes(&logspace.path(entry));
        let of_day = of_day.collect();
        due(of_day, i64::MAX, &room_of_merged, lexicon, is_mergeable).is_empty()
    };
    open.into_iter().find_map(|entry| {
        let path = logspace.path(&entry);
        let is_ready = entry.day < tail_day
            && state.is_mergeable(&path)
            && state.compaction_pauses.is_over(&path, now)
            && is_merged(entry.day);
        let handle = is_ready.then(|| state.handles(&[path]).pop());
        Some(Job::Compact(entry, handle.flatten()?))
    })
}

/// Whether a segment that is to be archived is better compacted before. It does not wait for ever:
/// the archive may be what makes room.
pub(crate) fn is_awaited(shared: &Shared, entry: &Entry, due: Timestamp) -> bool {
    let patience = 86_400 * 1_000_000_000;
    shared.options.compaction_level > 0
        && !entry.is_compacted
        && shared.has_room_for(entry.file_bytes)
        && shared.clock.now() < due.plus_nanos(patience)
}

/// How large a merged segment may be.
struct Room {
    /// All of it, in bytes.
    bytes: u64,
    /// Its lexicon, in bytes.
    lexicon: u64,
}

impl Room {
    fn of(shared: &Shared) -> Self {
        let shares = shared.options.shares();
        Self {
            bytes: shares.merged,
            lexicon: shares.merged_lexicon,
        }
    }
}

/// The segments to merge next into one for which there is room, in order; none where nothing is due.
/// Segments that cannot be read stay as they are. `lexicon` says how many bytes that of a segment has; it is
/// asked where a segment might have more than there may be.
fn due(
    mut entries: Vec<Entry>,
    today: i64,
    room: &Room,
    lexicon: impl Fn(&Entry) -> u64,
    is_mergeable: impl Fn(&Entry) -> bool,
) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.first);
    let chains = entries.chunk_by(follows);
    for chain in chains {
        // A day that is over gets no more segments to wait for.
        let (fan_in, full_fan_in, largest) = match chain.first() {
            Some(first) if first.day < today => (2, 2, MERGE_LAST_LARGEST),
            _ => (MERGE_FAN_IN, MERGE_FULL_FAN_IN, MERGE_LARGEST),
        };
        let mut start = 0;
        while let Some(rest) = chain.get(start..).filter(|rest| !rest.is_empty()) {
            let enough = |is_full: bool| if is_full { full_fan_in } else { fan_in };
            let (mut own, mut is_full) = run(rest, room, largest, &lexicon);
            if own.len() >= enough(is_full)
                && let Some(end) = own.iter().position(|entry| !is_mergeable(entry))
            {
                let before = rest.get(..end).unwrap_or(&[]);
                (own, is_full) = run(before, room, largest, &lexicon);
            }
            if own.len() >= enough(is_full) {
                return own.to_vec();
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

/// The longest part from the start that may become one segment, in which none has more than a share of the
/// records' bytes, in percent: it would be written again for little. Those bytes stay what they are when a
/// segment is compacted, so that nothing becomes due by that. Whether the next one is too much for it.
fn run<'c>(
    chain: &'c [Entry],
    room: &Room,
    largest_percent: u64,
    lexicon: &impl Fn(&Entry) -> u64,
) -> (&'c [Entry], bool) {
    let (mut bytes, mut raw_bytes, mut rows, mut largest) = (0, 0, 0, 0);
    let (mut len, mut is_full) = (0, false);
    for (index, entry) in chain.iter().enumerate() {
        bytes += entry.file_bytes;
        raw_bytes += entry.raw_bytes;
        rows += u64::from(entry.rows);
        largest = largest.max(entry.raw_bytes);
        let own = chain.get(..=index).unwrap_or(&[]);
        is_full = bytes > room.bytes
            || rows > MERGE_ROWS_MAX
            || raw_bytes > SEGMENT_RECORD_BYTES_MAX
            || bytes > room.lexicon && own.iter().map(lexicon).sum::<u64>() > room.lexicon;
        if is_full {
            break;
        }
        if largest * 100 <= raw_bytes * largest_percent {
            len = index + 1;
        }
    }
    (chain.get(..len).unwrap_or(&[]), is_full)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{RecordNumber, Timestamp};

    const BYTES_MAX: u64 = 1_000;

    const ROOM: Room = Room {
        bytes: BYTES_MAX,
        lexicon: BYTES_MAX / 2,
    };

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
                raw_bytes: *size,
                generation: 0,
                fingerprint: 0,
            });
            first += 10;
        }
        entries
    }

    fn due_firsts(entries: Vec<Entry>, today: i64) -> Vec<u64> {
        let due = due(entries, today, &ROOM, |_| 0, |_| true);
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
    fn two_of_a_day_that_is_over_need_not_be_of_one_size() {
        for (sizes, is_due) in [([60, 40], true), ([40, 60], true), ([61, 39], false)] {
            assert_eq!(
                !due_firsts(chain(&sizes), 11).is_empty(),
                is_due,
                "{sizes:?}"
            );
        }
        let nearly = [101, 10, 10, 10, 10, 10, 10, 40];
        assert_eq!(due_firsts(chain(&nearly), 10), []);
        assert_eq!(
            due_firsts(chain(&nearly), 11),
            [1, 11, 21, 31, 41, 51, 61, 71]
        );
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
        // Half of each is lexicon, or more than that.
        let third = BYTES_MAX / 3;
        let with_lexicons = |percent: u64| {
            let lexicon = |entry: &Entry| entry.file_bytes * percent / 100;
            due(chain(&[third; 3]), 11, &ROOM, lexicon, |_| true).len()
        };
        assert_eq!([50, 70, 80].map(with_lexicons), [3, 2, 0]);
        let mut long = chain(&[5, 5, 5]);
        for entry in &mut long {
            entry.raw_bytes = SEGMENT_RECORD_BYTES_MAX / 2;
        }
        assert_eq!(due_firsts(long, 11), [1, 11]);
    }

    #[test]
    fn what_stays_as_it_is_parts_others() {
        let due_beside = |sizes: &[u64], kept: u64| {
            let is_mergeable = |entry: &Entry| entry.first.0 != kept;
            let due = due(chain(sizes), 11, &ROOM, |_| 0, is_mergeable);
            due.iter().map(|entry| entry.first.0).collect::<Vec<_>>()
        };
        assert_eq!(due_beside(&[5, 5, 5], 21), [1, 11]);
        assert_eq!(due_beside(&[5, 5, 5], 1), [11, 21]);
        assert_eq!(due_beside(&[5, 5, 5], 11), []);
        assert_eq!(
            due_beside(&[61, 39, 5], 21),
            [],
            "one is too large without the third"
        );
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
        let is_mergeable = |entry: &Entry| entry.first.0 == 1;
        let unreadable = due(chain(&[5, 5]), 11, &ROOM, |_| 0, is_mergeable);
        assert!(unreadable.is_empty());
    }
}
