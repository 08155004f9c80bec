//! The header of the PROXY protocol, by which a proxy tells whom it speaks for.
//!
//! It stands before everything else on a connection, the TLS handshake too. The client that it
//! names is made up, another for each connection, from the networks that RFC 5737 keeps for
//! documents.

use syslog::write::decimal;

/// Which version of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// A line of text.
    V1,
    /// Binary.
    V2,
}

/// What version 2 begins with, up to version and command (`PROXY`), family (IPv4, stream) and the
/// length of what follows.
const V2_HEAD: &[u8; 16] = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c";

const DESTINATION: [u8; 4] = [198, 51, 100, 1];
const DESTINATION_PORT: u16 = 514;

/// Appends the header of a connection.
pub(super) fn write(header: ProxyHeader, connection: u32, out: &mut Vec<u8>) {
    let [.., high, low] = connection.to_be_bytes();
    // 192.0.2.1 to .254, and a port that makes the pair of both another one for each connection.
    let source = [192, 0, 2, (connection % 254) as u8 + 1];
    let source_port = 10_000 + u16::from_be_bytes([high, low]) % 50_000;
    match header {
        ProxyHeader::V1 => {
            out.extend_from_slice(b"PROXY TCP4 ");
            address(source, out);
            address(DESTINATION, out);
            decimal(u64::from(source_port), out);
            out.push(b' ');
            decimal(u64::from(DESTINATION_PORT), out);
            out.extend_from_slice(b"\r\n");
        }
        ProxyHeader::V2 => {
            out.extend_from_slice(V2_HEAD);
            out.extend_from_slice(&source);
            out.extend_from_slice(&DESTINATION);
            out.extend_from_slice(&source_port.to_be_bytes());
            out.extend_from_slice(&DESTINATION_PORT.to_be_bytes());
        }
    }
}

/// Appends an address and a space.
fn address(octets: [u8; 4], out: &mut Vec<u8>) {
    for (index, octet) in octets.into_iter().enumerate() {
        decimal(u64::from(octet), out);
        out.push(if index < 3 { b'.' } else { b' ' });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_those_of_the_specification() {
        let mut out = Vec::new();
        write(ProxyHeader::V1, 2, &mut out);
        assert_eq!(out, b"PROXY TCP4 192.0.2.3 198.51.100.1 10002 514\r\n");
        out.clear();
        write(ProxyHeader::V2, 2, &mut out);
        let head = b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a\x21\x11\x00\x0c";
        let expected = [
            &head[..],
            b"\xc0\x00\x02\x03\xc6\x33\x64\x01\x27\x12\x02\x02",
        ];
        assert_eq!(out, expected.concat());
    }
}
