//! Real senders: what they sent is what a search returns, field by field.

mod haproxy;
mod loggen;
mod logger;
mod python;
mod rsyslog;
mod syslog_ng;
mod unix;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use model::Timestamp;
use serde_json::Value;
use testkit::{Corpus, Line, Server, text};

/// Lines of the last minutes, so that a stamp without a year is put into the right one.
fn recent_lines(seed: u64, count: usize) -> Result<Vec<Line>> {
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    let seconds = hour_ago.duration_since(UNIX_EPOCH)?.as_secs();
    let start = Timestamp::from_seconds(i64::try_from(seconds)?);
    Ok(Corpus::new(seed, start).take(count).collect())
}

/// Asserts that exactly these lines arrived over one connection of a source, in order.
fn assert_arrived(server: &Server, source: &str, lines: &[Line]) -> Result<()> {
    let api = server.api();
    let query = format!("source:{source}");
    let rows = api.wait_for_rows(&query, lines.len() as u64)?;
    for (line, row) in lines.iter().zip(&rows) {
        assert_row(row, line).with_context(|| format!("sent {line:?}, found {row}"))?;
        ensure!(text(row, "source") == source && text(row, "peer") == "127.0.0.1");
        ensure!(row["tags"] == serde_json::json!([]), "it has tags");
    }
    let counts = api.conserved(source)?;
    ensure!(counts.received == lines.len() as u64 && counts.dropped == 0);
    Ok(())
}

/// Asserts that a row is a line, as far as every header tells it.
fn assert_row(row: &Value, line: &Line) -> Result<()> {
    let expected = [
        ("host", line.host.as_str()),
        ("program", &line.program),
        ("pid", &line.pid),
        ("facility", line.priority.facility().name()),
        ("severity", line.priority.severity().name()),
    ];
    for (member, value) in expected {
        ensure!(text(row, member) == value, "{member} differs");
    }
    // rsyslog's RFC 5424 format keeps the space that RFC 3164 puts in front of the content; there
    // it is a part of the message.
    let message = text(row, "message");
    let message = message.strip_prefix(' ').unwrap_or(message);
    ensure!(message == line.message, "message differs");
    let stamp = line.time.to_string();
    // Seconds are what the coarsest header carries.
    ensure!(
        text(row, "time").get(..19) == stamp.get(..19),
        "time differs"
    );
    Ok(())
}
