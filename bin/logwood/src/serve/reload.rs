//! SIGHUP: the new configuration, or on any error the old one.

use std::sync::Arc;

use config::Config;
use ingest::Ingest;
use outputs::Destinations;
use store::Store;

use super::ConfigSource;
use crate::failure::Failure;
use crate::prepare::Purpose;
use crate::routes::pipeline_of;

/// What is told of the new configuration.
type Running<'r> = (&'r Store, &'r Ingest, &'r Arc<Destinations>);

/// Reads the configuration again and puts it into force; returns the one in force now.
pub(super) async fn reload(source: &ConfigSource, current: Config, running: Running<'_>) -> Config {
    match try_reload(source, &current, running).await {
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
    (store, ingest, destinations): Running<'_>,
) -> Result<Config, Failure> {
    let config = source.read(Purpose::Reload, Vec::new())?;
    let names = config.logspaces.iter().map(|logspace| &logspace.name);
    store.create_logspaces(&names.cloned().collect::<Vec<_>>())?;
    for logspace in &config.logspaces {
        store.set_retention(&logspace.name, logspace.retention)?;
        store.set_archive(&logspace.name, logspace.archive.clone())?;
    }
    let pipeline = pipeline_of(&config)?;
    ingest
        .reload(config.ingest.clone(), pipeline)
        .await
        .map_err(|error| Failure::new(error.to_string()))?;
    let (destinations, options) = (Arc::clone(destinations), config.destinations.clone());
    // Those that are changed finish their batch in flight first.
    let changing = tokio::task::spawn_blocking(move || destinations.reload(options));
    _ = changing.await;
    for key in current.effective().restart_keys(&config.effective()) {
        tracing::warn!(key, "changed in the file, in force after a restart");
    }
    Ok(config)
}
