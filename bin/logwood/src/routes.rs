//! The routes of a configuration, made ready, with the files that their steps work by.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use config::Config;
use jiff::tz::TimeZone;
use macros::{Context, Zone};
use pipeline::{FileUser, Pipeline};

use crate::failure::Failure;

/// Most bytes of a file that a step works by. It is kept in memory.
const STEP_FILE_BYTES_MAX: u64 = 256 << 20;

/// The pipeline of the routes. Templates of steps write times with the offset that the message states, and in the
/// zone of this machine where it states none.
pub(crate) fn pipeline_of(config: &Config) -> Result<Pipeline, Failure> {
    let pipeline = unread_pipeline_of(config)?;
    for file in pipeline.files() {
        load(file).map_err(|reason| {
            let message = format!("cannot use {}", file.path().display());
            Failure::new(message).because(reason)
        })?;
    }
    Ok(pipeline)
}

/// The same before its files are read.
pub(crate) fn unread_pipeline_of(config: &Config) -> Result<Pipeline, Failure> {
    let host = rustix::system::uname();
    let context = Context {
        own_host: host.nodename().to_string_lossy().into_owned(),
        zone: Zone::OfMessage(TimeZone::system()),
        ..Context::default()
    };
    Pipeline::new(config.routes.clone(), context)
        .map_err(|error| Failure::new("a route cannot be followed").because(error))
}

/// Reads a file for a step.
pub(crate) fn load(file: &dyn FileUser) -> Result<(), String> {
    let content = read(file.path()).map_err(|error| error.to_string())?;
    file.load(&content)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let mut file = File::open(path)?.take(STEP_FILE_BYTES_MAX + 1);
    file.read_to_end(&mut content)?;
    if content.len() as u64 > STEP_FILE_BYTES_MAX {
        let message = format!("it has more than {STEP_FILE_BYTES_MAX} bytes");
        return Err(std::io::Error::other(message));
    }
    Ok(content)
}
