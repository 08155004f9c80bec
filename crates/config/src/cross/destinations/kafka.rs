//! Destinations that are topics of Kafka: what this build has, and what goes together.

use outputs::kinds::Kafka;

use super::http::{set, set_secret};
use crate::document::Section;
use crate::finding::Findings;
use crate::value::Value;

/// Adds what is wrong with topics.
pub(super) fn check(section: &Section, findings: &mut Findings<'_>) {
    if section.kind() != "kafka" {
        return;
    }
    if !Kafka::IS_BUILT {
        let message = "this Logwood was built without `kafka`";
        let hint = "build it with the feature `kafka`, or use a package that has it".to_owned();
        findings.error(section.name_span(), message, Some(hint));
    }
    let is = |key: &str, wanted: &Value| {
        let value = section.entry(key).map(|entry| &entry.value);
        match (value, wanted) {
            (Some(Value::Text(text)), Value::Text(wanted)) => text == wanted,
            (Some(Value::Bool(value)), Value::Bool(wanted)) => value == wanted,
            _ => false,
        }
    };
    let is_open = is("sasl", &Value::Text("none".to_owned()));
    let user = set(section, "user");
    let password = set_secret(section, "password");
    for entry in [user, password].into_iter().flatten().filter(|_| is_open) {
        let hint = "set `sasl`, such as \"scram-sha-512\"".to_owned();
        findings.error(
            entry.span.clone(),
            "this is not used without `sasl`",
            Some(hint),
        );
    }
    if let Some(sasl) = section.entry("sasl").filter(|_| !is_open) {
        for (entry, hint) in [
            (user, "add `user`"),
            (password, "add `password_file`, a file that has it"),
        ] {
            if entry.is_none() {
                let message = "`sasl` needs a user and a password";
                findings.error(sasl.span.clone(), message, Some(hint.to_owned()));
            }
        }
    }
    if is("tls", &Value::Bool(false)) {
        for key in ["ca", "certificate", "certificate_key"] {
            if let Some(entry) = set(section, key) {
                let hint = "leave it out, or `tls = false`".to_owned();
                let message = "this is not used: the connection is not encrypted";
                findings.error(entry.span.clone(), message, Some(hint));
            }
        }
    }
}
