use expect_test::expect;
use proptest::prelude::*;

use super::{Parsed, parse};
use crate::limits::{DEPTH_MAX, DIAGNOSTICS_MAX, LEAVES_MAX, QUERY_BYTES_MAX, WILDCARDS_MAX};

/// The tree, by its canonical text.
fn reads(text: &str, canonical: &str) {
    let parsed = parse(text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(parsed.query.canonical(), canonical, "{text}");
}

#[test]
fn a_colon_does_not_always_end_a_name() {
    reads("10:23:45", "\"10:23:45\"");
    reads("std::io", "\"std::io\"");
    reads("http://a.example/x*", "http://a.example/x*");
    reads("foo\\:b*", "foo\\:b*");
    reads("message:/a*/x", "message:\\/a*/x");
    reads("C:\\Windows", "\"c:\\\\windows\"");
    reads("aa:bb:cc:00:11:22", "\"aa:bb:cc:00:11:22\"");
    reads("fe80::1", "\"fe80::1\"");
    reads("peer:fe80::1", "peer:fe80::1");
    reads("foo:bar", "foo:bar");
    reads("foo\\:bar", "\"foo:bar\"");
    reads("message:AND", "message:and");
}

#[test]
fn a_slash_does_not_always_start_an_expression() {
    reads("/var/log", "\"/var/log\"");
    reads("/var/log/", "\"/var/log/\"");
    reads("GET / HTTP/1.1", "get AND \"/\" AND http/1.1");
    reads("program:/usr/sbin/sshd", "program:\"/usr/sbin/sshd\"");
    reads("/Var/ x", "/Var/ AND x");
    reads("(/a b\\/c/)", "/a b\\/c/");
    reads("//", "\"//\"");
}

#[test]
fn words_and_phrases_keep_what_is_no_syntax() {
    reads("[sshd]", "\"[sshd]\"");
    reads("user=bob", "\"user=bob\"");
    reads("a<b", "\"a<b\"");
    reads("3-term", "3-term");
    reads("message:[sshd]", "message:\"[sshd]\"");
    reads("f(x)", "f AND x");
    reads("user=\"a b\"", "\"user=\" AND \"a b\"");
    reads("\"a*b?\"", "\"a*b?\"");
    reads("dir\\(x86\\)", "\"dir(x86)\"");
    reads("a\u{a0}b", "a AND b");
    reads("a**b", "a*b");
    reads("host:**", "host:*");
    reads("host:?*", "host:?*");
}

#[test]
fn values_in_the_group_of_a_field_are_the_fields() {
    reads("severity:(err OR >=6)", "severity:err OR severity:>=info");
    reads("host:(a b OR NOT =C)", "(host:a AND host:b) OR NOT host:=C");
    reads("host:(a OR program:b)", "host:a OR program:b");
    reads("nvpair:k=(a OR /b/)", "k:a OR k:/b/");
}

#[test]
fn tokens_cover_the_text_in_order() {
    let text = "host:web-* AND NOT (/a b/ OR \"c d\") size:[1 TO 2] nvpair:x=>=3";
    let seen: Vec<String> = parse(text)
        .tokens
        .into_iter()
        .map(|token| format!("{} {}", token.kind.as_str(), &text[token.span]))
        .collect();
    expect![[r#"
        field host:
        term web-
        wildcard *
        operator AND
        operator NOT
        paren (
        regex /a b/
        operator OR
        phrase "c d"
        paren )
        field size:
        paren [
        term 1
        operator TO
        term 2
        paren ]
        field nvpair:
        field x=
        operator >=
        term 3"#]]
    .assert_eq(&seen.join("\n"));
}

#[test]
fn limits_refuse_and_say_which() {
    let refuses = |text: &str, message: &str| {
        let error = parse(text).into_result().expect_err("it is over the limit");
        let text = error.to_string();
        assert!(text.contains(message), "{text}");
    };
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    let leaves = |count: usize| vec!["a"; count].join(" OR ");
    let long = |len: usize| format!("\"{}\"", "a".repeat(len - 2));

    assert!(parse(&nested(DEPTH_MAX)).is_valid());
    refuses(&nested(DEPTH_MAX + 1), "nest deeper than 64");
    refuses(&"(".repeat(16_000), "nest deeper than 64");
    assert!(parse(&leaves(LEAVES_MAX)).is_valid());
    refuses(&leaves(LEAVES_MAX + 1), "more than 1024 terms");
    assert!(parse(&long(QUERY_BYTES_MAX)).is_valid());
    refuses(&long(QUERY_BYTES_MAX + 1), "16385 bytes long");

    assert!(parse(&"a*".repeat(WILDCARDS_MAX)).is_valid());
    refuses(&"a*".repeat(WILDCARDS_MAX + 1), "more than 64 wildcards");

    refuses(&"(".repeat(100_000), "bytes long");
    refuses(&"NOT ".repeat(100_000), "bytes long");
    refuses(&leaves(10_000), "bytes long");
    let parsed = parse(&format!("{}a", "NOT ".repeat(4_001)));
    assert_eq!(parsed.query.canonical(), "NOT a");
    assert!(parse(&")".repeat(16_000)).diagnostics.len() == DIAGNOSTICS_MAX);
    let many_errors = format!("{} | a", "host: ".repeat(100));
    refuses(&many_errors, "expected a value");
}

/// Whatever the text, the reading ends well: spans lie on character boundaries and in order, and a
/// valid query survives its canonical form.
fn check_any(text: &str) -> Result<(), TestCaseError> {
    let Parsed {
        query,
        diagnostics,
        tokens,
    } = parse(text);
    let mut end = 0;
    for token in &tokens {
        prop_assert!(end <= token.span.start && token.span.start < token.span.end);
        prop_assert!(text.get(token.span.clone()).is_some(), "{:?}", token);
        end = token.span.end;
    }
    for diagnostic in &diagnostics {
        prop_assert!(
            text.get(diagnostic.span.clone()).is_some(),
            "{diagnostic:?}"
        );
    }
    if diagnostics.is_empty() {
        let canonical = query.canonical();
        let again = parse(&canonical);
        prop_assert!(again.is_valid(), "{} {:?}", canonical, again.diagnostics);
        prop_assert_eq!(again.query, query, "{}", canonical);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_string_is_read(text in "\\PC{0,40}") {
        check_any(&text)?;
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        check_any(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_mixture_of_syntax_is_read(
        parts in prop::collection::vec(
            prop_oneof![
                Just("a"), Just("B1"), Just("é"), Just(" "), Just(" AND "), Just(" OR "),
                Just("NOT "), Just("("), Just(")"), Just("\""), Just("/"), Just("\\"),
                Just("*"), Just("?"), Just(":"), Just("="), Just(">="), Just("<"), Just("["),
                Just("]"), Just(" TO "), Just("host:"), Just("severity:"), Just("err"),
                Just("ip:"), Just("10.0.0.1"), Just("/8"), Just("nvpair:"), Just("x="),
                Just("size:"), Just("10"), Just("|"), Just("-2.5"), Just("."), Just("_"),
            ],
            0..16,
        )
    ) {
        check_any(&parts.concat())?;
    }
}
