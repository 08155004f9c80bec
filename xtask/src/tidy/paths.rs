//! Nothing committed knows the machine it was written on or the mirror it was built through.

use super::Finding;
use super::tree::{File, Tree};

// Written in two parts, so that this file does not find itself.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
];

const REGISTRIES: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("proxy.", "golang.org"),
    // An npm lock file with addresses would name whatever mirror wrote it.
    concat!("\"resolved\": ", "\"http"),
];

pub(super) fn check_machine_paths(tree: &Tree) -> Vec<Finding> {
    find_in_text(tree, |line| {
        MACHINE_PATHS
            .iter()
            .find(|path| has_path(line, path))
            .map(|path| format!("{path} is a place on one machine"))
    })
}

pub(super) fn check_registries(tree: &Tree) -> Vec<Finding> {
    find_in_text(tree, |line| {
        REGISTRIES
            .iter()
            .find(|host| line.contains(*host))
            .map(|host| format!("{host} is for the machine's settings to name"))
    })
}

fn find_in_text(tree: &Tree, wrong: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_text(file)) {
        for (index, line) in file.text().lines().enumerate() {
            if let Some(what) = wrong(line) {
                findings.push(Finding::new(file, index + 1, what));
            }
        }
    }
    findings
}

/// Lines of real logs, and built files, may name anything.
fn is_text(file: &File) -> bool {
    let is_log = file.path.starts_with("testdata/") || file.path.contains("/testdata/");
    !is_log && !file.path.starts_with("web/dist/") && !file.bytes.contains(&0)
}

/// Whether an absolute path begins here: a folder of that name further down is another thing.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn absolute_places_are_found_and_relative_ones_are_not() {
        let (work, tmp) = (MACHINE_PATHS[0], MACHINE_PATHS[1]);
        let text = format!("a\n\"{work}main\"\nx{tmp}y\n./net{work}\ncd {tmp}z\n");
        let files = [("docs/a.md", text.as_str()), ("testdata/messages", &text)];
        let found = [("docs/a.md".into(), 2), ("docs/a.md".into(), 5)];
        assert_eq!(lines_found(check_machine_paths, &files), found);
    }

    #[test]
    fn mirrors_are_found_in_lock_files_too() {
        let npm = format!("{{\n  {}s://mirror/x.tgz\"\n}}", REGISTRIES[8]);
        let text = format!("https://{}/x", REGISTRIES[0]);
        let files = [
            ("tests/ui/package-lock.json", npm.as_str()),
            ("a.rs", &text),
        ];
        let found = [("tests/ui/package-lock.json".into(), 2), ("a.rs".into(), 1)];
        assert_eq!(lines_found(check_registries, &files), found);
    }
}
