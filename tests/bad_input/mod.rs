//! Everything a network or a disk can get wrong has a clear outcome.

mod connections; // Connections that say little, slowly, or nothing.
mod content; // Bytes that no text should hold.
mod counts; // Octet counts that lie.
mod disk; // A full disk, a damaged file, a second process.
mod oversized; // Frames at and around the limit.

use anyhow::{Result, ensure};
use serde_json::Value;
use testkit::Server;

/// What follows bad input on the same connection, to show that it arrives untouched.
const NEXT: &str = "<13>1 - - next - - - untouched";

/// The tags of a row.
fn tags(row: &Value) -> Vec<&str> {
    let tags = row["tags"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    tags.iter().filter_map(Value::as_str).collect()
}

/// Asserts that exactly `expected` messages came through a source and that none vanished.
fn assert_counted(server: &Server, source: &str, expected: u64) -> Result<()> {
    let counts = server.api().conserved(source)?;
    ensure!(
        counts.received == expected && counts.stored == expected,
        "expected {expected} of {source}, counted {counts:?}"
    );
    Ok(())
}
