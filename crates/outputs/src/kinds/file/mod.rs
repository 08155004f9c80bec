//! Files, whose paths templates make of records.
//!
//! Each record is there exactly once, also after a crash, of ours at least: before the first write behind a kept
//! position the state says how long each file is, and what is longer is cut off when records come again.

mod names;
mod open_file;
mod sink;
mod state;

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::{Group, User};

use crate::render::{Rendering, Scene};
use crate::sink::{Failure, Item, Kind, Opening, Preview, Sink, Trouble};
pub use names::PathTemplate;
use sink::FileSink;

/// Files by a template.
#[derive(Clone, Debug)]
pub struct File {
    /// Where records go.
    pub path: PathTemplate,
    /// What is written of each, before a line feed.
    pub rendering: Rendering,
    /// How files are compressed.
    pub compression: Compression,
    /// Whose they are.
    pub access: FileAccess,
    /// When another one is begun.
    pub rotation: Rotation,
    /// Most files that are open.
    pub open_max: usize,
    /// How long a file stays open that nothing is written to.
    pub idle: Duration,
    /// Whether the disk has them before a record counts as delivered.
    pub sync: bool,
    /// The directory of the store, in which no file is made whatever values say.
    pub kept_out: Option<PathBuf>,
}

/// How files are compressed. Each batch is a member or frame of its own, so that the file can be read at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, at a level from 1 to 9.
    Gzip(u32),
    /// zstd, at a level from 1 to 19.
    Zstd(i32),
}

impl Compression {
    /// The bytes as a whole member or frame; `None` where they stay as they are.
    pub(crate) fn packed(self, bytes: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
        use std::io::Write as _;
        match self {
            Self::None => Ok(None),
            Self::Gzip(level) => {
                let level = flate2::Compression::new(level);
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes)?;
                encoder.finish().map(Some)
            }
            Self::Zstd(level) => zstd::bulk::compress(bytes, level).map(Some),
        }
    }
}

/// Whose files and directories are that are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAccess {
    /// Mode of a file.
    pub mode: u32,
    /// Mode of a directory.
    pub directory_mode: u32,
    /// User, by name or number; that of the process where it is not set.
    pub owner: Option<String>,
    /// Group, by name or number.
    pub group: Option<String>,
    /// Whether directories are made.
    pub makes_directories: bool,
}

impl Default for FileAccess {
    fn default() -> Self {
        Self {
            mode: 0o640,
            directory_mode: 0o750,
            owner: None,
            group: None,
            makes_directories: true,
        }
    }
}

/// When a file is renamed and another one begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// When it has so many bytes; it may get a few batches longer.
    pub bytes: Option<u64>,
    /// When a period of this length is over, counted from the begin of 1970 UTC: a day ends at midnight.
    pub period: Option<Duration>,
    /// How many renamed ones are kept.
    pub keep: Option<usize>,
}

impl File {
    /// Files with the defaults.
    pub fn new(path: PathTemplate, rendering: Rendering) -> Self {
        Self {
            path,
            rendering,
            compression: Compression::None,
            access: FileAccess::default(),
            rotation: Rotation::default(),
            open_max: 256,
            idle: Duration::from_secs(60),
            sync: true,
            kept_out: None,
        }
    }
}

impl Kind for File {
    fn name(&self) -> &'static str {
        "file"
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(FileSink::open(self.clone(), opening)?))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let scene = Scene::now();
        let to = self.path.render(record, &scene);
        let mut bytes = Vec::new();
        if let Err(reason) = self.rendering.render(record, &scene, &mut bytes) {
            bytes = reason.into_bytes();
        }
        Preview {
            to: to.unwrap_or_else(|reason| reason),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let mut found = Vec::new();
        found.extend(self.access.account_trouble());
        let directory = self.path.fixed_directory();
        if let Some(error) = obstacle(&directory, self.access.makes_directories) {
            let directory = directory.display();
            found.push(Trouble {
                key: "path",
                message: format!("nothing can be written below {directory}: {error}"),
                remedy: Some(format!(
                    "make the directory for the user that runs Logwood, as by `install -d -o logwood {directory}`"
                )),
                is_error: false,
            });
        }
        found
    }

    fn workers_max(&self) -> usize {
        1
    }
}

impl FileAccess {
    /// The numbers of user and group.
    fn ids(&self) -> Result<(Option<u32>, Option<u32>), Failure> {
        let user = |name: &str| {
            let found = User::from_name(name).ok().flatten();
            found.map(|user| user.uid.as_raw())
        };
        let group = |name: &str| {
            let found = Group::from_name(name).ok().flatten();
            found.map(|group| group.gid.as_raw())
        };
        Ok((
            self.owner
                .as_deref()
                .map(|name| id(name, "user", user))
                .transpose()?,
            self.group
                .as_deref()
                .map(|name| id(name, "group", group))
                .transpose()?,
        ))
    }

    fn account_trouble(&self) -> Option<Trouble> {
        let failure = self.ids().err()?;
        let is_owner = failure.what.contains("user");
        Some(Trouble {
            key: if is_owner { "owner" } else { "group" },
            message: failure.what,
            remedy: Some("name one that is there, or leave the key out".to_owned()),
            is_error: true,
        })
    }
}

fn id(name: &str, what: &str, find: impl Fn(&str) -> Option<u32>) -> Result<u32, Failure> {
    let number = name.parse().ok();
    let found = number.or_else(|| find(name));
    found.ok_or_else(|| Failure::new(format!("there is no {what} {name:?} on this machine")))
}

/// What keeps files from being made in a directory, or that from being made.
fn obstacle(directory: &Path, makes_directories: bool) -> Option<std::io::Error> {
    let absolute = std::path::absolute(directory).ok()?;
    let nearest = match makes_directories {
        true => absolute.ancestors().find(|above| above.exists())?,
        false => absolute.as_path(),
    };
    let metadata = match nearest.metadata() {
        Ok(metadata) => metadata,
        Err(error) => return Some(error),
    };
    if !metadata.is_dir() {
        return Some(std::io::ErrorKind::NotADirectory.into());
    }
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(nearest, access).err().map(Into::into)
}
