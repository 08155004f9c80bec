//! What scripts rely on in the HTTP API: pages, errors, tail, counters.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use model::Timestamp;
use serde_json::{Value, json};
use testkit::{Corpus, Server, raw, send_stream, text, wait_until};

/// How long something may take that takes a moment.
const WAIT: Duration = Duration::from_secs(30);

#[test]
fn pages_by_cursor_hold_every_row_once_in_order() -> Result<()> {
    let server = Server::start()?;
    let start = Timestamp::from_seconds(1_795_300_000);
    let lines: Vec<String> = Corpus::new(9, start)
        .take(1_000)
        .map(|line| line.rfc5424() + "\n")
        .collect();
    let half = lines.len() / 2;
    // Half of it in a segment, half in the tail.
    server
        .api()
        .post("/api/v1/import?time=now", lines[..half].concat().as_bytes())?
        .ok()?;
    server
        .api()
        .post("/api/v1/ingest", lines[half..].concat().as_bytes())?
        .ok()?;

    for order in ["desc", "asc"] {
        let mut rows: Vec<Value> = Vec::new();
        let mut cursor = String::new();
        loop {
            let mut more = vec![("limit", "77"), ("order", order)];
            if !cursor.is_empty() {
                more.push(("cursor", &cursor));
            }
            let (page, end) = server.api().search_page("", &more)?;
            ensure!(page.len() <= 77);
            rows.extend(page);
            match end["cursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        let ids: BTreeSet<&str> = rows.iter().map(|row| text(row, "id")).collect();
        assert_eq!(
            (rows.len(), ids.len()),
            (lines.len(), lines.len()),
            "{order}"
        );
        if order == "desc" {
            rows.reverse();
        }
        for (row, line) in rows.iter().zip(&lines) {
            assert_eq!(raw(row)?, line.trim_end().as_bytes());
        }
    }
    Ok(())
}

#[test]
fn a_record_keeps_its_id_over_a_restart() -> Result<()> {
    let mut server = Server::start()?;
    server
        .api()
        .post("/api/v1/ingest", b"<13>1 - - kept - - - m\n")?
        .ok()?;
    let row = server.api().search("program:kept", &[])?.remove(0);
    let path = format!("/api/v1/records/{}", text(&row, "id"));
    assert_eq!(server.api().get(&path)?.ok()?.json()?["row"], row);
    server.kill()?;
    server.start_again()?;
    assert_eq!(server.api().get(&path)?.ok()?.json()?["row"], row);
    assert_eq!(server.api().get("/api/v1/records/main:999999")?.status, 404);
    Ok(())
}

#[test]
fn errors_are_problems_with_a_place() -> Result<()> {
    let server = Server::start()?;
    let cases = [
        ("search?q=%28a", 400),
        ("count?q=a&from=never", 400),
        ("search?q=a&limit=banana", 400),
        ("search?cursor=nonsense", 400),
        ("histogram?bars=0", 400),
        ("no-such-thing", 404),
    ];
    for (path, status) in cases {
        let answer = server.api().get(&format!("/api/v1/{path}"))?;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        let kind = answer.header("content-type").unwrap_or_default();
        assert!(
            kind.starts_with("application/problem+json"),
            "{path}: {kind}"
        );
        let problem = answer.json()?;
        assert_eq!(problem["status"], status, "{path}");
        for member in ["title", "code", "detail"] {
            assert!(
                !text(&problem, member).is_empty(),
                "{path}: {member} in {problem}"
            );
        }
    }
    let problem = server.api().get("/api/v1/search?q=%28a")?.json()?;
    assert!(problem["spans"][0]["start"].is_u64(), "{problem}");
    Ok(())
}

#[test]
fn a_tail_shows_what_comes_and_resumes_after_an_id() -> Result<()> {
    let server = Server::start()?;
    let tcp = server.addresses().tcp;
    let send = |number: u32| {
        let lines = format!("<13>1 - - tail {number} - - m\n<13>1 - - other - - - m\n");
        send_stream(tcp, lines.as_bytes())?;
        server.api().wait_for_count(&format!("pid:{number}"), 1)
    };
    send(1)?;
    let first = text(&server.api().search("pid:1", &[])?[0], "id").to_owned();
    send(2)?;
    // Begins behind the first: what is stored already comes at once, then what is new.
    let mut tail = server
        .api()
        .stream("tail", &[("q", "program:tail"), ("after", &first)])?;
    let mut next = || -> Result<String> {
        loop {
            let line = tail.next().context("the tail ended")??;
            let value: Value = serde_json::from_str(&line)?;
            if let Some(row) = value.get("row") {
                ensure!(text(row, "program") == "tail", "{row}");
                return Ok(text(row, "pid").to_owned());
            }
        }
    };
    assert_eq!(next()?, "2");
    for number in 3..10 {
        send(number)?;
        assert_eq!(next()?, number.to_string());
    }
    Ok(())
}

#[test]
fn histogram_and_stats_agree_with_the_rows() -> Result<()> {
    let server = Server::start()?;
    let start = Timestamp::from_seconds(1_795_300_000);
    let lines: Vec<_> = Corpus::new(11, start).take(2_000).collect();
    let body: Vec<String> = lines.iter().map(|line| line.rfc5424() + "\n").collect();
    server
        .api()
        .post("/api/v1/import?time=message", body.concat().as_bytes())?
        .ok()?;

    let bars = server
        .api()
        .ask("histogram", &[("q", "program:sshd"), ("bars", "30")])?
        .json()?;
    let sshd = lines.iter().filter(|line| line.program == "sshd");
    let bar_counts = bars["bars"].as_array().context("no bars")?;
    let sum: u64 = bar_counts
        .iter()
        .filter_map(|bar| bar["count"].as_u64())
        .sum();
    assert_eq!(bar_counts.len(), 30);
    assert_eq!(sum, sshd.clone().count() as u64);
    assert_eq!(bars["total"], sum);

    let stats = server
        .api()
        .ask("stats", &[("q", "program:sshd"), ("by", "host")])?
        .json()?;
    for value in stats["values"].as_array().context("no values")? {
        let host = text(value, "value");
        let expected = sshd.clone().filter(|line| line.host == host).count();
        assert_eq!(value["count"], expected, "{host}");
    }
    assert_eq!(stats["total"], sum);
    for answer in [bars, stats] {
        assert!(
            answer["elapsed_ms"].is_number() && answer["segments"].is_object(),
            "{answer}"
        );
    }
    Ok(())
}

#[test]
fn ingest_is_durable_when_it_is_answered() -> Result<()> {
    let mut server = Server::start()?;
    let objects = [
        json!({"message": "plain"}),
        json!({"message": "full", "host": "h", "program": "json", "pid": "7",
               "severity": "err", "facility": "local3"}),
    ];
    let body: Vec<String> = objects.iter().map(|object| format!("{object}\n")).collect();
    let answer = server
        .api()
        .post("/api/v1/ingest?format=ndjson", body.concat().as_bytes())?;
    assert_eq!(answer.ok()?.json()?["accepted"], 2);
    server.kill()?;
    server.start_again()?;
    let rows = server.api().search("program:json", &[])?;
    let found: Vec<&str> = ["host", "program", "pid", "severity", "facility", "message"]
        .iter()
        .map(|member| text(&rows[0], member))
        .collect();
    assert_eq!(found, ["h", "json", "7", "err", "local3", "full"]);
    assert_eq!(server.api().count("plain")?, 1);

    let refused = server
        .api()
        .post("/api/v1/ingest?format=ndjson", b"{\"message\": \n")?;
    assert_eq!(refused.status, 400, "{}", refused.text());
    Ok(())
}

#[test]
fn metrics_and_health_are_there_for_others() -> Result<()> {
    let server = Server::start()?;
    send_stream(server.addresses().tcp, b"<13>1 - - counted - - - m\n")?;
    server.api().wait_for_count("program:counted", 1)?;
    let metrics = server.api().get("/metrics")?.ok()?;
    assert!(
        metrics
            .header("content-type")
            .unwrap_or_default()
            .starts_with("text/plain")
    );
    let metrics = metrics.text();
    for line in metrics
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let (_, value) = line.rsplit_once(' ').with_context(|| line.to_owned())?;
        ensure!(value.parse::<f64>().is_ok(), "no sample: {line}");
    }
    assert!(metrics.contains("source=\"tcp\""), "{metrics}");
    assert_eq!(server.api().get("/healthz")?.status, 200);
    assert_eq!(server.api().get("/readyz")?.status, 200);
    let page = server.api().get("/")?.ok()?;
    let policy = page.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("default-src 'self'"), "{policy}");
    Ok(())
}

#[test]
fn an_export_says_how_far_it_is() -> Result<()> {
    const RECORDS: u64 = 60_000;
    let server = Server::start()?;
    let text = "x".repeat(400);
    let lines: Vec<String> = (0..RECORDS)
        .map(|number| format!("<13>1 - web app - - - {number} {text}\n"))
        .collect();
    for part in lines.chunks(10_000) {
        let import = "/api/v1/import?time=now";
        server.api().post(import, part.concat().as_bytes())?.ok()?;
    }
    // Nobody reads what is sent, so that it stops when all buffers on the way are full.
    let mut stalled = TcpStream::connect(server.addresses().http)?;
    stalled
        .write_all(b"GET /api/v1/export?format=raw&mark=m7 HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
    let records = || -> Result<Option<u64>> {
        let status = server.api().status()?;
        let searches = status["searches"].as_array().context("no searches")?;
        let own = searches.iter().find(|search| search["mark"] == "m7");
        Ok(own.and_then(|search| search["records"].as_u64()))
    };
    let is_on_its_way = || matches!(records(), Ok(Some(count)) if count > 0);
    wait_until("the export has begun", WAIT, is_on_its_way)?;
    ensure!(records()?.is_some_and(|count| count < RECORDS));
    drop(stalled);
    wait_until("the export has ended", WAIT, || {
        matches!(records(), Ok(None))
    })?;
    let refused = server
        .api()
        .get(&format!("/api/v1/export?mark={}", "m".repeat(65)))?;
    assert_eq!(refused.status, 400);
    Ok(())
}
