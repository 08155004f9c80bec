//! The network: BIND, ISC DHCP, Cisco ASA firewalls and IOS switches.

use crate::demo::cast::{inside_address, outside_address};
use crate::demo::scene::{
    CRIT, DAEMON, DEBUG, ERR, INFO, LOCAL4, LOCAL7, NOTICE, Scene, Voice, WARNING,
};
use crate::random::mix;

const ZONES: [&str; 8] = [
    "www.example.com",
    "api.example.com",
    "mx.example.org",
    "cdn.example.net",
    "update.vendor.test",
    "_ldap._tcp.corp.example.com",
    "time.example.net",
    "telemetry.vendor.test",
];

pub(crate) fn named(scene: &mut Scene<'_>) {
    let voice = scene.daemon("named", DAEMON);
    let (client, port) = (inside_address(scene.random), scene.port());
    let name = scene.random.pick(&ZONES);
    let kind = scene.random.pick(&["A", "A", "AAAA", "HTTPS", "PTR", "MX"]);
    let object = scene.random.hex(12);
    match scene.random.below(14) {
        0 => scene.say(
            voice,
            INFO,
            format!("client @0x7f{object} {client}#{port} ({name}): query (cache) '{name}/{kind}/IN' denied"),
        ),
        1 => {
            let server = outside_address(scene.random);
            scene.say(
                voice,
                NOTICE,
                format!("lame server resolving '{name}' (in '{name}'?): {server}#53"),
            );
        }
        2 => scene.say(
            voice,
            INFO,
            format!("zone corp.example.com/IN: sending notifies (serial 20261{})", port % 10_000),
        ),
        _ => scene.say(
            voice,
            INFO,
            format!(
                "client @0x7f{object} {client}#{port} ({name}): query: {name} IN {kind} +E(0)K (10.20.1.18)"
            ),
        ),
    }
}

pub(crate) fn dhcpd(scene: &mut Scene<'_>) {
    let voice = scene.daemon("dhcpd", DAEMON);
    let (hardware, address) = client(scene);
    let network = scene.random.pick(&["eth0", "eth0.30", "eth0.40"]);
    let name = format!(
        "pc-{}",
        mix(address.len() as u64 ^ scene.random.skewed(400)) % 900 + 100
    );
    if scene.random.once_in(3) {
        scene.say(
            voice,
            INFO,
            format!("DHCPDISCOVER from {hardware} ({name}) via {network}"),
        );
        scene.later(
            900,
            voice,
            INFO,
            format!("DHCPOFFER on {address} to {hardware} ({name}) via {network}"),
        );
    }
    scene.later(
        if scene.said.is_empty() { 0 } else { 910 },
        voice,
        INFO,
        format!("DHCPREQUEST for {address} from {hardware} ({name}) via {network}"),
    );
    scene.later(
        915,
        voice,
        INFO,
        format!("DHCPACK on {address} to {hardware} ({name}) via {network}"),
    );
}

/// The pool is empty.
pub(crate) fn dhcpd_exhausted(scene: &mut Scene<'_>) {
    let voice = scene.daemon("dhcpd", DAEMON);
    let (hardware, _) = client(scene);
    scene.say(
        voice,
        ERR,
        format!("DHCPDISCOVER from {hardware} via eth0.30: network 10.30.0.0/20: no free leases"),
    );
}

fn client(scene: &mut Scene<'_>) -> (String, String) {
    let number = mix(scene.random.skewed(600));
    let part = |shift: u64| number >> shift & 255;
    let hardware = format!("3c:52:82:{:02x}:{:02x}:{:02x}", part(0), part(8), part(16));
    (
        hardware,
        format!("10.30.{}.{}", part(8) & 15, 10 + (part(0) & 127)),
    )
}

pub(crate) fn asa(scene: &mut Scene<'_>) {
    let connection = scene.random.range(100_000_000, 999_999_999);
    let (outside, inside) = (outside_address(scene.random), inside_address(scene.random));
    let port = scene.random.pick(&[443, 443, 443, 80, 53, 25, 993, 123]);
    let (source, bytes) = (scene.port(), scene.random.skewed(9_000_000));
    match scene.random.below(10) {
        0..=3 => {
            let built = asa_voice(scene, "%ASA-6-302013");
            scene.say(
                built,
                INFO,
                format!(
                    "Built outbound TCP connection {connection} for outside:{outside}/{port} \
                     ({outside}/{port}) to inside:{inside}/{source} (192.0.2.1/{source})"
                ),
            );
            let torn_down = asa_voice(scene, "%ASA-6-302014");
            let seconds = scene.delay_ms(40_000) / 1_000;
            let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
            let reason = scene
                .random
                .pick(&["TCP FINs", "TCP Reset-I", "TCP Reset-O"]);
            scene.later(
                seconds * 1_000 + 150,
                torn_down,
                INFO,
                format!(
                    "Teardown TCP connection {connection} for outside:{outside}/{port} to \
                     inside:{inside}/{source} duration {hours}:{minutes:02}:{:02} bytes {bytes} {reason}",
                    seconds % 60
                ),
            );
        }
        4 | 5 => {
            let voice = asa_voice(scene, "%ASA-6-305011");
            scene.say(
                voice,
                INFO,
                format!(
                    "Built dynamic UDP translation from inside:{inside}/{source} to \
                     outside:192.0.2.1/{source}"
                ),
            );
        }
        6..=8 => asa_denied(scene, &outside),
        _ => {
            let voice = asa_voice(scene, "%ASA-7-609002");
            scene.say(
                voice,
                DEBUG,
                format!(
                    "Teardown local-host outside:{outside} duration 0:00:{:02}",
                    source % 60
                ),
            );
        }
    }
}

/// A packet that the rules do not let in.
pub(crate) fn asa_denied(scene: &mut Scene<'_>, from: &str) {
    let voice = asa_voice(scene, "%ASA-4-106023");
    let port = scene
        .random
        .pick(&[22, 23, 445, 1_433, 3_389, 5_900, 8_080]);
    let (source, hash) = (scene.port(), scene.random.hex(8));
    scene.say(
        voice,
        WARNING,
        format!(
            "Deny tcp src outside:{from}/{source} dst inside:10.20.0.12/{port} by access-group \
             \"OUTSIDE-IN\" [0x{hash}, 0x0]"
        ),
    );
}

fn asa_voice(scene: &Scene<'_>, program: &'static str) -> Voice {
    scene.nameless(program, LOCAL4)
}

pub(crate) fn ios(scene: &mut Scene<'_>) {
    let (slot, port) = (scene.random.range(1, 2), scene.random.range(1, 48));
    let user = scene.random.pick(&["anna", "peter", "netops"]);
    match scene.random.below(6) {
        0 => {
            let voice = scene.nameless("%SYS-5-CONFIG_I", LOCAL7);
            scene.say(
                voice,
                NOTICE,
                format!("Configured from console by {user} on vty0 (10.30.1.17)"),
            );
        }
        1 => {
            let voice = scene.nameless("%SEC_LOGIN-5-LOGIN_SUCCESS", LOCAL7);
            scene.say(
                voice,
                NOTICE,
                format!("Login Success [user: {user}] [Source: 10.30.1.17] [localport: 22]"),
            );
        }
        2 => {
            let voice = scene.nameless("%SW_MATM-4-MACFLAP_NOTIF", LOCAL7);
            let half = scene.random.hex(4);
            scene.say(
                voice,
                WARNING,
                format!(
                    "Host 3c52.82{}.{half} in vlan 30 is flapping between port Gi{slot}/0/{port} \
                     and port Po1",
                    half.get(..2).unwrap_or_default()
                ),
            );
        }
        _ => link(scene, slot, port, "up"),
    }
}

/// A port loses its link and finds it again.
pub(crate) fn ios_flapping(scene: &mut Scene<'_>) {
    let port = scene.random.range(13, 14);
    link(scene, 1, port, "down");
    let voice = scene.nameless("%STACKMGR-2-STACK_LINK_CHANGE", LOCAL7);
    if scene.random.once_in(10) {
        scene.later(
            5,
            voice,
            CRIT,
            "Stack port 2 on switch 1 has changed to state DOWN",
        );
    }
}

fn link(scene: &mut Scene<'_>, slot: u64, port: u64, state: &str) {
    let link = scene.nameless("%LINK-3-UPDOWN", LOCAL7);
    let line = scene.nameless("%LINEPROTO-5-UPDOWN", LOCAL7);
    scene.say(
        link,
        ERR,
        format!("Interface GigabitEthernet{slot}/0/{port}, changed state to {state}"),
    );
    scene.later(
        1_000,
        line,
        NOTICE,
        format!(
            "Line protocol on Interface GigabitEthernet{slot}/0/{port}, changed state to {state}"
        ),
    );
}
