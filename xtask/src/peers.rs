//! The programs of others that tests talk to or are run by, and that benchmarks measure, from Debian's packages.
//!
//! Some are unpacked and not installed: the packages of rsyslog and syslog-ng exclude each other, and
//! that of haproxy starts a service.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// What is needed, and how it gets here.
struct Peer {
    /// A program that shows that it is there; empty for a package that brings none.
    program: &'static str,
    package: &'static str,
    /// The tests or scenarios that are skipped without it.
    needed_by: &'static str,
}

/// What needs peers, and how it is told.
struct Need {
    peers: &'static [Peer],
    unpacked: &'static [Unpacked],
    command: &'static str,
}

const PEERS: &[Peer] = &[
    Peer {
        program: "logger",
        package: "bsdutils",
        needed_by: "senders::logger",
    },
    Peer {
        program: "loggen",
        package: "syslog-ng-core",
        needed_by: "senders::loggen",
    },
    Peer {
        program: "syslog-ng",
        package: "syslog-ng-core",
        needed_by: "senders::syslog_ng",
    },
    Peer {
        program: "pdbtool",
        package: "syslog-ng-core",
        needed_by: "patterndb",
    },
    Peer {
        program: "psql",
        package: "postgresql",
        needed_by: "destinations of kind sql",
    },
    Peer {
        program: "mariadbd",
        package: "mariadb-server-core",
        needed_by: "destinations of kind sql",
    },
    Peer {
        program: "mariadb",
        package: "mariadb-client-core",
        needed_by: "destinations of kind sql",
    },
    Peer {
        program: "openssl",
        package: "openssl",
        needed_by: "certificates",
    },
    Peer {
        program: "systemd-socket-activate",
        package: "systemd",
        needed_by: "senders::unix",
    },
    Peer {
        program: "python3",
        package: "python3",
        needed_by: "corpus",
    },
    Peer {
        program: "chromium",
        package: "chromium",
        needed_by: "ui",
    },
    Peer {
        program: "strace",
        package: "strace",
        needed_by: "faults",
    },
    Peer {
        program: "nbdkit",
        package: "nbdkit",
        needed_by: "crash::images",
    },
    Peer {
        program: "",
        package: "nbdkit-plugin-python",
        needed_by: "crash::images",
    },
    Peer {
        program: "nbdfuse",
        package: "libnbd-bin",
        needed_by: "crash::images",
    },
    Peer {
        program: "fusermount3",
        package: "fuse3",
        needed_by: "crash::images",
    },
    Peer {
        program: "mkfs.ext4",
        package: "e2fsprogs",
        needed_by: "crash::images",
    },
    Peer {
        program: "faketime",
        package: "faketime",
        needed_by: "faults::clock",
    },
    Peer {
        program: "",
        package: "libfaketime",
        needed_by: "faults::clock",
    },
    Peer {
        program: "eatmydata",
        package: "eatmydata",
        needed_by: "crash::images",
    },
    Peer {
        program: "",
        package: "libeatmydata1",
        needed_by: "crash::images",
    },
    Peer {
        program: "prlimit",
        package: "util-linux",
        needed_by: "faults::files",
    },
    Peer {
        program: "script",
        package: "bsdutils",
        needed_by: "terminal",
    },
    Peer {
        program: "node",
        package: "nodejs",
        needed_by: "ui",
    },
    Peer {
        program: "npm",
        package: "npm",
        needed_by: "ui",
    },
];

const BENCHMARK_PEERS: &[Peer] = &[
    Peer {
        program: "syslog-ng",
        package: "syslog-ng-core",
        needed_by: "subject syslog-ng",
    },
    Peer {
        program: "",
        package: "syslog-ng-mod-http",
        needed_by: "destinations of syslog-ng over HTTP",
    },
    Peer {
        program: "zstd",
        package: "zstd",
        needed_by: "subject zstd",
    },
    Peer {
        program: "xz",
        package: "xz-utils",
        needed_by: "subject xz",
    },
    Peer {
        program: "rg",
        package: "ripgrep",
        needed_by: "subject ripgrep",
    },
];

const TESTS: Need = Need {
    peers: PEERS,
    unpacked: &[RSYSLOG, HAPROXY],
    command: "cargo xtask test",
};

const BENCHMARKS: Need = Need {
    peers: BENCHMARK_PEERS,
    unpacked: &[RSYSLOG],
    command: "cargo xtask bench",
};

/// A program that is unpacked into a folder of its package's name.
struct Unpacked {
    peer: Peer,
    /// Its package and those of libraries that no machine brings.
    packages: &'static [&'static str],
}

const RSYSLOG: Unpacked = Unpacked {
    peer: Peer {
        program: "rsyslogd",
        package: "rsyslog",
        needed_by: "senders::rsyslog",
    },
    // librelp0 also needs libgnutls30 and libssl3, which apt and every Rust image bring.
    packages: &[
        "rsyslog",
        "rsyslog-gnutls",
        "rsyslog-relp",
        "rsyslog-elasticsearch",
        "libestr0",
        "libfastjson4",
        "liblognorm5",
        "librelp0",
    ],
};

const HAPROXY: Unpacked = Unpacked {
    peer: Peer {
        program: "haproxy",
        package: "haproxy",
        needed_by: "load_send::peers",
    },
    packages: &[
        "haproxy",
        "liblua5.3-0",
        "libopentracing-c-wrapper0",
        "libopentracing1",
    ],
};

/// Where unpacked peers lie.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(shell::target()?.join("peers"))
}

/// Installs what tests need and is missing.
pub(crate) fn install() -> Result<()> {
    install_for(&TESTS)
}

/// Installs what benchmarks measure and is missing.
pub(crate) fn install_for_benchmarks() -> Result<()> {
    install_for(&BENCHMARKS)
}

/// Installs what is missing when run as root on a Debian, and says in one line what stays missing.
fn install_for(need: &Need) -> Result<()> {
    let to_unpack = not_unpacked(need)?;
    let packages: Vec<&str> = not_installed(need).map(|peer| peer.package).collect();
    if !(to_unpack.is_empty() && packages.is_empty())
        && is_root()
        && shell::is_installed("apt-get")
        && let Err(error) = update().and_then(|()| install_packages(&packages))
    {
        eprintln!("cannot install {}: {error:#}", packages.join(", "));
    }
    for unpacked in to_unpack {
        if let Err(error) = unpack(unpacked) {
            eprintln!("cannot unpack {}: {error:#}", unpacked.peer.package);
        }
    }
    let mut missing: Vec<&Peer> = not_installed(need).collect();
    missing.extend(not_unpacked(need)?.iter().map(|unpacked| &unpacked.peer));
    if !missing.is_empty() {
        eprintln!("{}", missing_line(&missing, need.command));
    }
    Ok(())
}

/// Installs valgrind where it is missing and this is root on a Debian; says whether it is there.
pub(crate) fn install_valgrind() -> bool {
    const VALGRIND: &str = "valgrind";
    if !shell::is_installed(VALGRIND)
        && is_root()
        && shell::is_installed("apt-get")
        && let Err(error) = update().and_then(|()| install_packages(&[VALGRIND]))
    {
        eprintln!("cannot install {VALGRIND}: {error:#}");
    }
    shell::is_installed(VALGRIND)
}

fn not_installed(need: &Need) -> impl Iterator<Item = &'static Peer> {
    need.peers.iter().filter(|peer| !peer.is_there())
}

impl Peer {
    fn is_there(&self) -> bool {
        match self.program {
            "" => is_package_installed(self.package),
            program => shell::is_installed(program),
        }
    }
}

/// Whether Debian's package manager has a package; what it brings may lie anywhere.
fn is_package_installed(package: &str) -> bool {
    let asked = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", package])
        .output();
    asked.is_ok_and(|answer| answer.status.success() && answer.stdout == b"installed")
}

fn not_unpacked(need: &Need) -> Result<Vec<&'static Unpacked>> {
    let folder = folder()?;
    let is_there = |unpacked: &Unpacked| {
        let package = folder.join(unpacked.peer.package);
        package
            .join("usr/sbin")
            .join(unpacked.peer.program)
            .is_file()
    };
    let all = need.unpacked.iter();
    Ok(all.filter(|unpacked| !is_there(unpacked)).collect())
}

/// What is missing, what is skipped for it, and what to do, in one line.
fn missing_line(missing: &[&Peer], command: &str) -> String {
    let mut packages: Vec<&str> = missing.iter().map(|peer| peer.package).collect();
    packages.dedup();
    let skipped: Vec<&str> = missing.iter().map(|peer| peer.needed_by).collect();
    format!(
        "missing: {}; skipped: {}; to have them run `{command}` as root, which installs \
         Debian's packages (rsyslog and haproxy it only unpacks)",
        packages.join(", "),
        skipped.join(", "),
    )
}

fn is_root() -> bool {
    // The owner of our own entry in /proc is the user we run as.
    fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0)
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        // Package scripts start no daemon in run level 1.
        .env("RUNLEVEL", "1");
    command
}

fn update() -> Result<()> {
    shell::run(&mut apt_get(&["update", "-qq"]))
}

fn install_packages(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(packages);
    // What a package prints while it is set up is no news here.
    shell::output(&mut apt_get(&arguments)).map(|_| ())
}

/// Unpacks a program and the libraries it needs; a half-made folder never takes the final name.
fn unpack(unpacked: &Unpacked) -> Result<()> {
    let name = unpacked.peer.package;
    let folder = folder()?;
    let half = folder.join(format!("{name}.{}", std::process::id()));
    let debs = half.join("debs");
    fs::create_dir_all(&debs).with_context(|| format!("cannot make {}", debs.display()))?;
    let mut download = apt_get(&["download", "-qq"]);
    // As root apt would download as its own user, which may not write here.
    download.args(["-o", "APT::Sandbox::User=root"]);
    let made = shell::run(download.args(unpacked.packages).current_dir(&debs))
        .and_then(|()| unpack_all(&debs, &half));
    if let Err(error) = made {
        fs::remove_dir_all(&half)?;
        return Err(error);
    }
    fs::rename(&half, folder.join(name)).with_context(|| format!("cannot name the unpacked {name}"))
}

fn unpack_all(debs: &Path, into: &Path) -> Result<()> {
    for entry in fs::read_dir(debs)? {
        let deb = entry?.path();
        shell::run(Command::new("dpkg-deb").arg("-x").arg(&deb).arg(into))?;
    }
    fs::remove_dir_all(debs).context("cannot remove the packages")
}

/// Whether tests are run where a missing peer is a failure.
pub(crate) fn must_be_there() -> bool {
    env::var_os("CI").is_some() || is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_is_asked_for_by_itself() {
        assert!(is_package_installed("dpkg") || !shell::is_installed("dpkg-query"));
        assert!(!is_package_installed("a-package-that-nobody-made"));
        let plugin = PEERS
            .iter()
            .find(|peer| peer.package == "nbdkit-plugin-python");
        let plugin = plugin.expect("the power cuts need it");
        assert_eq!(
            plugin.is_there(),
            is_package_installed("nbdkit-plugin-python")
        );
    }

    #[test]
    fn what_is_missing_is_told_in_one_line() {
        let line = missing_line(&[&PEERS[1], &PEERS[2], &RSYSLOG.peer], TESTS.command);
        let told = "missing: syslog-ng-core, rsyslog; skipped: senders::loggen, \
                    senders::syslog_ng, senders::rsyslog; to have them run `cargo xtask test`";
        assert!(line.starts_with(told), "{line}");
        assert!(!line.contains('\n'));
    }
}
