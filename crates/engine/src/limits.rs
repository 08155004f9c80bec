//! Bounds of an answer, each with its reason.

/// Most rows that one search returns; further ones come with its cursor, or as an export.
pub const SEARCH_ROWS_MAX: usize = 10_000;

/// Most bytes of records that one search gathers. A page of answers that reaches it ends early,
/// with a cursor; so huge messages cannot fill the memory.
pub const SEARCH_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Memory of a row of a page of answers beside its bytes, until it is sent: what is known of it here,
/// and the names of its members as text.
pub(crate) const FOUND_ROW_BYTES: usize = 512;

/// How often the bytes of a row are in memory until it is sent: as they were decoded, as parts, and
/// as text.
pub(crate) const FOUND_ROW_COPIES: usize = 3;

/// What each thread of a question takes of the memory of all questions beside what it keeps, in
/// bytes: sets of rows, and the blocks that it decodes.
pub(crate) const THREAD_BYTES: usize = 1024 * 1024;

/// Blocks of records that a thread may hold at a time where they are large.
pub(crate) const THREAD_BLOCKS: usize = 2;

/// Most bars of a histogram: more than any screen has columns.
pub const HISTOGRAM_BARS_MAX: usize = 10_000;

/// Most memory for the distinct values of one question, in bytes, as allocated: about two million
/// short ones. Values first seen behind it are not listed and the answer is marked incomplete.
pub const STATS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What a thread gathers before it adds it to what all threads of a question have, in bytes: the
/// different values of a chunk mostly. More goes to the others one by one.
pub(crate) const STATS_OWN_BYTES_MAX: usize = STATS_BYTES_MAX / 256;

/// What is left of [`STATS_BYTES_MAX`] for that, with as many threads as there may be.
pub(crate) const STATS_SHARED_BYTES_MAX: usize =
    STATS_BYTES_MAX - (HELPERS_MAX + 1) * STATS_OWN_BYTES_MAX;

/// What a thread gathers of groups before it adds it to what all threads of a question have, in bytes: the
/// values and combinations of a few thousand rows at least.
pub(crate) const GROUPS_OWN_BYTES_MAX: usize = STATS_BYTES_MAX / 64;

/// Rows of a chunk that are grouped at a time, field by field: what each has of a field takes four bytes.
pub(crate) const GROUPED_ROWS: u32 = 64 * 1024;

/// The same where sources, senders, tags or times are asked for: those of rows beside each other stand together,
/// whatever their kinds, so that each look reads as many pages.
pub(crate) const GROUPED_BY_HEADS_ROWS: u32 = SELECTED_ROWS as u32;

/// What a vector of a table of values takes at least, in bytes: so that few values grow it once.
pub const VALUE_TABLE_BYTES_MIN: usize = 1024;

/// Rows of a segment that are decoded at a time: what finds the first 200 has not decoded many more,
/// and what decodes all seldom looks for the columns of their kinds.
pub const BLOCK_ROWS: usize = 256;

/// Rows of a chunk whose texts are asked between two looks at [`crate::Cancel`], kind by kind. Some 100 ns each
/// where each has to be searched.
pub(crate) const SELECTED_ROWS: usize = 256 * 1024;

/// Rows of a chunk whose numbers are looked up together for a list, where many of them may match: those of
/// a page that has them.
pub const WALK_ROWS: u32 = 16 * 1024;

/// Matches of a chunk whose rows are looked up together for a list, where they are known without a look: of
/// the newest of each of several segments most lists show few.
pub const WALK_MATCHES: u64 = 64;

/// Rows of the tail that are looked at between two looks at [`crate::Cancel`]. About a
/// millisecond of matching.
pub const TAIL_PAGE_ROWS: u32 = 1_024;

/// Longest text of a cursor that is read, in bytes: a mark, two numbers of 16 digits and a name.
pub const CURSOR_BYTES_MAX: usize = 1 + 2 * 16 + 2 + model::limits::NAME_BYTES_MAX;

/// Rows of a chunk that are put in the order of their events at a time, where there are more: what
/// finds the first 200 seldom needs more, and thousands of chunks with wrong clocks fit into memory.
pub const EVENT_LIST_ROWS: usize = 256;

/// Most memory for the rows of a list, in bytes. Rows behind that are left out and the answer is
/// marked incomplete.
pub const TABLE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Messages that are read for their patterns between two looks at [`crate::Cancel`]: half a microsecond each.
pub(crate) const MESSAGES_READ: usize = 16 * 1024;

/// Values of a slot that tells patterns, read between two looks as well: most are known by their numbers, in a
/// tenth of the time or less.
pub(crate) const VALUES_READ: usize = 8 * MESSAGES_READ;

/// Memory of one value of a table beside its text.
pub const TABLE_VALUE_BYTES: usize = size_of::<query::Value>();

/// Of so many rows of a segment one has to match, that hosts and programs are counted by the words of
/// all rows: the columns of fewer are read in less time.
pub(crate) const MARKED_OF: u64 = 128;

/// So many rows of a kind have to be asked for a field, that one of them is read to find out where it is: that takes as
/// long as reading the message of another.
pub(crate) const PLANNED_MIN: usize = 2;

/// Most kinds of messages of which a question for a field remembers from one segment to the next where it is. Logs
/// have hundreds; of each further one a message is read in every segment.
pub(crate) const PLANS_MAX: usize = 16 * 1024;

/// As many ordinals of open words are put in order by a bit for each row of the segment, fewer by themselves.
pub(crate) const MARKED_ORDINALS_MIN: usize = 4_096;

/// Most pages of words of structured data that are gone through in a segment for a part of a word, to leave
/// out rows that do not have a field: one or two milliseconds, where a look at a few thousand rows takes as
/// long.
pub(crate) const DATA_PAGES_MAX: usize = 64;

/// Longest condition whose matches are remembered, in bytes as it is kept: a query of a screen.
pub(crate) const REMEMBERED_CONDITION_BYTES_MAX: usize = 16 * 1024;

/// Most bytes of the rows of a segment that are remembered where the index finds them without going
/// through the lexicon: one in a hundred rows of a large one. Of more, how many there are is remembered alone.
pub(crate) const REMEMBERED_FEW_BYTES_MAX: usize = 96 * 1024;

/// Most bytes of the values of a field and their counts that are remembered of a segment: the hosts of a
/// large site, but not the process ids of a day.
pub(crate) const REMEMBERED_COUNTS_BYTES_MAX: usize = 32 * 1024;

/// Most threads that help with questions at a time, however many processors there are. Each is
/// started for its question, which takes some 20 microseconds.
pub(crate) const HELPERS_MAX: usize = 15;

/// Parts that are looked into at once for the next rows, where those before had few. Each has a block of
/// records in memory, of which there are at most those of a chunk.
pub(crate) const READ_AHEAD_PARTS_MAX: usize = 8;

/// Rows of each of these parts that are read before they are wanted; fewer are few.
pub(crate) const READ_AHEAD_ROWS: usize = 64;

/// Bytes of the rows of a part that are read before they are wanted: more are not read on.
pub(crate) const READ_AHEAD_BYTES: usize = 1 << 20;

/// Parts of a question for each thread that helps: fewer are done before it has started.
pub(crate) const HELPED_PARTS_MIN: usize = 3;

/// Edges of bars in a segment up to which the index counts a word before them, from its list or from columns that
/// are read around them alone: the ordinals before all of them are kept at once, some eight bytes for each kind. A thousand
/// bars of a week in fifty segments have some twenty.
pub(crate) const EDGES_COUNTED_MAX: usize = 64;

/// Most kinds of which a question remembers from one segment to the next what they tell of a leaf. Of each
/// further one that is found out in every segment.
pub(crate) const TOLD_KINDS_MAX: usize = 64 * 1024;
