//! Patterns of messages: of a kind of records whose messages have one, and of kinds whose slots have words.

use std::collections::BTreeMap;

use model::{LogspaceName, TimeRange, Timestamp};
use query::{Question, Value, parse_question};
use segment::Patterns;
use store::Part;

use crate::question::kind_patterns::{KindPatterns, Told};
use crate::testing;
use crate::{Cancel, Scope, tabulate};

const ROWS: usize = 24_000;
const BARS: usize = 5;

fn message(row: usize) -> String {
    let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) as usize >> 32;
    let word = ["opened", "closed", "2nd", "re.opened"][mixed % 4];
    match row % 8 {
        0 => format!("took {} ms for \"GET /{} \"", mixed % 900, mixed % 7),
        1 => format!("10.0.0.{}:{} said \"it's {word}\"", mixed % 99, mixed % 77),
        2 => format!("user={word} id={mixed:x} code: {}", mixed % 3),
        3 => format!("[{:02}/Nov:{:02}:00] \"\" {word}", mixed % 28, mixed % 24),
        4 if mixed % 500 < 3 => format!("rare {word} door of {word}"),
        4 => format!("door {} is {word}", mixed % 5),
        5 if mixed.is_multiple_of(3) => {
            format!("{} met {} today", rare(mixed / 8), rare(mixed / 512))
        }
        5 => format!("session of {} for {}", mixed % 40, rare(mixed / 64)),
        6 => "nothing varies here".to_owned(),
        _ => format!(
            "0.{}.{}. and \"{}\": {word}",
            mixed % 9,
            mixed % 8,
            mixed % 3
        ),
    }
}

/// A word that few messages have, so that it is in a slot of theirs; some vary by themselves.
fn rare(number: usize) -> String {
    let letter = |number: usize| char::from(b'g' + (number % 20) as u8);
    match number % 7 {
        0 => format!("'{}' of it", letter(number / 7)),
        1 => number.to_string(),
        _ => [letter(number / 7), letter(number / 140)]
            .into_iter()
            .collect(),
    }
}

/// Of each pattern its count, its first row and its bars, of the rows that have a word and are in a range.
fn expected(word: Option<&str>, range: (usize, usize)) -> BTreeMap<String, (u64, usize, Vec<u64>)> {
    let mut patterns = Patterns::default();
    let mut found = BTreeMap::new();
    let (start, end) = range;
    let edges: Vec<usize> = (0..=BARS)
        .map(|bar| start + (end - start) * bar / BARS)
        .collect();
    for row in start..end.min(ROWS) {
        let message = message(row);
        let mut words = message.split(|byte: char| !byte.is_alphanumeric());
        if word.is_some_and(|word| !words.any(|own| own == word)) {
            continue;
        }
        let pattern = String::from_utf8_lossy(patterns.of(message.as_bytes())).into_owned();
        let known = found.entry(pattern).or_insert((0, row, vec![0; BARS]));
        known.0 += 1;
        known.2[edges.partition_point(|edge| *edge <= row) - 1] += 1;
    }
    found
}

fn question(text: &str) -> Question {
    let parsed = parse_question(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.question
}

/// How many rows are of kinds that tell one pattern, of those where a slot tells it, and of others.
fn told(scope: &Scope) -> [usize; 3] {
    let mut rows = [0; 3];
    for (_, part) in scope.parts() {
        let Part::Segment(segment) = part else {
            continue;
        };
        let (mut kinds, mut ordinal) = (KindPatterns::of(segment), 0);
        while let Some((ordinals, told)) = kinds.at(ordinal) {
            let place = match told {
                Told::One(_) => 0,
                Told::BySlot(_) => 1,
                Told::Open => 2,
            };
            rows[place] += ordinals.len();
            ordinal = ordinals.end;
        }
    }
    rows
}

#[test]
fn patterns_are_those_of_the_messages() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::worded(directory.path(), ROWS, message);
    let mut scope = Scope::new(vec![store.snapshot(&LogspaceName::main()).expect("there")]);
    let [one, by_slot, open] = told(&scope);
    assert_eq!(one + by_slot + open, ROWS);
    assert!(
        one > ROWS / 2 && by_slot > 1_000 && open > 100,
        "{one}, {by_slot}, {open}"
    );
    for (word, range) in [
        (None, (0, ROWS)),
        (Some("opened"), (0, ROWS)),
        (None, (7_000, 19_000)),
        (Some("door"), (3, ROWS + 5_000)),
    ] {
        scope.range = TimeRange {
            start: Timestamp::from_nanos(range.0 as i64),
            end: Timestamp::from_nanos(range.1 as i64),
        };
        let expected = expected(word, range);
        let text = format!("{} | patterns 2000 bars {BARS}", word.unwrap_or("*"));
        // The second time it is remembered which kinds have one pattern.
        for _ in 0..2 {
            let found = tabulate(&scope, &question(&text), 2_000, &Cancel::new());
            assert!(found.completeness.is_complete(), "{text}");
            assert_eq!(
                found.matched,
                Some(expected.values().map(|own| own.0).sum())
            );
            let rows = found.table.rows.iter().map(|row| {
                let Value::Text(pattern) = &row[0] else {
                    panic!("{row:?}")
                };
                (pattern.clone(), row[1..].to_vec())
            });
            let rows: BTreeMap<_, _> = rows.collect();
            assert_eq!(rows.len(), expected.len(), "{text}");
            for (pattern, (count, first, bars)) in &expected {
                let cells = vec![
                    Value::of_count(*count),
                    Value::Time(Timestamp::from_nanos(*first as i64)),
                    Value::of_text(message(*first).as_bytes()),
                    Value::of_counts(bars),
                ];
                assert_eq!(rows.get(pattern), Some(&cells), "{text}: {pattern}");
            }
        }
    }
}
