//! Sources are ASCII, so that nothing looks like what it is not; tests may say what they test.

use super::Finding;
use super::tree::{File, Tree};

/// Files whose purpose is a character beyond ASCII.
const EXCEPTIONS: &[&str] = &[];

pub(super) fn check_ascii(tree: &Tree) -> Vec<Finding> {
    tree.sources()
        .filter(|file| !file.is_test && !EXCEPTIONS.contains(&file.path.as_str()))
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let text = file.text();
    text.lines()
        .enumerate()
        // Unit tests stand last in a file.
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter_map(|(index, line)| {
            let odd = line.chars().find(|c| !c.is_ascii())?;
            let what = format!("{} is not ASCII", odd.escape_unicode());
            Some(Finding::new(file, index + 1, what))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn odd_characters_are_found_outside_tests() {
        let text = "fn a() {}\n// caf\u{e9}\n#[cfg(test)]\nmod tests { // \u{e9}\n}\n";
        let files = [
            ("a.rs", text),
            ("a/tests/all.rs", text),
            ("tests/senders.rs", text),
            ("web/tests/a.test.ts", text),
            ("web/src/a.ts", "'\u{2192}'"),
            ("README.md", "\u{2192}"),
        ];
        let found = [("a.rs".into(), 2), ("web/src/a.ts".into(), 1)];
        assert_eq!(lines_found(check_ascii, &files), found);
    }
}
