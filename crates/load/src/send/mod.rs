//! Sends messages: transports, frames, schedules, and an exact account of what became of them.
//!
//! [`send()`] opens all connections before the first message goes. Each connection has a task of
//! its own that fills a batch from its [`Source`], no earlier than the messages are due, and hands
//! it to the kernel with as few calls as the transport allows.
//!
//! What must stay true: a message is counted as sent only when the operating system has taken it
//! from the first byte to the last; sent and failed together are what was to be sent.

mod account;
mod connect;
mod connection;
mod datagram;
mod feed;
mod framing;
mod open_files;
mod options;
mod pace;
mod proxy;
mod relp;
mod report;
mod stream;
mod target;
#[cfg(test)]
mod tests;
mod tls;

pub use account::{Latencies, Run, Tally};
pub use feed::Times;
pub use framing::{Framing, Packing};
pub use options::Options;
pub use pace::Pace;
pub use proxy::ProxyHeader;
pub use report::{ConnectionReport, Report};
pub use target::{HostPort, Target};
pub use tls::TlsOptions;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::limits::{OPEN_FILES_SPARE, OPENING_AT_ONCE};
use crate::{Error, Source};
use connect::{Connector, Opened};
use connection::{Connection, Ended};

/// Sends the messages of a source for each connection, and returns when all is sent, the time is
/// over, or the run is stopped. `run` is made for as many connections as the options say.
pub fn send(
    options: &Options,
    mut source: impl FnMut(u32) -> Result<Box<dyn Source>, Error>,
    run: &Run,
) -> Result<Report, Error> {
    options.check()?;
    let sockets = u64::from(options.connections) + u64::from(options.idle_connections);
    open_files::raise(sockets + OPEN_FILES_SPARE)?;
    let sources: Result<Vec<_>, Error> = (0..options.connections).map(&mut source).collect();
    let sources = sources?;
    let connector = Arc::new(Connector::new(options)?);
    runtime(options.threads)?.block_on(run_all(options, sources, connector, run))
}

fn runtime(threads: usize) -> Result<Runtime, Error> {
    // One thread needs no queues between threads.
    let mut builder = if threads == 1 {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    if threads > 1 {
        builder.worker_threads(threads);
    }
    let built = builder.enable_all().build();
    built.map_err(|source| Error::Runtime { source })
}

async fn run_all(
    options: &Options,
    sources: Vec<Box<dyn Source>>,
    connector: Arc<Connector>,
    run: &Run,
) -> Result<Report, Error> {
    let active = open_all(&connector, 0, options.connections).await?;
    // Held open to the end.
    let idle = open_all(&connector, options.connections, options.idle_connections).await?;
    wait_until_start(options, run).await;
    let cpu_before = cpu_time();
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for ((index, opened), source) in (0..).zip(active).zip(sources) {
        let connection = Connection::new(options, index, source, &connector, run, start);
        tasks.spawn(connection.send(opened));
    }
    let mut took = Duration::ZERO;
    let mut error = None;
    while let Some(ended) = tasks.join_next().await {
        // A task that panicked has sent what it counted; the rest is missing from the account.
        let ended = ended.unwrap_or_else(|panic| Ended {
            took: start.elapsed(),
            error: Some(panic.to_string()),
        });
        took = took.max(ended.took);
        error = error.or(ended.error);
    }
    let cpu = cpu_time().saturating_sub(cpu_before);
    drop(idle);
    let has_answers = options.target.is_relp();
    Ok(Report::new(run, has_answers, took, cpu, error))
}

/// Opens so many connections, some at a time; in order of their index.
async fn open_all(
    connector: &Arc<Connector>,
    first: u32,
    count: u32,
) -> Result<Vec<Opened>, Error> {
    let permits = Arc::new(Semaphore::new(OPENING_AT_ONCE));
    let mut tasks = JoinSet::new();
    for index in first..first + count {
        let (connector, permits) = (Arc::clone(connector), Arc::clone(&permits));
        tasks.spawn(async move {
            // The semaphore is never closed.
            let _permit = permits.acquire().await;
            (index, connector.open(index).await)
        });
    }
    let mut opened = Vec::with_capacity(count as usize);
    while let Some(one) = tasks.join_next().await {
        let (index, one) = one.map_err(|panic| Error::Runtime {
            source: std::io::Error::other(panic),
        })?;
        opened.push((index, one?));
    }
    opened.sort_by_key(|(index, _)| *index);
    Ok(opened.into_iter().map(|(_, one)| one).collect())
}

async fn wait_until_start(options: &Options, run: &Run) {
    let Some(start) = options.start_at else {
        return;
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let start = u64::try_from(start.nanos()).map_or(Duration::ZERO, Duration::from_nanos);
    tokio::select! {
        () = sleep(start.saturating_sub(now)) => {}
        () = run.stop.cancelled() => {}
    }
}

/// Time that this process has had the processor.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
