use super::*;
use crate::limits::NAME_BYTES_MAX;
use crate::samples::{check, check_any_bytes, check_failure};

fn parser(text: &str) -> RegexParser {
    RegexParser::new(text).unwrap()
}

fn refused(text: &str) -> String {
    RegexParser::new(text).unwrap_err().to_string()
}

#[test]
fn a_login_of_sshd() {
    let sshd = parser(
        r"^(?<action>Failed|Accepted) (?P<method>\w+) for (?<invalid>invalid user )?(?<user>\S+) from (?<src.ip>\S+) port (\d+)",
    );
    check(
        &sshd,
        "Failed password for invalid user admin from 203.0.113.7 port 55022 ssh2",
        &[
            "action=Failed",
            "method=password",
            "invalid=invalid user ",
            "user=admin",
            "src.ip=203.0.113.7",
        ],
    );
    check(
        &sshd,
        "Accepted publickey for ann from ::1 port 22",
        &[
            "action=Accepted",
            "method=publickey",
            "user=ann",
            "src.ip=::1",
        ],
    );
    check_failure(
        &sshd,
        "session opened",
        0,
        "the regular expression does not match",
    );
}

#[test]
fn bytes_that_are_no_characters_match_a_dot() {
    let mut pairs = Pairs::default();
    let input = b"user \xe9t\xe9 ok";
    parser("user (?<user>.+) ok")
        .parse(input, &mut pairs)
        .unwrap();
    assert_eq!(pairs.get(pairs.pairs()[0].value, input), b"\xe9t\xe9");
}

#[test]
fn an_expression_of_characters_is_one() {
    check(
        &parser(r"(?<word>\p{L}+)"),
        "1 \u{e9}t\u{e9} 2",
        &["word=\u{e9}t\u{e9}"],
    );
    check(
        &parser("(?<word>[\u{e9}t]+)"),
        "1 \u{e9}t\u{e9} 2",
        &["word=\u{e9}t\u{e9}"],
    );
}

#[test]
fn empty_groups_are_no_pairs() {
    check(&parser("a(?<b>x*)(?<c>c)"), "ac", &["c=c"]);
    check(&parser("(?<b>x*)"), "ac", &[]);
}

#[test]
fn what_is_no_expression_is_refused() {
    assert_eq!(
        refused(""),
        "`pattern` is empty: write a regular expression with named groups"
    );
    assert_eq!(
        refused("(?<a>x"),
        "the regular expression cannot be read: unclosed group"
    );
    assert_eq!(
        refused("(?<a>(x{1000}){1000})"),
        "the regular expression is too large: make its repetitions smaller or cut it in two"
    );
    assert_eq!(
        refused("(x)"),
        "the regular expression names no group: write `(?<name>...)` around each part to keep"
    );
    let long = format!("(?<{}>x)", "n".repeat(NAME_BYTES_MAX + 1));
    assert_eq!(refused(&long), "`pattern` has 257 bytes: write at most 256");
}

#[test]
fn any_bytes_are_taken() {
    let words = ["a", "b", "=", " ", "x1", "\u{e9}", "\n"];
    check_any_bytes(&parser(r"(?<k>\w+)=(?<v>\S*)(?: (?<r>.*))?"), &words);
    check_any_bytes(&parser(r"(?<k>\p{L}+)(?<e>)$"), &words);
}
