//! Records of a few kinds, many of each, so that questions are answered by kinds and columns.

use model::LogspaceName;
use proptest::prelude::*;
use proptest::sample::select;
use query::naive::pipe::{self, Row};
use query::{Query, parse, parse_question};

use crate::fields::Names;
use crate::limits::STATS_SHARED_BYTES_MAX;
use crate::testing::{self, Sample, list};
use crate::{Cancel, Order, Scope, SearchOptions, count, fields, histogram, search, tabulate};

/// Questions for what is fixed, for what varies, for both across their seam, and for fields.
pub(super) const QUESTIONS: [&str; 56] = [
    "/lamp-[0-9]{2}/",
    "/amp-1[0-9]+ is/",
    "/session (opened|closed)/",
    "/(opened|closed) for user user1/",
    "/^session/",
    "/[0-9]$/",
    "/^$/",
    "/(?i)SESSION.*UID=4/",
    "/er (alpha|beta) from/",
    "\"session opened\"",
    "\"opened for user user7\"",
    "\"user alpha\"",
    "\"from 10.0.1\"",
    "10.0.1.7",
    "\"from 10.0.1.77 port\"",
    "10.0.1.*",
    "NOT 10.0.2.* AND (10.0.1.7 OR 10.0.3.1)",
    "10.0.1.1*",
    "/from 10[.]0[.]1[.]7/",
    "us?r",
    "us?r-7",
    "?lpha",
    "alph?",
    "us?r* AND is",
    "*lph*",
    "message:=\"Session opened\"",
    "n:>=50",
    "n:[10 TO 60]",
    "n:*",
    "meta.n:=7",
    "n:/^[1-3]$/",
    "seq:10.0.0.0/24",
    "seq:10.0.1.7",
    "seq:*",
    "meta.seq:10.0.0.0/16 AND NOT seq:10.0.2.0/24",
    "seq:apple OR n:*apple",
    "seq:* AND NOT n:<30",
    "host:/web-[1-3]$/ AND /uid=[5-9]/",
    "NOT /uid=4/",
    "/uid=/ OR n:>90",
    "peer:10.0.0.0/8 AND /uid=4/",
    "NOT (seq:10.0.0.0/23 AND /port [0-4]/) AND NOT pid:>20",
    "tag:syslog.* OR source:u?p",
    "uid:>=50",
    "uid:* AND NOT uid:7",
    "user:*",
    "user:user1?",
    "status:404",
    "status:>=400",
    "status:<300",
    "bytes:>100 AND NOT bytes:[200 TO 300]",
    "path:/a*",
    "agent:\"X11\" OR client:10.0.1.0/24",
    "rt:<0.5",
    "a.b:*",
    "a.b:alpha OR ok:>5 OR to:*10*",
];

pub(super) fn samples() -> impl Strategy<Value = Sample> {
    let words = select(vec![
        "alpha",
        "beta",
        "Alpha",
        "gamma-7",
        "10.0.0.1",
        "n\u{e9}e",
        "alpha\u{ff0c}",
    ]);
    let numbers = (0..100_u32, 0..300_u32, 0..40_u8);
    (0..8_u8, words, numbers, testing::samples()).prop_map(|(kind, word, numbers, other)| {
        let (small, large, host) = numbers;
        let message = match kind {
            0 => format!("session opened for user user{small} by uid={large}"),
            1 => format!("Failed password for user {word} from 10.0.{host}.{large} port {large}"),
            2 => format!("the usr-{small} or user-{small} lamp-{large} is here"),
            3 => format!("{word}{small}{word}/{large}"),
            4 => format!(
                "10.0.{host}.7{} - {} [01/Jan/2026:00:00:{} +0000] \"GET /a{} HTTP/1.1\" {} {} \"-\" \"{word} (X11; a=b){}\" rt=0.{large}",
                // Words that no access log has, as many or in quotes.
                ["", " a b c", ":80 [x]", " \"a\""][usize::from(host % 8 / 5 * (host % 4))],
                if small < 50 { "-" } else { "root" },
                small % 50 + 10,
                if small % 7 == 0 { "?status=404" } else { "" },
                [200, 404, 503][small as usize % 3],
                if small % 5 == 0 { "-".to_owned() } else { large.to_string() },
                // What makes an event of it, and what is escaped.
                ["", " CEF:0|a|b|1|2|n|5|x=1", " \\\"x", "|"][(small % 4 * u32::from(small % 5 == 1)) as usize],
            ),
            5 => format!(
                "{{\"user\":\"{}\",\"a\":{{\"b\":\"{word}\"}},\"ok\":{},\"status\":404}}",
                if small % 9 == 0 { "a\\\"uid=7" } else { "root" },
                if small % 11 == 0 { "null".to_owned() } else { format!("{host}.5") },
            ),
            6 => format!(
                "E{large}: to=<{word}@x.org>, uid={small}{}, status={} (250 ok {})",
                if small % 13 == 0 { ":" } else { "" },
                if small % 17 == 0 { "a=b" } else { "sent" },
                if small % 19 == 0 { "uid=8".to_owned() } else { large.to_string() },
            ),
            // Of kinds that have few records.
            _ => return other,
        };
        let field = |name: &str, value: String| ("meta".to_owned(), name.to_owned(), value);
        let fields = match kind {
            0 => vec![field("n", small.to_string())],
            1 => vec![
                field("N", format!("{large}.5")),
                field("seq", format!("10.0.{}.{host}", small % 4)),
            ],
            _ => Vec::new(),
        };
        Sample {
            message: message.into_bytes(),
            host: format!("web-{}", host % 5),
            pid: large.to_string(),
            structured_data: String::new(),
            fields,
            glue: [None, Some(""), Some("\""), Some("x")][small as usize % 4],
            ..other
        }
    })
}

/// Tables of fields of the text.
const TABLES: [&str; 11] = [
    "| top status",
    "| top user 3",
    "uid:>5 | top uid",
    "| distinct uid",
    "| top a.b",
    "status:404 | top to",
    "| p95 rt",
    "| sum bytes",
    "NOT user:root | avg uid",
    "| max n",
    "| top referrer",
];

fn check_names(scope: &Scope, query: &Query) -> Result<(), TestCaseError> {
    let mut names = Names::new(STATS_SHARED_BYTES_MAX);
    for listed in list(scope, query) {
        names.add(listed.batch.get(0).expect("one"));
    }
    let found = fields(scope.clone(), query, &Cancel::new());
    prop_assert!(found.completeness.is_complete());
    prop_assert_eq!(found.fields, names.list(), "{:?}", query);
    let remembered = fields(scope.clone(), query, &Cancel::new());
    prop_assert_eq!(remembered.fields, names.list(), "{:?}", query);
    Ok(())
}

fn check_table(scope: &Scope, text: &str) -> Result<(), TestCaseError> {
    let question = parse_question(text).into_result().expect("valid");
    let listed = list(scope, &question.query);
    let rows = listed.iter().map(|row| Row {
        id: row.id.clone(),
        record: row.batch.get(0).expect("one"),
        at: row.at,
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let expected = pipe::answer(&question, &rows, scope.range, <[u8]>::to_vec);
    let found = tabulate(scope, &question, 1_000, &Cancel::new());
    prop_assert!(found.completeness.is_complete());
    prop_assert_eq!(found.matched, Some(rows.len() as u64), "{}", text);
    prop_assert_eq!(found.table, expected, "{}", text);
    Ok(())
}

fn check(scope: &Scope, query: &Query, text: &str) -> Result<(), TestCaseError> {
    let cancel = Cancel::new();
    let expected = list(scope, query);
    let counted = count(scope, query, &cancel);
    prop_assert!(counted.completeness.is_complete());
    prop_assert_eq!(counted.count, expected.len() as u64, "{}", text);

    let ranged = Scope {
        range: scope.stored_range().expect("there are records"),
        ..scope.clone()
    };
    let bars = histogram(&ranged, query, 7, &cancel);
    prop_assert_eq!(bars.total, expected.len() as u64, "{}", text);

    for order in [Order::OldestFirst, Order::NewestFirst] {
        let options = SearchOptions {
            limit: 1_000,
            order,
            ..SearchOptions::default()
        };
        let found = search(scope, query, &options, &cancel);
        let ids: Vec<_> = found.rows.iter().map(|row| row.id.clone()).collect();
        let mut expected: Vec<_> = expected.iter().map(|row| row.id.clone()).collect();
        if order == Order::NewestFirst {
            expected.reverse();
        }
        expected.truncate(options.limit);
        prop_assert_eq!(ids, expected, "{}", text);
    }
    Ok(())
}

#[test]
fn questions_to_kinds_are_answered_as_by_a_look_at_every_record() {
    let mut config = ProptestConfig::with_cases(6);
    config.max_shrink_iters = 60;
    let batches = prop::collection::vec(prop::collection::vec(samples(), 100..300), 1..3);
    let asked = prop::collection::vec(testing::queries(), 10);
    proptest!(config, |(batches in batches, asked in asked)| {
        let directory = tempfile::tempdir().expect("a directory");
        let store = testing::open(directory.path(), 10_000);
        for mut samples in batches {
            // One day, one segment for each import.
            for sample in &mut samples {
                sample.received = 1_790_000_000_000_000_000 + sample.received % 1_000_000_000;
            }
            store.import(&LogspaceName::main(), testing::batch(&samples)).expect("imported");
        }
        let snapshots = vec![store.snapshot(&LogspaceName::main()).expect("there")];
        let scope = Scope::new(snapshots);
        for text in QUESTIONS {
            let query = parse(text).into_result().expect("valid");
            check_names(&scope, &query)?;
            check(&scope, &query, text)?;
        }
        for text in TABLES {
            check_table(&scope, text)?;
        }
        for query in asked {
            check_names(&scope, &query)?;
            check(&scope, &query, &format!("{query:?}"))?;
        }
    });
}

/// A store of one segment with some records.
fn one_segment(directory: &std::path::Path, samples: &[Sample]) -> Scope {
    let store = testing::open(directory, 20_000);
    let main = LogspaceName::main();
    let imported = store.import(&main, testing::batch(samples));
    imported.expect("imported");
    Scope::new(vec![store.snapshot(&main).expect("there")])
}

/// Checks what some questions find.
fn check_texts(scope: &Scope, texts: &[&str]) {
    for text in texts {
        let query = parse(text).into_result().expect("valid");
        check(scope, &query, text).expect("as by a look at every record");
    }
}

/// Asks about the fields of so many lines of access logs, compared with a look at every record. Those behind
/// `odd_from` may be none, as what stands behind a field is not read and yet may make an event of the line.
fn check_access_logs(count: u32, odd_from: u32) {
    let message = |number: u32| {
        let oddity = if number < odd_from { 0 } else { number % 20 };
        let agent = match oddity {
            7 => "Mozilla CEF:0|a|b|1|2|n|5|x=1",
            9 => "Mozilla \\\"x",
            11 => "Mozilla | y",
            _ => "Mozilla",
        };
        let client = if oddity == 13 { ":80 [x]" } else { "" };
        let statuses = if number % 7 < 5 {
            [200, 304, 404]
        } else {
            [200, 404, 503]
        };
        format!(
            "10.0.0.{}{client} - - [01/Jan/2026:00:00:{} +0000] \"GET /a{number} HTTP/1.1\" \
             {} {} \"-\" \"{agent}\"",
            number % 200,
            10 + number % 50,
            statuses[number as usize % 3],
            number * 7 % 900,
        )
    };
    let samples: Vec<Sample> = (0..count)
        .map(|number| Sample {
            received: 1_790_000_000_000_000_000 + i64::from(number),
            // Kinds of their own, whose statuses differ.
            program: format!("web-{}", ["a", "b"][usize::from(number % 7 < 5)]),
            message: message(number).into_bytes(),
            ..Sample::default()
        })
        .collect();
    let directory = tempfile::tempdir().expect("a directory");
    let scope = one_segment(directory.path(), &samples);
    let texts = [
        "status:>=500",
        "status:>=400",
        "bytes:>100",
        "bytes:>=0",
        "bytes:<0",
        "client:10.0.0.0/25",
        "path:/a1*",
        "agent:Mozilla",
        "agent:*x*",
    ];
    check_texts(&scope, &texts);
    check_names(&scope, &parse("").into_result().expect("valid")).expect("the same names");
}

#[test]
fn lines_that_are_no_access_logs_do_not_have_their_fields() {
    check_access_logs(600, 0);
}

/// In a chunk that is large enough for zone maps.
#[test]
fn what_zone_maps_tell_is_what_a_look_at_every_record_finds() {
    check_access_logs(17_000, 16_000);
}

#[test]
fn decimal_numbers_are_compared_as_by_a_look_at_every_record() {
    let samples: Vec<Sample> = (0..3_000_u32)
        .map(|number| Sample {
            received: 1_790_000_000_000_000_000 + i64::from(number),
            message: format!(
                "{{\"took\":{}.{:03},\"size\":{},\"msg\":\"done\"}}",
                number * 7 % 1_000 / 100,
                number * 7_919 % 1_000,
                number * 31 % 977,
            )
            .into_bytes(),
            ..Sample::default()
        })
        .collect();
    let directory = tempfile::tempdir().expect("a directory");
    let scope = one_segment(directory.path(), &samples);
    let texts = [
        "took:>3",
        "took:>=3",
        "took:<3",
        "took:<=3",
        "took:=3",
        "took:[2 TO 5]",
        "took:>3.4",
        "took:<0",
        "took:>=0",
        "size:>976",
        "size:<=500",
        "size:=31",
    ];
    check_texts(&scope, &texts);
}
