//! Counting the lines of files that grow.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use anyhow::Result;

/// Lines of a file that grows; each look reads only what is new.
#[derive(Debug)]
pub(crate) struct LineCounter {
    path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    lines: u64,
}

impl LineCounter {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            buffer: vec![0; 1 << 20],
            lines: 0,
        }
    }

    /// Lines that the last look found.
    pub(crate) fn counted(&self) -> u64 {
        self.lines
    }

    /// All lines that are whole by now; none as long as there is no file.
    pub(crate) fn count(&mut self) -> Result<u64> {
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        let Some(file) = &mut self.file else {
            return Ok(0);
        };
        loop {
            let length = file.read(&mut self.buffer)?;
            if length == 0 {
                return Ok(self.lines);
            }
            let lines = memchr::memchr_iter(b'\n', &self.buffer[..length]).count();
            self.lines += u64::try_from(lines)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_growing_file_is_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut counter = LineCounter::new(path.clone());
        assert_eq!(counter.count().unwrap(), 0);
        fs::write(&path, "a\nb\nc").unwrap();
        assert_eq!(counter.count().unwrap(), 2);
        fs::write(&path, "a\nb\nc\nd\n").unwrap();
        assert_eq!(counter.count().unwrap(), 4);
    }
}
