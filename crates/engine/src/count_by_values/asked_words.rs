//! The words of a leaf of a question, as a segment has them: in how many rows of each kind.

use std::collections::BTreeMap;

use query::WordProbe;
use segment::{Edges, KindRows, Namespace, TermEntry, TextBit, TextTest};
use store::{GroupRows, SegmentHandle};

use super::tell_much;
use crate::check::LeafTest;
use crate::group_rows::rows_by_group;
use crate::limits::{COUNTED_PHRASE_ROWS_OF, LONG_LIST_OF};
use crate::plan::Words;
use crate::word_rows::{find_terms, find_word};

/// The words of a leaf.
pub(super) struct AskedWords {
    /// The number of the leaf.
    pub(super) leaf: usize,
    pub(super) test: LeafTest,
    /// Whether a row that has them passes.
    pub(super) is_exact: bool,
    /// The rarest of them, in each text that has all of them.
    terms: Vec<(Namespace, TermEntry)>,
    /// Of each group with rows that may have them, where.
    texts: BTreeMap<u32, Text>,
}

/// The text in which rows of a group have the words.
enum Text {
    /// This one, and these rows may.
    One(Namespace, GroupRows),
    /// One or another.
    Several,
}

/// Rows of a kind that may pass.
#[derive(Clone)]
pub(super) struct Rows {
    /// How many there are.
    pub(super) count: u64,
    /// The parts of columns which alone tell that, by their numbers in the chunk; `None` where others may.
    pub(super) parts: Option<Vec<usize>>,
}

/// What is known of the rows of a kind.
pub(super) enum Seen {
    /// All pass.
    All,
    /// None does.
    None,
    /// Some may, for what they have in this text.
    In(Namespace, Rows),
    /// Any may.
    Open,
}

impl Seen {
    /// Whether all rows pass, or none.
    pub(super) fn known(&self) -> Option<bool> {
        match self {
            Self::All => Some(true),
            Self::None => Some(false),
            Self::In(..) | Self::Open => None,
        }
    }
}

impl AskedWords {
    /// Looks up the words of a leaf with that number and test; `None` where one term does not tell of each text.
    pub(super) fn of(
        words: &Words,
        (leaf, test): (usize, LeafTest),
        segment: &SegmentHandle,
    ) -> Option<Self> {
        let mut terms = Vec::with_capacity(words.namespaces.len());
        for namespace in words.namespaces {
            let term = rarest(*namespace, words, segment)?;
            terms.extend(term.map(|term| (*namespace, term)));
        }
        Some(Self {
            leaf,
            test,
            is_exact: words.is_exact && words.is_one_term(),
            terms,
            texts: BTreeMap::new(),
        })
    }

    /// Finds out in how many rows of each kind they are; `None` where the index does not tell.
    pub(super) fn locate(&mut self, segment: &SegmentHandle) -> Option<()> {
        for (namespace, term) in &self.terms {
            for rows in rows_by_group(term, segment).ok()?? {
                let texts = self.texts.entry(rows.group);
                texts
                    .and_modify(|text| *text = Text::Several)
                    .or_insert(Text::One(*namespace, rows));
            }
        }
        Some(())
    }

    /// Whether to know its rows takes more than their lists, or a look at many of them.
    pub(super) fn is_worth_it(&self, segment: &SegmentHandle) -> bool {
        let mut terms = self.terms.iter().map(|(_, term)| term);
        match self.is_exact {
            true => terms.any(|term| tell_much(segment, term)),
            false => terms.any(|term| term.rows >= segment.rows() / COUNTED_PHRASE_ROWS_OF),
        }
    }

    /// Whether many rows have them by a list, which has to be gone through to know of which kinds they are.
    pub(super) fn has_long_list(&self, segment: &SegmentHandle) -> bool {
        self.terms.iter().any(|(_, term)| {
            term.slots.count >= segment.rows() / LONG_LIST_OF && !segment.is_told_by_columns(term)
        })
    }

    /// Of the groups whose rows parts of columns tell, the one with most, and those parts.
    pub(super) fn most_rows(&self) -> Option<(u32, &[usize])> {
        let told = self.texts.values().filter_map(|text| match text {
            Text::One(_, rows) => Some((rows, rows.parts.as_deref()?)),
            Text::Several => None,
        });
        let most = told.max_by_key(|(rows, _)| rows.rows);
        most.map(|(rows, parts)| (rows.group, parts))
    }

    /// The groups with rows that may pass.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> {
        self.texts.keys().copied()
    }

    /// What is known of the rows of a kind, given its group and how many they are.
    pub(super) fn seen(&mut self, kind: &KindRows<'_>, group: u32, all: u64) -> Seen {
        match self.texts.get(&group) {
            None => Seen::None,
            Some(Text::One(_, rows)) if self.is_exact && u64::from(rows.rows) == all => Seen::All,
            Some(Text::Several) => Seen::Open,
            Some(Text::One(text, rows)) => match kind.text(*text) {
                Some(bits) if !self.is_exact && any_fixed_passes(&bits, &mut self.test) => {
                    Seen::All
                }
                _ => {
                    let rows = Rows {
                        count: rows.rows.into(),
                        parts: rows.parts.clone(),
                    };
                    Seen::In(*text, rows)
                }
            },
        }
    }
}

/// Whether something that is fixed in a text passes, so that all do.
fn any_fixed_passes(bits: &[TextBit<'_>], test: &mut LeafTest) -> bool {
    let mut bits = bits.iter().enumerate();
    let last = bits.len().saturating_sub(1);
    bits.any(|(at, bit)| match bit {
        TextBit::Fixed(bytes) => {
            let edges = Edges {
                is_start: at == 0,
                is_end: at == last,
            };
            passes(test, bytes, edges)
        }
        TextBit::Slot(_) => false,
    })
}

/// Whether a text passes that has these bytes where `edges` says, which may be all of it.
pub(super) fn passes(test: &mut LeafTest, bytes: &[u8], edges: Edges) -> bool {
    match edges.is_start && edges.is_end {
        true => test.passes(bytes),
        false => test.passes_around(bytes, edges),
    }
}

/// The rarest of the words in a text, which may have none of them; `None` where no whole word is asked for, or the
/// index does not tell.
fn rarest(
    namespace: Namespace,
    words: &Words,
    segment: &SegmentHandle,
) -> Option<Option<TermEntry>> {
    if let [probe @ WordProbe::Address(_)] = words.probes.as_slice() {
        let terms = find_terms(namespace, probe, segment).ok()?;
        return match terms.as_slice() {
            [] => Some(None),
            [term] => Some(Some(*term)),
            _ => None,
        };
    }
    let whole = words.probes.iter().filter_map(|probe| match probe {
        WordProbe::Exact(word) => Some(word),
        _ => None,
    });
    let mut whole: Vec<_> = whole.collect();
    // Long ones are in few segments.
    whole.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let mut rarest: Option<TermEntry> = None;
    for word in whole {
        let Some(term) = find_word(namespace, word, segment).ok()? else {
            return Some(None);
        };
        if rarest.is_none_or(|rarest| term.rows < rarest.rows) {
            rarest = Some(term);
        }
    }
    rarest.map(Some)
}
