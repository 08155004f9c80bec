//! Bounds of what is made and sent, each with its reason.

use std::time::Duration;

/// Bytes gathered for one write to a stream. Some 220 messages of 300 bytes: the system call is
/// then a small part of the kernel's copying, and the batch stays in the second-level cache.
pub const BATCH_BYTES: usize = 64 * 1024;

/// Fewest bytes gathered for one write to a stream: a page.
pub const BATCH_BYTES_MIN: usize = 4 * 1024;

/// Bytes that the batches of all streams may have together; with more connections than that allows
/// each gathers less.
pub const BATCHES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes gathered for one write to a file. A file is written by another thread, and the way there
/// and back costs as much as writing 64 KiB.
pub const FILE_BATCH_BYTES: usize = 1024 * 1024;

/// Most connections that send, and most that are idle. Twice that many still have local ports:
/// Linux gives out 28,232 to one destination.
pub const CONNECTIONS_MAX: u32 = 10_000;

/// Connections that are opened at the same time. More only fill the backlog of the listener.
pub const OPENING_AT_ONCE: usize = 64;

/// How long opening one connection may take, handshakes included.
pub const OPEN_TIMEOUT: Duration = Duration::from_secs(30);

/// Files that a run needs beside its connections: standard streams, certificates, the runtime.
pub const OPEN_FILES_SPARE: u64 = 64;

/// Most threads. Beyond that the receiver is the bottleneck on any machine we know.
pub const THREADS_MAX: usize = 64;

/// Highest rate in messages a second: one each nanosecond, the grain of the schedule.
pub const RATE_MAX: u64 = 1_000_000_000;

/// RELP frames without an answer unless told otherwise; librelp's number.
pub const RELP_WINDOW_DEFAULT: usize = 128;

/// Largest window that can be asked for: at 300 bytes a message, as much as a second of a fast
/// network holds.
pub const RELP_WINDOW_MAX: usize = 1_000_000;

/// How long a RELP server may be silent while answers are missing. A server that waits for a slow
/// disk answers later than one that is gone, but not that much later.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a closing connection waits for its peer to take the last bytes. The kernel delivers
/// what was written even if the peer takes longer.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// How far beyond its duration a paced run may go to send what was due before the end: timers and
/// busy machines are late by milliseconds, at times by hundreds of them.
pub const LATE_MAX: Duration = Duration::from_secs(1);

/// How long one write may stand still once the time of the run is over.
pub const STUCK_MAX: Duration = Duration::from_secs(10);

/// First pause before a lost connection is opened again.
pub const RECONNECT_PAUSE_MIN: Duration = Duration::from_millis(10);

/// Longest such pause; it doubles from the first. A server that starts is found soon.
pub const RECONNECT_PAUSE_MAX: Duration = Duration::from_secs(1);

/// Messages below this size are not compressed one by one; rsyslog's bound.
pub const COMPRESS_BYTES_MIN: usize = 60;

/// Largest datagram that is sent with others in one call, and the most bytes of them together:
/// what UDP over IPv4 carries, less its headers.
pub const DATAGRAMS_BYTES_MAX: usize = 65_000;

/// Most datagrams in one call (`UDP_MAX_SEGMENTS` of Linux up to 6.8; later ones take more).
pub const DATAGRAMS_PER_CALL: usize = 64;

/// Send buffer asked for on UDP sockets, in bytes; the kernel gives what it allows.
pub const UDP_SEND_BUFFER_BYTES: usize = 4 * 1024 * 1024;

/// Largest certificate or key file that is read, in bytes.
pub const PEM_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Bytes read at once from a file that is sent again.
pub const REPLAY_READ_BYTES: usize = 256 * 1024;

/// Largest latency that is told apart, in microseconds: ten minutes.
pub const LATENCY_MICROS_MAX: u64 = 600_000_000;
