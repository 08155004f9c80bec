//! What a template needs beside the record.

use model::Timestamp;

use crate::view::View;
use crate::zone::Zone;

/// What is known when a record is written; made once for a destination, its time and sequence number
/// set anew as it goes on.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The time now, for dates with `C_`. Read from a clock by whoever writes.
    pub now: Timestamp,
    /// The number of the record among those that were written, from 1 on; 0 for none.
    pub sequence: u64,
    /// The name of this host.
    pub own_host: String,
    /// The zone in which times are written.
    pub zone: Zone,
    /// Digits of the fraction of a second in dates, at most [`crate::limits::FRACTION_DIGITS_MAX`];
    /// syslog-ng's `frac-digits`.
    pub fraction_digits: u8,
}

/// A record and what is known beside it, while it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'s> {
    pub(crate) view: &'s View<'s>,
    pub(crate) context: &'s Context,
    /// The records before it that functions of contexts look at, the oldest first.
    pub(crate) earlier: &'s [View<'s>],
}

impl<'s> Scene<'s> {
    /// A record by itself.
    pub(crate) fn new(view: &'s View<'s>, context: &'s Context) -> Self {
        Self {
            view,
            context,
            earlier: &[],
        }
    }

    /// All records of the context, the oldest first.
    pub(crate) fn views(&self) -> impl DoubleEndedIterator<Item = &'s View<'s>> + use<'s> {
        self.earlier.iter().chain([self.view])
    }

    /// The record so many before this one, by itself.
    pub(crate) fn back(&self, count: usize) -> Option<Self> {
        let view = self.views().rev().nth(count)?;
        Some(Self::new(view, self.context))
    }

    /// Each record of the context by itself.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> + use<'s> {
        let context = self.context;
        self.views().map(move |view| Self::new(view, context))
    }
}
