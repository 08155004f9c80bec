//! Searches that people saved: a text that lies beside the records and comes along into a backup.
//! What it says is the business of whoever writes it.

use std::io;
use std::path::Path;

use crate::disk::Disk;
use crate::error::Error;
use crate::limits::SEARCHES_BYTES_MAX;
use crate::names;
use crate::notes;
use crate::snapshot::Damage;
use crate::store::Store;

impl Store {
    /// The text that was kept last; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is not of a size that this program writes.
    pub fn saved_searches(&self) -> Result<Option<String>, Error> {
        read(self.disk(), self.data_dir())
    }

    /// Keeps a text in the place of the one before; it is durable on return.
    ///
    /// # Errors
    /// When it is too long, the disk refuses, or the store is open for reading only.
    pub fn save_searches(&self, text: &str) -> Result<(), Error> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        write(self.disk(), self.data_dir(), text)
    }
}

/// Brings the saved searches of one data directory into another. That they cannot be read is no
/// reason to leave the records behind: it is returned, and what the other directory has stays.
pub(crate) fn copy(disk: &dyn Disk, from: &Path, to: &Path) -> Result<Option<Damage>, Error> {
    match read(disk, from) {
        Ok(Some(text)) => write(disk, to, &text)?,
        Ok(None) => _ = notes::remove(disk, &names::searches(to))?,
        Err(error) => {
            let path = names::searches(from);
            return Ok(Some(Damage::new(&path, 0, error.to_string())));
        }
    }
    Ok(None)
}

fn read(disk: &dyn Disk, data_dir: &Path) -> Result<Option<String>, Error> {
    notes::read_within(disk, &names::searches(data_dir), SEARCHES_BYTES_MAX)
}

fn write(disk: &dyn Disk, data_dir: &Path, text: &str) -> Result<(), Error> {
    let path = names::searches(data_dir);
    if text.len() as u64 >= SEARCHES_BYTES_MAX {
        let why = format!("more than {SEARCHES_BYTES_MAX} bytes");
        return Err(Error::io("write", path)(io::Error::other(why)));
    }
    notes::write(disk, &path, text)
}
