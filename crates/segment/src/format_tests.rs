//! The format does not change by accident: the example of FORMAT.md, byte by byte, and two files,
//! written once.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use model::{
    Field, Priority, RecordBatch, RecordNumber, RecordParts, RecordRef, Span, Tag, Timestamp,
};

use crate::testing::{
    accesses, alike, build, connections, naive_index, read, seen_all, with_truncated_terms,
};
use crate::{BuildOptions, Builder, Namespace};

const FORMAT_MD: &str = include_str!("../../../FORMAT.md");
const GOLDEN: &[u8] = include_bytes!("../testdata/golden.segment");
const GOLDEN_COMPACTED: &[u8] = include_bytes!("../testdata/golden-compacted.segment");

/// The three records of the example in FORMAT.md.
fn example() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    let second = 1_795_286_847;
    for (number, raw, nanos) in [
        (11, "<11>a: hot", 500_000_000),
        (11, "<11>a: cold", 500_000_100),
        (14, "<14>a: hot", 1_500_000_000),
    ] {
        let parts = RecordParts {
            time: Timestamp::from_seconds(second + nanos / 1_000_000_000),
            priority: Priority::from_number(number).expect("below 192"),
            program: Span::new(4, 5),
            message: Span::new(7, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(second).plus_nanos(nanos);
        let peer = Some(IpAddr::from([127, 0, 0, 1]));
        batch
            .push(raw.as_bytes(), &parts, received, peer, source)
            .expect("room");
    }
    batch
}

/// The bytes of the example in FORMAT.md: lines of an offset of six hexadecimal digits, the bytes,
/// and what they are behind a semicolon.
fn example_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    let (_, example) = FORMAT_MD.split_once("```hexdump\n").expect("an example");
    let (example, _) = example.split_once("```").expect("an end");
    for line in example.lines() {
        let (line, what) = line.split_once(';').expect("a description");
        assert!(!what.trim().is_empty());
        let mut words = line.split_ascii_whitespace();
        let offset = words.next().expect("an offset");
        assert_eq!(usize::from_str_radix(offset, 16), Ok(bytes.len()), "{line}");
        bytes.extend(words.map(|word| u8::from_str_radix(word, 16).expect("a byte")));
    }
    bytes
}

#[test]
fn the_example_in_the_document_is_what_is_written_and_read() {
    let options = BuildOptions {
        first_number: RecordNumber(42),
        ..BuildOptions::default()
    };
    let mut builder = Builder::new(options).plain();
    builder.push(&example()).expect("in order");
    let built = builder.finish().expect("small");
    let documented = example_bytes();
    for (offset, (a, b)) in built.bytes.iter().zip(&documented).enumerate() {
        assert_eq!(a, b, "byte {offset:#x}");
    }
    assert_eq!(built.bytes.len(), documented.len());
    let contents = read(&documented).expect("valid");
    assert_eq!(contents.seen(), seen_all(&example()));
}

/// The text of a row of the golden file. Never change it.
fn golden_text(row: u32) -> String {
    format!(
        "<165>1 2026-11-21T18:47:27.120+01:00 web-{:02} app{} {row} ID47 \
         [m@1 n=\"{row}\" t=\"a\\\"b\"] \u{c9}RROR word {:08x} caf\u{e9} {}",
        row % 7,
        row % 3,
        row.wrapping_mul(2_654_435_761),
        "x".repeat(row as usize % 50 * 8),
    )
}

/// What a parser makes of it.
fn golden_parts(row: u32, raw: &str, site: u64) -> RecordParts {
    let find = |text: &str| raw.find(text).expect("there");
    let part = |text: &str| Span::new(find(text), find(text) + text.len());
    let behind = |text: &str, len: usize| {
        let start = find(text) + text.len();
        Span::new(start, start + len)
    };
    let digits = row.to_string().len();
    let group = part("m@1");
    let field = |name: &str, value: Span| Field {
        group,
        name: behind(name, 1),
        value,
    };
    RecordParts {
        time: Timestamp::from_nanos(1_795_283_247_120_000_000 + i64::from(row / 9) * 1_000_000),
        priority: Priority::from_number((row * 5 % 192) as u8).expect("below 192"),
        host: behind("+01:00 ", 6),
        program: part(&format!("app{}", row % 3)),
        pid: behind(&format!(" app{} ", row % 3), digits),
        msgid: part("ID47"),
        structured_data: Span::new(find("[m@1"), find("] ") + 1),
        message: Span::new(find("\u{c9}RROR"), raw.len()),
        tags: u64::from(row % 10 == 3) * (site | Tag::InvalidUtf8.bit()),
        fields: vec![
            field("m@1 ", behind(" n=\"", digits)),
            field("\" ", Span::new(raw.len() + 1, raw.len() + 4)),
        ],
        extra: b"\xffa\"b".to_vec(),
    }
}

/// Records of the golden file: all that a record can have. Never change it.
fn golden_records() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let sources = ["udp", "tls-1"].map(|name| batch.source_index(name).expect("room"));
    let site = batch.tag_bit("site.North").expect("room");
    let peers = [
        None,
        Some(IpAddr::from([192, 0, 2, 7])),
        Some(IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1])),
    ];
    for row in 0..1_000_u32 {
        let raw = golden_text(row);
        let parts = golden_parts(row, &raw, site);
        let received = 1_795_283_247_500_000_000 + i64::from(row) * 1_234_567;
        let received = Timestamp::from_nanos(received);
        let (peer, source) = (peers[row as usize % 3], sources[row as usize / 600]);
        batch
            .push(raw.as_bytes(), &parts, received, peer, source)
            .expect("room");
    }
    batch
}

/// Records with all that columns and time stamps can be: so many of each kind that it has columns of
/// its own. Never change it.
fn golden_kinds() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    for row in 0..700_u32 {
        let spread = row.wrapping_mul(2_654_435_761);
        let time = Timestamp::from_nanos(
            1_795_283_250_000_000_000 + i64::from(row) * 250_000_000 + i64::from(spread % 1_000),
        );
        let (head, message) = golden_kind(row, spread, time);
        let raw = format!("<38>{head} web-1 app: {message}");
        let start = 4 + head.len() + 1;
        let parts = RecordParts {
            time,
            priority: Priority::from_number(38).expect("below 192"),
            host: Span::new(start, start + 5),
            program: Span::new(start + 6, start + 9),
            message: Span::new(start + 11, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(1_795_283_400_000_000_000 + i64::from(row));
        batch
            .push(raw.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

/// The time stamp and the message of a row.
fn golden_kind(row: u32, spread: u32, time: Timestamp) -> (String, String) {
    let civil = time.to_civil();
    let clock = format!("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second);
    let day = civil.day;
    match row % 7 {
        0 => (format!("Nov {day:2} {clock}"), "constant text".to_owned()),
        1 => (
            format!("2026-11-{day:02}T{clock}.{:09}Z", civil.nanosecond),
            format!(
                "offset {} of 10.0.{}.7 at {row:05}",
                row as i32 % 50 - 25,
                spread % 251
            ),
        ),
        2 => (
            format!(
                "2026-11-{day:02} {clock}.{:03}",
                civil.nanosecond / 1_000_000
            ),
            format!("id {spread:08x}{:016x}", u64::from(spread) << 27),
        ),
        3 => (
            format!("Nov {day:02} {clock}.{:06}", civil.nanosecond / 1_000),
            format!(
                "user={} left",
                ["anna", "bo", "cleo", "dora-mae"][spread as usize % 4]
            ),
        ),
        4 => (
            format!("2026-11-{day:02}T{clock}+00:00"),
            match spread % 3 {
                0 => "took=-".to_owned(),
                1 => format!("took={}", spread % 10_000),
                _ => format!("took=n/a{}", spread % 100),
            },
        ),
        5 => (
            format!("Nov {day:2} {clock}"),
            format!("key={}", golden_letters(spread)),
        ),
        _ => (
            format!("Nov {day:2} {clock}"),
            format!(
                "path=/{:x}/{}",
                spread >> 7,
                "z".repeat(spread as usize % 9)
            ),
        ),
    }
}

/// Eight letters that are no digits.
fn golden_letters(spread: u32) -> String {
    let letter = |at: u32| char::from(b'g' + (spread >> (4 * at) & 0xf) as u8);
    (0..8).map(letter).collect()
}

/// A record that is like no other: of more fields than a kind has slots. Never change it.
fn golden_whole() -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    let raw: String = (0..300)
        .map(|n| format!("k{n:03}={:03} ", n % 100 * 7))
        .collect();
    let fields = (0..300).map(|n| Field {
        group: Span::default(),
        name: Span::new(9 * n, 9 * n + 4),
        value: Span::new(9 * n + 5, 9 * n + 8),
    });
    let received = Timestamp::from_nanos(1_795_283_500_000_000_000);
    let parts = RecordParts {
        time: received,
        message: Span::new(0, raw.len()),
        fields: fields.collect(),
        ..RecordParts::default()
    };
    batch
        .push(raw.as_bytes(), &parts, received, None, source)
        .expect("room");
    batch
}

/// What the golden file is made of.
fn golden_batches() -> [RecordBatch; 4] {
    [
        accesses(11, 300),
        golden_records(),
        golden_kinds(),
        golden_whole(),
    ]
}

/// What the golden compacted file is made of: truncated terms pay there.
fn golden_compacted_batches() -> [RecordBatch; 2] {
    let (first, mut second) = (connections(17, 1_000), alike(600));
    let last = first.get(first.len() - 1).expect("some").received();
    second.make_received_monotone(last);
    [first, second]
}

/// The golden file, with several pages of heads.
fn golden_segment() -> Vec<u8> {
    let options = BuildOptions {
        first_number: RecordNumber(1_000_000),
        ..BuildOptions::default()
    };
    let mut builder = Builder::new(options).with_head_rows(400);
    for batch in golden_batches() {
        builder.push(&batch).expect("in order");
    }
    builder.finish().expect("small").bytes
}

fn golden_compacted() -> Vec<u8> {
    with_truncated_terms(&build(&golden_compacted_batches())).bytes
}

#[test]
#[ignore = "writes the golden files of a new version, once"]
fn the_golden_files_are_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
    for (name, bytes) in [
        ("golden.segment", golden_segment()),
        ("golden-compacted.segment", golden_compacted()),
    ] {
        std::fs::write(format!("{folder}/{name}"), bytes).expect("writes");
    }
}

#[test]
fn the_golden_file_is_read() {
    let contents = read(GOLDEN).expect("valid");
    assert_eq!(read(&golden_segment()).expect("valid"), contents);
    let batches = golden_batches();
    let expected: Vec<_> = batches.iter().flat_map(seen_all).collect();
    assert_eq!(contents.seen(), expected);
    assert_eq!(contents.terms, naive_index(&batches));
    assert_eq!(contents.footer.first_number, RecordNumber(1_000_000));
    let heads = contents.footer.row_metadata_pages().map(|page| page.rows);
    assert_eq!(heads.collect::<Vec<_>>(), [400, 400, 400, 400, 400, 1]);
    let term = |namespace: Namespace, word: &str| &contents.terms[&namespace.key(word.as_bytes())];
    assert_eq!(term(Namespace::Message, "\u{e9}rror").len(), 1_000);
    assert_eq!(term(Namespace::Message, "constant").len(), 100);
    assert_eq!(term(Namespace::Tag, "north").len(), 100);
    assert_eq!(term(Namespace::Pid, "999"), &[1_299]);
    let [_, records, ..] = &batches;
    let record = records.get(8).expect("a row");
    let field = record.fields().nth(1).expect("a field");
    assert_eq!(field.value, b"a\"b");
}

#[test]
fn addresses_of_the_golden_file_are_terms() {
    let contents = read(GOLDEN).expect("valid");
    let [accesses, ..] = &golden_batches();
    let key_of = |record: RecordRef<'_>| {
        let message = String::from_utf8_lossy(record.message()).into_owned();
        let address: Ipv4Addr = message.split(' ').next()?.parse().ok()?;
        let digits = format!("{:08x}", address.to_bits());
        Some(Namespace::MessageAddress.key(digits.as_bytes()))
    };
    let keys: BTreeSet<_> = accesses.iter().filter_map(key_of).collect();
    // The accesses come first.
    let of_accesses = |rows: &[u32]| rows.first().is_some_and(|row| *row < accesses.len() as u32);
    let own = contents.terms.iter().filter(|(_, rows)| of_accesses(rows));
    let own = own.map(|(key, _)| key.clone());
    assert_eq!(keys, own.filter(|key| key.starts_with(b"a")).collect());
    assert!(keys.len() > 100, "{}", keys.len());
}

#[test]
fn the_golden_compacted_file_is_read() {
    let contents = read(GOLDEN_COMPACTED).expect("valid");
    assert_eq!(read(&golden_compacted()).expect("valid"), contents);
    let batches = golden_compacted_batches();
    let expected: Vec<_> = batches.iter().flat_map(seen_all).collect();
    assert_eq!(contents.seen(), expected);
    assert_eq!(contents.terms, naive_index(&batches));
    assert!(contents.footer.has_truncated_terms);
}
