//! Records as columns: what blocks of the journal hold before they are compressed. Chunks write times,
//! peers, sources and tags in the same way.
//!
//! Numbers of a kind stand together (see `column`), in the order of the records; the bytes of all
//! records follow at the end. Spans are written as the gap to the part before, in the order of a
//! syslog header, so that records of one sender have the same small numbers over and over. The
//! times of receipt are kept elsewhere (see [`crate::received`]).

mod decode;
mod encode;
mod loose;
mod place;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use decode::bare_head;
pub use decode::decode_rows;
pub use encode::encode_rows;
pub(crate) use encode::{LooseWriter, tags_of};
pub(crate) use loose::{LooseRows, LooseTables};

use crate::Corrupt;
use crate::wire::Reader;

/// How the times of a page are written: what the column holds. The value is the byte on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TimeForm {
    /// Difference to the time of receipt.
    Received,
    /// Difference to the record before in nanoseconds.
    Nanos,
    /// The same in microseconds; every time is a whole one.
    Micros,
    /// The same in milliseconds.
    Millis,
    /// The same in seconds, as in all of RFC 3164.
    Seconds,
}

impl TimeForm {
    const ALL: [Self; 5] = [
        Self::Received,
        Self::Nanos,
        Self::Micros,
        Self::Millis,
        Self::Seconds,
    ];

    /// Reads the form that times start with.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let form = reader.byte()?;
        let known = Self::ALL.get(usize::from(form)).copied();
        known.ok_or(Corrupt::Invalid {
            what: "form of times",
            value: u64::from(form),
        })
    }

    /// The form with the largest unit that some times, in nanoseconds, are whole multiples of.
    pub(crate) fn largest<I: Iterator<Item = i64>>(times: impl Fn() -> I) -> Self {
        [Self::Seconds, Self::Millis, Self::Micros]
            .into_iter()
            .find(|form| times().all(|nanos| form.fits(nanos)))
            .unwrap_or(Self::Nanos)
    }

    /// Nanoseconds in the unit of the differences.
    pub(crate) const fn nanos(self) -> i64 {
        match self {
            Self::Received | Self::Nanos => 1,
            Self::Micros => 1_000,
            Self::Millis => 1_000_000,
            Self::Seconds => 1_000_000_000,
        }
    }

    /// Whole units of a time. Each division is by a constant, which takes a tenth of one by any number.
    #[inline]
    pub(crate) const fn in_units(self, nanos: i64) -> i64 {
        match self {
            Self::Received | Self::Nanos => nanos,
            Self::Micros => nanos / Self::Micros.nanos(),
            Self::Millis => nanos / Self::Millis.nanos(),
            Self::Seconds => nanos / Self::Seconds.nanos(),
        }
    }

    /// Whether a time is whole units.
    #[inline]
    const fn fits(self, nanos: i64) -> bool {
        self.in_units(nanos).wrapping_mul(self.nanos()) == nanos
    }
}

/// Kinds of a peer's address on disk.
const PEER_V4: u8 = 4;
const PEER_V6: u8 = 6;
