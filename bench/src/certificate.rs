//! A certificate for the peers' TLS; Logwood makes its own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Files of a self-signed certificate for the loopback address.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Certificate {
    /// Makes one in a folder.
    pub(crate) fn make(folder: &Path) -> Result<Self> {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made =
            rcgen::generate_simple_self_signed(names).context("cannot make a certificate")?;
        let files = Self {
            certificate: folder.join("certificate.pem"),
            key: folder.join("key.pem"),
        };
        fs::write(&files.certificate, made.cert.pem())?;
        fs::write(&files.key, made.signing_key.serialize_pem())?;
        Ok(files)
    }
}
