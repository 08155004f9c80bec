//! In which head pages of a chunk the rows of each kind are, and how many.
//!
//! So a row is found without the pages before it, of which its rank among those of its kind depends. There
//! are tens of thousands in a large chunk: a reader of a row looks at those of its kind as they are stored.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::Corrupt;
use crate::column::{self, Packed, Shared};
use crate::wire::Reader;

/// The stretches of all kinds of a chunk: a stretch is the rows of a kind on a page.
#[derive(Clone, Debug)]
pub(super) struct Stretches {
    /// For each kind the place of its first stretch, and behind the last kind how many there are.
    firsts: Vec<u32>,
    /// By kind, those of a kind by page: for each the page, and how many rows it has.
    pages: Packed<Shared>,
    rows: Packed<Shared>,
    /// For each how many rows of the kind are on the pages before, once all are asked for.
    before: OnceLock<Box<[u32]>>,
    /// Set once a page was asked about without them.
    asked: OnceLock<()>,
}

impl Stretches {
    /// Those of so many kinds whose rows are all on one page.
    pub(super) fn on_one_page(kinds: usize) -> Self {
        let none = Packed::of(&vec![0; kinds]);
        Self {
            firsts: (0..=kinds as u32).collect(),
            pages: none.clone(),
            rows: none,
            before: OnceLock::new(),
            asked: OnceLock::new(),
        }
    }

    /// Reads those of so many kinds in a chunk of so many rows from a page, whose end the reader is at.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        kinds: usize,
        rows: usize,
        page: &Arc<Vec<u8>>,
    ) -> Result<Self, Corrupt> {
        // Each has at least a row.
        let max = rows as u64;
        let mut firsts = Vec::with_capacity(kinds + 1);
        let mut sum = 0_u64;
        Packed::view(reader, kinds)?.each(|count| {
            firsts.push(sum.min(max) as u32);
            sum = sum.saturating_add(count);
        });
        if sum > max {
            return Err(invalid("pages of kinds", sum));
        }
        firsts.push(sum as u32);
        Ok(Self {
            firsts,
            pages: Packed::share(reader, sum as usize, page)?,
            rows: Packed::share(reader, sum as usize, page)?,
            before: OnceLock::new(),
            asked: OnceLock::new(),
        })
    }

    /// Checks that there are as many rows of each kind and on each page as there have to be.
    pub(super) fn check(&self, kinds: &[(u32, u32)], pages: &[u32]) -> Result<(), Corrupt> {
        let mut left: Vec<u64> = pages.iter().map(|rows| u64::from(*rows)).collect();
        for (kind, (_, own)) in kinds.iter().enumerate() {
            let (mut all, mut next) = (0_u64, 0);
            for (page, rows) in self.of(kind) {
                let room = left.get_mut(page);
                let room = room.filter(|room| page >= next && (1..=**room).contains(&rows));
                let Some(room) = room else {
                    return Err(invalid("rows of a kind on a page", rows));
                };
                *room -= rows;
                all += rows;
                next = page + 1;
            }
            if all != u64::from(*own) {
                return Err(invalid("rows of a kind on all pages", all));
            }
        }
        match left.iter().find(|left| **left != 0) {
            None => Ok(()),
            Some(left) => Err(invalid("rows of no kind", *left)),
        }
    }

    /// Appends them.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let ends = self.firsts.iter().skip(1);
        let counts = self.firsts.iter().zip(ends);
        let counts: Vec<u64> = counts.map(|(start, end)| u64::from(end - start)).collect();
        column::encode(&counts, out);
        for values in [&self.pages, &self.rows] {
            column::encode(&values.values().collect::<Vec<_>>(), out);
        }
    }

    /// Those of rows that are of so many kinds, given the place of each row's kind, with so many rows to a
    /// page.
    pub(super) fn of_places(
        places: impl Iterator<Item = u64>,
        kinds: usize,
        page_rows: usize,
    ) -> Self {
        let mut own: Vec<Vec<(u64, u64)>> = vec![Vec::new(); kinds];
        for (row, place) in places.enumerate() {
            let page = (row / page_rows) as u64;
            let Some(own) = own.get_mut(place as usize) else {
                continue;
            };
            match own.last_mut() {
                Some((last, rows)) if *last == page => *rows += 1,
                _ => own.push((page, 1)),
            }
        }
        let mut firsts = vec![0];
        let (mut pages, mut rows) = (Vec::new(), Vec::new());
        for own in own {
            pages.extend(own.iter().map(|(page, _)| *page));
            rows.extend(own.iter().map(|(_, rows)| *rows));
            firsts.push(pages.len() as u32);
        }
        Self {
            firsts,
            pages: Packed::of(&pages),
            rows: Packed::of(&rows),
            before: OnceLock::new(),
            asked: OnceLock::new(),
        }
    }

    /// The pages that a kind of so many rows has rows on, each with its rows up to the end of the page.
    pub(super) fn ends(&self, kind: usize, rows: u32) -> impl Iterator<Item = (usize, u32)> {
        let mut before = 0_u64;
        // One page may stand for all, whose rows are not told.
        let last = self.places_of(kind).len().saturating_sub(1);
        self.of(kind).enumerate().map(move |(place, (page, own))| {
            before = before.saturating_add(own);
            let end = if place == last { rows } else { narrow(before) };
            (page, end)
        })
    }

    /// How many rows of a kind are on the pages before one; `None` where all of them are.
    pub(super) fn before(&self, kind: usize, page: usize) -> Option<u32> {
        let places = self.places_of(kind);
        let behind = self.first_at(&places, page)?;
        Some(narrow(self.rows.sum(places.start..behind)))
    }

    /// The same of all kinds, in their order: for who asks for many of them.
    pub(super) fn before_of_all(&self, page: usize) -> impl Iterator<Item = Option<u32>> {
        let before = self.before.get_or_init(|| self.add_up());
        let kinds = 0..self.firsts.len().saturating_sub(1);
        kinds.map(move |kind| {
            let behind = self.first_at(&self.places_of(kind), page)?;
            before.get(behind).copied()
        })
    }

    /// The same, for who asks for one page: those of all pages are added up once a second one is asked for.
    pub(super) fn before_of_each(&self, page: usize) -> Vec<Option<u32>> {
        if self.before.get().is_some() || self.asked.set(()).is_err() {
            return self.before_of_all(page).collect();
        }
        let kinds = 0..self.firsts.len().saturating_sub(1);
        kinds.map(|kind| self.before(kind, page)).collect()
    }

    /// The page of a row of a kind, and how many rows of the kind are on it before that.
    pub(super) fn page_of(&self, kind: usize, rank: u32) -> Option<(usize, u32)> {
        let (mut before, mut found) = (0_u64, None);
        for (page, own) in self.of(kind) {
            if before > u64::from(rank) {
                break;
            }
            found = Some((page, rank - narrow(before)));
            before = before.saturating_add(own);
        }
        found
    }

    /// For each stretch how many rows of its kind are on the pages before.
    fn add_up(&self) -> Box<[u32]> {
        let mut all = Vec::with_capacity(self.rows.len());
        for kind in 0..self.firsts.len().saturating_sub(1) {
            let mut before = 0_u64;
            for (_, own) in self.of(kind) {
                all.push(narrow(before));
                before = before.saturating_add(own);
            }
        }
        all.into()
    }

    /// The place of the first stretch of some that is not on a page before one; `None` where all are.
    fn first_at(&self, places: &Range<usize>, page: usize) -> Option<usize> {
        let (mut start, mut end) = (places.start, places.end);
        while start < end {
            let middle = start + (end - start) / 2;
            match self.pages.get(middle)? < page as u64 {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        (start < places.end).then_some(start)
    }

    /// The page and the rows of each stretch of a kind.
    fn of(&self, kind: usize) -> impl Iterator<Item = (usize, u64)> {
        self.places_of(kind).filter_map(|place| {
            let page = usize::try_from(self.pages.get(place)?).ok()?;
            Some((page, self.rows.get(place)?))
        })
    }

    fn places_of(&self, kind: usize) -> Range<usize> {
        let place = |kind: usize| self.firsts.get(kind).map(|first| *first as usize);
        let own = place(kind).zip(place(kind + 1));
        own.map_or(0..0, |(start, end)| start..end)
    }

    /// Memory they take with what is reckoned once, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.firsts)
            + self.pages.memory_bytes()
            + self.rows.memory_bytes()
            + self.rows.len() * size_of::<u32>()
    }
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
