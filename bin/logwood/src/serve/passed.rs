//! Sockets that systemd has opened for us, as sd_listen_fds(3) describes it.

use std::env;

use ingest::PassedSocket;

use crate::failure::Failure;

/// Most sockets that are taken over; more are a mistake.
const PASSED_MAX: usize = 256;

/// Takes over the sockets that were passed to this process, if any. To be called before anything
/// is opened.
pub(super) fn take() -> Result<Vec<PassedSocket>, Failure> {
    let variable = |name| env::var(name).ok();
    // Those of another process: ours has inherited the variables but not the sockets.
    if variable("LISTEN_PID").as_deref() != Some(&std::process::id().to_string()) {
        return Ok(Vec::new());
    }
    let count = variable("LISTEN_FDS").unwrap_or_default();
    let names = variable("LISTEN_FDNAMES").unwrap_or_default();
    let names = names_of(&count, &names).map_err(|reason| {
        Failure::new("cannot take over the sockets that were passed")
            .because(reason)
            .hint("these variables are for systemd to set; see the guide to socket activation")
    })?;
    PassedSocket::take_all(&names).map_err(|error| {
        Failure::new("cannot take over the sockets that were passed").because(error)
    })
}

/// A name for each socket.
fn names_of(count: &str, names: &str) -> Result<Vec<String>, String> {
    let count: usize = count
        .parse()
        .ok()
        .filter(|count| *count <= PASSED_MAX)
        .ok_or_else(|| format!("LISTEN_FDS={count} is no number up to {PASSED_MAX}"))?;
    let names: Vec<String> = names
        .split(':')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    if names.len() != count {
        let given = names.len();
        return Err(format!(
            "there are {count} sockets and {given} names in LISTEN_FDNAMES"
        ));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_socket_needs_a_name() {
        assert_eq!(names_of("0", ""), Ok(Vec::new()));
        let two = vec!["udp".to_owned(), "log".to_owned()];
        assert_eq!(names_of("2", "udp:log"), Ok(two));
        for (count, names) in [("2", "udp"), ("", ""), ("-1", ""), ("100000", "a")] {
            assert!(names_of(count, names).is_err(), "{count} {names}");
        }
    }
}
