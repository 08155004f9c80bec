//! Pieces of JSON for those who put documents together themselves.

use crate::error::OutputTooLong;
use crate::formats;
use crate::json::{self, Invalid};
use crate::template::bounded;
use crate::view::View;

/// Appends a text as a JSON string; what is no UTF-8 becomes U+FFFD. Where it is too long, nothing is appended.
pub fn append_json_string(text: &[u8], out: &mut Vec<u8>) -> Result<(), OutputTooLong> {
    bounded(out, |out| json::string(text, Invalid::Replace, out))
}

/// Appends an object of a record's fields, as the format `json` has it under `fields`: a string for each name, and
/// an array for a name with several values. Nothing is appended where there are none.
pub fn append_json_fields(
    start: &[u8],
    view: &View<'_>,
    out: &mut Vec<u8>,
) -> Result<(), OutputTooLong> {
    bounded(out, |out| formats::write_fields(start, view, out))
}
