use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use tempfile::TempDir;

use super::*;
use crate::options::{ClientChecks, SocketFileOptions, Transport};

fn folder() -> TempDir {
    tempfile::tempdir().expect("makes one")
}

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn now() -> Timestamp {
    Timestamp::parse_rfc3339(b"2026-11-28T00:00:00Z").expect("a time")
}

/// What is found of one listener, a line each: severity, subject, message.
fn found(listener: ListenerOptions) -> Vec<String> {
    let troubles = examine(&Options::new(vec![listener]), Examined::All, now());
    let line = |trouble: &Trouble| {
        let severity = if trouble.is_error { "error" } else { "warning" };
        assert!(
            trouble.remedy.is_some() || trouble.message.contains(':'),
            "{trouble:?}"
        );
        format!("{severity} {:?}: {}", trouble.subject, trouble.message)
    };
    troubles.iter().map(line).collect()
}

#[track_caller]
fn check(listener: ListenerOptions, expected: &[&str]) {
    let found = found(listener);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        let (start, end) = expected.split_once("...").unwrap_or((expected, ""));
        assert!(
            found.starts_with(start) && found.contains(end),
            "{found:?} is not {expected:?}"
        );
    }
}

/// A certificate of these years and its key, as files.
fn pair(folder: &TempDir, name: &str, years: (i32, i32)) -> (PathBuf, PathBuf) {
    let key = KeyPair::generate().expect("makes one");
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    params.not_before = date_time_ymd(years.0, 1, 1);
    params.not_after = date_time_ymd(years.1, 1, 1);
    let made = params.self_signed(&key).expect("makes one");
    let path = |end: &str| folder.path().join(format!("{name}.{end}"));
    let (certificate, private) = (path("pem"), path("key"));
    fs::write(&certificate, made.pem()).expect("writes");
    fs::write(&private, key.serialize_pem()).expect("writes");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).expect("ours");
    (certificate, private)
}

fn tls(certificate: PathBuf, key: PathBuf) -> ListenerOptions {
    let mut options = ListenerOptions::new("tls", Transport::Tls, loopback());
    options.tls = Some(TlsOptions {
        identity: TlsIdentity::Files { certificate, key },
        clients: ClientCertificates::None,
        checks: ClientChecks::default(),
    });
    options
}

#[test]
fn certificate_and_key_are_looked_at_each_and_together() {
    let folder = folder();
    let (certificate, key) = pair(&folder, "good", (2020, 2040));
    let (other, _) = pair(&folder, "other", (2020, 2040));
    let none = folder.path().join("none");
    check(tls(certificate.clone(), key.clone()), &[]);
    check(
        tls(none.clone(), none),
        &[
            "error Certificate: listener tls: cannot open",
            "error Key: listener tls: cannot open",
        ],
    );
    check(
        tls(certificate.clone(), certificate.clone()),
        &["error Key: ...holds no private key"],
    );
    check(
        tls(key.clone(), key.clone()),
        &["error Certificate: ...holds no certificate"],
    );
    check(
        tls(other, key.clone()),
        &["error Key: ...is not that of the certificate"],
    );
    check(
        tls(certificate.clone(), folder.path().to_owned()),
        &["error Key: ...cannot read"],
    );
    for encrypted in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    ] {
        let path = folder.path().join("encrypted");
        fs::write(&path, encrypted).expect("writes");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("ours");
        check(
            tls(certificate.clone(), path),
            &["error Key: ...is encrypted"],
        );
    }
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("ours");
    check(
        tls(certificate, key),
        &["warning Key: listener tls: every user"],
    );
}

#[test]
fn certificates_out_of_date_are_told() {
    let folder = folder();
    let (old, old_key) = pair(&folder, "old", (2020, 2021));
    let (new, new_key) = pair(&folder, "new", (2030, 2031));
    check(
        tls(old.clone(), old_key),
        &["warning Certificate: ...has expired on 2021-01-01"],
    );
    check(
        tls(new, new_key),
        &["warning Certificate: ...is not valid before 2030-01-01"],
    );
    let (good, key) = pair(&folder, "good", (2020, 2040));
    let mut options = tls(good, key);
    if let Some(tls) = &mut options.tls {
        tls.clients = ClientCertificates::Required { authorities: old };
    }
    check(
        options,
        &["warning Authorities: ...has expired on 2021-01-01"],
    );
}

#[test]
fn files_about_clients_are_looked_at() {
    let folder = folder();
    let (certificate, key) = pair(&folder, "good", (2020, 2040));
    let with = |authorities: &PathBuf, revoked: Option<PathBuf>| {
        let mut options = tls(certificate.clone(), key.clone());
        if let Some(tls) = &mut options.tls {
            let authorities = authorities.clone();
            tls.clients = ClientCertificates::Optional { authorities };
            tls.checks.revoked = revoked;
        }
        options
    };
    let none = folder.path().join("none");
    check(with(&certificate, None), &[]);
    check(
        with(&none, Some(none.clone())),
        &["error Authorities: ...cannot open"],
    );
    check(
        with(&key, None),
        &["error Authorities: ...holds no certificate"],
    );
    check(
        with(&certificate, Some(none)),
        &["error Revoked: ...cannot open"],
    );
    check(
        with(&certificate, Some(key.clone())),
        &["error Revoked: ...no revocation list"],
    );
}

#[test]
fn a_certificate_of_our_own_that_lacks_a_name_is_told_and_kept() {
    let folder = folder();
    let directory = folder.path().join("tls");
    let files = CertificateFiles::of(&directory);
    let options = |address: &str| {
        let address = Address::Internet(address.parse().expect("an address"));
        let mut options = ListenerOptions::new("tls", Transport::Tls, address);
        options.tls = Some(TlsOptions {
            identity: TlsIdentity::SelfSigned {
                directory: directory.clone(),
            },
            clients: ClientCertificates::None,
            checks: ClientChecks::default(),
        });
        options
    };
    // None is there: one will be made, and looking makes none.
    check(options("127.0.0.1:0"), &[]);
    assert!(!directory.exists());
    files.make(&crate::own_names(&[])).expect("makes one");
    let before = fs::read(&files.certificate).expect("is there");
    check(options("127.0.0.1:0"), &[]);
    check(
        options("127.0.0.2:0"),
        &["warning Certificate: ...does not name 127.0.0.2"],
    );
    assert_eq!(fs::read(&files.certificate).expect("is there"), before);
    fs::remove_file(&files.key).expect("is there");
    check(
        options("127.0.0.1:0"),
        &["error Certificate: ...is there but"],
    );
}

#[test]
fn addresses_are_tried_and_given_back() {
    let taken = std::net::TcpListener::bind(loopback()).expect("binds");
    let address = taken.local_addr().expect("bound");
    let tcp = || ListenerOptions::new("tcp", Transport::Tcp, address);
    let udp = || ListenerOptions::new("udp", Transport::Udp, address);
    check(
        tcp(),
        &["error Address: listener tcp cannot listen on tcp 127.0.0.1..."],
    );
    check(udp(), &[]);
    drop(taken);
    let taken = std::net::UdpSocket::bind(address).expect("binds");
    check(
        udp(),
        &["error Address: listener udp cannot listen on udp 127.0.0.1..."],
    );
    check(tcp(), &[]);
    let elsewhere = SocketAddr::from(([192, 0, 2, 77], 5_514));
    let foreign = ListenerOptions::new("tcp", Transport::Tcp, elsewhere);
    check(
        foreign.clone(),
        &["error Address: listener tcp cannot listen on tcp 192.0.2.77:5514"],
    );
    // A server that runs has its addresses.
    assert_eq!(
        examine(&Options::new(vec![foreign, udp()]), Examined::Files, now()),
        []
    );
    drop(taken);
}

#[test]
fn unix_sockets_need_a_directory_a_free_path_and_known_accounts() {
    let folder = folder();
    let at = |path: PathBuf, owner: Option<&str>, group: Option<&str>| {
        let mut options = ListenerOptions::new("local", Transport::UnixDatagram, path);
        options.socket_file = SocketFileOptions {
            owner: owner.map(str::to_owned),
            group: group.map(str::to_owned),
            ..SocketFileOptions::default()
        };
        options
    };
    let path = folder.path().join("log");
    check(at(path.clone(), None, None), &[]);
    assert!(!path.exists());
    let missing = folder.path().join("none").join("log");
    check(
        at(missing, None, None),
        &["error Address: ...there is no directory"],
    );
    check(
        at(path.clone(), Some("no-such-user"), None),
        &["error Owner: ...no user \"no-such-user\""],
    );
    check(
        at(path.clone(), None, Some("no-such-group")),
        &["error Group: ...no group \"no-such-group\""],
    );
    let socket = std::os::unix::net::UnixDatagram::bind(&path).expect("binds");
    check(
        at(path.clone(), None, None),
        &["error Address: ...another process listens there"],
    );
    drop(socket);
    check(at(path.clone(), None, None), &[]);
    assert!(path.exists(), "what a killed server left is there still");
    fs::remove_file(&path).expect("is there");
    fs::write(&path, "").expect("writes");
    check(at(path, None, None), &["error Address: ...is no socket"]);
    let long = folder.path().join("x".repeat(200));
    check(
        at(long, None, None),
        &["error Address: ...cannot listen on unix-datagram"],
    );
}
