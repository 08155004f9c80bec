//! SHA-256 fingerprints of certificates, as rsyslog and syslog-ng write them.

use std::fmt;

use ring::digest::{SHA256, digest};

/// Bytes of a SHA-256 digest.
const BYTES: usize = 32;

/// The SHA-256 digest of a certificate in DER form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; BYTES]);

impl Fingerprint {
    /// Reads 64 hexadecimal digits, in pairs with colons between or not, behind `SHA256:` (rsyslog,
    /// syslog-ng), `sha256 Fingerprint=` (openssl) or nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let prefixes = ["sha256:", "sha256=", "sha-256:", "sha256 fingerprint="];
        let digits = prefixes
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .unwrap_or(&text);
        let mut nibbles = Vec::with_capacity(2 * BYTES);
        for (index, character) in digits.chars().filter(|c| *c != ':').enumerate() {
            if index >= 2 * BYTES {
                return None;
            }
            nibbles.push(u8::try_from(character.to_digit(16)?).ok()?);
        }
        let bytes: Vec<u8> = nibbles
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |byte, nibble| byte << 4 | nibble))
            .collect();
        (nibbles.len() == 2 * BYTES).then_some(Self(bytes.try_into().ok()?))
    }

    /// That of a certificate in DER form.
    pub(crate) fn of(certificate: &[u8]) -> Self {
        let mut bytes = [0; BYTES];
        let found = digest(&SHA256, certificate);
        for (byte, found) in bytes.iter_mut().zip(found.as_ref()) {
            *byte = *found;
        }
        Self(bytes)
    }
}

/// As rsyslog and syslog-ng write it: `SHA256:AB:01:...`.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SHA256")?;
        self.0.iter().try_for_each(|byte| write!(f, ":{byte:02X}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_form_is_understood() {
        let own = Fingerprint::of(b"abc");
        let written = own.to_string();
        let expected = "SHA256:BA:78:16:BF:8F:01:CF:EA:41:41:40:DE:5D:AE:22:23:B0:03:61:A3:96:17:\
                        7A:9C:B4:10:FF:61:F2:00:15:AD";
        assert_eq!(written, expected);
        let digits = written.trim_start_matches("SHA256:");
        for form in [
            written.clone(),
            digits.to_owned(),
            digits.replace(':', ""),
            digits.to_lowercase(),
            format!("sha256 Fingerprint={digits}"),
        ] {
            assert_eq!(Fingerprint::parse(&form), Some(own), "{form}");
        }
        for wrong in [
            "",
            "SHA1:AB",
            "SHA256:",
            "zz",
            &written[..90],
            &format!("{written}:00"),
        ] {
            assert_eq!(Fingerprint::parse(wrong), None, "{wrong}");
        }
    }
}
