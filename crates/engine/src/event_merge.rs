//! The matching rows of many parts in the order of the times that their senders gave.
//!
//! Parts are opened when they may hold the next row; then the stretches of time of their chunks wait
//! in turn, each until it may. Of a stretch the rows that come next are put in order, and the rest
//! waits again. So the newest rows cost the newest stretches, wrong clocks cost little, and the
//! order is exact.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use model::{RecordNumber, Timestamp};
use store::{Part, Snapshot, TimeSpan};

use crate::cursor::{Cursor, Position};
use crate::evaluate::Node;
use crate::event::{Times, may_have, own_rows, pieces, spans};
use crate::limits::{BLOCK_ROWS, EVENT_LIST_ROWS};
use crate::part::RowOrdinal;
use crate::resolve::verified;
use crate::row_set::RowSet;
use crate::run::Run;
use crate::scope::Scope;
use crate::search::Order;
use crate::settle::settle;
use crate::time_kind::{TimeKind, When};
use crate::walk::Hit;

/// A merge by the time of the sender.
pub(crate) struct EventMerge<'a> {
    when: When,
    order: Order,
    cursor: Option<&'a Cursor>,
    parts: Vec<Opened<'a>>,
    /// What has not been looked into, the next on top.
    waiting: BinaryHeap<Waiting>,
    lists: Vec<List>,
    /// The next row of each list, the next of all on top.
    heads: BinaryHeap<Head<'a>>,
    /// The list whose row was handed out and that has to go on.
    behind: Option<usize>,
}

struct Opened<'a> {
    snapshot: &'a Snapshot,
    part: &'a Part,
    /// What the index says, of a segment that was opened.
    node: Option<Node>,
}

/// Rows that come no sooner than at a time.
struct Waiting {
    order: Order,
    at: Timestamp,
    part: usize,
    what: What,
}

enum What {
    /// A part that was not opened.
    Part,
    /// Rows of a piece of it.
    Piece(Piece),
}

/// The rows of a piece of a part that happened in a stretch of time.
struct Piece {
    index: usize,
    span: TimeSpan,
    /// Those that match, once they are known.
    matches: Option<RowSet>,
    /// The last one that was put in order.
    last: Option<(Timestamp, RowOrdinal)>,
}

/// Rows in order.
struct List {
    part: usize,
    rows: VecDeque<(Timestamp, RowOrdinal)>,
    /// Read and not handed out.
    ready: VecDeque<Hit>,
    /// How many are read next: more each time, since few lists go far.
    block_rows: usize,
}

struct Head<'a> {
    order: Order,
    position: Position<'a>,
    hit: Hit,
    list: usize,
}

impl<'a> EventMerge<'a> {
    /// A merge of everything in scope that comes behind the cursor.
    pub(crate) fn new(scope: &'a Scope, order: Order, cursor: Option<&'a Cursor>) -> Self {
        let open = |(snapshot, part): (&'a Snapshot, &'a Part)| Opened {
            snapshot,
            part,
            node: None,
        };
        let parts: Vec<_> = scope.parts().map(open).collect();
        let waiting = parts.iter().enumerate().map(|(part, opened)| Waiting {
            order,
            at: next_of(order, TimeKind::Event.bounds(opened.part)),
            part,
            what: What::Part,
        });
        Self {
            when: scope.when(),
            order,
            cursor,
            waiting: waiting.collect(),
            parts,
            lists: Vec::new(),
            heads: BinaryHeap::new(),
            behind: None,
        }
    }

    /// The next row that matches and its place; `None` at the end, or when the question was
    /// stopped.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<(Position<'a>, Hit)> {
        if let Some(list) = self.behind.take() {
            self.advance(run, list);
        }
        while self.may_come_next() {
            if run.is_stopped() {
                return None;
            }
            let waiting = self.waiting.pop()?;
            match waiting.what {
                What::Part => self.open(run, waiting.part),
                What::Piece(piece) => self.list(run, waiting.part, piece),
            }
        }
        // What was stopped midway has gaps.
        if run.is_stopped() {
            return None;
        }
        let head = self.heads.pop()?;
        self.behind = Some(head.list);
        Some((head.position, head.hit))
    }

    /// Whether there is certainly no further row.
    pub(crate) fn is_at_end(&self) -> bool {
        let behind = self.behind.and_then(|list| self.lists.get(list));
        let is_done = behind.is_none_or(|list| list.rows.is_empty() && list.ready.is_empty());
        self.heads.is_empty() && self.waiting.is_empty() && is_done
    }

    fn may_come_next(&self) -> bool {
        match (self.waiting.peek(), self.heads.peek()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(waiting), Some(head)) => match self.order {
                Order::NewestFirst => waiting.at >= head.position.at,
                Order::OldestFirst => waiting.at <= head.position.at,
            },
        }
    }

    /// Lets the pieces of a part wait.
    fn open(&mut self, run: &mut Run<'_>, index: usize) {
        let Some(part) = self.parts.get(index).map(|opened| opened.part) else {
            return;
        };
        if !self.is_wanted(TimeKind::Event.bounds(part)) {
            return;
        }
        let Some(opened) = self.parts.get_mut(index) else {
            return;
        };
        if let Part::Segment(segment) = part {
            opened.node = Some(run.examine(part, segment));
        }
        let Some(opened) = self.parts.get(index) else {
            return;
        };
        for piece in 0..pieces(part) {
            let node = opened.node.as_ref();
            if node.is_some_and(|node| !may_have(part, piece, node.bounds.upper())) {
                continue;
            }
            if run.is_stopped() {
                return;
            }
            let own;
            let spans = match part {
                Part::Segment(segment) => spans(run, segment, piece),
                Part::Tail(_) => {
                    own = [TimeKind::Event.bounds(part)];
                    &own
                }
            };
            let wanted: Vec<TimeSpan> = spans
                .iter()
                .copied()
                .filter(|span| self.is_wanted(*span))
                .collect();
            for span in wanted {
                self.waiting.push(Waiting {
                    order: self.order,
                    at: next_of(self.order, span),
                    part: index,
                    what: What::Piece(Piece {
                        index: piece,
                        span,
                        matches: None,
                        last: None,
                    }),
                });
            }
        }
    }

    /// Whether a stretch is in range and not in front of the cursor.
    fn is_wanted(&self, (first, last): TimeSpan) -> bool {
        let is_behind = self.cursor.is_none_or(|cursor| match self.order {
            Order::NewestFirst => first <= cursor.position().at,
            Order::OldestFirst => last >= cursor.position().at,
        });
        is_behind && self.when.range.overlaps(first, last)
    }

    /// Puts the next rows of a piece in order; what is behind them waits.
    fn list(&mut self, run: &mut Run<'_>, index: usize, mut piece: Piece) {
        let Some(opened) = self.parts.get(index) else {
            return;
        };
        let Some(times) = Times::read(run, opened.part, piece.index) else {
            return;
        };
        let matches = match piece.matches.take() {
            Some(matches) => matches,
            None => self.matches(run, opened, &piece, &times),
        };
        let all = matches.first_rows(&(0..opened.part.rows()), usize::MAX);
        let placed = run.at_ordinals(opened.part, &all);
        let placed = placed.into_iter();
        let placed = placed.filter_map(|found| Some((times.of(found.0)?, found)));
        let is_left = |own: &(Timestamp, RowOrdinal)| {
            piece
                .last
                .is_none_or(|last| in_order(self.order, &last, own).is_lt())
        };
        let mut listed: Vec<(Timestamp, RowOrdinal)> = placed.filter(is_left).collect();
        let order = self.order;
        if listed.len() > EVENT_LIST_ROWS {
            listed.select_nth_unstable_by(EVENT_LIST_ROWS, |one, two| in_order(order, one, two));
            if let Some((at, _)) = listed.get(EVENT_LIST_ROWS).copied() {
                listed.truncate(EVENT_LIST_ROWS);
                piece.last = listed.iter().copied().max_by(|a, b| in_order(order, a, b));
                piece.matches = Some(matches);
                self.waiting.push(Waiting {
                    order,
                    at,
                    part: index,
                    what: What::Piece(piece),
                });
            }
        }
        listed.sort_unstable_by(|one, two| in_order(order, one, two));
        self.lists.push(List {
            part: index,
            rows: listed.into(),
            ready: VecDeque::new(),
            block_rows: 4,
        });
        self.advance(run, self.lists.len() - 1);
    }

    /// The rows of a piece that match, of those in range and behind the cursor.
    fn matches(
        &self,
        run: &mut Run<'_>,
        opened: &Opened<'_>,
        piece: &Piece,
        times: &Times,
    ) -> RowSet {
        let (first, last) = piece.span;
        let is_wanted = |row: u32| {
            times.of(row).is_some_and(|time| {
                first <= time && time <= last && self.when.range.contains(time) && {
                    let own = self.position(opened, time, row);
                    self.is_behind_cursor(own)
                }
            })
        };
        let within = |run: &mut Run<'_>, set: &RowSet| {
            let own = own_rows(run, opened.part, piece.index, set);
            let own = own.first_rows(&(0..opened.part.rows()), usize::MAX);
            let all = run.at_ordinals(opened.part, &own);
            let wanted = all.into_iter().filter(|(row, _)| is_wanted(*row));
            let mut ordinals: Vec<u32> = wanted.map(|(_, ordinal)| ordinal).collect();
            ordinals.sort_unstable();
            RowSet::from_sorted(&ordinals)
        };
        match (opened.part, &opened.node) {
            (Part::Segment(segment), Some(node)) => {
                let may_match = within(run, node.bounds.upper());
                if node.bounds.maybe.is_none() {
                    return may_match;
                }
                settle(run, segment, node, may_match)
            }
            _ => {
                let all = within(run, &RowSet::All);
                verified(run, opened.part, &all)
            }
        }
    }

    fn position<'p>(&self, opened: &Opened<'p>, at: Timestamp, row: u32) -> Position<'p> {
        Position {
            at,
            logspace: &opened.snapshot.logspace,
            number: RecordNumber(opened.part.first_number().0 + u64::from(row)),
        }
    }

    fn is_behind_cursor(&self, own: Position<'_>) -> bool {
        self.cursor.is_none_or(|cursor| match self.order {
            Order::NewestFirst => own < cursor.position(),
            Order::OldestFirst => own > cursor.position(),
        })
    }

    /// Puts the next row of a list among the heads.
    fn advance(&mut self, run: &mut Run<'_>, index: usize) {
        let Some(list) = self.lists.get_mut(index) else {
            return;
        };
        let Some(opened) = self.parts.get(list.part) else {
            return;
        };
        while list.ready.is_empty() && !list.rows.is_empty() {
            list.read(run, opened.part);
        }
        if let Some(hit) = list.ready.pop_front() {
            self.heads.push(Head {
                order: self.order,
                position: hit.position(&opened.snapshot.logspace),
                hit,
                list: index,
            });
        }
    }
}

impl List {
    /// Reads the records that come next.
    fn read(&mut self, run: &mut Run<'_>, part: &Part) {
        let count = self.block_rows.min(self.rows.len());
        self.block_rows = (self.block_rows * 4).min(BLOCK_ROWS);
        let wanted: Vec<(Timestamp, RowOrdinal)> = self.rows.drain(..count).collect();
        let mut rows: Vec<RowOrdinal> = wanted.iter().map(|(_, found)| *found).collect();
        rows.sort_unstable();
        let block = run.block(part, &rows);
        let first = part.first_number().0;
        let hits = wanted.into_iter().filter_map(|(at, (row, _))| {
            Some(Hit {
                number: RecordNumber(first + u64::from(row)),
                at,
                index: block.index(row)?,
                holder: block.holder.clone(),
            })
        });
        self.ready.extend(hits);
    }
}

/// The time of a stretch that comes first.
fn next_of(order: Order, (first, last): TimeSpan) -> Timestamp {
    match order {
        Order::NewestFirst => last,
        Order::OldestFirst => first,
    }
}

/// Rows of one part: what comes first is less.
fn in_order(
    order: Order,
    one: &(Timestamp, RowOrdinal),
    two: &(Timestamp, RowOrdinal),
) -> Ordering {
    match order {
        Order::NewestFirst => two.cmp(one),
        Order::OldestFirst => one.cmp(two),
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let ascending = self.at.cmp(&other.at);
        match self.order {
            Order::NewestFirst => ascending,
            Order::OldestFirst => ascending.reverse(),
        }
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let ascending = self.position.cmp(&other.position);
        match self.order {
            Order::NewestFirst => ascending,
            Order::OldestFirst => ascending.reverse(),
        }
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}
