//! A disk whose syncs can be held up.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use store::{Disk, DiskEntry, DiskFile, OpenMode, RealDisk};

/// Opens and closes the way to the disk.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// From now on syncs wait.
    pub(crate) fn close(&self) {
        *self.0.0.lock().expect("not poisoned") = true;
    }

    /// Lets all syncs go on.
    pub(crate) fn open(&self) {
        *self.0.0.lock().expect("not poisoned") = false;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let is_closed = self.0.0.lock().expect("not poisoned");
        drop(
            self.0
                .1
                .wait_while(is_closed, |is_closed| *is_closed)
                .expect("not poisoned"),
        );
    }
}

/// The real disk behind a gate.
pub(crate) struct GatedDisk(pub(crate) Gate);

struct GatedFile(Gate, Box<dyn DiskFile>);

impl Disk for GatedDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(path)
    }
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let file = RealDisk.open(path, mode)?;
        Ok(Box::new(GatedFile(self.0.clone(), file)))
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        RealDisk.list(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_dir(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_dir(path)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        RealDisk.free_bytes(path)
    }
}

impl DiskFile for GatedFile {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.1.read_exact_at(buffer, offset)
    }
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.1.write_all_at(data, offset)
    }
    fn sync(&self) -> io::Result<()> {
        self.0.pass();
        self.1.sync()
    }
    fn len(&self) -> io::Result<u64> {
        self.1.len()
    }
    fn allocate(&self, len: u64) -> io::Result<()> {
        self.1.allocate(len)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.1.set_len(len)
    }
    fn try_lock(&self) -> io::Result<bool> {
        self.1.try_lock()
    }
}
