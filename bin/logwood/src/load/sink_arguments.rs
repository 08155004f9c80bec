//! What can be typed behind `logwood load sink`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// Receive and count, slow or failing on request, until stopped.
#[derive(Debug, Args)]
pub(crate) struct SinkArguments {
    /// The address for datagrams.
    #[arg(long, value_name = "ADDR")]
    pub(crate) udp: Option<SocketAddr>,
    /// The address for streams, octet-counted or in lines.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tcp: Option<SocketAddr>,
    /// The address for streams over TLS.
    #[arg(long, value_name = "ADDR")]
    pub(crate) tls: Option<SocketAddr>,
    /// The address for RELP.
    #[arg(long, value_name = "ADDR")]
    pub(crate) relp: Option<SocketAddr>,
    /// The address for HTTP, as Splunk's HTTP event collector.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// The certificate for TLS (PEM) [default: self-signed].
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// Check the numbers of messages for gaps, duplicates and disorder.
    #[arg(long, conflicts_with = "discard")]
    pub(crate) check: bool,
    /// Count bytes and line feeds only, for the highest speed.
    #[arg(long, conflicts_with = "write")]
    pub(crate) discard: bool,
    /// Write received messages to this file, one per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// Exit after this number of messages.
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Exit after this time, such as 10s or 5m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Delay each batch by this time before it is processed and answered.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) delay: Option<Duration>,
    /// The maximum reading rate, over all connections.
    #[arg(long, value_name = "N")]
    pub(crate) bytes_per_second: Option<u64>,
    /// Fail every Nth message or request: close the connection, answer RELP 500 or HTTP 503.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "discard")]
    pub(crate) fail_every: Option<u64>,
    /// For this time after the start, close connections at once and answer HTTP 503.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) refuse_for: Option<Duration>,
    /// Accept this token only, over HTTP; may be repeated [default: any token].
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
