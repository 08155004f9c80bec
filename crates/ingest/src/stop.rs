//! The word to the tasks of a listener that it is time to end.

use tokio::sync::watch;

/// Gives the word. Dropping it gives it too.
#[derive(Debug)]
pub(crate) struct Stopper(watch::Sender<bool>);

/// Waits for the word.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<bool>);

pub(crate) fn stopper() -> (Stopper, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Stopper(sender), Stop(receiver))
}

impl Stopper {
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether it has been given.
    pub(crate) fn is_given(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Returns when it is given. Can be dropped and called again.
    pub(crate) async fn given(&mut self) {
        // An error says that the stopper is gone, which is the same.
        _ = self.0.wait_for(|is_given| *is_given).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_word_is_given_once_for_all() {
        let (stopper, mut stop) = stopper();
        assert!(!stop.is_given());
        let mut other = stop.clone();
        stopper.stop();
        stop.given().await;
        other.given().await;
        other.given().await;
        assert!(stop.is_given() && other.is_given());
    }

    #[tokio::test]
    async fn a_lost_stopper_is_the_word() {
        let (stopper, mut stop) = stopper();
        drop(stopper);
        stop.given().await;
        assert!(stop.is_given());
    }
}
