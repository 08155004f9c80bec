//! Conditions that the values tell which a compacted segment counts, compared with a look at every record.

use std::sync::Arc;

use model::{LogspaceName, RecordBatch, TimeRange, Timestamp};
use query::{Query, naive};
use store::{Part, SegmentHandle, Snapshot, Store};

use crate::count_by_values::count_told;
use crate::memory::CountedBy;
use crate::rest_bars;
use crate::run::Run;
use crate::testing::{self, Sample};
use crate::{Cancel, Scope, StatsField, count, histogram, stats};

const ROWS: usize = 24_000;

/// As good as random.
fn mixed(row: usize, of: usize) -> usize {
    (row + of)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(23)
        / 7
}

fn request(row: usize) -> String {
    let method = ["GET", "GET", "GET", "POST"][mixed(row, 1) % 4];
    let path = match mixed(row, 2) % 9 {
        0 => format!("/item/{}", mixed(row, 3) % 100_000),
        1 => format!("/session/{:016x}", mixed(row, 4)),
        2 => "/status/GET".to_owned(),
        3..=5 => "/healthz".to_owned(),
        _ => "/index.html".to_owned(),
    };
    // One path is asked for by one method alone.
    let method = if path == "/healthz" { "GET" } else { method };
    format!("{method} {path} HTTP/1.1")
}

/// Requests of which a message has two.
fn relayed(row: usize, of: usize) -> &'static str {
    ["GET /healthz", "POST /healthz", "GET /", "HEAD /"][mixed(row, of) % 4]
}

fn status(row: usize) -> usize {
    [200, 200, 200, 304, 404, 500, 503][mixed(row, 5) % 7]
}

/// Access logs of two shapes, and what shares words and fields with them.
fn message(row: usize) -> String {
    let client = format!("192.0.2.{}", mixed(row, 6) % 200);
    let bytes = mixed(row, 7) % 50_000;
    let clock = format!(
        "{:02}:{:02}:{:02}",
        row / 3_600 % 24,
        row / 60 % 60,
        row % 60
    );
    match mixed(row, 8) % 10 {
        0 => format!("order placed by user{}", mixed(row, 9) % 12),
        // One of these orders looks like a field.
        1 => format!(
            "order {} placed, status={}",
            ["/seven", "/eight", "/nine", "/ten;status=500"][mixed(row, 9) % 4],
            status(row)
        ),
        2 if row < ROWS / 40 => {
            format!("probe of GET /healthz failed {} times", mixed(row, 9) % 70)
        }
        2 => format!(
            "GET /healthz or POST /healthz: {}",
            ["GET", "none"][row % 2]
        ),
        3 => format!(
            "relayed \"{}\" and then \"{}\"",
            relayed(row, 10),
            relayed(row, 11)
        ),
        // One of these users has brackets in the name.
        4 => format!(
            "{client} - {} [21/Nov/2026:{clock} +0000] \"{}\" {} {bytes}",
            ["frank", "eve", "x[3]y", "bob"][mixed(row, 12) % 4],
            request(row),
            status(row)
        ),
        5 => format!(
            "{client} - - [21/Nov/2026:{clock} +0000] \"{}\" {} - \"-\"",
            request(row),
            status(row)
        ),
        _ => format!(
            "{client} - - [21/Nov/2026:{clock} +0000] \"{}\" {} {bytes}",
            request(row),
            status(row)
        ),
    }
}

fn sample(row: usize) -> Sample {
    let has_data = row % 16 == 5;
    Sample {
        received: row as i64,
        message: message(row).into_bytes(),
        fields: match has_data {
            true => vec![
                (
                    "http@1".to_owned(),
                    "request".to_owned(),
                    "GET /healthz".to_owned(),
                ),
                (
                    "http@1".to_owned(),
                    "status".to_owned(),
                    status(row + 1).to_string(),
                ),
            ],
            false => Vec::new(),
        },
        glue: has_data.then_some(" "),
        host: testing::host_of(row),
        program: "shop".to_owned(),
        ..Sample::default()
    }
}

/// A store of a day in 1970 that counts values, and its records.
fn filled(directory: &std::path::Path) -> (Store, RecordBatch) {
    let samples: Vec<Sample> = (0..ROWS).map(sample).collect();
    let store = testing::compacted(directory, &samples, |segment| segment.counts_values());
    (store, testing::batch(&samples))
}

fn parse(text: &str) -> Query {
    query::parse(text).into_result().expect("valid")
}

/// Each question, and of how many records at the most the texts are looked at: of few kinds, or of those that are not told.
const QUESTIONS: [(&str, usize); 37] = [
    ("\"GET /healthz\"", ROWS / 3),
    ("message:\"GET /healthz\"", ROWS / 3),
    ("NOT message:\"GET /healthz\"", ROWS / 3),
    ("message:\"POST /healthz\"", ROWS),
    ("message:\"POST /index.html\"", ROWS),
    ("message:\"healthz HTTP\"", ROWS / 3),
    ("message:\"order placed\"", ROWS / 4),
    ("message:\"placed by\"", 0),
    ("message:\"/status/GET HTTP\"", ROWS / 3),
    ("message:/GET .healthz/", ROWS),
    ("message:\"nowhere GET\"", 0),
    ("message:GET AND message:healthz", 0),
    ("message:healthz AND message:HTTP AND message:GET", 0),
    ("GET AND healthz", 0),
    ("GET AND NOT healthz", 0),
    ("message:GET AND NOT message:healthz", 0),
    ("message:POST AND NOT message:GET AND message:HTTP", 0),
    ("NOT (message:GET AND message:healthz)", 0),
    ("NOT message:GET AND NOT message:relayed", 0),
    ("message:POST OR message:healthz OR message:order", 0),
    ("message:GET AND (message:item OR message:status)", 0),
    ("message:GET AND message:404", 0),
    ("message:\"GET /healthz\" AND NOT message:POST", ROWS / 3),
    ("message:\"order placed\" OR message:probe", ROWS / 4),
    ("message:GET AND message:zebra", 0),
    ("message:GET AND /order/", ROWS),
    ("status:500", ROWS / 4),
    ("status:>=500", ROWS / 4),
    ("NOT status:>=500", ROWS / 4),
    ("status:<0", ROWS / 4),
    ("status:404", ROWS / 4),
    ("method:POST", ROWS / 4),
    ("method:g*", ROWS / 4),
    ("path:\"/healthz\"", ROWS),
    ("bytes:>=49000", ROWS),
    ("bytes:*", ROWS),
    ("client:192.0.2.7", ROWS),
];

#[test]
fn conditions_are_counted_by_values() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path());
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for (text, looked_at) in QUESTIONS {
        let query = parse(text);
        let matches = records
            .iter()
            .map(|record| naive::matches(&query.root, record));
        let expected = matches.filter(|matches| *matches).count() as u64;
        // The second time it is remembered.
        for time in 0..2 {
            let found = count(&scope, &query, &Cancel::new());
            assert!(found.completeness.is_complete(), "{text}");
            assert_eq!(found.count, expected, "{text}");
            let most = if time == 0 { looked_at as u64 } else { 0 };
            let own = found.cost.rows_verified;
            assert!(own <= most, "{text}: {own} looked at");
        }
    }
}

/// The first segment of a store.
fn first_segment(snapshot: &Snapshot) -> &Arc<SegmentHandle> {
    match snapshot.parts.first() {
        Some(Part::Segment(segment)) => segment,
        _ => panic!("no segment"),
    }
}

/// Whatever else would be asked first.
#[test]
fn values_tell_of_conditions_that_are_joined() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path());
    let snapshots = [store.snapshot(&LogspaceName::main()).expect("there")];
    let mut told = 0;
    for (text, _) in QUESTIONS {
        let query = parse(text);
        let matches = records
            .iter()
            .filter(|record| naive::matches(&query.root, *record));
        let cancel = Cancel::new();
        let mut run = Run::new(&snapshots, &query, &cancel);
        if let Some(count) = count_told(&mut run, first_segment(&snapshots[0])) {
            assert_eq!(count, matches.count() as u64, "{text}");
            told += 1;
        }
    }
    assert!(told > QUESTIONS.len() / 2, "{told} told");
}

#[test]
fn bars_of_joined_words_are_counted_beside_the_longest_stretch() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path());
    let snapshots = [store.snapshot(&LogspaceName::main()).expect("there")];
    let part = &snapshots[0].parts[0];
    let segment = first_segment(&snapshots[0]);
    let edges = [0, 3_000, 20_000, ROWS];
    for text in [
        "message:GET AND message:healthz",
        "message:healthz OR message:order",
        "message:GET AND NOT message:healthz",
    ] {
        let query = parse(text);
        let matches = records
            .iter()
            .map(|record| naive::matches(&query.root, record));
        let matches: Vec<bool> = matches.collect();
        let before = |row: usize| matches[..row].iter().filter(|own| **own).count() as u64;
        let cancel = Cancel::new();
        let mut run = Run::new(&snapshots, &query, &cancel);
        run.touch(part);
        let all = count_told(&mut run, segment).expect("told");
        let by = CountedBy::RowsBefore(&[ROWS as u32]);
        run.remember_counts(segment, by, [(&[][..], all)].into_iter());
        let rows = edges.map(|row| row as u32);
        let found = rest_bars::count_before(&mut run, part, &rows);
        assert_eq!(found, Some(edges.map(before).to_vec()), "{text}");
    }
}

/// Of these no column is read and no row looked at, though not every request is counted.
#[test]
fn joined_words_are_told_by_values_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path());
    let snapshots = [store.snapshot(&LogspaceName::main()).expect("there")];
    for text in [
        "message:GET AND message:healthz",
        "message:GET AND NOT message:healthz",
        "message:GET OR message:healthz",
        "NOT (message:POST OR message:healthz)",
        "message:GET AND (message:healthz OR message:index)",
        "message:POST AND message:frank",
    ] {
        let query = parse(&format!("({text}) AND message:0000"));
        let matches = records
            .iter()
            .filter(|record| naive::matches(&query.root, *record));
        let cancel = Cancel::new();
        let mut run = Run::new(&snapshots, &query, &cancel);
        let told = run.told_by_values(first_segment(&snapshots[0]));
        let told = told.expect("told");
        assert_eq!(told.open.len(u32::MAX), 0, "{text}");
        assert_eq!(told.matching, matches.count() as u64, "{text}");
    }
}

/// Compared with a store that counts no values, where nothing is compacted.
#[test]
fn values_of_fields_are_those_of_their_rows() {
    let directories = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let (counted, records) = filled(directories[0].path());
    let plain = testing::open(directories[1].path(), ROWS);
    testing::append(&plain, &LogspaceName::main(), records);
    let parts =
        |store: &Store| Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for name in [
        "status", "method", "path", "protocol", "bytes", "client", "url",
    ] {
        let field = StatsField::parse(name).expect("a name");
        for text in ["*", "healthz", "NOT order"] {
            let [found, expected] = [&counted, &plain].map(|store| {
                let stats = stats(parts(store), &parse(text), &field, 1_000, &Cancel::new());
                assert!(stats.completeness.is_complete(), "{name} of {text}");
                (stats.values, stats.distinct, stats.total)
            });
            assert!(found.1 > 0, "{name}");
            assert_eq!(found, expected, "{name} of {text}");
        }
    }
}

#[test]
fn bars_of_them_are_those_of_their_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, records) = filled(directory.path());
    let mut scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for (text, _) in QUESTIONS {
        let query = parse(text);
        let matches = records
            .iter()
            .map(|record| naive::matches(&query.root, record));
        let matches: Vec<bool> = matches.collect();
        for (start, end, bars) in [
            (0, ROWS, 1),
            (0, ROWS, 3),
            (200, ROWS + 500, 2),
            (4_000, 9_000, 5),
        ] {
            scope.range = TimeRange {
                start: Timestamp::from_nanos(start as i64),
                end: Timestamp::from_nanos(end as i64),
            };
            let found = histogram(&scope, &query, bars, &Cancel::new());
            let edges = (0..=bars).map(|bar| (start + (end - start) * bar / bars).min(ROWS));
            let edges: Vec<usize> = edges.collect();
            let expected = edges.windows(2).map(|edges| {
                let own = matches[edges[0]..edges[1]].iter();
                own.filter(|is_match| **is_match).count() as u64
            });
            let counts = found.bars.iter().map(|bar| bar.count);
            assert!(expected.eq(counts), "{text}, {bars} from {start} to {end}");
        }
    }
}
