//! Checking the journal, and what it still has.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use model::LogspaceName;

use super::{Check, FileKind, Finding, Remedy, is_missing};
use crate::disk::OpenMode;
use crate::error::Error;
use crate::inventory::Coverage;
use crate::journal::{self, Block, FileHeader, FileScan, InGroup};
use crate::limits::VERIFY_READ_BYTES;
use crate::losses;
use crate::manifest::Manifest;
use crate::names;
use crate::snapshot::Damage;

/// Which records the journal has, by logspace, in order.
pub(super) type JournalRecords = BTreeMap<LogspaceName, Vec<Range<u64>>>;

/// Between which numbers records of which logspaces are.
type Ranges = Vec<(LogspaceName, Range<u64>)>;

/// What blocks say of the records before them, by logspace.
type Coverages = BTreeMap<LogspaceName, Coverage>;

/// What is kept of a block.
struct Seen {
    offset: u64,
    group_start: u64,
    goes_on: bool,
    before: u64,
    logspace: LogspaceName,
    numbers: Range<u64>,
}

impl InGroup for Seen {
    fn group_start(&self) -> u64 {
        self.group_start
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }
}

fn see(offset: u64, block: Block) -> Seen {
    Seen {
        offset,
        group_start: block.group_start,
        goes_on: block.goes_on,
        before: block.before,
        numbers: block.numbers(),
        logspace: block.logspace,
    }
}

/// Whether the journal has all of these records.
pub(super) fn holds(
    records: &JournalRecords,
    logspace: &LogspaceName,
    numbers: &Range<u64>,
) -> bool {
    let mut next = numbers.start;
    for range in records.get(logspace).into_iter().flatten() {
        if range.contains(&next) {
            next = range.end;
        }
    }
    next >= numbers.end
}

impl Check<'_> {
    /// Counts the bytes of the journal.
    pub(super) fn expect_journal(&self) -> Result<(), Error> {
        for (path, _) in self.journal_files()? {
            let file = self.disk.open(&path, OpenMode::Read);
            self.expect(file.and_then(|file| file.len()).unwrap_or(0));
        }
        Ok(())
    }

    /// Reads all files of the journal.
    pub(super) fn journal(&self) -> Result<(JournalRecords, Coverages), Error> {
        let files = self.journal_files()?;
        let dir = names::journal_dir(self.data_dir);
        let listed = self.disk.list(&dir).unwrap_or_default();
        let known_ends = journal::known_ends(self.disk, &dir, &listed);
        let mut records = (JournalRecords::new(), Coverages::new());
        let seen = std::sync::Mutex::new(&mut records);
        self.each(&files, |(path, id)| {
            let result = match id {
                Some(id) => self.journal_file(path, *id, known_ends.get(id).copied(), &seen),
                None => self.read_through(path),
            };
            match result {
                // It was recycled or removed in the meantime.
                Err(error) if is_missing(&error) => Ok(()),
                result => result,
            }
        })?;
        for ranges in records.0.values_mut() {
            ranges.sort_by_key(|range| range.start);
        }
        Ok(records)
    }

    /// The files of the journal, with the number of those in use.
    fn journal_files(&self) -> Result<Vec<(PathBuf, Option<u64>)>, Error> {
        let dir = names::journal_dir(self.data_dir);
        let listed = match self.disk.list(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            result => result.map_err(Error::io("list", dir.as_path()))?,
        };
        let ids = |name: &str| match names::journal_id(name, names::JOURNAL_SUFFIX) {
            Some(id) => Some(Some(id)),
            None => names::journal_id(name, names::FREE_SUFFIX).map(|_| None),
        };
        Ok(listed
            .iter()
            .filter_map(|entry| Some((dir.join(&entry.name), ids(&entry.name)?)))
            .collect())
    }

    /// Reads a file that holds nothing, so that the disk shows whether it can be read.
    fn read_through(&self, path: &Path) -> Result<(), Error> {
        let file = self
            .disk
            .open(path, OpenMode::Read)
            .map_err(Error::io("open", path))?;
        let bytes = file.len().map_err(Error::io("read", path))?;
        let mut buffer = vec![0; VERIFY_READ_BYTES];
        let mut offset = 0;
        while offset < bytes {
            let len = VERIFY_READ_BYTES.min(usize::try_from(bytes - offset).unwrap_or(usize::MAX));
            let part = buffer.get_mut(..len).unwrap_or(&mut []);
            if let Err(error) = file.read_exact_at(part, offset) {
                let what = format!("it cannot be read: {error}; nothing is in it");
                self.note(Damage::new(path, offset, what));
            }
            offset += len as u64;
            self.advance(len as u64);
        }
        self.count_file(bytes);
        Ok(())
    }

    fn journal_file(
        &self,
        path: &Path,
        id: u64,
        known_end: Option<u64>,
        seen: &std::sync::Mutex<&mut (JournalRecords, Coverages)>,
    ) -> Result<(), Error> {
        let scan = || journal::scan_with(self.disk, path, id, known_end, see);
        let mut scanned = scan()?;
        if !scanned.damages.is_empty() {
            // A commit may have been written while the file was read.
            scanned = scan()?;
        }
        if scanned.header == FileHeader::Unreadable && !scanned.blocks.is_empty() {
            let what = "the header is damaged; the number in the name is used, nothing is lost";
            self.note(Damage::new(path, 0, what));
        }
        if scanned.torn_bytes + scanned.torn_blocks > 0 && !self.is_held {
            let what = format!(
                "{} bytes of a commit that did not finish, and {} blocks before; it was never \
                 acknowledged",
                scanned.torn_bytes, scanned.torn_blocks
            );
            let end = scanned.blocks.last().map_or(0, |block| block.offset);
            self.note(Damage::new(path, end, what));
        }
        if self.is_foreign(path, &scanned.header) {
            return Ok(());
        }
        self.find_damages(&scanned, id, seen);
        let mut own = Coverages::new();
        let mut records = 0;
        for block in &scanned.blocks {
            records += block.numbers.end - block.numbers.start;
            let coverage = own.entry(block.logspace.clone()).or_default();
            coverage.pass(block.before, block.numbers.clone());
        }
        let mut seen = crate::store::locked(seen);
        for block in scanned.blocks {
            seen.0
                .entry(block.logspace)
                .or_default()
                .push(block.numbers);
        }
        for (name, coverage) in own {
            seen.1.entry(name).or_default().join(coverage);
        }
        drop(seen);
        crate::store::locked(&self.verified).journal_records += records;
        self.count_file(scanned.bytes);
        self.advance(scanned.bytes);
        Ok(())
    }

    /// Finds that a file is of another store.
    fn is_foreign(&self, path: &Path, header: &FileHeader) -> bool {
        let checked = losses::check_journal_owner(path, header, self.inventory.store);
        let Err(Error::Foreign { path, whose }) = checked else {
            return false;
        };
        self.find(Finding {
            file: FileKind::Journal,
            logspace: None,
            damage: Damage::new(&path, 0, whose),
            records: None,
            remedy: Remedy::PutBack,
        });
        true
    }

    /// Finds what is damaged in a file, but for what somebody has accepted.
    fn find_damages(
        &self,
        scanned: &FileScan<Seen>,
        id: u64,
        seen: &std::sync::Mutex<&mut (JournalRecords, Coverages)>,
    ) {
        for damage in &scanned.damages {
            if self.is_accepted(damage) {
                self.note(damage.clone());
                continue;
            }
            let (logspace, records, lost) = self.lost(damage, id, scanned);
            for (name, numbers) in lost {
                // They are told of here.
                let mut seen = crate::store::locked(seen);
                seen.1.entry(name).or_default().know(numbers);
            }
            self.find(Finding {
                file: FileKind::Journal,
                logspace,
                damage: damage.clone(),
                records,
                remedy: Remedy::Restore,
            });
        }
    }

    /// How many records a damaged place held that nothing else has: as its header says, or as the
    /// numbers of the blocks around it. And between which numbers they were, where that is known.
    fn lost(
        &self,
        damage: &Damage,
        id: u64,
        scanned: &FileScan<Seen>,
    ) -> (Option<LogspaceName>, Option<u64>, Ranges) {
        if let Some((logspace, first, rows)) = self.announced(damage, id) {
            let numbers = first.0..first.0.saturating_add(rows);
            let lost = self.unsealed(&logspace, &numbers);
            let ranges = vec![(logspace.clone(), numbers)];
            return (Some(logspace), Some(lost), ranges);
        }
        let mut gaps: BTreeMap<&LogspaceName, (Option<u64>, Option<u64>)> = BTreeMap::new();
        for block in &scanned.blocks {
            let (before, behind) = gaps.entry(&block.logspace).or_default();
            if block.offset < damage.offset {
                *before = Some(block.numbers.end);
            } else if behind.is_none() {
                *behind = Some(block.numbers.start);
            }
        }
        let (mut lost, mut ranges) = (None, Vec::new());
        for (logspace, gap) in gaps {
            if let (Some(before), Some(behind)) = gap
                && before < behind
            {
                let unsealed = self.unsealed(logspace, &(before..behind));
                lost = Some(lost.unwrap_or(0) + unsealed);
                ranges.push((logspace.clone(), before..behind));
            }
        }
        (None, lost, ranges)
    }

    fn announced(
        &self,
        damage: &Damage,
        id: u64,
    ) -> Option<(LogspaceName, model::RecordNumber, u64)> {
        let file = self.disk.open(&damage.path, OpenMode::Read).ok()?;
        let rest = file.len().ok()?.saturating_sub(damage.offset);
        let mut bytes = vec![0; VERIFY_READ_BYTES.min(usize::try_from(rest).ok()?)];
        file.read_exact_at(&mut bytes, damage.offset).ok()?;
        journal::announced(&bytes, id, damage.offset)
    }

    /// How many of these records were not sealed yet.
    fn unsealed(&self, logspace: &LogspaceName, numbers: &Range<u64>) -> u64 {
        let dir = names::logspace_dir(self.data_dir, logspace);
        let sealed = Manifest::read(self.disk, &dir).map_or(1, |(contents, _)| contents.sealed);
        numbers.end.saturating_sub(numbers.start.max(sealed))
    }
}
