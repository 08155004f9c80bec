//! Checking that everything is there: what is known of records that no file has.

use std::collections::BTreeMap;
use std::path::Path;

use model::LogspaceName;

use super::{Check, FileKind, Finding, Remedy};
use crate::disk::Disk;
use crate::error::Error;
use crate::inventory::{Coverage, Inventory, Loss};
use crate::losses;
use crate::manifest::Manifest;
use crate::names;

/// What a data directory should have, and what is lost where that is not known.
pub(super) fn known(disk: &dyn Disk, data_dir: &Path) -> Result<(Inventory, Option<Loss>), Error> {
    losses::inventory(disk, data_dir, true)
}

impl Check<'_> {
    /// Finds what is lost: what the inventory knows, and, where nobody writes meanwhile, what is
    /// missing of what there was.
    pub(super) fn losses(
        &self,
        logspaces: &[LogspaceName],
        mut coverage: BTreeMap<LogspaceName, Coverage>,
        missing: Option<Loss>,
    ) {
        let mut lost = Vec::from_iter(missing);
        if !self.is_held {
            let dir = names::journal_dir(self.data_dir);
            let listed = self.disk.list(&dir).unwrap_or_default();
            lost.extend(losses::of_open_journal(
                self.disk,
                &self.inventory,
                &dir,
                &listed,
            ));
            for name in logspaces {
                let coverage = coverage.remove(name).unwrap_or_default();
                let ranges = self.uncovered(name, coverage).into_iter();
                lost.extend(ranges.map(|numbers| losses::of_journal(name, &dir, numbers)));
            }
        }
        let mut inventory = self.inventory.clone();
        inventory.add(lost);
        for loss in inventory.losses {
            self.tell(loss);
        }
    }

    fn tell(&self, loss: Loss) {
        if loss.is_accepted {
            return self.note(loss.damage);
        }
        let records = loss.numbers.end - loss.numbers.start;
        let path = &loss.damage.path;
        self.find(Finding {
            file: match path {
                path if path.starts_with(names::journal_dir(self.data_dir)) => FileKind::Journal,
                path if path.ends_with(names::MANIFEST) => FileKind::Manifest,
                _ => FileKind::Inventory,
            },
            logspace: loss.logspace,
            damage: loss.damage,
            records: Some(records).filter(|records| *records > 0),
            remedy: Remedy::Accept,
        });
    }

    /// Between which numbers records of a logspace are lost.
    fn uncovered(&self, name: &LogspaceName, mut coverage: Coverage) -> Vec<std::ops::Range<u64>> {
        let dir = names::logspace_dir(self.data_dir, name);
        let contents = match Manifest::read(self.disk, &dir) {
            Ok((contents, damages)) if damages.is_empty() => contents,
            // It is found damaged, and to be made anew before anybody can tell.
            _ => return Vec::new(),
        };
        coverage.know(0..contents.sealed);
        for entry in &contents.entries {
            coverage.know(entry.numbers());
        }
        let known = self.inventory.losses.iter().filter(|loss| loss.is_of(name));
        known.for_each(|loss| coverage.know(loss.numbers.clone()));
        if let Some(reach) = self.inventory.logspaces.get(name) {
            coverage.expect(reach.journaled);
        }
        coverage.lost()
    }

    /// Whether somebody has said that they know of a damage.
    pub(super) fn is_accepted(&self, damage: &crate::Damage) -> bool {
        let mut losses = self.inventory.losses.iter();
        losses.any(|loss| loss.is_accepted && loss.damage == *damage)
    }
}
