//! The fields of a name in messages, asked of those rows of a chunk that their structured data says nothing of.
//!
//! By kinds and columns where these tell, then message by message; records that can have the field by its
//! place in an access log alone by themselves, as most of their text does not matter.

use std::ops::{Range, RangeInclusive};

use query::Leaf;
use segment::{Edges, Hints, Namespace, Selected, TextPart, TextTest, ZoneMap};
use store::{OpenChunk, SegmentHandle};
use text_fields::{FieldFinder, Lead};

use crate::check::LeafTest;
use crate::field_reader::{FieldReader, ValueSink, Where};
use crate::in_text::{InText, Places};
use crate::row_set::RowSet;

/// What a leaf of a field needs beside its test.
#[derive(Clone, Debug)]
pub(crate) struct FieldCheck {
    finder: FieldFinder<'static>,
    reader: FieldReader,
    in_text: InText,
    /// The rows of the segment at hand that are asked.
    places: Places,
}

impl FieldCheck {
    /// For a leaf of a field of this name.
    pub(crate) fn new(name: &str, leaf: &Leaf) -> Self {
        Self {
            finder: FieldFinder::new(name.as_bytes().to_vec()),
            reader: FieldReader::new(name.as_bytes()),
            in_text: InText::new(name, leaf),
            places: Places::default(),
        }
    }

    /// The name.
    pub(crate) fn name(&self) -> &[u8] {
        self.finder.name()
    }

    /// Notes which rows of a segment may have the field in their text, and pass.
    pub(crate) fn note_in_text(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        self.in_text.note(segment, rows);
    }

    /// Makes ready to ask some rows of a segment.
    pub(crate) fn begin(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        self.places = self.in_text.places(segment, rows);
    }

    /// Adds the ordinals of the rows of a chunk whose messages have the field and pass, of those in a range that
    /// [`Self::begin`] was told of and that are not selected already.
    pub(crate) fn select_messages(
        &mut self,
        opened: &OpenChunk<'_>,
        range: &Range<u32>,
        test: &mut LeafTest,
        selected: &mut Selected,
    ) {
        let mut done = [&selected.passed[..], &selected.open].concat();
        done.sort_unstable();
        for (rows, place) in [
            (&self.places.anywhere, Where::Anywhere),
            (&self.places.in_log, Where::InLog),
        ] {
            let mut ordinals = rows.first_rows(range, usize::MAX);
            if !done.is_empty() {
                ordinals.retain(|ordinal| done.binary_search(ordinal).is_err());
            }
            let mut passing = Passing {
                integers: test.integers(),
                test: &mut *test,
                looked_at: 0,
                found: std::mem::take(&mut selected.passed),
            };
            let kinds = opened.kind_rows(&ordinals);
            let left = self.reader.read(opened, &kinds, place, &mut passing);
            selected.looked_at += passing.looked_at;
            selected.passed = passing.found;
            let mut test = FieldTest {
                finder: &mut self.finder,
                test: &mut *test,
                place,
            };
            let parts = [TextPart::Part(Namespace::Message)];
            let found = opened.select(&parts, &left, &mut test, &mut Hints::default());
            selected.passed.extend(found.passed);
            selected.open.extend(found.open);
            selected.looked_at += found.looked_at;
        }
    }
}

/// The test of the fields of a name in a message.
struct FieldTest<'t> {
    finder: &'t mut FieldFinder<'static>,
    test: &'t mut LeafTest,
    /// Where all messages that have the field have it.
    place: Where,
}

impl TextTest for FieldTest<'_> {
    fn passes(&mut self, text: &[u8]) -> bool {
        if self.test.is_stopped() {
            return false;
        }
        let mut found = false;
        let test = &mut *self.test;
        self.finder.each(text, &mut |value| {
            found = found || test.passes(value);
        });
        found
    }

    fn passes_around(&mut self, _: &[u8], _: Edges) -> bool {
        // Around it, there may be other fields.
        false
    }

    fn is_told_around(&self) -> bool {
        false
    }

    fn fails_from(&mut self, start: &[u8]) -> bool {
        if self.place == Where::Anywhere {
            return false;
        }
        match Lead::of(self.finder.name(), start) {
            Lead::Open => false,
            Lead::NoLog => true,
            Lead::Value(value) => !self.test.passes(value),
        }
    }
}

/// The rows whose field passes.
struct Passing<'t> {
    /// Of the test.
    integers: Option<RangeInclusive<i64>>,
    test: &'t mut LeafTest,
    /// How many values were looked at.
    looked_at: u64,
    /// The ordinals of the rows that pass.
    found: Vec<u32>,
}

impl ValueSink for Passing<'_> {
    type Seen = bool;

    fn see(&mut self, value: &[u8]) -> bool {
        self.looked_at += 1;
        self.test.passes(value)
    }

    fn see_all(&mut self, zone_map: &ZoneMap) -> Option<bool> {
        zone_map.are_all_within(self.integers.as_ref()?)
    }

    fn see_integer(&mut self, number: i64) -> Option<bool> {
        Some(self.integers.as_ref()?.contains(&number))
    }

    fn see_whole_part(&mut self, part: u32) -> Option<bool> {
        let integers = self.integers.as_ref()?;
        // The number is between the two. What passes between two whole numbers passes for both or begins or
        // ends there.
        let [one, next] = [0, 1].map(|more| integers.contains(&(i64::from(part) + more)));
        (one == next).then_some(one)
    }

    fn asks_numbers(&self) -> bool {
        self.integers.is_some()
    }

    fn row(&mut self, ordinal: u32, passes: bool) {
        if passes {
            self.found.push(ordinal);
        }
    }

    fn rows(&mut self, ordinals: &[u32], passes: bool) {
        if passes {
            self.found.extend_from_slice(ordinals);
        }
    }
}
