//! A disk in memory that forgets what was not flushed.
//!
//! The model is "flush means durable": content is durable after the sync of its file, names after
//! the sync of their directory, and everything else may or may not survive a power cut, in sectors
//! of 512 bytes and in any order. [`Machine`] is what stays over restarts; each start takes a
//! [`SimDisk`] of it, and those of earlier starts fail in every call, as the files of a dead
//! process do.

mod content;
mod faults;
mod tree;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{Disk, DiskEntry, DiskFile, OpenMode};

use crate::clock::SimClock;
use crate::random::Random;
use content::Content;
use faults::Verdict;
use tree::{Change, Inode, Node, Tree};

pub use faults::{Call, Fault, Plan};

/// Calls that are remembered to be shown when a run fails.
const CALLS_REMEMBERED: usize = 60;

/// What a sync takes by the simulated clock, in nanoseconds.
const SYNC_NANOS: i64 = 2_000_000;

/// A computer whose power can go.
#[derive(Clone)]
pub struct Machine(Arc<Mutex<State>>);

struct State {
    tree: Tree,
    random: Random,
    clock: Arc<SimClock>,
    plan: Plan,
    boot: u64,
    is_down: bool,
    /// Calls that only read and were made to fail since the start of the process.
    failed_reads: u64,
    /// A sync failed since the start of the process, and took what was written with it.
    has_forgotten: bool,
    next_handle: u64,
    capacity: Option<u64>,
    calls: u64,
    last_calls: Vec<String>,
}

impl Machine {
    /// A machine with an empty disk.
    pub fn new(seed: u64, clock: Arc<SimClock>) -> Self {
        Self(Arc::new(Mutex::new(State {
            tree: Tree::default(),
            random: Random::new(seed),
            clock,
            plan: Plan::default(),
            boot: 0,
            is_down: false,
            failed_reads: 0,
            has_forgotten: false,
            next_handle: 0,
            capacity: None,
            calls: 0,
            last_calls: Vec::new(),
        })))
    }

    /// The disk for a process that starts now.
    pub fn disk(&self) -> Arc<dyn Disk> {
        let mut state = locked(&self.0);
        state.boot += 1;
        state.is_down = false;
        state.failed_reads = 0;
        state.has_forgotten = false;
        Arc::new(SimDisk {
            machine: self.clone(),
            boot: state.boot,
        })
    }

    /// Sets what goes wrong next.
    pub fn set_plan(&self, plan: Plan) {
        locked(&self.0).plan = plan;
    }

    /// Sets how many more bytes there is room for; `None` for as many as anybody wants.
    pub fn set_room(&self, bytes: Option<u64>) {
        let mut state = locked(&self.0);
        let used = state.used();
        state.capacity = bytes.map(|bytes| used + bytes);
    }

    /// Whether a sync failed since the start of the process, and took what was written with it.
    pub fn has_forgotten(&self) -> bool {
        locked(&self.0).has_forgotten
    }

    /// Ends the faults and the shortage of room; a planned stop stays.
    pub fn mend(&self) {
        let mut state = locked(&self.0);
        state.plan.fault = None;
        state.capacity = None;
    }

    /// Whether nothing more is planned.
    pub fn is_over(&self) -> bool {
        let plan = &locked(&self.0).plan;
        plan.fault.is_none() && plan.stop_after.is_none()
    }

    /// Whether a planned stop has come.
    pub fn is_down(&self) -> bool {
        locked(&self.0).is_down
    }

    /// Whether the process has been refused something it wanted to read.
    pub fn has_failed_reads(&self) -> bool {
        locked(&self.0).failed_reads > 0
    }

    /// Calls since the machine was made.
    pub fn calls(&self) -> u64 {
        locked(&self.0).calls
    }

    /// Stops everything that runs on it.
    pub fn stop(&self) {
        locked(&self.0).is_down = true;
    }

    /// The end of a process, which takes its locks along. What it wrote stays in the page cache.
    pub fn release(&self) {
        let state = locked(&self.0);
        for (_, inode) in state.tree.files() {
            locked(inode).locked_by = None;
        }
    }

    /// A power cut: of what was not flushed, each sector stays with so many percent; each change of
    /// a name with as many, or with the rest of a hundred.
    pub fn cut_power(&self, kept_percent: u64) {
        let mut guard = locked(&self.0);
        let state = &mut *guard;
        let random = &mut state.random;
        let names_percent = match random.below(2) {
            0 => kept_percent,
            _ => 100 - kept_percent,
        };
        let mut tree = state.tree.after_power_cut(random, names_percent);
        tree.replace_files(|inode| {
            let left = locked(inode).after_power_cut(random, kept_percent);
            Arc::new(Mutex::new(left))
        });
        state.tree = tree;
    }

    /// Another machine with a copy of the disk, all of it durable.
    pub fn copy(&self) -> Self {
        let state = locked(&self.0);
        let copy = Self::new(0, Arc::clone(&state.clock));
        let mut tree = state.tree.clone();
        tree.replace_files(|inode| {
            let bytes = locked(inode).bytes().to_vec();
            Arc::new(Mutex::new(Content::durable(bytes)))
        });
        locked(&copy.0).tree = tree;
        copy
    }

    /// The files there are, with their sizes in bytes.
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let state = locked(&self.0);
        let files = state.tree.files();
        files
            .map(|(path, inode)| (path.to_owned(), locked(inode).len()))
            .collect()
    }

    /// Removes a file as if it had never been there.
    pub fn forget(&self, path: &Path) {
        let mut state = locked(&self.0);
        state.tree.change(Change::Remove(path.to_owned()));
    }

    /// Flips a bit of a file.
    pub fn flip(&self, path: &Path, bit: u64) {
        if let Some(Node::File(inode)) = locked(&self.0).tree.get(path) {
            locked(inode).flip(bit);
        }
    }

    /// The last calls, the newest last.
    pub fn last_calls(&self) -> Vec<String> {
        locked(&self.0).last_calls.clone()
    }
}

impl State {
    /// Bytes that files take.
    fn used(&self) -> u64 {
        self.tree
            .files()
            .map(|(_, inode)| locked(inode).space())
            .sum()
    }

    fn free(&self) -> u64 {
        self.capacity.map_or(u64::MAX / 4, |capacity| {
            capacity.saturating_sub(self.used())
        })
    }

    /// Counts a call; what becomes of it.
    fn call(&mut self, boot: u64, call: Call, path: &Path) -> io::Result<Option<Fault>> {
        if self.boot != boot || self.is_down {
            return Err(dead());
        }
        self.calls += 1;
        let verdict = self.plan.judge(call);
        if matches!(verdict, Verdict::Fails(_)) && call.is_reading() {
            self.failed_reads += 1;
        }
        let (end, result) = match verdict {
            Verdict::Well => ("", Ok(None)),
            Verdict::Fails(fault) => (" FAILS", Ok(Some(fault))),
            Verdict::Stops => {
                self.is_down = true;
                (" STOPS", Err(dead()))
            }
        };
        if self.last_calls.len() >= 2 * CALLS_REMEMBERED {
            self.last_calls.drain(..CALLS_REMEMBERED);
        }
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("driver");
        let line = format!("{thread}: {call:?} {}{end}", path.display());
        self.last_calls.push(line);
        result
    }
}

fn dead() -> io::Error {
    io::Error::other("the process has ended")
}

fn refuse(fault: Option<Fault>) -> io::Result<()> {
    fault.map_or(Ok(()), |fault| Err(fault.error()))
}

/// The disk as a process sees it.
struct SimDisk {
    machine: Machine,
    boot: u64,
}

impl SimDisk {
    /// The state, when the call is to go on.
    fn begin(&self, call: Call, path: &Path) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = locked(&self.machine.0);
        let fault = state.call(self.boot, call, path)?;
        Ok((state, fault))
    }
}

impl Disk for SimDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::CreateDir, path)?;
        let mut missing: Vec<&Path> = Vec::new();
        for dir in path.ancestors() {
            if state.tree.is_dir(dir) {
                break;
            }
            missing.push(dir);
        }
        for dir in missing.iter().rev() {
            let change = Change::Add(dir.to_path_buf(), Node::Dir);
            state.tree.change(change);
        }
        // A fault comes between making and syncing, which is the worse moment.
        refuse(fault)?;
        for dir in path.ancestors().collect::<Vec<_>>().iter().rev() {
            if let Some(parent) = dir.parent() {
                state.tree.sync_dir(parent);
            }
        }
        Ok(())
    }

    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let kind = match mode {
            OpenMode::Create => Call::Create,
            OpenMode::Read | OpenMode::ReadWrite => Call::Open,
        };
        let (mut state, fault) = self.begin(kind, path)?;
        refuse(fault)?;
        let found = match state.tree.get(path) {
            Some(Node::Dir) => return Err(ErrorKind::IsADirectory.into()),
            Some(Node::File(inode)) => Some(Arc::clone(inode)),
            None => None,
        };
        let inode = match (found, mode) {
            (Some(inode), OpenMode::Create) => {
                locked(&inode).resize(0);
                inode
            }
            (Some(inode), _) => inode,
            (None, OpenMode::Read) => return Err(ErrorKind::NotFound.into()),
            (None, _) => {
                if !path.parent().is_some_and(|dir| state.tree.is_dir(dir)) {
                    return Err(ErrorKind::NotFound.into());
                }
                let inode = Inode::default();
                let node = Node::File(Arc::clone(&inode));
                state.tree.change(Change::Add(path.to_owned(), node));
                inode
            }
        };
        state.next_handle += 1;
        Ok(Box::new(SimFile {
            machine: self.machine.clone(),
            boot: self.boot,
            handle: state.next_handle,
            path: path.to_owned(),
            inode,
        }))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        let (state, fault) = self.begin(Call::List, path)?;
        refuse(fault)?;
        if !state.tree.is_dir(path) {
            return Err(ErrorKind::NotFound.into());
        }
        let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
        let children = state.tree.children(path).into_iter();
        let mut entries: Vec<DiskEntry> = children
            .filter_map(|(path, node)| {
                Some(DiskEntry {
                    name: name(&path)?,
                    is_dir: matches!(node, Node::Dir),
                })
            })
            .collect();
        entries.sort();
        Ok(entries)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::Rename, from)?;
        refuse(fault)?;
        if state.tree.get(from).is_none() {
            return Err(ErrorKind::NotFound.into());
        }
        state
            .tree
            .change(Change::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::Remove, path)?;
        refuse(fault)?;
        match state.tree.get(path) {
            Some(Node::File(_)) => {}
            Some(Node::Dir) => return Err(ErrorKind::IsADirectory.into()),
            None => return Err(ErrorKind::NotFound.into()),
        }
        state.tree.change(Change::Remove(path.to_owned()));
        Ok(())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::Remove, path)?;
        refuse(fault)?;
        if !state.tree.children(path).is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        state.tree.change(Change::Remove(path.to_owned()));
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::SyncDir, path)?;
        refuse(fault)?;
        state.tree.sync_dir(path);
        state.clock.advance(SYNC_NANOS);
        Ok(())
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let (state, fault) = self.begin(Call::FreeBytes, path)?;
        refuse(fault)?;
        Ok(state.free())
    }
}

/// An open file. It stays usable when its name is gone.
struct SimFile {
    machine: Machine,
    boot: u64,
    handle: u64,
    path: PathBuf,
    inode: Inode,
}

impl SimFile {
    fn begin(&self, call: Call) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = locked(&self.machine.0);
        let fault = state.call(self.boot, call, &self.path)?;
        Ok((state, fault))
    }

    /// Whether there is room for the file to take so much.
    fn has_room(&self, state: &State, space: u64) -> bool {
        let taken = locked(&self.inode).space();
        space <= taken || space - taken <= state.free()
    }
}

impl DiskFile for SimFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let (_state, fault) = self.begin(Call::Read)?;
        refuse(fault)?;
        locked(&self.inode).read(buffer, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let (mut state, mut fault) = self.begin(Call::Write)?;
        if fault.is_none() && !self.has_room(&state, offset + data.len() as u64) {
            fault = Some(Fault::NoSpace);
        }
        let whole = data.len() as u64;
        let written = match fault {
            None => whole,
            Some(Fault::Short) => state.random.below(whole + 1),
            Some(Fault::NoSpace) => state.random.below(whole + 1).min(state.free()),
            Some(_) => 0,
        };
        let written = usize::try_from(written).unwrap_or(data.len());
        if let Some(data) = data.get(..written).filter(|data| !data.is_empty()) {
            locked(&self.inode).write(data, offset);
        }
        refuse(fault)
    }

    fn sync(&self) -> io::Result<()> {
        let (mut state, fault) = self.begin(Call::Sync)?;
        state.clock.advance(SYNC_NANOS);
        match fault {
            None => locked(&self.inode).sync(),
            Some(fault) => {
                let forgets = fault == Fault::IoForgotten;
                state.has_forgotten |= forgets;
                locked(&self.inode).fail_sync(&mut state.random, forgets);
            }
        }
        refuse(fault)
    }

    fn len(&self) -> io::Result<u64> {
        let (_state, fault) = self.begin(Call::Len)?;
        refuse(fault)?;
        Ok(locked(&self.inode).len())
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        let (state, fault) = self.begin(Call::Allocate)?;
        refuse(fault)?;
        if !self.has_room(&state, len) {
            return Err(Fault::NoSpace.error());
        }
        locked(&self.inode).allocate(len);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let (state, fault) = self.begin(Call::SetLen)?;
        refuse(fault)?;
        if !self.has_room(&state, len) {
            return Err(Fault::NoSpace.error());
        }
        locked(&self.inode).resize(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        let (_state, fault) = self.begin(Call::Lock)?;
        refuse(fault)?;
        let mut content = locked(&self.inode);
        let is_ours = content.locked_by.is_none_or(|holder| holder == self.handle);
        if is_ours {
            content.locked_by = Some(self.handle);
        }
        Ok(is_ours)
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let mut content = locked(&self.inode);
        if content.locked_by == Some(self.handle) {
            content.locked_by = None;
        }
    }
}

/// Locks a mutex. A panic while it was held is reported where it happened.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
