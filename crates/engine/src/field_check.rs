//! The fields of a name in messages, asked of those rows of a chunk that their structured data says nothing of.
//!
//! By kinds and columns where these tell, then message by message; records that can have the field by its
//! place in an access log alone by themselves, as most of their text does not matter.

use std::ops::{Range, RangeInclusive};

use query::Leaf;
use segment::{Edges, Hints, Namespace, Selected, Stamp, TextPart, TextTest};
use store::{OpenChunk, ReadError, SegmentHandle};
use text_fields::{FieldFinder, Lead};

use crate::cancel::Cancel;
use crate::check::LeafTest;
use crate::count_by_values::FieldTold;
use crate::field_counts::count_field;
use crate::field_reader::{CountSink, FieldReader, ValueSink, Where};
use crate::in_text::{InText, Places};
use crate::limits::COUNTED_ROWS_OF;
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

    /// How many rows pass of the kinds of which the counts of values tell that, and which rows of others may; `None`
    /// where so few may that they are looked at as fast.
    pub(crate) fn told_by_values(
        &mut self,
        segment: &SegmentHandle,
        test: &mut LeafTest,
        cancel: &Cancel,
    ) -> Result<Option<FieldTold>, ReadError> {
        let ask = self.in_text.ask();
        let (rows_max, all) = (ask.rows_max(segment)?, u64::from(segment.rows()));
        if rows_max < all / COUNTED_ROWS_OF {
            return Ok(None);
        }
        let mut passing = Passing {
            integers: test.integers(),
            test,
            looked_at: 0,
            found: 0,
        };
        let left = count_field(
            ask,
            (&mut self.reader, rows_max == all),
            segment,
            cancel,
            &mut passing,
        )?;
        Ok(Some(FieldTold {
            matching: passing.found,
            open: left.rows,
            in_text: left.in_text,
            looked_at: passing.looked_at,
        }))
    }

    /// Makes ready to ask some rows of a segment.
    pub(crate) fn begin(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        self.places = self.in_text.places(segment, rows);
    }

    /// Adds the seats of the rows of a chunk whose messages have the field and pass, of those in a range that
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
            let mut seats = rows.first_rows(range, usize::MAX);
            if !done.is_empty() {
                seats.retain(|seat| done.binary_search(seat).is_err());
            }
            let mut passing = Passing {
                integers: test.integers(),
                test: &mut *test,
                looked_at: 0,
                found: std::mem::take(&mut selected.passed),
            };
            let kinds = opened.kind_rows(&seats);
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
struct Passing<'t, F> {
    /// Of the test.
    integers: Option<RangeInclusive<i64>>,
    test: &'t mut LeafTest,
    /// How many values were looked at.
    looked_at: u64,
    found: F,
}

/// What is kept of rows that pass.
trait Found {
    /// Adds the rows with some seats.
    fn add(&mut self, seats: &[u32]);

    /// Adds so many rows, where it is nothing to it which those are; whether it has.
    fn add_count(&mut self, _rows: impl FnOnce() -> u64) -> bool {
        false
    }
}

impl Found for Vec<u32> {
    fn add(&mut self, seats: &[u32]) {
        self.extend_from_slice(seats);
    }
}

/// How many there are.
impl Found for u64 {
    fn add(&mut self, seats: &[u32]) {
        *self += seats.len() as Self;
    }

    fn add_count(&mut self, rows: impl FnOnce() -> u64) -> bool {
        *self += rows();
        true
    }
}

impl<F: Found> ValueSink for Passing<'_, F> {
    type Seen = bool;

    fn see(&mut self, value: &[u8]) -> bool {
        self.looked_at += 1;
        self.test.passes(value)
    }

    fn see_all(&mut self, stamp: &Stamp) -> Option<bool> {
        stamp.are_all_within(self.integers.as_ref()?)
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

    fn take_integers(&mut self, numbers: &[i64]) -> bool {
        let Some(integers) = &self.integers else {
            return false;
        };
        let (least, greatest) = (*integers.start(), *integers.end());
        self.found.add_count(|| {
            let passing = numbers.iter();
            let passing = passing.map(|number| least <= *number && *number <= greatest);
            passing.map(u64::from).sum()
        })
    }

    fn asks_numbers(&self) -> bool {
        self.integers.is_some()
    }

    fn row(&mut self, seat: u32, passes: bool) {
        if passes {
            self.found.add(&[seat]);
        }
    }

    fn rows(&mut self, seats: &[u32], passes: bool) {
        if passes {
            self.found.add(seats);
        }
    }
}

impl CountSink for Passing<'_, u64> {
    fn count(&mut self, rows: u64, passes: bool) {
        self.found += u64::from(passes) * rows;
    }
}
