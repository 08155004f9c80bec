//! Writes what a chunk has beside its columns, page by page.

use model::RecordHead;

use super::page_rows::PageRows;
use super::row_kinds;
use crate::column;
use crate::columns::directory::DirectoryWriter;
use crate::columns::stamps::StampWriter;
use crate::kinds::BandOrder;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::rows::LooseWriter;

/// What a directory page ends with where the ends of messages have a band of their own.
pub(super) const ENDS_APART: u8 = 1;

/// Writes pages that count rows or parts. It only holds buffers.
pub(crate) struct SidePages {
    pub(crate) pages: PageWriter,
    /// The page at hand.
    pub(super) raw: Vec<u8>,
}

impl SidePages {
    pub(crate) fn new(pages: PageWriter) -> Self {
        Self {
            pages,
            raw: Vec::new(),
        }
    }

    /// Appends the directory page of a chunk of so many rows, with head pages or without.
    pub(crate) fn directory(
        &mut self,
        directory: &DirectoryWriter,
        order: BandOrder,
        (rows, has_heads): (usize, bool),
        file: &mut dyn PageFile,
    ) -> PageEntry {
        directory.encode(&mut self.raw);
        if order == BandOrder::EndsApart {
            self.raw.push(ENDS_APART);
        }
        match has_heads {
            true => self.close_plain(rows, file),
            false => self.close(rows, file),
        }
    }

    /// Appends the stamp page, where there is something to say.
    pub(crate) fn stamps(
        &mut self,
        stamps: Option<StampWriter>,
        file: &mut dyn PageFile,
    ) -> Option<PageEntry> {
        let stamps = stamps.filter(|stamps| stamps.encode(&mut self.raw))?;
        Some(self.close(stamps.len(), file))
    }

    /// Appends the head page of the next rows, given the place of the kind of each.
    pub(crate) fn head(
        &mut self,
        places: &[u64],
        heads: &[RecordHead],
        loose: &mut LooseWriter<'_>,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        column::encode(places, &mut self.raw);
        loose.push(heads, &mut self.raw);
        self.close(0, file)
    }

    /// Appends the row page of a chunk with head pages of so many rows: its kinds and how many rows each
    /// has, given the place of the kind of each row.
    pub(crate) fn kinds(
        &mut self,
        kinds: &[(u32, u32)],
        places: impl Iterator<Item = u64>,
        page_rows: usize,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        let rows = kinds.iter().map(|(_, rows)| *rows as usize).sum();
        let on_pages = PageRows::of_places(places, kinds.len(), page_rows);
        row_kinds::encode_apart(kinds, rows, &on_pages, &mut self.raw);
        self.close_plain(rows, file)
    }

    /// Appends the chunk page of a chunk with head pages: what its rows refer to.
    pub(crate) fn tables(
        &mut self,
        loose: &LooseWriter<'_>,
        rows: usize,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        loose.finish(&mut self.raw);
        self.close(rows, file)
    }

    /// Appends the page at hand, for so many rows.
    pub(super) fn close(&mut self, rows: usize, file: &mut dyn PageFile) -> PageEntry {
        let page = PageEntry {
            rows: rows as u32,
            ..self.pages.append(&self.raw, file)
        };
        self.raw.clear();
        page
    }

    /// The same as it is, to be looked into without being decompressed: a reader of a row of a large chunk
    /// has a few bytes of it.
    fn close_plain(&mut self, rows: usize, file: &mut dyn PageFile) -> PageEntry {
        let page = PageEntry {
            rows: rows as u32,
            ..PageWriter::append_plain(&self.raw, file)
        };
        self.raw.clear();
        page
    }
}
