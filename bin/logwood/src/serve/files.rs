//! File descriptors: how many there may be, and whose they are.

use config::Config;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that no connection may take, however few there are: those of the journal, of
/// segments that are written, and of the process itself.
const RESERVE_MIN: usize = 64;

/// Each connection and each segment takes a file descriptor; the soft limit is often 1,024.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
}

/// Bounds the connections so that they leave descriptors for the store.
pub(super) fn share(config: &mut Config) {
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return;
    };
    let shares = shares(usize::try_from(limit).unwrap_or(usize::MAX));
    config.ingest.connections_max = shares.senders;
    config.clients.connections_max = config.clients.connections_max.min(shares.clients);
}

/// Descriptors for connections.
#[derive(Debug, PartialEq, Eq)]
struct Shares {
    clients: usize,
    senders: usize,
}

/// A quarter is the store's, another that of clients of the page and the API, and senders have the
/// rest.
fn shares(limit: usize) -> Shares {
    let quarter = limit / 4;
    let rest = limit.saturating_sub(quarter.max(RESERVE_MIN));
    let clients = quarter.min(rest / 2).max(1);
    Shares {
        clients,
        senders: rest.saturating_sub(clients).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_store() {
        let few = shares(256);
        assert_eq!((few.clients, few.senders), (64, 128));
        let fewest = shares(64);
        assert_eq!((fewest.clients, fewest.senders), (1, 1));
        for limit in [100, 1_024, 1 << 20, usize::MAX] {
            let Shares { clients, senders } = shares(limit);
            assert!(
                clients + senders + RESERVE_MIN.min(limit) <= limit.max(66),
                "{limit}"
            );
        }
    }
}
