//! Addresses to listen on, as people write them: `127.0.0.1:8514`, `localhost:8514`, `8514`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};

/// Reads an address. A port alone is one of this machine; of a name the first address counts, one of
/// IPv4 before one of IPv6.
pub(crate) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let plain = text.split_once("://").map_or(text, |(_, rest)| rest);
    let plain = plain.trim_end_matches('/');
    if plain.len() < text.len() {
        return Err(format!("this is no URL: write {plain}"));
    }
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<IpAddr>() {
        let example = SocketAddr::new(address, 8514);
        return Err(format!("the port is missing: write {example}, for example"));
    }
    let Some((name, port)) = text.rsplit_once(':') else {
        return Err("write an address and a port, such as 127.0.0.1:8514".to_owned());
    };
    let Ok(number) = port.parse::<u16>() else {
        return Err(format!(
            "{port:?} is no port: it is a number from 0 to 65535"
        ));
    };
    if name.is_empty() || name == "*" {
        return Err(format!(
            "write 0.0.0.0:{port} for all addresses of this machine, or 127.0.0.1:{port} for itself"
        ));
    }
    let found = (name, number).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map_err(|error| error.to_string())?.collect();
    let first = found
        .iter()
        .find(|address| address.is_ipv4())
        .or(found.first());
    first
        .copied()
        .ok_or_else(|| format!("{name:?} has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        for (text, address) in [
            ("127.0.0.1:8514", "127.0.0.1:8514"),
            ("8514", "127.0.0.1:8514"),
            ("0", "127.0.0.1:0"),
            ("localhost:8514", "127.0.0.1:8514"),
            ("[::]:514", "[::]:514"),
        ] {
            let read = listen_address(text).map(|address| address.to_string());
            assert_eq!(read, Ok(address.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_none_comes_with_what_to_write() {
        for (text, hint) in [
            ("0.0.0.0", "write 0.0.0.0:8514"),
            ("::1", "write [::1]:8514"),
            (":8514", "write 0.0.0.0:8514 for all"),
            ("*:514", "write 0.0.0.0:514 for all"),
            ("http://127.0.0.1:8514/", "write 127.0.0.1:8514"),
            ("127.0.0.1:x", "is no port"),
            ("nonsense", "such as 127.0.0.1:8514"),
        ] {
            let error = listen_address(text).expect_err(text);
            assert!(error.contains(hint), "{text}: {error}");
        }
    }
}
