//! The programs that are measured, and those that measure.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use testkit::peers::{Rsyslog, SyslogNg};

use crate::peers::python;

/// Where they lie.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// The server under test.
    pub(crate) logwood: PathBuf,
    /// The `logwood` whose `load` makes the messages; the same one unless it is to stay the same
    /// while servers are compared.
    pub(crate) generator: PathBuf,
    /// Not part of Debian: measured where its binary is given.
    pub(crate) victoria_logs: Option<PathBuf>,
    /// Run OpenSearch from Maven, which takes Java and a while.
    pub(crate) opensearch: bool,
    /// A Python that has ClickHouse and tantivy.
    pub(crate) python: Option<PathBuf>,
}

impl Programs {
    /// Why a subject cannot be measured here; `None` if it can, or is no program known here.
    pub(crate) fn obstacle(&self, subject: &str) -> Option<String> {
        let missing = |found: Result<PathBuf>| found.err().map(|error| format!("{error:#}"));
        match subject.split(' ').next().unwrap_or_default() {
            "syslog-ng" => missing(SyslogNg::find()),
            "rsyslog" => missing(Rsyslog::find()),
            "victoria-logs" if self.victoria_logs.is_none() => {
                Some("needs --victoria-logs PATH".to_owned())
            }
            "opensearch" if !self.opensearch => Some("not asked for; --opensearch".to_owned()),
            "clickhouse" => self.python_obstacle("chdb"),
            "tantivy" => self.python_obstacle("tantivy"),
            name @ ("gzip" | "zstd" | "xz" | "ripgrep" | "zgrep") => {
                let program = if name == "ripgrep" { "rg" } else { name };
                (!is_installed(program)).then(|| format!("no {program} on the path"))
            }
            _ => None,
        }
    }

    fn python_obstacle(&self, library: &str) -> Option<String> {
        match &self.python {
            None => Some("needs --python PATH".to_owned()),
            Some(python) => python::obstacle(python, library),
        }
    }

    /// What each program that is here says about itself.
    pub(crate) fn versions(&self) -> BTreeMap<String, String> {
        let mut versions = BTreeMap::new();
        let mut ask = |name: &str, command: &mut Command| {
            if let Some(version) = first_line(command) {
                versions.insert(name.to_owned(), version);
            }
        };
        ask("logwood", Command::new(&self.logwood).arg("--version"));
        if self.generator != self.logwood {
            ask("generator", Command::new(&self.generator).arg("--version"));
        }
        if let Ok(program) = SyslogNg::find() {
            ask("syslog-ng", Command::new(program).arg("--version"));
        }
        if let Ok(mut command) = rsyslogd() {
            ask("rsyslog", command.arg("-v"));
        }
        for program in ["gzip", "zstd", "xz", "rg"] {
            ask(program, Command::new(program).arg("--version"));
        }
        if let Some(python) = &self.python {
            let told = |code: &str| {
                let mut command = Command::new(python);
                command.args(["-c", code]);
                command
            };
            let clickhouse = "import chdb; print(chdb.engine_version)";
            ask("clickhouse", &mut told(clickhouse));
            ask(
                "tantivy",
                &mut told("import tantivy; print(tantivy.__version__)"),
            );
        }
        if let Some(program) = &self.victoria_logs {
            ask("victoria-logs", Command::new(program).arg("-version"));
        }
        versions
    }
}

/// The unpacked rsyslog with the places of its libraries.
pub(crate) fn rsyslogd() -> Result<Command> {
    let package = Rsyslog::find()?;
    let libraries = libraries(&package)?;
    let mut command = Command::new(package.join("usr/sbin/rsyslogd"));
    command
        .arg("-M")
        .arg(libraries.join("rsyslog"))
        .env("LD_LIBRARY_PATH", &libraries);
    Ok(command)
}

/// Whether the unpacked rsyslog has a module.
pub(crate) fn has_rsyslog_module(name: &str) -> bool {
    let libraries = Rsyslog::find().and_then(|package| libraries(&package));
    libraries.is_ok_and(|libraries| libraries.join("rsyslog").join(name).is_file())
}

/// Whether the installed syslog-ng has a module.
pub(crate) fn has_syslog_ng_module(name: &str) -> bool {
    let Ok(versions) = fs::read_dir("/usr/lib/syslog-ng") else {
        return false;
    };
    versions
        .flatten()
        .any(|version| version.path().join(name).is_file())
}

fn libraries(package: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(package.join("usr/lib"))? {
        let folder = entry?.path();
        if folder.join("rsyslog").is_dir() {
            return Ok(folder);
        }
    }
    anyhow::bail!("the rsyslog in {} has no modules", package.display())
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let line = line
        .trim()
        .trim_matches('*')
        .trim_end_matches("compiled with:");
    Some(line.trim().to_owned())
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_is_an_obstacle() {
        let programs = Programs {
            logwood: "logwood".into(),
            generator: "logwood".into(),
            victoria_logs: None,
            opensearch: false,
            python: None,
        };
        assert_eq!(programs.obstacle("logwood"), None);
        assert!(programs.obstacle("opensearch").is_some());
        let obstacle = programs.obstacle("victoria-logs").unwrap();
        assert!(obstacle.ends_with("--victoria-logs PATH"), "{obstacle}");
    }
}
