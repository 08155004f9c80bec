use proptest::prelude::*;

use super::*;
use crate::samples::{EVENT, SU, batch, context, rendered};
use crate::{Condition, Format, Zone};

#[test]
fn names_stand_for_parts_of_the_record() {
    for (template, expected) in [
        (
            "$FACILITY $FACILITY_NUM $LEVEL $LEVEL_NUM $PRI $TAG $BSDTAG",
            "auth 4 crit 2 34 22 2E",
        ),
        (
            "$HOST|$HOST_FROM|$SOURCEIP|$SOURCE|$LOGHOST",
            "mymachine|192.0.2.7|192.0.2.7|udp|logs",
        ),
        (
            "$PROGRAM|$PID|$MSGID|${MSGHDR}|$LEGACY_MSGHDR",
            "su|12||su[12]: |su[12]: ",
        ),
        ("$ID|$RCPTID|$LOGSPACE|$SEQNUM", "main:42|42|main|3"),
        ("${host}|${program}|$severity", "mymachine|su|crit"),
        (
            "${HOST:-x}${nope:-d $HOST}|$$|$nope|a@b|$HOST@b|${HOST}@@b|-$|x$ y",
            "mymachined $HOST|$||a@b|mymachine@b|mymachine@b|-$|x$ y",
        ),
        ("", ""),
    ] {
        assert_eq!(rendered(template, SU), expected, "{template}");
    }
    assert_eq!(rendered("${RAWMSG}", SU), SU);
    assert_eq!(
        rendered("$SDATA", EVENT),
        r#"[exampleSDID@32473 iut="3" eventSource="App\"x\]" eventID="1011"][meta a="b"]"#
    );
    assert_eq!(
        rendered("${.SDATA.meta.a}|${meta.a}|$a|$MSGHDR", EVENT),
        "b|b|b|evntslog[77]: "
    );
}

#[test]
fn dates_have_all_their_parts() {
    let template = "$DATE|$FULLDATE|$ISODATE|$STAMP|$UNIXTIME|$YEAR|$MONTH|$MONTH_ABBREV|$MONTH_NAME|$MONTH_WEEK|$DAY|\
        $YEAR_DAY|$HOUR|$HOUR12|$MIN|$SEC|$MSEC|$USEC|$AMPM|$WEEK|$WEEKDAY|$WEEK_DAY|$WEEK_DAY_ABBREV|$WEEK_DAY_NAME|$TZ|$TZOFFSET";
    let message = "<13>1 2003-10-12T05:14:15.003Z h p - - - m";
    // What syslog-ng 3.38.1 makes of it.
    assert_eq!(
        rendered(template, message),
        "Oct 12 05:14:15|2003 Oct 12 05:14:15|2003-10-12T05:14:15+00:00|Oct 12 05:14:15|1065935655|2003|10|Oct|\
         October|1|12|285|05|05|14|15|003|003000|AM|40|Sun|1|Sun|Sunday|+00:00|+00:00"
    );
    assert_eq!(
        rendered("$R_ISODATE|$C_SEC|$S_DAY|$R_ISOWEEK", message),
        "2026-11-21T18:00:00+00:00|01|12|47"
    );
    assert_eq!(
        rendered("$ISODATE|$time", EVENT),
        "2003-10-11T22:14:15-07:00|2003-10-12T05:14:15.003000000Z"
    );
}

/// The part of a template that an error is about, the problem and the hint.
fn complaint(template: &str) -> (String, String) {
    let error = Template::compile(template).expect_err(template);
    let part = template
        .get(error.span.clone())
        .expect("a place between characters");
    (part.to_owned(), error.to_string())
}

/// Templates that are wrong, the part that is told, and what is said of it.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "a ${MESAGE} b",
        "MESAGE",
        "there is no macro `MESAGE`; did you mean `MESSAGE`? For a field of that name write `${.SDATA.MESAGE}`",
    ),
    ("a $PROGRAMM", "$PROGRAMM", "did you mean `PROGRAM`?"),
    (
        "${HOST",
        "${",
        "this `${` has no `}`; close the name with `}`, or write `$$` for a dollar sign",
    ),
    ("x ${}", "${}", "a name is missing"),
    (
        "$(lowercase $HOST",
        "$(",
        "this `$(` has no `)`; close the function with `)`",
    ),
    (
        "$(lowrcase $HOST)",
        "lowrcase",
        "there is no function `lowrcase`; did you mean `$(lowercase ...)`?",
    ),
    ("$(echo \"a)", "\"", "this quotation has no end"),
    (
        "$(echo $(uuid))",
        "uuid",
        "the function `uuid` is not supported; `$ID` names a record",
    ),
    (
        "$(echo \"x $(lower $MESAGE)\")",
        "$MESAGE",
        "there is no macro `MESAGE`",
    ),
    (
        "$SOURCEPORT",
        "$SOURCEPORT",
        "the macro `SOURCEPORT` is not supported; ports of senders",
    ),
    ("${HOST}@1", "${HOST}@1", "other messages of a context"),
    (
        "$(substr $HOST)",
        "$(substr $HOST)",
        "an argument is missing; write `$(substr TEXT START LENGTH)`",
    ),
    ("$(substr $HOST x)", "x", "`x` is no whole number"),
    (
        "$(format-json --scop all)",
        "--scop",
        "there is no option `--scop`; did you mean `--scope`?",
    ),
    (
        "$(format-json --scope rfc5425)",
        "rfc5425",
        "did you mean `rfc5424`?",
    ),
    ("$(format-json a=$MESAGE)", "$MESAGE", "there is no macro"),
    (
        "$(if (\"$MESAGE\" eq 'x') a b)",
        "$MESAGE",
        "there is no macro",
    ),
    (
        "$(if (hots('x')) a b)",
        "hots",
        "there is no test `hots`; did you mean `host(...)`?",
    ),
    (
        "$(if host('(') a b)",
        "'('",
        "the regular expression cannot be read: unclosed group",
    ),
    (
        "$(if (\"a\" =~ 'b') a b)",
        "=~",
        "a condition has a comparison here",
    ),
    (
        "$(if facility(x) a b)",
        "x",
        "`x` is neither a name nor a range",
    ),
    (
        "$(env HOME)",
        "$(env HOME)",
        "the environment cannot be read here",
    ),
    ("$()", "$()", "a name is missing"),
];

#[test]
fn errors_have_a_place_and_a_remedy() {
    for (template, part, text) in WRONG {
        let (found, message) = complaint(template);
        assert_eq!(found, *part, "{template}: {message}");
        assert!(message.contains(text), "{template}: {message}");
    }
}

#[test]
fn carets_stand_under_the_place() {
    let template = "first\n\u{e9} ${MESAGE} last";
    let error = Template::compile(template).expect_err("wrong");
    assert_eq!(
        error.render(template),
        "there is no macro `MESAGE`\n  \u{e9} ${MESAGE} last\n      ^^^^^^\n\
         hint: did you mean `MESSAGE`? For a field of that name write `${.SDATA.MESAGE}`\n"
    );
}

#[test]
fn bounds_are_told() {
    let long = "x".repeat(TEMPLATE_BYTES_MAX + 1);
    assert_eq!(
        Template::compile(&long).expect_err("long").problem,
        Problem::TooLong(long.len())
    );
    let deep = |depth: usize| format!("{}x{}", "$(echo ".repeat(depth), ")".repeat(depth));
    assert!(Template::compile(&deep(crate::limits::NESTING_MAX)).is_ok());
    let error = Template::compile(&deep(crate::limits::NESTING_MAX + 1)).expect_err("deep");
    assert_eq!(error.problem, Problem::TooDeep);
    let nested = |depth: usize| {
        format!(
            "$(if {}'a' eq 'a'{} y n)",
            "(".repeat(depth),
            ")".repeat(depth)
        )
    };
    assert!(Template::compile(&nested(crate::limits::CONDITION_NESTING_MAX - 1)).is_ok());
    let error =
        Template::compile(&nested(crate::limits::CONDITION_NESTING_MAX + 1)).expect_err("deep");
    assert_eq!(error.problem, Problem::ConditionTooDeep);
}

#[test]
fn what_is_too_long_leaves_nothing_behind() {
    // Each level makes a thousand of one.
    let wide = "$MSG".repeat(1_000);
    let template = format!(
        "$(replace a \"{wide}\" \"$(replace a '{wide}' {})\")",
        "a".repeat(40)
    );
    let template = Template::compile(&template).expect("valid");
    let batch = batch(b"<13>Oct 11 22:14:15 h p: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    let view = View::from(batch.get(0).expect("a record"));
    let mut out = b"before".to_vec();
    let error = template
        .render(&view, &context(), &mut out)
        .expect_err("too long");
    assert_eq!(
        (out.as_slice(), error.bytes_max),
        (b"before".as_slice(), OUTPUT_BYTES_MAX)
    );
}

/// Templates of parts that are mostly right.
fn templates() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("$".to_owned()),
        "[ -~]{0,6}",
        prop::sample::select(vec![
            "${HOST}",
            "$MSG",
            "$ISODATE",
            "${.SDATA.a.b}",
            "$(",
            ")",
            "${",
            "}",
            "\"",
            "'",
            "(",
            "lowercase ",
            "if ",
            "format-json ",
            "--scope everything ",
            "--key * ",
            "--rekey * --shift 2 ",
            "a=$MSG ",
            "a.b=$RAWMSG ",
            "substr ",
            "replace a bb ",
            "sanitize ",
            "list-append ",
            "explode . ",
            "host(",
            "match(",
            " eq ",
            "and ",
            "not ",
            "padding ",
            "$(format-json --scope everything)",
            "$(if message('a') $MSG $HOST)",
            "$(url-encode $RAWMSG)",
            "$(sha256 $MSG)",
            "$(list-slice 1: $MSG)",
            "$(+ $PID 1)",
            "$(format-welf --scope all-nv-pairs)",
            "8 ",
            "-1 ",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn messages() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        Just(SU.as_bytes().to_vec()),
        Just(EVENT.as_bytes().to_vec()),
        "<1[0-9]>1 - h\u{e9} p - - \\[a b=\"[ -~]{0,9}\" b=\"\\]?\"\\] [\\x00-\u{ff}]{0,40}"
            .prop_map(String::into_bytes),
        "<34>2026-11-21T18:47:27[+-]0[0-9]:00 h p\\[[0-9]{1,3}\\]: [a-z ,.=]{0,40}"
            .prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn no_text_and_no_bytes_break_it(template in templates(), message in messages()) {
        match Template::compile(&template) {
            Err(error) => {
                prop_assert!(template.get(error.span.clone()).is_some(), "{:?}", error.span);
                prop_assert!(!error.render(&template).is_empty());
            }
            Ok(compiled) => {
                let batch = batch(&message);
                let view = View::from(batch.get(0).unwrap());
                let mut out = b"before".to_vec();
                prop_assert!(compiled.render(&view, &context(), &mut out).is_ok());
                prop_assert!(out.starts_with(b"before"));
                let once = out.split_off(6);
                compiled.render(&view, &context(), &mut out).unwrap();
                prop_assert_eq!(&out[6..], &once[..]);
            }
        }
    }

    #[test]
    fn every_format_takes_any_bytes(message in messages()) {
        let batch = batch(&message);
        let view = View::from(batch.get(0).unwrap());
        let everything = Template::compile("$(format-json --scope everything --key RAWMSG)").unwrap();
        let formats = Format::names().map(|name| Format::parse(name).unwrap());
        let formats = formats.chain([Format::Template(everything)]);
        for format in formats {
            for zone in [Zone::default(), Zone::Fixed(crate::named_zone("+05:30").unwrap())] {
                let mut out = Vec::new();
                let context = Context { zone, ..context() };
                format.render(&view, &context, &mut out).unwrap();
                if matches!(format, Format::Json | Format::Ecs | Format::Template(_)) {
                    let read: Result<serde_json::Value, _> = serde_json::from_slice(&out);
                    prop_assert!(read.is_ok_and(|value| value.is_object()), "{}", out.escape_ascii());
                }
            }
        }
    }
}

/// What a template of a pattern database makes of the last of these messages.
fn rendered_last(template: &str, messages: &[&str]) -> String {
    let options = Options {
        is_of_database: true,
        ..Options::default()
    };
    let template = Template::compile_with(template, &options).expect("valid");
    let batches: Vec<_> = messages
        .iter()
        .map(|message| batch(message.as_bytes()))
        .collect();
    let views: Vec<_> = batches
        .iter()
        .map(|batch| View::from(batch.get(0).expect("a record")))
        .collect();
    let (last, earlier) = views.split_last().expect("a message");
    let mut out = Vec::new();
    let rendered = template.render_behind(earlier, last, &context(), &mut out);
    rendered.expect("short");
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn a_template_of_a_database_sees_the_records_of_a_context() {
    let messages = [
        "<13>Oct 11 22:14:15 h a[1]: one, 1",
        "<13>Oct 11 22:14:15 h b[22]: two",
        "<13>Oct 11 22:14:15 h a[3]: three",
    ];
    let cases = [
        (
            "$MSG|${MSG}@0|${MSG}@1|$PROGRAM@2|${MSG}@3",
            "three|three|two|a|",
        ),
        ("${MSG}@@1|${nope:-x}@1|${nope:-x}@9|a@b", "three@1|x||a@b"),
        ("$(context-length)", "3"),
        ("$(grep program(\"a\") $PID $PROGRAM)", "1,a,3,a"),
        ("$(context-values $MSG)", "\"one, 1\",two,three"),
        ("$(context-lookup (\"$PROGRAM\" eq \"a\") $PID)", "1,3"),
        (
            "$(sum $PID)|$(min $PID)|$(max $PID)|$(average $PID)|$(sum $MSG)|$(+ $PID 1)",
            "26|1|22|8|NaN|4",
        ),
        ("$(if (\"${PID}@1\" eq \"22\") yes no)", "yes"),
        // A name that is that of a macro but for a letter is that of a field.
        ("$HOSTS|${CONTEXT_ID}", "|"),
    ];
    for (template, expected) in cases {
        assert_eq!(rendered_last(template, &messages), expected, "{template}");
    }
}

#[test]
fn a_condition_is_asked_of_the_last_record_of_a_context() {
    let options = Options {
        is_of_database: true,
        ..Options::default()
    };
    let holds_behind = |text: &str, count: usize| {
        let condition = Condition::compile_with(text, &options).expect("valid");
        let batch = batch(b"<13>Oct 11 22:14:15 h a[1]: one");
        let view = View::from(batch.get(0).expect("a record"));
        condition.holds_behind(&vec![view; count], &view, &context())
    };
    assert!(holds_behind(
        "\"$(context-length)\" >= \"2\" and program(\"a\")",
        1
    ));
    assert!(!holds_behind("\"$(context-length)\" >= \"2\"", 0));
    assert!(holds_behind("'${PID}@1' eq '1'", 1));
    assert!(!holds_behind("'${PID}@1' eq '1'", 0));
    assert!(holds_behind("not program(\"b\")", 0));
    assert!(Condition::compile_with("\"a\" is \"b\"", &options).is_err());
}
