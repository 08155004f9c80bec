//! How often actions are done: a bucket of credits for each action and scope.

use std::collections::HashMap;

use super::context::Key;
use crate::limits::RATES_MAX;
use crate::rule::Rate;

/// The buckets of all actions.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    buckets: HashMap<Key, Bucket>,
}

#[derive(Clone, Debug)]
struct Bucket {
    /// When credits were added last.
    checked: i64,
    credits: u64,
    rate: Rate,
}

impl Rates {
    /// Takes a credit of the bucket of that key; whether there was one.
    pub(super) fn take(&mut self, key: Key, rate: Rate, now: i64) -> bool {
        if self.buckets.len() >= RATES_MAX && !self.buckets.contains_key(&key) {
            // A bucket that is full again is as good as none.
            self.buckets
                .retain(|_, bucket| now - bucket.checked < i64::from(bucket.rate.seconds));
            if self.buckets.len() >= RATES_MAX {
                return false;
            }
        }
        let bucket = self.buckets.entry(key).or_insert(Bucket {
            checked: now,
            credits: rate.count.into(),
            rate,
        });
        // In fractions of 1/256, rounded as syslog-ng rounds them.
        let elapsed = u64::try_from(now.saturating_sub(bucket.checked)).unwrap_or(0);
        let step = ((u64::from(rate.seconds) << 8) / u64::from(rate.count.max(1))).max(1);
        let new = elapsed.saturating_mul(256) / step;
        if new > 0 {
            bucket.credits = bucket.credits.saturating_add(new).min(rate.count.into());
            bucket.checked = now;
        }
        let has = bucket.credits > 0;
        bucket.credits = bucket.credits.saturating_sub(1);
        has
    }
}
