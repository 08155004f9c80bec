//! What each kind of step makes of a record.

use std::time::Duration;

use super::*;
use crate::actions::{
    Classify, Date, Dedupe, Header, InList, Lookup, Map, Mask, Masking, RateLimit, Rename, Sample,
    Subst, Unset, Untag,
};

fn check(steps: Vec<Step>, text: &str, expected: &str) {
    let pipeline = pipeline(vec![route("a", steps)]);
    assert_eq!(outcome(&pipeline, text), [format!("a: {expected}")]);
}

#[test]
fn set_writes_parts_and_fields() {
    check(vec![set("message", "<${MSG}>")], "h text", "h|<text>| []");
    check(
        vec![set("a.b", "1"), set("A.B", "2")],
        "h text",
        "h|text|A.B=2 []",
    );
    check(
        vec![set("a.b", "1"), set("a.b", "")],
        "h text",
        "h|text| []",
    );
    let severity = pipeline(vec![route(
        "a",
        vec![set("severity", "err"), set("facility", "local3")],
    )]);
    let source = name("source");
    let split = severity.split(message("h text"), &source);
    let record = split.parts[0].batch.get(0).unwrap();
    assert_eq!(record.priority().number(), 19 * 8 + 3);
    check(
        vec![set("severity", "loud")],
        "h text",
        "h|text| [processing.failed]",
    );
    check(
        vec![set("time", "2026-11-29T10:00:00Z")],
        "h text",
        "h|text| []",
    );
    check(
        vec![set("time", "soon")],
        "h text",
        "h|text| [processing.failed]",
    );
}

#[test]
fn subst_replaces_what_matches() {
    let subst = |pattern: &str, with: &str, is_global| {
        let made = Subst::new(target("message"), (pattern, true), with, is_global);
        vec![act(made.unwrap())]
    };
    check(subst("A(.)", "<$1>", true), "h axay", "h|<x><y>| []");
    check(subst("A(.)", "<$1>", false), "h axay", "h|<x>ay| []");
    check(subst("zzz", "", true), "h axay", "h|axay| []");
    assert!(Subst::new(target("message"), ("(", false), "", true).is_err());
}

#[test]
fn fields_are_unset_and_renamed() {
    let unset = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        act(Unset::new(&names).unwrap())
    };
    let rename = |from: &str, to: &str| {
        act(Rename {
            from: target(from),
            to: target(to),
        })
    };
    check(
        vec![kv("k"), unset(&["k.a"])],
        "h a=1 b=2",
        "h|a=1 b=2|k.b=2 []",
    );
    check(vec![kv("k"), unset(&["k.*"])], "h a=1 b=2", "h|a=1 b=2| []");
    check(vec![unset(&["message"])], "h text", "h|| []");
    check(
        vec![kv("k"), rename("k.a", "x.y")],
        "h a=1 b=2",
        "h|a=1 b=2|k.b=2 x.y=1 []",
    );
    check(vec![kv("k"), rename("k.a", "host")], "h a=1", "1|a=1| []");
    check(vec![rename("absent", "host")], "h text", "h|text| []");
    assert!(Unset::new(&["a*b".to_owned()]).is_err());
}

#[test]
fn tags_are_taken_off() {
    let untag = act(Untag(vec!["x".to_owned(), "never".to_owned()]));
    check(vec![tag("x"), tag("y"), untag], "h text", "h|text| [y]");
}

#[test]
fn a_table_maps_values() {
    let map = |default: Option<&str>| {
        let rows = [("deny", "blocked"), ("accept", "allowed")];
        let rows = rows.map(|(key, value)| (key.as_bytes().to_vec(), vec![value.to_owned()]));
        act(Map {
            origin: Origin::parse("k.action").unwrap(),
            targets: vec![target("k.verdict")],
            table: Arc::new(rows.into_iter().collect()),
            default: default.map(str::to_owned),
            ignores_case: true,
        })
    };
    check(
        vec![kv("k"), map(None)],
        "h action=DENY",
        "h|action=DENY|k.action=DENY k.verdict=blocked []",
    );
    check(
        vec![kv("k"), map(Some("other"))],
        "h action=x",
        "h|action=x|k.action=x k.verdict=other []",
    );
    check(vec![map(None)], "h text", "h|text| []");
}

#[test]
fn values_are_masked() {
    let mask = |pattern: Option<&str>, masking| {
        let made = Mask::new(vec![target("message")], pattern, masking);
        vec![act(made.unwrap())]
    };
    let redact = || Masking::Redact("***".to_owned());
    check(mask(None, redact()), "h secret", "h|***| []");
    let digits = Some(r"\d{4,}");
    check(
        mask(digits, redact()),
        "h card 12345 of 67890!",
        "h|card *** of ***!| []",
    );
    check(
        mask(digits, Masking::KeepLastFour),
        "h card 12345678 pin 1234",
        "h|card ****5678 pin ****| []",
    );
    check(mask(None, Masking::KeepLastFour), "h äöüßñ", "h|*öüßñ| []");
    // HMAC-SHA-256 of `value` with the key `key`, by another implementation.
    check(
        mask(None, Masking::hash("key")),
        "h value",
        "h|90fbfcf15e74a36b| []",
    );
}

#[test]
fn only_some_of_many_pass() {
    let key = || Template::compile("${HOST}").unwrap();
    let limited = pipeline(vec![route(
        "a",
        vec![act(RateLimit::new(key(), 2, Duration::from_secs(1)))],
    )]);
    let passed = |pipeline: &Pipeline, text: &str| outcome(pipeline, text) != ["dropped 1"];
    let of_one = [(); 4].map(|()| passed(&limited, "h1 text"));
    assert_eq!(of_one, [true, true, false, false]);
    assert!(
        passed(&limited, "h2 text"),
        "each key has a limit of its own"
    );
    let deduped = pipeline(vec![route(
        "a",
        vec![act(Dedupe::new(key(), Duration::from_secs(1)))],
    )]);
    assert_eq!([(); 2].map(|()| passed(&deduped, "h1 text")), [true, false]);
    let sampled = pipeline(vec![route(
        "a",
        vec![act(Sample {
            key: key(),
            one_of: 4,
        })],
    )]);
    let hosts = (0..1_000).filter(|host| passed(&sampled, &format!("h{host} text")));
    let hosts = hosts.count();
    assert!(
        (150..350).contains(&hosts),
        "{hosts} of 1,000 for one of four"
    );
}

#[test]
fn the_time_is_read_from_a_field() {
    let date = |patterns: &[&str]| {
        let patterns: Vec<_> = patterns.iter().map(|text| (*text).to_owned()).collect();
        act(Date {
            origin: (Origin::parse("k.at").unwrap(), "k.at".to_owned()),
            patterns: parsers::DatePatterns::new(&patterns).unwrap(),
            zone: jiff::tz::TimeZone::get("Europe/Budapest").unwrap(),
        })
    };
    let time = |pattern: &str, text: &str| {
        let pipeline = pipeline(vec![route("a", vec![kv("k"), date(&[pattern])])]);
        let source = name("source");
        let split = pipeline.split(message(text), &source);
        let record = split.parts[0].batch.get(0).unwrap();
        (record.time().to_string(), record.tags().count())
    };
    assert_eq!(
        time("%Y-%m-%d %H:%M:%S", "h at=\"2026-11-29 10:00:00\""),
        ("2026-11-29T09:00:00.000000000Z".to_owned(), 0)
    );
    // In the gap of summer time, and in the hour that comes twice.
    assert_eq!(
        time("%Y-%m-%d %H:%M:%S", "h at=\"2026-03-29 02:30:00\"").0,
        "2026-03-29T01:30:00.000000000Z"
    );
    assert_eq!(
        time("%Y-%m-%d %H:%M:%S", "h at=\"2026-10-25 02:30:00\"").0,
        "2026-10-25T00:30:00.000000000Z"
    );
    assert_eq!(time("%s", "h at=1000").0, "1970-01-01T00:16:40.000000000Z");
    assert_eq!(time("%s", "h at=soon").1, 1);
}

#[test]
fn a_header_inside_of_a_message_is_read() {
    let header = || {
        let from = (Origin::parse("message").unwrap(), "message".to_owned());
        vec![act(Header::new(from, syslog::ParseOptions::default()))]
    };
    check(
        header(),
        r#"h <34>1 2026-11-29T10:00:00Z web app 7 ID [a@1 b="c\"d"] the text"#,
        r#"web|the text|a@1.b=c"d []"#,
    );
    check(
        header(),
        "h <13>Nov 29 10:00:00 web sshd[3]: text",
        "web|text| []",
    );
    check(header(), "h just text", "h|just text| [processing.failed]");
}

/// An action whose file is read.
fn with_file(action: impl Action + 'static, content: &str) -> Step {
    let file = action.file().expect("it works by a file");
    file.load(content.as_bytes()).unwrap();
    act(action)
}

#[test]
fn messages_are_classified_by_a_pattern_database() {
    const RULES: &str = r#"<patterndb version="5" pub_date="2026-11-29">
      <ruleset name="login" id="set"><pattern>h</pattern><rules>
        <rule provider="test" id="rule-1" class="security">
          <patterns><pattern>user @STRING:user@ from @IPv4:ip@</pattern></patterns>
          <tags><tag>login</tag></tags>
          <values><value name="who">${user}@${ip}</value></values>
        </rule></rules></ruleset></patterndb>"#;
    let steps = |is_strict| {
        let classify = Classify::new("rules.xml".into(), "", is_strict);
        vec![set("program", "h"), with_file(classify, RULES)]
    };
    check(
        steps(false),
        "h user root from 192.0.2.7",
        "h|user root from 192.0.2.7|.classifier.class=security .classifier.rule_id=rule-1 user=root \
         ip=192.0.2.7 who=root@192.0.2.7 [.classifier.security login]",
    );
    check(
        steps(false),
        "h something else",
        "h|something else|.classifier.class=unknown [.classifier.unknown]",
    );
    let strict = pipeline(vec![route("a", steps(true))]);
    assert_eq!(
        outcome(&strict, "h something else"),
        ["source: h|something else| []"]
    );
}

#[test]
fn a_table_and_a_list_are_read_from_files() {
    let lookup = Lookup::new(
        Origin::parse("host").unwrap(),
        "hosts.csv".into(),
        "asset",
        true,
    );
    let table = "host,owner,site\nweb-1,\"Ann, B.\",east\ndb-1,,west\n";
    let steps = vec![with_file(lookup, table)];
    let looked = pipeline(vec![route("a", steps)]);
    assert_eq!(
        outcome(&looked, "WEB-1 text"),
        ["a: WEB-1|text|asset.owner=Ann, B. asset.site=east []"]
    );
    assert_eq!(
        outcome(&looked, "db-1 text"),
        ["a: db-1|text|asset.site=west []"]
    );
    assert_eq!(outcome(&looked, "other text"), ["a: other|text| []"]);
    let listed = |is_negated| {
        let list = InList::new(Origin::parse("host").unwrap(), "bad.txt".into(), is_negated);
        pipeline(vec![route(
            "a",
            vec![with_file(list, "web-1 # a comment\n\n db-1\n")],
        )])
    };
    assert_eq!(outcome(&listed(false), "db-1 text"), ["a: db-1|text| []"]);
    assert_eq!(outcome(&listed(false), "h text"), ["source: h|text| []"]);
    assert_eq!(outcome(&listed(true), "h text"), ["a: h|text| []"]);
    assert_eq!(
        outcome(&listed(true), "web-1 text"),
        ["source: web-1|text| []"]
    );
}

#[test]
fn a_file_that_nobody_has_read_is_a_failure_and_a_bad_one_changes_nothing() {
    let lookup = || Lookup::new(Origin::parse("host").unwrap(), "x.csv".into(), "", false);
    check(vec![act(lookup())], "h text", "h|text| [processing.failed]");
    let action = lookup();
    let file = action.file().unwrap();
    file.load(b"k,v\nh,1\n").unwrap();
    assert!(file.load(b"only\n").is_err());
    assert!(file.load(b"a,b\n1,2,3\n").is_err());
    check(vec![act(action)], "h text", "h|text|v=1 []");
}
