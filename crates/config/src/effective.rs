//! What is in force, value by value, and where each comes from.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use crate::document::{Document, Origin, Section};
use crate::value::Value;

/// Tells secrets apart without showing them.
static SECRETS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A key, its value in force, and where that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key within its section; empty for a section that has none, such as a logspace.
    pub key: &'static str,
    /// The value as it would be written in a file; `None` where the key is not set.
    pub value: Option<String>,
    /// Who set it.
    pub origin: Origin,
    /// Whether a change takes effect only after a restart.
    pub restart: bool,
}

/// A section and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveSection {
    /// Its path as in a header: `source.udp.office`.
    pub path: String,
    /// Who made it.
    pub origin: Origin,
    /// Every key it can have, in the order of the reference.
    pub settings: Vec<Setting>,
}

/// All that is in force. Its text is a configuration file that says all of it, with the origin of
/// each value as a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The sections, sources first.
    pub sections: Vec<EffectiveSection>,
}

impl Effective {
    pub(crate) fn new(document: &Document) -> Self {
        Self {
            sections: document.sections.iter().map(effective_section).collect(),
        }
    }

    /// The keys that take effect only after a restart and differ in `newer`, with their sections:
    /// `store.data_dir`.
    pub fn restart_keys(&self, newer: &Self) -> Vec<String> {
        let old = self.restart_values();
        let new = newer.restart_values();
        let old: HashSet<_> = old.iter().collect();
        let changed = new.iter().filter(|value| !old.contains(value));
        changed.map(|(key, _)| key.clone()).collect()
    }

    fn restart_values(&self) -> Vec<(String, Option<&str>)> {
        let mut values = Vec::new();
        for section in &self.sections {
            for setting in section.settings.iter().filter(|setting| setting.restart) {
                let key = format!("{}.{}", section.path, setting.key);
                values.push((key, setting.value.as_deref()));
            }
        }
        values
    }
}

/// Every value of a section as text.
pub(crate) fn definition(section: &Section) -> String {
    let values = section.entries.iter().map(|entry| {
        let value = match &entry.value {
            // Another secret is another section; which one it is stands nowhere.
            Value::Secret(secret) => format!("{:x}", SECRETS.hash_one(secret)),
            value => value.to_toml().unwrap_or_default(),
        };
        format!("{} = {value}\n", entry.key.name)
    });
    values.collect()
}

fn effective_section(section: &Section) -> EffectiveSection {
    let setting = |entry: &crate::document::Entry| Setting {
        key: entry.key.name,
        value: entry.value.to_toml(),
        origin: entry.origin,
        restart: entry.key.restart,
    };
    EffectiveSection {
        path: section.path(),
        origin: section.origin,
        settings: section.entries.iter().map(setting).collect(),
    }
}

impl fmt::Display for Effective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, section) in self.sections.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            commented(f, &format!("[{}]", section.path), section.origin)?;
            for setting in &section.settings {
                match &setting.value {
                    Some(value) => {
                        commented(f, &format!("{} = {value}", setting.key), setting.origin)?;
                    }
                    None => commented(f, &format!("# {}", setting.key), "not set")?,
                }
            }
        }
        Ok(())
    }
}

/// A line with a comment that stands in one column where there is room.
fn commented(f: &mut fmt::Formatter<'_>, line: &str, comment: impl fmt::Display) -> fmt::Result {
    writeln!(f, "{line:<40} # {comment}")
}

#[cfg(test)]
mod tests;
