//! What a log holds: queries with their exact counts, as `logwood load` planted them or as a given log was
//! counted.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The version that is read here.
const VERSION: u32 = 1;

/// The file that `logwood load --manifest` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    pub(crate) messages: u64,
    pub(crate) queries: Vec<Query>,
}

/// A query and how many messages it must find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    /// Its kind, such as `rare` or `prefix`.
    pub(crate) name: String,
    /// In Logwood's language.
    pub(crate) query: String,
    /// An extended regular expression for the same lines, in either case.
    pub(crate) pattern: Option<String>,
    pub(crate) count: u64,
}

impl Manifest {
    /// That of a log which was not generated.
    pub(crate) fn new(messages: u64, queries: Vec<Query>) -> Self {
        Self {
            version: VERSION,
            messages,
            queries,
        }
    }

    /// Reads what `logwood load` wrote, and names each query by itself.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the manifest {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("the manifest {} is wrong", path.display()))
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read_again(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the manifest {}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Keeps it for the steps that follow.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, serde_json::to_string(self)?)?)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut manifest: Self = serde_json::from_str(text)?;
        let version = manifest.version;
        ensure!(
            version == VERSION,
            "it has version {version}, not {VERSION}"
        );
        manifest.add_any();
        manifest.number_names();
        Ok(manifest)
    }

    /// `*?` finds every message with a character in it: all of those that are made.
    fn add_any(&mut self) {
        let place = self.queries.iter().position(|query| query.name == "all");
        let any = Query {
            name: "any_character".to_owned(),
            query: "*?".to_owned(),
            pattern: Some(".".to_owned()),
            count: self.messages,
        };
        self.queries.insert(place.map_or(0, |place| place + 1), any);
    }

    /// Several queries of a kind are told apart: `uuid`, `uuid 2`.
    fn number_names(&mut self) {
        let mut seen: Vec<String> = Vec::new();
        for query in &mut self.queries {
            let before = seen.iter().filter(|name| **name == query.name).count();
            seen.push(query.name.clone());
            if before > 0 {
                query.name = format!("{} {}", query.name, before + 1);
            }
        }
    }

    /// The query of a kind.
    pub(crate) fn query(&self, name: &str) -> Result<&Query> {
        let found = self.queries.iter().find(|query| query.name == name);
        found.with_context(|| format!("the manifest has no query called {name}"))
    }
}

impl Query {
    /// Fails where another count was answered than is right: times of wrong answers say nothing.
    pub(crate) fn check(&self, who: &str, count: u64) -> Result<()> {
        let Self {
            name,
            query,
            count: planted,
            ..
        } = self;
        ensure!(
            count == *planted,
            "{who} counts {count} messages for {name} ({query}), and {planted} are there"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"version":1,"seed":1,"messages":1000,"connections":[1000],
        "from":null,"to":null,"queries":[
        {"name":"all","query":"*","pattern":"","count":1000},
        {"name":"rare","query":"zircon","pattern":"zircon","count":1},
        {"name":"not","query":"NOT topaz","pattern":null,"count":900},
        {"name":"uuid","query":"a","pattern":"a","count":1},
        {"name":"uuid","query":"b","pattern":"b","count":1}]}"#;

    #[test]
    fn a_manifest_is_read_and_its_names_are_its_own() {
        let manifest = Manifest::parse(TEXT).unwrap();
        let names: Vec<_> = manifest
            .queries
            .iter()
            .map(|query| query.name.as_str())
            .collect();
        assert_eq!(
            names,
            ["all", "any_character", "rare", "not", "uuid", "uuid 2"]
        );
        assert_eq!(manifest.query("any_character").unwrap().count, 1000);
        assert_eq!(manifest.query("not").unwrap().pattern, None);
        assert!(manifest.query("zebra").is_err());
    }

    #[test]
    fn another_version_is_refused() {
        let text = TEXT.replace("\"version\":1", "\"version\":2");
        let error = Manifest::parse(&text).unwrap_err();
        assert_eq!(error.to_string(), "it has version 2, not 1");
    }

    #[test]
    fn a_wrong_count_is_told_with_its_query() {
        let manifest = Manifest::parse(TEXT).unwrap();
        let rare = manifest.query("rare").unwrap();
        rare.check("logwood", 1).unwrap();
        let error = rare.check("logwood", 2).unwrap_err().to_string();
        assert_eq!(
            error,
            "logwood counts 2 messages for rare (zircon), and 1 are there"
        );
    }
}
