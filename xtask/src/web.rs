//! The page: its built files are checked in, and proven fresh.
//!
//! With Node the proof is a second build in another folder, compared byte by byte. Without it the
//! sources are hashed as `web/build-hash.mjs` says and compared with `web/dist/BUILD`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell;

/// Installs the locked packages and builds the page into `web/dist`.
pub(crate) fn build() -> Result<()> {
    let web = folder()?;
    install_locked(&web)?;
    npm(&web, &["run", "build"])
}

/// Fails when `web/dist` is not what the sources build to, or when they do not type-check.
pub(crate) fn check() -> Result<()> {
    if !shell::is_installed("npm") {
        eprintln!("Node is missing: comparing only the hash of the sources with web/dist/BUILD");
        return check_hash();
    }
    let copy = shell::target()?.join("web-check");
    copy_sources(&folder()?, &copy)?;
    install_locked(&copy)?;
    npm(&copy, &["run", "check"])?;
    npm(&copy, &["run", "build"])?;
    let stale = differences(
        &read_tree(&folder()?.join("dist"))?,
        &read_tree(&copy.join("dist"))?,
    );
    if !stale.is_empty() {
        bail!(
            "web/dist is stale in {}; run `cargo xtask web` and commit it",
            stale.join(", ")
        );
    }
    Ok(())
}

/// `npm ci`, unless the packages are those of the lock file already.
pub(crate) fn install_locked(folder: &Path) -> Result<()> {
    let lock = fs::read(folder.join("package-lock.json"))
        .with_context(|| format!("{} has no package-lock.json", folder.display()))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    npm(folder, &["ci", "--no-audit", "--no-fund"])?;
    fs::write(&stamp, lock).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Runs npm in a folder, quietly.
pub(crate) fn npm(folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("npm");
    command.arg("--silent").args(arguments).current_dir(folder);
    shell::run(&mut command)
}

/// The folder of the page's sources.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(shell::root()?.join("web"))
}

/// Makes `to` a copy of the sources, keeping the packages that a former check installed there.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(to)? {
        let path = entry?.path();
        if path.ends_with("node_modules") {
            continue;
        }
        if path.is_dir() {
            fs::remove_dir_all(&path)?;
        } else {
            fs::remove_file(&path)?;
        }
    }
    for (path, bytes) in read_tree(from)? {
        if !path.starts_with("dist/") {
            let target = to.join(path);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&target, bytes)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}

type Tree = BTreeMap<String, Vec<u8>>;

/// Every file below a folder by its relative path; `node_modules` is left out.
fn read_tree(folder: &Path) -> Result<Tree> {
    let mut tree = Tree::new();
    read_into(folder, "", &mut tree)?;
    Ok(tree)
}

fn read_into(folder: &Path, prefix: &str, tree: &mut Tree) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if !entry.file_type()?.is_dir() {
            tree.insert(path, fs::read(entry.path())?);
        } else if name != "node_modules" {
            read_into(&entry.path(), &format!("{path}/"), tree)?;
        }
    }
    Ok(())
}

/// Paths that only one tree has or that differ.
fn differences(one: &Tree, other: &Tree) -> Vec<String> {
    let mut paths: Vec<&String> = one.keys().chain(other.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| one.get(*path) != other.get(*path))
        .cloned()
        .collect()
}

fn check_hash() -> Result<()> {
    let web = folder()?;
    let built = fs::read_to_string(web.join("dist/BUILD")).context("web/dist/BUILD is missing")?;
    let sources = digest(&read_tree(&web)?)?;
    if built.trim_end() != sources {
        bail!("web/dist was built from other sources; run `cargo xtask web` where Node is");
    }
    Ok(())
}

/// The digest of the page's sources, as `web/build-hash.mjs` makes it.
fn digest(tree: &Tree) -> Result<String> {
    let mut lines = Vec::new();
    for (path, bytes) in tree {
        let counts = path.starts_with("src/")
            || ["index.html", "package-lock.json", "vite.config.ts"].contains(&path.as_str());
        if counts {
            lines.extend_from_slice(format!("{path}\0{}\n", sha256(bytes)?).as_bytes());
        }
    }
    sha256(&lines)
}

fn sha256(bytes: &[u8]) -> Result<String> {
    let mut child = Command::new("sha256sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start sha256sum")?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(bytes)
            .context("sha256sum stopped reading")?;
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8(output.stdout).context("sha256sum printed no text")?;
    let digest = text.split_whitespace().next().unwrap_or_default();
    if !output.status.success() || digest.len() != 64 {
        bail!(
            "sha256sum printed `{text}` and ended with {}",
            output.status
        );
    }
    Ok(digest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    #[test]
    fn differences_are_missing_added_and_changed_files() {
        let one = tree(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let other = tree(&[("b", "2"), ("c", "1"), ("d", "1")]);
        assert_eq!(differences(&one, &other), ["a", "b", "d"]);
        assert!(differences(&one, &one).is_empty());
    }

    #[test]
    fn the_digest_covers_sources_only() {
        let sources = tree(&[("index.html", "x"), ("src/a.ts", "y")]);
        let more = tree(&[
            ("dist/app.js", "z"),
            ("index.html", "x"),
            ("src/a.ts", "y"),
            ("tests/a.test.ts", "z"),
        ]);
        let changed = tree(&[("index.html", "x"), ("src/a.ts", "z")]);
        let digests = [&sources, &more, &changed].map(|tree| digest(tree).unwrap());
        assert_eq!(digests[0], digests[1]);
        assert_ne!(digests[0], digests[2]);
    }

    #[test]
    fn sha256_is_the_known_one() {
        assert_eq!(
            sha256(b"abc").unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
