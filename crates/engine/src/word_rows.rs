//! The rows of words and addresses, of one, of all of some, of any of some: what most questions ask for.
//!
//! Words are looked up before the rows of any are read: where one of those that have to be there is nowhere
//! in a segment, that is all that is read of it. Rows become a set once, when all words have been joined.

use std::cmp::Reverse;

use model::addresses::AddressKey;
use query::WordProbe;
use segment::{Namespace, TermEntry};
use store::{ReadError, SegmentHandle};

use crate::evaluate::probe_rows;
use crate::gathered::{Gathered, union};
use crate::limits::COLUMNS_ROWS_OF;
use crate::plan::Words;
use crate::row_set::RowSet;

/// The rows whose words meet all probes in one of the texts; where that is not exactly what is asked for, perhaps
/// some more.
pub(crate) fn word_rows(words: &Words, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
    if words.is_one_term() {
        return union(&terms_of(words, segment)?, segment);
    }
    let mut either = RowSet::empty();
    for namespace in words.namespaces {
        either = either.or(rows_with_all(*namespace, words, segment)?);
    }
    Ok(either)
}

/// The rows that hold each of some terms, and none of others; all rows where there are none of the former.
/// Each is the one term that is asked for.
pub(crate) fn rows_of_all(
    words: &[&Words],
    without: &[&Words],
    segment: &SegmentHandle,
) -> Result<Gathered, ReadError> {
    let mut all = Vec::with_capacity(words.len());
    for words in words {
        let terms = terms_of(words, segment)?;
        if terms.is_empty() {
            return Ok(Gathered::Listed(Vec::new()));
        }
        all.push(terms);
    }
    let mut rows = with_all(all, segment)?;
    for words in without {
        if rows.is_empty() {
            break;
        }
        let terms = terms_of(words, segment)?;
        rows = rows.minus(Gathered::of(&terms, segment)?, segment.rows());
    }
    Ok(rows)
}

/// The rows that hold any of some terms, each the one that is asked for.
pub(crate) fn rows_of_any(
    words: &[&Words],
    segment: &SegmentHandle,
) -> Result<Gathered, ReadError> {
    let mut all = Vec::with_capacity(words.len());
    for words in words {
        all.append(&mut terms_of(words, segment)?);
    }
    Gathered::of(&all, segment)
}

/// The term of a word in a text. Of a text that has no words, nothing is read.
pub(crate) fn find_word(
    namespace: Namespace,
    word: &[u8],
    segment: &SegmentHandle,
) -> Result<Option<TermEntry>, ReadError> {
    if segment.footer().counts.worded(namespace) == Some(0) {
        return Ok(None);
    }
    segment.find_term(&namespace.key(word))
}

/// The terms of a text that a look-up finds; none of other conditions.
pub(crate) fn find_terms(
    namespace: Namespace,
    probe: &WordProbe,
    segment: &SegmentHandle,
) -> Result<Vec<TermEntry>, ReadError> {
    match probe {
        WordProbe::Exact(word) => Ok(find_word(namespace, word, segment)?.into_iter().collect()),
        WordProbe::Address(key) => find_addresses(namespace, key, segment),
        _ => Ok(Vec::new()),
    }
}

/// The addresses in a text that start with some numbers, and their starts.
fn find_addresses(
    namespace: Namespace,
    key: &AddressKey,
    segment: &SegmentHandle,
) -> Result<Vec<TermEntry>, ReadError> {
    let Some(own) = namespace.addresses() else {
        return Ok(Vec::new());
    };
    let key_of_term = own.key(key.digits());
    if key.is_whole() {
        return Ok(segment.find_term(&key_of_term)?.into_iter().collect());
    }
    let mut terms = Vec::new();
    segment.scan_wanted_terms(&key_of_term, key.digits(), |_| true, &mut |term| {
        terms.push(term);
    })?;
    Ok(terms)
}

/// The terms that are the one that is asked for in the texts it is looked for in.
pub(crate) fn terms_of(
    words: &Words,
    segment: &SegmentHandle,
) -> Result<Vec<TermEntry>, ReadError> {
    let mut terms = Vec::with_capacity(words.namespaces.len());
    for namespace in words.namespaces {
        if let [probe] = words.probes.as_slice() {
            terms.append(&mut find_terms(*namespace, probe, segment)?);
        }
    }
    Ok(terms)
}

/// The rows with words in a text that meet conditions; more, where those have to be looked at anyway. Long
/// words are looked up first, they are in few segments.
fn rows_with_all(
    namespace: Namespace,
    words: &Words,
    segment: &SegmentHandle,
) -> Result<RowSet, ReadError> {
    let (mut exact, mut others) = (Vec::new(), Vec::new());
    let mut all = Vec::with_capacity(words.probes.len());
    for probe in &words.probes {
        match probe {
            WordProbe::Exact(word) => exact.push(word),
            WordProbe::Address(key) => match find_addresses(namespace, key, segment)? {
                terms if terms.is_empty() => return Ok(RowSet::empty()),
                terms => all.push(terms),
            },
            other => others.push(other),
        }
    }
    exact.sort_by_key(|word| Reverse(word.len()));
    for word in exact {
        match find_word(namespace, word, segment)? {
            Some(term) => all.push(vec![term]),
            None => return Ok(RowSet::empty()),
        }
    }
    let rows = match words.is_exact {
        true => with_all(all, segment)?,
        false => with_most(all, segment)?,
    };
    let mut rows = rows.finish();
    for probe in others {
        if rows.is_empty() {
            break;
        }
        rows = rows.and(probe_rows(namespace, probe, segment)?);
    }
    Ok(rows)
}

/// The rows that hold, for each of some choices of terms, one of them.
fn with_all(choices: Vec<Vec<TermEntry>>, segment: &SegmentHandle) -> Result<Gathered, ReadError> {
    joined(choices, segment, |_, _| false)
}

/// The same rows and some more: what columns would have to be read for is left out where few rows are left
/// without it.
pub(crate) fn with_most(
    choices: Vec<Vec<TermEntry>>,
    segment: &SegmentHandle,
) -> Result<Gathered, ReadError> {
    joined(choices, segment, |terms, left| {
        let is_dear = terms.iter().any(|term| segment.is_told_by_columns(term));
        is_dear && left.len(segment.rows()) <= rows_of(terms) / COLUMNS_ROWS_OF
    })
}

/// The rows that hold one of the terms of each choice but those that need not be found, given the rows of
/// those before.
fn joined(
    mut choices: Vec<Vec<TermEntry>>,
    segment: &SegmentHandle,
    is_left_out: impl Fn(&[TermEntry], &Gathered) -> bool,
) -> Result<Gathered, ReadError> {
    choices.sort_by_cached_key(|terms| rows_of(terms));
    let mut all = Gathered::All;
    for terms in &choices {
        if all.is_empty() {
            break;
        }
        if !is_left_out(terms, &all) {
            all = all.and(Gathered::of(terms, segment)?);
        }
    }
    Ok(all)
}

/// How many rows the terms have, those with several counted for each.
fn rows_of(terms: &[TermEntry]) -> u64 {
    terms.iter().map(|term| u64::from(term.rows)).sum()
}
