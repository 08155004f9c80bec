use super::*;
use crate::page::PageWriter;
use crate::testing::{any_batch, batch_of, build, merge_whole};
use crate::{BuildOptions, Builder};
use model::{RecordBatch, RecordNumber, RecordParts, Span, Timestamp};
use proptest::prelude::*;

fn monotone(mut batches: Vec<RecordBatch>) -> Vec<RecordBatch> {
    let mut last = Timestamp::MIN;
    for batch in &mut batches {
        last = batch.make_received_monotone(last);
    }
    batches.retain(|batch| !batch.is_empty());
    batches
}

proptest! {
    #[test]
    fn a_merged_segment_is_the_same_as_one_that_was_built(
        batches in prop::collection::vec(any_batch(12), 1..4)
    ) {
        let batches = monotone(batches);
        prop_assume!(!batches.is_empty());
        let mut next = RecordNumber(1);
        let mut parts = Vec::new();
        for batch in &batches {
            let builder = Builder::new(BuildOptions { first_number: next, zstd_level: 1 });
            let mut builder = builder.with_head_rows(5);
            builder.push(batch).expect("in order");
            next = RecordNumber(next.0 + batch.len() as u64);
            parts.push(builder.finish().expect("small"));
        }
        let inputs: Vec<_> = parts.iter().map(InMemory).collect();
        let merged = merge_whole(&inputs, 1).expect("consecutive");
        let mut builder = Builder::new(BuildOptions { first_number: RecordNumber(1), zstd_level: 1 });
        for batch in &batches {
            builder.push(batch).expect("in order");
        }
        let built = builder.finish().expect("small");
        prop_assert_eq!(compare(&InMemory(&merged), &built), Ok(Vec::new()));
    }

    #[test]
    fn another_record_is_noticed(one in any_batch(12), other in any_batch(12)) {
        let (one, other) = (monotone(vec![one]), monotone(vec![other]));
        let (one_built, other_built) = (build(&one), build(&other));
        let is_same = compare(&InMemory(&one_built), &other_built) == Ok(Vec::new());
        let same_index = one_built.footer.counts == other_built.footer.counts
            && one_built.footer.lexicon_pages == other_built.footer.lexicon_pages;
        prop_assert!(!is_same || same_index);
        prop_assert_eq!(compare(&InMemory(&one_built), &one_built), Ok(Vec::new()));
    }
}

#[test]
fn other_bigrams_are_noticed() {
    let mut built = build(&[batch_of("udp", (0..9).map(|row| format!("{row} is done")))]);
    let entry = built.footer.bigram_page.expect("a page");
    let own = entry.offset as usize..(entry.offset + u64::from(entry.stored_len)) as usize;
    // One page of words, and no pairs.
    let raw = [&[1, 1][..], &[0; 128]].concat();
    let mut pages = Vec::new();
    let plain = PageWriter::append_plain(&raw, &mut pages);
    let moved = PageEntry {
        rows: 1,
        ..PageEntry::placed(built.bytes.len() as u64, &pages, &plain)
    };
    assert!(own.end < built.bytes.len());
    built.bytes.extend_from_slice(&pages);
    let other = Built {
        bytes: built.bytes.clone(),
        footer: Footer {
            bigram_page: Some(moved),
            ..built.footer.clone()
        },
    };
    let (pages, offset) = (1, moved.offset);
    let expected = Ok(vec![Difference::Bigrams { pages, offset }]);
    assert_eq!(compare(&InMemory(&other), &built), expected);
    assert_eq!(compare(&InMemory(&built), &other), Ok(Vec::new()));
}

#[test]
fn kinds_that_are_there_twice_are_those_of_the_spare_page() {
    let built = build(&[batch_of("udp", ["one is done".to_owned()].into_iter())]);
    let mut pages = Vec::new();
    let plain = PageWriter::append_plain(b"\x02\x01a\x01a", &mut pages);
    let twice = PageEntry::placed(built.bytes.len() as u64, &pages, &plain);
    let with = |spare_page| Built {
        bytes: [&built.bytes[..], &pages].concat(),
        footer: Footer {
            kind_page: Some(twice),
            spare_page,
            ..built.footer.clone()
        },
    };
    let own = input::kinds(&InMemory(&built)).expect("valid");
    let spared = input::kinds(&InMemory(&with(built.footer.spare_page))).expect("valid");
    assert_eq!((own.len(), own.key(1)), (spared.len(), spared.key(1)));
    assert!(input::kinds(&InMemory(&with(None))).is_err());
}

#[test]
fn other_hosts_of_the_same_words_are_noticed() {
    let hosts = ["web 1", "1 web"].map(|host| {
        let mut batch = RecordBatch::new();
        let parts = RecordParts {
            host: Span::new(0, host.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(1);
        batch
            .push(host.as_bytes(), &parts, received, None, 0)
            .expect("room");
        build(&[batch])
    });
    let [one, other] = &hosts;
    let offset = one.footer.tally_page.expect("a page").offset;
    let what = "hosts";
    let expected = Ok(vec![Difference::ValueRows { what, offset }]);
    assert_eq!(compare(&InMemory(one), other), expected);
}

#[test]
fn other_zone_maps_are_noticed() {
    let built = |longest: usize| {
        let options = BuildOptions {
            first_number: RecordNumber(1),
            zstd_level: 1,
        };
        let mut builder = Builder::new(options).with_head_rows(5);
        let lines = (0..40).map(|row| match row {
            39 => format!("{} is done", "7".repeat(longest)),
            row => format!("{row} is done"),
        });
        builder.push(&batch_of("udp", lines)).expect("in order");
        builder.finish().expect("small")
    };
    let (one, other) = (built(2), built(3));
    let others = *other.footer.zone_map_pages().next().expect("a page");
    let page = InMemory(&other).stored(&others).expect("in memory");
    let mut wrong = Built {
        bytes: [&one.bytes[..], &page].concat(),
        footer: one.footer.clone(),
    };
    let moved = PageEntry::placed(one.bytes.len() as u64, &page, &others);
    let chunk = wrong.footer.chunks.first_mut().expect("a chunk");
    assert!(chunk.zone_maps.replace(moved).is_some());
    let (parts, offset) = (1, moved.offset);
    let expected = Ok(vec![Difference::ZoneMaps { parts, offset }]);
    assert_eq!(compare(&InMemory(&wrong), &one), expected);
    assert_eq!(compare(&InMemory(&one), &one), Ok(Vec::new()));
}
