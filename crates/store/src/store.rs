//! The front door: opening, appending, importing, reading, closing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;

use model::{LogspaceName, RecordBatch};

use crate::archive::Archive;
use crate::backup::{self, Backup};
use crate::builders::Builders;
use crate::clock::Clock;
use crate::committer;
use crate::disk::Disk;
use crate::documents::Documents;
use crate::durability::Durability;
use crate::error::Error;
use crate::import::{self, Import};
use crate::inventory::{Inventory, Loss, OpenJournal, Reach};
use crate::journal::{JournalFile, JournalWriter};
use crate::limits::{NOTE_RETRY_COMMITS, NUMBERS_AHEAD};
use crate::lock::{self, Lock, LockHolder};
use crate::logspace::Logspace;
use crate::losses;
use crate::manifest::Left;
use crate::memory::{Shares, TailMemory};
use crate::names;
use crate::notes;
use crate::open_files::OpenFiles;
use crate::openings::open_each;
use crate::options::Options;
use crate::queue::{AppendError, OnDurable, Pending, Queue};
use crate::recovery::{self, Opening};
use crate::retention::Retention;
use crate::room::{self, Room};
use crate::segment_handle::{PageCache, page_cache};
use crate::snapshot::{Damage, Snapshot};
use crate::status::{State, Status};
use crate::subscription::{Listeners, Subscription};
use crate::threads;
use crate::worker::Worker;

/// A data directory, open.
///
/// Dropping it closes it: what was handed over is made durable first.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    lock: Option<Lock>,
}

/// What the threads of a store share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) cache: Arc<PageCache>,
    pub(crate) tails: TailMemory,
    pub(crate) queue: Queue,
    pub(crate) sealer: Worker,
    pub(crate) builders: Builders,
    pub(crate) memory_builder: Worker,
    pub(crate) housekeeper: Worker,
    pub(crate) compactor: Worker,
    pub(crate) writer: Mutex<JournalWriter>,
    /// Size of the journal file being written. The writer is locked for as long as the disk takes,
    /// and nobody who asks for the status should wait for that.
    open_journal_bytes: AtomicU64,
    unsynced_bytes: AtomicU64,
    /// Closed journal files that hold unsealed records, the oldest first.
    pub(crate) journal_files: Mutex<Vec<JournalFile>>,
    logspaces: RwLock<BTreeMap<LogspaceName, Arc<Logspace>>>,
    listeners: Listeners,
    pub(crate) state: Mutex<State>,
    pub(crate) room: Mutex<Room>,
    /// What the store has. Locked before the logspaces.
    pub(crate) inventory: Mutex<Inventory>,
    /// Locked before the inventory.
    pub(crate) documents: Mutex<Documents>,
    /// The journal file that the inventory on disk names; 0 for none.
    noted_journal: AtomicU64,
    /// Whether everything is durable and nothing comes any more.
    pub(crate) is_settled: AtomicBool,
    commits: AtomicU64,
    commit_nanos: AtomicU64,
    is_read_only: bool,
}

impl Store {
    /// Opens a data directory for receiving and reading, creating it where it is not there, and
    /// recovers whatever a stop or a crash left behind.
    ///
    /// # Errors
    /// When another process has it open, when a file is of a newer format, or when the operating
    /// system refuses. Damage is no error: it is reported by [`Store::status`].
    pub fn open(
        options: Options,
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let data_dir = options.data_dir.as_path();
        for dir in [names::journal_dir(data_dir), names::logspaces_dir(data_dir)] {
            disk.create_dir_all(&dir)
                .map_err(Error::io("create", dir.as_path()))?;
        }
        let lock = Lock::take(disk.as_ref(), data_dir)?;
        check_finished(disk.as_ref(), data_dir)?;
        // From now on it has records that no backup has, so none may be written over it.
        notes::remove(disk.as_ref(), &names::backup_note(data_dir))?;
        let shared = Arc::new(Shared::recover(options, disk, clock, false)?);
        committer::settle(&shared);
        let threads = threads::start(&shared)?;
        // A crash may have left more in the journal than a tail should hold.
        shared.sealer.wake();
        shared.housekeeper.wake();
        Ok(Self {
            shared,
            threads: Mutex::new(threads),
            lock: Some(lock),
        })
    }

    /// Opens a data directory for reading only; nothing on disk is touched and no lock is taken.
    ///
    /// # Errors
    /// When it is no data directory, or as for [`Store::open`].
    pub fn open_read_only(
        options: Options,
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        if disk.list(&names::logspaces_dir(&options.data_dir)).is_err() {
            return Err(Error::NotADataDirectory {
                data_dir: options.data_dir,
            });
        }
        check_finished(disk.as_ref(), &options.data_dir)?;
        let shared = Arc::new(Shared::recover(options, disk, clock, true)?);
        shared.queue.close();
        shared.builders.close();
        Ok(Self {
            shared,
            threads: Mutex::new(Vec::new()),
            lock: None,
        })
    }

    /// Who has a data directory open; `None` where nobody does.
    pub fn holder(disk: &dyn Disk, data_dir: &Path) -> Option<LockHolder> {
        lock::holder(disk, data_dir)
    }

    /// Tells those who find the data directory locked where this process answers.
    ///
    /// # Errors
    /// When the lock file cannot be written.
    pub fn announce_http(&self, address: &str) -> Result<(), Error> {
        self.lock
            .as_ref()
            .map_or(Ok(()), |lock| lock.describe(Some(address)))
    }

    /// Creates a logspace where it does not exist yet.
    ///
    /// # Errors
    /// When its directory or manifest cannot be written.
    pub fn create_logspace(&self, name: &LogspaceName) -> Result<(), Error> {
        self.create_logspaces(std::slice::from_ref(name))
    }

    /// Creates several logspaces together, those that are not there.
    ///
    /// # Errors
    /// As for [`Store::create_logspace`]; none counts then, whatever was made of them on disk.
    pub fn create_logspaces(&self, names: &[LogspaceName]) -> Result<(), Error> {
        let shared = &self.shared;
        let mut inventory = locked(&shared.inventory);
        let mut logspaces = shared
            .logspaces
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let new = names.iter().filter(|name| !logspaces.contains_key(*name));
        let new: BTreeSet<LogspaceName> = new.cloned().collect();
        let new: Vec<LogspaceName> = new.into_iter().collect();
        if new.is_empty() {
            return Ok(());
        }
        let opening = Opening {
            disk: &shared.disk,
            data_dir: &shared.options.data_dir,
            cache: &shared.cache,
            is_read_only: false,
            store: inventory.store,
        };
        let made = open_each(&new, |name| {
            recovery::open_logspace(&opening, name, Left::New)
        })?;
        let made = made.into_iter().map(|opened| Arc::new(opened.logspace));
        let made: BTreeMap<_, _> = new.into_iter().zip(made).collect();
        // Before they get a record, so that they are missed when they are gone.
        let reaches = losses::reaches(made.values(), false);
        inventory.logspaces.extend(reaches);
        inventory.write(shared.disk.as_ref(), &shared.options.data_dir)?;
        logspaces.extend(made);
        Ok(())
    }

    /// How its memory is shared out.
    pub fn shares(&self) -> Shares {
        self.shared.options.shares()
    }

    /// Sets how much of a logspace is kept. What is too much goes soon after.
    ///
    /// # Errors
    /// When there is no such logspace.
    pub fn set_retention(&self, logspace: &LogspaceName, kept: Retention) -> Result<(), Error> {
        let unknown = || Error::UnknownLogspace(logspace.clone());
        self.shared
            .logspace(logspace)
            .ok_or_else(unknown)?
            .set_retention(kept);
        self.shared.housekeeper.wake();
        Ok(())
    }

    /// Sets which segments of a logspace go to an archive. What is due goes soon after.
    ///
    /// # Errors
    /// When there is no such logspace.
    pub fn set_archive(&self, logspace: &LogspaceName, to: Option<Archive>) -> Result<(), Error> {
        let unknown = || Error::UnknownLogspace(logspace.clone());
        // Where it is gets written down for programs that are started elsewhere.
        let to = match to {
            Some(Archive { after, dir }) => {
                let dir = std::path::absolute(&dir).map_err(Error::io("find", dir))?;
                Some(Archive { after, dir })
            }
            None => None,
        };
        self.shared
            .logspace(logspace)
            .ok_or_else(unknown)?
            .set_archive(to);
        self.shared.housekeeper.wake();
        Ok(())
    }

    /// The names of the logspaces, in order.
    pub fn logspaces(&self) -> Vec<LogspaceName> {
        self.shared
            .logspaces()
            .iter()
            .map(|logspace| logspace.name.clone())
            .collect()
    }

    /// Hands records over to be made durable. Returns at once and never blocks: whoever calls
    /// bounds what is under way. `on_durable` is called exactly once, when they are as safe as
    /// `durability` says.
    pub fn append(
        &self,
        logspace: &LogspaceName,
        batch: RecordBatch,
        durability: Durability,
        on_durable: OnDurable,
    ) {
        if self.shared.is_read_only {
            return on_durable(Err(AppendError::ReadOnly));
        }
        match self.shared.logspace(logspace) {
            Some(logspace) => self.shared.queue.push(Pending {
                logspace,
                batch,
                durability,
                on_durable,
            }),
            None => on_durable(Err(AppendError::UnknownLogspace(logspace.clone()))),
        }
    }

    /// Seals records under the times of receipt they carry, in any order; they are durable and
    /// visible on return. May be called from several threads.
    ///
    /// # Errors
    /// When there is no such logspace, the disk refuses, the store is being closed, or it is open for reading
    /// only. Some days of the batch may then have been written; none of it is visible.
    pub fn import(&self, logspace: &LogspaceName, batch: RecordBatch) -> Result<(), Error> {
        self.start_import(logspace, batch)?.finish()
    }

    /// Gives records that are to be imported their numbers, behind those of earlier calls, and has their
    /// segment built, beside others. Returns at once: whoever calls bounds what is under way, to
    /// [`Store::imports_max`] for example. What is dropped unfinished is not imported.
    ///
    /// # Errors
    /// As for [`Store::import`].
    pub fn start_import(
        &self,
        logspace: &LogspaceName,
        batch: RecordBatch,
    ) -> Result<Import, Error> {
        if self.shared.is_read_only {
            return Err(Error::ReadOnly);
        }
        let unknown = || Error::UnknownLogspace(logspace.clone());
        let logspace = self.shared.logspace(logspace).ok_or_else(unknown)?;
        import::start(&self.shared, logspace, batch)
    }

    /// How many batches are best imported at a time, one at least: as many as there are builders and memory
    /// for.
    pub fn imports_max(&self) -> usize {
        let shares = self.shared.options.shares();
        self.shared.options.threads.clamp(1, shares.imports)
    }

    /// Which store this is: 32 hexadecimal digits, drawn when it was made. A copy has those of its original.
    pub fn id(&self) -> String {
        self.shared.id()
    }

    /// What a reader of a logspace sees now; `None` where there is no such logspace.
    pub fn snapshot(&self, logspace: &LogspaceName) -> Option<Snapshot> {
        let logspace = self.shared.logspace(logspace)?;
        if logspace.state().is_memory_segment_due() {
            self.shared.memory_builder.wake();
        }
        Some(logspace.snapshot())
    }

    /// Has a function called after every commit and import, on the thread that did it, until the
    /// subscription is dropped. It must not block.
    pub fn on_commit(&self, listener: Box<dyn Fn() + Send + Sync>) -> Subscription {
        self.shared.listeners.add(listener)
    }

    /// Makes a consistent copy in a directory while records go on coming in: a new or empty
    /// directory, or one with an older backup of this store, which is brought up to date. It has
    /// every record that was durable before the call, is durable on return, and is a data
    /// directory itself. What cannot be read is in [`Backup::damages`].
    ///
    /// # Errors
    /// When the directory holds anything else, the disk refuses, the store is being closed, or it
    /// is open for reading only.
    pub fn backup(&self, dir: &Path) -> Result<Backup, Error> {
        if self.shared.is_read_only {
            return Err(Error::ReadOnly);
        }
        backup::backup(&self.shared, dir)
    }

    /// Figures about the store.
    pub fn status(&self) -> Status {
        let shared = &self.shared;
        let free_bytes = shared.free_bytes();
        Status {
            state: room::state(shared),
            pending_records: shared.queue.records(),
            free_bytes,
            is_disk_low: shared.is_low(free_bytes),
            journal_bytes: shared.journal_bytes(),
            unsynced_bytes: shared.unsynced_bytes.load(Ordering::Relaxed),
            commits: shared.commits.load(Ordering::Relaxed),
            commit_nanos: shared.commit_nanos.load(Ordering::Relaxed),
            damaged_documents: locked(&shared.documents).damages(),
            logspaces: shared
                .logspaces()
                .iter()
                .map(|logspace| logspace.status())
                .collect(),
        }
    }

    /// Whether nothing waits to be made durable, sealed, merged, deleted or compacted. Only for those who
    /// hand nothing over meanwhile, such as tests: it may change at once.
    pub fn is_idle(&self) -> bool {
        let shared = &self.shared;
        // The committer wakes the sealer, the sealer the housekeeper, and that the compactor.
        shared.queue.records() == 0
            && shared.sealer.is_idle()
            && shared.housekeeper.is_idle()
            && shared.compactor.is_idle()
            && shared.memory_builder.is_idle()
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        self.shared.disk.as_ref()
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.shared.is_read_only
    }

    /// The directory everything lies in.
    pub fn data_dir(&self) -> &Path {
        &self.shared.options.data_dir
    }

    /// Makes everything handed over durable and ends the threads. Later appends are refused. Where
    /// the disk refuses, the records that wait are called back with an error.
    pub fn close(&self) {
        self.shared.queue.close();
        self.shared.sealer.close();
        self.shared.housekeeper.close();
        self.shared.compactor.close();
        self.shared.memory_builder.close();
        for logspace in self.shared.logspaces() {
            // Whoever waits for news has looked, or looks again.
            drop(logspace.state());
            logspace.news.notify_all();
        }
        let threads = std::mem::take(&mut *locked(&self.threads));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a thread of the store panicked");
            }
        }
        if self.shared.is_settled.swap(false, Ordering::Relaxed) {
            self.shared.note_stop();
        }
    }
}

/// Fails where a first backup or a restore has not come to its end.
fn check_finished(disk: &dyn Disk, data_dir: &Path) -> Result<(), Error> {
    match notes::read(disk, &names::unfinished_note(data_dir))? {
        None => Ok(()),
        Some(what) => Err(Error::Unfinished {
            data_dir: data_dir.to_owned(),
            what,
        }),
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Reads a data directory; the threads are the caller's.
    pub(crate) fn recover(
        options: Options,
        disk: Arc<dyn Disk>,
        clock: Arc<dyn Clock>,
        is_read_only: bool,
    ) -> Result<Self, Error> {
        let disk = OpenFiles::of(disk);
        let cache = page_cache(options.shares().page_cache);
        let mut found = recovery::recover(&disk, &options.data_dir, &cache, is_read_only)?;
        let unsynced = found.note_unsynced();
        let writer = JournalWriter::new(
            Arc::clone(&disk),
            options.data_dir.clone(),
            options.journal_file_bytes,
            found.next_journal_id,
            found.free_ids,
        )
        .with_unsynced(unsynced)
        .behind(found.journal_end)
        .of_store(found.inventory.store);
        let tails = found.logspaces.values();
        let tails = tails.map(|logspace| logspace.state().tail_size().0).sum();
        Ok(Self {
            options,
            disk,
            clock,
            cache,
            tails: TailMemory::new(tails),
            queue: Queue::default(),
            sealer: Worker::default(),
            builders: Builders::default(),
            memory_builder: Worker::default(),
            housekeeper: Worker::default(),
            compactor: Worker::default(),
            writer: Mutex::new(writer),
            open_journal_bytes: AtomicU64::new(0),
            unsynced_bytes: AtomicU64::new(0),
            journal_files: Mutex::new(found.files),
            logspaces: RwLock::new(found.logspaces),
            listeners: Listeners::default(),
            state: Mutex::new(State::Working),
            room: Mutex::default(),
            inventory: Mutex::new(found.inventory),
            documents: Mutex::new(found.documents),
            noted_journal: AtomicU64::new(0),
            is_settled: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            commit_nanos: AtomicU64::new(0),
            is_read_only,
        })
    }

    /// All logspaces, by name.
    pub(crate) fn logspaces(&self) -> Vec<Arc<Logspace>> {
        self.logspaces
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }

    /// A logspace by its name.
    pub(crate) fn logspace(&self, name: &LogspaceName) -> Option<Arc<Logspace>> {
        self.logspaces
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned()
    }

    /// Which store this is.
    pub(crate) fn id(&self) -> String {
        locked(&self.inventory).store.to_string()
    }

    /// Notes which journal file is being written, where that is news: it is missed when it is gone.
    /// Where the disk refuses, it is tried again later; until then the file before is missed.
    pub(crate) fn note_journal(&self, file: OpenJournal) {
        let commits = self.commits.load(Ordering::Relaxed);
        let mut inventory = locked(&self.inventory);
        let is_new = inventory.journal.is_none_or(|noted| noted.id != file.id);
        let is_noted = self.noted_journal.load(Ordering::Relaxed) == file.id;
        if is_noted || (!is_new && !commits.is_multiple_of(NOTE_RETRY_COMMITS)) {
            return;
        }
        inventory.journal = Some(file);
        inventory.logspaces = losses::reaches(self.logspaces().iter(), false);
        match inventory.write(self.disk.as_ref(), &self.options.data_dir) {
            Ok(()) => self.noted_journal.store(file.id, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "cannot note which journal file is written"),
        }
    }

    /// Sees to it that records which are seen before they are durable have numbers that no other record
    /// gets, although a power cut may leave nothing that knows of them: durably, some numbers ahead, so
    /// that it is done seldom. `ends` has the numbers behind such records. False where the disk
    /// refuses.
    pub(crate) fn note_ceilings(&self, ends: &[(&Logspace, u64)]) -> bool {
        let is_over = |(logspace, end): &&(&Logspace, u64)| logspace.state().ceiling < *end;
        let over: Vec<_> = ends.iter().filter(is_over).collect();
        if over.is_empty() {
            return true;
        }
        let mut inventory = locked(&self.inventory);
        for (logspace, end) in &over {
            // Up to where the journal went stays what it is there: what is not durable is not missed.
            let reach = inventory.logspaces.entry(logspace.name.clone());
            let reach = reach.or_insert(Reach {
                journaled: 1,
                next: 1,
                manifest: None,
            });
            reach.next = reach.next.max(end.saturating_add(NUMBERS_AHEAD));
        }
        if let Err(error) = inventory.write(self.disk.as_ref(), &self.options.data_dir) {
            tracing::warn!(%error, "cannot note which numbers are given, so records are synced at once");
            return false;
        }
        for (logspace, _) in over {
            let reach = inventory.logspaces.get(&logspace.name);
            let mut state = logspace.state();
            state.ceiling = reach.map_or(state.ceiling, |reach| reach.next);
        }
        true
    }

    /// Whether the inventory on disk names a journal file, which must stay for as long as it does.
    pub(crate) fn is_noted(&self, file: &JournalFile) -> bool {
        self.noted_journal.load(Ordering::Relaxed) == file.id
    }

    /// Notes that somebody knows of all that is lost, and of what is given up now. Returns what they
    /// know that was not known before.
    pub(crate) fn accept_losses(&self, given_up: Vec<Loss>) -> Result<Vec<Damage>, Error> {
        let mut inventory = locked(&self.inventory);
        inventory.add(given_up);
        let mut accepted = Vec::new();
        for loss in inventory.losses.iter_mut().filter(|loss| !loss.is_accepted) {
            loss.is_accepted = true;
            accepted.push(loss.damage.clone());
        }
        inventory.write(self.disk.as_ref(), &self.options.data_dir)?;
        Ok(accepted)
    }

    /// Notes how everything stands at a stop, so that the next start misses what is gone.
    pub(crate) fn note_stop(&self) {
        let mut inventory = locked(&self.inventory);
        inventory.is_stopped = true;
        inventory.journal = None;
        inventory.logspaces = losses::reaches(self.logspaces().iter(), true);
        if let Err(error) = inventory.write(self.disk.as_ref(), &self.options.data_dir) {
            tracing::warn!(%error, "cannot note how everything stands at the stop");
        }
    }

    fn free_bytes(&self) -> Option<u64> {
        self.disk.free_bytes(&self.options.data_dir).ok()
    }

    fn is_low(&self, free_bytes: Option<u64>) -> bool {
        free_bytes.is_some_and(|free| free < self.options.free_bytes_warn)
    }

    /// Whether less of the disk is free than there should be.
    pub(crate) fn is_disk_low(&self) -> bool {
        self.is_low(self.free_bytes())
    }

    /// Whether so many bytes more would leave as much of the disk free as there should be.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        !self.is_low(self.free_bytes().map(|free| free.saturating_sub(bytes)))
    }

    /// Notes whether records can be made durable.
    pub(crate) fn set_state(&self, state: State) {
        *locked(&self.state) = state;
    }

    /// Counts a commit and the time it took.
    pub(crate) fn count_commit(&self, nanos: i64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.commit_nanos
            .fetch_add(u64::try_from(nanos).unwrap_or(0), Ordering::Relaxed);
    }

    /// Tells the listeners that there are new records.
    pub(crate) fn notify_listeners(&self) {
        self.listeners.call();
    }

    /// Removes the file of a segment that no manifest names any more. A file that stays is removed
    /// at the next start, and so are days that have become empty.
    pub(crate) fn remove_segment(&self, path: &Path) {
        if let Err(error) = self.disk.remove(path) {
            tracing::warn!(path = %path.display(), %error, "cannot delete a segment that is not needed");
        }
    }

    /// Remembers how large the file is that the writer has open now, and how much of it is not
    /// synced: the status must not wait for a disk that takes its time.
    pub(crate) fn note_open_journal(&self, writer: &JournalWriter) {
        let bytes = writer.current().map_or(0, |file| file.bytes);
        self.open_journal_bytes.store(bytes, Ordering::Relaxed);
        self.unsynced_bytes
            .store(writer.unsynced_bytes(), Ordering::Relaxed);
    }

    fn journal_bytes(&self) -> u64 {
        let open = self.open_journal_bytes.load(Ordering::Relaxed);
        open + locked(&self.journal_files)
            .iter()
            .map(|file| file.bytes)
            .sum::<u64>()
    }
}

/// Locks a mutex. A panic while it was held is reported where it happened; the data behind every
/// mutex of the store is consistent between statements.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
