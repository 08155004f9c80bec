//! A log, generated or given: its manifest, its text, and Logwood's data made of it.
//!
//! Made once for a run, or for all that keep it, and shared by steps. The text is the same for the same number
//! of messages and program. It is piped into `logwood import`, since the text of 200 million messages would
//! take more disk than the data.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::child;
use crate::context::Context;
use crate::derive;
use crate::logs::GivenLog;
use crate::manifest::Manifest;
use crate::measurement::figure;

/// The seed of all generated logs.
const SEED: &str = "1";

/// When the first message was written. Behind every clock, so that years of stamps without one
/// are read right.
const FROM: &str = "2026-01-01T00:00:00Z";
const FROM_SECONDS: i64 = 1_767_225_600;

/// Messages of a day: a backlog of 24 hours at SSB's 25 million messages an hour is 600 million; we
/// file the same number of segments each day and let large logs be more days.
const MESSAGES_PER_DAY: u64 = 25_000_000;
const DAY_SECONDS: i64 = 86_400;

/// A log in a folder of its own.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    pub(crate) messages: u64,
    pub(crate) manifest: Manifest,
    folder: PathBuf,
    /// Its lines, where they are given.
    text: Option<PathBuf>,
}

impl Corpus {
    /// The log of so many messages; made where it is not there yet.
    pub(crate) fn of(context: &Context, messages: u64) -> Result<Self> {
        let folder = context.corpora().join(format!("corpus-{messages}"));
        let manifest = folder.join("manifest.json");
        if !manifest.exists() {
            begin(&folder)
                .with_context(|| format!("cannot make an empty folder {}", folder.display()))?;
            make(context, messages, &folder)
                .inspect_err(|_| _ = fs::remove_dir_all(&folder))
                .with_context(|| format!("cannot make a log of {messages} messages"))?;
        }
        let manifest = Manifest::read(&manifest)?;
        ensure!(
            manifest.messages == messages,
            "the generator made {}",
            manifest.messages
        );
        Ok(Self {
            messages,
            manifest,
            folder,
            text: None,
        })
    }

    /// A given log with questions about it; as long as a run lasts.
    pub(crate) fn of_log(context: &Context, log: &GivenLog) -> Result<Self> {
        let folder = context.work().join(format!("given-{}", log.name));
        let manifest = folder.join("manifest.json");
        if !manifest.exists() {
            begin(&folder)?;
            import_log(context, &log.path, &folder)
                .inspect_err(|_| _ = fs::remove_dir_all(&folder))
                .with_context(|| format!("cannot import {}", log.name))?;
            derive::manifest(&log.path)?.write(&manifest)?;
        }
        let manifest = Manifest::read_again(&manifest)?;
        Ok(Self {
            messages: manifest.messages,
            manifest,
            folder,
            text: Some(log.path.clone()),
        })
    }

    /// Logwood's data of it. Servers may run on it as long as nothing is sent to them.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Messages imported a second, the generator's share included.
    pub(crate) fn import_rate(&self) -> Result<f64> {
        let seconds: f64 = fs::read_to_string(self.folder.join("seconds"))?.parse()?;
        Ok(figure(self.messages) / seconds)
    }

    /// Its lines in a file, for programs that search text.
    pub(crate) fn text(&self, context: &Context) -> Result<PathBuf> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let path = self.folder.join("text.log");
        if !path.exists() {
            let half = self.folder.join("text.half");
            let written = generator(context, self.messages, Path::new("/dev/null"))
                .arg("file:-")
                .stdout(File::create(&half)?)
                .status()?;
            ensure!(written.success(), "the generator ended with {written}");
            fs::rename(&half, &path)?;
        }
        Ok(path)
    }

    /// The same, packed as logrotate does.
    pub(crate) fn packed_text(&self, context: &Context) -> Result<PathBuf> {
        let text = self.text(context)?;
        let path = self.folder.join("text.log.gz");
        if !path.exists() {
            let packed = File::create(&path)?;
            let mut gzip = Command::new("gzip");
            let status = gzip.arg("-c").arg(&text).stdout(packed).status()?;
            ensure!(status.success(), "gzip ended with {status}");
        }
        Ok(path)
    }

    /// The data once more, to be added to: segments never change and are linked, the rest is
    /// copied.
    pub(crate) fn copy_data(&self, to: &Path) -> Result<()> {
        copy(&self.data_dir(), to)
    }
}

/// When the last of so many messages is written.
fn end(messages: u64) -> String {
    let end = jiff::Timestamp::from_second(end_seconds(messages));
    end.map_or_else(|_| FROM.to_owned(), |end| end.to_string())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&source, &target)?;
        } else if source.extension().is_some_and(|ending| ending == "segment") {
            fs::hard_link(&source, &target).with_context(|| {
                format!(
                    "cannot link {}; hint: --corpora has to be on the disk of --out",
                    source.display()
                )
            })?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Makes an empty folder: what a run left there that was stopped would be imported to.
fn begin(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

fn import_log(context: &Context, path: &Path, folder: &Path) -> Result<()> {
    let mut import = Command::new(&context.programs.logwood);
    import
        .arg("import")
        .arg(path)
        .arg("--data-dir")
        .arg(folder.join("data"));
    let imported = child::run(import.env("TZ", "UTC"), b"", &[0])?;
    Ok(fs::write(
        folder.join("seconds"),
        imported.seconds.to_string(),
    )?)
}

fn make(context: &Context, messages: u64, folder: &Path) -> Result<()> {
    let half = folder.join("manifest.half");
    let started = Instant::now();
    let mut generator = generator(context, messages, &half)
        .arg("file:-")
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the generator")?;
    let lines = generator
        .stdout
        .take()
        .context("the generator has no output")?;
    let imported = Command::new(&context.programs.logwood)
        .args(["import", "-", "--data-dir"])
        .arg(folder.join("data"))
        .env("TZ", "UTC")
        .stdin(lines)
        .stderr(Stdio::null())
        .status();
    let generated = generator.wait()?;
    let imported = imported?;
    ensure!(generated.success(), "the generator ended with {generated}");
    ensure!(imported.success(), "the import ended with {imported}");
    let seconds = started.elapsed().as_secs_f64();
    fs::write(folder.join("seconds"), seconds.to_string())?;
    fs::rename(&half, folder.join("manifest.json"))?;
    Ok(())
}

/// What makes the lines. Needles are only in lines that come with a manifest.
fn generator(context: &Context, messages: u64, manifest: &Path) -> Command {
    let mut command = Command::new(&context.programs.generator);
    command
        .args(["load", "--format", "realistic", "--seed", SEED])
        .args(["--from", FROM, "--to", &end(messages)])
        .args(["--count", &messages.to_string()])
        .args(["--quiet", "--no-progress", "--manifest"])
        .arg(manifest)
        .env("TZ", "UTC")
        .stdin(Stdio::null());
    command
}

fn end_seconds(messages: u64) -> i64 {
    let days = messages.div_ceil(MESSAGES_PER_DAY);
    FROM_SECONDS + i64::try_from(days).unwrap_or(1).max(1) * DAY_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_as_many_days_as_it_needs() {
        assert_eq!(end(1), "2026-01-02T00:00:00Z");
        assert_eq!(end(25_000_000), "2026-01-02T00:00:00Z");
        assert_eq!(end(200_000_000), "2026-01-09T00:00:00Z");
        let from: jiff::Timestamp = FROM.parse().unwrap();
        assert_eq!(from.as_second(), FROM_SECONDS);
    }

    #[test]
    fn what_a_stopped_run_left_is_not_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("corpus-1/data");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("lock"), "l").unwrap();
        begin(&folder.path().join("corpus-1")).unwrap();
        assert!(!own.exists());
        assert!(folder.path().join("corpus-1").exists());
    }

    #[test]
    fn a_copy_shares_segments_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::create_dir_all(from.join("2026/01-01")).unwrap();
        fs::write(from.join("2026/01-01/1.segment"), "s").unwrap();
        fs::write(from.join("manifest"), "m").unwrap();
        copy(&from, &to).unwrap();
        fs::write(to.join("manifest"), "changed").unwrap();
        assert_eq!(fs::read_to_string(from.join("manifest")).unwrap(), "m");
        assert_eq!(
            fs::read_to_string(to.join("2026/01-01/1.segment")).unwrap(),
            "s"
        );
    }
}
