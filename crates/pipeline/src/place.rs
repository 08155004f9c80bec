//! Places of a record that steps read and write, by their names.

use model::{Editor, Facility, Field, Priority, RecordRef, Severity, Span, TextPart, Timestamp};

use crate::step::Failure;

/// A place that a step reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The bytes as they arrived.
    Raw,
    /// What can be written, too.
    Place(Target),
}

/// A place that a step writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A part that is a text.
    Part(TextPart),
    /// The severity, by name or number.
    Severity,
    /// The facility, by name or number.
    Facility,
    /// When it happened, as RFC 3339 writes it.
    Time,
    /// A field.
    Field {
        /// The name as it was written, `fw.action`.
        name: Box<str>,
        /// How long the group is, what stands before the last dot; 0 where there is none.
        group_len: usize,
    },
}

/// A name that is no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name of a part or field: use 1 to 256 visible characters")]
pub struct UnknownPlace(String);

/// Longest name of a field, in bytes; that of fields in the text of messages.
const FIELD_NAME_BYTES_MAX: usize = 256;

impl Origin {
    /// The place of a name.
    ///
    /// # Errors
    /// When it cannot be the name of a field.
    pub fn parse(name: &str) -> Result<Self, UnknownPlace> {
        match name {
            "raw" => Ok(Self::Raw),
            name => Target::parse(name).map(Self::Place),
        }
    }

    /// Where the text of the place stands in the bytes of the record; `None` where there is none, or
    /// where it is no text.
    pub(crate) fn span(&self, record: &Editor<'_>) -> Option<Span> {
        let span = match self {
            Self::Raw => Span::new(0, record.record().raw().len()),
            Self::Place(Target::Part(part)) => record.part(*part),
            Self::Place(Target::Field { name, .. }) => {
                let record = record.record();
                let fields = record.field_spans().iter().zip(record.fields());
                let named = fields.filter(|(_, field)| field.is_named(name.as_bytes()));
                named.last()?.0.value
            }
            Self::Place(Target::Severity | Target::Facility | Target::Time) => return None,
        };
        (!span.is_empty()).then_some(span)
    }

    /// Appends the text of the place.
    pub(crate) fn read(&self, record: RecordRef<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Raw => out.extend_from_slice(record.raw()),
            Self::Place(target) => target.read(record, out),
        }
    }
}

impl Target {
    /// The place of a name.
    ///
    /// # Errors
    /// When it cannot be the name of a field.
    pub fn parse(name: &str) -> Result<Self, UnknownPlace> {
        Ok(match name {
            "host" => Self::Part(TextPart::Host),
            "program" => Self::Part(TextPart::Program),
            "pid" => Self::Part(TextPart::Pid),
            "msgid" => Self::Part(TextPart::Msgid),
            "message" => Self::Part(TextPart::Message),
            "severity" => Self::Severity,
            "facility" => Self::Facility,
            "time" => Self::Time,
            name => {
                let is_name = (1..=FIELD_NAME_BYTES_MAX).contains(&name.len())
                    && name.chars().all(|c| !c.is_control() && c != ' ')
                    && !name.ends_with('.')
                    && !name.contains('*');
                if !is_name {
                    return Err(UnknownPlace(name.to_owned()));
                }
                Self::Field {
                    name: name.into(),
                    group_len: name.rfind('.').unwrap_or(0),
                }
            }
        })
    }

    /// Appends the text of the place.
    pub(crate) fn read(&self, record: RecordRef<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Part(part) => out.extend_from_slice(match part {
                TextPart::Host => record.host(),
                TextPart::Program => record.program(),
                TextPart::Pid => record.pid(),
                TextPart::Msgid => record.msgid(),
                TextPart::Message => record.message(),
            }),
            Self::Severity => out.extend(record.priority().severity().name().bytes()),
            Self::Facility => out.extend(record.priority().facility().name().bytes()),
            Self::Time => out.extend(record.time().to_string().bytes()),
            Self::Field { name, .. } => {
                let named = record
                    .fields()
                    .filter(|field| field.is_named(name.as_bytes()));
                if let Some(field) = named.last() {
                    out.extend_from_slice(field.value);
                }
            }
        }
    }

    /// Writes a text there, in the place of what was there. An empty text leaves nothing.
    pub(crate) fn write(&self, record: &mut Editor<'_>, text: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Part(part) => {
                let span = record.append(text)?;
                record.set_part(*part, span);
            }
            Self::Severity => {
                let severity = parsed(text, "severity", Severity::parse)?;
                let facility = record.record().priority().facility();
                record.set_priority(Priority::new(facility, severity));
            }
            Self::Facility => {
                let facility = parsed(text, "facility", Facility::parse)?;
                let severity = record.record().priority().severity();
                record.set_priority(Priority::new(facility, severity));
            }
            Self::Time => {
                let time = Timestamp::parse_rfc3339(text)
                    .map_err(|_| Failure::Unfit(format!("{:?} is no time", lossy(text))))?;
                record.set_time(time);
            }
            Self::Field { name, group_len } => {
                record.retain_fields(|field| !is_called(&field, name.as_bytes()));
                if !text.is_empty() {
                    let value = record.append(text)?;
                    push_named(record, name, *group_len, value)?;
                }
            }
        }
        Ok(())
    }

    /// Writes what stands in the record already.
    pub(crate) fn write_span(&self, record: &mut Editor<'_>, span: Span) -> Result<(), Failure> {
        match self {
            Self::Part(part) => {
                record.set_part(*part, span);
                Ok(())
            }
            Self::Field { name, group_len } => {
                record.retain_fields(|field| !is_called(&field, name.as_bytes()));
                push_named(record, name, *group_len, span)
            }
            Self::Severity | Self::Facility | Self::Time => {
                let text = span.of(record.record().bytes()).to_vec();
                self.write(record, &text)
            }
        }
    }
}

/// Whether a field has exactly this full name, in any ASCII case.
pub(crate) fn is_called(field: &model::FieldRef<'_>, full: &[u8]) -> bool {
    let name = field.name;
    if field.group.is_empty() {
        return name.eq_ignore_ascii_case(full);
    }
    full.len() == field.group.len() + 1 + name.len() && field.is_named(full)
}

/// Sets a field by its full name to what stands in the record.
pub(crate) fn set_named(record: &mut Editor<'_>, full: &str, value: Span) -> Result<(), Failure> {
    record.retain_fields(|field| !is_called(&field, full.as_bytes()));
    push_named(record, full, full.rfind('.').unwrap_or(0), value)
}

fn push_named(
    record: &mut Editor<'_>,
    full: &str,
    group_len: usize,
    value: Span,
) -> Result<(), Failure> {
    let start = record.append(full.as_bytes())?.start as usize;
    let name_start = if group_len == 0 { 0 } else { group_len + 1 };
    let group = match group_len {
        0 => Span::default(),
        len => Span::new(start, start + len),
    };
    record.push_field(Field {
        group,
        name: Span::new(start + name_start, start + full.len()),
        value,
    })?;
    Ok(())
}

fn parsed<T>(text: &[u8], what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    let parsed = std::str::from_utf8(text).ok().and_then(parse);
    parsed.ok_or_else(|| Failure::Unfit(format!("{:?} is no {what}", lossy(text))))
}

/// The start of a text, to show it.
fn lossy(text: &[u8]) -> String {
    const SHOWN_BYTES: usize = 60;
    String::from_utf8_lossy(text.get(..SHOWN_BYTES).unwrap_or(text)).into_owned()
}
