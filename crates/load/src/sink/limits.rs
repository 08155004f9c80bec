//! Bounds of what a sink takes in and keeps.

/// Bytes asked for in one read of a stream: large enough that system calls cost little beside
/// copying, small enough for a second-level cache.
pub const READ_BYTES: usize = 256 * 1024;

/// Bytes of a datagram, the most that UDP over IPv4 carries.
pub const DATAGRAM_BYTES: usize = 64 * 1024;

/// Connections at the same time; one more is closed at once. Twice what generators open.
pub const CONNECTIONS_MAX: usize = 20_000;

/// Numbered runs that are told apart; a message of one more counts as malformed. Each thread of
/// a generator is one.
pub const RUNS_MAX: usize = 100_000;

/// Ranges of missing numbers that are remembered for each run; what is missing beyond them counts
/// as a gap for good.
pub const GAPS_MAX: usize = 100_000;

/// Bytes of a request of HTTP, unpacked. Splunk takes 800 MB; senders of events stay below 1 MiB.
pub const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Channels of clients that ask for indexer acknowledgement.
pub const CHANNELS_MAX: usize = 1_000;

/// Acknowledgements that a channel has not asked for yet; one request more is answered with 503.
pub const ACKS_MAX: usize = 100_000;
