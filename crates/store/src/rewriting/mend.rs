//! Making damaged segments whole again: the index anew from the records, or, where records are lost
//! too, new segments of those that can be read.
//!
//! What is made takes the place of the damaged segment by one durable append to the manifest, as
//! with a merge.

use std::path::{Path, PathBuf};

use segment::{Built, Rewritten};

use crate::error::Error;
use crate::limits::MEND_ROWS;
use crate::logspace::Logspace;
use crate::manifest::Entry;
use crate::names;
use crate::publish::{self, DaySegment, Origin};
use crate::raw_segment::RawSegment;
use crate::snapshot::Damage;
use crate::store::Shared;

/// Makes a segment anew that could not be opened, where nothing of it is lost.
pub(super) fn reopen(shared: &Shared, logspace: &Logspace, entry: &Entry) -> Result<(), Error> {
    let path = logspace.path(entry);
    let mended = read(shared, logspace, entry)?;
    if is_whole(entry, &mended) {
        replace(shared, logspace, entry, mended.built)?;
        logspace.state().settle_damages(&path);
        shared.remove_segment(&path);
        tracing::info!(logspace = %logspace.name, path = %path.display(), "the segment is whole again");
    }
    Ok(())
}

/// Whether nothing was lost.
fn is_whole(entry: &Entry, mended: &Mended) -> bool {
    mended.saved_rows() == entry.rows && mended.saved.undated_rows == 0
}

/// Makes the index of a segment anew, where none of its records is lost.
pub(super) fn reindex(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    damage: &Damage,
) -> Result<(), Error> {
    let path = logspace.path(entry);
    tracing::warn!(logspace = %logspace.name, %damage, "making a damaged index anew");
    let mended = match read(shared, logspace, entry) {
        Ok(mended) => mended,
        Err(error) => {
            let now = shared.clock.now();
            logspace.state().merge_pauses.add(&path, now);
            return Err(error);
        }
    };
    if is_whole(entry, &mended) {
        replace(shared, logspace, entry, mended.built)?;
        shared.remove_segment(&path);
        tracing::info!(logspace = %logspace.name, path = %path.display(), "the index is whole again");
        return Ok(());
    }
    let rows = mended.saved.lost_rows() + mended.saved.undated_rows;
    let what = format!(
        "{rows} records of it cannot be read either: {}",
        damage.what
    );
    let damage = Damage::new(&path, damage.offset, what);
    logspace.state().refuse_to_merge(damage);
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
    let undated_records = u64::from(mended.saved.undated_rows);
    let lost_records = u64::from(entry.rows).saturating_sub(saved_records);
    let path = logspace.path(entry);
    replace(shared, logspace, entry, mended.built)?;
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

/// New segments of what can be read.
struct Mended {
    built: Vec<Built>,
    saved: Rewritten,
}

impl Mended {
    /// How many rows are in them; none where they are not those of the segment.
    fn saved_rows(&self) -> u32 {
        match self.built.is_empty() {
            true => 0,
            false => self.saved.saved_rows(),
        }
    }
}

/// New segments of what can be read; none where the file has other records than its manifest says,
/// which could be those of another segment.
fn read(shared: &Shared, logspace: &Logspace, entry: &Entry) -> Result<Mended, Error> {
    let path = logspace.path(entry);
    let raw = RawSegment::open(shared.disk.as_ref(), &path)?;
    let (mut built, saved) = raw
        .input()?
        .salvage(shared.options.compression_level, MEND_ROWS)?;
    let numbers = entry.numbers();
    let are_its_own = built.iter().all(|built| {
        let first = built.footer.first_number.0;
        numbers.start <= first && first.saturating_add(u64::from(built.footer.rows)) <= numbers.end
    });
    if !are_its_own {
        built.clear();
    }
    Ok(Mended { built, saved })
}

fn replace(
    shared: &Shared,
    logspace: &Logspace,
    entry: &Entry,
    built: Vec<Built>,
) -> Result<(), Error> {
    let path = logspace.path(entry);
    let generation = entry.generation.checked_add(1).ok_or(Error::Damaged {
        path: path.clone(),
        offset: 0,
        what: "it was written anew too often".to_owned(),
    })?;
    let built = built.into_iter();
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
