//! A leaf where the index leaves rows open: which texts of a record it looks at, and its test.
//!
//! Texts are asked kind by kind ([`store::OpenChunk::select`]), peers, sources and tags without the
//! texts of their records; what neither can tell, and what stands in the tail, record by record.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use model::{RecordBatch, RecordRef};
use query::{Expr, Leaf, Matcher, Query, Target, TextMatcher};
use segment::{ByteSet, Edges, Hints, Kinds, Selected, TextPart, TextTest};
use store::{ReadError, SegmentHandle};

use crate::cancel::Cancel;
use crate::field_check::FieldCheck;
use crate::limits::TOLD_KINDS_MAX;
use crate::part::RowOrdinal;
use crate::plan::namespaces;
use crate::row_set::RowSet;

/// A leaf, made ready to be asked. Holds scratch memory, hence `&mut`.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    sight: Sight,
    test: LeafTest,
    /// Which stretches of these texts told that rows pass.
    hints: Hints,
    /// What kinds tell, by [`Kinds::id`].
    told: HashMap<u64, Option<bool>>,
    matcher: Matcher,
}

/// What of a record is looked at.
#[derive(Clone, Debug)]
enum Sight {
    /// Texts in its bytes.
    Parts(Vec<TextPart<'static>>),
    /// The fields of a name, in the structured data and in the text of the message.
    Field(Box<FieldCheck>),
    /// What is kept of it beside its bytes.
    Head,
    /// Anything.
    Record,
}

/// The test of a leaf, asked of a text. Of a question that was stopped nothing passes any more, so that whoever goes
/// through texts is soon done: what is found then is of no use.
#[derive(Clone, Debug)]
pub(crate) struct LeafTest {
    matcher: TextMatcher,
    cancel: Cancel,
}

impl LeafTest {
    pub(crate) fn new(leaf: &Leaf, cancel: &Cancel) -> Self {
        Self {
            matcher: TextMatcher::new(&leaf.test),
            cancel: cancel.clone(),
        }
    }

    /// Whether the question was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.cancel.stopped().is_some()
    }
}

impl TextTest for LeafTest {
    fn passes(&mut self, text: &[u8]) -> bool {
        if self.is_stopped() {
            return false;
        }
        self.cancel.note_work();
        self.matcher.passes(text)
    }

    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool {
        if self.is_stopped() {
            return false;
        }
        self.cancel.note_work();
        self.matcher
            .passes_around(bytes, edges.is_start, edges.is_end)
    }

    fn is_cut(&self, byte: u8) -> bool {
        self.matcher.is_cut(byte)
    }

    fn ignores_digits(&self) -> bool {
        self.matcher.ignores_digits()
    }

    fn may_pass_with(&self, bytes: &ByteSet) -> bool {
        self.matcher.may_pass_with(bytes)
    }

    fn integers(&self) -> Option<RangeInclusive<i64>> {
        self.matcher.integers()
    }
}

impl Check {
    /// The checks of all leaves of a query, in the order in which plans number them.
    pub(crate) fn of_leaves(query: &Query, cancel: &Cancel) -> Vec<Self> {
        let mut checks = Vec::new();
        query
            .root
            .visit_leaves(&mut |leaf| checks.push(Self::of(leaf, cancel)));
        checks
    }

    fn of(leaf: &Leaf, cancel: &Cancel) -> Self {
        let sight = match &leaf.target {
            Target::Tag | Target::Source | Target::Peer => Sight::Head,
            Target::Severity | Target::Facility => Sight::Record,
            Target::Named(name) => Sight::Field(Box::new(FieldCheck::new(name, leaf))),
            target => {
                let parts = namespaces(target).iter().copied();
                Sight::Parts(parts.map(TextPart::Part).collect())
            }
        };
        let root = Expr::Leaf(leaf.clone());
        Self {
            sight,
            test: LeafTest::new(leaf, cancel),
            hints: Hints::default(),
            told: HashMap::new(),
            matcher: Matcher::new(&Query { root }),
        }
    }

    /// Whether the record passes, by looking at it.
    pub(crate) fn matches(&mut self, record: RecordRef<'_>) -> bool {
        if self.test.is_stopped() {
            return false;
        }
        self.test.cancel.note_work();
        self.matcher.matches(record)
    }

    /// Whether all rows of a kind pass, or none; `None` where that cannot be told without reading them.
    pub(crate) fn passes_kind(&mut self, kinds: &Kinds, kind: u32) -> Option<bool> {
        let id = kinds.id(kind)?;
        if let Some(passes) = self.told.get(&id) {
            return *passes;
        }
        let passes = self.ask_kind(kinds, kind);
        if self.told.len() < TOLD_KINDS_MAX {
            self.told.insert(id, passes);
        }
        passes
    }

    fn ask_kind(&mut self, kinds: &Kinds, kind: u32) -> Option<bool> {
        match &self.sight {
            Sight::Parts(parts) => kinds.passes(kind, parts, &mut self.test),
            Sight::Field(field) => {
                let parts = [TextPart::Field(field.name())];
                let passes = kinds.passes(kind, &parts, &mut self.test);
                // Where none does in the structured data, one may in the message.
                passes.filter(|passes| *passes)
            }
            Sight::Head | Sight::Record => None,
        }
    }

    /// How many rows of a segment pass, where it counts the values of the one text that is looked at, and each is
    /// all there is to ask.
    pub(crate) fn count_by_values(&mut self, segment: &SegmentHandle) -> Option<u64> {
        let Sight::Parts(parts) = &self.sight else {
            return None;
        };
        let [TextPart::Part(part)] = parts.as_slice() else {
            return None;
        };
        // Where they cannot be read, columns say the same.
        let values = segment.value_rows(*part).ok().flatten()?;
        let (mut passing, mut without) = (0, u64::from(segment.rows()));
        for (value, rows) in values {
            without = without.saturating_sub(rows.into());
            if self.test.passes(&value) {
                passing += u64::from(rows);
            }
        }
        // Empty values are not counted.
        if without > 0 && self.test.passes(b"") {
            passing += without;
        }
        Some(passing)
    }

    /// Notes which rows of a segment may have the field that is asked for in their text, and pass.
    pub(crate) fn note_in_text(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        if let Sight::Field(field) = &mut self.sight {
            field.note_in_text(segment, rows);
        }
    }

    /// Makes ready to ask some rows of a segment, chunk by chunk.
    pub(crate) fn begin(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        if let Sight::Field(field) = &mut self.sight {
            field.begin(segment, rows);
        }
    }

    /// The ordinals of the rows of a chunk that pass, of those given, which ascend: all that [`Self::begin`] was
    /// told of from the first to the last of them.
    pub(crate) fn select(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Selected, ReadError> {
        match &mut self.sight {
            Sight::Parts(parts) => {
                let opened = segment.open_chunk(chunk)?;
                Ok(opened.select(parts, ordinals, &mut self.test, &mut self.hints))
            }
            Sight::Field(field) => {
                let parts = [TextPart::Field(field.name())];
                let opened = segment.open_chunk(chunk)?;
                let mut selected = opened.select(&parts, ordinals, &mut self.test, &mut self.hints);
                let first = ordinals.first().copied().unwrap_or_default();
                let range = first..ordinals.last().map_or(first, |last| last + 1);
                field.select_messages(&opened, &range, &mut self.test, &mut selected);
                Ok(selected)
            }
            Sight::Head => {
                let rows = segment.at_ordinals(chunk, ordinals)?;
                let heads = segment.heads(chunk, rows.iter().map(|(row, _)| *row))?;
                Ok(self.select_heads(&rows, &heads))
            }
            Sight::Record => Ok(Selected {
                open: ordinals.to_vec(),
                ..Selected::default()
            }),
        }
    }

    fn select_heads(&mut self, rows: &[RowOrdinal], heads: &RecordBatch) -> Selected {
        let mut selected = Selected::default();
        let mut last = None;
        for ((_, ordinal), record) in rows.iter().zip(heads.iter()) {
            let head = record.head();
            let seen = (head.peer, head.source, head.tags);
            // Neighbours are mostly the same.
            let passes = match last {
                Some((last, passes)) if last == seen => passes,
                _ => {
                    selected.looked_at += 1;
                    self.matcher.matches(record)
                }
            };
            last = Some((seen, passes));
            if passes {
                selected.passed.push(*ordinal);
            }
        }
        selected
    }
}
