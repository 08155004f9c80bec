//! Which peers may send to a source, and which of them speak for others.

use std::net::IpAddr;

use query::Network;

/// The host lists of a source. They can change while it listens, and then hold for connections
/// that are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostLists {
    /// Only these may send; everybody where there is none.
    pub allow: Vec<Network>,
    /// These may not, whatever `allow` says.
    pub deny: Vec<Network>,
    /// These are proxies: each of their connections starts with a PROXY header, which says who
    /// sends. Whether that one may is then what counts. Not for UDP.
    pub proxies: Vec<Network>,
}

impl HostLists {
    /// Whether a peer may send.
    pub fn admits(&self, peer: IpAddr) -> bool {
        let is_in = |networks: &[Network]| networks.iter().any(|network| network.contains(peer));
        !is_in(&self.deny) && (self.allow.is_empty() || is_in(&self.allow))
    }

    /// Whether a peer is a proxy.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allow: &[&str], deny: &[&str], peer: &str, expected: bool) {
        let networks = |texts: &[&str]| {
            let networks = texts.iter().map(|text| Network::parse(text));
            networks.collect::<Option<Vec<_>>>().expect("networks")
        };
        let lists = HostLists {
            allow: networks(allow),
            deny: networks(deny),
            proxies: Vec::new(),
        };
        let peer = peer.parse().expect("an address");
        assert_eq!(lists.admits(peer), expected, "{peer} by {lists:?}");
    }

    #[test]
    fn who_is_denied_may_not_even_if_allowed() {
        check(&[], &[], "192.0.2.1", true);
        check(&["192.0.2.0/24"], &[], "192.0.2.1", true);
        check(&["192.0.2.0/24"], &[], "192.0.3.1", false);
        check(&["192.0.2.0/24"], &[], "2001:db8::1", false);
        check(&["192.0.2.0/24", "::/0"], &[], "2001:db8::1", true);
        check(&[], &["192.0.2.0/24"], "192.0.2.1", false);
        check(&[], &["192.0.2.0/24"], "192.0.3.1", true);
        check(&["192.0.2.0/24"], &["192.0.2.7/32"], "192.0.2.7", false);
        check(&["192.0.2.0/24"], &["192.0.2.7/32"], "192.0.2.8", true);
    }
}
