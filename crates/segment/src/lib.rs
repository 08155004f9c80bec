//! The immutable on-disk segment as pure functions over bytes: codecs, lexicon, postings,
//! checksums; knows no files. FORMAT.md describes every byte.
//!
//! [`Builder`] makes a segment of records. A reader starts at the end of the file: [`Trailer`],
//! then [`Footer`], which names all pages; each kind of page has its decoder. Records are in chunks
//! ([`Chunk`]), by kind ([`Kinds`]). [`rows`] and [`received`] are the codecs of records that the
//! journal uses too.
//!
//! What must stay true: the same pushes give the same bytes; decoders survive any bytes; every
//! page is checked before it is used.

mod builder;
mod bytes;
mod chunk;
mod chunks;
mod column;
mod columns;
mod compare;
mod corrupt;
mod envelope;
mod first_word;
mod footer;
#[cfg(test)]
mod format_tests;
mod hash;
mod index;
mod input;
mod kinds;
mod lexicon;
pub mod limits;
mod namespace;
mod page;
mod page_file;
mod postings;
pub mod received;
mod rewrite;
pub mod rows;
mod section;
mod spare;
mod templates;
mod term;
mod terms;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod wire;

pub use builder::{BuildError, BuildOptions, Builder, Built};
pub use chunk::{
    Chunk, ChunkEntry, ChunkHeads, ChunkLoose, ChunkWriter, ColumnPage, Edges, FieldTexts, Hints,
    KindRows, NamedText, PartRows, ReceivedRows, RowKinds, RowMetadataPage, Selected, SlotValues,
    TextBit, TextPart, TextTest,
};
pub use columns::{ByteSet, ColumnSummary, ZoneMap, ZoneMaps, insert_byte};
pub use compare::{Difference, compare};
pub use corrupt::Corrupt;
pub use envelope::{FORMAT_VERSION, HEADER_MAGIC, Header, Trailer, WORDS_VERSION};
pub use footer::{Counts, Footer, LexiconPageEntry};
pub use index::{Tally, ValueRows};
pub use kinds::{FieldPlace, KindPool, Kinds};
pub use lexicon::{Bigrams, FoundTerm, KnownKey, LexiconPage, LexiconThrough};
pub use namespace::Namespace;
pub use page::{PageEntry, check_stored, decode_kind_page, decode_received_page};
pub use postings::{PostingPage, count_listed, count_marked, len_within, marked};
pub use received::ReceivedTimes;
pub use rewrite::{
    LOST_TAG, Piece, Rewrite, RewriteError, RewriteInput, RewriteOptions, Rewritten,
    can_be_coalesced, rewrite, rewrite_in_memory,
};
pub use section::Section;
pub use spare::Spare;
pub use templates::{PatternOutline, Patterns, Template, Templates};
pub use term::{Listed, Location, TermEntry};
