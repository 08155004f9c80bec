//! What every answer says beside its result.

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Segments in scope.
    pub segments_total: usize,
    /// Segments that were ruled out without a look at their records: by time, because their index
    /// shows no match, or because enough was found before their turn.
    pub segments_pruned: usize,
    /// Segments whose matches were known from a question before.
    pub segments_remembered: usize,
    /// Bytes read from disk. Reads of others from the same segments at the same time count too.
    pub bytes_read: u64,
    /// Records that had to be looked at, whole or in one text, because no index could decide; for
    /// each condition that they were looked at for.
    pub rows_verified: u64,
}

/// Whether an answer covers everything that was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    reason: Option<String>,
}

impl Completeness {
    /// Whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.reason.is_none()
    }

    /// Why something is missing: the first reason of several.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The same of two accounts.
    pub(crate) fn join(&mut self, other: Self) {
        if self.reason.is_none() {
            self.reason = other.reason;
        }
    }

    /// Notes that something is missing.
    pub(crate) fn miss(&mut self, reason: impl FnOnce() -> String) {
        if self.reason.is_none() {
            self.reason = Some(reason());
        }
    }
}
