//! What is merged reads like what is built of all records, and damage is not carried along.

use model::{RecordBatch, RecordParts, Span};
use proptest::prelude::*;

use super::*;
use crate::limits::CHUNK_ROWS;
use crate::testing::{
    any_batch, build, compacted, joined, merge_whole, naive_index, read, salvaged,
    stored as stored_in,
};
use crate::{BuildOptions, Builder, Built};

const MERGED: RewriteOptions = RewriteOptions {
    to: Rewrite::Merged,
    zstd_level: 1,
};

/// A segment in memory.
struct InMemory(Built);

impl RewriteInput for InMemory {
    type Error = std::convert::Infallible;

    fn footer(&self) -> &Footer {
        &self.0.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Self::Error> {
        Ok(stored_in(&self.0.bytes, entry).to_vec())
    }
}

/// A segment of each batch that has records, numbered one after the other; every second one with head
/// pages of few rows.
fn build_each(batches: &[RecordBatch]) -> Vec<InMemory> {
    let mut next = RecordNumber(1);
    let mut segments = Vec::new();
    for batch in batches.iter().filter(|batch| !batch.is_empty()) {
        let mut builder = Builder::new(BuildOptions {
            first_number: next,
            ..BuildOptions::default()
        });
        if segments.len() % 2 == 1 {
            builder = builder.with_head_rows(5);
        }
        builder.push(batch).expect("in order");
        next = RecordNumber(next.0 + batch.len() as u64);
        segments.push(InMemory(builder.finish().expect("small")));
    }
    segments
}

/// All of them in one, each chunk as it is.
fn with_all_chunks(segments: &[InMemory]) -> InMemory {
    let how = How {
        large: Large::KeptAlways,
        truncation: None,
    };
    InMemory(joined(segments, 1, how).expect("consecutive"))
}

/// With all chunks as one, however small they are.
fn coalesce_always(segment: &InMemory) -> Built {
    let how = How {
        large: Large::CoalescedAlways,
        truncation: None,
    };
    joined(std::slice::from_ref(segment), 1, how).expect("whole")
}

fn push_line(batch: &mut RecordBatch, line: &str, seconds: i64) {
    let parts = RecordParts {
        message: Span::new(0, line.len()),
        ..RecordParts::default()
    };
    let received = Timestamp::from_seconds(seconds);
    let source = batch.source_index("test").expect("room");
    batch
        .push(line.as_bytes(), &parts, received, None, source)
        .expect("room");
}

fn any_batches() -> impl Strategy<Value = Vec<RecordBatch>> {
    prop::collection::vec(any_batch(12), 1..5).prop_map(|mut batches| {
        let mut last = Timestamp::MIN;
        for batch in &mut batches {
            last = batch.make_received_monotone(last);
        }
        batches
    })
}

proptest! {
    #[test]
    fn merged_segments_read_like_one_built_of_all_records(batches in any_batches()) {
        let segments = build_each(&batches);
        prop_assume!(!segments.is_empty());
        let merged = merge_whole(&segments, 1).expect("consecutive");
        let contents = read(&merged.bytes).expect("valid");
        let built = read(&build(&batches).bytes).expect("valid");
        prop_assert_eq!(contents.seen(), built.seen());
        prop_assert_eq!(&contents.terms, &built.terms);
        prop_assert_eq!(&contents.footer.counts, &built.footer.counts);
        prop_assert_eq!(contents.footer.raw_bytes, built.footer.raw_bytes);
        prop_assert_eq!(contents.footer.first_time, built.footer.first_time);
        prop_assert_eq!(contents.footer.last_time, built.footer.last_time);
        prop_assert_eq!(&contents.footer, &merged.footer);
        prop_assert_eq!(merge_whole(&segments, 1).expect("again").bytes, merged.bytes);
    }

    #[test]
    fn a_segment_with_larger_chunks_reads_like_before(batches in any_batches()) {
        let segments = build_each(&batches);
        prop_assume!(!segments.is_empty());
        let merged = with_all_chunks(&segments);
        let coalesced = coalesce_always(&merged);
        let before = read(&merged.0.bytes).expect("valid");
        let after = read(&coalesced.bytes).expect("valid");
        prop_assert_eq!(after.seen(), before.seen());
        prop_assert_eq!(&after.terms, &before.terms);
        prop_assert_eq!(&after.footer.counts, &before.footer.counts);
        prop_assert_eq!(&after.footer, &coalesced.footer);
        prop_assert_eq!(after.chunks.len(), before.chunks.len().min(1));
    }

    #[test]
    fn a_changed_byte_in_a_page_stops_the_merge_or_is_healed(
        batches in any_batches(),
        place in any::<prop::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut segments = build_each(&batches);
        prop_assume!(!segments.is_empty());
        let whole = merge_whole(&segments, 1).expect("consecutive");
        let segment = &mut segments[0].0;
        let pages_end = segment.footer.lexicon_pages.last().map(|last| last.page.offset as usize + last.page.stored_len as usize);
        let header = Header::LEN;
        let at = header + place.index(pages_end.expect("every record has terms") - header);
        segment.bytes[at] ^= change;
        match merge_whole(&segments, 1) {
            // What follows from the kinds is made anew, and they are there twice.
            Ok(merged) => prop_assert_eq!(merged.bytes, whole.bytes),
            Err(error) => {
                let is_damaged = matches!(error, RewriteError::Damaged { input: 0, .. });
                prop_assert!(is_damaged, "{error:?}");
            }
        }
    }
}

#[test]
fn long_segments_keep_the_size_of_received_pages() {
    let mut rows = 0;
    let batches: Vec<RecordBatch> = (0..5)
        .map(|_| {
            let mut batch = RecordBatch::new();
            for _ in 0..RECEIVED_PAGE_ROWS / 2 + 7 {
                rows += 1;
                push_line(&mut batch, &format!("row {rows}"), rows);
            }
            batch
        })
        .collect();
    let merged = merge_whole(&build_each(&batches), 1).expect("consecutive");
    let contents = read(&merged.bytes).expect("valid");
    assert_eq!(i64::from(contents.footer.rows), rows);
    assert_eq!(contents.footer.received_pages.len(), 3);
}

#[test]
fn segments_that_do_not_follow_each_other_are_refused() {
    let batch = |seconds: i64| {
        let mut batch = RecordBatch::new();
        push_line(&mut batch, "text", seconds);
        batch
    };
    let refused = |segments: &[InMemory]| match merge_whole(segments, 1) {
        Err(RewriteError::NotConsecutive { input }) => Some(input),
        _ => None,
    };
    let mut segments = build_each(&[batch(1), batch(2), batch(3)]);
    assert_eq!(refused(&segments), None);
    segments.remove(1);
    assert_eq!(refused(&segments), Some(1), "a gap in the numbers");
    assert_eq!(
        refused(&build_each(&[batch(2), batch(1)])),
        Some(1),
        "time goes back"
    );
    assert_eq!(refused(&[]), Some(0));
}

/// Segments of so many lines each, one after the other.
fn line_segments(sizes: &[usize]) -> (RecordBatch, Vec<InMemory>) {
    let mut all = RecordBatch::new();
    let mut batches = Vec::new();
    for size in sizes {
        let mut batch = RecordBatch::new();
        for _ in 0..*size {
            let row = all.len();
            let line = match row % 3 {
                0 => format!("connection {row} closed"),
                1 => format!("user u{} logged in from 10.0.0.{}", row * 7, row % 250),
                _ => format!("{row:x} free text of row {row}"),
            };
            push_line(&mut batch, &line, row as i64);
            push_line(&mut all, &line, row as i64);
        }
        batches.push(batch);
    }
    (all, build_each(&batches))
}

#[test]
fn small_chunks_are_joined_and_large_ones_copied() {
    let (all, segments) = line_segments(&[300, 200, 100, 17_000, 10, 18_000, 20, 30]);
    let merged = merge_whole(&segments, 1).expect("consecutive");
    let contents = read(&merged.bytes).expect("valid");
    let rows: Vec<_> = contents.chunks.iter().map(RecordBatch::len).collect();
    assert_eq!(rows, [600, 17_000, 10, 18_000, 50]);
    assert_eq!(contents.seen(), crate::testing::seen_all(&all));
    let built = read(&build(&[all]).bytes).expect("valid");
    assert_eq!(contents.terms, built.terms);
}

/// Two segments of together more than is handed over at once, of words that nothing makes smaller.
fn large_segments() -> Vec<InMemory> {
    let mut seed = 1_u64;
    let mut word = || {
        let letters = (0..120).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'g' + (seed >> 59) as u8 % 20)
        });
        letters.collect::<String>()
    };
    let batches = [0_i64, 8_000].map(|first| {
        let mut batch = RecordBatch::new();
        (first..first + 8_000).for_each(|second| push_line(&mut batch, &word(), second));
        batch
    });
    build_each(&batches)
}

#[test]
fn what_is_merged_is_handed_over_piece_by_piece() {
    let segments = large_segments();
    let whole = merge_whole(&segments, 1).expect("consecutive");
    let (mut parts, mut footers) = (Vec::new(), Vec::new());
    let rewritten = rewrite(&segments, &MERGED, &mut |piece| {
        match piece {
            Piece::Bytes(part) => parts.push(part.to_vec()),
            Piece::End(footer) => footers.push(footer.clone()),
        }
        Ok(())
    });
    assert_eq!(rewritten.expect("consecutive").footers, footers);
    assert_eq!(footers, [whole.footer]);
    assert!(parts.len() > 1, "{}", whole.bytes.len());
    assert!(parts.concat() == whole.bytes);
}

/// A segment in memory, of a file that can fail.
struct Failing<'a>(&'a InMemory);

impl RewriteInput for Failing<'_> {
    type Error = &'static str;

    fn footer(&self) -> &Footer {
        self.0.footer()
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Self::Error> {
        self.0.stored(entry).map_err(|never| match never {})
    }
}

#[test]
fn a_sink_that_takes_no_more_stops_the_merge() {
    let segments = large_segments();
    let inputs: Vec<_> = segments.iter().map(Failing).collect();
    for taken in 0..2 {
        let mut parts = 0;
        let failed = rewrite(&inputs, &MERGED, &mut |_| {
            parts += 1;
            if parts <= taken { Ok(()) } else { Err("full") }
        });
        let source = "full";
        assert_eq!(failed, Err(RewriteError::Read { input: 0, source }));
        assert_eq!(parts, taken + 1);
    }
}

#[test]
fn joined_chunks_are_as_small_as_if_built_at_once() {
    let (all, segments) = line_segments(&[100; 40]);
    let parts: u64 = segments.iter().map(|part| part.0.footer.data_bytes()).sum();
    let merged = merge_whole(&segments, 1).expect("consecutive");
    let built = build(&[all]);
    assert_eq!(merged.footer.data_bytes(), built.footer.data_bytes());
    assert!(merged.footer.data_bytes() < parts / 2, "{parts}");
}

#[test]
fn words_of_all_rows_of_a_kind_in_some_chunks_are_found_in_larger_ones() {
    let mut next = 0;
    let batches = [&["ada"][..], &["ada", "bob"], &["bob"]].map(|users| {
        let mut batch = RecordBatch::new();
        for user in users.iter().cycle().take(40) {
            next += 1;
            push_line(
                &mut batch,
                &format!("user {user} logged in after {next} ms"),
                next,
            );
        }
        batch
    });
    let merged = with_all_chunks(&build_each(&batches));
    let coalesced = read(&coalesce_always(&merged).bytes).expect("valid");
    assert_eq!(coalesced.chunks.len(), 1);
    assert_eq!(coalesced.terms, naive_index(&batches));
}

#[test]
fn only_chunks_of_many_rows_become_one_and_only_once() {
    let (_, segments) = line_segments(&[CHUNK_ROWS + 20_000, 17_000, 18_000, 10]);
    let merged = merge_whole(&segments, 1).expect("consecutive");
    let rows = |footer: &Footer| -> Vec<u32> {
        footer.chunks.iter().map(|chunk| chunk.page.rows).collect()
    };
    let full = CHUNK_ROWS as u32;
    assert_eq!(rows(&merged.footer), [full, 20_000, 17_000, 18_000, 10]);
    assert!(can_be_coalesced(&merged.footer));
    let made = compacted(&merged, 1);
    assert_eq!(rows(&made.footer), [full + 55_000, 10]);
    assert!(!can_be_coalesced(&made.footer));
    // Built again of its records it is what it would have been without.
    let whole = |built: &Built| {
        let (built, saved) = salvaged(&InMemory(built.clone()), u32::MAX).expect("fits");
        assert_eq!(saved.lost, []);
        built
            .into_iter()
            .map(|built| built.bytes)
            .collect::<Vec<_>>()
    };
    assert!(whole(&made) == whole(&merged));
}

#[test]
fn few_rows_stay_in_their_chunks() {
    let (_, segments) = line_segments(&[17_000, 18_000, 19_000]);
    let merged = merge_whole(&segments, 1).expect("consecutive");
    assert!(!can_be_coalesced(&merged.footer));
}
