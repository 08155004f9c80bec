//! Files of a logspace that its manifest does not name: what a crash, or damage, left behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive;
use crate::disk::Disk;
use crate::error::Error;
use crate::manifest::{Entry, Manifest, fingerprint};
use crate::names;
use crate::places::Places;
use crate::segment_handle::{PageCache, SegmentHandle};

/// Removes what is no longer needed, sets aside what was never finished, and takes segments back
/// that a damaged manifest has forgotten.
pub(crate) fn settle(
    disk: &dyn Disk,
    places: &Places,
    cache: &Arc<PageCache>,
    manifest: &mut Manifest,
    is_whole: bool,
) -> Result<(), Error> {
    let logspace_dir = places.home.as_path();
    if let Err(error) = archive::settle(disk, places, manifest.contents()) {
        // A store whose archive is in trouble works all the same.
        tracing::warn!(%error, "cannot tidy up the archive");
    }
    let named: BTreeSet<PathBuf> = manifest
        .contents()
        .entries
        .iter()
        .map(|entry| places.segment(entry))
        .collect();
    for (path, name) in files(disk, logspace_dir)? {
        let is_removed =
            || names::segment_id(&name).is_some_and(|id| manifest.contents().removed.contains(&id));
        if name.ends_with(names::TEMPORARY_SUFFIX) {
            disk.remove(&path).map_err(Error::io("remove", path))?;
        } else if !name.ends_with(names::SEGMENT_SUFFIX) || named.contains(&path) {
            continue;
        } else if is_removed() {
            // A crash came between the removal and the deletion of the file.
            disk.remove(&path).map_err(Error::io("remove", path))?;
        } else if let Some(archived) = archived(places, manifest, &name) {
            // A crash came between moving the segment and deleting the original, which stays for
            // as long as nobody can see the copy.
            if SegmentHandle::open(disk, &archived, Arc::clone(cache)).is_ok() {
                disk.remove(&path).map_err(Error::io("remove", path))?;
            }
        } else if is_whole && !is_after_cut(manifest, &name) {
            match is_covered(disk, places, cache, manifest, &path) {
                // A crash came before segments were replaced by it.
                true => disk.remove(&path).map_err(Error::io("remove", path))?,
                false => set_aside(disk, &path)?,
            }
        } else {
            adopt(disk, places, cache, manifest, &path)?;
        }
    }
    if let Some(archive) = places.archive.as_deref().filter(|_| !is_whole) {
        // What the manifest has forgotten may lie there.
        for (path, name) in files(disk, archive).unwrap_or_default() {
            if name.ends_with(names::SEGMENT_SUFFIX) && !named.contains(&path) {
                adopt(disk, places, cache, manifest, &path)?;
            }
        }
    }
    remove_empty_days(disk, logspace_dir)
}

/// Whether a file has no record that is not in a segment which the manifest names, and which can be
/// opened, under the same number.
fn is_covered(
    disk: &dyn Disk,
    places: &Places,
    cache: &Arc<PageCache>,
    manifest: &Manifest,
    path: &Path,
) -> bool {
    let open = |path: &Path| SegmentHandle::open(disk, path, Arc::clone(cache));
    let Ok(segment) = open(path) else {
        return false;
    };
    let mut next = segment.first_number().0;
    let end = next.saturating_add(u64::from(segment.rows()));
    let mut entries: Vec<&Entry> = manifest.contents().entries.iter().collect();
    entries.sort_by_key(|entry| entry.first);
    for entry in entries {
        let numbers = entry.numbers();
        if next < end && numbers.contains(&next) {
            let found = open(&places.segment(entry));
            if !found.is_ok_and(|found| found.first_number() == entry.first) {
                return false;
            }
            next = numbers.end;
        }
    }
    next >= end
}

/// Where the archive has the segment of a file's name; `None` where it is not archived.
fn archived(places: &Places, manifest: &Manifest, name: &str) -> Option<PathBuf> {
    let id = names::segment_id(name)?;
    let mut entries = manifest.contents().entries.iter();
    let entry = entries.find(|entry| entry.id() == id && entry.is_archived)?;
    Some(places.segment(entry))
}

/// Removes the directories of days in which nothing is left.
pub(crate) fn remove_empty_days(disk: &dyn Disk, logspace_dir: &Path) -> Result<(), Error> {
    for year in directories(disk, logspace_dir)? {
        for day in directories(disk, &year)? {
            // Fails where there is something in it, which is the usual case.
            _ = disk.remove_dir(&day);
        }
        _ = disk.remove_dir(&year);
    }
    Ok(())
}

/// Whether a segment is newer than all that a manifest knows whose last record cannot be read. If
/// that record was damaged, its segments are all that is left of their records; if it was never
/// finished, nothing is lost by taking them. Older ones may have been deleted on purpose.
fn is_after_cut(manifest: &Manifest, name: &str) -> bool {
    let next = manifest.contents().next;
    manifest.is_cut() && names::segment_id(name).is_some_and(|id| id.first.0 >= next)
}

/// The files in the directories of days, with their names.
pub(crate) fn files(disk: &dyn Disk, logspace_dir: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    let mut files = Vec::new();
    for year in directories(disk, logspace_dir)? {
        for day in directories(disk, &year)? {
            let entries = disk.list(&day).map_err(Error::io("list", day.as_path()))?;
            let listed = entries.into_iter().filter(|entry| !entry.is_dir);
            files.extend(listed.map(|entry| (day.join(&entry.name), entry.name)));
        }
    }
    Ok(files)
}

fn directories(disk: &dyn Disk, dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = disk.list(dir).map_err(Error::io("list", dir))?;
    Ok(entries
        .into_iter()
        .filter(|entry| entry.is_dir)
        .map(|entry| dir.join(entry.name))
        .collect())
}

/// Sets aside a segment that a whole manifest does not name. It is left over from a seal that a
/// crash cut short; its records are in the journal.
fn set_aside(disk: &dyn Disk, path: &Path) -> Result<(), Error> {
    let mut aside = path.to_owned().into_os_string();
    aside.push(names::ORPHAN_SUFFIX);
    tracing::warn!(path = %path.display(), "setting aside an unfinished segment");
    disk.rename(path, Path::new(&aside))
        .map_err(Error::io("rename", path))
}

/// Takes a segment that a damaged manifest does not name any more back into it: it says of itself
/// which records it has. It takes the place of segments that cannot be opened; one that overlaps
/// others, or cannot be opened itself, is set aside.
fn adopt(
    disk: &dyn Disk,
    places: &Places,
    cache: &Arc<PageCache>,
    manifest: &mut Manifest,
    path: &Path,
) -> Result<(), Error> {
    let open = |path: &Path| SegmentHandle::open(disk, path, Arc::clone(cache));
    let segment = match open(path) {
        Ok(segment) => segment,
        Err(error) if error.is_other_format() => return Err(error),
        Err(_) => return set_aside(disk, path),
    };
    let name = path.file_name().map(|name| name.to_string_lossy());
    let Some(id) = name.and_then(|name| names::segment_id(&name)) else {
        return set_aside(disk, path);
    };
    let entry = Entry {
        first: segment.first_number(),
        rows: segment.rows(),
        // Whether it was imported is lost; this way its times bind nothing that comes.
        is_imported: true,
        is_archived: !path.starts_with(&places.home),
        is_compacted: false,
        day: segment.first_received().day(),
        file_bytes: segment.file_bytes(),
        first_received: segment.first_received(),
        last_received: segment.last_received(),
        raw_bytes: segment.footer().raw_bytes,
        generation: id.generation,
        fingerprint: fingerprint(segment.file()).map_err(Error::io("read", path))?,
    };
    let overlapping = || {
        let entries = manifest.contents().entries.iter();
        entries.filter(|known| known.overlaps(&entry))
    };
    let is_readable = |known: &Entry| known.is_archived || open(&places.segment(known)).is_ok();
    let is_in_place = places.segment(&entry) == *path;
    if !is_in_place || overlapping().any(is_readable) {
        return set_aside(disk, path);
    }
    tracing::warn!(path = %path.display(), "taking a segment back into the manifest");
    if let Some(dir) = path.parent() {
        disk.sync_dir(dir).map_err(Error::io("sync", dir))?;
    }
    let replaced: Vec<_> = overlapping().map(Entry::id).collect();
    manifest.change(&[entry], &replaced)
}
