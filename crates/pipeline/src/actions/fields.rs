//! Fields are taken off and renamed.

use model::{Editor, Field, FieldRef, Span};

use crate::place::{Origin, Target, is_called};
use crate::step::{Action, Failure, Scratch};

/// Takes off parts and fields.
#[derive(Clone, Debug)]
pub struct Unset {
    targets: Vec<Pattern>,
}

/// Which places are meant.
#[derive(Clone, Debug)]
enum Pattern {
    /// One.
    Place(Target),
    /// The fields whose full names begin like this.
    Below(Box<str>),
}

/// A name with a `*` elsewhere than at its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no fields: write a name, or the start of names and `*`, such as \"fw.*\"")]
pub struct InvalidGlob(String);

impl Unset {
    /// `names` are those of parts and fields; `fw.*` means all fields whose names begin with `fw.`.
    ///
    /// # Errors
    /// When one of them is no name.
    pub fn new(names: &[String]) -> Result<Self, InvalidGlob> {
        let pattern = |name: &String| {
            if let Some(start) = name.strip_suffix('*').filter(|start| !start.contains('*')) {
                return Ok(Pattern::Below(start.into()));
            }
            match Target::parse(name) {
                Ok(target @ (Target::Part(_) | Target::Field { .. })) => Ok(Pattern::Place(target)),
                _ => Err(InvalidGlob(name.clone())),
            }
        };
        Ok(Self {
            targets: names.iter().map(pattern).collect::<Result<_, _>>()?,
        })
    }
}

impl Action for Unset {
    fn apply(&self, record: &mut Editor<'_>, _: &mut Scratch) -> Result<(), Failure> {
        for target in &self.targets {
            match target {
                Pattern::Place(target) => target.write(record, b"")?,
                Pattern::Below(start) => {
                    record.retain_fields(|field| !begins_with(&field, start.as_bytes()));
                }
            }
        }
        Ok(())
    }
}

/// Whether the full name of a field begins so, in any ASCII case.
fn begins_with(field: &FieldRef<'_>, start: &[u8]) -> bool {
    let dot: &[u8] = if field.group.is_empty() { b"" } else { b"." };
    let full = field.group.iter().chain(dot).chain(field.name);
    let full_len = field.group.len() + dot.len() + field.name.len();
    full_len >= start.len()
        && full
            .zip(start)
            .all(|(own, wanted)| own.eq_ignore_ascii_case(wanted))
}

/// Gives a field another name, or makes a part of it: what was there is gone.
#[derive(Clone, Debug)]
pub struct Rename {
    /// What it is called.
    pub from: Target,
    /// What it will be called.
    pub to: Target,
}

impl Action for Rename {
    fn apply(&self, record: &mut Editor<'_>, _: &mut Scratch) -> Result<(), Failure> {
        let value = match &self.from {
            Target::Field { name, .. } => value_of(record, name),
            from => Origin::Place(from.clone()).span(record),
        };
        // A field that is not there is no mistake: not every message has every field.
        let Some(value) = value else {
            return Ok(());
        };
        self.from.write(record, b"")?;
        self.to.write_span(record, value)
    }
}

/// The value of the last field that has exactly this name.
fn value_of(record: &Editor<'_>, name: &str) -> Option<Span> {
    let record = record.record();
    let spans: std::slice::Iter<'_, Field> = record.field_spans().iter();
    let fields = spans.zip(record.fields());
    let named = fields.filter(|(_, field)| is_called(field, name.as_bytes()));
    Some(named.last()?.0.value)
}
