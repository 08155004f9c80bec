//! The values of a field of a record, seen as they pass.

use query::{FieldName, Number, Target, Value};

use crate::rows::RowRef;

/// Calls `visit` with each different value that is not empty.
pub(crate) fn each_value(field: &FieldName, row: RowRef<'_>, visit: &mut dyn FnMut(&[u8])) {
    let record = row.record;
    match field {
        FieldName::Part(Target::Named(name)) => {
            let named = || {
                record
                    .fields()
                    .filter(|field| field.is_named(name.as_bytes()))
            };
            for (index, field) in named().enumerate() {
                let is_new = named()
                    .take(index)
                    .all(|earlier| earlier.value != field.value);
                if is_new && !field.value.is_empty() {
                    visit(field.value);
                }
            }
        }
        _ => each_text(field, row, &mut |text| {
            if !text.is_empty() {
                visit(text);
            }
        }),
    }
}

/// Calls `visit` with each value, also with empty and equal ones.
fn each_text(field: &FieldName, row: RowRef<'_>, visit: &mut dyn FnMut(&[u8])) {
    let record = row.record;
    let target = match field {
        FieldName::Id => return visit(row.id().to_string().as_bytes()),
        FieldName::Received => return visit(record.received().to_string().as_bytes()),
        FieldName::Time => return visit(record.time().to_string().as_bytes()),
        FieldName::Logspace => return visit(row.logspace.as_str().as_bytes()),
        FieldName::Part(target) => target,
    };
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
        Target::Named(name) => record
            .fields()
            .filter(|field| field.is_named(name.as_bytes()))
            .for_each(|field| visit(field.value)),
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
