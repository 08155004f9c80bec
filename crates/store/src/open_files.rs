//! A disk of which few files are open at a time.
//!
//! A store may have more segments than the process may have descriptors. So whoever opens a file for
//! reading gets one that is opened when it is read, and closed when others are read instead. What
//! an open file promises holds all the same: whoever has one reads on when its name is gone, since
//! before a name is taken away the file is opened and stays so until the last reader drops it.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};

use crate::disk::{DirLock, Disk, DiskEntry, DiskFile, OpenMode};
use crate::store::locked;

/// The disk.
pub(crate) struct OpenFiles(Arc<Shared>);

struct Shared {
    disk: Arc<dyn Disk>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Every file that somebody has for reading, by its name.
    known: HashMap<PathBuf, Vec<Weak<Slot>>>,
    /// Those of them that are open and may be closed, the next one first.
    open: VecDeque<Weak<Slot>>,
}

/// A file that somebody has for reading.
struct Slot {
    path: PathBuf,
    file: Mutex<Option<Arc<dyn DiskFile>>>,
    /// Whether it was read since it was looked at last.
    is_used: AtomicBool,
    /// Whether its name is gone, so that it stays open.
    stays: AtomicBool,
}

struct Reader {
    shared: Arc<Shared>,
    slot: Arc<Slot>,
}

impl OpenFiles {
    /// Of a disk's files, as many as [`Disk::open_files_max`] says.
    pub(crate) fn of(disk: Arc<dyn Disk>) -> Arc<dyn Disk> {
        Arc::new(Self(Arc::new(Shared {
            disk,
            state: Mutex::default(),
        })))
    }
}

impl Shared {
    /// Opens a file; where the process has no descriptors left, others are closed for it.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        match self.disk.open(path, mode) {
            Err(error) if is_without_descriptors(&error) => {
                self.close_all_but(0);
                self.disk.open(path, mode)
            }
            result => result,
        }
    }

    /// Notes that a file is open, and closes one where there are too many.
    fn note_open(&self, slot: &Arc<Slot>) {
        locked(&self.state).open.push_back(Arc::downgrade(slot));
        self.close_all_but(self.disk.open_files_max());
    }

    /// Closes files until so many are open. One that was read since its last turn gets another.
    fn close_all_but(&self, files: usize) {
        let mut chances = locked(&self.state).open.len();
        loop {
            let mut state = locked(&self.state);
            if state.open.len() <= files {
                return;
            }
            let Some(slot) = state.open.pop_front().as_ref().and_then(Weak::upgrade) else {
                continue;
            };
            if chances > 0 && files > 0 && slot.is_used.swap(false, Ordering::Relaxed) {
                chances -= 1;
                state.open.push_back(Arc::downgrade(&slot));
                continue;
            }
            let Some(mut file) = try_locked(&slot.file) else {
                // Whoever opens it just now reads it; it is closed at its next turn.
                state.open.push_back(Arc::downgrade(&slot));
                chances = chances.saturating_sub(1);
                if chances == 0 {
                    return;
                }
                continue;
            };
            drop(state);
            if !slot.stays.load(Ordering::Relaxed) {
                *file = None;
            }
        }
    }

    /// Opens the files of a name that is about to go, for those who have them.
    fn keep(&self, path: &Path) -> io::Result<()> {
        let slots = locked(&self.state).known.get(path).cloned();
        for slot in slots
            .into_iter()
            .flatten()
            .filter_map(|slot| slot.upgrade())
        {
            let mut file = locked(&slot.file);
            if file.is_none() {
                *file = Some(Arc::from(self.open(path, OpenMode::Read)?));
            }
            slot.stays.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Whether the process, or the machine, has no descriptors left.
fn is_without_descriptors(error: &io::Error) -> bool {
    let errno = rustix::io::Errno::from_io_error(error);
    matches!(
        errno,
        Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE)
    )
}

fn try_locked<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Disk for OpenFiles {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.0.disk.create_dir_all(path)
    }

    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let file = self.0.open(path, mode)?;
        if mode != OpenMode::Read {
            return Ok(file);
        }
        let slot = Arc::new(Slot {
            path: path.to_owned(),
            file: Mutex::new(Some(Arc::from(file))),
            is_used: AtomicBool::new(true),
            stays: AtomicBool::new(false),
        });
        let mut state = locked(&self.0.state);
        let known = state.known.entry(path.to_owned()).or_default();
        known.push(Arc::downgrade(&slot));
        drop(state);
        self.0.note_open(&slot);
        Ok(Box::new(Reader {
            shared: Arc::clone(&self.0),
            slot,
        }))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        self.0.disk.list(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.keep(from)?;
        self.0.keep(to)?;
        self.0.disk.rename(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.disk.hard_link(from, to)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.0.disk.remove_dir(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.keep(path)?;
        self.0.disk.remove(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.0.disk.sync_dir(path)
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        self.0.disk.free_bytes(path)
    }

    fn open_files_max(&self) -> usize {
        self.0.disk.open_files_max()
    }

    fn lock_dir(&self, path: &Path) -> io::Result<DirLock> {
        self.0.disk.lock_dir(path)
    }
}

impl Reader {
    fn file(&self) -> io::Result<Arc<dyn DiskFile>> {
        let slot = &self.slot;
        slot.is_used.store(true, Ordering::Relaxed);
        let mut file = locked(&slot.file);
        if let Some(file) = file.as_ref() {
            return Ok(Arc::clone(file));
        }
        let opened: Arc<dyn DiskFile> = Arc::from(self.shared.open(&slot.path, OpenMode::Read)?);
        *file = Some(Arc::clone(&opened));
        drop(file);
        self.shared.note_open(slot);
        Ok(opened)
    }
}

impl DiskFile for Reader {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file()?.read_exact_at(buffer, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.file()?.write_all_at(data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file()?.sync()
    }

    fn len(&self) -> io::Result<u64> {
        self.file()?.len()
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        self.file()?.allocate(len)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file()?.set_len(len)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file()?.try_lock()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = locked(&self.shared.state);
        if let Some(known) = state.known.get_mut(&self.slot.path) {
            let own = Arc::downgrade(&self.slot);
            known.retain(|slot| !slot.ptr_eq(&own));
            if known.is_empty() {
                state.known.remove(&self.slot.path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    /// A disk of which so many files may be open.
    struct Few(RealDisk, usize);

    impl Disk for Few {
        fn create_dir_all(&self, path: &Path) -> io::Result<()> {
            self.0.create_dir_all(path)
        }
        fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
            self.0.open(path, mode)
        }
        fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
            self.0.list(path)
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.0.rename(from, to)
        }
        fn remove_dir(&self, path: &Path) -> io::Result<()> {
            self.0.remove_dir(path)
        }
        fn remove(&self, path: &Path) -> io::Result<()> {
            self.0.remove(path)
        }
        fn sync_dir(&self, path: &Path) -> io::Result<()> {
            self.0.sync_dir(path)
        }
        fn free_bytes(&self, path: &Path) -> io::Result<u64> {
            self.0.free_bytes(path)
        }
        fn open_files_max(&self) -> usize {
            self.1
        }
    }

    fn few(files: usize) -> OpenFiles {
        OpenFiles(Arc::new(Shared {
            disk: Arc::new(Few(RealDisk, files)),
            state: Mutex::default(),
        }))
    }

    fn is_open(reader: &dyn DiskFile, byte: u8) -> bool {
        let mut found = [0];
        reader.read_exact_at(&mut found, 0).is_ok() && found == [byte]
    }

    fn open_count(disk: &OpenFiles) -> usize {
        let state = locked(&disk.0.state);
        let slots = state.known.values().flatten().filter_map(Weak::upgrade);
        slots.filter(|slot| locked(&slot.file).is_some()).count()
    }

    #[test]
    fn any_number_of_files_is_read_with_few_of_them_open() {
        let dir = tempfile::tempdir().expect("a directory");
        let disk = few(4);
        let path = |number: u8| dir.path().join(number.to_string());
        let mut readers = Vec::new();
        for number in 0..50 {
            std::fs::write(path(number), [number]).expect("written");
            readers.push(disk.open(&path(number), OpenMode::Read).expect("opened"));
            assert!(open_count(&disk) <= 4);
        }
        for round in 0..3 {
            for (number, reader) in (0..).zip(&readers) {
                assert!(
                    is_open(reader.as_ref(), number),
                    "{number} in round {round}"
                );
                assert!(open_count(&disk) <= 4);
            }
        }
        // Each name is given up in another way, and those who have the files read on.
        disk.remove(&path(1)).expect("removed");
        disk.rename(&path(2), &path(3)).expect("replaced");
        for number in (4..50).chain([1, 2, 3]) {
            assert!(is_open(readers[usize::from(number)].as_ref(), number));
        }
        assert_eq!(open_count(&disk), 4 + 3);
        readers.clear();
        assert_eq!(open_count(&disk), 0);
        assert!(locked(&disk.0.state).known.is_empty());
    }

    #[test]
    fn readers_on_several_threads_share_the_open_files() {
        let dir = tempfile::tempdir().expect("a directory");
        let disk = few(2);
        let readers: Vec<_> = (0..8)
            .map(|number| {
                let path = dir.path().join(number.to_string());
                std::fs::write(&path, [number]).expect("written");
                disk.open(&path, OpenMode::Read).expect("opened")
            })
            .collect();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let readers = &readers;
                scope.spawn(move || {
                    for turn in 0..500 {
                        let number = (turn * 5 + thread) % readers.len();
                        assert!(is_open(readers[number].as_ref(), number as u8));
                    }
                });
            }
        });
        disk.0.close_all_but(0);
        assert!(open_count(&disk) == 0 && is_open(readers[7].as_ref(), 7));
    }
}
