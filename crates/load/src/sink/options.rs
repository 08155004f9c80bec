//! What a sink may be told.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How closely messages are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They are framed and counted.
    #[default]
    Count,
    /// Their numbers are checked too.
    Check,
    /// Bytes and line feeds of streams are counted, and nothing else done: the fastest.
    Discard,
}

/// What a sink may be told.
#[derive(Clone, Debug, Default)]
pub struct SinkOptions {
    /// Where to take datagrams.
    pub udp: Option<SocketAddr>,
    /// Where to take streams.
    pub tcp: Option<SocketAddr>,
    /// Where to take streams over TLS.
    pub tls: Option<SocketAddr>,
    /// Where to speak RELP.
    pub relp: Option<SocketAddr>,
    /// Where to answer as an HTTP event collector does.
    pub http: Option<SocketAddr>,
    /// Certificate and key, in PEM; one is made where none is given.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// How closely to look.
    pub mode: Mode,
    /// Where to write what arrives, a message a line.
    pub write: Option<PathBuf>,
    /// End when so many messages have arrived.
    pub count: Option<u64>,
    /// End after this time.
    pub duration: Option<Duration>,
    /// Wait so long before what was read is looked at and answered.
    pub delay: Duration,
    /// Read no faster than this, over all connections.
    pub bytes_per_second: Option<u64>,
    /// Fail every so manieth message: close the connection, answer 500 or 503.
    pub fail_every: Option<u64>,
    /// Close connections at once, and answer 503, for this time from the start on.
    pub refuse_for: Duration,
    /// Tokens that an event collector accepts; any one where there are none.
    pub tokens: Vec<String>,
    /// Whether the event collector acknowledges by channel.
    pub has_acks: bool,
}
