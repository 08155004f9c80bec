//! A number made of the numbers of one named field, without groups: found by kinds and columns.

use model::RecordRef;
use query::{Measure, Number};
use text_fields::FieldFinder;

use crate::field_reader::{FieldReader, ValueSink};
use crate::field_values::{RecordSink, read_values};
use crate::limits::STATS_BYTES_MAX;
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
    measure: Measure,
    name: &str,
) -> FieldMeasure {
    let mut reader = FieldReader::new(name.as_bytes());
    let mut measuring = Measuring {
        measure,
        measured: Measured::default(),
        bytes: 0,
        is_full: false,
        finder: FieldFinder::new(name.as_bytes()),
    };
    let mut matched = 0;
    for (_, part) in scope.parts() {
        if run.is_stopped() {
            break;
        }
        let (set, range) = resolve_within(run, part, scope.when());
        matched += set.len_within(&range);
        read_values(run, part, (set, &range), &mut reader, &mut measuring);
    }
    FieldMeasure {
        number: measuring.measured.finish(measure),
        matched,
        is_full: measuring.is_full,
    }
}

struct Measuring<'n> {
    measure: Measure,
    measured: Measured,
    /// Memory that it takes.
    bytes: usize,
    is_full: bool,
    finder: FieldFinder<'n>,
}

impl Measuring<'_> {
    fn add(&mut self, number: Number) {
        let room = STATS_BYTES_MAX.saturating_sub(self.bytes);
        let taken = self.measured.add(self.measure, number, Room(room));
        self.is_full |= taken > room;
        self.bytes += taken.min(room);
    }
}

impl ValueSink for Measuring<'_> {
    type Seen = Option<Number>;

    fn see(&mut self, value: &[u8]) -> Option<Number> {
        Number::parse(value)
    }

    fn row(&mut self, _: u32, number: Option<Number>) {
        if let Some(number) = number {
            self.add(number);
        }
    }
}

impl RecordSink for Measuring<'_> {
    fn record(&mut self, record: RecordRef<'_>) {
        let mut numbers = Vec::new();
        each_named(&mut self.finder, record, &mut |value| {
            numbers.extend(Number::parse(value));
        });
        for number in numbers {
            self.add(number);
        }
    }
}
