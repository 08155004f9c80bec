//! syslog-ng forwarding to us: `network()` and `syslog()`, plain and over TLS.

use anyhow::{Context, Result};
use testkit::peers::SyslogNg;
use testkit::{Server, need};

use super::{assert_arrived, recent_lines};

const LINES: usize = 500;

/// Starts syslog-ng with a destination made for the server and asserts that all lines arrive.
fn check(source: &str, seed: u64, destination: impl Fn(&Server) -> String) -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let server = Server::start()?;
    let mut syslog_ng = SyslogNg::start(&destination(&server))?;
    let lines = recent_lines(seed, LINES)?;
    let wire: Vec<String> = lines.iter().map(|line| line.rfc3164()).collect();
    syslog_ng.feed(&wire)?;
    assert_arrived(&server, source, &lines)
        .with_context(|| format!("syslog-ng said: {}", syslog_ng.errors().join("\n")))
}

#[test]
fn network_over_tcp() -> Result<()> {
    check("tcp", 1, |server| {
        let port = server.addresses().tcp.port();
        format!("network(\"127.0.0.1\" port({port}) transport(\"tcp\"));")
    })
}

#[test]
fn network_over_tls() -> Result<()> {
    check("tls", 2, |server| {
        let port = server.addresses().tls.port();
        format!(
            "network(\"127.0.0.1\" port({port}) transport(\"tls\") \
             tls(peer-verify(optional-untrusted)));"
        )
    })
}

#[test]
fn syslog_over_tcp() -> Result<()> {
    check("tcp", 3, |server| {
        let port = server.addresses().tcp.port();
        format!("syslog(\"127.0.0.1\" port({port}) transport(\"tcp\"));")
    })
}

#[test]
fn network_with_stamps_of_nanoseconds() -> Result<()> {
    check("tcp", 4, |server| {
        let port = server.addresses().tcp.port();
        format!(
            "network(\"127.0.0.1\" port({port}) transport(\"tcp\") \
             template(\"<$PRI>$ISODATE $HOST $MSGHDR$MSG\\n\") frac-digits(6));"
        )
    })
}
