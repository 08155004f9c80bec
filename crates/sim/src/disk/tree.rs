//! The names of a file system, and which of them a power cut may take back.
//!
//! Every change is an operation that waits for the sync of a directory it touches. A power cut
//! keeps each waiting operation or drops it, as if independently, but an operation on a name
//! cannot be there without those before it on the same name. A rename is kept or dropped whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::disk::content::Content;
use crate::random::Random;

/// A file that open handles share.
pub(crate) type Inode = Arc<Mutex<Content>>;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Dir,
    File(Inode),
}

/// A change of names.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Add(PathBuf, Node),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

impl Change {
    fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Add(path, _) | Self::Remove(path) => vec![path],
            Self::Rename(from, to) => vec![from, to],
        }
    }

    fn is_in(&self, dir: &Path) -> bool {
        self.paths().iter().any(|path| path.parent() == Some(dir))
    }

    /// Whether one cannot be there without the other, whichever came first: a directory that is
    /// removed is empty, and one that is entered exists.
    fn depends_on(&self, other: &Self) -> bool {
        let related = |a: &&Path, b: &&Path| a.starts_with(b) || b.starts_with(a);
        let others = other.paths();
        let mut ours = self.paths().into_iter();
        ours.any(|path| others.iter().any(|other| related(&path, other)))
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            Self::Add(path, node) => _ = names.insert(path.clone(), node.clone()),
            Self::Remove(path) => _ = names.remove(path),
            Self::Rename(from, to) => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

/// All names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    current: BTreeMap<PathBuf, Node>,
    durable: BTreeMap<PathBuf, Node>,
    waiting: Vec<Change>,
}

impl Tree {
    pub(crate) fn get(&self, path: &Path) -> Option<&Node> {
        self.current.get(path)
    }

    /// Whether a path is a directory; the root and what has no parent always is.
    pub(crate) fn is_dir(&self, path: &Path) -> bool {
        path.parent().is_none()
            || path.as_os_str().is_empty()
            || matches!(self.get(path), Some(Node::Dir))
    }

    /// What lies directly in a directory.
    pub(crate) fn children(&self, dir: &Path) -> Vec<(PathBuf, Node)> {
        let is_child = |path: &PathBuf| path.parent() == Some(dir);
        let all = self.current.iter().filter(|(path, _)| is_child(path));
        all.map(|(path, node)| (path.clone(), node.clone()))
            .collect()
    }

    /// All files with their paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &Inode)> {
        self.current.iter().filter_map(|(path, node)| match node {
            Node::Dir => None,
            Node::File(inode) => Some((path.as_path(), inode)),
        })
    }

    pub(crate) fn change(&mut self, change: Change) {
        change.apply(&mut self.current);
        self.waiting.push(change);
    }

    /// Makes the entries of a directory durable, and what they depend on.
    pub(crate) fn sync_dir(&mut self, dir: &Path) {
        let mut synced: Vec<Change> = Vec::new();
        let mut waiting = Vec::new();
        for change in self.waiting.drain(..).rev() {
            let is_needed = || synced.iter().any(|later| later.depends_on(&change));
            if change.is_in(dir) || is_needed() {
                synced.push(change);
            } else {
                waiting.push(change);
            }
        }
        for change in synced.iter().rev() {
            change.apply(&mut self.durable);
        }
        waiting.reverse();
        self.waiting = waiting;
    }

    /// What a power cut leaves of the names.
    pub(crate) fn after_power_cut(&self, random: &mut Random, kept_percent: u64) -> Self {
        let mut names = self.durable.clone();
        let mut dropped: Vec<&Change> = Vec::new();
        for change in &self.waiting {
            let is_cut_off = dropped.iter().any(|earlier| change.depends_on(earlier));
            if is_cut_off || !random.percent(kept_percent) {
                dropped.push(change);
            } else {
                change.apply(&mut names);
            }
        }
        Self {
            current: names.clone(),
            durable: names,
            waiting: Vec::new(),
        }
    }

    /// Puts a copy of each file in the place of the file.
    pub(crate) fn replace_files(&mut self, mut copy: impl FnMut(&Inode) -> Inode) {
        for node in self.current.values_mut() {
            if let Node::File(inode) = node {
                *inode = copy(inode);
            }
        }
        self.durable = self.current.clone();
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(path: &str) -> Change {
        Change::Add(path.into(), Node::File(Inode::default()))
    }

    fn rename(from: &str, to: &str) -> Change {
        Change::Rename(from.into(), to.into())
    }

    fn names(tree: &Tree) -> Vec<String> {
        let names = tree.current.keys();
        names.map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_name_lives_from_the_sync_of_its_directory() {
        let mut tree = Tree::default();
        tree.change(add("/a/x"));
        tree.change(add("/b/y"));
        tree.sync_dir(Path::new("/a"));
        let mut random = Random::new(0);
        assert_eq!(names(&tree.after_power_cut(&mut random, 0)), ["/a/x"]);
        assert_eq!(
            names(&tree.after_power_cut(&mut random, 100)),
            ["/a/x", "/b/y"]
        );
    }

    #[test]
    fn a_rename_is_there_whole_or_not_at_all() {
        let mut tree = Tree::default();
        tree.change(add("/a/new.tmp"));
        tree.change(add("/a/old"));
        tree.sync_dir(Path::new("/a"));
        tree.change(rename("/a/new.tmp", "/a/old"));
        let mut random = Random::new(5);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            seen.insert(names(&tree.after_power_cut(&mut random, 50)));
        }
        let before = vec!["/a/new.tmp".to_owned(), "/a/old".to_owned()];
        let after = vec!["/a/old".to_owned()];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [before, after]);
    }

    #[test]
    fn nothing_stands_on_a_change_that_is_gone() {
        let mut tree = Tree::default();
        tree.change(add("/a/x"));
        tree.change(rename("/a/x", "/a/y"));
        let mut random = Random::new(9);
        for _ in 0..50 {
            let names = names(&tree.after_power_cut(&mut random, 50));
            assert!(names.len() <= 1, "{names:?}");
        }
        tree.sync_dir(Path::new("/a"));
        assert_eq!(names(&tree.after_power_cut(&mut random, 0)), ["/a/y"]);
    }
}
