//! The files that rules look at.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Folders of what is built, downloaded or written by a run; git ignores them too.
const SKIPPED: &[&str] = &[
    ".git",
    "target",
    "node_modules",
    "logwood-data",
    "tests/output",
];

/// Every file of the repository, sorted by path.
pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

/// A file with its content.
pub(super) struct File {
    /// Relative to the root, with forward slashes.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it is compiled for tests, benchmarks and examples only.
    pub(super) is_test: bool,
}

impl Tree {
    /// Reads all files below the root.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        read_into(root, "", &mut files)?;
        files.sort_by(|one: &File, other| one.path.cmp(&other.path));
        Ok(Self::new(files))
    }

    fn new(mut files: Vec<File>) -> Self {
        let modules: BTreeSet<String> = files.iter().flat_map(File::test_modules).collect();
        for file in &mut files {
            let is_part = |module: &String| {
                let rest = file.path.strip_prefix(module.as_str());
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            file.is_test = file.lies_among_tests() || modules.iter().any(is_part);
        }
        Self { files }
    }

    /// The files whose content is text that people write.
    pub(super) fn sources(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_source())
    }

    /// The Rust files.
    pub(super) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| File::new(path, text))
            .collect();
        Self::new(files)
    }
}

impl File {
    #[cfg(test)]
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            is_test: false,
        }
    }

    /// The content, bytes that are not UTF-8 replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(super) fn has_extension(&self, extension: &str) -> bool {
        self.name()
            .rsplit_once('.')
            .is_some_and(|(_, own)| own == extension)
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Generated files, and data that tests read.
    pub(super) fn is_data(&self) -> bool {
        self.path.starts_with("testdata/")
            || self.path.contains("/testdata/")
            || self.path.starts_with("web/dist/")
            || self.path.starts_with("fuzz/corpus/")
            || self.name() == "openapi.json"
            || self.name() == "package-lock.json"
            || self.name() == "Cargo.lock"
    }

    fn lies_among_tests(&self) -> bool {
        let (folder, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        folder
            .split('/')
            .any(|part| ["tests", "benches", "examples"].contains(&part))
            || name.contains(".test.")
    }

    /// Paths, without their ending, of the modules that this file declares for tests only.
    fn test_modules(&self) -> Vec<String> {
        if !self.has_extension("rs") {
            return Vec::new();
        }
        let path = self.path.trim_end_matches(".rs");
        let folder = match path.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder,
            _ => path,
        };
        let text = self.text();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines
            .windows(2)
            .filter(|pair| pair[0] == "#[cfg(test)]")
            .filter_map(|pair| pair[1].strip_suffix(';')?.rsplit_once("mod "))
            .map(|(_, name)| format!("{folder}/{name}"))
            .collect()
    }

    fn is_source(&self) -> bool {
        const EXTENSIONS: &[&str] = &[
            "rs", "toml", "ts", "mts", "js", "mjs", "svelte", "css", "html", "json", "py", "sh",
        ];
        !self.is_data()
            && EXTENSIONS
                .iter()
                .any(|extension| self.has_extension(extension))
    }
}

fn read_into(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if SKIPPED.contains(&name.as_str()) || SKIPPED.contains(&path.as_str()) {
            continue;
        }
        if kind.is_dir() {
            read_into(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
            files.push(File {
                path,
                bytes,
                is_test: false,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_read_without_what_is_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let tree = Tree::read(root).unwrap();
        let has = |path: &str| tree.files.iter().any(|file| file.path == path);
        assert!(has("xtask/src/tidy/tree.rs") && has("Cargo.lock"));
        assert!(!tree.files.iter().any(|f| f.path.starts_with("target/")));
        assert!(!tree.files.iter().any(|f| f.path.contains("node_modules/")));
    }

    #[test]
    fn what_is_compiled_for_tests_only_is_known() {
        let declares = "//! x\n#[cfg(test)]\npub(crate) mod samples;\nmod other;\n";
        let tree = Tree::of(&[
            ("a/benches/speed.rs", ""),
            ("a/src/lib.rs", declares),
            ("a/src/other.rs", "#[cfg(test)]\nmod tests;\n"),
            ("a/src/other/samples.rs", ""),
            ("a/src/other/tests.rs", ""),
            ("a/src/samples.rs", ""),
            ("a/src/samples/more.rs", ""),
        ]);
        let is_test: Vec<bool> = tree.files.iter().map(|file| file.is_test).collect();
        assert_eq!(is_test, [true, false, false, false, true, true, true]);
    }

    #[test]
    fn generated_files_are_no_sources() {
        let tree = Tree::of(&[
            ("Cargo.lock", ""),
            ("a.rs", ""),
            ("notes.md", ""),
            ("testdata/x.json", ""),
            ("web/dist/app.js", ""),
        ]);
        let sources: Vec<&str> = tree.sources().map(|file| file.path.as_str()).collect();
        assert_eq!(sources, ["a.rs"]);
    }
}
