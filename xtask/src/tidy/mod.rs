//! Rules of the house that no compiler checks; each is a function over all files, with a test.

mod crates;
mod docs;
mod paths;
mod purity;
mod size;
mod text;
mod tree;

use std::fmt;

use anyhow::{Result, bail};

use crate::shell;
use tree::{File, Tree};

/// A rule looks at all files and says what is wrong.
type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: &[(&str, Rule)] = &[
    ("files are short", size::check_lines),
    ("files are small", size::check_bytes),
    ("sources are ASCII", text::check_ascii),
    ("Rust files say what they are", docs::check_module_docs),
    ("limits say why", docs::check_limits),
    ("no drawer for odds and ends", docs::check_names),
    ("crates depend downwards", crates::check),
    ("one library for TLS", crates::check_lock),
    ("no paths of one machine", paths::check_machine_paths),
    ("no names of registries", paths::check_registries),
    ("async only at the edges", purity::check_async),
    ("one clock", purity::check_clock),
];

/// One thing that is wrong, in one line that an editor can jump to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// Counted from 1; 0 means the whole file.
    line: usize,
    what: String,
}

impl Finding {
    fn new(file: &File, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: file.path.clone(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// Applies every rule to the repository and prints all findings.
pub(crate) fn run() -> Result<()> {
    let tree = Tree::read(&shell::root()?)?;
    let mut broken = 0;
    for (name, rule) in RULES {
        let findings = rule(&tree);
        for finding in &findings {
            eprintln!("tidy: {finding} ({name})");
        }
        broken += findings.len();
    }
    if broken > 0 {
        bail!("{broken} rules of the house are broken");
    }
    println!("tidy: {} files, {} rules", tree.files.len(), RULES.len());
    Ok(())
}

#[cfg(test)]
fn lines_found(rule: Rule, files: &[(&str, &str)]) -> Vec<(String, usize)> {
    rule(&Tree::of(files))
        .into_iter()
        .map(|finding| (finding.path, finding.line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_read_as_places() {
        let file = File::new("a.rs", "");
        assert_eq!(Finding::new(&file, 3, "x").to_string(), "a.rs:3: x");
        assert_eq!(Finding::new(&file, 0, "x").to_string(), "a.rs: x");
    }
}
