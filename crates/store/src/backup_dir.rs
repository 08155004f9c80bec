//! The directory that a backup is written to: whose it may be, and what goes from it.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::LogspaceName;

use crate::disk::Disk;
use crate::error::Error;
use crate::leftovers;
use crate::lock::Lock;
use crate::names;
use crate::notes;

/// What an empty directory may hold: what a file system or an interrupted start of ours puts there.
const NOTHING: [&str; 5] = [
    "lost+found",
    "lock",
    "backup.tmp",
    "unfinished",
    "unfinished.tmp",
];

/// A directory for a backup, locked.
pub(crate) struct BackupDir {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    _lock: Lock,
}

/// Journal files of an older backup.
pub(crate) struct Journals {
    paths: Vec<PathBuf>,
    /// Behind all of them.
    pub(crate) next_id: u64,
}

impl BackupDir {
    /// Takes a directory that is new, empty, or holds an older backup of the same store. Anything
    /// else stays as it is.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        data_dir: &Path,
        id: &str,
    ) -> Result<Self, Error> {
        let wrong = |why| Error::WrongDirectory {
            path: dir.to_owned(),
            why,
        };
        check_apart(dir, data_dir)?;
        let is_new = is_empty(disk.as_ref(), dir)?;
        let note = notes::read(disk.as_ref(), &names::backup_note(dir))?;
        match note {
            None if is_new => {}
            Some(whose) if whose == id => {}
            Some(_) => {
                return Err(wrong(
                    "holds the backup of another store: choose another directory",
                ));
            }
            None => {
                return Err(wrong(
                    "is not empty and holds no backup, or one that a server has received into: \
                     choose another directory",
                ));
            }
        }
        disk.create_dir_all(dir).map_err(Error::io("create", dir))?;
        let lock = Lock::take(disk.as_ref(), dir)?;
        if is_new {
            let unfinished = names::unfinished_note(dir);
            notes::write(disk.as_ref(), &unfinished, "a first backup")?;
            notes::write(disk.as_ref(), &names::backup_note(dir), id)?;
        }
        Ok(Self {
            disk: Arc::clone(disk),
            dir: dir.to_owned(),
            _lock: lock,
        })
    }

    /// The journal files of an older backup.
    pub(crate) fn journals(&self) -> Result<Journals, Error> {
        let dir = names::journal_dir(&self.dir);
        let mut journals = Journals {
            paths: Vec::new(),
            next_id: 1,
        };
        for name in list(self.disk.as_ref(), &dir)? {
            let id = names::journal_id(&name, names::JOURNAL_SUFFIX)
                .or_else(|| names::journal_id(&name, names::FREE_SUFFIX));
            if let Some(id) = id {
                journals.next_id = journals.next_id.max(id + 1);
                journals.paths.push(dir.join(name));
            }
        }
        Ok(journals)
    }

    /// Removes the journal files of an older backup.
    pub(crate) fn remove_journals(&self, journals: &Journals) -> Result<(), Error> {
        for path in &journals.paths {
            self.disk
                .remove(path)
                .map_err(Error::io("remove", path.as_path()))?;
        }
        let dir = names::journal_dir(&self.dir);
        self.disk.sync_dir(&dir).map_err(Error::io("sync", dir))
    }

    /// Removes the files of a logspace that are not among those to keep; how many.
    pub(crate) fn remove_others(
        &self,
        logspace_dir: &Path,
        kept: &BTreeSet<PathBuf>,
    ) -> Result<u64, Error> {
        let mut removed = 0;
        for (path, _) in leftovers::files(self.disk.as_ref(), logspace_dir)? {
            if !kept.contains(&path) {
                self.disk
                    .remove(&path)
                    .map_err(Error::io("remove", path.as_path()))?;
                removed += 1;
            }
        }
        leftovers::remove_empty_days(self.disk.as_ref(), logspace_dir)?;
        Ok(removed)
    }

    /// Removes logspaces that an older backup had and the store has no more.
    pub(crate) fn remove_other_logspaces<'a>(
        &self,
        kept: impl Iterator<Item = &'a LogspaceName>,
    ) -> Result<(), Error> {
        let kept: BTreeSet<&str> = kept.map(LogspaceName::as_str).collect();
        let dir = names::logspaces_dir(&self.dir);
        self.disk
            .create_dir_all(&dir)
            .map_err(Error::io("create", dir.as_path()))?;
        for name in list(self.disk.as_ref(), &dir)? {
            if kept.contains(name.as_str()) || LogspaceName::parse(&name).is_err() {
                continue;
            }
            let logspace_dir = dir.join(name);
            let manifest = names::manifest(&logspace_dir);
            notes::remove(self.disk.as_ref(), &manifest)?;
            self.remove_others(&logspace_dir, &BTreeSet::new())?;
            // Fails where somebody else has put something there, which is theirs.
            _ = self.disk.remove_dir(&logspace_dir);
        }
        self.disk.sync_dir(&dir).map_err(Error::io("sync", dir))
    }

    /// Says that the directory is whole.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let id = notes::read(self.disk.as_ref(), &names::backup_note(&self.dir))?;
        notes::write(
            self.disk.as_ref(),
            &names::id(&self.dir),
            &id.unwrap_or_default(),
        )?;
        notes::remove(self.disk.as_ref(), &names::unfinished_note(&self.dir))?;
        Ok(())
    }
}

/// Refuses a directory to write to that lies in the one to read, or around it.
pub(crate) fn check_apart(dir: &Path, data_dir: &Path) -> Result<(), Error> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(Error::io("find", path));
    let (inner, outer) = (absolute(dir)?, absolute(data_dir)?);
    if !inner.starts_with(&outer) && !outer.starts_with(&inner) {
        return Ok(());
    }
    Err(Error::WrongDirectory {
        path: dir.to_owned(),
        why: "is inside of the data directory or around it: choose another directory",
    })
}

/// Whether a directory is not there or holds nothing that matters.
pub(crate) fn is_empty(disk: &dyn Disk, dir: &Path) -> Result<bool, Error> {
    let names = list(disk, dir)?;
    Ok(names.iter().all(|name| NOTHING.contains(&name.as_str())))
}

/// The names in a directory; none where it is not there.
fn list(disk: &dyn Disk, dir: &Path) -> Result<Vec<String>, Error> {
    match disk.list(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        result => Ok(result
            .map_err(Error::io("list", dir))?
            .into_iter()
            .map(|entry| entry.name)
            .collect()),
    }
}
