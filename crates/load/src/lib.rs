//! Traffic generation: messages of many kinds, sent over every transport, counted exactly.
//!
//! A [`Source`] makes messages and knows no sockets. [`demo`] is a made-up company's log,
//! [`learn`] makes messages like those of a given log.
//! [`sink`] receives and counts.
//!
//! The same seed, options and times give the same bytes.

pub mod demo;
pub mod learn;
mod random;
pub mod sink;
mod source;

pub use source::Source;
