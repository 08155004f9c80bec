//! What can be typed behind `logwood load sink`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// Receive and count, slow or failing on request, until stopped.
#[derive(Debug, Args)]
pub(crate) struct SinkArguments {
    /// Take datagrams here.
    #[arg(long, value_name = "ADDR")]
    pub(crate) udp: Option<SocketAddr>,
    /// Take streams here, octet-counted or lines.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tcp: Option<SocketAddr>,
    /// Take streams over TLS here.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tls: Option<SocketAddr>,
    /// Speak RELP here.
    #[arg(long, value_name = "ADDR")]
    pub(crate) relp: Option<SocketAddr>,
    /// Answer here as Splunk's HTTP event collector does.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// The certificate for TLS (PEM); one is made without it.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// Look for gaps, duplicates and disorder in the numbers of messages.
    #[arg(long, conflicts_with = "discard")]
    pub(crate) check: bool,
    /// Only count bytes and line feeds, which is the fastest.
    #[arg(long, conflicts_with = "write")]
    pub(crate) discard: bool,
    /// Write what arrives to this file, a message a line.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// End when so many messages have arrived.
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// End after this time, such as 10s or 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Wait so long with each batch before it is looked at and answered.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) delay: Option<Duration>,
    /// Read no faster than this, over all connections.
    #[arg(long, value_name = "N")]
    pub(crate) bytes_per_second: Option<u64>,
    /// Fail every Nth message or request: close the connection, answer RELP 500 or HTTP 503.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "discard")]
    pub(crate) fail_every: Option<u64>,
    /// Close connections at once and answer HTTP 503 for so long from the start on.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) refuse_for: Option<Duration>,
    /// Take this token over HTTP, and no others; may be repeated. Any is taken without it.
    #[arg(long = "token", value_name = "TOKEN")]
    pub(crate) tokens: Vec<String>,
    /// Acknowledge by channel over HTTP.
    #[arg(long)]
    pub(crate) acks: bool,
    /// Print the report as a JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time such as `5ms`, `10s` or `1h30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let duration: jiff::SignedDuration = text
        .parse()
        .map_err(|_| "write a time such as 5ms, 10s or 1h30m".to_owned())?;
    Duration::try_from(duration).map_err(|_| "a time is not negative".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(duration("5ms"), Ok(Duration::from_millis(5)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5_400)));
        for text in ["", "5", "-5s", "soon"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
