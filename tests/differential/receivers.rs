//! The three receivers: the same bytes go to each over a connection or from a socket of its own.

use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use testkit::peers::{Receiver, Rsyslog, SyslogNg};
use testkit::{Server, need, send_datagrams, send_stream};

use super::parts::Parsed;

/// How messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// As lines over one connection.
    Lines,
    /// As datagrams.
    Datagrams,
}

/// What the three have made of a message.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) logwood: Parsed,
    pub(super) syslog_ng: Parsed,
    pub(super) rsyslog: Parsed,
}

/// Reads messages of every form, as `syslog()` does, without octet counts.
const SYSLOG_NG: &str = "\
    network(ip(\"127.0.0.1\") port(PORT) transport(\"udp\") flags(syslog-protocol,store-raw-message)); \
    network(ip(\"127.0.0.1\") port(PORT) transport(\"tcp\") flags(syslog-protocol,store-raw-message));";

const SYSLOG_NG_LINE: &str = "$(format-json raw=$RAWMSG facility=$FACILITY_NUM \
    severity=$LEVEL_NUM time=$S_UNIXTIME.$S_USEC received=$R_UNIXTIME.$R_USEC host=$HOST \
    program=$PROGRAM pid=$PID msgid=$MSGID data=$SDATA message=$MSG)";

/// A line that starts with digits is a line here, and no octet count.
const RSYSLOG: &str = "global(net.enableDNS=\"off\")\n\
    module(load=\"imudp\")\n\
    module(load=\"imptcp\")\n\
    input(type=\"imudp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\")\n\
    input(type=\"imptcp\" address=\"127.0.0.1\" port=\"PORT\" ruleset=\"keep\"\n\
    SupportOctetCountedFraming=\"off\")";

/// What rsyslog calls the parts.
const RSYSLOG_PROPERTIES: [(&str, &str); 10] = [
    ("raw", "rawmsg"),
    ("facility", "syslogfacility"),
    ("severity", "syslogseverity"),
    ("host", "hostname"),
    ("program", "app-name"),
    ("pid", "procid"),
    ("msgid", "msgid"),
    ("data", "structured-data"),
    ("message", "msg"),
    ("version", "protocol-version"),
];

/// Sends messages to each and asks what it has made of them; `None` where a receiver is missing.
pub(super) fn ask(messages: &[Vec<u8>], transport: Transport) -> Result<Option<Vec<Answers>>> {
    if need(SyslogNg::find())?.is_none() || need(Rsyslog::find())?.is_none() {
        return Ok(None);
    }
    let server = Server::start()?;
    let mut syslog_ng = Receiver::syslog_ng(SYSLOG_NG, SYSLOG_NG_LINE)?;
    let mut rsyslog = Receiver::rsyslog_keeping(RSYSLOG, &rsyslog_template())?;
    let own = match transport {
        Transport::Lines => server.addresses().tcp,
        Transport::Datagrams => server.addresses().udp,
    };
    for address in [own, syslog_ng.address(), rsyslog.address()] {
        send(messages, transport, address)?;
    }
    let rows = server.api().wait_for_rows("", messages.len() as u64)?;
    let logwood: Result<Vec<_>> = rows.iter().map(Parsed::of_logwood).collect();
    let logwood = logwood?;
    let lines = syslog_ng.wait_for_lines(messages.len())?;
    let syslog_ng: Result<Vec<_>> = lines
        .iter()
        .map(|line| Parsed::of_syslog_ng(line))
        .collect();
    let syslog_ng = syslog_ng?;
    let lines = rsyslog.wait_for_lines(messages.len())?;
    let rsyslog: Result<Vec<_>> = lines.iter().map(|line| Parsed::of_rsyslog(line)).collect();
    let rsyslog = rsyslog?;
    for (name, answers) in [
        ("Logwood", &logwood),
        ("syslog-ng", &syslog_ng),
        ("rsyslog", &rsyslog),
    ] {
        assert_order(messages, answers).with_context(|| name.to_owned())?;
    }
    let answers = logwood.into_iter().zip(syslog_ng).zip(rsyslog);
    let answers = answers.map(|((logwood, syslog_ng), rsyslog)| Answers {
        logwood,
        syslog_ng,
        rsyslog,
    });
    Ok(Some(answers.collect()))
}

fn send(messages: &[Vec<u8>], transport: Transport, to: SocketAddr) -> Result<()> {
    match transport {
        Transport::Lines => {
            let lines: Vec<_> = messages
                .iter()
                .map(|line| [line, b"\n".as_slice()].concat())
                .collect();
            send_stream(to, &lines.concat())
        }
        Transport::Datagrams => {
            let datagrams: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            send_datagrams(to, &datagrams)
        }
    }
}

/// Asserts that the answers are to these messages, in order. syslog-ng does not say what a message
/// was that it refused, and not all of them show bytes as they are that are no printable ASCII.
fn assert_order(messages: &[Vec<u8>], answers: &[Parsed]) -> Result<()> {
    ensure!(
        messages.len() == answers.len(),
        "{} messages became {}",
        messages.len(),
        answers.len()
    );
    let is_plain = |message: &[u8]| message.iter().all(|byte| (b' '..=b'~').contains(byte));
    for (message, answer) in messages.iter().zip(answers) {
        ensure!(
            answer.raw == *message || answer.raw.is_empty() || !is_plain(message),
            "{} became {}",
            message.escape_ascii(),
            answer.raw.escape_ascii()
        );
    }
    Ok(())
}

fn rsyslog_template() -> String {
    let mut template = "type=\"list\" option.jsonf=\"on\") {\n".to_owned();
    for (own, name) in RSYSLOG_PROPERTIES {
        template += &format!(" property(outname=\"{own}\" name=\"{name}\" format=\"jsonf\")\n");
    }
    for (own, name) in [("time", "timereported"), ("received", "timegenerated")] {
        template += &format!(
            " property(outname=\"{own}\" name=\"{name}\" dateFormat=\"rfc3339\" format=\"jsonf\")\n"
        );
    }
    template + "}"
}
