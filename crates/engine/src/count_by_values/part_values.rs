//! Values of the parts of a column that a segment counts, each looked at once for many parts.

use segment::CountedText;
use store::PartValues;

/// The rows of a column by what its values tell of them; the others fail.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RowsTold {
    /// How many pass.
    pub(crate) passing: u64,
    /// Of how many that is not known.
    pub(crate) open: u64,
}

impl RowsTold {
    /// Of the parts of a column. `tell` says whether rows with a value pass, or that it cannot be told.
    pub(crate) fn of(
        parts: &[PartValues],
        mut tell: impl FnMut(CountedText<'_>) -> Option<bool>,
    ) -> Self {
        let mut told = Self {
            open: uncounted(parts),
            ..Self::default()
        };
        for (text, rows) in each_counted(parts) {
            match tell(text) {
                Some(true) => told.passing += rows,
                Some(false) => {}
                None => told.open += rows,
            }
        }
        told
    }
}

/// What is told of each value of the parts of a column, with how many rows have it; `None` where rows have others, or a
/// value is not told of. What is not there is left out.
pub(crate) fn each_value<T>(
    parts: &[PartValues],
    mut tell: impl FnMut(CountedText<'_>) -> Option<Option<T>>,
) -> Option<Vec<(T, u64)>> {
    if uncounted(parts) > 0 {
        return None;
    }
    let mut told = Vec::new();
    for (text, rows) in each_counted(parts) {
        told.extend(tell(text)?.map(|value| (value, rows)));
    }
    Some(told)
}

/// The texts of the parts of a column, each with how many rows have it. One may be there for several parts.
pub(super) fn each_counted(parts: &[PartValues]) -> impl Iterator<Item = (CountedText<'_>, u64)> {
    same_texts(parts).flat_map(sums)
}

/// How many rows have values that are not counted.
fn uncounted(parts: &[PartValues]) -> u64 {
    let left = parts.iter().map(|part| {
        let counted = part.values().map(|(_, rows)| rows).sum();
        u64::from(part.rows().saturating_sub(counted))
    });
    left.sum()
}

/// The parts, those together whose texts have the same numbers.
fn same_texts(parts: &[PartValues]) -> impl Iterator<Item = &[PartValues]> {
    parts.chunk_by(PartValues::has_texts_of)
}

/// The texts of some such parts, each with how many rows have it.
fn sums(parts: &[PartValues]) -> impl Iterator<Item = (CountedText<'_>, u64)> {
    let first = parts.first();
    let mut rows = vec![0_u64; first.map_or(0, PartValues::texts)];
    for (number, count) in parts.iter().flat_map(PartValues::values) {
        if let Some(rows) = rows.get_mut(number as usize) {
            *rows += u64::from(count);
        }
    }
    let texts = (0..).zip(rows).filter(|(_, rows)| *rows > 0);
    texts.filter_map(move |(number, rows)| Some((first?.text(number)?, rows)))
}
