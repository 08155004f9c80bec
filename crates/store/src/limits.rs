//! Bounds of the store, each with its reason.

/// Memory of the records in one journal block, in bytes. A block is joined, encoded, compressed and
/// checked as one, and what these take has room in the cache of one processor: blocks of 1 MiB take
/// 5 to 9 % less of the journal, and a quarter more CPU time to be written.
pub const BLOCK_BYTES: usize = 128 * 1024;

/// Memory that the encoder of blocks keeps for the next one, in bytes. A batch that comes whole, as
/// over HTTP, makes a block larger than usual.
pub const ENCODER_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Memory of the records that one commit takes from the queue, in bytes. Bounds what one
/// `fdatasync` has to flush and so the latency of an acknowledgement.
pub const GROUP_BYTES: usize = 16 * 1024 * 1024;

/// Records for which a commit need not wait for more: what it costs is little for each of them.
pub const COMMIT_RECORDS: usize = 64;

/// How long a smaller commit waits behind the start of the one before, in microseconds. Without it
/// 100,000 records a second that come one by one are as many commits, and cost five times as much;
/// nobody notices half a millisecond.
pub const COMMIT_SPACING_US: u64 = 500;

/// Size of a journal file, in bytes. Large enough that files change seldom, small enough that
/// recovery reads little and a small disk can hold one.
pub const JOURNAL_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Size of a journal file when the disk has no room for a whole one.
pub const JOURNAL_FILE_BYTES_SMALL: u64 = 4 * 1024 * 1024;

/// Most unused journal files kept for recycling. Rewriting a file costs no metadata; they are also
/// the reserve that keeps receiving possible when others fill the disk.
pub const JOURNAL_FREE_FILES_MAX: usize = 2;

/// Most bytes of journal in use before the logspaces that pin its oldest file are sealed.
pub const JOURNAL_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Largest stored size of a block that recovery believes. A block holds one batch at most.
pub const BLOCK_STORED_BYTES_MAX: usize = 2 * model::limits::BATCH_BYTES_MAX;

/// Largest uncompressed size of a block that recovery believes: a batch's bytes and its columns.
pub const BLOCK_RAW_BYTES_MAX: usize = 4 * model::limits::BATCH_BYTES_MAX;

/// Rows of a segment. The tail is sealed when it holds so many.
pub const SEGMENT_ROWS: usize = 256 * 1024;

/// Largest merged segment, in bytes, however much memory there is: what four million messages with an
/// identifier each take, at 40 bytes each. A question looks a word up in each segment.
pub const MERGE_BYTES_MAX: u64 = 160 * 1024 * 1024;

/// Most rows of a merged segment: two of eight times those that are sealed at once, which are some more than
/// [`SEGMENT_ROWS`].
pub const MERGE_ROWS_MAX: u64 = 5 * 1024 * 1024;

/// The niceness of all builders but the first: what receives and answers goes first, as with a processor less
/// for building.
pub const BUILDER_NICENESS: i32 = 5;

/// Memory of an import at a time, in bytes: the largest batch of one, and a builder that needs as much.
pub const IMPORT_BYTES: u64 = 128 * 1024 * 1024;

/// How many segments of about the same size are merged into one. More would merge less often and
/// let searches look into more of them.
pub const MERGE_FAN_IN: usize = 8;

/// How many are enough where one more would make it too large.
pub const MERGE_FULL_FAN_IN: usize = 4;

/// The largest of segments that are merged may have such a share of all, in percent: others grow together
/// first.
pub const MERGE_LARGEST: u64 = 50;

/// The same of segments of a day that is over, which waits for no others: of two that are nearly of one size
/// one is larger.
pub const MERGE_LAST_LARGEST: u64 = 60;

/// Rows of a segment that is made anew because of damage, but for those that are read together: its index is in
/// memory until it is written. Merging joins them again.
pub const MEND_ROWS: u32 = 1024 * 1024;

/// How long a segment that the disk would not read is left alone before it is to be merged again,
/// in seconds. Each further failure doubles it.
pub const MERGE_PAUSE_SECONDS: i64 = 10;

/// The longest such pause, in seconds. A disk that fails for days is asked once an hour.
pub const MERGE_PAUSE_SECONDS_MAX: i64 = 3_600;

/// Segments of a logspace from which on merging does not wait for a quiet moment.
pub const MERGE_PENDING_SEGMENTS: usize = 256;

/// How much smaller a compacted segment has to be to be kept, in percent. Less is not worth the
/// writing, and backups would take the file once more.
pub const COMPACTION_SAVING_PERCENT_MIN: u64 = 3;

/// Size of a segment from which on a thread of the lowest priority compacts it, in bytes. Less takes
/// a fraction of a second.
pub const COMPACTION_ALONE_BYTES_MAX: u64 = 1024 * 1024;

/// How long compacting waits before it looks again whether the newest records still take their
/// share of memory, in milliseconds.
pub const COMPACTION_PAUSE_MS: u64 = 200;

/// Most segments of a logspace that are archived before it is looked what else there is to do: at
/// the speed of a slow disk this takes some minutes at the most.
pub const ARCHIVE_SEGMENTS_MAX: usize = 16;

/// How many numbers ahead the inventory is written while records are seen before they are durable, which takes
/// two syncs: at 300,000 records a second every three seconds. As many are left out after a kill or a power cut.
pub const NUMBERS_AHEAD: u64 = 1024 * 1024;

/// Rows of a segment that a follower has decoded at once. Pages are decoded for all of them together; with four
/// times as many it is not faster, and rows of 16 MiB take more memory.
pub const FOLLOWED_ROWS: u32 = 256;

/// Places that a follower looks at for one piece: records that cannot be read are tried one by one, and millions of
/// them must not be one turn.
pub const FOLLOWED_TURNS_MAX: usize = 4 * 1024;

/// Stretches of numbers that a manifest remembers as gone. The oldest records go first mostly, so that there are
/// a few; where there are more, those nearest to each other are told as one.
pub const GONE_MAX: usize = 1_024;

/// Longest name of a follower, in bytes.
pub const FOLLOWER_NAME_BYTES_MAX: usize = model::limits::NAME_BYTES_MAX;

/// How many times the tails may exceed their share before commits wait for the sealer.
pub const TAIL_OVERFLOW: usize = 2;

/// Tail chunks smaller than this are joined with their neighbour, so that a trickle of single
/// records does not become a million chunks. In bytes. What a reader brings at once is as much, and
/// is not copied again.
pub const TAIL_CHUNK_BYTES: usize = 64 * 1024;

/// Records of a tail that a memory segment is made of at least, unless they are large. With twice as many, searches of
/// 29 users beside 7,000 messages a second look at so many more records that they take half as long again.
pub const MEMORY_SEGMENT_ROWS_MIN: usize = 8 * 1024;

/// Records of a memory segment at most, but for those of one chunk.
pub const MEMORY_SEGMENT_ROWS_MAX: usize = 32 * 1024;

/// The part of the memory of the tails that the records of one memory segment take at most. Building it takes twice as
/// much, in place of the tails themselves: where these are large, none is built.
pub const MEMORY_SEGMENT_OF_TAILS: usize = 4;

/// Looks at a record after which it gets into a memory segment. Adding it takes as long as some forty: waiting for as
/// many would let what comes beside it be looked at for longer.
pub const MEMORY_SEGMENT_LOOKS: u64 = 16;

/// Largest manifest record, in bytes: one seal adds one segment a day that its rows span.
pub const MANIFEST_RECORD_BYTES_MAX: usize = 1024 * 1024;

/// Removed segments that a manifest may still name before it is written anew.
pub const MANIFEST_STALE_MIN: usize = 1024;

/// Largest manifest file that is read at once, in bytes: about fifteen million segments.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// How long an answer to the question for free space is believed, in milliseconds.
pub const ROOM_CHECK_MS: i64 = 100;

/// How much more than the minimum has to be free for receiving to go on after it stopped, in
/// percent.
pub const ROOM_RESUME_PERCENT: u64 = 20;

/// Most bytes of journal that are acknowledged and not synced, whatever the durability asked for.
pub const UNSYNCED_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// How long the committer waits before it tries a failed disk again, in milliseconds.
pub const STALL_RETRY_MS: u64 = 500;

/// Bytes of a file that are copied at once, for a backup, a restore or the archive.
pub const COPY_BYTES: usize = 1024 * 1024;

/// Largest note, in bytes: a word or the path of a directory.
pub const NOTE_BYTES_MAX: u64 = 64 * 1024;

/// Most bytes of saved searches, which are read into memory whole: thousands of them.
pub const SEARCHES_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Most bytes of a document, which is read into memory whole: thousands of saved searches.
pub const DOCUMENT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Most bytes of the first line of a document: two names, an id and three numbers.
pub const DOCUMENT_HEADER_BYTES_MAX: usize = 512;

/// Most documents of a store. Each is read at the start, and has a line in the inventory.
pub const DOCUMENTS_MAX: usize = 1_000;

/// Most bytes of all documents together: a backup holds all of them at once, as they were at one moment.
pub const DOCUMENTS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Most bytes read from the lock file, which holds a few words about its holder.
pub const LOCK_BYTES_MAX: usize = 1024;

/// Bytes that a check reads at once of a file without structure. Large enough that the calls cost
/// nothing, small enough for every thread to have such a buffer.
pub const VERIFY_READ_BYTES: usize = 1024 * 1024;

/// How often a check looks for segments in the manifest as it is now, where some have vanished.
/// Merging takes longer than looking, so that two are enough.
pub const VERIFY_ROUNDS_MAX: usize = 8;

/// Largest journal file that is looked into, in bytes: it is read as a whole. Sixteen times the
/// usual size, more than any commit needs.
pub const INSPECT_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Memory for decoded pages while a segment is looked into, in bytes. Each page is needed once.
pub const INSPECT_CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// Most terms of a segment that are listed. More than that nobody reads.
pub const INSPECT_TERMS_MAX: usize = 10_000;

/// Most rows of a chunk whose times are read together: those of a chunk as it is sealed, two megabytes. A day that
/// is compacted has larger chunks, which each bar of a chart would read whole.
pub const TIMED_ROWS: u32 = 256 * 1024;

/// Most stretches of time that are remembered of such rows: that of clocks that are right, and a few of
/// clocks that are wrong. 64 bytes.
pub const TIME_SPANS_MAX: usize = 4;

/// The least that lies between two stretches of time, in nanoseconds: an hour. Senders that wait for
/// each other, or resend what they kept, are not further apart.
pub const TIME_SPAN_GAP_NANOS: i64 = 3_600_000_000_000;

/// How many of the most frequent terms are listed: a screen.
pub const INSPECT_TOP_TERMS: usize = 20;

/// One of so many bytes for decoded pages is for what questions have found. A set of rows of a
/// segment takes 160 KiB at the most, and mostly some; counts of hosts 10 KiB: ten screens over 200
/// segments fit into 32 MiB.
pub const FOUND_SHARE: u64 = 4;

/// One of so many bytes for decoded pages is for records that were put together for answers: 4 MiB of 128 are some
/// seventy screens of 200 records.
pub const RECORDS_SHARE: u64 = 32;

/// Most records that are remembered together. Those of longer lists mostly stand beside each other, and a screen of
/// them takes two milliseconds; 200 that are far apart take a dozen pages of columns each.
pub const KEPT_RECORDS_MAX: usize = 64;

/// One of so many bytes for decoded pages is for what is known of kinds, some 1 KiB each: logs have hundreds of
/// them, and mostly the same ones in all segments.
pub const KINDS_SHARE: u64 = 16;

/// What a byte of a page of columns takes in memory, as [`segment::ColumnPage::memory_bytes`] reckons.
pub const COLUMN_MEMORY_FACTOR: u64 = 3;

/// The share of that for what was asked for more than once.
pub const FOUND_OFTEN_SHARE: f64 = 0.5;

/// Pages of columns of a chunk that a question keeps which looks through it: those of all slots of most kinds. A
/// page that was let go and is asked for again is read again.
pub(crate) const PAGES_KEPT: usize = 64;

/// Most files that a store has open for reading at a time. To open another one takes some ten
/// microseconds, a tenth of what reading a page of it does.
pub const OPEN_FILES_MAX: usize = 1_024;

/// Of so many descriptors that the process may have, one is for such a file: most are for those who
/// send and ask.
pub const OPEN_FILES_OF: u64 = 4;

/// Memory that all questions together may take at least, in bytes: the largest table that one may
/// keep, and the answer that is written of it.
pub const QUESTIONS_BYTES_MIN: u64 = 128 * 1024 * 1024;

/// From so many logspaces on they are opened by several threads; fewer are open before those have
/// started.
pub const LOGSPACES_TOGETHER_MIN: usize = 32;

/// Threads that open logspaces together. They wait for the disk, which makes many files durable in
/// the time of one.
pub const OPENING_THREADS: usize = 16;

/// Largest inventory that is read, in bytes: that of some ten thousand logspaces with the longest
/// names, and as many losses as are kept.
pub const INVENTORY_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Losses that an inventory names at most. Who has lost so many files needs a backup, not a longer
/// list.
pub const LOSSES_MAX: usize = 1_000;

/// Commits after which the inventory is tried again where the disk has refused it: each try costs two
/// syncs.
pub const NOTE_RETRY_COMMITS: u64 = 1_000;

/// How far times of receipt may be ahead of the clock, in nanoseconds, before new records follow
/// the clock and not the order. Time services step clocks by less than a minute once they run;
/// what is more is a clock that was wrong and has been set right.
pub const CLOCK_BACK_NANOS_MAX: i64 = 60 * 1_000_000_000;
