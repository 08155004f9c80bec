//! The values of one slot as bytes.
//!
//! A column is written in the way that is likely to take the least after compression; one byte says
//! which. What zstd at level 1 does well it is left to do: it codes bytes by their frequencies and
//! finds repetitions of four bytes and more, but it knows no digits, so that numbers are taken from
//! their digits here. Encodings are judged by the entropy of their byte planes ([`estimate`]); text
//! is what is left when nothing else fits.
//!
//! What must stay true: any values come back as they were; every value of a decoded column is found
//! without looking at others; the same values give the same bytes.
#![deny(clippy::indexing_slicing)]

mod decimal;
mod dictionary;
pub(crate) mod directory;
mod distinct;
mod estimate;
mod hexadecimal;
pub(crate) mod pack;
pub(crate) mod series;
mod shapes;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod sizes;
mod summary;
#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests;
mod text;
pub(crate) mod zone_maps;

pub use summary::insert_byte;
pub use summary::{ByteSet, ColumnSummary};
pub use zone_maps::{ZoneMap, ZoneMaps};

use std::sync::OnceLock;

use decimal::{NumberColumn, Numbers};
use dictionary::Dictionary;
use hexadecimal::{Digits, HexadecimalColumn};
use series::Series;
use shapes::{ShapeColumn, Shapes};
use text::{Text, TextPlan};

use crate::Corrupt;
use crate::bytes::are_same;
use crate::limits::{COLUMN_ROWS_MAX, PAGE_RAW_BYTES_MAX};
use crate::wire::{Reader, put_bytes, put_varint};

/// Encoding byte of one value for all rows.
const CONSTANT: u8 = 0;
/// Encoding byte of values that differ in decimal numbers.
const DECIMAL: u8 = 1;
/// Encoding byte of values of one length that differ in hexadecimal digits.
const HEXADECIMAL: u8 = 2;
/// Encoding byte of values that stand once, and their numbers.
const DICTIONARY: u8 = 3;
/// Encoding byte of lengths and bytes.
const TEXT: u8 = 4;
/// Encoding byte of lines.
const LINES: u8 = 5;
/// Encoding byte of values of several shapes, those of each shape by themselves.
const SHAPES: u8 = 6;

/// Where there are so many values of each, those that are different are few: shapes of all values
/// are not tried.
const FEW_OF: usize = 8;

/// Appends a column of at most [`COLUMN_ROWS_MAX`] values. Their count is not written.
pub(crate) fn encode(values: &[&[u8]], out: &mut Vec<u8>) {
    assert!(values.len() <= COLUMN_ROWS_MAX, "columns are cut before");
    let plain = Plain::read_one_shape(values);
    // With less than a bit for each value there is nothing left to save.
    if plain.bytes() <= values.len() as u64 / 8 || plain.is_narrow() {
        return plain.encode(values, out);
    }
    let dictionary = Dictionary::read(values);
    let is_few = |found: &Dictionary<'_>| found.entries.len() <= values.len() / FEW_OF;
    let plain = if dictionary.as_ref().is_some_and(is_few) {
        plain
    } else {
        plain.or_shapes(values)
    };
    let Some(dictionary) = dictionary.filter(|found| found.bytes() < plain.bytes()) else {
        return plain.encode(values, out);
    };
    let entries = Plain::read_one_shape(&dictionary.entries).or_shapes(&dictionary.entries);
    if dictionary.bytes() + entries.bytes() >= plain.bytes() {
        return plain.encode(values, out);
    }
    out.push(DICTIONARY);
    put_varint(dictionary.entries.len() as u64, out);
    entries.encode(&dictionary.entries, out);
    dictionary.encode_ids(out);
}

/// How values are written without a dictionary.
#[derive(Debug)]
enum Plain<'a> {
    Constant(&'a [u8]),
    Decimal(Numbers<'a>),
    Hexadecimal(Digits<'a>),
    Shapes(Shapes<'a>),
    /// With the bytes of the values and their ends.
    Text(TextPlan, u64),
}

impl<'a> Plain<'a> {
    /// Values by shape, where that is smaller than text.
    fn or_shapes(self, values: &[&'a [u8]]) -> Self {
        if let Self::Text(_, bytes) = self
            && let Some(shapes) = Shapes::read(values)
            && shapes.bytes < bytes
        {
            return Self::Shapes(shapes);
        }
        self
    }

    fn is_narrow(&self) -> bool {
        matches!(self, Self::Decimal(numbers) if numbers.is_narrow())
    }

    fn read_one_shape(values: &[&'a [u8]]) -> Self {
        let first = values.first().copied().unwrap_or_default();
        if values.iter().all(|value| are_same(value, first)) {
            return Self::Constant(first);
        }
        if let Some(numbers) = Numbers::read(values) {
            return Self::Decimal(numbers);
        }
        if let Some(digits) = Digits::read(values) {
            return Self::Hexadecimal(digits);
        }
        let bytes = values.iter().map(|value| value.len() as u64 + 1).sum();
        Self::Text(TextPlan::read(values), bytes)
    }

    /// What the values are going to take after compression, roughly.
    fn bytes(&self) -> u64 {
        match self {
            Self::Constant(_) => 0,
            Self::Decimal(numbers) => numbers.bytes,
            Self::Hexadecimal(digits) => digits.bytes,
            Self::Shapes(shapes) => shapes.bytes,
            Self::Text(_, bytes) => *bytes,
        }
    }

    fn encode(&self, values: &[&[u8]], out: &mut Vec<u8>) {
        match self {
            Self::Constant(value) => {
                out.push(CONSTANT);
                put_bytes(value, out);
            }
            Self::Decimal(numbers) => {
                out.push(DECIMAL);
                numbers.encode(out);
            }
            Self::Hexadecimal(digits) => {
                out.push(HEXADECIMAL);
                digits.encode(out);
            }
            Self::Shapes(shapes) => {
                out.push(SHAPES);
                shapes.encode(out);
            }
            Self::Text(plan, _) => {
                plan.encode(values, (TEXT, LINES), out);
            }
        }
    }
}

/// Which values count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Alike {
    /// Those that have the same bytes.
    Whole,
    /// Those that have the same but for decimal digits, of which there are some in the same places.
    ButForDigits,
}

/// A decoded column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    rows: usize,
    values: Values,
    summary: OnceLock<Box<ColumnSummary>>,
}

#[derive(Clone, Debug)]
enum Values {
    Constant(Box<[u8]>),
    Decimal(NumberColumn),
    Hexadecimal(HexadecimalColumn),
    Dictionary(Box<Column>, Series),
    Shapes(ShapeColumn),
    Text(Text),
}

impl Column {
    /// Reads what [`encode`] wrote of `rows` values.
    pub(crate) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        if rows > COLUMN_ROWS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of values",
                value: rows as u64,
                max: COLUMN_ROWS_MAX as u64,
            });
        }
        Self::decode_nested(reader, rows, Nesting::Column)
    }

    /// Reads a column that is part of another: a dictionary has no dictionary, and what has one
    /// shape has no shapes.
    fn decode_nested(
        reader: &mut Reader<'_>,
        rows: usize,
        nesting: Nesting,
    ) -> Result<Self, Corrupt> {
        let values = match reader.byte()? {
            CONSTANT => {
                let len = reader.count("length of a value", PAGE_RAW_BYTES_MAX)?;
                Values::Constant(reader.bytes(len)?.into())
            }
            DECIMAL => Values::Decimal(NumberColumn::decode(reader, rows)?),
            HEXADECIMAL => Values::Hexadecimal(HexadecimalColumn::decode(reader, rows)?),
            TEXT => Values::Text(Text::decode(reader, rows)?),
            LINES => Values::Text(Text::decode_lines(reader, rows)?),
            DICTIONARY if nesting == Nesting::Column => decode_dictionary(reader, rows)?,
            SHAPES if nesting != Nesting::Shape => {
                Values::Shapes(ShapeColumn::decode(reader, rows)?)
            }
            encoding => {
                return Err(Corrupt::Invalid {
                    what: "encoding of a column",
                    value: u64::from(encoding),
                });
            }
        };
        Ok(Self {
            rows,
            values,
            summary: OnceLock::new(),
        })
    }

    /// How many numbers there are for values that stand once: of all different ones, or of those shapes that
    /// have one value, by the numbers of shapes; 0 where no value has one. With 1 all values are the same.
    pub(crate) fn distinct(&self, alike: Alike) -> usize {
        match &self.values {
            Values::Dictionary(entries, _) => entries.rows,
            Values::Shapes(shapes) => shapes.distinct(alike),
            _ => usize::from(self.stands_once(alike)),
        }
    }

    /// The number of the value of a row among those that stand once; `None` where it does not.
    pub(crate) fn number(&self, row: usize, alike: Alike) -> Option<usize> {
        match &self.values {
            Values::Dictionary(_, numbers) => Some(numbers.get(row) as usize),
            Values::Shapes(shapes) => shapes.number(row, alike),
            _ => self.stands_once(alike).then_some(0),
        }
    }

    /// Whether all values are the same, which stands once.
    fn stands_once(&self, alike: Alike) -> bool {
        match &self.values {
            Values::Constant(_) => true,
            Values::Decimal(numbers) => alike == Alike::ButForDigits && !numbers.have_signs(),
            _ => false,
        }
    }

    /// A number that the value of a row has and no other value of the column; `None` where none is known
    /// without its text.
    pub(crate) fn key(&self, row: usize) -> Option<u64> {
        match &self.values {
            Values::Constant(_) | Values::Dictionary(..) => {
                self.number(row, Alike::Whole).map(|key| key as u64)
            }
            Values::Decimal(numbers) => numbers.key(row),
            Values::Shapes(shapes) => shapes.key(row),
            Values::Hexadecimal(_) | Values::Text(_) => None,
        }
    }

    /// The number that the value of a row is, where that is known without its text.
    pub(crate) fn integer(&self, row: usize) -> Option<i64> {
        match &self.values {
            Values::Decimal(numbers) => numbers.integer(row),
            Values::Shapes(shapes) => shapes.integer(row),
            _ => None,
        }
    }

    /// The numbers that all values are, by row; `None` where they are not all known without their texts.
    pub(crate) fn integers(&self) -> Option<Vec<i64>> {
        match &self.values {
            Values::Decimal(numbers) => numbers.integers(),
            _ => None,
        }
    }

    /// The whole parts of all values, by row, where each is digits, a point and digits; `None` where they are not,
    /// or a part is too large.
    pub(crate) fn whole_parts(&self) -> Option<Vec<u32>> {
        match &self.values {
            Values::Decimal(numbers) => numbers.whole_parts(),
            _ => None,
        }
    }

    /// Appends the value of a row; nothing behind the last row.
    pub(crate) fn append(&self, row: usize, out: &mut Vec<u8>) {
        if row >= self.rows {
            return;
        }
        match &self.values {
            Values::Constant(value) => out.extend_from_slice(value),
            Values::Decimal(numbers) => numbers.append(row, out),
            Values::Hexadecimal(digits) => digits.append(row, out),
            Values::Dictionary(entries, ids) => entries.append(ids.get(row) as usize, out),
            Values::Text(text) => out.extend_from_slice(text.get(row)),
            Values::Shapes(shapes) => shapes.append(row, out),
        }
    }
}

/// What a column is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nesting {
    /// Nothing.
    Column,
    /// The values of a dictionary.
    Dictionary,
    /// The values of one shape.
    Shape,
}

fn decode_dictionary(reader: &mut Reader<'_>, rows: usize) -> Result<Values, Corrupt> {
    let count = reader.count("number of different values", rows)?;
    let entries = Column::decode_nested(reader, count, Nesting::Dictionary)?;
    let ids = Series::decode(reader, rows)?;
    if rows > 0 {
        let last = count.checked_sub(1).ok_or(Corrupt::Invalid {
            what: "number of different values",
            value: 0,
        })?;
        ids.check("number of a value", last as u64)?;
    }
    Ok(Values::Dictionary(Box::new(entries), ids))
}
