//! Receive, keep and answer until told to stop.

mod demo;
mod internal;
mod logging;
mod passed;
mod reload;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use config::{Config, Overrides};
use store::{RealDisk, Store, SystemClock};

use crate::Outcome;
use crate::arguments::ServeArguments;
use crate::check;
use crate::failure::Failure;

/// Serves until SIGTERM or SIGINT.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<Outcome, Failure> {
    let passed = passed::take()?;
    let source = ConfigSource::new(arguments);
    let mut config = source.read()?;
    config.ingest.passed = passed;
    let internal = logging::start(&config.log);
    raise_open_files();
    let store = Store::open(
        config.store.clone(),
        Arc::new(RealDisk),
        Arc::new(SystemClock),
    )?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("cannot start the runtime").because(error))?;
    runtime.block_on(run::run(
        source,
        config,
        Arc::new(store),
        internal,
        arguments.demo,
    ))?;
    Ok(Outcome::Done)
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

    /// Reads and checks the configuration; all problems are printed.
    fn read(&self) -> Result<Config, Failure> {
        let checked = check::read(self.path.as_deref(), &self.overrides)?;
        check::print_problems(&checked);
        let (errors, _) = checked.counts();
        checked.config.ok_or_else(|| {
            let name = self
                .path
                .as_deref()
                .unwrap_or(std::path::Path::new("the defaults"));
            Failure::new(format!("{} has {errors} errors", name.display()))
                .hint("`logwood check FILE` says them all without starting anything")
        })
    }
}

/// Each connection and each segment takes a file descriptor; the soft limit is often 1,024.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
}
