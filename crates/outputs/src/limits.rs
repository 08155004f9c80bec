//! Bounds of destinations, each with its reason.

use std::time::Duration;

/// Pieces that wait for a worker or are being delivered by it. With two a worker never waits for the reader, and
/// what a crash makes to be sent again stays small.
pub const PIECES_UNDER_WAY: usize = 2;

/// Least memory that all destinations share, in bytes: a batch of the default size for some ten of them.
pub const MEMORY_BYTES_MIN: usize = 32 * 1024 * 1024;

/// Least that a batch may take whatever the share of its destination, in bytes: less would make the round trip
/// the cost of everything.
pub const BATCH_BYTES_MIN: usize = 64 * 1024;

/// Most records that are read from the store at a time. Those that do not match are let go at once.
pub const READ_RECORDS: usize = 8_192;

/// Most bytes that are read from the store at a time.
pub const READ_BYTES: usize = 4 * 1024 * 1024;

/// How long a reader waits before it looks for new records although nobody told of any: the watermark of
/// durable ones moves without a commit where acknowledging does not wait for the disk.
pub const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// How often a position is kept while records go out, at the most. It takes a sync of the disk.
pub const KEEP_EVERY: Duration = Duration::from_millis(500);

/// A position is kept so many times more rarely than keeping it took last: with a thousand files to sync it must
/// not take all of the time.
pub const KEEP_PAUSE_FACTOR: u32 = 10;

/// How long a read that failed waits before it is tried again.
pub const READ_AGAIN: Duration = Duration::from_secs(2);

/// How long a stop waits for the batch in flight.
pub const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// How long a worker without records waits before it looks after its connections and files.
pub const IDLE: Duration = Duration::from_secs(5);

/// Longest reason for which a record was refused that is kept, in bytes.
pub const REASON_BYTES_MAX: usize = 1_024;

/// Longest text of an error that is shown, in bytes.
pub const ERROR_BYTES_MAX: usize = 1_024;

/// How often the same trouble of a destination is logged.
pub const LOG_EVERY: Duration = Duration::from_secs(30);

/// Most workers of a destination: each is a thread and a connection.
pub const WORKERS_MAX: usize = 64;

/// Most destinations. Each has a document in the store, and threads.
pub const DESTINATIONS_MAX: usize = 256;

/// Longest name of a file that a template makes of a value, in bytes: what file systems allow, less what rotation
/// puts behind it.
pub const FILE_NAME_BYTES_MAX: usize = 200;

/// Longest path that a template makes, in bytes: `PATH_MAX` of Linux, less room for a suffix.
pub const FILE_PATH_BYTES_MAX: usize = 4_000;

/// Files of a directory that are looked at to find the renamed ones to remove.
pub const ROTATED_FILES_MAX: usize = 10_000;

/// Messages in flight on a RELP session, as rsyslog's window has them.
pub const RELP_WINDOW: usize = 128;

/// Longest datagram, in bytes: what IPv4 carries.
pub const DATAGRAM_BYTES_MAX: usize = 65_507;

/// Most files whose lengths are kept beside a position. The document that has them is written whole; files beyond
/// that are written at least once.
pub const STATE_FILES_MAX: usize = 4_000;

/// Most bytes of the paths of these files: with everything else they fit into a document of the store.
pub const STATE_PATH_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Longest file with a secret, in bytes; a token of OAuth2 has some thousands.
pub const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// Longest PEM file, in bytes: the lists of authorities of systems have some 250 KiB.
pub const PEM_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How long a connection may take to be made.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection that is not used stays open: shorter than servers and what stands between let it be.
pub const CONNECTION_IDLE: Duration = Duration::from_secs(20);

/// How long a URL that failed is left alone the first time.
pub const SICK_PAUSE_MIN: Duration = Duration::from_secs(1);

/// How long a URL that fails is left alone at the most.
pub const SICK_PAUSE_MAX: Duration = Duration::from_secs(60);

/// How long a URL that failed may take to say that it is well again.
pub const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// Requests of a worker that are under way at the same time: enough to hide the other side's time, and few
/// connections.
pub const REQUESTS_IN_FLIGHT: usize = 4;

/// Most bytes of an answer that says little, as that of an event collector.
pub const SHORT_ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Bytes of an answer that are shown.
pub const ANSWER_TEXT_BYTES_MAX: usize = 300;

/// Tables of a database whose columns are remembered for a connection. With more they are all looked up again.
pub const SQL_TABLES_MAX: usize = 1_024;

/// Most parameters of a statement: MySQL counts them in 16 bits.
pub const SQL_PARAMETERS_MAX: usize = 65_535;

/// Bytes that are written to a connection before it is asked how many of them have arrived.
pub const WRITE_BYTES: usize = 64 * 1024;

/// How often a connection is asked whether the other side has everything.
pub const ARRIVED_POLL: Duration = Duration::from_millis(1);

/// How long a target that did not work is left alone while others do.
pub const TARGET_PAUSE: Duration = Duration::from_secs(30);

/// How often a record is sent again that a RELP server answers with an error, before it counts as refused.
pub const RELP_TRIES_MAX: u32 = 5;

/// Longest answer of a RELP server, in bytes.
pub const RELP_ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Most bytes of an answer of a bulk request: some kilobyte for each document, were all of them refused.
pub const BULK_ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Most documents of a bulk request: what each became has to fit into the answer.
pub const BULK_RECORDS_MAX: usize = 10_000;

/// How long a token serves whose giver does not say: providers give out none for less.
pub const TOKEN_LIFE_DEFAULT: Duration = Duration::from_secs(300);

/// How long before its end a token is fetched anew, at the most; of one with a short life it is a fifth.
pub const TOKEN_MARGIN_MAX: Duration = Duration::from_secs(60);

/// Longest path of an object, in bytes: S3 takes 1,024.
pub const OBJECT_PATH_BYTES_MAX: usize = 1_024;

/// Bytes of a batch for a partition of Kafka: what brokers take without another configuration, less the rest of a request.
pub const KAFKA_BATCH_BYTES: usize = 512 * 1024;

/// How long a batch for a partition waits for more: our own batches come whole.
pub const KAFKA_LINGER: Duration = Duration::from_millis(5);
