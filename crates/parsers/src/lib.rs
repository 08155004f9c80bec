//! Takes the text of a record apart: pairs of name and value.
//!
//! A [`Parser`] knows one format and the options for it, which are checked when it is made. It reads a text
//! once, from left to right, and puts what it finds into [`Pairs`], where names and values are places in the
//! text as far as they stand there as they are.
//!
//! What must stay true: any bytes are taken, in time linear in their number; none of them make a parser
//! panic; what comes out is within [`limits`]; a pair has a name and a value, neither of them empty. No I/O,
//! no clock, no state: a parser can be used by all threads at once. Prefixes of names are the caller's.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod access_log;
mod classes;
mod csv;
mod date;
mod error;
mod event;
mod glob;
mod grok;
mod json;
mod kv;
pub mod limits;
mod list;
mod names;
mod pairs;
mod regex;
#[cfg(test)]
mod samples;
mod xml;

pub use access_log::AccessLogParser;
pub use csv::{CsvEscapes, CsvOptions, CsvParser};
pub use date::{DatePattern, DatePatterns};
pub use error::Error;
pub use event::{CefOptions, CefParser, LeefParser};
pub use grok::{GrokOptions, GrokParser, stock_patterns};
pub use json::{JsonOptions, JsonParser};
pub use kv::{KvOptions, KvParser};
pub use list::{ListOptions, ListParser};
pub use pairs::{Pair, Pairs, Piece};
pub use regex::RegexParser;
pub use xml::{XmlOptions, XmlParser};

/// Why a text could not be taken apart: what was expected and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The place in the input, in bytes.
    pub at: usize,
    /// What was expected, or what is wrong; lower case, no full stop.
    pub reason: &'static str,
}

impl Failed {
    pub(crate) fn new(at: usize, reason: &'static str) -> Self {
        Self { at, reason }
    }
}

/// Takes texts of one format apart.
pub trait Parser: std::fmt::Debug + Send + Sync {
    /// Adds the pairs of a text. On failure `pairs` may hold part of them; the caller drops those.
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed>;
}
