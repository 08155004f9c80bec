//! What can be typed behind `logwood load`.

use clap::Args;

use crate::load::commands::LoadCommand;

#[derive(Debug, Args)]
pub(crate) struct LoadArguments {
    #[command(subcommand)]
    pub(crate) command: LoadCommand,
}
