//! Records in, records out, in chunks.

use model::{RecordBatch, RecordParts, Span, Timestamp};
use proptest::prelude::*;
use std::sync::Arc;

use super::*;
use crate::kinds::Kinds;
use crate::limits::{CHUNK_BYTES, KIND_ROWS_MIN, TEMPLATE_SLOTS_MAX};
use crate::testing::{any_batch, batch_of, seen_all};
use crate::{Corrupt, PageEntry, ZoneMaps};

/// So few that there are chunks with row metadata pages and without.
const HEAD_ROWS: usize = 64;

pub(super) fn received(batch: &RecordBatch) -> Vec<Timestamp> {
    batch.heads().iter().map(|head| head.received).collect()
}

pub(super) fn stored<'a>(file: &'a [u8], entry: &PageEntry) -> &'a [u8] {
    let start = entry.offset as usize;
    &file[start..start + entry.stored_len as usize]
}

/// The kinds of the rows of a chunk.
pub(super) fn row_kinds(file: &[u8], entry: &ChunkEntry) -> RowKinds {
    RowKinds::decode(entry, stored(file, &entry.rows)).expect("valid")
}

pub(super) fn row_metadata_page(
    file: &[u8],
    entry: &ChunkEntry,
    number: usize,
) -> Result<Arc<RowMetadataPage>, Corrupt> {
    let page = &entry.heads[number];
    RowMetadataPage::decode(page, stored(file, page)).map(Arc::new)
}

/// A chunk, decoded.
pub(super) fn opened(file: &[u8], entry: &ChunkEntry, kinds: &Kinds) -> Chunk {
    let row_kinds = row_kinds(file, entry);
    let page = stored(file, &entry.directory);
    Chunk::decode(entry, page, row_kinds.kinds(), kinds).expect("valid")
}

/// The records of some rows.
fn some(
    file: &[u8],
    entry: &ChunkEntry,
    kinds: &Kinds,
    received: &[Timestamp],
    rows: impl IntoIterator<Item = u32>,
) -> Result<RecordBatch, Corrupt> {
    let row_kinds = RowKinds::decode(entry, stored(file, &entry.rows))?;
    let directory = stored(file, &entry.directory);
    let chunk = Chunk::decode(entry, directory, row_kinds.kinds(), kinds)?;
    let rows: Vec<u32> = rows.into_iter().collect();
    let mut heads = ChunkHeads::decode(entry, stored(file, &entry.page), received.to_vec())?;
    heads.add_pages(rows.iter().copied(), |number| {
        row_metadata_page(file, entry, number)
    })?;
    let found = row_kinds.with_ordinals(rows, |number| row_metadata_page(file, entry, number))?;
    chunk.records(found, &heads, |index| {
        let page = entry
            .columns
            .get(index)
            .ok_or(Corrupt::Short { what: "pages" })?;
        Ok::<_, Corrupt>(Arc::new(ColumnPage::open(page, stored(file, page))?))
    })
}

fn decoded(
    file: &[u8],
    entry: &ChunkEntry,
    kinds: &Kinds,
    received: &[Timestamp],
) -> Result<RecordBatch, Corrupt> {
    if let Some(page) = &entry.zone_maps {
        ZoneMaps::decode(page, stored(file, page))?;
    }
    some(file, entry, kinds, received, 0..received.len() as u32)
}

/// The batch over and over, so that there are kinds with enough records.
pub(super) fn repeated(batch: &RecordBatch, times: usize) -> RecordBatch {
    let mut all = RecordBatch::new();
    for _ in 0..times {
        for record in batch.iter() {
            all.push_record(record).expect("room");
        }
    }
    all
}

proptest! {
    #[test]
    fn records_round_trip(batch in any_batch(12), times in 1..20_usize) {
        let batch = repeated(&batch, times);
        prop_assume!(!batch.is_empty());
        let (mut kinds, mut file) = (Kinds::new(), Vec::new());
        let mut writer = ChunkWriter::new(1).with_head_rows(HEAD_ROWS);
        let first = writer.write(&batch, &mut kinds, &mut file);
        let second = writer.write(&batch, &mut kinds, &mut file);
        let mut table = Vec::new();
        kinds.encode(&mut table);
        let kinds = Kinds::decode(&table).expect("valid");
        for entry in [first, second] {
            let read = decoded(&file, &entry, &kinds, &received(&batch)).expect("valid");
            prop_assert_eq!(seen_all(&read), seen_all(&batch));
        }
    }

    #[test]
    fn any_rows_are_read_in_any_order(
        batch in any_batch(12),
        times in 1..20_usize,
        rows in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let batch = repeated(&batch, times);
        prop_assume!(!batch.is_empty());
        let (file, entry, kinds) = chunk(&batch);
        let rows: Vec<u32> = rows.iter().map(|row| row.index(batch.len()) as u32).collect();
        let read = some(&file, &entry, &kinds, &received(&batch), rows.iter().copied());
        let read = read.expect("valid");
        let all = seen_all(&batch);
        let expected: Vec<_> = rows.iter().map(|row| all[*row as usize].clone()).collect();
        prop_assert_eq!(seen_all(&read), expected);
        let behind = [batch.len() as u32];
        prop_assert!(some(&file, &entry, &kinds, &received(&batch), behind).is_err());
    }
}

proptest! {
    #[test]
    fn a_chunk_does_not_depend_on_those_before(
        before in any_batch(12),
        batch in any_batch(12),
        times in 1..40_usize,
    ) {
        let (before, batch) = (repeated(&before, times), repeated(&batch, times));
        prop_assume!(!before.is_empty() && !batch.is_empty());
        let mut writer = ChunkWriter::new(1);
        writer.write(&before, &mut Kinds::new(), &mut Vec::new());
        prop_assert_eq!(written(&mut writer, &batch), written(&mut ChunkWriter::new(1), &batch));
    }
}

proptest! {
    /// What is not asked for again is left out of the batch of a chunk, and the chunk is the same.
    #[test]
    fn a_chunk_does_not_depend_on_where_texts_are(batch in any_batch(9), times in 1..50_usize) {
        let batch = repeated(&batch, times);
        prop_assume!(!batch.is_empty());
        let (pages, _) = written_without_texts(&batch, Kinds::new());
        prop_assert_eq!(pages, written(&mut ChunkWriter::new(1), &batch));
    }
}

/// The bytes of a chunk and of its kinds, and how many bytes of texts it was written from.
fn written_without_texts(batch: &RecordBatch, mut kinds: Kinds) -> ((Vec<u8>, Vec<u8>), usize) {
    let (mut file, mut table) = (Vec::new(), Vec::new());
    let mut writer = ChunkWriter::new(1);
    let mut open = RecordBatch::new();
    // Texts start elsewhere in the batch of the chunk than in those that they come from.
    for start in (0..batch.len()).step_by(5) {
        let mut some = RecordBatch::new();
        some.append_range(batch, start..batch.len().min(start + 5));
        let added = open.append_chosen(&some, 0..some.len(), |head| {
            writer.cut_next(&some, head, &kinds)
        });
        assert_eq!(added, some.len());
    }
    writer.write(&open, &mut kinds, &mut file);
    kinds.encode(&mut table);
    ((file, table), open.bytes().len())
}

#[test]
fn texts_of_kinds_with_records_enough_are_left_out() {
    let batch = of_a_kind(300);
    let (pages, bytes) = written_without_texts(&batch, Kinds::new());
    assert_eq!(pages, written(&mut ChunkWriter::new(1), &batch));
    let first: usize = batch.iter().take(15).map(|record| record.raw().len()).sum();
    assert_eq!(bytes, first);
}

#[test]
fn texts_are_kept_where_there_may_be_no_room_for_their_kind() {
    let mut full = Kinds::new();
    for kind in 1..crate::limits::KINDS_MAX as u32 {
        full.intern(&kind.to_le_bytes()).expect("room");
    }
    let batch = of_a_kind(300);
    let (pages, bytes) = written_without_texts(&batch, full.clone());
    assert_eq!(bytes, batch.bytes().len());
    let mut file = Vec::new();
    ChunkWriter::new(1).write(&batch, &mut full, &mut file);
    assert_eq!(pages.0, file);
}

/// The bytes of a chunk and of its kinds.
fn written(writer: &mut ChunkWriter, batch: &RecordBatch) -> (Vec<u8>, Vec<u8>) {
    let (mut kinds, mut file, mut table) = (Kinds::new(), Vec::new(), Vec::new());
    writer.write(batch, &mut kinds, &mut file);
    kinds.encode(&mut table);
    (file, table)
}

/// A chunk of a batch, its kinds, and the file it is in.
pub(super) fn chunk(batch: &RecordBatch) -> (Vec<u8>, ChunkEntry, Kinds) {
    chunk_with(batch, HEAD_ROWS)
}

fn chunk_with(batch: &RecordBatch, head_rows: usize) -> (Vec<u8>, ChunkEntry, Kinds) {
    let (mut kinds, mut file) = (Kinds::new(), Vec::new());
    let mut writer = ChunkWriter::new(1).with_head_rows(head_rows);
    let entry = writer.write(batch, &mut kinds, &mut file);
    (file, entry, kinds)
}

/// So many messages of one kind.
pub(super) fn of_a_kind(count: usize) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").expect("room");
    for number in 0..count {
        let raw = format!(
            "request {number} from 10.0.{}.7 took {} ms",
            number % 250,
            number % 97
        );
        let parts = RecordParts {
            message: Span::new(0, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000);
        batch
            .push(raw.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

#[test]
fn as_many_columns_as_fit_into_a_chunk_are_written_and_read() {
    // As few rows of a kind as have one, as many values a row as a kind has, and as short.
    let line = |row: usize| {
        let kind = row / KIND_ROWS_MIN as usize;
        let mut line: String = [kind / 676 % 26, kind / 26 % 26, kind % 26]
            .map(|letter| char::from(b'a' + letter as u8))
            .iter()
            .collect();
        for value in 0..TEMPLATE_SLOTS_MAX {
            line.push(' ');
            line.push(char::from(b'0' + ((row * 7 + value) % 10) as u8));
        }
        line
    };
    let rows = CHUNK_BYTES / line(0).len();
    let batch = batch_of("udp", (0..rows).map(line));
    let (file, entry, kinds) = chunk(&batch);
    let chunk = opened(&file, &entry, &kinds);
    assert!(chunk.parts() >= rows / KIND_ROWS_MIN as usize * TEMPLATE_SLOTS_MAX);
    let wanted: Vec<u32> = (0..rows as u32).step_by(100).collect();
    let read = some(&file, &entry, &kinds, &received(&batch), wanted.clone()).expect("valid");
    assert_eq!(read.len(), wanted.len());
    for (read, row) in read.iter().zip(wanted) {
        assert_eq!(read.raw(), line(row as usize).as_bytes());
    }
}

#[test]
fn what_is_common_stands_once() {
    let (_, few, _) = chunk(&of_a_kind(1_000));
    let (_, many, kinds) = chunk(&of_a_kind(16_000));
    // The kind of records that are like no other, and theirs.
    assert_eq!(kinds.len(), 2);
    let bytes = |entry: &ChunkEntry| {
        let columns = entry.columns.iter().map(|page| page.stored_len);
        let heads = entry.heads.iter().map(|page| page.stored_len);
        let others = [entry.directory, entry.rows, entry.page];
        let others = others.map(|page| page.stored_len).into_iter();
        columns.chain(heads).chain(others).sum::<u32>()
    };
    let each = f64::from(bytes(&many) - bytes(&few)) / 15_000.0;
    assert!(each < 2.0, "{each} bytes a record of 34 to 40");
}

#[test]
fn ordinals_are_the_rows_in_the_order_of_their_kinds() {
    for head_rows in [HEAD_ROWS, 599, 600] {
        check_ordinals(head_rows);
    }
}

/// 600 records of several kinds, which their first letters tell.
fn lettered() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").expect("room");
    for row in 0..600_u32 {
        let letter = char::from(b'a' + (row * row % 17) as u8);
        let raw = format!("{letter}, {} times {letter}{letter}", row % 3);
        let parts = RecordParts {
            message: Span::new(0, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000 + i64::from(row));
        batch
            .push(raw.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

fn check_ordinals(head_rows: usize) {
    let batch = lettered();
    let (file, entry, kinds) = chunk_with(&batch, head_rows);
    // Of which nothing was asked, so that nothing is kept.
    let fresh = || row_kinds(&file, &entry);
    let row_kinds = row_kinds(&file, &entry);
    assert!(row_kinds.kinds().len() > 8);
    // The first letter tells the kind.
    let letter = |row: usize| batch.get(row).map(|record| record.raw()[0]);
    let mut order = vec![None; 600];
    let page = |number| row_metadata_page(&file, &entry, number);
    assert_eq!(row_kinds.check(page), Ok(()));
    let ordinals = row_kinds.with_ordinals(0..600, page).expect("valid");
    for (row, ordinal) in &ordinals {
        assert_eq!(order[*ordinal as usize].replace(*row as usize), None);
    }
    let order: Vec<usize> = order.into_iter().flatten().collect();
    let chunk = opened(&file, &entry, &kinds);
    let all: Vec<u32> = (0..600).collect();
    for kind in chunk.kind_rows(&all) {
        let rows = kind.ranked().map(|(ordinal, _)| order[ordinal as usize]);
        let rows: Vec<usize> = rows.collect();
        let first = letter(rows[0]);
        let expected = (0..600).filter(|row| letter(*row) == first);
        assert_eq!(rows, expected.collect::<Vec<_>>());
        assert!(kind.ranked().map(|(_, rank)| rank).eq(0..rows.len() as u32));
    }
    let spread = (0..600).step_by(6).collect();
    let some = [
        vec![],
        vec![7],
        vec![0, 3, 599],
        (70..96).collect(),
        (5..400).collect(),
    ];
    for ordinals in some.into_iter().chain([spread, all]) {
        let mut expected: Vec<(u32, u32)> = ordinals
            .iter()
            .map(|ordinal| (order[*ordinal as usize] as u32, *ordinal))
            .collect();
        expected.sort_unstable();
        assert_eq!(row_kinds.at_ordinals(&ordinals, page), Ok(expected));
    }
    for rows in [0..600, 0..1, 7..7, 123..124, 5..400, 590..600] {
        let own = row_kinds.ordinals_of(&rows, page).expect("valid");
        assert!(own.is_sorted_by(|one, next| one.end <= next.start && !one.is_empty()));
        let own_rows = &ordinals[rows.start as usize..rows.end as usize];
        let mut expected: Vec<u32> = own_rows.iter().map(|(_, ordinal)| *ordinal).collect();
        expected.sort_unstable();
        assert_eq!(fresh().ordinals_of(&rows, page), Ok(own.clone()));
        assert_eq!(own.into_iter().flatten().collect::<Vec<_>>(), expected);
        let with_ordinals = row_kinds.with_ordinals(rows.clone(), page).expect("valid");
        assert!(with_ordinals.iter().map(|(row, _)| *row).eq(rows));
        assert!(
            with_ordinals
                .iter()
                .all(|(row, ordinal)| order[*ordinal as usize] == *row as usize)
        );
    }
    assert_eq!(
        row_kinds.with_ordinals([600], page),
        Ok(vec![(600, u32::MAX)])
    );
    assert_eq!(row_kinds.at_ordinals(&[600], page), Ok(vec![]));
    assert_eq!(row_kinds.at_ordinals(&[600, 700], page), Ok(vec![]));
}

#[test]
fn what_a_page_counts_in_a_cache_does_not_change() {
    let batch = of_a_kind(1_000);
    let (file, entry, kinds) = chunk(&batch);
    let pages: Vec<Arc<ColumnPage>> = entry
        .columns
        .iter()
        .map(|page| Arc::new(ColumnPage::open(page, stored(&file, page)).expect("valid")))
        .collect();
    let before: Vec<usize> = pages.iter().map(|page| page.memory_bytes()).collect();
    let chunk = opened(&file, &entry, &kinds);
    let heads = ChunkHeads::decode(&entry, stored(&file, &entry.page), received(&batch));
    let mut heads = heads.expect("valid");
    let page = |number| row_metadata_page(&file, &entry, number);
    heads.add_pages(0..1_000, page).expect("valid");
    let rows = row_kinds(&file, &entry).with_ordinals(0..1_000, page);
    let read = chunk.records(rows.expect("valid"), &heads, |index| {
        Ok::<_, Corrupt>(Arc::clone(&pages[index]))
    });
    assert_eq!(read.expect("valid").len(), 1_000);
    let behind: Vec<usize> = pages.iter().map(|page| page.memory_bytes()).collect();
    assert_eq!(before, behind);
}

#[test]
fn damage_is_found_and_survived() {
    let batch = of_a_kind(300);
    let (file, entry, kinds) = chunk(&batch);
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        assert!(
            decoded(&damaged, &entry, &kinds, &received(&batch)).is_err(),
            "{at}"
        );
    }
    assert!(decoded(&file, &entry, &Kinds::new(), &received(&batch)).is_err());
    assert!(decoded(&file, &entry, &kinds, &received(&batch)[1..]).is_err());
}

proptest! {
    #[test]
    fn pages_that_nobody_wrote_are_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        page in any::<prop::sample::Index>(),
        head_rows in prop::sample::select(vec![16_usize, 64]),
    ) {
        let batch = of_a_kind(40);
        let (mut kinds, mut file) = (Kinds::new(), Vec::new());
        // Plain pages, so that changes reach the decoder.
        let mut writer = ChunkWriter::plain().with_head_rows(head_rows);
        let entry = writer.write(&batch, &mut kinds, &mut file);
        let mut pages: Vec<PageEntry> = entry.columns.clone();
        pages.extend(&entry.heads);
        pages.extend([entry.directory, entry.rows, entry.page]);
        let changed = *page.get(&pages);
        let start = changed.offset as usize;
        let end = start + changed.stored_len as usize;
        for (index, value) in changes {
            // Not the byte that says how it is compressed.
            *index.get_mut(&mut file[start + 1..end]) = value;
        }
        let crc = crate::page::checksum(changed.offset, &file[start..end]);
        let mend = |page: &PageEntry| PageEntry {
            crc: if page.offset == changed.offset { crc } else { page.crc },
            ..*page
        };
        let entry = ChunkEntry {
            columns: entry.columns.iter().map(mend).collect(),
            directory: mend(&entry.directory),
            zone_maps: entry.zone_maps.as_ref().map(mend),
            heads: entry.heads.iter().map(mend).collect(),
            rows: mend(&entry.rows),
            page: mend(&entry.page),
        };
        if let Ok(read) = decoded(&file, &entry, &kinds, &received(&batch)) {
            prop_assert_eq!(read.len(), batch.len());
        }
    }
}
