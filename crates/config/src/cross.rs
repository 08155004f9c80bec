//! Checks that need more than one value: names that refer to something, addresses that clash,
//! routes that can never be reached.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use model::SYSLOG_TAG_NAMES;
use pipeline::ROUTE_TAGS_MAX;
use query::Query;

use crate::document::{Document, Entry, Section, header_key};
use crate::finding::Findings;
use crate::limits::{FINAL_ROUTES_MAX, NEAREST_NAMES_MAX, PROBLEMS_MAX};
use crate::nearest::{list, nearest};
use crate::string::span_in_file;
use crate::value::{Name, Value};

mod addresses;
mod destinations;
#[cfg(test)]
mod step_tests;
mod steps;

use addresses::addresses;

/// The source of records handed in over the API.
const HTTP_SOURCE: &str = "http";

/// The source of what Logwood says about itself.
const INTERNAL_SOURCE: &str = "internal";

/// Adds what is wrong between the parts of a document.
pub(crate) fn check(document: &Document, text: &str, findings: &mut Findings<'_>) {
    source_names(document, findings);
    addresses(document, findings);
    paths(document, findings);
    exposure(document, findings);
    for section in document.sources() {
        tls_files(section, findings);
        proxies(section, findings);
    }
    logspaces(document, findings);
    for logspace in document.of_kind("logspace") {
        archive(logspace, findings);
    }
    let sources: Vec<_> = document.sources().map(Section::name).collect();
    let known: HashSet<_> = sources.iter().copied().chain([HTTP_SOURCE]).collect();
    for route in document.of_kind("route") {
        from((&sources, &known), route, findings);
        query(route, text, findings);
    }
    steps::check(document, text, findings);
    for test in document.of_kind("test") {
        named_by_test(test, (&sources, &known), document, findings);
    }
    destinations::check(document, text, findings);
    tags(document, findings);
    reachable(document, findings);
}

/// A source's name stands on every record it receives, so no two may share one.
fn source_names(document: &Document, findings: &mut Findings<'_>) {
    let mut earlier: HashMap<&str, &Section> = HashMap::new();
    for section in document.sources() {
        if section.name() == HTTP_SOURCE {
            findings.error(
                section.name_span(),
                format!("a source cannot be called `{HTTP_SOURCE}`"),
                Some("records handed in over the API have that name as their source".to_owned()),
            );
        }
        if section.name() == INTERNAL_SOURCE {
            findings.error(
                section.name_span(),
                format!("a source cannot be called `{INTERNAL_SOURCE}`"),
                Some("what Logwood says about itself has that name as its source".to_owned()),
            );
        }
        let first = *earlier.entry(section.name()).or_insert(section);
        if !std::ptr::eq(first, section) {
            findings.error(
                section.name_span(),
                format!(
                    "`{}` and `{}` have the same name",
                    first.path(),
                    section.path()
                ),
                Some(format!(
                    "records carry the name of their source: call one of them {:?}",
                    format!("{}-{}", section.name(), section.kind())
                )),
            );
        }
    }
}

/// Two unix sockets on the same path.
fn paths(document: &Document, findings: &mut Findings<'_>) {
    let mut earlier: HashMap<&Path, &Section> = HashMap::new();
    for late in document.of_kind("unix") {
        let Some(Value::Path(path)) = late.entry("listen").map(|entry| &entry.value) else {
            continue;
        };
        let early = *earlier.entry(path).or_insert(late);
        if !std::ptr::eq(early, late) {
            findings.error(
                late.entry("listen").and_then(|entry| entry.span.clone()),
                format!(
                    "the path of `{}` is taken by `{}`",
                    late.path(),
                    early.path()
                ),
                Some("give one of them another path".to_owned()),
            );
        }
    }
}

/// Nobody logs in, so whoever reaches the page and the API is an administrator.
fn exposure(document: &Document, findings: &mut Findings<'_>) {
    let mut entries = document
        .of_kind("http")
        .filter_map(|http| http.entry("listen"));
    let Some(entry) = entries.next() else { return };
    if let Value::Address(address) = entry.value
        && !address.ip().to_canonical().is_loopback()
    {
        findings.warning(
            entry.span.clone(),
            format!("anyone who reaches {address} can read and add records: nobody has to log in"),
            Some(
                "listen on 127.0.0.1, and let people come through SSH or a reverse proxy that \
                 asks who they are"
                    .to_owned(),
            ),
        );
    }
}

/// Whoever is a proxy can claim to be anybody.
fn proxies(section: &Section, findings: &mut Findings<'_>) {
    let Some(Value::Networks(networks)) = section.entry("proxy_from").map(|entry| &entry.value)
    else {
        return;
    };
    if let Some(all) = networks
        .iter()
        .find(|network| network.item.prefix_len() == 0)
    {
        findings.warning(
            all.span.clone(),
            "every sender must put a PROXY header in front, and can claim any address",
            Some("name the addresses of your proxies alone".to_owned()),
        );
    }
}

/// Certificate files come in pairs, client certificates need an authority, and RELP must be told
/// to encrypt.
fn tls_files(section: &Section, findings: &mut Findings<'_>) {
    let span_of = |key| {
        let entry = section.entry(key)?;
        matches!(entry.value, Value::Path(_)).then(|| entry.span.clone())
    };
    let (certificate, key) = (span_of("certificate"), span_of("key"));
    let client_ca = span_of("client_ca");
    let tls = section.entry("tls").map(|entry| &entry.value);
    let remedy = match tls {
        Some(Value::Bool(false)) => Some("set `tls = true`"),
        Some(Value::Text(word)) if word == "none" => Some("set `tls = \"detect\"`"),
        _ => None,
    };
    if let (Some(remedy), Some(span)) = (remedy, certificate.clone().or(client_ca.clone())) {
        findings.warning(
            span,
            "this is not used: the connection is not encrypted",
            Some(remedy.to_owned()),
        );
    }
    match (certificate, key) {
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
    let Some(mode) = section.entry("client_certificates") else {
        return;
    };
    let word = match &mode.value {
        Value::Text(word) => word.as_str(),
        _ => return,
    };
    let trusts = matches!(word, "optional" | "required");
    match (trusts, client_ca) {
        (true, None) => findings.error(
            mode.span.clone(),
            "client certificates cannot be checked without `client_ca`",
            Some("name the file with the authorities to trust in `client_ca`".to_owned()),
        ),
        (false, Some(span)) => findings.warning(
            span,
            match word {
                "none" => "`client_ca` is not used: no client is asked for a certificate",
                _ => "`client_ca` is not used: certificates of any issuer are taken",
            },
            Some("set `client_certificates = \"required\"`, or \"optional\"".to_owned()),
        ),
        _ => {}
    }
    client_lists(section, word, findings);
}

/// Lists that nobody looks at, and certificates that nobody checks.
fn client_lists(section: &Section, word: &str, findings: &mut Findings<'_>) {
    let listed = |key| {
        let entry = section.entry(key)?;
        let is_empty = match &entry.value {
            Value::Texts(texts) => texts.is_empty(),
            Value::Fingerprints(fingerprints) => fingerprints.is_empty(),
            Value::Path(_) => false,
            _ => true,
        };
        (!is_empty).then(|| entry.span.clone())
    };
    let lists = listed("client_names").or(listed("client_fingerprints"));
    match (word, lists, listed("client_crl")) {
        ("none", Some(span), _) | ("none", None, Some(span)) => findings.warning(
            span,
            "this is not used: no client is asked for a certificate",
            Some("set `client_certificates = \"required\"`, or \"optional\"".to_owned()),
        ),
        ("optional-untrusted" | "required-untrusted", _, Some(span)) => findings.warning(
            span,
            "`client_crl` is not used: certificates of any issuer are taken",
            Some("set `client_certificates = \"required\"`, or \"optional\"".to_owned()),
        ),
        ("required-untrusted", None, None) => findings.warning(
            section
                .entry("client_certificates")
                .and_then(|entry| entry.span.clone()),
            "whoever makes a certificate may send",
            Some("list those that may in `client_fingerprints`".to_owned()),
        ),
        ("optional" | "optional-untrusted", Some(span), _) => findings.warning(
            span,
            "clients that show no certificate may send all the same",
            Some("set `client_certificates = \"required\"`".to_owned()),
        ),
        _ => {}
    }
}

/// The keys of an archive come in pairs, and nothing gets there that is deleted before.
fn archive(section: &Section, findings: &mut Findings<'_>) {
    let entry = |key| {
        let entry = section.entry(key)?;
        (!matches!(entry.value, Value::Unset)).then_some(entry)
    };
    let after = entry("archive_after");
    match (after, entry("archive_dir")) {
        (Some(after), None) => findings.error(
            after.span.clone(),
            "`archive_after` without `archive_dir`",
            Some("name the directory that old records go to in `archive_dir`".to_owned()),
        ),
        (None, Some(dir)) => findings.warning(
            dir.span.clone(),
            "`archive_dir` without `archive_after`: nothing is archived",
            Some("say when records go there, such as `archive_after = \"30d\"`".to_owned()),
        ),
        _ => {}
    }
    let seconds = |key| match section.entry(key).map(|entry| &entry.value) {
        Some(Value::Duration(duration)) => Some(*duration),
        _ => None,
    };
    if let (Some(entry), Some(after), Some(keep)) =
        (after, seconds("archive_after"), seconds("keep_age"))
        && after >= keep
    {
        findings.warning(
            entry.span.clone(),
            "nothing is archived: records are deleted before, by `keep_age`",
            Some("make `archive_after` shorter than `keep_age`".to_owned()),
        );
    }
}

/// Logspaces that something sends records to must be declared.
fn logspaces(document: &Document, findings: &mut Findings<'_>) {
    let names: Vec<_> = document.of_kind("logspace").map(Section::name).collect();
    let declared: HashSet<_> = names.iter().copied().collect();
    for section in &document.sections {
        let entry = section.entry("logspace").or(section.entry("on_reject"));
        let Some(entry) = entry else {
            continue;
        };
        let Value::Text(wanted) = &entry.value else {
            continue;
        };
        if declared.contains(wanted.as_str()) {
            continue;
        }
        let hint = match nearest_of(wanted, &names, findings) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("declare it: `[logspace.{}]`", header_key(wanted)),
        };
        findings.error(
            entry.span.clone(),
            format!("no logspace {wanted:?}"),
            Some(hint),
        );
    }
}

/// The nearest of the first names of a file, where the problem is told at all.
fn nearest_of<'n>(written: &str, names: &[&'n str], findings: &Findings<'_>) -> Option<&'n str> {
    let names = names.iter().copied().take(NEAREST_NAMES_MAX);
    findings.has_room().then(|| nearest(written, names))?
}

/// The names in `from` must be those of sources.
fn from((sources, known): (&[&str], &HashSet<&str>), route: &Section, findings: &mut Findings<'_>) {
    let mut named = HashSet::new();
    for name in names(route, "from") {
        let text = name.text.as_str();
        if !known.contains(text) {
            let all = sources.iter().copied().chain([HTTP_SOURCE]);
            let hint = match nearest_of(text, sources, findings)
                .or_else(|| nearest(text, [HTTP_SOURCE]))
            {
                Some(near) => format!("did you mean {near:?}?"),
                None if findings.has_room() => format!("the sources are {}", list(all)),
                None => String::new(),
            };
            findings.error(name.span.clone(), format!("no source {text:?}"), Some(hint));
        }
        if !named.insert(text) {
            findings.warning(name.span.clone(), format!("{text:?} is named twice"), None);
        }
    }
}

/// What a test names must be there: its source, logspaces and destinations.
fn named_by_test(
    test: &Section,
    (sources, known): (&[&str], &HashSet<&str>),
    document: &Document,
    findings: &mut Findings<'_>,
) {
    let mut check =
        |span: Option<std::ops::Range<usize>>, what: &str, text: &str, names: &[&str]| {
            if names.contains(&text) {
                return;
            }
            let hint = match nearest_of(text, names, findings) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("there are {}", list(names.iter().copied())),
            };
            findings.error(span, format!("no {what} {text:?}"), Some(hint));
        };
    if let Some(entry) = test.entry("source")
        && let Value::Text(name) = &entry.value
        && !known.contains(name.as_str())
    {
        check(entry.span.clone(), "source", name, sources);
    }
    let logspaces: Vec<_> = document.of_kind("logspace").map(Section::name).collect();
    for name in names(test, "logspaces") {
        check(name.span.clone(), "logspace", &name.text, &logspaces);
    }
    let destinations = document.destinations();
    let destinations: Vec<_> = destinations
        .map(|section| format!("{}.{}", section.kind(), section.name()))
        .collect();
    let destinations: Vec<_> = destinations.iter().map(String::as_str).collect();
    if let Some(Value::Templates(sent)) = test.entry("sent").map(|entry| &entry.value) {
        for (name, text) in sent {
            check(text.span.clone(), "destination", name, &destinations);
        }
    }
}

/// What the query parser says of `match`, at the right character of the file.
fn query(route: &Section, text: &str, findings: &mut Findings<'_>) {
    if let Some(entry) = route.entry("match") {
        expression(entry, text, findings);
    }
}

/// What the query parser says of a key's value, at the right character of the file.
fn expression(entry: &Entry, text: &str, findings: &mut Findings<'_>) {
    let (Value::Text(expression), Some(span)) = (&entry.value, &entry.span) else {
        return;
    };
    let raw = text.get(span.clone()).unwrap_or_default();
    let diagnostics = query::parse(expression).diagnostics.into_iter();
    for diagnostic in diagnostics.take(PROBLEMS_MAX) {
        let place = span_in_file(raw, span.start, diagnostic.span);
        let message = format!("`{}`: {}", entry.key.name, diagnostic.message);
        match diagnostic.severity {
            query::DiagnosticSeverity::Error => {
                findings.error(Some(place), message, diagnostic.hint);
            }
            query::DiagnosticSeverity::Warning => {
                findings.warning(Some(place), message, diagnostic.hint);
            }
        }
    }
}

/// A record's tags are a small set, so all routes together may only add so many.
fn tags(document: &Document, findings: &mut Findings<'_>) {
    let mut known: HashSet<&str> = HashSet::new();
    let of_routes = document.of_kind("route");
    let of_routes = of_routes.flat_map(|route| names(route, "tags"));
    let of_steps = steps::all(document).into_iter();
    let of_steps = of_steps
        .filter(|step| step.kind() == "tag")
        .flat_map(|step| names(step, "tags"));
    for name in of_routes.chain(of_steps) {
        if SYSLOG_TAG_NAMES.contains(&name.text.as_str()) || !known.insert(&name.text) {
            continue;
        }
        if known.len() > ROUTE_TAGS_MAX {
            findings.error(
                name.span.clone(),
                format!("{:?} is one tag too many", name.text),
                Some(format!(
                    "all routes together may add {ROUTE_TAGS_MAX} different tags"
                )),
            );
            return;
        }
    }
}

/// A route behind a final one that takes everything the later one looks at.
fn reachable(document: &Document, findings: &mut Findings<'_>) {
    let mut finals: Vec<(&Section, HashSet<&str>)> = Vec::new();
    for route in document.of_kind("route") {
        let Some(from) = from_names(route) else {
            continue;
        };
        let earlier = finals.iter().find(|(_, taken)| covers(taken, from));
        if let Some((earlier, _)) = earlier {
            findings.warning(
                route.name_span(),
                format!(
                    "`{}` is never reached: `{}` before it is final and takes everything",
                    route.path(),
                    earlier.path()
                ),
                Some(format!("move it in front of `[{}]`", earlier.path())),
            );
        } else if finals.len() < FINAL_ROUTES_MAX
            && is_final(route)
            && matches_all(route)
            && route.steps("steps").is_empty()
        {
            let taken = from.iter().map(|name| name.text.as_str());
            finals.push((route, taken.collect()));
        }
    }
}

/// The sources a route looks at, none for all; `None` where that could not be understood.
fn from_names(route: &Section) -> Option<&[Name]> {
    match &route.entry("from")?.value {
        Value::Names(names) => Some(names),
        _ => None,
    }
}

/// Whether all of `from` is among `taken`; none means all sources.
fn covers(taken: &HashSet<&str>, from: &[Name]) -> bool {
    let is_taken = |name: &Name| taken.contains(name.text.as_str());
    taken.is_empty() || (!from.is_empty() && from.iter().all(is_taken))
}

fn is_final(route: &Section) -> bool {
    route
        .entry("final")
        .is_some_and(|entry| matches!(entry.value, Value::Bool(true)))
}

fn matches_all(route: &Section) -> bool {
    route
        .entry("match")
        .is_some_and(|entry| match &entry.value {
            Value::Text(text) => query::parse(text).query == Query::all(),
            _ => false,
        })
}

fn names<'a>(section: &'a Section, key: &str) -> &'a [Name] {
    match section.entry(key).map(|entry| &entry.value) {
        Some(Value::Names(names)) => names,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
