//! Identifiers of which the lexicon of a compacted segment has the start alone: all are found, and no others.

use model::{LogspaceName, RecordBatch};
use query::{Query, naive};
use store::{Part, Store};

use crate::testing::{self, Sample};
use crate::{Cancel, Order, Scope, SearchOptions, count, histogram, search};

const ROWS: usize = 12_000;

/// As good as random.
fn mixed(row: usize, of: u64) -> u64 {
    (row as u64 + of)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
        .wrapping_mul(of | 1)
}

fn trace(row: usize) -> String {
    format!("{:016x}{:016x}", mixed(row, 7), mixed(row, 11))
}

/// Stands in several rows.
fn order(row: usize) -> String {
    format!("{:012X}", mixed(row / 3, 13) >> 16)
}

fn address(row: usize) -> String {
    format!("0x{:012x}", mixed(row, 17) >> 16)
}

fn digest(row: usize) -> String {
    format!("{}{}", trace(row + ROWS), trace(row + 2 * ROWS))
}

fn message(row: usize) -> String {
    match row % 5 {
        0 => format!("request {} of order {} added", trace(row), order(row)),
        1 => format!(
            "fault at {} of {}, {}.",
            address(row),
            address(row + ROWS),
            row
        ),
        2 => format!("image sha256:{} is fed to {}", digest(row), order(row)),
        3 => format!("ticket {} is closed", mixed(row, 19)),
        _ => format!(
            "request {} has failed on deck x{}",
            trace(row - 4),
            &trace(row)[..9]
        ),
    }
}

fn sample(row: usize) -> Sample {
    Sample {
        received: row as i64,
        message: message(row).into_bytes(),
        structured_data: format!("[span@1 id=\"{:016x}\"]", mixed(row, 23)),
        host: testing::host_of(row),
        program: "shop".to_owned(),
        ..Sample::default()
    }
}

/// Of letters and digits, in both cases.
fn connection(row: usize) -> String {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let digit = |of: u64| char::from(DIGITS[mixed(row, 2 * of + 1) as usize % DIGITS.len()]);
    format!("S{}", (10..27).map(digit).collect::<String>())
}

/// What a network monitor writes.
fn connected(row: usize) -> Sample {
    let (own, first) = (connection(row), connection(row / 24));
    let state = ["open", "closed", "reset"][row % 3];
    let message = format!("{own} is {state}, seen behind {first}");
    Sample {
        message: message.into_bytes(),
        structured_data: String::new(),
        ..sample(row)
    }
}

/// A store of a day in 1970 whose identifiers are cut, and its records.
fn filled(directory: &std::path::Path, sample: impl Fn(usize) -> Sample) -> (Store, RecordBatch) {
    let samples: Vec<Sample> = (0..ROWS).map(sample).collect();
    let store = testing::compacted(directory, &samples, |segment| {
        segment.footer().has_truncated_terms
    });
    (store, testing::batch(&samples))
}

/// An identifier, whole, in part, with wildcards, and with another digit.
fn questions(id: &str) -> Vec<String> {
    let len = id.len();
    let (half, last) = (&id[..len / 2], &id[len - 1..]);
    let other = if last == "0" { "1" } else { "0" };
    vec![
        id.to_owned(),
        id.to_uppercase(),
        format!("{}{other}", &id[..len - 1]),
        format!("{id}{other}"),
        half.to_owned(),
        format!("{half}*"),
        format!("{}*", &id[..3]),
        format!("*{}", &id[len - 3..]),
        format!("*{}*", &id[len - 5..len - 1]),
        format!("{half}?{}", &id[len / 2 + 1..]),
        format!("{}*{last}", &id[..4]),
        format!("?{}*", &id[1..4]),
        format!("\"{id} \""),
        format!("\"of {id}\""),
        format!("message:={id}"),
        format!("/{}/", &id[2..len - 1]),
        format!("NOT {id}"),
        format!("NOT *{}", &id[len - 2..]),
        format!("{half}* AND NOT {id}"),
        format!("request AND {id}"),
        format!("{id} OR closed OR *{}", &id[len - 4..]),
    ]
}

const OTHERS: [&str; 16] = [
    "*ed",
    "*add*",
    "fed*",
    "*ailed",
    "0x*",
    "*0x*",
    "0x????????????",
    "x?*",
    "*x0*",
    "f*",
    "*1",
    "?f*",
    "*a?b*",
    "*",
    "*?",
    "request AND NOT *e",
];

#[test]
fn identifiers_that_are_cut_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path(), sample);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    let rows = [0, ROWS - 15];
    let ids = rows.iter().flat_map(|row| {
        let at = |rest: usize| row / 5 * 5 + rest;
        let span = format!("{:016x}", mixed(*row, 23));
        let ticket = mixed(at(3), 19).to_string();
        [
            trace(at(0)),
            order(at(0)),
            address(at(1)),
            digest(at(2)),
            ticket,
            span,
        ]
    });
    let asked = ids.flat_map(|id| questions(&id));
    for text in asked.chain(OTHERS.map(str::to_owned)) {
        let query = query::parse(&text).into_result().expect("valid");
        check(&scope, &records, &query, &text);
    }
    let left_out = "00112233445566778899aabbccddeeff";
    let query = query::parse(left_out).into_result().expect("valid");
    assert_eq!(count(&scope, &query, &Cancel::new()).count, 0);
}

#[test]
fn identifiers_of_letters_that_are_cut_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path(), connected);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    let rows = [0, 30, ROWS - 1];
    let ids = rows
        .iter()
        .flat_map(|row| [connection(*row), connection(row / 24)]);
    let asked = ids.flat_map(|id| questions(&id));
    let others = [
        "S*",
        "*z9*",
        "*pen",
        "s?s*",
        "*Z",
        "*_z*",
        "*seen*",
        "S????????????????*",
    ];
    for text in asked.chain(others.map(str::to_owned)) {
        let query = query::parse(&text).into_result().expect("valid");
        check(&scope, &records, &query, &text);
    }
    // No row is looked at for what no identifier may have.
    for text in ["closed", "re?et", "beh*", "s_*", "*_z*"] {
        let query = query::parse(text).into_result().expect("valid");
        let counted = count(&scope, &query, &Cancel::new());
        assert_eq!(counted.cost.rows_verified, 0, "{text}");
    }
}

/// The lexicon decides what it can: no row is looked at for a word that no identifier has.
#[test]
fn words_that_no_identifier_has_need_no_look() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, _) = filled(directory.path(), sample);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    let segments = scope
        .parts()
        .filter(|(_, part)| matches!(part, Part::Segment(_)));
    assert_eq!(segments.count(), 1);
    for text in ["*ailed", "*quest*", "re?u*", "closed", "0x*", "zzz*"] {
        let query = query::parse(text).into_result().expect("valid");
        let counted = count(&scope, &query, &Cancel::new());
        assert_eq!(counted.cost.rows_verified, 0, "{text}");
    }
}

fn check(scope: &Scope, records: &RecordBatch, query: &Query, text: &str) {
    let matching = records
        .iter()
        .filter(|record| naive::matches(&query.root, *record));
    let mut expected: Vec<&[u8]> = matching.map(|record| record.message()).collect();
    let cancel = Cancel::new();
    assert_eq!(
        count(scope, query, &cancel).count,
        expected.len() as u64,
        "{text}"
    );
    let bars = histogram(scope, query, 7, &cancel).bars;
    let all: u64 = bars.iter().map(|bar| bar.count).sum();
    assert_eq!(all, expected.len() as u64, "{text}");
    let options = SearchOptions {
        limit: 30,
        order: Order::OldestFirst,
        ..SearchOptions::default()
    };
    let found = search(scope, query, &options, &cancel).rows;
    let found: Vec<_> = found
        .iter()
        .map(|found| found.record().message().to_vec())
        .collect();
    expected.truncate(30);
    assert_eq!(found, expected, "{text}");
}
