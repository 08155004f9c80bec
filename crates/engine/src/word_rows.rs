//! The rows of words and addresses, of one, of all of some, of any of some: what most questions ask for.
//!
//! Words are looked up before the rows of any are read: where one of those that have to be there is nowhere
//! in a segment, that is all that is read of it. Rows become a set once, when all words have been joined.

use std::cmp::Reverse;

use model::addresses::AddressKey;
use query::WordProbe;
use segment::{Namespace, TermEntry};
use store::{ReadError, SegmentHandle};

use crate::among::Among;
use crate::bounds::Bounds;
use crate::evaluate::probe_bounds;
use crate::gathered::{Gathered, union};
use crate::plan::Words;
use crate::row_set::RowSet;

/// The rows whose words meet all probes in one of the texts: those that are asked for, or others among them.
pub(crate) fn word_bounds(
    words: &Words,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<Bounds, ReadError> {
    if words.is_exact && words.is_one_term() {
        return union(&terms_of(words, segment)?, segment).map(Bounds::exact);
    }
    let mut either = Bounds::exact(RowSet::empty());
    for namespace in words.namespaces {
        either = either.or(bounds_of_all(*namespace, words, among, segment)?);
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
        let own = Gathered::of(&terms, segment)?;
        rows = rows.minus(own, segment.rows());
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

/// The rows that hold both of two terms.
pub(crate) fn rows_of_both(
    terms: &[TermEntry; 2],
    segment: &SegmentHandle,
) -> Result<Gathered, ReadError> {
    with_all(terms.map(|term| vec![term]).into(), segment)
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
    let visit = &mut |term, _| terms.push(term);
    segment.scan_wanted_terms(&key_of_term, key.digits(), |_| Some(true), visit, || true)?;
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

/// The rows with words in a text that meet conditions; where that is not what is asked for, those that are known to
/// pass, and perhaps more than have such words. Long words are looked up first, they are in few segments.
fn bounds_of_all(
    namespace: Namespace,
    words: &Words,
    among: Among<'_>,
    segment: &SegmentHandle,
) -> Result<Bounds, ReadError> {
    let (mut exact, mut others) = (Vec::new(), Vec::new());
    let mut all = Vec::with_capacity(words.probes.len());
    for probe in &words.probes {
        match probe {
            WordProbe::Exact(word) => exact.push(word),
            WordProbe::Address(key) => match find_addresses(namespace, key, segment)? {
                terms if terms.is_empty() => return Ok(Bounds::exact(RowSet::empty())),
                terms => all.push(terms),
            },
            other => others.push(other),
        }
    }
    exact.sort_by_key(|word| Reverse(word.len()));
    for word in exact {
        match find_word(namespace, word, segment)? {
            Some(term) => all.push(vec![term]),
            None => return Ok(Bounds::exact(RowSet::empty())),
        }
    }
    let mut found = Bounds::exact(with_all(all, segment)?.finish());
    for probe in others {
        let rows = found.upper();
        if rows.is_empty() {
            break;
        }
        let left = among.or_found(rows, segment.rows());
        let own = probe_bounds(namespace, probe, left, segment)?;
        found = found.and(own);
    }
    Ok(match words.is_exact {
        true => found,
        false => Bounds::doubtful(found.upper().clone()),
    })
}

/// The rows that hold, for each of some choices of terms, one of them. Those of the rarest are found first.
pub(crate) fn with_all(
    mut choices: Vec<Vec<TermEntry>>,
    segment: &SegmentHandle,
) -> Result<Gathered, ReadError> {
    choices.sort_by_cached_key(|terms| rows_of(terms));
    let mut all = Gathered::All;
    for terms in &choices {
        if all.is_empty() {
            break;
        }
        all = all.and(Gathered::of(terms, segment)?);
    }
    Ok(all)
}

/// How many rows the terms have, those with several counted for each.
fn rows_of(terms: &[TermEntry]) -> u64 {
    terms.iter().map(|term| u64::from(term.rows)).sum()
}
