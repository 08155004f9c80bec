//! One connection from its first message to its last, through losses.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Options;
use super::account::{Account, Run};
use super::connect::{Connector, Opened};
use super::feed::Feed;
use super::framing::{Framer, Packing};
use super::pace::Schedule;
use super::stream;
use crate::Source;
use crate::limits::{RECONNECT_PAUSE_MAX, RECONNECT_PAUSE_MIN};

/// One connection and what it is to send.
pub(super) struct Connection {
    feed: Feed,
    account: Account,
    connector: Arc<Connector>,
    index: u32,
    is_reconnecting: bool,
    packing: Packing,
    window: usize,
    target: String,
}

/// How a connection ended.
pub(super) struct Ended {
    /// From the start of the run to its last message, acknowledgement included.
    pub(super) took: Duration,
    /// What went wrong last.
    pub(super) error: Option<String>,
}

impl Connection {
    pub(super) fn new(
        options: &Options,
        index: u32,
        source: Box<dyn Source>,
        connector: &Arc<Connector>,
        run: &Run,
        start: Instant,
    ) -> Self {
        let account = run.account(index);
        let feed = Feed {
            source,
            framer: Framer::new(options.framing, options.packing),
            schedule: Schedule::new(options.pace, index, options.connections),
            times: options.times,
            limit: options.share_of_count(index),
            duration: options.duration,
            start,
            share: index.into(),
            of: options.connections.into(),
            all: options.count.unwrap_or(0),
            made: 0,
            is_dry: false,
            account: account.clone(),
            stop: run.stop.clone(),
        };
        Self {
            feed,
            account,
            connector: Arc::clone(connector),
            index,
            is_reconnecting: options.is_reconnecting,
            packing: options.packing,
            window: options.window,
            target: options.target.to_string(),
        }
    }

    /// Sends everything.
    pub(super) async fn send(mut self, first: Opened) -> Ended {
        let mut opened = first;
        loop {
            let outcome = self.send_over(&mut opened).await;
            let took = self.feed.start.elapsed();
            let Err(error) = outcome else {
                close(opened).await;
                return Ended { took, error: None };
            };
            drop(opened);
            let error = format!("connection {} to {}: {error}", self.index, self.target);
            if self.feed.is_over() {
                return Ended {
                    took,
                    error: Some(error),
                };
            }
            let again = match self.is_reconnecting {
                true => self.open_again().await,
                false => None,
            };
            let Some(again) = again else {
                self.feed.give_up();
                return Ended {
                    took,
                    error: Some(error),
                };
            };
            self.account.reconnected();
            opened = again;
        }
    }

    async fn send_over(&mut self, opened: &mut Opened) -> io::Result<()> {
        match opened {
            Opened::Stream(stream) => stream::send(stream, &mut self.feed, self.packing).await,
            Opened::Datagrams(datagrams) => datagrams.send(&mut self.feed).await,
            Opened::Relp(session) => session.send(&mut self.feed, self.window).await,
        }
    }

    /// Opens the connection again, however long it takes; `None` once the run is over.
    async fn open_again(&mut self) -> Option<Opened> {
        let mut pause = RECONNECT_PAUSE_MIN;
        while !self.feed.is_over() {
            if let Ok(opened) = self.connector.open(self.index).await {
                return Some(opened);
            }
            tokio::select! {
                () = sleep(pause) => {}
                () = self.feed.stop.cancelled() => {}
            }
            pause = (pause * 2).min(RECONNECT_PAUSE_MAX);
        }
        None
    }
}

async fn close(opened: Opened) {
    match opened {
        Opened::Stream(stream) => stream::close(stream).await,
        Opened::Relp(session) => session.close().await,
        Opened::Datagrams(_) => {}
    }
}
