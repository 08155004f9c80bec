//! What can be typed behind `logwood load`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::commands::LoadCommand;

/// What messages look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArgument {
    /// RFC 3164, numbered as loggen numbers its messages.
    Rfc3164,
    /// RFC 5424, numbered in the same way.
    Rfc5424,
    /// syslog-ng's loggen, byte for byte.
    Loggen,
    /// loggen --syslog-proto, byte for byte.
    LoggenIetf,
    /// rsyslog's tcpflood, byte for byte; with --size as tcpflood -d.
    Tcpflood,
    /// tcpflood -y, byte for byte.
    TcpfloodIetf,
    /// The log of a made-up company.
    Demo,
    /// Like the log of a profile, in RFC 5424.
    Realistic,
    /// Like the log of a profile, in RFC 3164.
    RealisticRfc3164,
    /// Like the log of a profile, without a header.
    RealisticBare,
}

/// What tells one message from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FramingArgument {
    /// A line feed behind each.
    Lf,
    /// An octet count before each (RFC 6587, RFC 5425).
    Octet,
    /// An octet count that counts a line feed, as loggen writes it.
    OctetLf,
    /// A NUL behind each.
    Nul,
    /// Nothing.
    None,
}

/// What is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompressArgument {
    /// Nothing.
    None,
    /// Each message where that makes it shorter: z and a zlib stream, as rsyslog does.
    Message,
    /// Each connection as one zlib stream, as rsyslog's stream:always.
    Stream,
}

/// Which header of the PROXY protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProxyArgument {
    /// A line of text.
    V1,
    /// Binary.
    V2,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LoadArguments {
    #[command(subcommand)]
    pub(crate) command: Option<LoadCommand>,
    #[command(flatten)]
    pub(crate) send: SendArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SendArguments {
    /// The target: udp://HOST:PORT, tcp://, tls://, relp://, relps://, unix:PATH, unixgram:PATH,
    /// file:PATH, or file:- for standard output.
    #[arg(required = true)]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) message: MessageArguments,
    #[command(flatten)]
    pub(crate) amount: AmountArguments,
    #[command(flatten)]
    pub(crate) transport: TransportArguments,
    /// Print the report as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not print the closing line.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Do not show the progress bar.
    #[arg(long)]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct MessageArguments {
    /// The format of messages.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "rfc3164")]
    pub(crate) format: FormatArgument,
    /// Bytes per message with its line end, without an octet count [default: 300; loggen: 256].
    #[arg(long, value_name = "BYTES")]
    pub(crate) size: Option<usize>,
    /// The largest size; sizes are drawn evenly from --size to this.
    #[arg(long, value_name = "BYTES")]
    pub(crate) size_max: Option<usize>,
    /// Send this text, unchanged, as the content of every message.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["format", "size", "size_max", "sdata", "replay", "from"])]
    pub(crate) text: Option<String>,
    /// Structured data of RFC 5424, such as '[test name="value"]'.
    #[arg(long, value_name = "TEXT")]
    pub(crate) sdata: Option<String>,
    /// Put a number below this before tcpflood's own, as tcpflood -f does.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) dynamic_ids: u32,
    /// Give tcpflood's messages a body of this text and an object in JSON, as tcpflood -j does.
    #[arg(long, value_name = "TEXT")]
    pub(crate) json_cookie: Option<String>,
    /// The seed of random choices: the same seed gives the same messages.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The profile of realistic messages, as written by `logwood load learn`.
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// The number of hosts in realistic messages.
    #[arg(long, value_name = "N", default_value_t = load::learn::limits::HOSTS_DEFAULT)]
    pub(crate) hosts: usize,
    /// Plant a text in an exact number of realistic messages; may be repeated.
    #[arg(long, value_name = "TEXT=COUNT")]
    pub(crate) needle: Vec<String>,
    /// Plant unique words, and write the number of messages with each of them to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Send the lines of this file instead, each line once.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "size_max", "sdata"])]
    pub(crate) replay: Option<PathBuf>,
    /// Replace the leading time stamps of the file by the time of sending.
    #[arg(long, requires = "replay")]
    pub(crate) restamp: bool,
    /// Start the file again after its last line.
    #[arg(long = "loop", requires = "replay")]
    pub(crate) is_endless: bool,
    /// The first time stamp, instead of the clock's: RFC 3339, UNIX seconds, or such as now-1h.
    #[arg(long, value_name = "T", requires = "to", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// The end of the time stamps, which are spread evenly over --count messages.
    #[arg(long, value_name = "T", requires_all = ["from", "count"], allow_hyphen_values = true)]
    pub(crate) to: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Amount and pace")]
pub(crate) struct AmountArguments {
    /// The number of messages, over all connections.
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// The duration, such as 10s or 5m; without it and --count, sending never ends.
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// Messages per second over all connections; 0, the default, is full speed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rate: u64,
    /// Messages per second on each connection.
    #[arg(long, value_name = "N", conflicts_with_all = ["rate", "burst"])]
    pub(crate) rate_per_connection: Option<u64>,
    /// Bursts: a number of messages at once, over all connections, at an interval in milliseconds.
    #[arg(long, value_name = "N/MS", conflicts_with = "rate")]
    pub(crate) burst: Option<String>,
    /// Open all connections, then send the first message at this time.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) start_at: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Connections")]
pub(crate) struct TransportArguments {
    /// The framing of messages [default: as usual for format and transport].
    #[arg(long, value_enum, value_name = "FRAMING")]
    pub(crate) framing: Option<FramingArgument>,
    /// The number of sending connections.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) connections: u32,
    /// The number of idle connections, which are opened and send nothing.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) idle_connections: u32,
    /// The number of sending threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) threads: usize,
    /// Reopen lost connections.
    #[arg(long)]
    pub(crate) reconnect: bool,
    /// The RELP window: unacknowledged messages per connection.
    #[arg(long, value_name = "N", default_value_t = load::limits::RELP_WINDOW_DEFAULT)]
    pub(crate) window: usize,
    /// Start each connection with a header of the PROXY protocol, before TLS. It has IPv4
    /// addresses, or IPv6 addresses if the target is reached over IPv6.
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) proxy: Option<ProxyArgument>,
    /// The compression.
    #[arg(long, value_enum, value_name = "WHAT", default_value = "none")]
    pub(crate) compress: CompressArgument,
    /// Trust servers with a certificate of these authorities (PEM).
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The client certificate, for servers that ask for one (PEM).
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The key of that certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// Trust any server.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) insecure: bool,
}
