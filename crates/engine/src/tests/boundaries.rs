//! Words beside punctuation, white space and symbols that are not ASCII, and question marks: in a journal, and in
//! a compacted segment where columns tell words.

use model::LogspaceName;

use crate::testing::{self, Sample, list};
use crate::{Cancel, Scope, count};

const ROWS: usize = 20_000;

/// Texts that come again, each with the character that the next would go on behind.
const STATES: [&str; 6] = [
    "\u{4e3b}\u{673a}\u{ff1a}web1\u{ff0c}\u{72b6}\u{6001}\u{ff1a}down",
    "\u{201c}web1\u{201d}\u{a0}is up and well",
    "web1\u{2192}web2 goes on with its link",
    "\u{4e3b}web1 is a word of its own here",
    "/users/28474/notes?_=238427835 of a client",
    "web12\u{2028}and web1\u{301} are other words",
];

fn message(row: usize) -> String {
    let mixed = row.wrapping_mul(2_654_435_761) >> 7;
    let state = STATES[mixed % STATES.len()];
    match row % 4 {
        0 => format!("state \"{state}\" after {row} ms"),
        1 => format!("\u{ff1a}\"{state}\"\u{ff1a} of {}", mixed / 64 % 300),
        2 => format!("a=\u{ab}{}\u{bb}, it {state}", mixed / 64 % 3_000),
        _ => format!(
            "seen \"{state}\" then \"{}\"",
            STATES[mixed / 64 % STATES.len()]
        ),
    }
}

const QUESTIONS: [&str; 14] = [
    "web1",
    "web1*",
    "*eb1",
    "w?b1",
    "down",
    "\"web1\u{ff0c}\"",
    "\"web1\u{201d}\"",
    "\u{4e3b}\u{673a}",
    "\u{4e3b}*",
    "NOT web1",
    "web1 web2",
    "/users/28474/notes?_=238427835",
    "\"notes?_\"",
    "\u{ff1a}web1",
];

#[test]
fn words_end_at_punctuation_of_all_scripts_wherever_they_stand() {
    let directory = tempfile::tempdir().expect("a directory");
    let main = LogspaceName::main();
    let store = testing::worded(&directory.path().join("compacted"), ROWS, message);
    check(&Scope::new(vec![store.snapshot(&main).expect("there")]));
    let store = testing::open(&directory.path().join("open"), 10_000);
    let sample = |row: usize| Sample {
        received: row as i64,
        message: message(row).into_bytes(),
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..200).map(sample).collect();
    testing::append(&store, &main, testing::batch(&samples));
    check(&Scope::new(vec![store.snapshot(&main).expect("there")]));
}

fn check(scope: &Scope) {
    for text in QUESTIONS {
        let query = query::parse(text).into_result().expect("valid");
        let expected = list(scope, &query).len() as u64;
        let counted = count(scope, &query, &Cancel::new());
        assert!(counted.completeness.is_complete(), "{text}");
        assert_eq!((counted.count, expected > 0), (expected, true), "{text}");
    }
}
