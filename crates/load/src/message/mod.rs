//! Messages of fixed formats, and those of files.
//!
//! A [`Recipe`] says what the messages of a run look like; [`Recipe::source`] makes the source of
//! one connection. Every numbered format is a `Prepared` text whose changing digits are
//! written over in place: a message costs one copy of its bytes.

mod fixed;
mod loggen;
mod numbered;
mod prepared;
mod replay;
mod stamp;
mod tcpflood;
#[cfg(test)]
mod tests;
mod varied;

use jiff::tz::TimeZone;

pub use fixed::Fixed;
pub use replay::Replay;

use crate::random::mix;
use crate::{Error, Source};
use prepared::Prepared;
use varied::Varied;

/// Bytes of a message unless told otherwise, its line end included.
pub const SIZE_DEFAULT: usize = 300;

/// Bytes of a message of loggen unless told otherwise, its line end included.
pub const LOGGEN_SIZE_DEFAULT: usize = 256;

/// What numbered messages look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RFC 3164 with the body of loggen: number, connection, run, stamp, padding.
    Rfc3164,
    /// RFC 5424 with the same body.
    Rfc5424,
    /// syslog-ng's `loggen`, byte for byte.
    Loggen,
    /// `loggen --syslog-proto`, byte for byte.
    LoggenIetf,
    /// rsyslog's `tcpflood`, byte for byte.
    Tcpflood,
    /// `tcpflood -y`, byte for byte; with a size, padded as `tcpflood -d` pads the other.
    TcpfloodIetf,
}

/// What the messages of a run look like.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The format.
    pub format: Format,
    /// Bytes of a message without its line end; the format's own length where it is `None`.
    pub bytes: Option<usize>,
    /// With it, lengths are drawn from `bytes` to this, both included.
    pub bytes_max: Option<usize>,
    /// How many connections share the numbers of tcpflood.
    pub connections: u32,
    /// What tells this run from others: the time of its start in UNIX seconds, as loggen has it.
    pub run: i64,
    /// What the draws begin with.
    pub seed: u64,
    /// With it, a number below this stands before the number of tcpflood's messages, as `-f` has it.
    pub dynamic_ids: u32,
    /// With it, tcpflood's messages have this and an object in JSON, as `-j` has it.
    pub json_cookie: Option<String>,
    /// STRUCTURED-DATA, ready; empty for none.
    pub structured_data: String,
    /// The zone of stamps that are local times.
    pub zone: TimeZone,
}

impl Recipe {
    /// The source of one connection.
    pub fn source(&self, connection: u32) -> Result<Box<dyn Source>, Error> {
        let seed = mix(self.seed ^ mix(u64::from(connection) + 1));
        if Varied::fits(self) {
            return Ok(Box::new(Varied::new(self, connection, seed)?));
        }
        let (text, padding) = match self.format {
            Format::Rfc3164 => (numbered::rfc3164(self, connection), &b"PADD"[..]),
            Format::Rfc5424 => (numbered::rfc5424(self, connection), &b"PADD"[..]),
            Format::Loggen => (loggen::legacy(self, connection), &b"PADD"[..]),
            Format::LoggenIetf => (loggen::ietf(self, connection), &b"PADD"[..]),
            Format::Tcpflood => (tcpflood::legacy(self, connection)?, &b"X"[..]),
            Format::TcpfloodIetf => (tcpflood::ietf(self, connection), &b"X"[..]),
        };
        let source = Prepared::new(text, &self.lengths(), padding, self.zone.clone(), seed)?;
        Ok(Box::new(source))
    }

    fn structured_data_or_nil(&self) -> &str {
        if self.structured_data.is_empty() {
            "-"
        } else {
            &self.structured_data
        }
    }

    /// The smallest and the largest length, as asked for.
    fn lengths(&self) -> prepared::Lengths {
        let default = match self.format {
            Format::Rfc3164 | Format::Rfc5424 => Some(SIZE_DEFAULT - 1),
            Format::Loggen | Format::LoggenIetf => Some(LOGGEN_SIZE_DEFAULT - 1),
            Format::Tcpflood | Format::TcpfloodIetf => None,
        };
        // tcpflood's text has its padding in it, since the text says how much there is.
        let asked = self.bytes.filter(|_| self.format != Format::Tcpflood);
        prepared::Lengths {
            bytes: asked.or(default),
            bytes_max: self.bytes_max,
        }
    }
}
