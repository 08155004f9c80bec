//! Segments become part of a logspace: written, synced, named by the manifest, opened.

use std::path::PathBuf;
use std::sync::Arc;

use model::RecordNumber;
use segment::{Built, Footer};

use crate::disk::OpenMode;
use crate::error::Error;
use crate::logspace::Logspace;
use crate::manifest::{Entry, SegmentId, fingerprint};
use crate::names;
use crate::segment_file::SegmentFile;
use crate::segment_handle::SegmentHandle;
use crate::store::{Shared, locked};

/// A segment in memory and the day it belongs to.
pub(crate) struct DaySegment {
    /// Counted from 1970-01-01 (UTC).
    pub(crate) day: i64,
    pub(crate) built: Built,
}

/// Where the records of new segments come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// Whether they were imported.
    pub(crate) is_imported: bool,
    /// See [`Entry::generation`].
    pub(crate) generation: u16,
    /// Segments that go as these come.
    pub(crate) replaced: Vec<SegmentId>,
}

/// A segment that is written, durable, and not part of its logspace yet.
pub(crate) struct Written {
    entry: Entry,
    path: PathBuf,
}

/// Writes segments, makes them durable, adds them to the manifest, and opens them.
pub(crate) fn publish(
    shared: &Shared,
    logspace: &Logspace,
    built: &[DaySegment],
    origin: &Origin,
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let mut written = Vec::new();
    for DaySegment { day, built } in built {
        let first = built.footer.first_number;
        written.push(write(shared, logspace, (*day, first), origin, |file| {
            file.push(&built.bytes)?;
            Ok(built.footer.clone())
        })?);
    }
    name(shared, logspace, &written, origin)
}

/// Adds segments to the manifest and opens them.
pub(crate) fn name(
    shared: &Shared,
    logspace: &Logspace,
    written: &[Written],
    origin: &Origin,
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let mut handles = Vec::new();
    for Written { path, .. } in written {
        let cache = Arc::clone(&shared.cache);
        let handle = SegmentHandle::open(shared.disk.as_ref(), path, cache)?;
        handles.push(Arc::new(handle));
    }
    let entries: Vec<Entry> = written.iter().map(|written| written.entry).collect();
    if let Some(manifest) = locked(&logspace.manifest).as_mut() {
        let mut replaced = origin.replaced.clone();
        replaced.extend(covered(&manifest.contents().entries, &entries));
        replaced.sort_unstable();
        replaced.dedup();
        manifest.change(&entries, &replaced)?;
    }
    Ok(handles)
}

/// Segments all of whose records are in one that is added under another number: they could not be
/// opened at the start, the journal has brought their records, and all were sealed together.
fn covered(known: &[Entry], added: &[Entry]) -> Vec<SegmentId> {
    let is_covered = |old: &&Entry| {
        added.iter().any(|new| {
            let (new_numbers, old_numbers) = (new.numbers(), old.numbers());
            new.first != old.first
                && new_numbers.start <= old_numbers.start
                && old_numbers.end <= new_numbers.end
        })
    };
    known.iter().filter(is_covered).map(Entry::id).collect()
}

/// Writes a segment of a day, given the number of its first record, beside its place and renames it there
/// once it is durable. `fill` writes the file and returns the footer.
pub(crate) fn write(
    shared: &Shared,
    logspace: &Logspace,
    (day, first): (i64, RecordNumber),
    origin: &Origin,
    fill: impl FnOnce(&mut SegmentFile<'_>) -> Result<Footer, Error>,
) -> Result<Written, Error> {
    let disk = shared.disk.as_ref();
    let dir = names::day_dir(&logspace.dir, day);
    disk.create_dir_all(&dir)
        .map_err(Error::io("create", dir.as_path()))?;
    let generation = origin.generation;
    let path = names::segment(&logspace.dir, day, SegmentId { first, generation });
    let temporary = names::temporary(&path);
    let result: Result<_, Error> = (|| {
        let mut file = SegmentFile::create(disk, &temporary)?;
        let footer = fill(&mut file)?;
        let file_bytes = file.finish()?;
        disk.rename(&temporary, &path)
            .map_err(Error::io("rename", temporary.as_path()))?;
        disk.sync_dir(&dir)
            .map_err(Error::io("sync", dir.as_path()))?;
        Ok((footer, file_bytes))
    })();
    if result.is_err() {
        // A half-written file would keep a full disk full.
        _ = disk.remove(&temporary);
    }
    let (footer, file_bytes) = result?;
    let fingerprint = disk
        .open(&path, OpenMode::Read)
        .and_then(|file| fingerprint(file.as_ref()));
    let entry = Entry {
        first,
        rows: footer.rows,
        is_imported: origin.is_imported,
        is_archived: false,
        is_compacted: false,
        day,
        file_bytes,
        first_received: footer.first_received,
        last_received: footer.last_received,
        raw_bytes: footer.raw_bytes,
        generation,
        fingerprint: fingerprint.map_err(Error::io("read", path.as_path()))?,
    };
    Ok(Written { entry, path })
}
