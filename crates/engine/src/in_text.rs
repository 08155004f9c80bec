//! Which rows may have a field in the text of their message, of those that may have it anywhere: the
//! others have it in their structured data, and their messages need not be read.

use query::Leaf;
use store::{OpenChunk, SegmentHandle};

use crate::named::NamedAsk;
use crate::row_set::RowSet;

/// What the index says of a field in texts.
#[derive(Clone, Debug)]
pub(crate) struct InText {
    ask: NamedAsk,
    /// The segment at hand, and its seats that may have the field in their text and pass.
    known: Option<(u64, RowSet)>,
}

impl InText {
    /// For a leaf of a field of this name.
    pub(crate) fn new(name: &str, leaf: &Leaf) -> Self {
        Self {
            ask: NamedAsk::new(name, leaf),
            known: None,
        }
    }

    /// Those of some seats of a segment.
    pub(crate) fn of(
        &mut self,
        segment: &SegmentHandle,
        chunk: &OpenChunk<'_>,
        seats: Vec<u32>,
    ) -> Vec<u32> {
        let number = chunk.segment();
        let known = self.known.take().filter(|(known, _)| *known == number);
        let (_, set) = self.known.insert(known.unwrap_or_else(|| {
            // Where the index cannot be read, every row may.
            let set = self.ask.rows(segment).unwrap_or(RowSet::All);
            (number, set)
        }));
        if set.is_empty() {
            return Vec::new();
        }
        seats
            .into_iter()
            .filter(|seat| set.contains(*seat))
            .collect()
    }
}
