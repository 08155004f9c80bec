//! syslog-ng does the same to the same bytes.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;
use testkit::peers::{Receiver, SyslogNg};
use testkit::{Server, Setup, need, send_stream, text};

/// What syslog-ng does with a message, by its program.
const SYSLOG_NG: &str = r#"channel {
  source { network(ip("127.0.0.1") port(PORT) transport("tcp")); };
  junction {
    channel { filter { program("kv"); }; parser { kv-parser(prefix("p.")); }; flags(final); };
    channel { filter { program("json"); }; parser { json-parser(prefix("p.")); }; flags(final); };
    channel { filter { program("csv"); };
      parser { csv-parser(columns("p.a", "p.b", "p.c") delimiters(",") quote-pairs('""') dialect(escape-double-char)); };
      flags(final); };
    channel { filter { program("greedy"); };
      parser { csv-parser(columns("p.a", "p.b") delimiters(" ") quote-pairs('""') flags(greedy, strip-whitespace)); };
      flags(final); };
    channel { filter { program("regex"); };
      parser { regexp-parser(patterns("(?<user>[a-z]+)@(?<host>[a-z.]+)") prefix("p.")); }; flags(final); };
    channel { filter { program("subst"); }; rewrite {
        subst('[0-9]+', 'N', value("MESSAGE"), flags("global"));
        set("renamed", value("HOST")); }; flags(final); };
    channel { flags(final); };
  };
};"#;

const SYSLOG_NG_LINE: &str =
    "$(format-json host=$HOST message=$MSG fields=$(format-json --key p.*))";

/// The same in our words.
const LOGWOOD: &str = r#"
[route.all]
steps = [
    { do = "if", when = "program:=kv", steps = [{ do = "kv", prefix = "p" }] },
    { do = "if", when = "program:=json", steps = [{ do = "json", prefix = "p", on_error = "ignore" }] },
    { do = "if", when = "program:=csv", steps = [
        { do = "csv", prefix = "p", columns = ["a", "b", "c"], strip = false },
    ] },
    { do = "if", when = "program:=greedy", steps = [
        { do = "csv", prefix = "p", columns = ["a", "b"], delimiters = " ", greedy = true, escape = "none" },
    ] },
    { do = "if", when = "program:=regex", steps = [
        { do = "regex", prefix = "p", pattern = '(?<user>[a-z]+)@(?<host>[a-z.]+)', on_error = "ignore" },
    ] },
    { do = "if", when = "program:=subst", steps = [
        { do = "subst", pattern = '[0-9]+', with = "N" },
        { do = "set", values = { host = "renamed" } },
    ] },
]
logspace = "main"
"#;

/// Messages by the program that they go to. One that a parser refuses goes on as it is.
const MESSAGES: &[(&str, &str)] = &[
    ("kv", "action=deny src=192.0.2.7 msg=\"two words\" n=3"),
    ("kv", "a=1, b=2, c='single quotes', d=x,y"),
    ("kv", "stray a=1 words b=2 behind"),
    (
        "kv",
        "time=10:00:00 devname=\"FG-1\" logid=0000000013 type=\"traffic\"",
    ),
    ("kv", "quoted=\"with \\\"escapes\\\"\" next=1"),
    ("kv", "url=http://x/?a=b&c=d last=1"),
    ("json", r#"{"a":"x","b":{"c":1,"d":true}}"#),
    (
        "json",
        r#"{"unicode":"\u00e4\u20ac","quote":"\"","nl":"a\nb"}"#,
    ),
    ("json", r#"{"broken": "#),
    ("json", "no json at all"),
    ("csv", "one,two,three"),
    ("csv", "one,\"two, with comma\",three"),
    ("csv", "one,two"),
    ("greedy", "first the rest of it"),
    ("greedy", "\"first one\" the rest"),
    ("regex", "mail from root@example.com accepted"),
    ("regex", "nothing of it"),
    ("subst", "user 17 of 4711 left 0 behind"),
    ("other", "a=1 {\"b\":2} is left alone"),
];

/// Host, message and the fields below `p`.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    host: String,
    message: String,
    fields: BTreeMap<String, String>,
}

fn of_logwood(row: &Value) -> Seen {
    let fields = row["fields"].as_object().into_iter().flatten();
    let own = fields.filter_map(|(name, value)| {
        let name = name.strip_prefix("p.")?;
        Some((
            name.to_owned(),
            value.as_str().unwrap_or_default().to_owned(),
        ))
    });
    Seen {
        host: text(row, "host").to_owned(),
        message: text(row, "message").to_owned(),
        fields: own.collect(),
    }
}

fn of_syslog_ng(line: &str) -> Result<Seen> {
    let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
    let nested: Value = match row["fields"].as_str() {
        Some(text) => serde_json::from_str(text).with_context(|| line.to_owned())?,
        None => row["fields"].clone(),
    };
    let mut fields = BTreeMap::new();
    flatten("", &nested["p"], &mut fields);
    Ok(Seen {
        host: text(&row, "host").to_owned(),
        message: text(&row, "message").to_owned(),
        fields,
    })
}

/// The leaves of an object by their dotted names.
fn flatten(name: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                let below = match name {
                    "" => member.clone(),
                    name => format!("{name}.{member}"),
                };
                flatten(&below, value, out);
            }
        }
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => _ = out.insert(name.to_owned(), text.clone()),
        other => _ = out.insert(name.to_owned(), other.to_string()),
    }
}

#[test]
fn steps_do_what_syslog_ng_does() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let server = Server::start_with(Setup {
        config: Some(LOGWOOD.to_owned()),
        ..Setup::default()
    })?;
    let mut peer = Receiver::syslog_ng(SYSLOG_NG, SYSLOG_NG_LINE)?;
    let lines = MESSAGES.iter();
    let lines: String = lines
        .map(|(program, message)| format!("<13>Nov 29 10:00:00 h {program}: {message}\n"))
        .collect();
    send_stream(server.addresses().tcp, lines.as_bytes())?;
    send_stream(peer.address(), lines.as_bytes())?;
    let all = MESSAGES.len() as u64;
    server.api().wait_for_count("", all)?;
    let own = server.api().export("", &[])?;
    let own: Vec<_> = own.iter().map(of_logwood).collect();
    let kept = peer.wait_for_lines(own.len())?;
    let theirs: Result<Vec<_>> = kept.iter().map(|line| of_syslog_ng(line)).collect();
    let theirs = theirs?;
    for (own, theirs) in own.iter().zip(&theirs) {
        assert_eq!(own, theirs);
    }
    assert_eq!(own.len(), theirs.len(), "the same are refused");
    Ok(())
}
