//! The messages of syslog-ng's `loggen`, byte for byte.
//!
//! Its stamps are local times without a zone but for the header of the IETF form, its run is the
//! time of its start, left-aligned in ten places, and its padding is `PADD` again and again.

use super::Recipe;
use super::prepared::Text;
use super::stamp::StampForm;

/// `<38>2026-11-22T05:12:21 localhost prg00000[1234]: seq: ...`
pub(super) fn legacy(recipe: &Recipe, connection: u32) -> Text {
    let head = Text::numbered(0, 1)
        .with("<38>")
        .with_stamp(StampForm::Iso)
        .with(" localhost prg00000[1234]: ");
    body(head, recipe.run, connection)
}

/// `<38>1 2026-11-22T05:12:22+00:00 localhost prg00000 1234 - - BOM seq: ...`
pub(super) fn ietf(recipe: &Recipe, connection: u32) -> Text {
    let head = Text::numbered(0, 1)
        .with("<38>1 ")
        .with_stamp(StampForm::IsoOffset)
        .with(" localhost prg00000 1234 - ")
        .with(recipe.structured_data_or_nil())
        .with(" \u{feff}");
    body(head, recipe.run, connection)
}

/// Adds number, connection, run and stamp.
pub(super) fn body(head: Text, run: i64, connection: u32) -> Text {
    head.with("seq: ")
        .with_number(10)
        .with(&format!(
            ", thread: {connection:04}, runid: {run:<10}, stamp: "
        ))
        .with_stamp(StampForm::Iso)
        .with(" ")
}
