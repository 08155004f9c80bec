//! Traffic generation: messages of many kinds, sent over every transport, counted exactly.
//!
//! A [`Source`] makes messages and knows no sockets. [`demo`] is a made-up company's log,
//! [`learn`] makes messages like those of a given log.
//!
//! The same seed, options and times give the same bytes.

pub mod demo;
pub mod learn;
mod random;
mod source;

pub use source::Source;
