//! Files that steps work by. Whoever may do I/O reads them, at the start and when they have changed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::step::Failure;

/// An action that works by a file.
pub trait FileUser: Send + Sync {
    /// The file.
    fn path(&self) -> &Path;

    /// Takes the content of the file. What was taken before stays where this one cannot be used.
    ///
    /// # Errors
    /// When the content is not of its form, in words.
    fn load(&self, content: &[u8]) -> Result<(), String>;
}

/// How the content of a file is read.
type Reader<T> = fn(&[u8]) -> Result<T, String>;

/// What a file says, as far as it has been read.
pub struct FromFile<T> {
    path: PathBuf,
    reader: Reader<T>,
    loaded: RwLock<Option<Arc<T>>>,
}

impl<T> FromFile<T> {
    /// A file that is yet to be read, by `reader`.
    pub fn new(path: PathBuf, reader: Reader<T>) -> Self {
        Self {
            path,
            reader,
            loaded: RwLock::default(),
        }
    }

    /// What it says.
    ///
    /// # Errors
    /// While nobody has read it.
    pub(crate) fn get(&self) -> Result<Arc<T>, Failure> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        let unread = || Failure::Unfit(format!("{} has not been read", self.path.display()));
        loaded.clone().ok_or_else(unread)
    }
}

impl<T: Send + Sync> FileUser for FromFile<T> {
    fn path(&self) -> &Path {
        &self.path
    }

    fn load(&self, content: &[u8]) -> Result<(), String> {
        let read = Arc::new((self.reader)(content)?);
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Some(read);
        Ok(())
    }
}

impl<T> fmt::Debug for FromFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FromFile").field(&self.path).finish()
    }
}
