//! What files may hold, and what is told of those that are wrong.

use std::time::Duration;

use super::{loaded, rule_id};
use crate::{Content, Database, Inherit, PatternProblem, Rate, Scope, Trigger, ValueType, limits};

const V1: &str = include_str!("../../testdata/v1.xml");
const V2: &str = include_str!("../../testdata/v2.xml");
const V3: &str = include_str!("../../testdata/v3.xml");
const V4: &str = include_str!("../../testdata/v4.xml");
const V5: &str = include_str!("../../testdata/v5.xml");
const V6: &str = include_str!("../../testdata/v6.xml");

#[test]
fn every_version_is_read() {
    for (version, text) in (1..).zip([V1, V2, V3, V4, V5, V6]) {
        let database = loaded(text);
        assert_eq!(database.version(), version);
        assert_eq!(database.warnings(), []);
        let id = rule_id(
            &database,
            "sshd",
            "Accepted password for bob from 192.0.2.7 port 4711 ssh2",
        );
        assert_eq!(id, "accepted", "version {version}");
    }
}

#[test]
fn a_rule_has_tags_values_and_examples() {
    let database = loaded(V6);
    let rule = &database.rules()[0];
    assert_eq!(
        (rule.id.as_str(), rule.class.as_str()),
        ("accepted", "system")
    );
    assert_eq!(rule.tags, [".classifier.system", "login"]);
    assert_eq!(rule.values[0].name, "usracct.type");
    assert_eq!(rule.values[0].template.text(), "login");
    assert_eq!(rule.values[1].value_type, ValueType::Integer);
    let example = &database.examples()[0];
    assert_eq!(example.rule, 0);
    assert_eq!(example.program.as_deref(), Some("sshd"));
    assert_eq!(example.values[0].name, "usracct.username");
    assert_eq!(example.values[0].value, "bob");
    assert_eq!(example.values[1].type_name.as_deref(), Some("integer"));
}

#[test]
fn a_rule_has_a_context_and_actions() {
    let database = loaded(V5);
    let rule = database
        .rules()
        .iter()
        .find(|rule| rule.id == "opened")
        .expect("there");
    let context = rule.context.as_ref().expect("one");
    assert_eq!(context.id.text(), "ssh-${usracct.username}");
    assert_eq!(context.scope, Scope::Host);
    assert_eq!(context.timeout, Duration::from_secs(86_400));
    let [matched, over, started] = rule.actions.as_slice() else {
        panic!("three actions");
    };
    assert_eq!(matched.trigger, Trigger::Match);
    assert_eq!(
        matched.rate,
        Some(Rate {
            count: 1,
            seconds: 60
        })
    );
    assert!(matched.condition.is_some());
    let Content::Message(message) = &matched.content else {
        panic!("a message");
    };
    assert_eq!(message.inherit, Inherit::Context);
    assert_eq!(
        message.values[0].template.text(),
        "${usracct.username}@1 logged in"
    );
    assert_eq!(over.trigger, Trigger::Timeout);
    assert!(
        matches!(&started.content, Content::Context(context, _) if context.scope == Scope::Global)
    );
}

/// Files, the line of what is wrong with them, what is told, and what to do.
const WRONG_FILES: [(&str, usize, &str, &str); 10] = [
    ("", 1, "no <patterndb>", ""),
    ("<html/>", 1, "no <patterndb>", "<html>"),
    ("<patterndb>\n<ruleset>\n</patterndb>", 3, "no XML", ""),
    ("<patterndb>\n<ruleset>", 2, "has no end", ""),
    (
        "<patterndb version='7'/>",
        1,
        "no version `7`",
        "versions 1 to 6",
    ),
    (
        "<patterndb>\n<program/></patterndb>",
        2,
        "<program> cannot stand in <patterndb>",
        "<ruleset>",
    ),
    (
        "<patterndb/>\n<patterndb/>",
        2,
        "<patterndb> cannot stand in <file>",
        "",
    ),
    (
        "<patterndb>\nx</patterndb>",
        2,
        "text that belongs to no element",
        "<!--",
    ),
    (
        "<patterndb><ruleset><rules>\n<rule/></rules></ruleset></patterndb>",
        2,
        "has no `id`",
        "id=",
    ),
    (
        "<patterndb><ruleset><pattern>a</pattern></ruleset>\n<ruleset><pattern>b</pattern>\
         <pattern>a</pattern></ruleset></patterndb>",
        2,
        "`a` belongs to another ruleset",
        "share",
    ),
];

/// The same of what stands in a rule, whose first line is line 5.
const WRONG_RULES: [(&str, usize, &str, &str); 10] = [
    ("<x/>", 5, "<x> cannot stand in <rule>", "<pattern>"),
    (
        "<pattern>a<b/></pattern>",
        5,
        "<b> cannot stand in <pattern>",
        "text",
    ),
    ("<pattern>&nope;</pattern>", 5, "no entity `nope`", "&amp;"),
    ("<value>x</value>", 5, "has no `name`", "name="),
    (
        "<value name='a' type='number'>x</value>",
        5,
        "`type` cannot be `number`",
        "integer",
    ),
    (
        "\n<value name='a'>$(nope)</value>",
        6,
        "no function `nope`",
        "",
    ),
    (
        "<actions><action trigger='never'/></actions>",
        5,
        "`trigger` cannot be",
        "timeout",
    ),
    (
        "<actions><action condition='x y'/></actions>",
        5,
        "condition `x y`",
        "",
    ),
    (
        "<actions><action><create-context/></action></actions>",
        5,
        "has no `context-id`",
        "",
    ),
    (
        "<actions><action><message inherit-mode='all'/></action></actions>",
        5,
        "`inherit-mode` cannot be",
        "last-message",
    ),
];

/// A file with this in its rule.
fn with(rule: &str) -> String {
    format!(
        "<patterndb version='4'>\n<ruleset>\n<rules>\n<rule id='1'>\n{rule}\n</rule></rules></ruleset>\
         </patterndb>"
    )
}

#[test]
fn what_is_wrong_has_a_line_and_a_remedy() {
    let files = WRONG_FILES.map(|(text, line, what, remedy)| (text.to_owned(), line, what, remedy));
    let rules = WRONG_RULES.map(|(text, line, what, remedy)| (with(text), line, what, remedy));
    for (text, line, what, remedy) in files.into_iter().chain(rules) {
        let error = Database::parse(text.as_bytes()).expect_err(&text);
        let told = error.to_string();
        assert_eq!(error.line, line, "{told}\n{text}");
        assert!(told.contains(what), "{told}\n{text}");
        assert!(told.contains(remedy), "{told}\n{text}");
    }
}

#[test]
fn a_file_in_another_encoding_is_told() {
    let error = Database::parse(b"<patterndb>\n\n\xe9</patterndb>").expect_err("no UTF-8");
    assert_eq!(error.line, 3);
    assert!(error.to_string().contains("iconv"));
}

#[test]
fn a_pattern_that_cannot_be_read_is_left_out_with_a_warning() {
    let database = loaded(&with(
        "<pattern>a @NUMER:x@</pattern>\n<pattern>b@c</pattern>\n<pattern>ok</pattern>\n\
         <pattern>ok</pattern>\n<pattern></pattern>",
    ));
    let warnings: Vec<_> = database
        .warnings()
        .iter()
        .map(|warning| warning.line)
        .collect();
    assert_eq!(warnings, [5, 6, 8, 9]);
    let problems: Vec<_> = database
        .warnings()
        .iter()
        .map(|warning| &warning.problem)
        .collect();
    assert_eq!(problems[0], &PatternProblem::UnknownParser("NUMER".into()));
    assert_eq!(problems[1], &PatternProblem::UnclosedParser);
    assert_eq!(problems[2], &PatternProblem::Duplicate("1".into()));
    assert_eq!(problems[3], &PatternProblem::Empty);
    assert_eq!(rule_id(&database, "p", "ok"), "1");
}

#[test]
fn what_is_too_much_is_refused() {
    let deep = "<ruleset>".repeat(limits::NESTING_MAX + 1);
    let error = Database::parse(format!("<patterndb>{deep}").as_bytes());
    assert!(error.is_err());
    let parsers = "@NUMBER:a@ ".repeat(limits::TREE_DEPTH_MAX / 2);
    let error = Database::parse(with(&format!("<pattern>{parsers}</pattern>")).as_bytes());
    let error = error.expect_err("a deep tree");
    assert!(error.to_string().contains("levels"), "{error}");
    let long = "x".repeat(limits::PATTERN_BYTES_MAX + 1);
    let database = loaded(&with(&format!("<pattern>{long}</pattern>")));
    assert_eq!(database.warnings().len(), 1);
}

#[test]
fn text_is_read_as_xml_has_it() {
    let database = loaded(&with(
        "<pattern>a &lt;&amp;&#x41; <![CDATA[<b> ]]>c<!-- not d --></pattern>",
    ));
    assert_eq!(rule_id(&database, "p", "a <&A <b> c"), "1");
}
