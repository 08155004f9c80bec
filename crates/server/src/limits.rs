//! Bounds of the HTTP interface, each with its reason.

use std::time::Duration;

/// Rows of a page of results where no limit is given. SSB loads as many.
pub const SEARCH_ROWS_DEFAULT: usize = 200;

/// Most rows of a page of results. More are had page by page or by `export`.
pub const SEARCH_ROWS_MAX: usize = 10_000;

/// Bars of a histogram where no number is given. SSB draws as many.
pub const BARS_DEFAULT: usize = 30;

/// Most bars of a histogram: more than pixels on any screen.
pub const BARS_MAX: usize = 10_000;

/// Values of a statistic where no limit is given.
pub const STATS_VALUES_DEFAULT: usize = 10;

/// Most values of a statistic in an answer.
pub const STATS_VALUES_MAX: usize = 100_000;

/// Rows of a table where no limit is given: what a person scrolls through, and more.
pub const QUERY_ROWS_DEFAULT: usize = 10_000;

/// Most rows of a table in an answer, which is made in memory.
pub const QUERY_ROWS_MAX: usize = 100_000;

/// What a cell of an answer takes as text beside its own text: quotes, commas, digits.
pub const CELL_BYTES: usize = 24;

/// Patterns of messages where no limit is given, as many as of `| patterns`.
pub const PATTERNS_DEFAULT: usize = 10;

/// Newest records that are looked at for the names and values of fields while a query is typed:
/// some ten milliseconds of work.
pub const COMPLETE_RECORDS_MAX: u64 = 20_000;

/// Choices of one kind that are offered while a query is typed.
pub const COMPLETE_CHOICES_MAX: usize = 50;

/// Most messages that are explained at once: what a person reads.
pub const EXPLAINED_MESSAGES_MAX: usize = 100;

/// Most saved searches: more than a menu can be read.
pub const SAVED_SEARCHES_MAX: usize = 1_000;

/// Longest name of a saved search, in characters: a line of a menu.
pub const SAVED_NAME_CHARS_MAX: usize = 100;

/// Longest text in a saved search, in bytes: that of the longest query.
pub const SAVED_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Most bytes of a body for `ingest`, which is read into memory before it is stored.
pub const INGEST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long a tail waits for records before it gives a sign of life.
pub const TAIL_HEARTBEAT: Duration = Duration::from_secs(5);

/// Most rows a tail sends at once; with more waiting it skips the older ones and says how many.
pub const TAIL_ROWS_MAX: usize = 2_000;

/// Bytes of a streamed answer that are sent as one chunk.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// Chunks of a streamed answer that wait for a slow reader before the query waits for it.
pub const CHUNKS_MAX: usize = 4;

/// Longest text by which an export can be told from others, in bytes: a UUID and some more.
pub const EXPORT_MARK_BYTES_MAX: usize = 64;

/// How often a histogram that is being counted is told: five times a second look like growing, and
/// an answer that is there sooner is told at once.
pub const HISTOGRAM_TOLD_NANOS: i64 = 200_000_000;

/// Bytes of a query that are shown of it while it runs: what a terminal shows, several times over.
pub const RUNNING_TEXT_BYTES: usize = 1_000;

/// Characters of a foreign name that the refusal of a request repeats: the longest name of DNS.
pub const SHOWN_NAME_CHARS: usize = 253;

/// Longest query that one request may run.
pub const QUERY_TIME_MAX: Duration = Duration::from_secs(300);

/// How long open requests may go on after the server was told to stop.
pub const SHUTDOWN_TIME: Duration = Duration::from_secs(5);
