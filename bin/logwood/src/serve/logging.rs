//! What Logwood says about itself, on standard error, and as records where that is configured.

use config::{LogFormat, LogOptions};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

use super::internal::{self, Internal};

/// Starts logging. `LOGWOOD_LOG` overrides the level, in the syntax of `tracing`'s filters. Returns
/// what is to be kept as records, where that is configured.
pub(crate) fn start(options: &LogOptions) -> Option<Internal> {
    let filter = EnvFilter::try_from_env("LOGWOOD_LOG")
        .unwrap_or_else(|_| EnvFilter::new(options.level.name()));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match options.format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let (records, internal) = match &options.logspace {
        Some(logspace) => {
            let (layer, internal) = internal::records(logspace.clone());
            (Some(layer), Some(internal))
        }
        None => (None, None),
    };
    let result = tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(records)
        .try_init();
    // Only a second call can fail, and there is none.
    debug_assert!(result.is_ok(), "logging is started once");
    internal
}
