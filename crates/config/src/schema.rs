//! Every section and key that a configuration may have: the one table that the checker, the
//! effective listing and the generated reference are made from.

mod destination;
mod kind;
mod route;
pub(crate) mod step;

use model::limits::MESSAGE_BYTES_MAX;

pub(crate) use kind::Kind;

/// A table of the file that holds keys.
#[derive(Debug)]
pub(crate) struct SectionSpec {
    /// The fixed part of its path: `source`, `udp`.
    pub(crate) path: &'static [&'static str],
    /// What it is for. The first sentence stands in lists.
    pub(crate) doc: &'static str,
    /// Whether one more part of the path is a name that the author chooses.
    pub(crate) named: bool,
    /// Its keys, in the order of the reference.
    pub(crate) keys: &'static [KeySpec],
}

/// A key of a section.
#[derive(Debug)]
pub(crate) struct KeySpec {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The default as it would be written in the file; `None` where the key is not set then.
    pub(crate) default: Option<&'static str>,
    /// What it does, one or two sentences.
    pub(crate) doc: &'static str,
    /// Whether the section cannot do without.
    pub(crate) required: bool,
    /// Whether a change takes effect only after a restart.
    pub(crate) restart: bool,
    /// What other programs call the same thing, to suggest this name for it.
    pub(crate) also: &'static [&'static str],
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const DAY: u64 = 86_400;

const fn key(
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    doc: &'static str,
) -> KeySpec {
    KeySpec {
        name,
        kind,
        default,
        doc,
        required: false,
        restart: false,
        also: &[],
    }
}

impl KeySpec {
    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn restart(mut self) -> Self {
        self.restart = true;
        self
    }

    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }
}

/// The address a kind of source listens on where nothing is said.
const fn listen(default: &'static str) -> KeySpec {
    key(
        "listen",
        Kind::Address,
        Some(default),
        "IP address and port to listen on. `0.0.0.0` means every IPv4 interface, `[::]` every \
         interface.",
    )
    .also(&["address", "addr", "bind", "port", "ip", "host"])
}

const LOGSPACE: KeySpec = key(
    "logspace",
    Kind::Logspace,
    Some("\"main\""),
    "Logspace that records of this source go to if no route matches them.",
)
.also(&["destination", "index", "target"]);

const DURABILITY: KeySpec = key(
    "durability",
    Kind::Choice(&["strict", "normal", "fast"]),
    Some("\"strict\""),
    "What an acknowledgement promises: `strict`, that the record survives a power cut; `normal`, \
     that it survives the end of the process, and a power cut after 100 ms; `fast`, the same after \
     5 s.",
)
.also(&["sync", "fsync", "flush", "ack", "reliable"]);

const FLOW_CONTROL: KeySpec = key(
    "flow_control",
    Kind::Bool,
    Some("true"),
    "Whether senders wait while `receive.memory_max` is used up, as while the disk does not answer. \
     `false` drops what they send meanwhile, counted as `memory_full`.",
)
.also(&["flow-control", "backpressure", "drop"]);

const MESSAGE_MAX: KeySpec = key(
    "message_max",
    Kind::Bytes(480..=MESSAGE_BYTES_MAX as u64),
    Some("\"64KiB\""),
    "Longest message. The rest of a longer one is cut off and the record tagged \
     `syslog.truncated`; the next message is not touched.",
)
.also(&["log_msg_size", "max_message_size", "max_size"]);

const PARSE: KeySpec = key(
    "parse",
    Kind::Choice(&["syslog", "none"]),
    Some("\"syslog\""),
    "`syslog` reads RFC 5424 and RFC 3164 headers; `none` takes all of what arrives as the \
     message.",
)
.also(&["format", "parser", "flags"]);

const ZONE: KeySpec = key(
    "zone",
    Kind::Zone,
    Some("\"local\""),
    "Time zone of time stamps that name none: an IANA name such as `Europe/Budapest`, `UTC`, an \
     offset such as `+02:00`, or `local` for the zone of this machine.",
)
.also(&["time_zone", "timezone", "tz", "recv_time_zone"]);

const ALLOW: KeySpec = key(
    "allow",
    Kind::Networks,
    Some("[]"),
    "Addresses and networks that may send; empty means all. A change holds at once, for connections \
     that are open too.",
)
.also(&["allowed", "allowed_sender", "allowed_hosts", "permit", "accept"]);

const DENY: KeySpec = key(
    "deny",
    Kind::Networks,
    Some("[]"),
    "Addresses and networks that may not send, whatever `allow` says. A change holds at once.",
)
.also(&["denied", "block", "reject", "deny_hosts"]);

const PROXY_FROM: KeySpec = key(
    "proxy_from",
    Kind::Networks,
    Some("[]"),
    "Addresses of proxies. Each connection from there must start with a PROXY header (version 1 or \
     2, in front of TLS or inside of it), and the address in it is the peer. From other addresses such a header \
     is not believed.",
)
.also(&["proxy", "proxy_protocol", "haproxy", "proxies", "trusted_proxies"]);

const HOST_OVERRIDE: KeySpec = key(
    "host_override",
    Kind::Host,
    None,
    "Host of every record of this source, whatever the message says. Not set: by `host_from`.",
)
.also(&["hostname", "override_host"]);

const HOST_FROM: KeySpec = key(
    "host_from",
    Kind::Choice(&["message", "peer", "dns"]),
    Some("\"message\""),
    "Whose name the host is: `message`, that of the message, and the peer's address where it names \
     none; `peer`, always the peer's address; `dns`, always the peer's name by reverse DNS, and its \
     address while that is not known.",
)
.also(&["keep_hostname", "use_dns", "chain_hostnames"]);

const ENCODING: KeySpec = key(
    "encoding",
    Kind::Encoding,
    None,
    "Character encoding of messages that are not UTF-8, such as `latin1`, `windows-1250` or \
     `gb18030`. They are kept in UTF-8 and tagged `syslog.converted`. Not set: they are kept as \
     they came.",
)
.also(&["charset", "codepage", "character_encoding"]);

const FRAMING: KeySpec = key(
    "framing",
    Kind::Choice(&["auto", "lines", "nul"]),
    Some("\"auto\""),
    "How messages are told apart: `auto`, by octet counts and line feeds, each message by what stands \
     in front of it, and by NULs that a priority follows; `lines`, by line feeds alone; `nul`, by NULs alone, so that messages may have \
     several lines.",
)
.also(&["delimiter", "octet_counted_framing", "frame_delimiter", "transport"]);

const COMPRESSION: KeySpec = key(
    "compression",
    Kind::Choice(&["detect", "none"]),
    Some("\"detect\""),
    "`detect` unpacks messages that rsyslog compressed one by one, and over TCP and TLS whole streams \
     of zlib and zstd, told by their first bytes; `none` takes all bytes as they come.",
)
.also(&["decompress", "compression_mode", "zlib"]);

const PERIOD: KeySpec = key(
    "period",
    Kind::Duration(1..=(7 * DAY)),
    Some("\"5m\""),
    "The period for the four keys below. Messages are counted from its begin to its end, and then \
     anew.",
)
.also(&["interval", "window"]);

const MESSAGES_MIN: KeySpec = key(
    "messages_min",
    Kind::Integer(1..=1_000_000_000_000),
    None,
    "Fewer messages in a period are reported as too few, in the log and in the metrics.",
)
.also(&["silence", "min_messages", "rate_min"]);

const MESSAGES_MAX: KeySpec = key(
    "messages_max",
    Kind::Integer(1..=1_000_000_000_000),
    None,
    "More messages in a period are reported as too many. They are kept all the same.",
)
.also(&["max_messages", "rate_max", "rate_limit"]);

const SENDER_MESSAGES_MIN: KeySpec = key(
    "sender_messages_min",
    Kind::Integer(1..=1_000_000_000_000),
    None,
    "As `messages_min`, for each address that has sent something in the last seven days.",
)
.also(&["host_messages_min"]);

const SENDER_MESSAGES_MAX: KeySpec = key(
    "sender_messages_max",
    Kind::Integer(1..=1_000_000_000_000),
    None,
    "As `messages_max`, for each address.",
)
.also(&["host_messages_max"]);

const CONNECTIONS_MAX: KeySpec = key(
    "connections_max",
    Kind::Integer(1..=100_000),
    Some("10000"),
    "Most connections at a time; further ones are closed at once and counted.",
)
.also(&["max_connections", "max_sessions"]);

const IDLE_TIMEOUT: KeySpec = key(
    "idle_timeout",
    Kind::Duration(1..=(30 * DAY)),
    None,
    "Time without a byte after which a connection is closed. Not set: never; whether the peer is \
     still there is asked by TCP keep-alive.",
)
.also(&["timeout", "read_timeout", "keep_alive"]);

const HANDSHAKE_TIMEOUT: KeySpec = key(
    "handshake_timeout",
    Kind::Duration(1..=600),
    Some("\"10s\""),
    "How long a TLS handshake may take.",
);

const CERTIFICATE: KeySpec = key(
    "certificate",
    Kind::Path,
    None,
    "PEM file with the server's certificate and the chain behind it. Not set: a self-signed \
     certificate is made on the first start and kept in the data directory under `tls`.",
)
.also(&["cert", "cert_file", "certificate_file", "tls_cert"]);

const CERTIFICATE_KEY: KeySpec = key(
    "key",
    Kind::Path,
    None,
    "PEM file with the private key of `certificate`.",
)
.also(&["key_file", "private_key", "tls_key"]);

const CLIENT_CA: KeySpec = key(
    "client_ca",
    Kind::Path,
    None,
    "PEM file with the authorities that client certificates must come from.",
)
.also(&["ca", "ca_file", "ca_dir", "trusted_ca"]);

const CLIENT_CERTIFICATES: KeySpec = key(
    "client_certificates",
    Kind::Choice(&[
        "none",
        "optional",
        "required",
        "optional-untrusted",
        "required-untrusted",
    ]),
    Some("\"none\""),
    "Whether clients show a certificate: `none` does not ask, `optional` checks what is shown, \
     `required` refuses clients without. The `untrusted` ones take certificates of any issuer, \
     expired ones too; what they say is checked by the lists below alone.",
)
.also(&["peer_verify", "client_auth", "verify"]);

const CLIENT_NAMES: KeySpec = key(
    "client_names",
    Kind::ClientNames,
    Some("[]"),
    "Names that client certificates may have, each a DNS name such as `*.example.com` or parts of \
     the subject such as `O=Example, CN=web*`. Empty, with `client_fingerprints` empty too: all.",
)
.also(&[
    "permitted_peer",
    "permittedpeer",
    "trusted_dn",
    "client_subjects",
]);

const CLIENT_FINGERPRINTS: KeySpec = key(
    "client_fingerprints",
    Kind::Fingerprints,
    Some("[]"),
    "SHA-256 fingerprints of client certificates that are taken, whatever their names, such as \
     `SHA256:AB:01:...`.",
)
.also(&["fingerprints", "trusted_keys"]);

const CLIENT_CRL: KeySpec = key(
    "client_crl",
    Kind::Path,
    None,
    "PEM file with lists of revoked client certificates, signed by the authorities of `client_ca`.",
)
.also(&["crl", "crl_file", "crl_dir"]);

const RECEIVE_BUFFER: KeySpec = key(
    "receive_buffer",
    Kind::Bytes((64 * KIB)..=GIB),
    Some("\"32MiB\""),
    "Kernel buffer of each socket. It bridges pauses; too small a buffer loses datagrams. Above \
     `net.core.rmem_max` it needs `CAP_NET_ADMIN`.",
)
.also(&["so_rcvbuf", "rcvbuf", "buffer", "buffer_size"]);

const SOCKETS: KeySpec = key(
    "sockets",
    Kind::Integer(1..=64),
    Some("2"),
    "Sockets that share the address; the kernel spreads senders over them.",
)
.also(&["threads", "workers", "listeners"]);

const GRO: KeySpec = key(
    "gro",
    Kind::Bool,
    Some("false"),
    "Lets the kernel hand over datagrams of one sender and one size together (generic receive \
     offload), which costs less where senders write bursts of them. Datagrams that it drops together \
     are then counted as one.",
)
.also(&["udp_gro", "receive_offload"]);

const UDP: &[KeySpec] = &[
    listen("\"127.0.0.1:5514\""),
    LOGSPACE,
    ALLOW,
    DENY,
    PARSE,
    ZONE,
    ENCODING,
    HOST_FROM,
    HOST_OVERRIDE,
    COMPRESSION,
    DURABILITY,
    FLOW_CONTROL,
    MESSAGE_MAX,
    PERIOD,
    MESSAGES_MIN,
    MESSAGES_MAX,
    SENDER_MESSAGES_MIN,
    SENDER_MESSAGES_MAX,
    RECEIVE_BUFFER,
    SOCKETS,
    GRO,
];

const TCP: &[KeySpec] = &[
    listen("\"127.0.0.1:5514\""),
    LOGSPACE,
    ALLOW,
    DENY,
    PROXY_FROM,
    FRAMING,
    PARSE,
    ZONE,
    ENCODING,
    HOST_FROM,
    HOST_OVERRIDE,
    COMPRESSION,
    DURABILITY,
    FLOW_CONTROL,
    MESSAGE_MAX,
    PERIOD,
    MESSAGES_MIN,
    MESSAGES_MAX,
    SENDER_MESSAGES_MIN,
    SENDER_MESSAGES_MAX,
    CONNECTIONS_MAX,
    IDLE_TIMEOUT,
    key(
        "tls",
        Kind::Choice(&["none", "detect"]),
        Some("\"none\""),
        "`detect` takes TLS on the same port: a connection that begins with a handshake is encrypted, \
         any other is read as it is. The keys below need it.",
    ),
    HANDSHAKE_TIMEOUT,
    CERTIFICATE,
    CERTIFICATE_KEY,
    CLIENT_CA,
    CLIENT_CERTIFICATES,
    CLIENT_NAMES,
    CLIENT_FINGERPRINTS,
    CLIENT_CRL,
];

const TLS: &[KeySpec] = &[
    listen("\"127.0.0.1:6514\""),
    LOGSPACE,
    ALLOW,
    DENY,
    PROXY_FROM,
    FRAMING,
    PARSE,
    ZONE,
    ENCODING,
    HOST_FROM,
    HOST_OVERRIDE,
    COMPRESSION,
    DURABILITY,
    FLOW_CONTROL,
    MESSAGE_MAX,
    PERIOD,
    MESSAGES_MIN,
    MESSAGES_MAX,
    SENDER_MESSAGES_MIN,
    SENDER_MESSAGES_MAX,
    CONNECTIONS_MAX,
    IDLE_TIMEOUT,
    HANDSHAKE_TIMEOUT,
    CERTIFICATE,
    CERTIFICATE_KEY,
    CLIENT_CA,
    CLIENT_CERTIFICATES,
    CLIENT_NAMES,
    CLIENT_FINGERPRINTS,
    CLIENT_CRL,
];

const RELP: &[KeySpec] = &[
    listen("\"127.0.0.1:2514\""),
    LOGSPACE,
    ALLOW,
    DENY,
    PROXY_FROM,
    PARSE,
    ZONE,
    ENCODING,
    HOST_FROM,
    HOST_OVERRIDE,
    COMPRESSION,
    DURABILITY,
    MESSAGE_MAX,
    PERIOD,
    MESSAGES_MIN,
    MESSAGES_MAX,
    SENDER_MESSAGES_MIN,
    SENDER_MESSAGES_MAX,
    CONNECTIONS_MAX,
    IDLE_TIMEOUT,
    key(
        "tls",
        Kind::Bool,
        Some("false"),
        "Whether the connection is encrypted. The keys below need it.",
    ),
    HANDSHAKE_TIMEOUT,
    CERTIFICATE,
    CERTIFICATE_KEY,
    CLIENT_CA,
    CLIENT_CERTIFICATES,
    CLIENT_NAMES,
    CLIENT_FINGERPRINTS,
    CLIENT_CRL,
];

const UNIX: &[KeySpec] = &[
    key(
        "listen",
        Kind::Path,
        None,
        "Path of the socket, such as `/dev/log`. A file that a killed server has left there is \
         replaced; one on which another process listens is not.",
    )
    .required()
    .also(&["path", "socket", "file", "address"]),
    key(
        "type",
        Kind::Choice(&["datagram", "stream"]),
        Some("\"datagram\""),
        "`datagram`, as programs expect of `/dev/log`: a datagram is a message of at most 65535 bytes; \
         `stream` takes connections, read as over TCP.",
    )
    .also(&["socket_type", "kind", "transport"]),
    key(
        "mode",
        Kind::Mode,
        Some("\"0666\""),
        "Mode of the socket's file. To send, one needs the right to write.",
    )
    .also(&["perm", "permissions", "umask"]),
    key(
        "owner",
        Kind::Account,
        None,
        "User that the socket's file belongs to. Not set: the one that Logwood runs as.",
    )
    .also(&["user", "uid"]),
    key(
        "group",
        Kind::Account,
        None,
        "Group that the socket's file belongs to. Not set: that of Logwood.",
    )
    .also(&["gid"]),
    LOGSPACE,
    FRAMING,
    PARSE,
    ZONE,
    ENCODING,
    HOST_FROM,
    HOST_OVERRIDE,
    COMPRESSION,
    DURABILITY,
    FLOW_CONTROL,
    MESSAGE_MAX,
    PERIOD,
    MESSAGES_MIN,
    MESSAGES_MAX,
    CONNECTIONS_MAX,
    IDLE_TIMEOUT,
];

const LOGSPACE_KEYS: &[KeySpec] = &[
    key(
        "keep_age",
        Kind::Duration(3_600..=(100 * 366 * DAY)),
        None,
        "How long records are kept after their receipt. Whole segments are deleted, so some stay up \
         to a day longer. Not set: whatever their age.",
    )
    .also(&["retention", "retention_period", "max_age", "age", "ttl", "keep", "keep_for"]),
    key(
        "keep_size",
        Kind::Bytes((16 * MIB)..=(1024 * 1024 * GIB)),
        None,
        "Disk that the segments may take; beyond it the oldest are deleted. Not set: whatever their \
         size.",
    )
    .also(&["size", "max_size", "disk", "quota", "retention_size"]),
    key(
        "archive_after",
        Kind::Duration(3_600..=(100 * 366 * DAY)),
        None,
        "How long after their receipt records move to `archive_dir`, where they can be found as \
         before. Whole segments of days that are over move, so some stay up to a day longer. Not \
         set: never.",
    )
    .also(&["archive_age", "cold_after", "move_after", "archive"]),
    key(
        "archive_dir",
        Kind::Path,
        None,
        "Directory for old records, which must exist, such as one on a large and slow disk. The \
         logspace gets a directory of its name in it. Needed for `archive_after`.",
    )
    .also(&["archive_path", "archive_directory", "cold_path", "cold_dir"]),
    key(
        "tokens",
        Kind::Tokens,
        None,
        "What a term of a query is bounded by where the query does not say: `words`, or whole tokens \
         as the syslog-ng Store Box has them, `ssb`, or tokens between white space and the delimiters \
         listed here. It is a matter of the question: nothing is indexed anew when it changes. Where \
         logspaces that are searched together say different things, `words` is meant. Not set: \
         nothing is said.",
    )
    .also(&["delimiters", "tokenizer", "separators", "indexer_delimiters"]),
];

const HTTP: &[KeySpec] = &[
    key(
        "listen",
        Kind::Address,
        Some("\"127.0.0.1:8514\""),
        "IP address and port of the page and the API. There is no authentication yet: whoever \
         reaches the address can read every record.",
    )
    .restart()
    .also(&["address", "addr", "bind", "port"]),
    key(
        "hosts",
        Kind::ServerNames,
        Some("[]"),
        "Names that the page and the API are asked by, that of a reverse proxy for example. \
         Addresses, `localhost` and the name of this machine need not be listed; requests for \
         other names are refused.",
    )
    .also(&[
        "allowed_hosts",
        "server_name",
        "server_names",
        "names",
        "host",
        "hostname",
        "url",
    ]),
    key(
        "logspace",
        Kind::Logspace,
        Some("\"main\""),
        "Logspace of records handed in over the API if neither the request nor a route names one.",
    ),
    PARSE,
    ZONE,
    DURABILITY,
    MESSAGE_MAX,
    key(
        "connections_max",
        Kind::Integer(8..=100_000),
        Some("512"),
        "Most connections at a time, or a quarter of the file descriptors that the process may have \
         where those are fewer. Beyond them the connection that has waited longest for a request is \
         closed; where all are at work, the newcomer is answered 503.",
    )
    .restart()
    .also(&["max_connections"]),
    key(
        "questions_max",
        Kind::Integer(1..=1_000),
        Some("4"),
        "Most questions that are worked on at a time. Up to 64 more wait up to ten seconds for \
         their turn; those of clients with fewer at work come first, others are answered 503. Each \
         may take memory for 100,000 rows.",
    )
    .restart()
    .also(&["searches_max", "queries_max", "max_searches", "max_queries"]),
    key(
        "exports_max",
        Kind::Integer(1..=1_000),
        Some("4"),
        "Most exports at a time; further ones are answered 503.",
    )
    .restart()
    .also(&["max_exports"]),
    key(
        "tails_max",
        Kind::Integer(1..=10_000),
        Some("64"),
        "Most tails at a time; further ones are answered 503.",
    )
    .restart()
    .also(&["max_tails"]),
];

const RECEIVE: &[KeySpec] = &[key(
    "memory_max",
    Kind::Bytes(MIB..=(2 * GIB)),
    Some("\"64MiB\""),
    "Most bytes of records on their way to the disk, over all sources. When it is reached, reading \
     pauses and senders wait.",
)
.restart()
.also(&["memory", "buffer", "budget", "queue_size"])];

const STORE: &[KeySpec] = &[
    key(
        "data_dir",
        Kind::Path,
        Some("\"./logwood-data\""),
        "Directory that holds everything. A relative path starts at the working directory.",
    )
    .restart()
    .also(&["dir", "path", "data", "directory"]),
    key(
        "memory_max",
        Kind::Bytes((8 * MIB)..=(1024 * GIB)),
        Some("\"512MiB\""),
        "Memory of the store: an eighth for the newest records of all logspaces, which become \
         segments when it is full, and a tenth as much for indexes of those that are searched often, \
         a quarter for pages of segments that were read, the rest for \
         making and merging segments. Beside it, all questions together take half as much, and \
         128 MiB at least; one that finds none left is refused. More makes repeated searches faster.",
    )
    .restart()
    .also(&[
        "memory",
        "tail_max",
        "tail",
        "page_cache",
        "cache",
        "cache_size",
        "cache_max",
    ]),
    key(
        "segment_rows_max",
        Kind::Integer(1_024..=4_194_304),
        Some("262144"),
        "Number of records at which the newest ones become a segment, full memory or not.",
    )
    .restart()
    .also(&["segment_rows", "rows_max"]),
    key(
        "threads",
        Kind::Integer(1..=1_024),
        None,
        "Threads that build segments of the newest records and of imports, each a segment of its own. Not set: \
         as many as the process may use processors, but one, which is left to receiving; both of two. All but \
         the first give way to whoever receives or answers. More than four want more `memory_max`, or their \
         segments are small.",
    )
    .restart()
    .also(&["workers", "builders", "sealers", "cores"]),
    key(
        "journal_file",
        Kind::Bytes((4 * MIB)..=(4 * GIB)),
        Some("\"64MiB\""),
        "Size of a journal file. Files are allocated whole and used again.",
    )
    .restart()
    .also(&["journal_file_size", "journal"]),
    key(
        "free_min",
        Kind::Bytes(0..=(1024 * GIB)),
        Some("\"64MiB\""),
        "Free space of the disk below which nothing more is received or imported: senders wait, searches and \
         deletion go on, and receiving resumes by itself. Keeps room for what has to be written \
         to free space.",
    )
    .restart()
    .also(&["disk_stop", "min_free", "reserve", "stop"]),
    key(
        "free_warn",
        Kind::Bytes(0..=(1024 * GIB)),
        Some("\"1GiB\""),
        "Free space of the disk below which a warning is written and shown.",
    )
    .restart()
    .also(&["disk_warn", "warn", "low"]),
    key(
        "compression_level",
        Kind::Integer(1..=19),
        Some("1"),
        "zstd level of segments. Higher levels take more time and a little less disk.",
    )
    .restart()
    .also(&["compression", "zstd_level", "level"]),
    key(
        "compaction_level",
        Kind::Integer(0..=19),
        Some("15"),
        "zstd level to which the segments of days that are over are written anew, once, when nobody \
         else wants the processor; 0 leaves them as they are. Level 15 saves some 10 % of the disk, \
         of access logs a quarter to a half, for about a minute of one core for each GB of messages, \
         and questions that look at many records take a quarter to a half less time.",
    )
    .restart()
    .also(&["compaction", "compact", "recompress"]),
];

const LOG: &[KeySpec] = &[
    key(
        "level",
        Kind::Choice(&["error", "warn", "info", "debug", "trace"]),
        Some("\"info\""),
        "Least important messages about Logwood itself that are written to standard error.",
    )
    .also(&["severity", "verbosity"]),
    key(
        "format",
        Kind::Choice(&["text", "json"]),
        Some("\"text\""),
        "Form of these messages: `text` for people, `json` for programs, one object a line.",
    )
    .restart()
    .also(&["style", "output"]),
    key(
        "logspace",
        Kind::Logspace,
        None,
        "Logspace that errors, warnings and notes about Logwood itself are kept in too, as records \
         of the source `internal`. Not set: they are on standard error only.",
    )
    .restart()
    .also(&["internal", "own", "keep_in"]),
];

/// All sections, in the order of the reference.
pub(crate) static SECTIONS: &[SectionSpec] = &[
    SectionSpec {
        path: &["source", "udp"],
        doc: "Syslog over UDP (RFC 5426). One datagram is one message.",
        named: true,
        keys: UDP,
    },
    SectionSpec {
        path: &["source", "tcp"],
        doc: "Syslog over TCP (RFC 6587). Line feeds and octet counts are told apart per message.",
        named: true,
        keys: TCP,
    },
    SectionSpec {
        path: &["source", "tls"],
        doc: "Syslog over TLS (RFC 5425). As TCP, encrypted.",
        named: true,
        keys: TLS,
    },
    SectionSpec {
        path: &["source", "relp"],
        doc: "RELP, as rsyslog's omrelp sends it. A message is acknowledged when it is durable.",
        named: true,
        keys: RELP,
    },
    SectionSpec {
        path: &["source", "unix"],
        doc: "Syslog over a unix socket, from programs of this machine. The host of a message that \
              names none is the name of this machine. `framing`, `connections_max` and \
              `idle_timeout` are for streams.",
        named: true,
        keys: UNIX,
    },
    SectionSpec {
        path: &["logspace"],
        doc: "Declares a logspace, a place of its own for records. `main` is always there.",
        named: true,
        keys: LOGSPACE_KEYS,
    },
    route::ROUTES,
    route::STEP_LISTS,
    destination::elasticsearch::SECTION,
    destination::file::SECTION,
    destination::hdfs::SECTION,
    destination::hec::SECTION,
    destination::push::SECTION,
    destination::kafka::SECTION,
    destination::program::SECTION,
    destination::s3::SECTION,
    destination::sql::SECTION,
    destination::syslog::SECTION,
    route::TESTS,
    SectionSpec {
        path: &["http"],
        doc: "The page and the HTTP API. As a source of records it is called `http`.",
        named: false,
        keys: HTTP,
    },
    SectionSpec {
        path: &["receive"],
        doc: "What all sources share.",
        named: false,
        keys: RECEIVE,
    },
    SectionSpec {
        path: &["store"],
        doc: "Where records are kept, and the memory it takes.",
        named: false,
        keys: STORE,
    },
    SectionSpec {
        path: &["log"],
        doc: "What Logwood says about itself.",
        named: false,
        keys: LOG,
    },
];
