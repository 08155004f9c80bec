//! What Logwood, syslog-ng and rsyslog make of the same bytes: the same, but for what is documented.
//!
//! Messages of the tables of `cases` differ in the parts that stand there, with these values; messages
//! that are made up (`variations`) differ as the tables of `rules` say. A difference that stands
//! nowhere fails, and so does one that is gone. `docs/reference/parsing-differences.md` shows all of
//! them, and is held to the tables.

mod cases;
mod made_up;
mod models;
mod page;
mod parts;
mod receivers;
mod rules;
mod table;
mod variations;

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use model::{CivilTime, Timestamp};

use cases::{DATAGRAMS, LINES};
use parts::NONSENSE;
use receivers::Transport;

#[test]
fn lines_are_read_alike_but_for_what_is_documented() -> Result<()> {
    table::check(&[LINES], Transport::Lines)
}

#[test]
fn datagrams_are_read_alike_but_for_what_is_documented() -> Result<()> {
    table::check(&[LINES, DATAGRAMS], Transport::Datagrams)
}

#[test]
fn made_up_messages_are_read_alike_but_for_rules_that_are_all_needed() -> Result<()> {
    made_up::check()
}

#[test]
fn the_page_shows_what_the_tables_say() -> Result<()> {
    page::check()
}

fn today() -> Result<CivilTime> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(Timestamp::from_seconds(i64::try_from(seconds)?).to_civil())
}

/// Whether a receiver says what is expected, where Logwood says the last.
fn is_said(found: &str, expected: &str, ours: &str) -> bool {
    found == expected || (expected == NONSENSE && found != ours)
}
