//! Receive, keep and answer until told to stop.

mod demo;
mod files;
mod internal;
mod logging;
mod passed;
mod reload;
mod run;
mod step_files;

use std::path::PathBuf;
use std::sync::Arc;

use config::{Config, Overrides};
use ingest::PassedSocket;
use store::{RealDisk, Store, SystemClock};

use crate::Outcome;
use crate::arguments::ServeArguments;
use crate::check;
use crate::failure::Failure;
use crate::prepare::{self, Purpose};
use run::{Request, Signals};

/// Serves until SIGTERM or SIGINT.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<Outcome, Failure> {
    let passed = passed::take()?;
    let source = ConfigSource::new(arguments);
    let mut config = source.read(Purpose::Start, passed)?;
    let internal = logging::start(&config.log);
    files::raise_limit();
    files::share(&mut config);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start the runtime").because(error))?;
    let ended = runtime.block_on(async {
        // Before anything is opened: a signal during the start is an order, too.
        let mut signals = Signals::new()?;
        match open(&config, &mut signals).await? {
            Some(store) => run::run(source, config, store, internal, signals, arguments.demo).await,
            // To leave a store that is still being opened is what a crash does, which the next start
            // mends.
            None => Ok(()),
        }
    });
    // Everything is durable by then. Work that nobody waits for does not keep the process.
    runtime.shutdown_background();
    ended?;
    Ok(Outcome::Done)
}

/// Opens the store, which may take minutes; `None` where a signal to stop came before.
async fn open(config: &Config, signals: &mut Signals) -> Result<Option<Arc<Store>>, Failure> {
    let options = config.store.clone();
    let open = move || Store::open(options, Arc::new(RealDisk), Arc::new(SystemClock));
    let mut opening = tokio::task::spawn_blocking(open);
    loop {
        tokio::select! {
            opened = &mut opening => {
                let store = opened
                    .map_err(|error| Failure::new("opening the store crashed").because(error))??;
                return Ok(Some(Arc::new(store)));
            }
            request = signals.next() => {
                if request == Request::Stop {
                    tracing::info!("stopped before the start was over");
                    return Ok(None);
                }
            }
        }
    }
}

/// Where the configuration comes from, to read it again.
struct ConfigSource {
    path: Option<PathBuf>,
    overrides: Overrides,
}

impl ConfigSource {
    fn new(arguments: &ServeArguments) -> Self {
        Self {
            path: arguments.config.clone(),
            overrides: Overrides {
                data_dir: arguments.data_dir.clone(),
                http: arguments.http,
                udp: arguments.udp.clone(),
                tcp: arguments.tcp.clone(),
                tls: arguments.tls.clone(),
                relp: arguments.relp.clone(),
            },
        }
    }

    /// Reads the configuration and looks at what it names; all problems are printed.
    fn read(&self, purpose: Purpose, passed: Vec<PassedSocket>) -> Result<Config, Failure> {
        let mut checked = check::read(self.path.as_deref(), &self.overrides)?;
        if let Some(config) = &mut checked.config {
            config.ingest.passed = passed;
            let holder = prepare::holder(config).filter(|_| purpose == Purpose::Start);
            if let Some(holder) = holder {
                let data_dir = config.store.data_dir.clone();
                return Err(store::Error::Locked { data_dir, holder }.into());
            }
            let problems = prepare::problems(config, purpose);
            checked.add(problems);
        }
        check::print_problems(&checked);
        let (errors, _) = checked.counts();
        checked.config.filter(|_| errors == 0).ok_or_else(|| {
            let name = self
                .path
                .as_deref()
                .unwrap_or(std::path::Path::new("the defaults"));
            Failure::new(format!("{}: {errors} errors", name.display()))
                .hint("`logwood check FILE` says them all without starting anything")
        })
    }
}
