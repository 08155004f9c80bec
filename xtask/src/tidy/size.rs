//! Files that can be read in one sitting and cloned in one breath.

use super::Finding;
use super::tree::Tree;

const FILE_LINES_MAX: usize = 1_000;
const FILE_BYTES_MAX: usize = 256 * 1024;

pub(super) fn check_lines(tree: &Tree) -> Vec<Finding> {
    tree.sources()
        .filter_map(|file| {
            let lines = file.bytes.iter().filter(|byte| **byte == b'\n').count();
            let what = format!("{lines} lines; split it at {FILE_LINES_MAX}");
            (lines > FILE_LINES_MAX).then(|| Finding::new(file, 0, what))
        })
        .collect()
}

pub(super) fn check_bytes(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| !file.is_data() && file.bytes.len() > FILE_BYTES_MAX)
        .map(|file| {
            let kib = file.bytes.len() / 1024;
            let what = format!("{kib} KiB; only testdata/ and web/dist/ may hold such files");
            Finding::new(file, 0, what)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn a_long_source_is_found() {
        let (fits, long) = ("x\n".repeat(1_000), "x\n".repeat(1_001));
        let files = [
            ("a.rs", fits.as_str()),
            ("b.rs", &long),
            ("Cargo.lock", &long),
            ("c.md", &long),
        ];
        assert_eq!(lines_found(check_lines, &files), [("b.rs".into(), 0)]);
    }

    #[test]
    fn a_large_file_is_found() {
        let (fits, large) = ("x".repeat(256 * 1024), "x".repeat(256 * 1024 + 1));
        let files = [
            ("docs/a.png", fits.as_str()),
            ("docs/b.png", &large),
            ("testdata/c", &large),
            ("web/dist/app.js", &large),
        ];
        assert_eq!(lines_found(check_bytes, &files), [("docs/b.png".into(), 0)]);
    }
}
