//! Columns into records. Every number is checked before it is used: bytes that no encoder wrote
//! give an error, not a panic, a large allocation or a span outside its record.
#![deny(clippy::indexing_slicing)]

use model::limits::{BATCH_BYTES_MAX, BATCH_FIELDS_MAX, BATCH_RECORDS_MAX};
use model::{Field, Priority, RecordBatch, RecordHead, Span, Timestamp};

use super::loose;
use super::place::{FieldPlaces, Place};
use crate::Corrupt;
use crate::column;
use crate::wire::{Reader, unzigzag};

/// Reads what [`super::encode_rows`] wrote; all of `bytes` must be it. `received` holds the time of
/// receipt of each record.
pub fn decode_rows(bytes: &[u8], received: &[Timestamp]) -> Result<RecordBatch, Corrupt> {
    let mut columns = Columns::new(bytes, received)?;
    let mut batch = RecordBatch::new();
    columns.times()?;
    columns.priorities()?;
    columns.peers()?;
    columns.sources(&mut batch)?;
    columns.tags(&mut batch)?;
    columns.lens()?;
    for set in [
        |head: &mut RecordHead, span| head.host = span,
        |head: &mut RecordHead, span| head.program = span,
        |head: &mut RecordHead, span| head.pid = span,
        |head: &mut RecordHead, span| head.msgid = span,
        |head: &mut RecordHead, span| head.structured_data = span,
    ] {
        columns.part(set)?;
    }
    columns.messages()?;
    let fields = columns.fields()?;
    columns.finish(batch, fields)
}

/// The records as far as they are read, and the bytes still to be read.
struct Columns<'a> {
    reader: Reader<'a>,
    heads: Vec<RecordHead>,
    places: Vec<Place>,
    /// The last two columns.
    first: Vec<u64>,
    second: Vec<u64>,
    /// Sum of `raw_len` and `extra_len` of all records.
    total_bytes: usize,
}

impl<'a> Columns<'a> {
    fn new(bytes: &'a [u8], received: &[Timestamp]) -> Result<Self, Corrupt> {
        let mut reader = Reader::new("rows", bytes);
        let rows = reader.count("number of rows", BATCH_RECORDS_MAX)?;
        if rows != received.len() {
            return Err(Corrupt::Invalid {
                what: "number of rows",
                value: rows as u64,
            });
        }
        Ok(Self {
            reader,
            heads: received.iter().copied().map(bare_head).collect(),
            places: vec![Place::default(); rows],
            first: Vec::with_capacity(rows),
            second: Vec::with_capacity(rows),
            total_bytes: 0,
        })
    }

    /// Reads the next column into `first`.
    fn read(&mut self) -> Result<(), Corrupt> {
        column::decode(&mut self.reader, self.heads.len(), &mut self.first)
    }

    fn times(&mut self) -> Result<(), Corrupt> {
        let received: Vec<Timestamp> = self.heads.iter().map(|head| head.received).collect();
        let times = loose::times(&mut self.reader, received.len())?.of(received);
        for (head, time) in self.heads.iter_mut().zip(times) {
            head.time = time;
        }
        Ok(())
    }

    fn priorities(&mut self) -> Result<(), Corrupt> {
        self.read()?;
        for (head, &value) in self.heads.iter_mut().zip(&self.first) {
            head.priority = u8::try_from(value)
                .ok()
                .and_then(Priority::from_number)
                .ok_or_else(|| invalid("priority", value))?;
        }
        Ok(())
    }

    fn peers(&mut self) -> Result<(), Corrupt> {
        let peers = loose::peers(&mut self.reader, self.heads.len())?;
        for (head, peer) in self.heads.iter_mut().zip(peers.values()) {
            head.peer = peer.flatten();
        }
        Ok(())
    }

    fn sources(&mut self, batch: &mut RecordBatch) -> Result<(), Corrupt> {
        let sources = loose::sources(&mut self.reader, self.heads.len(), batch)?;
        for (head, source) in self.heads.iter_mut().zip(sources.values()) {
            head.source = source.unwrap_or_default();
        }
        Ok(())
    }

    fn tags(&mut self, batch: &mut RecordBatch) -> Result<(), Corrupt> {
        let tags = loose::tags(&mut self.reader, self.heads.len(), batch)?;
        for (head, tags) in self.heads.iter_mut().zip(tags.values()) {
            head.tags = tags.unwrap_or_default();
        }
        Ok(())
    }

    fn lens(&mut self) -> Result<(), Corrupt> {
        self.read()?;
        for (head, &value) in self.heads.iter_mut().zip(&self.first) {
            head.raw_len = narrow("length of a record", value)?;
        }
        self.read()?;
        for (head, &value) in self.heads.iter_mut().zip(&self.first) {
            head.extra_len = narrow("length of an extra", value)?;
            self.total_bytes += head.raw_len as usize + head.extra_len as usize;
        }
        if self.total_bytes > BATCH_BYTES_MAX {
            return Err(Corrupt::TooLarge {
                what: "length of all records",
                value: self.total_bytes as u64,
                max: BATCH_BYTES_MAX as u64,
            });
        }
        Ok(())
    }

    fn part(&mut self, set: fn(&mut RecordHead, Span)) -> Result<(), Corrupt> {
        let rows = self.heads.len();
        column::decode(&mut self.reader, rows, &mut self.first)?;
        column::decode(&mut self.reader, rows, &mut self.second)?;
        let values = self.first.iter().zip(&self.second);
        for ((head, place), (&len, &gap)) in self.heads.iter_mut().zip(&mut self.places).zip(values)
        {
            if len == 0 {
                continue;
            }
            let start = place.start(gap, head.raw_len);
            let span = fitting(start, len, head)?;
            place.pass(span, head.raw_len);
            set(head, span);
        }
        Ok(())
    }

    fn messages(&mut self) -> Result<(), Corrupt> {
        let rows = self.heads.len();
        column::decode(&mut self.reader, rows, &mut self.first)?;
        column::decode(&mut self.reader, rows, &mut self.second)?;
        let values = self.first.iter().zip(&self.second);
        for ((head, place), (&gap, &tail)) in self.heads.iter_mut().zip(&self.places).zip(values) {
            let start = place.start(gap, head.raw_len);
            let end = i64::from(head.raw_len).checked_sub(unzigzag(tail));
            let len = end
                .zip(start)
                .and_then(|(end, start)| end.checked_sub(i64::from(start)))
                .and_then(|len| u64::try_from(len).ok())
                .ok_or_else(|| invalid("end of a message", tail))?;
            if len > 0 {
                head.message = fitting(start, len, head)?;
            }
        }
        Ok(())
    }

    fn fields(&mut self) -> Result<Vec<Field>, Corrupt> {
        self.read()?;
        let mut total = 0_usize;
        for (head, &value) in self.heads.iter_mut().zip(&self.first) {
            head.fields_len = narrow("number of fields", value)?;
            total = total.saturating_add(head.fields_len as usize);
        }
        if total > BATCH_FIELDS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of fields",
                value: total as u64,
                max: BATCH_FIELDS_MAX as u64,
            });
        }
        let mut fields = vec![Field::default(); total];
        if total == 0 {
            return Ok(fields);
        }
        let mut columns: [Vec<u64>; 6] = Default::default();
        for column in &mut columns {
            column::decode(&mut self.reader, total, column)?;
        }
        let mut values = columns.each_ref().map(|column| column.iter().copied());
        let mut next = || {
            values
                .each_mut()
                .map(|value| value.next().unwrap_or_default())
        };
        let mut rest = fields.as_mut_slice();
        for (head, place) in self.heads.iter().zip(&self.places) {
            let (own, others) = rest
                .split_at_mut_checked(head.fields_len as usize)
                .ok_or_else(|| invalid("number of fields", u64::from(head.fields_len)))?;
            rest = others;
            let mut places = FieldPlaces::new(*place, head.structured_data, head.message);
            for field in own {
                *field = decode_field(next(), &mut places, head)?;
            }
        }
        Ok(fields)
    }

    fn finish(self, mut batch: RecordBatch, fields: Vec<Field>) -> Result<RecordBatch, Corrupt> {
        let mut reader = self.reader;
        let bytes = reader.bytes(self.total_bytes)?.to_vec();
        reader.finish()?;
        batch
            .set_records(self.heads, fields, bytes)
            .map_err(|_| invalid("length of all records", self.total_bytes as u64))?;
        Ok(batch)
    }
}

/// The head of a record of which only the time of receipt is known.
pub(crate) fn bare_head(received: Timestamp) -> RecordHead {
    RecordHead {
        received,
        time: received,
        priority: Priority::DEFAULT,
        peer: None,
        source: 0,
        tags: 0,
        start: 0,
        raw_len: 0,
        extra_len: 0,
        host: Span::default(),
        program: Span::default(),
        pid: Span::default(),
        msgid: Span::default(),
        structured_data: Span::default(),
        message: Span::default(),
        fields_start: 0,
        fields_len: 0,
    }
}

fn decode_field(
    values: [u64; 6],
    places: &mut FieldPlaces,
    head: &RecordHead,
) -> Result<Field, Corrupt> {
    let [
        group_len,
        group_gap,
        name_len,
        name_gap,
        value_len,
        value_gap,
    ] = values;
    let mut field = Field::default();
    if group_len > 0 {
        field.group = fitting(places.group_start(group_gap, head.raw_len), group_len, head)?;
        places.pass_group(field.group, head.raw_len);
    }
    if name_len > 0 {
        field.name = fitting(places.start(name_gap, head.raw_len), name_len, head)?;
        places.pass(field.name, head.raw_len);
    }
    if value_len > 0 {
        field.value = fitting(places.start(value_gap, head.raw_len), value_len, head)?;
        places.pass(field.value, head.raw_len);
    }
    Ok(field)
}

/// The span, checked to lie within its record.
fn fitting(start: Option<u32>, len: u64, head: &RecordHead) -> Result<Span, Corrupt> {
    let total = u64::from(head.raw_len) + u64::from(head.extra_len);
    match (start, u32::try_from(len)) {
        (Some(start), Ok(len)) if u64::from(start) + u64::from(len) <= total => {
            Ok(Span { start, len })
        }
        _ => Err(invalid("span", len)),
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}

fn narrow(what: &'static str, value: u64) -> Result<u32, Corrupt> {
    u32::try_from(value).map_err(|_| Corrupt::TooLarge {
        what,
        value,
        max: u64::from(u32::MAX),
    })
}
