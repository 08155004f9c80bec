//! How long to wait before trying again.

use std::time::Duration;

use crate::options::Retry;

/// The waits of one worker, one longer than the other until something works.
#[derive(Debug)]
pub(crate) struct Backoff {
    retry: Retry,
    next: Duration,
}

impl Backoff {
    pub(crate) fn new(retry: Retry) -> Self {
        Self {
            retry,
            next: retry.min,
        }
    }

    /// It works again.
    pub(crate) fn reset(&mut self) {
        self.next = self.retry.min;
    }

    /// The next wait: between half and all of what it may be, and not less than the other side asks for.
    pub(crate) fn next(&mut self, asked: Option<Duration>) -> Duration {
        let whole = self.next.min(self.retry.max);
        self.next = whole.saturating_mul(2).min(self.retry.max);
        let wait = whole.mul_f64(0.5 + random() / 2.0);
        wait.max(asked.unwrap_or_default().min(self.retry.max.max(wait)))
    }
}

/// A number from 0 to 1, which is not. Where the system has none, the middle will do.
fn random() -> f64 {
    let mut bytes = [0; 4];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(4) => f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0),
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_longest_and_begin_anew() {
        let retry = Retry {
            min: Duration::from_secs(1),
            max: Duration::from_secs(10),
        };
        let mut backoff = Backoff::new(retry);
        for whole in [1, 2, 4, 8, 10, 10] {
            let wait = backoff.next(None);
            let whole = Duration::from_secs(whole);
            assert!(wait >= whole / 2 && wait <= whole, "{wait:?} of {whole:?}");
        }
        backoff.reset();
        assert!(backoff.next(None) <= Duration::from_secs(1));
        assert!(backoff.next(Some(Duration::from_secs(7))) >= Duration::from_secs(7));
        assert!(backoff.next(Some(Duration::from_secs(700))) <= Duration::from_secs(10));
    }
}
