//! How many rows of a segment may match, roughly, and whether it takes columns to find them.

use store::{ReadError, SegmentHandle};

use crate::check::Check;
use crate::plan::{Ask, Plan, Words};
use crate::word_rows::find_terms;

/// What is known of the rows of a segment that match, before any is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// How many there may be, if conditions have nothing to do with each other.
    pub(crate) rows: u64,
    /// Whether columns may tell one of the words.
    pub(crate) takes_columns: bool,
}

impl Estimate {
    const NONE: Self = Self {
        rows: 0,
        takes_columns: false,
    };

    /// Of the rows that match a plan with these checks of its leaves; `None` where that is not known from words or
    /// the values that the segment counts. Of fields it never is: see [`crate::in_text::InText::note`].
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(crate) fn of(
        plan: &Plan,
        checks: &mut [Check],
        segment: &SegmentHandle,
    ) -> Result<Option<Self>, ReadError> {
        let all = u64::from(segment.rows());
        Ok(Some(match plan {
            Plan::All => Self {
                rows: all,
                ..Self::NONE
            },
            Plan::Nothing => Self::NONE,
            Plan::Leaf(ask, leaf) => {
                let by_words = match ask {
                    Ask::Words(words) => Self::of_words(words, segment)?,
                    _ => None,
                };
                let check = checks.get_mut(*leaf);
                let counted = check.and_then(|check| check.count_by_values(segment));
                match (by_words, counted) {
                    (None, None) => return Ok(None),
                    (Some(by_words), None) => by_words,
                    (by_words, Some(rows)) => Self {
                        rows,
                        takes_columns: by_words.is_none_or(|own| own.takes_columns),
                    },
                }
            }
            Plan::Not(inner) => {
                let inner = Self::of(inner, checks, segment)?;
                return Ok(inner.map(|inner| Self {
                    rows: all - inner.rows.min(all),
                    ..inner
                }));
            }
            Plan::And(members) | Plan::Or(members) => {
                let is_and = matches!(plan, Plan::And(_));
                let mut joined = Self {
                    rows: if is_and { all } else { 0 },
                    ..Self::NONE
                };
                for member in members {
                    let Some(own) = Self::of(member, checks, segment)? else {
                        return Ok(None);
                    };
                    joined.takes_columns |= own.takes_columns;
                    joined.rows = match is_and {
                        true => joined.rows * own.rows / all.max(1),
                        false => (joined.rows + own.rows).min(all),
                    };
                }
                joined
            }
        }))
    }

    /// Of the rows that have words in one of some texts; `None` where none of the words can be looked up.
    fn of_words(words: &Words, segment: &SegmentHandle) -> Result<Option<Self>, ReadError> {
        let mut either = Self::NONE;
        for namespace in words.namespaces {
            let mut fewest = None;
            for probe in &words.probes {
                if !probe.is_look_up() {
                    either.takes_columns = true;
                    continue;
                }
                let terms = find_terms(*namespace, probe, segment)?;
                let rows = terms.iter().map(|term| u64::from(term.rows)).sum::<u64>();
                fewest = Some(fewest.unwrap_or(rows).min(rows));
                let mut terms = terms.iter();
                either.takes_columns |= terms.any(|term| segment.is_told_by_columns(term));
            }
            let Some(fewest) = fewest else {
                return Ok(None);
            };
            either.rows += fewest;
        }
        Ok(Some(either))
    }
}
