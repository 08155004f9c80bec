//! RFC 3164 and RFC 5424 in good order, with the body that checkers of loggen's messages read.

use super::Recipe;
use super::loggen::body;
use super::prepared::Text;
use super::stamp::StampForm;

/// `<38>Nov 22 05:12:21 localhost logwood[1234]: seq: ...`
pub(super) fn rfc3164(recipe: &Recipe, connection: u32) -> Text {
    let head = Text::numbered(0, 1).with("<38>").with_stamp(StampForm::Bsd);
    body(
        head.with(" localhost logwood[1234]: "),
        recipe.run,
        connection,
    )
}

/// `<38>1 2026-11-22T04:12:21.123456Z localhost logwood 1234 - - seq: ...`
pub(super) fn rfc5424(recipe: &Recipe, connection: u32) -> Text {
    let head = Text::numbered(0, 1)
        .with("<38>1 ")
        .with_stamp(StampForm::IsoMicros)
        .with(" localhost logwood 1234 - ")
        .with(recipe.structured_data_or_nil())
        .with(" ");
    body(head, recipe.run, connection)
}
