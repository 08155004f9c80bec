//! Destinations that are files: not among those of the store.

use std::path::{Component, Path, PathBuf};

use outputs::kinds::PathTemplate;

use crate::document::{Document, Section};
use crate::finding::Findings;
use crate::value::Value;

/// Adds what is wrong with files. Where only values lead into the data directory, their records are refused one by one.
pub(super) fn check(document: &Document, section: &Section, findings: &mut Findings<'_>) {
    let Some(entry) = section.entry("path").filter(|_| section.kind() == "file") else {
        return;
    };
    let store = document.of_kind("store").next();
    let data_dir = store.and_then(|store| store.entry("data_dir"));
    let (Value::Text(path), Some(Value::Path(data_dir))) =
        (&entry.value, data_dir.map(|entry| &entry.value))
    else {
        return;
    };
    let Ok(path) = PathTemplate::parse(path) else {
        return;
    };
    if plain(&path.fixed_directory()).starts_with(plain(data_dir)) {
        let message = format!("this is in the data directory, {}", data_dir.display());
        let hint = "name another directory: that one is the store's alone".to_owned();
        findings.error(entry.span.clone(), message, Some(hint));
    }
}

/// An absolute path without steps up.
fn plain(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => _ = plain.pop(),
            other => plain.push(other),
        }
    }
    plain
}
