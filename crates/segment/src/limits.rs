//! Bounds of the segment format, each with its reason. FORMAT.md repeats them.

use model::limits::BATCH_BYTES_MAX;

/// Longest name of a source or tag that is read, in bytes. Writers are configured with at most
/// [`model::limits::NAME_BYTES_MAX`]; reading more keeps records readable if that ever grows.
pub const STORED_NAME_BYTES_MAX: usize = 64 * 1024;

/// Most rows of a segment. Three times what merging aims at; keeps a list of all rows in 64 MiB.
pub const SEGMENT_ROWS_MAX: u32 = 1 << 24;

/// Most bytes of all records of a segment. The index of more would not fit in memory.
pub const SEGMENT_RECORD_BYTES_MAX: u64 = 2 << 30;

/// Most rows of a chunk that is written of records: those that are sealed at once. What a chunk says of its
/// kinds and columns takes as much with a quarter of the rows, and is read for each look into it.
pub const CHUNK_ROWS: usize = 256 * 1024;

/// Most rows of a chunk, which several of those become when a day is over: those of a segment as large as merging
/// makes it, so that a question looks into each column once.
pub const CHUNK_ROWS_MAX: usize = 5 * 1024 * 1024;

/// Rows of a row metadata page of a larger chunk. A look at a row reads one such page.
pub const ROW_METADATA_PAGE_ROWS: usize = 16 * 1024;

/// A chunk is closed before a record that would bring its records beyond this many bytes: they are in memory
/// until it is written, and are one batch where they are read together.
pub const CHUNK_BYTES: usize = 60 << 20;

/// Chunks with fewer rows than this, and less than [`SMALL_CHUNK_BYTES`], are joined with those
/// beside them when segments are merged. Larger ones are copied.
pub const SMALL_CHUNK_ROWS: u32 = 16 * 1024;

/// Columns of a chunk before compression from which on it is copied however few rows it has.
pub const SMALL_CHUNK_BYTES: u64 = 4 << 20;

/// Rows of a received page: all but the last have exactly so many, so that the page of a row is
/// known. An edge of a bar decodes one. A segment of 4 Mi rows has 512, which take 16 KiB of its footer.
pub const RECEIVED_PAGE_ROWS: u32 = 8 * 1024;

/// A lexicon page is closed when its entries reach this many bytes. A look-up reads one page.
pub const LEXICON_PAGE_BYTES: usize = 16 * 1024;

/// Most terms of a block of the lexicon. A look-up opens one block.
pub const LEXICON_BLOCK_TERMS: usize = 64;

/// A block of the lexicon ends with the word that brings it to this many bytes, shared ones counted
/// each time: what opening it takes in memory, but for one word.
pub const LEXICON_BLOCK_WORD_BYTES: usize = 64 * 1024;

/// Words of the lexicon are cut only where so many bytes of theirs are left out: of numbers, digits.
pub(crate) const LEXICON_CUT_BYTES_MIN: usize = 2;

/// The same of words of a block whose letters are left out as well.
pub(crate) const LEXICON_CUT_LETTERS_MIN: usize = 6;

/// Letters are left out where so many words more of a block are cut for it: where most are identifiers.
pub(crate) const LEXICON_TRUNCATED_TERMS_MIN: usize = LEXICON_BLOCK_TERMS / 2;

/// Bytes that are left of a truncated term beyond what tells it from its neighbours: for one word in a thousand that is
/// looked up and nowhere, a row is looked at.
pub(crate) const LEXICON_CUT_MORE_BYTES: usize = 2;

/// The same of words whose letters are left out as well, each of which says more: for one word in 36.
pub(crate) const LEXICON_CUT_MORE_LETTERS: usize = 1;

/// Digits that are left of a cut number at the least, for the same.
pub(crate) const LEXICON_CUT_DIGITS_MIN: usize = 6;

/// Up to so many rows of a term stand in the lexicon, more in a posting page.
pub const LEXICON_INLINE_MAX: usize = 4;

/// A posting page is closed when its lists reach this many bytes. A list never straddles pages.
pub const POSTING_PAGE_BYTES: usize = 16 * 1024;

/// Numbers of a list from which on it says how each stretch of it is kept: that takes two bytes for each.
pub(crate) const MARKED_LIST_NUMBERS_MIN: usize = 64;

/// Numbers of a list that are kept in one way at least, but for its last ones: enough to pass over by the eight.
pub(crate) const MARKED_STRETCH_NUMBERS: usize = 64;

/// Longest page in bytes before compression: one record as large as a batch can be, with as many
/// fields as a batch can have.
/// Far above what the targets lead to; bounds what a decoder allocates.
pub const PAGE_RAW_BYTES_MAX: usize = 4 * BATCH_BYTES_MAX;

/// Longest footer in bytes. It holds 24 bytes a page and the first keys of the lexicon's pages.
pub const FOOTER_BYTES_MAX: usize = 1 << 30;

/// Most templates that are told apart; messages of further kinds have none. Logs of one program have
/// hundreds, and free text would fill any number.
pub const TEMPLATES_MAX: usize = 64 * 1024;

/// Most slots of a template: a line of a table with more columns is read as text behind them.
pub const TEMPLATE_SLOTS_MAX: usize = 255;

/// Longest text in quotes that is one slot, in bytes. What is longer is no value, or the quote that
/// ends it is missing.
pub const QUOTED_BYTES_MAX: usize = 1024;

/// Most values of a column that are encoded together; a longer column is cut. What one value costs to
/// decode: as many numbers go into 64 KiB at four bytes each.
pub const COLUMN_ROWS_MAX: usize = 16 * 1024;

/// A page of columns is closed when it reaches this many bytes before compression. A look into a column
/// decompresses one such page, and zstd needs no more to find what repeats in columns that are packed.
pub const COLUMN_PAGE_BYTES: usize = 16 * 1024;

/// The same in a chunk of fewer than [`SMALL_CHUNK_ROWS`] rows, which has few pages anyway.
pub const SMALL_CHUNK_PAGE_BYTES: usize = 64 * 1024;

/// Most bytes of the hosts of a segment with how many rows each has, and of the programs: a thousand
/// hosts. It is what one cold look at them reads.
pub const PART_COUNTS_BYTES_MAX: usize = 32 * 1024;

/// A column that takes more by far is cut by rows. Smaller parts would have dictionaries of their own.
pub const COLUMN_PART_BYTES: usize = 32 * 1024;

/// Most parts that all columns of one chunk are cut into: [`CHUNK_ROWS`] rows of 16 slots that are all alone
/// in their kinds. More than slots of two bytes each in [`CHUNK_BYTES`] of kinds with the fewest rows make.
pub const COLUMN_PARTS_MAX: usize = 16 * CHUNK_ROWS;

/// Values of a part of a column from which on it has a zone map. What tells of fewer takes as much as they do.
pub const ZONE_MAP_ROWS_MIN: usize = 16;

/// Digits from which on a zone map says what all values are that differ in digits alone: those of a date, or a
/// time of day. With fewer, each word with a number would be written twice.
pub const ZONE_MAP_SHAPE_DIGITS_MIN: usize = 6;

/// Longest value of which a zone map says so, in bytes: no time stamp is longer.
pub const ZONE_MAP_SHAPE_BYTES_MAX: usize = 64;

/// Most such texts of a chunk. Times have one for each month and format.
pub const ZONE_MAP_SHAPES_MAX: usize = 1024;

/// Most runs of digits in a value that become integers. An address with a port has five, a date with
/// a time and its fraction seven.
pub const NUMBER_RUNS_MAX: usize = 12;

/// Longest value that is looked at as hexadecimal, in bytes. SHA-512 has 128 digits.
pub const HEXADECIMAL_BYTES_MAX: usize = 160;

/// Most kinds of records of a segment, the one for records that are like no other among them. Their
/// numbers take two bytes a row.
pub const KINDS_MAX: usize = 1 << 16;

/// Longest key of a kind in bytes. Texts with more fixed bytes are prose, which no other record
/// shares; a record with a hundred parameters has a key of 2 KiB.
pub const KIND_KEY_BYTES_MAX: usize = 8 * 1024;

/// Most bytes of the keys of all kinds of a segment: 256 each where there are as many as there may be.
pub const KINDS_BYTES_MAX: usize = 16 << 20;

/// Most places within a record where its spans start and end. A parameter of structured data has
/// four; records with more are kept as text.
pub const KIND_EDGES_MAX: usize = 1024;

/// How far the clock of a time stamp may be from UTC, in quarters of an hour. The zones in use end
/// at 14 hours.
pub const STAMP_OFFSET_QUARTERS_MAX: i8 = 60;

/// Rows of a chunk from which on a kind has columns of its own: with fewer, what is kept for the
/// columns takes more than the fixed text.
pub const KIND_ROWS_MIN: u32 = 16;

/// Words of a kind with few records that are tried as slots, the first ones: what differs from the
/// kinds like it is seldom further behind.
pub const JOINED_WORDS_MAX: usize = 64;

/// Most shapes of the values of one column: what some sources write for "none" beside numbers or
/// names with numbers. Columns of more are text.
pub const COLUMN_SHAPES_MAX: usize = 32;

/// Index of a segment that may have terms truncated, in bytes: the new lexicon is in memory until it is written.
pub const TRUNCATION_INDEX_BYTES_MAX: u64 = 96 << 20;

/// Cutting words saves so many percent of the segment at least, or none is cut: a row is looked at for each that is
/// found, and more are open under wildcards.
pub const CUT_SAVING_PERCENT_MIN: u64 = 2;

/// Leaving letters out of words saves so many percent more, or hexadecimal digits alone are: with letters, the rows of
/// all such words are open under any wildcard.
pub(crate) const LETTERS_SAVING_PERCENT_MIN: u64 = 5;

/// Rows of a kind in a chunk from which on words that all of them have are entered once for all.
/// With fewer, the rows themselves take as little.
pub const GROUP_ROWS_MIN: usize = 8;

/// Most hints that a question keeps, one for each kind that told something in one of its texts. Logs have
/// hundreds of kinds; each further one is found out anew in every chunk.
pub const HINTS_MAX: usize = 16 * 1024;

/// Of so many rows of a chunk one has to be asked for its number, that the zone maps of its columns are read
/// first: the columns of fewer are read in as little time.
pub(crate) const ZONE_MAPS_OF: usize = 64;

/// Texts of rows that are asked together, in bytes: they stay in the cache of the processor.
pub(crate) const TOGETHER_BYTES: usize = 8 * 1024;

/// Rows are asked one by one where, of so many times that some were asked together, one may have passed more than
/// once.
pub(crate) const TOGETHER_PASSED_OF: u64 = 4;

/// So many rows of a chunk have not to pass before its zone maps are asked what of the others need not be read:
/// mostly all pass that the index did not rule out.
pub(crate) const ZONE_MAPS_FAILED_MIN: usize = 64;
