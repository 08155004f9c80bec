//! A segment as a whole: what goes in comes out, the index is exact, damage is noticed.

use model::words::{is_wildcard_stop, words};
use model::{
    Facility, RecordBatch, RecordNumber, RecordParts, RecordRef, Severity, Span, Timestamp,
};
use proptest::prelude::*;

use super::*;
use crate::limits::{CHUNK_ROWS, RECEIVED_PAGE_ROWS};
use crate::testing::{
    Contents, any_batch, build, naive_index, read, read_footer, seen_all, stored, texts,
};

fn assert_counts(footer: &Footer, batches: &[RecordBatch]) {
    let records: Vec<_> = batches.iter().flat_map(RecordBatch::iter).collect();
    let count =
        |is: &dyn Fn(RecordRef<'_>) -> bool| records.iter().filter(|r| is(**r)).count() as u32;
    let counts = &footer.counts;
    for severity in Severity::all() {
        assert_eq!(
            counts.severity(severity),
            count(&|r| r.priority().severity() == severity)
        );
    }
    for facility in Facility::all() {
        assert_eq!(
            counts.facility(facility),
            count(&|r| r.priority().facility() == facility)
        );
    }
    for namespace in Namespace::WORDS {
        let any = |record: RecordRef<'_>, is: &dyn Fn(&[u8]) -> bool| {
            texts(record)
                .iter()
                .any(|(name, text)| *name == namespace && is(text))
        };
        let is_worded = |text: &[u8]| words(text).next().is_some();
        // A tag whose name is empty is a tag; no other part that is empty is there.
        let is_present = |text: &[u8]| namespace == Namespace::Tag || !text.is_empty();
        assert_eq!(
            counts.present(namespace),
            Some(count(&|r| any(r, &is_present)))
        );
        assert_eq!(
            counts.worded(namespace),
            Some(count(&|r| any(r, &is_worded)))
        );
    }
    assert_eq!(counts.present(Namespace::Severity), None);
    let both = |r: RecordRef<'_>| [r.message().to_vec(), r.structured_data().to_vec()].join(&b' ');
    assert_eq!(
        counts.with_words,
        count(&|r| words(&both(r)).next().is_some())
    );
    assert_eq!(
        counts.with_text,
        count(&|r| both(r).iter().any(|b| !is_wildcard_stop(*b)))
    );
    assert_eq!(
        footer.raw_bytes,
        records.iter().map(|r| r.raw().len() as u64).sum::<u64>()
    );
    assert_eq!(footer.rows as usize, records.len());
    let times: Vec<_> = records.iter().map(RecordRef::time).collect();
    let default = Timestamp::default();
    assert_eq!(
        footer.first_time,
        times.iter().min().copied().unwrap_or(default)
    );
    assert_eq!(
        footer.last_time,
        times.iter().max().copied().unwrap_or(default)
    );
    let received = |record: Option<&RecordRef<'_>>| record.map_or(default, RecordRef::received);
    assert_eq!(footer.first_received, received(records.first()));
    assert_eq!(footer.last_received, received(records.last()));
}

pub(crate) fn assert_reads_back(batches: &[RecordBatch]) -> Contents {
    let built = build(batches);
    let contents = read(&built.bytes).expect("valid");
    let seen: Vec<_> = batches.iter().flat_map(seen_all).collect();
    assert_eq!(contents.seen(), seen);
    assert_eq!(contents.footer, built.footer);
    assert_eq!(contents.terms, naive_index(batches));
    assert_counts(&contents.footer, batches);
    contents
}

/// Batches one after another whose times of receipt do not go back.
fn any_batches() -> impl Strategy<Value = Vec<RecordBatch>> {
    prop::collection::vec(any_batch(12), 1..4).prop_map(|mut batches| {
        let mut last = Timestamp::MIN;
        for batch in &mut batches {
            last = batch.make_received_monotone(last);
        }
        batches
    })
}

proptest! {
    #[test]
    fn segments_read_back_with_an_exact_index(batches in any_batches()) {
        assert_reads_back(&batches);
    }

    #[test]
    fn groups_of_many_rows_have_an_exact_index(
        batch in any_batch(6),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        prop_assume!(!batch.is_empty());
        let records: Vec<_> = batch.iter().collect();
        let mut many = RecordBatch::new();
        for index in order {
            many.push_record(*index.get(&records)).expect("room");
        }
        many.make_received_monotone(Timestamp::MIN);
        assert_reads_back(&[many]);
    }

    #[test]
    fn the_same_records_give_the_same_bytes(batches in any_batches()) {
        prop_assert_eq!(build(&batches).bytes, build(&batches).bytes);
    }

    #[test]
    fn damaged_files_are_noticed(
        batches in any_batches(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let built = build(&batches);
        let mut bytes = built.bytes.clone();
        for (index, change) in changes {
            *index.get_mut(&mut bytes) ^= change;
        }
        if bytes != built.bytes {
            prop_assert!(read(&bytes).is_err());
        }
    }

    #[test]
    fn page_decoders_survive_any_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        rows in 0..40_u32,
        key in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        let page = sealed(&bytes, rows);
        survive(&page.0, &page.1, &key);
    }

    #[test]
    fn page_decoders_survive_changed_pages(
        batches in any_batches(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        key in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        let built = build(&batches);
        let footer = &built.footer;
        for (_, entry) in footer.pages() {
            let mut raw = page::open("page", entry, stored(&built.bytes, entry))
                .expect("valid")
                .into_owned();
            for (index, value) in &changes {
                *index.get_mut(&mut raw) = *value;
            }
            let (changed, stored) = sealed(&raw, entry.rows);
            survive(&changed, &stored, &key);
        }
    }

    #[test]
    fn envelopes_survive_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Header::decode(&bytes).is_err());
        prop_assert!(Trailer::decode(&bytes, bytes.len() as u64).is_err());
        let trailer = Trailer {
            version: FORMAT_VERSION,
            footer_offset: 1 << 20,
            footer_len: bytes.len() as u32,
            footer_crc: page::checksum(1 << 20, &bytes),
        };
        let _ = Footer::decode(&bytes, &trailer);
    }

    #[test]
    fn footers_survive_changed_bytes(
        batches in any_batches(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = Vec::new();
        build(&batches).footer.encode(&mut bytes);
        for (index, value) in changes {
            *index.get_mut(&mut bytes) = value;
        }
        let trailer = Trailer {
            version: FORMAT_VERSION,
            footer_offset: 1 << 20,
            footer_len: bytes.len() as u32,
            footer_crc: page::checksum(1 << 20, &bytes),
        };
        let _ = Footer::decode(&bytes, &trailer);
    }
}

/// A page of these bytes whose checksum fits.
fn sealed(raw: &[u8], rows: u32) -> (PageEntry, Vec<u8>) {
    let mut file = Vec::new();
    let entry = page::PageWriter::new(1).append(raw, &mut file);
    (PageEntry { rows, ..entry }, file)
}

fn survive_look_ups(page: &LexiconPage, key: &[u8]) {
    let _ = page.find(key);
    let _ = page.scan(key, &mut |_, _| true);
    let _ = page.scan_wanted(
        key,
        b"",
        |key| Some(key.bytes.len() % 2 == 0),
        &mut |_, _| {},
    );
}

/// Decodes a page as each kind there is.
fn survive(entry: &PageEntry, stored: &[u8], key: &[u8]) {
    let _ = decode_kind_page(entry, stored);
    let _ = Spare::decode(entry, stored);
    let _ = Tally::decode(entry, stored);
    let mut chunk = ChunkEntry {
        rows: *entry,
        ..ChunkEntry::default()
    };
    let _ = RowKinds::decode(&chunk, stored);
    chunk.heads = vec![*entry; 2];
    let _ = RowKinds::decode(&chunk, stored);
    let _ = RowMetadataPage::decode(entry, stored);
    let _ = ZoneMaps::decode(entry, stored);
    let _ = decode_received_page(entry, stored);
    if let Ok(page) = LexiconPage::open(entry, stored) {
        survive_look_ups(&page, key);
    }
    if let Ok(page) = LexiconPage::decode(entry, stored) {
        let mut terms = Vec::new();
        let whole = page.scan(b"", &mut |key, term| {
            terms.push((key.bytes.to_vec(), key.left_out.is_some(), term));
            true
        });
        assert_eq!((whole, terms.len()), (Ok(true), entry.rows as usize));
        for (key, is_cut, entry) in terms {
            let found = FoundTerm { entry, is_cut };
            assert!(is_cut || page.find(&key) == Ok(Some(found)));
        }
        survive_look_ups(&page, key);
    }
    if let Ok(page) = PostingPage::decode(entry, stored) {
        for count in [1, 2, u32::MAX] {
            let location = Location::List { page: 0, offset: 1 };
            let listed = Listed { count, location };
            let mut bits = vec![0_u8; 1 << 13];
            let marked = page.mark(&listed, &mut bits);
            if let Ok(list) = page.numbers(&listed) {
                assert!(list.is_sorted_by(|a, b| a < b));
                let is_marked = |row: &u32| bits[*row as usize / 8] >> (row % 8) & 1 == 1;
                let all = (0..1 << 16).filter(is_marked);
                assert!(all.eq(list.into_iter().filter(|row| *row < 1 << 16)));
            } else {
                assert!(marked.is_err());
            }
        }
    }
}

#[test]
fn every_flipped_byte_of_a_file_is_noticed() {
    let mut bytes = build(&[large_batch(8)]).bytes;
    for index in 0..bytes.len() {
        bytes[index] ^= 0x10;
        assert!(read(&bytes).is_err(), "byte {index} changed");
        bytes[index] ^= 0x10;
    }
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "cut at {len}");
    }
}

/// Lines that repeat, with a few words that do not.
fn large_batch(rows: u32) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    for row in 0..rows {
        let (host, user) = (row % 7, row.wrapping_mul(2_654_435_761) >> 8);
        let raw =
            format!("web-{host} sshd: Failed password for u{user} from 10.0.0.{host} row {row}");
        let parts = RecordParts {
            host: Span::new(0, 5),
            program: Span::new(6, 10),
            message: Span::new(12, raw.len()),
            time: Timestamp::from_seconds(1_795_286_847),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(1_795_286_847_000_000_000 + i64::from(row) * 1_000);
        let peer = Some(std::net::IpAddr::from([10, 0, 0, 1]));
        batch
            .push(raw.as_bytes(), &parts, received, peer, source)
            .expect("room");
    }
    batch
}

#[test]
fn segments_of_many_pages_read_back() {
    let full = CHUNK_ROWS as u32;
    let contents = assert_reads_back(&[large_batch(2 * full + 5_000)]);
    let footer = &contents.footer;
    let rows: Vec<_> = footer.chunks.iter().map(|chunk| chunk.page.rows).collect();
    assert_eq!(rows, [full, full, 5_000]);
    assert!(
        footer.lexicon_pages.len() > 8,
        "{}",
        footer.lexicon_pages.len()
    );
}

#[test]
fn words_that_are_in_several_slots_and_groups_are_indexed_exactly() {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").expect("room");
    for row in 0..400_u32 {
        // What all rows of a group have, what some have twice, what no other has, and texts that are
        // long and come again, of several kinds and of one that has few rows.
        let text = match row % 5 {
            0 => format!(
                "10.{}.10.{} took 10 of {} ms, id {row}",
                row % 2,
                row % 7,
                row % 10
            ),
            1 => format!("user=\"\u{c9}va {}\" from 10.0.0.{}", row % 3, row % 11),
            2 => format!(
                "agent \"a browser of {} words, as long as they mostly are\" 007 7",
                row % 4
            ),
            3 => format!("took {:03} of {:02} ms for /usr/a{row}", row % 20, row % 9),
            _ if row % 40 == 4 => format!("rare {} {}", row % 2, 10),
            _ => "took nothing".to_owned(),
        };
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000 + i64::from(row));
        batch
            .push(text.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    let contents = assert_reads_back(&[batch]);
    assert_eq!(contents.terms[&Namespace::Message.key(b"007")].len(), 80);
    assert_eq!(
        contents.terms[&Namespace::Message.key("\u{e9}va".as_bytes())].len(),
        80
    );
}

#[test]
fn words_beside_punctuation_of_other_scripts_are_whole_where_slots_start_and_end() {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").expect("room");
    for row in 0..120_u32 {
        // Slots that are the word, that have such characters in them, and that stand beside them.
        let text = match row % 6 {
            0 => "\u{4e3b}\u{673a}\u{ff1a}web1\u{ff0c}\u{72b6}\u{6001}\u{ff1a}down".to_owned(),
            1 => format!("host \u{ff1a}web{}\u{ff0c} is down", row / 6 % 2),
            2 => format!("\u{201c}{row}\u{201d} from=\u{a0}web1\u{a0}; down"),
            3 => format!("route \u{2192}\"web1\"\u{2192} \u{2014}{row}\u{2014} down"),
            4 => format!("\u{ab}web1\u{bb}={row}\u{20ac}"),
            _ => format!("\u{4e3b}web1 web1\u{301} {row}"),
        };
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(1_000 + i64::from(row));
        batch
            .push(text.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    let contents = assert_reads_back(&[batch]);
    let rows = |word: &str| contents.terms[&Namespace::Message.key(word.as_bytes())].len();
    assert_eq!(rows("web1"), 90);
    assert_eq!(rows("down"), 80);
    assert_eq!(rows("\u{4e3b}\u{673a}"), 20);
    assert_eq!(rows("\u{4e3b}web1"), 20);
}

#[test]
fn segments_of_more_rows_than_a_received_page_read_back() {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    let rows = 8 * RECEIVED_PAGE_ROWS + 100;
    for row in 0..rows {
        // Half of the rows hold one word and half the other: two lists that fill a page each.
        let text: &[u8] = if row * 7 % 11 < 5 { b"n 1" } else { b"n 2" };
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(i64::from(row));
        batch
            .push(text, &parts, received, None, source)
            .expect("room");
    }
    let contents = assert_reads_back(&[batch]);
    let footer = &contents.footer;
    let received: Vec<_> = footer.received_pages.iter().map(|page| page.rows).collect();
    assert_eq!(received[..8], [RECEIVED_PAGE_ROWS; 8]);
    assert_eq!(received[8..], [100]);
    assert_eq!(footer.posting_pages.len(), 2);
    assert_eq!(
        footer.posting_pages[1].first_row,
        footer.posting_pages[0].rows
    );
}

#[test]
fn chunks_end_at_the_same_rows_however_records_are_pushed() {
    let whole = large_batch(CHUNK_ROWS as u32 + 4_000);
    let mut parts = Vec::new();
    let mut sizes = [1, 700, 3, 5_000, 17].into_iter().cycle();
    let mut records = whole.iter().peekable();
    while records.peek().is_some() {
        let mut part = RecordBatch::new();
        for record in records.by_ref().take(sizes.next().expect("endless")) {
            part.push_record(record).expect("room");
        }
        parts.push(part);
    }
    assert_eq!(
        build(std::slice::from_ref(&whole)).bytes,
        build(&parts).bytes
    );
}

#[test]
fn terms_are_found_by_key_and_prefix_through_the_footer() {
    let batch = large_batch(5_000);
    let built = build(std::slice::from_ref(&batch));
    let footer = read_footer(&built.bytes).expect("valid");
    let decode = |entry: &LexiconPageEntry| {
        LexiconPage::decode(&entry.page, stored(&built.bytes, &entry.page)).expect("valid")
    };
    let pages: Vec<_> = footer.lexicon_pages.iter().map(decode).collect();
    let open = |index: usize| &pages[index];
    let expected = naive_index(&[batch]);
    for (key, rows) in &expected {
        let found = open(footer.lexicon_page_of(key).expect("a page"))
            .find(key)
            .expect("valid")
            .expect("a term");
        assert_eq!(found.entry.rows as usize, rows.len());
    }
    for absent in [&b""[..], b"a", b"m", b"mfaile", b"mfailedd", b"mu1a", b"zz"] {
        let page = footer.lexicon_page_of(absent);
        let found = page.and_then(|index| open(index).find(absent).expect("valid"));
        assert_eq!(found, None, "{absent:?}");
    }
    for prefix in [
        &b"mu1"[..],
        b"m",
        b"mfa",
        b"h",
        b"mu999",
        b"",
        b"zz",
        b"m1",
        b"m99",
        b"mb",
        b"m0",
    ] {
        let mut found = Vec::new();
        let indexes = footer.lexicon_pages_with(prefix);
        assert!(indexes.is_sorted_by(|a, b| a < b));
        for index in indexes {
            let scanned = open(index).scan(prefix, &mut |key, _| {
                found.push(key.bytes.to_vec());
                true
            });
            assert_eq!(scanned, Ok(true));
        }
        found.sort_unstable();
        let keys = expected.keys().filter(|key| key.starts_with(prefix));
        assert!(keys.eq(found.iter()), "{prefix:?}");

        for letter in [b'9', b'b', b'u'] {
            let is_wanted =
                |key: KnownKey<'_>| Some(key.bytes.get(1..).unwrap_or(&[]).contains(&letter));
            let (mut wanted, mut entries) = (Vec::new(), Vec::new());
            for index in footer.lexicon_pages_wanted(prefix, &[letter]) {
                let page = open(index);
                let mut visit = |term, is_sure| wanted.push((term, is_sure));
                page.scan_wanted(prefix, &[letter], is_wanted, &mut visit)
                    .expect("valid");
            }
            for index in footer.lexicon_pages_with(prefix) {
                let page = open(index);
                let scanned = page.scan(prefix, &mut |key, term| {
                    entries.extend((is_wanted(key) == Some(true)).then_some((term, true)));
                    true
                });
                assert_eq!(scanned, Ok(true));
            }
            assert_eq!(wanted, entries, "{prefix:?} {letter}");
        }
    }
}

#[test]
fn pages_of_numbers_are_passed_over_where_letters_are_wanted() {
    let footer = build(&[large_batch(30_000)]).footer;
    let all = footer.lexicon_pages_with(b"m");
    assert_eq!(footer.lexicon_pages_wanted(b"m", b""), all);
    assert_eq!(footer.lexicon_pages_wanted(b"m", b"7"), all);
    let wanted = footer.lexicon_pages_wanted(b"m", b"u7");
    assert!(
        wanted.len() < all.len(),
        "{} of {}",
        wanted.len(),
        all.len()
    );
}

#[test]
fn a_scan_ends_when_told() {
    let built = build(&[large_batch(100)]);
    let page = &built.footer.lexicon_pages[0].page;
    let page = LexiconPage::decode(page, stored(&built.bytes, page)).expect("valid");
    let mut left = 3;
    let went_on = page.scan(b"m", &mut |_, _| {
        left -= 1;
        left > 0
    });
    assert_eq!(went_on, Ok(false));
    assert_eq!(left, 0);
}

#[test]
fn very_long_words_and_records_are_kept_and_indexed() {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").expect("room");
    let long = "x".repeat(1 << 20);
    for text in [
        format!("{long}a {long}b"),
        long.clone(),
        format!("short {long}"),
        String::new(),
    ] {
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        batch
            .push(text.as_bytes(), &parts, Timestamp::default(), None, source)
            .expect("room");
    }
    let contents = assert_reads_back(&[batch]);
    assert_eq!(
        contents.terms[&Namespace::Message.key(long.as_bytes())],
        [1, 2]
    );
}

#[test]
fn an_empty_segment_reads_back() {
    let contents = assert_reads_back(&[]);
    assert_eq!(contents.footer.rows, 0);
    assert!(contents.footer.lexicon_pages.is_empty());
}

#[test]
fn records_out_of_order_are_refused_and_change_nothing() {
    let batch = large_batch(10);
    let mut builder = Builder::new(BuildOptions::default());
    builder.push(&batch).expect("in order");
    let refused = builder.push(&batch);
    assert!(matches!(
        refused,
        Err(BuildError::OutOfOrder { row: 10, .. })
    ));
    assert_eq!(
        builder.finish().expect("small").bytes,
        build(&[batch]).bytes
    );
}

#[test]
fn nothing_of_one_segment_is_left_in_the_next() {
    let (batch, other) = (large_batch(3_000), large_batch(10));
    let mut builder = Builder::new(BuildOptions::default());
    builder.push(&other).expect("in order");
    builder.start(RecordNumber(1));
    for _ in 0..2 {
        builder.push(&batch).expect("in order");
        let built = builder.finish().expect("small");
        assert_eq!(built.bytes, build(std::slice::from_ref(&batch)).bytes);
        let behind = builder.finish().expect("small").footer;
        assert_eq!((behind.first_number, behind.rows), (RecordNumber(3_001), 0));
        builder.start(RecordNumber(1));
    }
}

#[test]
fn terms_with_the_same_rows_share_a_list() {
    let batch = large_batch(100);
    let built = build(&[batch]);
    let lists: u32 = built
        .footer
        .posting_pages
        .iter()
        .map(|page| page.rows)
        .sum();
    // One list for each of seven hosts: those of "web-3" and of "10.0.0.3" are the same.
    assert_eq!(lists, 7);
}
