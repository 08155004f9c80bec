//! All receivers together: started, changed, asked, shut down.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::LogspaceName;
use pipeline::{Pipeline, StepFigures};
use rustls::ServerConfig;
use store::{Clock, Store};
use tokio::time::{Instant, timeout_at};

use crate::address::Address;
use crate::error::Error;
use crate::explain::Explainer;
use crate::hosts::HostLists;
use crate::listener::{Late, Listener, ListenerStatus, Sockets, load_tls};
use crate::listening::Listening;
use crate::options::{HttpOptions, ListenerOptions, Options};
use crate::passed::{self, PassedSocket};
use crate::senders::SenderStatus;
use crate::sink::Sink;
use crate::source::{Source, SourceStatus};
use crate::tls::TlsSlot;

/// Name of the source of what is handed in over HTTP.
pub(crate) const HTTP_SOURCE: &str = "http";

/// Name of the source of what this program says about itself.
pub(crate) const INTERNAL_SOURCE: &str = "internal";

/// How long a reload waits for connections that it closes.
const RELOAD_PATIENCE: Duration = Duration::from_secs(5);

/// The receivers. Dropping it stops them without waiting; see [`Ingest::shutdown`].
pub struct Ingest {
    sink: Arc<Sink>,
    state: Mutex<State>,
    /// One change at a time.
    change: tokio::sync::Mutex<()>,
}

struct State {
    listeners: Vec<Listener>,
    /// Every source there has been since the start: figures do not go back.
    sources: BTreeMap<String, Arc<Source>>,
    /// Sockets that were passed to us, by the source that takes them. They stay open, so that a
    /// source that is taken out of the configuration and put back finds its own.
    passed: BTreeMap<String, (Sockets, Address)>,
    http: HttpOptions,
    is_shut_down: bool,
}

/// What is to become of a listener in the new configuration.
enum Plan {
    /// It goes on as it is, with these certificates and host lists.
    Keep {
        name: String,
        hosts: HostLists,
        tls: Option<Arc<ServerConfig>>,
    },
    /// It starts, on sockets that are bound.
    Start {
        options: Box<ListenerOptions>,
        tls: Option<Arc<ServerConfig>>,
        sockets: Sockets,
        address: Address,
    },
}

/// Messages that were not durable when patience ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{messages} messages were not durable in time")]
pub struct NotDurable {
    /// How many.
    pub messages: u64,
}

impl Ingest {
    /// Listens. Creates the logspaces that records can go to. Needs a tokio runtime.
    ///
    /// # Errors
    /// When options contradict each other, an address cannot be bound, certificates cannot be
    /// used, or a logspace cannot be created. Nothing listens then.
    pub fn start(
        options: Options,
        pipeline: Pipeline,
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let (budget_bytes, connections_max) = (options.budget_bytes, options.connections_max);
        let pipeline_of_sink = Pipeline::default();
        let sink = Sink::new(
            store,
            clock,
            budget_bytes,
            connections_max,
            pipeline_of_sink,
        );
        let ingest = Self {
            sink: Arc::new(sink),
            state: Mutex::new(State {
                listeners: Vec::new(),
                sources: BTreeMap::new(),
                passed: passed_sockets(&options)?,
                http: HttpOptions::default(),
                is_shut_down: false,
            }),
            change: tokio::sync::Mutex::default(),
        };
        let plans = ingest.plan(&options, &pipeline)?;
        drop(ingest.carry_out(plans, options.http, pipeline));
        Ok(ingest)
    }

    /// Takes another configuration: listeners with the same options go on with their connections,
    /// others are closed, new ones opened; routes and certificates count for what comes, host lists
    /// for what is open too. A listener whose options changed keeps its sockets where the address is the same, so that
    /// nothing is refused meanwhile.
    ///
    /// # Errors
    /// As for [`Ingest::start`]. Nothing has changed then.
    pub async fn reload(&self, options: Options, pipeline: Pipeline) -> Result<(), Error> {
        let _one_at_a_time = self.change.lock().await;
        let plans = self.plan(&options, &pipeline)?;
        let removed = self.carry_out(plans, options.http, pipeline);
        for listener in &removed {
            listener.stop();
        }
        let deadline = Instant::now() + RELOAD_PATIENCE;
        for listener in removed {
            listener.ended(deadline, Late::Leave).await;
        }
        Ok(())
    }

    /// Stops listening, reads what has already arrived, and waits until everything is durable and
    /// acknowledged, for so long at most; then connections are cut. Messages that were cut short are kept and say so.
    ///
    /// # Errors
    /// When the disk was not fast enough. What is left is written as soon as it can be, while the
    /// store is open.
    pub async fn shutdown(&self, patience: Duration) -> Result<(), NotDurable> {
        let deadline = Instant::now() + patience;
        let _one_at_a_time = self.change.lock().await;
        let listeners = {
            let mut state = self.state();
            state.is_shut_down = true;
            std::mem::take(&mut state.listeners)
        };
        for listener in &listeners {
            listener.stop();
        }
        for listener in listeners {
            listener.ended(deadline, Late::Abort).await;
        }
        // All of the budget is there when nothing is on its way.
        let all = self.sink.budget().acquire(usize::MAX);
        match timeout_at(deadline, all).await {
            Ok(_) => Ok(()),
            Err(_) => Err(NotDurable {
                messages: self.sources().iter().map(|source| source.in_flight).sum(),
            }),
        }
    }

    /// What became of the messages of each source, by name.
    pub fn sources(&self) -> Vec<SourceStatus> {
        let state = self.state();
        for listener in &state.listeners {
            listener.count_kernel_drops();
        }
        let status = |source: &Arc<Source>| {
            let own = |listener: &&Listener| listener.options().name == source.name();
            let listeners = state.listeners.iter().filter(own);
            SourceStatus {
                kernel_queue_bytes: listeners.map(Listener::kernel_queue_bytes).sum(),
                ..source.status()
            }
        };
        state.sources.values().map(status).collect()
    }

    /// The figures of each sender of a source, by address; `None` where there is no such source.
    pub fn senders(&self, source: &str) -> Option<Vec<SenderStatus>> {
        let source = self.state().sources.get(source).cloned()?;
        let mut senders = source.sender_statuses();
        senders.sort_by_key(|sender| sender.peer);
        Some(senders)
    }

    /// Where we listen, in the order of the configuration.
    pub fn listeners(&self) -> Vec<ListenerStatus> {
        self.state()
            .listeners
            .iter()
            .map(Listener::status)
            .collect()
    }

    /// Bytes of records that wait for the disk, and the most there may be.
    pub fn budget_bytes(&self) -> (usize, usize) {
        (
            self.sink.budget().used_bytes(),
            self.sink.budget().total_bytes(),
        )
    }

    pub(crate) fn sink(&self) -> &Arc<Sink> {
        &self.sink
    }

    /// How messages that come over HTTP are parsed.
    pub fn http_parse_options(&self) -> syslog::ParseOptions {
        self.state().http.parse.clone()
    }

    /// The routes in force.
    pub fn pipeline(&self) -> Arc<Pipeline> {
        self.sink.pipeline()
    }

    /// What the steps of routes did since the configuration was read.
    pub fn step_figures(&self) -> Vec<StepFigures> {
        self.sink.pipeline().step_figures()
    }

    /// Who reads as a source does, by the configuration in force; see [`Explainer::new`].
    pub fn explainer(&self, source: Option<&str>) -> Option<Explainer> {
        let state = self.state();
        let listeners = state.listeners.iter().map(Listener::options);
        Explainer::choose(listeners, &state.http, source, self.sink.pipeline())
    }

    /// The source of what comes over HTTP, and how to read it; `None` after the shutdown.
    pub(crate) fn http(&self) -> Option<(Arc<Source>, HttpOptions)> {
        let mut state = self.state();
        let source = state.source(HTTP_SOURCE);
        (!state.is_shut_down).then(|| (source, state.http.clone()))
    }

    /// The source of what this program says about itself; `None` after the shutdown.
    pub(crate) fn internal(&self) -> Option<Arc<Source>> {
        let mut state = self.state();
        let source = state.source(INTERNAL_SOURCE);
        (!state.is_shut_down).then_some(source)
    }

    /// Does all that can fail, and nothing that shows.
    fn plan(&self, options: &Options, pipeline: &Pipeline) -> Result<Vec<Plan>, Error> {
        options.check()?;
        if self.state().is_shut_down {
            return Err(Error::ShutDown);
        }
        let own = options.listeners.iter().map(|listener| &listener.logspace);
        let logspaces = pipeline.logspaces().into_iter().chain(own);
        for logspace in logspaces.chain([&options.http.logspace]) {
            self.create_logspace(logspace)?;
        }
        let state = self.state();
        let encrypted = options.encrypted_addresses();
        options
            .listeners
            .iter()
            .map(|listener| state.plan(listener, &encrypted))
            .collect()
    }

    fn create_logspace(&self, logspace: &LogspaceName) -> Result<(), Error> {
        let created = self.sink.store().create_logspace(logspace);
        created.map_err(|source| Error::Logspace {
            logspace: logspace.clone(),
            source: Box::new(source),
        })
    }

    /// Does what was planned, and returns the listeners that are to end.
    fn carry_out(&self, plans: Vec<Plan>, http: HttpOptions, pipeline: Pipeline) -> Vec<Listener> {
        let mut state = self.state();
        state.http = http;
        state.source(HTTP_SOURCE);
        self.sink.set_pipeline(pipeline);
        let mut old = std::mem::take(&mut state.listeners);
        for plan in plans {
            match plan {
                Plan::Keep { name, hosts, tls } => {
                    let index = old
                        .iter()
                        .position(|listener| listener.options().name == name);
                    if let Some(index) = index {
                        let listener = old.swap_remove(index);
                        listener.set_tls(tls);
                        listener.set_hosts(&hosts);
                        state.listeners.push(listener);
                    }
                }
                Plan::Start {
                    options,
                    tls,
                    sockets,
                    address,
                } => {
                    // What its predecessor still drains must be of those who may send now.
                    let named = |listener: &&Listener| listener.options().name == options.name;
                    if let Some(predecessor) = old.iter().find(named) {
                        predecessor.set_hosts(&options.hosts);
                    }
                    sockets.set_receive_buffers(&options);
                    sockets.set_gro(&options);
                    sockets.set_rights(&options);
                    let (source, transport) = (options.name.clone(), options.transport.name());
                    tracing::info!(source, transport, %address, "listening");
                    let source = state.source(&source);
                    let tls = tls.map(TlsSlot::new);
                    let listening = Listening::new(*options, source, Arc::clone(&self.sink), tls);
                    let listener = Listener::start(Arc::new(listening), sockets, address);
                    state.listeners.push(listener);
                }
            }
        }
        old
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn source(&mut self, name: &str) -> Arc<Source> {
        let new = || Arc::new(Source::new(name));
        Arc::clone(self.sources.entry(name.to_owned()).or_insert_with(new))
    }

    fn plan(&self, options: &ListenerOptions, encrypted: &[IpAddr]) -> Result<Plan, Error> {
        let tls = load_tls(options, encrypted)?;
        if self
            .listeners
            .iter()
            .any(|listener| listener.options().is_same_but_told(options))
        {
            let name = options.name.clone();
            let hosts = options.hosts.clone();
            return Ok(Plan::Keep { name, hosts, tls });
        }
        let reusable = |listener: &Listener| listener.reusable_sockets(options);
        let (sockets, address) = match self.listeners.iter().find_map(reusable) {
            Some(reused) => reused,
            None if let Some(passed) = self.passed.get(&options.name) => passed.clone(),
            None => {
                let has_port = |listener: &Listener| listener.has_udp_port(&options.address);
                Sockets::bind(options, self.listeners.iter().any(has_port))?
            }
        };
        Ok(Plan::Start {
            options: Box::new(options.clone()),
            tls,
            sockets,
            address,
        })
    }
}

/// The sockets that were passed to us, each for the source whose name it has.
fn passed_sockets(options: &Options) -> Result<BTreeMap<String, (Sockets, Address)>, Error> {
    let mut passed = BTreeMap::new();
    for listener in &options.listeners {
        let own = passed::sockets_for(&listener.name, listener.transport, &options.passed)?;
        if let Some(own) = own {
            passed.insert(listener.name.clone(), own);
        }
    }
    let is_unclaimed = |socket: &&PassedSocket| !passed.contains_key(socket.name());
    if let Some(socket) = options.passed.iter().find(is_unclaimed) {
        let sources = options.listeners.iter();
        let sources: Vec<_> = sources.map(|listener| listener.name.as_str()).collect();
        return Err(Error::Passed {
            name: socket.name().to_owned(),
            reason: format!(
                "no source is called so: set FileDescriptorName= of its unit to one of {}",
                sources.join(", ")
            ),
        });
    }
    Ok(passed)
}
