//! Repairing a data directory that nobody has open.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::error::Error;
use crate::inventory::Loss;
use crate::lock::Lock;
use crate::losses;
use crate::manifest::Entry;
use crate::names;
use crate::options::Options;
use crate::rewriting::mend::{self, Repair};
use crate::snapshot::Damage;
use crate::store::{Shared, locked};
use crate::verify::{FileKind, Finding, Verified, VerifyOptions, verify_held};

/// What a repair found, did, and left.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// What was damaged before.
    pub before: Verified,
    /// What was done with segments. Manifests are written anew besides.
    pub repairs: Vec<Repair>,
    /// What is lost and was accepted.
    pub accepted: Vec<Damage>,
    /// What is damaged still.
    pub after: Verified,
}

/// Checks a data directory, makes damaged indexes and manifests anew, saves the readable records of
/// damaged segments into new ones, and checks it again. With `accepts`, what is lost is accepted: it
/// makes no answer incomplete any more.
///
/// # Errors
/// When another process has the directory open, and as for [`crate::verify`].
pub fn repair(
    options: Options,
    checked: &VerifyOptions,
    accepts: bool,
    disk: &Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<Repaired, Error> {
    let data_dir = options.data_dir.clone();
    // Says in good time that it is no data directory.
    if disk.list(&names::logspaces_dir(&data_dir)).is_err() {
        return Err(Error::NotADataDirectory { data_dir });
    }
    let lock = Lock::take(disk.as_ref(), &data_dir)?;
    let before = verify_held(disk.as_ref(), &data_dir, checked, false, watch)?;
    let mut repairs = Vec::new();
    let mut accepted = Vec::new();
    let is_repairable = |finding: &Finding| finding.remedy.is_repairable();
    if before.findings.iter().any(is_repairable) || (accepts && !before.findings.is_empty()) {
        let was_stopped = losses::inventory(disk.as_ref(), &data_dir, true)?
            .0
            .is_stopped;
        // Opening it writes damaged manifests anew.
        let shared = Shared::recover(options, Arc::clone(disk), clock, false)?;
        repairs = repair_segments(&shared, &before)?;
        if accepts {
            accepted = accept(&shared)?;
        }
        if was_stopped {
            shared.note_stop();
        }
    }
    let after = verify_held(disk.as_ref(), &data_dir, checked, false, watch)?;
    drop(lock);
    Ok(Repaired {
        before,
        repairs,
        accepted,
        after,
    })
}

/// Goes on without what is lost: manifests forget segments that are not there, and what is lost is
/// not told any more but by a check, as a note.
fn accept(shared: &Shared) -> Result<Vec<Damage>, Error> {
    let mut given_up = Vec::new();
    for logspace in shared.logspaces() {
        let mut manifest = locked(&logspace.manifest);
        let Some(manifest) = manifest.as_mut() else {
            continue;
        };
        let state = logspace.state();
        let places = logspace.places();
        let mut gone = manifest.contents().entries.clone();
        // The disk of the archive may come back, and the journal may have the records.
        gone.retain(|entry| {
            let is_here = state.is_open(&places.segment(entry));
            !is_here && !entry.is_archived && !state.tail_has_any(&entry.numbers())
        });
        drop(state);
        if gone.is_empty() {
            continue;
        }
        let ids: Vec<_> = gone.iter().map(Entry::id).collect();
        manifest.change(&[], &ids)?;
        given_up.extend(gone.iter().map(|entry| {
            let what = format!("{} records were given up", entry.rows);
            let damage = Damage::new(&places.segment(entry), 0, what);
            Loss::new(Some(&logspace.name), entry.numbers(), damage)
        }));
    }
    let mut accepted = shared.accept_losses(given_up)?;
    accepted.extend(shared.give_up_documents()?);
    Ok(accepted)
}

fn repair_segments(shared: &Shared, found: &Verified) -> Result<Vec<Repair>, Error> {
    let damaged: BTreeSet<&PathBuf> = found
        .findings
        .iter()
        .filter(|finding| finding.file == FileKind::Segment && finding.remedy.is_repairable())
        .map(|finding| &finding.damage.path)
        .collect();
    let mut repairs = Vec::new();
    for logspace in shared.logspaces() {
        let entries: Vec<Entry> = match locked(&logspace.manifest).as_ref() {
            Some(manifest) => manifest.contents().entries.clone(),
            None => continue,
        };
        for entry in entries {
            let path = logspace.path(&entry);
            // What the journal still has is sealed anew, whole, at the next start.
            let is_in_tail = logspace.state().tail_has_any(&entry.numbers());
            if damaged.contains(&path) && !is_in_tail {
                repairs.extend(mend::mend(shared, &logspace, &entry)?);
            }
        }
    }
    Ok(repairs)
}
