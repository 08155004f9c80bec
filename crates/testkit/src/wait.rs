//! Waiting for something to become true, with a limit.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

const POLL: Duration = Duration::from_millis(2);

/// Polls until the condition holds; an error naming `what` after `limit`.
pub fn wait_until(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) -> Result<()> {
    wait_for(what, limit, || Ok(condition().then_some(())))
}

/// Polls until there is a value. An error of the probe ends the wait; return `Ok(None)` for "not
/// yet".
pub fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut probe: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(value) = probe()? {
            return Ok(value);
        }
        if started.elapsed() > limit {
            bail!("waited {} s in vain until {what}", limit.as_secs());
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_polled_until_it_holds() {
        let mut calls = 0;
        let limit = Duration::from_secs(5);
        wait_until("it was asked thrice", limit, || {
            calls += 1;
            calls == 3
        })
        .unwrap();
        assert_eq!(calls, 3);
    }

    #[test]
    fn the_error_says_what_did_not_come() {
        let error = wait_until("pigs fly", Duration::ZERO, || false).unwrap_err();
        assert_eq!(error.to_string(), "waited 0 s in vain until pigs fly");
    }
}
