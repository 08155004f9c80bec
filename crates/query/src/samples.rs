//! Records and queries for tests: built by hand, and random ones over an alphabet so small that
//! they meet.

use std::net::IpAddr;

use model::{Field, Priority, RecordBatch, RecordParts, Span, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::ast::{
    Comparison, Expr, Leaf, Network, Number, Pattern, Piece, RegexPattern, Target, Test,
};
use crate::{Delimiters, Query, Tokens};

/// What a record holds; everything else is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) received: Timestamp,
    pub(crate) host: Vec<u8>,
    pub(crate) program: Vec<u8>,
    pub(crate) pid: Vec<u8>,
    pub(crate) msgid: Vec<u8>,
    pub(crate) structured_data: Vec<u8>,
    pub(crate) message: Vec<u8>,
    /// Group, name, value.
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    pub(crate) tags: Vec<String>,
    pub(crate) priority: u8,
    pub(crate) source: String,
    pub(crate) peer: Option<IpAddr>,
}

impl Sample {
    pub(crate) fn message(text: impl Into<Vec<u8>>) -> Self {
        Self {
            message: text.into(),
            ..Self::default()
        }
    }
}

/// The samples as records.
pub(crate) fn batch(samples: &[Sample]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    for sample in samples {
        let mut raw = Vec::new();
        let mut add = |bytes: &[u8]| {
            let start = raw.len();
            raw.extend_from_slice(bytes);
            Span::new(start, raw.len())
        };
        let mut parts = RecordParts {
            priority: Priority::from_number(sample.priority).expect("below 192"),
            host: add(&sample.host),
            program: add(&sample.program),
            pid: add(&sample.pid),
            msgid: add(&sample.msgid),
            structured_data: add(&sample.structured_data),
            message: add(&sample.message),
            ..RecordParts::default()
        };
        for (group, name, value) in &sample.fields {
            parts.fields.push(Field {
                group: add(group),
                name: add(name),
                value: add(value),
            });
        }
        for tag in &sample.tags {
            parts.tags |= batch.tag_bit(tag).expect("room for tags");
        }
        let source = batch
            .source_index(&sample.source)
            .expect("room for sources");
        batch
            .push(&raw, &parts, sample.received, sample.peer, source)
            .expect("room for records");
    }
    batch
}

/// Text over a small alphabet: both cases, word and other bytes, stops, letters whose lower case is
/// ASCII or longer, and bytes that are no UTF-8.
pub(crate) fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        6 => "[abAB1]".prop_map(String::into_bytes),
        3 => r"[._/ \[-]".prop_map(String::into_bytes),
        2 => "[kKéÉİ\u{212a}:*?\"\\\\]".prop_map(String::into_bytes),
        2 => "[\u{ff1a}\u{a0}\u{2192}\u{1f600}\u{fe0f}\u{4e3b}\u{301}]".prop_map(String::into_bytes),
        1 => prop_oneof![Just(vec![0xff]), Just(vec![0xc3]), Just(vec![0xe2, 0x84])],
    ];
    vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// Messages, some of them with fields in their text, whole and torn.
fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let value = || {
        prop_oneof![
            3 => any_text(),
            2 => select(vec!["7", "-2.5", "1e3", "10.0.0.1", "a b", ""]).prop_map(Vec::from),
        ]
    };
    let name = || {
        select(vec![
            "user", "USER", "k 2", "aa", "C", "http", "x@1.user", "host",
        ])
    };
    let format = select(vec![
        "NAME=VALUE",
        "NAME=\"VALUE\"",
        "(NAME=VALUE), aa=7",
        "{\"NAME\":\"VALUE\"}",
        "@cee: {\"x@1\":{\"NAME\":VALUE}, \"aa\":[7, \"VALUE\"]}",
        "CEF:0|a|b|1|2|n|5|NAME=VALUE aa=b",
        "LEEF:1.0|a|b|1|2|NAME=VALUE\taa=b",
        "a - VALUE [01/Jan/2026:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 7 NAME=VALUE",
    ]);
    let formatted =
        (format, name(), value(), 0_usize..64).prop_map(|(format, name, value, torn)| {
            let mut message = Vec::new();
            for (place, part) in format.replace("NAME", name).split("VALUE").enumerate() {
                if place > 0 {
                    message.extend_from_slice(&value);
                }
                message.extend_from_slice(part.as_bytes());
            }
            if torn < 16 {
                message.truncate(message.len().saturating_sub(torn));
            }
            message
        });
    prop_oneof![2 => any_text(), 1 => formatted]
}

pub(crate) fn any_sample() -> impl Strategy<Value = Sample> {
    let name = prop_oneof![Just(b"user".to_vec()), Just(b"k 2".to_vec())];
    let group = prop_oneof![Just(Vec::new()), Just(b"x@1".to_vec())];
    let number = prop_oneof![Just("7"), Just("-2.5"), Just("1e3"), Just("")];
    let address = any_address().prop_map(|address| address.to_string().into_bytes());
    let value = prop_oneof![
        3 => any_text(),
        3 => number.prop_map(|text| text.into()),
        1 => address
    ];
    let texts = (
        any_text(),
        any_text(),
        any_text(),
        any_text(),
        any_message(),
    );
    let rest = (
        vec((group, name, value.clone()), 0..3),
        vec("[ab]\\.?[abA]", 0..3),
        0_u8..192,
        "(|udp|tcp-a)",
        prop_oneof![Just(None), any_address().prop_map(Some)],
        value,
    );
    (texts, rest).prop_map(
        |(texts, (fields, tags, priority, source, peer, pid))| Sample {
            received: Timestamp::default(),
            host: texts.0,
            program: texts.1,
            pid,
            msgid: texts.2,
            structured_data: texts.3,
            message: texts.4,
            fields,
            tags,
            priority,
            source,
            peer,
        },
    )
}

fn any_address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        (0_u32..4).prop_map(|low| IpAddr::V4((0x0a00_0000 | low).into())),
        (0_u128..4).prop_map(|low| IpAddr::V6((0xfe80 << 112 | low).into())),
        (0_u128..4).prop_map(|low| IpAddr::V6((0xffff_0a00_0000 | low).into())),
    ]
}

/// Literals of words: no white space.
fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[abAB1k._/é-]{1,3}",
        1 => r#"[a*?\\"\(\)\[\]=<>:|/]{1,3}"#,
        1 => "(and|Or|NOT|//a|:a|\\[a b|İ|K|É)".prop_map(|text| text.replace(' ', "")),
    ]
}

fn any_phrase() -> impl Strategy<Value = String> {
    prop_oneof![
        any_word(),
        (any_word(), "[ \t]", any_word()).prop_map(|(one, space, two)| one + &space + &two),
    ]
}

fn any_pieces(literal: impl Strategy<Value = String> + 'static) -> BoxedStrategy<Vec<Piece>> {
    let piece = prop_oneof![
        3 => literal.prop_map(|text| Piece::Literal(text.into_bytes())),
        2 => Just(Piece::AnyRun),
        1 => Just(Piece::AnyOne),
    ];
    vec(piece, 1..5).boxed()
}

fn pattern(pieces: impl Strategy<Value = Vec<Piece>> + 'static) -> BoxedStrategy<Pattern> {
    pieces
        .prop_filter_map("`*` alone is no pattern", |pieces| {
            Pattern::new(pieces).filter(|pattern| pattern.pieces() != [Piece::AnyRun])
        })
        .boxed()
}

/// Patterns that a term can have: with wildcards, or with white space, not with both.
pub(crate) fn any_term() -> impl Strategy<Value = Test> {
    let literal = any_phrase().prop_map(|text| vec![Piece::Literal(text.into_bytes())]);
    prop_oneof![pattern(any_pieces(any_word())), pattern(literal)]
        .prop_map(|pattern| Test::Term(pattern.folded()))
}

pub(crate) fn any_exact() -> impl Strategy<Value = Test> {
    pattern(any_pieces(any_phrase())).prop_map(Test::Exact)
}

/// Terms and phrases in any tokens.
pub(crate) fn any_bounded() -> impl Strategy<Value = Test> {
    (prop_oneof![any_term(), any_exact()], any_tokens()).prop_map(|(test, tokens)| {
        let target = Target::Message;
        let root = Expr::Leaf(Leaf { target, test });
        match (Query { root }).bounded_by(tokens).root {
            Expr::Leaf(leaf) => leaf.test,
            other => unreachable!("{other:?} is no leaf"),
        }
    })
}

pub(crate) fn any_tokens() -> impl Strategy<Value = Tokens> {
    let delimiters = |text| Tokens::Between(Delimiters::parse(text).expect("punctuation"));
    prop_oneof![
        2 => Just(Tokens::Words),
        2 => Just(Tokens::Between(Delimiters::SSB)),
        1 => Just(delimiters("")),
        1 => Just(delimiters("_.-")),
        1 => Just(delimiters("/:[")),
    ]
}

fn any_regex() -> impl Strategy<Value = Test> {
    prop_oneof![
        Just("a.b"),
        Just("^b/a|a//"),
        Just("(?i)k"),
        Just(" a+ $"),
        Just("[^/]é")
    ]
    .prop_map(|text| Test::Regex(RegexPattern::new(text).expect("it is valid")))
}

fn any_number() -> impl Strategy<Value = Number> {
    prop_oneof![
        (-3_i64..9).prop_map(Number::Integer),
        any::<i64>().prop_map(Number::Integer),
        prop::num::f64::NORMAL.prop_map(Number::Decimal),
        Just(Number::Decimal(-2.5)),
        Just(Number::Decimal(1e3)),
    ]
}

fn any_comparison() -> impl Strategy<Value = Comparison> {
    prop_oneof![
        Just(Comparison::Less),
        Just(Comparison::LessOrEqual),
        Just(Comparison::GreaterOrEqual),
        Just(Comparison::Greater),
    ]
}

fn any_numeric_test() -> impl Strategy<Value = Test> {
    let compare = (any_comparison(), any_number())
        .prop_map(|(comparison, number)| Test::Compare { comparison, number });
    let between = (any_number(), any_number()).prop_map(|(one, two)| {
        let (low, high) = if one.compare(two).is_gt() {
            (two, one)
        } else {
            (one, two)
        };
        Test::Between { low, high }
    });
    prop_oneof![compare, between]
}

fn any_code_test() -> impl Strategy<Value = Test> {
    let number = || (0_i64..8).prop_map(Number::Integer);
    let comparison = prop_oneof![any_comparison(), Just(Comparison::Equal)];
    let compare = (comparison, number())
        .prop_map(|(comparison, number)| Test::Compare { comparison, number });
    let between = (number(), number())
        .prop_filter("in order", |(low, high)| low.compare(*high).is_le())
        .prop_map(|(low, high)| Test::Between { low, high });
    let wild = prop_oneof![Just("a*"), Just("*r*"), Just("????")].prop_map(|text| {
        let query = crate::parse(text).into_result().expect("it is valid");
        match query.root {
            Expr::Leaf(leaf) => leaf.test,
            other => unreachable!("{other:?} is no leaf"),
        }
    });
    prop_oneof![compare, between, wild, Just(Test::Present), any_regex()]
}

fn any_network() -> impl Strategy<Value = Test> {
    (any_address(), 0_u8..=32)
        .prop_map(|(address, len)| Network::new(address.to_canonical(), len))
        .prop_map(|network| Test::Network(network.expect("32 fits both")))
}

fn any_peer_test() -> impl Strategy<Value = Test> {
    let pieces = any_pieces("(10|0|f|\\.|::|0\\.[0-3])");
    let term = pattern(pieces).prop_filter_map("an address is a network", |pattern| {
        let is_address = match pattern.pieces() {
            [Piece::Literal(bytes)] => {
                std::str::from_utf8(bytes).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
            }
            _ => false,
        };
        (!is_address).then(|| Test::Term(pattern.folded()))
    });
    prop_oneof![any_network(), term, Just(Test::Present), any_regex()]
}

/// Leaves that a text can give.
pub(crate) fn any_leaf() -> impl Strategy<Value = Leaf> {
    let name = r#"(user|USER|x@1.user|\.sdata\.x@1\.user|k 2|host|nvpair|aa|C|http|q"*)"#;
    let text_target = prop_oneof![
        Just(Target::Message),
        Just(Target::Host),
        Just(Target::Program),
        Just(Target::Pid),
        Just(Target::Msgid),
        Just(Target::Tag),
        Just(Target::Source),
        name.prop_map(Target::Named),
    ];
    let text_test = || {
        prop_oneof![
            4 => any_term(),
            2 => any_exact(),
            1 => Just(Test::Present),
            1 => any_regex(),
            1 => any_numeric_test(),
        ]
    };
    let bare = prop_oneof![4 => any_term(), 1 => any_regex()];
    let quoted = Pattern::new([Piece::Literal(b"10.0.0.0/8".to_vec())]).expect("not empty");
    let networks = prop_oneof![4 => any_network(), 1 => Just(Test::Term(quoted))];
    prop_oneof![
        3 => (Just(Target::Text), bare),
        4 => (text_target, text_test()),
        1 => (Just(Target::Severity), any_code_test()),
        1 => (Just(Target::Facility), any_code_test()),
        1 => (Just(Target::Peer), any_peer_test()),
        1 => (prop_oneof![Just(Target::Host), name.prop_map(Target::Named)], networks),
    ]
    .prop_map(|(target, test)| Leaf { target, test })
}

/// Trees that a text can give.
pub(crate) fn any_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        20 => any_leaf().prop_map(Expr::Leaf),
        1 => Just(Expr::All),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(Expr::and),
            vec(inner.clone(), 1..4).prop_map(Expr::or),
            inner.prop_map(Expr::negated),
        ]
    })
}
