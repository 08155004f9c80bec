//! Destinations that are webhooks or APIs: what goes together, and what a header can be.

use outputs::Rendering;
use outputs::http::{is_header_name, is_header_value};

use super::http::{set, set_secret};
use crate::document::{Entry, Section};
use crate::finding::Findings;
use crate::value::Value;

/// Headers that Logwood writes, with what to set in their place.
const OWN_HEADERS: &[(&str, &str)] = &[
    ("authorization", "set `token`, or `user` with a password"),
    ("content-type", "set `content_type`"),
    ("content-encoding", "set `compression`"),
    ("content-length", "leave it out"),
    ("transfer-encoding", "leave it out"),
    ("connection", "leave it out"),
    ("host", "write that host in `url`"),
];

/// Adds what is wrong with a webhook or an API.
pub(super) fn check(section: &Section, findings: &mut Findings<'_>) {
    if section.kind() != "http" {
        return;
    }
    let preset = text(section, "preset").unwrap_or("none");
    with_preset(section, preset, findings);
    urls(section, preset, findings);
    labels(section, preset, findings);
    headers(section, findings);
    logins(section, findings);
}

fn text<'s>(section: &'s Section, key: &str) -> Option<&'s str> {
    match &section.entry(key)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The entry of a key that stands in the file.
fn written<'s>(section: &'s Section, key: &str) -> Option<&'s Entry> {
    set(section, key).filter(|entry| entry.span.is_some())
}

/// What a preset decides, and what only presets have.
fn with_preset(section: &Section, preset: &str, findings: &mut Findings<'_>) {
    let (keys, message, hint): (&[_], _, _) = match preset {
        "none" => (
            &["labels"],
            "this is not used: a body without `preset` has no labels",
            "leave it out, or write them in `template`",
        ),
        _ => (
            &["form", "body_prefix", "body_suffix"],
            "this is not used: `preset` decides what a body is",
            "leave it out, or `preset`",
        ),
    };
    for key in keys {
        if let Some(entry) = written(section, key) {
            findings.error(entry.span.clone(), message, Some(hint.to_owned()));
        }
    }
    if preset == "azure"
        && let Some(entry) = written(section, "labels")
    {
        let hint = "write columns in `template`".to_owned();
        findings.error(
            entry.span.clone(),
            "rows of Azure have no labels",
            Some(hint),
        );
    }
}

/// URLs that an API cannot have.
fn urls(section: &Section, preset: &str, findings: &mut Findings<'_>) {
    let Some(entry) = section.entry("url") else {
        return;
    };
    let Value::Texts(urls) = &entry.value else {
        return;
    };
    for url in urls {
        let hint = match preset {
            "pubsub" if !url.ends_with(":publish") => {
                "write one such as \"https://pubsub.googleapis.com/v1/projects/P/topics/T:publish\""
            }
            "azure" if !url.contains("/streams/") || !url.contains("api-version=") => {
                "write one such as \"https://NAME.ingest.monitor.azure.com/dataCollectionRules/dcr-ID/streams/\
                 Custom-TABLE?api-version=2023-01-01\""
            }
            _ => continue,
        };
        let message = format!("{url:?} is no URL that takes records there");
        findings.error(entry.span.clone(), message, Some(hint.to_owned()));
    }
    if let Some(entry) = section.entry("oauth_url")
        && let Value::Texts(urls) = &entry.value
        && urls.len() > 1
    {
        let hint = Some("write one".to_owned());
        findings.error(entry.span.clone(), "a token is fetched at one URL", hint);
    }
}

/// Names that Loki refuses.
fn labels(section: &Section, preset: &str, findings: &mut Findings<'_>) {
    if preset != "loki" {
        return;
    }
    let Some(Value::Templates(labels)) = section.entry("labels").map(|entry| &entry.value) else {
        return;
    };
    for (name, value) in labels {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = name.bytes().all(is_part)
            && name
                .bytes()
                .next()
                .is_some_and(|first| !first.is_ascii_digit());
        if !is_name {
            let message = format!("{name:?} can be no label of Loki");
            let hint = "use letters, digits and _, and no digit in front".to_owned();
            findings.error(value.span.clone(), message, Some(hint));
        }
    }
}

/// Names and values that are possible, and that are not written otherwise.
fn headers(section: &Section, findings: &mut Findings<'_>) {
    if let Some(Value::Templates(headers)) = section.entry("headers").map(|entry| &entry.value) {
        for (name, value) in headers {
            let small = name.to_ascii_lowercase();
            let mut own = OWN_HEADERS.iter();
            let constant = Rendering::template(&value.item).map(|one| one.constant());
            let (message, hint) = if let Some((_, hint)) = own.find(|(own, _)| *own == small) {
                (format!("the header {name} is written by Logwood"), *hint)
            } else if !is_header_name(name) {
                let hint = "write one such as \"X-Scope-OrgID\"";
                (format!("{name:?} is no name of a header"), hint)
            } else if matches!(constant, Ok(None)) {
                let hint = "write a fixed text";
                (
                    format!("the header {name} has to be the same for all records"),
                    hint,
                )
            } else if !is_header_value(&value.item) {
                let hint = "write it on one line";
                (
                    format!("the header {name} has characters that no header can have"),
                    hint,
                )
            } else {
                continue;
            };
            findings.error(value.span.clone(), message, Some(hint.to_owned()));
        }
    }
    for key in ["content_type", "token_header"] {
        let Some(entry) = written(section, key) else {
            continue;
        };
        let Value::Text(value) = &entry.value else {
            continue;
        };
        let is_possible = match key {
            "token_header" => is_header_name(value),
            _ => is_header_value(value),
        };
        if !is_possible {
            let message = format!("{value:?} can stand in no header");
            let hint = "write it as the API says".to_owned();
            findings.error(entry.span.clone(), message, Some(hint));
        }
    }
}

/// One way to say who we are, and all of it.
fn logins(section: &Section, findings: &mut Findings<'_>) {
    let (user, password) = (set(section, "user"), set_secret(section, "password"));
    let (url, client) = (set(section, "oauth_url"), set(section, "oauth_client"));
    let secret = set_secret(section, "oauth_secret");
    let token = set_secret(section, "token");
    let ways = [
        user.or(password),
        token,
        url.or(client).or(secret),
        set(section, "google_key_file"),
    ];
    let mut ways = ways.into_iter().flatten();
    if let (Some(first), Some(second)) = (ways.next(), ways.next()) {
        let message = format!("`{}` is set beside `{}`", second.key.name, first.key.name);
        let hint = Some("leave one of them out: there is one way to say who we are".to_owned());
        findings.error(second.span.clone(), message, hint);
    }
    let pairs = [
        (
            user,
            password,
            "`user` without a password",
            "add `password_file`, a file that has it",
        ),
        (password, user, "there is no `user` for this", "add `user`"),
        (
            url,
            client,
            "`oauth_url` without a client",
            "add `oauth_client`",
        ),
        (
            url,
            secret,
            "`oauth_url` without a secret",
            "add `oauth_secret_file`, a file that has it",
        ),
        (
            client.or(secret),
            url,
            "there is no `oauth_url` for this",
            "add `oauth_url`",
        ),
        (
            set(section, "token_header"),
            token,
            "there is no token for this",
            "add `token_file`",
        ),
    ];
    for (entry, other, message, hint) in pairs {
        if let (Some(entry), None) = (entry, other) {
            findings.error(entry.span.clone(), message, Some(hint.to_owned()));
        }
    }
}
