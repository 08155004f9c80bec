//! Dependencies between our crates point down only, as ARCHITECTURE.md draws them.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::{File, Tree};

/// What a crate stands on directly; it may use everything below that as well.
const HOUSE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("syslog", &["model"]),
    ("segment", &["model"]),
    ("store", &["model", "segment"]),
    ("text_fields", &[]),
    ("query", &["model", "text_fields"]),
    ("parsers", &["model", "text_fields"]),
    ("engine", &["query", "store"]),
    (
        "pipeline",
        &["model", "query", "syslog", "macros", "parsers", "patterndb"],
    ),
    ("ingest", &["syslog", "pipeline", "store"]),
    ("macros", &["model"]),
    ("patterndb", &["macros", "model"]),
    ("outputs", &["store", "query", "syslog", "macros"]),
    ("config", &["ingest", "outputs", "engine"]),
    ("api", &["model", "text_fields"]),
    ("server", &["api", "engine", "ingest", "outputs", "config"]),
    ("client", &["api"]),
    (
        "fuzzing",
        &[
            "syslog",
            "engine",
            "ingest",
            "macros",
            "parsers",
            "patterndb",
        ],
    ),
    ("fuzz", &["fuzzing"]),
    ("load", &["syslog"]),
    ("logwood", &["server", "client", "load", "patterndb"]),
    ("testkit", &["model", "client"]),
    ("sim", &["store", "ingest", "engine"]),
    ("tests", &["testkit", "query"]),
    ("bench", &["logwood", "server", "client", "load", "testkit"]),
    ("kernels", &["segment", "syslog", "query"]),
    ("xtask", &[]),
];

/// Libraries that must not come in through others: TLS is rustls with ring, one provider.
const FORBIDDEN: &[&str] = &[
    "aws-lc-rs",
    "aws-lc-sys",
    "native-tls",
    "openssl",
    "openssl-sys",
];

/// What the lock file has and the house does not want.
pub(super) fn check_lock(tree: &Tree) -> Vec<Finding> {
    let locks = tree.files.iter().filter(|file| file.path == "Cargo.lock");
    let mut findings = Vec::new();
    for file in locks {
        for (index, line) in file.text().lines().enumerate() {
            let name = line
                .strip_prefix("name = ")
                .map(|name| name.trim_matches('"'));
            if name.is_some_and(|name| FORBIDDEN.contains(&name)) {
                let what = "TLS is rustls with ring; find who brings this by `cargo tree -i`";
                findings.push(Finding::new(file, index + 1, what));
            }
        }
    }
    findings
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| file.name() == "Cargo.toml" && file.path.contains('/'))
        .flat_map(check_manifest)
        .collect()
}

fn check_manifest(file: &File) -> Vec<Finding> {
    let text = file.text();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("name = "))
        .map(|name| name.trim().trim_matches('"'))
        .unwrap_or_default();
    let Some(allowed) = below(name) else {
        let what = format!("`{name}` has no place in the house; give it one in xtask");
        return vec![Finding::new(file, 0, what)];
    };
    dependencies(&text)
        .into_iter()
        .filter(|(_, dependency)| is_ours(dependency) && !allowed.contains(dependency.as_str()))
        .map(|(line, dependency)| {
            Finding::new(file, line, format!("{name} must not stand on {dependency}"))
        })
        .collect()
}

/// Everything a crate may use; `None` for a crate that is not in the house.
fn below(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, direct) = HOUSE.iter().find(|(known, _)| *known == name)?;
    let mut all = BTreeSet::new();
    let mut open = direct.to_vec();
    while let Some(next) = open.pop() {
        if all.insert(next)
            && let Some((_, direct)) = HOUSE.iter().find(|(known, _)| *known == next)
        {
            open.extend_from_slice(direct);
        }
    }
    Some(all)
}

fn is_ours(dependency: &str) -> bool {
    HOUSE.iter().any(|(known, _)| *known == dependency)
}

/// The names in the tables of dependencies, with their lines. Tests may use what they need, but
/// the crate of tests is all tests.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let is_tests = manifest.contains("\nname = \"tests\"\n");
    let mut inside = false;
    let mut found = Vec::new();
    for (index, line) in manifest.lines().enumerate() {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end().trim_end_matches(']');
            inside = table == "dependencies"
                || table == "build-dependencies"
                || table.ends_with(".dependencies")
                || (is_tests && table == "dev-dependencies");
        } else if inside {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.push((index + 1, name.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::lines_found;
    use super::*;

    #[test]
    fn an_edge_that_points_up_is_found() {
        let up = "[package]\nname = \"store\"\n[dependencies]\nmodel.workspace = true\n\
                  engine = { path = \"../engine\" }\nserde.workspace = true\n\
                  [dev-dependencies]\ntestkit.workspace = true\n";
        let down = "[package]\nname = \"engine\"\n[dependencies]\nstore.workspace = true\n\
                    segment.workspace = true\n";
        let files = [
            ("crates/store/Cargo.toml", up),
            ("crates/engine/Cargo.toml", down),
        ];
        assert_eq!(
            lines_found(check, &files),
            [("crates/store/Cargo.toml".into(), 5)]
        );
    }

    #[test]
    fn a_second_provider_of_tls_is_found() {
        let lock = "[[package]]\nname = \"ring\"\n[[package]]\nname = \"aws-lc-sys\"\n";
        let files = [("Cargo.lock", lock), ("fuzz/Cargo.lock", lock)];
        assert_eq!(lines_found(check_lock, &files), [("Cargo.lock".into(), 4)]);
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        let files = [("crates/x/Cargo.toml", "[package]\nname = \"x\"\n")];
        assert_eq!(
            lines_found(check, &files),
            [("crates/x/Cargo.toml".into(), 0)]
        );
    }

    #[test]
    fn the_house_has_no_stairs_in_a_circle() {
        for (name, _) in HOUSE {
            assert!(
                !below(name).unwrap().contains(name),
                "{name} stands on itself"
            );
        }
    }
}
