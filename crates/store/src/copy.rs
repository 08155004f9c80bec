//! Copying files within and between directories of data: checked, durable, whole or not at all.

use std::path::Path;
use std::sync::Arc;

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::limits::COPY_BYTES;
use crate::names;
use crate::segment_handle::{PageCache, SegmentHandle};
use crate::snapshot::Damage;

/// Copies a file beside its place and renames it there once it is durable. The directory of `to`
/// is left to be synced. Gives up where `is_closing` says so.
pub(crate) fn file(
    disk: &dyn Disk,
    from: &dyn DiskFile,
    to: &Path,
    is_closing: &dyn Fn() -> bool,
) -> Result<u64, Error> {
    let temporary = names::temporary(to);
    let result = write(disk, from, &temporary, is_closing).and_then(|len| {
        disk.rename(&temporary, to)
            .map_err(Error::io("rename", temporary.as_path()))?;
        Ok(len)
    });
    if result.is_err() {
        // A half-written file would keep a full disk full.
        _ = disk.remove(&temporary);
    }
    result
}

fn write(
    disk: &dyn Disk,
    from: &dyn DiskFile,
    to: &Path,
    is_closing: &dyn Fn() -> bool,
) -> Result<u64, Error> {
    let len = from.len().map_err(Error::io("copy to", to))?;
    let target = disk
        .open(to, OpenMode::Create)
        .map_err(Error::io("create", to))?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut offset = 0;
    while offset < len {
        if is_closing() {
            return Err(Error::Closing);
        }
        let count = usize::try_from(len - offset).unwrap_or(usize::MAX);
        let part = buffer.get_mut(..count.min(COPY_BYTES)).unwrap_or_default();
        from.read_exact_at(part, offset)
            .map_err(Error::io("copy to", to))?;
        target
            .write_all_at(part, offset)
            .map_err(Error::io("write", to))?;
        offset += part.len() as u64;
    }
    target.sync().map_err(Error::io("sync", to))?;
    Ok(len)
}

/// Reads a copy of a segment back, every page; what is wrong with it.
pub(crate) fn check(disk: &dyn Disk, path: &Path, cache: &Arc<PageCache>) -> Option<Damage> {
    let segment = match SegmentHandle::open(disk, path, Arc::clone(cache)) {
        Ok(segment) => segment,
        Err(error) => return Some(Damage::new(path, 0, error.to_string())),
    };
    let error = segment.check().err()?;
    Some(Damage::new(path, 0, error.to_string()))
}
