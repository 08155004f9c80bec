//! Whether a segment says of its rows what its rows say: counts, times and every term of the index,
//! made anew and compared.
#![deny(clippy::indexing_slicing)]

use std::convert::Infallible;

use crate::merge::Terms;
use crate::{Built, Footer, MergeError, MergeInput, PageEntry};

/// What differs between a segment's index and its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A count, sum or time of the footer.
    Footer {
        /// Which.
        what: &'static str,
    },
    /// Terms of the index.
    Terms {
        /// How many are missing, made up, or in other rows.
        terms: u64,
        /// The key of the first of them.
        first_key: Vec<u8>,
        /// Where in the file the lexicon page with it is, in bytes.
        offset: u64,
    },
}

/// A segment in memory.
struct InMemory<'a>(&'a Built);

impl MergeInput for InMemory<'_> {
    type Error = Infallible;

    fn footer(&self) -> &Footer {
        &self.0.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, Infallible> {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(entry.stored_len as usize);
        Ok(self.0.bytes.get(start..end).unwrap_or(&[]).to_vec())
    }
}

/// Compares a segment with one that was built of the same rows.
///
/// # Errors
/// When the index of the segment cannot be read.
pub fn compare<I: MergeInput>(
    input: &I,
    rebuilt: &Built,
) -> Result<Vec<Difference>, MergeError<I::Error>> {
    let mut differences = compare_footers(input.footer(), &rebuilt.footer);
    let rebuilt = InMemory(rebuilt);
    let mut stored = Terms::new(input, 0, 0)?;
    let Ok(mut expected) = Terms::new(&rebuilt, 0, 0) else {
        return Ok(differences);
    };
    let (mut terms, mut first) = (0, None);
    let (mut stored_rows, mut expected_rows) = (Vec::new(), Vec::new());
    loop {
        let order = match (stored.key(), expected.key()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(key), Some(other)) => key.cmp(other),
        };
        let mut is_same = false;
        if order.is_eq() {
            stored_rows.clear();
            expected_rows.clear();
            stored.rows_into(&mut stored_rows)?;
            is_same =
                expected.rows_into(&mut expected_rows).is_ok() && stored_rows == expected_rows;
        }
        if !is_same {
            terms += 1;
            let key = stored.key().filter(|_| order.is_le()).or(expected.key());
            first.get_or_insert_with(|| (key.unwrap_or_default().to_vec(), stored.offset()));
        }
        if order.is_le() {
            stored.advance()?;
        }
        if order.is_ge() && expected.advance().is_err() {
            break;
        }
    }
    if let Some((first_key, offset)) = first {
        differences.push(Difference::Terms {
            terms,
            first_key,
            offset,
        });
    }
    Ok(differences)
}

fn compare_footers(stored: &Footer, expected: &Footer) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (what, is_same) in [
        ("number of rows", stored.rows == expected.rows),
        (
            "time of the first receipt",
            stored.first_received == expected.first_received,
        ),
        (
            "time of the last receipt",
            stored.last_received == expected.last_received,
        ),
        ("earliest time", stored.first_time == expected.first_time),
        ("latest time", stored.last_time == expected.last_time),
        (
            "bytes of all records",
            stored.raw_bytes == expected.raw_bytes,
        ),
        ("counts of rows", stored.counts == expected.counts),
    ] {
        if !is_same {
            differences.push(Difference::Footer { what });
        }
    }
    differences
}

#[cfg(test)]
mod tests;
