//! Where messages come from.

use model::Timestamp;

/// Makes the messages of one connection, one after the other.
///
/// A source does no I/O and reads no clock: its messages depend on what it was made with and on
/// the times it is given.
pub trait Source: Send {
    /// Appends the next message as it is written at `now`, without a frame or a line end; `false`
    /// where there is none left, with nothing appended.
    fn next_message(&mut self, now: Timestamp, out: &mut Vec<u8>) -> bool;
}
