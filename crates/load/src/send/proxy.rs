//! The header of the PROXY protocol, by which a proxy tells whom it speaks for.
//!
//! It stands before everything else on a connection, the TLS handshake too. The client that it
//! names is made up, another for each connection, from the networks that RFC 5737 and RFC 3849
//! keep for documents, and of the family of the connection itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which version of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// A line of text.
    V1,
    /// Binary.
    V2,
}

/// Which addresses a header has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Ipv4,
    Ipv6,
}

/// What version 2 begins with, up to version and command (`PROXY`).
const V2_HEAD: &[u8; 13] = b"\r\n\r\n\0\r\nQUIT\n\x21";

const DESTINATION_PORT: u16 = 514;

/// Appends the header of a connection.
pub(super) fn write(header: ProxyHeader, family: Family, connection: u32, out: &mut Vec<u8>) {
    let (source, destination) = addresses(family, connection);
    let source_port = source_port(connection);
    match header {
        ProxyHeader::V1 => {
            let name = match family {
                Family::Ipv4 => "TCP4",
                Family::Ipv6 => "TCP6",
            };
            let line =
                format!("PROXY {name} {source} {destination} {source_port} {DESTINATION_PORT}\r\n");
            out.extend_from_slice(line.as_bytes());
        }
        ProxyHeader::V2 => {
            out.extend_from_slice(V2_HEAD);
            // The family, stream, and the length of what follows.
            out.extend_from_slice(match family {
                Family::Ipv4 => b"\x11\0\x0c",
                Family::Ipv6 => b"\x21\0\x24",
            });
            push(source, out);
            push(destination, out);
            out.extend_from_slice(&source_port.to_be_bytes());
            out.extend_from_slice(&DESTINATION_PORT.to_be_bytes());
        }
    }
}

/// Source and destination: 192.0.2.1 to .254, or as many addresses as there are connections.
fn addresses(family: Family, connection: u32) -> (IpAddr, IpAddr) {
    match family {
        Family::Ipv4 => (
            Ipv4Addr::new(192, 0, 2, (connection % 254) as u8 + 1).into(),
            Ipv4Addr::new(198, 51, 100, 1).into(),
        ),
        Family::Ipv6 => {
            let network = u128::from(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0));
            (
                Ipv6Addr::from(network + 1 + u128::from(connection)).into(),
                Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 1).into(),
            )
        }
    }
}

/// A port that makes address and port another pair for each connection.
fn source_port(connection: u32) -> u16 {
    let [.., high, low] = connection.to_be_bytes();
    10_000 + u16::from_be_bytes([high, low]) % 50_000
}

fn push(address: IpAddr, out: &mut Vec<u8>) {
    match address {
        IpAddr::V4(address) => out.extend_from_slice(&address.octets()),
        IpAddr::V6(address) => out.extend_from_slice(&address.octets()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_those_of_the_specification() {
        let written = |header, family| {
            let mut out = Vec::new();
            write(header, family, 2, &mut out);
            out
        };
        let line = b"PROXY TCP4 192.0.2.3 198.51.100.1 10002 514\r\n";
        assert_eq!(written(ProxyHeader::V1, Family::Ipv4), line);
        let line = b"PROXY TCP6 2001:db8::3 2001:db8:1::1 10002 514\r\n";
        assert_eq!(written(ProxyHeader::V1, Family::Ipv6), line);
        let head = b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a\x21";
        let expected = [
            &head[..],
            b"\x11\x00\x0c",
            b"\xc0\x00\x02\x03\xc6\x33\x64\x01\x27\x12\x02\x02",
        ];
        assert_eq!(written(ProxyHeader::V2, Family::Ipv4), expected.concat());
        let expected = [
            &head[..],
            b"\x21\x00\x24",
            b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x03",
            b"\x20\x01\x0d\xb8\0\x01\0\0\0\0\0\0\0\0\0\x01",
            b"\x27\x12\x02\x02",
        ];
        assert_eq!(written(ProxyHeader::V2, Family::Ipv6), expected.concat());
    }
}
