//! The spare page: what a segment cannot do without, a second time.
//!
//! Without the kinds no record can be read, and without the footer no page can be found. The spare
//! page has both, as far as records need them. It says itself where it is and whether it is whole, so
//! that it is found in a file whose footer is lost.
#![deny(clippy::indexing_slicing)]

use std::borrow::Cow;

use memchr::memmem;

use crate::limits::{KINDS_BYTES_MAX, PAGE_RAW_BYTES_MAX};
use crate::page::{CODEC_PLAIN, CODEC_ZSTD, PageEntry, PageWriter, checksum, decompress};
use crate::wire::{Reader, put_bytes};
use crate::{Corrupt, Footer, Kinds};

/// What a spare page starts with.
const MAGIC: [u8; 8] = *b"LOGSPARE";

/// Where the length stands in a stored page: behind the codec byte and the magic bytes. Behind it
/// stand the checksum and so many bytes.
const LEN_AT: usize = 1 + MAGIC.len();

/// What is in a spare page.
#[derive(Debug)]
pub struct Spare {
    /// The kinds of the segment.
    pub kinds: Kinds,
    /// The footer as far as it names records: without the kind page and the index.
    pub footer: Footer,
}

/// The spare page of a segment whose records are written, given the table of its kinds, to be stored
/// plain at an offset of the file.
pub(crate) fn encode(
    table: &[u8],
    footer: &Footer,
    pages: &mut PageWriter,
    offset: u64,
) -> Vec<u8> {
    let mut body = Vec::new();
    put_bytes(table, &mut body);
    footer.encode(&mut body);
    let (codec, payload) = match pages.compressed(&body) {
        Some(frame) => (CODEC_ZSTD, frame),
        None => (CODEC_PLAIN, body.as_slice()),
    };
    let mut stored = vec![codec];
    stored.extend_from_slice(&(body.len() as u32).to_le_bytes());
    stored.extend_from_slice(payload);
    let mut raw = MAGIC.to_vec();
    raw.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    // The codec byte of the page comes first.
    raw.extend_from_slice(&checksum(offset + 1, &stored).to_le_bytes());
    raw.extend_from_slice(&stored);
    raw
}

impl Spare {
    /// Reads the stored bytes of a spare page, of which the entry names the place.
    ///
    /// # Errors
    /// When they are not what was written there.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        entry.check(stored)?;
        let raw = stored.get(1..).unwrap_or(&[]);
        let mut spare = read(raw, entry.offset + 1)?;
        spare.footer.spare_page = Some(*entry);
        Ok(spare)
    }

    /// Looks for the spare page in a file.
    pub fn find(file: &[u8]) -> Option<Self> {
        memmem::find_iter(file, &MAGIC).find_map(|at| Self::at(file, at.checked_sub(1)?))
    }

    /// The spare page that starts at an offset, if one does.
    fn at(file: &[u8], offset: usize) -> Option<Self> {
        let rest = file.get(offset..)?;
        let len = u32::from_le_bytes(*rest.get(LEN_AT..)?.first_chunk()?) as usize;
        let stored = rest.get(..LEN_AT + 8 + len)?;
        let entry = PageEntry {
            offset: offset as u64,
            stored_len: u32::try_from(stored.len()).ok()?,
            raw_len: u32::try_from(stored.len() - 1).ok()?,
            crc: checksum(offset as u64, stored),
            ..PageEntry::default()
        };
        Self::decode(&entry, stored).ok()
    }
}

/// Reads what starts with the magic bytes at an offset of the file.
fn read(raw: &[u8], offset: u64) -> Result<Spare, Corrupt> {
    let what = "spare page";
    let mut reader = Reader::new(what, raw);
    if reader.array()? != MAGIC {
        return Err(Corrupt::Magic { what });
    }
    let len = reader.u32()? as usize;
    let crc = reader.u32()?;
    let stored = reader.bytes(len)?;
    crate::page::check(what, offset, stored, crc)?;
    let mut reader = Reader::new(what, stored);
    let codec = reader.byte()?;
    let body_len = reader.u32()? as usize;
    if body_len > PAGE_RAW_BYTES_MAX {
        return Err(Corrupt::TooLarge {
            what,
            value: body_len as u64,
            max: PAGE_RAW_BYTES_MAX as u64,
        });
    }
    let body = match codec {
        CODEC_PLAIN => Some(Cow::Borrowed(reader.rest())),
        CODEC_ZSTD => decompress(reader.rest(), body_len).map(Cow::Owned),
        _ => None,
    };
    let body = body.filter(|body| body.len() == body_len);
    let body = body.ok_or(Corrupt::Compression {
        what,
        offset,
        raw_len: body_len as u32,
    })?;
    let mut reader = Reader::new(what, &body);
    let len = reader.count("length of all kinds", 2 * KINDS_BYTES_MAX)?;
    let kinds = Kinds::decode(reader.bytes(len)?)?;
    let footer = Footer::decode_pages(reader.rest(), offset)?;
    Ok(Spare { kinds, footer })
}
