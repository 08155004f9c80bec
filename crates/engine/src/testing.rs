//! For the tests: random records in a real store, random queries, and the records listed plainly.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use model::{
    Field, LogspaceName, Priority, RecordBatch, RecordId, RecordNumber, RecordParts, Span, Tag,
    TimeRange, Timestamp,
};
use proptest::prelude::*;
use proptest::sample::select;
use query::{
    Comparison, Delimiters, Expr, Leaf, Network, Number, Pattern, Piece, Query, RegexPattern,
    Target, Test, Tokens, naive,
};
use store::{Options, Part, RealDisk, SegmentHandle, Snapshot, Store, SystemClock};

use crate::{Scope, TimeKind};

/// A record to be stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) received: i64,
    /// When it happened; 5 ns before receipt where there is none.
    pub(crate) time: Option<i64>,
    pub(crate) message: Vec<u8>,
    pub(crate) structured_data: String,
    pub(crate) host: String,
    pub(crate) program: String,
    pub(crate) pid: String,
    pub(crate) msgid: String,
    pub(crate) priority: u8,
    pub(crate) tags: u64,
    pub(crate) source: usize,
    pub(crate) peer: Option<IpAddr>,
    pub(crate) fields: Vec<(String, String, String)>,
    /// What stands between the fields and their parts, where they stand in the structured data.
    pub(crate) glue: Option<&'static str>,
}

const SOURCES: [&str; 3] = ["udp", "tcp-Main", ""];
const WORDS: [&str; 21] = [
    "10.0.0.12:7",
    "from 10.0.0.1.",
    "10.0.0.",
    "error",
    "Error",
    "apple",
    "green-apple",
    "pineapple",
    "web-01.example.com",
    "10.0.0.1",
    "x=5",
    "---",
    "née",
    "\u{4e3b}\u{673a}\u{ff1a}web1\u{ff0c}\u{72b6}\u{6001}\u{ff1a}error",
    "\u{201c}apple\u{201d}\u{a0}fox",
    "10.0.0.1\u{2192}web\u{2014}01",
    "/a?_=7",
    "[err]",
    "a",
    "sshd",
    "fox",
];

/// A day, in nanoseconds. Segments that a test counts are of a day each: the store merges those of one day
/// whenever it gets to it.
pub(crate) const DAY: i64 = 86_400_000_000_000;

/// Values with several words each.
pub(crate) const BROWSERS: [&str; 4] = [
    "Firefox on amber linux of an old desk",
    "Opera on slate beside every window",
    "Lynx on a terminal with few letters",
    "Safari on a phone that rings",
];

/// How long is waited for a compaction before the test fails.
const PATIENCE: Duration = Duration::from_secs(240);

/// The host of a row of [`worded`].
pub(crate) fn host_of(row: usize) -> String {
    let number = row * 7 % 23;
    match row % 3 {
        0 => format!("{number:03}.web.example.com"),
        _ => format!("web-{number:03}.example.com"),
    }
}

/// A store of a day in 1970, in one segment of so many messages.
pub(crate) fn worded(directory: &Path, rows: usize, message: impl Fn(usize) -> String) -> Store {
    let sample = |row: usize| Sample {
        received: row as i64,
        message: message(row).into_bytes(),
        host: host_of(row),
        ..Sample::default()
    };
    let samples: Vec<Sample> = (0..rows).map(sample).collect();
    compacted(directory, &samples, |_| true)
}

/// A store with these records, imported, as one segment that was compacted until `is_done`.
pub(crate) fn compacted(
    directory: &Path,
    samples: &[Sample],
    is_done: impl Fn(&SegmentHandle) -> bool,
) -> Store {
    let options = Options {
        compaction_level: 1,
        ..Options::new(directory)
    };
    let store = Store::open(options, Arc::new(RealDisk), Arc::new(SystemClock)).expect("opens");
    let main = LogspaceName::main();
    store.create_logspace(&main).expect("created");
    store.import(&main, batch(samples)).expect("imported");
    let start = Instant::now();
    loop {
        let snapshot = store.snapshot(&main).expect("there");
        if let [Part::Segment(segment)] = &snapshot.parts[..]
            && is_done(segment)
        {
            return store;
        }
        assert!(start.elapsed() < PATIENCE, "not compacted");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A batch of samples.
pub(crate) fn batch(samples: &[Sample]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    for sample in samples {
        let source = batch.source_index(SOURCES[sample.source]).expect("room");
        let mut raw = Vec::new();
        let (mut fields, mut structured_data) = (Vec::new(), None);
        if let Some(glue) = sample.glue {
            structured_data = Some(put_data(sample, glue, &mut fields, &mut raw));
        }
        let mut put = |text: &[u8]| {
            let start = raw.len();
            raw.extend_from_slice(text);
            raw.push(b' ');
            Span::new(start, start + text.len())
        };
        if structured_data.is_none() {
            let own = sample.fields.iter().map(|(group, name, value)| Field {
                group: put(group.as_bytes()),
                name: put(name.as_bytes()),
                value: put(value.as_bytes()),
            });
            fields.extend(own);
        }
        let parts = RecordParts {
            time: Timestamp::from_nanos(sample.time.unwrap_or(sample.received - 5)),
            priority: Priority::from_number(sample.priority).expect("below 192"),
            fields,
            host: put(sample.host.as_bytes()),
            program: put(sample.program.as_bytes()),
            pid: put(sample.pid.as_bytes()),
            msgid: put(sample.msgid.as_bytes()),
            structured_data: structured_data
                .unwrap_or_else(|| put(sample.structured_data.as_bytes())),
            message: put(&sample.message),
            tags: sample.tags,
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(sample.received);
        batch
            .push(&raw, &parts, received, sample.peer, source)
            .expect("room");
    }
    batch
}

/// Writes structured data with the fields of a sample in it.
fn put_data(sample: &Sample, glue: &str, fields: &mut Vec<Field>, raw: &mut Vec<u8>) -> Span {
    let start = raw.len();
    raw.extend_from_slice(sample.structured_data.as_bytes());
    for (group, name, value) in &sample.fields {
        let mut put = |text: &str| {
            raw.extend_from_slice(glue.as_bytes());
            let start = raw.len();
            raw.extend_from_slice(text.as_bytes());
            Span::new(start, raw.len())
        };
        fields.push(Field {
            group: put(group),
            name: put(name),
            value: put(value),
        });
    }
    let span = Span::new(start, raw.len());
    raw.push(b' ');
    span
}

/// Times that often coincide, over about three days.
fn times() -> impl Strategy<Value = i64> {
    (0_i64..60).prop_map(|step| 1_790_000_000_000_000_000 + step * 4_321_000_000_007)
}

/// Times of senders: mostly those of receipt, some near, some of clocks that are far off.
fn event_times() -> impl Strategy<Value = Option<i64>> {
    let year = 365 * 86_400 * 1_000_000_000;
    let odd = vec![0, i64::MIN, i64::MAX - 1, -year];
    prop_oneof![
        4 => Just(None),
        3 => times().prop_map(Some),
        1 => times().prop_map(move |time| Some(time + year)),
        1 => select(odd).prop_map(Some),
    ]
}

fn messages() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => words(), 2 => formatted()]
}

/// Messages with fields in their text, whole and torn.
fn formatted() -> impl Strategy<Value = Vec<u8>> {
    let name = select(vec!["n", "N", "user", "status", "meta.seq", "src.ip", "x"]);
    let value = select(vec![
        "5",
        "12",
        "apple",
        "",
        "10.0.0.1",
        "green-apple",
        "Error fox",
        "a\\napple",
        "\\u0061pple",
        "n\u{e9}e",
        "root",
        "404",
    ]);
    let format = select(vec![
        "NAME=VALUE",
        "error: NAME=VALUE, x=VALUE",
        "NAME=\"VALUE\" fox",
        "{\"NAME\":\"VALUE\",\"x\":[1,\"VALUE\"]}",
        "@cee: {\"src\":{\"ip\":\"VALUE\"},\"NAME\":VALUE}",
        "a - VALUE [01/Jan/2026:00:00:00 +0000] \"GET /apple?NAME=VALUE HTTP/1.1\" 404 5 NAME=VALUE",
        "CEF:0|apple|VALUE|1|2|error|5|NAME=VALUE x=apple",
        "LEEF:2.0|apple|VALUE|1|2|^|NAME=VALUE^x=apple",
    ]);
    (format, name, value, 0_usize..40).prop_map(|(format, name, value, torn)| {
        let mut message = format
            .replace("NAME", name)
            .replace("VALUE", value)
            .into_bytes();
        if torn < 10 {
            message.truncate(message.len().saturating_sub(torn));
        }
        message
    })
}

fn words() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::collection::vec(select(&WORDS[..]), 0..4);
    (words, any::<bool>(), 0..12_u8).prop_map(|(words, spaced, odd)| {
        let mut message = words.join(if spaced { " " } else { "/" }).into_bytes();
        if odd == 0 {
            message.extend_from_slice(b" \xff\xfe");
        }
        message
    })
}

pub(crate) fn samples() -> impl Strategy<Value = Sample> {
    let texts = (
        messages(),
        select(vec![
            "",
            "",
            "[ex@1 k=\"apple\" n=\"7\"]",
            "[a b=\"---\"]",
            "[m q=\"Error fox\"]",
            "[m ip=\"10.0.0.1\"]",
        ]),
        select(vec!["web-01", "WEB-01", "db", "", "--", "db\u{ff1a}web"]),
        select(vec!["sshd", "cron", ""]),
        select(vec!["1", "22", ""]),
        select(vec!["ID47", ""]),
    );
    let numbers = (
        (times(), event_times()),
        select(vec![0_u8, 13, 34, 35, 191]),
        select(vec![
            0,
            Tag::Empty.bit(),
            Tag::Empty.bit() | Tag::MissingPri.bit(),
        ]),
        0..SOURCES.len(),
        select(vec![
            None,
            Some("10.0.0.1"),
            Some("::ffff:10.9.0.1"),
            Some("fe80::1"),
        ]),
    );
    let field = (
        select(vec!["", "meta"]),
        select(vec!["n", "N", "seq", "Seq"]),
        select(vec!["5", "12", "apple", "Pineapple", "10.0.0.1", ""]),
    );
    let fields = (
        prop::collection::vec(field, 0..3),
        select(vec![None, Some(""), Some("\""), Some("x"), Some("\u{e9}")]),
    );
    (texts, numbers, fields).prop_map(|(texts, numbers, (fields, glue))| {
        let text = |(group, name, value): (&str, &str, &str)| {
            (group.to_owned(), name.to_owned(), value.to_owned())
        };
        Sample {
            received: numbers.0.0,
            time: numbers.0.1,
            message: texts.0,
            structured_data: texts.1.to_owned(),
            host: texts.2.to_owned(),
            program: texts.3.to_owned(),
            pid: texts.4.to_owned(),
            msgid: texts.5.to_owned(),
            priority: numbers.1,
            tags: numbers.2,
            source: numbers.3,
            peer: numbers
                .4
                .map(|address| address.parse().expect("an address")),
            fields: fields.into_iter().map(text).collect(),
            glue,
        }
    })
}

/// What is done to a store.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Append to a logspace.
    Append(usize, Vec<Sample>),
    /// Import into a logspace.
    Import(usize, Vec<Sample>),
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        any::<bool>(),
        0..2_usize,
        prop::collection::vec(samples(), 1..40),
    );
    let step = step.prop_map(|(append, logspace, samples)| {
        if append {
            Step::Append(logspace, samples)
        } else {
            Step::Import(logspace, samples)
        }
    });
    prop::collection::vec(step, 1..8)
}

pub(crate) fn logspaces() -> [LogspaceName; 2] {
    ["main", "App.1"].map(|name| LogspaceName::parse(name).expect("valid"))
}

/// A store whose tails are sealed at so many rows.
pub(crate) fn open(directory: &Path, segment_rows: usize) -> Store {
    let options = Options {
        segment_rows,
        journal_file_bytes: 1024 * 1024,
        ..Options::new(directory)
    };
    let store = Store::open(options, Arc::new(RealDisk), Arc::new(SystemClock)).expect("opens");
    for name in logspaces() {
        store.create_logspace(&name).expect("created");
    }
    store
}

/// A store that nothing is written in, so that its segments stay what they are: opened otherwise, it begins to
/// compact what is of a day that is over at once.
pub(crate) fn open_read_only(directory: &Path) -> Store {
    let options = Options::new(directory);
    Store::open_read_only(options, Arc::new(RealDisk), Arc::new(SystemClock)).expect("opens")
}

pub(crate) fn append(store: &Store, logspace: &LogspaceName, batch: RecordBatch) {
    let (sender, receiver) = mpsc::channel();
    store.append(
        logspace,
        batch,
        store::Durability::Strict,
        Box::new(move |result| sender.send(result).expect("waited for")),
    );
    receiver.recv().expect("called back").expect("durable");
}

pub(crate) fn perform(store: &Store, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Append(logspace, samples) => {
                append(store, &logspaces()[*logspace], batch(samples));
            }
            Step::Import(logspace, samples) => {
                store
                    .import(&logspaces()[*logspace], batch(samples))
                    .expect("imported");
            }
        }
    }
}

pub(crate) fn snapshots(store: &Store) -> Vec<Snapshot> {
    logspaces()
        .iter()
        .map(|name| store.snapshot(name).expect("there"))
        .collect()
}

/// A stored record, listed. The order of the fields is the order of answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listed {
    /// Its time, of the kind that counts.
    pub(crate) at: Timestamp,
    pub(crate) id: RecordId,
    /// A batch of this record alone.
    pub(crate) batch: RecordBatch,
}

/// Every record in scope that matches, oldest first, found by looking at each.
pub(crate) fn list(scope: &Scope, query: &Query) -> Vec<Listed> {
    let mut listed = Vec::new();
    for snapshot in &scope.snapshots {
        for part in &snapshot.parts {
            let mut number = part.first_number().0;
            for batch in batches(part) {
                for record in batch.iter() {
                    let at = scope.time.of(record);
                    if scope.range.contains(at) && naive::matches(&query.root, record) {
                        let mut alone = RecordBatch::new();
                        alone.push_record(record).expect("room");
                        let id = RecordId {
                            logspace: snapshot.logspace.clone(),
                            number: RecordNumber(number),
                        };
                        listed.push(Listed {
                            at,
                            id,
                            batch: alone,
                        });
                    }
                    number += 1;
                }
            }
        }
    }
    listed.sort_by(|one, two| (one.at, &one.id).cmp(&(two.at, &two.id)));
    listed
}

fn batches(part: &Part) -> Vec<RecordBatch> {
    match part {
        Part::Segment(segment) => (0..segment.chunks())
            .map(|index| segment.chunk_records(index).expect("readable"))
            .collect(),
        Part::Tail(chunk) => vec![chunk.batch.clone()],
    }
}

/// A range that often has an end at the time of a record.
pub(crate) fn ranges() -> impl Strategy<Value = TimeRange> {
    let edge = || (times(), -1_i64..=1).prop_map(|(time, off)| Timestamp::from_nanos(time + off));
    prop_oneof![
        1 => Just(TimeRange::ALL),
        2 => (edge(), edge()).prop_map(|(one, two)| TimeRange {
            start: one.min(two),
            end: one.max(two),
        }),
    ]
}

/// Either kind of time.
pub(crate) fn time_kinds() -> impl Strategy<Value = TimeKind> {
    select(vec![TimeKind::Received, TimeKind::Event])
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let literals = vec![
        "error",
        "Error",
        "apple",
        "app",
        "pple",
        "ppl",
        "web",
        "01",
        "web-01",
        ".",
        "née",
        "10",
        "e",
        "fox",
        "rror a",
        "-",
        "sshd",
        "syslog",
        "syslog.empty",
        "10.0.0.1",
        "10.0.0.",
        "2",
        "missing_pri",
        "main",
        "id47",
        "web1",
        "\u{ff1a}",
        "\u{673a}",
        "a?_",
    ];
    let piece = prop_oneof![
        4 => select(literals).prop_map(|text| Piece::Literal(text.as_bytes().to_vec())),
        2 => Just(Piece::AnyRun),
        1 => Just(Piece::AnyOne),
    ];
    prop::collection::vec(piece, 1..4).prop_filter_map("it is empty", Pattern::new)
}

fn numbers() -> impl Strategy<Value = Number> {
    prop_oneof![
        (-1_i64..25).prop_map(Number::Integer),
        Just(Number::Decimal(5.5))
    ]
}

fn tests() -> impl Strategy<Value = Test> {
    let comparison = select(vec![
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Equal,
        Comparison::GreaterOrEqual,
        Comparison::Greater,
    ]);
    let regex = select(vec![
        "app?le",
        "^e",
        "[0-9]+$",
        "(?i)ERROR",
        "apple",
        "^$",
        "err|fox",
        "",
    ]);
    prop_oneof![
        2 => Just(Test::Present),
        8 => patterns().prop_map(|pattern| Test::Term(pattern.folded())),
        2 => patterns().prop_map(Test::Exact),
        2 => (comparison, numbers())
            .prop_map(|(comparison, number)| Test::Compare { comparison, number }),
        1 => (numbers(), numbers()).prop_map(|(low, high)| Test::Between { low, high }),
        1 => regex.prop_map(|text| Test::Regex(RegexPattern::new(text).expect("valid"))),
    ]
}

fn leaves() -> impl Strategy<Value = Expr> {
    let bare = prop_oneof![
        8 => patterns().prop_map(|pattern| Test::Term(pattern.folded())),
        1 => select(vec!["a.*e", "pple", "^$", "Error (fox|a)"])
            .prop_map(|text| Test::Regex(RegexPattern::new(text).expect("valid"))),
    ];
    let target = select(vec![
        Target::Message,
        Target::Host,
        Target::Program,
        Target::Pid,
        Target::Msgid,
        Target::Facility,
        Target::Severity,
        Target::Tag,
        Target::Source,
        Target::Peer,
        Target::Named("n".to_owned()),
        Target::Named("n".to_owned()),
        Target::Named("meta.seq".to_owned()),
        Target::Named("User".to_owned()),
        Target::Named("status".to_owned()),
        Target::Named("src.ip".to_owned()),
        Target::Named("deviceProduct".to_owned()),
    ]);
    let networked = select(vec![
        Target::Peer,
        Target::Host,
        Target::Named("n".to_owned()),
    ]);
    let network = Network::new("10.0.0.0".parse().expect("an address"), 8).expect("short enough");
    prop_oneof![
        8 => bare.prop_map(|test| Leaf { target: Target::Text, test }),
        8 => (target, tests()).prop_map(|(target, test)| Leaf { target, test }),
        1 => networked.prop_map(move |target| Leaf { target, test: Test::Network(network) }),
    ]
    .prop_map(Expr::Leaf)
}

pub(crate) fn queries() -> impl Strategy<Value = Query> {
    let expr = leaves().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::and),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::or),
            inner.prop_map(Expr::negated),
        ]
    });
    let root = prop_oneof![1 => Just(Expr::All), 20 => expr];
    let delimiters = |text| Tokens::Between(Delimiters::parse(text).expect("punctuation"));
    let tokens = prop_oneof![
        4 => Just(Tokens::Words),
        2 => Just(Tokens::Between(Delimiters::SSB)),
        1 => Just(delimiters("_.@")),
    ];
    (root, tokens).prop_map(|(root, tokens)| Query { root }.bounded_by(tokens))
}
