//! The values of a field of some rows of a segment, each by a number: by kinds and columns, without records.

use model::{Facility, LogspaceName, Severity};
use query::{FieldName, Number, Target};
use segment::Namespace;
use store::{OpenChunk, Part, ReadError, SegmentHandle};
use text_fields::FieldFinder;

use crate::evaluate::code_rows;
use crate::field_reader::{MessageSink, ValueSink};
use crate::field_values::FieldValues;
use crate::part_values::PartReader;
use crate::question::values::each_of_record;
use crate::row_set::RowSet;
use crate::value_table::ValueTable;

/// The number of no value.
const NONE: u32 = 0;
/// Of a row whose record has to be looked at.
const OPEN: u32 = u32::MAX;

/// What a row has of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// No value, or an empty one.
    None,
    /// The value of this number.
    Value(u32),
    /// That can be said of its record alone.
    Open,
}

/// Numbers the values of a field. Those of a number stay the same until they are forgotten.
pub(super) struct ValueIds {
    source: Source,
    values: ValueTable<()>,
    /// What each row of a stretch of ordinals has, by its place there: 0 for none, or 1 more than the number.
    own: Vec<u32>,
    first: u32,
}

/// Where values come from.
enum Source {
    Part(PartReader),
    Named(Box<(FieldValues, FieldFinder<'static>)>),
    Codes(Codes),
    /// What is kept of a record beside its texts.
    Head(Target),
    /// The logspace at hand.
    Logspace(String),
}

/// A part of records that is one of few numbers with names.
struct Codes {
    namespace: Namespace,
    names: Vec<(u8, &'static str)>,
    /// The rows of the segment at hand that have each.
    rows: Vec<RowSet>,
}

impl ValueIds {
    /// For a field, with so many bytes of memory for its values; `None` for one that takes a look at records.
    pub(super) fn of(field: &FieldName, bytes_max: usize) -> Option<Self> {
        let target = match field {
            FieldName::Logspace => None,
            FieldName::Part(target) => Some(target),
            FieldName::Id | FieldName::Received | FieldName::Time => return None,
        };
        let part = |part| Some(Source::Part(PartReader::new(part)));
        let source = match target {
            None => Some(Source::Logspace(String::new())),
            Some(Target::Host) => part(Namespace::Host),
            Some(Target::Program) => part(Namespace::Program),
            Some(Target::Pid) => part(Namespace::Pid),
            Some(Target::Msgid) => part(Namespace::Msgid),
            Some(Target::Severity) => {
                let names = Severity::all().map(|severity| (severity.number(), severity.name()));
                Some(Source::Codes(Codes::of(Namespace::Severity, names)))
            }
            Some(Target::Facility) => {
                let names = Facility::all().map(|facility| (facility.number(), facility.name()));
                Some(Source::Codes(Codes::of(Namespace::Facility, names)))
            }
            Some(Target::Named(name)) => {
                let finder = FieldFinder::new(name.clone().into_bytes());
                Some(Source::Named(Box::new((FieldValues::new(name), finder))))
            }
            Some(head @ (Target::Source | Target::Peer | Target::Tag)) => {
                Some(Source::Head(head.clone()))
            }
            // So many messages are different that those which come first would take all memory, where kinds are read
            // one behind another. No stage names the text.
            Some(Target::Message | Target::Text) => None,
        };
        Some(Self {
            source: source?,
            values: ValueTable::new(bytes_max),
            own: Vec::new(),
            first: 0,
        })
    }

    /// Whether the rows of all kinds are read together.
    pub(super) fn reads_heads(&self) -> bool {
        matches!(self.source, Source::Head(_))
    }

    /// The rows of a part, of some, that may have a value.
    pub(super) fn with_value(&mut self, part: &Part, set: RowSet) -> RowSet {
        match &mut self.source {
            Source::Named(named) => named.0.with_field(part, set),
            _ => set,
        }
    }

    /// Makes ready to read some rows of a part, of those that [`Self::with_value`] has returned.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) fn begin(
        &mut self,
        (logspace, part): (&LogspaceName, &Part),
        set: &RowSet,
    ) -> Result<(), ReadError> {
        match &mut self.source {
            // Each segment numbers its own kinds.
            Source::Part(reader) => reader.begin(),
            Source::Named(named) => named.0.begin(part, set),
            Source::Codes(codes) => {
                if let Part::Segment(segment) = part {
                    codes.begin(segment)?;
                }
            }
            Source::Logspace(name) => logspace.as_str().clone_into(name),
            Source::Head(_) => {}
        }
        Ok(())
    }

    /// Reads what the rows of a chunk with some ordinals have, which ascend; whether there was room for their values.
    ///
    /// # Errors
    /// When the kinds of the rows cannot be read.
    pub(super) fn read(
        &mut self,
        (segment, chunk, opened): (&SegmentHandle, usize, &OpenChunk<'_>),
        ordinals: &[u32],
    ) -> Result<bool, ReadError> {
        self.first = ordinals.first().copied().unwrap_or_default();
        let behind = ordinals.last().map_or(self.first, |last| last + 1);
        self.own.clear();
        self.own.resize((behind - self.first) as usize, NONE);
        let mut ids = Ids {
            values: &mut self.values,
            own: &mut self.own,
            first: self.first,
            finder: None,
            is_full: false,
        };
        let open = match &mut self.source {
            Source::Part(reader) => reader.read_chunk(segment, chunk, ordinals, &mut ids)?,
            Source::Named(named) => {
                let (values, finder) = &mut **named;
                ids.finder = Some(finder);
                values.read_chunk(opened, ordinals, &mut ids)
            }
            Source::Codes(codes) => {
                for ((_, name), rows) in codes.names.iter().zip(&codes.rows) {
                    let id = ids.see(name.as_bytes());
                    rows.first_rows(&(self.first..behind), usize::MAX)
                        .into_iter()
                        .for_each(|ordinal| ids.row(ordinal, id));
                }
                Vec::new()
            }
            Source::Head(target) => {
                let rows = segment.at_ordinals(chunk, ordinals)?;
                let heads = segment.heads(chunk, rows.iter().map(|(row, _)| *row))?;
                for ((_, ordinal), head) in rows.iter().zip(heads.iter()) {
                    let each = |visit: &mut dyn FnMut(&[u8])| each_of_record(target, head, visit);
                    ids.see_each(*ordinal, None, each);
                }
                Vec::new()
            }
            Source::Logspace(name) => {
                let id = ids.see(name.as_bytes());
                ids.rows(ordinals, id);
                Vec::new()
            }
        };
        ids.rows(&open, OPEN);
        Ok(!ids.is_full)
    }

    /// What a row has whose ordinal was read.
    pub(super) fn own(&self, ordinal: u32) -> Own {
        let place = ordinal.wrapping_sub(self.first) as usize;
        match self.own.get(place).copied().unwrap_or(OPEN) {
            NONE => Own::None,
            OPEN => Own::Open,
            id => Own::Value(id - 1),
        }
    }

    /// The value of a number.
    pub(super) fn value(&self, id: u32) -> &[u8] {
        self.values.value(id)
    }

    /// The number that the value of a number is, if any; that of a severity or a facility is its code.
    pub(super) fn number(&self, id: u32) -> Option<Number> {
        let value = self.value(id);
        match &self.source {
            Source::Codes(codes) => {
                let mut names = codes.names.iter();
                let (code, _) = names.find(|(_, name)| name.as_bytes() == value)?;
                Some(Number::Integer((*code).into()))
            }
            _ => Number::parse(value),
        }
    }

    /// Forgets all values. Their memory is used again.
    pub(super) fn forget(&mut self) {
        self.values.drain(|_, ()| {});
    }

    /// Whether half of the memory for values is in use.
    pub(super) fn is_half_full(&self) -> bool {
        self.values.is_half_full()
    }
}

impl Codes {
    fn of(namespace: Namespace, names: impl Iterator<Item = (u8, &'static str)>) -> Self {
        Self {
            namespace,
            names: names.collect(),
            rows: Vec::new(),
        }
    }

    fn begin(&mut self, segment: &SegmentHandle) -> Result<(), ReadError> {
        let rows = |(code, _): &(u8, _)| code_rows(self.namespace, &[*code], segment);
        self.rows = self.names.iter().map(rows).collect::<Result<_, _>>()?;
        Ok(())
    }
}

/// Notes the numbers of values.
struct Ids<'i> {
    values: &'i mut ValueTable<()>,
    own: &'i mut [u32],
    first: u32,
    finder: Option<&'i mut FieldFinder<'static>>,
    is_full: bool,
}

impl Ids<'_> {
    /// Notes the values of a row, one that is known and others.
    fn see_each(
        &mut self,
        ordinal: u32,
        known: Option<&[u8]>,
        each: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) {
        let mut id = known.map_or(NONE, |value| self.see(value));
        let mut count = u32::from(known.is_some());
        each(&mut |value| {
            count += 1;
            id = self.see(value);
        });
        // Of several, it matters whether they are the same.
        self.row(ordinal, if count > 1 { OPEN } else { id });
    }
}

impl ValueSink for Ids<'_> {
    type Seen = u32;

    fn see(&mut self, value: &[u8]) -> u32 {
        if value.is_empty() {
            return NONE;
        }
        let index = self.values.index(value);
        let id = index.and_then(|index| u32::try_from(index + 1).ok());
        self.is_full |= id.is_none();
        id.unwrap_or(OPEN)
    }

    fn row(&mut self, ordinal: u32, id: u32) {
        let place = ordinal.wrapping_sub(self.first) as usize;
        if let Some(own) = self.own.get_mut(place) {
            *own = id;
        }
    }
}

impl MessageSink for Ids<'_> {
    fn message(&mut self, ordinal: u32, in_data: Option<&[u8]>, message: &[u8]) {
        let Some(finder) = self.finder.take() else {
            return self.row(ordinal, OPEN);
        };
        self.see_each(ordinal, in_data, |visit| finder.each(message, visit));
        self.finder = Some(finder);
    }
}
