//! Segments, with checksums made good: otherwise a fuzzer would never get behind them.

use std::sync::Arc;

use model::Timestamp;
use segment::{
    Bigrams, Chunk, ChunkEntry, ChunkHeads, ColumnPage, Corrupt, Footer, Header, Kinds, KnownKey,
    LexiconPage, LexiconThrough, Listed, Location, Namespace, PageEntry, PostingPage,
    ReceivedTimes, RowKinds, RowMetadataPage, Tally, Trailer, ZoneMaps, decode_kind_page,
    decode_received_page,
};

/// Most bytes of a page before compression that are looked at: more takes a fuzzer's time only.
const RAW_BYTES_MAX: u32 = 1 << 20;

/// A page of any kind: a byte for the kind, three for how many rows and raw bytes it claims, the page.
pub fn page(bytes: &[u8]) {
    let Some(([kind, rows, low, high], stored)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let raw_len = u32::from(u16::from_le_bytes([*low, *high]));
    let entry = PageEntry {
        stored_len: u32::try_from(stored.len()).unwrap_or(u32::MAX),
        raw_len,
        rows: u32::from(*rows),
        ..PageEntry::default()
    };
    let entry = with_checksum(entry, stored);
    match kind % 12 {
        0 => _ = decode_kind_page(&entry, stored),
        1 => received(&entry, stored),
        2 => lexicon(&entry, stored),
        3 => lists(&entry, stored),
        4 => row_kinds(&entry, Vec::new(), stored),
        5 => tally(&entry, stored),
        6 => _ = ColumnPage::open(&entry, stored),
        9 => bigrams(&entry, stored),
        10 => _ = RowMetadataPage::decode(&entry, stored),
        11 => {
            let page = |rows| PageEntry { rows, ..entry };
            row_kinds(&entry, vec![page(64), page(64), page(9)], stored);
        }
        _ => _ = ZoneMaps::decode(&entry, stored),
    }
}

/// Each time is the same, read with all others and looked up.
fn received(entry: &PageEntry, stored: &[u8]) {
    let all = decode_received_page(entry, stored);
    let looked_up = ReceivedTimes::decode(entry, stored);
    assert_eq!(all.is_ok(), looked_up.is_ok());
    if let (Ok(all), Ok(looked_up)) = (all, looked_up) {
        assert_eq!(all.len(), entry.rows as usize);
        let each = (0..=all.len()).map_while(|row| looked_up.get(row));
        assert!(each.eq(all));
    }
}

fn row_kinds(entry: &PageEntry, heads: Vec<PageEntry>, stored: &[u8]) {
    let has_heads = !heads.is_empty();
    let chunk = ChunkEntry {
        rows: *entry,
        heads,
        ..ChunkEntry::default()
    };
    let Ok(kinds) = RowKinds::decode(&chunk, stored) else {
        return;
    };
    let rows: u64 = kinds.kinds().iter().map(|(_, rows)| u64::from(*rows)).sum();
    assert_eq!(rows, kinds.len() as u64);
    _ = kinds.check_pages(&chunk);
    if !has_heads {
        let no_page = |_| {
            Err(Corrupt::Short {
                what: "row metadata page",
            })
        };
        let ordinals = kinds.with_ordinals(0..rows as u32, no_page);
        assert!(ordinals.is_ok_and(|ordinals| {
            ordinals
                .iter()
                .all(|(_, ordinal)| u64::from(*ordinal) < rows)
        }));
    }
}

fn lexicon(entry: &PageEntry, stored: &[u8]) {
    if let Ok(page) = LexiconPage::open(entry, stored) {
        _ = page.find(b"merror");
        _ = page.scan_wanted(b"m", b"e", |_| Some(true), &mut |_, _| {});
    }
    let Ok(page) = LexiconPage::decode(entry, stored) else {
        return;
    };
    let mut terms = 0_u32;
    let scanned = page.scan(&[], &mut |_, _| {
        terms += 1;
        terms < 10_000
    });
    assert!(scanned.is_ok());
    assert!(page.find(b"merror").is_ok());
    let scanned = page.scan_wanted(b"m", b"e", |_| Some(true), &mut |_, _| {});
    assert_eq!(scanned, Ok(()));
    let (mut wanted, mut through) = (0, 0);
    let scanned = page.scan(b"m", &mut |key, _| {
        wanted += u32::from(contains(key.bytes, b"er"));
        true
    });
    assert_eq!(scanned, Ok(true));
    let mut has_part = |key: KnownKey<'_>| Some(contains(key.bytes, b"er"));
    let mut visit = |_, _| through += 1;
    let gone = LexiconThrough::new(b"er").page(&page, b'm', &mut has_part, &mut visit);
    assert_eq!((gone, through), (Ok(()), wanted));
}

fn bigrams(entry: &PageEntry, stored: &[u8]) {
    if let Ok(bigrams) = Bigrams::decode(entry, stored) {
        _ = bigrams.may_hold(1, b"ab");
        // Nothing is known of a page that there is not.
        assert!(bigrams.may_hold(entry.rows as usize, b"ab"));
    }
}

fn contains(key: &[u8], part: &[u8]) -> bool {
    let word = key.get(1..).unwrap_or_default();
    word.windows(part.len()).any(|window| window == part)
}

fn tally(entry: &PageEntry, stored: &[u8]) {
    if let Ok(tally) = Tally::decode(entry, stored) {
        _ = tally.kinds(0).len();
        _ = tally.counts_of(Namespace::Program);
    }
}

/// A whole segment: what its trailer and footer name is decoded, and all records are read.
pub fn segment(file: &[u8]) {
    _ = Header::decode(file.get(..Header::LEN).unwrap_or_default());
    let Some(start) = file.len().checked_sub(Trailer::LEN) else {
        return;
    };
    let (before, trailer) = file.split_at(start);
    let Ok(mut trailer) = Trailer::decode(trailer, file.len() as u64) else {
        return;
    };
    let Some(footer) = usize::try_from(trailer.footer_offset)
        .ok()
        .and_then(|offset| before.get(offset..))
    else {
        return;
    };
    trailer.footer_crc = checksum(trailer.footer_offset, footer);
    if let Ok(footer) = Footer::decode(footer, &trailer) {
        // What is wrong is an error, and no more.
        _ = pages(file, &footer);
    }
}

fn pages(file: &[u8], footer: &Footer) -> Result<(), Corrupt> {
    for entry in &footer.lexicon_pages {
        let (entry, stored) = stored(file, &entry.page)?;
        lexicon(&entry, stored);
    }
    for entry in &footer.posting_pages {
        let (entry, stored) = stored(file, entry)?;
        lists(&entry, stored);
    }
    if let Some(entry) = &footer.bigram_page {
        let (entry, stored) = stored(file, entry)?;
        bigrams(&entry, stored);
    }
    if let Some(entry) = &footer.tally_page {
        let (entry, stored) = stored(file, entry)?;
        tally(&entry, stored);
    }
    let mut received = Vec::new();
    for entry in &footer.received_pages {
        let (entry, stored) = stored(file, entry)?;
        received.extend(decode_received_page(&entry, stored)?);
    }
    let Some(entry) = &footer.kind_page else {
        return Ok(());
    };
    let (entry, stored) = stored(file, entry)?;
    let kinds = decode_kind_page(&entry, stored)?;
    for chunk in &footer.chunks {
        // A chunk that cannot be read does not hide the others.
        _ = records(file, chunk, &kinds, &received);
    }
    Ok(())
}

/// Reads what the first bytes of a posting page are as lists of few and of many numbers.
fn lists(entry: &PageEntry, stored: &[u8]) {
    let Ok(page) = PostingPage::decode(entry, stored) else {
        return;
    };
    for (offset, count) in (1..5).flat_map(|offset| [3, 70, u32::MAX].map(|count| (offset, count)))
    {
        let location = Location::List { page: 0, offset };
        let listed = Listed { count, location };
        _ = page.numbers(&listed);
        _ = page.mark(&listed, &mut [0; 100]);
        _ = page.count_within(&listed, &[5..60, 61..700, 900..u32::MAX]);
    }
}

fn records(
    file: &[u8],
    chunk: &ChunkEntry,
    kinds: &Kinds,
    received: &[Timestamp],
) -> Result<(), Corrupt> {
    let (rows_entry, rows) = stored(file, &chunk.rows)?;
    let (page, bytes) = stored(file, &chunk.page)?;
    let first = page.first_row as usize;
    let received = received.get(first..).unwrap_or_default();
    let received = received.get(..page.rows as usize).unwrap_or_default();
    let (directory, directory_bytes) = stored(file, &chunk.directory)?;
    let entry = ChunkEntry {
        directory,
        rows: rows_entry,
        page,
        ..chunk.clone()
    };
    let row_kinds = RowKinds::decode(&entry, rows)?;
    let opened = Chunk::decode(&entry, directory_bytes, row_kinds.kinds(), kinds)?;
    _ = (row_kinds.check_pages(&entry), opened.check(&entry));
    if let Some(page) = &chunk.zone_maps {
        let (entry, bytes) = stored(file, page)?;
        zone_maps(&opened, &ZoneMaps::decode(&entry, bytes)?);
    }
    let mut heads = ChunkHeads::decode(&entry, bytes, received.to_vec())?;
    let rows = u32::try_from(opened.rows()).unwrap_or(u32::MAX);
    let row_metadata_page = |number: usize| {
        let short = Corrupt::Short { what: "heads" };
        let (entry, bytes) = stored(file, chunk.heads.get(number).ok_or(short)?)?;
        RowMetadataPage::decode(&entry, bytes).map(Arc::new)
    };
    heads.add_pages(0..rows, row_metadata_page)?;
    _ = row_kinds.check(row_metadata_page);
    let found = row_kinds.with_ordinals(0..rows, row_metadata_page)?;
    let column_page = |index: usize| {
        let short = Corrupt::Short { what: "columns" };
        let (entry, bytes) = stored(file, chunk.columns.get(index).ok_or(short)?)?;
        ColumnPage::open(&entry, bytes).map(Arc::new)
    };
    let records = opened.records(found, &heads, column_page)?;
    assert_eq!(records.len(), opened.rows());
    for record in records.iter() {
        assert!(record.message().len() <= record.bytes().len());
    }
    Ok(())
}

/// Asks the zone maps of all columns.
fn zone_maps(chunk: &Chunk, zone_maps: &ZoneMaps) {
    let rows = u32::try_from(chunk.rows()).unwrap_or(u32::MAX);
    for kind in chunk.kind_rows(&(0..rows).collect::<Vec<_>>()) {
        for slot in 0..4 {
            for (_, rank) in kind.ranked() {
                if let Some((ranks, zone_map)) = kind.zone_map(zone_maps, slot, rank) {
                    assert!(ranks.contains(&rank));
                    _ = (zone_map.bytes(), zone_map.first(), zone_map.are_like(b"00"));
                }
            }
        }
    }
}

/// The stored bytes of a page, with an entry whose checksum is theirs.
fn stored<'f>(file: &'f [u8], entry: &PageEntry) -> Result<(PageEntry, &'f [u8]), Corrupt> {
    let short = Corrupt::Short { what: "file" };
    let start = usize::try_from(entry.offset).map_err(|_| short)?;
    let end = start.saturating_add(entry.stored_len as usize);
    let stored = file.get(start..end).ok_or(short)?;
    if entry.raw_len > RAW_BYTES_MAX {
        return Err(short);
    }
    Ok((with_checksum(*entry, stored), stored))
}

fn with_checksum(entry: PageEntry, stored: &[u8]) -> PageEntry {
    PageEntry {
        crc: checksum(entry.offset, stored),
        ..entry
    }
}

fn checksum(offset: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), bytes)
}
