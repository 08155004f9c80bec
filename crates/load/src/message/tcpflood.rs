//! The messages of rsyslog's `tcpflood`, byte for byte.
//!
//! Numbers count over the whole run and stamps are fixed. It spreads messages over connections by
//! chance; here each connection sends every so-manieth, so that a run is the same each time.

use super::Recipe;
use super::prepared::Text;
use crate::Error;

/// What stands before the body.
pub(super) const LEGACY_HEAD: &str = "<167>Mar  1 01:00:00 172.20.245.8 tag ";

/// The same in RFC 5424, before its structured data.
pub(super) const IETF_HEAD: &str =
    "<167>1 2003-03-01T01:00:00.000Z mymachine.example.com tcpflood - tag ";

/// `... tag msgnum:00000000:`, and with a size `N:XXX` behind, as `-d N` has it.
pub(super) fn legacy(recipe: &Recipe, connection: u32) -> Result<Text, Error> {
    let text = numbered(recipe, connection)
        .with(LEGACY_HEAD)
        .with("msgnum:")
        .with_number(8)
        .with(":");
    let Some(bytes) = recipe.bytes else {
        return Ok(text);
    };
    let room = bytes.saturating_sub(text.bytes.len());
    let extra = extra_bytes(room);
    if extra == 0 {
        let bytes_min = text.bytes.len() + "1:X".len();
        return Err(Error::TooShort { bytes, bytes_min });
    }
    Ok(text.with(&format!("{extra}:{}", "X".repeat(extra))))
}

/// `... tag [tcpflood@32473 MSGNUM="00000000"] msgnum:00000000:`
pub(super) fn ietf(recipe: &Recipe, connection: u32) -> Text {
    numbered(recipe, connection)
        .with(IETF_HEAD)
        .with("[tcpflood@32473 MSGNUM=\"")
        .with_number(8)
        .with("\"] msgnum:")
        .with_number(8)
        .with(":")
}

fn numbered(recipe: &Recipe, connection: u32) -> Text {
    Text::numbered(u64::from(connection), u64::from(recipe.connections.max(1)))
}

/// The largest N for which `N:` and N bytes fit. Where one digit more makes no room for one byte
/// more, a byte stays free.
pub(super) fn extra_bytes(room: usize) -> usize {
    let mut extra = room;
    while extra > 0 && extra + 1 + extra.to_string().len() > room {
        extra -= 1;
    }
    extra
}
