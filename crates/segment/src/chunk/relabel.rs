//! A row page for another table of kinds.
#![deny(clippy::indexing_slicing)]

use super::row_kinds::read_numbers;
use crate::Corrupt;
use crate::column;
use crate::wire::{Reader, put_varint};

/// Replaces `out` by a row page with other numbers of its kinds, as many as it has.
pub(crate) fn relabel(raw: &[u8], numbers: &[u64], out: &mut Vec<u8>) -> Result<(), Corrupt> {
    let mut reader = Reader::new("row page", raw);
    let (rows, _) = read_numbers(&mut reader)?;
    out.clear();
    put_varint(rows as u64, out);
    put_varint(numbers.len() as u64, out);
    column::encode(numbers, out);
    out.extend_from_slice(reader.rest());
    Ok(())
}
