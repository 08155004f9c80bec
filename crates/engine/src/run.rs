//! One question under way: the query in its two forms, the switch, and the account of it.

use std::ops::Range;
use std::sync::Arc;

use model::{RecordRef, TimeRange};
use query::{Matcher, Query};
use store::{Part, ReadError, SegmentHandle, Snapshot};

use crate::among::Among;
use crate::answer::{Completeness, Cost};
use crate::bounds::Bounds;
use crate::budget::Lease;
use crate::cancel::{Cancel, Stop};
use crate::check::Check;
use crate::count_by_index::count_by_index;
use crate::evaluate::{Node, evaluate};
use crate::limits::{REMEMBERED_FEW_BYTES_MAX, THREAD_BLOCKS, THREAD_BYTES};
use crate::memory::{CountedBy, Counts, Memory};
use crate::part::{
    Block, RowOrdinal, at_ordinals, block, ordinals_in_piece, ordinals_of, piece_around,
    rows_between,
};
use crate::plan::{Plan, WHOLE_LEXICON_COST};
use crate::row_set::RowSet;

/// A question under way.
pub(crate) struct Run<'a> {
    /// What the index is asked.
    pub(crate) plan: Plan,
    matcher: Matcher,
    /// Of each leaf.
    checks: Vec<Check>,
    cancel: &'a Cancel,
    memory: Memory,
    cost: Cost,
    completeness: Completeness,
    /// The segments that were looked into, and how many bytes had been read from each before.
    touched: Vec<(Arc<SegmentHandle>, u64)>,
    /// How many of those have no row that may match.
    without_match: usize,
    /// How many had been looked into when something was remembered last.
    remembered_at: Option<usize>,
    /// What this thread has of the memory of all questions.
    lease: Lease,
}

/// What a thread has done for a question.
pub(crate) struct Account {
    cost: Cost,
    completeness: Completeness,
    touched: Vec<(Arc<SegmentHandle>, u64)>,
    without_match: usize,
}

impl<'a> Run<'a> {
    /// Starts a question to logspaces.
    pub(crate) fn new(snapshots: &[Snapshot], query: &Query, cancel: &'a Cancel) -> Self {
        let mut run = Self {
            plan: Plan::of(&query.root),
            matcher: Matcher::new(query),
            checks: Check::of_leaves(query, cancel),
            cancel,
            memory: Memory::of(query),
            cost: Cost::default(),
            completeness: Completeness::default(),
            touched: Vec::new(),
            without_match: 0,
            remembered_at: None,
            lease: Lease::new(cancel),
        };
        run.lease.grow_to(THREAD_BYTES);
        for snapshot in snapshots {
            let segments = snapshot
                .parts
                .iter()
                .filter(|part| matches!(part, Part::Segment(_)));
            run.cost.segments_total += segments.count();
            if let Some(first) = snapshot.damages.first() {
                run.completeness.miss(|| match snapshot.damages.len() - 1 {
                    0 => format!("some of {} cannot be read: {first}", snapshot.logspace),
                    more => {
                        format!(
                            "some of {} cannot be read: {first}; and {more} more",
                            snapshot.logspace
                        )
                    }
                });
            }
        }
        run
    }

    /// Whether the question was stopped. Asked once a block.
    pub(crate) fn is_stopped(&mut self) -> bool {
        let stop = self.cancel.stopped();
        if let Some(stop) = stop {
            self.completeness.miss(|| stop.to_string());
        }
        stop.is_some()
    }

    /// Notes that something could not be read.
    pub(crate) fn missed(&mut self, error: &ReadError) {
        self.completeness.miss(|| error.to_string());
    }

    /// Decodes rows that were taken together, and notes where some cannot be read.
    pub(crate) fn block(&mut self, part: &Part, rows: &[RowOrdinal]) -> Block {
        if let Part::Tail(chunk) = part {
            chunk.note_looks(rows.len());
        }
        let (block, error) = block(part, rows);
        if let Some(error) = error {
            self.missed(&error);
        }
        if let Part::Segment(_) = part {
            let bytes = block.holder.batch().memory_bytes();
            // Without memory the question is stopped at its next look.
            self.lease.grow_to(THREAD_BYTES.max(THREAD_BLOCKS * bytes));
        }
        block
    }

    /// The rows that have some ordinals of a piece of a part, which ascend; none, and a note, where they
    /// cannot be told. The rows ascend.
    pub(crate) fn at_ordinals(&mut self, part: &Part, ordinals: &[u32]) -> Vec<RowOrdinal> {
        at_ordinals(part, ordinals).unwrap_or_else(|error| {
            self.missed(&error);
            Vec::new()
        })
    }

    /// The ordinals of the rows of a part before one, ascending. Only a piece with that row in its midst is
    /// looked into; where its ordinals cannot be told they are left out, with a note.
    pub(crate) fn ordinals_before(&mut self, part: &Part, row: u32) -> Vec<Range<u32>> {
        let mut ordinals = Vec::new();
        let piece = match row < part.rows() {
            true => piece_around(part, row),
            false => part.rows()..part.rows(),
        };
        if piece.start > 0 {
            ordinals.push(0..piece.start);
        }
        if row > piece.start && !piece.is_empty() {
            match ordinals_in_piece(part, &(piece.start..row)) {
                Ok(own) => ordinals.extend(own),
                Err(error) => self.missed(&error),
            }
        }
        ordinals
    }

    /// The ordinals of a range of rows; none, and a note, where they cannot be told.
    pub(crate) fn ordinals_of(&mut self, part: &Part, range: &Range<u32>) -> RowSet {
        ordinals_of(part, range).unwrap_or_else(|error| {
            self.missed(&error);
            RowSet::empty()
        })
    }

    /// Notes that something was left out: for want of memory where there was none left, whatever it was.
    pub(crate) fn left_out(&mut self, what: String) {
        self.completeness.miss(|| match self.cancel.stopped() {
            Some(Stop::Memory) => Stop::Memory.to_string(),
            _ => what,
        });
    }

    /// Whether the record matches, by looking at it.
    pub(crate) fn matches(&mut self, record: RecordRef<'_>) -> bool {
        // Of a question that was stopped the rest is of no use.
        if self.cancel.stopped().is_some() {
            return false;
        }
        self.cancel.note_work();
        self.cost.rows_verified += 1;
        self.matcher.matches(record)
    }

    /// Has the bytes read from a part from now on counted.
    pub(crate) fn touch(&mut self, part: &Part) {
        let Part::Segment(segment) = part else { return };
        // A part is done with before the next is begun, or is walked on without being begun again.
        if self
            .touched
            .last()
            .is_none_or(|(last, _)| !Arc::ptr_eq(last, segment))
        {
            self.touched
                .push((Arc::clone(segment), segment.bytes_read()));
        }
    }

    /// Notes that the index of the part touched last shows no match.
    pub(crate) fn rule_out(&mut self) {
        self.without_match += 1;
    }

    /// The rows of a part within a time range; none, and a note, where they cannot be told.
    pub(crate) fn rows_in(&mut self, part: &Part, range: TimeRange) -> Range<u32> {
        self.touch(part);
        match rows_between(part, range.start, range.end) {
            Ok(rows) => rows,
            Err(error) => {
                self.missed(&error);
                0..0
            }
        }
    }

    /// The check of a leaf.
    pub(crate) fn check(&mut self, leaf: usize) -> &mut Check {
        #[expect(
            clippy::indexing_slicing,
            reason = "plans number the leaves of this query"
        )]
        &mut self.checks[leaf]
    }

    /// How many rows of a whole segment match, where that can be told without reading rows or columns.
    pub(crate) fn count_by_index(&mut self, segment: &SegmentHandle) -> Option<u64> {
        let count = count_by_index(&self.plan, &mut self.checks, segment);
        if count == Some(0) {
            self.rule_out();
        }
        count
    }

    /// Notes that so many records or texts of records were looked at.
    pub(crate) fn looked_at(&mut self, count: u64) {
        self.cost.rows_verified += count;
    }

    /// Whether the rows of a segment that match are remembered.
    pub(crate) fn is_remembered(&self, segment: &SegmentHandle) -> bool {
        self.memory.has_found(segment)
    }

    /// What is known of the rows of a segment that match, without a look at one.
    pub(crate) fn examine(&mut self, part: &Part, segment: &SegmentHandle) -> Node {
        self.touch(part);
        let node = match self.memory.found_in(segment) {
            Some(rows) => {
                self.note_remembered();
                Node::decided(rows)
            }
            None => {
                let among = Among::ALL.until(self.cancel);
                let node = evaluate(&self.plan, among, segment);
                if node.bounds.maybe.is_none() {
                    self.remember_evaluated(segment, &node.bounds.sure);
                }
                node
            }
        };
        if node.bounds.upper().is_empty() {
            self.rule_out();
        }
        node
    }

    /// The same for some of its rows: it is not ruled out where none of those may match, and nothing is remembered.
    pub(crate) fn examine_among(
        &mut self,
        part: &Part,
        segment: &SegmentHandle,
        rows: &RowSet,
    ) -> Node {
        self.touch(part);
        let among = Among::ALL.until(self.cancel).or_found(rows, segment.rows());
        evaluate(&self.plan, among, segment)
    }

    /// Remembers rows that the index alone has told, where it took more than finding a word, and either all
    /// of the lexicon or they are few.
    fn remember_evaluated(&self, segment: &SegmentHandle, rows: &RowSet) {
        let cost = self.plan.cost();
        if cost >= WHOLE_LEXICON_COST
            || (cost > 0 && !self.plan.is_one_look_up() && rows.bytes() <= REMEMBERED_FEW_BYTES_MAX)
        {
            self.memory.remember(segment, rows);
        }
    }

    /// Remembers the rows of a whole segment that match, unless some could not be read.
    pub(crate) fn remember(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        if !self.is_stopped() && self.completeness.is_complete() {
            self.memory.remember(segment, rows);
        }
    }

    /// How many of the matching rows of a segment, which was touched last, have each of something, where
    /// that is remembered.
    pub(crate) fn counts_in(
        &mut self,
        segment: &SegmentHandle,
        by: CountedBy<'_>,
    ) -> Option<Counts> {
        let counts = self.memory.counts_in(segment, by)?;
        self.note_remembered();
        Some(counts)
    }

    /// Remembers them, unless some rows could not be read.
    pub(crate) fn remember_counts<'v>(
        &mut self,
        segment: &SegmentHandle,
        by: CountedBy<'_>,
        counts: impl Iterator<Item = (&'v [u8], u64)>,
    ) {
        if !self.is_stopped() && self.completeness.is_complete() {
            self.memory.remember_counts(segment, by, counts);
        }
    }

    /// Counts the segment touched last as remembered, once.
    fn note_remembered(&mut self) {
        let now = Some(self.touched.len());
        if self.remembered_at != now {
            self.remembered_at = now;
            self.cost.segments_remembered += 1;
        }
    }

    /// What is known of the rows of the tail that match, without a look at one.
    pub(crate) fn bounds_of_tail(&self) -> Bounds {
        match self.plan {
            Plan::All => Bounds::exact(RowSet::All),
            Plan::Nothing => Bounds::exact(RowSet::empty()),
            _ => Bounds::doubtful(RowSet::All),
        }
    }

    /// The switch of the question.
    pub(crate) fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// What it cost so far, to be added to that of the thread that it helped.
    pub(crate) fn account(self) -> Account {
        Account {
            cost: self.cost,
            completeness: self.completeness,
            touched: self.touched,
            without_match: self.without_match,
        }
    }

    /// Adds what a thread that helped has done.
    pub(crate) fn add_account(&mut self, other: Account) {
        self.cost.rows_verified += other.cost.rows_verified;
        self.cost.segments_remembered += other.cost.segments_remembered;
        self.completeness.join(other.completeness);
        self.touched.extend(other.touched);
        self.without_match += other.without_match;
    }

    /// The account, at the end.
    pub(crate) fn finish(mut self) -> (Cost, Completeness) {
        if self.cancel.stopped() == Some(Stop::Memory) {
            self.completeness.miss(|| Stop::Memory.to_string());
        }
        let read = self
            .touched
            .iter()
            .map(|(segment, before)| segment.bytes_read() - before);
        self.cost.bytes_read = read.sum();
        let looked_into = self.touched.len() - self.without_match.min(self.touched.len());
        self.cost.segments_pruned = self.cost.segments_total.saturating_sub(looked_into);
        (self.cost, self.completeness)
    }
}
