//! Steps in a running server: what is sent is accounted for and found, through reloads, kills and restarts.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use testkit::{RelpClient, Server, Setup, Signal, send_stream, wait_for};

const LIMIT: Duration = Duration::from_secs(120);

fn server(config: &str) -> Result<Server> {
    Server::start_with(Setup {
        config: Some(config.to_owned()),
        ..Setup::default()
    })
}

const STEPS: &str = r#"
[store]
segment_rows_max = 1024

[route.all]
steps = [
    { do = "kv", prefix = "k" },
    { do = "drop", when = "k.n:*7" },
    { do = "set", values = { host = "host-${k.n}", "k.copy" = "${k.n}" } },
]
logspace = "main"
"#;

fn message(number: usize) -> String {
    format!("<13>Nov 29 10:00:00 h app: n={number} word=w{number}")
}

#[test]
fn what_is_parsed_is_found_and_what_is_dropped_is_counted() -> Result<()> {
    let mut server = server(STEPS)?;
    let lines: String = (0..5_000).map(|number| message(number) + "\n").collect();
    send_stream(server.addresses().tcp, lines.as_bytes())?;
    server.api().wait_for_count("", 4_500)?;
    let counts = server.api().conserved("tcp")?;
    assert_eq!(
        (counts.received, counts.stored, counts.dropped),
        (5_000, 4_500, 500)
    );
    let check = |server: &Server| -> Result<()> {
        let api = server.api();
        for number in [0, 1, 999, 2_048, 4_999] {
            for query in [
                format!("k.n:{number}"),
                format!("host:host-{number}"),
                format!("copy:{number} AND k.word:w{number}"),
            ] {
                assert_eq!(api.count(&query)?, 1, "{query}");
            }
        }
        assert_eq!(api.count("k.n:[4000 TO 4999]")?, 900);
        assert_eq!(api.count("NOT k.copy:*")?, 0);
        Ok(())
    };
    check(&server)?;
    let rows = server.api().export("host:host-42", &[("raw", "true")])?;
    let raw = testkit::raw(&rows[0])?;
    assert_eq!(raw, message(42).as_bytes(), "raw never changes");
    let metrics = server.api().get("/metrics")?.ok()?.text();
    let line =
        "logwood_step_records_total{route=\"all\",step=\"2\",kind=\"drop\",result=\"dropped\"} 500";
    assert!(metrics.contains(line), "{metrics}");
    server.stop()?;
    server.start_again()?;
    check(&server)
}

#[test]
fn what_is_acknowledged_survives_a_kill_with_what_steps_made_of_it() -> Result<()> {
    let mut server = server(STEPS)?;
    let mut acknowledged = 0;
    for round in 0..3 {
        let mut client = RelpClient::connect(server.addresses().relp, 64)?;
        for number in round * 1_000..(round + 1) * 1_000 {
            client.send(message(number).as_bytes())?;
        }
        client.flush()?;
        acknowledged += client.acknowledged().len();
        server.kill()?;
        server.start_again()?;
    }
    assert_eq!(acknowledged, 3_000);
    assert_eq!(server.api().count("")?, 2_700);
    for row in server.api().export("", &[])? {
        let number = row["fields"]["k.n"].as_str().context("a number")?;
        assert_eq!(row["host"], format!("host-{number}"));
        assert_eq!(row["fields"]["k.copy"], number);
    }
    Ok(())
}

#[test]
fn a_reload_and_a_changed_file_change_what_comes_next() -> Result<()> {
    let config = |steps: &str| format!("[route.all]\nsteps = [{steps}]\nlogspace = \"main\"\n");
    let mut server = server(&config("{ do = \"tag\", tags = [\"one\"] }"))?;
    let owners = server.folder().join("owners.csv");
    send_stream(
        server.addresses().tcp,
        b"<13>Nov 29 10:00:00 web app: first\n",
    )?;
    server.api().wait_for_count("tag:one first", 1)?;
    fs::write(&owners, "host,owner\nweb,Ann\n")?;
    let lookup = format!(
        "{{ do = \"lookup\", file = \"{}\", from = \"host\", prefix = \"asset\" }}",
        owners.display()
    );
    fs::write(server.config_file(), config(&lookup))?;
    server.process().signal(Signal::HUP)?;
    let answered = |server: &Server, owner: &str| {
        wait_for("the new steps were in force", LIMIT, || {
            let address = server.addresses().tcp;
            send_stream(address, b"<13>Nov 29 10:00:00 web app: again\n")?;
            let found = server.api().count(&format!("asset.owner:{owner}"))?;
            Ok((found > 0).then_some(()))
        })
    };
    answered(&server, "Ann")?;
    fs::write(&owners, "host,owner\nweb,Bob and others\n")?;
    answered(&server, "Bob")?;
    // What is wrong changes nothing.
    fs::write(
        server.config_file(),
        config("{ do = \"lookup\", file = \"/none\", from = \"host\" }"),
    )?;
    server.process().signal(Signal::HUP)?;
    answered(&server, "Bob")?;
    server.api().conserved("tcp")?;
    Ok(())
}
