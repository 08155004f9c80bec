//! The certificate that a server makes for itself: shown, or made for other names.

use std::io::Write as _;

use ingest::{CertificateFacts, CertificateFiles, TlsError};

use crate::Outcome;
use crate::arguments::CertificateArguments;
use crate::failure::Failure;
use crate::output;

/// Shows the certificate of a data directory; makes it where there is none, or where another is
/// asked for.
pub(crate) fn certificate(arguments: &CertificateArguments) -> Result<Outcome, Failure> {
    let files = CertificateFiles::of(&arguments.data_dir.join("tls"));
    let is_there = match files.exist() {
        // A new one needs nothing of the old.
        Err(_) if arguments.replace => true,
        is_there => is_there?,
    };
    if is_there && !arguments.replace {
        let facts = files.facts()?;
        if let Some(missing) = arguments.names.iter().find(|name| !facts.is_for(name)) {
            let what = format!(
                "the certificate {} does not name {missing}",
                files.certificate.display()
            );
            return Err(Failure::new(what).hint(
                "--replace makes another one; every sender that trusts this one needs the new one",
            ));
        }
        show(&files, &facts)?;
        return Ok(Outcome::Done);
    }
    let mut names = arguments.names.clone();
    for own in ingest::own_names(&[]) {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(&own)) {
            names.push(own);
        }
    }
    files.make(&names)?;
    show(&files, &files.facts()?)?;
    output::words(
        "\nCopy the certificate, and never the key, to the senders. A running server takes it on \
         SIGHUP, as by `systemctl reload logwood`.",
    );
    Ok(Outcome::Done)
}

fn show(files: &CertificateFiles, facts: &CertificateFacts) -> Result<(), Failure> {
    let mut out = output::data();
    writeln!(out, "certificate  {}", files.certificate.display())?;
    writeln!(out, "key          {}", files.key.display())?;
    writeln!(out, "names        {}", facts.names.join(" "))?;
    writeln!(
        out,
        "valid        {} to {}",
        ingest::day(facts.valid_from),
        ingest::day(facts.valid_until)
    )?;
    writeln!(out, "fingerprint  {}", facts.fingerprint)?;
    out.flush()?;
    Ok(())
}

impl From<TlsError> for Failure {
    fn from(error: TlsError) -> Self {
        let failure = Self::new(error.to_string());
        match error.remedy() {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        }
    }
}
