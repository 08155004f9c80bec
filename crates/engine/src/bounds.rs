//! Rows that match for sure, and rows that may: what is known before any is looked at.

use crate::row_set::RowSet;

/// Bounds of the rows that match. Every row that matches is in `maybe`; every row in `sure` matches.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Rows that match.
    pub(crate) sure: RowSet,
    /// Rows that may match; `None` where they are just the sure ones.
    pub(crate) maybe: Option<RowSet>,
}

impl Bounds {
    /// Exactly these rows.
    pub(crate) fn exact(rows: RowSet) -> Self {
        Self {
            sure: rows,
            maybe: None,
        }
    }

    /// Perhaps some of these rows.
    pub(crate) fn doubtful(rows: RowSet) -> Self {
        if rows.is_empty() {
            return Self::exact(rows);
        }
        Self {
            sure: RowSet::empty(),
            maybe: Some(rows),
        }
    }

    /// These rows, and perhaps others of `maybe`, in a segment of so many rows. What is sure need not be in there:
    /// a row with a word of one alternative may match by another.
    pub(crate) fn between(sure: RowSet, maybe: RowSet, rows: u32) -> Self {
        let maybe = maybe.or(sure.clone());
        match maybe.len(rows) == sure.len(rows) {
            true => Self::exact(sure),
            false => Self {
                sure,
                maybe: Some(maybe),
            },
        }
    }

    /// The rows that may match.
    pub(crate) fn upper(&self) -> &RowSet {
        self.maybe.as_ref().unwrap_or(&self.sure)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.joined(other, RowSet::and)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.joined(other, RowSet::or)
    }

    /// Without some rows, of a segment of so many.
    pub(crate) fn minus(self, other: &RowSet, rows: u32) -> Self {
        Self {
            sure: self.sure.minus(other, rows),
            maybe: self.maybe.map(|maybe| maybe.minus(other, rows)),
        }
    }

    fn joined(self, other: Self, join: impl Fn(RowSet, RowSet) -> RowSet) -> Self {
        let maybe = match (self.maybe, other.maybe) {
            (None, None) => None,
            (Some(one), Some(two)) => Some(join(one, two)),
            (Some(one), None) => Some(join(one, other.sure.clone())),
            (None, Some(two)) => Some(join(self.sure.clone(), two)),
        };
        Self {
            sure: join(self.sure, other.sure),
            maybe,
        }
    }

    pub(crate) fn not(self, rows: u32) -> Self {
        match self.maybe {
            None => Self::exact(self.sure.not(rows)),
            Some(maybe) => Self {
                sure: maybe.not(rows),
                maybe: Some(self.sure.not(rows)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sure_rows_are_among_those_that_may_match() {
        let [one, two] = [[1, 2], [2, 3]].map(|rows| RowSet::from_sorted(&rows));
        let bounds = Bounds::between(one.clone(), two, 9);
        assert_eq!(bounds.sure, one);
        assert_eq!(*bounds.upper(), RowSet::from_sorted(&[1, 2, 3]));
        assert_eq!(bounds.not(9).upper().len(9), 7);
        let bounds = Bounds::between(one.clone(), one.clone(), 9);
        assert_eq!((bounds.sure, bounds.maybe), (one, None));
    }
}
