//! A backup of a store as the API says it; the command line says the same without a server.

use std::io;
use std::path::Path;

use api::{BackupAnswer, LogspaceBackup};
use store::{Error, Store};

/// Makes a backup in a directory, which is made where the one above is there: a disk that is not
/// mounted must not be taken for one that is empty.
///
/// # Errors
/// As for [`Store::backup`], and where the directory above is missing.
pub fn backup(store: &Store, directory: &Path) -> Result<BackupAnswer, Error> {
    if let Some(above) = directory.parent().filter(|above| !above.is_dir()) {
        return Err(Error::Io {
            action: "find",
            path: above.to_owned(),
            source: io::ErrorKind::NotFound.into(),
        });
    }
    let made = store.backup(directory)?;
    Ok(BackupAnswer {
        directory: directory.display().to_string(),
        complete: made.damages.is_empty(),
        logspaces: made.logspaces.iter().map(logspace).collect(),
        damages: made.damages.iter().map(ToString::to_string).collect(),
    })
}

/// What to do where no backup could be made in a directory.
pub fn hint(directory: &Path, error: &Error) -> Option<String> {
    let Error::Io { path, source, .. } = error else {
        return None;
    };
    let place = directory.parent().unwrap_or(directory).display();
    match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem => Some(format!(
            "under systemd the server writes only where its unit lets it: put `[Service]` and \
             `ReadWritePaths={place}` into `systemctl edit logwood`, then `systemctl restart \
             logwood`; /var/lib/logwood-backups is open without that"
        )),
        io::ErrorKind::PermissionDenied => Some(format!(
            "the user of the server has to be able to write there, as after `chown logwood: {place}`"
        )),
        io::ErrorKind::NotFound => Some(format!(
            "mount its disk, or make it on the machine of the server: `mkdir -p {}`",
            path.display()
        )),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_cannot_be_written_to_comes_with_its_remedy() {
        let at = |kind: io::ErrorKind| {
            let error = Error::Io {
                action: "create",
                path: "/mnt/disk".into(),
                source: kind.into(),
            };
            hint(Path::new("/mnt/disk/logwood"), &error)
        };
        for (kind, expected) in [
            (
                io::ErrorKind::ReadOnlyFilesystem,
                "ReadWritePaths=/mnt/disk`",
            ),
            (io::ErrorKind::PermissionDenied, "chown logwood: /mnt/disk`"),
            (io::ErrorKind::NotFound, "mkdir -p /mnt/disk`"),
        ] {
            let hint = at(kind).expect("a remedy");
            assert!(hint.contains(expected), "{hint}");
        }
        assert_eq!(at(io::ErrorKind::StorageFull), None);
    }
}
