//! A sealed segment, open for reading: pages from disk, decoded once, kept in a bounded cache.

mod bigrams;
mod chunk_pages;
mod found;
mod kept_records;
mod kind_rows;
mod ordinals;
mod received;
mod select;
mod times;
mod truncated_terms;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{RecordBatch, RecordNumber, Timestamp};
use quick_cache::sync::Cache;
use segment::{
    Bigrams, Chunk, ChunkEntry, ChunkHeads, ChunkLoose, ColumnPage, Corrupt, Footer, Header,
    KindPool, Kinds, KnownKey, LexiconPage, LexiconPageEntry, LexiconThrough, Namespace, PageEntry,
    PostingPage, ReceivedTimes, RowKinds, RowMetadataPage, Spare, Tally, TermEntry, Trailer,
    ZoneMaps,
};

use chunk_pages::ColumnMemory;
pub use found::Found;
use found::FoundCache;
use kept_records::RecordCache;

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::{Error, ReadError};
use crate::limits::{FOUND_SHARE, KINDS_SHARE, RECORDS_SHARE};
use crate::snapshot::Damage;

pub use kind_rows::OpenChunk;
pub use select::FieldOrdinals;
use times::TimedRows;
pub use times::{RowTimes, TimeSpan};

/// What is kept in memory of all segments of a store.
pub(crate) struct PageCache {
    /// Decoded pages.
    pages: Cache<PageKey, Page, PageWeight>,
    /// What questions have found: apart from pages, since a question that reads more of those than there
    /// is room for would drive out what it finds.
    found: FoundCache,
    /// Records that answers had.
    records: RecordCache,
    /// What is known of kinds.
    kinds: KindPool,
    /// What the columns of all open segments would take, in bytes.
    columns: AtomicU64,
}

impl PageCache {
    /// Whether the columns of all open segments fit.
    fn has_room_for_columns(&self) -> bool {
        self.columns.load(Ordering::Relaxed) <= self.pages.capacity()
    }
}

/// Which page of which segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    segment: u64,
    kind: Kind,
    index: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Kinds,
    RowKinds,
    /// A row metadata page, by its place among those of all chunks.
    RowMetadata,
    Chunk,
    /// What stands beside the texts of the rows of a chunk.
    Loose,
    /// A page of columns, by its place among those of all chunks.
    Columns,
    /// What is known of the columns of a chunk.
    ZoneMaps,
    Received,
    Times,
    Tally,
    Lexicon,
    Bigrams,
    Posting,
}

/// A decoded page.
#[derive(Clone)]
pub(crate) enum Page {
    Kinds(Arc<Kinds>),
    RowKinds(Arc<RowKinds>),
    RowMetadata(Arc<RowMetadataPage>),
    Chunk(Arc<Chunk>),
    Loose(Arc<ChunkLoose>),
    /// When the rows of a chunk say they were written.
    Times(Arc<Vec<Timestamp>>),
    Columns(Arc<ColumnPage>),
    ZoneMaps(Arc<ZoneMaps>),
    Received(Arc<ReceivedTimes>),
    Tally(Arc<Tally>),
    Lexicon(Arc<LexiconPage>),
    Bigrams(Arc<Bigrams>),
    Posting(Arc<PostingPage>),
}

/// Weighs a page by the memory it takes.
#[derive(Clone)]
pub(crate) struct PageWeight;

impl quick_cache::Weighter<PageKey, Page> for PageWeight {
    fn weight(&self, _: &PageKey, page: &Page) -> u64 {
        let bytes = match page {
            Page::Kinds(kinds) => kinds.read_memory_bytes(),
            Page::RowKinds(kinds) => kinds.memory_bytes(),
            Page::RowMetadata(page) => page.memory_bytes(),
            Page::Chunk(chunk) => chunk.memory_bytes(),
            Page::Loose(loose) => loose.memory_bytes(),
            Page::Columns(page) => page.memory_bytes(),
            Page::ZoneMaps(zone_maps) => zone_maps.memory_bytes(),
            Page::Received(times) => times.memory_bytes(),
            Page::Times(times) => times.len() * size_of::<Timestamp>(),
            Page::Tally(tally) => tally.memory_bytes(),
            Page::Lexicon(page) => page.memory_bytes(),
            Page::Bigrams(page) => page.memory_bytes(),
            Page::Posting(page) => page.memory_bytes(),
        };
        bytes as u64 + 64
    }
}

/// Values and how many rows have each.
pub type OwnValueRows = Vec<(Box<[u8]>, u32)>;

/// A cache of so many bytes.
pub(crate) fn page_cache(bytes: u64) -> Arc<PageCache> {
    let (found, kinds) = (bytes / FOUND_SHARE, bytes / KINDS_SHARE);
    let records = bytes / RECORDS_SHARE;
    let pages = bytes - found - kinds - records;
    // A page takes some 50 KiB mostly; this sizes the table.
    let count = usize::try_from(pages / (32 * 1024)).unwrap_or(usize::MAX);
    Arc::new(PageCache {
        pages: Cache::with_weighter(count.max(16), pages, PageWeight),
        found: found::cache(found),
        records: kept_records::cache(records),
        kinds: KindPool::new(usize::try_from(kinds).unwrap_or(usize::MAX)),
        columns: AtomicU64::new(0),
    })
}

/// Why records are not read.
enum Unread {
    Page(ReadError),
    /// A column of the chunk does not decode.
    Corrupt(Corrupt),
}

impl From<Corrupt> for Unread {
    fn from(error: Corrupt) -> Self {
        Self::Corrupt(error)
    }
}

/// For each chunk how many pages of a kind the chunks before it have.
fn pages_before(footer: &Footer, pages: fn(&ChunkEntry) -> &[PageEntry]) -> Vec<u32> {
    let mut before = 0;
    let counts = footer.chunks.iter().map(|chunk| pages(chunk).len() as u32);
    counts
        .map(|count| {
            let own = before;
            before += count;
            own
        })
        .collect()
}

/// A sealed segment.
pub struct SegmentHandle {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    file_bytes: u64,
    footer: Footer,
    /// For each chunk how many pages of columns the chunks before it have.
    columns_before: Vec<u32>,
    /// The same of row metadata pages.
    heads_before: Vec<u32>,
    cache: Arc<PageCache>,
    _columns: ColumnMemory,
    /// Distinguishes segments in the cache; paths can be reused after a failed seal.
    uid: u64,
    /// Bytes read from disk so far; what is in memory reads none.
    bytes_read: Option<AtomicU64>,
    timed_rows: Box<[TimedRows]>,
    /// The first page of the index that turned out to be damaged.
    index_damage: OnceLock<Damage>,
}

impl fmt::Debug for SegmentHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentHandle")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

static NEXT_UID: AtomicU64 = AtomicU64::new(0);

impl SegmentHandle {
    /// Opens a segment and reads its footer.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, cache: Arc<PageCache>) -> Result<Self, Error> {
        let file = disk
            .open(path, OpenMode::Read)
            .map_err(Error::io("open", path))?;
        let handle = Self::of_file(file, path, cache)?;
        Ok(Self {
            bytes_read: Some(AtomicU64::new(0)),
            ..handle
        })
    }

    /// Reads the footer of a segment in something like a file, which messages call by a path, and of which
    /// nothing counts as read from disk.
    pub(crate) fn of_file(
        file: Box<dyn DiskFile>,
        path: &Path,
        cache: Arc<PageCache>,
    ) -> Result<Self, Error> {
        let file_bytes = file.len().map_err(Error::io("read", path))?;
        let damaged = |offset: u64| {
            move |error: Corrupt| {
                let damaged = || Error::Damaged {
                    path: path.to_owned(),
                    offset,
                    what: error.to_string(),
                };
                Error::of_segment_format(path, &error).unwrap_or_else(damaged)
            }
        };
        let mut header = [0; Header::LEN];
        file.read_exact_at(&mut header, 0)
            .map_err(Error::io("read", path))?;
        Header::decode(&header).map_err(damaged(0))?;
        let trailer_offset = file_bytes.saturating_sub(Trailer::LEN as u64);
        let mut trailer = [0; Trailer::LEN];
        file.read_exact_at(&mut trailer, trailer_offset)
            .map_err(Error::io("read", path))?;
        let trailer = Trailer::decode(&trailer, file_bytes).map_err(damaged(trailer_offset))?;
        let mut footer = vec![0; trailer.footer_len as usize];
        file.read_exact_at(&mut footer, trailer.footer_offset)
            .map_err(Error::io("read", path))?;
        let footer = Footer::decode(&footer, &trailer).map_err(damaged(trailer.footer_offset))?;
        let columns_before = pages_before(&footer, |chunk| &chunk.columns);
        let heads_before = pages_before(&footer, |chunk| &chunk.heads);
        let columns = ColumnMemory::of(&footer.chunks, &cache);
        let timed_rows = TimedRows::of(&footer.chunks);
        Ok(Self {
            path: path.to_owned(),
            file,
            file_bytes,
            footer,
            columns_before,
            heads_before,
            _columns: columns,
            cache,
            uid: NEXT_UID.fetch_add(1, Ordering::Relaxed),
            bytes_read: None,
            timed_rows,
            index_damage: OnceLock::new(),
        })
    }

    /// What the segment says of itself.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of its file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The number of its first record.
    pub fn first_number(&self) -> RecordNumber {
        self.footer.first_number
    }

    /// The numbers of its records.
    pub(crate) fn record_numbers(&self) -> Range<u64> {
        let first = self.first_number().0;
        first..first + u64::from(self.rows())
    }

    /// A number that no other open segment has.
    pub fn uid(&self) -> u64 {
        self.uid
    }

    /// How many records it has, at least one.
    pub fn rows(&self) -> u32 {
        self.footer.rows
    }

    /// When its first record was received.
    pub fn first_received(&self) -> Timestamp {
        self.footer.first_received
    }

    /// When its last record was received.
    pub fn last_received(&self) -> Timestamp {
        self.footer.last_received
    }

    /// Bytes read from disk so far; what an answer cost is the difference.
    pub fn bytes_read(&self) -> u64 {
        let read = self.bytes_read.as_ref();
        read.map_or(0, |read| read.load(Ordering::Relaxed))
    }

    /// What readers found damaged in the index so far. The records may be whole.
    pub(crate) fn index_damage(&self) -> Option<&Damage> {
        self.index_damage.get()
    }

    /// Notes that the page of the index at an offset is damaged; false where the segment has no
    /// page of the index there.
    pub(crate) fn note_index_damage(&self, offset: u64, what: &str) -> bool {
        let mut pages = self.footer.pages();
        let is_index = pages.any(|(section, page)| section.is_index() && page.offset == offset);
        if is_index {
            self.index_damage
                .get_or_init(|| Damage::new(&self.path, offset, what));
        }
        is_index
    }

    /// The index of the chunk that holds a row.
    pub fn chunk_of_row(&self, row: u32) -> usize {
        self.footer.chunk_of_row(row)
    }

    /// The rows of a chunk, and their ordinals; none where there is no such chunk.
    pub fn chunk_rows(&self, index: usize) -> Range<u32> {
        let page = self.footer.chunks.get(index).map(|chunk| chunk.page);
        page.map_or(0..0, |page| {
            page.first_row..page.first_row.saturating_add(page.rows)
        })
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.footer.chunks.len()
    }

    /// The rows of a chunk that have some ordinals, which ascend, each with its own; the rows ascend.
    ///
    /// # Errors
    /// When the kinds of the rows cannot be read.
    pub fn at_ordinals(
        &self,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<(u32, u32)>, ReadError> {
        let first = self.chunk_rows(chunk).start;
        let own: Vec<u32> = ordinals
            .iter()
            .map(|ordinal| ordinal.wrapping_sub(first))
            .collect();
        let mut rows = self
            .row_kinds(chunk)?
            .at_ordinals(&own, |page| self.row_metadata_page(chunk, page))?;
        for (row, ordinal) in &mut rows {
            (*row, *ordinal) = (row.wrapping_add(first), ordinal.wrapping_add(first));
        }
        Ok(rows)
    }

    /// A row with its ordinal.
    ///
    /// # Errors
    /// When the kinds of the rows of its chunk cannot be read, or there is no such row.
    pub fn with_ordinal(&self, row: u32) -> Result<(u32, u32), ReadError> {
        let chunk = self.chunk_of_row(row);
        let rows = self.chunk_rows(chunk);
        let own = self
            .row_kinds(chunk)?
            .with_ordinals(row.checked_sub(rows.start), |page| {
                self.row_metadata_page(chunk, page)
            })?;
        match own.first() {
            Some((_, ordinal)) if rows.contains(&row) => {
                Ok((row, ordinal.wrapping_add(rows.start)))
            }
            _ => Err(self.out_of_range()),
        }
    }

    /// The ordinals of some rows of a chunk, ascending.
    ///
    /// # Errors
    /// When the kinds of the rows cannot be read, or a row is not in the chunk.
    pub fn ordinals(&self, chunk: usize, rows: &Range<u32>) -> Result<Vec<Range<u32>>, ReadError> {
        let all = self.chunk_rows(chunk);
        if rows.start < all.start || rows.end > all.end {
            return Err(self.out_of_range());
        }
        let first = all.start;
        let own = rows.start - first..rows.end.saturating_sub(first);
        let ordinals = self
            .row_kinds(chunk)?
            .ordinals_of(&own, |page| self.row_metadata_page(chunk, page))?
            .into_iter();
        let ordinals = ordinals.map(|ordinals| first + ordinals.start..first + ordinals.end);
        Ok(ordinals.collect())
    }

    /// All records of a chunk.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn chunk_records(&self, index: usize) -> Result<RecordBatch, ReadError> {
        self.records(index, self.chunk_rows(index))
    }

    /// The records of some rows of a chunk, in the order given.
    ///
    /// # Errors
    /// When one of them cannot be read, or is not in the chunk.
    pub fn records(
        &self,
        index: usize,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<RecordBatch, ReadError> {
        let Some(entry) = self.footer.chunks.get(index) else {
            return Err(self.out_of_range());
        };
        let first = entry.page.first_row;
        let rows = rows.into_iter().map(|row| row.wrapping_sub(first));
        let rows = self
            .row_kinds(index)?
            .with_ordinals(rows, |page| self.row_metadata_page(index, page))?;
        self.records_of(index, entry, &rows)
    }

    /// The records of some rows of a chunk, each given with its ordinal, in the order given.
    ///
    /// # Errors
    /// As [`Self::records`].
    pub fn records_at_ordinals(
        &self,
        index: usize,
        rows: &[(u32, u32)],
    ) -> Result<RecordBatch, ReadError> {
        let Some(entry) = self.footer.chunks.get(index) else {
            return Err(self.out_of_range());
        };
        let first = entry.page.first_row;
        let own =
            |(row, ordinal): &(u32, u32)| (row.wrapping_sub(first), ordinal.wrapping_sub(first));
        let rows: Vec<(u32, u32)> = rows.iter().map(own).collect();
        self.records_of(index, entry, &rows)
    }

    /// The records of some rows of a chunk, counted like their ordinals from its first.
    fn records_of(
        &self,
        index: usize,
        entry: &ChunkEntry,
        rows: &[(u32, u32)],
    ) -> Result<RecordBatch, ReadError> {
        let heads = self.heads_of(index, entry, rows.iter().map(|(row, _)| *row))?;
        let chunk = self.chunk(index, entry)?;
        let rows = rows.iter().copied();
        let records = chunk.records(rows, &heads, |page| {
            self.column_page(index, entry, page).map_err(Unread::Page)
        });
        records.map_err(|error| match error {
            Unread::Page(error) => error,
            Unread::Corrupt(error) => self.damaged(&entry.page, &error),
        })
    }

    fn chunk(&self, index: usize, entry: &ChunkEntry) -> Result<Arc<Chunk>, ReadError> {
        let page = self.page(Kind::Chunk, index, || {
            self.read_chunk(index, entry).map(Page::Chunk)
        })?;
        match page {
            Page::Chunk(chunk) => Ok(chunk),
            _ => Err(self.out_of_range()),
        }
    }

    fn read_chunk(&self, index: usize, entry: &ChunkEntry) -> Result<Arc<Chunk>, ReadError> {
        let kinds = self.kinds()?;
        let own = self.kinds_of(index)?;
        let chunk = Chunk::decode(entry, self.read(&entry.directory)?, &own, &kinds);
        let chunk = chunk.map_err(|error| self.damaged(&entry.directory, &error))?;
        Ok(Arc::new(chunk))
    }

    /// The kinds of the rows of a chunk and how many rows each has. They are in the tally page, and in the
    /// row page too, which is larger.
    pub(crate) fn kinds_of(&self, chunk: usize) -> Result<Vec<(u32, u32)>, ReadError> {
        if let Ok(tally) = self.tally() {
            return Ok(tally.kinds(chunk).to_vec());
        }
        Ok(self.row_kinds(chunk)?.kinds().to_vec())
    }

    /// What stands beside the texts of some rows of a chunk, counted from its first.
    fn heads_of(
        &self,
        index: usize,
        entry: &ChunkEntry,
        rows: impl IntoIterator<Item = u32>,
    ) -> Result<ChunkHeads, ReadError> {
        let page = self.page(Kind::Loose, index, || {
            let loose = ChunkLoose::decode(entry, &self.read(&entry.page)?);
            let loose = loose.map_err(|error| self.damaged(&entry.page, &error))?;
            Ok(Page::Loose(Arc::new(loose)))
        })?;
        let Page::Loose(loose) = page else {
            return Err(self.out_of_range());
        };
        let rows: Vec<u32> = rows.into_iter().collect();
        let received = self.received_of(entry, rows.iter().copied())?;
        let mut heads = ChunkHeads::new(loose, received);
        heads.add_pages(rows, |number| self.row_metadata_page(index, number))?;
        Ok(heads)
    }

    /// A row metadata page of a chunk.
    fn row_metadata_page(
        &self,
        chunk: usize,
        number: usize,
    ) -> Result<Arc<RowMetadataPage>, ReadError> {
        let entry = self.footer.chunks.get(chunk);
        let entry = entry.ok_or_else(|| self.out_of_range())?;
        let entry = self.entry(&entry.heads, number)?;
        let before = self.heads_before.get(chunk).copied();
        let place = before.unwrap_or_default() as usize + number;
        let page = self.page(Kind::RowMetadata, place, || {
            let page = RowMetadataPage::decode(entry, &self.read(entry)?);
            Ok(Page::RowMetadata(Arc::new(
                page.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::RowMetadata(page) => Ok(page),
            _ => Err(self.out_of_range()),
        }
    }

    fn column_page(
        &self,
        chunk: usize,
        entry: &ChunkEntry,
        index: usize,
    ) -> Result<Arc<ColumnPage>, ReadError> {
        let page = self.page(Kind::Columns, self.column_place(chunk, index), || {
            self.read_column_page(entry, index, &mut Vec::new())
                .map(Page::Columns)
        })?;
        match page {
            Page::Columns(page) => Ok(page),
            _ => Err(self.out_of_range()),
        }
    }

    /// The place of a page of the columns of a chunk among those of all chunks.
    fn column_place(&self, chunk: usize, index: usize) -> usize {
        let before = self.columns_before.get(chunk).copied();
        before.unwrap_or_default() as usize + index
    }

    /// A page of the columns of a chunk; what it is stored as replaces `stored`.
    fn read_column_page(
        &self,
        entry: &ChunkEntry,
        index: usize,
        stored: &mut Vec<u8>,
    ) -> Result<Arc<ColumnPage>, ReadError> {
        let entry = self.entry(&entry.columns, index)?;
        self.read_into(entry, stored)?;
        let page = ColumnPage::open(entry, stored);
        Ok(Arc::new(page.map_err(|error| self.damaged(entry, &error))?))
    }

    /// The kinds of its records. Where their page is damaged, the spare page has them too.
    ///
    /// # Errors
    /// When neither can be read.
    pub fn kinds(&self) -> Result<Arc<Kinds>, ReadError> {
        let Some(entry) = &self.footer.kind_page else {
            return Ok(Arc::default());
        };
        let page = self.page(Kind::Kinds, 0, || {
            let read = self.read(entry).and_then(|stored| {
                segment::decode_kind_page(entry, &stored)
                    .map_err(|error| self.damaged(entry, &error))
            });
            let kinds = read.or_else(|error| self.spare_kinds().ok_or(error))?;
            Ok(Page::Kinds(Arc::new(kinds.sharing(&self.cache.kinds))))
        })?;
        match page {
            Page::Kinds(kinds) => Ok(kinds),
            _ => Err(self.out_of_range()),
        }
    }

    fn spare_kinds(&self) -> Option<Kinds> {
        let entry = self.footer.spare_page.as_ref()?;
        let stored = self.read(entry).ok()?;
        Some(Spare::decode(entry, &stored).ok()?.kinds)
    }

    /// The lexicon's entry of a key; `None` where no record has it.
    pub fn find_term(&self, key: &[u8]) -> Result<Option<TermEntry>, ReadError> {
        let Some(index) = self.footer.lexicon_page_of(key) else {
            return Ok(None);
        };
        let found = self.lexicon_page(index)?.find(key);
        let found = found.map_err(|error| self.damaged_lexicon(index, &error))?;
        match found {
            Some(found) if found.is_cut && !self.has_key(&found.entry, key)? => Ok(None),
            found => Ok(found.map(|found| found.entry)),
        }
    }

    /// Calls `visit` with every term whose key starts with `prefix`, or may, where it is cut, until it says false:
    /// words in order, numbers of each length in their own behind them. Pages are read from disk, and all of them
    /// is checked.
    pub fn scan_terms(
        &self,
        prefix: &[u8],
        visit: &mut dyn FnMut(KnownKey<'_>, TermEntry) -> bool,
    ) -> Result<(), ReadError> {
        for index in self.footer.lexicon_pages_with(prefix) {
            let Some(LexiconPageEntry { page: entry, .. }) = self.footer.lexicon_pages.get(index)
            else {
                return Err(self.out_of_range());
            };
            let page = LexiconPage::decode(entry, &self.read(entry)?);
            let went_on = page.and_then(|page| page.scan(prefix, visit));
            if !went_on.map_err(|error| self.damaged(entry, &error))? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Calls `visit` with every term whose key starts with `prefix` and is wanted; the word of each
    /// that is has `letters` in it, one behind another. Takes a fraction of [`Self::scan_terms`] where few
    /// are wanted. `is_wanted` says nothing where the part of a truncated term that is not known decides; `visit` is told
    /// whether a term is wanted for sure. `goes_on` is asked before each page; whether it always said so.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn scan_wanted_terms(
        &self,
        prefix: &[u8],
        letters: &[u8],
        mut is_wanted: impl FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
        goes_on: impl Fn() -> bool,
    ) -> Result<bool, ReadError> {
        if let [namespace] = prefix {
            return self.go_through_terms(*namespace, letters, &mut is_wanted, visit, &goes_on);
        }
        for index in self.lexicon_pages_wanted(prefix, letters)? {
            if !goes_on() {
                return Ok(false);
            }
            let page = self.lexicon_page(index)?;
            let scanned = page.scan_wanted(prefix, letters, &mut is_wanted, visit);
            scanned.map_err(|error| self.damaged_lexicon(index, &error))?;
        }
        Ok(true)
    }

    /// The same for all terms of a namespace. Pages that are not in the cache do not come there: those of a
    /// question are more than it has room for, mostly.
    fn go_through_terms(
        &self,
        namespace: u8,
        letters: &[u8],
        is_wanted: &mut dyn FnMut(KnownKey<'_>) -> Option<bool>,
        visit: &mut dyn FnMut(TermEntry, bool),
        goes_on: &dyn Fn() -> bool,
    ) -> Result<bool, ReadError> {
        let mut through = LexiconThrough::new(letters);
        let mut stored = Vec::new();
        for index in self.lexicon_pages_wanted(&[namespace], letters)? {
            if !goes_on() {
                return Ok(false);
            }
            let Some(LexiconPageEntry { page: entry, .. }) = self.footer.lexicon_pages.get(index)
            else {
                return Err(self.out_of_range());
            };
            let gone = match self.cached(Kind::Lexicon, index) {
                Some(Page::Lexicon(page)) => through.page(&page, namespace, is_wanted, visit),
                _ => {
                    self.read_into(entry, &mut stored)?;
                    through.stored_page(entry, &stored, namespace, is_wanted, visit)
                }
            };
            gone.map_err(|error| self.damaged(entry, &error))?;
        }
        Ok(true)
    }

    /// The values of a part of all rows, but for empty ones, and how many rows have each; `None` where the
    /// segment does not count them (see [`segment::Tally::counts_of`]).
    ///
    /// # Errors
    /// When the counts cannot be read.
    pub fn value_rows(&self, part: Namespace) -> Result<Option<OwnValueRows>, ReadError> {
        let Some(entry) = &self.footer.tally_page else {
            return Ok(None);
        };
        let tally = self.tally()?;
        let counts = tally.counts_of(part);
        let counts = counts.map_err(|error| self.damaged(entry, &error))?;
        let owned = |(value, rows): (&[u8], u32)| (value.into(), rows);
        Ok(counts.map(|counts| counts.into_iter().map(owned).collect()))
    }

    /// How many rows each group has.
    pub fn tally(&self) -> Result<Arc<Tally>, ReadError> {
        let Some(entry) = &self.footer.tally_page else {
            return Ok(Arc::default());
        };
        let page = self.page(Kind::Tally, 0, || {
            let tally = Tally::decode(entry, &self.read(entry)?);
            Ok(Page::Tally(Arc::new(
                tally.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Tally(tally) => Ok(tally),
            _ => Err(self.out_of_range()),
        }
    }

    pub(crate) fn row_kinds(&self, chunk: usize) -> Result<Arc<RowKinds>, ReadError> {
        let Some(entry) = self.footer.chunks.get(chunk) else {
            return Err(self.out_of_range());
        };
        let page = self.page(Kind::RowKinds, chunk, || {
            let kinds = RowKinds::decode(entry, self.read(&entry.rows)?);
            Ok(Page::RowKinds(Arc::new(
                kinds.map_err(|error| self.damaged(&entry.rows, &error))?,
            )))
        })?;
        match page {
            Page::RowKinds(kinds) => Ok(kinds),
            _ => Err(self.out_of_range()),
        }
    }

    fn lexicon_page(&self, index: usize) -> Result<Arc<LexiconPage>, ReadError> {
        let entry = match self.footer.lexicon_pages.get(index) {
            Some(page) => &page.page,
            None => return Err(self.out_of_range()),
        };
        let page = self.page(Kind::Lexicon, index, || {
            let page = LexiconPage::open(entry, &self.read(entry)?);
            Ok(Page::Lexicon(Arc::new(
                page.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Lexicon(page) => Ok(page),
            _ => Err(self.out_of_range()),
        }
    }

    fn page(
        &self,
        kind: Kind,
        index: usize,
        load: impl FnOnce() -> Result<Page, ReadError>,
    ) -> Result<Page, ReadError> {
        let key = self.page_key(kind, index);
        self.cache.pages.get_or_insert_with(&key, load)
    }

    /// A page that is in the cache.
    fn cached(&self, kind: Kind, index: usize) -> Option<Page> {
        self.cache.pages.get(&self.page_key(kind, index))
    }

    fn page_key(&self, kind: Kind, index: usize) -> PageKey {
        PageKey {
            segment: self.uid,
            kind,
            index: u32::try_from(index).unwrap_or(u32::MAX),
        }
    }

    fn entry<'a>(&self, pages: &'a [PageEntry], index: usize) -> Result<&'a PageEntry, ReadError> {
        pages.get(index).ok_or_else(|| self.out_of_range())
    }

    /// The stored bytes of a page.
    pub(crate) fn read(&self, entry: &PageEntry) -> Result<Vec<u8>, ReadError> {
        let mut stored = Vec::new();
        self.read_into(entry, &mut stored)?;
        Ok(stored)
    }

    /// Replaces `stored` by the stored bytes of a page.
    fn read_into(&self, entry: &PageEntry, stored: &mut Vec<u8>) -> Result<(), ReadError> {
        stored.resize(entry.stored_len as usize, 0);
        self.file
            .read_exact_at(stored, entry.offset)
            .map_err(|error: io::Error| ReadError::Io {
                path: self.path.clone(),
                offset: entry.offset,
                reason: error.to_string(),
            })?;
        if let Some(read) = &self.bytes_read {
            read.fetch_add(u64::from(entry.stored_len), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Its file, to copy it whole: it can be read even when its name is gone.
    pub(crate) fn file(&self) -> &dyn DiskFile {
        self.file.as_ref()
    }

    /// Reads every page and compares it with its checksum; what is wrong with the first bad one.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        for (_, entry) in self.footer.pages() {
            let stored = self.read(entry)?;
            let checked = entry.check(&stored);
            checked.map_err(|error| self.damaged(entry, &error))?;
        }
        Ok(())
    }

    fn damaged_lexicon(&self, index: usize, error: &Corrupt) -> ReadError {
        match self.footer.lexicon_pages.get(index) {
            Some(LexiconPageEntry { page, .. }) => self.damaged(page, error),
            None => self.out_of_range(),
        }
    }

    fn damaged(&self, entry: &PageEntry, error: &Corrupt) -> ReadError {
        self.note_index_damage(entry.offset, &error.to_string());
        ReadError::Damaged {
            path: self.path.clone(),
            offset: entry.offset,
            reason: error.to_string(),
        }
    }

    fn out_of_range(&self) -> ReadError {
        ReadError::OutOfRange {
            path: self.path.clone(),
            number: self.first_number(),
        }
    }
}
