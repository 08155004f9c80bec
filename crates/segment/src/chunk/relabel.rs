//! A chunk page for another table of kinds.
#![deny(clippy::indexing_slicing)]

use model::limits::BATCH_RECORDS_MAX;

use crate::Corrupt;
use crate::column;
use crate::limits::KINDS_MAX;
use crate::wire::{Reader, put_varint};

/// The numbers of the kinds of a chunk, given its page, decompressed.
pub(crate) fn kinds_of(raw: &[u8]) -> Result<Vec<u64>, Corrupt> {
    let mut reader = Reader::new("chunk page", raw);
    read(&mut reader).map(|(_, numbers)| numbers)
}

/// Replaces `out` by the page with other numbers of its kinds, as many as it has.
pub(crate) fn relabel(raw: &[u8], numbers: &[u64], out: &mut Vec<u8>) -> Result<(), Corrupt> {
    let mut reader = Reader::new("chunk page", raw);
    let (rows, _) = read(&mut reader)?;
    out.clear();
    put_varint(rows as u64, out);
    put_varint(numbers.len() as u64, out);
    column::encode(numbers, out);
    out.extend_from_slice(reader.rest());
    Ok(())
}

/// The number of rows and the kinds.
fn read(reader: &mut Reader<'_>) -> Result<(usize, Vec<u64>), Corrupt> {
    let rows = reader.count("number of rows", BATCH_RECORDS_MAX)?;
    let count = reader.count("number of kinds", rows.min(KINDS_MAX))?;
    let mut numbers = Vec::new();
    column::decode(reader, count, &mut numbers)?;
    Ok((rows, numbers))
}
