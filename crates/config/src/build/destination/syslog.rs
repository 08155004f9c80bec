//! Other syslog servers.

use outputs::kinds::{Framing, Spread, Syslog, Target, Transport};

use super::{rendering, tls};
use crate::build::Values;

pub(super) fn syslog(values: &Values<'_>) -> Option<Syslog> {
    let transport = match values.text("transport") {
        "udp" => Transport::Udp,
        "tls" => Transport::Tls,
        "relp" => Transport::Relp,
        _ => Transport::Tcp,
    };
    let is_encrypted = match transport {
        Transport::Tls => true,
        Transport::Relp => values.bool("tls"),
        _ => false,
    };
    let targets = values.texts("target").into_iter();
    Some(Syslog {
        targets: targets.filter_map(|text| Target::parse(&text)).collect(),
        spread: match values.text("spread") {
            "balance" => Spread::Balance,
            _ => Spread::Failover,
        },
        transport,
        tls: is_encrypted.then(|| tls(values)),
        rendering: rendering(values)?,
        framing: match (values.text("framing"), transport) {
            ("octets", _) | ("auto", Transport::Tls) => Framing::Octets,
            _ => Framing::Lines,
        },
        connect_timeout: values.duration("connect_timeout").unwrap_or_default(),
        timeout: values.duration("timeout").unwrap_or_default(),
    })
}
