//! Sent to rsyslog and syslog-ng: each keeps what it reads, which is what was sent. Sent through
//! haproxy: it says for whom each connection is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anyhow::Result;
use testkit::peers::{Haproxy, Receiver, Rsyslog, SyslogNg};
use testkit::{Server, need};

use super::{assert_numbered, load};

const COUNT: usize = 1_000;

/// Sends to a target made for the receiver and asserts that it kept all, in order.
fn check(
    mut receiver: Receiver,
    target: impl Fn(&Receiver) -> String,
    words: &[&str],
) -> Result<()> {
    let count = format!("--count={COUNT}");
    load(&target(&receiver), &[&[count.as_str()], words].concat())?;
    let lines = receiver.wait_for_lines(COUNT)?;
    assert_numbered(lines.iter().map(String::as_str), COUNT)
}

fn rsyslog(input: &str, scheme: &str, words: &[&str]) -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let target = |receiver: &Receiver| match scheme {
        "unix" => format!("unix:{}", receiver.socket().display()),
        _ => format!("{scheme}://localhost:{}", receiver.address().port()),
    };
    check(Receiver::rsyslog(input)?, target, words)
}

fn syslog_ng(source: &str, scheme: &str, words: &[&str]) -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let target = |receiver: &Receiver| match scheme {
        "unix" | "unixgram" => format!("{scheme}:{}", receiver.socket().display()),
        _ => format!("{scheme}://localhost:{}", receiver.address().port()),
    };
    check(Receiver::syslog_ng(source, "$MSG")?, target, words)
}

const IMPTCP: &str = "module(load=\"imptcp\")\n\
    input(type=\"imptcp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")";

#[test]
fn rsyslog_takes_lines_and_counted_messages() -> Result<()> {
    rsyslog(IMPTCP, "tcp", &[])?;
    rsyslog(IMPTCP, "tcp", &["--format=rfc5424"])?;
    rsyslog(IMPTCP, "tcp", &["--format=loggen-ietf"])
}

#[test]
fn rsyslog_takes_compressed_messages_and_streams() -> Result<()> {
    rsyslog(IMPTCP, "tcp", &["--compress=message"])?;
    let stream = "module(load=\"imptcp\")\n\
        input(type=\"imptcp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\"\n\
        compression.mode=\"stream:always\")";
    rsyslog(stream, "tcp", &["--compress=stream"])
}

#[test]
fn rsyslog_acknowledges_over_relp() -> Result<()> {
    let input = "module(load=\"imrelp\")\n\
        input(type=\"imrelp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")";
    rsyslog(input, "relp", &[])
}

#[test]
fn rsyslog_takes_a_unix_socket() -> Result<()> {
    let input = "module(load=\"imptcp\")\n\
        input(type=\"imptcp\" path=\"SOCKET\" ruleset=\"keep\")";
    rsyslog(input, "unix", &[])
}

#[test]
fn rsyslog_takes_tls() -> Result<()> {
    // Our server's own certificate serves.
    let server = Server::start()?;
    let file = |name: &str| {
        server
            .data_dir()
            .join("tls")
            .join(name)
            .display()
            .to_string()
    };
    let input = format!(
        "global(defaultNetstreamDriver=\"gtls\"\n\
         defaultNetstreamDriverCAFile=\"{0}\" defaultNetstreamDriverCertFile=\"{0}\"\n\
         defaultNetstreamDriverKeyFile=\"{1}\")\n\
         module(load=\"imtcp\" StreamDriver.Name=\"gtls\" StreamDriver.Mode=\"1\"\n\
         StreamDriver.AuthMode=\"anon\")\n\
         input(type=\"imtcp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")",
        file("certificate.pem"),
        file("key.pem")
    );
    rsyslog(&input, "tls", &["--insecure"])
}

#[test]
fn syslog_ng_takes_lines_counts_and_datagrams() -> Result<()> {
    let source = "network(ip(\"127.0.0.1\") port(PORT) transport(\"tcp\") flags(no-parse));";
    syslog_ng(source, "tcp", &[])?;
    let source = "syslog(ip(\"127.0.0.1\") port(PORT) transport(\"tcp\") flags(no-parse));";
    syslog_ng(source, "tcp", &["--format=rfc5424"])?;
    let source = "unix-stream(\"SOCKET\" flags(no-parse));";
    syslog_ng(source, "unix", &[])
}

#[test]
fn syslog_ng_asks_for_our_certificate() -> Result<()> {
    let server = Server::start()?;
    let file = |name: &str| {
        server
            .data_dir()
            .join("tls")
            .join(name)
            .display()
            .to_string()
    };
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let source = format!(
        "network(ip(\"127.0.0.1\") port(PORT) transport(\"tls\") flags(no-parse)\n\
         tls(cert-file(\"{certificate}\") key-file(\"{key}\") ca-file(\"{certificate}\")\n\
         peer-verify(required-untrusted)));"
    );
    let ca = format!("--ca={certificate}");
    let words = [&ca, "--cert", &certificate, "--key", &key];
    syslog_ng(&source, "tls", &words)
}

#[test]
fn syslog_ng_reads_the_proxy_header() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let source =
        "network(ip(\"127.0.0.1\") port(PORT) transport(\"proxied-tcp\") flags(no-parse));";
    // Debian's syslog-ng reads version 1 only.
    let mut receiver = Receiver::syslog_ng(source, "${PROXIED_SRCIP} $MSG")?;
    let target = format!("tcp://{}", receiver.address());
    load(&target, &["--count=10", "--proxy=v1"])?;
    let lines = receiver.wait_for_lines(10)?;
    assert_numbered(lines.iter().map(String::as_str), 10)?;
    let is_told = |line: &String| line.starts_with("192.0.2.1 ");
    assert!(lines.iter().all(is_told), "{lines:?}");
    Ok(())
}

/// More than there are addresses in 192.0.2.0/24.
const CLIENTS: usize = 300;

/// The address and the port that the header of a connection names, and its destination.
fn client(is_ipv6: bool, connection: usize) -> (String, String) {
    let port = 10_000 + connection;
    if is_ipv6 {
        let client = format!("2001:db8::{:x} {port}", connection + 1);
        return (client, "2001:db8:1::1 514".to_owned());
    }
    let client = format!("192.0.2.{} {port}", connection % 254 + 1);
    (client, "198.51.100.1 514".to_owned())
}

#[test]
fn haproxy_reads_both_versions_of_the_proxy_header() -> Result<()> {
    if need(Haproxy::find())?.is_none() {
        return Ok(());
    }
    let server = Server::start()?;
    let mut sent = 0;
    for (listen, version) in [
        (IpAddr::from(Ipv4Addr::LOCALHOST), "v2"),
        (Ipv6Addr::LOCALHOST.into(), "v2"),
        (Ipv4Addr::LOCALHOST.into(), "v1"),
        (Ipv6Addr::LOCALHOST.into(), "v1"),
    ] {
        let haproxy = Haproxy::reading_headers(listen, server.addresses().tcp)?;
        let target = format!("tcp://{}", haproxy.address());
        let words = [
            format!("--count={}", 10 * CLIENTS),
            format!("--connections={CLIENTS}"),
            format!("--proxy={version}"),
        ];
        load(&target, &words.each_ref().map(String::as_str))?;
        let mut told = haproxy.wait_for_clients(CLIENTS)?;
        told.sort();
        let mut expected: Vec<_> = (0..CLIENTS)
            .map(|connection| client(listen.is_ipv6(), connection))
            .collect();
        expected.sort();
        assert_eq!(told, expected, "{version} to {listen}");
        sent += 10 * CLIENTS as u64;
        server.api().wait_for_count("source:tcp", sent)?;
    }
    Ok(())
}
