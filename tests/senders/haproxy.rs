//! HAProxy between sender and server: the peer is the sender.

use anyhow::{Context, Result, ensure};
use testkit::peers::{Haproxy, Rsyslog};
use testkit::{Server, Setup, need, send_stream, text};

use super::recent_lines;

/// Where HAProxy connects from; the sender is 127.0.0.1.
const PROXY: &str = "127.0.0.3";

const CONFIG: &str = "[source.tcp.tcp]\nproxy_from = [\"127.0.0.3\"]\n\
    [source.tls.tls]\nproxy_from = [\"127.0.0.3\"]\n\
    [source.relp.relp]\nproxy_from = [\"127.0.0.3\"]\n";

fn start() -> Result<Server> {
    Server::start_with(Setup {
        config: Some(CONFIG.to_owned()),
        ..Setup::default()
    })
}

/// Sends through a HAProxy with these words for a source, and asserts who the peer is.
fn check(source: &str, words: &str) -> Result<()> {
    if need(Haproxy::find())?.is_none() {
        return Ok(());
    }
    let server = start()?;
    let behind = match source {
        "tls" => server.addresses().tls,
        _ => server.addresses().tcp,
    };
    let haproxy = Haproxy::passing_on(behind, &format!("source {PROXY} {words}"))?;
    let lines = "<13>1 - h p - - - one\n29 <13>1 - h p - - - two counted";
    send_stream(haproxy.address(), lines.as_bytes())?;
    let rows = server.api().wait_for_rows("program:p", 2);
    let rows = rows.with_context(|| format!("haproxy said: {}", haproxy.errors().join("\n")))?;
    for row in &rows {
        ensure!(text(row, "peer") == "127.0.0.1", "{row}");
    }
    let status = server.api().status()?;
    let sources = status["sources"].as_array().context("no sources")?;
    let own = sources.iter().find(|own| own["name"] == source);
    let own = own.context("no such source")?;
    ensure!(own["connections_refused"] == 0, "{own}");
    Ok(())
}

#[test]
fn version_1() -> Result<()> {
    check("tcp", "send-proxy")
}

#[test]
fn version_2_with_health_checks() -> Result<()> {
    check("tcp", "send-proxy-v2 check inter 50")
}

#[test]
fn version_2_with_a_checksum_and_a_name() -> Result<()> {
    check(
        "tcp",
        "send-proxy-v2 proxy-v2-options crc32c,unique-id,authority",
    )
}

#[test]
fn in_front_of_tls() -> Result<()> {
    check("tls", "send-proxy-v2 ssl verify none")
}

#[test]
fn omrelp_through_a_proxy() -> Result<()> {
    if need(Haproxy::find())?.is_none() || need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let server = start()?;
    let words = format!("source {PROXY} send-proxy");
    let haproxy = Haproxy::passing_on(server.addresses().relp, &words)?;
    let mut rsyslog = Rsyslog::start(&format!(
        "module(load=\"omrelp\")\n\
         action(type=\"omrelp\" target=\"127.0.0.1\" port=\"{}\"\n\
         template=\"RSYSLOG_SyslogProtocol23Format\")",
        haproxy.address().port()
    ))?;
    let lines = recent_lines(6, 100)?;
    let wire: Vec<String> = lines.iter().map(|line| line.rfc3164()).collect();
    rsyslog.feed(&wire)?;
    super::assert_arrived(&server, "relp", &lines)
        .with_context(|| format!("rsyslog said: {}", rsyslog.errors().join("\n")))
}

#[test]
fn a_sender_that_claims_to_be_a_proxy_is_not_believed() -> Result<()> {
    let server = start()?;
    let spoofed = "PROXY TCP4 192.0.2.9 198.51.100.1 1 2\r\n<13>1 - h p - - - one\n";
    send_stream(server.addresses().tcp, spoofed.as_bytes())?;
    let rows = server.api().wait_for_rows("program:p", 1)?;
    ensure!(text(&rows[0], "peer") == "127.0.0.1", "{}", rows[0]);
    Ok(())
}
