//! The column groups of slots: which part of the record a slot stands in.
//!
//! A chunk has its columns column group by column group, the hosts of all its kinds first. So a question about hosts
//! opens the pages of hosts and no others, and what is alike is compressed together.
#![deny(clippy::indexing_slicing)]

use model::Span;

use super::layout::{Layout, PARTS};
use super::shape::Op;

/// The part of a record that a slot stands in, in the order of their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ColumnGroup {
    Host,
    Program,
    Pid,
    Msgid,
    /// None, such as a time stamp that is kept as text.
    Between,
    StructuredData,
    /// The message, and the slots of the whole kind.
    Message,
}

impl ColumnGroup {
    /// How many column groups there are.
    pub(crate) const COUNT: usize = 7;

    /// What there is of this column group, where there is something of each.
    pub(crate) fn of<T>(self, each: &mut [T; Self::COUNT]) -> &mut T {
        let [host, program, pid, msgid, between, structured_data, message] = each;
        match self {
            Self::Host => host,
            Self::Program => program,
            Self::Pid => pid,
            Self::Msgid => msgid,
            Self::Between => between,
            Self::StructuredData => structured_data,
            Self::Message => message,
        }
    }
}

/// The column groups of [`PARTS`].
const OF_PARTS: [ColumnGroup; PARTS.len()] = [
    ColumnGroup::Host,
    ColumnGroup::Program,
    ColumnGroup::Pid,
    ColumnGroup::Msgid,
    ColumnGroup::StructuredData,
    ColumnGroup::Message,
];

/// Where the column of a slot is among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) column_group: ColumnGroup,
    /// How many slots of the column group are before it.
    pub(crate) rank: u32,
}

/// The places of the slots of a kind.
pub(super) fn places(ops: &[Op], layout: &Layout) -> Box<[Place]> {
    let mut places = Vec::new();
    let mut ranks = [0_u32; ColumnGroup::COUNT];
    let mut piece = 0;
    for op in ops {
        if *op == Op::Edge {
            piece += 1;
            continue;
        }
        let column_group = of_piece(piece, &layout.parts);
        if *op == Op::Slot {
            let next = column_group.of(&mut ranks);
            places.push(Place {
                column_group,
                rank: *next,
            });
            *next += 1;
        }
    }
    places.into()
}

/// The column group of a piece: of the first part that has it, should there be several.
pub(super) fn of_piece(piece: u32, parts: &[Span; PARTS.len()]) -> ColumnGroup {
    let mut parts = parts.iter().zip(OF_PARTS);
    let own = parts.find(|(span, _)| {
        let end = span.start.saturating_add(span.len);
        (span.start..end).contains(&piece)
    });
    own.map_or(ColumnGroup::Between, |(_, column_group)| column_group)
}
