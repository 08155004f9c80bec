//! Values: from what TOML holds to what a key means, and back to TOML.

use std::net::SocketAddr;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

use ingest::limits::{CLIENT_LIST_MAX, HOST_LIST_MAX};
use ingest::{Fingerprint, check_client_pattern};
use jiff::tz::{Offset, TimeZone};
use model::LogspaceName;
use outputs::kinds::{StatusRange, Target};
use query::{Network, Tokens};
use syslog::Encoding;
use syslog::limits::HOST_BYTES_MAX;
use toml::Spanned;
use toml::de::{DeArray, DeInteger, DeTable, DeValue};

use crate::document::{Origin, Section};
use crate::limits::{
    ACCOUNT_BYTES_MAX, COMMAND_WORDS_MAX, LINE_BYTES_MAX, SERVER_NAMES_MAX, TARGETS_MAX,
    TEMPLATES_MAX, URLS_MAX,
};
use crate::nearest::{list, nearest};
use crate::schema::Kind;
use crate::unit::{format_bytes, format_duration, parse_bytes, parse_duration};

/// A value that has been understood.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Unset,
    Address(SocketAddr),
    Bytes(u64),
    Duration(Duration),
    Integer(u64),
    Bool(bool),
    Text(String),
    Path(PathBuf),
    Zone(Zone),
    Names(Vec<Name>),
    Networks(Vec<Placed<Network>>),
    Encoding(Encoding),
    Tokens(Tokens),
    Mode(u32),
    Texts(Vec<String>),
    Fingerprints(Vec<Fingerprint>),
    Secret(String),
    Templates(Vec<(String, Placed<String>)>),
    Steps(Vec<Section>),
}

/// A time zone and how it was written.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub(crate) text: String,
    pub(crate) zone: TimeZone,
}

/// A name and where it stands in the file; nowhere where it is a default or comes from a flag.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Option<Range<usize>>,
}

/// An item of a list and where it stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    pub(crate) item: T,
    pub(crate) span: Option<Range<usize>>,
}

/// Why a value cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Where, if not the whole value is meant.
    pub(crate) span: Option<Range<usize>>,
}

impl BadValue {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: Some(hint.into()),
            span: None,
        }
    }
}

impl Kind {
    /// What a value of this kind looks like, for the reference and for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Address => "address and port".to_owned(),
            Self::Bytes(range) => {
                let (low, high) = (format_bytes(*range.start()), format_bytes(*range.end()));
                format!("size, {low} to {high}")
            }
            Self::Duration(range) => {
                let show = |seconds: &u64| format_duration(Duration::from_secs(*seconds));
                format!("time, {} to {}", show(range.start()), show(range.end()))
            }
            Self::Integer(range) => format!("number, {} to {}", range.start(), range.end()),
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Path => "path".to_owned(),
            Self::Choice(words) => words
                .iter()
                .map(|word| format!("`\"{word}\"`"))
                .collect::<Vec<_>>()
                .join(", "),
            Self::Zone => "time zone".to_owned(),
            Self::Query => "search expression".to_owned(),
            Self::Logspace | Self::Source => "name".to_owned(),
            Self::Logspaces | Self::Sources => "list of names".to_owned(),
            Self::Targets => "host and port, or a list of them".to_owned(),
            Self::Command => "program and arguments".to_owned(),
            Self::Start => "`now`, `beginning` or a time".to_owned(),
            Self::Template => "template".to_owned(),
            Self::PathTemplate => "template of a path".to_owned(),
            Self::Tags => "list of tags".to_owned(),
            Self::Networks => "list of addresses and networks".to_owned(),
            Self::Host => "name".to_owned(),
            Self::Encoding => "encoding".to_owned(),
            Self::Tokens => "`words`, `ssb` or delimiters".to_owned(),
            Self::Mode => "octal digits".to_owned(),
            Self::Account => "name or number".to_owned(),
            Self::ServerNames | Self::ClientNames => "list of names".to_owned(),
            Self::Fingerprints => "list of fingerprints".to_owned(),
            Self::Urls => "URL or list of URLs".to_owned(),
            Self::Statuses => "list of statuses".to_owned(),
            Self::Text | Self::Line => "text".to_owned(),
            Self::Texts => "list of texts".to_owned(),
            Self::Table => "table of texts".to_owned(),
            Self::Place => "part or field".to_owned(),
            Self::OnError => {
                "`\"tag\"`, `\"ignore\"`, `\"reject\"`, `\"drop\"` or a name".to_owned()
            }
            Self::Steps => "list of steps".to_owned(),
            Self::IndexTemplate | Self::TopicTemplate => "template of a name".to_owned(),
            Self::Secret => "secret".to_owned(),
            Self::Variable => "name of a variable".to_owned(),
            Self::Templates => "table of templates".to_owned(),
            Self::Database => "URL of a database".to_owned(),
            Self::Identifier => "name".to_owned(),
        }
    }

    /// The TOML type and an example, to say what should have been written.
    fn expectation(&self) -> (&'static str, &'static str) {
        match self {
            Self::Address => ("string", "\"127.0.0.1:5514\""),
            Self::Bytes(_) => ("string", "\"64KiB\""),
            Self::Duration(_) => ("string", "\"30s\""),
            Self::Integer(_) => ("integer", "100"),
            Self::Bool => ("boolean", "true"),
            Self::Path => ("string", "\"/var/lib/logwood\""),
            Self::Choice(words) => ("string", words.first().copied().unwrap_or_default()),
            Self::Zone => ("string", "\"Europe/Budapest\""),
            Self::Query => ("string", "\"severity:<=err\""),
            Self::Logspace => ("string", "\"main\""),
            Self::Logspaces => ("array", "[\"main\"]"),
            Self::Targets => ("string", "\"logs.example.com:514\""),
            Self::Command => ("array", "[\"/usr/local/bin/alert\", \"--verbose\"]"),
            Self::Start => ("string", "\"beginning\""),
            Self::Template => ("string", "\"${ISODATE} ${HOST} ${MSG}\""),
            Self::PathTemplate => ("string", "\"/var/log/hosts/${HOST}.log\""),
            Self::Source => ("string", "\"tcp\""),
            Self::Sources => ("array", "[\"udp\", \"tcp\"]"),
            Self::Tags => ("array", "[\"firewall\"]"),
            Self::Networks => ("array", "[\"10.0.0.0/8\", \"192.0.2.7\"]"),
            Self::Host => ("string", "\"fw1.example.com\""),
            Self::Encoding => ("string", "\"latin1\""),
            Self::Tokens => ("string", "\"ssb\""),
            Self::Mode => ("string", "\"0660\""),
            Self::Account => ("string", "\"logwood\""),
            Self::ServerNames => ("array", "[\"logs.example.com\"]"),
            Self::ClientNames => ("array", "[\"*.example.com\", \"O=Example\"]"),
            Self::Fingerprints => ("array", "[\"SHA256:AB:01:...\"]"),
            Self::Urls => ("string", "\"https://logs.example.com:8088\""),
            Self::Statuses => ("array", "[\"2xx\"]"),
            Self::Text => ("string", "\"logwood\""),
            Self::Line => ("string", "\",\""),
            Self::Texts => ("array", "[\"first\", \"second\"]"),
            Self::Table => ("table", "{ old = \"new\" }"),
            Self::Place => ("string", "\"message\""),
            Self::OnError => ("string", "\"tag\""),
            Self::Steps => ("array", "[{ do = \"kv\" }]"),
            Self::TopicTemplate => ("string", "\"logs\""),
            Self::IndexTemplate => ("string", "\"logs-${YEAR}.${MONTH}.${DAY}\""),
            Self::Secret => ("string", "\"01234567-89ab-cdef-0123-456789abcdef\""),
            Self::Variable => ("string", "\"LOGWOOD_TOKEN\""),
            Self::Database => ("string", "\"postgresql://logwood@db.example.com/logs\""),
            Self::Identifier => ("string", "\"id\""),
            Self::Templates => ("table", "{ severity = \"${SEVERITY}\" }"),
        }
    }

    /// A value that could stand in a file.
    pub(crate) fn example(&self) -> &'static str {
        self.expectation().1
    }

    /// Understands a value.
    pub(crate) fn read(&self, value: &DeValue<'_>) -> Result<Value, BadValue> {
        match (self, value) {
            (Self::Address, DeValue::String(text)) => read_address(text).map(Value::Address),
            (Self::Bytes(range), DeValue::String(text)) => {
                let bytes =
                    parse_bytes(text).map_err(|bad| BadValue::new(bad.message, bad.hint))?;
                in_range(bytes, range, format_bytes).map(Value::Bytes)
            }
            (Self::Duration(range), DeValue::String(text)) => read_duration(text, range),
            (Self::Integer(range), DeValue::Integer(digits)) => {
                let number = read_integer(digits)?;
                in_range(number, range, |number| number.to_string()).map(Value::Integer)
            }
            (Self::Bool, DeValue::Boolean(value)) => Ok(Value::Bool(*value)),
            (Self::Path, DeValue::String(text)) => read_path(text).map(Value::Path),
            // Where something is wrong inside of these is told by the checks that see the file.
            (
                Self::Query
                | Self::Template
                | Self::PathTemplate
                | Self::IndexTemplate
                | Self::TopicTemplate
                | Self::Database,
                DeValue::String(text),
            ) => Ok(Value::Text(text.to_string())),
            (Self::Start, DeValue::String(text)) => read_start(text),
            (Self::Targets, DeValue::String(text)) => {
                read_target(text).map(|target| Value::Texts(vec![target]))
            }
            (Self::Targets, DeValue::Array(items)) => read_targets(items).map(Value::Texts),
            (Self::Command, DeValue::Array(items)) => read_command(items).map(Value::Texts),
            (Self::Choice(words), DeValue::String(text)) => read_choice(text, words),
            (Self::Zone, DeValue::String(text)) => read_zone(text).map(Value::Zone),
            (Self::Logspace | Self::Source, DeValue::String(text)) => {
                check_name(text)?;
                Ok(Value::Text(text.to_string()))
            }
            (Self::Logspaces | Self::Sources | Self::Tags, DeValue::Array(items)) => {
                read_names(items).map(Value::Names)
            }
            (Self::Host, DeValue::String(text)) => read_host(text).map(Value::Text),
            (Self::Encoding, DeValue::String(text)) => read_encoding(text).map(Value::Encoding),
            (Self::Tokens, DeValue::String(text)) => read_tokens(text).map(Value::Tokens),
            (Self::Mode, DeValue::String(text)) => read_mode(text).map(Value::Mode),
            (Self::Account, DeValue::String(text)) => read_account(text).map(Value::Text),
            (Self::ServerNames, DeValue::Array(items)) => {
                read_server_names(items).map(Value::Texts)
            }
            (Self::ClientNames, DeValue::Array(items)) => {
                let names = read_list(items, read_client_name)?;
                Ok(Value::Texts(names))
            }
            (Self::Fingerprints, DeValue::Array(items)) => {
                read_list(items, read_fingerprint).map(Value::Fingerprints)
            }
            (Self::Urls, DeValue::String(text)) => Ok(Value::Texts(vec![read_url(text)?])),
            (Self::Urls, DeValue::Array(items)) => read_urls(items).map(Value::Texts),
            (Self::Statuses, DeValue::Array(items)) => {
                read_list(items, read_status).map(Value::Texts)
            }
            (Self::Identifier, DeValue::String(text)) => read_identifier(text).map(Value::Text),
            (Self::Text, DeValue::String(text)) => read_secret(text).map(Value::Text),
            (Self::Secret, DeValue::String(text)) => read_secret(text).map(Value::Secret),
            (Self::Variable, DeValue::String(text)) => read_variable(text).map(Value::Text),
            (Self::Templates | Self::Table, DeValue::Table(table)) => {
                read_templates(table).map(Value::Templates)
            }
            (Self::Networks, DeValue::Array(items)) => read_networks(items).map(Value::Networks),
            _ => self.read_of_step(value),
        }
    }

    /// The same of the kinds that steps have.
    fn read_of_step(&self, value: &DeValue<'_>) -> Result<Value, BadValue> {
        match (self, value) {
            // What is in the list is read where problems inside of it can be reported.
            (Self::Steps, DeValue::Array(items)) if items.is_empty() => {
                Ok(Value::Steps(Vec::new()))
            }
            (Self::Line, DeValue::String(text)) => read_line(text).map(Value::Text),
            (Self::Texts, DeValue::Array(items)) => {
                let placed = read_texts(items, read_line)?;
                let texts = placed.into_iter().map(|placed| placed.item);
                Ok(Value::Texts(texts.collect()))
            }
            (Self::Place, DeValue::String(text)) => read_place(text).map(Value::Text),
            (Self::OnError, DeValue::String(text)) => {
                check_name(text)?;
                Ok(Value::Text(text.to_string()))
            }
            (_, other) => Err(self.mismatch(other)),
        }
    }

    /// The value is of another TOML type.
    fn mismatch(&self, value: &DeValue<'_>) -> BadValue {
        let (expected, example) = self.expectation();
        let message = expected_found(expected, value);
        let hint = match (self, value) {
            (Self::Bytes(_), DeValue::Integer(digits)) => match read_integer(digits) {
                Ok(bytes) => format!("sizes carry a unit: write {:?}", format_bytes(bytes)),
                Err(_) => format!("write {example}"),
            },
            (Self::Duration(_), DeValue::Integer(digits)) => {
                format!("times carry a unit: write \"{digits}s\" for seconds")
            }
            (
                Self::Logspaces
                | Self::Command
                | Self::Texts
                | Self::Sources
                | Self::Tags
                | Self::Networks
                | Self::ServerNames
                | Self::ClientNames
                | Self::Fingerprints
                | Self::Statuses,
                DeValue::String(text),
            ) => {
                format!("write [{text:?}]")
            }
            (Self::Address, DeValue::Integer(port)) => {
                format!("write \"127.0.0.1:{port}\", or \"0.0.0.0:{port}\" for all interfaces")
            }
            (Self::Integer(_), DeValue::String(text)) if text.parse::<u64>().is_ok() => {
                format!("write {text} without quotes")
            }
            (Self::Bool, DeValue::String(text)) if matches!(&**text, "true" | "false") => {
                format!("write {text} without quotes")
            }
            (Self::Choice(words), _) => choice_hint(words),
            (Self::Mode, DeValue::Integer(digits)) => format!("write \"{digits}\", in quotes"),
            _ => format!("write {example}"),
        };
        BadValue::new(message, hint)
    }
}

impl Value {
    /// The value as it would be written in the file; `None` where it is not set.
    pub(crate) fn to_toml(&self) -> Option<String> {
        Some(match self {
            Self::Unset => return None,
            Self::Address(address) => quote(&address.to_string()),
            Self::Bytes(bytes) => quote(&format_bytes(*bytes)),
            Self::Duration(duration) => quote(&format_duration(*duration)),
            Self::Integer(number) => number.to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => quote(text),
            Self::Encoding(encoding) => quote(&encoding.name()),
            Self::Tokens(tokens) => quote(&tokens.to_string()),
            Self::Mode(mode) => quote(&format!("{mode:04o}")),
            Self::Path(path) => quote(&path.to_string_lossy()),
            Self::Zone(zone) => quote(&zone.text),
            Self::Texts(texts) => {
                let quoted: Vec<_> = texts.iter().map(|text| quote(text)).collect();
                format!("[{}]", quoted.join(", "))
            }
            Self::Fingerprints(fingerprints) => {
                let quoted = fingerprints.iter().map(|one| quote(&one.to_string()));
                format!("[{}]", quoted.collect::<Vec<_>>().join(", "))
            }
            Self::Names(names) => {
                let quoted: Vec<_> = names.iter().map(|name| quote(&name.text)).collect();
                format!("[{}]", quoted.join(", "))
            }
            Self::Secret(_) => quote("(not shown)"),
            Self::Steps(steps) => {
                let steps: Vec<_> = steps.iter().map(step_to_toml).collect();
                format!("[{}]", steps.join(", "))
            }
            Self::Templates(templates) => {
                let pairs = templates
                    .iter()
                    .map(|(name, template)| format!("{} = {}", quote(name), quote(&template.item)));
                match pairs.collect::<Vec<_>>().join(", ") {
                    pairs if pairs.is_empty() => "{}".to_owned(),
                    pairs => format!("{{ {pairs} }}"),
                }
            }
            Self::Networks(networks) => {
                let quoted: Vec<_> = networks
                    .iter()
                    .map(|network| quote(&network.item.to_string()))
                    .collect();
                format!("[{}]", quoted.join(", "))
            }
        })
    }
}

/// A step with the keys that are set.
fn step_to_toml(step: &Section) -> String {
    let mut pairs = vec![format!("do = {}", quote(step.kind()))];
    let set = step
        .entries
        .iter()
        .filter(|entry| entry.origin != Origin::Default);
    pairs.extend(set.filter_map(|entry| {
        let value = entry.value.to_toml()?;
        Some(format!("{} = {value}", entry.key.name))
    }));
    format!("{{ {} }}", pairs.join(", "))
}

/// A TOML basic string.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            control if control.is_control() => {
                out += &format!("\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Refuses what cannot name a logspace, source or route; they share one rule.
pub(crate) fn check_name(text: &str) -> Result<(), BadValue> {
    match LogspaceName::parse(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(BadValue::new(
            format!("{text:?} is no name"),
            "use letters, digits, - and _, with single dots between; at most 128 of them",
        )),
    }
}

/// `expected a string, found an integer`.
fn expected_found(expected: &str, value: &DeValue<'_>) -> String {
    let (expected, found) = (with_article(expected), with_article(value.type_str()));
    format!("expected {expected}, found {found}")
}

/// `a string`, `an integer`.
pub(crate) fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {word}")
}

fn read_address(text: &str) -> Result<SocketAddr, BadValue> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let suggestion = match text.rsplit_once(':') {
        Some(("localhost", port)) if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
        Some(("" | "*", port)) if port.parse::<u16>().is_ok() => format!("0.0.0.0:{port}"),
        _ if text.parse::<u16>().is_ok() => format!("0.0.0.0:{text}"),
        _ => {
            return Err(BadValue::new(
                format!("{text:?} is no IP address with a port"),
                "write one such as \"127.0.0.1:5514\", \"0.0.0.0:514\" or \"[::]:514\"; host \
                 names are not looked up",
            ));
        }
    };
    Err(BadValue::new(
        format!("{text:?} is no IP address with a port"),
        format!("write {suggestion:?}"),
    ))
}

fn read_integer(digits: &DeInteger<'_>) -> Result<u64, BadValue> {
    u64::from_str_radix(digits.as_str(), digits.radix()).map_err(|_| {
        BadValue::new(
            format!("{digits} is out of range"),
            "write a positive whole number",
        )
    })
}

fn in_range(
    value: u64,
    range: &RangeInclusive<u64>,
    show: impl Fn(u64) -> String,
) -> Result<u64, BadValue> {
    if range.contains(&value) {
        return Ok(value);
    }
    let (low, high) = (show(*range.start()), show(*range.end()));
    let side = if value < *range.start() {
        "small"
    } else {
        "large"
    };
    Err(BadValue::new(
        format!("{} is too {side}", show(value)),
        format!("{low} to {high} is possible"),
    ))
}

fn read_duration(text: &str, range: &RangeInclusive<u64>) -> Result<Value, BadValue> {
    let duration = parse_duration(text).map_err(|bad| BadValue::new(bad.message, bad.hint))?;
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let range = range.start() * 1_000..=range.end() * 1_000;
    let show = |millis| format_duration(Duration::from_millis(millis));
    in_range(millis, &range, show)?;
    Ok(Value::Duration(duration))
}

fn read_path(text: &str) -> Result<PathBuf, BadValue> {
    if text.is_empty() || text.contains('\0') {
        return Err(BadValue::new(
            format!("{text:?} is no path"),
            "leave the key out for the default",
        ));
    }
    Ok(PathBuf::from(text))
}

fn read_choice(text: &str, words: &'static [&'static str]) -> Result<Value, BadValue> {
    if words.contains(&text) {
        return Ok(Value::Text(text.to_owned()));
    }
    let hint = match nearest(text, words.iter().copied()) {
        Some(word) => format!("did you mean {word:?}? {}", choice_hint(words)),
        None => choice_hint(words),
    };
    Err(BadValue::new(
        format!("{text:?} is not possible here"),
        hint,
    ))
}

fn choice_hint(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
    format!("possible are {}", list(quoted.iter().map(String::as_str)))
}

fn read_zone(text: &str) -> Result<Zone, BadValue> {
    let zone = match text {
        "local" => Some(TimeZone::system()),
        "UTC" | "Z" => Some(TimeZone::UTC),
        _ if text.starts_with(['+', '-']) => fixed_offset(text).map(TimeZone::fixed),
        _ => TimeZone::get(text).ok(),
    };
    let Some(zone) = zone else {
        return Err(BadValue::new(
            format!("{text:?} is no time zone"),
            "write an IANA name such as \"Europe/Budapest\", \"UTC\", an offset such as \
             \"+02:00\", or \"local\"",
        ));
    };
    Ok(Zone {
        text: text.to_owned(),
        zone,
    })
}

/// `+02:00`, `-0530` or `+02` as an offset of less than a day.
fn fixed_offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None => digits.split_at_checked(2)?,
    };
    let part = |text: &str, below: i32| {
        let number = match text.as_bytes() {
            [] if below == 60 => 0,
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
                i32::from(tens - b'0') * 10 + i32::from(ones - b'0')
            }
            _ => return None,
        };
        (number < below).then_some(number)
    };
    let seconds = part(hours, 24)? * 3_600 + part(minutes, 60)? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

fn read_names(items: &DeArray<'_>) -> Result<Vec<Name>, BadValue> {
    let names = read_texts(items, |text| check_name(text).map(|_| text.to_owned()))?;
    let names = names.into_iter();
    Ok(names
        .map(|Placed { item: text, span }| Name { text, span })
        .collect())
}

fn read_networks(items: &DeArray<'_>) -> Result<Vec<Placed<Network>>, BadValue> {
    if items.len() > HOST_LIST_MAX {
        return Err(BadValue::new(
            format!("{} networks are too many", items.len()),
            format!("up to {HOST_LIST_MAX} are possible: join neighbours into larger networks"),
        ));
    }
    read_texts(items, read_network)
}

/// A list of at most so many as one listener looks through.
fn read_list<T>(
    items: &DeArray<'_>,
    read_text: impl Fn(&str) -> Result<T, BadValue>,
) -> Result<Vec<T>, BadValue> {
    if items.len() > CLIENT_LIST_MAX {
        return Err(BadValue::new(
            format!("{} of them are too many", items.len()),
            format!(
                "up to {CLIENT_LIST_MAX} are possible: sign them with an authority of their own"
            ),
        ));
    }
    let placed = read_texts(items, read_text)?;
    Ok(placed.into_iter().map(|placed| placed.item).collect())
}

fn read_server_names(items: &DeArray<'_>) -> Result<Vec<String>, BadValue> {
    if items.len() > SERVER_NAMES_MAX {
        return Err(BadValue::new(
            format!("{} of them are too many", items.len()),
            format!("up to {SERVER_NAMES_MAX} are possible"),
        ));
    }
    let placed = read_texts(items, read_server_name)?;
    Ok(placed.into_iter().map(|placed| placed.item).collect())
}

/// A name as a browser puts it into `Host`, without a port: any port is meant.
fn read_server_name(text: &str) -> Result<String, BadValue> {
    if is_server_name(text) {
        return Ok(text.to_owned());
    }
    let authority = text.split_once("://").map_or(text, |(_, rest)| rest);
    let name = authority.split([':', '/']).next().unwrap_or_default();
    let hint = if is_server_name(name) {
        format!("write {name:?}")
    } else {
        "write a name such as \"logs.example.com\"; one beyond ASCII begins with xn--".to_owned()
    };
    Err(BadValue::new(
        format!("{text:?} is no name of a server"),
        hint,
    ))
}

fn is_server_name(text: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=HOST_BYTES_MAX).contains(&text.len())
        && text.bytes().all(is_of_name)
        && text.split('.').all(|label| !label.is_empty())
}

fn read_client_name(text: &str) -> Result<String, BadValue> {
    match check_client_pattern(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(reason) => Err(BadValue::new(
            format!("{text:?} can be the name of no certificate: {reason}"),
            "write one such as \"web.example.com\", \"*.example.com\" or \"O=Example, CN=web*\"",
        )),
    }
}

/// PostgreSQL has 63 bytes for a name, MySQL 64 characters.
fn read_identifier(text: &str) -> Result<String, BadValue> {
    if text.trim().is_empty() || text.len() > 63 || text.chars().any(char::is_control) {
        return Err(BadValue::new(
            format!("{text:?} is no name"),
            "use 1 to 63 bytes, without control characters",
        ));
    }
    Ok(text.to_owned())
}

fn read_url(text: &str) -> Result<String, BadValue> {
    match outputs::http::Url::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(bad) => Err(BadValue::new(bad.message, bad.hint)),
    }
}

fn read_urls(items: &DeArray<'_>) -> Result<Vec<String>, BadValue> {
    if items.is_empty() || items.len() > URLS_MAX {
        return Err(BadValue::new(
            format!("{} URLs are not possible", items.len()),
            format!("name 1 to {URLS_MAX}"),
        ));
    }
    let placed = read_texts(items, read_url)?;
    Ok(placed.into_iter().map(|placed| placed.item).collect())
}

fn read_status(text: &str) -> Result<String, BadValue> {
    match StatusRange::parse(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(BadValue::new(
            format!("{text:?} is no status of HTTP"),
            "write one such as \"404\", or \"4xx\" for all of a hundred",
        )),
    }
}

fn read_secret(text: &str) -> Result<String, BadValue> {
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(BadValue::new(
            "this is empty, or has control characters",
            "write it on one line, or name a file that has it",
        ));
    }
    Ok(text.trim().to_owned())
}

/// A text of which nothing is asked but that it has an end.
fn read_line(text: &str) -> Result<String, BadValue> {
    if text.len() > LINE_BYTES_MAX || text.contains('\0') {
        return Err(BadValue::new(
            "this is too long, or has a NUL",
            format!("up to {LINE_BYTES_MAX} bytes are possible"),
        ));
    }
    Ok(text.to_owned())
}

fn read_place(text: &str) -> Result<String, BadValue> {
    match pipeline::Origin::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(BadValue::new(
            error.to_string(),
            "write \"message\", \"host\", \"program\", or a name such as \"fw.action\"",
        )),
    }
}

fn read_variable(text: &str) -> Result<String, BadValue> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = text.bytes().all(is_part) && !text.is_empty();
    if !is_name || text.len() > ACCOUNT_BYTES_MAX {
        return Err(BadValue::new(
            format!("{text:?} is no name of a variable"),
            "write the name alone, such as \"LOGWOOD_TOKEN\"",
        ));
    }
    Ok(text.to_owned())
}

/// Reads templates by name, in the order of the file. Where something is wrong inside of one is told by the checks
/// that see the file.
fn read_templates(table: &DeTable<'_>) -> Result<Vec<(String, Placed<String>)>, BadValue> {
    if table.len() > TEMPLATES_MAX {
        return Err(BadValue::new(
            format!("{} of them are too many", table.len()),
            format!("up to {TEMPLATES_MAX} are possible"),
        ));
    }
    let mut read = Vec::new();
    for (name, value) in table {
        let Some(text) = value.get_ref().as_str() else {
            return Err(BadValue {
                span: Some(value.span()),
                ..BadValue::new(
                    expected_found("string", value.get_ref()),
                    "write a template in quotes",
                )
            });
        };
        let template = Placed {
            item: text.to_owned(),
            span: Some(value.span()),
        };
        read.push((name.span().start, (name.get_ref().to_string(), template)));
    }
    read.sort_by_key(|(start, _)| *start);
    Ok(read.into_iter().map(|(_, one)| one).collect())
}

fn read_fingerprint(text: &str) -> Result<Fingerprint, BadValue> {
    Fingerprint::parse(text).ok_or_else(|| {
        BadValue::new(
            format!("{text:?} is no SHA-256 fingerprint"),
            "`openssl x509 -in FILE -noout -fingerprint -sha256` says it",
        )
    })
}

/// Reads strings, each by itself, so that an error says which of them it means.
fn read_texts<T>(
    items: &DeArray<'_>,
    read_text: impl Fn(&str) -> Result<T, BadValue>,
) -> Result<Vec<Placed<T>>, BadValue> {
    let read = |item: &Spanned<DeValue<'_>>| {
        let here = |bad: BadValue| BadValue {
            span: Some(item.span()),
            ..bad
        };
        let Some(text) = item.get_ref().as_str() else {
            let message = expected_found("string", item.get_ref());
            return Err(here(BadValue::new(message, "put it in quotes")));
        };
        Ok(Placed {
            item: read_text(text).map_err(here)?,
            span: Some(item.span()),
        })
    };
    items.iter().map(read).collect()
}

/// An address alone, or a network whose address is its first.
fn read_network(text: &str) -> Result<Network, BadValue> {
    if let Ok(address) = text.parse() {
        return Ok(Network::host(address));
    }
    let Some(network) = Network::parse(text) else {
        return Err(BadValue::new(
            format!("{text:?} is no IP address and no network"),
            "write one such as \"192.0.2.7\", \"10.0.0.0/8\" or \"2001:db8::/32\"; host names are \
             not looked up",
        ));
    };
    let is_first = text
        .split_once('/')
        .is_some_and(|(address, _)| address.parse() == Ok(network.address()));
    if !is_first {
        return Err(BadValue::new(
            format!("{text:?} has bits behind its prefix"),
            format!("write {:?} for the network it lies in", network.to_string()),
        ));
    }
    Ok(network)
}

/// What can stand as HOSTNAME in a message (RFC 5424 section 6).
fn read_host(text: &str) -> Result<String, BadValue> {
    let is_host = (1..=HOST_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_host {
        return Err(BadValue::new(
            format!("{text:?} is no name of a host"),
            format!("use up to {HOST_BYTES_MAX} visible ASCII characters without spaces"),
        ));
    }
    Ok(text.to_owned())
}

/// Rights as `chmod` takes them: digits from 0 to 7.
fn read_mode(text: &str) -> Result<u32, BadValue> {
    let is_octal =
        (3..=4).contains(&text.len()) && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let mode = u32::from_str_radix(text, 8).ok();
    let mode = mode.filter(|mode| is_octal && *mode <= 0o777);
    mode.ok_or_else(|| {
        BadValue::new(
            format!("{text:?} is no mode of a file"),
            "write three octal digits behind a 0, such as \"0660\"",
        )
    })
}

/// A name as users and groups have it; whether there is one is known where the socket is made.
fn read_account(text: &str) -> Result<String, BadValue> {
    let is_account = (1..=ACCOUNT_BYTES_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b':');
    if !is_account {
        return Err(BadValue::new(
            format!("{text:?} is no name of a user or group"),
            "write one such as \"logwood\" or \"adm\", or its number",
        ));
    }
    Ok(text.to_owned())
}

/// A host and a port.
fn read_target(text: &str) -> Result<String, BadValue> {
    match Target::parse(text) {
        Some(target) => Ok(target.to_string()),
        None => Err(BadValue::new(
            format!("{text:?} is no host with a port"),
            "write one such as \"logs.example.com:514\" or \"[2001:db8::1]:6514\"",
        )),
    }
}

fn read_targets(items: &DeArray<'_>) -> Result<Vec<String>, BadValue> {
    if items.is_empty() || items.len() > TARGETS_MAX {
        return Err(BadValue::new(
            format!("there can be 1 to {TARGETS_MAX} of them"),
            "write a list such as [\"a.example.com:514\", \"b.example.com:514\"]",
        ));
    }
    let targets = read_texts(items, read_target)?;
    Ok(targets.into_iter().map(|target| target.item).collect())
}

/// A program and its arguments, each a text of its own: there is no shell that would take them apart.
fn read_command(items: &DeArray<'_>) -> Result<Vec<String>, BadValue> {
    if items.is_empty() || items.len() > COMMAND_WORDS_MAX {
        return Err(BadValue::new(
            format!("a command has 1 to {COMMAND_WORDS_MAX} words"),
            "write the program and each argument as a text of its own",
        ));
    }
    let read = |text: &str| match text.contains('\0') {
        true => Err(BadValue::new(
            "a NUL cannot be in a command",
            "leave it out",
        )),
        false => Ok(text.to_owned()),
    };
    let words = read_texts(items, read)?;
    Ok(words.into_iter().map(|word| word.item).collect())
}

/// A word, or a time as people write it in full.
fn read_start(text: &str) -> Result<Value, BadValue> {
    if matches!(text, "now" | "beginning") || text.parse::<jiff::Timestamp>().is_ok() {
        return Ok(Value::Text(text.to_owned()));
    }
    Err(BadValue::new(
        format!("{text:?} is no place to begin"),
        "write \"now\", \"beginning\" or a time with its zone such as \"2026-01-31T00:00:00Z\"",
    ))
}

fn read_tokens(text: &str) -> Result<Tokens, BadValue> {
    let hint = "write \"words\", \"ssb\", or delimiters such as \":=,;\"";
    if text.trim().is_empty() {
        return Err(BadValue::new("no delimiters are listed", hint));
    }
    Tokens::parse(text).map_err(|error| BadValue::new(error.to_string(), hint))
}

fn read_encoding(text: &str) -> Result<Encoding, BadValue> {
    Encoding::parse(text).ok_or_else(|| {
        let hint = match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => "leave the key out: UTF-8 is always understood",
            _ => {
                "write one that is based on ASCII, such as \"latin1\", \"windows-1250\", \
                 \"iso-8859-2\", \"gb18030\" or \"shift_jis\""
            }
        };
        BadValue::new(format!("{text:?} is no possible encoding"), hint)
    })
}
