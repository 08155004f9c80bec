//! What the options name of the machine, tried before anything of it is used: certificates, keys,
//! lists, paths, users, addresses. All that is in the way is found at once, with the errors that a
//! start would end with.
//!
//! Nothing is changed: no file is made, and an address that is tried is given back.

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use model::Timestamp;
use socket2::Type;

use crate::address::Address;
use crate::certificate::{CertificateFiles, host_name};
use crate::certificate_facts::CertificateFacts;
use crate::error::{Error, TlsError};
use crate::listener::{bind_error, socket_file_error};
use crate::options::{ClientCertificates, ListenerOptions, Options, TlsIdentity, TlsOptions};
use crate::{socket, socket_file, tls};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examined {
    /// What can be read: for a server that has its sockets already.
    Files,
    /// Addresses too.
    All,
}

/// Which setting of a listener a trouble is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Where it listens.
    Address,
    /// The server's certificate.
    Certificate,
    /// Its private key.
    Key,
    /// The authorities whose clients are taken.
    Authorities,
    /// The lists of certificates that are revoked.
    Revoked,
    /// The user of a unix socket.
    Owner,
    /// The group of a unix socket.
    Group,
}

/// Something that keeps a listener from starting, or will surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The listener.
    pub listener: String,
    /// What of it is concerned.
    pub subject: Subject,
    /// Whether it cannot start so.
    pub is_error: bool,
    /// Whether another moment or another user changes that: an address that somebody has, a port
    /// that needs a right.
    pub is_passing: bool,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// Looks at all that the options name, as of this time.
pub fn examine(options: &Options, examined: Examined, now: Timestamp) -> Vec<Trouble> {
    let mut found = Vec::new();
    let addresses = options.encrypted_addresses();
    for listener in &options.listeners {
        let mut report = Report {
            listener,
            found: &mut found,
        };
        if let Some(settings) = &listener.tls {
            report.tls(settings, &addresses, now);
        }
        let mut passed = options.passed.iter();
        let is_passed = passed.any(|socket| socket.name() == listener.name);
        if examined == Examined::All && !is_passed {
            report.address();
        }
    }
    found
}

struct Report<'a> {
    listener: &'a ListenerOptions,
    found: &'a mut Vec<Trouble>,
}

impl Report<'_> {
    fn error(&mut self, subject: Subject, error: &Error) {
        self.found.push(Trouble {
            listener: self.listener.name.clone(),
            subject,
            is_error: true,
            is_passing: error.is_passing(),
            message: error.to_string(),
            remedy: error.remedy(),
        });
    }

    fn tls_error(&mut self, subject: Subject, source: TlsError) {
        let error = Error::Tls {
            listener: self.listener.name.clone(),
            source: Box::new(source),
        };
        self.error(subject, &error);
    }

    fn warning(&mut self, subject: Subject, message: &str, remedy: String) {
        self.found.push(Trouble {
            listener: self.listener.name.clone(),
            subject,
            is_error: false,
            is_passing: false,
            message: format!("listener {}: {message}", self.listener.name),
            remedy: Some(remedy),
        });
    }

    fn tls(&mut self, settings: &TlsOptions, addresses: &[IpAddr], now: Timestamp) {
        match &settings.identity {
            TlsIdentity::Files { certificate, key } => {
                let files = CertificateFiles {
                    certificate: certificate.clone(),
                    key: key.clone(),
                };
                self.identity(&files, now);
            }
            TlsIdentity::SelfSigned { directory } => {
                let files = CertificateFiles::of(directory);
                match files.exist() {
                    Ok(true) => {
                        if let Some(facts) = self.identity(&files, now) {
                            self.own_names(&files, &facts, addresses);
                        }
                    }
                    // It will be made.
                    Ok(false) => {}
                    Err(error) => self.tls_error(Subject::Certificate, error),
                }
            }
        }
        self.clients(settings, now);
    }

    /// Certificate and key, each by itself and together.
    fn identity(&mut self, files: &CertificateFiles, now: Timestamp) -> Option<CertificateFacts> {
        let chain = tls::read_certificates(&files.certificate);
        let key = tls::read_key(&files.key);
        if key.is_ok() {
            self.key_rights(&files.key);
        }
        let chain = match (chain, key) {
            (Ok(chain), Ok(key)) => {
                let fits = tls::Identity::new(files, chain.clone(), key, &tls::provider());
                if let Err(error) = fits.map(|_| ()) {
                    let subject = match error {
                        TlsError::OtherKey { .. } => Subject::Key,
                        _ => Subject::Certificate,
                    };
                    self.tls_error(subject, error);
                }
                chain
            }
            (chain, key) => {
                for (subject, error) in [
                    (Subject::Certificate, chain.err()),
                    (Subject::Key, key.err()),
                ] {
                    if let Some(error) = error {
                        self.tls_error(subject, error);
                    }
                }
                return None;
            }
        };
        let facts = CertificateFacts::read(chain.first()?)?;
        if let Some(why) = facts.out_of_date(now) {
            self.warning(
                Subject::Certificate,
                &format!(
                    "{} {why}: senders that look refuse it",
                    files.certificate.display()
                ),
                "renew it, or look at the clock of this machine".to_owned(),
            );
        }
        Some(facts)
    }

    /// Whether more may read the key than have to.
    fn key_rights(&mut self, key: &Path) {
        let mode = fs::metadata(key).map_or(0, |found| found.mode());
        if mode & 0o007 != 0 {
            self.warning(
                Subject::Key,
                &format!(
                    "every user of this machine may read or change the private key in {}",
                    key.display()
                ),
                format!("`chmod o= {}`", key.display()),
            );
        }
    }

    /// Whether a certificate of our own making has the names that a new one would have. Those of
    /// interfaces come and go, and to find the long name of the machine may take seconds.
    fn own_names(
        &mut self,
        files: &CertificateFiles,
        facts: &CertificateFacts,
        addresses: &[IpAddr],
    ) {
        let listened = addresses.iter().filter(|address| !address.is_unspecified());
        let names = host_name()
            .into_iter()
            .chain(listened.map(ToString::to_string));
        let mut missing: Vec<_> = names.filter(|name| !facts.is_for(name)).collect();
        missing.dedup();
        if !missing.is_empty() {
            let directory = files.certificate.parent().and_then(Path::parent);
            self.warning(
                Subject::Certificate,
                &format!(
                    "the self-made certificate {} does not name {}",
                    files.certificate.display(),
                    missing.join(", ")
                ),
                format!(
                    "senders that use these names refuse it: `logwood certificate --replace --data-dir {}` \
                     makes another, which each sender has to get",
                    directory.unwrap_or(Path::new(".")).display()
                ),
            );
        }
    }

    /// What clients are compared with.
    fn clients(&mut self, settings: &TlsOptions, now: Timestamp) {
        let (ClientCertificates::Optional { authorities }
        | ClientCertificates::Required { authorities }) = &settings.clients
        else {
            return;
        };
        let provider = tls::provider();
        if let Err(error) = tls::trusted_by(authorities, None, &provider) {
            self.tls_error(Subject::Authorities, error);
        } else if let Some(list) = &settings.checks.revoked
            && let Err(error) = tls::trusted_by(authorities, Some(list), &provider)
        {
            self.tls_error(Subject::Revoked, error);
        }
        for certificate in tls::read_certificates(authorities).unwrap_or_default() {
            let why = CertificateFacts::read(&certificate).and_then(|facts| facts.out_of_date(now));
            if let Some(why) = why {
                self.warning(
                    Subject::Authorities,
                    &format!("an authority in {} {why}", authorities.display()),
                    "take it out, or put its successor in".to_owned(),
                );
            }
        }
    }

    /// Binds, and lets go.
    fn address(&mut self) {
        let options = self.listener;
        let tried = match &options.address {
            Address::Internet(address) if options.transport.is_datagram() => {
                socket::bind_udp(*address, 1, false).map(|_| ())
            }
            Address::Internet(address) => socket::listen(*address).map(|_| ()),
            Address::Unix(path) => {
                let kind = match options.transport.is_datagram() {
                    true => Type::DGRAM,
                    false => Type::STREAM,
                };
                for error in socket_file::examine(path, kind, &options.socket_file) {
                    let subject = match error.account() {
                        Some("user") => Subject::Owner,
                        Some(_) => Subject::Group,
                        None => Subject::Address,
                    };
                    self.error(subject, &socket_file_error(options, error));
                }
                return;
            }
        };
        if let Err(error) = tried {
            self.error(Subject::Address, &bind_error(options, error));
        }
    }
}

#[cfg(test)]
mod tests;
