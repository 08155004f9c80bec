//! The time of a record is read from a text.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::{CivilTime, Editor, Timestamp};
use parsers::DatePatterns;

use crate::place::Origin;
use crate::step::{Action, Failure, Scratch};

/// Sets when it happened.
#[derive(Clone, Debug)]
pub struct Date {
    /// What is read, and what it is called.
    pub origin: (Origin, String),
    /// How times are written there; what they leave out is told by the time of receipt.
    pub patterns: DatePatterns,
    /// The zone of times that name none.
    pub zone: TimeZone,
}

impl Action for Date {
    fn apply(&self, record: &mut Editor<'_>, _: &mut Scratch) -> Result<(), Failure> {
        let (origin, name) = &self.origin;
        let Some(span) = origin.span(record) else {
            return Err(Failure::Nothing(name.clone()));
        };
        let read = record.record();
        let zone = |civil| in_zone(&self.zone, civil);
        let text = span.of(read.bytes()).trim_ascii();
        let time = self.patterns.parse(text, read.received(), zone)?;
        record.set_time(time);
        Ok(())
    }
}

/// The instant of a time in a zone; of two the first, and in a gap that behind it.
fn in_zone(zone: &TimeZone, civil: CivilTime) -> Option<Timestamp> {
    let small = |number: u8| i8::try_from(number).ok();
    let civil = DateTime::new(
        civil.year,
        small(civil.month)?,
        small(civil.day)?,
        small(civil.hour)?,
        small(civil.minute)?,
        // A leap second is the one before it, as jiff has it.
        small(civil.second.min(59))?,
        i32::try_from(civil.nanosecond).ok()?,
    )
    .ok()?;
    let instant = zone.to_ambiguous_timestamp(civil).compatible().ok()?;
    let nanos = i64::try_from(instant.as_nanosecond()).ok()?;
    Some(Timestamp::from_nanos(nanos))
}
