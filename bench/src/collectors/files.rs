//! What a folder takes.

use std::path::Path;

use anyhow::Result;

/// Bytes of a folder's files, those of its folders included.
pub(super) fn bytes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in folder.read_dir()? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += if about.is_dir() {
            bytes(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_in_a_folder_count() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), "four").unwrap();
        fs::write(folder.path().join("c"), "four").unwrap();
        assert_eq!(bytes(folder.path()).unwrap(), 8);
    }
}
