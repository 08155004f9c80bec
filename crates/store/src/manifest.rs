//! Which segments a logspace has: an append-only log whose last record decides.
//!
//! One record names all segments that one seal or import added, so that they appear together or
//! not at all. A record that is cut off or wrong at the end was never finished; its segments'
//! records are still in the journal. After a failed write the whole manifest is written anew and
//! renamed into place, since a failed sync leaves the old file in an unknown state. FORMAT.md has
//! the bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{RecordNumber, Timestamp};

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::limits::{MANIFEST_BYTES_MAX, MANIFEST_RECORD_BYTES_MAX};
use crate::names;
use crate::snapshot::Damage;

const MAGIC: [u8; 4] = *b"LWMF";
const VERSION: u16 = 1;
const HEADER_LEN: usize = 16;
const RECORD_HEADER_LEN: usize = 8;
const ALIGNMENT: usize = 8;
const KIND_ADD: u8 = 1;
const ENTRY_LEN: usize = 56;

/// A segment as the manifest knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The number of its first record.
    pub(crate) first: RecordNumber,
    /// How many records it has.
    pub(crate) rows: u32,
    /// Whether its records were imported: their times of receipt are not Logwood's own.
    pub(crate) is_imported: bool,
    /// The day (UTC, from 1970-01-01) whose directory it lies in.
    pub(crate) day: i64,
    /// Size of its file in bytes.
    pub(crate) file_bytes: u64,
    /// When its first record was received.
    pub(crate) first_received: Timestamp,
    /// When its last record was received.
    pub(crate) last_received: Timestamp,
    /// Bytes of its messages as they arrived.
    pub(crate) raw_bytes: u64,
}

impl Entry {
    /// Whether two segments claim the same record.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.first.0 < other.first.0 + u64::from(other.rows)
            && other.first.0 < self.first.0 + u64::from(self.rows)
    }
}

/// The manifest of a logspace, open for appending.
pub(crate) struct Manifest {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    entries: Vec<Entry>,
    /// Where the next record goes; `None` when the file must be written anew first.
    open: Option<(Box<dyn DiskFile>, u64)>,
}

/// What a manifest file held.
#[derive(Debug, Default)]
struct Loaded {
    entries: Vec<Entry>,
    damages: Vec<Damage>,
    /// The end of the last good record, where nothing stands behind it.
    clean_end: Option<u64>,
}

impl Manifest {
    /// Opens or creates the manifest of a logspace directory. Damages are what cannot be read.
    pub(crate) fn open(disk: Arc<dyn Disk>, dir: &Path) -> Result<(Self, Vec<Damage>), Error> {
        let path = names::manifest(dir);
        let loaded = match load(disk.as_ref(), &path) {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Loaded::default()
            }
            result => result?,
        };
        let mut manifest = Self {
            disk,
            path,
            entries: loaded.entries,
            open: None,
        };
        match loaded.clean_end {
            Some(end) => {
                let path = manifest.path.as_path();
                let file = manifest
                    .disk
                    .open(path, OpenMode::ReadWrite)
                    .map_err(Error::io("open", path))?;
                manifest.open = Some((file, end));
            }
            None => manifest.rewrite()?,
        }
        Ok((manifest, loaded.damages))
    }

    /// Reads the manifest of a logspace directory without touching it.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<(Vec<Entry>, Vec<Damage>), Error> {
        let loaded = load(disk, &names::manifest(dir))?;
        Ok((loaded.entries, loaded.damages))
    }

    /// The segments, in the order they were added.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds segments, all or none, durably. May be repeated after an error.
    pub(crate) fn add(&mut self, added: &[Entry]) -> Result<(), Error> {
        let appended = match &self.open {
            None => false,
            Some((file, offset)) => {
                let record = encode_record(added, *offset);
                let result = file
                    .write_all_at(&record, *offset)
                    .and_then(|()| file.sync());
                if let Err(error) = result {
                    self.open = None;
                    return Err(Error::io("write", self.path.as_path())(error));
                }
                if let Some((_, offset)) = &mut self.open {
                    *offset += record.len() as u64;
                }
                true
            }
        };
        let before = self.entries.clone();
        merge(&mut self.entries, added);
        if !appended && let Err(error) = self.rewrite() {
            self.entries = before;
            return Err(error);
        }
        Ok(())
    }

    /// Writes a new file with all entries and puts it in place of the old one.
    fn rewrite(&mut self) -> Result<(), Error> {
        self.open = None;
        let temporary = self
            .path
            .with_extension(names::TEMPORARY_SUFFIX.trim_start_matches('.'));
        let mut bytes = encode_header().to_vec();
        // A record has a limit; many entries take many records.
        for chunk in self
            .entries
            .chunks(MANIFEST_RECORD_BYTES_MAX / ENTRY_LEN / 2)
        {
            let record = encode_record(chunk, bytes.len() as u64);
            bytes.extend_from_slice(&record);
        }
        let path = temporary.as_path();
        let file = self
            .disk
            .open(path, OpenMode::Create)
            .map_err(Error::io("create", path))?;
        file.write_all_at(&bytes, 0)
            .map_err(Error::io("write", path))?;
        file.sync().map_err(Error::io("sync", path))?;
        self.disk
            .rename(path, &self.path)
            .map_err(Error::io("rename", path))?;
        let dir = self.path.parent().unwrap_or(Path::new("."));
        self.disk.sync_dir(dir).map_err(Error::io("sync", dir))?;
        self.open = Some((file, bytes.len() as u64));
        Ok(())
    }
}

fn load(disk: &dyn Disk, path: &Path) -> Result<Loaded, Error> {
    let file = disk
        .open(path, OpenMode::Read)
        .map_err(Error::io("open", path))?;
    let len = file.len().map_err(Error::io("read", path))?;
    if len > MANIFEST_BYTES_MAX {
        let what = format!("the file has {len} bytes, at most {MANIFEST_BYTES_MAX} are read");
        return Err(Error::Damaged {
            path: path.to_owned(),
            offset: 0,
            what,
        });
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, 0)
        .map_err(Error::io("read", path))?;
    let mut loaded = Loaded::default();
    match bytes.get(..HEADER_LEN) {
        Some(header) if header == encode_header() => {}
        Some(header) if header.starts_with(&MAGIC) && version(header) > VERSION => {
            let found = version(header);
            return Err(Error::NewerFormat {
                path: path.to_owned(),
                found,
                supported: VERSION,
            });
        }
        _ => loaded
            .damages
            .push(Damage::new(path, 0, "the header is wrong")),
    }
    let mut offset = HEADER_LEN;
    while offset < bytes.len() {
        let next = match decode_record(&bytes, offset) {
            Ok((entries, len)) => {
                merge(&mut loaded.entries, &entries);
                Some(offset + len)
            }
            Err(what) => {
                let next = (offset + ALIGNMENT..bytes.len())
                    .step_by(ALIGNMENT)
                    .find(|at| decode_record(&bytes, *at).is_ok());
                if next.is_some() {
                    loaded.damages.push(Damage::new(path, offset as u64, what));
                }
                next
            }
        };
        let Some(next) = next else { return Ok(loaded) };
        offset = next;
    }
    if loaded.damages.is_empty() {
        loaded.clean_end = Some(offset as u64);
    }
    Ok(loaded)
}

/// Adds entries. One with the number of an older one replaces it: a damaged segment was built anew
/// from the journal, under the same name.
fn merge(entries: &mut Vec<Entry>, added: &[Entry]) {
    let is_replaced = |entry: &Entry| added.iter().any(|new| new.first == entry.first);
    entries.retain(|entry| !is_replaced(entry));
    entries.extend_from_slice(added);
}

fn version(header: &[u8]) -> u16 {
    header
        .get(4..6)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u16::from_le_bytes)
}

fn encode_header() -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    let parts = MAGIC
        .iter()
        .chain(VERSION.to_le_bytes().iter())
        .copied()
        .collect::<Vec<_>>();
    for (place, byte) in header.iter_mut().zip(parts) {
        *place = byte;
    }
    header
}

/// Length and checksum, bound to the offset, then the kind and the entries, padded.
fn encode_record(entries: &[Entry], offset: u64) -> Vec<u8> {
    let mut payload = vec![KIND_ADD, 0, 0, 0];
    payload.extend_from_slice(&u32::try_from(entries.len()).unwrap_or(0).to_le_bytes());
    for entry in entries {
        payload.extend_from_slice(&entry.first.0.to_le_bytes());
        payload.extend_from_slice(&entry.rows.to_le_bytes());
        payload.extend_from_slice(&u32::from(entry.is_imported).to_le_bytes());
        payload.extend_from_slice(&entry.day.to_le_bytes());
        payload.extend_from_slice(&entry.file_bytes.to_le_bytes());
        payload.extend_from_slice(&entry.first_received.nanos().to_le_bytes());
        payload.extend_from_slice(&entry.last_received.nanos().to_le_bytes());
        payload.extend_from_slice(&entry.raw_bytes.to_le_bytes());
    }
    let mut record = u32::try_from(payload.len())
        .unwrap_or(0)
        .to_le_bytes()
        .to_vec();
    let crc = crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), &payload);
    record.extend_from_slice(&crc.to_le_bytes());
    record.extend_from_slice(&payload);
    record.resize(record.len().next_multiple_of(ALIGNMENT), 0);
    record
}

/// The entries of the record at an offset, and the bytes it takes.
fn decode_record(bytes: &[u8], offset: usize) -> Result<(Vec<Entry>, usize), &'static str> {
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_le_bytes)
    };
    let len = word(offset) as usize;
    if !(8..=MANIFEST_RECORD_BYTES_MAX).contains(&len) {
        return Err("the length of the record is wrong");
    }
    let start = offset + RECORD_HEADER_LEN;
    let payload = bytes
        .get(start..start + len)
        .ok_or("the record is cut off")?;
    let crc = crc32c::crc32c_append(crc32c::crc32c(&(offset as u64).to_le_bytes()), payload);
    if crc != word(offset + 4) {
        return Err("the checksum of the record is wrong");
    }
    let entries = payload.get(8..).unwrap_or(&[]);
    let count = word(start + 4) as usize;
    if payload.first() != Some(&KIND_ADD) || entries.len() != count * ENTRY_LEN {
        return Err("the record is of an unknown kind");
    }
    let entries = entries.chunks_exact(ENTRY_LEN).map(decode_entry).collect();
    Ok((
        entries,
        (RECORD_HEADER_LEN + len).next_multiple_of(ALIGNMENT),
    ))
}

fn decode_entry(bytes: &[u8]) -> Entry {
    let long = |at: usize| {
        bytes
            .get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    };
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_le_bytes)
    };
    Entry {
        first: RecordNumber(long(0)),
        rows: word(8),
        is_imported: word(12) & 1 == 1,
        day: long(16).cast_signed(),
        file_bytes: long(24),
        first_received: Timestamp::from_nanos(long(32).cast_signed()),
        last_received: Timestamp::from_nanos(long(40).cast_signed()),
        raw_bytes: long(48),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    fn entry(first: u64) -> Entry {
        Entry {
            first: RecordNumber(first),
            rows: 10,
            is_imported: first % 2 == 1,
            day: 20_000,
            file_bytes: 4_096,
            first_received: Timestamp::from_seconds(1),
            last_received: Timestamp::from_seconds(2),
            raw_bytes: 999,
        }
    }

    fn open(dir: &Path) -> (Manifest, Vec<Damage>) {
        Manifest::open(Arc::new(RealDisk), dir).expect("opens")
    }

    fn firsts(manifest: &Manifest) -> Vec<u64> {
        manifest
            .entries()
            .iter()
            .map(|entry| entry.first.0)
            .collect()
    }

    #[test]
    fn entries_survive_reopening() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let (mut manifest, _) = open(dir.path());
        manifest.add(&[entry(1), entry(11)]).expect("adds");
        manifest.add(&[entry(21)]).expect("adds");
        let (manifest, damages) = open(dir.path());
        assert_eq!(manifest.entries(), [entry(1), entry(11), entry(21)]);
        assert!(damages.is_empty());
    }

    #[test]
    fn an_unfinished_record_is_dropped_and_damage_in_the_middle_is_reported() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let (mut manifest, _) = open(dir.path());
        for first in [1, 11, 21] {
            manifest.add(&[entry(first)]).expect("adds");
        }
        let path = names::manifest(dir.path());
        let whole = std::fs::read(&path).expect("reads");
        let record_len = (whole.len() - HEADER_LEN) / 3;
        for cut in 1..record_len {
            std::fs::write(&path, &whole[..whole.len() - cut]).expect("writes");
            let (manifest, damages) = open(dir.path());
            assert_eq!(
                (firsts(&manifest), damages.len()),
                (vec![1, 11], 0),
                "cut {cut}"
            );
        }
        let mut broken = whole;
        broken[HEADER_LEN + record_len + 20] ^= 1;
        std::fs::write(&path, &broken).expect("writes");
        let (manifest, damages) = open(dir.path());
        assert_eq!((firsts(&manifest), damages.len()), (vec![1, 21], 1));
        assert_eq!(damages[0].offset, (HEADER_LEN + record_len) as u64);
    }

    #[test]
    fn a_newer_version_is_refused() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let mut header = encode_header();
        header[4] = 2;
        std::fs::write(names::manifest(dir.path()), header).expect("writes");
        let result = Manifest::open(Arc::new(RealDisk), dir.path());
        assert!(matches!(result, Err(Error::NewerFormat { found: 2, .. })));
    }
}
