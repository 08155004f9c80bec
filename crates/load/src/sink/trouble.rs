//! Slowness and refusals on request.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::sink::account::Account;
use crate::sink::options::SinkOptions;

/// Holds readers up as the options say.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    account: Arc<Account>,
    delay: Duration,
    refuse_for: Duration,
    bytes_per_second: Option<u64>,
    /// When the bytes read so far are paid for; one schedule for all connections.
    paid: Arc<Mutex<Instant>>,
}

impl Trouble {
    pub(crate) fn new(options: &SinkOptions, account: &Arc<Account>) -> Self {
        Self {
            account: Arc::clone(account),
            delay: options.delay,
            refuse_for: options.refuse_for,
            bytes_per_second: options.bytes_per_second,
            paid: Arc::new(Mutex::new(Instant::now())),
        }
    }

    /// Whether connections and requests are refused now.
    pub(crate) fn refuses(&self) -> bool {
        self.account.age() < self.refuse_for
    }

    /// Waits as long as so many bytes should take.
    pub(crate) async fn hold_up(&self, bytes: usize) {
        if let Some(per_second) = self.bytes_per_second {
            let seconds = bytes as f64 / per_second.max(1) as f64;
            let until = {
                let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
                *paid = (*paid).max(Instant::now()) + Duration::from_secs_f64(seconds);
                *paid
            };
            sleep_until(until).await;
        }
        if !self.delay.is_zero() {
            sleep(self.delay).await;
        }
    }
}
