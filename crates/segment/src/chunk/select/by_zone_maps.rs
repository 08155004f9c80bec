//! A test of numbers, answered for all values of a part of a column by its zone map.
#![deny(clippy::indexing_slicing)]

use std::ops::{Range, RangeInclusive};

use crate::chunk::Chunk;
use crate::chunk::decode::ChunkKind;
use crate::columns::{ZoneMap, ZoneMaps};
use crate::kinds::{Bit, Look};

/// What zone maps tell of rows of a kind; by default nothing.
#[derive(Default)]
pub(super) struct ByZoneMaps<'s> {
    zone_maps: Option<(&'s ZoneMaps, usize)>,
    /// The numbers that pass.
    integers: Option<RangeInclusive<i64>>,
    /// The rows of the part at hand.
    rows: Range<u32>,
    /// Whether their numbers pass, where the zone map tells.
    passes: Option<bool>,
}

impl<'s> ByZoneMaps<'s> {
    /// For texts that are what one slot has, and nothing else.
    pub(super) fn of(
        look: &Look<'_>,
        zone_maps: Option<&'s ZoneMaps>,
        integers: Option<RangeInclusive<i64>>,
    ) -> Self {
        match (&look.text[..], zone_maps, &look.name) {
            ([Bit::Slot(slot)], Some(zone_maps), None) => Self {
                zone_maps: Some((zone_maps, *slot)),
                integers,
                ..Self::default()
            },
            _ => Self::default(),
        }
    }

    /// Whether the text of a row passes; `None` where it has to be read.
    pub(super) fn passes(&mut self, chunk: &Chunk, kind: &ChunkKind, rank: u32) -> Option<bool> {
        let ((zone_maps, slot), integers) = self.zone_maps.zip(self.integers.as_ref())?;
        if !self.rows.contains(&rank) {
            let (number, rows) = chunk.part_of(kind, slot, rank).ok()?;
            self.rows = rows;
            let zone_map = zone_maps.get(number);
            self.passes = zone_map.and_then(|zone_map| zone_map.are_all_within(integers));
        }
        self.passes
    }
}

impl ZoneMap {
    /// Whether all values are numbers of a range, or none is; `None` where that is not known.
    pub fn are_all_within(&self, range: &RangeInclusive<i64>) -> Option<bool> {
        let numbers = self.numbers.as_ref()?;
        let (least, greatest) = (numbers.start(), numbers.end());
        if range.contains(least) && range.contains(greatest) {
            return Some(true);
        }
        (greatest < range.start() || range.end() < least).then_some(false)
    }
}
