//! Segments become part of a logspace: written, synced, named by the manifest, opened.

use std::path::PathBuf;
use std::sync::Arc;

use segment::Built;

use crate::disk::OpenMode;
use crate::error::Error;
use crate::logspace::Logspace;
use crate::manifest::{Entry, SegmentId};
use crate::names;
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

/// Writes segments, makes them durable, adds them to the manifest, and opens them.
pub(crate) fn publish(
    shared: &Shared,
    logspace: &Logspace,
    built: &[DaySegment],
    origin: &Origin,
) -> Result<Vec<Arc<SegmentHandle>>, Error> {
    let mut entries = Vec::new();
    let mut handles = Vec::new();
    for DaySegment { day, built } in built {
        let entry = Entry {
            first: built.footer.first_number,
            rows: built.footer.rows,
            is_imported: origin.is_imported,
            is_archived: false,
            is_compacted: false,
            day: *day,
            file_bytes: built.bytes.len() as u64,
            first_received: built.footer.first_received,
            last_received: built.footer.last_received,
            raw_bytes: built.footer.raw_bytes,
            generation: origin.generation,
        };
        let path = write(shared, logspace, &entry, &built.bytes)?;
        let cache = Arc::clone(&shared.cache);
        handles.push(Arc::new(SegmentHandle::open(
            shared.disk.as_ref(),
            &path,
            cache,
        )?));
        entries.push(entry);
    }
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

/// Writes a segment beside its place and renames it there once it is durable.
fn write(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    bytes: &[u8],
) -> Result<PathBuf, Error> {
    let dir = names::day_dir(&logspace.dir, entry.day);
    shared
        .disk
        .create_dir_all(&dir)
        .map_err(Error::io("create", dir.as_path()))?;
    let path = names::segment(&logspace.dir, entry.day, entry.id());
    let temporary = path.with_extension(names::TEMPORARY_SUFFIX.trim_start_matches('.'));
    let result = (|| {
        let file = shared
            .disk
            .open(&temporary, OpenMode::Create)
            .map_err(Error::io("create", temporary.as_path()))?;
        file.write_all_at(bytes, 0)
            .map_err(Error::io("write", temporary.as_path()))?;
        file.sync()
            .map_err(Error::io("sync", temporary.as_path()))?;
        shared
            .disk
            .rename(&temporary, &path)
            .map_err(Error::io("rename", temporary.as_path()))?;
        shared
            .disk
            .sync_dir(&dir)
            .map_err(Error::io("sync", dir.as_path()))
    })();
    if result.is_err() {
        // A half-written file would keep a full disk full.
        _ = shared.disk.remove(&temporary);
    }
    result.map(|()| path)
}
