//! Traffic generation: messages of many kinds, sent over every transport, counted exactly.
//!
//! A [`Source`] makes messages and knows no sockets. [`message`] has those of fixed formats and
//! of files, [`demo`] is a made-up company's log, [`learn`] makes messages like those of a given
//! log. [`send`](mod@send) takes sources to a target; [`sink`] receives and counts.
//!
//! The same seed, options and times give the same bytes.

pub mod demo;
mod error;
pub mod learn;
pub mod limits;
pub mod message;
mod random;
pub mod send;
pub mod sink;
mod source;

pub use error::Error;
pub use source::Source;
