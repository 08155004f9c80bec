//! What Logwood says about itself, on standard error.

use config::{LogFormat, LogOptions};
use tracing_subscriber::EnvFilter;

/// Starts logging. `LOGWOOD_LOG` overrides the level, in the syntax of `tracing`'s filters.
pub(crate) fn start(options: LogOptions) {
    let filter = EnvFilter::try_from_env("LOGWOOD_LOG")
        .unwrap_or_else(|_| EnvFilter::new(options.level.name()));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let result = match options.format {
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    // Only a second call can fail, and there is none.
    debug_assert!(result.is_ok(), "logging is started once");
}
