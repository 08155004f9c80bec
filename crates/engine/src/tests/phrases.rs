//! Phrases, and words in one case, where columns tell one of the words: what they tell of the rest need not be
//! looked at.

use model::LogspaceName;
use query::{Expr, Query, naive};
use store::Part;

use crate::among::Among;
use crate::evaluate::evaluate;
use crate::plan::Plan;
use crate::row_set::RowSet;
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

/// Each with what the index and the columns of words tell of it: whether they name rows that match, and whether
/// these are all.
const QUESTIONS: [(&str, bool, bool); 22] = [
    (r#""GET /healthz""#, true, false),
    (r#""/healthz http""#, true, false),
    (r#""HTTP/1.1""#, true, false),
    (r#""healthz\" then""#, false, false),
    (r#""PUT /items/0""#, false, false),
    (r#""put /items""#, true, false),
    (r#""GET /items/x-17""#, false, false),
    (r#""items/12""#, false, false),
    (r#""items/012""#, false, false),
    (r#""items/0012""#, false, false),
    (r#""1.1 is the state""#, false, false),
    (r#""200 \"GET""#, false, false),
    (r#""hall 7""#, false, false),
    (r#""rack-7 slot""#, false, false),
    (r#""rack-07 slot""#, false, false),
    (r#""rack-""#, true, true),
    (r#"message:="GET /healthz""#, true, false),
    (r#""shelf-7 of""#, false, false),
    (r#""node -3""#, true, false),
    (r#""node 3 now""#, true, false),
    (r#""after 007""#, false, false),
    (r#""GET /nowhere""#, false, true),
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
fn phrases_are_found_that_columns_tell() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    for (text, names_some, names_all) in QUESTIONS {
        let query = query::parse(text).into_result().expect("valid");
        check(&scope, &query);
        let bounds = known(&scope, &query);
        let found = bounds.iter().any(|(sure, _)| !sure.is_empty());
        let all = bounds.iter().all(|(_, maybe)| maybe.is_none());
        assert_eq!((found, all), (names_some, names_all), "{text}");
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

/// A column that is the whole text tells of rows that they do not match as well.
#[test]
fn hosts_are_found_that_columns_tell() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    // Each with a word that stands in those hosts and in others.
    for (text, word) in [
        ("host:web-001*", None),
        ("host:web-011.example.com", Some("011")),
        ("host:web-0", None),
        ("host:web-01?.example*", None),
        ("host:\"001.example\"", Some("001")),
        ("host:=web-022.example.com", Some("022")),
        ("host:/^web-00[0-4]/", None),
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
        let Some(word) = word else { continue };
        let with_word = hosts.iter().filter(|host| host.contains(word)).count() as u64;
        for (sure, maybe) in known(&scope, &query) {
            let rows = ROWS as u32;
            let (sure, maybe) = (
                sure.len(rows),
                maybe.map_or(sure.len(rows), |own| own.len(rows)),
            );
            assert!(
                sure > expected / 2 && maybe < (expected + with_word) / 2,
                "{text}"
            );
        }
    }
}

/// What is known of the rows of each segment before any is looked at.
fn known(scope: &Scope, query: &Query) -> Vec<(RowSet, Option<RowSet>)> {
    let plan = Plan::of(&query.root);
    let parts = scope.parts().map(|(_, part)| match part {
        Part::Segment(segment) => {
            let bounds = evaluate(&plan, Among::ALL, segment).bounds;
            (bounds.sure, bounds.maybe)
        }
        Part::Tail(_) => (RowSet::empty(), None),
    });
    parts.collect()
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
