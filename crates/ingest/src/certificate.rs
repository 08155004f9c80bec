//! The self-signed certificate of a server that has not been given one.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown, fchown};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

use crate::certificate_facts::CertificateFacts;
use crate::error::TlsError;
use crate::limits::{INTERFACE_ADDRESSES_MAX, LONG_NAME_PATIENCE};
use crate::{socket, tls};

const CERTIFICATE_FILE: &str = "certificate.pem";
const KEY_FILE: &str = "key.pem";

/// Only the owner may read a private key.
const KEY_MODE: u32 = 0o600;

/// Whoever connects to us may check our certificate.
const CERTIFICATE_MODE: u32 = 0o644;

/// Certificate and key in a directory of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    /// The certificate, which senders may have.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl CertificateFiles {
    /// Where they are in a directory, or would be.
    pub fn of(directory: &Path) -> Self {
        Self {
            certificate: directory.join(CERTIFICATE_FILE),
            key: directory.join(KEY_FILE),
        }
    }

    /// Whether they are there.
    ///
    /// # Errors
    /// When the certificate is there and its key is not.
    pub fn exist(&self) -> Result<bool, TlsError> {
        match (self.certificate.exists(), self.key.exists()) {
            (true, false) => Err(TlsError::HalfIdentity {
                present: self.certificate.clone(),
                missing: self.key.clone(),
            }),
            (is_there, _) => Ok(is_there),
        }
    }

    /// Makes a self-signed certificate for these names, in place of one that is there.
    ///
    /// Each file is written beside its place, synced and renamed, the certificate last: a crash
    /// leaves the old ones, both new ones, or a key that does not fit and is told.
    ///
    /// # Errors
    /// When a name cannot stand in a certificate, or the files cannot be written.
    pub fn make(&self, names: &[String]) -> Result<(), TlsError> {
        let made = make(names)?;
        let directory = self.key.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(TlsError::io("create", directory))?;
        let owner = owner_of_home(directory);
        write_file(&self.key, made.key.as_bytes(), KEY_MODE, owner)?;
        let certificate = made.certificate.as_bytes();
        write_file(&self.certificate, certificate, CERTIFICATE_MODE, owner)?;
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        synced.map_err(TlsError::io("sync", directory))
    }

    /// What the certificate says of itself.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn facts(&self) -> Result<CertificateFacts, TlsError> {
        tls::read_facts(&self.certificate)
    }
}

/// Certificate and key of a directory; made where neither is there.
pub(crate) fn find_or_make(
    directory: &Path,
    addresses: &[IpAddr],
) -> Result<CertificateFiles, TlsError> {
    let files = CertificateFiles::of(directory);
    if !files.exist()? {
        let names = own_names(addresses);
        files.make(&names)?;
        tracing::info!(
            certificate = %files.certificate.display(),
            names = names.join(" "),
            "made a self-signed certificate"
        );
    }
    Ok(files)
}

/// Every name under which a client may know this machine: `localhost`, the host's short and long
/// name, and the addresses that are listened on, for `0.0.0.0` and `[::]` those of all interfaces.
pub fn own_names(addresses: &[IpAddr]) -> Vec<String> {
    let mut names = vec!["localhost".to_owned()];
    names.extend(host_names());
    let loopbacks = [
        IpAddr::from(Ipv4Addr::LOCALHOST),
        IpAddr::from(Ipv6Addr::LOCALHOST),
    ];
    let mut all = loopbacks.to_vec();
    for address in addresses {
        match address.is_unspecified() {
            true => all.extend(interface_addresses(address.is_ipv6())),
            false => all.push(*address),
        }
    }
    names.extend(all.iter().map(ToString::to_string));
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.to_ascii_lowercase()));
    names
}

/// The names of this machine that others may call it by: its own, and the long one of that.
fn host_names() -> Vec<String> {
    let Some(own) = host_name() else {
        return Vec::new();
    };
    let long = long_name(&own).filter(|long| *long != own && is_name(long));
    [own].into_iter().chain(long).collect()
}

/// The name with its domain, as the system finds it. A name server that does not answer must not
/// hold up a start.
fn long_name(own: &str) -> Option<String> {
    let (sender, found) = mpsc::channel();
    let own = own.to_owned();
    thread::spawn(move || sender.send(socket::long_name_of(&own)));
    let long = found.recv_timeout(LONG_NAME_PATIENCE).ok()??;
    Some(long.to_ascii_lowercase())
}

/// The addresses of this machine by which others can reach it; those of IPv4 along with IPv6, as a
/// socket on `[::]` takes both.
fn interface_addresses(with_ipv6: bool) -> Vec<IpAddr> {
    let interfaces = nix::ifaddrs::getifaddrs().into_iter().flatten();
    let address = |interface: nix::ifaddrs::InterfaceAddress| {
        let address = interface.address?;
        let four = address.as_sockaddr_in().map(|four| IpAddr::from(four.ip()));
        let six = || address.as_sockaddr_in6().map(|six| IpAddr::from(six.ip()));
        four.or_else(six)
    };
    let is_usable = |address: &IpAddr| match address {
        IpAddr::V4(four) => !four.is_link_local(),
        IpAddr::V6(six) => with_ipv6 && !six.is_unicast_link_local(),
    };
    let all = interfaces.filter_map(address).filter(is_usable);
    all.take(INTERFACE_ADDRESSES_MAX).collect()
}

struct Made {
    certificate: String,
    key: String,
}

fn make(names: &[String]) -> Result<Made, TlsError> {
    if let Some(bad) = names.iter().find(|name| !is_subject(name)) {
        return Err(TlsError::Name { name: bad.clone() });
    }
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(names)?;
    let mut subject = DistinguishedName::new();
    subject.push(DnType::OrganizationName, "Logwood");
    // A common name has at most 64 characters (RFC 5280); clients compare the others.
    let is_common = |name: &&String| **name != "localhost" && name.len() <= 64;
    let common = names.iter().find(is_common);
    subject.push(
        DnType::CommonName,
        common.map_or("localhost", |name| name.as_str()),
    );
    params.distinguished_name = subject;
    let certificate = params.self_signed(&key)?;
    Ok(Made {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

/// Whether it is an address, or a DNS name that may have `*.` in front.
fn is_subject(name: &str) -> bool {
    name.parse::<IpAddr>().is_ok() || is_name(name.strip_prefix("*.").unwrap_or(name))
}

/// The name of this machine, where it can stand in a certificate.
pub(crate) fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim().to_ascii_lowercase();
    (name.len() <= 64 && is_name(&name)).then_some(name)
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        let bytes = label.as_bytes();
        let inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

/// Whose the directory above is, where root makes something in the directory of another user: the
/// server has to be able to read its key.
fn owner_of_home(directory: &Path) -> Option<(u32, u32)> {
    let home = directory
        .parent()
        .filter(|_| rustix::process::geteuid().is_root())?;
    let home = fs::metadata(home).ok()?;
    // It may have been made a moment ago, along with what is above it.
    let owner = (home.uid(), home.gid());
    chown(directory, Some(owner.0), Some(owner.1)).ok()?;
    Some(owner)
}

fn write_file(
    path: &Path,
    content: &[u8],
    mode: u32,
    owner: Option<(u32, u32)>,
) -> Result<(), TlsError> {
    let temporary = path.with_extension("pem.new");
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(TlsError::io("remove", &temporary)(error));
        }
        _ => {}
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&temporary)
        .and_then(|mut file| {
            if let Some((user, group)) = owner {
                fchown(&file, Some(user), Some(group))?;
            }
            file.write_all(content)?;
            file.sync_all()
        });
    written.map_err(TlsError::io("write", &temporary))?;
    fs::rename(&temporary, path).map_err(TlsError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_made_once_and_its_key_is_private() {
        let directory = tempfile::tempdir().expect("makes one");
        let tls = directory.path().join("tls");
        let files = find_or_make(&tls, &[]).expect("makes one");
        let first = fs::read(&files.certificate).expect("is there");
        let mode = fs::metadata(&files.key).expect("is there").mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(find_or_make(&tls, &[]).expect("finds it"), files);
        assert_eq!(fs::read(&files.certificate).expect("is there"), first);

        fs::remove_file(&files.key).expect("is there");
        let error = find_or_make(&tls, &[]).expect_err("half of it is gone");
        assert!(error.to_string().contains("key.pem is not"), "{error}");
        fs::write(&files.key, "left by a crash").expect("writes");
        fs::remove_file(&files.certificate).expect("is there");
        find_or_make(&tls, &[]).expect("makes both anew");
        assert_ne!(fs::read(&files.certificate).expect("is there"), first);
    }

    #[test]
    fn a_certificate_names_the_machine_and_where_it_listens() {
        let addresses: Vec<IpAddr> = ["192.0.2.7", "2001:db8::7", "0.0.0.0"]
            .map(|text| text.parse().expect("an address"))
            .to_vec();
        let directory = tempfile::tempdir().expect("makes one");
        let files = find_or_make(directory.path(), &addresses).expect("makes one");
        let facts = files.facts().expect("reads it");
        let host = host_name().unwrap_or_else(|| "localhost".to_owned());
        for name in [
            "localhost",
            "127.0.0.1",
            "::1",
            "192.0.2.7",
            "2001:db8::7",
            &host,
        ] {
            assert!(facts.is_for(name), "{name} is not in {:?}", facts.names);
        }
        let mut different = facts.names.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), facts.names.len(), "{:?}", facts.names);
    }

    #[test]
    fn names_are_compared_before_anything_is_written() {
        let directory = tempfile::tempdir().expect("makes one");
        let files = CertificateFiles::of(directory.path());
        for wrong in [
            "",
            "two words",
            "-a.example",
            "a..b",
            "*",
            "a.*.b",
            "http://a",
            "a:514",
        ] {
            let error = files.make(&[wrong.to_owned()]).expect_err("no name");
            assert!(error.to_string().contains("name"), "{wrong}: {error}");
        }
        assert!(!files.exist().expect("nothing is there"));
        let names = ["logs.example.com", "*.b.example", "192.0.2.1"].map(str::to_owned);
        files.make(&names).expect("makes one");
        assert_eq!(files.facts().expect("reads it").names, names);
    }
}
