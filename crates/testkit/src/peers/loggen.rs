//! syslog-ng's `loggen`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::locate::program;

/// `loggen` of syslog-ng.
#[derive(Debug)]
pub struct Loggen {
    program: PathBuf,
}

/// What it says of a run.
#[derive(Debug)]
pub struct LoggenReport {
    /// Messages it sent.
    pub count: u64,
    /// Its whole standard error.
    pub errors: String,
}

impl Loggen {
    /// Finds it.
    pub fn find() -> Result<Self> {
        let program = program("loggen", "syslog-ng-core")?;
        Ok(Self { program })
    }

    /// Runs it to its end. It counts what it sent in a local time without zone; `TZ` is UTC here.
    pub fn run(&self, to: SocketAddr, options: &[&str]) -> Result<LoggenReport> {
        let finished = Command::new(&self.program)
            .args(options)
            .arg(to.ip().to_string())
            .arg(to.port().to_string())
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .output()
            .context("cannot start loggen")?;
        let errors = String::from_utf8_lossy(&finished.stderr).into_owned();
        if !finished.status.success() {
            bail!("loggen ended with {}: {errors}", finished.status);
        }
        let count = count_in(&errors).with_context(|| format!("no count in: {errors}"))?;
        Ok(LoggenReport { count, errors })
    }
}

/// `average rate = 6.00 msg/sec, count=3, time=0.50017, ...`
fn count_in(errors: &str) -> Option<u64> {
    let (_, rest) = errors
        .rsplit_once("count=")
        .or_else(|| errors.rsplit_once("count = "))?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read() {
        let line = "average rate = 6.00 msg/sec, count=3, time=0.50017, (average) msg size=256";
        assert_eq!(count_in(line), Some(3));
        assert_eq!(count_in("Total runtime = 0.503589, count = 0\n"), Some(0));
        assert_eq!(count_in("nothing"), None);
    }
}
