//! What every Rust file must say, and what none may be called.

use super::Finding;
use super::tree::{File, Tree};

pub(super) fn check_module_docs(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        // `x/tests.rs` is a part of `x.rs`, which says what it is.
        .filter(|file| file.name() != "tests.rs" && !file.bytes.starts_with(b"//! "))
        .map(|file| Finding::new(file, 1, "begin with `//!`: what it is, and the one idea"))
        .collect()
}

pub(super) fn check_limits(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|file| file.name() == "limits.rs")
        .flat_map(undocumented_constants)
        .collect()
}

fn undocumented_constants(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut documented = false;
    for (index, line) in file.text().lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("///") {
            documented = true;
        } else if !line.starts_with("#[") {
            if is_constant(line) && !documented {
                findings.push(Finding::new(file, index + 1, "say why it is that much"));
            }
            documented = false;
        }
    }
    findings
}

fn is_constant(line: &str) -> bool {
    let line = line.strip_prefix("pub").unwrap_or(line);
    let line = match line.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(line, |(_, rest)| rest),
        None => line,
    };
    line.trim_start().starts_with("const ") && !line.contains(" fn ")
}

pub(super) fn check_names(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|file| {
            file.path
                .split('/')
                .any(|part| is_drawer(part.trim_end_matches(".rs")))
        })
        .map(|file| Finding::new(file, 0, "name the idea, not the drawer it lies in"))
        .collect()
}

fn is_drawer(name: &str) -> bool {
    name.starts_with("util") || ["common", "helpers", "misc"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn a_file_without_a_head_is_found() {
        let files = [
            ("a.rs", "//! What.\n"),
            ("b.rs", "fn b() {}\n"),
            ("c.rs", ""),
            ("c/tests.rs", ""),
        ];
        let found = [("b.rs".into(), 1), ("c.rs".into(), 1)];
        assert_eq!(lines_found(check_module_docs, &files), found);
    }

    #[test]
    fn a_limit_without_a_reason_is_found() {
        let text = "//! Limits.\n\
                    /// A reason.\n\
                    #[rustfmt::skip]\n\
                    pub const A: u8 = 1;\n\
                    pub const B: u8 = 2;\n\
                    pub(crate) const C: u8 = 2;\n\
                    const D: u8 = 2;\n\
                    pub const fn e() {}\n";
        let files = [("x/limits.rs", text), ("x/other.rs", text)];
        let found: Vec<(String, usize)> = [5, 6, 7].map(|l| ("x/limits.rs".into(), l)).into();
        assert_eq!(lines_found(check_limits, &files), found);
    }

    #[test]
    fn a_drawer_is_found_by_its_name() {
        let files = [
            ("a/src/utils.rs", ""),
            ("a/src/util/x.rs", ""),
            ("a/src/helpers.rs", ""),
            ("a/src/utilization_of_disk.rs", ""),
            ("a/src/words.rs", ""),
        ];
        assert_eq!(lines_found(check_names, &files).len(), 4);
    }
}
