//! Files in a folder whose lines are counted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use crate::lines::LineCounter;

/// A folder that fills with files.
#[derive(Debug)]
pub(super) struct LinesOfFolder {
    folder: PathBuf,
    counters: BTreeMap<PathBuf, LineCounter>,
}

impl LinesOfFolder {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            counters: BTreeMap::new(),
        }
    }

    /// Whole lines in all of its files; each look reads only what is new.
    pub(super) fn count(&mut self) -> Result<u64> {
        for entry in self.folder.read_dir()? {
            let path = entry?.path();
            let new = || LineCounter::new(path.clone());
            self.counters.entry(path.clone()).or_insert_with(new);
        }
        let counts = self.counters.values_mut().map(LineCounter::count);
        counts.sum()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_of_all_files_are_counted_as_they_come() {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = LinesOfFolder::new(folder.path().to_owned());
        assert_eq!(lines.count().unwrap(), 0);
        fs::write(folder.path().join("a"), "1\n2\n").unwrap();
        assert_eq!(lines.count().unwrap(), 2);
        fs::write(folder.path().join("b"), "1\n2").unwrap();
        assert_eq!(lines.count().unwrap(), 3);
    }
}
