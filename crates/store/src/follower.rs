//! Reading on: the records of a logspace in the order of their numbers, a bounded piece at a time.
//!
//! A follower stands behind a number. It reads up to a watermark below which nothing changes any more, so that it
//! never passes a record which is seen later. Records come from the tail while they are there, and from segments
//! then. Numbers without a record were never given, or their records are gone: those are told as gaps.
//!
//! To read is not to confirm. Whoever has passed records on says so ([`Follower::confirm`]), and keeps the number
//! where it survives; from then on they need not stay for it.

use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use model::{Field, LogspaceName, RecordBatch, RecordHead, RecordNumber};

use crate::error::{Error, ReadError};
use crate::followers::{FollowOptions, Gap, GapReason, Until};
use crate::hole::Hole;
use crate::limits::{FOLLOWED_ROWS, FOLLOWED_TURNS_MAX, FOLLOWER_NAME_BYTES_MAX};
use crate::logspace::{Logspace, LogspaceState};
use crate::manifest::Entry;
use crate::recovery::open_segment;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::{Damage, TailChunk};
use crate::store::{Shared, Store, locked};

/// A reader of a logspace that goes on where it stopped. Its position keeps records from being deleted; dropping
/// it lets them go.
pub struct Follower {
    shared: Arc<Shared>,
    logspace: Arc<Logspace>,
    id: u64,
    until: Until,
    /// The last number that it has passed.
    after: RecordNumber,
    /// What could not be read a moment ago.
    failed: Option<Gap>,
}

/// What comes next.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Records that do not come, in front of those that do.
    pub gaps: Vec<Gap>,
    /// The number of the first record; the others follow, one by one.
    pub first: RecordNumber,
    /// The records.
    pub records: RecordBatch,
}

/// What became of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// There is something to read.
    Some,
    /// There is nothing so far.
    None,
    /// The store is closed.
    Closed,
}

impl Store {
    /// Follows a logspace. Where it is to keep records from being deleted, it begins before
    /// [`Store::set_retention`] is called for the first time: until then everything stays.
    ///
    /// # Errors
    /// When there is no such logspace, when the number to go on behind was never given, or when the store is open
    /// for reading only.
    pub fn follow(
        &self,
        logspace: &LogspaceName,
        options: FollowOptions,
    ) -> Result<Follower, Error> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let unknown = || Error::UnknownLogspace(logspace.clone());
        let found = self.shared.logspace(logspace).ok_or_else(unknown)?;
        let FollowOptions { after, until, .. } = options;
        let mut name = options.name;
        name.truncate(name.floor_char_boundary(FOLLOWER_NAME_BYTES_MAX));
        let mut state = found.state();
        if after.0 >= state.next {
            return Err(Error::NumberNotGiven {
                logspace: logspace.clone(),
                number: after,
            });
        }
        let id = state.followers.add(FollowOptions { name, ..options });
        drop(state);
        Ok(Follower {
            shared: Arc::clone(&self.shared),
            logspace: found,
            id,
            until,
            after,
            failed: None,
        })
    }
}

impl Follower {
    /// The last number that was read, or that no record has: where to go on.
    pub fn position(&self) -> RecordNumber {
        self.after
    }

    /// Records that can be read now.
    pub fn pending(&self) -> u64 {
        let state = self.logspace.state();
        state.records_between(self.after, self.end(&state))
    }

    /// Records that were deleted before they were confirmed, since it follows.
    pub fn missed(&self) -> u64 {
        self.logspace.state().followers.missed(self.id)
    }

    /// Says that records up to a number need not be kept any more.
    pub fn confirm(&self, number: RecordNumber) {
        self.logspace.state().followers.confirm(self.id, number);
    }

    /// Waits until there is something to read, at most for some time.
    pub fn wait(&self, timeout: Duration) -> News {
        let is_over = |state: &LogspaceState| {
            !matches!(self.place(state), Place::End) || self.shared.queue.is_closed()
        };
        let news = &self.logspace.news;
        let waited =
            news.wait_timeout_while(self.logspace.state(), timeout, |state| !is_over(state));
        let (state, _) = waited.unwrap_or_else(|error| error.into_inner());
        if !matches!(self.place(&state), Place::End) {
            return News::Some;
        }
        match self.shared.queue.is_closed() {
            true => News::Closed,
            false => News::None,
        }
    }

    /// The next records: so many at most, and about so many bytes of memory, but one at least. `None` where there
    /// is nothing for now.
    ///
    /// # Errors
    /// When the disk would not read them, or the archive is not there. It may later: the next call tries again.
    /// Who does not want to wait for that calls [`Follower::pass_over`].
    pub fn next(
        &mut self,
        records_max: usize,
        bytes_max: usize,
    ) -> Result<Option<Followed>, ReadError> {
        self.failed = None;
        let mut next = Piece {
            followed: Followed::default(),
            records_max: records_max.max(1),
            bytes_max,
            rows_max: FOLLOWED_ROWS,
        };
        for _ in 0..FOLLOWED_TURNS_MAX {
            match self.add(&mut next) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if next.is_empty() => return Err(error),
                // It is met again by the next call, in front.
                Err(_) => {
                    self.failed = None;
                    break;
                }
            }
        }
        Ok((!next.is_empty()).then_some(next.followed))
    }

    /// Passes over what [`Follower::next`] could not read a moment ago; what that was.
    pub fn pass_over(&mut self) -> Option<Gap> {
        let gap = self.failed.take()?;
        self.after = RecordNumber(gap.numbers.end - 1);
        Some(gap)
    }

    /// Where it stops for now.
    fn end(&self, state: &LogspaceState) -> u64 {
        match self.until {
            Until::Durable => state.durable_end(),
            Until::Visible => state.visible_end(),
        }
    }

    fn place(&self, state: &LogspaceState) -> Place {
        state.place(self.after.0 + 1, self.end(state))
    }

    /// Adds what stands at its place; whether there may be more.
    fn add(&mut self, next: &mut Piece) -> Result<bool, ReadError> {
        let place = self.place(&self.logspace.state());
        match place {
            Place::End => Ok(false),
            Place::Hole(_) if !next.followed.records.is_empty() => Ok(false),
            Place::Hole(_) => {
                let gaps = self.pass_hole()?;
                next.followed.gaps.extend(gaps);
                Ok(true)
            }
            Place::Tail(chunk, numbers) => {
                let start = (numbers.start - chunk.first.0) as usize;
                let end = start + (numbers.end - numbers.start) as usize;
                let taken = next.take(numbers.start, &chunk.batch, start..end);
                self.after.0 += taken as u64;
                Ok(taken > 0)
            }
            Place::Segment(segment, numbers) => self.add_rows(next, &segment, &numbers),
        }
    }

    /// Adds rows of a segment. Where some cannot be read, those beside them are read one by one.
    fn add_rows(
        &mut self,
        next: &mut Piece,
        segment: &SegmentHandle,
        numbers: &Range<u64>,
    ) -> Result<bool, ReadError> {
        let first = u32::try_from(numbers.start - segment.first_number().0).unwrap_or(u32::MAX);
        let chunk = segment.chunk_of_row(first);
        let left = u32::try_from(numbers.end - numbers.start).unwrap_or(u32::MAX);
        let end = first.saturating_add(left.min(next.rows(segment)));
        let rows = first..end.min(segment.chunk_rows(chunk).end);
        let gap = |reason, damage| Gap {
            numbers: numbers.start..numbers.start + rows.len() as u64,
            records: rows.len() as u64,
            reason,
            damage: Some(damage),
        };
        match segment.records(chunk, rows.clone()) {
            Ok(records) => {
                let taken = next.take(numbers.start, &records, 0..records.len());
                self.after.0 += taken as u64;
                Ok(taken > 0)
            }
            Err(ReadError::Damaged { .. }) if rows.len() > 1 => {
                next.rows_max = 1;
                Ok(true)
            }
            Err(ReadError::Damaged { .. }) if !next.followed.records.is_empty() => Ok(false),
            Err(ReadError::Damaged {
                path,
                offset,
                reason,
            }) => {
                let damage = Damage::new(&path, offset, reason);
                next.add_gap(gap(GapReason::Damaged, damage));
                self.after.0 += 1;
                Ok(true)
            }
            Err(error) => {
                let damage = Damage::new(segment.path(), 0, error.to_string());
                self.failed = Some(gap(GapReason::Damaged, damage));
                Err(error)
            }
        }
    }

    /// Passes numbers that no record has; which records they had.
    fn pass_hole(&mut self) -> Result<Vec<Gap>, ReadError> {
        let lost = self.lost();
        let logspace = Arc::clone(&self.logspace);
        // What is being made whole has no place for a moment, and must not be taken for unreadable.
        let is_unopened = {
            let manifest = locked(&logspace.manifest);
            let entries = manifest.iter().flat_map(|m| m.contents().entries.iter());
            let hole = self.hole().unwrap_or_default();
            { entries }.any(|entry| overlap(&entry.numbers(), &hole))
        };
        let _still = is_unopened.then(|| locked(&logspace.rewriting));
        let manifest = locked(&logspace.manifest);
        let (Some(mut numbers), Some(manifest)) = (self.hole(), manifest.as_ref()) else {
            return Ok(Vec::new());
        };
        let contents = manifest.contents();
        let unopened = contents.entries.iter();
        let unopened: Vec<&Entry> = unopened
            .filter(|entry| overlap(&entry.numbers(), &numbers))
            .collect();
        for entry in &unopened {
            match self.reopen(entry) {
                Reopened::Yes => return Ok(Vec::new()),
                Reopened::Never => {}
                Reopened::Later if entry.numbers().contains(&numbers.start) => {
                    return Err(self.fail_at(entry));
                }
                Reopened::Later => numbers.end = numbers.end.min(entry.first.0),
            }
        }
        let mut hole = Hole::new(numbers.clone());
        for (numbers, damage) in &lost {
            let records = numbers.end - numbers.start;
            hole.put(numbers, records, GapReason::Lost, Some(damage));
        }
        for entry in unopened {
            let damage = self.damage_of(entry);
            let records = u64::from(entry.rows);
            hole.put(&entry.numbers(), records, GapReason::Damaged, Some(&damage));
        }
        for gone in &contents.gone {
            let reason = match gone.is_damage {
                true => GapReason::Damaged,
                false => GapReason::Deleted,
            };
            hole.put(&gone.numbers, gone.records, reason, None);
        }
        self.after = RecordNumber(numbers.end - 1);
        Ok(hole.gaps())
    }

    /// The numbers at its place, where no record has them.
    fn hole(&self) -> Option<Range<u64>> {
        match self.place(&self.logspace.state()) {
            Place::Hole(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// Records that the store knows to be lost.
    fn lost(&self) -> Vec<(Range<u64>, Damage)> {
        let inventory = locked(&self.shared.inventory);
        let losses = inventory.losses.iter();
        let lost = losses.filter(|loss| loss.is_of(&self.logspace.name));
        lost.filter(|loss| !loss.numbers.is_empty())
            .map(|loss| (loss.numbers.clone(), loss.damage.clone()))
            .collect()
    }

    /// Tries once more to open a segment that could not be opened at the start: the disk may have refused it for
    /// a moment. Held are what lets no other put segments in its place, and the manifest.
    fn reopen(&self, entry: &Entry) -> Reopened {
        let path = self.logspace.path(entry);
        match open_segment(self.shared.disk.as_ref(), &path, entry, &self.shared.cache) {
            Ok(segment) => {
                let mut state = self.logspace.state();
                state.settle_damages(&path);
                state.add_segments(vec![Arc::new(segment)]);
                Reopened::Yes
            }
            Err(Error::Io { source, .. })
                if entry.is_archived || source.kind() != ErrorKind::NotFound =>
            {
                Reopened::Later
            }
            Err(_) => Reopened::Never,
        }
    }

    /// What is known of a segment that is not open.
    fn damage_of(&self, entry: &Entry) -> Damage {
        let path = self.logspace.path(entry);
        let known = Arc::clone(&self.logspace.state().damages);
        let found = known.iter().find(|damage| damage.path == path).cloned();
        found.unwrap_or_else(|| Damage::new(&path, 0, "the segment cannot be read"))
    }

    /// Notes that an archived segment cannot be read for now.
    fn fail_at(&mut self, entry: &Entry) -> ReadError {
        let damage = self.damage_of(entry);
        let numbers = self.after.0 + 1..entry.numbers().end;
        let error = ReadError::Io {
            path: damage.path.clone(),
            offset: damage.offset,
            reason: damage.what.clone(),
        };
        self.failed = Some(Gap {
            records: numbers.end - numbers.start,
            numbers,
            reason: GapReason::Damaged,
            damage: Some(damage),
        });
        error
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.logspace.state().followers.remove(self.id);
        // What it has kept may be due.
        self.shared.housekeeper.wake();
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower")
            .field("logspace", &self.logspace.name)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Whether a segment can be opened.
enum Reopened {
    Yes,
    /// Nothing tells that it is damaged.
    Later,
    Never,
}

/// What is read at once.
struct Piece {
    followed: Followed,
    records_max: usize,
    bytes_max: usize,
    /// Rows of a segment to decode next, at most.
    rows_max: u32,
}

impl Piece {
    fn is_empty(&self) -> bool {
        self.followed.records.is_empty() && self.followed.gaps.is_empty()
    }

    fn bytes_left(&self) -> usize {
        let bytes = self.followed.records.memory_bytes();
        self.bytes_max.saturating_sub(bytes)
    }

    /// How many rows of a segment are decoded next: as many as there is room for, as its records are on average.
    fn rows(&self, segment: &SegmentHandle) -> u32 {
        let each = segment.footer().raw_bytes / u64::from(segment.rows().max(1));
        let each = each as usize + size_of::<RecordHead>();
        let left = self.records_max - self.followed.records.len().min(self.records_max);
        let rows = (self.bytes_left() / each).min(left);
        u32::try_from(rows)
            .unwrap_or(u32::MAX)
            .clamp(1, self.rows_max)
    }

    /// Takes records of which the first has a number, as many as there is room for; how many.
    fn take(&mut self, number: u64, batch: &RecordBatch, range: Range<usize>) -> usize {
        let records = &mut self.followed.records;
        let left = self.records_max.saturating_sub(records.len());
        let mut bytes = records.memory_bytes();
        let heads = batch.heads().get(range.clone()).unwrap_or_default();
        let fitting = heads.iter().take(left).take_while(|head| {
            let own = head.raw_len as usize + head.extra_len as usize;
            let is_first = bytes == 0;
            bytes += own + size_of::<RecordHead>() + head.fields_len as usize * size_of::<Field>();
            is_first || bytes <= self.bytes_max
        });
        let end = range.start + fitting.count();
        if records.is_empty() {
            self.followed.first = RecordNumber(number);
        }
        records.append_range(batch, range.start..end)
    }

    /// Adds the gap of a record, to the one before where it is of the same page.
    fn add_gap(&mut self, gap: Gap) {
        match self.followed.gaps.last_mut() {
            Some(last)
                if last.numbers.end == gap.numbers.start
                    && last.reason == gap.reason
                    && last.damage == gap.damage =>
            {
                last.numbers.end = gap.numbers.end;
                last.records += gap.records;
            }
            _ => self.followed.gaps.push(gap),
        }
    }
}

/// What stands at a number.
enum Place {
    /// Nothing so far.
    End,
    /// No record up to the next one.
    Hole(Range<u64>),
    /// Records of the tail from there on.
    Tail(Arc<TailChunk>, Range<u64>),
    /// Rows of a segment from there on.
    Segment(Arc<SegmentHandle>, Range<u64>),
}

impl LogspaceState {
    /// What stands at a number, up to another one.
    fn place(&self, number: u64, end: u64) -> Place {
        if number >= end {
            return Place::End;
        }
        let mut next = end;
        let behind = self
            .segments
            .partition_point(|segment| segment.first_number().0 <= number);
        let before = behind.checked_sub(1).and_then(|at| self.segments.get(at));
        if let Some(segment) = before.filter(|segment| number < segment.record_numbers().end) {
            let numbers = number..segment.record_numbers().end.min(end);
            return Place::Segment(Arc::clone(segment), numbers);
        }
        if let Some(segment) = self.segments.get(behind) {
            next = next.min(segment.first_number().0);
        }
        let tail = self.tail_chunks();
        let behind = tail.partition_point(|chunk| chunk.first.0 <= number);
        let before = behind.checked_sub(1).and_then(|at| tail.get(at));
        if let Some(chunk) = before.filter(|chunk| number < chunk.end()) {
            return Place::Tail(Arc::clone(chunk), number..chunk.end().min(end));
        }
        if let Some(chunk) = tail.get(behind) {
            next = next.min(chunk.first.0);
        }
        // Numbers at the end that no record has may be given again after a power cut, so nobody passes them.
        match next < end {
            true => Place::Hole(number..next),
            false => Place::End,
        }
    }
}
