use std::convert::Infallible;

use super::*;
use crate::limits::{CHUNK_ROWS, ROW_METADATA_PAGE_ROWS};
use crate::testing::{any_batch, batch_of, build, read, salvaged};
use crate::{Header, PageEntry, Spare};
use proptest::prelude::*;

/// A file in memory with a footer.
struct InMemory<'a>(&'a [u8], &'a Footer);

impl RewriteInput for InMemory<'_> {
    type Error = Infallible;

    fn footer(&self) -> &Footer {
        self.1
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Infallible> {
        let start = entry.offset as usize;
        Ok(self.0[start..start + entry.stored_len as usize].to_vec())
    }
}

/// Records of two kinds that take turns, in several chunks.
fn lines(count: usize) -> RecordBatch {
    let line = |index: usize| {
        match index % 2 {
            0 => format!("connection {index} of user{} closed", index % 7),
            // Long enough for pages of their own.
            _ => format!(
                "digest {:032x}",
                (index as u128)
                    .wrapping_pow(7)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)
            ),
        }
    };
    batch_of("test", (0..count).map(line))
}

fn raw(built: &Built) -> Vec<(Vec<u8>, Timestamp)> {
    let contents = read(&built.bytes).expect("whole");
    let records = contents.chunks.iter().flat_map(RecordBatch::iter);
    records
        .map(|record| (record.raw().to_vec(), record.received()))
        .collect()
}

/// What was saved of a segment.
struct Mended {
    built: Vec<Built>,
    rewritten: Rewritten,
}

impl std::ops::Deref for Mended {
    type Target = Rewritten;

    fn deref(&self) -> &Rewritten {
        &self.rewritten
    }
}

fn mend(input: &InMemory<'_>, rows_max: u32) -> Mended {
    let (built, rewritten) = salvaged(input, rows_max).expect("fits");
    Mended { built, rewritten }
}

fn built(mended: &Mended) -> &Built {
    let [built] = mended.built.as_slice() else {
        panic!("{} segments", mended.built.len());
    };
    built
}

#[test]
fn a_segment_without_its_index_is_built_again_as_it_was() {
    let whole = build(&[lines(CHUNK_ROWS + 20_000)]);
    let mut damaged = whole.bytes.clone();
    let first = whole.footer.posting_pages[0].offset as usize;
    let end = damaged.len() - 100;
    damaged[first..end].fill(0);
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    assert_eq!(mended.lost, []);
    assert_eq!(mended.undated_rows, 0);
    assert!(built(&mended).bytes == whole.bytes);
}

#[test]
fn a_large_segment_is_built_again_in_several() {
    let whole = build(&[lines(2 * CHUNK_ROWS + 20_000)]);
    let rows_max = CHUNK_ROWS as u32 + 1;
    let mended = mend(&InMemory(&whole.bytes, &whole.footer), rows_max);
    let rows: Vec<_> = mended.built.iter().map(|built| built.footer.rows).collect();
    // What is read together is not cut.
    let full = CHUNK_ROWS + ROW_METADATA_PAGE_ROWS;
    assert_eq!(
        rows,
        [
            full as u32,
            (CHUNK_ROWS - ROW_METADATA_PAGE_ROWS + 20_000) as u32
        ]
    );
    assert_eq!(mended.saved_rows(), whole.footer.rows);
    let first = mended.built[1].footer.first_number.0;
    assert_eq!(first, whole.footer.first_number.0 + full as u64);
    let found: Vec<_> = mended.built.iter().flat_map(raw).collect();
    assert_eq!(found, raw(&whole));
}

#[test]
fn what_is_lost_is_one_page_and_the_rest_keeps_its_numbers() {
    let whole = build(&[lines(CHUNK_ROWS + 20_000)]);
    let all = raw(&whole);
    let chunk = &whole.footer.chunks[1];
    let mut damaged = whole.bytes.clone();
    damaged[chunk.columns[0].offset as usize + 9] ^= 1;
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    let lost: Vec<u32> = mended.lost.iter().cloned().flatten().collect();
    let rows = chunk.page.first_row..chunk.page.first_row + chunk.page.rows;
    assert!(lost.iter().all(|row| rows.contains(row)), "{rows:?}");
    let of_chunk = chunk.page.rows as usize;
    assert!((1..of_chunk).contains(&lost.len()), "{}", lost.len());
    assert_eq!(mended.saved_rows(), whole.footer.rows - mended.lost_rows());
    let found = raw(built(&mended));
    assert_eq!(found.len(), all.len());
    for (row, (found, expected)) in (0..).zip(found.iter().zip(&all)) {
        let expected_raw = if lost.contains(&row) {
            &[]
        } else {
            &*expected.0
        };
        assert_eq!(
            (&*found.0, found.1),
            (expected_raw, expected.1),
            "row {row}"
        );
    }
    let contents = read(&built(&mended).bytes).expect("whole");
    let key = crate::Namespace::Tag.key(b"lost");
    assert_eq!(contents.terms[&key], lost);
}

#[test]
fn a_damaged_chunk_page_loses_its_rows_alone() {
    let whole = build(&[lines(CHUNK_ROWS + 20_000)]);
    let chunk = &whole.footer.chunks[1].page;
    let mut damaged = whole.bytes.clone();
    damaged[chunk.offset as usize + 2] ^= 1;
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    let rows = chunk.first_row..chunk.first_row + chunk.rows;
    assert_eq!(mended.lost, [rows]);
}

#[test]
fn a_damaged_row_metadata_page_loses_its_rows_alone() {
    let rows = ROW_METADATA_PAGE_ROWS as u32;
    let whole = build(&[lines(2 * ROW_METADATA_PAGE_ROWS + 3)]);
    let [chunk] = whole.footer.chunks.as_slice() else {
        panic!("{} chunks", whole.footer.chunks.len());
    };
    let found: Vec<_> = chunk.heads.iter().map(|page| page.rows).collect();
    assert_eq!(found, [rows, rows, 3]);
    let mut damaged = whole.bytes.clone();
    damaged[chunk.heads[1].offset as usize + 9] ^= 1;
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    let lost = rows..2 * rows;
    assert_eq!(mended.lost, [lost]);
}

#[test]
fn either_copy_of_the_kinds_is_enough() {
    let whole = build(&[lines(1_000)]);
    let pages = [whole.footer.kind_page, whole.footer.spare_page].map(|page| page.expect("there"));
    for page in pages {
        let mut damaged = whole.bytes.clone();
        damaged[page.offset as usize + 20] ^= 1;
        let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
        assert!(built(&mended).bytes == whole.bytes);
    }
    let mut damaged = whole.bytes.clone();
    for page in pages {
        damaged[page.offset as usize + 20] ^= 1;
    }
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    assert!(mended.built.is_empty());
    assert_eq!(mended.lost_rows(), 1_000);
}

#[test]
fn records_without_their_times_of_receipt_are_kept() {
    let whole = build(&[lines(1_000)]);
    let mut damaged = whole.bytes.clone();
    damaged[whole.footer.received_pages[0].offset as usize + 3] ^= 1;
    let mended = mend(&InMemory(&damaged, &whole.footer), u32::MAX);
    assert_eq!((mended.lost_rows(), mended.undated_rows), (0, 1_000));
    let expected = raw(&whole).into_iter();
    let expected: Vec<_> = expected
        .map(|(raw, _)| (raw, Timestamp::from_seconds(1_000)))
        .collect();
    assert_eq!(raw(built(&mended)), expected);
}

#[test]
fn pages_are_found_without_a_footer() {
    for count in [1, 1_000, 70_000] {
        let whole = build(&[lines(count)]);
        let spare = whole.footer.spare_page.expect("there");
        let end = (spare.offset + u64::from(spare.stored_len)) as usize;
        for rest in [&whole.bytes[..whole.bytes.len() - 40], &whole.bytes[..end]] {
            let found = Spare::find(rest).expect("a spare page");
            assert_eq!(found.footer.chunks, whole.footer.chunks);
            let mended = mend(&InMemory(rest, &found.footer), u32::MAX);
            assert!(built(&mended).bytes == whole.bytes);
        }
        assert!(Spare::find(&whole.bytes[..end - 1]).is_none());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..4_000_usize) {
        let whole = build(&[lines(200)]);
        let mut file = whole.bytes;
        for (place, byte) in file.iter_mut().skip(Header::LEN + at).zip(&bytes) {
            *place = *byte;
        }
        if let Some(found) = Spare::find(&file) {
            let mended = mend(&InMemory(&file, &found.footer), u32::MAX);
            prop_assert_eq!(mended.lost_rows() + mended.saved_rows(), 200);
        }
    }

    #[test]
    fn whole_segments_lose_nothing(batch in any_batch(12)) {
        let mut batch = batch;
        batch.make_received_monotone(Timestamp::MIN);
        prop_assume!(!batch.is_empty());
        let whole = build(&[batch]);
        let mended = mend(&InMemory(&whole.bytes, &whole.footer), u32::MAX);
        prop_assert!(built(&mended).bytes == whole.bytes);
    }
}
