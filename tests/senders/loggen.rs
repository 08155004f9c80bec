//! syslog-ng's `loggen`: its numbered messages, over every transport it has.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::peers::Loggen;
use testkit::{Server, need, raw, send_stream, text, wait_until};

const PER_CONNECTION: u64 = 500;
const CONNECTIONS: u64 = 2;
const LIMIT: Duration = Duration::from_secs(30);

/// As fast as it can, a fixed number of messages on each connection.
const RUN: &[&str] = &[
    "--quiet",
    "--number=500",
    "--rate=100000",
    "--interval=60",
    "--active-connections=2",
];

#[test]
fn legacy_lines_with_stamps_without_zone_arrive_over_tcp() -> Result<()> {
    check(&["--inet", "--stream"], "tcp", |row| {
        let raw = String::from_utf8(raw(row)?)?;
        ensure!(
            raw.len() == 255,
            "{} bytes, 256 with the line feed",
            raw.len()
        );
        let stamp = raw.get(4..23).context("no stamp")?;
        ensure!(
            text(row, "time") == format!("{stamp}.000000000Z"),
            "stamp {stamp} is UTC here"
        );
        Ok(())
    })
}

#[test]
fn framed_ietf_lines_arrive_over_tcp() -> Result<()> {
    check(&["--inet", "--stream", "--syslog-proto"], "tcp", |row| {
        let raw = raw(row)?;
        ensure!(
            raw.starts_with(b"<38>1 "),
            "the count is not part of the message"
        );
        ensure!(raw.len() == 255 || raw.len() == 256, "{} bytes", raw.len());
        Ok(())
    })
}

#[test]
fn legacy_and_framed_lines_arrive_over_tls() -> Result<()> {
    check(&["--use-ssl"], "tls", |_| Ok(()))?;
    check(&["--use-ssl", "--syslog-proto"], "tls", |_| Ok(()))
}

/// Runs `loggen` and asserts that each of its connections arrived whole and in order.
fn check(options: &[&str], source: &str, more: impl Fn(&Value) -> Result<()>) -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    let server = Server::start()?;
    let to = match source {
        "tls" => server.addresses().tls,
        _ => server.addresses().tcp,
    };
    let report = loggen.run(to, &[options, RUN].concat())?;
    assert_eq!(
        report.count,
        PER_CONNECTION * CONNECTIONS,
        "{}",
        report.errors
    );

    let rows = server
        .api()
        .wait_for_rows(&format!("source:{source}"), report.count)?;
    let mut threads: BTreeMap<String, u64> = BTreeMap::new();
    for row in &rows {
        check_row(row, &mut threads).with_context(|| row.to_string())?;
        more(row).with_context(|| row.to_string())?;
    }
    let whole = [PER_CONNECTION; CONNECTIONS as usize];
    assert!(threads.values().eq(&whole), "{threads:?}");
    assert_eq!(server.api().conserved(source)?.received, report.count);
    Ok(())
}

/// Asserts what every message of `loggen` has; `threads` counts messages of each connection.
fn check_row(row: &Value, threads: &mut BTreeMap<String, u64>) -> Result<()> {
    ensure!(text(row, "host") == "localhost");
    ensure!(text(row, "pid") == "1234");
    ensure!(text(row, "facility") == "auth" && text(row, "severity") == "info");
    ensure!(row["tags"] == serde_json::json!([]));
    let message = text(row, "message").trim_start_matches('\u{feff}');
    let thread = message.get(25..29).context("no thread")?.to_owned();
    ensure!(text(row, "program") == "prg00000");
    let next = threads.entry(thread.clone()).or_default();
    let head = format!("seq: {next:010}, thread: {thread}, runid: ");
    ensure!(message.starts_with(&head), "expected {head}");
    *next += 1;
    Ok(())
}

#[test]
fn datagrams_that_arrive_are_counted_and_found() -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    let server = Server::start()?;
    let options = [
        "--inet",
        "--dgram",
        "--quiet",
        "--number=200",
        "--rate=2000",
    ];
    let report = loggen.run(server.addresses().udp, &options)?;
    // The kernel may drop datagrams before we can count them, so only what came is compared.
    wait_until("datagrams came", LIMIT, || {
        server
            .api()
            .source("udp")
            .is_ok_and(|counts| counts.stored > 0)
    })?;
    let counts = server.api().conserved("udp")?;
    assert!(counts.received <= report.count);
    server
        .api()
        .wait_for_count("source:udp program:prg00000", counts.stored)?;
    Ok(())
}

/// With a size below its minimum `loggen` counts fewer octets than it sends and writes no line
/// feed. The counts are all that tells where its messages begin: no other byte may be lost, and
/// nobody else disturbed.
#[test]
fn a_size_that_is_too_small_loses_no_byte() -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    for (proto, expected) in [(&[][..], 3 * 127), (&["--syslog-proto"][..], 3 * (144 - 4))] {
        let server = Server::start()?;
        let tcp = server.addresses().tcp;
        let size = ["--inet", "--stream", "--quiet", "--number=3", "--size=100"];
        let report = loggen.run(tcp, &[proto, &size].concat())?;
        assert!(report.errors.contains("too small"), "{}", report.errors);
        send_stream(tcp, b"<13>Nov 21 22:00:00 h after: intact\n")?;

        let api = server.api();
        let after = api.wait_for_rows("program:after", 1)?;
        assert_eq!(text(&after[0], "message"), "intact");
        wait_until("the connection ended", LIMIT, || {
            kept(&server).is_ok_and(|bytes| bytes.len() == expected)
        })
        .with_context(|| format!("kept: {:?}", kept(&server).map(|b| b.len())))?;
        let bytes = String::from_utf8(kept(&server)?)?;
        for seq in 0..3 {
            assert!(
                bytes.contains(&format!("seq: {seq:010}, thread: 0000")),
                "{bytes}"
            );
        }
        api.conserved("tcp")?;
    }
    Ok(())
}

/// The raw bytes of all records but the last sender's, in order.
fn kept(server: &Server) -> Result<Vec<u8>> {
    let rows = server.api().export("NOT program:after", &[])?;
    rows.iter()
        .map(raw)
        .collect::<Result<Vec<_>>>()
        .map(|raws| raws.concat())
}
