//! What every request can reach.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use engine::Budget;
use ingest::Ingest;
use model::{LogspaceName, Timestamp};
use outputs::Destinations;
use query::Tokens;
use store::{Clock, Store, Subscription};
use tokio::sync::watch;

use crate::parameters::Parameters;
use crate::running::Running;
use crate::saved::Saved;

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
    /// The configuration in force, as a file that says all of it.
    config: RwLock<String>,
    /// What bounds terms in logspaces that say so.
    tokens: RwLock<HashMap<LogspaceName, Tokens>>,
    /// The names that the page and the API are asked by, beside loopback's and addresses.
    hosts: RwLock<Arc<[String]>>,
    /// Where records are sent, where somebody has said so.
    destinations: OnceLock<Arc<Destinations>>,
    /// Searches that people saved.
    pub(crate) saved: Saved,
    /// Searches that are being answered.
    pub(crate) running: Running,
    /// The memory of all questions together.
    pub(crate) questions: Budget,
    /// Counts commits; tails wait for it to change.
    commits: watch::Receiver<u64>,
    /// Has them counted.
    _counting: Subscription,
}

impl App {
    /// Puts the parts together and listens to the store's commits.
    pub fn new(store: Arc<Store>, ingest: Arc<Ingest>, clock: Arc<dyn Clock>) -> Self {
        let (sender, commits) = watch::channel(0);
        let counting = store.on_commit(Box::new(move || sender.send_modify(|count| *count += 1)));
        let started = clock.now();
        let questions = usize::try_from(store.shares().questions).unwrap_or(usize::MAX);
        Self {
            questions: Budget::new(questions),
            store,
            ingest,
            clock,
            started,
            config: RwLock::default(),
            tokens: RwLock::default(),
            hosts: RwLock::new(Arc::default()),
            destinations: OnceLock::new(),
            saved: Saved::default(),
            running: Running::default(),
            commits,
            _counting: counting,
        }
    }

    /// Says which configuration is in force: as a file that says all of it.
    pub fn set_config(&self, effective: String) {
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = effective;
    }

    pub(crate) fn config(&self) -> String {
        let config = self.config.read();
        config.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what bounds the terms of queries in logspaces, where the query does not.
    pub fn set_tokens(&self, tokens: HashMap<LogspaceName, Tokens>) {
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    /// Says where records are sent, once.
    pub fn set_destinations(&self, destinations: Arc<Destinations>) {
        _ = self.destinations.set(destinations);
    }

    pub(crate) fn destinations(&self) -> Option<&Arc<Destinations>> {
        self.destinations.get()
    }

    /// Says by which names, beside `localhost` and addresses, this server is asked.
    pub fn set_hosts(&self, hosts: Vec<String>) {
        *self.hosts.write().unwrap_or_else(PoisonError::into_inner) = hosts.into();
    }

    pub(crate) fn hosts(&self) -> Arc<[String]> {
        Arc::clone(&self.hosts.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The parameters of a request to this server.
    pub(crate) fn parameters(&self, pairs: Vec<(String, String)>) -> Parameters {
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
        Parameters::new(pairs).or_tokens(&tokens)
    }

    /// Changes with every commit.
    pub(crate) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.clone()
    }
}
