//! The bands of slots: which part of the record a slot stands in.
//!
//! A chunk has its columns band by band, the hosts of all its kinds first. So a question about hosts
//! opens the pages of hosts and no others, and what is alike is compressed together.
#![deny(clippy::indexing_slicing)]

use model::Span;

use super::layout::{Layout, PARTS};
use super::shape::Op;

/// The part of a record that a slot stands in, in the order of their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Band {
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

impl Band {
    /// How many bands there are.
    pub(crate) const COUNT: usize = 7;

    /// What there is of this band, where there is something of each.
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

/// The bands of [`PARTS`].
const OF_PARTS: [Band; PARTS.len()] = [
    Band::Host,
    Band::Program,
    Band::Pid,
    Band::Msgid,
    Band::StructuredData,
    Band::Message,
];

/// Where the column of a slot is among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) band: Band,
    /// How many slots of the band are before it.
    pub(crate) rank: u32,
}

/// The places of the slots of a kind.
pub(super) fn places(ops: &[Op], layout: &Layout) -> Box<[Place]> {
    let mut places = Vec::new();
    let mut ranks = [0_u32; Band::COUNT];
    let mut piece = 0;
    for op in ops {
        if *op == Op::Edge {
            piece += 1;
            continue;
        }
        let band = of_piece(piece, &layout.parts);
        if *op == Op::Slot {
            let next = band.of(&mut ranks);
            places.push(Place { band, rank: *next });
            *next += 1;
        }
    }
    places.into()
}

/// The band of a piece: of the first part that has it, should there be several.
pub(super) fn of_piece(piece: u32, parts: &[Span; PARTS.len()]) -> Band {
    let mut parts = parts.iter().zip(OF_PARTS);
    let own = parts.find(|(span, _)| {
        let end = span.start.saturating_add(span.len);
        (span.start..end).contains(&piece)
    });
    own.map_or(Band::Between, |(_, band)| band)
}
