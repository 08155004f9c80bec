//! The immutable on-disk segment as pure functions over bytes: codecs, lexicon, postings,
//! checksums; knows no files.

mod column;
mod corrupt;
pub mod limits;
pub mod received;
pub mod rows;
#[cfg(test)]
mod testing;
mod wire;

pub use corrupt::Corrupt;
