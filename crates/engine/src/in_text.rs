//! Which rows may have a field in the text of their message, of those that may have it anywhere: the
//! others have it in their structured data, and their messages need not be read.

use query::Leaf;
use store::SegmentHandle;

use crate::among::Among;
use crate::named::NamedAsk;
use crate::row_set::RowSet;

/// What the index says of a field in texts.
#[derive(Clone, Debug)]
pub(crate) struct InText {
    ask: NamedAsk,
    /// What is known of the segment at hand.
    known: Option<Known>,
}

/// Ordinals of a segment by where they may have a field in their text.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Those that may have it in any way.
    pub(crate) anywhere: RowSet,
    /// Those that can have it by its place in an access log alone.
    pub(crate) in_log: RowSet,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            anywhere: RowSet::empty(),
            in_log: RowSet::empty(),
        }
    }
}

/// What is known of a segment.
#[derive(Clone, Debug)]
struct Known {
    segment: u64,
    /// Its ordinals that may have the field in their text and pass.
    ordinals: RowSet,
    /// Its ordinals that may have it in another way than by its place in an access log, once that was asked.
    beside_logs: Option<RowSet>,
}

impl InText {
    /// For a leaf of a field of this name.
    pub(crate) fn new(name: &str, leaf: &Leaf) -> Self {
        Self {
            ask: NamedAsk::new(name, leaf),
            known: None,
        }
    }

    /// What the index is asked.
    pub(crate) fn ask(&self) -> &NamedAsk {
        &self.ask
    }

    /// Where some ordinals of a segment may have the field in their text, and pass.
    pub(crate) fn places(&mut self, segment: &SegmentHandle, ordinals: &RowSet) -> Places {
        let rows = segment.rows();
        let may = self.known(segment).ordinals.clone().and(ordinals.clone());
        if may.is_empty() {
            return Places::default();
        }
        let beside = match self.known(segment).beside_logs.take() {
            Some(known) => known,
            // Where the index cannot be read, every row may.
            None => {
                let ask = self.ask.clone();
                ask.rows_beside_logs(segment).unwrap_or(RowSet::All)
            }
        };
        let places = Places {
            in_log: may.minus(&beside, rows),
            anywhere: may.and(beside.clone()),
        };
        self.known(segment).beside_logs = Some(beside);
        places
    }

    /// Notes what the index said already: the ordinals of a segment that may, of those that are asked about; `None` where
    /// it said nothing.
    pub(crate) fn turn_to(&mut self, segment: &SegmentHandle, ordinals: Option<RowSet>) {
        self.known = ordinals.map(|ordinals| Known {
            segment: segment.uid(),
            ordinals,
            beside_logs: None,
        });
    }

    /// The same, unless it was noted: for a question that asks about the same in a segment every time.
    pub(crate) fn note(&mut self, segment: &SegmentHandle, ordinals: &RowSet) {
        let number = segment.uid();
        if self
            .known
            .as_ref()
            .is_none_or(|known| known.segment != number)
        {
            self.turn_to(segment, Some(ordinals.clone()));
        }
    }

    fn known(&mut self, segment: &SegmentHandle) -> &mut Known {
        let number = segment.uid();
        let known = self.known.take().filter(|known| known.segment == number);
        self.known.insert(known.unwrap_or_else(|| Known {
            segment: number,
            ordinals: self.ask.rows(Among::ALL, segment).unwrap_or(RowSet::All),
            beside_logs: None,
        }))
    }
}
