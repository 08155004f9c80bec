//! Words that the lexicon has the start of alone: a row tells whether one is the word that was looked up.

use model::RecordRef;
use model::words::{fold, words};
use segment::{Namespace, TermEntry};

use super::SegmentHandle;
use crate::error::ReadError;

impl SegmentHandle {
    /// Whether a term whose key is cut, as those of messages and structured data may be, is this one.
    pub(super) fn has_key(&self, term: &TermEntry, key: &[u8]) -> Result<bool, ReadError> {
        let Some((namespace, word)) = key.split_first() else {
            return Ok(false);
        };
        let ordinals = self.numbers(&term.slots)?;
        let Some(first) = ordinals.first() else {
            return Ok(false);
        };
        let chunk = self.chunk_of_row(*first);
        let rows = self.at_ordinals(chunk, &[*first])?;
        let records = self.records_at_ordinals(chunk, &rows)?;
        let is_in = |record: RecordRef<'_>| {
            let text = match *namespace == Namespace::Message as u8 {
                true => record.message(),
                false => record.structured_data(),
            };
            words(&fold(text)).any(|own| own == word)
        };
        Ok(records.iter().any(is_in))
    }
}
