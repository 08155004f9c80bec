//! Realistic messages hold exactly what their manifest promises: grep and a search agree with it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::{Server, run};

const MESSAGES: u64 = 20_000;

/// Makes messages over three connections, and returns their manifest.
fn make(target: &str, manifest: &Path) -> Result<Value> {
    let count = MESSAGES.to_string();
    let path = manifest.to_string_lossy().into_owned();
    let words = [
        "load",
        target,
        "--format",
        "realistic",
        "--count",
        &count,
        "--connections",
        "3",
        "--seed",
        "7",
        "--needle",
        "quartzite bell=17",
        "--manifest",
        &path,
        "--quiet",
    ];
    let finished = run(&words)?;
    ensure!(finished.code == Some(0), "{finished:?}");
    Ok(serde_json::from_slice(&std::fs::read(manifest)?)?)
}

#[test]
fn the_manifest_counts_what_grep_counts() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("made.log");
    let target = format!("file:{}", log.display());
    let manifest = make(&target, &folder.path().join("manifest.json"))?;
    let mut compared = 0;
    for query in manifest["queries"].as_array().context("no queries")? {
        let Some(pattern) = query["pattern"].as_str() else {
            continue;
        };
        let grep = Command::new("grep")
            .args(["-Eic", "--", pattern])
            .arg(&log)
            .output()?;
        let found: u64 = String::from_utf8(grep.stdout)?.trim().parse()?;
        ensure!(query["count"] == found, "{query}: grep finds {found}");
        compared += 1;
    }
    ensure!(compared > 10, "only {compared} queries have a pattern");
    Ok(())
}

#[test]
fn the_manifest_counts_what_a_search_finds() -> Result<()> {
    let server = Server::start()?;
    let target = format!("tcp://{}", server.addresses().tcp);
    let manifest = make(&target, &server.folder().join("manifest.json"))?;
    server.api().wait_for_count("", MESSAGES)?;
    let queries = manifest["queries"].as_array().context("no queries")?;
    ensure!(queries.len() > 15, "{manifest}");
    for query in queries {
        let text = query["query"].as_str().context("no query")?;
        let found = server.api().count(text)?;
        ensure!(query["count"] == found, "{query}: a search finds {found}");
    }
    Ok(())
}
