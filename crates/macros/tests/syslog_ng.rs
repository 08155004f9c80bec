//! syslog-ng renders the same templates of the same messages: the same comes out, but for what is
//! documented in `docs/reference/templates.md`.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context as _, Result, ensure};
use macros::{Context, Template, View, Zone};
use model::{RecordBatch, RecordParts, Timestamp};
use serde_json::Value;
use testkit::peers::{Receiver, SyslogNg};
use testkit::{need, send_stream};

/// Messages that both read alike: what is tested here is how they are written.
const MESSAGES: &[&[u8]] = &[
    b"<34>2026-11-21T18:47:27+01:00 mymachine su[12]: Hello, w/orld \xc3\xa9 \"q\" \\ back",
    b"<165>1 2003-10-11T22:14:15.003-07:00 host.example.com evntslog 77 ID47 [exampleSDID@32473 iut=\"3\" \
      eventSource=\"App\\\"x\\]\" eventID=\"1011\"][meta a=\"b\"] \xef\xbb\xbfAn application event a=1,b=\"c d\"",
    b"<13>2026-01-04T00:05:07.120456Z h2 tag:nospace \xff\xfe bad\x01 tab\there",
    b"<191>1 2024-02-29T12:00:00Z - - - - - x",
    b"<0>1 2020-12-31T23:59:59.999999Z a/b x-y.z 1 - [a@1 b=\"\"][c d=\"\xc3\xa9\" e=\"2\"] m",
    b"<46>2025-08-03T11:30:00Z fw1.example.com kernel: IN=eth0 SRC=192.0.2.1 LEN=60 %d+x~(y)",
];

/// Templates for which the same comes out.
const SAME: &[&str] = &[
    "plain text, nothing else",
    "$FACILITY $FACILITY_NUM $LEVEL $LEVEL_NUM $SEVERITY $SEVERITY_NUM $PRIORITY $PRI $TAG $BSDTAG",
    "$TAGS|$HOST|$FULLHOST|$HOST_FROM|$FULLHOST_FROM|$SOURCEIP|$SOURCE",
    "$PROGRAM|$PID|$MSGID|$MSG|$MESSAGE|$MSGONLY",
    "$MSGHDR|$LEGACY_MSGHDR|$RAWMSG",
    "$SDATA|${.SDATA.meta.a}|${.SDATA.exampleSDID@32473.eventSource}|${.SDATA.c.d}",
    "$DATE|$FULLDATE|$ISODATE|$STAMP|$UNIXTIME|$S_ISODATE|$S_DATE",
    "$YEAR|$MONTH|$MONTH_ABBREV|$MONTH_NAME|$MONTH_WEEK|$DAY|$YEAR_DAY|$HOUR|$HOUR12|$MIN|$SEC",
    "$MSEC|$USEC|$AMPM|$WEEK|$ISOWEEK|$WEEKDAY|$WEEK_DAY|$WEEK_DAY_ABBREV|$WEEK_DAY_NAME|$TZ|$TZOFFSET",
    "${HOST:-x}${nope:-d $HOST}|$$|$nope|${lower_HOST}|a@b|$HOST@b|${HOST}@@b|${HOST}@@1|${nope}-$|x$ y",
    "<${PRI}>${ISODATE} ${HOST} ${MSGHDR}${MSG}",
    "$(echo a  b \"c d\" 'e f' $HOST)|$(echo 'a\\b')|$(echo a\"b c\"d)|$(echo a\\\"b \\$x \\\\ \\n)",
    "$(echo $(echo \"a b\"  c) d)|$(echo \"$(echo 'a  b' c)\")|$(echo (a  b) \"(\" c)|$( echo a )",
    "$(lowercase $MSG)|$(uppercase $HOST $PROGRAM)",
    "$(substr $HOST 2 3)|$(substr $HOST -3)|$(substr $HOST 3)|$(substr $HOST 2 -2)|$(substr $HOST 20 3)|$(substr hello -2 1)",
    "$(substr hello 0)|$(substr hello 0 -1)|$(substr hello 9)|$(substr $HOST 0 0)|$(substr $HOST 3 100)",
    "$(replace-delimiter \", /\" \"_\" $MSG)|$(replace-delimiter \"\" x abc)",
    "$(strip \"  a b  \")|$(strip \"  a \" \" b \")|$(length $HOST)|$(length $HOST $PID)|$(length $nope)",
    "$(sha256 $HOST)|$(md5 $HOST)|$(sha1 $HOST)|$(sha256 --length 8 $HOST)|$(md5 a b)|$(hash $HOST)|$(sha512 --length 10 a)",
    "$(base64-encode $MSG)|$(base64-encode a b)|$(url-encode $MSG)|$(url-decode a%20b+c)|$(url-encode \"a-._~!*()\")",
    "$(sanitize $MSG)|$(sanitize -r X -i \"eo\" $MSG)|$(sanitize a/b c/d ..)|$(sanitize a \"\" b)|$(sanitize $HOST)",
    "$(padding $HOST 20)|$(padding $HOST 20 0)|$(padding $HOST 3 x)|$(padding abc 8 xyz)|$(padding ab 5 \"\")",
    "$(+ 1 2)|$(- 5 3)|$(* 3 4)|$(/ 7 2)|$(% 7 2)|$(/ 1 0)|$(+ x 1)|$(% 5 0)|$(% -7 3)|$(/ -7 2)",
    "$(round 3.567 1)|$(ceil 1.2)|$(floor 1.8)|$(round 2.5)|$(round -2.5)|$(ceil x)",
    "$(if (\"$HOST\" eq \"mymachine\") \"yes $PID\" \"no\")|$(if program(\"s.\") a b)",
    "$(if (facility(auth) and level(crit..err)) \"in\" \"out\")|$(if (facility(local0..local7) or level(debug)) a b)",
    "$(if (match(\"Hel.*\" value(\"MESSAGE\"))) m n)|$(if (message(\"orld\")) m n)|$(if (match(\"su.*Hello\")) m n)",
    "$(if (\"10\" lt \"9\") gt le)|$(if (\"10\" < \"9\") gt le)|$(if (not host(\"x\")) nh h)",
    "$(if (\"a\" eq \"a\" and not (\"b\" ne \"b\" or \"c\" eq \"d\")) y n)|$(if (netmask(\"127.0.0.0/8\") and tags(\".source.in\")) y n)",
    "$(if (host(\"my*\" type(glob))) y n)|$(if (host(\"mym\" type(string) flags(prefix))) y n)|$(if (program(\"SU\" flags(ignore-case))) y n)",
    "$(or $nope \"\" $HOST b)|$(or $nope)|$(grep (\"$HOST\" eq \"mymachine\") $PID)|$(context-length)",
    "$(list-append a,b c \"d e\")|$(list-concat a,b \"c,d\")|$(list-concat \"a,,b\")|$(list-concat \"a , b\")|$(list-append \"\" 'q\"q')",
    "$(list-head a,b,c)|$(list-tail a,b,c)|$(list-nth 1 a,b,c)|$(list-nth -1 a,b,c)|$(list-nth 9 a,b)|$(list-nth -9 a,b)|$(list-head \"a b,c\")",
    "$(list-slice 1:2 a,b,c)|$(list-slice :-1 a,b,c)|$(list-slice 5:1 a,b)|$(list-slice -2: a,b,c)|$(list-slice -9:2 a,b,c)",
    "$(list-count a,b,c)|$(list-count \"\")|$(list-count \"a,\")|$(list-count \",\")",
    "$(explode , \"a,b c,d\")|$(explode \" \" \"$HOST x\")|$(explode . a.b c.d)|$(implode \";\" a,b,\"c d\")|$(implode - a,b,c 1 2)",
    "$(list-search b a,b,c)|$(list-search --start-index 1 --mode glob \"c*\" a,b,c)|$(list-search z a,b)|$(list-search --mode pcre \"^b\" a,bc)",
    "$(env NOPE)|$(ipv4-to-int 10.0.0.1)|$(indent-multi-line $HOST a)",
    "$(format-json --scope rfc5424)",
    "$(format-json --scope rfc3164)",
    "$(format-json --scope selected-macros)",
    "$(format-json --scope nv-pairs --exclude RAWMSG)",
    "$(format-json --scope all-nv-pairs --exclude MESS* --exclude RAW*)",
    "$(format-json --scope sdata)",
    "$(format-json --scope core)",
    "$(format-json --scope none --key S_* --key H* --exclude HOSTID)",
    "$(format-json --scope everything --exclude R_* --exclude C_* --exclude P_* --exclude RUNID --exclude HOSTID \
      --exclude SYSUPTIME --exclude LOGHOST --exclude DESTPORT --exclude DESTIP --exclude PROTO --exclude IP_PROTO --exclude RAWMSG*)",
    "$(format-json a=$HOST b.c=\"$MSG\" x=y e=\"\" n=\"$nope\")",
    "$(format-json p=int64($PRI) f=double(1.5) l=list(\"a b\",c) n=literal(null) d=datetime($UNIXTIME))",
    "$(format-json --key .SDATA.* --rekey .SDATA.* --shift 7 --add-prefix s.)",
    "$(format-json --key .SDATA.* --rekey .SDATA.* --shift-levels 1)",
    "$(format-json --key .SDATA.* --rekey .SDATA.* --shift-levels 2)",
    "$(format-json a.b.c=1 --rekey a.* --shift-levels 1 --add-prefix z.)",
    "$(format-json a.b=1 --rekey a.* --replace-prefix a.=z.)",
    "$(format-json --leave-initial-dot .x.y=2)",
    "$(format-json --key HOST,PID a=\"\" --omit-empty-values)",
    "$(format-json a.b=1 a.c=2 g=3 a.d=4 ..e=5 b..c=6 d.=7)",
    "$(format-json --scope rfc3164 --exclude * --key HOST)",
    "$(format-flat-json --scope rfc5424)",
    "$(format-welf --scope rfc5424 --key .SDATA.*)",
    "$(format-welf a=\"x=y\" b=\"q\\z\" c= d=\"$HOST x\")",
    "$(format-cef-extension a=b c=\"x=y|z\" d=\"a\\b\" h=\"$HOST\")",
    "$(names HOST_*)|$(names .SDATA.*)|$(values .SDATA.*)",
];

/// Templates for which something else comes out of the first message, as documented: ours, and that of
/// syslog-ng.
const DIFFERENT: &[(&str, &str, &str)] = &[
    ("$(format-json a=int(x))", "{\"a\":\"x\"}", ""),
    ("$(format-json g=int(007))", "{\"g\":7}", "{\"g\":007}"),
    (
        "$(format-json a.b=1 a=2)",
        "{\"a\":\"2\",\"a.b\":\"1\"}",
        "{\"a\":{\"b\":\"1\",\"a\":\"2\"}}",
    ),
    (
        "$(format-json a=1 b=2)",
        "{\"a\":\"1\",\"b\":\"2\"}",
        "{\"b\":\"2\",\"a\":\"1\"}",
    ),
    ("$(+ 1.5 2)", "3.5", "3.50000000000000000000"),
    ("$(+ 1 2 3)", "6", "NaN"),
    ("$(if (\"a\" == \"b\") y n)", "n", "y"),
];

#[test]
fn syslog_ng_writes_the_same_but_for_what_is_documented() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let templates: Vec<&str> = SAME
        .iter()
        .copied()
        .chain(DIFFERENT.iter().map(|(template, ..)| *template))
        .collect();
    let theirs = ask_syslog_ng(&templates)?;
    let mut wrong = Vec::new();
    for (message, theirs) in MESSAGES.iter().zip(&theirs) {
        for (template, theirs) in SAME.iter().zip(theirs) {
            let ours = render(template, message)?;
            if !is_same(template, &ours, theirs) {
                wrong.push(format!("{template}\n  ours   {ours}\n  theirs {theirs}"));
            }
        }
    }
    let first = theirs
        .first()
        .map(|lines| lines.get(SAME.len()..).unwrap_or_default());
    for ((template, ours, theirs), found) in DIFFERENT.iter().zip(first.unwrap_or_default()) {
        let own = render(template, MESSAGES[0])?;
        if own != *ours || found != theirs || ours == theirs {
            wrong.push(format!(
                "{template} is documented otherwise\n  ours   {own}\n  theirs {found}"
            ));
        }
    }
    ensure!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    Ok(())
}

/// Whether both mean the same: the members of JSON have no order.
fn is_same(template: &str, ours: &str, theirs: &str) -> bool {
    let is_json =
        template.starts_with("$(format-json") || template.starts_with("$(format-flat-json");
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    match is_json {
        true => read(ours).is_some() && read(ours) == read(theirs),
        false => ours == theirs,
    }
}

/// What stands between the texts of two templates.
const BETWEEN: char = '\u{1f}';

/// What syslog-ng makes of each message, by templates.
fn ask_syslog_ng(templates: &[&str]) -> Result<Vec<Vec<String>>> {
    let joined = templates.join(&BETWEEN.to_string());
    let quoted = joined.replace('\\', "\\\\").replace('"', "\\\"");
    let source = "network(ip(\"127.0.0.1\") port(PORT) flags(syslog-protocol,store-raw-message));";
    let mut receiver = Receiver::syslog_ng(source, &quoted)?;
    let lines: Vec<_> = MESSAGES
        .iter()
        .map(|message| [message, b"\n".as_slice()].concat())
        .collect();
    send_stream(receiver.address(), &lines.concat())?;
    let lines = receiver.wait_for_lines(MESSAGES.len())?;
    let split = |line: &String| -> Result<Vec<String>> {
        let parts: Vec<_> = line.split(BETWEEN).map(str::to_owned).collect();
        ensure!(
            parts.len() == templates.len(),
            "{} texts of {} templates",
            parts.len(),
            templates.len()
        );
        Ok(parts)
    };
    lines.iter().map(split).collect()
}

/// What we make of a message.
fn render(template: &str, message: &[u8]) -> Result<String> {
    let peer = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let received = Timestamp::from_seconds(1_795_284_000);
    let mut parts = RecordParts::default();
    let context = syslog::Context { received, peer };
    syslog::Parser::new(syslog::ParseOptions::default()).parse(message, &context, &mut parts);
    let mut batch = RecordBatch::new();
    let source = batch.source_index("in")?;
    parts.tags = batch.tag_bit(".source.in")?;
    batch.push(message, &parts, received, peer, source)?;
    let view = View::from(batch.get(0).context("a record")?);
    let context = Context {
        zone: Zone::Fixed(macros::named_zone("UTC").context("a zone")?),
        ..Context::default()
    };
    let compiled = compile(template)?;
    let mut out = Vec::new();
    compiled.render(&view, &context, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn compile(template: &str) -> Result<Template> {
    let options = macros::Options {
        environment: Some(&|_| None),
        ..macros::Options::default()
    };
    Ok(Template::compile_with(template, &options)?)
}
