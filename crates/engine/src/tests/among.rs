//! Words that few rows have beside words that many have.

use model::LogspaceName;
use query::{parse, parse_question};

use super::tables::defined;
use crate::testing::{self, BROWSERS};
use crate::{Cancel, Cost, Scope, count, tabulate};

const ROWS: usize = 36_000;

/// Most rows are of two kinds, whose columns have several parts.
fn message(row: usize) -> String {
    let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> 32;
    let browser = BROWSERS[mixed % BROWSERS.len()];
    let status = [200, 200, 304, 404, 500][mixed / 8 % 5];
    match row {
        35_000 | 35_100 => format!("opal seen by \"{browser}\" as {status}"),
        _ if row.is_multiple_of(3) => {
            format!("a job was started by \"{browser}\" as {}", mixed % 89)
        }
        _ => format!("status={status} path=/{} from \"{browser}\"", mixed % 11),
    }
}

fn opened(directory: &std::path::Path) -> Scope {
    let store = testing::worded(directory, ROWS, message);
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

fn asked(scope: &Scope, text: &str) -> (u64, Cost) {
    let query = parse(text).into_result().expect("valid");
    let found = count(scope, &query, &Cancel::new());
    assert!(found.completeness.is_complete(), "{text}");
    (found.count, found.cost)
}

#[test]
fn conditions_of_few_rows_are_met_by_those_that_meet_them_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = opened(directory.path());
    for text in [
        "opal AND amber",
        "opal AND NOT amber",
        "opal AND (amber OR slate) AND NOT rings",
        "job AND 7 AND NOT firefox",
        "NOT job AND NOT opal AND amber",
        "304 AND \"Opera on slate\"",
        "opal AND \"seen by\"",
        "job AND \"amber linux\" AND 17",
        "status:404 AND amber AND NOT 3",
        "status:>=404 AND path:/7",
        "NOT status:200 AND NOT job",
        "(opal OR status:500) AND host:web-003*",
        "opal AND NOT host:web-003.example.com",
        "host:\"003.web\" AND rings",
        "host:web* AND phone AND NOT host:web-007*",
        "message:opal AND program:*",
    ] {
        let query = parse(text).into_result().expect("valid");
        let expected = testing::list(&scope, &query).len() as u64;
        assert_eq!(asked(&scope, text).0, expected, "{text}");
    }
}

#[test]
fn fields_of_each_bar_are_found_among_its_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    // By the month it is known that a message is an access log.
    let message = |row: usize| {
        let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 40;
        let (month, status) = (["Jan", "Feb", "Mar"][mixed % 3], 200 + mixed / 8 % 5);
        match row % 4 {
            0 => message(row),
            _ => format!(
                "10.0.0.7 - - [07/{month}/2026:10:00:00 +0000] \"GET /{row} HTTP/1.1\" {status} 5"
            ),
        }
    };
    let store = testing::worded(directory.path(), ROWS / 3, message);
    let mut scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    scope.range = scope.stored_range().expect("rows");
    for text in [
        "* | bars 7 by status",
        "NOT job | bars 5 by client",
        "* | sum bytes",
    ] {
        let question = parse_question(text).question;
        let rows = testing::list(&scope, &question.query);
        let expected = defined(&question, &rows, scope.range);
        let found = tabulate(&scope, &question, 1_000, &Cancel::new());
        assert_eq!(found.table, expected, "{text}");
    }
}
