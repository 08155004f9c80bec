//! People and machines that log in: OpenSSH, sudo, OpenVPN, logind.

use crate::demo::cast::{GUESSED_USERS, USERS, inside_address, outside_address};
use crate::demo::scene::{AUTH, AUTHPRIV, DAEMON, ERR, INFO, NOTICE, Scene, WARNING};

const COMMANDS: [&str; 8] = [
    "/usr/bin/systemctl status nginx",
    "/usr/bin/apt-get update",
    "/usr/bin/tail -n 200 /var/log/syslog",
    "/usr/bin/systemctl restart orders-api",
    "/usr/sbin/lvs",
    "/usr/bin/journalctl -u haproxy --since today",
    "/usr/bin/docker ps",
    "/bin/cat /etc/hosts",
];

/// Most logins work; some from outside do not.
pub(crate) fn sshd(scene: &mut Scene<'_>) {
    if scene.random.once_in(5) {
        let address = outside_address(scene.random);
        return ssh_failure(scene, &address);
    }
    let voice = scene.process("sshd", AUTHPRIV);
    let user = scene.random.pick(&USERS);
    let (address, port) = (inside_address(scene.random), scene.port());
    let uid = scene.random.range(1_000, 1_040);
    let key = fingerprint(scene);
    scene.say(
        voice,
        INFO,
        format!(
            "Accepted publickey for {user} from {address} port {port} ssh2: ED25519 SHA256:{key}"
        ),
    );
    scene.later(
        3,
        voice,
        INFO,
        format!("pam_unix(sshd:session): session opened for user {user}(uid={uid}) by (uid=0)"),
    );
    let logind = scene.daemon("systemd-logind", AUTH);
    let session = scene.random.range(100, 9_999);
    scene.later(
        9,
        logind,
        INFO,
        format!("New session {session} of user {user}."),
    );
    let end = 1_000 + scene.delay_ms(240_000);
    scene.later(
        end,
        voice,
        INFO,
        format!("Received disconnect from {address} port {port}:11: disconnected by user"),
    );
    scene.later(
        end + 2,
        voice,
        INFO,
        format!("pam_unix(sshd:session): session closed for user {user}"),
    );
    scene.later(end + 6, logind, INFO, format!("Removed session {session}."));
}

/// Somebody guesses.
pub(crate) fn ssh_failure(scene: &mut Scene<'_>, address: &str) {
    let voice = scene.process("sshd", AUTHPRIV);
    let user = scene.random.pick(&GUESSED_USERS);
    let port = scene.port();
    if user == "root" {
        scene.say(
            voice,
            NOTICE,
            format!(
                "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh \
                 ruser= rhost={address}  user=root"
            ),
        );
        scene.later(
            1_900,
            voice,
            INFO,
            format!("Failed password for root from {address} port {port} ssh2"),
        );
    } else {
        scene.say(
            voice,
            INFO,
            format!("Invalid user {user} from {address} port {port}"),
        );
        scene.later(
            2_100,
            voice,
            INFO,
            format!("Failed password for invalid user {user} from {address} port {port} ssh2"),
        );
    }
    let again = 2_400 + scene.delay_ms(800);
    scene.later(
        again,
        voice,
        INFO,
        format!("Connection closed by authenticating user {user} {address} port {port} [preauth]"),
    );
    if scene.random.once_in(6) {
        scene.later(
            again + 3,
            voice,
            ERR,
            format!(
                "error: maximum authentication attempts exceeded for {user} from {address} port \
                 {port} ssh2 [preauth]"
            ),
        );
    }
}

pub(crate) fn sudo(scene: &mut Scene<'_>) {
    let voice = scene.process("sudo", AUTHPRIV);
    let (user, command) = (scene.random.pick(&USERS), scene.random.pick(&COMMANDS));
    let terminal = scene.random.below(6);
    if scene.random.once_in(25) {
        scene.say(
            voice,
            WARNING,
            format!(
                "{user} : user NOT in sudoers ; TTY=pts/{terminal} ; PWD=/home/{user} ; USER=root \
                 ; COMMAND={command}"
            ),
        );
        return;
    }
    scene.say(
        voice,
        NOTICE,
        format!("{user} : TTY=pts/{terminal} ; PWD=/home/{user} ; USER=root ; COMMAND={command}"),
    );
    scene.later(
        1,
        voice,
        INFO,
        format!("pam_unix(sudo:session): session opened for user root(uid=0) by {user}(uid=1003)"),
    );
    let end = 40 + scene.delay_ms(900);
    scene.later(
        end,
        voice,
        INFO,
        "pam_unix(sudo:session): session closed for user root",
    );
}

pub(crate) fn openvpn(scene: &mut Scene<'_>) {
    let voice = scene.daemon("openvpn", DAEMON);
    let (user, address, port) = (
        scene.random.pick(&USERS),
        outside_address(scene.random),
        scene.port(),
    );
    match scene.random.below(4) {
        0 => {
            scene.say(
                voice,
                NOTICE,
                format!("{address}:{port} TLS: Initial packet from [AF_INET]{address}:{port}"),
            );
            scene.later(
                350,
                voice,
                NOTICE,
                format!("{address}:{port} VERIFY OK: depth=0, CN={user}"),
            );
            let last = scene.random.range(2, 250);
            scene.later(
                420,
                voice,
                NOTICE,
                format!(
                    "{user}/{address}:{port} MULTI_sva: pool returned IPv4=10.8.0.{last}, \
                     IPv6=(Not enabled)"
                ),
            );
        }
        1 => {
            scene.say(
                voice,
                WARNING,
                format!(
                    "{user}/{address}:{port} [{user}] Inactivity timeout (--ping-restart), restarting"
                ),
            );
        }
        2 => {
            scene.say(
                voice,
                ERR,
                format!(
                    "{address}:{port} TLS Error: TLS key negotiation failed to occur within 60 \
                     seconds (check your network connectivity)"
                ),
            );
        }
        _ => {
            scene.say(
                voice,
                NOTICE,
                format!(
                    "{user}/{address}:{port} Control Channel: TLSv1.3, cipher TLSv1.3 \
                     TLS_AES_256_GCM_SHA384, peer certificate: 256 bits ED25519"
                ),
            );
        }
    }
}

/// 43 letters that look like a hash of a key.
fn fingerprint(scene: &mut Scene<'_>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..43)
        .map(|_| char::from(scene.random.pick(DIGITS)))
        .collect()
}
