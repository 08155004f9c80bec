//! The order to end, in two steps: after the batch in flight, and at once.

use std::time::Duration;

use tokio::sync::watch;

/// How urgent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    /// Go on.
    No,
    /// Finish what is being delivered, and try nothing again.
    Soon,
    /// Leave what is being delivered.
    Now,
}

/// Gives the order.
#[derive(Clone, Debug)]
pub(crate) struct StopSender(watch::Sender<Stop>);

/// Obeys it.
#[derive(Clone, Debug)]
pub(crate) struct StopReceiver(watch::Receiver<Stop>);

/// Both ends.
pub(crate) fn stop() -> (StopSender, StopReceiver) {
    let (sender, receiver) = watch::channel(Stop::No);
    (StopSender(sender), StopReceiver(receiver))
}

impl StopSender {
    pub(crate) fn set(&self, stop: Stop) {
        self.0
            .send_if_modified(|now| std::mem::replace(now, stop.max(*now)) < stop);
    }
}

impl StopReceiver {
    pub(crate) fn now(&self) -> Stop {
        *self.0.borrow()
    }

    /// Waits until it is as urgent as that.
    pub(crate) async fn wait_for(&mut self, urgency: Stop) {
        // Without a sender nobody waits for anything any more.
        _ = self.0.wait_for(|now| *now >= urgency).await;
    }

    /// Waits for some time; whether nobody has stopped it meanwhile.
    pub(crate) async fn pause(&mut self, wait: Duration) -> bool {
        tokio::select! {
            () = self.wait_for(Stop::Soon) => false,
            () = tokio::time::sleep(wait) => true,
        }
    }
}
