//! `logwood load sink` counts what real senders sent, and `logwood load learn` reads real files.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::peers::{Loggen, Rsyslog};
use testkit::{Connection, binary, need, run, wait_for};

const LIMIT: Duration = Duration::from_secs(30);

/// A sink that was started and listens; dropping it kills it.
struct Sink {
    child: Child,
    address: SocketAddr,
    _errors: BufReader<ChildStderr>,
}

impl Sink {
    /// Starts it listening for one transport, until it has so many messages.
    fn start(transport: &str, count: u64, more: &[&str]) -> Result<Self> {
        let mut child = Command::new(binary()?)
            .args(["load", "sink", "--json", &format!("--{transport}")])
            .args(["127.0.0.1:0", "--count", &count.to_string()])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut errors = BufReader::new(child.stderr.take().context("no standard error")?);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix(&format!("ready {transport}="))
            .with_context(|| format!("it said {line:?}"))?
            .parse()?;
        Ok(Self {
            child,
            address,
            _errors: errors,
        })
    }

    /// Waits for its end and reads its report.
    fn report(mut self) -> Result<Value> {
        let ended = wait_for("the sink ended", LIMIT, || Ok(self.child.try_wait()?))?;
        ensure!(ended.success(), "it ended with {ended}");
        let mut text = String::new();
        let mut pipe = self.child.stdout.take().context("no standard output")?;
        pipe.read_to_string(&mut text)?;
        Ok(serde_json::from_str(&text)?)
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// What of a report does not depend on time.
fn counts(report: &Value) -> Value {
    let members = [
        "received",
        "gaps",
        "duplicates",
        "out_of_order",
        "malformed",
    ];
    Value::from(members.map(|member| report[member].as_u64()).to_vec())
}

fn check_loggen(transport: &str, options: &[&str]) -> Result<()> {
    let Some(loggen) = need(Loggen::find())? else {
        return Ok(());
    };
    let sink = Sink::start(transport, 1_000, &["--check"])?;
    let options_of_run = ["--quiet", "--number=500", "--rate=100000", "--interval=60"];
    let all = [&options_of_run[..], &["--active-connections=2"], options].concat();
    let sent = loggen.run(sink.address, &all)?;
    ensure!(sent.count == 1_000, "{}", sent.errors);
    let report = sink.report()?;
    ensure!(
        counts(&report) == serde_json::json!([1_000, 0, 0, 0, 0]),
        "{report}"
    );
    Ok(())
}

#[test]
fn a_sink_counts_the_lines_of_loggen() -> Result<()> {
    check_loggen("tcp", &["--inet", "--stream"])
}

#[test]
fn a_sink_counts_the_frames_of_loggen() -> Result<()> {
    check_loggen("tcp", &["--inet", "--stream", "--syslog-proto"])
}

#[test]
fn a_sink_counts_what_loggen_sends_over_tls() -> Result<()> {
    check_loggen("tls", &["--use-ssl"])
}

#[test]
fn a_sink_acknowledges_what_rsyslog_sends_over_relp() -> Result<()> {
    if need(Rsyslog::find())?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("arrived");
    let sink = Sink::start("relp", 300, &["--write", &file.display().to_string()])?;
    let port = sink.address.port();
    let mut rsyslog = Rsyslog::start(&format!(
        "module(load=\"omrelp\")\naction(type=\"omrelp\" target=\"127.0.0.1\" port=\"{port}\")"
    ))?;
    let lines: Vec<String> = (0..300)
        .map(|number| format!("<13>Nov 21 18:47:27 host program[7]: message {number}"))
        .collect();
    rsyslog.feed(&lines)?;
    let report = sink.report()?;
    ensure!(
        counts(&report) == serde_json::json!([300, 0, 0, 0, 0]),
        "{report}"
    );
    let arrived = std::fs::read_to_string(&file)?;
    let is_last = |line: &str| line.ends_with("message 299");
    ensure!(arrived.lines().count() == 300 && arrived.lines().last().is_some_and(is_last));
    Ok(())
}

#[test]
fn a_sink_answers_as_an_event_collector_over_http() -> Result<()> {
    let sink = Sink::start("http", 2, &[])?;
    let mut connection = Connection::open(sink.address)?;
    let events = br#"{"event":"one"}{"event":"two"}"#;
    let answer = connection.post("/services/collector/event", events)?;
    ensure!(
        answer.text() == r#"{"text":"Success","code":0}"#,
        "{}",
        answer.text()
    );
    ensure!(sink.report()?["received"] == 2);
    Ok(())
}

#[test]
fn a_sink_without_an_address_says_what_to_write() -> Result<()> {
    let finished = run(&["load", "sink"])?;
    ensure!(finished.code == Some(2) && finished.errors.contains("hint: say where to listen"));
    Ok(())
}

#[test]
fn a_packed_log_is_learned() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (log, profile) = (folder.path().join("log"), folder.path().join("profile"));
    let lines: Vec<String> = (0..200)
        .map(|n| {
            format!(
                "<13>Nov 21 18:47:27 h app[7]: request {n} took {} ms\n",
                n % 7
            )
        })
        .collect();
    std::fs::write(&log, lines.concat())?;
    let paths = [log.display().to_string(), profile.display().to_string()];
    let finished = run(&["load", "learn", &paths[0], "-o", &paths[1]])?;
    ensure!(
        finished
            .errors
            .contains("learned 1 templates from 200 lines"),
        "{finished:?}"
    );
    let learned: Value = serde_json::from_slice(&std::fs::read(&profile)?)?;
    ensure!(learned["version"] == 1 && learned["templates"][0]["program"] == "app");
    Ok(())
}
