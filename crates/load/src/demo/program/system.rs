//! What every Linux machine says: kernel, cron, systemd, chrony, snmpd, smartd.

use crate::demo::cast::{address_of, inside_address, outside_address};
use crate::demo::scene::{CRIT, CRON, DAEMON, ERR, INFO, KERN, NOTICE, Scene, WARNING};
use crate::random::mix;

const UNITS: [(&str, &str); 7] = [
    ("apt-daily.service", "Daily apt download activities"),
    ("logrotate.service", "Rotate log files"),
    ("fstrim.service", "Discard unused blocks on filesystems"),
    ("man-db.service", "Daily man-db regeneration"),
    ("sysstat-collect.service", "system activity accounting tool"),
    ("certbot.service", "Certbot"),
    (
        "systemd-tmpfiles-clean.service",
        "Cleanup of Temporary Directories",
    ),
];

const JOBS: [(&str, &str); 6] = [
    ("root", "cd / && run-parts --report /etc/cron.hourly"),
    (
        "root",
        "command -v debian-sa1 > /dev/null && debian-sa1 1 1",
    ),
    ("backup", "/usr/local/bin/backup.sh --incremental"),
    ("www-data", "php /srv/shop/cron.php"),
    ("monitor", "/usr/lib/nagios/plugins/check_load -w 8 -c 16"),
    ("postgres", "/usr/local/bin/archive-wal.sh"),
];

/// The firewall of the host, a link, memory.
pub(crate) fn kernel(scene: &mut Scene<'_>) {
    let stamp = uptime(scene);
    let voice = scene.nameless("kernel", KERN);
    match scene.random.below(20) {
        0 => scene.say(
            voice,
            WARNING,
            format!(
                "{stamp} TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies."
            ),
        ),
        1 => {
            let peer = scene.random.hex(7);
            scene.say(
                voice,
                INFO,
                format!("{stamp} eth0: renamed from veth{peer}"),
            );
        }
        2 => {
            let pid = scene.random.range(2_000, 60_000);
            let kilobytes = scene.random.range(900_000, 3_900_000);
            scene.say(
                voice,
                ERR,
                format!(
                    "{stamp} Out of memory: Killed process {pid} (java) total-vm:{}kB, \
                     anon-rss:{kilobytes}kB, file-rss:0kB, shmem-rss:0kB, UID:1001 \
                     pgtables:{}kB oom_score_adj:0",
                    kilobytes * 3,
                    kilobytes / 400
                ),
            );
        }
        3 => scene.say(
            voice,
            INFO,
            format!("{stamp} audit: type=1400 apparmor=\"STATUS\" operation=\"profile_replace\""),
        ),
        _ => blocked(scene, &stamp),
    }
}

fn blocked(scene: &mut Scene<'_>, stamp: &str) {
    let voice = scene.nameless("kernel", KERN);
    let (from, to) = (outside_address(scene.random), address_of(scene.host));
    let port = scene
        .random
        .pick(&[22, 23, 445, 3_389, 5_060, 6_379, 8_080, 9_200]);
    let (source_port, id) = (scene.port(), scene.random.below(65_536));
    let lifetime = scene.random.range(40, 250);
    scene.say(
        voice,
        WARNING,
        format!(
            "{stamp} [UFW BLOCK] IN=eth0 OUT= MAC=52:54:00:12:34:56:52:54:00:65:43:21:08:00 \
             SRC={from} DST={to} LEN=44 TOS=0x00 PREC=0x00 TTL={lifetime} ID={id} PROTO=TCP \
             SPT={source_port} DPT={port} WINDOW=1024 RES=0x00 SYN URGP=0"
        ),
    );
}

/// A disk dies.
pub(crate) fn failing_disk(scene: &mut Scene<'_>) {
    let stamp = uptime(scene);
    let voice = scene.nameless("kernel", KERN);
    let sector = scene.random.range(1_000_000, 1_953_525_168);
    match scene.random.below(4) {
        0 => scene.say(
            voice,
            ERR,
            format!(
                "{stamp} blk_update_request: I/O error, dev sdb, sector {sector} op 0x0:(READ) \
                 flags 0x80700 phys_seg 1 prio class 0"
            ),
        ),
        1 => scene.say(
            voice,
            ERR,
            format!("{stamp} ata2.00: failed command: READ FPDMA QUEUED"),
        ),
        2 => scene.say(
            voice,
            CRIT,
            format!(
                "{stamp} EXT4-fs error (device sdb1): ext4_find_entry:1455: inode #{}: comm \
                 postgres: reading directory lblock 0",
                sector % 9_999_999
            ),
        ),
        _ => {
            let smartd = scene.daemon("smartd", DAEMON);
            scene.say(
                smartd,
                CRIT,
                format!(
                    "Device: /dev/sdb [SAT], {} Currently unreadable (pending) sectors",
                    sector % 400
                ),
            );
        }
    }
}

pub(crate) fn cron(scene: &mut Scene<'_>) {
    let voice = scene.process("CRON", CRON);
    let (user, job) = scene.random.pick(&JOBS);
    scene.say(voice, INFO, format!("({user}) CMD ({job})"));
    if scene.random.once_in(4) {
        let session = "pam_unix(cron:session): session";
        scene.later(
            2,
            voice,
            INFO,
            format!("{session} opened for user {user}(uid=0) by (uid=0)"),
        );
        let end = 30 + scene.delay_ms(2_500);
        scene.later(
            end,
            voice,
            INFO,
            format!("{session} closed for user {user}"),
        );
    }
}

pub(crate) fn systemd(scene: &mut Scene<'_>) {
    let init = crate::demo::scene::Voice {
        pid: 1,
        ..scene.nameless("systemd", DAEMON)
    };
    let (unit, description) = scene.random.pick(&UNITS);
    scene.say(init, INFO, format!("Starting {unit} - {description}..."));
    let end = 200 + scene.delay_ms(4_000);
    if scene.random.once_in(30) {
        let failed = format!("{unit}: Main process exited, code=exited, status=1/FAILURE");
        scene.later(end, init, NOTICE, failed);
        let result = format!("{unit}: Failed with result 'exit-code'.");
        scene.later(end + 1, init, WARNING, result);
        let summary = format!("Failed to start {unit} - {description}.");
        scene.later(end + 2, init, ERR, summary);
        return;
    }
    let processor = scene.seconds(0.4);
    scene.later(
        end,
        init,
        INFO,
        format!("{unit}: Deactivated successfully."),
    );
    scene.later(
        end + 1,
        init,
        INFO,
        format!("Finished {unit} - {description}."),
    );
    scene.later(
        end + 2,
        init,
        INFO,
        format!("{unit}: Consumed {processor}s CPU time."),
    );
}

pub(crate) fn chronyd(scene: &mut Scene<'_>) {
    let voice = scene.daemon("chronyd", DAEMON);
    let server = scene
        .random
        .pick(&["192.0.2.123", "198.51.100.123", "203.0.113.123"]);
    if scene.random.once_in(3) {
        let offset = scene.seconds(0.02);
        scene.say(
            voice,
            WARNING,
            format!("System clock wrong by {offset} seconds, adjustment started"),
        );
    } else {
        scene.say(
            voice,
            INFO,
            format!("Selected source {server} (ntp.example.net)"),
        );
    }
}

pub(crate) fn snmpd(scene: &mut Scene<'_>) {
    let voice = scene.daemon("snmpd", DAEMON);
    let (from, to, port) = (
        inside_address(scene.random),
        address_of(scene.host),
        scene.port(),
    );
    scene.say(
        voice,
        INFO,
        format!("Connection from UDP: [{from}]:{port}->[{to}]:161"),
    );
}

/// Seconds since the host was started, as the kernel prints them.
fn uptime(scene: &Scene<'_>) -> String {
    const DAYS_MAX: u64 = 90;
    let seed = scene
        .host
        .name
        .bytes()
        .fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
    let cycle = DAYS_MAX * 86_400_000_000;
    let micros = u64::try_from(scene.now.nanos() / 1_000).unwrap_or(0);
    let up = (micros + seed % cycle) % cycle;
    format!("[{:>5}.{:06}]", up / 1_000_000, up % 1_000_000)
}
