//! Certificates of every kind, made by openssl.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

/// A folder in which openssl makes certificates.
pub(super) struct Zoo {
    program: PathBuf,
    folder: TempDir,
}

/// A certificate that is to be made.
#[derive(Clone, Copy)]
pub(super) struct Animal {
    /// Its files are called so.
    pub(super) name: &'static str,
    /// Who signs; itself where it is its own name.
    pub(super) issuer: &'static str,
    pub(super) subject: &'static str,
    /// What `-newkey` takes.
    pub(super) key: &'static [&'static str],
    pub(super) digest: &'static str,
    /// Extensions in openssl's language, a line each.
    pub(super) extensions: &'static str,
    /// First and last day, as `YYYYMMDD`.
    pub(super) days: (&'static str, &'static str),
}

pub(super) const P256: &[&str] = &["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/// What makes a certificate that of an authority.
pub(super) const AUTHORITY: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n\
     subjectKeyIdentifier=hash\n";

impl Animal {
    /// One that is in order, of the authority `root`.
    pub(super) const fn new(name: &'static str) -> Self {
        Self {
            name,
            issuer: "root",
            subject: "/O=Zoo/CN=animal",
            key: P256,
            digest: "sha256",
            extensions: "subjectAltName=DNS:animal.example\n",
            days: ("20200101", "20491231"),
        }
    }

    pub(super) const fn by(mut self, issuer: &'static str) -> Self {
        self.issuer = issuer;
        self
    }

    pub(super) const fn subject(mut self, subject: &'static str) -> Self {
        self.subject = subject;
        self
    }

    pub(super) const fn key(mut self, key: &'static [&'static str]) -> Self {
        self.key = key;
        self
    }

    pub(super) const fn digest(mut self, digest: &'static str) -> Self {
        self.digest = digest;
        self
    }

    pub(super) const fn extensions(mut self, extensions: &'static str) -> Self {
        self.extensions = extensions;
        self
    }

    pub(super) const fn days(mut self, first: &'static str, last: &'static str) -> Self {
        self.days = (first, last);
        self
    }
}

impl Zoo {
    pub(super) fn new(program: PathBuf) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self { program, folder })
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Makes `NAME.pem` and `NAME.key`.
    pub(super) fn make(&self, animal: &Animal) -> Result<()> {
        let Animal { name, issuer, .. } = animal;
        let section = |name: &str| {
            format!(
                "[{name}]\nprivate_key={name}.key\ncertificate={name}.pem\ndatabase={name}.db\n\
                 new_certs_dir=.\ndefault_md=sha256\npolicy=policy\nunique_subject=no\n\
                 rand_serial=yes\ndefault_crl_days=30\n\
                 crlnumber={name}.crlnumber\ncrl_extensions=crl\n"
            )
        };
        let config = format!(
            "[req]\ndistinguished_name=dn\n[dn]\n[crl]\nauthorityKeyIdentifier=keyid\n[policy]\nCN=optional\nO=optional\nOU=optional\n\
             [ext]\n{}{}",
            animal.extensions,
            section(issuer)
        );
        fs::write(self.path(&format!("{name}.cnf")), config)?;
        let config = format!("{name}.cnf");
        let (key, request) = (format!("{name}.key"), format!("{name}.csr"));
        let words = ["req", "-new", "-config", &config, "-nodes", "-newkey"];
        let files = ["-keyout", &key, "-out", &request, "-subj", animal.subject];
        self.run(&[words.as_slice(), animal.key, &files].concat())?;
        let database = self.path(&format!("{issuer}.db"));
        if !database.exists() {
            fs::write(database, "")?;
            fs::write(self.path(&format!("{issuer}.crlnumber")), "01\n")?;
        }
        let (first, last) = animal.days;
        let (first, last) = (format!("{first}000000Z"), format!("{last}000000Z"));
        let certificate = format!("{name}.pem");
        let mut words = vec![
            "ca", "-batch", "-notext", "-config", &config, "-name", issuer,
        ];
        words.extend(["-in", &request, "-out", &certificate, "-md", animal.digest]);
        words.extend([
            "-startdate",
            &first,
            "-enddate",
            &last,
            "-extensions",
            "ext",
        ]);
        if name == issuer {
            words.extend(["-selfsign", "-keyfile", &key]);
        }
        self.run(&words)
    }

    /// Revokes a certificate, and writes the list of its issuer.
    pub(super) fn revoke(&self, animal: &Animal) -> Result<()> {
        let config = format!("{}.cnf", animal.name);
        let certificate = format!("{}.pem", animal.name);
        let list = format!("{}.crl", animal.issuer);
        let own = ["ca", "-config", &config, "-name", animal.issuer];
        self.run(&[own.as_slice(), &["-revoke", &certificate]].concat())?;
        self.run(&[own.as_slice(), &["-gencrl", "-out", &list]].concat())
    }

    /// The SHA-256 fingerprint of a certificate as openssl writes it.
    pub(super) fn fingerprint(&self, name: &str) -> Result<String> {
        let certificate = format!("{name}.pem");
        let words = [
            "x509",
            "-noout",
            "-fingerprint",
            "-sha256",
            "-in",
            &certificate,
        ];
        let output = self.command(&words).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Connects with these words, sends a text, and closes.
    pub(super) fn send(&self, words: &[&str], text: &str) -> Result<String> {
        let own = ["s_client", "-quiet", "-no_ign_eof"];
        let mut client = self
            .command(&[own.as_slice(), words].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = client.stdin.take() {
            // A client that is refused may have ended already.
            _ = std::io::Write::write_all(&mut input, text.as_bytes());
        }
        let output = client.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Result<()> {
        let output = self.command(words).output().context("cannot run openssl")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "openssl {words:?} said: {said}");
        Ok(())
    }
}
