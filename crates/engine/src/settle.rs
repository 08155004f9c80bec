//! Which rows of a segment match, of those that the index leaves open: leaf by leaf, each asked of
//! as few rows as possible, and chunk by chunk.
//!
//! Rows that cannot be read are lost for every leaf, so that `NOT` does not turn them into matches;
//! the answer is marked for them.

use std::sync::Arc;

use segment::Selected;
use store::{Part, SegmentHandle};

use crate::by_kind::by_kind;
use crate::evaluate::{Inner, Node};
use crate::limits::{BLOCK_ROWS, SELECTED_ROWS};
use crate::part::RowOrdinal;
use crate::row_set::RowSet;
use crate::run::Run;

/// The rows that match, of some.
pub(crate) fn settle(
    run: &mut Run<'_>,
    segment: &Arc<SegmentHandle>,
    node: &Node,
    among: RowSet,
) -> RowSet {
    let mut lost = Vec::new();
    let found = Settling {
        run,
        segment,
        lost: &mut lost,
    }
    .settle(node, among);
    if lost.is_empty() {
        return found;
    }
    lost.sort_unstable();
    lost.dedup();
    // What the index knows needs no reading.
    let unsure = RowSet::from_sorted(&lost).minus(&node.bounds.sure, segment.rows());
    found.minus(&unsure, segment.rows())
}

struct Settling<'r, 'q, 's> {
    run: &'r mut Run<'q>,
    segment: &'s Arc<SegmentHandle>,
    lost: &'r mut Vec<u32>,
}

impl Settling<'_, '_, '_> {
    fn settle(&mut self, node: &Node, among: RowSet) -> RowSet {
        let rows = self.segment.rows();
        let bounds = &node.bounds;
        let Some(maybe) = &bounds.maybe else {
            return among.and(bounds.sure.clone());
        };
        let sure = among.clone().and(bounds.sure.clone());
        // A condition may have hundreds of members, each of which is asked of all rows.
        if self.run.is_stopped() {
            return sure;
        }
        let doubtful = among.and(maybe.clone()).minus(&bounds.sure, rows);
        if doubtful.is_empty() {
            return sure;
        }
        let found = match &node.inner {
            Inner::Leaf(leaf, in_text) => {
                if let Some(rows) = in_text {
                    self.run.check(*leaf).note_in_text(self.segment, rows);
                }
                self.ask(*leaf, doubtful)
            }
            Inner::Not(inner) => {
                let not = self.settle(inner, doubtful.clone());
                doubtful.minus(&not, rows)
            }
            Inner::And(members) => {
                let mut left = doubtful;
                for member in by_rows(members, rows) {
                    left = self.settle(member, left);
                    if left.is_empty() {
                        break;
                    }
                }
                left
            }
            Inner::Or(members) => {
                let (mut left, mut found) = (doubtful, RowSet::empty());
                for member in by_rows(members, rows) {
                    let own = self.settle(member, left.clone());
                    left = left.minus(&own, rows);
                    found = found.or(own);
                    if left.is_empty() {
                        break;
                    }
                }
                found
            }
        };
        sure.or(found)
    }

    /// The rows that pass a leaf, of some.
    fn ask(&mut self, leaf: usize, rows: RowSet) -> RowSet {
        let segment = self.segment;
        let told = by_kind(self.run, leaf, segment, rows);
        let rows = told.left;
        let part = Part::Segment(Arc::clone(segment));
        self.run.check(leaf).begin(segment, &rows);
        let mut passed = Vec::new();
        let mut left = 0..segment.rows();
        while let Some(next) = rows.first_within(&left) {
            if self.run.is_stopped() {
                break;
            }
            let chunk = segment.chunk_of_row(next);
            let own = rows.first_rows(&(next..segment.chunk_rows(chunk).end), SELECTED_ROWS);
            left.start = own.last().map_or(next, |last| *last) + 1;
            let selected = self.run.check(leaf).select(segment, chunk, &own);
            // What is wrong with the chunk is found out by who reads the records.
            let mut selected = selected.unwrap_or_else(|_| Selected {
                open: own,
                ..Selected::default()
            });
            self.run.looked_at(selected.looked_at);
            selected.open.sort_unstable();
            let open = self.run.at_ordinals(&part, &selected.open);
            if open.len() < selected.open.len() {
                self.lost.append(&mut selected.open);
            }
            for rows in open.chunks(BLOCK_ROWS) {
                self.ask_records(&part, leaf, rows, &mut selected.passed);
            }
            selected.passed.sort_unstable();
            passed.append(&mut selected.passed);
        }
        told.passed.or(RowSet::from_sorted(&passed))
    }

    fn ask_records(
        &mut self,
        part: &Part,
        leaf: usize,
        rows: &[RowOrdinal],
        passed: &mut Vec<u32>,
    ) {
        let block = self.run.block(part, rows);
        self.run.looked_at(block.rows.len() as u64);
        for (row, ordinal) in rows {
            match block.record(*row) {
                None => self.lost.push(*ordinal),
                Some(record) => {
                    if self.run.check(leaf).matches(record) {
                        passed.push(*ordinal);
                    }
                }
            }
        }
    }
}

/// Those first of which fewer rows may match.
fn by_rows(members: &[Node], rows: u32) -> Vec<&Node> {
    let mut members: Vec<&Node> = members.iter().collect();
    members.sort_by_key(|member| member.bounds.upper().len(rows));
    members
}
