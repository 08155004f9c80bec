//! A leaf where the index leaves rows open: which texts of a record it looks at, and its test.
//!
//! Texts are asked kind by kind ([`SegmentHandle::select`]), peers, sources and tags without the
//! texts of their records; what neither can tell, and what stands in the tail, record by record.

use std::ops::RangeInclusive;

use model::{RecordBatch, RecordRef};
use query::{Expr, Leaf, Matcher, Query, Target, TextMatcher};
use segment::{Edges, Hints, Kinds, Namespace, Selected, TextPart, TextTest};
use store::{ReadError, SegmentHandle};
use text_fields::{FieldFinder, Lead};

use crate::field_reader::{FieldReader, ValueSink, Where};
use crate::in_text::InText;
use crate::part::Seated;
use crate::plan::namespaces;
use crate::row_set::RowSet;

/// A leaf, made ready to be asked. Holds scratch memory, hence `&mut`.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    sight: Sight,
    test: LeafTest,
    /// Which stretches of these texts told that rows pass; of messages with fields others do.
    hints: Hints,
    matcher: Matcher,
}

/// What of a record is looked at.
#[derive(Clone, Debug)]
enum Sight {
    /// Texts in its bytes.
    Parts(Vec<TextPart<'static>>),
    /// The fields of a name, in the structured data and in the text of the message.
    Field(Box<FieldFinder<'static>>, FieldReader, Box<InText>, Hints),
    /// What is kept of it beside its bytes.
    Head,
    /// Anything.
    Record,
}

#[derive(Clone, Debug)]
struct LeafTest(TextMatcher);

impl TextTest for LeafTest {
    fn passes(&mut self, text: &[u8]) -> bool {
        self.0.passes(text)
    }

    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool {
        self.0.passes_around(bytes, edges.is_start, edges.is_end)
    }

    fn integers(&self) -> Option<RangeInclusive<i64>> {
        self.0.integers()
    }
}

/// The test of the fields of a name in a message.
struct FieldTest<'t> {
    finder: &'t mut FieldFinder<'static>,
    test: &'t mut TextMatcher,
    /// Where all messages that have the field have it.
    place: Where,
}

impl TextTest for FieldTest<'_> {
    fn passes(&mut self, text: &[u8]) -> bool {
        let mut found = false;
        let test = &mut *self.test;
        self.finder.each(text, &mut |value| {
            found = found || test.passes(value);
        });
        found
    }

    fn passes_around(&mut self, _: &[u8], _: Edges) -> bool {
        // Around it, there may be other fields.
        false
    }

    fn is_told_around(&self) -> bool {
        false
    }

    fn fails_from(&mut self, start: &[u8]) -> bool {
        if self.place == Where::Anywhere {
            return false;
        }
        match Lead::of(self.finder.name(), start) {
            Lead::Open => false,
            Lead::NoLog => true,
            Lead::Value(value) => !self.test.passes(value),
        }
    }
}

/// The seats of the rows whose field passes.
struct Passing<'t> {
    test: &'t mut TextMatcher,
    selected: &'t mut Selected,
}

impl ValueSink for Passing<'_> {
    type Seen = bool;

    fn see(&mut self, value: &[u8]) -> bool {
        self.selected.looked_at += 1;
        self.test.passes(value)
    }

    fn row(&mut self, seat: u32, passes: bool) {
        if passes {
            self.selected.passed.push(seat);
        }
    }
}

impl Check {
    /// The checks of all leaves of a query, in the order in which plans number them.
    pub(crate) fn of_leaves(query: &Query) -> Vec<Self> {
        let mut checks = Vec::new();
        query
            .root
            .visit_leaves(&mut |leaf| checks.push(Self::of(leaf)));
        checks
    }

    fn of(leaf: &Leaf) -> Self {
        let sight = match &leaf.target {
            Target::Tag | Target::Source | Target::Peer => Sight::Head,
            Target::Severity | Target::Facility => Sight::Record,
            Target::Named(name) => {
                let finder = FieldFinder::new(name.clone().into_bytes());
                let in_text = InText::new(name, leaf);
                Sight::Field(
                    Box::new(finder),
                    FieldReader::new(name.as_bytes()),
                    Box::new(in_text),
                    Hints::default(),
                )
            }
            target => {
                let parts = namespaces(target).iter().copied();
                Sight::Parts(parts.map(TextPart::Part).collect())
            }
        };
        let root = Expr::Leaf(leaf.clone());
        Self {
            sight,
            test: LeafTest(TextMatcher::new(&leaf.test)),
            hints: Hints::default(),
            matcher: Matcher::new(&Query { root }),
        }
    }

    /// Whether the record passes, by looking at it.
    pub(crate) fn matches(&mut self, record: RecordRef<'_>) -> bool {
        self.matcher.matches(record)
    }

    /// Whether all rows of a kind pass, or none; `None` where that cannot be told without reading them.
    pub(crate) fn passes_kind(&mut self, kinds: &Kinds, kind: u32) -> Option<bool> {
        match &self.sight {
            Sight::Parts(parts) => kinds.passes(kind, parts, &mut self.test),
            Sight::Field(finder, ..) => {
                let parts = [TextPart::Field(finder.name())];
                let passes = kinds.passes(kind, &parts, &mut self.test);
                // Where none does in the structured data, one may in the message.
                passes.filter(|passes| *passes)
            }
            Sight::Head | Sight::Record => None,
        }
    }

    /// Notes which rows of a segment may have the field that is asked for in their text, and pass.
    pub(crate) fn note_in_text(&mut self, segment: &SegmentHandle, rows: &RowSet) {
        if let Sight::Field(_, _, in_text, _) = &mut self.sight {
            in_text.note(segment, rows);
        }
    }

    /// The seats of the rows of a chunk that pass, of those given, which ascend.
    pub(crate) fn select(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        seats: &[u32],
    ) -> Result<Selected, ReadError> {
        match &mut self.sight {
            Sight::Parts(parts) => {
                let opened = segment.open_chunk(chunk)?;
                Ok(opened.select(parts, seats, &mut self.test, &mut self.hints))
            }
            Sight::Field(finder, reader, in_text, hints) => {
                let parts = [TextPart::Field(finder.name())];
                let opened = segment.open_chunk(chunk)?;
                let mut selected = opened.select(&parts, seats, &mut self.test, &mut self.hints);
                if in_text.is_nowhere(segment) {
                    return Ok(selected);
                }
                let mut done = [&selected.passed[..], &selected.open].concat();
                done.sort_unstable();
                let mut done = done.into_iter().peekable();
                let left = seats.iter().copied();
                let left = left.filter(|seat| done.next_if_eq(seat).is_none());
                let left = in_text.of(segment, left.collect());
                let (left, logs) = in_text.by_place(segment, left);
                for (seats, place) in [(left, Where::Anywhere), (logs, Where::InLog)] {
                    if seats.is_empty() {
                        continue;
                    }
                    let mut passing = Passing {
                        test: &mut self.test.0,
                        selected: &mut selected,
                    };
                    let rows = opened.kind_rows(&seats);
                    let left = reader.read(&opened, &rows, place, &mut passing);
                    let mut test = FieldTest {
                        finder,
                        test: &mut self.test.0,
                        place,
                    };
                    let parts = [TextPart::Part(Namespace::Message)];
                    let found = opened.select(&parts, &left, &mut test, hints);
                    selected.passed.extend(found.passed);
                    selected.open.extend(found.open);
                    selected.looked_at += found.looked_at;
                }
                Ok(selected)
            }
            Sight::Head => {
                let rows = segment.seated(chunk, seats)?;
                let heads = segment.heads(chunk, rows.iter().map(|(row, _)| *row))?;
                Ok(self.select_heads(&rows, &heads))
            }
            Sight::Record => Ok(Selected {
                open: seats.to_vec(),
                ..Selected::default()
            }),
        }
    }

    fn select_heads(&mut self, rows: &[Seated], heads: &RecordBatch) -> Selected {
        let mut selected = Selected::default();
        let mut last = None;
        for ((_, seat), record) in rows.iter().zip(heads.iter()) {
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
                selected.passed.push(*seat);
            }
        }
        selected
    }
}
