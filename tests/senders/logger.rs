//! util-linux `logger`: every transport and header it knows.

use std::fs;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use serde_json::json;
use testkit::peers::Logger;
use testkit::{Addresses, Server, need, raw, text};

const MESSAGE: &str = "Failed  password for \"M\u{fc}ller\": key=[a b] 100% \\ <x>";

struct Case {
    options: &'static [&'static str],
    source: &'static str,
    address: fn(Addresses) -> SocketAddr,
}

const CASES: &[Case] = &[
    Case {
        options: &["--udp", "--rfc3164"],
        source: "udp",
        address: |addresses| addresses.udp,
    },
    Case {
        options: &["--udp", "--rfc5424"],
        source: "udp",
        address: |addresses| addresses.udp,
    },
    Case {
        options: &["--tcp", "--rfc3164"],
        source: "tcp",
        address: |addresses| addresses.tcp,
    },
    Case {
        options: &["--tcp", "--rfc5424"],
        source: "tcp",
        address: |addresses| addresses.tcp,
    },
    Case {
        options: &["--tcp", "--octet-count", "--rfc3164"],
        source: "tcp",
        address: |addresses| addresses.tcp,
    },
    Case {
        options: &["--tcp", "--octet-count", "--rfc5424"],
        source: "tcp",
        address: |addresses| addresses.tcp,
    },
];

#[test]
fn every_framing_and_header_of_logger_arrives() -> Result<()> {
    let Some(logger) = need(Logger::find())? else {
        return Ok(());
    };
    let server = Server::start()?;
    for (index, case) in CASES.iter().enumerate() {
        check(&logger, &server, case, index).with_context(|| format!("{:?}", case.options))?;
    }
    Ok(())
}

fn check(logger: &Logger, server: &Server, case: &Case, index: usize) -> Result<()> {
    let program = format!("case{index}");
    let pid = format!("--id=47{index:02}");
    let own = ["--tag", &program, &pid, "--priority", "authpriv.err"];
    let options = [case.options, &own].concat();
    logger.send((case.address)(server.addresses()), &options, MESSAGE)?;

    let rows = server
        .api()
        .wait_for_rows(&format!("program:{program}"), 1)?;
    let row = &rows[0];
    let host = host_name()?;
    let is_5424 = case.options.contains(&"--rfc5424");
    let expected_host = match is_5424 {
        true => host.as_str(),
        false => host.split('.').next().unwrap_or_default(),
    };
    assert_eq!(text(row, "host"), expected_host);
    assert_eq!(text(row, "program"), program);
    assert_eq!(text(row, "pid"), format!("47{index:02}"));
    assert_eq!(text(row, "facility"), "authpriv");
    assert_eq!(text(row, "severity"), "err");
    assert_eq!(text(row, "message"), MESSAGE);
    assert_eq!(text(row, "source"), case.source);
    assert_eq!(text(row, "peer"), "127.0.0.1");
    assert_eq!(row["tags"], json!([]));
    let raw = String::from_utf8(raw(row)?)?;
    assert!(raw.starts_with("<83>"), "{raw}");
    assert!(raw.ends_with(MESSAGE), "{raw}");
    if is_5424 {
        assert_eq!(row["fields"]["timeQuality.tzKnown"], "1");
    }
    Ok(())
}

#[test]
fn structured_data_of_logger_becomes_fields() -> Result<()> {
    let Some(logger) = need(Logger::find())? else {
        return Ok(());
    };
    let server = Server::start()?;
    let options = [
        "--tcp",
        "--rfc5424=notq",
        "--msgid",
        "ID47",
        "--sd-id",
        "zoo@32473",
        "--sd-param",
        "tiger=\"hungry\"",
        "--sd-param",
        "zebra=\"a \\] \\\"b\\\" \\\\\"",
    ];
    logger.send(server.addresses().tcp, &options, "m")?;
    let rows = server.api().wait_for_rows("tiger:hungry", 1)?;
    assert_eq!(text(&rows[0], "msgid"), "ID47");
    assert_eq!(text(&rows[0], "message"), "m");
    let fields = json!({"zoo@32473.tiger": "hungry", "zoo@32473.zebra": "a ] \"b\" \\"});
    assert_eq!(rows[0]["fields"], fields);
    Ok(())
}

fn host_name() -> Result<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")?;
    Ok(name.trim_end().to_owned())
}
