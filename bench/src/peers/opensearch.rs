//! OpenSearch, one node in one JVM, its jars from Maven.
//!
//! Best known setting for logs on two cores: one shard, no replica, no refresh while indexing, the
//! better of its codecs, one segment at the end, half a heap of what the machine would give. The
//! message is a text that the standard analyzer cuts into words, and the time a date; the document
//! itself is kept, as everybody does who wants to see it again.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Process, wait_for};

use crate::child;
use crate::context::Context;

const POM: &str = include_str!("../../peers/opensearch/pom.xml");
const NODE: &str = include_str!("../../peers/opensearch/Node.java");

/// Starting takes ten seconds where nothing else runs.
const START_LIMIT: Duration = Duration::from_secs(180);

/// Merging all segments into one is the slowest request: minutes for ten million documents.
const REQUEST_LIMIT: Duration = Duration::from_secs(3_600);

/// Documents of one bulk request, some megabytes.
const BULK_MESSAGES: usize = 10_000;

/// The time of the first message and the span of all, in milliseconds: a day, as for the others.
const FIRST_MS: u64 = 1_767_225_600_000;
const SPAN_MS: u64 = 86_400_000;

/// A running node with its data.
#[derive(Debug)]
pub(crate) struct OpenSearch {
    process: Process,
    base: String,
    folder: TempDir,
}

impl OpenSearch {
    /// Starts a node without documents and makes its index.
    pub(crate) fn start(context: &Context) -> Result<Self> {
        let program = prepare(&context.work().join("opensearch"))?;
        let folder = context.folder()?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let process = Process::start(
            Command::new(java("java"))
                .args(["-Xms2g", "-Xmx2g", "-XX:+UseSerialGC"])
                .args([
                    "--enable-native-access=ALL-UNNAMED",
                    "--add-modules",
                    "jdk.incubator.vector",
                ])
                .arg("-cp")
                .arg(format!("{0}:{0}/lib/*", program.display()))
                .arg("Node")
                .arg(folder.path())
                .arg(port.to_string()),
        )?;
        let mut server = Self {
            process,
            base: format!("http://127.0.0.1:{port}"),
            folder,
        };
        wait_for("OpenSearch answered", START_LIMIT, || {
            if let Some(status) = server.process.ended()? {
                bail!(
                    "OpenSearch ended: {status}: {}",
                    server.process.errors().join("\n")
                );
            }
            Ok(server.get("/_cluster/health").ok().map(|_| ()))
        })?;
        let index = json!({
            "settings": {
                "number_of_shards": 1,
                "number_of_replicas": 0,
                "refresh_interval": "-1",
                "codec": "best_compression",
            },
            "mappings": { "properties": {
                "time": { "type": "date" },
                "message": { "type": "text" },
            }},
        });
        server.send("PUT", "/logs", &index.to_string())?;
        Ok(server)
    }

    /// Indexes the lines of a file, merges, and returns how many there are.
    pub(crate) fn index(&self, path: &Path) -> Result<u64> {
        let total = count_lines(path)?.max(1);
        let mut bulk = String::new();
        let mut held = 0;
        for (number, line) in (0_u64..).zip(BufReader::new(File::open(path)?).split(b'\n')) {
            let line = line?;
            if line.is_empty() {
                continue;
            }
            let time = FIRST_MS
                + u64::try_from(u128::from(number) * u128::from(SPAN_MS) / u128::from(total))?;
            let message = String::from_utf8_lossy(&line);
            bulk.push_str("{\"index\":{}}\n");
            bulk.push_str(&json!({ "time": time, "message": message }).to_string());
            bulk.push('\n');
            held += 1;
            if held == BULK_MESSAGES {
                self.bulk(&bulk)?;
                bulk.clear();
                held = 0;
            }
        }
        if held > 0 {
            self.bulk(&bulk)?;
        }
        self.send("POST", "/logs/_forcemerge?max_num_segments=1", "")?;
        self.send("POST", "/logs/_refresh", "")?;
        let count = self.get("/logs/_count")?;
        count["count"]
            .as_u64()
            .context("OpenSearch does not say a count")
    }

    fn bulk(&self, documents: &str) -> Result<()> {
        let answer = self.send("POST", "/logs/_bulk?filter_path=errors", documents)?;
        ensure!(
            answer["errors"] == false,
            "OpenSearch did not take a document"
        );
        Ok(())
    }

    /// How many messages match a query of its language.
    pub(crate) fn count(&self, query: &str) -> Result<u64> {
        let body = json!({ "query": query_string(query) });
        let answer = self.send("POST", "/logs/_count", &body.to_string())?;
        answer["count"]
            .as_u64()
            .context("OpenSearch does not say a count")
    }

    /// The counts of 30 parts of the time.
    pub(crate) fn bars(&self, query: &str) -> Result<()> {
        let interval = format!("{}ms", SPAN_MS / 30);
        let body = json!({
            "size": 0,
            "query": query_string(query),
            "aggs": { "bars": { "date_histogram": { "field": "time", "fixed_interval": interval } } },
        });
        self.search(&body)
    }

    /// The newest messages that match.
    pub(crate) fn newest(&self, query: &str, limit: u64) -> Result<()> {
        let body = json!({
            "size": limit,
            "query": query_string(query),
            "sort": [{ "time": "desc" }],
            "track_total_hits": false,
        });
        self.search(&body)
    }

    fn search(&self, body: &Value) -> Result<()> {
        let answer = self.send(
            "POST",
            "/logs/_search?request_cache=false",
            &body.to_string(),
        )?;
        ensure!(answer["timed_out"] == false, "OpenSearch gave a search up");
        Ok(())
    }

    /// Bytes of its index.
    pub(crate) fn disk_bytes(&self) -> Result<u64> {
        self.send("POST", "/logs/_flush", "")?;
        let stats = self.get("/logs/_stats/store")?;
        let bytes = stats["_all"]["primaries"]["store"]["size_in_bytes"].as_u64();
        bytes.with_context(|| format!("no size of the index in {}", self.folder.path().display()))
    }

    fn get(&self, path: &str) -> Result<Value> {
        let mut answer = agent().get(format!("{}{path}", self.base)).call()?;
        Ok(serde_json::from_str(&answer.body_mut().read_to_string()?)?)
    }

    fn send(&self, method: &str, path: &str, body: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let request = match method {
            "PUT" => agent().put(url),
            _ => agent().post(url),
        };
        let request = request.header("content-type", "application/json");
        let mut answer = request
            .send(body)
            .with_context(|| format!("{method} {path}"))?;
        let status = answer.status().as_u16();
        let text = answer
            .body_mut()
            .with_config()
            .limit(u64::MAX)
            .read_to_string()?;
        ensure!(
            status < 300,
            "OpenSearch answers {method} {path} with {status}: {text}"
        );
        Ok(serde_json::from_str(&text)?)
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(REQUEST_LIMIT))
        .http_status_as_error(false);
    config.build().new_agent()
}

fn query_string(query: &str) -> Value {
    json!({ "query_string": { "query": query, "default_field": "message" } })
}

/// A query of a manifest in the language of OpenSearch, which is nearly the same; `None` where its
/// words cannot say it.
pub(crate) fn spelled(name: &str, query: &str) -> Option<String> {
    match name.split(' ').next().unwrap_or_default() {
        // Expressions are asked of words, and `lamp-1234` is two; fields are not cut out here.
        "regex" | "number" | "cidr" => None,
        "all" => Some("*:*".to_owned()),
        "any_character" => Some("_exists_:message".to_owned()),
        "uuid" => Some(format!("\"{query}\"")),
        _ => Some(query.to_owned()),
    }
}

/// Jars and program, made once.
fn prepare(folder: &Path) -> Result<PathBuf> {
    if folder.join("Node.class").exists() {
        return Ok(folder.to_owned());
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("pom.xml"), POM)?;
    fs::write(folder.join("Node.java"), NODE)?;
    let mut maven = Command::new("mvn");
    maven
        .args([
            "-B",
            "-q",
            "dependency:copy-dependencies",
            "-DoutputDirectory=lib",
        ])
        .current_dir(folder);
    child::run(&mut maven, b"", &[0]).context("cannot get OpenSearch's jars")?;
    let mut compiler = Command::new(java("javac"));
    compiler
        .args(["-cp", "lib/*", "Node.java"])
        .current_dir(folder);
    child::run(&mut compiler, b"", &[0]).context("cannot compile OpenSearch's start")?;
    Ok(folder.to_owned())
}

/// A program of the Java that JAVA_HOME names, or the one on the path. OpenSearch 3 needs 21.
fn java(program: &str) -> PathBuf {
    match env::var_os("JAVA_HOME") {
        Some(home) => Path::new(&home).join("bin").join(program),
        None => program.into(),
    }
}

fn count_lines(path: &Path) -> Result<u64> {
    let mut lines = 0;
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        lines += u64::from(!line?.is_empty());
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cannot_be_asked_for() {
        assert_eq!(spelled("cidr", "client:172.31.200.0/24"), None);
    }

    #[test]
    fn queries_are_spelled_for_words() {
        assert_eq!(spelled("all", "*").unwrap(), "*:*");
        assert_eq!(spelled("uuid 2", "a-b").unwrap(), "\"a-b\"");
        assert_eq!(spelled("and", "a AND b").unwrap(), "a AND b");
        assert_eq!(spelled("regex", "/lamp-[0-9]{4}/"), None);
    }
}
