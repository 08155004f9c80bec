use super::*;
use crate::samples::{check, check_any_bytes, check_failure};

fn parser(change: impl FnOnce(&mut JsonOptions)) -> JsonParser {
    let mut options = JsonOptions::default();
    change(&mut options);
    JsonParser::new(&options).unwrap()
}

#[test]
fn an_event_of_suricata() {
    check(
        &parser(|_| {}),
        r#"{"timestamp":"2026-05-10T11:37:47.000+0000","flow_id":1977, "event_type":"alert",
            "src_ip":"10.0.0.5", "alert":{"severity":2,"signature":"ET \"SCAN\" \u00e9","rev":-1.5e3,
            "metadata":{"tags":["a","b"],"ok":true,"none":null,"empty":"","e":{},"l":[]}},
            "dns":[{"rrname":"x.example","ttl":[1,[2]]},{"rrname":"y.example"},7]}"#,
        &[
            "timestamp=2026-05-10T11:37:47.000+0000",
            "flow_id=1977",
            "event_type=alert",
            "src_ip=10.0.0.5",
            "alert.severity=2",
            "alert.signature=ET \"SCAN\" \u{e9}",
            "alert.rev=-1.5e3",
            "alert.metadata.tags=a",
            "alert.metadata.tags=b",
            "alert.metadata.ok=true",
            "dns.rrname=x.example",
            "dns.ttl=1",
            "dns.ttl=2",
            "dns.rrname=y.example",
            "dns=7",
        ],
    );
}

#[test]
fn what_stands_in_the_text_is_not_copied() {
    let input = br#"{"a":"b","c":1,"d\n":"e","f":{"g":"h"}}"#;
    let mut pairs = Pairs::default();
    parser(|_| {}).parse(input, &mut pairs).unwrap();
    assert_eq!(pairs.own(), b"d\nf.g");
}

#[test]
fn a_marker_stands_in_front() {
    let cee = parser(|options| options.marker = "@cee:".into());
    check(&cee, " @cee: {\"a\":1} \n", &["a=1"]);
    check(&cee, "@cee:{\"a\":1}", &["a=1"]);
    check_failure(&cee, " {\"a\":1}", 1, "expected the marker");
}

#[test]
fn a_part_is_taken() {
    let text = r#"{"a":{"x":0},"hits":[{"no":1},{"source":{"ip":"10.0.0.1","n":[1]}}],"z":9}"#;
    let part = |path: &str| parser(|options| options.extract = path.into());
    check(&part("hits[1].source"), text, &["ip=10.0.0.1", "n=1"]);
    check(
        &part("hits[1]"),
        text,
        &["source.ip=10.0.0.1", "source.n=1"],
    );
    check(
        &part("hits"),
        text,
        &["no=1", "source.ip=10.0.0.1", "source.n=1"],
    );
    check(&part("[1].b"), r#"[0,{"b":{"c":1}}]"#, &["c=1"]);
    check(&part("a.b"), r#"{"\u0061":{"b":{"c":1}}}"#, &["c=1"]);
    check_failure(&part("hits[2]"), text, 0, "expected the part to extract");
    check_failure(&part("a.x"), text, 0, "expected the part to extract");
    check_failure(&part("a.y"), text, 0, "expected the part to extract");
}

#[test]
fn elements_of_all_kinds_have_the_name_of_their_array() {
    let text = r#"{"p":{"a":[1,{"b":[2,{"c":3},4]},[5,{"d":6}],7]}}"#;
    let expected = [
        "p.a=1",
        "p.a.b=2",
        "p.a.b.c=3",
        "p.a.b=4",
        "p.a=5",
        "p.a.d=6",
        "p.a=7",
    ];
    check(&parser(|_| {}), text, &expected);
}

#[test]
fn names_are_joined_by_the_delimiter() {
    let parser = parser(|options| options.key_delimiter = "__".into());
    check(
        &parser,
        r#"{"a":{"b":{"c":1},"d":2},"e":{"":3}}"#,
        &["a__b__c=1", "a__d=2", "e__=3"],
    );
}

#[test]
fn what_is_no_json_is_refused_at_its_place() {
    for (text, at, reason) in [
        ("", 0, "expected `{`"),
        ("[1]", 0, "expected `{`"),
        ("{", 1, "expected a name in double quotes"),
        ("{\"a\"}", 4, "expected `:` behind the name"),
        ("{\"a\":}", 5, "expected a value"),
        ("{\"a\":1,}", 7, "expected a name in double quotes"),
        ("{\"a\":1 \"b\":2}", 7, "expected `,` or `}`"),
        ("{\"a\":[1,]}", 8, "expected a value"),
        ("{\"a\":[1 2]}", 8, "expected `,` or `]`"),
        ("{\"a\":01}", 6, "expected `,` or `}`"),
        ("{\"a\":-}", 5, "this number is not one of JSON"),
        ("{\"a\":1.}", 5, "this number is not one of JSON"),
        ("{\"a\":NaN}", 5, "expected a value"),
        ("{\"a\":\"b}", 5, "this text has no end"),
        (
            "{\"a\":\"\\x\"}",
            6,
            "expected an escape of JSON behind `\\`",
        ),
        (
            "{\"a\":\"\\u12g4\"}",
            6,
            "expected four hexadecimal digits behind `\\u`",
        ),
        ("{} x", 3, "expected the end behind the object"),
    ] {
        check_failure(&parser(|_| {}), text, at, reason);
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
    let name = ["a"; DEPTH_MAX].join(".");
    check(&parser(|_| {}), &nested(DEPTH_MAX), &[&format!("{name}=1")]);
    let place = DEPTH_MAX * "{\"a\":".len();
    check_failure(
        &parser(|_| {}),
        &nested(DEPTH_MAX + 1),
        place,
        "this is nested too deep",
    );
    check_failure(
        &parser(|_| {}),
        &"{\"a\":[".repeat(1 << 16),
        96,
        "this is nested too deep",
    );
}

#[test]
fn names_that_are_too_long_are_left_out() {
    let long = "n".repeat(NAME_BYTES_MAX);
    let text = format!(
        r#"{{"{long}":1,"{long}x":2,"a":{{"{long}":3,"b":{{"{long}":{{"c":4}}}}}},"d":5}}"#
    );
    check(&parser(|_| {}), &text, &[&format!("{long}=1"), "d=5"]);
    let mut pairs = Pairs::default();
    parser(|_| {}).parse(text.as_bytes(), &mut pairs).unwrap();
    assert!(pairs.is_truncated());
    let escaped = "\\u006e".repeat(NAME_BYTES_MAX);
    let text =
        format!(r#"{{"{escaped}":1,"a":{{"{escaped}":2}},"\n{escaped}{escaped}":{{"b":3}}}}"#);
    check(&parser(|_| {}), &text, &[&format!("{long}=1")]);
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let refused = |change: fn(&mut JsonOptions)| {
        let mut options = JsonOptions::default();
        change(&mut options);
        JsonParser::new(&options).unwrap_err().to_string()
    };
    let remedy = "write names with dots between, and the number of an element in brackets";
    for path in ["a..b", ".a", "a[", "a[x]", "a[1]b", "a.[1]"] {
        let error = JsonParser::new(&JsonOptions {
            extract: path.into(),
            ..JsonOptions::default()
        });
        let expected = format!("`extract` cannot be \"{path}\": {remedy}");
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
    assert_eq!(
        refused(|options| options.key_delimiter = String::new()),
        "`key_delimiter` is empty: write what joins the names of a path, such as \".\""
    );
    assert_eq!(
        refused(|options| options.marker = "m".repeat(65)),
        "`marker` has 65 bytes: write at most 64"
    );
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "{",
        "}",
        "[",
        "]",
        "\"a\":",
        "\"b\"",
        "1",
        "-0.5e9",
        "true",
        "null",
        ",",
        ":",
        " ",
        "\"",
        "\\",
        "\\u00e9",
        "{\"a\":{\"b\":[1,\"x\\n\"]}}",
    ];
    check_any_bytes(&parser(|_| {}), &words);
    check_any_bytes(&parser(|options| options.extract = "a.b[0]".into()), &words);
}
