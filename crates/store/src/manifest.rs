//! Which segments a logspace has: an append-only log whose last record decides.
//!
//! One record names all segments that one seal or import added, so that they appear together or
//! not at all. A record that is cut off or wrong at the end was never finished; its segments'
//! records are still in the journal. After a failed write the whole manifest is written anew and
//! renamed into place, since a failed sync leaves the old file in an unknown state. FORMAT.md has
//! the bytes.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{LogspaceName, RecordNumber, Timestamp};

use crate::disk::{Disk, DiskFile, OpenMode};
use crate::error::Error;
use crate::gone::{self, Gone};
use crate::inspect::RecordView;
use crate::limits::{
    GONE_MAX, MANIFEST_BYTES_MAX, MANIFEST_RECORD_BYTES_MAX, MANIFEST_STALE_MIN as STALE_MIN,
};
use crate::names;
use crate::notes::StoreId;
use crate::snapshot::Damage;

/// What a file starts with.
pub(crate) const MAGIC: [u8; 4] = *b"LWMA";
/// What files of development versions started with.
const DEVELOPMENT_MAGIC: [u8; 4] = *b"LWMF";
const VERSION: u16 = 1;
const HEADER_LEN: usize = 16;
const RECORD_HEADER_LEN: usize = 8;
const ALIGNMENT: usize = 8;
const KIND_OWNER: u8 = 1;
const KIND_CHANGE: u8 = 2;
const KIND_GONE: u8 = 3;
const GONE_LEN: usize = 32;
/// Bytes of a change before its entries.
const CHANGE_HEADER_LEN: usize = 24;
const ENTRY_LEN: usize = 64;
const REMOVED_LEN: usize = 16;
/// Offset, length and checksum of a segment's footer.
const FINGERPRINTED: usize = 16;
const FLAG_IMPORTED: u16 = 1;
const FLAG_ARCHIVED: u16 = 2;
const FLAG_COMPACTED: u16 = 4;

/// A segment as the manifest knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The number of its first record.
    pub(crate) first: RecordNumber,
    /// How many records it has.
    pub(crate) rows: u32,
    /// Whether its records were imported: their times of receipt are not Logwood's own.
    pub(crate) is_imported: bool,
    /// Whether its file lies in the archive of the logspace.
    pub(crate) is_archived: bool,
    /// Whether it was compacted, or would not get smaller by it.
    pub(crate) is_compacted: bool,
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
    /// How often its records were written anew: 0 as sealed, one more than any of its parts when
    /// merged. Tells it from an older segment with the same first record.
    pub(crate) generation: u16,
    /// What tells its file from any other: see [`fingerprint`]. 0 where the manifest does not say.
    pub(crate) fingerprint: u32,
}

/// The checksum of what the end of a segment's file says of its footer, on whose checksum those of
/// all pages hang. Not of all of the end: with its own checksum it has the same one as any other.
pub(crate) fn fingerprint(file: &dyn DiskFile) -> std::io::Result<u32> {
    let mut end = [0; FINGERPRINTED];
    let offset = file.len()?.saturating_sub(segment::Trailer::LEN as u64);
    file.read_exact_at(&mut end, offset)?;
    Ok(crc32c::crc32c(&end).max(1))
}

/// Whose a manifest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) store: StoreId,
    pub(crate) logspace: LogspaceName,
}

impl Owner {
    /// What is wrong where another one is expected.
    fn differs(&self, expected: &Self) -> Option<String> {
        if self.logspace != expected.logspace {
            return Some(format!("is of the logspace {}", self.logspace));
        }
        let is_same = self.store.agrees(expected.store);
        (!is_same).then(|| format!("is of the store {}, this is {}", self.store, expected.store))
    }
}

/// A manifest as it was at a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    /// The checksum of what it says, however it is written.
    pub(crate) crc: u32,
    /// Records of its segments.
    pub(crate) rows: u64,
}

/// Which file of a logspace a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentId {
    /// The number of its first record.
    pub(crate) first: RecordNumber,
    /// See [`Entry::generation`].
    pub(crate) generation: u16,
}

impl Entry {
    /// Which file it is.
    pub(crate) fn id(&self) -> SegmentId {
        SegmentId {
            first: self.first,
            generation: self.generation,
        }
    }

    /// The numbers of its records.
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.first.0..self.first.0.saturating_add(u64::from(self.rows))
    }

    /// Whether two segments claim the same record.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.first.0 < other.numbers().end && other.first.0 < self.numbers().end
    }
}

/// The manifest of a logspace, open for appending.
pub(crate) struct Manifest {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    contents: Contents,
    /// Entries and removals in the file that say nothing any more.
    stale: usize,
    /// Whether something may be missing in it: its end was torn, or damaged, or there was no file.
    is_cut: bool,
    /// Where the next record goes; `None` when the file must be written anew first.
    open: Option<(Box<dyn DiskFile>, u64)>,
}

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Whose it is, where it says so.
    pub(crate) owner: Option<Owner>,
    /// The segments, in the order they were added.
    pub(crate) entries: Vec<Entry>,
    /// Segments that were removed since the file was last written anew. Their files may still be
    /// there.
    pub(crate) removed: Vec<SegmentId>,
    /// The number behind the last record that was ever in a segment, even where it is gone: a
    /// number is given once.
    pub(crate) next: u64,
    /// The number behind the last record that was ever sealed from a tail. What the journal has of
    /// earlier ones is in a segment, or was deleted.
    pub(crate) sealed: u64,
    /// Records that were in segments and are in none any more, in the order of their numbers.
    pub(crate) gone: Vec<Gone>,
}

impl Default for Contents {
    fn default() -> Self {
        Self {
            owner: None,
            entries: Vec::new(),
            removed: Vec::new(),
            next: 1,
            sealed: 1,
            gone: Vec::new(),
        }
    }
}

/// What a manifest file held.
#[derive(Debug, Default)]
struct Loaded {
    contents: Contents,
    damages: Vec<Damage>,
    /// The whole file, where it has good records only.
    clean: Option<Vec<u8>>,
    /// Where bytes start that are no record, and behind which there is none.
    torn_at: Option<u64>,
    bytes: u64,
    version: u16,
}

/// A manifest as it stands in its file, for whoever wants to look at it.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) version: u16,
    pub(crate) bytes: u64,
    pub(crate) records: Vec<RecordView>,
    pub(crate) contents: Contents,
    pub(crate) damages: Vec<Damage>,
    /// Where a record starts that was never finished, or is damaged.
    pub(crate) torn_at: Option<u64>,
}

impl Survey {
    /// See [`Contents::difference`]; damage says enough where there is some.
    pub(crate) fn difference(&self, path: &Path, left: Left) -> Option<Damage> {
        let difference = self.contents.difference(path, left);
        difference.filter(|_| self.damages.is_empty())
    }
}

impl Manifest {
    /// Opens or creates the manifest of a logspace directory. Damages are what cannot be read, and
    /// what is not as it was left.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        owner: &Owner,
        left: Left,
    ) -> Result<(Self, Vec<Damage>), Error> {
        let path = names::manifest(dir);
        let mut loaded = match load(disk.as_ref(), &path) {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Loaded::default()
            }
            result => result?,
        };
        loaded.check_owner(&path, owner)?;
        let is_expected = left != Left::New || has_days(disk.as_ref(), dir)?;
        loaded.compare(&path, left, is_expected);
        loaded.contents.owner = Some(owner.clone());
        let mut manifest = Self {
            disk,
            path,
            contents: loaded.contents,
            stale: 0,
            is_cut: loaded.torn_at.is_some() || loaded.bytes == 0,
            open: None,
        };
        manifest.open = loaded.clean.and_then(|bytes| manifest.confirm(dir, &bytes));
        if manifest.open.is_none() {
            manifest.rewrite()?;
        }
        Ok((manifest, loaded.damages))
    }

    /// Writes the manifest of a logspace directory in place of the one that is there.
    pub(crate) fn write(disk: Arc<dyn Disk>, dir: &Path, contents: Contents) -> Result<(), Error> {
        let mut manifest = Self {
            disk,
            path: names::manifest(dir),
            contents,
            stale: 0,
            is_cut: false,
            open: None,
        };
        manifest.rewrite()
    }

    /// Makes durable what was read. A process that was killed before its sync returned, or whose
    /// sync failed, leaves records that are in the page cache only, and the journal of what they
    /// name is about to be given back. A sync alone would not do: pages whose sync failed count as
    /// clean. So the same bytes are written again in their place. `None` where the disk refuses.
    fn confirm(&self, dir: &Path, bytes: &[u8]) -> Option<(Box<dyn DiskFile>, u64)> {
        let file = self.disk.open(&self.path, OpenMode::ReadWrite).ok()?;
        file.write_all_at(bytes, 0).ok()?;
        file.sync().ok()?;
        self.disk.sync_dir(dir).ok()?;
        Some((file, bytes.len() as u64))
    }

    /// Reads the manifest of a logspace directory without touching it, and compares it with how it
    /// was left.
    pub(crate) fn read_left(
        disk: &dyn Disk,
        dir: &Path,
        owner: &Owner,
        left: Left,
    ) -> Result<(Contents, Vec<Damage>), Error> {
        let path = names::manifest(dir);
        let mut loaded = load_or_new(disk, dir)?;
        loaded.check_owner(&path, owner)?;
        loaded.compare(&path, left, left != Left::New);
        Ok(loaded.into_contents(&path))
    }

    /// Reads the manifest of a logspace directory without touching it.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<(Contents, Vec<Damage>), Error> {
        Ok(load_or_new(disk, dir)?.into_contents(&names::manifest(dir)))
    }

    /// Reads a manifest's file record by record without touching it.
    pub(crate) fn survey(disk: &dyn Disk, path: &Path) -> Result<Survey, Error> {
        let mut records = Vec::new();
        let loaded = load_with(disk, path, &mut |offset, record| {
            records.push(RecordView {
                offset: offset as u64,
                added: record.added.len(),
                removed: record.removed.len(),
                next: record.marks.next,
                sealed: record.marks.sealed,
            });
        })?;
        Ok(Survey {
            version: loaded.version,
            bytes: loaded.bytes,
            records,
            contents: loaded.contents,
            damages: loaded.damages,
            torn_at: loaded.torn_at,
        })
    }

    /// Whether its last record may be missing. It may have been torn, or have been whole once and
    /// be damaged; nothing tells.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// How it stands now; `None` where the disk has refused the last change.
    pub(crate) fn stand(&self) -> Option<Stand> {
        self.open.as_ref().map(|_| self.contents.stand())
    }

    /// What it says.
    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Removes segments and adds others in their place, all or nothing, durably. May be repeated
    /// after an error.
    pub(crate) fn change(&mut self, added: &[Entry], removed: &[SegmentId]) -> Result<(), Error> {
        if self.stale > STALE_MIN && self.stale > 2 * self.contents.entries.len() {
            self.open = None;
        }
        let Some((file, offset)) = &mut self.open else {
            let before = self.contents.clone();
            self.contents.apply(added, removed);
            let result = self.rewrite();
            if result.is_err() {
                self.contents = before;
            }
            return result;
        };
        let marks = self.contents.marks();
        let record = encode_record(added, removed, marks, *offset);
        let result = file
            .write_all_at(&record, *offset)
            .and_then(|()| file.sync());
        if let Err(error) = result {
            self.open = None;
            return Err(Error::io("write", self.path.as_path())(error));
        }
        *offset += record.len() as u64;
        self.contents.apply(added, removed);
        self.stale += 2 * removed.len();
        Ok(())
    }

    /// Sees to it that the file says what is known of it, and no more: a change that failed may stand in it.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        match self.open {
            Some(_) => Ok(()),
            None => self.rewrite(),
        }
    }

    /// Writes a new file with all entries and puts it in place of the old one.
    fn rewrite(&mut self) -> Result<(), Error> {
        self.open = None;
        let temporary = self
            .path
            .with_extension(names::TEMPORARY_SUFFIX.trim_start_matches('.'));
        let mut bytes = encode_header(VERSION).to_vec();
        if let Some(owner) = &self.contents.owner {
            let record = encode_owner(owner, bytes.len() as u64);
            bytes.extend_from_slice(&record);
        }
        if !self.contents.gone.is_empty() {
            let record = encode_gone(&self.contents.gone, bytes.len() as u64);
            bytes.extend_from_slice(&record);
        }
        // Only files that are still there matter; those of removed segments are gone by now, or
        // are set aside at the next start.
        // A record has a limit; many entries take many records.
        let marks = self.contents.marks();
        let mut chunks: Vec<&[Entry]> = self
            .contents
            .entries
            .chunks(MANIFEST_RECORD_BYTES_MAX / ENTRY_LEN / 2)
            .collect();
        if chunks.is_empty() && marks.next > 1 {
            // Without segments a record still says which number comes next.
            chunks.push(&[]);
        }
        for chunk in chunks {
            let record = encode_record(chunk, &[], marks, bytes.len() as u64);
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
        self.contents.removed.clear();
        self.stale = 0;
        Ok(())
    }
}

/// Whether there is any directory that may hold segments.
fn has_days(disk: &dyn Disk, dir: &Path) -> Result<bool, Error> {
    match disk.list(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        result => {
            let entries = result.map_err(Error::io("list", dir))?;
            Ok(entries.iter().any(|entry| entry.is_dir))
        }
    }
}

/// Loads the manifest of a logspace directory; one that was never made is empty.
fn load_or_new(disk: &dyn Disk, dir: &Path) -> Result<Loaded, Error> {
    match load(disk, &names::manifest(dir)) {
        // A crash between making the directory and its manifest; days mean that it was lost.
        Err(Error::Io { source, .. })
            if source.kind() == std::io::ErrorKind::NotFound && !has_days(disk, dir)? =>
        {
            Ok(Loaded::default())
        }
        result => result,
    }
}

impl Loaded {
    /// Refuses a file of another version; notes where it has no header.
    fn check_header(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        match bytes.get(..HEADER_LEN) {
            Some(header) if header == encode_header(VERSION) => {}
            Some(header) if header.starts_with(&DEVELOPMENT_MAGIC) => {
                return Err(Error::development_format(path));
            }
            // Every version keeps to the place of the checksum; otherwise a bit has flipped.
            Some(header)
                if header.starts_with(&MAGIC)
                    && word(header, HEADER_LEN - 4)
                        == crc32c::crc32c(header.get(..12).unwrap_or(&[])) =>
            {
                return Err(Error::other_format(path, version(header), VERSION));
            }
            _ => self
                .damages
                .push(Damage::new(path, 0, "the header is wrong")),
        }
        Ok(())
    }

    /// Refuses the manifest of somebody else: to take its segments for ours would be worse than not
    /// to start.
    fn check_owner(&self, path: &Path, expected: &Owner) -> Result<(), Error> {
        match self.contents.differs_from(expected) {
            Some(whose) => Err(Error::Foreign {
                path: path.to_owned(),
                whose,
            }),
            None => Ok(()),
        }
    }

    /// Notes where it is not as it was left.
    fn compare(&mut self, path: &Path, left: Left, is_expected: bool) {
        let damage = match self.bytes {
            0 if is_expected => {
                let what = "the manifest is gone, and is made again of the segments that are there";
                Some(Damage::new(path, 0, what))
            }
            _ => self.contents.difference(path, left),
        };
        if self.damages.is_empty() {
            self.damages.extend(damage);
        }
    }

    fn into_contents(mut self, path: &Path) -> (Contents, Vec<Damage>) {
        if let Some(offset) = self.torn_at {
            let what = "the last record was not finished, or is damaged";
            self.damages.push(Damage::new(path, offset, what));
        }
        (self.contents, self.damages)
    }
}

/// What is known of a manifest from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: it may be new.
    New,
    /// It was there.
    Known,
    /// How it was when the store was stopped.
    Stopped(Stand),
}

fn load(disk: &dyn Disk, path: &Path) -> Result<Loaded, Error> {
    load_with(disk, path, &mut |_, _| {})
}

/// Reads a manifest and shows each record with its offset to `visit`.
fn load_with(
    disk: &dyn Disk,
    path: &Path,
    visit: &mut dyn FnMut(usize, &Record),
) -> Result<Loaded, Error> {
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
    let mut loaded = Loaded {
        bytes: len,
        version: bytes.get(..HEADER_LEN).map_or(0, version),
        ..Loaded::default()
    };
    loaded.check_header(path, &bytes)?;
    let mut offset = HEADER_LEN;
    while offset < bytes.len() {
        let next = match decode_record(&bytes, offset) {
            Ok(record) => {
                visit(offset, &record);
                if let Some(owner) = record.owner {
                    loaded.contents.owner.get_or_insert(owner);
                }
                if !record.gone.is_empty() {
                    loaded.contents.gone.clone_from(&record.gone);
                }
                loaded.contents.pass(record.marks);
                loaded.contents.apply(&record.added, &record.removed);
                Some(offset + record.len)
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
        let Some(next) = next else {
            loaded.torn_at = Some(offset as u64);
            return Ok(loaded);
        };
        offset = next;
    }
    if loaded.contents.owner.is_none() && loaded.damages.is_empty() && len > 0 {
        // It is the first record, and stands there from the beginning.
        let what = "it does not say whose it is";
        loaded
            .damages
            .push(Damage::new(path, HEADER_LEN as u64, what));
    }
    if loaded.damages.is_empty() {
        loaded.clean = Some(bytes);
    }
    Ok(loaded)
}

impl Contents {
    /// Removes segments, then adds others. One with the number of an older one replaces it: a
    /// damaged segment was built anew from the journal.
    fn apply(&mut self, added: &[Entry], removed: &[SegmentId]) {
        let is_replaced = |entry: &Entry| {
            removed.contains(&entry.id()) || added.iter().any(|new| new.first == entry.first)
        };
        let replaced: Vec<Entry> = self.entries.iter().copied().filter(is_replaced).collect();
        gone::note(&mut self.gone, &replaced, added);
        self.entries.retain(|entry| !is_replaced(entry));
        self.entries.extend_from_slice(added);
        self.removed.extend_from_slice(removed);
        self.removed
            .retain(|id| !added.iter().any(|new| new.id() == *id));
        for entry in added {
            let end = entry.first.0.saturating_add(u64::from(entry.rows));
            self.pass(Marks {
                next: end,
                sealed: if entry.is_imported { 0 } else { end },
            });
        }
    }

    /// Records of the segments.
    pub(crate) fn rows(&self) -> u64 {
        self.entries.iter().map(|entry| u64::from(entry.rows)).sum()
    }

    /// Whose it is, where it is not of whom is expected.
    pub(crate) fn differs_from(&self, expected: &Owner) -> Option<String> {
        self.owner.as_ref()?.differs(expected)
    }

    /// Where it does not say what it said when the store was stopped.
    fn difference(&self, path: &Path, left: Left) -> Option<Damage> {
        let what = "the manifest is not the one that was there when the store was stopped";
        match left {
            Left::Stopped(stand) if stand != self.stand() => Some(Damage::new(path, 0, what)),
            _ => None,
        }
    }

    /// What can be compared with what it says at another time.
    fn stand(&self) -> Stand {
        let mut entries = self.entries.clone();
        entries.sort_by_key(Entry::id);
        Stand {
            crc: crc32c::crc32c(&encode_record(&entries, &[], self.marks(), 0)),
            rows: self.rows(),
        }
    }

    fn marks(&self) -> Marks {
        Marks {
            next: self.next,
            sealed: self.sealed,
        }
    }

    fn pass(&mut self, marks: Marks) {
        self.next = self.next.max(marks.next);
        self.sealed = self.sealed.max(marks.sealed);
    }
}

/// Numbers that outlive the segments which brought them: see [`Contents`].
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    next: u64,
    sealed: u64,
}

fn version(header: &[u8]) -> u16 {
    half(header, 4)
}

fn encode_header(version: u16) -> [u8; HEADER_LEN] {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.resize(HEADER_LEN - 4, 0);
    let crc = crc32c::crc32c(&bytes);
    bytes.extend_from_slice(&crc.to_le_bytes());
    let mut header = [0; HEADER_LEN];
    header.copy_from_slice(&bytes);
    header
}

/// Length and checksum, bound to the offset, then the kind, the marks before this record, the
/// entries and what is removed, padded.
fn encode_record(added: &[Entry], removed: &[SegmentId], marks: Marks, offset: u64) -> Vec<u8> {
    let mut payload = vec![KIND_CHANGE, 0, 0, 0];
    payload.extend_from_slice(&u32::try_from(added.len()).unwrap_or(0).to_le_bytes());
    payload.extend_from_slice(&marks.next.to_le_bytes());
    payload.extend_from_slice(&marks.sealed.to_le_bytes());
    for entry in added {
        payload.extend_from_slice(&entry.first.0.to_le_bytes());
        payload.extend_from_slice(&entry.rows.to_le_bytes());
        payload.extend_from_slice(&flags(entry).to_le_bytes());
        payload.extend_from_slice(&entry.generation.to_le_bytes());
        payload.extend_from_slice(&entry.day.to_le_bytes());
        payload.extend_from_slice(&entry.file_bytes.to_le_bytes());
        payload.extend_from_slice(&entry.first_received.nanos().to_le_bytes());
        payload.extend_from_slice(&entry.last_received.nanos().to_le_bytes());
        payload.extend_from_slice(&entry.raw_bytes.to_le_bytes());
        payload.extend_from_slice(&entry.fingerprint.to_le_bytes());
        payload.extend_from_slice(&[0; 4]);
    }
    for id in removed {
        payload.extend_from_slice(&id.first.0.to_le_bytes());
        payload.extend_from_slice(&u64::from(id.generation).to_le_bytes());
    }
    frame(&payload, offset)
}

/// The record that says whose a manifest is: the kind, the store, the name of the logspace.
fn encode_owner(owner: &Owner, offset: u64) -> Vec<u8> {
    let mut payload = vec![KIND_OWNER, 0, 0, 0, 0, 0, 0, 0];
    payload.extend_from_slice(&owner.store.0.to_le_bytes());
    payload.extend_from_slice(owner.logspace.as_str().as_bytes());
    frame(&payload, offset)
}

/// The record that says which records are gone: the kind, then a stretch of numbers after the other.
fn encode_gone(gone: &[Gone], offset: u64) -> Vec<u8> {
    let mut payload = vec![KIND_GONE, 0, 0, 0, 0, 0, 0, 0];
    for stretch in gone {
        let Range { start, end } = stretch.numbers;
        for number in [start, end, stretch.records, u64::from(stretch.is_damage)] {
            payload.extend_from_slice(&number.to_le_bytes());
        }
    }
    frame(&payload, offset)
}

fn decode_gone(payload: &[u8]) -> Result<Vec<Gone>, &'static str> {
    let stretches = payload.get(8..).unwrap_or_default().chunks_exact(GONE_LEN);
    if !stretches.remainder().is_empty() || stretches.len() > GONE_MAX {
        return Err("the record does not have the length of its stretches");
    }
    let gone: Vec<Gone> = stretches
        .map(|bytes| Gone {
            numbers: long(bytes, 0)..long(bytes, 8),
            records: long(bytes, 16),
            is_damage: long(bytes, 24) != 0,
        })
        .collect();
    let is_stretch = |gone: &Gone| gone.numbers.start < gone.numbers.end;
    let in_order = gone.is_sorted_by(|one, next| one.numbers.end <= next.numbers.start);
    match in_order && gone.iter().all(is_stretch) {
        true => Ok(gone),
        false => Err("the stretches of the record are not in order"),
    }
}

/// A payload as a record.
fn frame(payload: &[u8], offset: u64) -> Vec<u8> {
    let mut record = u32::try_from(payload.len())
        .unwrap_or(0)
        .to_le_bytes()
        .to_vec();
    let crc = crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), payload);
    record.extend_from_slice(&crc.to_le_bytes());
    record.extend_from_slice(payload);
    record.resize(record.len().next_multiple_of(ALIGNMENT), 0);
    record
}

fn flags(entry: &Entry) -> u16 {
    let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
    flag(entry.is_imported, FLAG_IMPORTED)
        | flag(entry.is_archived, FLAG_ARCHIVED)
        | flag(entry.is_compacted, FLAG_COMPACTED)
}

/// A record of the file.
#[derive(Default)]
struct Record {
    owner: Option<Owner>,
    added: Vec<Entry>,
    removed: Vec<SegmentId>,
    marks: Marks,
    gone: Vec<Gone>,
    /// The bytes it takes.
    len: usize,
}

/// The record at an offset.
fn decode_record(bytes: &[u8], offset: usize) -> Result<Record, &'static str> {
    let len = word(bytes, offset) as usize;
    if !(8..=MANIFEST_RECORD_BYTES_MAX).contains(&len) {
        return Err("the length of the record is wrong");
    }
    let start = offset + RECORD_HEADER_LEN;
    let payload = bytes
        .get(start..start + len)
        .ok_or("the record is cut off")?;
    let crc = crc32c::crc32c_append(crc32c::crc32c(&(offset as u64).to_le_bytes()), payload);
    if crc != word(bytes, offset + 4) {
        return Err("the checksum of the record is wrong");
    }
    let record_len = (RECORD_HEADER_LEN + len).next_multiple_of(ALIGNMENT);
    match payload.first() {
        Some(&KIND_CHANGE) => {}
        Some(&KIND_OWNER) => {
            return Ok(Record {
                owner: Some(decode_owner(payload)?),
                len: record_len,
                ..Record::default()
            });
        }
        Some(&KIND_GONE) => {
            return Ok(Record {
                gone: decode_gone(payload)?,
                len: record_len,
                ..Record::default()
            });
        }
        _ => return Err("the record is of an unknown kind"),
    }
    let marks = Marks {
        next: long(payload, 8),
        sealed: long(payload, 16),
    };
    let added_len = word(payload, 4) as usize * ENTRY_LEN;
    let (added, removed) = payload
        .get(CHANGE_HEADER_LEN..)
        .and_then(|rest| rest.split_at_checked(added_len))
        .filter(|(_, removed)| removed.len().is_multiple_of(REMOVED_LEN))
        .ok_or("the record does not have the length of its entries")?;
    Ok(Record {
        owner: None,
        added: added.chunks_exact(ENTRY_LEN).map(decode_entry).collect(),
        removed: removed
            .chunks_exact(REMOVED_LEN)
            .map(|bytes| SegmentId {
                first: RecordNumber(long(bytes, 0)),
                generation: half(bytes, 8),
            })
            .collect(),
        marks,
        gone: Vec::new(),
        len: record_len,
    })
}

fn decode_owner(payload: &[u8]) -> Result<Owner, &'static str> {
    let store = array(payload, 8).map_or(0, u128::from_le_bytes);
    let name = std::str::from_utf8(payload.get(24..).unwrap_or_default()).ok();
    let name = name.and_then(|name| LogspaceName::parse(name).ok());
    Ok(Owner {
        store: StoreId(store),
        logspace: name.ok_or("the record names no logspace")?,
    })
}

fn decode_entry(bytes: &[u8]) -> Entry {
    let time = |at: usize| Timestamp::from_nanos(long(bytes, at).cast_signed());
    Entry {
        first: RecordNumber(long(bytes, 0)),
        rows: word(bytes, 8),
        is_imported: half(bytes, 12) & FLAG_IMPORTED != 0,
        is_archived: half(bytes, 12) & FLAG_ARCHIVED != 0,
        is_compacted: half(bytes, 12) & FLAG_COMPACTED != 0,
        generation: half(bytes, 14),
        day: long(bytes, 16).cast_signed(),
        file_bytes: long(bytes, 24),
        first_received: time(32),
        last_received: time(40),
        raw_bytes: long(bytes, 48),
        fingerprint: word(bytes, 56),
    }
}

fn long(bytes: &[u8], at: usize) -> u64 {
    array(bytes, at).map_or(0, u64::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    array(bytes, at).map_or(0, u32::from_le_bytes)
}

fn half(bytes: &[u8], at: usize) -> u16 {
    array(bytes, at).map_or(0, u16::from_le_bytes)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..).and_then(<[u8]>::first_chunk::<N>).copied()
}

#[cfg(test)]
mod tests;
