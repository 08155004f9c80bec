//! What a block of the lexicon says of its terms: how many rows, and where they are.
//!
//! ```text
//! entries = number of others (u8), if not 0: which they are, one bit a term;
//!           rows of the terms that are in one row, in packed bits; the others one by one
//! ```
//!
//! Of most terms there is one row and nothing else to say.
#![deny(clippy::indexing_slicing)]

use crate::Corrupt;
use crate::columns::series;
use crate::limits::LEXICON_INLINE_MAX;
use crate::term::{Listed, Location, TermEntry};
use crate::wire::{Reader, put_varint};

/// Appends the entries of a block.
pub(super) fn encode(entries: &[TermEntry], out: &mut Vec<u8>) {
    let mut rows = Vec::with_capacity(entries.len());
    let mut marks = vec![0_u8; entries.len().div_ceil(8)];
    for (at, entry) in entries.iter().enumerate() {
        if let Some(row) = single(entry) {
            rows.push(u64::from(row));
        } else if let Some(mark) = marks.get_mut(at / 8) {
            *mark |= 1 << (at % 8);
        }
    }
    let others = entries.len() - rows.len();
    out.push(others as u8);
    if others > 0 {
        out.extend_from_slice(&marks);
    }
    if !rows.is_empty() {
        series::encode_bits(&rows, out);
    }
    for entry in entries.iter().filter(|entry| single(entry).is_none()) {
        encode_other(entry, out);
    }
}

/// The row of a term that is in this row alone.
fn single(entry: &TermEntry) -> Option<u32> {
    match (entry.groups.count, entry.slots.location) {
        (0, Location::One(row)) => Some(row),
        _ => None,
    }
}

fn encode_other(entry: &TermEntry, out: &mut Vec<u8>) {
    let has_groups = entry.groups.count > 0;
    put_varint(u64::from(entry.rows) << 1 | u64::from(has_groups), out);
    if has_groups {
        put_varint(u64::from(entry.groups.count), out);
        put_location(&entry.groups, out);
        put_varint(u64::from(entry.slots.count), out);
    }
    put_location(&entry.slots, out);
}

fn put_location(listed: &Listed, out: &mut Vec<u8>) {
    match listed.location {
        Location::Nowhere | Location::All => {}
        Location::One(number) => put_varint(u64::from(number), out),
        Location::Few(numbers) => {
            let mut next = 0;
            for number in numbers.iter().take(listed.count as usize) {
                put_varint(u64::from(number - next), out);
                next = number + 1;
            }
        }
        Location::List { page, offset } => {
            put_varint(u64::from(page), out);
            put_varint(u64::from(offset), out);
        }
    }
}

/// What the entries of a block start with.
struct Heads<'a> {
    /// One bit a term, set for others; nothing where there are none.
    marks: &'a [u8],
    /// How many others there are.
    others: usize,
    /// The rows of the terms that are in one row.
    rows: Option<series::Bits<'a>>,
}

impl<'a> Heads<'a> {
    fn read(reader: &mut Reader<'a>, terms: usize) -> Result<Self, Corrupt> {
        let others = usize::from(reader.byte()?);
        let marks = match others {
            0 => &[],
            _ => reader.bytes(terms.div_ceil(8))?,
        };
        let marked: u32 = marks.iter().map(|mark| mark.count_ones()).sum();
        if marked as usize != others || others > terms {
            return Err(invalid("others of a lexicon block", u64::from(marked)));
        }
        let rows = match terms - others {
            0 => None,
            singles => Some(series::Bits::read(reader, singles)?),
        };
        Ok(Self {
            marks,
            others,
            rows,
        })
    }

    fn is_other(&self, term: usize) -> bool {
        let mark = self.marks.get(term / 8).copied().unwrap_or_default();
        mark >> (term % 8) & 1 == 1
    }

    /// How many of the terms before one are others.
    fn others_before(&self, term: usize) -> usize {
        (0..term).filter(|term| self.is_other(*term)).count()
    }

    /// The entry of a term that is in one row, by its place among those.
    fn single(&self, at: usize, segment_rows: u32) -> Result<TermEntry, Corrupt> {
        let row = self.rows.map_or(u64::MAX, |rows| rows.get(at));
        Ok(TermEntry {
            rows: 1,
            groups: Listed::default(),
            slots: Listed {
                count: 1,
                location: Location::One(below(row, segment_rows)?),
            },
        })
    }
}

/// Appends the entries of a block of so many terms.
pub(super) fn decode(
    reader: &mut Reader<'_>,
    terms: usize,
    segment_rows: u32,
    entries: &mut Vec<TermEntry>,
) -> Result<(), Corrupt> {
    let heads = Heads::read(reader, terms)?;
    let mut singles = 0;
    for term in 0..terms {
        if heads.is_other(term) {
            entries.push(decode_other(reader, segment_rows)?);
            continue;
        }
        entries.push(heads.single(singles, segment_rows)?);
        singles += 1;
    }
    // The bits behind the last term.
    match heads.others + singles == terms {
        true => Ok(()),
        false => Err(invalid("others of a lexicon block", heads.others as u64)),
    }
}

/// The entry of a term by its place in a block of so many.
pub(super) fn find(
    reader: &mut Reader<'_>,
    terms: usize,
    term: usize,
    segment_rows: u32,
) -> Result<TermEntry, Corrupt> {
    let heads = Heads::read(reader, terms)?;
    let others = heads.others_before(term);
    if !heads.is_other(term) {
        return heads.single(term - others, segment_rows);
    }
    for _ in 0..others {
        skip_other(reader, segment_rows)?;
    }
    decode_other(reader, segment_rows)
}

/// Goes past what [`decode`] reads.
pub(super) fn skip(
    reader: &mut Reader<'_>,
    terms: usize,
    segment_rows: u32,
) -> Result<(), Corrupt> {
    let heads = Heads::read(reader, terms)?;
    for _ in 0..heads.others {
        skip_other(reader, segment_rows)?;
    }
    Ok(())
}

/// Goes past what [`decode_other`] reads.
fn skip_other(reader: &mut Reader<'_>, segment_rows: u32) -> Result<(), Corrupt> {
    let head = reader.varint()?;
    let mut others = head >> 1;
    if head & 1 == 1 {
        let groups = reader.varint()?;
        skip_listed(reader, groups, u64::from(u32::MAX))?;
        others = reader.varint()?;
    }
    skip_listed(reader, others, u64::from(segment_rows))
}

/// Goes past what [`listed`] reads.
fn skip_listed(reader: &mut Reader<'_>, count: u64, all: u64) -> Result<(), Corrupt> {
    let varints = match count {
        0 => 0,
        count if count == all => 0,
        count if count <= LEXICON_INLINE_MAX as u64 => count,
        // The posting page and the offset of the list.
        _ => 2,
    };
    for _ in 0..varints {
        reader.varint()?;
    }
    Ok(())
}

fn decode_other(reader: &mut Reader<'_>, segment_rows: u32) -> Result<TermEntry, Corrupt> {
    let head = reader.varint()?;
    let rows = u32::try_from(head >> 1).unwrap_or(u32::MAX);
    if rows == 0 || rows > segment_rows {
        return Err(invalid("rows of a term", u64::from(rows)));
    }
    let mut groups = Listed::default();
    let mut others = rows;
    if head & 1 == 1 {
        let count = narrow(reader, "groups of a term")?;
        // A group has a row at least.
        groups = listed(reader, count, u32::MAX, segment_rows)?;
        others = narrow(reader, "other rows of a term")?;
        if groups.count == 0 || others >= rows {
            return Err(invalid("rows of the groups of a term", u64::from(others)));
        }
    }
    let slots = listed(reader, others, segment_rows, segment_rows)?;
    Ok(TermEntry {
        rows,
        groups,
        slots,
    })
}

/// So many numbers below `end`; `all` stands for all that there are.
fn listed(reader: &mut Reader<'_>, count: u32, all: u32, end: u32) -> Result<Listed, Corrupt> {
    let location = match count {
        0 => Location::Nowhere,
        count if count == all => Location::All,
        1 => Location::One(below(reader.varint()?, end)?),
        count if count as usize <= LEXICON_INLINE_MAX => {
            let mut numbers = [0; LEXICON_INLINE_MAX];
            let mut next = 0;
            for number in numbers.iter_mut().take(count as usize) {
                *number = below(reader.varint()?.saturating_add(next), end)?;
                next = u64::from(*number) + 1;
            }
            Location::Few(numbers)
        }
        _ => Location::List {
            page: narrow(reader, "posting page")?,
            offset: narrow(reader, "offset of a list")?,
        },
    };
    Ok(Listed { count, location })
}

fn below(number: u64, end: u32) -> Result<u32, Corrupt> {
    match u32::try_from(number) {
        Ok(number) if number < end => Ok(number),
        _ => Err(invalid("number of a term", number)),
    }
}

fn narrow(reader: &mut Reader<'_>, what: &'static str) -> Result<u32, Corrupt> {
    Ok(reader.count(what, u32::MAX as usize)? as u32)
}

fn invalid(what: &'static str, value: u64) -> Corrupt {
    Corrupt::Invalid { what, value }
}
