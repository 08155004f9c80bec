//! Where the next part of a record is expected, and how far from there it is.

use model::Span;

use crate::wire::{unzigzag, zigzag};

/// The ends of the parts so far, one in `raw` and one in `extra`: a part that stands in `extra`
/// does not change where the next one in `raw` is expected.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// End of the last part in `raw`.
    pub(super) raw: u32,
    /// End of the last part in `extra`, from the start of `extra`.
    pub(super) extra: u32,
}

impl Place {
    /// What is written for the start of a part: the signed distance from where it was expected,
    /// with the lowest bit set for one in `extra`.
    pub(super) fn gap(self, start: u32, raw_len: u32) -> u64 {
        let in_extra = start >= raw_len;
        let expected = self.expected(in_extra, raw_len);
        zigzag(i64::from(start) - expected) << 1 | u64::from(in_extra)
    }

    /// The inverse of [`Place::gap`]; `None` where the start is no offset at all.
    pub(super) fn start(self, gap: u64, raw_len: u32) -> Option<u32> {
        let expected = self.expected(gap & 1 == 1, raw_len);
        u32::try_from(expected.checked_add(unzigzag(gap >> 1))?).ok()
    }

    /// Moves behind a part that is not empty.
    pub(super) fn pass(&mut self, span: Span, raw_len: u32) {
        let end = span.start.saturating_add(span.len);
        if span.start >= raw_len {
            self.extra = end - raw_len;
        } else {
            self.raw = end;
        }
    }

    fn expected(self, in_extra: bool, raw_len: u32) -> i64 {
        if in_extra {
            i64::from(raw_len) + i64::from(self.extra)
        } else {
            i64::from(self.raw)
        }
    }
}

/// Where the parts of a record's fields are expected. A group is expected where the one before
/// started, as the parameters of one element share its name; names and values follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldPlaces {
    at: Place,
    group_start: u32,
}

impl FieldPlaces {
    /// Before the first field, with the place behind the header. Most fields are parameters of the
    /// structured data, others come from the message.
    pub(super) fn new(header: Place, structured_data: Span, message: Span) -> Self {
        let start = if structured_data.is_empty() {
            message.start
        } else {
            structured_data.start
        };
        Self {
            at: Place {
                raw: start,
                ..header
            },
            group_start: start,
        }
    }

    /// What is written for the start of a group, 0 for an empty one.
    pub(super) fn group_gap(&mut self, span: Span, raw_len: u32) -> u64 {
        if span.is_empty() {
            return 0;
        }
        let gap = self.group_place().gap(span.start, raw_len);
        self.pass_group(span, raw_len);
        gap
    }

    /// The inverse of [`FieldPlaces::group_gap`] for a group that is not empty.
    pub(super) fn group_start(&self, gap: u64, raw_len: u32) -> Option<u32> {
        self.group_place().start(gap, raw_len)
    }

    /// What is written for the start of a name or value, 0 for an empty one.
    pub(super) fn gap(&mut self, span: Span, raw_len: u32) -> u64 {
        if span.is_empty() {
            return 0;
        }
        let gap = self.at.gap(span.start, raw_len);
        self.pass(span, raw_len);
        gap
    }

    /// The inverse of [`FieldPlaces::gap`] for a part that is not empty.
    pub(super) fn start(&self, gap: u64, raw_len: u32) -> Option<u32> {
        self.at.start(gap, raw_len)
    }

    /// Moves behind a name or value that is not empty.
    pub(super) fn pass(&mut self, span: Span, raw_len: u32) {
        self.at.pass(span, raw_len);
    }

    /// Moves behind a group that is not empty. Further fields of a known group do not move back.
    pub(super) fn pass_group(&mut self, span: Span, raw_len: u32) {
        let mut behind = self.at;
        behind.pass(span, raw_len);
        self.at.raw = self.at.raw.max(behind.raw);
        self.at.extra = self.at.extra.max(behind.extra);
        if span.start < raw_len {
            self.group_start = span.start;
        }
    }

    fn group_place(&self) -> Place {
        Place {
            raw: self.group_start,
            ..self.at
        }
    }
}
