//! Destinations over HTTP: secrets, certificates and keys, and what goes together.

use outputs::Rendering;

use crate::document::{Entry, Section};
use crate::finding::Findings;
use crate::value::Value;

/// Secrets: the key that has it, and whether the section cannot do without.
const SECRETS: &[(&str, &str, bool)] = &[
    ("hec", "token", true),
    ("elasticsearch", "password", false),
    ("elasticsearch", "api_key", false),
    ("http", "password", false),
    ("http", "token", false),
    ("http", "oauth_secret", false),
    ("kafka", "password", false),
    ("s3", "secret_key", true),
    ("sql", "password", false),
];

/// Adds what is wrong with a destination over HTTP.
pub(super) fn check(section: &Section, findings: &mut Findings<'_>) {
    for (kind, key, required) in SECRETS {
        if section.kind() == *kind {
            secret(section, key, *required, findings);
        }
    }
    identity(section, findings);
    match section.kind() {
        "hec" => raw_metadata(section, findings),
        "elasticsearch" => login(section, findings),
        _ => {}
    }
}

pub(super) fn set<'s>(section: &'s Section, key: &str) -> Option<&'s Entry> {
    let entry = section.entry(key)?;
    (!matches!(entry.value, Value::Unset)).then_some(entry)
}

/// The entry that has a secret, or says where it is.
pub(super) fn set_secret<'s>(section: &'s Section, key: &str) -> Option<&'s Entry> {
    let keys = [key.to_owned(), format!("{key}_file"), format!("{key}_env")];
    keys.iter().find_map(|key| set(section, key))
}

/// A secret stands at one place.
fn secret(section: &Section, key: &str, required: bool, findings: &mut Findings<'_>) {
    let keys = [key.to_owned(), format!("{key}_file"), format!("{key}_env")];
    let mut found = keys.iter().filter_map(|key| set(section, key));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            let message = format!("`{}` is set beside `{}`", second.key.name, first.key.name);
            let hint = "leave one of them out".to_owned();
            findings.error(second.span.clone(), message, Some(hint));
        }
        // A value that is wrong is told already, and leaves the key unset.
        (None, _) if required && !keys.iter().any(|key| is_written(section, key)) => {
            let message = format!("`{}` has no `{key}`", section.path());
            let hint = format!("add `{key}_file = \"/etc/logwood/{key}\"`, a file that has it");
            findings.error(section.name_span(), message, Some(hint));
        }
        _ => {}
    }
}

fn is_written(section: &Section, key: &str) -> bool {
    section.entry(key).is_some_and(|entry| entry.span.is_some())
}

/// One way to say who we are, and all of it.
fn login(section: &Section, findings: &mut Findings<'_>) {
    let user = set(section, "user");
    let password = set_secret(section, "password");
    let api_key = set_secret(section, "api_key");
    let (entry, message, hint) = match (user, password, api_key) {
        (Some(user), None, None) => (
            user,
            "`user` is set without a password",
            "add `password_file`, a file that has it",
        ),
        (None, Some(password), _) => (password, "there is no `user` for this", "add `user`"),
        (Some(user), _, Some(_)) => (
            user,
            "`user` is set beside an API key",
            "leave one of them out",
        ),
        _ => return,
    };
    findings.error(entry.span.clone(), message, Some(hint.to_owned()));
}

/// A certificate and its key go together.
fn identity(section: &Section, findings: &mut Findings<'_>) {
    for (key, missing) in [("certificate", "key"), ("key", "certificate")] {
        if let Some(entry) = set(section, key)
            && section.entry(missing).is_some()
            && set(section, missing).is_none()
        {
            findings.error(
                entry.span.clone(),
                format!("`{key}` is set without `{missing}`"),
                Some(format!("add `{missing}`, or leave both out")),
            );
        }
    }
}

/// Lines have the same metadata for all.
fn raw_metadata(section: &Section, findings: &mut Findings<'_>) {
    let is_raw = section
        .entry("endpoint")
        .is_some_and(|entry| matches!(&entry.value, Value::Text(text) if text == "raw"));
    if !is_raw {
        return;
    }
    for key in ["host", "source", "sourcetype", "index"] {
        // The default of `host` differs for each record, and is left out.
        let Some(entry) = set(section, key).filter(|entry| entry.span.is_some()) else {
            continue;
        };
        if let Value::Text(text) = &entry.value
            && Rendering::template(text).is_ok_and(|one| one.constant().is_none())
        {
            findings.error(
                entry.span.clone(),
                format!("`{key}` has to be the same for all records where `endpoint` is \"raw\""),
                Some("write a fixed text, or set `endpoint = \"event\"`".to_owned()),
            );
        }
    }
}
