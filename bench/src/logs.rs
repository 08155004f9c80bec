//! Logs that are given, those of `--logs DIR`: files of lines, packed with zstd or not.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::context::Context;
use crate::scenario::Step;

/// A given log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenLog {
    /// The name of its file without its endings; a row of the tables.
    pub(crate) name: String,
    /// Its lines, unpacked.
    pub(crate) path: PathBuf,
}

/// Why a step that takes given logs cannot be run.
pub(crate) fn obstacle(step: &Step, context: &Context) -> Option<String> {
    let is_given = step.parameters.is_on("given").unwrap_or(false);
    (is_given && context.logs.is_none()).then(|| "no logs are given; --logs DIR".to_owned())
}

/// The given logs, by name. What is packed is unpacked once for a run.
pub(crate) fn given(context: &Context) -> Result<Vec<GivenLog>> {
    let folder = context.logs.as_deref().context("no logs are given")?;
    in_folder(folder, &context.work().join("logs"))
}

fn in_folder(folder: &Path, unpacked: &Path) -> Result<Vec<GivenLog>> {
    let entries = folder
        .read_dir()
        .with_context(|| format!("cannot read the folder of logs {}", folder.display()))?;
    let mut logs = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix(".log") {
            let name = name.to_owned();
            logs.push(GivenLog { name, path });
        } else if let Some(name) = name.strip_suffix(".log.zst") {
            let path = unpack(&path, unpacked, name)
                .with_context(|| format!("cannot unpack {}", path.display()))?;
            let name = name.to_owned();
            logs.push(GivenLog { name, path });
        }
    }
    logs.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(
        !logs.is_empty(),
        "{} has no files *.log or *.log.zst",
        folder.display()
    );
    for pair in logs.windows(2) {
        ensure!(
            pair[0].name != pair[1].name,
            "two logs in {} are called {}",
            folder.display(),
            pair[0].name
        );
    }
    Ok(logs)
}

fn unpack(packed: &Path, folder: &Path, name: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.log"));
    if !path.exists() {
        fs::create_dir_all(folder)?;
        let half = folder.join(format!("{name}.half"));
        let mut reader = zstd::Decoder::new(File::open(packed)?)?;
        io::copy(&mut reader, &mut File::create(&half)?)?;
        fs::rename(&half, &path)?;
    }
    Ok(path)
}

/// Lines that are messages: empty ones are none.
pub(crate) fn count_lines(path: &Path) -> Result<u64> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let count = u64::try_from(lines.count())?;
    ensure!(count > 0, "{} has no lines", path.display());
    Ok(count)
}

/// Fails where the first line has no priority: servers would make each what they like of such lines.
pub(crate) fn ensure_syslog(log: &GivenLog) -> Result<()> {
    let mut first = [0; 1];
    File::open(&log.path)?.read_exact(&mut first)?;
    ensure!(
        first == *b"<",
        "{} is no log as it is sent: its lines begin with no priority such as <13>",
        log.name
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logs_of_a_folder_are_those_that_end_so() {
        let folder = tempfile::tempdir().unwrap();
        let unpacked = folder.path().join("unpacked");
        assert!(in_folder(folder.path(), &unpacked).is_err());
        for name in ["b.log", "d.txt"] {
            fs::write(folder.path().join(name), "one\n\ntwo\n").unwrap();
        }
        let packed = zstd::encode_all(&b"one\ntwo\nthree\n"[..], 1).unwrap();
        fs::write(folder.path().join("a.log.zst"), packed).unwrap();
        let logs = in_folder(folder.path(), &unpacked).unwrap();
        let told = |log: &GivenLog| (log.name.clone(), count_lines(&log.path).unwrap());
        let told: Vec<_> = logs.iter().map(told).collect();
        assert_eq!(told, [("a".to_owned(), 3), ("b".to_owned(), 2)]);
    }

    #[test]
    fn two_logs_of_one_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.log"), "one\n").unwrap();
        let packed = zstd::encode_all(&b"one\n"[..], 1).unwrap();
        fs::write(folder.path().join("a.log.zst"), packed).unwrap();
        let error = in_folder(folder.path(), &folder.path().join("unpacked")).unwrap_err();
        assert!(error.to_string().ends_with("are called a"), "{error}");
    }

    #[test]
    fn only_lines_with_a_priority_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let name = "a".to_owned();
        let log = GivenLog { name, path };
        fs::write(&log.path, "<13>one\n").unwrap();
        assert!(ensure_syslog(&log).is_ok());
        fs::write(&log.path, "2026-01-01 one\n").unwrap();
        let error = ensure_syslog(&log).unwrap_err().to_string();
        assert!(error.starts_with("a is no log as it is sent"), "{error}");
    }
}
