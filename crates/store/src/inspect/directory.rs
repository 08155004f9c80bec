//! What is in a data directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::LogspaceName;

use super::manifest::day_text;
use crate::disk::{Disk, OpenMode};
use crate::error::Error;
use crate::leftovers;
use crate::lock::{self, LockHolder};
use crate::manifest::Manifest;
use crate::names;
use crate::places::Places;
use crate::snapshot::Damage;

/// A data directory.
#[derive(Clone, Debug)]
pub struct DirectoryView {
    /// The directory.
    pub path: PathBuf,
    /// Who has it open.
    pub holder: Option<LockHolder>,
    /// Journal files in use.
    pub journal: Vec<FileView>,
    /// Journal files that wait to be used again.
    pub free: Vec<FileView>,
    /// Its logspaces, by name.
    pub logspaces: Vec<LogspaceView>,
}

/// A file.
#[derive(Clone, Debug)]
pub struct FileView {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A logspace.
#[derive(Clone, Debug)]
pub struct LogspaceView {
    /// Its name.
    pub name: LogspaceName,
    /// Its days, in order.
    pub days: Vec<DayView>,
    /// Files in the directories of days that the manifest does not name.
    pub others: Vec<FileView>,
    /// What cannot be read of the manifest.
    pub damages: Vec<Damage>,
}

/// A day of a logspace.
#[derive(Clone, Debug, Default)]
pub struct DayView {
    /// Its date, such as `2026-11-21`.
    pub day: String,
    /// How many segments it has.
    pub segments: u64,
    /// How many records they have.
    pub records: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// Bytes of their messages as they arrived.
    pub raw_bytes: u64,
}

/// Looks into a data directory.
///
/// # Errors
/// When it is none, when a manifest is of a newer format, or when it cannot be listed.
pub fn inspect_directory(disk: &dyn Disk, data_dir: &Path) -> Result<DirectoryView, Error> {
    let dir = names::logspaces_dir(data_dir);
    let Ok(listed) = disk.list(&dir) else {
        return Err(Error::NotADataDirectory {
            data_dir: data_dir.to_owned(),
        });
    };
    let mut logspaces = Vec::new();
    for entry in listed {
        if let Ok(name) = LogspaceName::parse(&entry.name)
            && entry.is_dir
        {
            logspaces.push(logspace(disk, data_dir, name)?);
        }
    }
    let journal_dir = names::journal_dir(data_dir);
    let journal = disk.list(&journal_dir).unwrap_or_default();
    let files = |ending: &str| {
        let listed = journal.iter();
        let named = listed.filter(|entry| names::journal_id(&entry.name, ending).is_some());
        named
            .map(|entry| file(disk, journal_dir.join(&entry.name)))
            .collect::<Vec<_>>()
    };
    Ok(DirectoryView {
        path: data_dir.to_owned(),
        holder: lock::holder(disk, data_dir),
        journal: files(names::JOURNAL_SUFFIX),
        free: files(names::FREE_SUFFIX),
        logspaces,
    })
}

fn logspace(disk: &dyn Disk, data_dir: &Path, name: LogspaceName) -> Result<LogspaceView, Error> {
    let dir = names::logspace_dir(data_dir, &name);
    let places = Places::read(disk, &dir)?;
    let (entries, damages) = match Manifest::read(disk, &dir) {
        Ok((contents, damages)) => (contents.entries, damages),
        Err(error) if error.is_other_format() => return Err(error),
        Err(error) => {
            let damage = Damage::new(&names::manifest(&dir), 0, error.to_string());
            (Vec::new(), vec![damage])
        }
    };
    let mut days: BTreeMap<i64, DayView> = BTreeMap::new();
    let mut named = Vec::new();
    for entry in &entries {
        let day = days.entry(entry.day).or_default();
        day.segments += 1;
        day.records += u64::from(entry.rows);
        day.bytes = day.bytes.saturating_add(entry.file_bytes);
        day.raw_bytes = day.raw_bytes.saturating_add(entry.raw_bytes);
        named.push(places.segment(entry));
    }
    named.sort();
    let others = leftovers::files(disk, &dir)?
        .into_iter()
        .filter(|(path, _)| named.binary_search(path).is_err())
        .map(|(path, _)| file(disk, path))
        .collect();
    let days = days.into_iter().map(|(number, day)| DayView {
        day: day_text(number),
        ..day
    });
    Ok(LogspaceView {
        name,
        days: days.collect(),
        others,
        damages,
    })
}

fn file(disk: &dyn Disk, path: PathBuf) -> FileView {
    let opened = disk.open(&path, OpenMode::Read);
    let bytes = opened.and_then(|file| file.len()).unwrap_or(0);
    FileView { path, bytes }
}
