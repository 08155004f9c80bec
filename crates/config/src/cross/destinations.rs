//! Destinations: logspaces that they take records of, expressions, templates, and circles.

mod file;
mod http;
mod kafka;
mod objects;
mod push;
mod sql;

use std::collections::HashSet;
use std::ops::Range;

use outputs::kinds::{IndexTemplate, PathTemplate, SqlAddress, TopicTemplate};
use outputs::limits::DESTINATIONS_MAX;
use outputs::{BadTemplate, Rendering};

use super::{names, nearest_of};
use crate::document::{Document, Section, header_key};
use crate::finding::Findings;
use crate::limits::DESTINATION_NAME_BYTES_MAX;
use crate::schema::Kind;
use crate::string::span_in_file;
use crate::value::Value;

/// Adds what is wrong with destinations.
pub(super) fn check(document: &Document, text: &str, findings: &mut Findings<'_>) {
    let declared: Vec<_> = document.of_kind("logspace").map(Section::name).collect();
    let known: HashSet<_> = declared.iter().copied().collect();
    for (count, section) in document.destinations().enumerate() {
        if count == DESTINATIONS_MAX {
            let message = format!("`{}` is one destination too many", section.path());
            let hint = format!("{DESTINATIONS_MAX} are possible");
            findings.error(section.name_span(), message, Some(hint));
            return;
        }
        name(section, findings);
        from((&declared, &known), section, findings);
        super::query(section, text, findings);
        templates(section, text, findings);
        on_reject(section, findings);
        file::check(document, section, findings);
        http::check(section, findings);
        push::check(section, findings);
        objects::check(section, findings);
        kafka::check(section, findings);
        sql::check(section, findings);
        tls(section, findings);
    }
}

/// What is not used because nothing is encrypted, and halves of pairs.
fn tls(section: &Section, findings: &mut Findings<'_>) {
    let Some(transport) = section.entry("transport") else {
        return;
    };
    let set = |key: &str| {
        let entry = section.entry(key)?;
        let is_set = match &entry.value {
            Value::Fingerprints(all) => !all.is_empty(),
            Value::Unset => false,
            _ => true,
        };
        is_set.then(|| entry.span.clone())
    };
    match (set("certificate"), set("key")) {
        (Some(span), None) => findings.error(
            span,
            "`certificate` without `key`",
            Some("name the file with its private key in `key`".to_owned()),
        ),
        (None, Some(span)) => findings.error(
            span,
            "`key` without `certificate`",
            Some("name the file with its certificate in `certificate`".to_owned()),
        ),
        _ => {}
    }
    let encrypts = section
        .entry("tls")
        .is_some_and(|entry| matches!(entry.value, Value::Bool(true)));
    let remedy = match &transport.value {
        Value::Text(word) if word == "tls" => return,
        Value::Text(word) if word == "relp" && encrypts => return,
        Value::Text(word) if word == "relp" => "set `tls = true`",
        _ => "set `transport = \"tls\"`",
    };
    let keys = ["ca", "certificate", "key", "fingerprints", "server_name"];
    let mut unused = keys.iter().filter_map(|key| set(key));
    if let Some(span) = unused.next() {
        // A file that is named to be safe must not be passed over in silence.
        findings.error(
            span,
            "this is not used: the connection is not encrypted",
            Some(remedy.to_owned()),
        );
    }
}

/// The position of a destination is kept in a document that has its name.
fn name(section: &Section, findings: &mut Findings<'_>) {
    if section.name().len() > DESTINATION_NAME_BYTES_MAX {
        let message = "the name of this destination is too long".to_owned();
        let hint = format!("use at most {DESTINATION_NAME_BYTES_MAX} characters");
        findings.error(section.name_span(), message, Some(hint));
    }
}

/// The names in `from` must be those of logspaces, and there must be one.
fn from(
    (declared, known): (&[&str], &HashSet<&str>),
    section: &Section,
    findings: &mut Findings<'_>,
) {
    let from = names(section, "from");
    let is_set = section
        .entry("from")
        .is_some_and(|entry| !matches!(entry.value, Value::Unset));
    if is_set && from.is_empty() {
        let span = section.entry("from").and_then(|entry| entry.span.clone());
        let message = format!("`{}` takes no records", section.path());
        findings.error(
            span,
            message,
            Some("name a logspace, such as [\"main\"]".to_owned()),
        );
    }
    let mut named = HashSet::new();
    for name in from {
        let text = name.text.as_str();
        if !known.contains(text) {
            let hint = match nearest_of(text, declared, findings) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("declare it: `[logspace.{}]`", header_key(text)),
            };
            findings.error(
                name.span.clone(),
                format!("no logspace {text:?}"),
                Some(hint),
            );
        }
        if !named.insert(text) {
            findings.error(
                name.span.clone(),
                format!("{text:?} is named twice"),
                Some("name each logspace once".to_owned()),
            );
        }
    }
}

/// What a template is checked by.
type Check = fn(&str) -> Result<(), BadTemplate>;

/// What is wrong inside of templates, at the right character of the file.
fn templates(section: &Section, text: &str, findings: &mut Findings<'_>) {
    for entry in &section.entries {
        let check: Check = match entry.key.kind {
            Kind::Template | Kind::Templates => |text| Rendering::template(text).map(|_| ()),
            Kind::Database => database,
            Kind::IndexTemplate => |text| IndexTemplate::parse(text).map(|_| ()),
            Kind::TopicTemplate => |text| TopicTemplate::parse(text).map(|_| ()),
            Kind::PathTemplate => |text| PathTemplate::parse(text).map(|_| ()),
            _ => continue,
        };
        let all: Vec<_> = match &entry.value {
            Value::Text(template) => vec![(template, &entry.span)],
            Value::Templates(templates) => {
                let templates = templates.iter();
                templates.map(|(_, one)| (&one.item, &one.span)).collect()
            }
            _ => Vec::new(),
        };
        for (template, span) in all {
            if let Err(bad) = check(template) {
                let place = place(span.clone(), text, bad.span);
                let message = format!("`{}`: {}", entry.key.name, bad.message);
                findings.error(place, message, bad.hint);
            }
        }
    }
}

fn database(url: &str) -> Result<(), BadTemplate> {
    let read = SqlAddress::parse(url).map(|_| ());
    read.map_err(|bad| BadTemplate {
        span: bad.span,
        message: bad.message,
        hint: Some(bad.hint),
    })
}

/// Where a stretch of a value stands in the file.
fn place(span: Option<Range<usize>>, text: &str, inner: Range<usize>) -> Option<Range<usize>> {
    let span = span?;
    let raw = text.get(span.clone()).unwrap_or_default();
    Some(span_in_file(raw, span.start, inner))
}

/// What is refused must not come again.
fn on_reject(section: &Section, findings: &mut Findings<'_>) {
    let Some(entry) = section.entry("on_reject") else {
        return;
    };
    let Value::Text(logspace) = &entry.value else {
        return;
    };
    if names(section, "from")
        .iter()
        .any(|name| name.text == *logspace)
    {
        findings.error(
            entry.span.clone(),
            "refused records would be sent and refused again for ever",
            Some("name a logspace that is not in `from`".to_owned()),
        );
    }
}
