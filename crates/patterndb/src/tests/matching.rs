//! Which rule a message finds.

use proptest::prelude::*;

use super::{found, loaded, of_patterns, rule_id};
use crate::Database;

#[test]
fn a_literal_text_comes_before_a_parser() {
    let database = of_patterns(&["a @STRING:x@", "a b"]);
    assert_eq!(rule_id(&database, "p", "a b"), "1");
    assert_eq!(rule_id(&database, "p", "a c"), "0");
}

#[test]
fn parsers_come_in_the_order_of_the_file_and_are_gone_back_on() {
    let database = of_patterns(&["@NUMBER:n@ x", "@STRING:s@ y", "@ESTRING:e: @z"]);
    let found = |message| found(&database, "p", message).expect("a rule");
    assert_eq!(found("1 x"), ("0".into(), vec!["n=1".into()]));
    assert_eq!(found("1 y"), ("1".into(), vec!["s=1".into()]));
    assert_eq!(found("1 z"), ("2".into(), vec!["e=1".into()]));
}

#[test]
fn the_whole_message_comes_before_a_start_of_it() {
    let database = of_patterns(&["num @NUMBER:n@", "num @STRING:s@ tail", "num"]);
    assert_eq!(rule_id(&database, "p", "num 12 tail"), "1");
    assert_eq!(rule_id(&database, "p", "num 12 other"), "0");
    assert_eq!(rule_id(&database, "p", "number"), "2");
    assert_eq!(rule_id(&database, "p", "nu"), "");
}

#[test]
fn a_program_is_found_by_its_start_and_others_by_rulesets_without_one() {
    let rule = |id: &str| format!("<rules><rule id='{id}'><pattern>m</pattern></rule></rules>");
    let database = loaded(&format!(
        "<patterndb version='4'>\
         <ruleset><patterns><pattern>ssh</pattern><pattern>x@NUMBER:n@</pattern></patterns>{}</ruleset>\
         <ruleset>{}</ruleset></patterndb>",
        rule("ssh"),
        rule("any")
    ));
    assert_eq!(rule_id(&database, "ssh", "m"), "ssh");
    assert_eq!(rule_id(&database, "sshd", "m"), "ssh");
    assert_eq!(rule_id(&database, "cron", "m"), "any");
    assert_eq!(rule_id(&database, "", "m"), "any");
    let found = database.classify(b"x12", b"m").expect("a rule");
    let values: Vec<_> = found
        .program_values()
        .map(|value| (value.name, value.value))
        .collect();
    assert_eq!(values, [("n", &b"12"[..])]);
}

#[test]
fn at_signs_are_written_twice() {
    let database = of_patterns(&["a@@b @STRING:x@@@c", "@@@@"]);
    let expected = Some(("0".to_owned(), vec!["x=y".to_owned()]));
    assert_eq!(found(&database, "p", "a@b y@c"), expected);
    assert_eq!(rule_id(&database, "p", "@@"), "1");
}

#[test]
fn a_line_feed_of_a_pattern_takes_a_carriage_return_in_front() {
    let database = of_patterns(&["a&#10;b", "c@NUMBER:n@&#10;d"]);
    for message in ["a\nb", "a\r\nb"] {
        assert_eq!(rule_id(&database, "p", message), "0", "{message:?}");
    }
    assert_eq!(rule_id(&database, "p", "c1\r\nd"), "1");
    assert_eq!(rule_id(&database, "p", "a\rb"), "");
}

#[test]
fn of_two_values_of_a_name_the_last_stays() {
    let database = of_patterns(&["@NUMBER:n@ @STRING:n@ @NUMBER@"]);
    let expected = Some(("0".to_owned(), vec!["n=a".to_owned()]));
    assert_eq!(found(&database, "p", "1 a 2"), expected);
}

#[test]
fn what_takes_too_many_steps_is_given_up() {
    // Thousands of nodes, most of which look at a long message as a whole.
    let parsers = [
        "@STRING:a@",
        "@STRING:b@",
        "@PCRE:c:[a-z0-9]+@",
        "@ESTRING:d:,@",
        "@SET:e:ax@",
    ];
    let mut patterns = Vec::new();
    for mut number in 0..5_usize.pow(5) {
        let mut pattern = String::new();
        for _ in 0..5 {
            pattern += parsers[number % 5];
            pattern += "@OPTIONALSET::,@";
            number /= 5;
        }
        patterns.push(pattern + "!");
    }
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let database = of_patterns(&patterns);
    let long = "a,".repeat(3 * 1024 * 1024);
    assert_eq!(rule_id(&database, "p", &long), "");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab ]{1,3}",
        Just("@@".to_owned()),
        Just("@STRING:s@".to_owned()),
        Just("@NUMBER:n@".to_owned()),
        Just("@ESTRING:e: @".to_owned()),
        Just("@ANYSTRING:a@".to_owned()),
        Just("@OPTIONALSET:o:ab@".to_owned()),
        Just("@PCRE:r:a|ab@".to_owned()),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 1..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_classified(
        patterns in proptest::collection::vec(pattern(), 1..8),
        message in proptest::collection::vec(any::<u8>(), 0..64),
        program in proptest::collection::vec(any::<u8>(), 0..8),
    ) {
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let database = of_patterns(&patterns);
        for program in [program.as_slice(), b"p"] {
            if let Some(found) = database.classify(program, &message) {
                for value in found.values() {
                    prop_assert_eq!(Some(value.value), message.get(value.range.clone()));
                }
            }
        }
    }

    #[test]
    fn a_literal_pattern_takes_itself_and_what_begins_with_it(
        patterns in proptest::collection::btree_set("[ab]{1,4}", 1..8),
        message in "[abc]{0,6}",
    ) {
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let database = of_patterns(&patterns);
        let starts = patterns.iter().filter(|pattern| message.starts_with(**pattern));
        let longest = starts.max_by_key(|pattern| pattern.len());
        let found = database.classify(b"p", message.as_bytes());
        let found = found.and_then(|found| patterns.get(found.rule.id.parse::<usize>().ok()?));
        prop_assert_eq!(found, longest);
    }

    #[test]
    fn any_bytes_are_a_database_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(Database::parse(&bytes).is_err());
    }
}
