//! Room for the sockets of a run.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Error;

/// Lets this process open so many files.
pub(super) fn raise(wanted: u64) -> Result<(), Error> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    // Only root may have more than the maximum; for others the kernel says no.
    let maximum = limit.maximum.map(|maximum| maximum.max(wanted));
    let raised = Rlimit {
        current: Some(wanted),
        maximum,
    };
    setrlimit(Resource::Nofile, raised).map_err(|_| Error::OpenFiles { wanted })
}
