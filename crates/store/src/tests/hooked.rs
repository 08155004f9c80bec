//! A disk that tells before a file is opened, and refuses it, or panics, where it is told to.

use std::sync::PoisonError;

use super::*;

type Hook = Box<dyn FnMut(&Path) -> io::Result<()> + Send>;

#[derive(Default)]
pub(super) struct HookedDisk(Mutex<Option<(OpenMode, Hook)>>);

impl HookedDisk {
    /// Calls `hook` with the path of each file that is made.
    pub(super) fn hook(&self, hook: impl FnMut(&Path) -> io::Result<()> + Send + 'static) {
        self.hook_opening(OpenMode::Create, hook);
    }

    /// Calls `hook` with the path of each file that is opened in one way.
    pub(super) fn hook_opening(
        &self,
        mode: OpenMode,
        hook: impl FnMut(&Path) -> io::Result<()> + Send + 'static,
    ) {
        let hook: Hook = Box::new(hook);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((mode, hook));
    }

    pub(super) fn unhook(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Disk for HookedDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(path)
    }
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let mut hook = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((hooked, hook)) = hook.as_mut()
            && mode == *hooked
        {
            hook(path)?;
        }
        RealDisk.open(path, mode)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DiskEntry>> {
        RealDisk.list(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_dir(path)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        RealDisk.sync_dir(path)
    }
    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        RealDisk.free_bytes(path)
    }
}
