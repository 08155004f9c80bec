//! Old segments go to a directory of their own, which may be large and slow, and are read there.
//!
//! A segment is copied, the copy is read back, the manifest says where it is now, and only then the
//! original goes. The archive has the id of the store in it, so that neither the mount point of a
//! disk that is not there nor the archive of another store is taken for ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use model::Timestamp;

use crate::copy;
use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::leftovers;
use crate::logspace::Logspace;
use crate::manifest::{Contents, Entry};
use crate::names;
use crate::notes;
use crate::places::Places;
use crate::recovery::open_segment;
use crate::rewriting::plan;
use crate::segment_handle::SegmentHandle;
use crate::snapshot::Damage;
use crate::store::{Shared, locked};

/// Which segments of a logspace go to the archive, and where that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// How long after their receipt.
    pub after: Duration,
    /// A directory that exists. Each logspace has its own directory in it.
    pub dir: PathBuf,
}

/// Opens what was archived and could not be opened so far, and moves a segment where one is due;
/// whether there may be more to do.
pub(crate) fn archive_some(shared: &Shared, logspace: &Logspace) -> Result<bool, Error> {
    let _alone = locked(&logspace.rewriting);
    let Some(entries) = entries(logspace) else {
        return Ok(false);
    };
    let wanted = logspace.archive();
    let home = wanted
        .as_ref()
        .map(|archive| find_home(shared, logspace, archive, &entries));
    reopen(shared, logspace, &entries)?;
    let (Some(archive), Some(home)) = (wanted, home) else {
        return Ok(false);
    };
    let home = home?;
    match due(shared, logspace, &archive, entries) {
        Some(entry) => move_to(shared, logspace, &home, &entry).map(|()| true),
        None => Ok(false),
    }
}

fn entries(logspace: &Logspace) -> Option<Vec<Entry>> {
    let manifest = locked(&logspace.manifest);
    Some(manifest.as_ref()?.contents().entries.clone())
}

/// The directory of the logspace in the archive, made where nothing was archived yet.
fn find_home(
    shared: &Shared,
    logspace: &Logspace,
    archive: &Archive,
    entries: &[Entry],
) -> Result<PathBuf, Error> {
    let disk = shared.disk.as_ref();
    let home = archive.dir.join(logspace.name.as_str());
    let wrong = |why| Error::WrongDirectory {
        path: home.clone(),
        why,
    };
    let id = shared.id();
    let whose = notes::read(disk, &names::id(&home))?;
    let known = logspace.places().archive;
    let is_known = known.as_ref() == Some(&home);
    let mut archived = entries.iter().filter(|entry| entry.is_archived);
    match whose {
        Some(whose) if whose != id => {
            return Err(wrong("is the archive of another store: name another one"));
        }
        Some(_) if is_known => return Ok(home),
        Some(_) => {
            let is_there = |entry: &Entry| {
                let path = names::segment(&home, entry.day, entry.id());
                disk.open(&path, OpenMode::Read).is_ok()
            };
            if !archived.all(is_there) {
                return Err(wrong(MOVED));
            }
        }
        None if archived.next().is_some() && is_known => {
            return Err(wrong(
                "is not there: is the disk of archive_dir mounted? What it holds cannot be found \
                 until then",
            ));
        }
        None if archived.next().is_some() => return Err(wrong(MOVED)),
        None => {
            // Not made: it would lie on the wrong disk where that of the archive is not mounted.
            disk.list(&archive.dir)
                .map_err(Error::io("open archive_dir", archive.dir.as_path()))?;
            disk.create_dir_all(&home)
                .map_err(Error::io("create", home.as_path()))?;
            notes::write(disk, &names::id(&home), &id)?;
        }
    }
    let note = names::archive_note(&logspace.dir);
    notes::write(disk, &note, &home.to_string_lossy())?;
    logspace.set_archive_home(home.clone());
    Ok(home)
}

const MOVED: &str = "does not have the segments that were archived before: stop the server, move \
                     the old archive here, or name the old one";

/// Opens archived segments that could not be opened: their disk may have come back.
fn reopen(shared: &Shared, logspace: &Logspace, entries: &[Entry]) -> Result<(), Error> {
    let segments = logspace.state().segments.clone();
    let open: BTreeSet<&Path> = segments.iter().map(|segment| segment.path()).collect();
    let archived = entries.iter().filter(|entry| entry.is_archived);
    let missing = archived
        .map(|entry| (entry, logspace.path(entry)))
        .filter(|(_, path)| !open.contains(path.as_path()));
    let mut found = Vec::new();
    for (entry, path) in missing {
        let opened = open_segment(shared.disk.as_ref(), &path, entry, &shared.cache);
        found.extend(opened.ok().map(Arc::new));
    }
    if found.is_empty() {
        return Ok(());
    }
    tracing::info!(logspace = %logspace.name, segments = found.len(), "the archive can be read again");
    let mut state = logspace.state();
    for segment in &found {
        state.settle_damages(segment.path());
    }
    state.add_segments(found);
    drop(state);
    match locked(&logspace.manifest).as_ref() {
        Some(manifest) => settle(
            shared.disk.as_ref(),
            &logspace.places(),
            manifest.contents(),
        ),
        None => Ok(()),
    }
}

/// The oldest segment that is to be moved.
fn due(
    shared: &Shared,
    logspace: &Logspace,
    archive: &Archive,
    entries: Vec<Entry>,
) -> Option<Entry> {
    let now = shared.clock.now();
    let nanos = i64::try_from(archive.after.as_nanos()).unwrap_or(i64::MAX);
    let latest = Timestamp::from_nanos(now.nanos().saturating_sub(nanos));
    // A day that goes on gets segments to be merged with these.
    let is_old = |entry: &Entry| entry.last_received < latest && entry.day < now.day();
    let mut old = entries;
    old.retain(|entry| !entry.is_archived && is_old(entry));
    old.sort_by_key(|entry| (entry.last_received, entry.first));
    let state = logspace.state();
    old.into_iter().find(|entry| {
        let due = entry.last_received.plus_nanos(nanos);
        state.is_mergeable(&logspace.path(entry)) && !plan::is_awaited(shared, entry, due)
    })
}

fn move_to(shared: &Shared, logspace: &Logspace, home: &Path, entry: &Entry) -> Result<(), Error> {
    let disk = shared.disk.as_ref();
    let from = logspace.path(entry);
    let paths = [from];
    let Some(segment) = logspace.state().handles(&paths).pop() else {
        return Ok(());
    };
    let [from] = &paths;
    let day_dir = names::day_dir(home, entry.day);
    disk.create_dir_all(&day_dir)
        .map_err(Error::io("create", day_dir.as_path()))?;
    let to = names::segment(home, entry.day, entry.id());
    copy::file(disk, segment.file(), &to, &|| {
        shared.housekeeper.is_closed()
    })?;
    disk.sync_dir(&day_dir)
        .map_err(Error::io("sync", day_dir.as_path()))?;
    if let Some(damage) = copy::check(disk, &to, &shared.cache) {
        _ = disk.remove(&to);
        // An index is made anew; lost records are lost.
        if let Err(error) = segment.check()
            && segment.index_damage().is_none()
        {
            let damage = Damage::new(from, 0, error.to_string());
            logspace.state().refuse_to_merge(damage);
        }
        let Damage { path, offset, what } = damage;
        return Err(Error::Damaged { path, offset, what });
    }
    let moved = Entry {
        is_archived: true,
        ..*entry
    };
    let opened = SegmentHandle::open(disk, &to, Arc::clone(&shared.cache))?;
    if let Some(manifest) = locked(&logspace.manifest).as_mut() {
        manifest.change(&[moved], &[])?;
    }
    let mut state = logspace.state();
    state.replace(&paths, vec![Arc::new(opened)]);
    if moved.is_compacted {
        state.note_compacted(to.clone(), 0);
    }
    drop(state);
    tracing::debug!(logspace = %logspace.name, path = %to.display(), "archived");
    shared.remove_segment(from);
    Ok(())
}

/// Removes from an archive what a crash left behind: half a copy, a copy whose original still
/// counts, and what was deleted. What no manifest knows stays: an older manifest may have been
/// restored.
pub(crate) fn settle(disk: &dyn Disk, places: &Places, said: &Contents) -> Result<(), Error> {
    let Some(archive) = places.archive.as_deref() else {
        return Ok(());
    };
    if notes::read(disk, &names::id(archive))?.is_none() {
        return Ok(());
    }
    for (path, name) in leftovers::files(disk, archive)? {
        let id = names::segment_id(&name);
        let is_at_home = |entry: &Entry| {
            let file = disk.open(&places.segment(entry), OpenMode::Read);
            !entry.is_archived && file.and_then(|file| file.len()).ok() == Some(entry.file_bytes)
        };
        let counts_at_home = || {
            let mut entries = said.entries.iter();
            entries.any(|entry| Some(entry.id()) == id && is_at_home(entry))
        };
        let is_removed = id.is_some_and(|id| said.removed.contains(&id));
        if name.ends_with(names::TEMPORARY_SUFFIX) || is_removed || counts_at_home() {
            disk.remove(&path).map_err(Error::io("remove", path))?;
        }
    }
    leftovers::remove_empty_days(disk, archive)
}
