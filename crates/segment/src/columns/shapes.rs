//! Values of several shapes: numbers and a `-` where there is none, addresses of two kinds, names
//! with numbers.
//!
//! The shape of a value is what is left of it without its digits. Values of the same shape stand
//! together in a column of their own, and for each row there is the number of its shape. Values of
//! rare shapes stand together too, as text.
#![deny(clippy::indexing_slicing)]

mod sort;

use super::series::{self, Plan, Series};
use super::{Alike, Column, Nesting, Plain};
use crate::Corrupt;
use crate::limits::COLUMN_SHAPES_MAX;
use crate::wire::{Reader, put_varint};
use sort::Sorted;

/// What a shape costs beside its values, roughly, in bytes.
const SHAPE_BYTES: u64 = 8;

/// Values by shape, to be written.
#[derive(Debug)]
pub(super) struct Shapes<'a> {
    ids: Vec<u64>,
    plan: Plan,
    groups: Vec<(Vec<&'a [u8]>, Plain<'a>)>,
    /// What the values are going to take after compression, roughly.
    pub(super) bytes: u64,
}

impl<'a> Shapes<'a> {
    /// Reads values; `None` where there is one shape or too many.
    pub(super) fn read(values: &[&'a [u8]]) -> Option<Self> {
        let Sorted { ids, counts } = Sorted::of(values)?;
        let mut groups: Vec<Vec<&[u8]>> = counts.into_iter().map(Vec::with_capacity).collect();
        for (value, id) in values.iter().zip(&ids) {
            groups.get_mut(*id as usize)?.push(value);
        }
        let plan = series::plan(&ids);
        let read = |values: Vec<&'a [u8]>| {
            let plain = Plain::read_one_shape(&values);
            (values, plain)
        };
        let groups: Vec<_> = groups.into_iter().map(read).collect();
        let of_groups = groups.iter().map(|(_, plain)| plain.bytes() + SHAPE_BYTES);
        let bytes = plan.bytes + of_groups.sum::<u64>();
        Some(Self {
            ids,
            plan,
            groups,
            bytes,
        })
    }

    /// Writes the values.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_varint(self.groups.len() as u64, out);
        series::encode(&self.ids, self.plan, out);
        for (values, plain) in &self.groups {
            plain.encode(values, out);
        }
    }
}

/// Values by shape, decoded.
#[derive(Clone, Debug)]
pub(super) struct ShapeColumn {
    shapes: Box<[Column]>,
    /// For each row its shape, and its place among the values of that.
    places: Box<[(u16, u16)]>,
}

impl ShapeColumn {
    /// Reads what [`Shapes::encode`] wrote of `rows` values. The caller bounds them.
    pub(super) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let count = reader.count("number of shapes", COLUMN_SHAPES_MAX)?;
        let ids = Series::decode(reader, rows)?;
        let mut counts = vec![0_u16; count];
        let mut narrow = Vec::with_capacity(rows);
        ids.narrow_into(&mut narrow);
        let mut unknown = None;
        let places = narrow.iter().map(|id| {
            let Some(next) = counts.get_mut(*id as usize) else {
                unknown = Some(u64::from(*id));
                return (0, 0);
            };
            let place = *next;
            *next += 1;
            (*id as u16, place)
        });
        let places: Box<[(u16, u16)]> = places.collect();
        if let Some(value) = unknown {
            let what = "number of a shape";
            return Err(Corrupt::Invalid { what, value });
        }
        let mut shapes = Vec::with_capacity(count);
        for count in counts {
            let rows = usize::from(count);
            shapes.push(Column::decode_nested(reader, rows, Nesting::Shape)?);
        }
        Ok(Self {
            shapes: shapes.into(),
            places,
        })
    }

    /// The values of each shape.
    pub(super) fn shapes(&self) -> &[Column] {
        &self.shapes
    }

    /// How many shapes there are, where one of several has one value.
    pub(super) fn distinct(&self, alike: Alike) -> usize {
        let mut shapes = self.shapes.iter();
        let is_told = self.shapes.len() > 1 && shapes.any(|shape| shape.stands_once(alike));
        if is_told { self.shapes.len() } else { 0 }
    }

    /// The number of the shape of a row, where that has one value.
    pub(super) fn number(&self, row: usize, alike: Alike) -> Option<usize> {
        let id = usize::from(self.places.get(row)?.0);
        self.shapes.get(id)?.stands_once(alike).then_some(id)
    }

    /// A number that a value has and no other, where its shape knows one that leaves room for the shape.
    pub(super) fn key(&self, index: usize) -> Option<u64> {
        let (id, place) = self.places.get(index)?;
        let of_shape = self
            .shapes
            .get(usize::from(*id))?
            .key(usize::from(*place))?;
        let shapes = self.shapes.len() as u64;
        of_shape.checked_mul(shapes)?.checked_add(u64::from(*id))
    }

    /// The number that a value is, where its shape knows.
    pub(super) fn integer(&self, index: usize) -> Option<i64> {
        let (id, place) = self.places.get(index)?;
        let shape = self.shapes.get(usize::from(*id))?;
        shape.integer(usize::from(*place))
    }

    /// Appends a value.
    pub(super) fn append(&self, index: usize, out: &mut Vec<u8>) {
        if let Some((id, place)) = self.places.get(index)
            && let Some(shape) = self.shapes.get(usize::from(*id))
        {
            shape.append(usize::from(*place), out);
        }
    }
}

/// The place of a row among the values of its shape fits 16 bits.
const _: () = assert!(crate::limits::COLUMN_ROWS_MAX <= u16::MAX as usize);
