//! Whom to ask: a server, or a data directory of which nobody has charge.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use client::Client;
use store::{Options, RealDisk, Store, SystemClock};

use crate::arguments::TargetArguments;
use crate::failure::Failure;

/// Where a server answers unless told otherwise.
pub(crate) const URL_DEFAULT: &str = "http://127.0.0.1:8514";

/// Where the data lies unless told otherwise.
const DATA_DIR_DEFAULT: &str = "logwood-data";

/// Whom to ask.
pub(crate) enum Target {
    /// A running server.
    Server(Client),
    /// A data directory that no server has open.
    Directory(PathBuf),
}

impl Target {
    /// The one that was named. Without a name: the server at the usual address where one answers,
    /// else the usual directory. A directory that a server has open is asked through that server.
    pub(crate) fn find(arguments: &TargetArguments) -> Result<Self, Failure> {
        match (&arguments.url, &arguments.data_dir) {
            (Some(url), _) => Ok(Self::Server(server(Some(url))?)),
            (None, Some(path)) => Self::of_directory(path),
            (None, None) => {
                let path = Path::new(DATA_DIR_DEFAULT);
                match server(None) {
                    Ok(server) => Ok(Self::Server(server)),
                    Err(_) if path.is_dir() => Self::of_directory(path),
                    Err(failure) => Err(failure),
                }
            }
        }
    }

    fn of_directory(path: &Path) -> Result<Self, Failure> {
        match Store::holder(&RealDisk, path) {
            None => Ok(Self::Directory(path.to_owned())),
            Some(holder) => match &holder.http {
                Some(address) => Ok(Self::Server(Client::new(address))),
                None => {
                    let what = format!("{} is in use by {holder}", path.display());
                    Err(Failure::new(what).hint("wait until it has finished"))
                }
            },
        }
    }
}

/// The server to ask, once it has said that it is one.
pub(crate) fn server(url: Option<&str>) -> Result<Client, Failure> {
    let client = Client::new(url.unwrap_or(URL_DEFAULT));
    client.greet()?;
    Ok(client)
}

/// Opens a directory for reading.
pub(crate) fn open_read_only(path: &Path) -> Result<Store, Failure> {
    Ok(Store::open_read_only(
        Options::new(path),
        Arc::new(RealDisk),
        Arc::new(SystemClock),
    )?)
}

/// Opens a directory for writing.
pub(crate) fn open(path: &Path) -> Result<Store, Failure> {
    Ok(Store::open(
        Options::new(path),
        Arc::new(RealDisk),
        Arc::new(SystemClock),
    )?)
}
