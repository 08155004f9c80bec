//! Bounds of the receivers, each with its reason.

use std::time::Duration;

/// Bytes taken from a connection in one read. Some 250 messages of 250 bytes: enough that the
/// costs of a batch (a commit's slot, a few allocations) vanish beside those of its messages.
pub const READ_BYTES: usize = 64 * 1024;

/// Share of the budget that a connection asks for before it reads, in bytes: what [`READ_BYTES`]
/// of short messages take in memory. What a batch does not need is given back at once.
pub const READ_BUDGET_BYTES: usize = 4 * READ_BYTES;

/// Most bytes of records that may wait for the disk, over all sources. Two hundred milliseconds of
/// traffic at full speed; beyond it reading stops.
pub const BUDGET_BYTES_DEFAULT: usize = 64 * 1024 * 1024;

/// Datagrams received by one system call. By then the call itself costs a hundredth of what the
/// kernel does for each datagram; more slots only take more memory.
pub const DATAGRAMS_PER_CALL: usize = 64;

/// Most datagrams that the kernel hands over together where a socket lets it (`UDP_MAX_SEGMENTS`).
pub const DATAGRAMS_JOINED_MAX: usize = 128;

/// How long a UDP socket that is busy, but had fewer datagrams than that, is left to fill up. The
/// receive buffer holds a thousand times as much, and waking up for each datagram cost more than
/// all else.
pub const DATAGRAMS_NAP: Duration = Duration::from_millis(1);

/// Largest datagram that UDP over IPv4 or IPv6 can carry, in bytes.
pub const DATAGRAM_BYTES_MAX: usize = 65_535;

/// Most sockets of one UDP listener. They are there to spread senders over cores.
pub const UDP_SOCKETS_MAX: usize = 64;

/// Receive buffer of a UDP socket in bytes: a pause of nearly one second at 50,000 messages of 400
/// bytes a second, each of which takes 1.2 to 1.3 KiB of it.
pub const UDP_RECEIVE_BUFFER_BYTES: usize = 32 * 1024 * 1024;

/// Mode of the file of a unix socket unless configured: whoever is on this machine may log.
pub const SOCKET_MODE_DEFAULT: u32 = 0o666;

/// Connections of one listener unless configured.
pub const CONNECTIONS_DEFAULT: usize = 10_000;

/// Most networks in one host list. They are looked through one by one, a few nanoseconds each.
pub const HOST_LIST_MAX: usize = 1_000;

/// Connections that the kernel may hold ready for one listener to accept.
pub const ACCEPT_BACKLOG: i32 = 4_096;

/// How long a TLS handshake may take; clients that open and say nothing must not gather.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long accepting pauses when the process has no file descriptors left.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long one reader may go on with what has already arrived when it is told to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Silence after which what has arrived is taken to be read when a reader is told to stop. The
/// runtime learns of arrivals a little late.
pub const DRAIN_QUIET: Duration = Duration::from_millis(20);

/// How long a closing connection waits for its peer to take the last bytes.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Time without a byte after which the kernel asks whether a peer is still there.
pub const KEEPALIVE_TIME: Duration = Duration::from_secs(60);

/// Time between such questions; after six without an answer the connection is gone.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Bytes of a compressed stream that are read at once: some 100 KiB of messages.
pub const PACKED_READ_BYTES: usize = 16 * 1024;

/// Memory of all connections together for unpacking compressed streams, in bytes: thousands of
/// zlib streams, or a hundred zstd streams of the usual levels. Further ones are turned away.
pub const UNPACK_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Memory that unpacking a zlib stream takes, in bytes: its window of 32 KiB and its tables.
pub const ZLIB_STATE_BYTES: usize = 64 * 1024;

/// Memory that unpacking a zstd stream takes beside its window, in bytes: tables and two blocks.
pub const ZSTD_STATE_BYTES: usize = 512 * 1024;

/// Largest window of a zstd stream, in bytes: what RFC 8878 asks of every decoder, and levels up to
/// 19 need.
pub const ZSTD_WINDOW_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// How many times larger than itself a compressed stream may become. Logs become 5 to 30 times
/// larger; zlib cannot do more than this, while a few bytes of zstd can become gigabytes.
pub const UNPACK_RATIO_MAX: u64 = 1_000;

/// Unpacked bytes from which that is looked at: short runs of one message pack better.
pub const UNPACK_RATIO_FROM_BYTES: u64 = 16 * 1024 * 1024;

/// Memory that a silent connection keeps of a large message that was packed, in bytes.
pub const OPENED_BYTES_KEPT: usize = 64 * 1024;

/// The period in which messages are counted, unless configured.
pub const EXPECTED_PERIOD: Duration = Duration::from_secs(5 * 60);

/// Senders of one source that are told apart. Each takes some 100 bytes.
pub const SENDERS_MAX: usize = 10_000;

/// Silence after which a sender is forgotten: long enough for those that send once a day.
pub const SENDER_FORGOTTEN: Duration = Duration::from_secs(7 * 86_400);

/// How often room is looked for among them when there are more.
pub const SENDERS_FORGOTTEN_EVERY: Duration = Duration::from_secs(60);

/// Senders that one line about all that changed names.
pub const SENDERS_NAMED: usize = 20;

/// Numberings of one source that are followed.
pub const SEQUENCES_MAX: usize = 10_000;

/// How far a number may be from the one before to be of the same numbering. A restart begins anew.
pub const SEQUENCE_JUMP_MAX: u32 = 1_000_000;

/// Offers of a RELP client that are read even where messages must be shorter, in bytes.
pub const RELP_OFFERS_BYTES: usize = 4 * 1024;

/// Batches of a RELP session that wait for the disk or for the peer to read its responses.
/// The budget bounds their bytes; this bounds peers that send but never read.
pub const RELP_RESPONSES_MAX: usize = 1_024;

/// How long a RELP client may leave its answers untaken before the session ends; a stuck one must
/// not stay for ever.
pub const RELP_ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Shortest time between two log lines about the same trouble of the same listener.
pub const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// How often a UDP socket asks the kernel what it has dropped.
pub const KERNEL_DROPS_INTERVAL: Duration = Duration::from_secs(1);

/// Threads that look names of senders up. A lookup that gets no answer takes one for seconds.
pub const DNS_THREADS: usize = 4;

/// Addresses that may wait for them; others are asked for again with their next message.
pub const DNS_QUEUE_MAX: usize = 1_000;

/// Addresses whose names are kept, found or not. Each takes some 150 bytes.
pub const DNS_NAMES_MAX: usize = 20_000;

/// How long a name is kept until it is looked up again; it is used meanwhile.
pub const DNS_KNOWN_FOR: Duration = Duration::from_secs(3_600);

/// How long an address that has no name is left alone.
pub const DNS_UNKNOWN_FOR: Duration = Duration::from_secs(300);

/// Attributes of a certificate's subject that are looked at: several times what any has.
pub const SUBJECT_PARTS_MAX: usize = 64;

/// Names, or fingerprints, of client certificates that one listener takes. They are looked through
/// once for each connection.
pub const CLIENT_LIST_MAX: usize = 10_000;

/// How long a connection whose first byte may be that of TLS, and which has sent no second one,
/// is left alone before it is looked at again.
pub const DETECT_PAUSE: Duration = Duration::from_millis(10);

/// How often it is looked at, for a second altogether: handshakes come in one piece.
pub const DETECT_LOOKS: u32 = 100;

/// How long a start waits for the system to tell the long name of this machine, which may take a
/// name server that does not answer. Without it the certificate lacks that name.
pub const LONG_NAME_PATIENCE: Duration = Duration::from_secs(1);

/// Addresses of the machine that its own certificate names at most. Machines with containers have
/// hundreds, and some clients refuse large certificates.
pub const INTERFACE_ADDRESSES_MAX: usize = 32;

/// Largest certificate, key or certificate authority file that is read, in bytes.
pub const PEM_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Fewest NULs at the start of an imported line that are a hole of the file. Senders put one or two in
/// front of a message, and those belong to it.
pub const HOLE_BYTES_MIN: usize = 16;

/// So many stamps of a file that all have a year show that its others have one too.
pub const YEAR_SCAN_STAMPS: u32 = 1_000;

/// Records of a batch that is imported: those of one segment.
pub const IMPORT_BATCH_RECORDS: usize = 256 * 1024;

/// Bytes of the messages of a batch that is imported. Two batches are in memory at once, one being
/// gathered and one being sealed; one more message must fit into a batch's arena.
pub const IMPORT_BATCH_BYTES: usize = 40 * 1024 * 1024;
