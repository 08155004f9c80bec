//! Hosts and programs of some records, where words tell them from others and where not.

use std::collections::BTreeMap;

use model::LogspaceName;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use query::parse;
use segment::Namespace;
use store::Part;

use crate::row_set::RowSet;
use crate::testing::{self, Sample, batch};
use crate::value_marks::ValueMarks;
use crate::{Cancel, Scope, StatsField, stats};

const START: i64 = 1_790_000_000_000_000_000;

/// Each has words that no other has just so.
const APART: [&str; 9] = [
    "web-001.example.com",
    "web-002.example.com",
    "db-001.example.com",
    "001",
    "10.0.0.1",
    "10.0.0.1.2",
    "n\u{c9}e",
    "fe80::1:2",
    "",
];

/// Words do not tell all of these from those above and from each other.
const ALIKE: [&str; 7] = [
    "WEB-001.example.com",
    "web\u{ff1a}001\u{a0}example\u{3002}com",
    "001-web.example.com",
    "10.0.1",
    "n\u{e9}e",
    "--",
    "001.001",
];

fn sample(index: i64, host: &str) -> Sample {
    Sample {
        received: START + index,
        host: host.to_owned(),
        program: if index % 5 == 0 { "cron" } else { host }.to_owned(),
        message: format!("{} {index}", ["even", "odd"][index as usize % 2]).into_bytes(),
        ..Sample::default()
    }
}

fn stored(samples: &[Sample], check: impl FnOnce(Scope)) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 10_000);
    let main = LogspaceName::main();
    store.import(&main, batch(samples)).expect("imported");
    check(Scope::new(vec![store.snapshot(&main).expect("there")]));
}

/// Whether words alone tell the hosts.
fn are_told(hosts: &[&str]) -> bool {
    let hosts = (0..).zip(hosts);
    let samples: Vec<Sample> = hosts.map(|(index, host)| sample(index, host)).collect();
    let mut told = None;
    stored(&samples, |scope| {
        for (_, part) in scope.into_parts() {
            if let Part::Segment(segment) = part {
                let counted = ValueMarks::default().count(&segment, Namespace::Host, &RowSet::All);
                told = Some(counted.expect("the index is sound").is_some());
            }
        }
    });
    told.expect("a segment")
}

#[test]
fn hosts_with_words_of_their_own_are_told_by_them() {
    assert!(are_told(&APART));
    for alike in ALIKE {
        let hosts: Vec<&str> = APART.into_iter().chain([alike]).collect();
        assert!(!are_told(&hosts), "{alike}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn hosts_and_programs_are_counted_as_they_are(
        apart in subsequence(APART.to_vec(), 1..=APART.len()),
        alike in prop_oneof![Just(Vec::new()), subsequence(ALIKE.to_vec(), 1..=2)],
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
        text in select(vec!["even", "odd AND NOT 7", "even OR 3", "NOT program:cron", "nothing"]),
    ) {
        let hosts = [apart, alike].concat();
        let picked = (0..).zip(&picks).map(|(index, pick)| sample(index, pick.get::<&str>(&hosts)));
        let samples: Vec<Sample> = picked.collect();
        let query = parse(text).into_result().expect("valid");
        let matches = |index: usize| match text {
            "even" => index.is_multiple_of(2),
            "odd AND NOT 7" => index % 2 == 1 && index != 7,
            "even OR 3" => index.is_multiple_of(2) || index == 3,
            "NOT program:cron" => !index.is_multiple_of(5),
            _ => false,
        };
        let matching: Vec<&Sample> = (0..).zip(&samples)
            .filter(|(index, _)| matches(*index))
            .map(|(_, sample)| sample)
            .collect();
        stored(&samples, |scope| {
            for by in [StatsField::Host, StatsField::Program] {
                let mut expected = BTreeMap::new();
                for sample in &matching {
                    let value = if by == StatsField::Host { &sample.host } else { &sample.program };
                    if !value.is_empty() {
                        *expected.entry(value.clone()).or_insert(0) += 1;
                    }
                }
                let found = stats(scope.clone(), &query, &by, usize::MAX, &Cancel::new());
                let found = found.values.into_iter().map(|each| (each.value, each.count));
                assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{text} by {by:?}");
            }
        });
    }
}
