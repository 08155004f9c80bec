//! Bars of one word, which columns tell: those of a stretch of rows are not read for it.

use model::{LogspaceName, TimeRange, Timestamp};

use crate::testing;
use crate::{Cancel, Scope, count, histogram};

const ROWS: usize = 60_000;

const BROWSERS: [&str; 5] = [
    "Firefox on amber linux of an old desk in the hall",
    "Opera on slate plan beside every window of a house",
    "Lynx on a terminal of birch with only few letters left",
    "Safari on a phone that rings",
    "Chrome on glass of amber with some paint over it",
];

/// Words of two kinds of records, in columns whose values have several of them. One kind has three such
/// columns.
fn message(row: usize) -> String {
    let mixed = row.wrapping_mul(2_654_435_761) >> 7;
    let browser = BROWSERS[mixed % BROWSERS.len()];
    let next = BROWSERS[mixed / 64 % BROWSERS.len()];
    let number = mixed / 4_096 % 300;
    match row % 4 {
        0 => format!("a job was started by \"{browser}\" as {}", mixed % 89),
        _ => format!(
            "GET /{} from \"{browser}\" to \"{next} {number}\"",
            mixed % 11
        ),
    }
}

/// A question, and whether a record matches, given which words it has.
type Asked = (&'static str, fn(&dyn Fn(&str) -> bool) -> bool);

const QUESTIONS: [Asked; 13] = [
    ("amber", |has| has("amber")),
    ("NOT amber", |has| !has("amber")),
    ("birch", |has| has("birch")),
    ("on", |has| has("on")),
    ("GET", |has| has("GET")),
    ("7", |has| has("7")),
    ("NOT 7", |has| !has("7")),
    ("nowhere", |has| has("nowhere")),
    ("NOT nowhere", |has| !has("nowhere")),
    ("birch OR 7 OR nowhere", |has| has("birch") || has("7")),
    ("NOT (slate OR 7)", |has| !has("slate") && !has("7")),
    ("amber 7 NOT job", |has| {
        has("amber") && has("7") && !has("job")
    }),
    ("NOT on NOT 7", |has| !has("on") && !has("7")),
];

#[test]
fn bars_of_words_are_those_of_their_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let messages: Vec<String> = (0..ROWS).map(message).collect();
    for (text, matches) in QUESTIONS {
        let is_match = |message: &String| {
            let words = message.split(' ').map(|own| own.trim_matches(['/', '"']));
            matches(&|word| words.clone().any(|own| own == word))
        };
        let rows: Vec<bool> = messages.iter().map(is_match).collect();
        assert_bars(&store, text, &rows);
    }
}

/// Words of both texts, of which a row may have one in each.
#[test]
fn rows_with_a_word_in_two_texts_are_counted_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = |row: usize| match row % 6 {
        1 | 4 => String::new(),
        _ => format!(
            "[client agent=\"{}\"]",
            BROWSERS[row.wrapping_mul(40_503) / 7 % BROWSERS.len()]
        ),
    };
    let sample = |row: usize| testing::Sample {
        received: row as i64,
        message: message(row).into_bytes(),
        structured_data: data(row),
        ..testing::Sample::default()
    };
    let samples: Vec<testing::Sample> = (0..ROWS).map(sample).collect();
    let store = testing::compacted(directory.path(), &samples, |_| true);
    for (text, word) in [
        ("amber", "amber"),
        ("birch", "birch"),
        ("client", "client"),
        ("NOT amber", "amber"),
    ] {
        let has = |row: usize| (message(row) + &data(row)).contains(word);
        let rows = (0..ROWS).map(|row| has(row) != text.starts_with("NOT"));
        let rows: Vec<bool> = rows.collect();
        let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
        let query = query::parse(text).into_result().expect("valid");
        let counted = count(&scope, &query, &Cancel::new());
        let expected = rows.iter().filter(|is_match| **is_match).count();
        assert_eq!(
            (counted.count, counted.cost.rows_verified),
            (expected as u64, 0),
            "{text}"
        );
        assert_bars(&store, text, &rows);
    }
}

/// Bars of a question are those of the rows that match.
fn assert_bars(store: &store::Store, text: &str, rows: &[bool]) {
    let query = query::parse(text).into_result().expect("valid");
    let mut scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for (start, end) in [
        (0, ROWS),
        (1, 5_000),
        (17_000, 17_900),
        (45_000, ROWS + 9_000),
    ] {
        scope.range = TimeRange {
            start: Timestamp::from_nanos(start as i64),
            end: Timestamp::from_nanos(end as i64),
        };
        for bars in [1, 2, 7, 900] {
            let found = histogram(&scope, &query, bars, &Cancel::new());
            assert!(found.completeness.is_complete(), "{text}");
            let edges = (0..=bars).map(|bar| start + (end - start) * bar / bars);
            let edges: Vec<usize> = edges.map(|edge| edge.min(ROWS)).collect();
            let expected = edges.windows(2).map(|edges| {
                let own = rows[edges[0]..edges[1]].iter();
                own.filter(|is_match| **is_match).count() as u64
            });
            let counts = found.bars.iter().map(|bar| bar.count);
            assert!(expected.eq(counts), "{text}, {bars} from {start} to {end}");
        }
    }
}

/// Hosts, which a segment counts, so that of the longest stretch between two edges no column is read.
#[test]
fn bars_of_hosts_are_those_of_their_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let mut scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    let hosts: Vec<String> = (0..ROWS).map(testing::host_of).collect();
    type Passes = fn(&str) -> bool;
    let questions: [(&str, Passes); 5] = [
        ("host:web-003*", |host| host.starts_with("web-003")),
        ("NOT host:web-003.example.com", |host| {
            host != "web-003.example.com"
        }),
        ("host:\"003.web\"", |host| host.starts_with("003.web")),
        ("host:/00[1-3]/", |host| {
            ["001", "002", "003"].iter().any(|own| host.contains(own))
        }),
        ("host:nowhere-003", |_| false),
    ];
    for (text, passes) in questions {
        let query = query::parse(text).into_result().expect("valid");
        let is_found = |row: &usize| passes(&hosts[*row]);
        let all = (0..ROWS).filter(is_found).count() as u64;
        scope.range = TimeRange {
            start: Timestamp::from_nanos(0),
            end: Timestamp::from_nanos(ROWS as i64),
        };
        let counted = count(&scope, &query, &Cancel::new());
        assert_eq!(
            (counted.count, counted.cost.rows_verified),
            (all, 0),
            "{text}"
        );
        for (edges, bars) in [
            ([0, ROWS], 3),
            ([2_000, ROWS - 500], 2),
            ([40_000, 90_000], 5),
            ([100, 1_000], 2),
        ] {
            let [start, end] = edges;
            scope.range = TimeRange {
                start: Timestamp::from_nanos(start as i64),
                end: Timestamp::from_nanos(end as i64),
            };
            let edges = (0..=bars).map(|bar| start + (end - start) * bar / bars);
            let edges: Vec<usize> = edges.map(|edge| edge.min(ROWS)).collect();
            let expected = edges
                .windows(2)
                .map(|edges| (edges[0]..edges[1]).filter(is_found).count() as u64);
            let expected: Vec<u64> = expected.collect();
            // The second time it is remembered.
            for _ in 0..2 {
                let found = histogram(&scope, &query, bars, &Cancel::new());
                let counts: Vec<u64> = found.bars.iter().map(|bar| bar.count).collect();
                assert_eq!(counts, expected, "{text}, {bars} from {start} to {end}");
            }
        }
    }
}
