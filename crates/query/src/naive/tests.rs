use crate::samples::{Sample, batch};
use crate::{naive, parse};

/// Which of the messages a query finds.
fn check(query: &str, messages: &[&str], found: &[&str]) {
    let parsed = parse(query).into_result().expect("it is valid");
    let samples: Vec<_> = messages.iter().map(|text| Sample::message(*text)).collect();
    let batch = batch(&samples);
    let seen: Vec<_> = batch
        .iter()
        .filter(|record| naive::matches(&parsed.root, *record))
        .map(|record| String::from_utf8_lossy(record.message()).into_owned())
        .collect();
    assert_eq!(seen, found, "{query}");
}

#[test]
fn a_term_is_found_where_no_word_is_cut() {
    let texts = [
        "error",
        "an error.",
        "[Error]",
        "/error/",
        "errors",
        "my_error",
        "térror",
    ];
    check("error", &texts, &texts[..4]);
    check("ERROR", &texts, &texts[..4]);
    check("message:=error", &texts, &["error", "an error.", "/error/"]);
}

#[test]
fn a_term_with_other_bytes_is_that_sequence() {
    let texts = [
        "10.0.0.1",
        "10.0.0.1.",
        "10.0.0.10",
        "110.0.0.1",
        "10.0.0",
        "1 10.0.0.1:22",
    ];
    check(
        "10.0.0.1",
        &texts,
        &["10.0.0.1", "10.0.0.1.", "1 10.0.0.1:22"],
    );
    check(
        "/var/log",
        &["/var/log/x", "a/var/log", "/var/logs"],
        &["/var/log/x", "a/var/log"],
    );
    check(
        "foo-bar",
        &["foo-bar", "foo bar", "a-foo-bar-b", "foo-bars"],
        &["foo-bar", "a-foo-bar-b"],
    );
}

#[test]
fn an_end_that_is_no_word_byte_needs_no_bound() {
    check(
        "[err",
        &["[err]", "x[err]", "[error]"],
        &["[err]", "x[err]"],
    );
    check("foo-", &["foo-bar", "foo-", "xfoo-"], &["foo-bar", "foo-"]);
    check("\" a\"", &["x a", "a", " a"], &["x a", " a"]);
}

#[test]
fn a_star_runs_to_the_end_of_the_word_and_not_over_stops() {
    let texts = [
        "apple",
        "appl",
        "application-x",
        "my appl",
        "xappl",
        "green-apple",
    ];
    check(
        "appl*",
        &texts,
        &["apple", "appl", "application-x", "my appl", "green-apple"],
    );
    check("*pple", &texts, &["apple", "green-apple"]);
    check("*ppl*", &texts, &texts);
    check(
        "web-*",
        &["web-01.example.com", "web-", "web", "web 1"],
        &["web-01.example.com", "web-"],
    );
    check(
        "a*z",
        &["a-z", "a/b.z", "a z", "a:z", "az", "a-zy"],
        &["a-z", "a/b.z", "az"],
    );
}

#[test]
fn a_question_mark_is_one_character() {
    check(
        "us?r",
        &["user", "us-r", "usér", "us r", "us:r", "usr", "useer"],
        &["user", "us-r", "usér"],
    );
    check("*?", &["a", "-", "é", " ", ":", ""], &["a", "-", "é"]);
    check("?*", &["a", "-", "é", " ", ":", ""], &["a", "-", "é"]);
    check(
        "?",
        &["a", "ab", "a b", "é", "[-]"],
        &["a", "a b", "é", "[-]"],
    );
    check("k?", &["\u{212a}1", "k1", "İ1", "k"], &["\u{212a}1", "k1"]);
}

#[test]
fn a_phrase_is_found_letter_for_letter() {
    let texts = [
        "Connection refused",
        "connection  refused",
        "refused connection",
        "a connection refused.",
    ];
    check("\"connection refused\"", &texts, &[texts[0], texts[3]]);
    check("connection refused", &texts, &texts);
    check("message:=\"Connection ref*\"", &texts, &texts[..1]);
}
