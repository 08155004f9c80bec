//! A number made of the numbers of one named field, without groups: found by kinds and columns.

use std::sync::Mutex;

use model::RecordRef;
use query::{Measure, Number, Query};
use store::Part;
use text_fields::FieldFinder;

use crate::cancel::Cancel;
use crate::field_reader::{MessageSink, ValueSink};
use crate::field_values::{FieldValues, RecordSink};
use crate::limits::{STATS_OWN_BYTES_MAX, STATS_SHARED_BYTES_MAX};
use crate::parallel::{each_part, locked, unlocked};
use crate::question::groups::Room;
use crate::question::measure::Measured;
use crate::question::values::each_named;
use crate::resolve::resolve_within;
use crate::run::Run;
use crate::scope::Scope;

/// What was found.
pub(super) struct FieldMeasure {
    /// The number; `None` where there was none.
    pub(super) number: Option<Number>,
    /// How many records match.
    pub(super) matched: u64,
    /// Whether there was no room for more different numbers.
    pub(super) is_full: bool,
}

/// Measures the fields of a name.
pub(super) fn measure(
    run: &mut Run<'_>,
    scope: &Scope,
    query: &Query,
    measure: Measure,
    name: &str,
) -> FieldMeasure {
    let all = Mutex::new(All {
        cancel: run.cancel(),
        measure,
        measured: Measured::default(),
        bytes: 0,
        is_full: false,
    });
    let parts: Vec<&Part> = scope.parts().map(|(_, part)| part).collect();
    let start = || {
        let measuring = Measuring {
            numbers: Vec::new(),
            all: &all,
            finder: FieldFinder::new(name.as_bytes()),
        };
        (0, FieldValues::new(name), measuring)
    };
    let accounts = each_part(run, query, parts, start, |run, own, part| {
        let (matched, values, measuring) = own;
        let set = resolve_within(run, part, scope.when());
        *matched += set.len(part.rows());
        values.read(run, part, set, measuring);
    });
    let matched = accounts.iter().map(|(matched, ..)| matched).sum();
    drop(accounts);
    let all = unlocked(all);
    FieldMeasure {
        number: all.measured.finish(measure),
        matched,
        is_full: all.is_full,
    }
}

/// What all threads have measured.
struct All<'c> {
    cancel: &'c Cancel,
    measure: Measure,
    measured: Measured,
    /// Memory that it takes.
    bytes: usize,
    is_full: bool,
}

impl All<'_> {
    fn add(&mut self, number: Number) {
        let room = STATS_SHARED_BYTES_MAX.saturating_sub(self.bytes);
        let taken = self.measured.add(self.measure, number, Room(room));
        self.is_full |= taken > room || !self.cancel.take(taken);
        self.bytes += taken.min(room);
    }
}

/// What one of several threads measures.
struct Measuring<'t, 'c> {
    /// Numbers that are not added yet: those of a chunk or a block at the most, and no more than there
    /// is room for.
    numbers: Vec<Number>,
    all: &'t Mutex<All<'c>>,
    finder: FieldFinder<'t>,
}

impl Measuring<'_, '_> {
    fn add_all(&mut self, numbers: Vec<Number>) {
        for number in numbers {
            self.add(number);
        }
    }

    fn add(&mut self, number: Number) {
        self.numbers.push(number);
        if self.numbers.len() * size_of::<Number>() >= STATS_OWN_BYTES_MAX {
            self.settle();
        }
    }
}

impl ValueSink for Measuring<'_, '_> {
    type Seen = Option<Number>;

    fn see(&mut self, value: &[u8]) -> Option<Number> {
        Number::parse(value)
    }

    fn settle(&mut self) {
        let mut all = locked(self.all);
        self.numbers.drain(..).for_each(|number| all.add(number));
    }

    fn row(&mut self, _: u32, number: Option<Number>) {
        if let Some(number) = number {
            self.add(number);
        }
    }
}

impl MessageSink for Measuring<'_, '_> {
    fn message(&mut self, _: u32, in_data: Option<&[u8]>, message: &[u8]) {
        let mut numbers: Vec<Number> = in_data.and_then(Number::parse).into_iter().collect();
        self.finder.each(message, &mut |value| {
            numbers.extend(Number::parse(value));
        });
        self.add_all(numbers);
    }
}

impl RecordSink for Measuring<'_, '_> {
    fn record(&mut self, record: RecordRef<'_>) {
        let mut numbers = Vec::new();
        each_named(&mut self.finder, record, &mut |value| {
            numbers.extend(Number::parse(value));
        });
        self.add_all(numbers);
    }
}
