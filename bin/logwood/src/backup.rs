//! A consistent copy of a data directory, and the way back.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use api::BackupAnswer;
use serde::Serialize;
use store::{Disk, RealDisk};

use crate::Outcome;
use crate::arguments::{BackupArguments, RestoreArguments};
use crate::failure::Failure;
use crate::output;
use crate::target::{self, Target};

/// Makes a backup, through the server where one has the data.
pub(crate) fn backup(arguments: &BackupArguments) -> Result<Outcome, Failure> {
    // The server may have been started anywhere.
    let directory = std::path::absolute(&arguments.directory)
        .map_err(|error| Failure::new("the directory cannot be used").because(error))?;
    let answer = match Target::find(&arguments.target)? {
        Target::Server(client) => client.backup(&directory.display().to_string())?,
        Target::Directory(data_dir) => {
            if !data_dir.join("logspaces").is_dir() {
                return Err(store::Error::NotADataDirectory { data_dir }.into());
            }
            // Opening it to be able to seal and tidy would make it a store of its own.
            if data_dir.join("backup").exists() {
                let what = format!("{} is a backup itself", data_dir.display());
                return Err(Failure::new(what).hint("copy it with `logwood restore BACKUP DIR`"));
            }
            server::backup::backup(&target::open(&data_dir)?, &directory).map_err(|error| {
                let hint = server::backup::hint(&directory, &error);
                let failure = Failure::from(error);
                match hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            })?
        }
    };
    let mut out = output::data();
    if arguments.json {
        output::json_line(&mut out, &answer)?;
    } else {
        for line in backup_lines(&answer) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(end(&answer.damages, "not all of it could be read"))
}

fn backup_lines(answer: &BackupAnswer) -> Vec<String> {
    let of_logspace = |made: &api::LogspaceBackup| {
        format!(
            "{}, segments: {} new by link, {} by copy ({} bytes), {} there before; {} files removed",
            holds(&made.name, made.records, made.last),
            made.linked,
            made.copied,
            made.copied_bytes,
            made.kept,
            made.removed
        )
    };
    answer.logspaces.iter().map(of_logspace).collect()
}

fn holds(name: &str, records: u64, last: Option<u64>) -> String {
    match last {
        Some(last) => format!("{name}: {records} records up to {name}:{last}"),
        None => format!("{name}: no records"),
    }
}

fn end(damages: &[String], what: &str) -> Outcome {
    if damages.is_empty() {
        return Outcome::Done;
    }
    for damage in damages {
        output::words(&format!("damaged: {damage}"));
    }
    output::words(&format!("warning: {what}; the rest is there"));
    Outcome::Incomplete
}

/// What a restore says with `--json`.
#[derive(Debug, Serialize)]
struct RestoreAnswer {
    directory: String,
    complete: bool,
    segments: u64,
    bytes: u64,
    logspaces: Vec<RestoredLogspace>,
    damages: Vec<String>,
}

#[derive(Debug, Serialize)]
struct RestoredLogspace {
    name: String,
    records: u64,
    last: Option<u64>,
}

/// Copies a backup into a directory of its own, reads all of it back, and says what is there.
pub(crate) fn restore(arguments: &RestoreArguments) -> Result<Outcome, Failure> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let report = store::restore(&disk, &arguments.backup, &arguments.directory)?;
    let answer = RestoreAnswer {
        directory: arguments.directory.display().to_string(),
        complete: report.damages.is_empty(),
        segments: report.segments,
        bytes: report.bytes,
        logspaces: restored(&arguments.directory)?,
        damages: report.damages.iter().map(ToString::to_string).collect(),
    };
    let mut out = output::data();
    if arguments.json {
        output::json_line(&mut out, &answer)?;
    } else {
        for logspace in &answer.logspaces {
            let line = holds(&logspace.name, logspace.records, logspace.last);
            writeln!(out, "{line}")?;
        }
        writeln!(out, "{} segments, {} bytes", answer.segments, answer.bytes)?;
    }
    out.flush()?;
    Ok(end(&answer.damages, "the backup is damaged"))
}

fn restored(directory: &Path) -> Result<Vec<RestoredLogspace>, Failure> {
    let store = target::open_read_only(directory)?;
    let snapshots = store.logspaces().into_iter();
    let of_snapshot = |snapshot: store::Snapshot| RestoredLogspace {
        name: snapshot.logspace.to_string(),
        records: snapshot
            .parts
            .iter()
            .map(|part| u64::from(part.rows()))
            .sum(),
        last: snapshot.last_number().map(|number| number.0),
    };
    Ok(snapshots
        .filter_map(|name| store.snapshot(&name))
        .map(of_snapshot)
        .collect())
}
