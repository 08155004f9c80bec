//! Lists of words that columns tell, and of hosts, which are asked about a stretch of rows after the other.

use std::path::Path;

use model::{LogspaceName, RecordId, TimeRange, Timestamp};
use query::parse;

use crate::limits::WALK_ROWS;
use crate::run::Run;
use crate::testing::{self, BROWSERS};
use crate::windows::Windows;
use crate::{Cancel, Order, Scope, SearchOptions, search};

const ROWS: usize = 80_000;

/// One browser is in the oldest rows alone.
fn message(row: usize) -> String {
    let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 32;
    let browser = match BROWSERS[mixed % BROWSERS.len()] {
        "Lynx on a terminal with few letters" if row > 4_000 => BROWSERS[0],
        browser => browser,
    };
    match row % 3 {
        0 => format!("a job was started by \"{browser}\" status={}", mixed % 89),
        _ => format!("GET /{} from \"{browser}\"", mixed % 11),
    }
}

/// The records that match, page by page.
fn paged(scope: &Scope, text: &str, order: Order, limit: usize) -> Vec<RecordId> {
    let query = parse(text).into_result().expect("valid");
    let mut options = SearchOptions {
        limit,
        order,
        ..SearchOptions::default()
    };
    let mut found = Vec::new();
    loop {
        let page = search(scope, &query, &options, &Cancel::new());
        assert!(page.completeness.is_complete(), "{text}");
        found.extend(page.rows.into_iter().map(|row| row.id));
        options.cursor = page.cursor;
        if options.cursor.is_none() {
            return found;
        }
    }
}

fn opened(directory: &Path) -> Scope {
    let store = testing::worded(directory, ROWS, message);
    Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")])
}

#[test]
fn pages_have_all_rows_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut scope = opened(directory.path());
    for range in [0..ROWS, 2_000..ROWS - 30_000] {
        scope.range = TimeRange {
            start: Timestamp::from_nanos(range.start as i64),
            end: Timestamp::from_nanos(range.end as i64),
        };
        for (text, limit) in [
            ("amber", 4_000),
            ("lynx", 50),
            ("lynx AND job", 2_000),
            ("NOT amber AND NOT 7", 3_000),
            ("host:web-003*", 300),
            ("slate AND host:web-003*", 90),
            ("\"amber linux\" OR lynx", 5_000),
            ("terminal AND status:>=40", 400),
            ("nowhere", 10),
        ] {
            let query = parse(text).into_result().expect("valid");
            let all = testing::list(&scope, &query);
            let mut expected: Vec<RecordId> = all.into_iter().map(|own| own.id).collect();
            assert!(!expected.is_empty() || text == "nowhere", "{text}");
            for order in [Order::OldestFirst, Order::NewestFirst] {
                let found = paged(&scope, text, order, limit);
                assert!(found == expected, "{text} {order:?} {range:?}");
                expected.reverse();
            }
        }
    }
}

#[test]
fn as_many_rows_are_asked_about_as_may_have_the_matches_that_are_wanted() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = opened(directory.path());
    let parts: Vec<_> = scope.parts().map(|(_, part)| part).collect();
    let [part] = parts.as_slice() else {
        panic!("one segment")
    };
    let (rows, cancel) = (ROWS as u32, Cancel::new());
    let windows = |text: &str, order: Order, wanted: Option<usize>| {
        let query = parse(text).into_result().expect("valid");
        let mut run = Run::new(&scope.snapshots, &query, &cancel);
        let mut windows = Windows::of(&mut run, part, 0..rows, order, wanted);
        let all = std::iter::from_fn(|| windows.next()).collect::<Vec<_>>();
        (windows.are_apart, all)
    };
    let one = WALK_ROWS;
    let newest = vec![rows - one..rows, 0..rows - one];
    let oldest = vec![0..one, one..rows];
    let whole = (false, std::iter::once(0..rows).collect());
    for text in [
        "slate",
        "host:web-003*",
        "NOT slate",
        "slate AND rings AND GET",
    ] {
        let found = windows(text, Order::NewestFirst, Some(20));
        assert_eq!(found, (true, newest.clone()), "{text}");
        let found = windows(text, Order::OldestFirst, Some(20));
        assert_eq!(found, (true, oldest.clone()), "{text}");
        // All are wanted, or most.
        assert_eq!(windows(text, Order::NewestFirst, None), whole, "{text}");
        assert_eq!(
            windows(text, Order::NewestFirst, Some(9_000)),
            whole,
            "{text}"
        );
    }
    // No row has it, the kinds of records tell it, or it is not known of how many.
    for text in ["nowhere", "job", "*", "sl*", "slate AND status:>7"] {
        assert_eq!(windows(text, Order::NewestFirst, Some(20)), whole, "{text}");
    }
}
