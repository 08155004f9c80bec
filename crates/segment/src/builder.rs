//! Records into a segment, in one pass: chunks are written as they fill, the index at the end.

use model::{RecordBatch, RecordHead, RecordNumber, Timestamp};
use thiserror::Error;

use crate::chunk::{ChunkEntry, ChunkWriter};
use crate::envelope::{FORMAT_VERSION, Header, Trailer};
use crate::footer::{Counts, Footer};
use crate::index::Index;
use crate::kinds::Kinds;
use crate::limits::{
    CHUNK_BYTES, CHUNK_ROWS, FOOTER_BYTES_MAX, RECEIVED_PAGE_ROWS, SEGMENT_RECORD_BYTES_MAX,
    SEGMENT_ROWS_MAX,
};
use crate::page::{PageEntry, PageWriter, checksum};
use crate::page_file::PageFile;
use crate::received;
use crate::spare;

/// How a segment is built.
#[derive(Clone, Copy, Debug)]
pub struct BuildOptions {
    /// The number of the first record; the others follow without a gap.
    pub first_number: RecordNumber,
    /// Level of zstd, 1 to 22. 1 is right for all but archives.
    pub zstd_level: i32,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            first_number: RecordNumber(1),
            zstd_level: 1,
        }
    }
}

/// Why records do not go into a segment. Those pushed before are unharmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// More records than a segment may have.
    #[error("a segment of {rows} rows is too large, the limit is {SEGMENT_ROWS_MAX}")]
    TooManyRows {
        /// Rows there would be.
        rows: u64,
    },
    /// More bytes than a segment may have.
    #[error("a segment of {bytes} bytes is too large, the limit is {SEGMENT_RECORD_BYTES_MAX}")]
    TooManyBytes {
        /// Bytes of records there would be.
        bytes: u64,
    },
    /// A record received before the one in front of it.
    #[error("row {row} was received at {received}, before the row in front of it at {last}")]
    OutOfOrder {
        /// The row.
        row: u32,
        /// When it was received.
        received: Timestamp,
        /// When the row before was received.
        last: Timestamp,
    },
    /// A footer that would not be read, because of many very long words.
    #[error("a footer of {bytes} bytes is too large, the limit is {FOOTER_BYTES_MAX}")]
    FooterTooLarge {
        /// Its length.
        bytes: u64,
    },
}

/// A finished segment.
#[derive(Clone, Debug)]
pub struct Built {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its footer, decoded.
    pub footer: Footer,
}

/// Builds segments of records pushed in order of receipt, one behind the other. The same records give
/// the same bytes, however they are pushed and whatever was built before.
pub struct Builder {
    file: Vec<u8>,
    pages: PageWriter,
    chunks: ChunkWriter,
    kinds: Kinds,
    footer: Footer,
    record_bytes: u64,
    /// The records of the open chunk, without most of their texts: copying those would take longer than
    /// cutting them.
    open: RecordBatch,
    /// Bytes of those records, all texts included.
    open_bytes: usize,
    /// Times of receipt of all rows.
    received: Vec<Timestamp>,
    index: Index,
}

impl Builder {
    /// A segment without records.
    pub fn new(options: BuildOptions) -> Self {
        let mut builder = Self {
            file: Vec::new(),
            pages: PageWriter::new(options.zstd_level),
            chunks: ChunkWriter::new(options.zstd_level),
            kinds: Kinds::new(),
            footer: Footer::default(),
            record_bytes: 0,
            open: RecordBatch::new(),
            open_bytes: 0,
            received: Vec::new(),
            index: Index::new(),
        };
        builder.start(options.first_number);
        builder
    }

    /// Starts a segment whose first record has a number, and forgets what was pushed since the last
    /// one. What records were gathered in is used again: with fresh memory for each segment, building
    /// takes 7 % longer.
    pub fn start(&mut self, first_number: RecordNumber) {
        self.footer = Footer {
            first_number,
            ..Footer::default()
        };
        self.file = vec![0; Header::LEN];
        self.chunks.clear();
        self.kinds = Kinds::new();
        self.record_bytes = 0;
        self.open.reset();
        self.open_bytes = 0;
        self.received.clear();
        self.index = Index::new();
    }

    /// Stores all pages plain.
    #[cfg(test)]
    pub(crate) fn plain(mut self) -> Self {
        self.pages = PageWriter::plain();
        self.chunks = ChunkWriter::plain();
        self
    }

    /// Has so many rows on a row metadata page.
    #[cfg(test)]
    pub(crate) fn with_head_rows(mut self, head_rows: usize) -> Self {
        self.chunks = self.chunks.with_head_rows(head_rows);
        self
    }

    /// How many rows there are so far.
    pub fn rows(&self) -> u32 {
        self.footer.rows
    }

    /// Memory the builder takes, in bytes; about twice the finished file's index and its pages.
    pub fn memory_bytes(&self) -> usize {
        self.file.capacity()
            + self.index.memory_bytes()
            + self.kinds.memory_bytes()
            + self.open.memory_bytes()
            + self.received.capacity() * size_of::<Timestamp>()
    }

    /// Adds all records of a batch, or none where they do not go into the segment.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), BuildError> {
        self.check(batch)?;
        if let Some(first) = batch.heads().first()
            && self.footer.rows == 0
        {
            self.footer.first_received = first.received;
            self.footer.first_time = first.time;
            self.footer.last_time = first.time;
        }
        self.count(batch.heads());
        let mut start = 0;
        while start < batch.len() {
            let rest = batch.heads().get(start..).unwrap_or(&[]);
            let fitting = self.fitting(rest);
            if fitting == 0 {
                self.close_chunk();
                continue;
            }
            let Self {
                open,
                open_bytes,
                chunks,
                kinds,
                ..
            } = self;
            let added = open.append_chosen(batch, start..start + fitting, |head| {
                *open_bytes += record_len(head);
                chunks.cut_next(batch, head, kinds)
            });
            start += added;
            // Too many names for one batch end a chunk early.
            if added < fitting || self.is_full() {
                assert!(!self.open.is_empty(), "a record fits into an empty batch");
                self.close_chunk();
            }
        }
        Ok(())
    }

    /// Writes what is left and the index, and starts the next segment behind the last record.
    pub fn finish(&mut self) -> Result<Built, BuildError> {
        self.close_chunk();
        self.write_received();
        write_kinds(
            &self.kinds,
            &mut self.footer,
            &mut self.pages,
            &mut self.file,
        );
        self.index
            .write(&mut self.footer, &mut self.pages, &mut self.file);
        let file = std::mem::take(&mut self.file);
        let footer = std::mem::take(&mut self.footer);
        self.start(RecordNumber(footer.first_number.0 + u64::from(footer.rows)));
        finish_file(file, footer)
    }

    fn check(&mut self, batch: &RecordBatch) -> Result<(), BuildError> {
        let rows = u64::from(self.footer.rows) + batch.len() as u64;
        if rows > u64::from(SEGMENT_ROWS_MAX) {
            return Err(BuildError::TooManyRows { rows });
        }
        let bytes = self.record_bytes + record_bytes(batch.heads());
        if bytes > SEGMENT_RECORD_BYTES_MAX {
            return Err(BuildError::TooManyBytes { bytes });
        }
        let is_first = self.footer.rows == 0;
        let mut last = if is_first {
            Timestamp::MIN
        } else {
            self.footer.last_received
        };
        for (row, head) in (self.footer.rows..).zip(batch.heads()) {
            if head.received < last {
                return Err(BuildError::OutOfOrder {
                    row,
                    received: head.received,
                    last,
                });
            }
            last = head.received;
        }
        self.record_bytes = bytes;
        Ok(())
    }

    /// How many of the first records of some belong to the open chunk; at least one where it is empty.
    fn fitting(&self, heads: &[RecordHead]) -> usize {
        let mut bytes = self.open_bytes;
        let rows = CHUNK_ROWS - self.open.len();
        let before = heads.iter().take(rows).take_while(|head| {
            let is_first = bytes == 0;
            bytes += record_len(head);
            is_first || bytes <= CHUNK_BYTES
        });
        before.count()
    }

    fn is_full(&self) -> bool {
        self.open.len() >= CHUNK_ROWS || self.open_bytes >= CHUNK_BYTES
    }

    /// Counts records.
    fn count(&mut self, heads: &[RecordHead]) {
        let footer = &mut self.footer;
        footer.rows += heads.len() as u32;
        for head in heads {
            footer.first_time = footer.first_time.min(head.time);
            footer.last_time = footer.last_time.max(head.time);
            footer.raw_bytes += u64::from(head.raw_len);
        }
        if let Some(last) = heads.last() {
            footer.last_received = last.received;
        }
        self.received.extend(heads.iter().map(|head| head.received));
    }

    fn close_chunk(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let chunk = write_chunk(
            &self.open,
            &mut self.chunks,
            &mut self.kinds,
            &mut self.index,
            (&self.footer.chunks, &mut self.footer.counts),
            &mut self.file,
        );
        push_chunk(&mut self.footer.chunks, chunk);
        self.open.reset();
        self.open_bytes = 0;
    }

    fn write_received(&mut self) {
        for received in self.received.chunks(RECEIVED_PAGE_ROWS as usize) {
            push_received(received, &mut self.footer, &mut self.pages, &mut self.file);
        }
    }
}

/// Appends a chunk of records and enters them into the index. The caller adds it to the footer.
pub(crate) fn write_chunk(
    records: &RecordBatch,
    writer: &mut ChunkWriter,
    kinds: &mut Kinds,
    index: &mut Index,
    (chunks, counts): (&[ChunkEntry], &mut Counts),
    file: &mut dyn PageFile,
) -> ChunkEntry {
    writer.cut(records, kinds);
    index.start_chunk(writer.groups(), kinds, counts);
    for group in writer.groups() {
        index.add_group(records, writer.rows(), group, counts);
    }
    let chunk = writer.pack(records, file);
    let last = chunks.last().map(|last| &last.page);
    let first = last.map_or(0, |last| last.first_row + last.rows);
    index.finish_chunk(first);
    chunk
}

/// Writes the kind page and the spare page of a segment whose records are written.
pub(crate) fn write_kinds(
    kinds: &Kinds,
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut dyn PageFile,
) {
    if footer.rows == 0 {
        return;
    }
    let mut table = Vec::new();
    kinds.encode(&mut table);
    let kind_page = PageEntry {
        rows: kinds.len() as u32,
        ..pages.append(&table, file)
    };
    let spare = spare::encode(&table, footer, pages, file.offset());
    footer.spare_page = Some(PageWriter::append_plain(&spare, file));
    footer.kind_page = Some(kind_page);
}

/// Adds a chunk whose rows follow those of the chunk before.
pub(crate) fn push_chunk(chunks: &mut Vec<ChunkEntry>, mut chunk: ChunkEntry) {
    let last = chunks.last().map(|last| &last.page);
    chunk.page.first_row = last.map_or(0, |last| last.first_row + last.rows);
    chunk.rows.first_row = chunk.page.first_row;
    chunk.directory.first_row = chunk.page.first_row;
    chunks.push(chunk);
}

/// Appends the footer and the trailer.
fn finish_file(mut file: Vec<u8>, footer: Footer) -> Result<Built, BuildError> {
    let mut header = Vec::new();
    Header::of(&footer).encode(&mut header);
    if let Some(start) = file.get_mut(..Header::LEN) {
        start.copy_from_slice(&header);
    }
    let end = encode_end(&footer, file.offset())?;
    file.extend_from_slice(&end);
    Ok(Built {
        bytes: file,
        footer,
    })
}

/// The footer and the trailer of a file whose pages end at an offset.
pub(crate) fn encode_end(footer: &Footer, offset: u64) -> Result<Vec<u8>, BuildError> {
    let mut end = Vec::new();
    footer.encode(&mut end);
    if end.len() > FOOTER_BYTES_MAX {
        return Err(BuildError::FooterTooLarge {
            bytes: end.len() as u64,
        });
    }
    let trailer = Trailer {
        version: FORMAT_VERSION,
        footer_offset: offset,
        footer_len: end.len() as u32,
        footer_crc: checksum(offset, &end),
    };
    trailer.encode(&mut end);
    Ok(end)
}

/// Appends a page of times of receipt, at least one.
pub(crate) fn push_received(
    times: &[Timestamp],
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut dyn PageFile,
) {
    let mut raw = Vec::new();
    received::encode_page(times, &mut raw);
    let page = pages.append(&raw, file);
    push_page(&mut footer.received_pages, page, times.len() as u32);
    footer.received_firsts.extend(times.first());
}

/// Adds a page whose rows follow those of the page before.
pub(crate) fn push_page(pages: &mut Vec<PageEntry>, page: PageEntry, rows: u32) {
    let first_row = pages.last().map_or(0, |last| last.first_row + last.rows);
    pages.push(PageEntry {
        first_row,
        rows,
        ..page
    });
}

fn record_bytes(heads: &[RecordHead]) -> u64 {
    heads.iter().map(|head| record_len(head) as u64).sum()
}

/// Bytes of a record.
fn record_len(head: &RecordHead) -> usize {
    head.raw_len as usize + head.extra_len as usize
}
