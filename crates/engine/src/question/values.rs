//! The values of a field of a record, seen as they pass.

use model::RecordRef;
use query::{FieldName, Number, Target, Value};
use text_fields::FieldFinder;

use crate::rows::RowRef;

/// Calls `visit` with each different value that is not empty.
pub(crate) fn each_value(field: &FieldName, row: RowRef<'_>, visit: &mut dyn FnMut(&[u8])) {
    let record = row.record;
    match field {
        FieldName::Part(Target::Named(name)) => {
            each_different(&mut FieldFinder::new(name.as_bytes()), record, visit);
        }
        _ => each_text(field, row, &mut |text| {
            if !text.is_empty() {
                visit(text);
            }
        }),
    }
}

/// Calls `visit` with each different value of the fields of a name that is not empty.
pub(crate) fn each_different(
    finder: &mut FieldFinder<'_>,
    record: RecordRef<'_>,
    visit: &mut dyn FnMut(&[u8]),
) {
    let mut seen = Seen::default();
    each_named(finder, record, &mut |value| seen.see(value, visit));
}

/// The same of a value and of the fields in a message.
pub(crate) fn each_different_in(
    finder: &mut FieldFinder<'_>,
    value: Option<&[u8]>,
    message: &[u8],
    visit: &mut dyn FnMut(&[u8]),
) {
    let mut seen = Seen::default();
    if let Some(value) = value {
        seen.see(value, visit);
    }
    finder.each(message, &mut |value| seen.see(value, visit));
}

/// The values of a record so far.
#[derive(Default)]
struct Seen(Vec<Box<[u8]>>);

impl Seen {
    /// Calls `visit` with a value, unless it is empty or was seen.
    fn see(&mut self, value: &[u8], visit: &mut dyn FnMut(&[u8])) {
        if !value.is_empty() && self.0.iter().all(|earlier| **earlier != *value) {
            visit(value);
            self.0.push(value.into());
        }
    }
}

/// Calls `visit` with each value of the fields of a name: those of the structured data, then those in
/// the text.
pub(super) fn each_named(
    finder: &mut FieldFinder<'_>,
    record: RecordRef<'_>,
    visit: &mut dyn FnMut(&[u8]),
) {
    let fields = record.fields();
    for field in fields.filter(|field| field.is_named(finder.name())) {
        visit(field.value);
    }
    finder.each(record.message(), visit);
}

/// Calls `visit` with each value, also with empty and equal ones.
fn each_text(field: &FieldName, row: RowRef<'_>, visit: &mut dyn FnMut(&[u8])) {
    let record = row.record;
    match field {
        FieldName::Id => visit(row.id().to_string().as_bytes()),
        FieldName::Received => visit(record.received().to_string().as_bytes()),
        FieldName::Time => visit(record.time().to_string().as_bytes()),
        FieldName::Logspace => visit(row.logspace.as_str().as_bytes()),
        FieldName::Part(target) => each_of_record(target, record, visit),
    }
}

/// The same of what a record has by itself.
pub(super) fn each_of_record(target: &Target, record: RecordRef<'_>, visit: &mut dyn FnMut(&[u8])) {
    match target {
        // No stage names it.
        Target::Text => {}
        Target::Message => visit(record.message()),
        Target::Host => visit(record.host()),
        Target::Program => visit(record.program()),
        Target::Pid => visit(record.pid()),
        Target::Msgid => visit(record.msgid()),
        Target::Facility => visit(record.priority().facility().name().as_bytes()),
        Target::Severity => visit(record.priority().severity().name().as_bytes()),
        Target::Source => visit(record.source().as_bytes()),
        Target::Tag => record.tags().for_each(|tag| visit(tag.as_bytes())),
        Target::Peer => {
            if let Some(address) = record.peer() {
                visit(address.to_canonical().to_string().as_bytes());
            }
        }
        Target::Named(name) => {
            each_named(&mut FieldFinder::new(name.as_bytes()), record, visit);
        }
    }
}

/// Calls `visit` with each number. Severities and facilities are their codes, times their
/// nanoseconds.
pub(super) fn each_number(field: &FieldName, row: RowRef<'_>, visit: &mut dyn FnMut(Number)) {
    let priority = row.record.priority();
    let integer = match field {
        FieldName::Received => row.record.received().nanos(),
        FieldName::Time => row.record.time().nanos(),
        FieldName::Part(Target::Severity) => priority.severity().number().into(),
        FieldName::Part(Target::Facility) => priority.facility().number().into(),
        _ => {
            return each_text(field, row, &mut |text| {
                if let Some(number) = Number::parse(text) {
                    visit(number);
                }
            });
        }
    };
    visit(Number::Integer(integer));
}

/// What a list of records shows of a field: its values, side by side.
pub(super) fn cell(field: &FieldName, row: RowRef<'_>) -> Value {
    match field {
        FieldName::Received => Value::Time(row.record.received()),
        FieldName::Time => Value::Time(row.record.time()),
        _ => {
            let mut joined = Vec::new();
            each_text(field, row, &mut |text| {
                if !joined.is_empty() && !text.is_empty() {
                    joined.extend_from_slice(b", ");
                }
                joined.extend_from_slice(text);
            });
            Value::of_text(&joined)
        }
    }
}
