//! Rows with words in a text, side by side or in some other way, with several of them or without some: by the values
//! that have them so, in kinds where all rows with one of the words have such a value.
//!
//! Rows that have a passing value in a slot pass, and only rows that have the word can. Where both are as many, they
//! are the same rows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use segment::{KindRows, Namespace, Tally};
use store::{OpenChunk, ReadError, SegmentHandle};

use super::Told;
use super::asked_words::{AskedWords, Seen};
use super::slot_values::{self, Wanted};
use crate::cancel::Cancel;
use crate::check::Check;
use crate::limits::TOLD_LEAVES_MAX;
use crate::plan::{Ask, Plan};
use crate::row_set::RowSet;

/// What values tell of the rows of a segment that match a plan of words; `None` where it asks for something else, or
/// for single words that no column tells: their lists are read in less time.
pub(super) fn told(
    plan: &Plan,
    checks: &[Check],
    segment: &SegmentHandle,
    cancel: &Cancel,
) -> Option<Told> {
    let mut asked = Vec::new();
    ask_for(plan, checks, segment, &mut asked)?;
    if !asked.iter().any(|own| own.is_worth_it(segment)) {
        return None;
    }
    let tally = segment.tally().ok()?;
    locate(&mut asked, &tally, segment)?;
    let groups: BTreeSet<u32> = asked.iter().flat_map(AskedWords::groups).collect();
    // Most rows first: where these are not told, hardly anything is.
    let mut groups: Vec<u32> = groups.into_iter().collect();
    groups.sort_by_key(|group| Reverse(tally.rows(*group)));
    let mut is_any_told = asked.len() < 2;
    let mut known = 0;
    let mut open = Vec::new();
    // Rows of the other groups have none of the words.
    let mut others = u64::from(segment.rows());
    let mut opened: Option<(usize, OpenChunk<'_>)> = None;
    for group in groups {
        if cancel.stopped().is_some() {
            return None;
        }
        let seats = tally.seats(group);
        others = others.checked_sub(seats.len() as u64)?;
        let number = segment.chunk_of_row(seats.start);
        if opened.as_ref().is_none_or(|(own, _)| *own != number) {
            opened = Some((number, segment.open_chunk(number).ok()?));
        }
        let (_, chunk) = opened.as_ref()?;
        let kinds = chunk.kind_rows(&[seats.start]);
        let kind = (kinds.first()?, group, seats.len() as u64);
        match matching(plan, &mut asked, chunk, kind).ok()? {
            Some(matching) => {
                known += matching;
                is_any_told |= matching > 0;
            }
            None if is_any_told => open.push(seats),
            None => return None,
        }
    }
    let none = meets(plan, &|_| Some(false))?;
    Some(Told {
        matching: known + if none { others } else { 0 },
        open: RowSet::of_ranges(open),
        node: None,
        looked_at: 0,
    })
}

/// Looks up the words of the leaves of a plan; `None` where one asks for something else.
fn ask_for(
    plan: &Plan,
    checks: &[Check],
    segment: &SegmentHandle,
    asked: &mut Vec<AskedWords>,
) -> Option<()> {
    match plan {
        Plan::All | Plan::Nothing => {}
        Plan::And(members) | Plan::Or(members) => {
            for member in members {
                ask_for(member, checks, segment, asked)?;
            }
        }
        Plan::Not(inner) => ask_for(inner, checks, segment, asked)?,
        Plan::Leaf(Ask::Words(words), leaf) if asked.len() < TOLD_LEAVES_MAX => {
            let test = checks.get(*leaf)?.test().clone();
            asked.push(AskedWords::of(words.of(segment), (*leaf, test), segment)?);
        }
        Plan::Leaf(..) => return None,
    }
    Some(())
}

/// Finds out in how many rows of each kind the words are. Long lists are gone through last, and not at all where words
/// stand elsewhere than others, as far as most rows of these tell.
fn locate(asked: &mut [AskedWords], tally: &Tally, segment: &SegmentHandle) -> Option<()> {
    let (mut others, mut listed): (Vec<_>, Vec<_>) = asked
        .iter_mut()
        .partition(|own| !own.has_long_list(segment));
    for own in &mut others {
        own.locate(segment)?;
    }
    if let Some((group, parts)) = others
        .iter()
        .filter_map(|own| own.most_rows())
        .max_by_key(|(group, _)| tally.rows(*group))
    {
        let seats = tally.seats(group);
        let chunk = segment.open_chunk(segment.chunk_of_row(seats.start)).ok()?;
        let kinds = chunk.kind_rows(&[seats.start]);
        for own in &mut listed {
            slot_values::any_passes(&chunk, kinds.first()?, parts, &mut own.test).then_some(())?;
        }
    }
    listed.into_iter().try_for_each(|own| own.locate(segment))
}

/// Whether what meets some leaves of a plan meets it; `None` where that takes to know more of them.
fn meets(plan: &Plan, has: &impl Fn(usize) -> Option<bool>) -> Option<bool> {
    match plan {
        Plan::All => Some(true),
        Plan::Nothing => Some(false),
        Plan::Leaf(_, leaf) => has(*leaf),
        Plan::Not(inner) => meets(inner, has).map(|meets| !meets),
        Plan::And(members) => any_is(false, members, has).map(|is_one_missing| !is_one_missing),
        Plan::Or(members) => any_is(true, members, has),
    }
}

/// Whether any of some plans is met, or any is not; `None` where that is not known.
fn any_is(wanted: bool, members: &[Plan], has: &impl Fn(usize) -> Option<bool>) -> Option<bool> {
    let mut are_known = true;
    for member in members {
        match meets(member, has) {
            Some(meets) if meets == wanted => return Some(true),
            Some(_) => {}
            None => are_known = false,
        }
    }
    are_known.then_some(false)
}

/// How many rows of a kind match, given its group and how many there are; `None` where that is not known.
fn matching(
    plan: &Plan,
    asked: &mut [AskedWords],
    chunk: &OpenChunk<'_>,
    (kind, group, all): (&KindRows<'_>, u32, u64),
) -> Result<Option<u64>, ReadError> {
    let seen: Vec<(usize, Seen)> = asked
        .iter_mut()
        .map(|own| (own.leaf, own.seen(kind, group, all)))
        .collect();
    let known = |leaf: usize| {
        let seen = seen.iter().find(|(own, _)| *own == leaf);
        seen.and_then(|(_, seen)| seen.known())
    };
    if let Some(meets) = meets(plan, &known) {
        return Ok(Some(if meets { all } else { 0 }));
    }
    let mut text: Option<Namespace> = None;
    let mut wanted = Vec::new();
    for (own, (leaf, seen)) in asked.iter_mut().zip(&seen) {
        match seen {
            Seen::All | Seen::None => {}
            Seen::In(namespace, rows) if text.is_none_or(|text| text == *namespace) => {
                text = Some(*namespace);
                wanted.push(Wanted {
                    leaf: *leaf,
                    rows: rows.clone(),
                    is_exact: own.is_exact,
                    test: &mut own.test,
                });
            }
            // In other rows than those it may be in the same.
            Seen::In(..) | Seen::Open => return Ok(None),
        }
    }
    let Some(text) = text else {
        return Ok(None);
    };
    if let [only] = wanted.as_mut_slice() {
        let Some(rows) = slot_values::matching(chunk, kind, (text, all), only)? else {
            return Ok(None);
        };
        let count_where = |has: bool, rows: u64| {
            let meets = meets(plan, &|leaf| known(leaf).or(Some(has)));
            meets.map(|meets| if meets { rows } else { 0 })
        };
        let with = count_where(true, rows);
        let without = all.checked_sub(rows);
        let without = without.and_then(|rows| count_where(false, rows));
        return Ok(with.zip(without).map(|(with, without)| with + without));
    }
    let meets = |has: &dyn Fn(usize) -> bool| {
        meets(plan, &|leaf| known(leaf).or_else(|| Some(has(leaf)))) == Some(true)
    };
    slot_values::matching_together(chunk, kind, (text, all), &mut wanted, meets)
}
