//! How many rows of each kind of a chunk are on each of its row metadata pages.
//!
//! So a row is found without the pages before it, of which its rank among those of its kind depends. For each
//! kind there are the bits of its numbers, one for each page: the lowest of all of them, the next of all, and
//! so on. How many rows are on the pages before one is counted in those bits, for a kind in some ten
//! nanoseconds, as they are stored.
#![deny(clippy::indexing_slicing)]

use std::sync::Arc;

use crate::Corrupt;
use crate::column::{self, Packed, Shared};
use crate::wire::Reader;

/// Planes that a number of rows may take.
const PLANES_MAX: u64 = u32::BITS as u64;

/// The rows of all kinds on each row metadata page.
#[derive(Clone, Debug)]
pub(super) struct PageRows {
    pages: usize,
    /// For each kind its first plane, and behind the last kind how many there are.
    firsts: Vec<u32>,
    /// The planes of the first kind, then those of the second, each a bit for each page from the lowest of
    /// the first byte on.
    planes: Shared,
}

impl PageRows {
    /// Those of so many kinds whose rows are all on one page, which need not be told.
    fn on_one_page(kinds: usize) -> Self {
        Self {
            pages: 1,
            firsts: vec![0; kinds + 1],
            planes: Shared::default(),
        }
    }

    /// Those of rows that are of so many kinds, given the place of each row's kind, with so many rows to a
    /// page.
    pub(super) fn of_places(
        places: impl IntoIterator<Item = u64>,
        kinds: usize,
        page_rows: usize,
    ) -> Self {
        let (mut own, mut pages) = (vec![Vec::new(); kinds], 0);
        for (row, place) in places.into_iter().enumerate() {
            let page = row / page_rows.max(1);
            pages = page + 1;
            let Some(own) = own.get_mut(place as usize) else {
                continue;
            };
            match own.last_mut() {
                Some((last, rows)) if *last == page => *rows += 1,
                _ => own.push((page, 1)),
            }
        }
        match pages {
            0 | 1 => Self::on_one_page(kinds),
            _ => Self::of_listed(&own, pages),
        }
    }

    /// Those of kinds given by the pages that each has rows on, and how many.
    fn of_listed(kinds: &[Vec<(usize, u32)>], pages: usize) -> Self {
        let stride = pages.div_ceil(8);
        let (mut firsts, mut planes) = (vec![0], Vec::new());
        for own in kinds {
            let start = planes.len();
            planes.resize(start + widest(own) * stride, 0);
            let own_planes = planes.get_mut(start..).unwrap_or_default();
            for (page, rows) in own {
                let mut left = *rows;
                while left != 0 {
                    let place = left.trailing_zeros() as usize * stride + page / 8;
                    if let Some(byte) = own_planes.get_mut(place) {
                        *byte |= 1 << (page % 8);
                    }
                    left &= left - 1;
                }
            }
            firsts.push((planes.len() / stride.max(1)) as u32);
        }
        Self {
            pages,
            firsts,
            planes: Shared::of(planes),
        }
    }

    /// Reads those of so many kinds in a chunk of so many pages, from a page whose end the
    /// reader is at.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        kinds: usize,
        pages: usize,
        page: &Arc<Vec<u8>>,
    ) -> Result<Self, Corrupt> {
        if pages == 1 {
            return Ok(Self::on_one_page(kinds));
        }
        let mut firsts = Vec::with_capacity(kinds + 1);
        let (mut sum, mut most) = (0_u64, 0);
        Packed::view(reader, kinds)?.each(|width| {
            firsts.push(sum as u32);
            most = most.max(width);
            sum += width.min(PLANES_MAX);
        });
        firsts.push(sum as u32);
        if most > PLANES_MAX {
            return Err(invalid("bits of the rows of a kind", most));
        }
        let bytes = (sum as usize).saturating_mul(pages.div_ceil(8));
        Ok(Self {
            pages,
            firsts,
            planes: Shared::take(reader, bytes, page)?,
        })
    }

    /// Checks that there are as many rows of each kind and on each page as there have to be.
    pub(super) fn check(&self, kinds: &[(u32, u32)], pages: &[u32]) -> Result<(), Corrupt> {
        if self.pages == 1 {
            return Ok(());
        }
        let mut of_pages = vec![0; pages.len()];
        for (kind, (_, expected)) in kinds.iter().enumerate() {
            let mut all = 0;
            for (number, of_page) in of_pages.iter_mut().enumerate() {
                let own = self.rows_on(kind, number);
                all += own;
                *of_page += own;
            }
            if all != u64::from(*expected) {
                return Err(invalid("rows of a kind on all pages", all));
            }
        }
        let mut pages = of_pages.into_iter().zip(pages);
        match pages.find(|(own, expected)| *own != u64::from(**expected)) {
            None => Ok(()),
            Some((own, _)) => Err(invalid("rows of all kinds on a page", own)),
        }
    }

    /// Appends them; nothing where there is one page.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        if self.pages == 1 {
            return;
        }
        let ends = self.firsts.iter().skip(1);
        let widths = self.firsts.iter().zip(ends);
        let widths: Vec<u64> = widths.map(|(start, end)| u64::from(end - start)).collect();
        column::encode(&widths, out);
        out.extend_from_slice(self.planes.as_ref());
    }

    /// How many rows of a kind are on the pages before one; `None` where all of them are.
    pub(super) fn before(&self, kind: usize, page: usize) -> Option<u32> {
        if page >= self.pages {
            return None;
        }
        let mut sum = 0_u64;
        for (plane, bits) in self.planes_of(kind).enumerate() {
            sum += count_before(bits, page) << plane;
        }
        Some(narrow(sum))
    }

    /// The page of a row of a kind, and how many rows of the kind are on it before that.
    pub(super) fn page_of(&self, kind: usize, rank: u32) -> Option<(usize, u32)> {
        if self.pages == 1 {
            return Some((0, rank));
        }
        // The last page that not more rows are before.
        let (mut start, mut end) = (0, self.pages);
        while end - start > 1 {
            let middle = start + (end - start) / 2;
            match self.before(kind, middle)? <= rank {
                true => start = middle,
                false => end = middle,
            }
        }
        Some((start, rank - self.before(kind, start)?))
    }

    /// How many rows of a kind are on a page.
    fn rows_on(&self, kind: usize, page: usize) -> u64 {
        let planes = self.planes_of(kind).enumerate();
        let bits = planes.map(|(plane, bits)| {
            let byte = bits.get(page / 8).copied().unwrap_or_default();
            u64::from(byte >> (page % 8) & 1) << plane
        });
        bits.sum()
    }

    /// The bits of a kind, from the lowest on.
    fn planes_of(&self, kind: usize) -> impl Iterator<Item = &[u8]> {
        let stride = self.pages.div_ceil(8);
        let place = |kind: usize| self.firsts.get(kind).map(|first| *first as usize * stride);
        let own = place(kind).zip(place(kind + 1));
        let own = own.and_then(|(start, end)| self.planes.as_ref().get(start..end));
        own.unwrap_or_default().chunks_exact(stride.max(1))
    }

    /// Memory they take, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.firsts) + self.planes.as_ref().len()
    }
}

/// How many of the first bits are set, from the lowest of the first byte on.
#[inline]
fn count_before(bits: &[u8], end: usize) -> u64 {
    let (words, rest) = bits.as_chunks::<8>();
    let whole = words.get(..end / 64).unwrap_or(words);
    let ones = |word: u64| u64::from(word.count_ones());
    let of_whole: u64 = whole
        .iter()
        .map(|word| ones(u64::from_le_bytes(*word)))
        .sum();
    let last = match words.get(end / 64) {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            word
        }
    };
    let behind = u64::MAX << (end % 64);
    of_whole + ones(u64::from_le_bytes(last) & !behind)
}

/// How many bits the most rows of a page take.
fn widest(pages: &[(usize, u32)]) -> usize {
    let most = pages.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
    (u32::BITS - most.leading_zeros()) as usize
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The kind of each of some rows, some kinds rare.
    fn places() -> impl Strategy<Value = Vec<u64>> {
        let place = prop_oneof![8 => 0..2_u64, 2 => 2..6_u64, 1 => 6..40_u64];
        prop::collection::vec(place, 1..900)
    }

    fn decode(bytes: Vec<u8>, kinds: usize, pages: usize) -> Result<PageRows, Corrupt> {
        let page = Arc::new(bytes);
        let mut reader = Reader::new("test", &page);
        let read = PageRows::decode(&mut reader, kinds, pages, &page)?;
        reader.finish()?;
        Ok(read)
    }

    proptest! {
        #[test]
        fn rows_are_where_a_count_finds_them(places in places(), page_rows in 1..40_usize) {
            let pages = places.len().div_ceil(page_rows);
            let mut numbers: Vec<u64> = places.clone();
            numbers.sort_unstable();
            numbers.dedup();
            let of_number = |number: &u64| numbers.binary_search(number).expect("there") as u64;
            let places: Vec<u64> = places.iter().map(of_number).collect();
            let kinds = numbers.len();
            let rows = PageRows::of_places(places.iter().copied(), kinds, page_rows);
            let mut bytes = Vec::new();
            rows.encode(&mut bytes);
            let read = decode(bytes, kinds, pages).expect("valid");
            let mut counts = vec![(0, 0_u32); kinds];
            for (row, place) in places.iter().enumerate() {
                let (_, rank) = &mut counts[*place as usize];
                let (page, kind) = (row / page_rows, *place as usize);
                let before = places[..page * page_rows].iter().filter(|own| *own == place);
                let before = before.count() as u32;
                if pages > 1 {
                    prop_assert_eq!(read.before(kind, page), Some(before));
                }
                let expected = if pages > 1 { *rank - before } else { *rank };
                prop_assert_eq!(read.page_of(kind, *rank), Some((page, expected)));
                *rank += 1;
            }
            let of_pages: Vec<u32> = places.chunks(page_rows).map(|own| own.len() as u32).collect();
            prop_assert_eq!(read.check(&counts, &of_pages), Ok(()));
            for kind in 0..kinds {
                prop_assert_eq!(read.before(kind, pages), None);
            }
            let mut wrong = counts.clone();
            wrong[0].1 += 1;
            // Of one page nothing is told.
            prop_assert_eq!(read.check(&wrong, &of_pages).is_err(), pages > 1);
        }

        #[test]
        fn any_bytes_are_survived(
            bytes in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..60),
            kinds in 1..5_usize,
            pages in 1..20_usize,
        ) {
            if let Ok(read) = decode(bytes, kinds, pages) {
                for kind in 0..kinds {
                    for rank in [0, 7, 100, u32::MAX] {
                        read.page_of(kind, rank);
                    }
                    read.before(kind, pages / 2);
                }
                _ = read.check(&vec![(0, 1); kinds], &vec![1; pages]);
            }
        }
    }
}
