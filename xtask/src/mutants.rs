//! `cargo xtask mutants`: breaks the store on purpose, one way at a time, and demands that the
//! simulator, or else a test of the store, notices.
//!
//! A mutant is a patch in `crates/sim/mutants` whose first line says what it breaks. It is applied
//! to a copy of the tree; the copy keeps its own target directory, so that only the store and the
//! simulator are built again.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::ledger::Entry;
use crate::shell;

/// What is run against each mutant, the quickest first: package and filter. The store's own tests
/// come last; they alone see a part of a commit that no reader could miss.
const TESTS: &[(&str, &str)] = &[
    ("sim", "a_flipped_bit"),
    ("sim", "a_kill"),
    ("sim", "any_three"),
    ("sim", "the_power"),
    ("sim", "two_processes"),
    ("sim", "no_seed"),
    ("sim", "any_call"),
    ("sim", "a_failed_sync"),
    ("sim", "what_waits"),
    ("store", ""),
];

/// Runs all mutants, or the one of a name, and prints what became of each.
pub(crate) fn run(name: Option<&str>) -> Result<()> {
    let entry = Entry::begin("mutants")?;
    let copy = Copy::make()?;
    if let Some((package, filter)) = copy.first_failure()? {
        bail!("{package} {filter} fails without any mutant");
    }
    let (mut caught, mut survived) = (0, Vec::new());
    for patch in patches()? {
        let mutant = stem(&patch);
        if name.is_some_and(|name| name != mutant) {
            continue;
        }
        copy.apply(&patch, &[])?;
        let failure = copy.first_failure();
        copy.apply(&patch, &["--reverse"])?;
        match failure? {
            Some((package, filter)) => {
                caught += 1;
                println!("caught    {mutant:32} by {package} {filter}");
            }
            None => {
                println!("SURVIVED  {mutant:32} {}", first_line(&patch)?);
                survived.push(mutant);
            }
        }
    }
    let all = caught + survived.len();
    if name.is_none() {
        let result = match survived.as_slice() {
            [] => format!("{caught} caught"),
            names => format!("{caught} caught, survived: {}", names.join(", ")),
        };
        entry.end(&format!("{all} mutants"), &result)?;
    }
    if !survived.is_empty() || all == 0 {
        bail!("{} of {all} mutants survived", survived.len());
    }
    Ok(())
}

/// The patches, by name.
fn patches() -> Result<Vec<PathBuf>> {
    let folder = shell::root()?.join("crates/sim/mutants");
    let mut patches = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "patch") {
            patches.push(path);
        }
    }
    patches.sort();
    Ok(patches)
}

fn stem(patch: &Path) -> String {
    let stem = patch.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn first_line(patch: &Path) -> Result<String> {
    let text = fs::read_to_string(patch)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Removes what an older tree had.
fn remove_others(folder: &Path, files: &HashSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, files)?;
        } else if !files.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// A copy of the tree that may be broken.
struct Copy {
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    fn make() -> Result<Self> {
        let folder = shell::target()?.join("mutants");
        let copy = Self {
            tree: folder.join("tree"),
            target: folder.join("target"),
        };
        let root = shell::root()?;
        let files = shell::output(
            Command::new("git")
                .args(["ls-files", "--cached", "--others", "--exclude-standard"])
                .current_dir(&root),
        )?;
        for file in files.lines() {
            copy.update(&root.join(file), &copy.tree.join(file))?;
        }
        let files: HashSet<PathBuf> = files.lines().map(|file| copy.tree.join(file)).collect();
        remove_others(&copy.tree, &files)?;
        Ok(copy)
    }

    /// Copies a file where it differs, so that cargo builds only what changed.
    fn update(&self, from: &Path, to: &Path) -> Result<()> {
        let Ok(bytes) = fs::read(from) else {
            return Ok(());
        };
        if fs::read(to).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
    }

    fn apply(&self, patch: &Path, options: &[&str]) -> Result<()> {
        let mut command = Command::new("patch");
        command
            .args(["-p1", "--quiet", "--no-backup-if-mismatch", "--input"])
            .arg(patch)
            .args(options)
            .current_dir(&self.tree);
        shell::run(&mut command)
    }

    /// The first test that fails; an error where the tree cannot be built.
    fn first_failure(&self) -> Result<Option<(&'static str, &'static str)>> {
        let mut build = shell::cargo(&["test", "--quiet", "--package", "sim", "--no-run"])?;
        build
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target);
        shell::run(&mut build)?;
        for (package, filter) in TESTS {
            let arguments = ["test", "--quiet", "--package", package, filter];
            let mut test = shell::cargo(&arguments)?;
            let status = test
                .current_dir(&self.tree)
                .env("CARGO_TARGET_DIR", &self.target)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .context("cannot start the tests")?;
            if !status.success() {
                return Ok(Some((package, filter)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_applies_and_says_what_it_breaks() {
        let patches = patches().unwrap();
        assert!(patches.len() >= 20, "{} mutants", patches.len());
        for patch in patches {
            let mut check = Command::new("git");
            check.args(["apply", "--check"]).arg(&patch);
            shell::run(check.current_dir(shell::root().unwrap())).unwrap();
            let line = first_line(&patch).unwrap();
            assert!(line.ends_with('.'), "{}: {line}", patch.display());
        }
    }
}
