//! Pages: what a segment is cut into, each compressed and checked on its own.
//!
//! A stored page is a codec byte and the payload. Its checksum covers its place in the file too, so
//! that a page written to the wrong place is noticed.
#![deny(clippy::indexing_slicing)]

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use model::Timestamp;
use zstd::zstd_safe::DCtx;

use crate::limits::PAGE_RAW_BYTES_MAX;
use crate::page_file::PageFile;
use crate::{Corrupt, Kinds, received};

/// Codec byte of a payload stored as it is, because compression would not make it smaller.
pub(crate) const CODEC_PLAIN: u8 = 0;
/// Codec byte of one zstd frame.
pub(crate) const CODEC_ZSTD: u8 = 1;

/// Where a page is and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageEntry {
    /// Offset of the stored page in the file, in bytes.
    pub offset: u64,
    /// Length of the stored page, in bytes.
    pub stored_len: u32,
    /// Length of the page when decompressed, in bytes.
    pub raw_len: u32,
    /// crc32c of the offset (eight bytes, little-endian) and the stored page.
    pub crc: u32,
    /// The first row of a chunk page or received page; the first term of a lexicon page and the
    /// first list of a posting page, counted over all pages of the kind; the first part of a column
    /// page, counted over those of its chunk.
    pub first_row: u32,
    /// How many rows, terms, lists or parts of columns; kinds of a kind page, groups of a tally page.
    pub rows: u32,
}

impl PageEntry {
    /// The entry of a page that stands at an offset, as it is stored; all else is as in `other`.
    #[cfg(test)]
    pub(crate) fn placed(offset: u64, stored: &[u8], other: &Self) -> Self {
        Self {
            offset,
            stored_len: stored.len() as u32,
            crc: checksum(offset, stored),
            ..*other
        }
    }

    /// Compares the stored bytes of the page with its length and checksum, and decodes nothing.
    ///
    /// # Errors
    /// When they are not what was written.
    pub fn check(&self, stored: &[u8]) -> Result<(), Corrupt> {
        let what = "page";
        if stored.len() != self.stored_len as usize {
            return Err(Corrupt::Short { what });
        }
        check(what, self.offset, stored, self.crc)
    }
}

/// The kinds of a kind page.
pub fn decode_kind_page(entry: &PageEntry, stored: &[u8]) -> Result<Kinds, Corrupt> {
    Kinds::decode(&open("kind page", entry, stored)?)
}

/// The times of receipt of the rows of a received page.
pub fn decode_received_page(entry: &PageEntry, stored: &[u8]) -> Result<Vec<Timestamp>, Corrupt> {
    let raw = open("received page", entry, stored)?;
    received::decode_page(&raw, entry.rows as usize)
}

/// Checks the stored bytes of a page against their checksum, without looking into them.
pub fn check_stored(what: &'static str, entry: &PageEntry, stored: &[u8]) -> Result<(), Corrupt> {
    if stored.len() != entry.stored_len as usize {
        return Err(Corrupt::Short { what });
    }
    check(what, entry.offset, stored, entry.crc)
}

/// Appends pages to a file.
pub(crate) struct PageWriter {
    compressor: Option<zstd::bulk::Compressor<'static>>,
    compressed: Vec<u8>,
    /// Whether what was compressed is decompressed and compared.
    is_checked: bool,
}

impl PageWriter {
    /// Compresses with a level of zstd. Where zstd has no memory, pages are stored plain.
    pub(crate) fn new(zstd_level: i32) -> Self {
        Self {
            compressor: zstd::bulk::Compressor::new(zstd_level).ok(),
            compressed: Vec::new(),
            is_checked: false,
        }
    }

    /// Stores a page plain where it does not decompress to what it was: for a file whose original is deleted, so
    /// that a fault of memory or of zstd is not all that is left.
    pub(crate) fn checked(self) -> Self {
        Self {
            is_checked: true,
            ..self
        }
    }

    /// Compresses nothing, so that bytes do not depend on zstd.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            compressor: None,
            compressed: Vec::new(),
            is_checked: false,
        }
    }

    /// Appends a page; `first_row` and `rows` are left 0.
    pub(crate) fn append(&mut self, raw: &[u8], file: &mut dyn PageFile) -> PageEntry {
        assert!(
            raw.len() <= PAGE_RAW_BYTES_MAX,
            "a page is within its limit"
        );
        let raw_len = raw.len() as u32;
        match self.compress(raw) {
            true => place(&[&[CODEC_ZSTD], &self.compressed], raw_len, file),
            false => place(&[&[CODEC_PLAIN], raw], raw_len, file),
        }
    }

    /// Appends a page that is not to be compressed; `first_row` and `rows` are left 0.
    pub(crate) fn append_plain(raw: &[u8], file: &mut dyn PageFile) -> PageEntry {
        place(&[&[CODEC_PLAIN], raw], raw.len() as u32, file)
    }

    /// Appends a page as it is stored in another segment; `first_row` and `rows` are left 0.
    pub(crate) fn append_stored(stored: &[u8], raw_len: u32, file: &mut dyn PageFile) -> PageEntry {
        place(&[stored], raw_len, file)
    }

    /// Appends a page that is compressed already; `first_row` and `rows` are left 0.
    pub(crate) fn append_compressed(
        compressed: &[u8],
        raw_len: u32,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        place(&[&[CODEC_ZSTD], compressed], raw_len, file)
    }

    /// The bytes compressed, where that makes them smaller.
    pub(crate) fn compressed(&mut self, raw: &[u8]) -> Option<&[u8]> {
        self.compress(raw).then_some(self.compressed.as_slice())
    }

    /// Compresses into `compressed`; false where that makes it no smaller.
    fn compress(&mut self, raw: &[u8]) -> bool {
        let Some(compressor) = &mut self.compressor else {
            return false;
        };
        self.compressed.clear();
        self.compressed
            .reserve(zstd::zstd_safe::compress_bound(raw.len()));
        compressor
            .compress_to_buffer(raw, &mut self.compressed)
            .is_ok_and(|len| len < raw.len())
            && (!self.is_checked
                || decompress(&self.compressed, raw.len()).is_some_and(|found| found == raw))
    }
}

/// Appends a stored page, given in pieces.
fn place(pieces: &[&[u8]], raw_len: u32, file: &mut dyn PageFile) -> PageEntry {
    let offset = file.offset();
    let mut crc = checksum(offset, &[]);
    for piece in pieces {
        crc = crc32c::crc32c_append(crc, piece);
        file.append(piece);
    }
    PageEntry {
        offset,
        stored_len: (file.offset() - offset) as u32,
        raw_len,
        crc,
        first_row: 0,
        rows: 0,
    }
}

/// crc32c of a part of the file, bound to its place.
pub(crate) fn checksum(offset: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), bytes)
}

/// Checks a part of the file against its checksum.
pub(crate) fn check(
    what: &'static str,
    offset: u64,
    bytes: &[u8],
    expected: u32,
) -> Result<(), Corrupt> {
    let actual = checksum(offset, bytes);
    if actual == expected {
        return Ok(());
    }
    Err(Corrupt::Checksum {
        what,
        offset,
        actual,
        expected,
    })
}

/// The page as it was before compression.
pub(crate) fn open<'a>(
    what: &'static str,
    entry: &PageEntry,
    stored: &'a [u8],
) -> Result<Cow<'a, [u8]>, Corrupt> {
    if stored.len() != entry.stored_len as usize {
        return Err(Corrupt::Short { what });
    }
    check(what, entry.offset, stored, entry.crc)?;
    let raw_len = entry.raw_len as usize;
    if raw_len > PAGE_RAW_BYTES_MAX {
        return Err(Corrupt::TooLarge {
            what,
            value: raw_len as u64,
            max: PAGE_RAW_BYTES_MAX as u64,
        });
    }
    let (codec, payload) = stored.split_first().ok_or(Corrupt::Short { what })?;
    let raw = match *codec {
        CODEC_PLAIN => Some(Cow::Borrowed(payload)),
        CODEC_ZSTD => decompress(payload, raw_len).map(Cow::Owned),
        codec => {
            return Err(Corrupt::Invalid {
                what: "codec of a page",
                value: u64::from(codec),
            });
        }
    };
    raw.filter(|raw| raw.len() == raw_len)
        .ok_or(Corrupt::Compression {
            what,
            offset: entry.offset,
            raw_len: entry.raw_len,
        })
}

/// The page as it was before compression, to be kept, and where it starts in what is returned: what is stored
/// plain is not copied.
pub(crate) fn open_kept(
    what: &'static str,
    entry: &PageEntry,
    stored: Vec<u8>,
) -> Result<(Arc<Vec<u8>>, usize), Corrupt> {
    match open(what, entry, &stored)? {
        Cow::Owned(raw) => Ok((Arc::new(raw), 0)),
        Cow::Borrowed(raw) => {
            let start = stored.len() - raw.len();
            Ok((Arc::new(stored), start))
        }
    }
}

thread_local! {
    /// What zstd decompresses with. Holds nothing from one page to the next; making one takes half
    /// as long as decompressing a page.
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = RefCell::new(DCtx::try_create());
}

/// The frame decompressed, at most `raw_len` bytes.
pub(crate) fn decompress(frame: &[u8], raw_len: usize) -> Option<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let mut raw = Vec::with_capacity(raw_len);
        decompressor.as_mut()?.decompress(&mut raw, frame).ok()?;
        Some(raw)
    })
}
