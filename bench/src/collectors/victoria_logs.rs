//! VictoriaLogs, by its binary: syslog over TCP or TLS, its own parser, defaults but for what it
//! keeps together.
//!
//! It keeps columns with bloom filters of words, writes them every five seconds, and does not sync
//! before it takes the next message.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Process, Signal};

use super::{Collector, LIMIT, SETTLED, Setup, Transport, files, ports};
use crate::certificate::Certificate;
use crate::context::Context;
use crate::process::wait_until_quiet;
use crate::segments::Kept;

/// What it keeps together: the messages of a host. By default those of a process, whose blocks are
/// small: 121 instead of 65 B for each of 100,000 realistic messages, and slower to search.
const STREAMS: &str = "[\"hostname\"]";

/// How often it is asked what it has stored: a query, and its CPU time counts. What it was given
/// can be found a second later.
const COUNT_INTERVAL: Duration = Duration::from_millis(250);

/// Merging is the slowest that is asked of it.
const REQUEST_LIMIT: Duration = Duration::from_secs(3_600);

/// Lines of one request, some megabytes.
const REQUEST_LINES: usize = 10_000;

/// The time of the first line without one of its own, in nanoseconds.
const FIRST_NANOS: u64 = 1_767_225_600_000_000_000;

/// A running server with its data.
#[derive(Debug)]
pub(crate) struct VictoriaLogs {
    process: Process,
    transport: Transport,
    syslog: SocketAddr,
    base: String,
    counted: u64,
    counted_at: Option<Instant>,
    folder: TempDir,
}

impl VictoriaLogs {
    /// Starts one without data and waits until it listens.
    pub(crate) fn start(setup: &Setup, context: &Context) -> Result<Self> {
        let program = context.programs.victoria_logs.as_ref();
        let program = program.context("needs --victoria-logs PATH")?;
        ensure!(setup.parses, "VictoriaLogs cannot leave out parsing");
        let folder = context.folder()?;
        let (http, syslog) = (ports::free()?, ports::free()?);
        let mut command = Command::new(program);
        command
            .arg(format!("-storageDataPath={}", data(&folder).display()))
            .arg(format!("-httpListenAddr={http}"))
            .arg(format!("-syslog.listenAddr.tcp={syslog}"))
            .arg(format!("-syslog.streamFields.tcp={STREAMS}"))
            .args(["-retentionPeriod=100y", "-search.maxQueryDuration=1h"])
            .env("TZ", "UTC");
        match setup.transport {
            Transport::Tcp => {}
            Transport::Tls => {
                let files = Certificate::make(folder.path())?;
                command
                    .arg("-syslog.tls")
                    .arg(format!(
                        "-syslog.tlsCertFile={}",
                        files.certificate.display()
                    ))
                    .arg(format!("-syslog.tlsKeyFile={}", files.key.display()));
            }
            other => bail!("VictoriaLogs is not measured over {}", other.name()),
        }
        let mut process = Process::start(&mut command)?;
        for address in [syslog, http] {
            ports::wait_until_listening(&mut process, Transport::Tcp, address)?;
        }
        Ok(Self {
            process,
            transport: setup.transport,
            syslog,
            base: format!("http://{http}"),
            counted: 0,
            counted_at: None,
            folder,
        })
    }

    /// Gives it the lines of a file and returns how many can be found. Lines of syslog come in as
    /// such, others as messages at times of a day.
    pub(crate) fn index(&self, path: &Path) -> Result<u64> {
        let mut lines = BufReader::new(File::open(path)?);
        let mut sent = 0;
        if lines.fill_buf()?.starts_with(b"<") {
            let mut connection = BufWriter::new(TcpStream::connect(self.syslog)?);
            for line in lines.split(b'\n') {
                let mut line = line?;
                sent += u64::from(!line.is_empty());
                line.push(b'\n');
                connection.write_all(&line)?;
            }
            connection.flush()?;
        } else {
            let lines: Vec<_> = lines.split(b'\n').collect::<Result<_, _>>()?;
            let lines: Vec<_> = lines.iter().filter(|line| !line.is_empty()).collect();
            for (part, lines) in (0_u64..).zip(lines.chunks(REQUEST_LINES)) {
                let first = FIRST_NANOS + part * u64::try_from(REQUEST_LINES)?;
                self.send("/insert/jsonline", &json_lines(first, lines))?;
                sent += u64::try_from(lines.len())?;
            }
        }
        self.wait_for(sent)
    }

    /// Waits until so many messages can be found, or no more come.
    fn wait_for(&self, wanted: u64) -> Result<u64> {
        let (mut found, mut last) = (0, Instant::now());
        while found < wanted && last.elapsed() < SETTLED {
            std::thread::sleep(COUNT_INTERVAL);
            self.send("/internal/force_flush", "")?;
            let count = self.count("*")?;
            if count > found {
                (found, last) = (count, Instant::now());
            }
        }
        Ok(found)
    }

    /// How many messages match a query of its language.
    pub(crate) fn count(&self, query: &str) -> Result<u64> {
        let answer = self.ask("query", &[("query", &format!("{query} | stats count() n"))])?;
        let answer: Value = serde_json::from_str(&answer)?;
        let count = answer["n"].as_str().context("VictoriaLogs says no count")?;
        Ok(count.parse()?)
    }

    /// The second of the first message, and the one behind the last.
    pub(crate) fn times(&self) -> Result<(i64, i64)> {
        let query = "* | stats min(_time) first, max(_time) last";
        let answer: Value = serde_json::from_str(&self.ask("query", &[("query", query)])?)?;
        let second = |name: &str| {
            let time = answer[name].as_str().context("VictoriaLogs says no time")?;
            Ok::<_, anyhow::Error>(time.parse::<jiff::Timestamp>()?.as_second())
        };
        Ok((second("first")?, second("last")? + 1))
    }

    /// The counts of 30 parts of the time, in seconds; returns their sum.
    pub(crate) fn bars(&self, query: &str, (from, to): (i64, i64)) -> Result<u64> {
        let step = format!("{}s", ((to - from) / 30).max(1));
        let (from, to) = (from.to_string(), to.to_string());
        let words = [
            ("query", query),
            ("start", &from),
            ("end", &to),
            ("step", &step),
        ];
        let answer: Value = serde_json::from_str(&self.ask("hits", &words)?)?;
        let hits = answer["hits"]
            .as_array()
            .context("VictoriaLogs has no bars")?;
        Ok(hits.iter().filter_map(|one| one["total"].as_u64()).sum())
    }

    /// The newest messages that match; returns how many.
    pub(crate) fn newest(&self, query: &str, limit: u64) -> Result<u64> {
        let answer = self.ask("query", &[("query", query), ("limit", &limit.to_string())])?;
        Ok(u64::try_from(answer.lines().count())?)
    }

    /// Bytes on disk, data and index together, after all is merged and written.
    pub(crate) fn disk_bytes(mut self) -> Result<u64> {
        self.send("/internal/force_flush", "")?;
        self.send("/internal/force_merge", "")?;
        wait_until_quiet(self.process.id(), LIMIT)?;
        // It writes what it holds in memory when it ends.
        self.process.signal(Signal::TERM)?;
        self.process.wait(LIMIT)?;
        files::bytes(&data(&self.folder))
    }

    fn ask(&self, endpoint: &str, words: &[(&str, &str)]) -> Result<String> {
        let url = format!("{}/select/logsql/{endpoint}", self.base);
        let answer = agent().post(url).send_form(words.iter().copied());
        text(answer.with_context(|| format!("VictoriaLogs was asked {words:?}"))?)
    }

    fn send(&self, path: &str, body: &str) -> Result<String> {
        let request = agent().post(format!("{}{path}", self.base));
        // Of another type, it takes no line and does not say so.
        let request = request.header("content-type", "application/stream+json");
        text(request.send(body).with_context(|| path.to_owned())?)
    }
}

impl Collector for VictoriaLogs {
    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn target(&self) -> String {
        format!("{}://{}", self.transport.name(), self.syslog)
    }

    fn address(&self) -> SocketAddr {
        self.syslog
    }

    fn stored(&mut self) -> Result<u64> {
        if self
            .counted_at
            .is_none_or(|at| at.elapsed() >= COUNT_INTERVAL)
        {
            self.counted = self.count("*")?;
            self.counted_at = Some(Instant::now());
        }
        Ok(self.counted)
    }

    /// What it says itself, since a part of it may not be written yet.
    fn kept(&self) -> Result<Kept> {
        let metrics = agent().get(format!("{}/metrics", self.base)).call();
        let metrics = text(metrics?)?;
        Ok(Kept {
            messages: self.counted,
            bytes: data_bytes(&metrics)?,
            ..Kept::default()
        })
    }
}

/// The sizes that its metrics tell: of its data and of its index of streams.
fn data_bytes(metrics: &str) -> Result<u64> {
    let sizes = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("vl_data_size_bytes{"))
        .filter_map(|line| line.rsplit(' ').next());
    let mut sum = None;
    for size in sizes {
        let size: u64 = size.parse().with_context(|| format!("{size} is no size"))?;
        sum = Some(sum.unwrap_or(0) + size);
    }
    sum.context("VictoriaLogs does not tell the size of its data")
}

fn json_lines(first: u64, lines: &[&Vec<u8>]) -> String {
    let mut body = String::new();
    for (nanos, line) in (first..).zip(lines) {
        let message = String::from_utf8_lossy(line);
        body.push_str(&json!({ "_time": nanos, "_msg": message }).to_string());
        body.push('\n');
    }
    body
}

fn data(folder: &TempDir) -> PathBuf {
    folder.path().join("data")
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(REQUEST_LIMIT))
        .http_status_as_error(false);
    config.build().new_agent()
}

fn text(mut answer: ureq::http::Response<ureq::Body>) -> Result<String> {
    let status = answer.status().as_u16();
    let body = answer.body_mut().with_config().limit(u64::MAX);
    let text = body.read_to_string()?;
    ensure!(status < 300, "VictoriaLogs answers {status}: {text}");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_data_and_index() {
        let metrics = "vl_data_size_bytes{type=\"indexdb\"} 40\n\
                       vl_data_size_bytes{type=\"storage\"} 2\nvl_rows 7\n";
        assert_eq!(data_bytes(metrics).unwrap(), 42);
        assert!(data_bytes("vl_rows 7\n").is_err());
    }

    #[test]
    fn lines_become_json_in_their_order() {
        let lines = [b"a \"b\"".to_vec(), b"c".to_vec()];
        let text = json_lines(5, &lines.iter().collect::<Vec<_>>());
        let expected = "{\"_msg\":\"a \\\"b\\\"\",\"_time\":5}\n{\"_msg\":\"c\",\"_time\":6}\n";
        assert_eq!(text, expected);
    }
}
