//! Records by kind: what records have in common is written once, what varies in columns.
//!
//! The places where the spans of a record start and end, its edges, cut its text (`raw` with `extra`
//! behind it) into pieces. What varies of each piece is in slots; the rest and between which edges
//! each span lies is the key of the record's kind. [`Cutter`] makes key and slots of a record,
//! [`Guesses`] finds the same for records like those before, [`Kinds`] numbers the keys, [`Shape`]
//! makes of a key, slots and the time the record again.
//!
//! ```text
//! key     = priority ops END layout | WHOLE
//! ops     = (byte from 8 | SLOT | EDGE | STAMP parameters)*
//! layout  = edge where raw ends, six spans, number of fields, three spans for each
//! span    = number of pieces, first piece unless there are none
//! ```
//!
//! What must stay true: key, slots and time give back the very bytes and spans, but for spans that are
//! empty or do not fit, which come back as 0, 0; the same record has the same key whatever was
//! cut before; a key that no cutter wrote gives an error or some record, whose spans fit.

mod column_groups;
mod cutter;
mod guess;
mod joined;
mod keys;
mod layout;
mod looks;
mod pattern;
mod pool;
mod shape;
mod shapes;
mod stamp;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use column_groups::ColumnGroup;
pub(crate) use cutter::{Cut, Cutter, How};
pub(crate) use guess::Guesses;
pub(crate) use joined::{Joined, join};
pub use looks::FieldPlace;
pub(crate) use looks::{Bit, Look, VaryingName};
pub use pool::KindPool;
pub(crate) use shape::{Shape, Texts};
pub(crate) use shapes::Shapes;
pub use table::Kinds;
#[cfg(test)]
use words::Stretches;
pub(crate) use words::{Varying, goes_on};

use crate::templates::cut::{MARKS, SLOT};

/// Between two pieces.
const EDGE: u8 = 1;

/// A time stamp that follows from the record's time; four bytes of parameters follow.
const STAMP: u8 = 2;

/// Behind the last piece.
const END: u8 = 3;

const _: () = assert!(SLOT < EDGE && END < MARKS);

/// The key of the kind of records that are kept as text: their slots are the text, and their priority
/// and layout in bytes. It is no priority.
const WHOLE: u8 = 0xff;
