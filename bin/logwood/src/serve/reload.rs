//! SIGHUP: the new configuration, or on any error the old one.

use config::Config;
use ingest::Ingest;
use pipeline::Pipeline;
use store::Store;

use super::ConfigSource;
use crate::failure::Failure;
use crate::prepare::Purpose;

/// Reads the configuration again and puts it into force; returns the one in force now.
pub(super) async fn reload(
    source: &ConfigSource,
    current: Config,
    store: &Store,
    ingest: &Ingest,
) -> Config {
    match try_reload(source, &current, store, ingest).await {
        Ok(config) => {
            tracing::info!("configuration reloaded");
            config
        }
        Err(failure) => {
            tracing::error!(%failure, "configuration not reloaded, the running one is kept");
            current
        }
    }
}

async fn try_reload(
    source: &ConfigSource,
    current: &Config,
    store: &Store,
    ingest: &Ingest,
) -> Result<Config, Failure> {
    let config = source.read(Purpose::Reload, Vec::new())?;
    let names = config.logspaces.iter().map(|logspace| &logspace.name);
    store.create_logspaces(&names.cloned().collect::<Vec<_>>())?;
    for logspace in &config.logspaces {
        store.set_retention(&logspace.name, logspace.retention)?;
        store.set_archive(&logspace.name, logspace.archive.clone())?;
    }
    let pipeline = Pipeline::new(config.routes.clone())
        .map_err(|error| Failure::new("a route cannot be used").because(error))?;
    ingest
        .reload(config.ingest.clone(), pipeline)
        .await
        .map_err(|error| Failure::new(error.to_string()))?;
    for key in current.effective().restart_keys(&config.effective()) {
        tracing::warn!(key, "changed in the file, in force after a restart");
    }
    Ok(config)
}
