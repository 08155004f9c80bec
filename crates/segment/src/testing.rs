//! Batches for property tests, equality of records as a reader sees it, the simplest reader, and
//! the index by its definition.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use model::addresses::{AddressKey, addresses};
use model::words::{fold, words};
use model::{Field, Priority, RecordBatch, RecordParts, RecordRef, Span, Timestamp};
use proptest::prelude::*;

use crate::envelope::FORMAT_VERSION;
use crate::lexicon::BigramSet;
use crate::limits::PART_COUNTS_BYTES_MAX;
use crate::rewrite::{How, Rewrite, RewriteOptions, Rewritten, in_memory, join, rewrite_in_memory};
use crate::{
    Bigrams, BuildOptions, Builder, Built, Chunk, ChunkHeads, ColumnPage, Corrupt, Footer,
    FoundTerm, Header, Kinds, LexiconPage, Listed, Namespace, PageEntry, PostingPage, RewriteError,
    RewriteInput, RowKinds, RowMetadataPage, Spare, Tally, Trailer, decode_kind_page,
    decode_received_page,
};

/// What a reader can see of a record.
pub(crate) type Seen<'a> = (
    (Timestamp, Timestamp, Priority, Option<IpAddr>),
    (&'a [u8], &'a [u8], &'a str, Vec<&'a str>),
    [&'a [u8]; 6],
    Vec<[&'a [u8]; 3]>,
);

/// Everything that a reader can see of a record. The order of tags means nothing.
pub(crate) fn seen(record: RecordRef<'_>) -> Seen<'_> {
    let mut tags: Vec<_> = record.tags().collect();
    tags.sort_unstable();
    (
        (
            record.received(),
            record.time(),
            record.priority(),
            record.peer(),
        ),
        (record.raw(), record.bytes(), record.source(), tags),
        [
            record.host(),
            record.program(),
            record.pid(),
            record.msgid(),
            record.structured_data(),
            record.message(),
        ],
        record
            .fields()
            .map(|field| [field.group, field.name, field.value])
            .collect(),
    )
}

/// All records of a batch as a reader sees them.
pub(crate) fn seen_all(batch: &RecordBatch) -> Vec<Seen<'_>> {
    batch.iter().map(seen).collect()
}

/// Text with few distinct words, of either case, some not ASCII and beside punctuation that is not, some bytes
/// that are not UTF-8.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "error", "Error", "ERROR", "of", "10", "é", "É", "x_y", "0", "web", "\u{212a}", "k",
            "a-longer-WORD-than-sixteen_bytes_it_is_and_more", "a_longer_word_than_sixteen_bytes",
            "a_longer_word_than_sixteen_bites", "sixteen_bytes_ab", "seventeen_bytes_x",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec![
            "10.0.0.10", "0.10.0.", "10.0.", ".0.0", "255.256", "10.0.0.0:0", "1.0.0",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec![
            "\u{ff1a}", "\u{a0}", "\u{2192}", "\u{1f600}", "\u{4e3b}\u{673a}", "\u{ff1a}web\u{ff0c}",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        4 => prop::sample::select(vec![" ", "-", ".", "[", "]", ": ", "\"", "\\", "\0", "*", "\n"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// A span anywhere in the first `len` bytes, sometimes outside.
fn any_span(len: usize) -> impl Strategy<Value = Span> {
    prop_oneof![
        1 => Just(Span::default()),
        6 => (0..=len, 0..=len).prop_map(|(a, b)| Span::new(a.min(b), a.max(b))),
        1 => (any::<u32>(), any::<u32>()).prop_map(|(start, len)| Span { start, len }),
    ]
}

fn any_field(len: usize) -> impl Strategy<Value = Field> {
    (any_span(len), any_span(len), any_span(len)).prop_map(|(group, name, value)| Field {
        group,
        name,
        value,
    })
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        4 => (0..50_i64).prop_map(|step| Timestamp::from_seconds(1_795_286_847 + step)),
        2 => (0..1_000_000_i64).prop_map(|n| Timestamp::from_nanos(1_795_286_847_000_000_000 + n * 1_000)),
        1 => any::<i64>().prop_map(Timestamp::from_nanos),
    ]
}

fn any_peer() -> impl Strategy<Value = Option<IpAddr>> {
    prop_oneof![
        Just(None),
        (0..3_u8).prop_map(|last| Some(IpAddr::from([127, 0, 0, last]))),
        (0..3_u16).prop_map(|last| Some(IpAddr::from([0xfe80, 0, 0, 0, 0, 0, 0, last]))),
    ]
}

/// One message as parsers make them: raw, parts, time of receipt, peer, source.
type Message = (Vec<u8>, RecordParts, Timestamp, Option<IpAddr>, usize);

fn any_message() -> impl Strategy<Value = Message> {
    (any_text(), any_text()).prop_flat_map(|(raw, extra)| {
        let len = raw.len() + extra.len();
        let spans = prop::collection::vec(any_span(len), 6);
        let fields = prop::collection::vec(any_field(len), 0..4);
        let fixed = (
            any_time(),
            any_time(),
            0..192_u8,
            any_peer(),
            0..3_usize,
            0..1_u64 << 18,
        );
        (spans, fields, fixed).prop_map(move |(spans, fields, fixed)| {
            let (received, time, priority, peer, source, tags) = fixed;
            let parts = RecordParts {
                time,
                priority: Priority::from_number(priority).expect("below 192"),
                host: spans[0],
                program: spans[1],
                pid: spans[2],
                msgid: spans[3],
                structured_data: spans[4],
                message: spans[5],
                tags,
                fields,
                extra: extra.clone(),
            };
            (raw.clone(), parts, received, peer, source)
        })
    })
}

/// A batch of up to `records` records whose times of receipt do not go back.
pub(crate) fn any_batch(records: usize) -> impl Strategy<Value = RecordBatch> {
    prop::collection::vec(any_message(), 0..=records).prop_map(|messages| {
        let mut batch = RecordBatch::new();
        for name in ["custom.One", "two"] {
            batch.tag_bit(name).expect("room");
        }
        for (raw, parts, received, peer, source) in messages {
            let source = batch
                .source_index(["udp", "tcp-2", ""][source])
                .expect("room");
            batch
                .push(&raw, &parts, received, peer, source)
                .expect("room");
        }
        batch.make_received_monotone(Timestamp::MIN);
        batch
    })
}

/// The parts of a record that have words, by namespace.
pub(crate) fn texts<'a>(record: RecordRef<'a>) -> Vec<(Namespace, &'a [u8])> {
    let mut texts = vec![
        (Namespace::Message, record.message()),
        (Namespace::StructuredData, record.structured_data()),
        (Namespace::Host, record.host()),
        (Namespace::Program, record.program()),
        (Namespace::Pid, record.pid()),
        (Namespace::Msgid, record.msgid()),
        (Namespace::Source, record.source().as_bytes()),
    ];
    texts.extend(record.tags().map(|name| (Namespace::Tag, name.as_bytes())));
    texts
}

/// The index by its definition.
pub(crate) fn naive_index(batches: &[RecordBatch]) -> BTreeMap<Vec<u8>, Vec<u32>> {
    let mut index: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
    for (row, record) in (0..).zip(batches.iter().flat_map(RecordBatch::iter)) {
        let mut add = |key: Vec<u8>| {
            let rows = index.entry(key).or_default();
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        };
        for (namespace, text) in texts(record) {
            for word in words(text) {
                add(namespace.key(&fold(word)));
            }
            for address in namespace.addresses().into_iter().flat_map(|own| {
                let found = addresses(text).into_iter();
                found.map(move |found| own.key(AddressKey::from(found).digits()))
            }) {
                add(address);
            }
        }
        add(Namespace::Severity.key(&[record.priority().severity().number()]));
        add(Namespace::Facility.key(&[record.priority().facility().number()]));
    }
    index
}

/// A segment of some batches.
pub(crate) fn build(batches: &[RecordBatch]) -> Built {
    build_with(Builder::new(BuildOptions::default()), batches)
}

/// The same with row metadata pages, but for very small chunks.
pub(crate) fn build_with_heads(batches: &[RecordBatch]) -> Built {
    let builder = Builder::new(BuildOptions::default());
    build_with(builder.with_head_rows(5), batches)
}

fn build_with(mut builder: Builder, batches: &[RecordBatch]) -> Built {
    for batch in batches {
        builder.push(batch).expect("in order");
    }
    builder.finish().expect("small")
}

/// Records with these messages, one received each second.
pub(crate) fn batch_of(source: &str, lines: impl Iterator<Item = String>) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index(source).expect("room");
    for (index, line) in lines.enumerate() {
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

/// Records with long values that are made of the same parts. Never change it,
/// a golden file is made of it.
pub(crate) fn alike(count: usize) -> RecordBatch {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let line = |_| {
        let part = |number: u64| {
            let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
            format!(
                "rule {number} of {mixed:010x} in /etc/rules/{}.conf; ",
                mixed % 997
            )
        };
        let value: String = (0..6).map(|_| part(random(200))).collect();
        format!("denied by \"{value}\" after {}", random(1_000))
    };
    batch_of("udp", (0..count).map(line))
}

/// Numbers below those that are asked for, as good as random. Never change it, golden files are made of it.
fn random_below(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// Records as a network monitor writes them: each connection has an identifier of letters and digits, and two records
/// or three. Never change it, a golden file is made of it.
pub(crate) fn connections(seed: u64, count: usize) -> RecordBatch {
    let mut random = random_below(seed);
    let mut id = String::new();
    let line = |row| {
        if row % 5 % 2 == 0 {
            const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
            let mut digit = || char::from(DIGITS[random(DIGITS.len() as u64) as usize]);
            id = (0..17).map(|_| digit()).collect();
        }
        format!(
            "C{id}\t10.47.{}.{}\t{}\t{}\tcloud_{}",
            random(4),
            random(200),
            random(60_000),
            ["udp", "tcp", "carp"][random(3) as usize],
            random(70),
        )
    };
    batch_of("udp", (0..count).map(line))
}

/// Records as web servers write them: few hosts, addresses and paths, many times each. Never change it,
/// a golden file is made of it.
pub(crate) fn accesses(seed: u64, count: usize) -> RecordBatch {
    let mut random = random_below(seed);
    let line = |_| {
        let agent = [
            "Mozilla/5.0 (X11; Linux)",
            "curl/8.1",
            "GoogleBot/2.1 (\u{c9}t\u{e9})",
        ];
        let status = [200, 200, 200, 304, 404][random(5) as usize];
        let sent = match status {
            304 => "-".to_owned(),
            _ => random(30).pow(3).to_string(),
        };
        format!(
            "10.{}.0.{} cn{}a{} \"GET /p{}/{}.html HTTP/1.1\" {status} {sent} eth{} \"{}\"",
            random(3),
            random(40),
            random(9),
            random(5),
            random(7),
            ["index", "About", "a/b/index"][random(3) as usize],
            random(12),
            agent[random(3) as usize],
        )
    };
    batch_of("udp", (0..count).map(line))
}

/// A segment in memory.
pub(crate) struct InMemory<'a>(pub(crate) &'a [u8], pub(crate) &'a Footer);

impl RewriteInput for InMemory<'_> {
    type Error = std::convert::Infallible;

    fn footer(&self) -> &Footer {
        self.1
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Self::Error> {
        Ok(stored(self.0, entry).to_vec())
    }
}

/// A segment compacted with a level of zstd.
pub(crate) fn compacted(built: &Built, zstd_level: i32) -> Built {
    let input = InMemory(&built.bytes, &built.footer);
    joined(&[input], zstd_level, How::COMPACTED).expect("whole")
}

/// A segment with as many truncated terms as there can be.
pub(crate) fn with_truncated_terms(built: &Built) -> Built {
    let input = InMemory(&built.bytes, &built.footer);
    joined(&[input], 3, How::TRUNCATED).expect("whole")
}

/// Segments merged into one in memory.
pub(crate) fn merge_whole<I: RewriteInput>(
    inputs: &[I],
    zstd_level: i32,
) -> Result<Built, RewriteError<I::Error>> {
    joined(inputs, zstd_level, How::MERGED)
}

/// Segments joined into one in memory.
pub(crate) fn joined<I: RewriteInput>(
    inputs: &[I],
    zstd_level: i32,
    how: How,
) -> Result<Built, RewriteError<I::Error>> {
    let mut built = Vec::new();
    join(inputs, zstd_level, how, &mut in_memory(&mut built))?;
    Ok(built.pop().expect("a segment"))
}

/// What can be saved of a segment, as segments of at most so many rows.
pub(crate) fn salvaged<I: RewriteInput>(
    input: &I,
    rows_max: u32,
) -> Result<(Vec<Built>, Rewritten), RewriteError<I::Error>> {
    let options = RewriteOptions {
        to: Rewrite::Salvaged { rows_max },
        zstd_level: 1,
    };
    rewrite_in_memory(std::slice::from_ref(input), &options)
}

/// All that a segment holds: its footer, its records chunk by chunk, and the rows of every key.
#[derive(Debug, PartialEq)]
pub(crate) struct Contents {
    pub(crate) footer: Footer,
    pub(crate) chunks: Vec<RecordBatch>,
    pub(crate) terms: BTreeMap<Vec<u8>, Vec<u32>>,
}

impl Contents {
    /// What a reader can see of all records.
    pub(crate) fn seen(&self) -> Vec<Seen<'_>> {
        self.chunks.iter().flat_map(seen_all).collect()
    }
}

/// The bytes of a page in a file.
pub(crate) fn stored<'a>(file: &'a [u8], page: &PageEntry) -> &'a [u8] {
    let start = page.offset as usize;
    &file[start..start + page.stored_len as usize]
}

/// The footer of a file.
pub(crate) fn read_footer(file: &[u8]) -> Result<Footer, Corrupt> {
    let tail = file.len().saturating_sub(Trailer::LEN);
    let trailer = Trailer::decode(&file[tail..], file.len() as u64)?;
    Footer::decode(&file[trailer.footer_offset as usize..tail], &trailer)
}

/// Reads all of a file.
pub(crate) fn read(file: &[u8]) -> Result<Contents, Corrupt> {
    let header = Header::decode(&file[..Header::LEN.min(file.len())])?;
    let footer = read_footer(file)?;
    assert_eq!(header.first_number, footer.first_number);
    let trailer = Trailer::decode(&file[file.len() - Trailer::LEN..], file.len() as u64)?;
    assert_eq!(header.version, trailer.version);
    assert_eq!(header.version, FORMAT_VERSION);
    let mut received = Vec::new();
    for (page, first) in footer.received_pages.iter().zip(&footer.received_firsts) {
        received.extend(decode_received_page(page, stored(file, page))?);
        assert_eq!(received[page.first_row as usize], *first);
    }
    let kinds = match &footer.kind_page {
        Some(page) => decode_kind_page(page, stored(file, page))?,
        None => Kinds::new(),
    };
    if let Some(page) = &footer.spare_page {
        check_spare(&Spare::decode(page, stored(file, page))?, &footer, &kinds);
    }
    let mut order = vec![0; footer.rows as usize];
    let mut tally = Tally::default();
    let mut chunks = Vec::new();
    for entry in &footer.chunks {
        let page = &entry.page;
        let rows = &received[page.first_row as usize..][..page.rows as usize];
        let row_kinds = RowKinds::decode(entry, stored(file, &entry.rows))?;
        let row_metadata_page = |number: usize| {
            let page = &entry.heads[number];
            RowMetadataPage::decode(page, stored(file, page)).map(Arc::new)
        };
        row_kinds.check(row_metadata_page)?;
        let all = row_kinds.with_ordinals(0..page.rows, row_metadata_page)?;
        for (row, ordinal) in &all {
            order[(page.first_row + ordinal) as usize] = page.first_row + row;
        }
        tally.push(row_kinds.kinds().iter().copied());
        let directory = stored(file, &entry.directory);
        let chunk = Chunk::decode(entry, directory, row_kinds.kinds(), &kinds)?;
        let mut heads = ChunkHeads::decode(entry, stored(file, page), rows.to_vec())?;
        heads.add_pages(0..page.rows, row_metadata_page)?;
        chunks.push(chunk.records(all, &heads, |index| {
            let page = &entry.columns[index];
            Ok::<_, Corrupt>(Arc::new(ColumnPage::open(page, stored(file, page))?))
        })?);
    }
    if let Some(page) = &footer.tally_page {
        let read = Tally::decode(page, stored(file, page))?;
        assert_eq!(read.len(), tally.len());
        for (chunk, batch) in chunks.iter().enumerate() {
            assert_eq!(read.kinds(chunk), tally.kinds(chunk), "{}", batch.len());
        }
        check_counts(&read, &chunks)?;
    }
    let records: Vec<_> = chunks.iter().flat_map(RecordBatch::iter).collect();
    let terms = read_terms(file, &footer, &tally, (&order, &records))?;
    Ok(Contents {
        footer,
        chunks,
        terms,
    })
}

/// Compares a spare page with what it stands in for.
fn check_spare(spare: &Spare, footer: &Footer, kinds: &Kinds) {
    assert_eq!(spare.footer.chunks, footer.chunks);
    assert_eq!(spare.footer.received_pages, footer.received_pages);
    assert_eq!(spare.footer.received_firsts, footer.received_firsts);
    assert_eq!(spare.kinds.len(), kinds.len());
}

/// Compares the counts of values with those of all records.
fn check_counts(tally: &Tally, chunks: &[RecordBatch]) -> Result<(), Corrupt> {
    let records = || chunks.iter().flat_map(RecordBatch::iter);
    let hosts: Vec<&[u8]> = records().map(|record| record.host()).collect();
    let programs: Vec<&[u8]> = records().map(|record| record.program()).collect();
    for (part, texts) in [(Namespace::Host, hosts), (Namespace::Program, programs)] {
        let mut counts: BTreeMap<&[u8], u32> = BTreeMap::new();
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            *counts.entry(text).or_default() += 1;
        }
        match tally.counts_of(part)? {
            Some(found) => assert_eq!(found, counts.into_iter().collect::<Vec<_>>()),
            None => {
                let bytes: usize = counts.keys().map(|text| text.len() + 10).sum();
                assert!(bytes > PART_COUNTS_BYTES_MAX, "{bytes} bytes");
            }
        }
    }
    assert_eq!(tally.counts_of(Namespace::Pid)?, None);
    Ok(())
}

/// The rows of every key.
fn read_terms(
    file: &[u8],
    footer: &Footer,
    tally: &Tally,
    (order, records): (&[u32], &[RecordRef<'_>]),
) -> Result<BTreeMap<Vec<u8>, Vec<u32>>, Corrupt> {
    let mut postings = Vec::new();
    for page in &footer.posting_pages {
        postings.push(PostingPage::decode(page, stored(file, page))?);
    }
    let (mut terms, mut sets) = (BTreeMap::new(), Vec::new());
    for entry in &footer.lexicon_pages {
        let page = LexiconPage::decode(&entry.page, stored(file, &entry.page))?;
        sets.push(page.bigrams()?);
        let mut found = Vec::new();
        page.scan(b"", &mut |key, term| {
            found.push((key.bytes.to_vec(), key.left_out.is_some(), term));
            true
        })?;
        for (key, is_cut, term) in found {
            let numbers = |listed: &Listed| match listed.posting_page() {
                None => Ok(listed.inline(footer.rows)),
                Some(index) => match postings.get(index as usize) {
                    Some(page) => page.numbers(listed),
                    None => Err(Corrupt::Short { what: "postings" }),
                },
            };
            let mut ordinals = numbers(&term.slots)?;
            for group in numbers(&term.groups)? {
                ordinals.extend(tally.ordinals(group));
            }
            let rows = ordinals.iter().map(|ordinal| order[*ordinal as usize]);
            let mut rows: Vec<u32> = rows.collect();
            rows.sort_unstable();
            // Rows of groups and other rows have none in common, so that counts add.
            assert!(rows.is_sorted_by(|a, b| a < b), "{key:?}");
            assert_eq!(rows.len(), term.rows as usize);
            let found = FoundTerm {
                entry: term,
                is_cut,
            };
            let is_found = |key: &[u8]| page.find(key) == Ok(Some(found));
            let key = match is_cut {
                true => whole_key(&key, &records[rows[0] as usize], &is_found),
                false => key,
            };
            assert!(is_found(&key), "{key:?}");
            terms.insert(key, rows);
        }
    }
    check_bigrams(file, footer, &sets)?;
    Ok(terms)
}

/// Compares what is said of the words of lexicon pages with these sets.
fn check_bigrams(file: &[u8], footer: &Footer, sets: &[Option<BigramSet>]) -> Result<(), Corrupt> {
    let Some(page) = &footer.bigram_page else {
        return Ok(());
    };
    let bigrams = Bigrams::decode(page, stored(file, page))?;
    let told = (0..sets.len()).map(|page| bigrams.set(page).copied());
    assert!(told.eq(sets.iter().copied()));
    Ok(())
}

/// The key of a truncated term: that of the only word of a record which is found by it.
fn whole_key(known: &[u8], record: &RecordRef<'_>, is_found: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let text = match Namespace::Message.key(b"")[0] == known[0] {
        true => record.message(),
        false => record.structured_data(),
    };
    let folded = fold(text);
    let keys = words(&folded).map(|word| [&known[..1], word].concat());
    let keys = keys.filter(|key| key.starts_with(known) && is_found(key));
    let keys: BTreeSet<Vec<u8>> = keys.collect();
    assert_eq!(keys.len(), 1, "{known:?}");
    keys.into_iter().next().unwrap_or_default()
}

/// Records with identifiers of many kinds, most of which are in one record alone. Never change it, a golden file is
/// made of it.
pub(crate) fn identified(seed: u64, count: usize) -> RecordBatch {
    let mut state = seed;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    let mut order = 0;
    let line = |row| {
        let (one, two, three) = (random(), random(), random());
        if row % 4 == 0 {
            order = three;
        }
        match row % 5 {
            0 => format!(
                "request {one:016x}{two:016x} of order {:010X} added",
                order >> 24
            ),
            1 => format!("fault at 0x{:014x} in {two:x}.{three:x}", one >> 8),
            2 => format!("image sha256:{one:016x}{two:016x}{three:016x}{order:016x} is fed"),
            3 => format!("ticket {one} of order {:010X} is closed", order >> 24),
            _ => format!("{row} of {} are done, {:08x}", row + 7, one >> 32),
        }
    };
    batch_of("udp", (0..count).map(line))
}
