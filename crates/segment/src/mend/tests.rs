use std::convert::Infallible;

use super::*;
use crate::testing::{any_batch, build, read};
use model::{RecordParts, Span};
use proptest::prelude::*;

/// A file in memory with a footer.
struct InMemory<'a>(&'a [u8], &'a Footer);

impl MergeInput for InMemory<'_> {
    type Error = Infallible;

    fn footer(&self) -> &Footer {
        self.1
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Infallible> {
        let start = entry.offset as usize;
        Ok(self.0[start..start + entry.stored_len as usize].to_vec())
    }
}

/// Records that compress, in several row pages.
fn lines(count: usize) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("test").expect("room");
    for index in 0..count {
        let line = format!(
            "connection {index} of user{} closed after a while",
            index % 7
        );
        let parts = RecordParts {
            message: Span::new(0, line.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000 + index as i64);
        batch
            .push(line.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

fn raw(built: &Built) -> Vec<(Vec<u8>, Timestamp)> {
    let contents = read(&built.bytes).expect("whole");
    let records = contents.pages.iter().flat_map(RecordBatch::iter);
    records
        .map(|record| (record.raw().to_vec(), record.received()))
        .collect()
}

#[test]
fn a_segment_without_its_index_is_built_again_as_it_was() {
    let built = build(&[lines(10_000)]);
    let mut damaged = built.bytes.clone();
    let first = built.footer.posting_pages[0].offset as usize;
    let end = damaged.len() - 100;
    damaged[first..end].fill(0);
    let mended = mend(&InMemory(&damaged, &built.footer), 1).expect("fits");
    assert_eq!(mended.lost, []);
    assert_eq!(mended.undated_rows, 0);
    assert!(mended.parts[0].bytes == built.bytes);
}

#[test]
fn what_is_lost_is_one_page_and_the_rest_keeps_its_numbers() {
    let built = build(&[lines(10_000)]);
    let all = raw(&built);
    let page = built.footer.row_pages[1];
    let mut damaged = built.bytes.clone();
    damaged[page.offset as usize + 9] ^= 1;
    let mended = mend(&InMemory(&damaged, &built.footer), 1).expect("fits");
    let rows = page.first_row..page.first_row + page.rows;
    assert_eq!(mended.lost, std::slice::from_ref(&rows));
    assert_eq!(mended.lost_rows(), page.rows);
    let [before, behind] = mended.parts.as_slice() else {
        panic!("{} parts", mended.parts.len());
    };
    let first = built.footer.first_number.0;
    assert_eq!(before.footer.first_number.0, first);
    assert_eq!(behind.footer.first_number.0, first + u64::from(rows.end));
    assert_eq!(raw(before), all[..rows.start as usize]);
    assert_eq!(raw(behind), all[rows.end as usize..]);
}

#[test]
fn records_without_their_times_of_receipt_are_kept() {
    let built = build(&[lines(1_000)]);
    let mut damaged = built.bytes.clone();
    damaged[built.footer.received_pages[0].offset as usize + 3] ^= 1;
    let mended = mend(&InMemory(&damaged, &built.footer), 1).expect("fits");
    assert_eq!((mended.lost_rows(), mended.undated_rows), (0, 1_000));
    let expected = raw(&built).into_iter();
    let expected: Vec<_> = expected
        .map(|(raw, _)| (raw, Timestamp::from_seconds(1_000)))
        .collect();
    assert_eq!(raw(&mended.parts[0]), expected);
}

#[test]
fn pages_are_found_without_a_footer() {
    for count in [1_000, 10_000, 70_000] {
        let built = build(&[lines(count)]);
        let footer = &built.footer;
        let rest = &built.bytes[..built.bytes.len() - 40];
        let found = find_pages(rest, footer.first_number, Timestamp::from_seconds(0));
        assert_eq!(found.row_pages, footer.row_pages);
        assert_eq!(found.received_pages, footer.received_pages);
        let mended = mend(&InMemory(rest, &found), 1).expect("fits");
        assert_eq!(raw(&mended.parts[0]), raw(&built));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..4_000_usize) {
        let mut file = build(&[lines(200)]).bytes;
        for (place, byte) in file.iter_mut().skip(Header::LEN + at).zip(&bytes) {
            *place = *byte;
        }
        let found = find_pages(&file, RecordNumber(1), Timestamp::from_seconds(0));
        let mended = mend(&InMemory(&file, &found), 1).expect("fits");
        prop_assert_eq!(mended.lost_rows(), 0);
    }

    #[test]
    fn whole_segments_lose_nothing(batch in any_batch(12)) {
        let mut batch = batch;
        batch.make_received_monotone(Timestamp::MIN);
        prop_assume!(!batch.is_empty());
        let built = build(&[batch]);
        let mended = mend(&InMemory(&built.bytes, &built.footer), 1).expect("fits");
        prop_assert!(mended.parts[0].bytes == built.bytes);
    }
}
