//! Phrases, and words in one case.

use model::LogspaceName;
use query::{Expr, Query, naive};

use crate::testing;
use crate::{Cancel, Order, Scope, SearchOptions, count, search};

const ROWS: usize = 20_000;

const REQUESTS: [&str; 6] = [
    "GET /healthz HTTP/1.1",
    "get /healthz HTTP/1.0",
    "POST /healthz/7",
    "GET /items/",
    "PUT /items/00",
    "GET /items/x-",
];

/// Words in quotes, with and without numbers behind them, in two columns of one kind, at the ends of a text, and
/// beside what is fixed.
fn message(row: usize) -> String {
    let mixed = row.wrapping_mul(2_654_435_761) >> 7;
    let request = REQUESTS[mixed % REQUESTS.len()];
    let next = REQUESTS[mixed / 64 % REQUESTS.len()];
    let (number, signed) = (mixed / 4_096 % 300, (mixed / 512 % 19) as i64 - 9);
    match row % 6 {
        0 => format!("{request} is the state of node {signed} now"),
        1 => format!("probe of /healthz failed for \"{request}\" after {number:03} ms"),
        2 => format!("client asked GET \"{request}\" then \"{next}{number}\""),
        3 => format!("moved {signed} items to shelf-{number} of hall 7"),
        4 => format!("laid into \"{}\" of it", place(mixed)),
        _ => format!("\"{request}{number}\" 200 \"{next}\""),
    }
}

/// A place whose number has a zero in front in some of them, so that a code stands for several.
fn place(mixed: usize) -> String {
    let (number, box_number) = (mixed / 4_096 % 10, mixed / 8 % 50_000);
    match mixed % 5 {
        0 | 1 => format!("rack-{number} slot {box_number}"),
        2 => format!("rack-{number:02} slot {box_number}"),
        _ => format!("bin {number}"),
    }
}

const QUESTIONS: [&str; 22] = [
    r#""GET /healthz""#,
    r#""/healthz http""#,
    r#""HTTP/1.1""#,
    r#""healthz\" then""#,
    r#""PUT /items/0""#,
    r#""put /items""#,
    r#""GET /items/x-17""#,
    r#""items/12""#,
    r#""items/012""#,
    r#""items/0012""#,
    r#""1.1 is the state""#,
    r#""200 \"GET""#,
    r#""hall 7""#,
    r#""rack-7 slot""#,
    r#""rack-07 slot""#,
    r#""rack-""#,
    r#"message:="GET /healthz""#,
    r#""shelf-7 of""#,
    r#""node -3""#,
    r#""node 3 now""#,
    r#""after 007""#,
    r#""GET /nowhere""#,
];

/// The longest phrases of some messages, and pieces of them.
fn pieces() -> impl Iterator<Item = String> {
    (0..25).map(|number| {
        let text = message(number * 487).replace('"', "\\\"");
        let start = number * 3 % text.len();
        let start = text[start..].find(' ').map_or(0, |at| start + at + 1);
        let end = (start + 4 + number % 30).min(text.len());
        format!("\"{}\"", text[start..end].trim_end_matches('\\'))
    })
}

#[test]
fn phrases_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for text in QUESTIONS {
        let query = query::parse(text).into_result().expect("valid");
        check(&scope, &query);
    }
    for text in pieces() {
        let query = query::parse(&text).into_result().expect("valid");
        check(&scope, &query);
    }
    // Rows of a word of one alternative match by another.
    for text in [
        "/asked GET|HTTP.* then/",
        "/GET .healthz|PUT .items/",
        "/probe of|laid into/",
    ] {
        let query = query::parse(text).into_result().expect("valid");
        check(&scope, &query);
        let without = query::parse(&format!("NOT {text}"))
            .into_result()
            .expect("valid");
        let counts = [query, without].map(|query| count(&scope, &query, &Cancel::new()).count);
        assert!(
            counts[0] > 0 && counts[0] + counts[1] == ROWS as u64,
            "{text}: {counts:?}"
        );
    }
}

#[test]
fn hosts_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for text in [
        "host:web-001*",
        "host:web-011.example.com",
        "host:web-0",
        "host:web-01?.example*",
        "host:\"001.example\"",
        "host:=web-022.example.com",
        "host:/^web-00[0-4]/",
    ] {
        let query = query::parse(text).into_result().expect("valid");
        let Expr::Leaf(leaf) = &query.root else {
            panic!("{text} is one condition");
        };
        let hosts: Vec<String> = (0..ROWS).map(testing::host_of).collect();
        let is_match = |host: &&String| naive::matches_text(&leaf.test, host.as_bytes());
        let expected = hosts.iter().filter(is_match).count() as u64;
        let counted = count(&scope, &query, &Cancel::new());
        assert_eq!(counted.count, expected, "{text}");
    }
}

/// All records that match are found and no others.
fn check(scope: &Scope, query: &Query) {
    let Expr::Leaf(leaf) = &query.root else {
        panic!("{query:?} is one condition");
    };
    let messages = (0..ROWS).map(message);
    let expected: Vec<String> = messages
        .filter(|message| naive::matches_text(&leaf.test, message.as_bytes()))
        .collect();
    let counted = count(scope, query, &Cancel::new());
    assert_eq!(counted.count, expected.len() as u64, "{query:?}");
    let options = SearchOptions {
        limit: ROWS,
        order: Order::OldestFirst,
        ..SearchOptions::default()
    };
    let found = search(scope, query, &options, &Cancel::new()).rows;
    let found = found.iter().map(|row| row.record().message().to_vec());
    assert!(
        found.eq(expected.into_iter().map(String::into_bytes)),
        "{query:?}"
    );
}
