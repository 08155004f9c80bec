//! What a run may be told.

use std::time::Duration;

use model::Timestamp;

use super::feed::Times;
use super::framing::{Framing, Packing};
use super::pace::Pace;
use super::proxy::ProxyHeader;
use super::target::Target;
use super::tls::TlsOptions;
use crate::Error;
use crate::limits::{CONNECTIONS_MAX, RATE_MAX, RELP_WINDOW_DEFAULT, RELP_WINDOW_MAX, THREADS_MAX};

/// What a run may be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where messages go.
    pub target: Target,
    /// What tells one message from the next.
    pub framing: Framing,
    /// What is compressed.
    pub packing: Packing,
    /// How fast they go.
    pub pace: Pace,
    /// How many, over all connections; `None` for no end.
    pub count: Option<u64>,
    /// For how long; `None` for no end.
    pub duration: Option<Duration>,
    /// Connections that send.
    pub connections: u32,
    /// Connections that are opened and held, and send nothing.
    pub idle_connections: u32,
    /// Threads that send.
    pub threads: usize,
    /// Whether a lost connection is opened again.
    pub is_reconnecting: bool,
    /// RELP frames without an answer, for each connection.
    pub window: usize,
    /// The header of the PROXY protocol before everything else.
    pub proxy: Option<ProxyHeader>,
    /// Certificates, for `tls` and `relps`.
    pub tls: TlsOptions,
    /// Which times messages are given.
    pub times: Times,
    /// When the first message goes; at once where it is `None`.
    pub start_at: Option<Timestamp>,
}

impl Options {
    /// The defaults for a target: one connection, without an end, as fast as it goes.
    pub fn new(target: Target) -> Self {
        Self {
            framing: Framing::usual(None, &target, Packing::None),
            packing: Packing::None,
            pace: Pace::Unbounded,
            count: None,
            duration: None,
            connections: 1,
            idle_connections: 0,
            threads: 1,
            is_reconnecting: false,
            window: RELP_WINDOW_DEFAULT,
            proxy: None,
            tls: TlsOptions::default(),
            times: Times::Clock,
            start_at: None,
            target,
        }
    }

    /// Messages that one connection is to send, if the run has a count.
    pub fn share_of_count(&self, connection: u32) -> Option<u64> {
        let (index, of) = (u64::from(connection), u64::from(self.connections.max(1)));
        let count = self.count?;
        Some(count / of + u64::from(index < count % of))
    }

    /// Refuses what is out of bounds or contradicts itself.
    pub(super) fn check(&self) -> Result<(), Error> {
        let (rate_name, rate) = match self.pace {
            Pace::Unbounded => ("the rate", 1),
            Pace::Total(rate) | Pace::PerConnection(rate) => ("the rate", rate),
            Pace::Burst { messages, .. } => ("the number of messages in a burst", messages),
        };
        let bounds = [
            (rate_name, rate, 1, RATE_MAX),
            (
                "connections",
                self.connections.into(),
                1,
                CONNECTIONS_MAX.into(),
            ),
            (
                "idle connections",
                self.idle_connections.into(),
                0,
                CONNECTIONS_MAX.into(),
            ),
            ("threads", self.threads as u64, 1, THREADS_MAX as u64),
            ("the window", self.window as u64, 1, RELP_WINDOW_MAX as u64),
        ];
        for (what, found, min, max) in bounds {
            if !(min..=max).contains(&found) {
                return Err(Error::OutOfRange {
                    what,
                    found,
                    min,
                    max,
                });
            }
        }
        self.framing.check(&self.target, self.packing)?;
        self.check_target()?;
        if self.times != Times::Clock && self.count.is_none() {
            return Err(Error::Contradiction {
                what: "a range of times".to_owned(),
                with: "a run without a count".to_owned(),
                remedy: "say how many messages are spread over it with --count",
            });
        }
        Ok(())
    }

    fn check_target(&self) -> Result<(), Error> {
        let target = &self.target;
        let is_connection = !target.is_datagram() && !target.is_file();
        let no = |what: &str, remedy| {
            Err(Error::Contradiction {
                what: what.to_owned(),
                with: target.to_string(),
                remedy,
            })
        };
        if self.packing == Packing::Stream && (!is_connection || target.is_relp()) {
            return no("compression of a stream", "compress single messages");
        }
        if self.proxy.is_some() && !is_connection {
            return no("a PROXY header", "only connections have one");
        }
        if self.idle_connections > 0 && !is_connection {
            return no("idle connections", "there is nothing to connect to");
        }
        Ok(())
    }
}
