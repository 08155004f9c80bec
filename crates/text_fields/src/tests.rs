//! Messages and their fields.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::limits::{DEPTH_MAX, FIELDS_MAX};

fn found(message: &[u8]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Detector::default().each(message, &mut |name, value| {
        fields.push((text(name), text(value)));
    });
    fields
}

fn check(message: &str, expected: &[(&str, &str)]) {
    let found = found(message.as_bytes());
    let found: Vec<_> = found
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert_eq!(found, expected, "{message}");
}

#[test]
fn pairs_stand_anywhere_in_a_text() {
    check(
        "kernel: IN=eth0 OUT= SRC=10.0.0.1 DPT=22",
        &[
            ("IN", "eth0"),
            ("OUT", ""),
            ("SRC", "10.0.0.1"),
            ("DPT", "22"),
        ],
    );
    check(
        "opened for root by (uid=0) [pid=5] a=1,b=2; c=x,y|d=3",
        &[
            ("uid", "0"),
            ("pid", "5"),
            ("a", "1"),
            ("b", "2"),
            ("c", "x,y"),
            ("d", "3"),
        ],
    );
    check(
        "E6: to=<anna@x.org>, relay=mx[203.0.76.194]:25, delays=0.06/0.01, status=sent (250 ok)",
        &[
            ("to", "<anna@x.org>"),
            ("relay", "mx[203.0.76.194]:25"),
            ("delays", "0.06/0.01"),
            ("status", "sent"),
        ],
    );
    check(
        r#"level=info msg="two \"words\" C:\new" err='a b' --user=root x=b64== t=5: z="torn"#,
        &[
            ("level", "info"),
            ("msg", r#"two "words" C:\new"#),
            ("err", "a b"),
            ("user", "root"),
            ("x", "b64=="),
            ("t", "5"),
            ("z", ""),
        ],
    );
    check(
        "type=LOGIN msg=audit(1364.243:24): pid=1 msg='op=login acct=\"root\" res=success'",
        &[
            ("type", "LOGIN"),
            ("msg", "audit(1364.243:24)"),
            ("pid", "1"),
            ("op", "login"),
            ("acct", "root"),
            ("res", "success"),
        ],
    );
}

#[test]
fn what_only_looks_like_a_pair_is_none() {
    for message in [
        "GET /a?b=c&d=e",
        "a==b",
        "a=>b",
        "a != b",
        "1=2",
        "= x",
        "a = b",
        "/etc/x=1",
        "x:y=1",
        "{a: 1}",
        "",
    ] {
        check(message, &[]);
    }
}

#[test]
fn objects_have_paths() {
    check(
        r#"@cee: {"src":{"ip":"10.0.0.1","port":22},"ok":true,"n":null,"t":["a",{"b":-1.5}],"e":{}}"#,
        &[
            ("src.ip", "10.0.0.1"),
            ("src.port", "22"),
            ("ok", "true"),
            ("t", "a"),
            ("t.b", "-1.5"),
        ],
    );
    check(
        "took=5ms ctx={\"a\":1 , \"b\\u00e9\" : \"x\\ny\"} user=root",
        &[
            ("took", "5ms"),
            ("ctx.a", "1"),
            ("ctx.b\u{e9}", "x\ny"),
            ("user", "root"),
        ],
    );
    check("{} {\"\":1,\"a\":2}", &[("a", "2")]);
}

#[test]
fn torn_and_broken_objects_give_what_is_before() {
    check(r#"{"a":"b","c":12"#, &[("a", "b")]);
    check(r#"{"a":"b","c":"x=y z=1"#, &[("a", "b")]);
    check(r#"{"a":1,"b" oops} x=2"#, &[("a", "1"), ("x", "2")]);
    check(r#"{"a":nope,"b":1}"#, &[]);
    let deep = format!("{{\"z\":1,{}1", "\"a\":{".repeat(DEPTH_MAX + 5));
    check(&deep, &[("z", "1")]);
}

#[test]
fn access_logs_are_told_by_their_shape() {
    let line = r#"198.51.57.16 - anna [01/Jan/2026:00:00:00 +0000] "GET /a?b=c HTTP/2.0" 200 3527 "-" "curl/8 \"x\"" rt=0.050"#;
    let common = [
        ("client", "198.51.57.16"),
        ("user", "anna"),
        ("method", "GET"),
        ("url", "/a?b=c"),
        ("path", "/a"),
        ("protocol", "HTTP/2.0"),
        ("status", "200"),
        ("bytes", "3527"),
    ];
    let mut all = common.to_vec();
    all.extend([("agent", "curl/8 \"x\""), ("rt", "0.050")]);
    check(line, &all);
    check(&line[..line.find(" \"-\"").expect("there")], &common);
    let with_host = format!("www.example.com:443 {line}");
    all.insert(0, ("vhost", "www.example.com:443"));
    check(&with_host, &all);
    check(
        "a - - [01/Jan/2026:00:00:00 +0000] \"\\x16\" 400 -",
        &[("client", "a"), ("url", "\\x16"), ("status", "400")],
    );
    check("a - - [01/Jux/2026:00:00:00 +0000] \"x\" 400 -", &[]);
}

#[test]
fn words_before_the_time_are_known_from_the_start() {
    let line = "10.0.0.1 - anna [01/Jan/2026:00:00:00 +0000] \"GET /a HTTP/2.0\" 200 3527";
    for (name, value) in [
        ("client", "10.0.0.1"),
        ("IDENT", "-"),
        ("user", "anna"),
        ("vhost", ""),
    ] {
        let known = line.find('[').expect("there") + 1;
        for end in 0..=line.len() {
            let start = line.as_bytes().get(..end).expect("within");
            let found = Lead::of(name.as_bytes(), start);
            let expected = match end >= known {
                true => Lead::Value(value.as_bytes()),
                false => Lead::Open,
            };
            assert_eq!(found, expected, "{name} of {end} bytes");
        }
    }
    assert_eq!(Lead::of(b"status", line.as_bytes()), Lead::Open);
    let with_host = format!("www.example.com:443 {line}");
    let vhost = Lead::of(b"vhost", with_host.as_bytes());
    assert_eq!(vhost, Lead::Value(b"www.example.com:443"));
}

#[test]
fn what_is_no_access_log_is_known_from_the_start() {
    for (text, known) in [
        ("a b [c", 5),
        ("a b c d e [f", 9),
        ("[a", 1),
        ("a \"b c [d", 3),
        ("a  b", 3),
        ("198.51.0.1:3555 [08/Jan/2026:23:59:56.792] fe", 17),
        ("a - - [01/Jux/2026:00:00:00 +0000]", 27),
    ] {
        for end in 0..=text.len() {
            let start = text.as_bytes().get(..end).expect("within");
            for name in ["client", "status", "other"] {
                let found = Lead::of(name.as_bytes(), start) == Lead::NoLog;
                assert_eq!(found, end >= known, "{name}, {end} bytes of {text}");
            }
        }
    }
}

#[test]
fn events_have_headers_and_extensions() {
    check(
        r"Sep 19 fw CEF:0|Sec\|urity|thr eat|1.0|100|worm stopped|10|src=10.0.0.1 msg=a \= b x act=deny ",
        &[
            ("deviceVendor", "Sec|urity"),
            ("deviceProduct", "thr eat"),
            ("deviceVersion", "1.0"),
            ("deviceEventClassId", "100"),
            ("name", "worm stopped"),
            ("severity", "10"),
            ("src", "10.0.0.1"),
            ("msg", "a = b x"),
            ("act", "deny"),
        ],
    );
    let leef = [
        ("vendor", "V"),
        ("product", "P"),
        ("version", "1"),
        ("eventId", "e"),
    ];
    let with = |more: &[(&'static str, &'static str)]| [&leef, more].concat();
    check(
        "LEEF:1.0|V|P|1|e|src=10.0.0.1\tusrName=a b",
        &with(&[("src", "10.0.0.1"), ("usrName", "a b")]),
    );
    check(
        "LEEF:2.0|V|P|1|e|^|src=1^usrName=a b",
        &with(&[("src", "1"), ("usrName", "a b")]),
    );
    check(
        "LEEF:2.0|V|P|1|e|x7C|src=1|usrName=a",
        &with(&[("src", "1"), ("usrName", "a")]),
    );
    check("REEF:1.0|V|P|1|e|src=1", &[("src", "1")]);
    // A blank in front of the version, and two, which are none of theirs.
    let spaced = &with(&[("src", "1")]);
    check("LEEF: 2.0|V|P|1|e|^|src=1", spaced);
    check("LEEF:  2.0|V|P|1|e|src=1", &[("src", "1")]);
    let cef = [
        ("deviceVendor", "V"),
        ("deviceProduct", "P"),
        ("deviceVersion", "1"),
        ("deviceEventClassId", "2"),
        ("name", "name here"),
        ("severity", "5"),
        ("src", "192.0.2.1"),
    ];
    check("CEF: 0|V|P|1|2|name here|5|src=192.0.2.1", &cef);
    check("CEF:0|V|P|1|2|name here|5|src=192.0.2.1", &cef);
}

#[test]
fn a_message_has_so_many_fields_at_most() {
    assert_eq!(
        found("a=1 ".repeat(FIELDS_MAX + 5).as_bytes()).len(),
        FIELDS_MAX
    );
}

/// Pieces of all formats.
const PIECES: [&str; 48] = [
    "a=",
    "user=",
    "x.y=1",
    "=",
    "==",
    " ",
    " ",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\u0041",
    "\\u",
    "{",
    "{\"",
    "}",
    "{\"a\":",
    "\"user\"",
    ":",
    ",",
    "[",
    "]",
    "(",
    ")",
    "1",
    "-2.5",
    "null",
    "true",
    "root",
    "b\u{e9}",
    "{\"src\":{\"ip\":\"10.0.0.1\"}}",
    "CEF:0|",
    "LEEF:1.0|",
    "LEEF:2.0|",
    "|",
    "v|p|1|id|",
    "name|5|",
    "\t",
    "<",
    ">",
    "a - - ",
    "[10/Oct/2000:13:55:36 -0700] ",
    "\"GET /a?b=c HTTP/1.0\" ",
    "404 ",
    "12 ",
    "\"r\" \"agent\"",
    "&",
    "^|",
];

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        20 => select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn words(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let words = text.split(|byte| !is_word_byte(*byte));
    words
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_ascii_lowercase)
}

/// Whether a word of a name or a value is one of those that an index would be asked for.
fn is_foreseen(word: &[u8], own: &[Vec<u8>]) -> bool {
    own.iter().any(|known| {
        known == word
            || known
                .strip_suffix(word)
                .is_some_and(|letter| matches!(letter, [letter] if ESCAPE_LETTERS.contains(letter)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_finder_finds_what_a_detector_does(message in any_message(), name in select(vec![
        "user", "USER", "a", "src.ip", "x.y", "status", "name", "vendor", "a.a", "ip", "path", ".",
    ])) {
        let mut expected = Vec::new();
        Detector::default().each(&message, &mut |own, value| {
            if own.eq_ignore_ascii_case(name.as_bytes()) {
                expected.push(value.to_vec());
            }
        });
        let mut found = Vec::new();
        FieldFinder::new(name.as_bytes()).each(&message, &mut |value| found.push(value.to_vec()));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn words_of_fields_are_words_of_the_message(message in any_message()) {
        let own: Vec<Vec<u8>> = words(&message).collect();
        let is_any = own.iter().any(|word| is_escape_word(word));
        Detector::default().each(&message, &mut |name, value| {
            for word in words(value) {
                assert!(is_any || is_foreseen(&word, &own), "{word:?} of {value:?}");
            }
            let may_lack = Origin::of(name).any(|origin| match origin {
                Origin::AccessLog => MONTHS.iter().any(|month| own.contains(&month.as_bytes().to_vec())),
                Origin::Cef => own.contains(&b"cef".to_vec()),
                Origin::Leef => own.contains(&b"leef".to_vec()),
            });
            for word in words(name) {
                assert!(is_any || may_lack || is_foreseen(&word, &own), "{name:?}");
            }
        });
    }

    #[test]
    fn any_bytes_are_read(message in prop::collection::vec(any::<u8>(), 0..200)) {
        Detector::default().each(&message, &mut |_, _| {});
    }
}
