use super::*;
use crate::samples::{check, check_any_bytes, check_failure};

fn parser(change: impl FnOnce(&mut KvOptions)) -> KvParser {
    let mut options = KvOptions::default();
    change(&mut options);
    KvParser::new(&options).unwrap()
}

fn refused(change: impl FnOnce(&mut KvOptions)) -> String {
    let mut options = KvOptions::default();
    change(&mut options);
    KvParser::new(&options).unwrap_err().to_string()
}

#[test]
fn a_firewall_of_fortinet() {
    check(
        &parser(|_| {}),
        "date=2026-05-10 time=11:37:47 logid=\"0000000013\" type=\"traffic\" srcip=10.1.100.11 \
         srcport=58012 srcintf=\"port12\" dstip=23.59.154.35 action=\"close\" policyid=1 \
         service=\"HTTP\" app=\"HTTP.BROWSER_Firefox\" apprisk=\"elevated\" msg=\"\"",
        &[
            "date=2026-05-10",
            "time=11:37:47",
            "logid=0000000013",
            "type=traffic",
            "srcip=10.1.100.11",
            "srcport=58012",
            "srcintf=port12",
            "dstip=23.59.154.35",
            "action=close",
            "policyid=1",
            "service=HTTP",
            "app=HTTP.BROWSER_Firefox",
            "apprisk=elevated",
        ],
    );
}

#[test]
fn a_mail_server_writes_commas_and_angles() {
    let postfix = "3C8A1E0: to=<ann@example.com>, relay=mx.example.com[192.0.2.1]:25, \
                   delay=1.6, delays=0.1/0/0.9/0.6, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued)";
    let rest = [
        "relay=mx.example.com[192.0.2.1]:25",
        "delay=1.6",
        "delays=0.1/0/0.9/0.6",
        "dsn=2.0.0",
        "status=sent (250 2.0.0 Ok: queued)",
    ];
    let with = |to: &'static str| [&[to][..], &rest].concat();
    check(&parser(|_| {}), postfix, &with("to=<ann@example.com>"));
    let trimmed = parser(|options| options.trim = "<>".into());
    check(&trimmed, postfix, &with("to=ann@example.com"));
}

/// What syslog-ng 3.38 makes of the same text, but for an empty value of `a`.
#[test]
fn values_are_as_those_of_syslog_ng() {
    for (text, expected) in [
        ("a=1,b=2", &["a=1,b=2"][..]),
        ("a=1, b=2", &["a=1", "b=2"]),
        (
            "foo=bar stray words here baz=x",
            &["foo=bar stray words here", "baz=x"],
        ),
        ("(uid=0) [k=v]", &["uid=0) [k=v]"]),
        ("a = 1 b= 2 c =3", &["a=1", "b=2", "c=3"]),
        ("a=  b=2", &["b=2"]),
        (r#"msg="a"b c=1"#, &[r#"msg="a"b"#, "c=1"]),
        ("k==v x=>y", &["k==v", "x=>y"]),
        ("a=x;b=y", &["a=x;b=y"]),
        (r#"d="no end e=f"#, &[r#"d="no end"#, "e=f"]),
        (r#"a=b\"c d\e"#, &[r#"a=b\"c d\e"#]),
    ] {
        check(&parser(|_| {}), text, expected);
    }
}

/// Where another reading of a text is likely what its writer meant.
#[test]
fn tabs_and_commas_behind_quotes_and_at_the_end_separate_too() {
    check(&parser(|_| {}), "a=1, b=2,", &["a=1", "b=2"]);
    check(&parser(|_| {}), "b=2\tc=3", &["b=2", "c=3"]);
    check(&parser(|_| {}), r#"a="",b="x",c=2"#, &["b=x", "c=2"]);
}

#[test]
fn stray_words_are_kept_under_a_name() {
    let stray = parser(|options| options.stray_words = Some("stray".into()));
    check(
        &stray,
        "session opened, user=root from here tty=\"pts/0\", bye, ",
        &[
            "stray=session opened",
            "user=root from here",
            "tty=pts/0",
            "stray=bye",
        ],
    );
    check(&stray, "no pairs at all", &["stray=no pairs at all"]);
}

#[test]
fn separators_are_what_the_options_say() {
    let semicolons = parser(|options| {
        options.pair_separator = ";".into();
        options.stray_words = Some("stray".into());
    });
    check(
        &semicolons,
        "hello; a=b c; bye d ; time=2026/02/20 11:24:54; x=y z;q=1",
        &[
            "stray=hello",
            "a=b c",
            "stray=bye d",
            "time=2026/02/20 11:24:54",
            "x=y z",
            "q=1",
        ],
    );
    let colons = parser(|options| {
        options.pair_separator = ";".into();
        options.value_separator = ":".into();
    });
    check(
        &colons,
        "VSYS:public; Slot:5/1;proto=x:17;;dst:10.0.0.1;",
        &["VSYS=public", "Slot=5/1", "x=17", "dst=10.0.0.1"],
    );
    let arrows = parser(|options| {
        options.value_separator = "=>".into();
        options.pair_separator = " && ".into();
        options.key_bytes = "_$".into();
    });
    check(&arrows, "$a=>1&&2 && b=>= && c=d", &["$a=1&&2", "b=="]);
    let none = parser(|options| options.pair_separator = String::new());
    check(&none, "a=1, b=2,c=3", &["a=1,", "b=2,c=3"]);
}

#[test]
fn quotation_marks_keep_separators_and_escapes() {
    check(
        &parser(|_| {}),
        r#"a="x, y=z" b='it\'s' c="say \"hi\" \\ C:\new" d='"' e='' f="x""#,
        &[
            "a=x, y=z",
            "b=it's",
            r#"c=say "hi" \ C:\new"#,
            "d=\"",
            "f=x",
        ],
    );
    let bare = parser(|options| options.quotes = String::new());
    check(&bare, r#"a="b c""#, &[r#"a="b c""#]);
}

#[test]
fn a_text_without_pairs_is_none() {
    let reason = "expected a name, the value separator and a value";
    for text in ["", " , ", "no pairs", "= == (=)", "\u{e9}=1"] {
        check_failure(&parser(|_| {}), text, 0, reason);
    }
}

#[test]
fn names_that_are_too_long_and_pairs_that_are_too_many_are_left_out() {
    let long = "n".repeat(NAME_BYTES_MAX + 1);
    let many = "k=v ".repeat(model::limits::RECORD_FIELDS_MAX + 5);
    let mut pairs = Pairs::default();
    for (text, count) in [
        (format!("{long}=1 b=2"), 1),
        (many, model::limits::RECORD_FIELDS_MAX),
    ] {
        pairs.clear();
        parser(|_| {}).parse(text.as_bytes(), &mut pairs).unwrap();
        assert_eq!(pairs.pairs().len(), count);
        assert!(pairs.is_truncated());
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    assert_eq!(
        refused(|options| options.value_separator = String::new()),
        "`value_separator` is empty: write what stands between name and value, such as \"=\""
    );
    assert_eq!(
        refused(|options| options.value_separator = "x=".into()),
        "`value_separator` cannot be \"x=\": it starts with white space, a quotation mark or a byte of names"
    );
    assert_eq!(
        refused(|options| options.value_separator = ":\\".into()),
        "`value_separator` cannot be \":\\\\\": it ends with a backslash, which escapes quotation marks"
    );
    assert_eq!(
        refused(|options| options.pair_separator = "-".into()),
        "`pair_separator` cannot be \"-\": it starts with a quotation mark or a byte of names"
    );
    assert_eq!(
        refused(|options| options.quotes = "\\".into()),
        "`quotes` cannot be \"\\\\\": a quotation mark is no backslash, no white space and no byte of names"
    );
    assert_eq!(
        refused(|options| options.key_bytes = "\u{e9}".into()),
        "`key_bytes` cannot be \"\u{e9}\": write characters of ASCII"
    );
    assert_eq!(
        refused(|options| options.stray_words = Some(String::new())),
        "`stray_words` is empty: write a name for stray words, or leave the option out"
    );
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "a", "b=", "=", "\"", "'", "\\", ", ", ",", " ", "=>", "&&", "(", "\u{e9}",
    ];
    check_any_bytes(&parser(|_| {}), &words);
    let odd = parser(|options| {
        options.value_separator = "=>".into();
        options.pair_separator = "&& ".into();
        options.stray_words = Some("rest".into());
        options.trim = "(a".into();
    });
    check_any_bytes(&odd, &words);
}
