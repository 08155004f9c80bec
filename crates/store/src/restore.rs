//! A backup back into a directory of its own: copied, read back, durable.

use std::path::Path;
use std::sync::Arc;

use model::LogspaceName;

use crate::backup_dir::{check_apart, is_empty};
use crate::copy;
use crate::disk::{Disk, OpenMode};
use crate::documents;
use crate::error::Error;
use crate::inventory::{Inventory, Loss};
use crate::journal;
use crate::lock::Lock;
use crate::losses;
use crate::manifest::{Manifest, Owner};
use crate::names;
use crate::notes::{self, StoreId};
use crate::places::Places;
use crate::searches;
use crate::segment_handle::{PageCache, page_cache};
use crate::snapshot::Damage;

/// What a restore brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restore {
    /// Segments that were copied.
    pub segments: u64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// What is wrong with what was copied, or could not be copied. The rest is there.
    pub damages: Vec<Damage>,
}

/// Memory for pages while copies are checked, in bytes: none is looked at twice.
const CACHE_BYTES: u64 = 1024 * 1024;

/// Copies a backup, or any data directory that nobody has open, into a directory that is empty or
/// not there, and reads all of it back.
///
/// # Errors
/// When the one is no data directory, or the other is not empty, and when the operating system
/// refuses. Damage is no error: it is in [`Restore::damages`], and the rest is restored.
pub fn restore(disk: &Arc<dyn Disk>, backup: &Path, dir: &Path) -> Result<Restore, Error> {
    let from_dir = names::logspaces_dir(backup);
    let Ok(listed) = disk.list(&from_dir) else {
        return Err(Error::NotADataDirectory {
            data_dir: backup.to_owned(),
        });
    };
    if let Some(what) = notes::read(disk.as_ref(), &names::unfinished_note(backup))? {
        let data_dir = backup.to_owned();
        return Err(Error::Unfinished { data_dir, what });
    }
    check_apart(dir, backup)?;
    let _held = hold(disk.as_ref(), backup)?;
    let _lock = take(disk.as_ref(), dir)?;
    let (inventory, loss) = losses::inventory(disk.as_ref(), backup, true)?;
    let mut copier = Copier {
        disk,
        // It gets an id of its own: it must write neither over the backups nor into the archive of
        // the store it was, which may go on.
        store: notes::id(disk.as_ref(), dir)?,
        cache: page_cache(CACHE_BYTES),
        report: Restore::default(),
    };
    for entry in listed {
        if let Ok(name) = LogspaceName::parse(&entry.name)
            && entry.is_dir
        {
            copier.logspace(backup, dir, &name)?;
        }
    }
    copier.journal(backup, dir)?;
    let unread = searches::copy(disk.as_ref(), backup, dir)?;
    copier.report.damages.extend(unread);
    let (whole, unread) = documents::read_all(disk.as_ref(), backup, inventory.store)?;
    documents::write_all(disk.as_ref(), dir, copier.store, &whole)?;
    copier.report.damages.extend(unread);
    copier.inventory(inventory, loss, backup, dir)?;
    notes::remove(disk.as_ref(), &names::unfinished_note(dir))?;
    Ok(copier.report)
}

/// Sees to it that nobody changes the backup meanwhile. Nothing is written into it: it may lie on a
/// medium that takes nothing.
fn hold(disk: &dyn Disk, backup: &Path) -> Result<Option<Box<dyn crate::DiskFile>>, Error> {
    let Ok(file) = disk.open(&names::lock(backup), OpenMode::Read) else {
        return Ok(None);
    };
    match file.try_lock() {
        Ok(false) => Err(Error::Locked {
            data_dir: backup.to_owned(),
            holder: crate::lock::holder(disk, backup).unwrap_or_default(),
        }),
        _ => Ok(Some(file)),
    }
}

/// Takes the directory to restore into: an empty one, or one where a restore broke off.
fn take(disk: &dyn Disk, dir: &Path) -> Result<Lock, Error> {
    let begun = notes::read(disk, &names::unfinished_note(dir))?;
    if begun.as_deref() != Some(NOTE) && !is_empty(disk, dir)? {
        return Err(Error::WrongDirectory {
            path: dir.to_owned(),
            why: "is not empty: restore into a new directory",
        });
    }
    disk.create_dir_all(dir).map_err(Error::io("create", dir))?;
    let lock = Lock::take(disk, dir)?;
    notes::write(disk, &names::unfinished_note(dir), NOTE)?;
    if begun.is_some() {
        forget(disk, dir)?;
    }
    Ok(lock)
}

/// Takes away what would count of a restore that broke off: it may have been of another backup.
fn forget(disk: &dyn Disk, dir: &Path) -> Result<(), Error> {
    let journal_dir = names::journal_dir(dir);
    for entry in disk.list(&journal_dir).unwrap_or_default() {
        notes::remove(disk, &journal_dir.join(entry.name))?;
    }
    let logspaces_dir = names::logspaces_dir(dir);
    for entry in disk.list(&logspaces_dir).unwrap_or_default() {
        notes::remove(disk, &names::manifest(&logspaces_dir.join(entry.name)))?;
    }
    Ok(())
}

/// What stands in a directory into which a restore did not come to its end.
const NOTE: &str = "a restore";

struct Copier<'a> {
    disk: &'a Arc<dyn Disk>,
    store: StoreId,
    cache: Arc<PageCache>,
    report: Restore,
}

impl Copier<'_> {
    /// Notes what the copy has: what the backup had, in another store.
    fn inventory(
        &mut self,
        mut inventory: Inventory,
        loss: Option<Loss>,
        backup: &Path,
        dir: &Path,
    ) -> Result<(), Error> {
        let damage = loss.iter().map(|loss| loss.damage.clone());
        self.report.damages.extend(damage);
        inventory.add(loss);
        inventory.store = self.store;
        inventory.is_stopped = false;
        let losses = std::mem::take(&mut inventory.losses).into_iter();
        inventory.losses = losses.map(|loss| loss.moved(backup, dir)).collect();
        inventory.write(self.disk.as_ref(), dir)
    }

    /// Has a journal file say that it is of the copy.
    fn own_journal(&self, path: &Path) -> Result<(), Error> {
        let file = self
            .disk
            .open(path, OpenMode::ReadWrite)
            .map_err(Error::io("open", path))?;
        let mut header = [0; journal::HEADER_LEN];
        if file.read_exact_at(&mut header, 0).is_err() {
            // It holds nothing.
            return Ok(());
        }
        if let Some(owned) = journal::with_owner(&header, self.store) {
            file.write_all_at(&owned, 0)
                .and_then(|()| file.sync())
                .map_err(Error::io("write", path))?;
        }
        Ok(())
    }

    fn logspace(&mut self, backup: &Path, dir: &Path, name: &LogspaceName) -> Result<(), Error> {
        let disk = self.disk.as_ref();
        let from = names::logspace_dir(backup, name);
        let to = names::logspace_dir(dir, name);
        disk.create_dir_all(&to)
            .map_err(Error::io("create", to.as_path()))?;
        let (mut contents, damages) = match Manifest::read(disk, &from) {
            // A logspace into which nothing came before the directory was copied.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(());
            }
            result => result?,
        };
        self.report.damages.extend(damages);
        let places = Places::read(disk, &from)?;
        for entry in &mut contents.entries {
            let path = places.segment(entry);
            entry.is_archived = false;
            let day_dir = names::day_dir(&to, entry.day);
            disk.create_dir_all(&day_dir)
                .map_err(Error::io("create", day_dir.as_path()))?;
            let target = names::segment(&to, entry.day, entry.id());
            self.segment(&path, &target, entry.rows)?;
            disk.sync_dir(&day_dir)
                .map_err(Error::io("sync", day_dir.as_path()))?;
        }
        contents.removed.clear();
        contents.owner = Some(Owner {
            store: self.store,
            logspace: name.clone(),
        });
        Manifest::write(Arc::clone(self.disk), &to, contents)
    }

    fn segment(&mut self, from: &Path, to: &Path, rows: u32) -> Result<(), Error> {
        let disk = self.disk.as_ref();
        let file = match disk.open(from, OpenMode::Read) {
            Ok(file) => file,
            Err(error) => {
                let what = format!("{rows} records are not restored: {error}");
                self.report.damages.push(Damage::new(from, 0, what));
                return Ok(());
            }
        };
        self.report.bytes += copy::file(disk, file.as_ref(), to, &|| false)?;
        self.report.segments += 1;
        let damage = copy::check(disk, to, &self.cache);
        self.report.damages.extend(damage);
        Ok(())
    }

    fn journal(&mut self, backup: &Path, dir: &Path) -> Result<(), Error> {
        let disk = self.disk.as_ref();
        let (from_dir, to_dir) = (names::journal_dir(backup), names::journal_dir(dir));
        disk.create_dir_all(&to_dir)
            .map_err(Error::io("create", to_dir.as_path()))?;
        let listed = disk.list(&from_dir).unwrap_or_default();
        let known_ends = journal::known_ends(disk, &from_dir, &listed);
        for entry in listed {
            let Some(id) = names::journal_id(&entry.name, names::JOURNAL_SUFFIX) else {
                continue;
            };
            let from = from_dir.join(&entry.name);
            let to = to_dir.join(&entry.name);
            let file = disk
                .open(&from, OpenMode::Read)
                .map_err(Error::io("open", from))?;
            self.report.bytes += copy::file(disk, file.as_ref(), &to, &|| false)?;
            self.own_journal(&to)?;
            self.report
                .damages
                .extend(journal::scan(disk, &to, id, known_ends.get(&id).copied())?.damages);
        }
        disk.sync_dir(&to_dir).map_err(Error::io("sync", to_dir))
    }
}
