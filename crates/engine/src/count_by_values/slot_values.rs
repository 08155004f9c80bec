//! Rows of a kind by the values that they have in the slots of a text, with what is fixed around them.

use segment::{Edges, KindRows, Namespace, TextBit, TextTest};
use store::{OpenChunk, PartValues, ReadError};

use super::asked_words::{Rows, passes};
use super::part_values::each_counted;
use super::{RowsTold, windows};
use crate::check::LeafTest;

/// What rows are wanted for, of a kind where some may have it.
pub(super) struct Wanted<'t> {
    /// The number of the leaf.
    pub(super) leaf: usize,
    /// Those that may pass.
    pub(super) rows: Rows,
    /// Whether as many do.
    pub(super) is_exact: bool,
    pub(super) test: &'t mut LeafTest,
}

/// How many rows of a kind pass, of so many, for what they have in a text; `None` where that is not known.
pub(super) fn matching(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (text, all): (Namespace, u64),
    wanted: &mut Wanted<'_>,
) -> Result<Option<u64>, ReadError> {
    if wanted.is_exact {
        return Ok((wanted.rows.count <= all).then_some(wanted.rows.count));
    }
    let Some(bits) = kind.text(text) else {
        return Ok(None);
    };
    let mut told = Vec::with_capacity(bits.len());
    for (at, bit) in bits.iter().enumerate() {
        told.push(match bit {
            TextBit::Fixed(_) => RowsTold::default(),
            TextBit::Slot(slot) => {
                let Some(parts) = chunk.value_counts(kind, *slot)? else {
                    return Ok(None);
                };
                let place = Place::of(&bits, at);
                let told = RowsTold::of(&parts, |own| place.passes(own, wanted.test));
                if told.passing == wanted.rows.count {
                    return Ok(Some(told.passing));
                }
                told
            }
        });
    }
    Ok(windows::matching(chunk, kind, (&bits, &told), wanted.test))
}

/// How many rows of a kind meet a condition, of so many, given which of several leaves a row passes, where all that pass
/// any of them do so for their value in the same slot of a text; `None` where that is not known.
pub(super) fn matching_together(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (text, all): (Namespace, u64),
    wanted: &mut [Wanted<'_>],
    meets: impl Fn(&dyn Fn(usize) -> bool) -> bool,
) -> Result<Option<u64>, ReadError> {
    let Some(bits) = kind.text(text) else {
        return Ok(None);
    };
    for (at, bit) in bits.iter().enumerate() {
        let TextBit::Slot(slot) = bit else {
            continue;
        };
        let numbers = kind.parts_of(*slot).unwrap_or_default();
        let is_own = |part: &usize| numbers.iter().any(|(own, _)| own == part);
        let mut parts = wanted.iter().filter_map(|own| own.rows.parts.as_ref());
        if !parts.all(|parts| parts.iter().all(is_own)) {
            continue;
        }
        let Some(parts) = chunk.value_counts(kind, *slot)? else {
            continue;
        };
        let passed = Passed::of(&parts, &Place::of(&bits, at), wanted);
        let Some(mut unsure) = passed.unsure(wanted) else {
            continue;
        };
        let mut matching = passed.matching(all, unsure, &meets);
        if let (None, Some(unsure)) = (matching, &mut unsure)
            && unsure.counted > unsure.rows / 2
            && let Some(wanted) = wanted.get_mut(unsure.number)
            && only_in(chunk, kind, (&bits, at), wanted)?
        {
            unsure.is_here = true;
            matching = passed.matching(all, Some(*unsure), &meets);
        }
        if matching.is_some() {
            return Ok(matching);
        }
    }
    Ok(None)
}

/// Whether a counted value passes, in the slot of a kind that has one of some parts of columns.
pub(super) fn any_passes(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    parts: &[usize],
    test: &mut LeafTest,
) -> bool {
    let texts = [Namespace::Message, Namespace::StructuredData];
    texts
        .into_iter()
        .filter_map(|text| kind.text(text))
        .any(|bits| {
            bits.iter().enumerate().any(|(at, bit)| {
                let TextBit::Slot(slot) = bit else {
                    return false;
                };
                let numbers = kind.parts_of(*slot).unwrap_or_default();
                if !numbers.iter().any(|(own, _)| parts.contains(own)) {
                    return false;
                }
                let place = Place::of(&bits, at);
                let counted = chunk.value_counts(kind, *slot).ok().flatten();
                let counted = counted.unwrap_or_default();
                each_counted(&counted).any(|(own, _)| place.passes(own, test) == Some(true))
            })
        })
}

/// Whether all rows of a kind that pass do so for their value in one of the slots.
fn only_in(
    chunk: &OpenChunk<'_>,
    kind: &KindRows<'_>,
    (bits, at): (&[TextBit<'_>], usize),
    wanted: &mut Wanted<'_>,
) -> Result<bool, ReadError> {
    let mut told = Vec::with_capacity(bits.len());
    for (number, bit) in bits.iter().enumerate() {
        let parts = match bit {
            TextBit::Slot(slot) if number != at => chunk.value_counts(kind, *slot)?,
            _ => None,
        };
        let place = Place::of(bits, number);
        told.push(match parts {
            Some(parts) => RowsTold::of(&parts, |own| place.passes(own, wanted.test)),
            None => RowsTold {
                passing: u64::from(number == at),
                open: u64::from(number != at),
            },
        });
    }
    // As if one row passed for that, and none for anything else.
    Ok(windows::matching(chunk, kind, (bits, &told), wanted.test) == Some(1))
}

/// Which of several leaves rows pass by what they have in a slot.
struct Passed {
    /// The numbers of the leaves.
    leaves: Vec<usize>,
    /// How many rows have each counted value.
    rows: Vec<u64>,
    /// For each value and leaf whether rows pass; `None` where that is not known.
    passes: Vec<Option<bool>>,
}

/// A leaf that more rows pass than have a counted value that does.
#[derive(Clone, Copy)]
struct Unsure {
    /// Which of the leaves it is.
    number: usize,
    /// How many rows pass.
    rows: u64,
    /// How many of them have such a value.
    counted: u64,
    /// Whether all of them do so for their value in the slot.
    is_here: bool,
}

impl Passed {
    fn of(parts: &[PartValues], place: &Place<'_>, wanted: &mut [Wanted<'_>]) -> Self {
        let (mut all, mut passes) = (Vec::new(), Vec::new());
        for (own, rows) in each_counted(parts) {
            all.push(rows);
            let own = wanted.iter_mut().map(|leaf| place.passes(own, leaf.test));
            passes.extend(own);
        }
        Self {
            leaves: wanted.iter().map(|own| own.leaf).collect(),
            rows: all,
            passes,
        }
    }

    /// The one leaf that is not told by the values, if there is one; `None` where it is not known how many rows pass
    /// that, and where there are more.
    fn unsure(&self, wanted: &[Wanted<'_>]) -> Option<Option<Unsure>> {
        let mut unsure = None;
        for (number, own) in wanted.iter().enumerate() {
            let passing = self
                .values()
                .filter(|(_, passes)| passes.get(number) == Some(&Some(true)));
            let counted = passing.map(|(rows, _)| rows).sum();
            if counted == own.rows.count {
                continue;
            }
            let own = Unsure {
                number,
                rows: own.rows.count,
                counted,
                is_here: own.rows.parts.is_some(),
            };
            if !wanted.get(number)?.is_exact || unsure.replace(own).is_some() {
                return None;
            }
        }
        Some(unsure)
    }

    /// Each value: how many rows have it, and what they pass.
    fn values(&self) -> impl Iterator<Item = (u64, &[Option<bool>])> {
        let passes = self.passes.chunks(self.leaves.len());
        self.rows.iter().copied().zip(passes)
    }

    /// How many of so many rows meet a condition on which leaves they pass. All but one of the leaves are told: rows
    /// that pass them have a value that does.
    fn matching(
        &self,
        all: u64,
        unsure: Option<Unsure>,
        meets: &impl Fn(&dyn Fn(usize) -> bool) -> bool,
    ) -> Option<u64> {
        let meets = |passes: &dyn Fn(usize) -> bool| {
            meets(&|leaf| {
                let number = self.leaves.iter().position(|own| *own == leaf);
                number.is_some_and(passes)
            })
        };
        let is_unsure = |number: usize| unsure.is_some_and(|unsure| unsure.number == number);
        // Rows that pass none that is told, and those of them that pass the other.
        let (mut others, mut others_passing) = (all, unsure.map_or(0, |unsure| unsure.rows));
        let mut matching = 0;
        for (rows, passes) in self.values() {
            let passes = |number: usize| passes.get(number).copied().flatten();
            let mut told = (0..self.leaves.len()).filter(|number| !is_unsure(*number));
            if !told.any(|number| passes(number) == Some(true)) {
                continue;
            }
            if let Some(unsure) = unsure {
                match passes(unsure.number) {
                    Some(true) => others_passing = others_passing.checked_sub(rows)?,
                    Some(false) if unsure.is_here => {}
                    // They may have it elsewhere.
                    Some(false) | None => return None,
                }
            }
            others = others.checked_sub(rows)?;
            if meets(&|number| passes(number) == Some(true)) {
                matching += rows;
            }
        }
        if meets(&is_unsure) {
            matching += others_passing;
        }
        let without = others.checked_sub(others_passing)?;
        if meets(&|_| false) {
            matching += without;
        }
        Some(matching)
    }
}

/// A slot of a text, and what is fixed around it.
struct Place<'b> {
    before: &'b [u8],
    after: &'b [u8],
    edges: Edges,
}

impl<'b> Place<'b> {
    fn of(bits: &[TextBit<'b>], at: usize) -> Self {
        let fixed = |at: Option<usize>| match at.and_then(|at| bits.get(at)) {
            Some(TextBit::Fixed(bytes)) => *bytes,
            _ => &[],
        };
        let (before, after) = (fixed(at.checked_sub(1)), fixed(Some(at + 1)));
        Self {
            before,
            after,
            edges: Edges {
                is_start: at == usize::from(!before.is_empty()),
                is_end: at + 1 + usize::from(!after.is_empty()) == bits.len(),
            },
        }
    }

    /// Whether rows with a value there pass; `None` where that is not known.
    fn passes(&self, own: segment::CountedText<'_>, test: &mut LeafTest) -> Option<bool> {
        // What stands for numbers tells of those that do not matter.
        let is_told = !own.has_numbers || test.ignores_digits();
        let text = [self.before, own.text, self.after].concat();
        is_told.then(|| passes(test, &text, self.edges))
    }
}
