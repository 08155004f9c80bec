//! What each client gets: it is read, or it is refused with these words.

use super::zoo::{AUTHORITY, Animal};

/// The certificates, each behind the one that signs it.
pub(super) const ANIMALS: &[Animal] = &[
    Animal::new("root")
        .by("root")
        .subject("/CN=Zoo root")
        .extensions(AUTHORITY),
    Animal::new("stranger")
        .by("stranger")
        .subject("/CN=Stranger")
        .extensions(AUTHORITY),
    Animal::new("twin")
        .by("twin")
        .subject("/CN=Zoo root")
        .extensions(AUTHORITY),
    Animal::new("between")
        .subject("/CN=Between")
        .extensions(AUTHORITY),
    Animal::new("old-between")
        .subject("/CN=Old between")
        .extensions(AUTHORITY)
        .days("20200101", "20210101"),
    Animal::new("short")
        .subject("/CN=Short")
        .extensions("basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=keyCertSign\n"),
    Animal::new("too-deep")
        .by("short")
        .subject("/CN=Too deep")
        .extensions(AUTHORITY),
    Animal::new("narrow").subject("/CN=Narrow").extensions(
        "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n\
         nameConstraints=critical,permitted;DNS:elsewhere.example\n",
    ),
    Animal::new("good"),
    Animal::new("rsa").key(&["rsa:2048"]),
    Animal::new("p384").key(&["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]),
    Animal::new("ed25519").key(&["ed25519"]),
    Animal::new("below").by("between"),
    Animal::new("below-old").by("old-between"),
    Animal::new("below-deep").by("too-deep"),
    Animal::new("below-narrow").by("narrow"),
    Animal::new("below-leaf").by("good"),
    Animal::new("expired").days("20200101", "20210101"),
    Animal::new("early").days("20480101", "20491231"),
    Animal::new("self-signed").by("self-signed"),
    Animal::new("old-self-signed")
        .by("old-self-signed")
        .days("20200101", "20210101"),
    Animal::new("of-stranger").by("stranger"),
    Animal::new("of-twin").by("twin"),
    Animal::new("for-servers").extensions("extendedKeyUsage=serverAuth\n"),
    Animal::new("for-clients").extensions("extendedKeyUsage=clientAuth\n"),
    Animal::new("for-both").extensions("extendedKeyUsage=serverAuth,clientAuth\n"),
    Animal::new("revoked"),
    Animal::new("weak-key").key(&["rsa:1024"]),
    Animal::new("weak-digest").digest("sha1"),
    Animal::new("critical").extensions("1.2.3.4.5=critical,ASN1:NULL\n"),
    Animal::new("other-name").extensions("subjectAltName=DNS:animal.other\n"),
    Animal::new("no-name")
        .subject("/O=Zoo Budapest/CN=plain.example")
        .extensions("basicConstraints=CA:FALSE\n"),
];

/// What becomes of a client.
pub(super) struct Case {
    /// The source that it connects to.
    pub(super) source: &'static str,
    /// The certificate that it shows; none where it is empty.
    pub(super) animal: &'static str,
    /// Certificates that it sends along.
    pub(super) chain: &'static [&'static str],
    /// More words for openssl.
    pub(super) words: &'static [&'static str],
    /// Why it is refused, if it is.
    pub(super) refusal: Option<&'static str>,
}

const fn read(source: &'static str, animal: &'static str) -> Case {
    Case {
        source,
        animal,
        chain: &[],
        words: &[],
        refusal: None,
    }
}

const fn refused(source: &'static str, animal: &'static str, why: &'static str) -> Case {
    Case {
        refusal: Some(why),
        ..read(source, animal)
    }
}

impl Case {
    const fn with_chain(mut self, chain: &'static [&'static str]) -> Self {
        self.chain = chain;
        self
    }

    const fn with_words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }
}

const NO_ISSUER: &str = "no authority of `client_ca` has issued it";
/// What openssl needs to show a weak certificate at all.
const UNSAFE: &[&str] = &["-cipher", "ALL:@SECLEVEL=0"];

const EXPIRED: &str = "certificate expired";
const NONE_SHOWN: &str = "the client shows no certificate";
const NOT_LISTED: &str = "neither `client_names` nor `client_fingerprints` has the certificate of";

pub(super) const CASES: &[Case] = &[
    read("required", "good"),
    read("required", "good").with_words(&["-tls1_2"]),
    read("required", "good").with_words(&["-tls1_3"]),
    read("required", "rsa"),
    read("required", "rsa").with_words(&["-tls1_2"]),
    read("required", "p384"),
    read("required", "ed25519"),
    read("required", "below").with_chain(&["between"]),
    read("required", "for-clients"),
    read("required", "for-both"),
    read("required", "other-name"),
    refused("required", "", NONE_SHOWN),
    refused("required", "", NONE_SHOWN).with_words(&["-tls1_2"]),
    refused("required", "below", NO_ISSUER),
    refused("required", "expired", EXPIRED),
    refused("required", "expired", EXPIRED).with_words(&["-tls1_2"]),
    refused("required", "early", "certificate not valid yet"),
    refused("required", "self-signed", NO_ISSUER),
    refused("required", "of-stranger", NO_ISSUER),
    refused("required", "of-stranger", NO_ISSUER).with_chain(&["stranger"]),
    refused("required", "of-twin", "a signature in its chain is wrong"),
    refused("required", "for-servers", "extended key usage"),
    refused(
        "required",
        "revoked",
        "it is revoked by a list of `client_crl`",
    ),
    refused(
        "required",
        "weak-key",
        "a signature in its chain is wrong, or of too small a key",
    )
    .with_words(UNSAFE),
    refused(
        "required",
        "weak-digest",
        "is signed in a way that is not safe",
    )
    .with_words(UNSAFE),
    refused("required", "critical", "it has a critical extension"),
    refused("required", "below-old", EXPIRED).with_chain(&["old-between"]),
    refused(
        "required",
        "below-deep",
        "there are more authorities above it",
    )
    .with_chain(&["too-deep", "short"]),
    refused("required", "below-narrow", "may not sign for its name").with_chain(&["narrow"]),
    refused("required", "below-leaf", "what signed it is not").with_chain(&["good"]),
    refused("required", "root", "it is that of an authority"),
    refused(
        "required",
        "good",
        "the client does not trust our certificate",
    )
    .with_words(&["-verify_return_error", "-CAfile", "stranger.pem"]),
    read("optional", ""),
    read("optional", "good"),
    refused("optional", "self-signed", NO_ISSUER),
    refused("optional", "expired", EXPIRED),
    read("optional-untrusted", ""),
    read("optional-untrusted", "old-self-signed"),
    read("required-untrusted", "self-signed"),
    read("required-untrusted", "of-stranger"),
    refused("required-untrusted", "", NONE_SHOWN),
    read("names", "good"),
    read("names", "no-name"),
    refused("names", "other-name", NOT_LISTED),
    refused("names", "self-signed", NO_ISSUER),
    read("fingerprints", "self-signed"),
    refused("fingerprints", "good", NOT_LISTED),
    refused("fingerprints", "old-self-signed", NOT_LISTED),
    read("none", ""),
    read("none", "self-signed"),
    read("detecting", ""),
];
