//! A crash at any moment loses nothing that was acknowledged.
//!
//! `kills` kills the process, `images` cuts the power under a real ext4, and `peer` kills rsyslog
//! in the same way to compare. `cargo xtask crash` runs the same tests for longer: how long, and
//! with which seed, is told by the variables that [`number`] reads.

mod images; // Power cuts: what a disk may hold, mounted and recovered.
pub(crate) mod import; // Days that are over, which are merged and compacted.
mod kills; // SIGKILL under load, beside merges, retention, imports and reloads.
mod lane; // One server that is killed again and again.
pub(crate) mod oracle; // What must be found of a stream after a kill.
mod peer; // The same kills for rsyslog.
pub(crate) mod stream; // Senders that outlive the server and know what it acknowledged.

use std::env;

use anyhow::{Context, Result};
use testkit::{RelpClient, Server};

/// A number from the environment, or what the tests of every change take.
fn number(name: &str, otherwise: u64) -> Result<u64> {
    match env::var(name) {
        Ok(text) => text
            .parse()
            .with_context(|| format!("{name}={text} is no number")),
        Err(_) => Ok(otherwise),
    }
}

#[test]
fn a_graceful_stop_keeps_everything_and_ends_with_0() -> Result<()> {
    let mut server = Server::start()?;
    let mut client = RelpClient::connect(server.addresses().relp, 128)?;
    for number in 0..2_000 {
        client.send(format!("<134>1 - - crash c1 - - seq {number}").as_bytes())?;
    }
    client.flush()?;
    let counts = server.api().conserved("relp")?;
    assert_eq!((counts.received, counts.stored), (2_000, 2_000));
    client.close()?;
    assert_eq!(server.stop()?.code(), Some(0));

    server.start_again()?;
    let rows = server.api().export("program:crash", &[])?;
    let found: Vec<&str> = rows
        .iter()
        .map(|row| testkit::text(row, "message"))
        .collect();
    let expected: Vec<String> = (0..2_000).map(|number| format!("seq {number}")).collect();
    assert_eq!(found, expected);
    Ok(())
}
