//! The self-signed certificate of a server that has not been given one.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType};

use crate::error::TlsError;

const CERTIFICATE_FILE: &str = "certificate.pem";
const KEY_FILE: &str = "key.pem";

/// Only the owner may read a private key.
const KEY_MODE: u32 = 0o600;

/// Whoever connects to us may check our certificate.
const CERTIFICATE_MODE: u32 = 0o644;

/// Certificate and key of a directory; made where neither is there.
///
/// Each is written beside its place, synced and renamed, the certificate last: a crash leaves
/// either both or a key that the next start replaces.
pub(crate) fn find_or_make(directory: &Path) -> Result<(PathBuf, PathBuf), TlsError> {
    let certificate = directory.join(CERTIFICATE_FILE);
    let key = directory.join(KEY_FILE);
    match (certificate.exists(), key.exists()) {
        (true, true) => {}
        (true, false) => {
            return Err(TlsError::HalfIdentity {
                present: certificate,
                missing: key,
            });
        }
        (false, _) => {
            fs::create_dir_all(directory).map_err(TlsError::io("create", directory))?;
            let host_name = host_name();
            let made = make(host_name.as_deref())?;
            write_file(&key, made.key.as_bytes(), KEY_MODE)?;
            write_file(&certificate, made.certificate.as_bytes(), CERTIFICATE_MODE)?;
            let synced = File::open(directory).and_then(|directory| directory.sync_all());
            synced.map_err(TlsError::io("sync", directory))?;
            tracing::info!(certificate = %certificate.display(), "made a self-signed certificate");
        }
    }
    Ok((certificate, key))
}

struct Made {
    certificate: String,
    key: String,
}

/// A certificate for this machine under every name that a client on it or near it may use.
fn make(host_name: Option<&str>) -> Result<Made, TlsError> {
    let key = KeyPair::generate()?;
    let mut names = vec!["localhost".to_owned()];
    names.extend(
        host_name
            .filter(|name| *name != "localhost")
            .map(str::to_owned),
    );
    let mut params = CertificateParams::new(names)?;
    let loopbacks = [
        IpAddr::from(Ipv4Addr::LOCALHOST),
        IpAddr::from(Ipv6Addr::LOCALHOST),
    ];
    params
        .subject_alt_names
        .extend(loopbacks.map(SanType::IpAddress));
    let mut subject = DistinguishedName::new();
    subject.push(DnType::OrganizationName, "Logwood");
    subject.push(DnType::CommonName, host_name.unwrap_or("localhost"));
    params.distinguished_name = subject;
    let certificate = params.self_signed(&key)?;
    Ok(Made {
        certificate: certificate.pem(),
        key: key.serialize_pem(),
    })
}

/// The name of this machine, where it can stand in a certificate.
pub(crate) fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim().to_ascii_lowercase();
    let label = |label: &str| {
        let bytes = label.as_bytes();
        let inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    (name.len() <= 64 && name.split('.').all(label)).then_some(name)
}

fn write_file(path: &Path, content: &[u8], mode: u32) -> Result<(), TlsError> {
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
            file.write_all(content)?;
            file.sync_all()
        });
    written.map_err(TlsError::io("write", &temporary))?;
    fs::rename(&temporary, path).map_err(TlsError::io("write", path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_certificate_is_made_once_and_its_key_is_private() {
        let directory = tempfile::tempdir().expect("makes one");
        let tls = directory.path().join("tls");
        let (certificate, key) = find_or_make(&tls).expect("makes one");
        let first = fs::read(&certificate).expect("is there");
        let mode = fs::metadata(&key).expect("is there").mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            find_or_make(&tls).expect("finds it"),
            (certificate.clone(), key.clone())
        );
        assert_eq!(fs::read(&certificate).expect("is there"), first);

        fs::remove_file(&key).expect("is there");
        let error = find_or_make(&tls).expect_err("half of it is gone");
        assert!(error.to_string().contains("key.pem is not"), "{error}");
        fs::write(&key, "left by a crash").expect("writes");
        fs::remove_file(&certificate).expect("is there");
        find_or_make(&tls).expect("makes both anew");
        assert_ne!(fs::read(&certificate).expect("is there"), first);
    }
}
