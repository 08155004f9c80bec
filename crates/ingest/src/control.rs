//! What the tasks of a listener are told while they run: that it is time to end, and who may send.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::watch;

use crate::hosts::HostLists;

/// Tells the tasks. Dropping it tells them to end.
#[derive(Debug)]
pub(crate) struct Controller(watch::Sender<Word>);

/// Where a task hears it.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    word: watch::Receiver<Word>,
    /// The sender that the task serves, where the host lists count for it.
    peer: Option<IpAddr>,
}

/// Why a task must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The listener ends: what has arrived is to be taken.
    Stop,
    /// The peer may no longer send: nothing more is to be taken.
    Deny,
}

#[derive(Debug)]
struct Word {
    is_stop: bool,
    hosts: Arc<HostLists>,
}

pub(crate) fn control(hosts: HostLists) -> (Controller, Control) {
    let hosts = Arc::new(hosts);
    let is_stop = false;
    let (sender, word) = watch::channel(Word { is_stop, hosts });
    (Controller(sender), Control { word, peer: None })
}

impl Controller {
    pub(crate) fn stop(&self) {
        self.0.send_modify(|word| word.is_stop = true);
    }

    /// Takes other host lists, for what is open too.
    pub(crate) fn set_hosts(&self, hosts: &HostLists) {
        self.0.send_if_modified(|word| {
            let is_new = *word.hosts != *hosts;
            if is_new {
                word.hosts = Arc::new(hosts.clone());
            }
            is_new
        });
    }
}

impl Control {
    /// The same for a task that serves one sender, so that it hears when that one is denied.
    pub(crate) fn for_peer(mut self, peer: IpAddr) -> Self {
        self.peer = Some(peer);
        self
    }

    /// Who may send now.
    pub(crate) fn hosts(&self) -> Arc<HostLists> {
        Arc::clone(&self.word.borrow().hosts)
    }

    /// Whether the word to stop has been given.
    pub(crate) fn is_stopped(&self) -> bool {
        self.word.borrow().is_stop || self.word.has_changed().is_err()
    }

    /// Whether the sender that the task serves may no longer send.
    pub(crate) fn is_denied(&self) -> bool {
        let word = self.word.borrow();
        self.peer.is_some_and(|peer| !word.hosts.admits(peer))
    }

    /// Returns when the task must not go on. Can be dropped and called again.
    pub(crate) async fn order(&mut self) -> Order {
        let peer = self.peer;
        let is_denied = |word: &Word| peer.is_some_and(|peer| !word.hosts.admits(peer));
        let must_end = |word: &Word| word.is_stop || is_denied(word);
        match self.word.wait_for(must_end).await {
            Ok(word) if is_denied(&word) => Order::Deny,
            // An error says that the controller is gone, which is the same as a stop.
            Ok(_) | Err(_) => Order::Stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use query::Network;

    use super::*;

    #[tokio::test]
    async fn the_word_to_stop_is_given_once_for_all() {
        let (controller, mut control) = control(HostLists::default());
        assert!(!control.is_stopped());
        let mut other = control.clone();
        controller.stop();
        for _ in 0..2 {
            assert_eq!(control.order().await, Order::Stop);
            assert_eq!(other.order().await, Order::Stop);
        }
        assert!(control.is_stopped() && other.is_stopped());
    }

    #[tokio::test]
    async fn a_lost_controller_is_the_word_to_stop() {
        let (controller, mut control) = control(HostLists::default());
        drop(controller);
        assert_eq!(control.order().await, Order::Stop);
        assert!(control.is_stopped());
    }

    #[tokio::test]
    async fn a_peer_that_is_denied_later_hears_it() {
        let peer = IpAddr::from([192, 0, 2, 1]);
        let (controller, control) = control(HostLists::default());
        let mut of_peer = control.clone().for_peer(peer);
        let mut of_other = control.clone().for_peer([192, 0, 2, 2].into());
        let deny = vec![Network::host(peer)];
        controller.set_hosts(&HostLists {
            deny,
            ..HostLists::default()
        });
        assert_eq!(of_peer.order().await, Order::Deny);
        assert!(!control.hosts().admits(peer));
        controller.stop();
        assert_eq!(of_other.order().await, Order::Stop);
        assert_eq!(of_peer.order().await, Order::Deny);
    }
}
