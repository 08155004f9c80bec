//! The matching rows of everything in scope, in the order of its kind of time.

use query::Query;

use crate::cursor::{Cursor, Position};
use crate::event_merge::EventMerge;
use crate::merge::Merge;
use crate::run::Run;
use crate::scope::Scope;
use crate::search::Order;
use crate::time_kind::TimeKind;
use crate::walk::Hit;

/// Rows in order.
pub(crate) enum Ordered<'a> {
    /// In which they are stored.
    Received(Merge<'a>),
    /// In which they happened.
    Event(EventMerge<'a>),
}

impl<'a> Ordered<'a> {
    /// Everything in scope that comes behind the cursor. Where rows are kept, and how many at most, few of
    /// those that were decoded together are copied.
    pub(crate) fn new(
        scope: &'a Scope,
        query: &'a Query,
        order: Order,
        cursor: Option<&'a Cursor>,
        kept: Option<usize>,
    ) -> Self {
        match scope.time {
            TimeKind::Received => Self::Received(Merge::new(scope, query, order, cursor, kept)),
            TimeKind::Event => Self::Event(EventMerge::new(scope, order, cursor)),
        }
    }

    /// The next row that matches and its place; `None` at the end, or when the question was
    /// stopped. What was handed out before is without a gap.
    pub(crate) fn next(&mut self, run: &mut Run<'_>) -> Option<(Position<'a>, Hit)> {
        match self {
            Self::Received(merge) => merge.next(run),
            Self::Event(merge) => merge.next(run),
        }
    }

    /// Whether there is certainly no further row, as far as that is known without looking.
    pub(crate) fn is_at_end(&self) -> bool {
        match self {
            Self::Received(merge) => merge.is_at_end(),
            Self::Event(merge) => merge.is_at_end(),
        }
    }
}
