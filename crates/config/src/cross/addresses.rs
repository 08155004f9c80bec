//! Two listeners on the same address and port, or one on all addresses and one on a single one.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

use crate::document::{Document, Section};
use crate::finding::Findings;
use crate::value::Value;

/// Reports each listener whose address an earlier one has taken.
pub(super) fn addresses(document: &Document, findings: &mut Findings<'_>) {
    let listeners: Vec<_> = document.sections.iter().filter_map(listener).collect();
    let mut taken: HashMap<(&str, u16), Taken> = HashMap::new();
    for (index, late) in listeners.iter().enumerate() {
        let port = late.address.port();
        if port == 0 {
            // A free one each time.
            continue;
        }
        let taken = taken.entry((late.transport, port)).or_default();
        let early = taken.by(late.address.ip(), late.transport == "tcp");
        if let Some(early) = early.and_then(|early| listeners.get(early)) {
            findings.error(
                late.span.clone(),
                format!(
                    "{} of `{}` is taken by `{}`",
                    late.address,
                    late.section.path(),
                    early.section.path()
                ),
                Some(format!(
                    "`{}` listens on {}/{}: give one of them another port",
                    early.section.path(),
                    early.address,
                    early.transport
                )),
            );
        }
        taken.add(late.address.ip(), index);
    }
}

struct Listener<'a> {
    section: &'a Section,
    transport: &'static str,
    address: SocketAddr,
    span: Option<Range<usize>>,
}

fn listener(section: &Section) -> Option<Listener<'_>> {
    let entry = section.entry("listen")?;
    let Value::Address(address) = entry.value else {
        return None;
    };
    let transport = if section.kind() == "udp" {
        "udp"
    } else {
        "tcp"
    };
    Some(Listener {
        section,
        transport,
        address,
        span: entry.span.clone().or_else(|| section.name_span()),
    })
}

/// The addresses that are taken at a port, each by the first listener that has it.
#[derive(Default)]
struct Taken {
    by_address: HashMap<IpAddr, usize>,
    /// The first listener on any address, and on any of IPv4.
    any: Option<usize>,
    any_of_v4: Option<usize>,
    /// The first listener on all addresses, and on all of IPv4.
    all: Option<usize>,
    all_of_v4: Option<usize>,
}

impl Taken {
    /// The first listener that has taken an address. `[::]` takes IPv4 along. Over UDP the kernel
    /// gives a datagram to the socket with the nearer address, so only equal ones clash.
    fn by(&self, address: IpAddr, is_tcp: bool) -> Option<usize> {
        let equal = self.by_address.get(&address).copied();
        if !is_tcp {
            return equal;
        }
        let within = match (address, address.is_unspecified()) {
            (IpAddr::V6(_), true) => self.any,
            (IpAddr::V4(_), true) => self.any_of_v4,
            (IpAddr::V4(_), false) => self.all_of_v4,
            (IpAddr::V6(_), false) => None,
        };
        [equal, within, self.all].into_iter().flatten().min()
    }

    fn add(&mut self, address: IpAddr, index: usize) {
        self.by_address.entry(address).or_insert(index);
        self.any.get_or_insert(index);
        if address.is_ipv4() {
            self.any_of_v4.get_or_insert(index);
        }
        match (address, address.is_unspecified()) {
            (IpAddr::V4(_), true) => _ = self.all_of_v4.get_or_insert(index),
            (IpAddr::V6(_), true) => _ = self.all.get_or_insert(index),
            (_, false) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two listeners at one port are in each other's way, said pair by pair.
    fn clash(one: IpAddr, two: IpAddr, is_tcp: bool) -> bool {
        let covers =
            |one: IpAddr, two: IpAddr| one.is_unspecified() && (one.is_ipv6() || two.is_ipv4());
        one == two || (is_tcp && (covers(one, two) || covers(two, one)))
    }

    #[test]
    fn the_first_of_all_that_clash_is_named() {
        let all: Vec<IpAddr> = ["0.0.0.0", "::", "127.0.0.1", "127.0.0.2", "::1", "::2"]
            .into_iter()
            .map(|text| text.parse().expect("an address"))
            .collect();
        // Every order of five of them, some twice.
        let count = all.len();
        for number in 0..count.pow(5) {
            let order: Vec<_> = (0..5)
                .map(|at| all[number / count.pow(at) % count])
                .collect();
            for is_tcp in [true, false] {
                let mut taken = Taken::default();
                for (index, late) in order.iter().enumerate() {
                    let earlier = order.iter().take(index);
                    let naive = earlier
                        .clone()
                        .position(|early| clash(*early, *late, is_tcp));
                    assert_eq!(taken.by(*late, is_tcp), naive, "{order:?} {index}");
                    taken.add(*late, index);
                }
            }
        }
    }
}
