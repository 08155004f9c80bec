//! Making damaged segments whole again: the index anew from the records, or, where records are lost
//! too, new segments of those that can be read.
//!
//! What is made takes the place of the damaged segment by one durable append to the manifest, as
//! with a merge.

use std::path::{Path, PathBuf};

use segment::Mended;

use crate::error::Error;
use crate::limits::MEND_ROWS;
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::names;
use crate::publish::{self, DaySegment, Origin};
use crate::raw_segment::RawSegment;
use crate::snapshot::Damage;
use crate::store::{Shared, locked};

/// Makes anew what segments say beside their records: the index, where readers have found it
/// damaged, and the header or footer, where that kept a segment from being opened.
pub(crate) fn mend_some(shared: &Shared, logspace: &Logspace) -> Result<(), Error> {
    let _alone = locked(&logspace.rewriting);
    mend_unopened(shared, logspace)?;
    mend_indexes(shared, logspace)
}

/// Each is tried once. What the journal still has is sealed anew, whole.
fn mend_unopened(shared: &Shared, logspace: &Logspace) -> Result<(), Error> {
    let unopened = std::mem::take(&mut logspace.state().unopened);
    for entry in unopened {
        let is_named = locked(&logspace.manifest)
            .as_ref()
            .is_some_and(|manifest| manifest.contents().entries.contains(&entry));
        if !is_named || logspace.state().has_any(&entry.numbers()) {
            continue;
        }
        let path = logspace.path(&entry);
        let mended = read(shared, logspace, &entry)?;
        if !is_whole(&entry, &mended) {
            continue;
        }
        replace(shared, logspace, &entry, mended)?;
        logspace.state().settle_damages(&path);
        shared.remove_segment(&path);
        tracing::info!(logspace = %logspace.name, path = %path.display(), "the segment is whole again");
    }
    Ok(())
}

/// Whether nothing was lost.
fn is_whole(entry: &Entry, mended: &Mended) -> bool {
    mended.saved_rows() == entry.rows && mended.undated_rows == 0
}

fn mend_indexes(shared: &Shared, logspace: &Logspace) -> Result<(), Error> {
    let damaged = logspace.state().with_damaged_index();
    for (path, damage) in damaged {
        let entry = locked(&logspace.manifest).as_ref().and_then(|manifest| {
            let mut entries = manifest.contents().entries.iter();
            entries.find(|entry| logspace.path(entry) == path).copied()
        });
        let Some(entry) = entry else { continue };
        tracing::warn!(logspace = %logspace.name, %damage, "making a damaged index anew");
        let mended = read(shared, logspace, &entry)?;
        if is_whole(&entry, &mended) {
            replace(shared, logspace, &entry, mended)?;
            shared.remove_segment(&path);
            tracing::info!(logspace = %logspace.name, path = %path.display(), "the index is whole again");
        } else {
            let rows = mended.lost_rows() + mended.undated_rows;
            let what = format!(
                "{rows} records of it cannot be read either: {}",
                damage.what
            );
            let damage = Damage::new(&path, damage.offset, what);
            logspace.state().refuse_to_merge(damage);
        }
    }
    Ok(())
}

/// What was done with a damaged segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The segment's file.
    pub path: PathBuf,
    /// Records that are in new segments now.
    pub saved_records: u64,
    /// Records that are lost.
    pub lost_records: u64,
    /// Records among the saved ones whose times of receipt are lost; they have that of a record
    /// before them.
    pub undated_records: u64,
    /// Where the damaged file is now; `None` where nothing was lost and it was deleted.
    pub set_aside: Option<PathBuf>,
}

/// Makes a damaged segment anew from the records that can be read, and sets the file aside where
/// some cannot. `None` where no record can be read: then everything stays as it is.
pub(crate) fn mend(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
) -> Result<Option<Repair>, Error> {
    let mended = read(shared, logspace, entry)?;
    let saved_records = u64::from(mended.saved_rows());
    if saved_records == 0 {
        return Ok(None);
    }
    let undated_records = u64::from(mended.undated_rows);
    let lost_records = u64::from(entry.rows).saturating_sub(saved_records);
    let path = logspace.path(entry);
    replace(shared, logspace, entry, mended)?;
    let set_aside = if lost_records + undated_records > 0 {
        Some(set_aside(shared, &path)?)
    } else {
        shared.remove_segment(&path);
        None
    };
    Ok(Some(Repair {
        path,
        saved_records,
        lost_records,
        undated_records,
        set_aside,
    }))
}

/// New segments of what can be read; none where the file has other records than its manifest says,
/// which could be those of another segment.
fn read(shared: &Shared, logspace: &Logspace, entry: &Entry) -> Result<Mended, Error> {
    let path = logspace.path(entry);
    let raw = RawSegment::open(shared.disk.as_ref(), &path)?;
    let input = raw.input()?;
    let mut mended = segment::mend(&input, shared.options.compression_level, MEND_ROWS)?;
    let numbers = entry.numbers();
    let are_its_own = mended.built.iter().all(|built| {
        let first = built.footer.first_number.0;
        numbers.start <= first && first.saturating_add(u64::from(built.footer.rows)) <= numbers.end
    });
    if !are_its_own {
        mended.built.clear();
    }
    Ok(mended)
}

fn replace(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    mended: Mended,
) -> Result<(), Error> {
    let path = logspace.path(entry);
    let generation = entry.generation.checked_add(1).ok_or(Error::Damaged {
        path: path.clone(),
        offset: 0,
        what: "it was written anew too often".to_owned(),
    })?;
    let built = mended.built.into_iter();
    let segments: Vec<_> = built
        .map(|built| DaySegment {
            day: entry.day,
            built,
        })
        .collect();
    let origin = Origin {
        is_imported: entry.is_imported,
        generation,
        replaced: vec![entry.id()],
    };
    let handles = publish::publish(shared, logspace, &segments, &origin)?;
    logspace.state().replace(&[path], handles);
    Ok(())
}

/// Keeps a damaged file under another name, for whoever can do more with it.
fn set_aside(shared: &Shared, path: &Path) -> Result<PathBuf, Error> {
    let mut aside = path.to_owned().into_os_string();
    aside.push(names::DAMAGED_SUFFIX);
    let aside = PathBuf::from(aside);
    let dir = path.parent().unwrap_or(Path::new("."));
    shared
        .disk
        .rename(path, &aside)
        .map_err(Error::io("rename", path))?;
    shared.disk.sync_dir(dir).map_err(Error::io("sync", dir))?;
    Ok(aside)
}
