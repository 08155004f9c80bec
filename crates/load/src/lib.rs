//! Traffic generation: messages of many kinds, sent over every transport, counted exactly.
//!
//! A [`Source`] makes messages and knows no sockets. [`demo`] is a made-up company's log.
//!
//! The same seed, options and times give the same bytes.

pub mod demo;
mod random;
mod source;

pub use source::Source;
