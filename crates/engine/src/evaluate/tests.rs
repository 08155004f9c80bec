use std::collections::BTreeSet;

use model::{LogspaceName, RecordRef, words};
use proptest::prelude::*;
use proptest::sample::select;
use query::{Piece, WordPattern, naive};

use super::*;
use crate::cancel::Cancel;
use crate::count_by_index::count_by_index;
use crate::testing;

/// Whether a record has what a plan asks for, by looking at its words.
fn has(plan: &Plan, record: RecordRef<'_>) -> bool {
    match plan {
        Plan::All => true,
        Plan::Nothing => false,
        Plan::And(members) => members.iter().all(|member| has(member, record)),
        Plan::Or(members) => members.iter().any(|member| has(member, record)),
        Plan::Not(inner) => !has(inner, record),
        Plan::Leaf(ask, _) => has_leaf(ask, record),
    }
}

fn has_leaf(ask: &Ask, record: RecordRef<'_>) -> bool {
    match ask {
        Ask::Nothing => is_odd(record),
        Ask::Words(asked) => has_words(asked, record),
        Ask::AnyWords(choice) => choice.iter().any(|asked| has_words(asked, record)),
        Ask::Codes(Namespace::Severity, codes) => {
            codes.contains(&record.priority().severity().number())
        }
        Ask::Codes(_, codes) => codes.contains(&record.priority().facility().number()),
        Ask::Presence(namespace) => !text(*namespace, record).is_empty(),
        Ask::AnyText => [record.message(), record.structured_data()]
            .iter()
            .any(|text| text.iter().any(|byte| !words::is_wildcard_stop(*byte))),
        Ask::Field(ask) => {
            let leaf = any_value(&ask.name);
            is_odd(record) && naive::matches_leaf(&leaf, record)
        }
    }
}

/// The leaf of a field, whatever its value.
fn any_value(name: &str) -> Leaf {
    Leaf {
        target: Target::Named(name.to_owned()),
        test: Test::Present,
    }
}

fn has_words(asked: &Words, record: RecordRef<'_>) -> bool {
    let meets = |text: &[u8], probe: &WordProbe| {
        words::words(text).any(|word| probe.matches(&words::fold(word)))
    };
    let has_words = asked.namespaces.iter().any(|namespace| {
        let mut probes = asked.probes.iter();
        probes.all(|probe| meets(text(*namespace, record), probe))
    });
    has_words && (asked.is_exact || is_odd(record))
}

/// What no index knows.
fn is_odd(record: RecordRef<'_>) -> bool {
    !record.raw().len().is_multiple_of(2)
}

fn text(namespace: Namespace, record: RecordRef<'_>) -> &[u8] {
    match namespace {
        Namespace::Message => record.message(),
        Namespace::StructuredData => record.structured_data(),
        Namespace::Host => record.host(),
        Namespace::Program => record.program(),
        _ => panic!("not asked for here"),
    }
}

fn probes() -> impl Strategy<Value = WordProbe> {
    let bytes = select(vec![
        "error", "apple", "app", "pple", "e", "web", "01", "née", "", "zz",
    ])
    .prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![
        bytes.clone().prop_map(WordProbe::Exact),
        bytes.clone().prop_map(WordProbe::Prefix),
        bytes.clone().prop_map(WordProbe::Suffix),
        bytes.clone().prop_map(WordProbe::Contains),
        (
            bytes.clone(),
            bytes,
            select(vec![Piece::AnyOne, Piece::AnyRun])
        )
            .prop_map(|(one, two, wild)| {
                let pieces = [
                    Piece::Literal(one),
                    wild,
                    Piece::Literal(two),
                    Piece::AnyOne,
                ];
                WordProbe::Pattern(WordPattern::new(pieces))
            },),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    let text: Vec<&'static [Namespace]> = vec![
        &[Namespace::Message, Namespace::StructuredData],
        &[Namespace::Message],
        &[Namespace::Host],
        &[Namespace::Program],
    ];
    let asked = (
        select(text),
        prop::collection::vec(probes(), 1..3),
        any::<bool>(),
    );
    let asked = asked
        .prop_map(|(namespaces, probes, is_exact)| Words {
            namespaces,
            probes,
            is_exact,
        })
        .boxed();
    let present = vec![
        Namespace::Message,
        Namespace::StructuredData,
        Namespace::Host,
    ];
    let codes = (any::<bool>(), prop::collection::btree_set(0..8_u8, 1..4)).prop_map(
        |(severity, codes)| {
            let namespace = if severity {
                Namespace::Severity
            } else {
                Namespace::Facility
            };
            Ask::Codes(namespace, codes.into_iter().collect())
        },
    );
    let leaf = prop_oneof![
        1 => Just(Ask::Nothing),
        1 => Just(Ask::AnyText),
        2 => select(present).prop_map(Ask::Presence),
        2 => codes,
        2 => select(vec!["n", "meta.seq", "SEQ", "status", "src.ip", "deviceProduct"])
            .prop_map(|name| Ask::Field(Box::new(NamedAsk::new(name, &any_value(name))))),
        2 => prop::collection::vec(asked.clone(), 1..3).prop_map(Ask::AnyWords),
        12 => asked.prop_map(Ask::Words),
    ];
    let leaf = prop_oneof![
        1 => Just(Plan::All),
        1 => Just(Plan::Nothing),
        18 => leaf.prop_map(|ask| Plan::Leaf(ask, 0)),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Plan::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Plan::Or),
            inner.prop_map(|inner| Plan::Not(Box::new(inner))),
        ]
    })
}

/// The rows of a segment of one chunk that have the ordinals of a set.
fn rows_of(segment: &SegmentHandle, ordinals: &RowSet) -> BTreeSet<u32> {
    let ordinals = ordinals.first_rows(&(0..segment.rows()), usize::MAX);
    let rows = segment.at_ordinals(0, &ordinals).expect("readable");
    rows.into_iter().map(|(row, _)| row).collect()
}

/// Whether the index can decide it.
fn is_decidable(plan: &Plan) -> bool {
    match plan {
        Plan::Leaf(Ask::Words(words), _) => words.is_exact,
        Plan::Leaf(Ask::AnyWords(choice), _) => choice.iter().all(|words| words.is_exact),
        Plan::Leaf(ask, _) => matches!(ask, Ask::Codes(..)),
        Plan::And(members) | Plan::Or(members) => members.iter().all(is_decidable),
        Plan::Not(inner) => is_decidable(inner),
        Plan::All | Plan::Nothing => true,
    }
}

#[test]
fn every_match_lies_between_the_bounds() {
    let mut config = ProptestConfig::with_cases(24);
    config.max_shrink_iters = 500;
    // So few that they have few pages of words.
    let samples = prop::collection::vec(testing::samples(), 1..64);
    let plans = prop::collection::vec(plans(), 60);
    proptest!(config, |(mut samples in samples, plans in plans)| {
        let directory = tempfile::tempdir().expect("a directory");
        let store = testing::open(directory.path(), 1_000);
        // One day, one segment.
        for sample in &mut samples {
            sample.received = 1_790_000_000_000_000_000;
        }
        store.import(&LogspaceName::main(), testing::batch(&samples)).expect("imported");
        let snapshot = store.snapshot(&LogspaceName::main()).expect("there");
        let [Part::Segment(segment)] = &snapshot.parts[..] else { panic!("one segment") };
        let batch = segment.chunk_records(0).expect("readable");
        let rows = 0..segment.rows();
        prop_assert_eq!(batch.len(), rows.len());
        for plan in plans {
            let bounds = evaluate(&plan, Among::ALL, segment).bounds;
            let expected: BTreeSet<u32> = rows
                .clone()
                .filter(|row| has(&plan, batch.get(*row as usize).expect("there")))
                .collect();
            let (sure, upper) = (rows_of(segment, &bounds.sure), rows_of(segment, bounds.upper()));
            prop_assert!(sure.is_subset(&expected), "{:?}: {:?} {:?}", plan, sure, expected);
            prop_assert!(expected.is_subset(&upper), "{:?}: {:?} {:?}", plan, expected, upper);
            if is_decidable(&plan) {
                prop_assert!(bounds.maybe.is_none());
            }
            if let Some(count) = count_by_index(&plan, &mut [], segment) {
                prop_assert_eq!(count, expected.len() as u64, "{:?}", plan);
            }
        }
    });
}

/// The bounds of a query in a segment of messages, and how many rows that has.
fn bounds_among(messages: &[String], query: &str) -> (Bounds, u32) {
    bounds_until(&Cancel::new(), messages, query)
}

/// The same of a question that can be stopped.
fn bounds_until(cancel: &Cancel, messages: &[String], query: &str) -> (Bounds, u32) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = testing::open(directory.path(), 100_000);
    let sample = |message: &String| testing::Sample {
        received: 1_790_000_000_000_000_000,
        message: message.clone().into_bytes(),
        ..testing::Sample::default()
    };
    let samples: Vec<_> = messages.iter().map(sample).collect();
    let batch = testing::batch(&samples);
    store
        .import(&LogspaceName::main(), batch)
        .expect("imported");
    let snapshot = store.snapshot(&LogspaceName::main()).expect("there");
    let [Part::Segment(segment)] = &snapshot.parts[..] else {
        panic!("one segment")
    };
    let query = query::parse(query).into_result().expect("valid");
    let among = Among::ALL.until(cancel);
    let bounds = evaluate(&Plan::of(&query.root), among, segment).bounds;
    (bounds, segment.rows())
}

#[test]
fn a_question_that_was_stopped_goes_through_no_lexicon() {
    let messages: Vec<String> = (0..300).map(|row| format!("apple{row} of many")).collect();
    let cancel = Cancel::new();
    for query in ["*ppl*", "appl*", "*ppl* many", "NOT *ppl*"] {
        let is_decided = |cancel: &Cancel| bounds_until(cancel, &messages, query).0.maybe.is_none();
        assert!(is_decided(&Cancel::new()), "{query}");
        cancel.cancel();
        assert!(!is_decided(&cancel), "{query}");
    }
    assert!(
        bounds_until(&cancel, &messages, "*ppl* none")
            .0
            .maybe
            .is_none()
    );
}

#[test]
fn few_rows_are_looked_at_where_all_words_would_take_longer() {
    // Identifiers that have all pairs of letters and digits.
    let id = |row: u64| {
        let mixed = u128::from(row).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let digit = |at: u32| {
            let code = (mixed >> (5 * at)) as u32 % 32;
            char::from_digit(code, 32).unwrap_or('0')
        };
        format!("z{}", (0..25).map(digit).collect::<String>())
    };
    let mut messages: Vec<String> = (0..16_000).map(id).collect();
    messages[700] = "rare pineapple".to_owned();
    messages[9_000].push_str(" rare");
    let decided = |query: &str| bounds_among(&messages, query).0.maybe.is_none();
    assert!(decided("rare us?r*"), "a start says where to look");
    assert!(decided("*pple"), "all rows are asked for");
    assert!(decided("rare *xyzpple"), "no page has such a word");
    assert!(!decided("rare *pple"), "two rows, and many pages");
    for message in messages.iter_mut().take(500) {
        message.push_str(" rare");
    }
    let (bounds, rows) = bounds_among(&messages, "rare *pple");
    assert!(bounds.maybe.is_none(), "as many rows as pages");
    assert_eq!(bounds.sure.len(rows), 1);
}

#[test]
fn addresses_are_decided_by_the_index() {
    let message = |row: u32| match row % 5 {
        0 => format!("from 10.30.{}.{} port {row}", row % 3, row % 40),
        1 => format!("net 10.30.{}. is up, not 10.30.{}.256", row % 3, row % 2),
        2 => format!("version 10.30.{} of {row}", row % 40),
        3 => format!(
            "to 172.31.10.30:1 and 16.32.1.{} for {}.17",
            row % 90,
            row % 40
        ),
        _ => format!("10 of 30 of 1 of 17 of {row}"),
    };
    let messages: Vec<String> = (0..600).map(message).collect();
    let has = |text: &str| messages.iter().filter(|own| own.contains(text)).count() as u64;
    for (query, text) in [
        ("10.30.1.10", "10.30.1.10 "),
        ("\"172.31.10.30\"", "172.31.10.30"),
        ("16.32.1.20", "16.32.1.20 "),
        ("16.32.1.*", "16.32.1."),
        ("10.30.1.*", "10.30.1."),
        ("10.30.9.*", "10.30.9."),
    ] {
        let (bounds, rows) = bounds_among(&messages, query);
        assert!(bounds.maybe.is_none(), "{query}");
        assert_eq!(bounds.sure.len(rows), has(text), "{query}");
    }
    assert!(bounds_among(&messages, "10.30.1.1*").0.maybe.is_some());
}
