use expect_test::{Expect, expect};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::limits::{BARS_MAX, STAGES_MAX};
use crate::question::{Column, FieldName, Measure, Question, Stage};
use crate::samples::any_expr;
use crate::{ParsedQuestion, Query, parse, parse_question, render};

/// The question, by its canonical text.
fn reads(text: &str, canonical: &str) {
    let parsed = parse_question(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(parsed.question.canonical(), canonical, "{text}");
}

/// What is said of a text, and what was understood nevertheless.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
fn check(text: &str, expected: Expect) {
    let parsed = parse_question(text);
    let mut seen = render(text, &parsed.diagnostics);
    seen += &format!("= {}\n", parsed.question.canonical());
    expected.assert_eq(&seen);
}

#[test]
fn stages_have_one_form() {
    reads("error", "error");
    reads("", "*");
    reads("|count", "* | count");
    reads(
        "a b|count by host,program",
        "a AND b | count by host, program",
    );
    reads("* | COUNT BY host severity", "* | count by host, severity");
    reads("| top priority", "* | top severity 10");
    reads("| top nvpair:host 3", "* | top nvpair:host 3");
    reads("| top nvpair:\"a b\" 3", "* | top nvpair:\"a b\" 3");
    reads("| top nvpair:size", "* | top size 10");
    reads("| bars", "* | bars 30");
    reads("| bars by ip", "* | bars 30 by peer");
    reads("| bars 5 by tag", "* | bars 5 by tag");
    reads("| distinct meta.Seq", "* | distinct meta.Seq");
    reads("| p99.9 size by host", "* | p99.9 size by host");
    reads("| max received by host", "* | max received by host");
    reads("| patterns", "* | patterns 10");
    reads("| patterns bars", "* | patterns 10 bars 30");
    reads("| PATTERNS 5 BARS 7", "* | patterns 5 bars 7");
    reads("| fields host,message", "* | fields host, message");
    reads("| sort size asc | head 3", "* | sort size | head 3");
    reads("\"a|b\" a\\|b | count", "\"a|b\" | count");
}

#[test]
fn columns_are_those_of_the_stage_before() {
    reads(
        "| count by Size | sort size",
        "* | count by Size | sort Size",
    );
    reads("| count | sort count desc", "* | count | sort count desc");
    reads("| sum count | sort sum", "* | sum nvpair:count | sort sum");
    reads(
        "| top count | sort nvpair:count",
        "* | top nvpair:count 10 | sort nvpair:count",
    );
    reads(
        "| top count | sort count",
        "* | top nvpair:count 10 | sort count",
    );
    reads("| sort count", "* | sort nvpair:count");
    reads(
        "| bars by host | fields host, start",
        "* | bars 30 by host | fields host, start",
    );
    reads(
        "| patterns | sort first desc | fields pattern, example",
        "* | patterns 10 | sort first desc | fields pattern, example",
    );
    reads(
        "| patterns bars 5 | fields bars, pattern",
        "* | patterns 10 bars 5 | fields bars, pattern",
    );
    reads("| fields host | sort HOST", "* | fields host | sort host");
}

#[test]
fn commands_that_are_none() {
    check(
        "error | tpo host",
        expect![[r#"
            error: there is no command `tpo`
              error | tpo host
                      ^^^
            hint: did you mean `top`?
            = error
        "#]],
    );
    check(
        "| limit 5 | head 3",
        expect![[r#"
            error: there is no command `limit`
              | limit 5 | head 3
                ^^^^^
            hint: did you mean `head`?
            = * | head 3
        "#]],
    );
    check(
        "| where host:a",
        expect![[r#"
            error: `where` is no command of a pipe
              | where host:a
                ^^^^^
            hint: write conditions in front of the first `|`
            = *
        "#]],
    );
    check(
        "a || count",
        expect![[r#"
            error: expected a command behind `|`
              a || count
                ^
            hint: for either of two terms write `OR`
            = a | count
        "#]],
    );
    check(
        "| p100 size",
        expect![[r#"
            error: there is no command `p100`
              | p100 size
                ^^^^
            hint: percentiles go from `p0.1` to `p99.9`; `min` and `max` are the ends
            = *
        "#]],
    );
}

#[test]
fn names_that_are_missing_or_wrong() {
    check(
        "| top",
        expect![[r#"
            error: expected a name behind `top`
              | top
                ^^^
            hint: write `top FIELD [N]`, with a field such as `host`
            = *
        "#]],
    );
    check(
        "| top 10 host | head 1",
        expect![[r#"
            error: expected a name behind `top`
              | top 10 host | head 1
                    ^^^^^^^
            hint: write `| top host 10`
            = * | head 1
        "#]],
    );
    check(
        "| count by host: , program",
        expect![[r#"
            error: expected a name behind `by`
              | count by host: , program
                         ^^^^^
            hint: write `host`
            = *
        "#]],
    );
    check(
        "| count by host,",
        expect![[r#"
            error: expected a name behind `by`
              | count by host,
                             ^
            hint: write `by FIELD, FIELD`, with a field such as `host`
            = *
        "#]],
    );
    check(
        "| count by host, HOST",
        expect![[r#"
            error: `HOST` is named twice
              | count by host, HOST
                               ^^^^
            hint: leave out one of them
            = *
        "#]],
    );
    check(
        "| top sevrity",
        expect![[r#"
            warning: `sevrity` is looked up among the fields of the records
              | top sevrity
                    ^^^^^^^
            hint: did you mean `severity`?
            = * | top sevrity 10
        "#]],
    );
    check(
        "| sum received",
        expect![[r#"
            error: times have no `sum`
              | sum received
                    ^^^^^^^^
            hint: `min` and `max` are the first and the last time
            = *
        "#]],
    );
}

#[test]
fn stages_that_do_not_fit() {
    check(
        "| top host | count",
        expect![[r#"
            error: `count` has to be the first stage
              | top host | count
                           ^^^^^
            hint: records are summarised once; `fields`, `sort` and `head` may follow
            = * | top host 10
        "#]],
    );
    check(
        "| top host | sort program",
        expect![[r#"
            error: there is no column `program` here
              | top host | sort program
                                ^^^^^^^
            hint: the columns are `host`, `count`
            = * | top host 10
        "#]],
    );
    check(
        "| top | sort count | count",
        expect![[r#"
            error: expected a name behind `top`
              | top | sort count | count
                ^^^
            hint: write `top FIELD [N]`, with a field such as `host`
            = * | sort count | count
        "#]],
    );
    check(
        "| top host 5 program | head",
        expect![[r#"
            error: expected `|` or the end behind `top host 5`
              | top host 5 program | head
                           ^^^^^^^
            hint: write `top FIELD [N]`
            error: expected a number from 1 to 100000 behind `head`
              | top host 5 program | head
                                     ^^^^
            hint: write `head N`
            = * | top host 5
        "#]],
    );
    check(
        "(a | count",
        expect![[r#"
            error: this parenthesis is never closed
              (a | count
              ^
            hint: add `)`
            = a | count
        "#]],
    );
}

#[test]
fn limits_refuse_and_say_which() {
    let refuses = |text: &str, message: &str| {
        let error = parse_question(text).into_result().expect_err("too much");
        assert!(error.to_string().contains(message), "{error}");
    };
    let stages = |count: usize| "| head 1".repeat(count);
    assert!(parse_question(&stages(STAGES_MAX)).is_valid());
    refuses(&stages(STAGES_MAX + 1), "more than 16 stages");
    refuses("| head 0", "from 1 to 100000");
    refuses("| head 100001", "from 1 to 100000");
    refuses("| head 99999999999999999999999", "from 1 to 100000");
    refuses(&format!("| bars {}", BARS_MAX + 1), "from 1 to 10000");
    refuses("| count by a, b, c, d, e", "more than 4 names");
    refuses("| bars by a, b", "more than 1 names");
    let many: Vec<String> = (0..33).map(|n| format!("f{n}")).collect();
    refuses(&format!("| fields {}", many.join(",")), "more than 32");
    refuses(&"|".repeat(10_000), "expected a command");
}

#[test]
fn a_pipe_has_its_place_in_questions_only() {
    let parsed = parse("a | count");
    assert!(!parsed.is_valid());
    assert_eq!(parsed.query, parse("a").query);
}

#[test]
fn tokens_cover_the_pipe() {
    let text = "a | top nvpair:\"x y\" 5 | sort count desc | fields count, nvpair:\"x y\"";
    let parsed = parse_question(text);
    assert_eq!(parsed.diagnostics, []);
    let seen: Vec<String> = parsed
        .tokens
        .into_iter()
        .map(|token| format!("{} {}", token.kind.as_str(), &text[token.span]))
        .collect();
    expect![[r#"
        term a
        operator |
        command top
        field nvpair:"x y"
        term 5
        operator |
        command sort
        field count
        operator desc
        operator |
        command fields
        field count
        operator ,
        field nvpair:"x y""#]]
    .assert_eq(&seen.join("\n"));
}

fn any_field() -> impl Strategy<Value = FieldName> {
    let names = vec![
        "host",
        "severity",
        "peer",
        "id",
        "received",
        "time",
        "logspace",
        "size",
        "count",
        "p99",
        "by",
        "x@1.user",
        "two words",
        "q\"\\|",
        "nvpair",
        "é",
    ];
    prop_oneof![
        3 => select(names.clone()).prop_map(|name| FieldName::parse(name).expect("a name")),
        1 => select(names).prop_map(|name| FieldName::named(name).expect("a name")),
    ]
}

fn any_fields(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<FieldName>> {
    vec(any_field(), count).prop_map(|fields| {
        let mut different: Vec<FieldName> = Vec::new();
        for field in fields {
            if !different.iter().any(|known| known.is_same(&field)) {
                different.push(field);
            }
        }
        different
    })
}

fn any_summary() -> impl Strategy<Value = Stage> {
    let measure = select(vec![
        Measure::Min,
        Measure::Max,
        Measure::Sum,
        Measure::Avg,
        Measure::Percentile(500),
        Measure::Percentile(999),
    ]);
    prop_oneof![
        any_fields(0..4).prop_map(|by| Stage::Count { by }),
        (any_field(), 1..1_000_usize).prop_map(|(field, limit)| Stage::Top { field, limit }),
        (1..100_usize, any_fields(0..2)).prop_map(|(bars, by)| Stage::Bars {
            bars,
            by: by.first().cloned(),
        }),
        any_field().prop_map(|field| Stage::Distinct { field }),
        (measure, any_field(), any_fields(0..3))
            .prop_filter("times have no sum", |(measure, field, _)| {
                measure.is_value() || !field.is_time()
            })
            .prop_map(|(measure, field, by)| Stage::Measure { measure, field, by }),
        (1..1_000_usize, proptest::option::of(1..=200_usize))
            .prop_map(|(limit, bars)| Stage::Patterns { limit, bars }),
    ]
}

/// Stages that work on what there is; columns are chosen by number.
fn any_later() -> impl Strategy<Value = (u8, Vec<usize>, bool, usize)> {
    (
        0..3_u8,
        vec(any::<usize>(), 1..4),
        any::<bool>(),
        1..100_usize,
    )
}

fn later(choice: (u8, Vec<usize>, bool, usize), columns: &[Column]) -> Stage {
    let (kind, indexes, is_descending, rows) = choice;
    let mut chosen: Vec<Column> = Vec::new();
    for index in indexes {
        let column = &columns[index % columns.len()];
        if !chosen.contains(column) {
            chosen.push(column.clone());
        }
    }
    match kind {
        0 => Stage::Fields(chosen),
        1 => Stage::Sort {
            column: chosen.remove(0),
            is_descending,
        },
        _ => Stage::Head(rows),
    }
}

fn any_question() -> impl Strategy<Value = Question> {
    let of_records = any_fields(1..6).prop_map(|fields| (None, fields));
    let summary = any_summary().prop_map(|stage| (Some(stage), Vec::new()));
    let start = prop_oneof![summary, of_records];
    (any_expr(), start, vec(any_later(), 0..4)).prop_map(|(root, (first, fields), choices)| {
        let mut columns = match &first {
            Some(stage) => stage.columns().expect("it makes a table"),
            None => fields.into_iter().map(Column::Field).collect(),
        };
        let mut stages: Vec<Stage> = first.into_iter().collect();
        for choice in choices {
            let stage = later(choice, &columns);
            columns = stage.columns().unwrap_or(columns);
            stages.push(stage);
        }
        let query = Query { root };
        Question { query, stages }
    })
}

/// Whatever the text, the reading ends well, and a valid question survives its canonical form.
fn check_any(text: &str) -> Result<(), TestCaseError> {
    let ParsedQuestion {
        question,
        diagnostics,
        tokens,
    } = parse_question(text);
    let mut end = 0;
    for token in &tokens {
        prop_assert!(end <= token.span.start && token.span.start < token.span.end);
        prop_assert!(text.get(token.span.clone()).is_some(), "{:?}", token);
        end = token.span.end;
    }
    for diagnostic in &diagnostics {
        let marked = text.get(diagnostic.span.clone());
        prop_assert!(marked.is_some(), "{diagnostic:?}");
    }
    if diagnostics.is_empty() {
        let canonical = question.canonical();
        let again = parse_question(&canonical);
        prop_assert!(again.is_valid(), "{} {:?}", canonical, again.diagnostics);
        prop_assert_eq!(again.question, question, "{}", canonical);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_canonical_text_gives_the_same_question(question in any_question()) {
        let text = question.canonical();
        let parsed = parse_question(&text);
        prop_assert!(parsed.is_valid(), "{} {:?}", text, parsed.diagnostics);
        prop_assert_eq!(&parsed.question, &question, "{}", text);
        prop_assert_eq!(parsed.question.canonical(), text);
    }

    #[test]
    fn any_mixture_of_syntax_is_read(
        parts in vec(
            prop_oneof![
                4 => Just(" | "), 2 => Just(" "), 2 => Just("by "), 1 => Just(","), 1 => Just("\""),
                1 => Just("nvpair:"), 2 => Just("host "), 1 => Just("count "), 1 => Just("top "),
                1 => Just("bars "), 1 => Just("distinct "), 1 => Just("max "), 1 => Just("p95 "),
                1 => Just("patterns "), 1 => Just("fields "), 1 => Just("sort "), 1 => Just("head "),
                1 => Just("desc "), 1 => Just("é"), 1 => Just("5 "), 1 => Just("("), 1 => Just(")"),
                1 => Just("received "), 1 => Just("a:b "), 1 => Just("\\"), 1 => Just(" OR "),
            ],
            0..20,
        )
    ) {
        check_any(&parts.concat())?;
    }

    #[test]
    fn any_string_is_read(text in "\\PC{0,20}\\|\\PC{0,20}") {
        check_any(&text)?;
    }
}

/// The hint of the first error of each text.
#[test]
fn stages_of_other_languages_are_told_in_ours() {
    for (text, expected) in [
        ("* | stats count by host", "write `| count by host`"),
        (
            "* | stats count(x) by host, program",
            "write `| count by host, program`",
        ),
        (
            "* | stats avg(size) by host | head 3",
            "write `| avg size by host`",
        ),
        ("* | summarize count() by host", "write `| count by host`"),
        ("* | stats dc(user)", "write `| distinct user`"),
        ("* | select count(*)", "write `| count`"),
        ("* | top limit=5 host", "write `| top host 5`"),
        ("* | top 10 host", "write `| top host 10`"),
        ("* | sort -received", "write `| sort received desc`"),
        (
            "* | count by host | sort by count desc",
            "write `| sort count desc`",
        ),
        ("* | count by host | order by count", "write `| sort count`"),
        ("* | wc -l", "did you mean `count`?"),
        ("* | dedup host", "did you mean `distinct`?"),
        ("* | json", "without a command"),
        ("* | where host:x", "in front of the first `|`"),
        ("* |= x", "in front of the first `|`"),
        ("a || b", "write `OR`"),
    ] {
        let parsed = parse_question(text);
        let error = parsed.diagnostics.iter().find(|d| d.is_error());
        let hint = error
            .and_then(|error| error.hint.clone())
            .unwrap_or_default();
        assert!(hint.contains(expected), "{text}: {hint}");
    }
}
