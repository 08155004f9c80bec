//! Small files of text beside the data: which store this is, and in what state a directory is.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::limits::NOTE_BYTES_MAX;
use crate::names;

/// Which store a file is of; 0 where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreId(pub(crate) u128);

impl StoreId {
    /// The id that a note says, if it says one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let id = u128::from_str_radix(text, 16).ok()?;
        Some(Self(id)).filter(|id| id.is_known() && text.len() == 32)
    }

    /// Whether it says which store.
    pub(crate) fn is_known(self) -> bool {
        self.0 != 0
    }

    /// Whether both say the same, or one of them says nothing.
    pub(crate) fn agrees(self, other: Self) -> bool {
        self == other || !self.is_known() || !other.is_known()
    }
}

impl std::fmt::Display for StoreId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The text of a note without white space around it; `None` where there is none.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> Result<Option<String>, Error> {
    read_within(disk, path, NOTE_BYTES_MAX)
}

/// The same of a longer text.
pub(crate) fn read_within(
    disk: &dyn Disk,
    path: &Path,
    bytes_max: u64,
) -> Result<Option<String>, Error> {
    let bytes = read_bytes(disk, path, bytes_max)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(bytes.map(text))
}

/// The bytes of a file as they are; `None` where there is none.
pub(crate) fn read_bytes(
    disk: &dyn Disk,
    path: &Path,
    bytes_max: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let file = match disk.open(path, OpenMode::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        result => result.map_err(Error::io("open", path))?,
    };
    let len = file.len().map_err(Error::io("read", path))?;
    if len > bytes_max {
        let why = io::Error::other(format!("it has {len} bytes, more than {bytes_max}"));
        return Err(Error::io("read", path)(why));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    file.read_exact_at(&mut bytes, 0)
        .map_err(Error::io("read", path))?;
    Ok(Some(bytes))
}

/// Writes a note, durably, in place of the one that is there.
pub(crate) fn write(disk: &dyn Disk, path: &Path, text: &str) -> Result<(), Error> {
    write_bytes(disk, path, format!("{text}\n").as_bytes())
}

/// Writes a file of bytes in the same way.
pub(crate) fn write_bytes(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let temporary = names::temporary(path);
    let file = disk
        .open(&temporary, OpenMode::Create)
        .map_err(Error::io("create", temporary.as_path()))?;
    file.write_all_at(bytes, 0)
        .and_then(|()| file.sync())
        .map_err(Error::io("write", temporary.as_path()))?;
    disk.rename(&temporary, path)
        .map_err(Error::io("rename", temporary.as_path()))?;
    sync_parent(disk, path)
}

/// Removes a note, durably; whether there was one.
pub(crate) fn remove(disk: &dyn Disk, path: &Path) -> Result<bool, Error> {
    match disk.remove(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        result => result.map_err(Error::io("remove", path))?,
    }
    sync_parent(disk, path)?;
    Ok(true)
}

/// The id of the store in a directory, made where it has none yet.
pub(crate) fn id(disk: &dyn Disk, data_dir: &Path) -> Result<StoreId, Error> {
    let path = names::id(data_dir);
    if let Some(id) = read(disk, &path)?.and_then(|id| StoreId::parse(&id)) {
        return Ok(id);
    }
    let mut random = [0; 16];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| Error::io("make an id for", path.as_path())(error.into()))?;
    let id = StoreId(u128::from_le_bytes(random).max(1));
    write(disk, &path, &id.to_string())?;
    Ok(id)
}

fn sync_parent(disk: &dyn Disk, path: &Path) -> Result<(), Error> {
    let dir = path.parent().unwrap_or(Path::new("."));
    disk.sync_dir(dir).map_err(Error::io("sync", dir))
}
