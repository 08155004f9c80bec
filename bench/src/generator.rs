//! Makes messages with `logwood load`, a process of its own, and reads its report.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::context::Context;

/// A generator that is not done by then hangs.
const LIMIT: Duration = Duration::from_secs(3 * 3600);
const POLL: Duration = Duration::from_millis(2);

/// What it is to send.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    /// Where to, such as `tcp://127.0.0.1:514`.
    pub(crate) target: String,
    pub(crate) messages: Messages,
    pub(crate) count: u64,
    pub(crate) connections: u64,
    /// Messages a second, all connections together; as fast as possible without one.
    pub(crate) rate: Option<u64>,
    /// Unacknowledged messages of a RELP connection.
    pub(crate) window: Option<u64>,
}

/// Which messages are sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Messages {
    /// Those of a format of `logwood load --format`, each of so many bytes.
    Made { format: String, size: u64 },
    /// The lines of a file, again and again.
    Replayed(PathBuf),
}

/// What it says it did.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Report {
    pub(crate) sent: u64,
    pub(crate) failed: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    /// Its own CPU time.
    pub(crate) cpu_seconds: f64,
    /// From sending to the acknowledgement, where there are such.
    pub(crate) ack_latency_ms: Option<Latency>,
}

/// Percentiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl Load {
    fn words(&self) -> Vec<String> {
        let mut words = vec!["load".to_owned()];
        let mut add = |flag: &str, value: &dyn ToString| {
            words.push(format!("--{flag}"));
            words.push(value.to_string());
        };
        match &self.messages {
            Messages::Made { format, size } => {
                add("format", format);
                add("size", size);
            }
            Messages::Replayed(path) => add("replay", &path.display()),
        }
        add("count", &self.count);
        add("connections", &self.connections);
        if let Some(rate) = self.rate {
            add("rate", &rate);
        }
        if let Some(window) = self.window {
            add("window", &window);
        }
        if matches!(self.messages, Messages::Replayed(_)) {
            words.push("--loop".to_owned());
        }
        // The peers' certificates are made for the run, by nobody that anyone trusts.
        if self.target.starts_with("tls://") || self.target.starts_with("relps://") {
            words.push("--insecure".to_owned());
        }
        words.extend(["--json", "--quiet", "--no-progress"].map(str::to_owned));
        words.push(self.target.clone());
        words
    }

    /// Sends it all and returns the report. What could not be sent is an error: a figure of less
    /// than was meant would say nothing.
    pub(crate) fn run(&self, context: &Context, folder: &Path) -> Result<Report> {
        let (out, errors) = (folder.join("load.json"), folder.join("load.errors"));
        let mut child = Command::new(&context.programs.generator)
            .args(self.words())
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&errors)?)
            .spawn()
            .context("cannot start the generator")?;
        let ended = wait(&mut child);
        let told = fs::read_to_string(&errors)?;
        ended.with_context(|| format!("the generator said: {}", told.trim()))?;
        let report: Report = serde_json::from_str(&fs::read_to_string(&out)?)
            .context("cannot read the generator's report")?;
        ensure!(
            report.failed == 0 && report.sent == self.count,
            "{} of {} messages were sent, {} failed: {}",
            report.sent,
            self.count,
            report.failed,
            told.trim()
        );
        Ok(report)
    }
}

fn wait(child: &mut Child) -> Result<()> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "it ended with {status}");
            return Ok(());
        }
        if started.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("it was not done after {} s", LIMIT.as_secs());
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_words() {
        let mut load = Load {
            target: "tls://127.0.0.1:6514".into(),
            messages: Messages::Made {
                format: "loggen".into(),
                size: 400,
            },
            count: 1000,
            connections: 10,
            rate: None,
            window: None,
        };
        let words = load.words().join(" ");
        let expected = "load --format loggen --size 400 --count 1000 --connections 10 --insecure \
                        --json --quiet --no-progress tls://127.0.0.1:6514";
        assert_eq!(words, expected);
        load.target = "relp://127.0.0.1:2514".into();
        (load.rate, load.window) = (Some(5), Some(128));
        let words = load.words().join(" ");
        assert!(words.contains("--connections 10 --rate 5 --window 128 --json"));
        load.messages = Messages::Replayed("a.log".into());
        let words = load.words().join(" ");
        assert!(
            words.starts_with("load --replay a.log --count 1000 "),
            "{words}"
        );
        assert!(words.contains(" --loop --json "), "{words}");
    }

    #[test]
    fn the_report_is_read_with_and_without_latency() {
        let text = r#"{"sent":5,"acknowledged":null,"failed":0,"bytes":50,"seconds":0.5,"rate":10,
            "cpu_seconds":0.1,"ack_latency_ms":null,"reconnects":0,"connections":[]}"#;
        let report: Report = serde_json::from_str(text).unwrap();
        assert_eq!((report.sent, report.ack_latency_ms), (5, None));
        let text = text.replace(
            "\"ack_latency_ms\":null",
            "\"ack_latency_ms\":{\"p50\":1,\"p90\":2,\"p99\":3,\"p999\":4,\"max\":5.5}",
        );
        let report: Report = serde_json::from_str(&text).unwrap();
        assert!((report.ack_latency_ms.unwrap().max - 5.5).abs() < 1e-9);
    }
}
