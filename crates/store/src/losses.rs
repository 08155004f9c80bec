//! What is lost, found at the start or by a check.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use model::LogspaceName;

use crate::disk::{Disk, DiskEntry, OpenMode};
use crate::error::Error;
use crate::inventory::{self, Found, Inventory, Loss, OpenJournal, Reach};
use crate::journal::FileHeader;
use crate::logspace::Logspace;
use crate::manifest::{Contents, Left, Manifest};
use crate::names;
use crate::notes::{self, StoreId};
use crate::snapshot::Damage;
use crate::store::locked;

/// The inventory of a data directory, and what is lost where it should be there and is not. Where
/// nothing is read only, the note of the store's id is made to say the same.
pub(crate) fn inventory(
    disk: &dyn Disk,
    data_dir: &Path,
    is_read_only: bool,
) -> Result<(Inventory, Option<Loss>), Error> {
    let (known, why) = match inventory::read(disk, data_dir)? {
        Found::Whole(inventory) => (Some(inventory), None),
        Found::Damaged(why) => (None, Some(why)),
        Found::Nothing if is_expected(disk, data_dir) => {
            (None, Some("the inventory is missing".to_owned()))
        }
        Found::Nothing => (None, None),
    };
    let loss = why.map(|why| {
        let what = format!("{why}: whether anything else is missing cannot be told");
        let damage = Damage::new(&names::inventory(data_dir), 0, what);
        Loss::new(None, 0..0, damage)
    });
    let noted = notes::read(disk, &names::id(data_dir))?.and_then(|id| StoreId::parse(&id));
    if let Some(inventory) = known {
        if noted != Some(inventory.store) && !is_read_only {
            tracing::warn!(store = %inventory.store, "the note of the store's id is written anew");
            notes::write(disk, &names::id(data_dir), &inventory.store.to_string())?;
        }
        return Ok((inventory, loss));
    }
    let mut inventory = Inventory {
        store: noted.unwrap_or_default(),
        ..Inventory::default()
    };
    if !is_read_only {
        inventory.store = notes::id(disk, data_dir)?;
        if loss.is_none() {
            // Before the first file that says whose it is: from then on it is missed.
            inventory.write(disk, data_dir)?;
        }
    }
    Ok((inventory, loss))
}

/// Whether a data directory had an inventory: one is made before the first manifest that names its
/// owner.
fn is_expected(disk: &dyn Disk, data_dir: &Path) -> bool {
    let dir = names::logspaces_dir(data_dir);
    let listed = disk.list(&dir).unwrap_or_default();
    let mut logspaces = listed.iter().filter(|entry| entry.is_dir);
    logspaces.any(|entry| {
        let read = Manifest::read(disk, &dir.join(&entry.name));
        read.is_ok_and(|(contents, _)| contents.owner.is_some())
    })
}

/// What is lost with a damaged manifest: nothing where at least as many records are in its segments as there
/// were at the last stop.
pub(crate) fn of_manifest(
    name: &LogspaceName,
    damages: &[Damage],
    contents: &Contents,
    left: Left,
) -> Vec<Loss> {
    match left {
        Left::Stopped(stand) if stand.rows <= contents.rows() => Vec::new(),
        _ => {
            let damages = damages.iter().cloned();
            damages
                .map(|damage| Loss::new(Some(name), 0..0, damage))
                .collect()
        }
    }
}

/// What is lost where the journal has no records that it had.
pub(crate) fn of_journal(name: &LogspaceName, dir: &Path, numbers: Range<u64>) -> Loss {
    let Range { start, end } = numbers;
    let what = format!(
        "records {start} to {} of {name} are missing: the files that held them are gone or cut",
        end - 1
    );
    Loss::new(Some(name), numbers, Damage::new(dir, 0, what))
}

/// What is lost where the journal file is gone, or cut, that was being written.
pub(crate) fn of_open_journal(
    disk: &dyn Disk,
    inventory: &Inventory,
    dir: &Path,
    listed: &[DiskEntry],
) -> Option<Loss> {
    let OpenJournal { id, bytes } = inventory.journal?;
    let number = |entry: &DiskEntry| {
        names::journal_id(&entry.name, names::JOURNAL_SUFFIX)
            .or_else(|| names::journal_id(&entry.name, names::FREE_SUFFIX))
    };
    let name = format!("{id:020}{}", names::JOURNAL_SUFFIX);
    let path = dir.join(&name);
    let (offset, what) = if listed.iter().any(|entry| entry.name == name) {
        let len = disk.open(&path, OpenMode::Read).and_then(|file| file.len());
        let len = len.unwrap_or(0);
        if len >= bytes {
            return None;
        }
        let what = format!("the file is cut off: it was being written, and durable up to {bytes}");
        (len, what)
    } else {
        if listed.iter().filter_map(number).any(|other| other > id) {
            // It was full, and its records are sealed, or are missed by their numbers.
            return None;
        }
        let what = "the file is gone: it was being written, and nothing tells what it had last";
        (0, what.to_owned())
    };
    Some(Loss::new(None, 0..0, Damage::new(&path, offset, what)))
}

/// Refuses a journal file of another store.
pub(crate) fn check_journal_owner(
    path: &Path,
    header: &FileHeader,
    expected: StoreId,
) -> Result<(), Error> {
    match header {
        FileHeader::File { store, .. } if !store.agrees(expected) => Err(Error::Foreign {
            path: path.to_owned(),
            whose: format!("is of the store {store}, this is {expected}"),
        }),
        _ => Ok(()),
    }
}

/// How far logspaces went; with their manifests, where nothing changes any more.
pub(crate) fn reaches<'a>(
    logspaces: impl Iterator<Item = &'a Arc<Logspace>>,
    is_stopped: bool,
) -> BTreeMap<LogspaceName, Reach> {
    let reach = |logspace: &Arc<Logspace>| {
        let manifest = locked(&logspace.manifest);
        let manifest = manifest.as_ref().filter(|_| is_stopped);
        let manifest = manifest.and_then(Manifest::stand);
        let state = logspace.state();
        Reach {
            journaled: state.journaled,
            // While the store works, numbers up to there may be seen before any file says so.
            next: match is_stopped {
                true => state.next,
                false => state.next.max(state.ceiling),
            },
            manifest,
        }
    };
    logspaces
        .map(|logspace| (logspace.name.clone(), reach(logspace)))
        .collect()
}
