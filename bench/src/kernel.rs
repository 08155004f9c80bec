//! Settings of the kernel, changed for a while and put back.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A setting below `/proc/sys`. Dropping it puts the old value back.
#[derive(Debug)]
pub(crate) struct Setting {
    path: PathBuf,
    old: String,
}

impl Setting {
    /// Changes a setting, such as `net.core.rmem_max`; only root can.
    pub(crate) fn change(name: &str, value: &str) -> Result<Self> {
        Self::change_file(&Path::new("/proc/sys").join(name.replace('.', "/")), value)
    }

    fn change_file(path: &Path, value: &str) -> Result<Self> {
        let read = || fs::read_to_string(path);
        let old = read().with_context(|| format!("cannot read {}", path.display()))?;
        fs::write(path, value)
            .with_context(|| format!("cannot change {}; only root can", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            old: old.trim().to_owned(),
        })
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        // It could be changed, so it can be changed back; there is nobody to tell otherwise.
        let _ = fs::write(&self.path, &self.old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rmem_max");
        fs::write(&file, "212992\n").unwrap();
        let setting = Setting::change_file(&file, "33554432").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "33554432");
        drop(setting);
        assert_eq!(fs::read_to_string(&file).unwrap(), "212992");
    }
}
