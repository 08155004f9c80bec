//! Rows of a chunk by kind, for whoever knows what to make of the columns of a kind.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use super::decode::ChunkKind;
use super::{Chunk, ColumnPage, TextPart};
use crate::columns::{Alike, Column, ColumnSummary, ZoneMap, ZoneMaps};
use crate::kinds::{Bit, Shape};
use crate::{Corrupt, Namespace};

/// Rows of a chunk that are of one kind.
#[derive(Debug)]
pub struct KindRows<'c> {
    chunk: &'c Chunk,
    kind: &'c ChunkKind,
    ordinals: Vec<u32>,
}

/// A stretch of a text that rows of a kind have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextBit<'a> {
    /// These bytes.
    Fixed(&'a [u8]),
    /// What the column of this slot has.
    Slot(usize),
}

/// The full name of a field, and where its value is.
pub type NamedText<'a> = (Box<[u8]>, Vec<TextBit<'a>>);

/// A field of the structured data that has a name that is asked for, or may have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTexts<'a> {
    /// Its group and its name, where one of them varies: which rows have the field depends on them.
    pub name: Option<[Vec<TextBit<'a>>; 2]>,
    /// Its value.
    pub value: Vec<TextBit<'a>>,
}

/// A part of the column of a slot.
#[derive(Clone, Debug)]
pub struct SlotValues {
    rows: Range<u32>,
    column: Arc<Column>,
}

impl Chunk {
    /// The rows whose ordinals are given, which ascend, by their kinds; those that it does not have are left
    /// out.
    pub fn kind_rows(&self, ordinals: &[u32]) -> Vec<KindRows<'_>> {
        let kinds = self.by_kind(ordinals).into_iter();
        let kinds = kinds.map(|(kind, ordinals)| KindRows {
            chunk: self,
            kind,
            ordinals: ordinals.to_vec(),
        });
        kinds.collect()
    }
}

impl<'c> KindRows<'c> {
    fn shape(&self) -> Option<&'c Shape> {
        self.chunk.shape(self.kind)
    }

    /// The number of the kind in the segment.
    pub fn kind(&self) -> u32 {
        self.kind.number
    }

    /// How many rows there are.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.ordinals.len()
    }

    /// The ordinal of each row and its rank, its place among those of the kind in the chunk. Both ascend.
    pub fn ranked(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        let start = self.kind.ordinals.start;
        self.ordinals
            .iter()
            .map(move |ordinal| (*ordinal, ordinal - start))
    }

    /// The rows behind so many of them whose ranks are below an end, each by its ordinal and its rank.
    pub fn ranked_below(
        &self,
        skipped: usize,
        end: u32,
    ) -> impl ExactSizeIterator<Item = (u32, u32)> {
        let start = self.kind.ordinals.start;
        let left = self.ordinals.get(skipped..).unwrap_or(&[]);
        let own = left.partition_point(|ordinal| ordinal - start < end);
        let own = left.get(..own).unwrap_or(&[]).iter();
        own.map(move |ordinal| (*ordinal, ordinal - start))
    }

    /// Where the rows have a text; `None` where that is not the same for all of them.
    pub fn text(&self, part: Namespace) -> Option<Vec<TextBit<'c>>> {
        let looks = self.shape()?.looks(&[TextPart::Part(part)])?;
        text_bits(&looks.first()?.text)
    }

    /// The fields of the structured data, by their full names; `None` where a name varies.
    pub fn fields(&self) -> Option<Vec<NamedText<'c>>> {
        let fields = self.shape()?.fields()?.into_iter();
        let fields = fields.map(|(name, value)| Some((name, text_bits(&value)?)));
        fields.collect()
    }

    /// The fields of the structured data that have a name, as [`model::FieldRef::is_named`] has it, or may have it;
    /// `None` where they are anywhere.
    pub fn fields_named<'a>(&'a self, name: &'a [u8]) -> Option<Vec<FieldTexts<'a>>> {
        let looks = self.shape()?.looks(&[TextPart::Field(name)])?.into_iter();
        let fields = looks.map(|look| {
            let name = match &look.name {
                Some(varying) => Some([text_bits(&varying.group)?, text_bits(&varying.name)?]),
                None => None,
            };
            let value = text_bits(&look.text)?;
            Some(FieldTexts { name, value })
        });
        fields.collect()
    }

    /// What is known of the values of a slot around a rank without reading them, and the ranks whose values
    /// those are; `None` where nothing is.
    pub fn zone_map(
        &self,
        zone_maps: &ZoneMaps,
        slot: usize,
        rank: u32,
    ) -> Option<(Range<u32>, ZoneMap)> {
        let (number, rows) = self.chunk.part_of(self.kind, slot, rank).ok()?;
        Some((rows, zone_maps.get(number)?))
    }

    /// The values of a slot around a rank. `page` gives a page of columns,
    /// as for [`Chunk::records`].
    ///
    /// # Errors
    /// When the column is not what was written, or its page cannot be had.
    pub fn values<E: From<Corrupt>>(
        &self,
        slot: usize,
        rank: u32,
        mut page: impl FnMut(usize) -> Result<Arc<ColumnPage>, E>,
    ) -> Result<SlotValues, E> {
        let found = self.chunk.seek(self.kind, slot, rank, &mut page)?;
        let (rows, column) = found.into_part().ok_or(Corrupt::Short { what: "column" })?;
        Ok(SlotValues { rows, column })
    }
}

fn text_bits<'c>(bits: &[Bit<'c>]) -> Option<Vec<TextBit<'c>>> {
    let bits = bits.iter().map(|bit| match bit {
        Bit::Fixed(bytes) => Some(TextBit::Fixed(bytes)),
        Bit::Slot(slot) => Some(TextBit::Slot(*slot)),
        Bit::Stamp => None,
    });
    bits.collect()
}

impl SlotValues {
    /// The ranks whose values it has.
    pub fn rows(&self) -> Range<u32> {
        self.rows.clone()
    }

    /// How many numbers there are for values that stand once; 0 where none does. With 1 all are the same.
    pub fn distinct(&self) -> usize {
        self.column.distinct(Alike::Whole)
    }

    /// The number of the value of a rank among those that stand once; `None` where it does not.
    pub fn number(&self, rank: u32) -> Option<usize> {
        self.column.number(self.index(rank)?, Alike::Whole)
    }

    /// How many numbers there are for values that stand once but for digits: those of one number differ in decimal
    /// digits alone, of which there are some in the same places.
    pub fn distinct_but_for_digits(&self) -> usize {
        self.column.distinct(Alike::ButForDigits)
    }

    /// The number of the value of a rank among those; `None` where it has none.
    pub fn number_but_for_digits(&self, rank: u32) -> Option<usize> {
        self.column.number(self.index(rank)?, Alike::ButForDigits)
    }

    /// A number that the value of a rank has and no other value of this part; `None` where none is known
    /// without its text.
    pub fn key(&self, rank: u32) -> Option<u64> {
        self.column.key(self.index(rank)?)
    }

    /// The whole number that the value of a rank is, digits with or without `-`; `None` where that is not known
    /// without its text.
    pub fn integer(&self, rank: u32) -> Option<i64> {
        self.column.integer(self.index(rank)?)
    }

    /// The whole numbers that the values of all ranks are, from the first of [`Self::rows`] on; `None` where they
    /// are not all known without their texts.
    pub fn integers(&self) -> Option<Vec<i64>> {
        self.column.integers()
    }

    /// The same of their whole parts, where each value is digits, a point and digits.
    pub fn whole_parts(&self) -> Option<Vec<u32>> {
        self.column.whole_parts()
    }

    /// Appends the value of a rank; nothing where it has none.
    pub fn append(&self, rank: u32, out: &mut Vec<u8>) {
        if let Some(index) = self.index(rank) {
            self.column.append(index, out);
        }
    }

    /// What is known of all values.
    pub fn summary(&self) -> &ColumnSummary {
        self.column.summary()
    }

    /// How many spaces each value has at least. Found anew each time.
    pub fn spaces_min(&self) -> usize {
        self.column.spaces_min()
    }

    /// Whether all values are known to be this, with `0` for each digit. Found anew each time.
    pub fn are_like(&self, shape: &[u8]) -> bool {
        self.column.shape().as_deref() == Some(shape)
    }

    fn index(&self, rank: u32) -> Option<usize> {
        rank.checked_sub(self.rows.start)
            .map(|index| index as usize)
    }
}
