//! The bytes of a footer.
#![deny(clippy::indexing_slicing)]

use model::{RecordNumber, Timestamp};

use super::{Footer, LexiconPageEntry};
use crate::Corrupt;
use crate::chunk::ChunkEntry;
use crate::envelope::{Header, Trailer, WORDS_VERSION};
use crate::limits::{CHUNK_ROWS_MAX, PAGE_RAW_BYTES_MAX, RECEIVED_PAGE_ROWS, SEGMENT_ROWS_MAX};
use crate::page::{PageEntry, check};
use crate::wire::Reader;

/// Bytes of a page's entry.
const ENTRY_LEN: usize = 24;

/// Set where words of the lexicon may be cut.
const HAS_TRUNCATED_TERMS: u16 = 1;

/// Kinds of pages whose numbers the footer starts with.
const PAGE_COUNTS: usize = 11;

impl Footer {
    /// Appends the footer.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        self.encode_fixed(out);
        let columns = self.chunks.iter().flat_map(|chunk| &chunk.columns);
        let (heads, zone_maps) = (self.row_metadata_pages(), self.zone_map_pages());
        let counts: [usize; PAGE_COUNTS] = [
            columns.clone().count(),
            self.chunks.len(),
            self.received_pages.len(),
            self.kind_page.iter().len(),
            self.spare_page.iter().len(),
            self.tally_page.iter().len(),
            self.posting_pages.len(),
            self.lexicon_pages.len(),
            self.bigram_page.iter().len(),
            heads.clone().count(),
            zone_maps.clone().count(),
        ];
        for count in counts {
            out.extend_from_slice(&(count as u32).to_le_bytes());
        }
        let pages = columns
            .chain(self.chunks.iter().map(|chunk| &chunk.directory))
            .chain(self.chunks.iter().map(|chunk| &chunk.rows))
            .chain(self.chunks.iter().map(|chunk| &chunk.page))
            .chain(&self.received_pages)
            .chain(&self.kind_page)
            .chain(&self.spare_page)
            .chain(&self.tally_page)
            .chain(&self.posting_pages);
        let lexicon = self.lexicon_pages.iter().map(|page| &page.page);
        let pages = pages.chain(lexicon).chain(&self.bigram_page);
        for page in pages.chain(heads).chain(zone_maps) {
            out.extend_from_slice(&page.offset.to_le_bytes());
            for number in [page.stored_len, page.raw_len, page.crc, page.rows] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        for chunk in &self.chunks {
            let zone_maps = chunk.zone_maps.iter().len();
            for count in [chunk.columns.len(), chunk.heads.len(), zone_maps] {
                out.extend_from_slice(&(count as u32).to_le_bytes());
            }
        }
        for first in &self.received_firsts {
            out.extend_from_slice(&first.nanos().to_le_bytes());
        }
        for page in &self.lexicon_pages {
            out.extend_from_slice(&(page.first_key.len() as u32).to_le_bytes());
            out.extend_from_slice(&page.first_key);
        }
    }

    /// Decodes and checks the bytes that the trailer names.
    pub fn decode(bytes: &[u8], trailer: &Trailer) -> Result<Self, Corrupt> {
        if bytes.len() != trailer.footer_len as usize {
            return Err(Corrupt::Short { what: "footer" });
        }
        check("footer", trailer.footer_offset, bytes, trailer.footer_crc)?;
        let footer = Self::decode_pages(bytes, trailer.footer_offset)?;
        if footer.rows > 0 && footer.kind_page.is_none() {
            return Err(Corrupt::Short { what: "kind pages" });
        }
        Ok(footer)
    }

    /// Decodes a footer whose pages lie before `end`.
    pub(crate) fn decode_pages(bytes: &[u8], end: u64) -> Result<Self, Corrupt> {
        let mut reader = Reader::new("footer", bytes);
        let mut footer = Self::decode_fixed(&mut reader)?;
        let mut counts = [0; PAGE_COUNTS];
        for count in &mut counts {
            *count = reader.u32()? as usize;
        }
        let [
            columns,
            chunks,
            received_pages,
            kinds,
            spares,
            tallies,
            postings,
            lexicon_pages,
            bigrams,
            heads,
            zone_maps,
        ] = counts;
        let columns = decode_pages(&mut reader, columns, end)?;
        let directories = decode_pages(&mut reader, chunks, end)?;
        let rows = decode_pages(&mut reader, chunks, end)?;
        let chunks = decode_pages(&mut reader, chunks, end)?;
        footer.received_pages = decode_pages(&mut reader, received_pages, end)?;
        footer.kind_page = at_most_one(&decode_pages(&mut reader, kinds, end)?)?;
        footer.spare_page = at_most_one(&decode_pages(&mut reader, spares, end)?)?;
        footer.tally_page = at_most_one(&decode_pages(&mut reader, tallies, end)?)?;
        footer.posting_pages = decode_pages(&mut reader, postings, end)?;
        for page in decode_pages(&mut reader, lexicon_pages, end)? {
            footer.lexicon_pages.push(LexiconPageEntry {
                page,
                first_key: Box::default(),
            });
        }
        footer.bigram_page = at_most_one(&decode_pages(&mut reader, bigrams, end)?)?;
        let heads = decode_pages(&mut reader, heads, end)?;
        let zone_maps = decode_pages(&mut reader, zone_maps, end)?;
        let of_some = [&columns, &heads, &zone_maps].map(Vec::as_slice);
        let pages = [&directories, &rows, &chunks].map(Vec::as_slice);
        footer.chunks = join_chunks(&mut reader, of_some, pages)?;
        for _ in 0..received_pages {
            let first = Timestamp::from_nanos(i64::from_le_bytes(reader.array()?));
            footer.received_firsts.push(first);
        }
        for page in &mut footer.lexicon_pages {
            let len = reader.u32()? as usize;
            page.first_key = reader.bytes(len)?.into();
        }
        reader.finish()?;
        footer.check()?;
        Ok(footer)
    }

    fn encode_fixed(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first_number.0.to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&WORDS_VERSION.to_le_bytes());
        let marks = if self.has_truncated_terms {
            HAS_TRUNCATED_TERMS
        } else {
            0
        };
        out.extend_from_slice(&marks.to_le_bytes());
        for time in [
            self.first_received,
            self.last_received,
            self.first_time,
            self.last_time,
        ] {
            out.extend_from_slice(&time.nanos().to_le_bytes());
        }
        out.extend_from_slice(&self.raw_bytes.to_le_bytes());
        let counts = &self.counts;
        let all = counts.severity.iter().chain(&counts.facility);
        let all = all.chain(&counts.present).chain(&counts.worded);
        for count in all.chain(&[counts.with_words, counts.with_text]) {
            out.extend_from_slice(&count.to_le_bytes());
        }
    }

    /// Reads the part of fixed length.
    fn decode_fixed(reader: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let first_number = RecordNumber(reader.u64()?);
        let rows = reader.u32()?;
        let words_version = u16::from_le_bytes(reader.array()?);
        if words_version != WORDS_VERSION {
            return Err(invalid("version of words", u64::from(words_version)));
        }
        let marks = u16::from_le_bytes(reader.array()?);
        if marks & !HAS_TRUNCATED_TERMS != 0 {
            return Err(invalid("marks of the footer", u64::from(marks)));
        }
        let mut time = || Ok(Timestamp::from_nanos(i64::from_le_bytes(reader.array()?)));
        let mut footer = Self {
            first_number,
            rows,
            first_received: time()?,
            last_received: time()?,
            first_time: time()?,
            last_time: time()?,
            raw_bytes: reader.u64()?,
            has_truncated_terms: marks & HAS_TRUNCATED_TERMS != 0,
            ..Self::default()
        };
        let counts = &mut footer.counts;
        let all = counts.severity.iter_mut().chain(&mut counts.facility);
        let all = all.chain(&mut counts.present).chain(&mut counts.worded);
        for count in all.chain([&mut counts.with_words, &mut counts.with_text]) {
            *count = reader.u32()?;
            if *count > rows {
                return Err(invalid("count of rows", u64::from(*count)));
            }
        }
        Ok(footer)
    }

    /// What a writer of ours keeps to.
    fn check(&self) -> Result<(), Corrupt> {
        if self.rows > SEGMENT_ROWS_MAX {
            return Err(Corrupt::TooLarge {
                what: "number of rows",
                value: u64::from(self.rows),
                max: u64::from(SEGMENT_ROWS_MAX),
            });
        }
        let chunk = self.chunks.last().map(|chunk| &chunk.page);
        for last in [chunk, self.received_pages.last()] {
            let rows = last.map_or(0, |page| page.first_row + page.rows);
            if rows != self.rows {
                return Err(invalid("sum of the rows of pages", u64::from(rows)));
            }
        }
        for chunk in &self.chunks {
            if chunk.page.rows == 0 || chunk.page.rows as usize > CHUNK_ROWS_MAX {
                return Err(invalid("rows of a chunk", u64::from(chunk.page.rows)));
            }
            check_heads(chunk)?;
        }
        let received_rows = |first: u32| RECEIVED_PAGE_ROWS.min(self.rows - first);
        for page in &self.received_pages {
            if page.rows == 0 || page.rows != received_rows(page.first_row) {
                return Err(invalid("rows of a received page", u64::from(page.rows)));
            }
        }
        let firsts = &self.received_firsts;
        if firsts
            .first()
            .is_some_and(|first| *first != self.first_received)
            || firsts.last().is_some_and(|last| *last > self.last_received)
            || !firsts.is_sorted()
        {
            return Err(invalid(
                "first times of received pages",
                firsts.len() as u64,
            ));
        }
        if self.first_received > self.last_received || self.first_time > self.last_time {
            return Err(invalid("range of times", u64::from(self.rows)));
        }
        for pages in self.lexicon_pages.windows(2) {
            if let [page, next] = pages
                && page.first_key >= next.first_key
            {
                return Err(invalid("order of lexicon pages", next.page.offset));
            }
        }
        Ok(())
    }
}

fn at_most_one(pages: &[PageEntry]) -> Result<Option<PageEntry>, Corrupt> {
    match pages {
        [] => Ok(None),
        [page] => Ok(Some(*page)),
        _ => Err(invalid("number of pages", pages.len() as u64)),
    }
}

/// The row metadata pages of a chunk have all its rows, each but the last as many.
fn check_heads(chunk: &ChunkEntry) -> Result<(), Corrupt> {
    let Some((last, others)) = chunk.heads.split_last() else {
        return Err(Corrupt::Short {
            what: "row metadata pages",
        });
    };
    let first = others.first().unwrap_or(last).rows;
    let is_even = others.iter().all(|page| page.rows == first) && (1..=first).contains(&last.rows);
    let all = last.first_row.checked_add(last.rows);
    if is_even && all == Some(chunk.page.rows) {
        return Ok(());
    }
    Err(invalid("rows of a row metadata page", u64::from(last.rows)))
}

/// Reads how many pages of columns, heads and zone maps each chunk has, and gives it those.
fn join_chunks(
    reader: &mut Reader<'_>,
    [mut columns, mut heads, mut zone_maps]: [&[PageEntry]; 3],
    [directories, rows, pages]: [&[PageEntry]; 3],
) -> Result<Vec<ChunkEntry>, Corrupt> {
    let mut chunks = Vec::with_capacity(pages.len());
    for ((directory, rows), page) in directories.iter().zip(rows).zip(pages) {
        for other in [directory, rows] {
            if other.rows != page.rows {
                return Err(invalid("rows of a chunk's page", u64::from(other.rows)));
            }
        }
        chunks.push(ChunkEntry {
            columns: take_pages(reader, &mut columns)?,
            directory: *directory,
            heads: take_pages(reader, &mut heads)?,
            zone_maps: at_most_one(&take_pages(reader, &mut zone_maps)?)?,
            rows: *rows,
            page: *page,
        });
    }
    match columns.len() + heads.len() + zone_maps.len() {
        0 => Ok(chunks),
        count => Err(invalid("pages of no chunk", count as u64)),
    }
}

/// Reads how many pages a chunk has, and takes those from the front of some; what they count starts with it.
fn take_pages(
    reader: &mut Reader<'_>,
    pages: &mut &[PageEntry],
) -> Result<Vec<PageEntry>, Corrupt> {
    let count = reader.u32()?;
    let own = pages.split_at_checked(count as usize);
    let (own, others) = own.ok_or_else(|| invalid("pages of a chunk", u64::from(count)))?;
    *pages = others;
    let base = own.first().map_or(0, |first| first.first_row);
    let of_chunk = |page: &PageEntry| PageEntry {
        first_row: page.first_row - base,
        ..*page
    };
    Ok(own.iter().map(of_chunk).collect())
}

fn decode_pages(
    reader: &mut Reader<'_>,
    count: usize,
    end: u64,
) -> Result<Vec<PageEntry>, Corrupt> {
    let max = reader.rest().len() / ENTRY_LEN;
    if count > max {
        return Err(Corrupt::TooLarge {
            what: "number of pages",
            value: count as u64,
            max: max as u64,
        });
    }
    let mut pages = Vec::with_capacity(count);
    let mut first_row = 0_u32;
    for _ in 0..count {
        let page = PageEntry {
            offset: reader.u64()?,
            stored_len: reader.u32()?,
            raw_len: reader.u32()?,
            crc: reader.u32()?,
            first_row,
            rows: reader.u32()?,
        };
        let page_end = page.offset.checked_add(u64::from(page.stored_len));
        if page.offset < Header::LEN as u64 || page_end.is_none_or(|page_end| page_end > end) {
            return Err(invalid("offset of a page", page.offset));
        }
        if page.raw_len as usize > PAGE_RAW_BYTES_MAX {
            return Err(Corrupt::TooLarge {
                what: "length of a page",
                value: u64::from(page.raw_len),
                max: PAGE_RAW_BYTES_MAX as u64,
            });
        }
        first_row = first_row
            .checked_add(page.rows)
            .ok_or_else(|| invalid("sum of the rows of pages", u64::from(page.rows)))?;
        pages.push(page);
    }
    Ok(pages)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
