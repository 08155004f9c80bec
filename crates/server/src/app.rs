//! What every request can reach.

use std::sync::Arc;

use ingest::Ingest;
use model::Timestamp;
use store::{Clock, Store};
use tokio::sync::watch;

/// The running server, as the routes see it.
pub struct App {
    /// Where records are kept.
    pub store: Arc<Store>,
    /// Where they come in.
    pub ingest: Arc<Ingest>,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// When the server started.
    pub started: Timestamp,
    /// Counts commits; tails wait for it to change.
    commits: watch::Receiver<u64>,
}

impl App {
    /// Puts the parts together and listens to the store's commits.
    pub fn new(store: Arc<Store>, ingest: Arc<Ingest>, clock: Arc<dyn Clock>) -> Self {
        let (sender, commits) = watch::channel(0);
        store.on_commit(Box::new(move || sender.send_modify(|count| *count += 1)));
        let started = clock.now();
        Self {
            store,
            ingest,
            clock,
            started,
            commits,
        }
    }

    /// Changes with every commit.
    pub(crate) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.clone()
    }
}
