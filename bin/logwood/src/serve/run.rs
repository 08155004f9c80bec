//! The life of a server: start everything, wait for signals, stop in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use config::Config;
use ingest::{Ingest, ListenerStatus};
use outputs::Destinations;
use server::{App, Server};
use store::{Store, SystemClock};
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::internal::Internal;
use super::{ConfigSource, demo, reload, step_files};
use crate::failure::Failure;
use crate::output;
use crate::routes::pipeline_of;

/// How long a stop waits for what was read to become durable.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a stop waits for destinations to finish the batch in flight.
const DELIVERY_PATIENCE: Duration = Duration::from_secs(10);

/// Runs until SIGTERM or SIGINT.
pub(super) async fn run(
    source: ConfigSource,
    config: Config,
    store: Arc<Store>,
    internal: Option<Internal>,
    mut signals: Signals,
    with_demo: bool,
) -> Result<(), Failure> {
    let names = config.logspaces.iter().map(|logspace| &logspace.name);
    store.create_logspaces(&names.cloned().collect::<Vec<_>>())?;
    let clock = Arc::new(SystemClock);
    // Before retention begins: what they have not delivered stays.
    let destinations = Arc::new(Destinations::start(
        Arc::clone(&store),
        Handle::current(),
        clock.clone(),
        config.destinations.clone(),
    ));
    for logspace in &config.logspaces {
        store.set_retention(&logspace.name, logspace.retention)?;
        store.set_archive(&logspace.name, logspace.archive.clone())?;
    }
    let pipeline = pipeline_of(&config)?;
    let ingest = Ingest::start(
        config.ingest.clone(),
        pipeline,
        Arc::clone(&store),
        clock.clone(),
    );
    let ingest = Arc::new(ingest.map_err(|error| not_received(&error))?);
    let keeping = internal.map(|internal| tokio::spawn(internal.keep(Arc::clone(&ingest))));
    let app = Arc::new(App::new(Arc::clone(&store), Arc::clone(&ingest), clock));
    app.set_destinations(Arc::clone(&destinations));
    tell(&app, &config);
    let server = Server::start(config.http, config.clients, Arc::clone(&app))
        .await
        .map_err(not_served)?;
    store.announce_http(&server.address().to_string())?;
    welcome(server.address(), &ingest.listeners(), &store);
    let demo = with_demo.then(|| tokio::spawn(demo::feed(Arc::clone(&ingest), Arc::clone(&store))));

    let files = tokio::spawn(step_files::keep(Arc::clone(&ingest)));

    let mut config = config;
    while signals.next().await == Request::Reload {
        config = reload::reload(&source, config, (&store, &ingest, &destinations)).await;
        tell(&app, &config);
    }
    if let Some(demo) = demo {
        demo.abort();
    }
    files.abort();
    if let Some(keeping) = keeping {
        keeping.abort();
    }
    stop(server, &ingest, destinations, store).await
}

/// Says to the interface which configuration is in force.
fn tell(app: &App, config: &Config) {
    app.set_config(config.effective().to_string());
    app.set_hosts([names_of_machine(), config.http_hosts.clone()].concat());
    let tokens = config.logspaces.iter();
    app.set_tokens(
        tokens
            .filter_map(|logspace| Some((logspace.name.clone(), logspace.tokens?)))
            .collect(),
    );
}

/// What the machine calls itself, whole and up to the first dot.
fn names_of_machine() -> Vec<String> {
    let name = rustix::system::uname();
    let whole = name.nodename().to_string_lossy().into_owned();
    let first = whole.split('.').next().unwrap_or_default().to_owned();
    [whole, first]
        .into_iter()
        .filter(|name| !name.is_empty())
        .collect()
}

/// Stops reading, makes everything durable, and closes.
async fn stop(
    server: Server,
    ingest: &Ingest,
    destinations: Arc<Destinations>,
    store: Arc<Store>,
) -> Result<(), Failure> {
    tracing::info!("stopping");
    let (drained, ()) = tokio::join!(ingest.shutdown(PATIENCE), server.shutdown());
    // Both wait for the disk, destinations also for the other side.
    let closing = tokio::task::spawn_blocking(move || {
        destinations.shutdown(DELIVERY_PATIENCE);
        store.close();
    });
    _ = closing.await;
    drained.map_err(|left| {
        Failure::new(left.to_string())
            .hint("those that a sender was told to be safe are safe; the others may be lost")
    })
}

fn not_received(error: &ingest::Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.remedy() {
        Some(remedy) => failure.hint(remedy),
        None => failure,
    }
}

fn not_served(error: server::Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        server::Error::Listen { address, source } => {
            failure.hint(ingest::bind_remedy(address, &source))
        }
        _ => failure,
    }
}

/// Says where everything listens, in one line for programs, and what to try next.
fn welcome(http: SocketAddr, listeners: &[ListenerStatus], store: &Store) {
    let mut ready = format!("ready http={http}");
    for listener in listeners {
        ready.push_str(&format!(
            " {}={}",
            listener.transport.name(),
            listener.address
        ));
    }
    output::words(&ready);
    let mut tcp = listeners
        .iter()
        .filter(|listener| listener.transport.name() == "tcp")
        .filter_map(|listener| listener.address.internet());
    let send = tcp.next().map_or_else(String::new, |tcp| {
        let (host, port) = (tcp.ip(), tcp.port());
        format!("  send   logger -n {host} -P {port} -T \"hello from $(hostname)\"\n")
    });
    output::words(&format!(
        "\n  page   http://{http}/\n{send}  find   logwood search hello --url http://{http}\n  \
         data   {}\n  stop   Ctrl-C\n",
        store.data_dir().display()
    ));
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Reload,
    Stop,
}

/// The signals that this process obeys, from when this is made on.
pub(super) struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn new() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::new("cannot wait for signals").because(error))
        };
        Ok(Self {
            hangup: listen(SignalKind::hangup())?,
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.hangup.recv() => Request::Reload,
            _ = self.terminate.recv() => Request::Stop,
            _ = self.interrupt.recv() => Request::Stop,
        }
    }
}
