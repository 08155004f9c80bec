//! Other syslog servers, run as their users run them: what they keep is what was sent.

use std::fs;

use anyhow::Result;
use testkit::need;
use testkit::peers::{Receiver, Rsyslog, SyslogNg};

use super::{messages, send, server, wait_until_idle};

const COUNT: usize = 1_000;

/// Sends to a receiver with more keys, and compares what it keeps.
fn check(receiver: &mut Receiver, keys: &str) -> Result<()> {
    let target = receiver.address();
    let server = server(format!(
        "[destination.syslog.peer]\ntarget = \"{target}\"\nformat = \"raw\"\n{keys}\n"
    ))?;
    let sent = messages(0..COUNT);
    for (part, end) in sent.chunks(250).zip([250, 500, 750, 1_000]) {
        send(&server, part, end)?;
    }
    assert_eq!(receiver.wait_for_lines(COUNT)?, sent);
    let status = wait_until_idle(&server)?;
    assert_eq!(status["delivered"], COUNT);
    assert_eq!(status["name"], "syslog.peer");
    Ok(())
}

const IMPTCP: &str = "module(load=\"imptcp\")\n\
    input(type=\"imptcp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")";

#[test]
fn rsyslog_gets_lines_and_counted_messages() -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    for framing in ["lines", "octets"] {
        check(
            &mut Receiver::rsyslog(IMPTCP)?,
            &format!("framing = \"{framing}\""),
        )?;
    }
    Ok(())
}

#[test]
fn rsyslog_answers_over_relp() -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let input = "module(load=\"imrelp\")\n\
        input(type=\"imrelp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")";
    check(&mut Receiver::rsyslog(input)?, "transport = \"relp\"")
}

#[test]
fn syslog_ng_gets_lines_and_rfc_5424() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    let source = "network(ip(\"127.0.0.1\") port(PORT) transport(\"tcp\") flags(no-parse));";
    check(&mut Receiver::syslog_ng(source, "$MSG")?, "")?;
    // Read by its own parser: the parts are those that were sent.
    let source = "syslog(ip(\"127.0.0.1\") port(PORT) transport(\"tcp\"));";
    let mut receiver = Receiver::syslog_ng(source, "$PRI $HOST $PROGRAM $PID $MSG")?;
    let target = receiver.address();
    let server = server(format!(
        "[destination.syslog.peer]\ntarget = \"{target}\"\nframing = \"octets\"\n"
    ))?;
    send(&server, &messages(0..COUNT), COUNT)?;
    let expected = (0..COUNT).map(|n| format!("13 host{} app 7 message {n}", n % 3));
    assert_eq!(
        receiver.wait_for_lines(COUNT)?,
        expected.collect::<Vec<_>>()
    );
    Ok(())
}

#[test]
fn syslog_ng_is_believed_by_its_authority_or_its_fingerprint_alone() -> Result<()> {
    if need(SyslogNg::find())?.is_none() {
        return Ok(());
    }
    // A server of ours makes a certificate that serves here.
    let other = testkit::Server::start()?;
    let file = |name: &str| other.data_dir().join("tls").join(name);
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let source = format!(
        "network(ip(\"127.0.0.1\") port(PORT) transport(\"tls\") flags(no-parse)\n\
         tls(cert-file(\"{}\") key-file(\"{}\") peer-verify(optional-untrusted)));",
        certificate.display(),
        key.display()
    );
    let mut receiver = Receiver::syslog_ng(&source, "$MSG")?;
    let lines = "transport = \"tls\"\nframing = \"lines\"";
    let pem = fs::read_to_string(&certificate)?;
    let fingerprint = fingerprint(&pem);
    check(
        &mut receiver,
        &format!("{lines}\nfingerprints = [\"{fingerprint}\"]"),
    )?;
    // One that is not known gets nothing.
    let wrong = format!("SHA256:{}", ["00"; 32].join(":"));
    let server = server(format!(
        "[destination.syslog.peer]\ntarget = \"{}\"\n{lines}\nfingerprints = [\"{wrong}\"]\n",
        receiver.address()
    ))?;
    send(&server, &messages(0..10), 10)?;
    testkit::wait_until("it fails", super::LIMIT, || {
        super::destination(&server).is_ok_and(|status| status["state"] == "failing")
    })?;
    let status = super::destination(&server)?;
    assert_eq!(status["delivered"], 0, "{status}");
    assert!(
        status["last_error"]
            .as_str()
            .is_some_and(|error| error.contains("TLS")),
        "{status}"
    );
    Ok(())
}

/// The fingerprint of a certificate, as openssl prints it.
fn fingerprint(pem: &str) -> String {
    let body: String = pem
        .lines()
        .skip_while(|line| !line.contains("BEGIN CERTIFICATE"))
        .skip(1)
        .take_while(|line| !line.contains("END CERTIFICATE"))
        .collect();
    let script = format!(
        "import base64,hashlib;print(hashlib.sha256(base64.b64decode('{body}')).hexdigest())"
    );
    let output = std::process::Command::new("python3")
        .args(["-c", &script])
        .output();
    let output = output.map(|output| output.stdout).unwrap_or_default();
    format!("SHA256:{}", String::from_utf8_lossy(&output).trim())
}
