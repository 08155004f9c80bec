//! What a certificate says of itself: names, dates, fingerprint.

use std::net::IpAddr;

use model::Timestamp;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use crate::fingerprint::Fingerprint;

/// What senders see of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFacts {
    /// The DNS names and IP addresses that it is for.
    pub names: Vec<String>,
    /// Its first second, since 1970.
    pub valid_from: i64,
    /// Its last second, since 1970.
    pub valid_until: i64,
    /// By which a sender can know it.
    pub fingerprint: Fingerprint,
}

impl CertificateFacts {
    /// Reads a certificate in DER form; `None` where it is none.
    pub(crate) fn read(der: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let alternatives = certificate.subject_alternative_name().ok().flatten();
        let names = alternatives
            .iter()
            .flat_map(|names| &names.value.general_names);
        Some(Self {
            names: names.filter_map(name_of).collect(),
            valid_from: certificate.validity().not_before.timestamp(),
            valid_until: certificate.validity().not_after.timestamp(),
            fingerprint: Fingerprint::of(der),
        })
    }

    /// Whether it has a name as it is written, a `*` in the certificate standing for one label.
    pub fn is_for(&self, name: &str) -> bool {
        self.names.iter().any(|own| {
            let wild = own.strip_prefix("*.").zip(name.split_once('.'));
            let is_wild = wild.is_some_and(|(parent, (_, rest))| parent.eq_ignore_ascii_case(rest));
            own.eq_ignore_ascii_case(name) || is_wild
        })
    }

    /// Why it is refused at this time, by anybody who looks at its dates.
    pub(crate) fn out_of_date(&self, now: Timestamp) -> Option<String> {
        if now > Timestamp::from_seconds(self.valid_until) {
            return Some(format!("has expired on {}", day(self.valid_until)));
        }
        (now < Timestamp::from_seconds(self.valid_from))
            .then(|| format!("is not valid before {}", day(self.valid_from)))
    }
}

/// The day of a second since 1970 in UTC, as `2026-11-28`.
pub fn day(second: i64) -> String {
    let time = jiff::Timestamp::from_second(second);
    time.map_or_else(
        |_| "an unknown day".to_owned(),
        |time| time.strftime("%F").to_string(),
    )
}

fn name_of(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
            let sixteen = || <[u8; 16]>::try_from(*bytes).map(IpAddr::from);
            four.or_else(|_| sixteen())
                .ok()
                .map(|address| address.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn facts(names: &[&str]) -> CertificateFacts {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.not_before = date_time_ymd(2026, 1, 2);
        params.not_after = date_time_ymd(2026, 12, 31);
        let key = KeyPair::generate().expect("makes one");
        let made = params.self_signed(&key).expect("makes one");
        CertificateFacts::read(made.der()).expect("a certificate")
    }

    #[test]
    fn names_are_dns_names_and_addresses() {
        let names = [
            "logs.example.com",
            "*.b.example",
            "192.0.2.1",
            "2001:db8::1",
        ];
        let facts = facts(&names);
        assert_eq!(facts.names, names);
        for (name, expected) in [
            ("LOGS.example.com", true),
            ("192.0.2.1", true),
            ("2001:db8::1", true),
            ("web.b.example", true),
            ("a.web.b.example", false),
            ("example.com", false),
            ("192.0.2.2", false),
        ] {
            assert_eq!(facts.is_for(name), expected, "{name}");
        }
    }

    #[test]
    fn a_certificate_is_valid_from_its_first_to_its_last_day() {
        let facts = facts(&["a"]);
        let at = |text: &str| Timestamp::parse_rfc3339(text.as_bytes()).expect("a time");
        for (time, expected) in [
            (
                "2026-01-01T23:59:59Z",
                Some("is not valid before 2026-01-02"),
            ),
            ("2026-01-02T00:00:00Z", None),
            ("2026-12-31T00:00:00Z", None),
            ("2026-12-31T00:00:01Z", Some("has expired on 2026-12-31")),
        ] {
            assert_eq!(facts.out_of_date(at(time)).as_deref(), expected, "{time}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_facts() {
        assert_eq!(CertificateFacts::read(b""), None);
        assert_eq!(
            CertificateFacts::read(&[0x30, 0x82, 0xff, 0xff, 0x30]),
            None
        );
    }
}
