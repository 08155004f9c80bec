//! A document that is written again and again: whatever becomes of the store, it is the one that was written last,
//! or one that was about to be.

use store::{DocumentName, Error, Store};

use crate::random::Random;
use crate::run::Failure;

const NAME: &str = "sim.document";

/// What is known of the document.
#[derive(Default)]
pub(crate) struct Keeper {
    /// What was durable last, and behind it what was tried since; each with its version.
    possible: Vec<(u64, Vec<u8>)>,
    /// Whether it must be there.
    is_durable: bool,
}

impl Keeper {
    /// Writes it once more; the disk may refuse.
    pub(crate) fn put(&mut self, store: &Store, random: &mut Random) -> Result<(), Failure> {
        let name = DocumentName::parse(NAME).map_err(|error| failure(&error))?;
        let Ok(version) = self.look(store) else {
            // The disk would not read it, or not list it at the start.
            return Ok(());
        };
        let len = usize::try_from(random.below(1_500)).unwrap_or(0);
        let bytes: Vec<u8> = std::iter::repeat_with(|| random.bits() as u8)
            .take(len)
            .collect();
        if store.put_document(&name, &bytes, version + 1).is_ok() {
            return Err(Failure::new("a document of another version was replaced"));
        }
        self.possible.push((version + 1, bytes.clone()));
        if store.put_document(&name, &bytes, version).is_ok() {
            self.possible = vec![(version + 1, bytes)];
            self.is_durable = true;
        }
        Ok(())
    }

    /// Holds what there is against what there may be.
    pub(crate) fn check(&self, store: &Store) -> Result<(), Failure> {
        self.look(store).map(|_| ())
    }

    /// Its version.
    fn look(&self, store: &Store) -> Result<u64, Failure> {
        let name = DocumentName::parse(NAME).map_err(|error| failure(&error))?;
        let found = store.document(&name).map_err(|error| failure(&error))?;
        let Some(found) = found else {
            return match self.is_durable {
                true => Err(Failure::new("a document is gone")),
                false => Ok(0),
            };
        };
        let is_it = |known: &&(u64, Vec<u8>)| **known == (found.version, found.bytes.clone());
        match self.possible.iter().find(is_it) {
            Some(_) => Ok(found.version),
            None => Err(Failure::new(format!(
                "nobody wrote version {} of a document",
                found.version
            ))),
        }
    }
}

fn failure(error: &Error) -> Failure {
    Failure::new(error.to_string())
}
