//! A backup of a store as the API says it; the command line says the same without a server.

use std::path::Path;

use api::{BackupAnswer, LogspaceBackup};
use store::{Error, Store};

/// Makes a backup in a directory.
///
/// # Errors
/// As for [`Store::backup`].
pub fn backup(store: &Store, directory: &Path) -> Result<BackupAnswer, Error> {
    let made = store.backup(directory)?;
    Ok(BackupAnswer {
        directory: directory.display().to_string(),
        complete: made.damages.is_empty(),
        logspaces: made.logspaces.iter().map(logspace).collect(),
        damages: made.damages.iter().map(ToString::to_string).collect(),
    })
}

fn logspace(made: &store::LogspaceBackup) -> LogspaceBackup {
    LogspaceBackup {
        name: made.name.to_string(),
        records: made.records,
        last: made.last.map(|number| number.0),
        kept: made.kept,
        linked: made.linked,
        copied: made.copied,
        copied_bytes: made.copied_bytes,
        removed: made.removed,
    }
}
