//! In which head pages of a chunk the rows of each kind are, and how many.
//!
//! So a row is found without the pages before it, of which its rank among those of its kind depends.
#![deny(clippy::indexing_slicing)]

use crate::Corrupt;
use crate::column::{self, Packed};
use crate::wire::Reader;

/// The stretches of all kinds of a chunk: a stretch is the rows of a kind on a page.
#[derive(Clone, Debug)]
pub(super) struct Stretches {
    /// For each kind the place of its first stretch, and behind the last kind how many there are.
    firsts: Vec<u32>,
    /// By kind, those of a kind by page.
    all: Vec<Stretch>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    page: u32,
    /// Rows of the kind on the pages before.
    before: u32,
}

impl Stretches {
    /// Those of so many kinds whose rows are all on one page.
    pub(super) fn on_one_page(kinds: usize) -> Self {
        Self {
            firsts: (0..=kinds as u32).collect(),
            all: vec![Stretch { page: 0, before: 0 }; kinds],
        }
    }

    /// Reads those of kinds with so many rows each. `pages` has the rows of each page.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        kinds: &[(u32, u32)],
        pages: &[u32],
    ) -> Result<Self, Corrupt> {
        // Each has at least a row.
        let max: u64 = pages.iter().map(|rows| u64::from(*rows)).sum();
        let mut firsts = Vec::with_capacity(kinds.len() + 1);
        let mut sum = 0_u64;
        Packed::view(reader, kinds.len())?.each(|count| {
            firsts.push(sum.min(max) as u32);
            sum = sum.saturating_add(count);
        });
        if sum > max {
            return Err(invalid("pages of kinds", sum));
        }
        firsts.push(sum as u32);
        let (numbers, rows) = {
            let numbers = Packed::view(reader, sum as usize)?;
            (numbers, Packed::view(reader, sum as usize)?)
        };
        let mut all = Vec::with_capacity(sum as usize);
        let narrow = |value| u32::try_from(value).unwrap_or(u32::MAX);
        numbers.each(|page| {
            all.push(Stretch {
                page: narrow(page),
                before: 0,
            });
        });
        let mut stretches = all.iter_mut();
        rows.each(|rows| {
            if let Some(stretch) = stretches.next() {
                stretch.before = narrow(rows);
            }
        });
        let mut found = Self { firsts, all };
        found.add_up(kinds, pages)?;
        Ok(found)
    }

    /// Replaces the rows of each stretch by those of its kind before it, and checks that there are as many
    /// of each kind and on each page as there have to be.
    fn add_up(&mut self, kinds: &[(u32, u32)], pages: &[u32]) -> Result<(), Corrupt> {
        let mut left = pages.to_vec();
        let mut stretches = self.all.iter_mut();
        for ((_, own), places) in kinds.iter().zip(self.firsts.array_windows()) {
            let [start, end] = *places;
            let (mut before, mut next) = (0, 0);
            for stretch in stretches.by_ref().take((end - start) as usize) {
                let rows = std::mem::replace(&mut stretch.before, before);
                let room = left.get_mut(stretch.page as usize);
                let is_room = room.is_some_and(|room| match room.checked_sub(rows) {
                    Some(less) => {
                        *room = less;
                        true
                    }
                    None => false,
                });
                if !is_room || stretch.page < next || rows == 0 {
                    return Err(invalid("rows of a kind on a page", u64::from(rows)));
                }
                (before, next) = (before + rows, stretch.page + 1);
            }
            if before != *own {
                return Err(invalid("rows of a kind on all pages", u64::from(before)));
            }
        }
        match left.iter().find(|left| **left != 0) {
            None => Ok(()),
            Some(left) => Err(invalid("rows of no kind", u64::from(*left))),
        }
    }

    /// Appends them; `kinds` has the rows of each kind.
    pub(super) fn encode(&self, kinds: &[(u32, u32)], out: &mut Vec<u8>) {
        let (mut counts, mut numbers, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, (_, all)) in kinds.iter().enumerate() {
            counts.push(self.of(kind).len() as u64);
            let mut before = 0;
            for (page, end) in self.ends(kind, *all) {
                numbers.push(page as u64);
                rows.push(u64::from(end - before));
                before = end;
            }
        }
        column::encode(&counts, out);
        column::encode(&numbers, out);
        column::encode(&rows, out);
    }

    /// Those of rows that are of so many kinds, given the place of each row's kind, with so many rows to a
    /// page.
    pub(super) fn of_places(places: &[u64], kinds: usize, page_rows: usize) -> Self {
        let mut own: Vec<Vec<Stretch>> = vec![Vec::new(); kinds];
        let mut rows = vec![0_u32; kinds];
        for (page, places) in (0..).zip(places.chunks(page_rows)) {
            for place in places {
                let place = *place as usize;
                if let (Some(own), Some(rows)) = (own.get_mut(place), rows.get_mut(place)) {
                    if own.last().is_none_or(|last| last.page != page) {
                        own.push(Stretch {
                            page,
                            before: *rows,
                        });
                    }
                    *rows += 1;
                }
            }
        }
        let mut firsts = vec![0];
        let mut all = Vec::new();
        for own in own {
            all.extend(own);
            firsts.push(all.len() as u32);
        }
        Self { firsts, all }
    }

    /// The pages that a kind of so many rows has rows on, each with its rows up to the end of the page.
    pub(super) fn ends(&self, kind: usize, rows: u32) -> impl Iterator<Item = (usize, u32)> {
        let own = self.of(kind);
        let ends = own.iter().skip(1).map(|next| next.before).chain([rows]);
        let pages = own.iter().map(|stretch| stretch.page as usize);
        pages.zip(ends)
    }

    /// How many rows of a kind are on the pages before one; `None` where all of them are.
    pub(super) fn before(&self, kind: usize, page: usize) -> Option<u32> {
        let own = self.of(kind);
        let behind = own.partition_point(|stretch| (stretch.page as usize) < page);
        own.get(behind).map(|stretch| stretch.before)
    }

    /// The page of a row of a kind, and how many rows of the kind are on it before that.
    pub(super) fn page_of(&self, kind: usize, rank: u32) -> Option<(usize, u32)> {
        let own = self.of(kind);
        let behind = own.partition_point(|stretch| stretch.before <= rank);
        let stretch = own.get(behind.checked_sub(1)?)?;
        Some((stretch.page as usize, rank - stretch.before))
    }

    fn of(&self, kind: usize) -> &[Stretch] {
        let place = |kind: usize| self.firsts.get(kind).map(|first| *first as usize);
        let own = place(kind).zip(place(kind + 1));
        own.and_then(|(start, end)| self.all.get(start..end))
            .unwrap_or(&[])
    }

    /// Memory they take, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.firsts) + size_of_val::<[Stretch]>(&self.all)
    }
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
