//! Sent to our own server over every transport: what its API counts is what was sent.

use std::fs;

use anyhow::Result;
use testkit::{Server, Setup, run, text, wait_until};

use super::{assert_numbered, load, try_load};

const COUNT: u64 = 2_000;

#[test]
fn each_transport_brings_every_message() -> Result<()> {
    let server = Server::start()?;
    let addresses = server.addresses();
    let ca = server.data_dir().join("tls/certificate.pem");
    let ca = format!("--ca={}", ca.display());
    let tls = format!("tls://localhost:{}", addresses.tls.port());
    let relp = format!("relp://{}", addresses.relp);
    let tcp = format!("tcp://{}", addresses.tcp);
    let cases: [(&str, &str, &[&str]); 8] = [
        ("tcp", &tcp, &[]),
        ("tcp", &tcp, &["--format=rfc5424", "--connections=3"]),
        ("tcp", &tcp, &["--format=tcpflood", "--threads=2"]),
        ("tcp", &tcp, &["--size=200", "--size-max=2000"]),
        ("tls", &tls, &["--format=rfc5424", &ca]),
        ("tls", &tls, &["--insecure", "--idle-connections=5"]),
        ("relp", &relp, &[]),
        (
            "relp",
            &relp,
            &["--connections=4", "--window=3", "--rate=5000"],
        ),
    ];
    let count = format!("--count={COUNT}");
    let mut sent = std::collections::BTreeMap::new();
    for (source, target, words) in cases {
        let report = load(target, &[&[count.as_str()], words].concat())?;
        assert_eq!(report["sent"], COUNT, "{target} {words:?}");
        let is_relp = source == "relp";
        assert_eq!(report["acknowledged"].as_u64(), is_relp.then_some(COUNT));
        assert_eq!(report["ack_latency_ms"]["p99"].is_number(), is_relp);
        let all = sent.entry(source).or_default();
        *all += COUNT;
        server
            .api()
            .wait_for_count(&format!("source:{source}"), *all)?;
        assert_eq!(server.api().conserved(source)?.received, *all);
    }
    Ok(())
}

#[test]
fn relp_inside_tls_is_acknowledged_too() -> Result<()> {
    let server = Server::start_with(Setup {
        config: Some("[source.relp.relp]\ntls = true\n".to_owned()),
        ..Setup::default()
    })?;
    let target = format!("relps://localhost:{}", server.addresses().relp.port());
    let report = load(&target, &["--count=500", "--insecure"])?;
    assert_eq!(report["acknowledged"], 500);
    server.api().wait_for_count("source:relp", 500)
}

#[test]
fn datagrams_arrive_one_by_one_though_they_go_together() -> Result<()> {
    let server = Server::start()?;
    let target = format!("udp://{}", server.addresses().udp);
    // Bursts that go together and fit into any receive buffer.
    load(&target, &["--count=200", "--burst=50/20"])?;
    let rows = server.api().wait_for_rows("source:udp", 200)?;
    assert_numbered(rows.iter().map(|row| text(row, "message")), 200)
}

#[test]
fn a_file_is_sent_with_the_time_of_now() -> Result<()> {
    let server = Server::start()?;
    let file = server.folder().join("old.log");
    let old = "<34>Oct 11 22:14:15 h su: one\n<34>1 2003-10-11T22:14:15Z h su - - - two\n";
    fs::write(&file, old)?;
    let replay = format!("--replay={}", file.display());
    let target = format!("tcp://{}", server.addresses().tcp);
    load(&target, &[&replay])?;
    load(&target, &[&replay, "--restamp", "--loop", "--count=5"])?;
    server.api().wait_for_count("program:su", 7)?;
    server.api().wait_for_count("two", 3)?;
    let rows = server.api().wait_for_rows("program:su", 7)?;
    let is_old = |row: &&serde_json::Value| text(row, "time").starts_with("2003-");
    assert_eq!(rows.iter().filter(is_old).count(), 1, "of the plain run");
    Ok(())
}

#[test]
fn a_file_and_standard_output_are_targets() -> Result<()> {
    let folder = Server::start()?;
    let file = folder.folder().join("out.log");
    let target = format!("file:{}", file.display());
    load(&target, &["--count=10"])?;
    load(&target, &["--count=10"])?;
    let lines = fs::read_to_string(&file)?;
    assert_eq!(lines.lines().count(), 20, "the second run appends");
    let printed = run(&["load", "file:-", "--count=10", "--quiet"])?;
    assert_eq!((printed.code, printed.errors.as_str()), (Some(0), ""));
    assert_numbered(printed.output.lines(), 10)
}

#[test]
fn a_text_of_ones_own_is_sent_as_it_is() -> Result<()> {
    let words = [
        "load",
        "file:-",
        "--text=<13>over and over",
        "--count=3",
        "--quiet",
    ];
    let printed = run(&words)?;
    assert_eq!(printed.output, "<13>over and over\n".repeat(3));
    let refused = run(&["load", "file:-", "--text=", "--count=1"])?;
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.errors.contains("the size of the text"),
        "{}",
        refused.errors
    );
    Ok(())
}

#[test]
fn what_a_killed_server_has_acknowledged_is_kept() -> Result<()> {
    let mut server = Server::start()?;
    let relp = format!("relp://{}", server.addresses().relp);
    let child = std::thread::spawn(move || {
        try_load(&relp, &["--rate=2000", "--duration=3s", "--reconnect"])
    });
    wait_until("messages came", std::time::Duration::from_secs(30), || {
        server.api().count("").is_ok_and(|count| count > 100)
    })?;
    server.kill()?;
    let (code, report) = child.join().map_err(|_| anyhow::anyhow!("it panicked"))??;
    // Nobody listens any more: what was on its way is failed.
    assert_eq!(code, Some(2), "{report}");
    let number = |name: &str| report[name].as_u64().unwrap_or_default();
    assert!(number("acknowledged") > 0 && number("acknowledged") <= number("sent"));
    server.start_again()?;
    let kept = server.api().count("")?;
    assert!(kept >= number("acknowledged"), "{kept} kept: {report}");
    Ok(())
}

#[test]
fn what_cannot_be_sent_is_said_and_is_an_error() -> Result<()> {
    for (words, said) in [
        // Nobody listens on port 1.
        (
            &["load", "tcp://127.0.0.1:1", "--count=1"][..],
            "127.0.0.1:1",
        ),
        (&["load", "127.0.0.1:1"], "tcp://"),
        (&["load", "tls://127.0.0.1:1"], "--ca"),
        (&["load", "tcp://127.0.0.1:1", "--size=5"], "bytes"),
        (&["load", "tcp://127.0.0.1:1", "--duration=5"], "10s"),
        (&["load"], "TARGET"),
    ] {
        let finished = run(words)?;
        assert_eq!(finished.code, Some(2), "{words:?}");
        assert!(
            finished.errors.contains(said),
            "{words:?}: {}",
            finished.errors
        );
    }
    Ok(())
}
