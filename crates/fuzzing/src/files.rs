//! Files of the data directory that are read as a whole.

use std::io::Write;
use std::path::Path;

use store::{InspectOptions, RealDisk, inspect};

/// A journal file: its blocks are found, and what is broken is told.
pub fn journal(bytes: &[u8]) {
    look_into(bytes, "00000000000000000001.journal");
}

/// A manifest.
pub fn manifest(bytes: &[u8]) {
    look_into(bytes, "MANIFEST");
}

fn look_into(bytes: &[u8], name: &str) {
    let Ok(directory) = tempfile::tempdir() else {
        return;
    };
    let path = directory.path().join(name);
    if write(&path, bytes).is_err() {
        return;
    }
    let options = InspectOptions {
        terms: Some(Vec::new()),
        templates: 10,
        rows: 100,
    };
    // What cannot be read is an error, or stands in the view.
    _ = inspect(&RealDisk, &path, &options);
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::File::create(path)?.write_all(bytes)
}
