//! rsyslog forwarding to us: omfwd over TCP and TLS, omrelp.

use anyhow::{Context, Result};
use testkit::peers::Rsyslog;
use testkit::{Server, Setup, need};

use super::{assert_arrived, recent_lines};

const LINES: usize = 500;

/// Starts rsyslog with an action made for the server's port and asserts that all lines arrive.
fn check(source: &str, seed: u64, action: impl Fn(&Server) -> String) -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let server = Server::start()?;
    let mut rsyslog = Rsyslog::start(&action(&server))?;
    let lines = recent_lines(seed, LINES)?;
    let wire: Vec<String> = lines.iter().map(|line| line.rfc3164()).collect();
    rsyslog.feed(&wire)?;
    assert_arrived(&server, source, &lines)
        .with_context(|| format!("rsyslog said: {}", rsyslog.errors().join("\n")))
}

fn tcp(server: &Server, more: &str) -> String {
    let port = server.addresses().tcp.port();
    format!("action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{port}\" protocol=\"tcp\" {more})")
}

#[test]
fn omfwd_in_its_default_format() -> Result<()> {
    check("tcp", 1, |server| tcp(server, ""))
}

#[test]
fn omfwd_with_rfc3339_stamps_in_a_legacy_header() -> Result<()> {
    check("tcp", 2, |server| {
        tcp(server, "template=\"RSYSLOG_ForwardFormat\"")
    })
}

#[test]
fn omfwd_with_rfc5424_and_octet_counts() -> Result<()> {
    check("tcp", 3, |server| {
        tcp(
            server,
            "template=\"RSYSLOG_SyslogProtocol23Format\" TCP_Framing=\"octet-counted\"",
        )
    })
}

#[test]
fn omfwd_over_tls() -> Result<()> {
    check("tls", 4, |server| {
        let port = server.addresses().tls.port();
        format!(
            "action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{port}\" protocol=\"tcp\"\n\
             StreamDriver=\"gtls\" StreamDriverMode=\"1\" StreamDriverAuthMode=\"anon\"\n\
             template=\"RSYSLOG_SyslogProtocol23Format\" TCP_Framing=\"octet-counted\")"
        )
    })
}

#[test]
fn omrelp() -> Result<()> {
    check("relp", 5, |server| {
        let port = server.addresses().relp.port();
        format!(
            "module(load=\"omrelp\")\n\
             action(type=\"omrelp\" target=\"127.0.0.1\" port=\"{port}\"\n\
             template=\"RSYSLOG_SyslogProtocol23Format\")"
        )
    })
}

#[test]
fn omrelp_over_tls() -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let server = Server::start_with(Setup {
        config: Some("[source.relp.relp]\ntls = true\n".to_owned()),
        ..Setup::default()
    })?;
    // It signs itself, so it is its own authority. Without a certificate of its own, librelp offers
    // nothing but anonymous key exchange; any will do, as the server does not ask for it.
    let certificate = server.data_dir().join("tls/certificate.pem");
    let key = server.data_dir().join("tls/key.pem");
    let mut rsyslog = Rsyslog::start(&format!(
        "module(load=\"omrelp\")\n\
         action(type=\"omrelp\" target=\"127.0.0.1\" port=\"{}\" tls=\"on\"\n\
         tls.authmode=\"certvalid\" tls.cacert=\"{certificate}\"\n\
         tls.mycert=\"{certificate}\" tls.myprivkey=\"{key}\"\n\
         template=\"RSYSLOG_SyslogProtocol23Format\")",
        server.addresses().relp.port(),
        certificate = certificate.display(),
        key = key.display(),
    ))?;
    let lines = recent_lines(6, LINES)?;
    let wire: Vec<String> = lines.iter().map(|line| line.rfc3164()).collect();
    rsyslog.feed(&wire)?;
    assert_arrived(&server, "relp", &lines)
        .with_context(|| format!("rsyslog said: {}", rsyslog.errors().join("\n")))
}

#[test]
fn omfwd_with_messages_compressed_one_by_one() -> Result<()> {
    // Short messages stay as they are, so both kinds come.
    check("tcp", 7, |server| {
        tcp(server, "compression.mode=\"single\" ziplevel=\"9\"")
    })?;
    check("udp", 8, |server| {
        let port = server.addresses().udp.port();
        format!(
            "action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{port}\" protocol=\"udp\"\n\
             compression.mode=\"single\" ziplevel=\"9\")"
        )
    })
}

#[test]
fn omfwd_with_a_compressed_stream_of_every_kind_of_level() -> Result<()> {
    for level in ["1", "3", "6", "9"] {
        check("tcp", 9, |server| {
            let more = format!(
                "template=\"RSYSLOG_SyslogProtocol23Format\" TCP_Framing=\"octet-counted\" \
                 compression.mode=\"stream:always\" ziplevel=\"{level}\""
            );
            tcp(server, &more)
        })
        .with_context(|| format!("level {level}"))?;
    }
    Ok(())
}
