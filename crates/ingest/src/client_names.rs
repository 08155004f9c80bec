//! Which names a client certificate must have.
//!
//! A pattern is a DNS name, in which a leading `*.` stands for one label, or parts of the subject,
//! as `CN=web*, O=Example`: each must stand in the subject, `*` for any text. DNS names are those of
//! the certificate, and its common name where it has none.

use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

use crate::limits::SUBJECT_PARTS_MAX;

/// What a client certificate says of its owner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientNames {
    dns: Vec<String>,
    /// Attributes of the subject, by their short names.
    subject: Vec<(&'static str, String)>,
}

/// The attributes that patterns can name, and the last bytes of their object identifiers: those
/// under 2.5.4 (X.520) have one byte more than that.
const ATTRIBUTES: &[(&str, &[u8])] = &[
    ("CN", &[0x55, 0x04, 0x03]),
    ("SERIALNUMBER", &[0x55, 0x04, 0x05]),
    ("C", &[0x55, 0x04, 0x06]),
    ("L", &[0x55, 0x04, 0x07]),
    ("ST", &[0x55, 0x04, 0x08]),
    ("O", &[0x55, 0x04, 0x0a]),
    ("OU", &[0x55, 0x04, 0x0b]),
    (
        "EMAILADDRESS",
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01],
    ),
    (
        "UID",
        &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x01],
    ),
    (
        "DC",
        &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x19],
    ),
];

/// Whether a text can stand in the list of patterns; the reason where it cannot.
pub fn check_client_pattern(pattern: &str) -> Result<(), String> {
    if !pattern.contains('=') {
        let name = pattern.strip_prefix("*.").unwrap_or(pattern);
        let is_name = !name.is_empty() && !name.contains(['*', ' ', '/']);
        return is_name.then_some(()).ok_or_else(|| {
            "it is neither a DNS name, perhaps behind `*.`, nor parts of a subject as `O=Example`"
                .to_owned()
        });
    }
    for part in parts(pattern) {
        let name = part.split_once('=').map_or(part, |(name, _)| name).trim();
        let is_known = |known: &&(&str, &[u8])| known.0.eq_ignore_ascii_case(name);
        if !part.contains('=') || !ATTRIBUTES.iter().any(|known| is_known(&known)) {
            let known: Vec<_> = ATTRIBUTES.iter().map(|(name, _)| *name).collect();
            return Err(format!("{part:?} is none of {}", known.join(", ")));
        }
    }
    Ok(())
}

impl ClientNames {
    /// Reads a certificate; `None` where it is none.
    pub(crate) fn read(certificate: &CertificateDer<'_>) -> Option<Self> {
        let certificate = EndEntityCert::try_from(certificate).ok()?;
        let dns = certificate.valid_dns_names().map(str::to_owned).collect();
        let subject = read_subject(certificate.subject());
        Some(Self { dns, subject })
    }

    /// Whether a pattern is met.
    pub(crate) fn meet(&self, pattern: &str) -> bool {
        if pattern.contains('=') {
            return parts(pattern).all(|part| self.has_part(part));
        }
        let common = self.subject.iter().filter(|(name, _)| *name == "CN");
        let common = common.map(|(_, value)| value.as_str());
        match self.dns.is_empty() {
            true => common.into_iter().any(|name| is_dns_match(pattern, name)),
            false => self.dns.iter().any(|name| is_dns_match(pattern, name)),
        }
    }

    /// What to tell of it.
    pub(crate) fn describe(&self) -> String {
        let subject = self.subject.iter();
        let mut texts: Vec<_> = subject
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        texts.extend(self.dns.iter().cloned());
        texts.join(", ")
    }

    fn has_part(&self, part: &str) -> bool {
        let Some((name, value)) = part.split_once('=') else {
            return false;
        };
        let is_met = |(own, text): &(&str, String)| {
            own.eq_ignore_ascii_case(name.trim()) && is_text_match(value.trim(), text)
        };
        self.subject.iter().any(is_met)
    }
}

fn parts(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split(',').map(str::trim)
}

/// `*.example.com` is `www.example.com` and not `a.b.example.com` (RFC 6125).
fn is_dns_match(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(parent) => name
            .split_once('.')
            .is_some_and(|(label, rest)| !label.is_empty() && rest.eq_ignore_ascii_case(parent)),
        None => pattern.eq_ignore_ascii_case(name),
    }
}

/// A text in which each `*` stands for any text.
fn is_text_match(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<_> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The attributes of a subject: sets of sequences of an identifier and a text.
fn read_subject(mut der: &[u8]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    while let Some((_, mut set, rest)) = read_value(der) {
        der = rest;
        while let Some((_, pair, more)) = read_value(set) {
            set = more;
            if let Some(attribute) = read_attribute(pair)
                && found.len() < SUBJECT_PARTS_MAX
            {
                found.push(attribute);
            }
        }
    }
    found
}

fn read_attribute(pair: &[u8]) -> Option<(&'static str, String)> {
    const BMP_STRING: u8 = 0x1e;
    let (_, identifier, rest) = read_value(pair)?;
    let (tag, value, _) = read_value(rest)?;
    let (name, _) = ATTRIBUTES.iter().find(|(_, known)| *known == identifier)?;
    let text = if tag == BMP_STRING {
        let units: Vec<u16> = value
            .chunks_exact(2)
            .map(|pair| {
                pair.iter()
                    .fold(0, |unit, byte| unit << 8 | u16::from(*byte))
            })
            .collect();
        String::from_utf16_lossy(&units)
    } else {
        String::from_utf8_lossy(value).into_owned()
    };
    Some((*name, text))
}

/// The tag and content of the first DER value, and what follows it.
fn read_value(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match *length {
        short @ ..=0x7f => (usize::from(short), rest),
        // One or two bytes of length follow; subjects are shorter than 64 KiB, or they are none.
        0x81 => rest
            .split_first()
            .map(|(one, rest)| (usize::from(*one), rest))?,
        0x82 => {
            let (two, rest) = rest.split_at_checked(2)?;
            let length = two
                .iter()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    fn names(dns: &[&str], subject: &[(DnType, &str)]) -> ClientNames {
        let dns: Vec<_> = dns.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(dns).expect("names");
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (kind, value) in subject {
            params.distinguished_name.push(kind.clone(), *value);
        }
        let key = KeyPair::generate().expect("makes one");
        let made = params.self_signed(&key).expect("makes one");
        ClientNames::read(made.der()).expect("a certificate")
    }

    #[test]
    fn names_are_those_of_the_certificate_or_else_the_common_name() {
        let web = names(
            &["web.example.com"],
            &[(DnType::CommonName, "other.example.com")],
        );
        for (pattern, expected) in [
            ("web.example.com", true),
            ("WEB.example.COM", true),
            ("*.example.com", true),
            ("*.com", false),
            ("other.example.com", false),
            ("example.com", false),
        ] {
            assert_eq!(web.meet(pattern), expected, "{pattern}");
        }
        let plain = names(&[], &[(DnType::CommonName, "web.example.com")]);
        assert!(plain.meet("*.example.com") && !plain.meet("web"));
    }

    #[test]
    fn every_part_of_a_subject_must_be_met() {
        let subject = [
            (DnType::CommonName, "web 1"),
            (DnType::OrganizationName, "Example \u{c1} Inc"),
            (DnType::OrganizationalUnitName, "Sites"),
            (DnType::CountryName, "HU"),
        ];
        let own = names(&["a"], &subject);
        for (pattern, expected) in [
            ("O=Example*", true),
            ("o=*inc, c=hu", true),
            ("CN=web *,OU=Sites", true),
            ("CN=*1", true),
            ("CN=web", false),
            ("O=Example*, L=*", false),
            ("CN=w*b*1", true),
            ("CN=w*x*1", false),
        ] {
            assert_eq!(own.meet(pattern), expected, "{pattern}");
        }
        let described = own.describe();
        assert!(
            described.contains("CN=web 1") && described.contains("a"),
            "{described}"
        );
    }

    #[test]
    fn patterns_that_cannot_be_met_are_told() {
        for right in ["a.b", "*.b", "CN=*, O=x", "emailAddress=a@b"] {
            assert_eq!(check_client_pattern(right), Ok(()), "{right}");
        }
        for wrong in ["", "*", "a.*.b", "X=1", "CN=a, b", "two words"] {
            assert!(check_client_pattern(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_bytes_make_reading_a_subject_panic() {
        let mut der = vec![0x31, 0x82, 0x00];
        for byte in 0..=255_u8 {
            der.push(byte);
            read_subject(&der);
        }
        assert_eq!(read_subject(&[0x31, 0x84, 1, 1, 1, 1]), []);
    }
}
