//! In which head pages of a chunk the rows of each kind are, and how many.
//!
//! So a row is found without the pages before it, of which its rank among those of its kind depends.
#![deny(clippy::indexing_slicing)]

use crate::Corrupt;
use crate::column;
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
        let (mut counts, mut numbers, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        column::decode(reader, kinds.len(), &mut counts)?;
        let sum = counts
            .iter()
            .try_fold(0_u64, |sum, count| sum.checked_add(*count));
        // Each has at least a row.
        let max: u64 = pages.iter().map(|rows| u64::from(*rows)).sum();
        let sum = sum
            .filter(|sum| *sum <= max)
            .ok_or_else(|| invalid("pages of kinds", u64::MAX))?;
        column::decode(reader, sum as usize, &mut numbers)?;
        column::decode(reader, sum as usize, &mut rows)?;
        let mut left: Vec<u64> = pages.iter().map(|rows| u64::from(*rows)).collect();
        let mut found = Self {
            firsts: Vec::with_capacity(kinds.len() + 1),
            all: Vec::with_capacity(sum as usize),
        };
        let mut stretches = numbers.into_iter().zip(rows);
        for ((_, own), count) in kinds.iter().zip(counts) {
            found.firsts.push(found.all.len() as u32);
            let (mut before, mut next) = (0_u64, 0_u64);
            for (page, rows) in stretches.by_ref().take(count as usize) {
                let room = usize::try_from(page)
                    .ok()
                    .and_then(|page| left.get_mut(page));
                let after = room.and_then(|room| {
                    *room = room.checked_sub(rows)?;
                    (page >= next && rows > 0).then_some(before + rows)
                });
                found.all.push(Stretch {
                    page: page as u32,
                    before: before as u32,
                });
                before = after.ok_or_else(|| invalid("rows of a kind on a page", rows))?;
                next = page + 1;
            }
            if before != u64::from(*own) {
                return Err(invalid("rows of a kind on all pages", before));
            }
        }
        found.firsts.push(found.all.len() as u32);
        match left.iter().find(|left| **left != 0) {
            None => Ok(found),
            Some(left) => Err(invalid("rows of no kind", *left)),
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
