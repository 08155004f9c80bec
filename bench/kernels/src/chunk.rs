//! Records by kind, there and back.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use model::{RecordBatch, Timestamp};
use segment::{
    Chunk, ChunkEntry, ChunkHeads, ChunkWriter, ColumnPage, Corrupt, Kinds, PageEntry, RowKinds,
    RowMetadataPage,
};

use crate::{input, measured};

pub(crate) fn write() -> Result<usize> {
    let batch = input::batch()?;
    let mut writer = ChunkWriter::new(1);
    measured(|| writer.write(&batch, &mut Kinds::new(), &mut Vec::new()));
    Ok(batch.len())
}

pub(crate) fn read() -> Result<usize> {
    let batch = input::batch()?;
    let (mut kinds, mut file) = (Kinds::new(), Vec::new());
    let entry = ChunkWriter::new(1).write(&batch, &mut kinds, &mut file);
    let received: Vec<Timestamp> = batch.heads().iter().map(|head| head.received).collect();
    let rows = measured(|| read_all(&file, &entry, &kinds, &received))?;
    Ok(rows.len())
}

fn read_all(
    file: &[u8],
    entry: &ChunkEntry,
    kinds: &Kinds,
    received: &[Timestamp],
) -> Result<RecordBatch> {
    let row_kinds = RowKinds::decode(entry, stored(file, &entry.rows)?)?;
    let directory = stored(file, &entry.directory)?;
    let chunk = Chunk::decode(entry, directory, row_kinds.kinds(), kinds)?;
    let mut heads = ChunkHeads::decode(entry, stored(file, &entry.page)?, received.to_vec())?;
    let row_metadata_page = |number: usize| -> Result<Arc<RowMetadataPage>> {
        let page = entry.heads.get(number).context("no such page")?;
        Ok(Arc::new(RowMetadataPage::decode(
            page,
            stored(file, page)?,
        )?))
    };
    // Columns share pages, which a reader keeps.
    let open = |page: &PageEntry| -> Result<Arc<ColumnPage>, Corrupt> {
        Ok(Arc::new(ColumnPage::open(page, stored(file, page)?)?))
    };
    let pages: Vec<Arc<ColumnPage>> = entry.columns.iter().map(open).collect::<Result<_, _>>()?;
    let rows = 0..u32::try_from(chunk.rows())?;
    heads.add_pages(rows.clone(), row_metadata_page)?;
    chunk.records(
        row_kinds.with_ordinals(rows, row_metadata_page)?,
        &heads,
        |index| pages.get(index).cloned().context("no such page"),
    )
}

fn stored<'a>(file: &'a [u8], page: &PageEntry) -> Result<&'a [u8], Corrupt> {
    let start = page.offset as usize;
    file.get(start..start + page.stored_len as usize)
        .ok_or(Corrupt::Short { what: "page" })
}
