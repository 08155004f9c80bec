//! Records into columns. Each column is one pass over the heads of a page, which stay in the cache.

use std::ops::Range;

use model::{Field, RecordBatch, RecordHead, Span};

use super::TimeForm;
use super::place::{FieldPlaces, Place};
use super::tables::{Table, Tables};
use crate::column;
use crate::wire::{put_varint, zigzag};

/// Appends the records of a range of a batch. What [`super::decode_rows`] makes of them is equal to
/// them in all but two things: a span of no bytes, or one that does not fit its record, comes back
/// as 0, 0, and only the names that records use are kept.
pub fn encode_rows(batch: &RecordBatch, range: Range<usize>, out: &mut Vec<u8>) {
    let heads = batch.heads().get(range).unwrap_or(&[]);
    let mut column = Vec::with_capacity(heads.len());
    put_varint(heads.len() as u64, out);
    encode_times(heads, &mut column, out);
    encode_by(heads, &mut column, out, |head| {
        u64::from(head.priority.number())
    });
    encode_referring(batch, heads, &mut column, out);
    encode_by(heads, &mut column, out, |head| u64::from(head.raw_len));
    encode_by(heads, &mut column, out, |head| u64::from(head.extra_len));
    let mut places = vec![Place::default(); heads.len()];
    for part in [
        |head: &RecordHead| head.host,
        |head: &RecordHead| head.program,
        |head: &RecordHead| head.pid,
        |head: &RecordHead| head.msgid,
        |head: &RecordHead| head.structured_data,
    ] {
        encode_part(heads, &mut places, &mut column, out, part);
    }
    encode_message(heads, &places, &mut column, out);
    encode_fields(batch, heads, &places, &mut column, out);
    encode_bytes(batch, heads, out);
}

/// Appends what refers to peers, sources and tags, and what it refers to.
fn encode_referring(
    batch: &RecordBatch,
    heads: &[RecordHead],
    column: &mut Vec<u64>,
    out: &mut Vec<u8>,
) {
    let mut tables = Tables::new(batch, tags_of(heads));
    for table in Table::ALL {
        tables.number(table, heads, column);
        tables.encode(table, out);
        column::encode(column, out);
    }
}

/// All tags that records have.
pub(crate) fn tags_of(heads: &[RecordHead]) -> u64 {
    heads.iter().fold(0, |set, head| set | head.tags)
}

/// Writes what does not follow from the kinds of records, page by page: times, peers, sources and tags of some
/// rows, and apart from that the addresses and names that all of them refer to.
pub(crate) struct LooseWriter<'b> {
    tables: Tables<'b>,
    column: Vec<u64>,
}

impl<'b> LooseWriter<'b> {
    /// For rows that have these tags and refer to the names of a batch.
    pub(crate) fn new(names: &'b RecordBatch, tags: u64) -> Self {
        Self {
            tables: Tables::new(names, tags),
            column: Vec::new(),
        }
    }

    /// Appends what there is of the next rows.
    pub(crate) fn push(&mut self, heads: &[RecordHead], out: &mut Vec<u8>) {
        encode_times(heads, &mut self.column, out);
        for table in Table::ALL {
            self.tables.number(table, heads, &mut self.column);
            column::encode(&self.column, out);
        }
    }

    /// Appends the tables.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        for table in Table::ALL {
            self.tables.encode(table, out);
        }
    }
}

/// A column of one value a record.
fn encode_by(
    heads: &[RecordHead],
    column: &mut Vec<u64>,
    out: &mut Vec<u8>,
    value: impl FnMut(&RecordHead) -> u64,
) {
    column.clear();
    column.extend(heads.iter().map(value));
    column::encode(column, out);
}

fn encode_times(heads: &[RecordHead], column: &mut Vec<u64>, out: &mut Vec<u8>) {
    // Read several times, and a head is a line of the cache and more.
    let times: Vec<(i64, i64)> = heads
        .iter()
        .map(|head| (head.time.nanos(), head.received.nanos()))
        .collect();
    let form = time_form(&times);
    out.push(form as u8);
    column.clear();
    if form == TimeForm::Received {
        let behind = times
            .iter()
            .map(|(time, received)| time.wrapping_sub(*received));
        column.extend(behind.map(zigzag));
        return column::encode(column, out);
    }
    let mut last = times.first().map_or(0, |(time, _)| form.in_units(*time));
    put_varint(zigzag(last), out);
    column.extend(times.iter().map(|(time, _)| {
        let time = form.in_units(*time);
        let step = time.wrapping_sub(last);
        last = time;
        zigzag(step)
    }));
    column::encode(column, out);
}

/// The form that writes the fewest bits, given times and when they were received.
fn time_form(times: &[(i64, i64)]) -> TimeForm {
    let form = TimeForm::largest(|| times.iter().map(|(time, _)| *time));
    let bits = |difference: i64| u64::from(u64::BITS - zigzag(difference).leading_zeros());
    let mut last = times.first().map_or(0, |(time, _)| form.in_units(*time));
    let (mut by_received, mut by_step) = (0, 0);
    for (time, received) in times {
        let in_units = form.in_units(*time);
        by_received += bits(time.wrapping_sub(*received));
        by_step += bits(in_units.wrapping_sub(last));
        last = in_units;
    }
    if by_received <= by_step {
        TimeForm::Received
    } else {
        form
    }
}

/// The span, or none where it is empty or leaves the record's bytes.
fn fitting(span: Span, head: &RecordHead) -> Option<Span> {
    let total = u64::from(head.raw_len) + u64::from(head.extra_len);
    let end = u64::from(span.start) + u64::from(span.len);
    (span.len > 0 && end <= total).then_some(span)
}

/// A part of the header: its gap to the part before and its length.
fn encode_part(
    heads: &[RecordHead],
    places: &mut [Place],
    column: &mut Vec<u64>,
    out: &mut Vec<u8>,
    part: fn(&RecordHead) -> Span,
) {
    encode_by(heads, column, out, |head| {
        fitting(part(head), head).map_or(0, |span| u64::from(span.len))
    });
    let mut places = places.iter_mut();
    encode_by(heads, column, out, |head| {
        let (Some(place), Some(span)) = (places.next(), fitting(part(head), head)) else {
            return 0;
        };
        let gap = place.gap(span.start, head.raw_len);
        place.pass(span, head.raw_len);
        gap
    });
}

/// The message: its gap, and how far its end is from that of `raw`, nearly always not at all.
fn encode_message(
    heads: &[RecordHead],
    places: &[Place],
    column: &mut Vec<u64>,
    out: &mut Vec<u8>,
) {
    let message = |head: &RecordHead, place: &Place| {
        fitting(head.message, head).unwrap_or(Span {
            start: place.raw,
            len: 0,
        })
    };
    let mut each = places.iter();
    encode_by(heads, column, out, |head| {
        each.next().map_or(0, |place| {
            let span = message(head, place);
            if span.is_empty() {
                0
            } else {
                place.gap(span.start, head.raw_len)
            }
        })
    });
    let mut each = places.iter();
    encode_by(heads, column, out, |head| {
        each.next().map_or(0, |place| {
            let span = message(head, place);
            zigzag(i64::from(head.raw_len) - i64::from(span.start) - i64::from(span.len))
        })
    });
}

/// The fields of all records, six columns of a value a field; none where there are no fields.
fn encode_fields(
    batch: &RecordBatch,
    heads: &[RecordHead],
    places: &[Place],
    column: &mut Vec<u64>,
    out: &mut Vec<u8>,
) {
    let of = |head: &RecordHead| fields_of(batch, head);
    encode_by(heads, column, out, |head| of(head).len() as u64);
    if heads.iter().all(|head| of(head).is_empty()) {
        return;
    }
    let mut columns: [Vec<u64>; 6] = Default::default();
    let [
        group_lens,
        group_gaps,
        name_lens,
        name_gaps,
        value_lens,
        value_gaps,
    ] = &mut columns;
    for (head, place) in heads.iter().zip(places) {
        let sd = fitting(head.structured_data, head).unwrap_or_default();
        let message = fitting(head.message, head).unwrap_or_default();
        let mut places = FieldPlaces::new(*place, sd, message);
        let clean = |span| fitting(span, head).unwrap_or_default();
        for field in of(head) {
            let (group, name, value) = (clean(field.group), clean(field.name), clean(field.value));
            group_lens.push(u64::from(group.len));
            group_gaps.push(places.group_gap(group, head.raw_len));
            name_lens.push(u64::from(name.len));
            name_gaps.push(places.gap(name, head.raw_len));
            value_lens.push(u64::from(value.len));
            value_gaps.push(places.gap(value, head.raw_len));
        }
    }
    for column in &columns {
        column::encode(column, out);
    }
}

fn fields_of<'a>(batch: &'a RecordBatch, head: &RecordHead) -> &'a [Field] {
    let start = head.fields_start as usize;
    batch
        .fields()
        .get(start..start.saturating_add(head.fields_len as usize))
        .unwrap_or(&[])
}

/// `raw` and `extra` of all records: one copy where they stand in order, as they nearly always do.
fn encode_bytes(batch: &RecordBatch, heads: &[RecordHead], out: &mut Vec<u8>) {
    let len = |head: &RecordHead| u64::from(head.raw_len) + u64::from(head.extra_len);
    let mut run = 0..0_u64;
    let mut copy = |run: Range<u64>| {
        let bytes = batch.bytes().get(run.start as usize..run.end as usize);
        assert!(
            bytes.is_some(),
            "a record lies within the bytes of its batch"
        );
        out.extend_from_slice(bytes.unwrap_or(&[]));
    };
    for head in heads {
        let start = u64::from(head.start);
        if start != run.end {
            copy(run.clone());
            run.start = start;
        }
        run.end = start + len(head);
    }
    copy(run);
}
