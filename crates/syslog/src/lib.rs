//! Bytes to records and back: framing, the RFC 3164 dialects, RFC 5424, RELP frames, PROXY headers.
//!
//! Nothing here does I/O, reads a clock or can fail on a message: a [`Parser`] makes of any bytes a
//! record's parts and tags that say what was wrong with them. No byte of a message is copied or
//! dropped, because parts are spans into the message as it arrived.
//!
//! | to | use |
//! |---|---|
//! | cut a TCP or TLS stream into messages | [`frame::Framer`] |
//! | take the line end off a datagram | [`frame::trim_terminator`] |
//! | read one message | [`Parser`] |
//! | speak RELP | [`relp::Decoder`] and the encoders beside it |
//! | tell compressed streams and messages | [`packing`] |
//! | learn who is behind a proxy | [`proxy::decode`] |
//! | make messages | [`write`](mod@write) |
//!
//! What must stay true: any split of a stream gives the same messages; no input panics; every
//! length read from the wire is compared with a constant of [`limits`] before it is used.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod cursor;
mod encoding;
pub mod frame;
pub mod limits;
pub mod packing;
mod parse;
pub mod proxy;
pub mod relp;
pub mod write;

pub use encoding::Encoding;
pub use parse::{
    Context, Decision, Decisions, FoundStamp, Header, HostRule, Layout, ParseMode, ParseOptions,
    Parser, StampForm, find_stamp,
};
