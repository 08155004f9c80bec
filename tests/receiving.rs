//! What the binary tells of those who send: host lists after a reload, silence, itself.

use std::fs;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;
use testkit::{Server, Setup, Signal, send_stream, text, wait_for};

const LIMIT: Duration = Duration::from_secs(60);

const OWN_LOGSPACE: &str = "[logspace.logwood]\n[log]\nlogspace = \"logwood\"\n";

fn start(config: &str) -> Result<Server> {
    Server::start_with(Setup {
        config: Some(format!("{config}{OWN_LOGSPACE}")),
        ..Setup::default()
    })
}

/// The first record about itself that has these words.
fn own_record(server: &Server, words: &str) -> Result<Value> {
    let query = format!("source:internal AND \"{words}\"");
    wait_for(&format!("there was a record {words:?}"), LIMIT, || {
        let rows = server.api().search(&query, &[("logspace", "logwood")])?;
        Ok(rows.into_iter().next())
    })
}

#[test]
fn a_denied_peer_is_told_in_a_record() -> Result<()> {
    let mut server = start("[source.tcp.tcp]\n")?;
    let tcp = server.addresses().tcp;
    send_stream(tcp, b"<13>1 - h p - - - one\n")?;
    server.api().wait_for_count("program:p", 1)?;
    let denying = format!("[source.tcp.tcp]\ndeny = [\"127.0.0.1\"]\n{OWN_LOGSPACE}");
    fs::write(server.config_file(), denying)?;
    server.process().signal(Signal::HUP)?;
    own_record(&server, "configuration reloaded")?;
    // Whether the connection is closed before or after this is written makes no difference.
    _ = send_stream(tcp, b"<13>1 - h p - - - two\n");
    let row = own_record(&server, "connection denied by host lists")?;
    ensure!(text(&row, "program") == "logwood", "{row}");
    ensure!(text(&row, "severity") == "warning", "{row}");
    ensure!(row.to_string().contains("127.0.0.1"), "{row}");
    ensure!(server.api().count("program:p")? == 1);
    Ok(())
}

#[test]
fn silence_is_told_in_a_record_and_in_the_metrics() -> Result<()> {
    let server = start("[source.tcp.tcp]\nperiod = \"1s\"\nsender_messages_min = 1\n")?;
    send_stream(server.addresses().tcp, b"<13>1 - h p - - - one\n")?;
    let row = own_record(&server, "senders send fewer messages than usual")?;
    ensure!(row.to_string().contains("127.0.0.1"), "{row}");
    let metrics = server.api().get("/metrics")?;
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    let line = "logwood_ingest_low_senders{source=\"tcp\"} 1";
    ensure!(metrics.lines().any(|found| found == line), "{metrics}");
    let senders = server.api().get("/api/v1/sources/tcp/senders")?;
    let senders: Value = serde_json::from_slice(&senders.body)?;
    let sender = &senders["senders"][0];
    ensure!(
        sender["peer"] == "127.0.0.1" && sender["level"] == "low",
        "{senders}"
    );
    let unknown = server.api().get("/api/v1/sources/none/senders")?;
    ensure!(unknown.status == 404);
    Ok(())
}
