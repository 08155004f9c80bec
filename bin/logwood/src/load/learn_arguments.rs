//! What can be typed behind `logwood load learn`.

use std::path::PathBuf;

use clap::Args;

/// Learn templates and values from log files, for `logwood load --format realistic`.
#[derive(Debug, Args)]
pub(crate) struct LearnArguments {
    /// The log files, plain, .gz or .zst; - is standard input. The first 200,000 lines are used.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file for the profile; - is standard output.
    #[arg(short, long, value_name = "PROFILE")]
    pub(crate) output: PathBuf,
}
