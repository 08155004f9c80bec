//! Records in answers: found, not copied.

use model::{LogspaceName, RecordId, RecordNumber, RecordRef};

use crate::part::Holder;

/// A record of an answer. It holds the decoded block it stands in, or a small copy out of it.
#[derive(Clone, Debug)]
pub struct FoundRow {
    /// What it is called for ever.
    pub id: RecordId,
    holder: Holder,
    index: usize,
}

impl FoundRow {
    /// The record at an index of a batch; `None` where there is none.
    pub(crate) fn new(id: RecordId, holder: Holder, index: usize) -> Option<Self> {
        holder.batch().get(index)?;
        Some(Self { id, holder, index })
    }

    /// The record.
    pub fn record(&self) -> RecordRef<'_> {
        #[expect(clippy::expect_used, reason = "the constructor has looked")]
        self.holder
            .batch()
            .get(self.index)
            .expect("a batch never shrinks")
    }
}

/// A record of a streamed answer, seen only while it passes.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    /// Its logspace.
    pub logspace: &'a LogspaceName,
    /// Its number there.
    pub number: RecordNumber,
    /// The record.
    pub record: RecordRef<'a>,
}

impl RowRef<'_> {
    /// What it is called for ever.
    pub fn id(&self) -> RecordId {
        RecordId {
            logspace: self.logspace.clone(),
            number: self.number,
        }
    }
}
