//! A network by address and length of its prefix.

use std::net::IpAddr;

/// A network, of IPv4 addresses in their form within IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    start: u128,
    mask: u128,
}

impl Network {
    /// Reads `192.0.2.0/24`, `192.0.2.0/255.255.255.0`, `2001:db8::/32` or an address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/').unwrap_or((text, ""));
        let address: IpAddr = address.parse().ok()?;
        let bits_max: u32 = if address.is_ipv4() { 32 } else { 128 };
        let bits = match length {
            "" => bits_max,
            length => length.parse().ok().or_else(|| mask_bits(length))?,
        };
        let host_bits = bits_max.checked_sub(bits)?;
        let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
        Some(Self {
            start: number(address) & mask,
            mask,
        })
    }

    pub(crate) fn contains(self, address: IpAddr) -> bool {
        number(address) & self.mask == self.start
    }
}

/// The length of a mask such as `255.255.0.0`.
fn mask_bits(text: &str) -> Option<u32> {
    let mask: std::net::Ipv4Addr = text.parse().ok()?;
    let bits = mask.to_bits();
    (bits.leading_ones() + bits.trailing_zeros() >= 32).then_some(bits.leading_ones())
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        for (network, address, is_inside) in [
            ("192.0.2.0/24", "192.0.2.7", true),
            ("192.0.2.0/24", "192.0.3.7", false),
            ("192.0.2.0/255.255.255.0", "192.0.2.255", true),
            ("0.0.0.0/0", "192.0.2.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("192.0.2.7", "::ffff:192.0.2.7", true),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
        ] {
            let parsed = Network::parse(network).expect(network);
            let address: IpAddr = address.parse().expect(address);
            assert_eq!(parsed.contains(address), is_inside, "{network} {address}");
        }
        for bad in ["", "x", "192.0.2.0/33", "192.0.2.0/255.0.255.0", "::/129"] {
            assert_eq!(Network::parse(bad), None, "{bad}");
        }
    }
}
