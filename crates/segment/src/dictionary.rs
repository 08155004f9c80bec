//! The dictionary of a segment: what its pages of columns have in common, for zstd to refer to.
//!
//! A page of 16 KiB has a few dozen long values at most and would learn the same text again. Only
//! compaction makes a dictionary ([`choose`]), and only where it pays. No page of columns can be read
//! without it, so it stands in the file twice.
#![deny(clippy::indexing_slicing)]

pub(crate) mod choose;

use std::fmt;

use zstd::dict::DecoderDictionary;

use crate::Corrupt;
use crate::limits::DICTIONARY_BYTES_MAX;
use crate::page::{PageEntry, open};

/// What zstd keeps of a dictionary beside its bytes: tables of codes.
const TABLES_BYTES: usize = 28 * 1024;

/// A dictionary that pages are read with, taken apart once.
pub struct Dictionary {
    digested: DecoderDictionary<'static>,
    len: usize,
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl Dictionary {
    /// Reads the stored bytes of a dictionary page.
    ///
    /// # Errors
    /// When they are not what was written, or no dictionary.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        Self::digest(entry, &decode_bytes(entry, stored)?)
    }

    /// Takes the bytes of a dictionary page apart.
    pub(crate) fn digest(entry: &PageEntry, bytes: &[u8]) -> Result<Self, Corrupt> {
        let digested = DecoderDictionary::try_copy(bytes);
        Ok(Self {
            digested: digested.map_err(|_| Corrupt::Compression {
                what: "dictionary page",
                offset: entry.offset,
                raw_len: entry.raw_len,
            })?,
            len: bytes.len(),
        })
    }

    /// What frames are decompressed with.
    pub(crate) fn digested(&self) -> &DecoderDictionary<'static> {
        &self.digested
    }

    /// Memory it takes, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.len + TABLES_BYTES
    }
}

/// The bytes of a dictionary page.
pub(crate) fn decode_bytes(entry: &PageEntry, stored: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let what = "dictionary page";
    if entry.raw_len as usize > DICTIONARY_BYTES_MAX {
        return Err(Corrupt::TooLarge {
            what,
            value: u64::from(entry.raw_len),
            max: DICTIONARY_BYTES_MAX as u64,
        });
    }
    Ok(open(what, entry, stored)?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnPage;
    use crate::page::PageWriter;
    use crate::testing::{alike, build, compacted, stored};

    fn page(bytes: &[u8]) -> (PageEntry, Vec<u8>) {
        let mut file = Vec::new();
        let entry = PageWriter::new(1).append(bytes, &mut file);
        (entry, file)
    }

    #[test]
    fn what_is_no_dictionary_is_refused() {
        // The magic bytes of one that zstd has trained, and no more of it.
        let (entry, file) = page(b"\x37\xa4\x30\xec and no tables of codes");
        let error = Dictionary::decode(&entry, &file).expect_err("refused");
        assert!(matches!(error, Corrupt::Compression { .. }), "{error}");
        let (entry, file) = page(&vec![0; DICTIONARY_BYTES_MAX + 1]);
        let error = Dictionary::decode(&entry, &file).expect_err("refused");
        assert!(matches!(error, Corrupt::TooLarge { .. }), "{error}");
    }

    #[test]
    fn pages_that_refer_to_another_dictionary_are_errors_or_other_bytes() {
        let made = compacted(&build(&[alike(1_500)]), 15);
        let (entry, file) = page(b"another");
        let other = Dictionary::decode(&entry, &file).expect("any bytes are one");
        let mut refer = 0;
        for page in &made.footer.chunks.first().expect("one").columns {
            let stored = stored(&made.bytes, page);
            let without = ColumnPage::open(page, stored, None);
            refer += usize::from(without.is_err());
            // What it says is not known, but it does not panic and is as long.
            _ = ColumnPage::open(page, stored, Some(&other));
        }
        assert!(refer > 0);
    }
}
