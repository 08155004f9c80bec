//! Checking documents: each is there that the inventory names, whole, and where it belongs.

use std::collections::BTreeSet;

use super::{Check, FileKind, Finding, Remedy, is_missing};
use crate::documents;
use crate::error::Error;

impl Check<'_> {
    /// Reads every document.
    pub(super) fn documents(&self) -> Result<(), Error> {
        let mut known: BTreeSet<_> = documents::listed(self.disk, self.data_dir)?
            .into_iter()
            .collect();
        if !self.is_held {
            // A server removes some while it works.
            known.extend(self.inventory.documents.iter().cloned());
        }
        for name in known {
            let store = self.inventory.store;
            match documents::read(self.disk, self.data_dir, &name, store) {
                Ok(document) => self.count_file(document.bytes.len() as u64),
                Err(error) if self.is_held && is_missing(&error) => {}
                Err(error) => self.find(Finding {
                    file: FileKind::Document,
                    logspace: None,
                    damage: documents::damage_of(self.data_dir, &name, &error),
                    records: None,
                    remedy: Remedy::Restore,
                }),
            }
        }
        Ok(())
    }
}
