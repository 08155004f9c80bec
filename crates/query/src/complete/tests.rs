use proptest::prelude::*;

use super::{Completion, Expected, complete, field_prefix, value_text};
use crate::ast::Target;
use crate::parse;

/// What is expected at the bar in the text: the word that is replaced, and the names of what may
/// stand there.
fn check(text: &str, replaced: &str, expected: &[&str]) {
    let (before, behind) = text.split_once('^').expect("a place");
    let whole = [before, behind].concat();
    let completion = complete(&whole, before.len());
    let names: Vec<String> = completion.expected.iter().map(name).collect();
    assert_eq!(names, expected, "{text}");
    assert_eq!(&whole[completion.span], replaced, "{text}");
}

fn name(expected: &Expected) -> String {
    match expected {
        Expected::Keyword(word) => (*word).to_owned(),
        Expected::Command => "a command".to_owned(),
        Expected::Field => "field:".to_owned(),
        Expected::Name => "a name".to_owned(),
        Expected::Column(column) => column.to_string(),
        Expected::Value(Target::Named(name)) => format!("value of nvpair:{name}"),
        Expected::Value(target) => {
            let name = crate::fields::name(target).expect("it has one");
            format!("value of {name}")
        }
    }
}

#[test]
fn a_word_may_become_a_field_or_an_operator() {
    check("^", "", &["field:", "NOT"]);
    check("ho^", "ho", &["field:"]);
    check("error ^", "", &["field:", "AND", "OR", "NOT"]);
    check("error A^", "A", &["field:", "AND"]);
    check("error AND ^", "", &["field:", "NOT"]);
    check("(^", "", &["field:", "NOT"]);
    check("ho^st:web-01 x", "host:", &["field:"]);
    check("web-*^", "web-*", &["field:"]);
}

#[test]
fn behind_a_field_stand_its_values() {
    check("host:^", "", &["value of host"]);
    check("a Host:we^b b", "web", &["value of host"]);
    check("priority:e^", "e", &["value of severity"]);
    check("user:^", "", &["value of nvpair:user"]);
    check("nvpair:host=x^", "x", &["value of nvpair:host"]);
    check("host:(a OR b^", "b", &["value of host"]);
    check("host:(a ^", "", &["value of host"]);
    check("host:(a) ^", "", &["field:", "AND", "OR", "NOT"]);
    check("host:=W^", "W", &["value of host"]);
    check("host:\"web 0^", "\"web 0", &["value of host"]);
    check("host:web-*^", "web-*", &["value of host"]);
}

#[test]
fn nothing_goes_on_behind_what_is_closed() {
    check("\"a b\"^", "", &[]);
    check("/a b/^", "", &[]);
    check("\"a ^", "\"a ", &[]);
}

#[test]
fn stages_know_what_comes_next() {
    check("a |^", "", &["a command"]);
    check("a | to^", "to", &["a command"]);
    check("a | to^p host", "top", &["a command"]);
    check("| top ^", "", &["a name"]);
    check("| top ho^", "ho", &["a name"]);
    check("| top host ^", "", &[]);
    check("| count ^", "", &["by"]);
    check("| count by ^", "", &["a name"]);
    check("| count by host,^", "", &["a name"]);
    check("| count by host, pr^og", "prog", &["a name"]);
    check("| bars ^", "", &["by"]);
    check("| bars 5 ^", "", &["by"]);
    check("| bars 5 by ^", "", &["a name"]);
    check("| p99.9 ^", "", &["a name"]);
    check("| sum size ^", "", &["by"]);
    check("| sum size by ^", "", &["a name"]);
    check("| head ^", "", &[]);
    check("\"a|b^", "\"a|b", &[]);
}

#[test]
fn columns_are_those_that_there_are() {
    check("| sort ^", "", &["a name"]);
    check("| top host | sort ^", "", &["host", "count"]);
    check("| top host | sort count ^", "", &["desc", "asc"]);
    check("| count by a, b | fields ^", "", &["a", "b", "count"]);
    check("| fields host | head 2 | sort ^", "", &["host"]);
}

#[test]
fn names_and_values_are_written_so_that_they_are_read() {
    for (name, prefix) in [
        ("host", "host:"),
        ("meta.Seq", "meta.Seq:"),
        ("two words", "nvpair:\"two words\"="),
        ("a\"b", "nvpair:\"a\\\"b\"="),
    ] {
        assert_eq!(field_prefix(name), prefix);
    }
    for (value, text) in [
        ("web-01", "web-01"),
        ("two words", "\"two words\""),
        ("a\"b", "\"a\\\"b\""),
        ("a*", "\"a*\""),
        ("", "\"\""),
    ] {
        assert_eq!(value_text(value), text);
    }
}

proptest! {
    #[test]
    fn any_place_of_any_text_can_be_asked_about(text in "[ab(|\":=, ]{0,20}|\\PC{0,30}", at in 0..40_usize) {
        let Completion { span, .. } = complete(&text, at);
        prop_assert!(text.get(span).is_some());
    }

    #[test]
    fn any_value_is_read_as_it_is(value in "\\PC{1,20}") {
        let text = format!("host:{}", value_text(&value));
        let parsed = parse(&text);
        prop_assert!(parsed.is_valid(), "{} {:?}", text, parsed.diagnostics);
    }
}
