//! What is known of the values of each part of the columns of a chunk without its page.
//!
//! A zone map says which bytes the values have, how long they are and which numbers. Who only has to know
//! whether a value can be such, or whether all are, asks zone maps, and reads no column where they tell. They
//! stand in a page of their own: who reads records does not read them. Parts of few values have none, as
//! little is saved by not reading those.
#![deny(clippy::indexing_slicing)]

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{ByteSet, Column};
use crate::Corrupt;
use crate::column::{self, Packed};
use crate::limits::{
    COLUMN_PARTS_MAX, ZONE_MAP_ROWS_MIN, ZONE_MAP_SHAPE_BYTES_MAX, ZONE_MAP_SHAPE_DIGITS_MIN,
    ZONE_MAP_SHAPES_MAX,
};
use crate::page::{PageEntry, open};
use crate::wire::{Reader, put_bytes, put_varint, unzigzag, zigzag};

/// Spaces that are told apart in each value: so many, or more.
const SPACES_MAX: usize = 3;

/// In the marks of a zone map, beside the spaces: it has numbers.
const HAS_NUMBERS: u64 = 4;

/// Classes of bytes, one bit each.
///
/// They are those that readers of fields in texts tell apart, and those that numbers and identifiers are
/// of. Part of the format: the bytes of class `n` are those for which this is `n`.
const fn class_of(byte: u8) -> u16 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'f' => 1,
        b'g'..=b'z' => 2,
        b'A'..=b'F' => 3,
        b'G'..=b'Z' => 4,
        0x80.. => 5,
        b'-' => 6,
        b'.' => 7,
        b'_' | b'/' | b'@' | b'$' => 8,
        b' ' => 9,
        b'"' | b'\\' => 10,
        b'\'' => 11,
        b'=' | b'{' | b'}' => 12,
        b'[' => 13,
        b'|' | 0..=0x1f | 0x7f => 14,
        _ => 15,
    }
}

/// The classes of some bytes.
fn classes_of(bytes: &ByteSet) -> u16 {
    let is_met = |set: &ByteSet| bytes.iter().zip(set).any(|(own, set)| own & set != 0);
    let met = (0..).zip(&BYTES_OF).filter(|(_, set)| is_met(set));
    met.fold(0, |classes, (class, _)| classes | 1 << class)
}

/// The bytes of each class.
#[expect(
    clippy::indexing_slicing,
    reason = "computed by the compiler, which refuses a wrong index"
)]
const BYTES_OF: [ByteSet; 16] = {
    let mut sets = [[0; 4]; 16];
    let mut byte = 0;
    while byte <= u8::MAX as usize {
        sets[class_of(byte as u8) as usize][byte / 64] |= 1 << (byte % 64);
        byte += 1;
    }
    sets
};

/// The bytes of some classes.
fn bytes_of(classes: u16) -> ByteSet {
    let mut bytes = ByteSet::default();
    for (class, set) in BYTES_OF.iter().enumerate() {
        if classes >> class & 1 == 1 {
            bytes.iter_mut().zip(set).for_each(|(own, set)| *own |= set);
        }
    }
    bytes
}

/// What is known of the values of a part of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneMap {
    classes: u16,
    first: u16,
    spaces: usize,
    /// How long the values are, in bytes.
    pub lens: RangeInclusive<u64>,
    /// The least and the greatest, where each value is a whole number: digits with or without `-`.
    pub numbers: Option<RangeInclusive<i64>>,
    /// What all values are, with `0` for each digit, where they differ in digits alone and have many.
    shape: Option<Arc<[u8]>>,
}

impl ZoneMap {
    /// The zone map of a part with these values, which `column` has; `None` where it gets none.
    pub(super) fn of(values: &[&[u8]], column: &Column) -> Option<Self> {
        if values.len() < ZONE_MAP_ROWS_MIN {
            return None;
        }
        let lens = values.iter().map(|value| value.len() as u64);
        let summary = column.summary();
        Some(Self {
            classes: classes_of(&summary.bytes),
            first: classes_of(&summary.first),
            spaces: column.spaces_min().min(SPACES_MAX),
            lens: lens.clone().min()?..=lens.max()?,
            numbers: column.numbers(),
            shape: column.shape().filter(|shape| is_kept(shape)).map(Arc::from),
        })
    }

    /// The zone map that a part gets, made of what it is as it is read.
    pub(crate) fn of_column(column: &Column) -> Option<Self> {
        let values: Vec<Vec<u8>> = (0..column.rows)
            .map(|row| {
                let mut value = Vec::new();
                column.append(row, &mut value);
                value
            })
            .collect();
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        Self::of(&values, column)
    }

    /// Whether it says of values what one does that is made of them. A shape may be missing, since a page has
    /// room for so many.
    pub(crate) fn agrees_with(&self, made: &Self) -> bool {
        let shape = self.shape.as_ref().and(made.shape.clone());
        let made = made.clone();
        *self == Self { shape, ..made }
    }

    /// The bytes that the values may have: those of whole classes.
    pub fn bytes(&self) -> ByteSet {
        bytes_of(self.classes)
    }

    /// The bytes that they may start with.
    pub fn first(&self) -> ByteSet {
        bytes_of(self.first)
    }

    /// Whether one of them is empty.
    pub fn has_empty(&self) -> bool {
        *self.lens.start() == 0
    }

    /// How many spaces each value has at least.
    pub fn spaces_min(&self) -> usize {
        self.spaces
    }

    /// Whether all values are known to be this, with `0` for each digit.
    pub fn are_like(&self, shape: &[u8]) -> bool {
        if let Some(own) = &self.shape {
            return **own == *shape;
        }
        let len = shape.len() as u64;
        self.classes == 1 << class_of(b'0')
            && self.lens == (len..=len)
            && shape.iter().all(|byte| *byte == b'0')
    }
}

/// Whether a shape is written: digits alone are known by their class and length, and of few digits it would
/// be there for each word with a number.
fn is_kept(shape: &[u8]) -> bool {
    let digits = shape.iter().filter(|byte| **byte == b'0').count();
    shape.len() <= ZONE_MAP_SHAPE_BYTES_MAX
        && (ZONE_MAP_SHAPE_DIGITS_MIN..shape.len()).contains(&digits)
}

/// Gathers the zone maps of a chunk.
#[derive(Debug, Default)]
pub(crate) struct ZoneMapWriter {
    /// Parts before the next one.
    parts: u64,
    /// Parts before each that has a zone map, less those up to the one with a zone map before it.
    gaps: Vec<u64>,
    gap: u64,
    zone_maps: Vec<ZoneMap>,
}

impl ZoneMapWriter {
    /// Notes the zone map of the next part.
    pub(super) fn push(&mut self, zone_map: Option<ZoneMap>) {
        self.parts += 1;
        match zone_map {
            None => self.gap += 1,
            Some(zone_map) => {
                self.gaps.push(std::mem::take(&mut self.gap));
                self.zone_maps.push(zone_map);
            }
        }
    }

    /// How many parts have one.
    pub(crate) fn len(&self) -> usize {
        self.zone_maps.len()
    }

    /// Appends the zone maps; whether there are some.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> bool {
        if self.zone_maps.is_empty() {
            return false;
        }
        let mut shapes: Vec<&[u8]> = self
            .zone_maps
            .iter()
            .filter_map(|zone_map| zone_map.shape.as_deref())
            .collect();
        shapes.sort_unstable();
        shapes.dedup();
        shapes.truncate(ZONE_MAP_SHAPES_MAX);
        put_varint(self.zone_maps.len() as u64, out);
        column::encode(&self.gaps, out);
        let all =
            |number: fn(&ZoneMap) -> u64| self.zone_maps.iter().map(number).collect::<Vec<_>>();
        for numbers in [
            all(|zone_map| zone_map.classes.into()),
            all(|zone_map| zone_map.first.into()),
            all(|zone_map| {
                zone_map.spaces as u64 | zone_map.numbers.as_ref().map_or(0, |_| HAS_NUMBERS)
            }),
            all(|zone_map| *zone_map.lens.start()),
            all(|zone_map| zone_map.lens.end() - zone_map.lens.start()),
        ] {
            column::encode(&numbers, out);
        }
        put_varint(shapes.len() as u64, out);
        shapes.iter().for_each(|shape| put_bytes(shape, out));
        let places = self.zone_maps.iter().map(|zone_map| {
            let place = zone_map
                .shape
                .as_deref()
                .and_then(|own| shapes.binary_search(&own).ok());
            place.map_or(0, |place| place as u64 + 1)
        });
        column::encode(&places.collect::<Vec<_>>(), out);
        let numbers = self
            .zone_maps
            .iter()
            .filter_map(|zone_map| zone_map.numbers.clone());
        let least = numbers.clone().map(|numbers| zigzag(*numbers.start()));
        column::encode(&least.collect::<Vec<_>>(), out);
        let spans =
            numbers.map(|numbers| numbers.end().wrapping_sub(*numbers.start()).cast_unsigned());
        column::encode(&spans.collect::<Vec<_>>(), out);
        true
    }
}

/// The zone maps of the parts of a chunk.
#[derive(Debug)]
pub struct ZoneMaps {
    /// The numbers of the parts that have one, ascending.
    parts: Vec<u32>,
    classes: Packed,
    first: Packed,
    marks: Packed,
    lens_min: Packed,
    lens_more: Packed,
    shapes: Vec<Arc<[u8]>>,
    shape: Packed,
    /// The places among `parts` of those that have numbers, ascending, with the least and the greatest.
    numbers: Vec<(u32, i64, i64)>,
}

impl ZoneMaps {
    /// Decodes a zone map page from its stored bytes.
    ///
    /// # Errors
    /// When they are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let raw = open("zone map page", entry, stored)?;
        let mut reader = Reader::new("zone map page", &raw);
        let count = reader.count("number of zone maps", COLUMN_PARTS_MAX)?;
        let parts = decode_parts(&mut reader, count)?;
        let mut next = || Packed::decode(&mut reader, count);
        let (classes, first, marks) = (next()?, next()?, next()?);
        let (lens_min, lens_more) = (next()?, next()?);
        let shapes = decode_shapes(&mut reader)?;
        let shape = Packed::decode(&mut reader, count)?;
        let numbers = decode_numbers(&mut reader, &marks)?;
        reader.finish()?;
        Ok(Self {
            parts,
            classes,
            first,
            marks,
            lens_min,
            lens_more,
            shapes,
            shape,
            numbers,
        })
    }

    /// The zone map of a part, by its number among those of the chunk; `None` where it has none.
    pub(crate) fn get(&self, part: usize) -> Option<ZoneMap> {
        let place = self.parts.binary_search(&u32::try_from(part).ok()?).ok()?;
        let marks = self.marks.get(place)?;
        let least = self.lens_min.get(place)?;
        let shape = self.shape.get(place)?.checked_sub(1);
        let shape = shape.and_then(|shape| self.shapes.get(usize::try_from(shape).ok()?));
        let numbers = self
            .numbers
            .binary_search_by_key(&place, |(own, ..)| *own as usize);
        let numbers = numbers.ok().and_then(|at| self.numbers.get(at));
        Some(ZoneMap {
            classes: self.classes.get(place)? as u16,
            first: self.first.get(place)? as u16,
            spaces: (marks % HAS_NUMBERS) as usize,
            lens: least..=least.saturating_add(self.lens_more.get(place)?),
            numbers: numbers.map(|(_, least, greatest)| *least..=*greatest),
            shape: shape.cloned(),
        })
    }

    /// How many parts have one that are behind so many.
    pub(crate) fn behind(&self, parts: usize) -> usize {
        let within = self.parts.partition_point(|part| (*part as usize) < parts);
        self.parts.len() - within
    }

    /// Memory they take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let packed = [
            &self.classes,
            &self.first,
            &self.marks,
            &self.lens_min,
            &self.lens_more,
            &self.shape,
        ];
        let shapes = self
            .shapes
            .iter()
            .map(|shape| shape.len() + size_of::<Arc<[u8]>>());
        size_of_val::<[u32]>(&self.parts)
            + packed.map(Packed::memory_bytes).iter().sum::<usize>()
            + shapes.sum::<usize>()
            + size_of_val::<[(u32, i64, i64)]>(&self.numbers)
    }
}

fn decode_parts(reader: &mut Reader<'_>, count: usize) -> Result<Vec<u32>, Corrupt> {
    let mut parts = Vec::with_capacity(count.min(reader.rest().len()));
    let mut next = 0_u64;
    Packed::view(reader, count)?.each(|gap| {
        next = next.saturating_add(gap);
        parts.push(next.min(COLUMN_PARTS_MAX as u64) as u32);
        next = next.saturating_add(1);
    });
    if next > COLUMN_PARTS_MAX as u64 {
        return Err(Corrupt::TooLarge {
            what: "number of a part",
            value: next,
            max: COLUMN_PARTS_MAX as u64,
        });
    }
    Ok(parts)
}

fn decode_shapes(reader: &mut Reader<'_>) -> Result<Vec<Arc<[u8]>>, Corrupt> {
    let count = reader.count("number of shapes", ZONE_MAP_SHAPES_MAX)?;
    let mut shapes = Vec::new();
    for _ in 0..count {
        let len = reader.count("length of a shape", ZONE_MAP_SHAPE_BYTES_MAX)?;
        shapes.push(reader.bytes(len)?.into());
    }
    Ok(shapes)
}

/// The numbers of those zone maps whose marks say that they have some.
fn decode_numbers(
    reader: &mut Reader<'_>,
    marks: &Packed,
) -> Result<Vec<(u32, i64, i64)>, Corrupt> {
    let mut places = Vec::new();
    let mut place = 0;
    marks.each(|marks| {
        if marks & HAS_NUMBERS != 0 {
            places.push(place);
        }
        place += 1;
    });
    let least = Packed::view(reader, places.len())?;
    let spans = Packed::view(reader, places.len())?;
    let pairs = least.values().zip(spans.values());
    let pairs = pairs.map(|(least, span)| {
        let least = unzigzag(least);
        Some((least, least.checked_add_unsigned(span)?))
    });
    let numbers = places.into_iter().zip(pairs).map(|(place, pair)| {
        let (least, greatest) = pair.ok_or(Corrupt::Invalid {
            what: "greatest number of a part",
            value: u64::from(place),
        })?;
        Ok((place, least, greatest))
    });
    numbers.collect()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use crate::columns;
    use crate::page::PageWriter;
    use proptest::prelude::*;

    fn column_of(values: &[&[u8]]) -> Column {
        let mut bytes = Vec::new();
        columns::encode(values, &mut bytes);
        Column::decode(&mut Reader::new("test", &bytes), values.len()).expect("valid")
    }

    fn zone_map_of(values: &[&[u8]]) -> Option<ZoneMap> {
        let column = column_of(values);
        let zone_map = ZoneMap::of(values, &column);
        assert_eq!(ZoneMap::of_column(&column), zone_map);
        zone_map
    }

    /// The zone maps of some parts, written and read.
    fn written(zone_maps: &[Option<ZoneMap>]) -> Option<ZoneMaps> {
        let mut writer = ZoneMapWriter::default();
        zone_maps
            .iter()
            .for_each(|zone_map| writer.push(zone_map.clone()));
        let mut raw = Vec::new();
        if !writer.encode(&mut raw) {
            return None;
        }
        let mut file = Vec::new();
        let entry = PageWriter::new(1).append(&raw, &mut file);
        Some(ZoneMaps::decode(&entry, &file).expect("valid"))
    }

    fn is_in(bytes: &ByteSet, byte: u8) -> bool {
        bytes[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    fn zeroed(value: &[u8]) -> Vec<u8> {
        let zeroed = value.iter();
        zeroed
            .map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte })
            .collect()
    }

    /// Asserts that a zone map is true of values, by a look at each.
    fn check(zone_map: &ZoneMap, values: &[&[u8]]) {
        for value in values {
            assert!(value.iter().all(|byte| is_in(&zone_map.bytes(), *byte)));
            assert!(
                value
                    .first()
                    .is_none_or(|byte| is_in(&zone_map.first(), *byte))
            );
            assert!(zone_map.lens.contains(&(value.len() as u64)));
            let spaces = value.iter().filter(|byte| **byte == b' ').count();
            assert!(zone_map.spaces_min() <= spaces);
            if let Some(numbers) = &zone_map.numbers {
                let digits = value.strip_prefix(b"-").unwrap_or(value);
                assert!(!digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
                let number = std::str::from_utf8(value).expect("digits").parse::<i64>();
                assert!(numbers.contains(&number.expect("in range")), "{numbers:?}");
            }
            let first = zeroed(values[0]);
            assert!(!zone_map.are_like(&first) || zeroed(value) == first);
        }
        let of_len = |len: &u64| values.iter().any(|value| value.len() as u64 == *len);
        assert!(of_len(zone_map.lens.start()) && of_len(zone_map.lens.end()));
        assert_eq!(
            zone_map.has_empty(),
            values.iter().any(|value| value.is_empty())
        );
    }

    fn any_values() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let value = prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            (0..700_u32).prop_map(|number| number.to_string()),
            (1..9_u32).prop_map(|day| format!("0{day}/Oct/2026:13:55:3{day} +0000")),
            "[ -~]{0,12}",
            "[0-9a-f]{8}",
            "-?[0-9]{0,3}",
            ".{0,3}",
            (0..4_u32).prop_map(|number| format!("GET /{number} HTTP/1.1")),
        ];
        let of_a_form = prop_oneof![
            prop::collection::vec(value, 0..40),
            prop::collection::vec((200..600_u32).prop_map(|status| status.to_string()), 0..40),
            prop::collection::vec((-9..9_i64).prop_map(|number| number.to_string()), 0..40),
            (0..60_usize, "[0-9 a]{0,9}").prop_map(|(count, value)| vec![value; count]),
        ];
        of_a_form.prop_map(|values| values.into_iter().map(String::into_bytes).collect())
    }

    proptest! {
        #[test]
        fn zone_maps_are_true_of_every_value(columns in prop::collection::vec(any_values(), 0..6)) {
            let columns: Vec<Vec<&[u8]>> = columns
                .iter()
                .map(|values| values.iter().map(Vec::as_slice).collect())
                .collect();
            let zone_maps: Vec<_> = columns.iter().map(|values| zone_map_of(values)).collect();
            let read = written(&zone_maps);
            for (number, (values, zone_map)) in columns.iter().zip(&zone_maps).enumerate() {
                prop_assert_eq!(zone_map.is_some(), values.len() >= ZONE_MAP_ROWS_MIN);
                prop_assert_eq!(read.as_ref().and_then(|read| read.get(number)), zone_map.clone());
                if let Some(zone_map) = zone_map {
                    check(zone_map, values);
                }
            }
            prop_assert_eq!(read.map_or(0, |read| read.behind(columns.len())), 0);
        }

        #[test]
        fn any_bytes_are_survived(raw in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..80)) {
            let mut file = Vec::new();
            let entry = PageWriter::append_plain(&raw, &mut file);
            if let Ok(zone_maps) = ZoneMaps::decode(&entry, &file) {
                for part in 0..99 {
                    let _ = zone_maps.get(part);
                }
            }
        }
    }

    #[test]
    fn a_zone_map_says_what_readers_of_fields_ask() {
        let of = |value: &dyn Fn(u32) -> String| {
            let values: Vec<String> = (0..50).map(value).collect();
            let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            zone_map_of(&values).expect("enough values")
        };
        let statuses = of(&|number| (200 + number % 7 * 50).to_string());
        assert_eq!(statuses.numbers, Some(200..=500));
        assert!(statuses.are_like(b"000") && !statuses.are_like(b"0000"));
        let times = of(&|number| format!("1{}/Oct/2026:13:55:{} +0000", number % 9, 10 + number));
        assert!(times.are_like(b"00/Oct/0000:00:00:00 +0000"));
        assert!(!times.are_like(b"00/Nov/0000:00:00:00 +0000"));
        let requests = of(&|number| format!("GET /{:x} HTTP/1.1", number * number * 7_919));
        assert_eq!(requests.spaces_min(), 2);
        assert!(!is_in(&requests.bytes(), b'"') && !requests.has_empty());
        assert!(is_in(&requests.first(), b'G') && !is_in(&requests.first(), b'/'));
    }

    #[test]
    fn more_shapes_than_there_is_room_for_are_left_out() {
        let zone_maps = (0..ZONE_MAP_SHAPES_MAX + 9).map(|number| {
            let letters: String = format!("{number:05}")
                .bytes()
                .map(|digit| char::from(digit - b'0' + b'a'))
                .collect();
            let values: Vec<String> = (0..16).map(|row| format!("{letters}{row:08}")).collect();
            let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            zone_map_of(&values)
        });
        let zone_maps: Vec<_> = zone_maps.collect();
        let read = written(&zone_maps).expect("some");
        let mut without = 0;
        for (number, made) in zone_maps.iter().enumerate() {
            let (own, made) = (read.get(number).expect("one"), made.as_ref().expect("one"));
            assert!(made.shape.is_some() && own.agrees_with(made));
            without += usize::from(own.shape.is_none());
        }
        assert_eq!(without, 9);
    }

    #[test]
    fn every_byte_has_one_class() {
        for byte in 0..=u8::MAX {
            let sets = BYTES_OF.iter().filter(|set| is_in(set, byte));
            assert_eq!(sets.count(), 1, "{byte}");
            let mut bytes = ByteSet::default();
            bytes[usize::from(byte / 64)] |= 1 << (byte % 64);
            assert_eq!(classes_of(&bytes), 1 << class_of(byte));
            assert!(is_in(&bytes_of(classes_of(&bytes)), byte));
        }
    }

    #[test]
    fn parts_behind_the_last_possible_one_are_refused() {
        let mut raw = Vec::new();
        put_varint(1, &mut raw);
        column::encode(&[COLUMN_PARTS_MAX as u64], &mut raw);
        let mut file = Vec::new();
        let entry = PageWriter::append_plain(&raw, &mut file);
        assert!(matches!(
            ZoneMaps::decode(&entry, &file),
            Err(Corrupt::TooLarge {
                what: "number of a part",
                ..
            })
        ));
    }
}
