//! Checking a logspace: its manifest, and the segments that it names.

use std::collections::BTreeSet;
use std::path::Path;

use model::LogspaceName;

use super::journal::{JournalRecords, holds};
use super::{Check, FileKind, Finding, Remedy, is_missing};
use crate::error::Error;
use crate::leftovers;
use crate::limits::VERIFY_ROUNDS_MAX;
use crate::manifest::{Contents, Entry, Manifest, Owner};
use crate::names;
use crate::places::Places;
use crate::raw_segment::RawSegment;
use crate::snapshot::Damage;
use crate::store::locked;

impl Check<'_> {
    /// Counts the bytes of a logspace.
    pub(super) fn expect_logspace(&self, name: &LogspaceName) {
        let dir = names::logspace_dir(self.data_dir, name);
        if let Ok(survey) = Manifest::survey(self.disk, &names::manifest(&dir)) {
            let entries = survey.contents.entries.iter();
            self.expect(survey.bytes + entries.map(|entry| entry.file_bytes).sum::<u64>());
        }
    }

    /// Reads a logspace.
    pub(super) fn logspace(
        &self,
        name: &LogspaceName,
        records: &JournalRecords,
    ) -> Result<(), Error> {
        let dir = names::logspace_dir(self.data_dir, name);
        let path = names::manifest(&dir);
        let find = |at: &Path, offset, what: String, records, remedy| {
            self.find(Finding {
                file: FileKind::Manifest,
                logspace: Some(name.clone()),
                damage: Damage::new(at, offset, what),
                records,
                remedy,
            });
        };
        let survey = match Manifest::survey(self.disk, &path) {
            Err(error) if is_missing(&error) => {
                let rows = self.unnamed(name, &Contents::default())?;
                if rows > 0 || self.inventory.logspaces.contains_key(name) {
                    let what = format!("it is missing; there are segments with {rows} records");
                    find(&path, 0, what, Some(0), Remedy::RewriteManifest);
                }
                return Ok(());
            }
            result => result?,
        };
        self.count_file(survey.bytes);
        self.advance(survey.bytes);
        let owner = Owner {
            store: self.inventory.store,
            logspace: name.clone(),
        };
        if let Some(whose) = survey.contents.differs_from(&owner) {
            find(&path, 0, whose, None, Remedy::PutBack);
            return Ok(());
        }
        let changed = match self.inventory.left(name) {
            left if !self.is_held => survey.difference(&path, left),
            _ => None,
        };
        for damage in survey.damages.iter().chain(&changed) {
            let what = damage.what.clone();
            find(
                &damage.path,
                damage.offset,
                what,
                None,
                Remedy::RewriteManifest,
            );
        }
        let places = Places::read(self.disk, &dir)?;
        self.overlaps(name, &places, &survey.contents);
        let newest = self.segments(name, &places, survey.contents, records)?;
        if !self.is_held && survey.damages.is_empty() {
            let rows = self.unnamed(name, &newest)?;
            if let Some(end) = survey.torn_at {
                let what = "a record that was never finished, or is damaged".to_owned();
                if rows > 0 {
                    let what = format!("{what}; segments with {rows} records are not named");
                    find(&path, end, what, Some(0), Remedy::RewriteManifest);
                } else {
                    self.note(Damage::new(&path, end, what));
                }
            }
        }
        Ok(())
    }

    /// Finds segments that have the same record.
    fn overlaps(&self, name: &LogspaceName, places: &Places, contents: &Contents) {
        let mut in_order = contents.entries.clone();
        in_order.sort_by_key(|entry| entry.first);
        for pair in in_order.windows(2) {
            if let [one, other] = pair
                && one.overlaps(other)
            {
                let what = format!(
                    "record {} is in this segment and in the one that starts with record {}",
                    other.first.0, one.first.0
                );
                self.find(Finding {
                    file: FileKind::Manifest,
                    logspace: Some(name.clone()),
                    damage: Damage::new(&places.segment(other), 0, what),
                    records: Some(0),
                    remedy: Remedy::Restore,
                });
            }
        }
    }

    /// Reads the segments that the manifest names, and where some have vanished meanwhile, those
    /// that it names now. Returns what it says now.
    fn segments(
        &self,
        name: &LogspaceName,
        places: &Places,
        mut contents: Contents,
        records: &JournalRecords,
    ) -> Result<Contents, Error> {
        let mut read = BTreeSet::new();
        for round in 0..VERIFY_ROUNDS_MAX {
            let is_new = |entry: &&Entry| !read.contains(&entry.id());
            let entries: Vec<Entry> = contents.entries.iter().filter(is_new).copied().collect();
            let missing = std::sync::Mutex::new(Vec::new());
            self.each(&entries, |entry| {
                let result = self.segment(name, places, entry, records);
                match result {
                    Err(error) if is_missing(&error) => {
                        locked(&missing).push(*entry);
                        Ok(())
                    }
                    result => result,
                }
            })?;
            read.extend(entries.iter().map(Entry::id));
            let mut missing = missing.into_inner().unwrap_or_default();
            if missing.is_empty() {
                break;
            }
            (contents, _) = Manifest::read(self.disk, &places.home)?;
            missing.retain(|entry| contents.entries.contains(entry));
            for entry in missing {
                self.missing(name, places, &entry, records);
            }
            if round + 1 == VERIFY_ROUNDS_MAX {
                let what = "segments change too quickly to be read; check again";
                self.note(Damage::new(&places.home, 0, what));
            }
        }
        Ok(contents)
    }

    fn missing(
        &self,
        name: &LogspaceName,
        places: &Places,
        entry: &Entry,
        records: &JournalRecords,
    ) {
        let is_in_journal = holds(records, name, &entry.numbers());
        let path = places.segment(entry);
        self.find(Finding {
            file: FileKind::Segment,
            logspace: Some(name.clone()),
            damage: Damage::new(&path, 0, "the file is missing"),
            records: Some(u64::from(entry.rows)),
            remedy: if is_in_journal {
                Remedy::FromJournal
            } else {
                Remedy::Restore
            },
        });
    }

    /// Notes the segments that the manifest does not name; how many records they have.
    fn unnamed(&self, name: &LogspaceName, contents: &Contents) -> Result<u64, Error> {
        let dir = names::logspace_dir(self.data_dir, name);
        let named: BTreeSet<_> = contents
            .entries
            .iter()
            .filter(|entry| !entry.is_archived)
            .map(|entry| names::segment(&dir, entry.day, entry.id()))
            .collect();
        let mut unnamed_rows = 0;
        let files = match leftovers::files(self.disk, &dir) {
            Err(error) if is_missing(&error) => Vec::new(),
            result => result?,
        };
        for (path, file) in files {
            let id = names::segment_id(&file);
            if named.contains(&path) || id.is_some_and(|id| contents.removed.contains(&id)) {
                continue;
            }
            let is_aside =
                file.ends_with(names::ORPHAN_SUFFIX) || file.ends_with(names::DAMAGED_SUFFIX);
            let what = match RawSegment::open(self.disk, &path) {
                Ok(RawSegment {
                    footer: Ok((_, footer)),
                    ..
                }) => {
                    if !is_aside && id.is_some() {
                        unnamed_rows += u64::from(footer.rows);
                    }
                    format!(
                        "not named by the manifest and not read; {} records",
                        footer.rows
                    )
                }
                _ => "not named by the manifest and not read".to_owned(),
            };
            self.note(Damage::new(&path, 0, what));
        }
        Ok(unnamed_rows)
    }
}
