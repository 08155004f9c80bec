//! Who appears in the demo: hosts with their roles, users, clients from outside.
//!
//! All names are made up. Addresses are from 10.0.0.0/8 and from the ranges that RFC 5737 and
//! RFC 2544 set aside for documentation and benchmarks, so that no line accuses a real machine.

use crate::random::{Random, mix};

/// What a host does, which decides what it logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Web,
    Proxy,
    App,
    Database,
    Mail,
    Name,
    Dhcp,
    Firewall,
    Switch,
    Bastion,
    Worker,
    Windows,
    Vpn,
}

/// How a host writes syslog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// RFC 3164.
    Bsd,
    /// RFC 3164 with an ISO time stamp, as rsyslog forwards.
    Iso,
    /// RFC 5424.
    Ietf,
    /// Cisco ASA with `logging timestamp` and `logging device-id hostname`.
    Asa,
    /// Cisco IOS with sequence numbers and `logging origin-id`.
    Ios,
}

/// A machine that sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) style: Style,
}

const fn host(name: &'static str, role: Role, style: Style) -> Host {
    Host { name, role, style }
}

/// The hosts, the most talkative first. The one at place n sends 1/n of what the first one sends.
pub(crate) const HOSTS: [Host; 31] = [
    host("web-01", Role::Web, Style::Bsd),
    host("fw-01", Role::Firewall, Style::Asa),
    host("app-01", Role::App, Style::Ietf),
    host("lb-01", Role::Proxy, Style::Bsd),
    host("mx-01", Role::Mail, Style::Bsd),
    host("web-02", Role::Web, Style::Bsd),
    host("k8s-01", Role::Worker, Style::Ietf),
    host("db-01", Role::Database, Style::Ietf),
    host("ns-01", Role::Name, Style::Iso),
    host("app-02", Role::App, Style::Ietf),
    host("bastion-01", Role::Bastion, Style::Iso),
    host("dc-01", Role::Windows, Style::Ietf),
    host("web-03", Role::Web, Style::Bsd),
    host("dhcp-01", Role::Dhcp, Style::Bsd),
    host("sw-core-01", Role::Switch, Style::Ios),
    host("app-03", Role::App, Style::Ietf),
    host("k8s-02", Role::Worker, Style::Ietf),
    host("vpn-01", Role::Vpn, Style::Bsd),
    host("db-02", Role::Database, Style::Ietf),
    host("fw-02", Role::Firewall, Style::Asa),
    host("lb-02", Role::Proxy, Style::Bsd),
    host("ns-02", Role::Name, Style::Iso),
    host("mx-02", Role::Mail, Style::Bsd),
    host("web-04", Role::Web, Style::Bsd),
    host("k8s-03", Role::Worker, Style::Ietf),
    host("sw-access-01", Role::Switch, Style::Ios),
    host("app-04", Role::App, Style::Ietf),
    host("sw-access-02", Role::Switch, Style::Ios),
    host("web-05", Role::Web, Style::Bsd),
    host("db-03", Role::Database, Style::Ietf),
    host("app-05", Role::App, Style::Ietf),
];

/// People and accounts.
pub(crate) const USERS: [&str; 16] = [
    "anna", "bela", "deploy", "peter", "judit", "gabor", "zsofia", "mark", "eszter", "laszlo",
    "balazs", "backup", "ansible", "monitor", "kata", "daniel",
];

/// Names that those try who do not know any.
pub(crate) const GUESSED_USERS: [&str; 12] = [
    "root", "admin", "test", "oracle", "postgres", "ubuntu", "git", "user", "ftp", "pi", "guest",
    "nagios",
];

/// Draws a host; see [`HOSTS`].
pub(crate) fn draw_host(random: &mut Random) -> &'static Host {
    let weights = HOSTS
        .iter()
        .enumerate()
        .map(|(place, _)| 10_000 / (place as u64 + 1));
    let total: u64 = weights.clone().sum();
    let mut at = random.below(total);
    for (host, weight) in HOSTS.iter().zip(weights) {
        if at < weight {
            return host;
        }
        at -= weight;
    }
    first_host()
}

/// Draws a host of a role, each as often.
pub(crate) fn draw_host_of(role: Role, random: &mut Random) -> &'static Host {
    let matching = HOSTS.iter().filter(|host| host.role == role);
    let index = usize::try_from(random.below(matching.clone().count() as u64)).unwrap_or(0);
    matching.into_iter().nth(index).unwrap_or_else(first_host)
}

fn first_host() -> &'static Host {
    const FIRST: Host = host("web-01", Role::Web, Style::Bsd);
    HOSTS.first().unwrap_or(&FIRST)
}

/// The address of a host inside.
pub(crate) fn address_of(host: &Host) -> String {
    let place = HOSTS
        .iter()
        .position(|known| known.name == host.name)
        .unwrap_or(0);
    format!("10.20.{}.{}", place / 8, 10 + place)
}

/// An address of a workstation inside.
pub(crate) fn inside_address(random: &mut Random) -> String {
    let client = mix(random.skewed(600));
    format!("10.30.{}.{}", client >> 8 & 15, 10 + (client & 127))
}

/// An address outside: some come all the time, most seldom.
pub(crate) fn outside_address(random: &mut Random) -> String {
    let client = mix(random.skewed(5_000) + 1);
    let last = client & 255;
    match client >> 8 & 7 {
        0 | 1 => format!("192.0.2.{last}"),
        2 | 3 => format!("198.51.100.{last}"),
        4 | 5 => format!("203.0.113.{last}"),
        _ => format!("198.18.{}.{last}", client >> 16 & 255),
    }
}

/// The number of a process that runs as long as its host: the same each time.
pub(crate) fn daemon_pid(host: &Host, program: &str) -> u64 {
    let names = host.name.bytes().chain(program.bytes());
    let seed = names.fold(0_u64, |hash, byte| mix(hash ^ u64::from(byte)));
    400 + seed % 3_600
}
