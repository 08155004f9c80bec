//! Outlines beside what a look at each text finds.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::{Bytes, Summary};

/// Formats; `#` stands for what varies.
const FORMATS: [&str; 32] = [
    "#: to=<#>, relay=#[#]:25, delay=#, status=sent (250 2.0.0 Ok: queued as #)",
    "a=# b=#, c=\"#\" d='#' e=#;f=#",
    "session opened for # by (uid=#)",
    "# #: # x=#",
    "#=# n=1",
    "x#y=1 # z=#",
    "{\"a\":\"#\",\"b\":#,\"c\":{\"d\":[#,\"#\"]},\"e\":null}",
    "@cee: {\"a\":\"#\",\"#\":#} x=#",
    "name={\"a\":#} y=#",
    "# - # [#] \"GET # HTTP/1.1\" # # \"#\" \"#\" rt=#",
    "# - # [01/Jan/2026:00:00:0# +0000] \"GET /a#?b=1 HTTP/1.1\" 20# #",
    "web # - # [01/Jan/2026:00:00:00 +0000] \"# # #\" 200 5 x=#",
    "- - - [01/Jan/2026:00:00:00 +0000] \"GET /#\" 200 5 \"#",
    "# # # [#] \"#\" # #",
    "# - # [01/Jan/2026:00:00:00 +0000] \"#\" 200 # \"#\" \"#\" x=#",
    "# - - [01/Jan/2026:00:00:00 +0000] \"# #\" 200 #",
    "# # # [01/Jan/2026:00:00:00 +0000#\"GET / HTTP/1.0\" 200 5",
    "# said \"a=#\" and b=#",
    "# x=\"torn # y=#",
    "x='torn # y=# '",
    "msg='op=# acct=#' z=#",
    "a=1,# b=2,#=# c=3:#",
    "a==# b=># {# {\"#\":1} { # }",
    "a=#{\"b\":1} c=(# d)",
    "--opt=# -#=1 #-x=1 .y=#",
    "CEF:0|v|p|1|2|n|5|src=# msg=#",
    "CE# x=#",
    "#?q=#&r=# s=#",
    "f=#, g=#; h=#: i=#' j=#",
    "{\"a\":\"# b",
    "{\"a\":# x=1",
    "#",
];

fn values() -> impl Strategy<Value = Vec<u8>> {
    let listed = select(vec![
        "5",
        "12",
        "0.25",
        "-",
        "-7",
        "true",
        "null",
        "root",
        "a.b-c",
        "404",
        "200",
        "x=5",
        "a b",
        "",
        "\"",
        "\\",
        "\\\"",
        "{\"k\":1}",
        "{",
        "}",
        "[",
        "] \"",
        "a,b",
        "a:",
        "'",
        "b'c",
        "|",
        "/a?b=c",
        "01/Jan/2026:00:00:00 +0000",
        "02/Jan/2026:10:00:00 +0000",
        "1.2.3.4",
        "n\u{e9}e",
        "GET",
        "GET /a?b=c HTTP/1.1",
        "- ?x -",
        "GET /b",
        "=",
        "=x",
        "~",
        ">",
        "a b=c",
        "CEF:0|",
        " ",
        "\t",
        "9e5",
        "x]",
        "(y",
        "c=d, e=f",
        "Mozilla/5.0 (X11; Linux)",
    ]);
    let drawn = "[a-c0-9 =:,\"'{}\\[\\]|.<>()\\\\-]{0,4}".prop_map(String::into_bytes);
    prop_oneof![3 => listed.prop_map(|text: &str| text.as_bytes().to_vec()), 1 => drawn]
}

fn fill(format: &str, values: &[Vec<u8>]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut next = values.iter();
    for (number, fixed) in format.split('#').enumerate() {
        if number > 0 {
            text.extend_from_slice(next.next().expect("enough"));
        }
        text.extend_from_slice(fixed.as_bytes());
    }
    text
}

fn stretches_of<'a>(format: &'a str, examples: &'a [Vec<u8>]) -> Vec<Stretch<'a>> {
    let mut stretches = Vec::new();
    let mut next = examples.iter();
    for (number, fixed) in format.split('#').enumerate() {
        if number > 0 {
            stretches.push(Stretch::Varying(next.next().expect("enough")));
        }
        if !fixed.is_empty() {
            stretches.push(Stretch::Fixed(fixed.as_bytes()));
        }
    }
    stretches
}

fn outline_of(format: &str, examples: &[Vec<u8>]) -> Option<Outline> {
    Outline::of(&stretches_of(format, examples))
}

fn by_outline(outline: &Outline, values: &[Vec<u8>]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut kept = outline.rules.iter().zip(values);
    if !kept.all(|(rule, value)| rule.holds(value)) {
        return None;
    }
    let fields = outline.fields.iter().filter_map(|field| {
        let mut value = Vec::new();
        for piece in &field.value {
            match piece {
                Piece::Bytes(bytes) => value.extend_from_slice(bytes),
                Piece::Varying(number) => value.extend_from_slice(values.get(*number)?),
            }
        }
        Some((field.name.to_vec(), field.of(&value)?.to_vec()))
    });
    Some(fields.collect())
}

fn by_look(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    Detector::default().each(text, &mut |name, value| {
        found.push((name.to_vec(), value.to_vec()));
    });
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn texts_that_keep_the_rules_have_the_fields_of_the_outline(
        format in select(&FORMATS[..]),
        examples in prop::collection::vec(values(), 12),
        texts in prop::collection::vec(prop::collection::vec(values(), 12), 4),
    ) {
        if let Some(outline) = outline_of(format, &examples) {
            for values in texts {
                if let Some(fields) = by_outline(&outline, &values) {
                    let text = fill(format, &values);
                    let shown = String::from_utf8_lossy(&text).into_owned();
                    prop_assert_eq!(fields, by_look(&text), "{} {:?}", shown, outline);
                }
            }
        }
    }
}

/// Whether a text can have a field of a name by its place in an access log alone.
fn is_of_log_alone(text: &[u8], name: &str) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    !text.contains(name) && !text.contains("cef:") && !text.contains("leef:")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn fields_of_access_logs_are_known_by_what_stands_before_them(
        format in select(&FORMATS[..]),
        name in select(vec!["vhost", "client", "user", "url", "path", "status", "bytes", "referrer", "agent"]),
        examples in prop::collection::vec(values(), 12),
        texts in prop::collection::vec(prop::collection::vec(values(), 12), 4),
    ) {
        let stretches = stretches_of(format, &examples);
        if !is_of_log_alone(&fill(format, &examples), name) {
            return Ok(());
        }
        let outline = Outline::of_log_field(name.as_bytes(), &stretches);
        for values in texts {
            let text = fill(format, &values);
            if !is_of_log_alone(&text, name) {
                continue;
            }
            let shown = String::from_utf8_lossy(&text).into_owned();
            let mut found = by_look(&text);
            found.retain(|(own, _)| own == name.as_bytes());
            if Outline::is_never_a_log(&stretches) {
                prop_assert!(found.is_empty(), "{}", shown);
            }
            if let Some(outline) = &outline
                && let Some(fields) = by_outline(outline, &values)
            {
                prop_assert_eq!(fields, found, "{} {:?}", shown, outline);
            }
        }
    }
}

#[test]
fn what_stands_behind_a_field_of_an_access_log_may_be_anything() {
    let format = "# - - [#] \"#\" # # \"#\" \"#\" rt=#";
    let time = "01/Jan/2026:00:00:00 +0000";
    let values = |referrer: &str, agent: &str| {
        let request = "GET /a HTTP/1.1";
        let values = ["10.0.0.1", time, request, "200", "5", referrer, agent, "x"];
        values.map(|value| value.as_bytes().to_vec()).to_vec()
    };
    let examples = values("-", "curl \\x");
    let stretches = stretches_of(format, &examples);
    for (name, rules) in [("status", 5), ("Path", 5), ("client", 5)] {
        let outline = Outline::of_log_field(name.as_bytes(), &stretches).expect("an access log");
        assert_eq!(outline.rules.len(), rules, "{name}");
        let found = by_outline(&outline, &values("a\"b", "{\"c\":1}")).expect("kept");
        assert_eq!(found.len(), 1, "{name}");
    }
    assert_eq!(
        Outline::of_log_field(b"agent", &stretches),
        None,
        "an escape"
    );
    let other = stretches_of("a b [#] #", &examples);
    let outline = Outline::of_log_field(b"status", &other).expect("no access log");
    assert_eq!(outline, Outline::default());
}

#[test]
fn a_quotation_mark_that_varies_is_none_in_another_text() {
    let format = "x='torn # y=# '";
    let values = |values: [&str; 2]| values.map(|value| value.as_bytes().to_vec()).to_vec();
    for examples in [["'", ""], ["'", "5"], ["5", "'"], ["'", "'"]] {
        let Some(outline) = outline_of(format, &values(examples)) else {
            continue;
        };
        for others in [["5", "5"], ["'", "5"], ["5", "'"]].map(values) {
            if let Some(fields) = by_outline(&outline, &others) {
                assert_eq!(
                    fields,
                    by_look(&fill(format, &others)),
                    "{examples:?} {others:?}"
                );
            }
        }
    }
}

#[test]
fn common_formats_have_outlines() {
    for (format, examples, others) in [
        (
            "#: to=<#>, relay=#[#]:25, delay=#, status=sent (250 2.0.0 Ok: queued as #)",
            ["8974", "a@b.c", "mx.b.c", "1.2.3.4", "0.4", "79cb"].as_slice(),
            ["D5: x", "anna@x.org", "mx", "198.51.71.231", "12.25", "a:b"].as_slice(),
        ),
        (
            "{\"level\":\"#\",\"usr_id\":#,\"duration_ms\":#,\"msg\":\"#\"}",
            ["info", "10263", "215.25", "order placed"].as_slice(),
            ["warn, x=5", "7", "-0.5", "{a: 'b'} = [c]"].as_slice(),
        ),
        (
            "# - # [#] \"GET # HTTP/1.1\" # # \"#\" \"#\" rt=#",
            [
                "1.2.3.4",
                "-",
                "01/Jan/2026:00:00:00 +0000",
                "/a",
                "200",
                "5",
                "-",
                "M",
                "0.1",
            ]
            .as_slice(),
            [
                "fe80::1",
                "root",
                "31/Jan/2026:23:59:59 +0100",
                "/a?b=c",
                "404",
                "-",
                "http://a/",
                "Mozilla/5.0 (X11; a=b)",
                "12",
            ]
            .as_slice(),
        ),
    ] {
        check_outline(format, examples, others);
    }
}

#[test]
fn an_example_may_have_equals_signs_in_quotes() {
    check_outline(
        "# - - [#] \"#\" # # \"-\" \"#\" rt=#",
        &[
            "1.2.3.4",
            "01/Jan/2026:00:00:00 +0000",
            "GET /s?q=1&p=2 HTTP/1.1",
            "200",
            "5",
            "-",
            "1",
        ],
        &[
            "fe80::1",
            "31/Jan/2026:23:59:59 +0100",
            "PUT /b HTTP/2.0",
            "404",
            "-",
            "(X; a)",
            "12",
        ],
    );
}

/// An outline by some values has the fields of a text with others.
fn check_outline(format: &str, examples: &[&str], others: &[&str]) {
    let bytes = |values: &[&str]| -> Vec<Vec<u8>> {
        let values = values.iter();
        values.map(|value| value.as_bytes().to_vec()).collect()
    };
    let outline = outline_of(format, &bytes(examples)).expect(format);
    let found = by_outline(&outline, &bytes(others)).expect(format);
    assert!(found.len() >= 3, "{found:?}");
    assert_eq!(found, by_look(&fill(format, &bytes(others))));
}

/// Values that may have some bytes.
struct Known {
    bytes: Bytes,
    has_empty: bool,
}

impl Summary for Known {
    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn first(&self) -> Bytes {
        self.bytes
    }

    fn has_empty(&self) -> bool {
        self.has_empty
    }

    fn spaces_min(&self) -> usize {
        0
    }

    fn are_like(&self, _: &[u8]) -> bool {
        false
    }
}

#[test]
fn a_summary_is_as_good_as_all_values() {
    let outline = outline_of("a=# b=#", &[b"5".to_vec(), b"x".to_vec()]).expect("an outline");
    let rule = outline.rules.first().expect("a rule");
    let holds_for = |bytes, has_empty| {
        let bytes = [bytes, 0, 0, 0];
        rule.holds_for(&Known { bytes, has_empty })
    };
    let digits = 0x3ff << b'0';
    assert!(holds_for(digits, false));
    assert!(!holds_for(digits, true));
    assert!(!holds_for(digits | 1 << b' ', false));
}
