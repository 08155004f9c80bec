//! Reading every byte of a data directory and saying what is wrong with it.
//!
//! Nothing is touched and no lock is taken, so that a directory can be checked while a server works
//! in it. What a server does meanwhile is no damage: a segment that has vanished is looked for in
//! the manifest as it is now, and a journal file in which something is wrong is read once more.

mod documents;
mod journal;
mod logspace;
mod losses;
mod segment;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use model::LogspaceName;

use crate::disk::Disk;
use crate::error::Error;
use crate::inventory::Inventory;
use crate::names;
use crate::snapshot::Damage;
use crate::store::locked;

/// What is checked.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Only this logspace, and the whole journal.
    pub logspace: Option<LogspaceName>,
    /// Whether every page is decoded, and every index made anew from its records and compared.
    pub is_deep: bool,
    /// How many threads read at the same time, at least one.
    pub threads: usize,
}

/// What was read and what was found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Segments among the files.
    pub segments: u64,
    /// Records that the segments hold as their manifests say.
    pub segment_records: u64,
    /// Records in the journal, sealed or not.
    pub journal_records: u64,
    /// What is damaged, by file and offset.
    pub findings: Vec<Finding>,
    /// What is unusual and harmless.
    pub notes: Vec<Damage>,
}

/// Something that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of file it is.
    pub file: FileKind,
    /// The logspace the file belongs to.
    pub logspace: Option<LogspaceName>,
    /// File, offset, and what is wrong.
    pub damage: Damage,
    /// How many records cannot be read; `None` where nothing tells.
    pub records: Option<u64>,
    /// What can be done.
    pub remedy: Remedy,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// What the store has, as a whole.
    Inventory,
    /// A journal file.
    Journal,
    /// A manifest.
    Manifest,
    /// A segment.
    Segment,
    /// A document.
    Document,
}

impl FileKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Journal => "journal",
            Self::Manifest => "manifest",
            Self::Segment => "segment",
            Self::Document => "document",
        }
    }
}

/// What can be done about damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The index can be made anew from the records, which are whole.
    RebuildIndex,
    /// The other records of the segment can be saved.
    Salvage,
    /// The manifest can be written anew from what can be read, and from what segments say.
    RewriteManifest,
    /// The journal still has the records: the server seals them anew.
    FromJournal,
    /// Only a copy of the file helps.
    Restore,
    /// It is in the place of another one.
    PutBack,
    /// Nothing helps but a copy of what is gone; that it is can be accepted.
    Accept,
}

impl Remedy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::RebuildIndex => "rebuild_index",
            Self::Salvage => "salvage",
            Self::RewriteManifest => "rewrite_manifest",
            Self::FromJournal => "from_journal",
            Self::Restore => "restore",
            Self::PutBack => "put_back",
            Self::Accept => "accept",
        }
    }

    /// What to do, in a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::RebuildIndex => {
                "no record is lost; a running server makes the index anew when it meets the damage, `logwood verify --repair` at once"
            }
            Self::Salvage => {
                "put the file back from a backup, or save its other records with `logwood verify --repair`"
            }
            Self::RewriteManifest => {
                "start the server or run `logwood verify --repair`: it is written anew, and segments are taken back into it"
            }
            Self::FromJournal => "start the server: it seals these records anew from the journal",
            Self::Restore => {
                "put the file back from a backup; it cannot be repaired. `logwood verify --accept-loss` goes on without"
            }
            Self::PutBack => "put the file back that was here, or this one where it belongs",
            Self::Accept => {
                "restore a backup, or go on without: `logwood verify --accept-loss` says that you know"
            }
        }
    }

    /// Whether `repair` can do it.
    pub fn is_repairable(self) -> bool {
        matches!(
            self,
            Self::RebuildIndex | Self::Salvage | Self::RewriteManifest
        )
    }
}

/// Reads a data directory. `watch` is called with the bytes read so far and those there are.
///
/// # Errors
/// When it is no data directory, when a file is of a newer format, or when the operating system
/// refuses to list or open something.
pub fn verify(
    disk: &dyn Disk,
    data_dir: &Path,
    options: &VerifyOptions,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<Verified, Error> {
    let is_held = crate::lock::holder(disk, data_dir).is_some();
    verify_held(disk, data_dir, options, is_held, watch)
}

/// Reads a data directory in which a server works or not: what it has under way is no damage.
pub(crate) fn verify_held(
    disk: &dyn Disk,
    data_dir: &Path,
    options: &VerifyOptions,
    is_held: bool,
    watch: &(dyn Fn(u64, u64) + Sync),
) -> Result<Verified, Error> {
    let dir = names::logspaces_dir(data_dir);
    let Ok(listed) = disk.list(&dir) else {
        return Err(Error::NotADataDirectory {
            data_dir: data_dir.to_owned(),
        });
    };
    let check = Check {
        disk,
        data_dir,
        options,
        is_held,
        watch,
        done: AtomicU64::new(0),
        total: AtomicU64::new(0),
        verified: Mutex::default(),
        inventory: Inventory::default(),
    };
    let (inventory, missing) = losses::known(disk, data_dir)?;
    let check = Check { inventory, ..check };
    let directories = listed.iter().filter(|entry| entry.is_dir);
    let mut logspaces: Vec<LogspaceName> = directories
        .filter_map(|entry| LogspaceName::parse(&entry.name).ok())
        .collect();
    // Those whose directories are gone.
    logspaces.extend(check.inventory.logspaces.keys().cloned());
    logspaces.sort();
    logspaces.dedup();
    if let Some(name) = &options.logspace {
        logspaces.retain(|known| known == name);
        if logspaces.is_empty() {
            return Err(Error::UnknownLogspace(name.clone()));
        }
    }
    check.expect_journal()?;
    for name in &logspaces {
        check.expect_logspace(name);
    }
    let (records, coverage) = check.journal()?;
    for name in &logspaces {
        check.logspace(name, &records)?;
    }
    check.documents()?;
    check.losses(&logspaces, coverage, missing);
    let mut verified = std::mem::take(&mut *locked(&check.verified));
    verified
        .findings
        .sort_by(|one, other| place(&one.damage).cmp(&place(&other.damage)));
    verified
        .notes
        .sort_by(|one, other| place(one).cmp(&place(other)));
    Ok(verified)
}

fn place(damage: &Damage) -> (&Path, u64) {
    (&damage.path, damage.offset)
}

/// A check under way.
struct Check<'a> {
    disk: &'a dyn Disk,
    data_dir: &'a Path,
    options: &'a VerifyOptions,
    /// Whether a server works in the directory.
    is_held: bool,
    watch: &'a (dyn Fn(u64, u64) + Sync),
    /// What the store should have.
    inventory: Inventory,
    done: AtomicU64,
    total: AtomicU64,
    verified: Mutex<Verified>,
}

impl Check<'_> {
    /// Notes that there are so many bytes to read.
    fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that bytes have been read.
    fn advance(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        (self.watch)(done, self.total.load(Ordering::Relaxed).max(done));
    }

    /// Counts a file that was read.
    fn count_file(&self, bytes: u64) {
        let mut verified = locked(&self.verified);
        verified.files += 1;
        verified.bytes += bytes;
    }

    fn note(&self, damage: Damage) {
        locked(&self.verified).notes.push(damage);
    }

    fn find(&self, finding: Finding) {
        locked(&self.verified).findings.push(finding);
    }

    /// Does something with every item, on several threads; the first error ends it.
    fn each<T: Sync>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.options.threads.clamp(1, items.len().max(1)) {
                scope.spawn(|| {
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = work(item) {
                            next.store(items.len(), Ordering::Relaxed);
                            locked(&failure).get_or_insert(error);
                        }
                    }
                });
            }
        });
        match locked(&failure).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Whether an error says that a file is not there.
fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
}
