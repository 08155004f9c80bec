//! What must be found of a stream after a kill, whatever the kill hit.
//!
//! Of each session a prefix, in order and byte for byte; at least what was acknowledged; and what
//! was found once is found again after every later kill, except what retention deleted, which is
//! the oldest and never comes back.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use testkit::{Api, raw, text};

use super::stream::{Stream, Transport};

/// What was found of a session, over all that were checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Messages that were acknowledged.
    pub(crate) acknowledged: u64,
    /// Records that were found.
    pub(crate) stored: u64,
    /// Records that an earlier session had stored already.
    pub(crate) duplicates: u64,
    /// Starts that found days which had been compacted.
    pub(crate) compacted: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.stored += other.stored;
        self.duplicates += other.duplicates;
        self.compacted += other.compacted;
    }
}

/// Checks the newest session of a stream and remembers how much of it is stored.
pub(crate) fn check_session(api: Api, stream: &mut Stream) -> Result<Tally> {
    let Some(index) = stream.sessions.len().checked_sub(1) else {
        return Ok(Tally::default());
    };
    let (kind, session) = (stream.kind, stream.sessions[index]);
    let query = format!("program:crash pid:{} msgid:s{index}", kind.name);
    let rows = api.export(&query, &[("logspace", kind.logspace)])?;
    let found = rows.len() as u64;
    let at = || format!("session {index} of {}: {session:?}", kind.name);
    for (row, number) in rows.iter().zip(session.first..) {
        check_row(stream, row, index, number).with_context(at)?;
    }
    let (acknowledged, sent) = (
        session.acknowledged - session.first,
        session.sent - session.first,
    );
    ensure!(
        acknowledged <= found && found <= sent,
        "{}: {found} found",
        at()
    );
    let count = api.count(&query)?;
    ensure!(count == found, "{}: {count} counted, {found} found", at());
    stream.sessions[index].stored = found;
    let stored_before = index.checked_sub(1).map_or(0, |before| {
        let before = stream.sessions[before];
        before.first + before.stored
    });
    let duplicates = stored_before.saturating_sub(session.first).min(found);
    ensure!(
        duplicates <= kind.window_max && (kind.transport != Transport::Tcp || duplicates == 0),
        "{}: {duplicates} stored twice",
        at()
    );
    Ok(Tally {
        acknowledged,
        stored: found,
        duplicates,
        compacted: 0,
    })
}

fn check_row(stream: &Stream, row: &Value, session: usize, number: u64) -> Result<()> {
    let expected = stream.message(session, number);
    if raw(row)? != expected.as_bytes() {
        bail!("expected {expected}\nfound {row}");
    }
    Ok(())
}

/// Checks all sessions of a stream at once. Returns how many records are no longer there, which
/// must be the oldest ones, and none unless `may_expire`.
pub(crate) fn check_all(api: Api, stream: &Stream, may_expire: bool) -> Result<u64> {
    let query = format!("program:crash pid:{}", stream.kind.name);
    let rows = api.export(&query, &[("logspace", stream.kind.logspace)])?;
    let numbered = stream.sessions.iter().enumerate();
    let all: Vec<(usize, u64)> = numbered
        .flat_map(|(index, session)| {
            (session.first..session.first + session.stored).map(move |number| (index, number))
        })
        .collect();
    let expired = all.len().checked_sub(rows.len()).with_context(|| {
        let name = stream.kind.name;
        format!("{} records of {name}, {} before", rows.len(), all.len())
    })?;
    ensure!(
        may_expire || expired == 0,
        "{expired} records of {} are gone, the first now is {}",
        stream.kind.name,
        text(rows.first().unwrap_or(&Value::Null), "message")
    );
    for (row, (session, number)) in rows.iter().zip(&all[expired..]) {
        check_row(stream, row, *session, *number)?;
    }
    Ok(expired as u64)
}
