//! A row page: which kinds a chunk has, and with its row metadata pages which kind each row is of, and so which
//! ordinal it has.
//!
//! Ordinals number the rows of a chunk by kind: first those of the first kind, in their own order, then
//! those of the second, and so on. So the rows of a kind sit beside each other.
#![deny(clippy::indexing_slicing)]

use std::ops::Range;
use std::sync::Arc;

use super::page_rows::PageRows;
use super::{ChunkEntry, RowMetadataPage};
use crate::Corrupt;
use crate::column::{self, Packed};
use crate::limits::{CHUNK_ROWS_MAX, KINDS_MAX};
use crate::page::open_kept;
use crate::wire::{Reader, put_varint};

/// Of no more rows of a page than these the ordinals are counted one by one, without those of all rows.
const FEW_ROWS: usize = 16;

/// The kinds of the rows of a chunk.
#[derive(Debug)]
pub struct RowKinds {
    /// The kinds there are, by number, and how many rows each has.
    kinds: Vec<(u32, u32)>,
    /// For each of them the ordinal behind its last.
    ends: Vec<u32>,
    /// How many rows there are.
    rows: usize,
    /// How many of them a row metadata page has, but for the last one.
    page_rows: usize,
    on_pages: PageRows,
}

/// The rows of a kind on a page, and which of them are looked for.
struct Sought<'s> {
    page: usize,
    /// The place of the kind.
    place: usize,
    /// The ordinal of the first of them.
    first: u32,
    /// The ordinals looked for, ascending; at least one.
    ordinals: &'s [u32],
}

impl RowKinds {
    /// Reads the row page of a chunk.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &ChunkEntry, stored: impl Into<Vec<u8>>) -> Result<Self, Corrupt> {
        let (page, start) = open_kept("row page", &entry.rows, stored.into())?;
        let mut reader = Reader::new("row page", page.get(start..).unwrap_or(&[]));
        let rows = reader.count("number of rows", CHUNK_ROWS_MAX)?;
        let count = reader.count("number of kinds", rows.min(KINDS_MAX))?;
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        column::decode(&mut reader, count, &mut numbers)?;
        column::decode(&mut reader, numbers.len(), &mut counts)?;
        let mut kinds = Vec::with_capacity(numbers.len());
        for (number, count) in numbers.into_iter().zip(counts) {
            kinds.push((
                narrow("number of a kind", number)?,
                narrow("rows of a kind", count)?,
            ));
        }
        let pages = entry.heads.iter().map(|page| u64::from(page.rows));
        let of_kinds = kinds.iter().map(|(_, rows)| u64::from(*rows));
        if pages.sum::<u64>() != rows as u64 || of_kinds.sum::<u64>() != rows as u64 {
            return Err(rows_of_all_kinds(rows));
        }
        let on_pages = PageRows::decode(&mut reader, kinds.len(), entry.heads.len(), &page)?;
        reader.finish()?;
        let page_rows = entry.heads.first().map_or(0, |page| page.rows as usize);
        Ok(Self {
            ends: ends_of(&kinds),
            kinds,
            rows,
            page_rows: page_rows.max(1),
            on_pages,
        })
    }

    /// Checks what is not seen as it is read: which row metadata pages the rows of all kinds are on.
    ///
    /// # Errors
    /// When there are not as many of each kind, or on each page, as there have to be.
    pub fn check_pages(&self, entry: &ChunkEntry) -> Result<(), Corrupt> {
        let pages: Vec<u32> = entry.heads.iter().map(|page| page.rows).collect();
        self.on_pages.check(&self.kinds, &pages)
    }

    /// Checks that each row has an ordinal of its own. Like the others that take `page`, it is given the head
    /// pages by their numbers.
    ///
    /// # Errors
    /// When two rows have one, or a page cannot be had.
    pub fn check<E: From<Corrupt>>(
        &self,
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<(), E> {
        for number in 0..self.pages() {
            let ranks = [number, number + 1].map(|number| self.ranks_before(number));
            let [before, behind] = ranks;
            let own = before.zip(behind);
            let own = own.map(|(start, end)| end.saturating_sub(start));
            let own: Vec<(u32, u32)> = own.map(|rows| (0, rows)).collect();
            check(&page(number)?.places, &own)?;
        }
        Ok(())
    }

    /// The kinds there are, by number, and how many rows each has.
    pub fn kinds(&self) -> &[(u32, u32)] {
        &self.kinds
    }

    /// For each row the place of its kind among those of the chunk.
    ///
    /// # Errors
    /// When a row metadata page cannot be had.
    pub(crate) fn places<E>(
        &self,
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<Vec<u64>, E> {
        let mut all = Vec::with_capacity(self.rows);
        for number in 0..self.pages() {
            self.look(number, &mut page, |places| all.extend(places.values()))?;
        }
        Ok(all)
    }

    /// How many rows there are.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Replaces `out` by the page with other numbers of its kinds, as many as it has.
    pub(crate) fn relabelled(&self, numbers: &[u32], out: &mut Vec<u8>) {
        let rows = self.kinds.iter().map(|(_, rows)| *rows);
        let kinds: Vec<(u32, u32)> = numbers.iter().copied().zip(rows).collect();
        encode(&kinds, self.rows, &self.on_pages, out);
    }

    /// The ordinals of a range of rows, ascending: those of a kind are beside each other.
    ///
    /// # Errors
    /// When a row metadata page cannot be had.
    pub fn ordinals_of<E>(
        &self,
        rows: &Range<u32>,
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<Vec<Range<u32>>, E> {
        let starts = self.ranks_at(rows.start as usize, &mut page)?;
        let ends = self.ranks_at(rows.end as usize, &mut page)?;
        let own = self.firsts().zip(starts).zip(ends);
        let ordinals = own.map(|((first, start), end)| {
            // What is said of the pages may be wrong ([`Self::check_pages`]).
            first.saturating_add(start)..first.saturating_add(end)
        });
        Ok(ordinals.filter(|ordinals| !ordinals.is_empty()).collect())
    }

    /// Some rows of the chunk, each with its ordinal. A row that is not there has an ordinal that is not there.
    ///
    /// # Errors
    /// When a row metadata page cannot be had.
    pub fn with_ordinals<E>(
        &self,
        rows: impl IntoIterator<Item = u32>,
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<Vec<(u32, u32)>, E> {
        let rows: Vec<u32> = rows.into_iter().collect();
        let mut found = Vec::with_capacity(rows.len());
        let page_of = |row: &u32| *row as usize / self.page_rows;
        for run in rows.chunk_by(|one, next| page_of(one) == page_of(next)) {
            let number = run.first().map_or(0, page_of);
            if number >= self.pages() {
                found.extend(run.iter().map(|row| (*row, u32::MAX)));
                continue;
            }
            let first = number * self.page_rows;
            self.look(number, &mut page, |places| {
                let within = |row: &u32| *row as usize - first;
                if run.len() <= FEW_ROWS {
                    let ordinal = |row| self.ordinal_of(number, places, within(row));
                    found.extend(run.iter().map(|row| (*row, ordinal(row))));
                    return;
                }
                let ordinals: Vec<u32> = self.ordinals_on(number, places).collect();
                let ordinal = |row| ordinals.get(within(row)).copied().unwrap_or(u32::MAX);
                found.extend(run.iter().map(|row| (*row, ordinal(row))));
            })?;
        }
        Ok(found)
    }

    /// The rows that have some ordinals, which ascend, each with its own; the rows ascend.
    ///
    /// # Errors
    /// When a row metadata page cannot be had.
    pub fn at_ordinals<E>(
        &self,
        ordinals: &[u32],
        mut page: impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<Vec<(u32, u32)>, E> {
        let mut sought = self.seek(ordinals);
        sought.sort_by_key(|sought| sought.page);
        let mut found = Vec::with_capacity(ordinals.len());
        for own in sought.chunk_by(|one, next| one.page == next.page) {
            let number = own.first().map_or(0, |own| own.page);
            let first = number * self.page_rows;
            let add = |row: usize, ordinal: u32| found.push(((first + row) as u32, ordinal));
            self.look(number, &mut page, |places| self.find(own, places, add))?;
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Finds the rows of a page that have the ordinals looked for there, in any order.
    fn find(&self, sought: &[Sought<'_>], places: &Packed, mut found: impl FnMut(usize, u32)) {
        let mut left: usize = sought.iter().map(|own| own.ordinals.len()).sum();
        if left <= FEW_ROWS {
            for own in sought {
                let row_of =
                    |ordinal: &u32| places.nth_of(own.place as u64, (ordinal - own.first) as usize);
                let rows = own
                    .ordinals
                    .iter()
                    .filter_map(|ordinal| Some((row_of(ordinal)?, *ordinal)));
                rows.for_each(|(row, ordinal)| found(row, ordinal));
            }
            return;
        }
        // For each kind the ordinal of its next row, and those that are looked for from there on.
        let mut next: Vec<(u32, &[u32])> = vec![(0, &[]); self.kinds.len()];
        for own in sought {
            if let Some(next) = next.get_mut(own.place) {
                *next = (own.first, own.ordinals);
            }
        }
        for (row, place) in places.values().enumerate() {
            let Some((ordinal, rest)) = next.get_mut(place as usize) else {
                continue;
            };
            if let Some((next, behind)) = rest.split_first()
                && next == ordinal
            {
                found(row, *ordinal);
                *rest = behind;
                left -= 1;
                if left == 0 {
                    return;
                }
            }
            *ordinal = ordinal.saturating_add(1);
        }
    }

    /// How many row metadata pages there are.
    fn pages(&self) -> usize {
        self.rows.div_ceil(self.page_rows)
    }

    /// Looks at the places of the kinds of the rows of a page.
    fn look<T, E>(
        &self,
        number: usize,
        page: &mut impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
        look: impl FnOnce(&Packed) -> T,
    ) -> Result<T, E> {
        Ok(look(&page(number)?.places))
    }

    /// For each kind its first ordinal.
    fn firsts(&self) -> impl Iterator<Item = u32> {
        let own = self.kinds.iter().zip(&self.ends);
        own.map(|((_, rows), end)| end.saturating_sub(*rows))
    }

    /// For each kind how many of its rows are on the pages before one.
    fn ranks_before(&self, number: usize) -> impl Iterator<Item = u32> {
        let kinds = self.kinds.iter().enumerate();
        kinds.map(move |(kind, (_, rows))| self.on_pages.before(kind, number).unwrap_or(*rows))
    }

    /// For each kind how many of its rows are before one.
    fn ranks_at<E>(
        &self,
        row: usize,
        page: &mut impl FnMut(usize) -> Result<Arc<RowMetadataPage>, E>,
    ) -> Result<Vec<u32>, E> {
        if row == 0 {
            return Ok(vec![0; self.kinds.len()]);
        }
        let number = row / self.page_rows;
        let mut ranks: Vec<u32> = self.ranks_before(number).collect();
        let within = row % self.page_rows;
        if within == 0 || number >= self.pages() {
            return Ok(ranks);
        }
        self.look(number, page, |places| {
            for place in places.values().take(within) {
                if let Some(rank) = ranks.get_mut(place as usize) {
                    *rank = rank.saturating_add(1);
                }
            }
        })?;
        Ok(ranks)
    }

    /// The ordinals of all rows of a page, in the order of the rows.
    fn ordinals_on(&self, number: usize, places: &Packed) -> impl Iterator<Item = u32> {
        let ranks = self.ranks_before(number);
        let next = self.firsts().zip(ranks);
        let next = next.map(|(first, rank)| first.saturating_add(rank));
        let mut next: Vec<u32> = next.collect();
        places.values().map(move |place| {
            let next = next.get_mut(place as usize);
            next.map_or(u32::MAX, |next| {
                std::mem::replace(next, next.saturating_add(1))
            })
        })
    }

    /// The ordinal of a row, counted from the first of its page: so many rows of its kind are before it.
    fn ordinal_of(&self, number: usize, places: &Packed, row: usize) -> u32 {
        let ordinal = places.get(row).and_then(|place| {
            let kind = place as usize;
            let (_, rows) = self.kinds.get(kind)?;
            let first = self.ends.get(kind)?.checked_sub(*rows)?;
            let before = self.on_pages.before(kind, number)?;
            let on_page = places.count_of(place, 0..row) as u32;
            first.checked_add(before)?.checked_add(on_page)
        });
        ordinal.unwrap_or(u32::MAX)
    }

    /// Where the rows with some ordinals are, which ascend; those that are not there are left out.
    fn seek<'s>(&self, mut ordinals: &'s [u32]) -> Vec<Sought<'s>> {
        let mut all = Vec::new();
        while let Some((sought, behind)) = self.seek_first(ordinals) {
            all.push(sought);
            ordinals = behind;
        }
        all
    }

    /// Where the first of them is, with those that follow on its page, and the others; `None` where it is not there.
    fn seek_first<'s>(&self, ordinals: &'s [u32]) -> Option<(Sought<'s>, &'s [u32])> {
        let ordinal = *ordinals.first()?;
        let place = self.ends.partition_point(|end| *end <= ordinal);
        let (_, rows) = self.kinds.get(place)?;
        let end = *self.ends.get(place)?;
        let of_kind = end.checked_sub(*rows)?;
        let (page, before) = self
            .on_pages
            .page_of(place, ordinal.checked_sub(of_kind)?)?;
        let behind = self.on_pages.before(place, page + 1);
        let end = behind.map_or(end, |rows| of_kind.saturating_add(rows));
        // What is said of the pages may be wrong ([`Self::check_pages`]).
        let here = ordinals.partition_point(|ordinal| *ordinal < end).max(1);
        let (ordinals, behind) = ordinals.split_at_checked(here)?;
        let sought = Sought {
            page,
            place,
            first: ordinal.checked_sub(before)?,
            ordinals,
        };
        Some((sought, behind))
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[(u32, u32)]>(&self.kinds)
            + size_of_val::<[u32]>(&self.ends)
            + self.on_pages.memory_bytes()
    }
}

/// Checks that so many rows are of each kind.
fn check(places: &Packed, kinds: &[(u32, u32)]) -> Result<(), Corrupt> {
    let counts = places.counts(kinds.len());
    let rows = kinds.iter().map(|(_, rows)| rows);
    match counts.is_some_and(|counts| counts.iter().eq(rows)) {
        true => Ok(()),
        false => Err(rows_of_all_kinds(places.len())),
    }
}

fn rows_of_all_kinds(rows: usize) -> Corrupt {
    Corrupt::Invalid {
        what: "rows of all kinds",
        value: rows as u64,
    }
}

/// For each kind the ordinal behind its last.
fn ends_of(kinds: &[(u32, u32)]) -> Vec<u32> {
    let mut end = 0_u32;
    let ends = kinds.iter().map(|(_, rows)| {
        end = end.saturating_add(*rows);
        end
    });
    ends.collect()
}

/// Replaces `out` by a row page.
pub(super) fn encode(kinds: &[(u32, u32)], rows: usize, on_pages: &PageRows, out: &mut Vec<u8>) {
    out.clear();
    put_varint(rows as u64, out);
    put_varint(kinds.len() as u64, out);
    let (numbers, counts): (Vec<u64>, Vec<u64>) = kinds
        .iter()
        .map(|(number, rows)| (u64::from(*number), u64::from(*rows)))
        .unzip();
    column::encode(&numbers, out);
    column::encode(&counts, out);
    on_pages.encode(out);
}

fn narrow(what: &'static str, value: u64) -> Result<u32, Corrupt> {
    u32::try_from(value).map_err(|_| Corrupt::Invalid { what, value })
}
