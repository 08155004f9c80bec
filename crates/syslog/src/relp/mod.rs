//! RELP, the Reliable Event Logging Protocol: frames that are answered one by one.
//!
//! A frame is `TXNR SP COMMAND SP DATALEN [SP DATA] LF`. The client opens with its offers, sends
//! messages as `syslog` frames with numbers counting up, and may have a window of them (librelp:
//! 128) unanswered. The server answers each with a `rsp` frame of the same number. We answer only
//! when the message is durable; that is what RELP is for.
//!
//! [`Decoder`] reads either side's frames, the functions of [`encode`] write them.

mod decode;
pub mod encode;
mod error;
mod offer;
#[cfg(test)]
mod tests;

pub use decode::{Command, Decoder, DecoderOptions, Frame, Step};
pub use error::Error;
pub use offer::{Offers, Response};

use crate::limits::RELP_TRANSACTION_MAX;

/// The transaction number behind another: 1 behind the largest.
pub fn next_transaction(transaction: u32) -> u32 {
    if transaction >= RELP_TRANSACTION_MAX {
        1
    } else {
        transaction + 1
    }
}
