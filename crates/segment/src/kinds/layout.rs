//! Where the spans of a record lie: in bytes, or in pieces between edges.
#![deny(clippy::indexing_slicing)]

use model::{Field, RecordBatch, RecordHead, Span};

use crate::wire::{Reader, put_varint};
use crate::{Corrupt, Namespace};

/// Places that are looked at before all are searched.
const NEAR_PLACES: usize = 4;

/// The parts in the order of [`Layout::parts`].
pub(super) const PARTS: [Namespace; 6] = [
    Namespace::Host,
    Namespace::Program,
    Namespace::Pid,
    Namespace::Msgid,
    Namespace::StructuredData,
    Namespace::Message,
];

/// The spans of a record, all in the same unit. Those that are absent are 0, 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Where `raw` ends.
    pub(super) raw_len: u32,
    /// The spans of [`PARTS`].
    pub(super) parts: [Span; 6],
    /// The spans of the fields.
    pub(super) fields: Vec<Field>,
}

impl Layout {
    /// Replaces this by the layout of a record in bytes.
    pub(super) fn read(&mut self, batch: &RecordBatch, head: &RecordHead) {
        let clean = |span| fitting(span, head);
        self.raw_len = head.raw_len;
        self.parts = [
            head.host,
            head.program,
            head.pid,
            head.msgid,
            head.structured_data,
            head.message,
        ]
        .map(clean);
        let start = head.fields_start as usize;
        let end = start.saturating_add(head.fields_len as usize);
        let fields = batch.fields().get(start..end).unwrap_or(&[]);
        self.fields.clear();
        self.fields.extend(fields.iter().map(|field| Field {
            group: clean(field.group),
            name: clean(field.name),
            value: clean(field.value),
        }));
    }

    /// All spans.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let fields = self.fields.iter();
        let of_fields = fields.flat_map(|field| [field.group, field.name, field.value]);
        self.parts.into_iter().chain(of_fields)
    }

    /// Turns bytes into pieces, given where pieces start and where the last one ends.
    pub(super) fn count_pieces(&mut self, bounds: &[u32]) {
        let mut last = 0;
        let mut index_of = |offset: u32| {
            last = index_near(offset, last, bounds);
            last as u32
        };
        let mut in_pieces = |span: Span| {
            if span.is_empty() {
                return span;
            }
            let start = index_of(span.start);
            let len = index_of(span.start + span.len) - start;
            Span { start, len }
        };
        self.parts = self.parts.map(&mut in_pieces);
        for field in &mut self.fields {
            *field = Field {
                group: in_pieces(field.group),
                name: in_pieces(field.name),
                value: in_pieces(field.value),
            };
        }
        self.raw_len = index_of(self.raw_len);
    }

    /// Appends this.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_varint(u64::from(self.raw_len), out);
        for span in self.parts {
            put_span(span, out);
        }
        put_varint(self.fields.len() as u64, out);
        for field in &self.fields {
            put_span(field.group, out);
            put_span(field.name, out);
            put_span(field.value, out);
        }
    }

    /// Reads what stands before the fields of a layout of a record that has `len` units.
    pub(super) fn decode_parts(reader: &mut Reader<'_>, len: usize) -> Result<Self, Corrupt> {
        let mut layout = Self {
            raw_len: narrow(reader.count("end of a record's raw", len)?)?,
            ..Self::default()
        };
        for part in &mut layout.parts {
            *part = read_span(reader, len)?;
        }
        Ok(layout)
    }

    /// Reads a layout of a record that has `len` units, and at most so many fields.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        len: usize,
        fields_max: usize,
    ) -> Result<Self, Corrupt> {
        let mut layout = Self::decode_parts(reader, len)?;
        // A field takes three bytes: what is allocated is bounded by what is read.
        for _ in 0..reader.count("number of fields", fields_max)? {
            layout.fields.push(Field {
                group: read_span(reader, len)?,
                name: read_span(reader, len)?,
                value: read_span(reader, len)?,
            });
        }
        Ok(layout)
    }
}

/// The index of a place among all, which often is one of the next behind the one before: spans mostly
/// come in order.
fn index_near(place: u32, last: usize, bounds: &[u32]) -> usize {
    let ahead = bounds.get(last..).unwrap_or(&[]).iter().take(NEAR_PLACES);
    for (index, bound) in (last..).zip(ahead) {
        if *bound == place {
            return index;
        }
    }
    bounds.binary_search(&place).unwrap_or_default()
}

/// The span, or none where it leaves the record.
fn fitting(span: Span, head: &RecordHead) -> Span {
    let total = u64::from(head.raw_len) + u64::from(head.extra_len);
    let end = u64::from(span.start) + u64::from(span.len);
    if span.is_empty() || end > total {
        return Span::default();
    }
    span
}

fn put_span(span: Span, out: &mut Vec<u8>) {
    put_varint(u64::from(span.len), out);
    if !span.is_empty() {
        put_varint(u64::from(span.start), out);
    }
}

fn read_span(reader: &mut Reader<'_>, total: usize) -> Result<Span, Corrupt> {
    let len = reader.count("length of a span", total)?;
    if len == 0 {
        return Ok(Span::default());
    }
    let start = reader.count("start of a span", total - len)?;
    Ok(Span {
        start: narrow(start)?,
        len: narrow(len)?,
    })
}

fn narrow(value: usize) -> Result<u32, Corrupt> {
    u32::try_from(value).map_err(|_| Corrupt::TooLarge {
        what: "place in a record",
        value: value as u64,
        max: u64::from(u32::MAX),
    })
}
