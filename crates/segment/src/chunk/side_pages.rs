//! Writes what a chunk has beside its columns, page by page.

use model::RecordHead;

use super::page_rows::PageRows;
use super::row_kinds;
use crate::column;
use crate::columns::directory::DirectoryWriter;
use crate::columns::zone_maps::ZoneMapWriter;
use crate::page::{PageEntry, PageWriter};
use crate::page_file::PageFile;
use crate::rows::LooseWriter;

/// Writes pages that count rows or parts. It only holds buffers.
pub(crate) struct SidePages {
    pub(crate) pages: PageWriter,
    /// The page at hand.
    raw: Vec<u8>,
}

impl SidePages {
    pub(crate) fn new(pages: PageWriter) -> Self {
        Self {
            pages,
            raw: Vec::new(),
        }
    }

    /// Appends the directory page of a chunk of so many rows.
    pub(crate) fn directory(
        &mut self,
        directory: &DirectoryWriter,
        rows: usize,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        directory.encode(&mut self.raw);
        self.close_plain(rows, file)
    }

    /// Appends the zone map page, where there is something to say.
    pub(crate) fn zone_maps(
        &mut self,
        zone_maps: &ZoneMapWriter,
        file: &mut dyn PageFile,
    ) -> Option<PageEntry> {
        let has_some = zone_maps.encode(&mut self.raw);
        has_some.then(|| self.close(zone_maps.len(), file))
    }

    /// Appends the row metadata page of the next rows, given the place of the kind of each.
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

    /// Appends the row page of a chunk with so many rows on a row metadata page: its kinds and how many rows each
    /// has, given the place of the kind of each row.
    pub(crate) fn kinds(
        &mut self,
        kinds: &[(u32, u32)],
        places: impl IntoIterator<Item = u64>,
        page_rows: usize,
        file: &mut dyn PageFile,
    ) -> PageEntry {
        let rows = kinds.iter().map(|(_, rows)| *rows as usize).sum();
        let on_pages = PageRows::of_places(places, kinds.len(), page_rows);
        row_kinds::encode(kinds, rows, &on_pages, &mut self.raw);
        self.close_plain(rows, file)
    }

    /// Appends the chunk page: what its rows refer to.
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
    fn close(&mut self, rows: usize, file: &mut dyn PageFile) -> PageEntry {
        let page = PageEntry {
            rows: rows as u32,
            ..self.pages.append(&self.raw, file)
        };
        self.raw.clear();
        page
    }

    /// The same as it is, to be looked into without being decompressed: a reader of a row
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
