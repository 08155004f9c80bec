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

/// Most bytes of a body for `ingest`, unpacked: what a sender repeats where it got no answer.
pub const INGEST_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Most bytes of a body that is read into memory before it is looked at: an hour's reading for a
/// person.
pub const SMALL_BODY_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Memory of the objects of a body that are stored together: some of a piece of it, so that the
/// budget is not asked for much at once.
pub const OBJECTS_BYTES: usize = 256 * 1024;

/// How long a body may pause, and how long it may be slower than [`BODY_BYTES_PER_SECOND`].
pub const BODY_PAUSE: Duration = Duration::from_secs(30);

/// Bytes a second that a body must bring: less than the slowest line, more than whoever sends a
/// byte now and then to keep a place.
pub const BODY_BYTES_PER_SECOND: u64 = 1024;

/// Bytes of a compressed body that are unpacked at once; deflate makes 1,032 times as much of them
/// at the most, in memory.
pub const UNPACK_STEP_BYTES: usize = 256;

/// Unpacked bytes of a body that are taken on together.
pub const UNPACKED_PIECE_BYTES: usize = 64 * 1024;

/// How many times larger than itself a compressed body may become; logs become 5 to 30 times
/// larger.
pub const UNPACK_RATIO_MAX: u64 = 1_000;

/// Unpacked bytes from which that is looked at: short runs of one message pack better.
pub const UNPACK_RATIO_FROM_BYTES: u64 = 16 * 1024 * 1024;

/// Largest window of a body in zstd, as a power of two: 8 MiB, which RFC 9659 asks of everybody.
pub const ZSTD_WINDOW_LOG_MAX: u32 = 23;

/// Questions that wait for those: a page asks three to five together.
pub const QUESTIONS_WAITING_MAX: usize = 64;

/// How long a question waits: as long as a person does.
pub const QUESTION_WAIT: Duration = Duration::from_secs(10);

/// Most bodies that are read at a time, or half of the connections where those are fewer.
pub const UPLOADS_MAX: usize = 256;

/// Most imports at a time: each gathers one segment of records while others are built.
pub const IMPORTS_MAX: usize = 2;

/// Imports that wait for those: many files at once, each with a program of its own.
pub const IMPORTS_WAITING_MAX: usize = 64;

/// How long an import waits: as long as several segments take to be sealed.
pub const IMPORT_WAIT: Duration = Duration::from_secs(120);

/// Most bodies in zstd at a time, each with a window of up to 8 MiB.
pub const UNPACKING_MAX: usize = 8;

/// How nice the threads of questions and tails are to those that receive, of 19: where all want
/// the processors, thirty of them get as much as one that receives.
pub const QUESTION_NICENESS: i32 = 15;

/// The same of exports, which nobody looks at while they run.
pub const EXPORT_NICENESS: i32 = 19;

/// Bytes of an answer that may wait for a slow reader beside the questions: what the kernel takes
/// of it at once.
pub const ANSWER_BYTES_FREE: usize = 256 * 1024;

/// Largest head of a request, in bytes: that of the longest query, each byte written as three.
pub const HEAD_BYTES_MAX: usize = 128 * 1024;

/// Bytes that the kernel holds of a connection in each direction. As much as arrives at 20 MB a
/// second over 10 ms.
pub const SOCKET_BUFFER_BYTES: usize = 256 * 1024;

/// How long the head of a request may take, and how long a connection may wait for one.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// How long a client may take for what is written to it, some 100 KiB at a time.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// How long a client that was answered before it had sent everything is read on.
pub const LINGER_TIME: Duration = Duration::from_secs(2);

/// Bytes that are read of it meanwhile.
pub const LINGER_BYTES: usize = 16 * 1024 * 1024;

/// Clients that are being told at a time that there is no room.
pub const REFUSALS_MAX: usize = 64;

/// How long accepting pauses when it fails: without file descriptors it would fail at once again.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Connections that the kernel may hold ready to be accepted.
pub const ACCEPT_BACKLOG: i32 = 1024;

/// Seconds after which a client that was refused for want of room may try again.
pub const RETRY_AFTER_SECONDS: u64 = 5;

/// Shortest time between two looks of one tail at what is new: shorter than people notice.
pub const TAIL_PAUSE: Duration = Duration::from_millis(100);

/// How long one look goes on to further parts of a logspace before it is another tail's turn.
pub const TAIL_LOOK_TIME: Duration = Duration::from_millis(500);

/// Tails that look at what is new at a time; the others wait for their turn, so that any number of
/// them takes one processor at the most.
pub const TAIL_LOOKS_MAX: usize = 1;

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
