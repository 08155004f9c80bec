//! `docs/durability-ledger.md`: what long runs of the durability tools found, one line a run,
//! written by the tools and never by hand.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Where the ledger lies in the repository.
const PATH: &str = "docs/durability-ledger.md";

const HEAD: &str = "\
# Ledger of durability runs

Every line is written by the tool that ran; see [durability.md](durability.md) for what each of them proves.
A `+` behind the commit means that the tree had changes beyond it.

| date | tool | amount | commit | result |
|---|---|---|---|---|
";

/// A run that has begun, of the commit that was there then.
pub(crate) struct Entry {
    tool: String,
    commit: String,
}

impl Entry {
    /// Which tool runs (`sim`, `crash`).
    pub(crate) fn begin(tool: &str) -> Result<Self> {
        Ok(Self {
            tool: tool.to_owned(),
            commit: commit()?,
        })
    }

    /// Adds a line: how much it did (`2000 seeds`), what came out.
    pub(crate) fn end(&self, amount: &str, result: &str) -> Result<()> {
        let date = shell::output(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M"]))?;
        let line = line(date.trim(), &self.tool, amount, &self.commit, result);
        let path = shell::root()?.join(PATH);
        add_line(&path, &line).with_context(|| format!("cannot write {}", path.display()))?;
        println!("ledger: {}", line.trim_end());
        Ok(())
    }
}

/// The commit that ran, with `+` where files differ from it; the ledger itself does not count.
fn commit() -> Result<String> {
    let root = shell::root()?;
    let hash = shell::output(
        Command::new("git")
            .args(["rev-parse", "--short=10", "HEAD"])
            .current_dir(&root),
    )?;
    let exclude = format!(":!{PATH}");
    let changes = shell::output(
        Command::new("git")
            .args(["status", "--porcelain", "--", ".", &exclude])
            .current_dir(&root),
    )?;
    let mark = if changes.trim().is_empty() { "" } else { "+" };
    Ok(format!("{}{mark}", hash.trim()))
}

fn line(date: &str, tool: &str, amount: &str, commit: &str, result: &str) -> String {
    let cells = [date, tool, amount, commit, result];
    let cells = cells.map(|cell| cell.replace('|', "/").replace('\n', " "));
    format!("| {} |\n", cells.join(" | "))
}

fn add_line(path: &Path, line: &str) -> std::io::Result<()> {
    let mut text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        result => result?,
    };
    text.push_str(line);
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_break_the_table() {
        let line = line("2026-01-01 00:00", "sim", "1 seed", "abc", "a|b\nc");
        assert_eq!(line, "| 2026-01-01 00:00 | sim | 1 seed | abc | a/b c |\n");
    }
}
