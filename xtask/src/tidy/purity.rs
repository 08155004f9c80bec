//! Where time may be read and where functions may be asynchronous.

use super::Finding;
use super::tree::Tree;

/// Asynchronous code waits on sockets; everything else runs on threads that it owns.
const ASYNC_ALLOWED: &[&str] = &[
    "crates/ingest/",
    "crates/outputs/",
    "crates/server/",
    "crates/client/",
    "crates/load/",
    "bin/",
];

/// The store's clock, the edges where a clock is handed in, and what is no part of the product.
const CLOCK_ALLOWED: &[&str] = &[
    "crates/store/src/clock.rs",
    "crates/ingest/",
    "crates/outputs/",
    "crates/server/",
    "crates/client/",
    "crates/load/",
    "crates/sim/",
    "crates/testkit/",
    "bin/",
    "bench/",
    "tests/",
    "xtask/",
];

pub(super) fn check_async(tree: &Tree) -> Vec<Finding> {
    const SIGNS: &[&str] = &[
        concat!("async", " fn"),
        concat!("async", " move"),
        concat!("async", " {"),
        concat!(".aw", "ait"),
    ];
    check(tree, ASYNC_ALLOWED, SIGNS, "async lives at the sockets")
}

pub(super) fn check_clock(tree: &Tree) -> Vec<Finding> {
    const SIGNS: &[&str] = &[
        concat!("SystemTime", "::now"),
        concat!("Instant", "::now"),
        concat!("Timestamp", "::now"),
        concat!("Zoned", "::now"),
    ];
    check(tree, CLOCK_ALLOWED, SIGNS, "take the time from a Clock")
}

fn check(tree: &Tree, allowed: &[&str], signs: &[&str], what: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        if file.is_test || allowed.iter().any(|place| file.path.starts_with(place)) {
            continue;
        }
        for (index, line) in file.text().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if signs.iter().any(|sign| code.contains(sign)) {
                findings.push(Finding::new(file, index + 1, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn async_is_found_outside_the_edges() {
        let text = concat!("//! x\nasync", " fn a() {}\n// async", " fn in words\n");
        let files = [
            ("crates/engine/src/a.rs", text),
            ("crates/ingest/src/a.rs", text),
        ];
        let found = [("crates/engine/src/a.rs".into(), 2)];
        assert_eq!(lines_found(check_async, &files), found);
    }

    #[test]
    fn a_second_clock_is_found() {
        let text = concat!("//! x\n\nlet now = Instant", "::now();\n");
        let files = [
            ("crates/query/src/a.rs", text),
            ("crates/store/src/clock.rs", text),
        ];
        let found = [("crates/query/src/a.rs".into(), 3)];
        assert_eq!(lines_found(check_clock, &files), found);
    }
}
