//! Whether a server can work in the data directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use config::{Config, Part, Problem, Severity};
use rustix::fs::Access;

use super::{writable, write_hint};

/// What a server changes in its data directory.
const PARTS: [&str; 3] = ["lock", "journal", "logspaces"];

/// What keeps a server from it: the directory itself, something in it, or, where it is to be made,
/// the one above.
pub(super) fn problem(config: &Config) -> Option<Problem> {
    let data_dir = &config.store.data_dir;
    let (path, error) = obstacle(data_dir)?;
    let (message, hint) = match data_dir.exists() {
        true => (
            format!("cannot write to {}: {error}", path.display()),
            write_hint(&path, &error),
        ),
        // What is above belongs to others: advice about that could harm.
        false => (
            format!(
                "cannot make {}: {}: {error}",
                data_dir.display(),
                path.display()
            ),
            format!(
                "make it for the user that runs Logwood: `install -d -o logwood -g logwood -m 750 {}`",
                data_dir.display()
            ),
        ),
    };
    let place = (Part::Only("store"), "data_dir");
    Some(config.problem(Severity::Error, place, message, Some(hint)))
}

fn obstacle(data_dir: &Path) -> Option<(PathBuf, io::Error)> {
    match fs::read_dir(data_dir) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return above(data_dir),
        Err(error) => return Some((data_dir.to_owned(), error)),
    }
    if let Err(error) = writable(data_dir) {
        return Some((data_dir.to_owned(), error));
    }
    // A command that root has typed may have left files that the server's user cannot change.
    let parts = PARTS.iter().map(|name| data_dir.join(name));
    parts.filter(|path| path.exists()).find_map(|path| {
        let error = rustix::fs::access(&path, Access::WRITE_OK).err()?;
        Some((path, error.into()))
    })
}

/// The nearest directory that is there, where nothing can be made in it.
fn above(data_dir: &Path) -> Option<(PathBuf, io::Error)> {
    let absolute = std::path::absolute(data_dir).ok()?;
    let nearest = absolute.ancestors().find(|above| above.exists())?;
    let error = writable(nearest).err()?;
    Some((nearest.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_way_is_told_at_every_depth() {
        let folder = tempfile::tempdir().expect("makes one");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("writes");
        assert!(obstacle(folder.path()).is_none());
        assert!(obstacle(&folder.path().join("to/be/made")).is_none());
        for below in [file.clone(), file.join("a"), file.join("a/b")] {
            let (path, error) = obstacle(&below).expect("in the way");
            assert!(path.starts_with(&file), "{}", path.display());
            assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        }
    }
}
