//! The sections as options of the crates that they configure.

mod destination;
pub(crate) mod steps;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ingest::{
    Address, Bounds, ClientCertificates, ClientChecks, Expected, HttpOptions, ListenerOptions,
    SocketFileOptions, TlsIdentity, TlsOptions, Transport,
};
use jiff::tz::TimeZone;
use model::LogspaceName;
use pipeline::Route;
use query::{Network, Tokens};
use store::{Archive, Durability, Retention};
use syslog::frame::Framing;
use syslog::{Encoding, HostRule, ParseMode, ParseOptions};

use crate::document::{Document, Origin, Section};
use crate::effective::Effective;
use crate::problem::{Lines, Problem, Severity};
use crate::value::{Placed, Value};
use steps::Steps;

/// A configuration that has been checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The declared logspaces, `main` among them.
    pub logspaces: Vec<LogspaceOptions>,
    /// The routes, in the order of the file.
    pub routes: Vec<Route>,
    /// Messages and what must become of them, in the order of the file.
    pub tests: Vec<TestCase>,
    /// Where records are sent, in the order of the file.
    pub destinations: Vec<outputs::Options>,
    /// Where the page and the API are served.
    pub http: SocketAddr,
    /// The names that they are asked by, beside addresses and the names of the machine.
    pub http_hosts: Vec<String>,
    /// What those who ask there may do at a time.
    pub clients: ClientLimits,
    /// What is listened to, and how messages are read.
    pub ingest: ingest::Options,
    /// How records are kept.
    pub store: store::Options,
    /// What Logwood says about itself.
    pub log: LogOptions,
    document: Document,
    written: Written,
}

/// The file, to show places in it.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) path: Arc<str>,
    pub(crate) text: Arc<str>,
}

/// A section, by what its author calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// The source of a name.
    Source(&'a str),
    /// The logspace of a name.
    Logspace(&'a str),
    /// The destination of a kind and a name.
    Destination(&'a str, &'a str),
    /// One that has no name, as `http`.
    Only(&'a str),
}

/// What clients of the page and the API may do at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// Most connections.
    pub connections_max: usize,
    /// Most questions that are worked on.
    pub questions_max: usize,
    /// Most exports.
    pub exports_max: usize,
    /// Most tails.
    pub tails_max: usize,
}

/// A declared logspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogspaceOptions {
    /// Its name.
    pub name: LogspaceName,
    /// How much of it is kept.
    pub retention: Retention,
    /// What of it moves to an archive.
    pub archive: Option<Archive>,
    /// What bounds terms where the query does not say.
    pub tokens: Option<Tokens>,
}

/// A message, and what must become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// What it is called.
    pub name: String,
    /// The source that receives it; `None` for the usual one.
    pub source: Option<String>,
    /// What is received.
    pub message: String,
    /// The logspaces that it goes to; `None` for any.
    pub logspaces: Option<Vec<String>>,
    /// Parts and fields that it has in each of them; an empty text for none.
    pub fields: Vec<(String, String)>,
    /// Exactly the tags that it has in each of them; `None` for any.
    pub tags: Option<Vec<String>>,
    /// What destinations send of it, by kind and name; an empty text for nothing.
    pub sent: Vec<(String, String)>,
}

/// What Logwood says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// The least important messages that are written.
    pub level: LogLevel,
    /// Their form.
    pub format: LogFormat,
    /// Where the important ones are kept as records too.
    pub logspace: Option<LogspaceName>,
}

/// Importance of a message of Logwood itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is odd.
    Warn,
    /// Something happened.
    Info,
    /// For those who look for a mistake.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// All, the most important first.
    pub const ALL: [Self; 5] = [
        Self::Error,
        Self::Warn,
        Self::Info,
        Self::Debug,
        Self::Trace,
    ];

    /// Its name in the configuration: `info`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// Form of the messages of Logwood itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Config {
    /// Every value in force with its origin.
    pub fn effective(&self) -> Effective {
        Effective::new(&self.document)
    }

    /// A problem with the value of a key that shows only on the machine it is for: at its place,
    /// or at that of its section; at none where it is a default or came by a flag.
    pub fn problem(
        &self,
        severity: Severity,
        (part, key): (Part<'_>, &str),
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Problem {
        let is_meant = |section: &&Section| match part {
            Part::Source(name) => section.is_source() && section.name() == name,
            Part::Logspace(name) => section.kind() == "logspace" && section.name() == name,
            Part::Destination(kind, name) => {
                section.is_destination() && section.kind() == kind && section.name() == name
            }
            Part::Only(kind) => section.kind() == kind && section.name.is_none(),
        };
        let section = self.document.sections.iter().find(is_meant);
        let span = section.and_then(|section| {
            let entry = section.entry(key);
            let is_flag = entry.is_some_and(|entry| entry.origin == Origin::Flag);
            let own = entry.and_then(|entry| entry.span.clone());
            own.or_else(|| section.name_span().filter(|_| !is_flag))
        });
        let lines = Lines::new(&self.written.text, &self.written.path);
        Problem {
            severity,
            place: span.map(|span| lines.place(span)),
            message: message.into(),
            hint,
        }
    }
}

/// Builds the options of a document without errors.
pub(crate) fn build(document: Document, written: Written) -> Config {
    let only = |kind| Values(document.of_kind(kind).next());
    let (http, store, log) = (only("http"), only("store"), only("log"));
    let store = store_options(&store);
    let listeners = document
        .sources()
        .filter_map(|source| listener(source, &store.data_dir));
    let ingest = ingest::Options {
        listeners: listeners.collect(),
        http: HttpOptions {
            message_bytes_max: http.size("message_max"),
            parse: http.parse(),
            logspace: http.logspace("logspace"),
            durability: http.durability(),
        },
        budget_bytes: only("receive").size("memory_max"),
        ..ingest::Options::new(Vec::new())
    };
    Config {
        logspaces: document.of_kind("logspace").filter_map(logspace).collect(),
        routes: routes(&document),
        tests: document.of_kind("test").map(test_case).collect(),
        destinations: document
            .destinations()
            .filter_map(|section| destination::destination(section, &store.data_dir))
            .collect(),
        http: http.address("listen"),
        http_hosts: http.texts("hosts"),
        clients: ClientLimits {
            connections_max: http.size("connections_max"),
            questions_max: http.size("questions_max"),
            exports_max: http.size("exports_max"),
            tails_max: http.size("tails_max"),
        },
        ingest,
        store,
        log: LogOptions {
            level: LogLevel::ALL
                .into_iter()
                .find(|level| level.name() == log.text("level"))
                .unwrap_or(LogLevel::Info),
            format: match log.text("format") {
                "json" => LogFormat::Json,
                _ => LogFormat::Text,
            },
            logspace: LogspaceName::parse(log.text("logspace")).ok(),
        },
        document,
        written,
    }
}

fn logspace(section: &Section) -> Option<LogspaceOptions> {
    let values = Values(Some(section));
    Some(LogspaceOptions {
        name: LogspaceName::parse(section.name()).ok()?,
        retention: Retention {
            age_max: values.duration("keep_age"),
            bytes_max: Some(values.number("keep_size")).filter(|bytes| *bytes > 0),
        },
        archive: match (values.duration("archive_after"), values.path("archive_dir")) {
            (Some(after), Some(dir)) => Some(Archive { after, dir }),
            _ => None,
        },
        tokens: values.tokens(),
    })
}

/// A source as a listener.
fn listener(section: &Section, data_dir: &Path) -> Option<ListenerOptions> {
    let values = Values(Some(section));
    let (transport, address) = match section.kind() {
        "unix" => {
            let transport = match values.text("type") {
                "stream" => Transport::UnixStream,
                _ => Transport::UnixDatagram,
            };
            (transport, Address::Unix(values.path("listen")?))
        }
        kind => {
            let all = [
                Transport::Udp,
                Transport::Tcp,
                Transport::Tls,
                Transport::Relp,
            ];
            let transport = all.into_iter().find(|transport| transport.name() == kind)?;
            (transport, values.address("listen").into())
        }
    };
    let mut options = ListenerOptions::new(section.name(), transport, address);
    options.message_bytes_max = values.size("message_max");
    options.expected = values.expected(!transport.is_unix());
    options.unpacks = values.text("compression") != "none";
    options.encoding = values.encoding();
    options.parse = values.parse();
    options.parse.host = values.host();
    options.resolves = values.text("host_from") == "dns";
    options.logspace = values.logspace("logspace");
    options.durability = values.durability();
    if transport.is_unix() {
        options.socket_file = values.socket_file();
    } else {
        options.hosts.allow = values.networks("allow");
        options.hosts.deny = values.networks("deny");
    }
    if transport != Transport::Relp {
        options.flow_control = values.bool("flow_control");
    }
    if transport == Transport::Udp {
        options.receive_buffer_bytes = Some(values.size("receive_buffer"));
        options.udp_sockets = values.size("sockets");
        options.gro = values.bool("gro");
    } else {
        if transport != Transport::Relp {
            options.framing = values.framing();
        }
        if !transport.is_unix() {
            options.hosts.proxies = values.networks("proxy_from");
        }
        options.connections_max = values.size("connections_max");
        options.idle_timeout = values.duration("idle_timeout");
    }
    let encrypted = match transport {
        Transport::Tls => true,
        Transport::Tcp => values.text("tls") == "detect",
        Transport::Relp => values.bool("tls"),
        _ => false,
    };
    if encrypted {
        let timeout = values.duration("handshake_timeout");
        options.handshake_timeout = timeout.unwrap_or(options.handshake_timeout);
        options.tls = Some(tls(&values, data_dir));
    }
    Some(options)
}

fn tls(values: &Values<'_>, data_dir: &Path) -> TlsOptions {
    let identity = match (values.path("certificate"), values.path("key")) {
        (Some(certificate), Some(key)) => TlsIdentity::Files { certificate, key },
        _ => TlsIdentity::SelfSigned {
            directory: data_dir.join("tls"),
        },
    };
    let clients = match (values.text("client_certificates"), values.path("client_ca")) {
        ("optional", Some(authorities)) => ClientCertificates::Optional { authorities },
        ("required", Some(authorities)) => ClientCertificates::Required { authorities },
        ("optional-untrusted", _) => ClientCertificates::OptionalUntrusted,
        ("required-untrusted", _) => ClientCertificates::RequiredUntrusted,
        _ => ClientCertificates::None,
    };
    let checks = ClientChecks {
        names: values.texts("client_names"),
        fingerprints: match values.value("client_fingerprints") {
            Some(Value::Fingerprints(fingerprints)) => fingerprints.clone(),
            _ => Vec::new(),
        },
        revoked: values.path("client_crl"),
    };
    TlsOptions {
        identity,
        clients,
        checks,
    }
}

fn routes(document: &Document) -> Vec<Route> {
    let steps = Steps::new(document);
    let route = |section| route(section, &steps);
    document.of_kind("route").map(route).collect()
}

fn route<'a>(section: &'a Section, steps: &Steps<'a>) -> Route {
    let values = Values(Some(section));
    let expression = values.text("match");
    let matching = (!expression.trim().is_empty()).then(|| query::parse(expression).query);
    Route {
        name: section.name().to_owned(),
        from: values.names("from"),
        matching,
        // What is wrong with them was reported before.
        steps: steps.all(section.steps("steps")).unwrap_or_default(),
        logspace: LogspaceName::parse(values.text("logspace")).ok(),
        tags: values.names("tags"),
        is_final: values.bool("final"),
        is_fallback: values.bool("fallback"),
    }
}

fn test_case(section: &Section) -> TestCase {
    let values = Values(Some(section));
    let set_names = |key| match values.value(key) {
        Some(Value::Names(_)) => Some(values.names(key)),
        _ => None,
    };
    let pairs = |key| {
        let pairs = values.table(key).iter();
        pairs
            .map(|(name, value)| (name.clone(), value.item.clone()))
            .collect()
    };
    TestCase {
        name: section.name().to_owned(),
        source: values.set_text("source"),
        message: values.text("message").to_owned(),
        logspaces: set_names("logspaces"),
        fields: pairs("fields"),
        tags: set_names("tags"),
        sent: pairs("sent"),
    }
}

fn store_options(values: &Values<'_>) -> store::Options {
    store::Options {
        data_dir: values.path("data_dir").unwrap_or_default(),
        memory_bytes: values.number("memory_max"),
        threads: match values.size("threads") {
            0 => store::Options::threads_default(),
            threads => threads,
        },
        segment_rows: values.size("segment_rows_max"),
        journal_file_bytes: values.number("journal_file"),
        free_bytes_min: values.number("free_min"),
        free_bytes_warn: values.number("free_warn"),
        compression_level: i32::try_from(values.number("compression_level")).unwrap_or(1),
        compaction_level: i32::try_from(values.number("compaction_level")).unwrap_or(0),
    }
}

/// The values of a section by key. The table of known keys says what type each has and gives every
/// key a default or makes it required; a test reads them all, so what stands in for a wrong type
/// is never seen.
pub(crate) struct Values<'a>(pub(crate) Option<&'a Section>);

impl<'a> Values<'a> {
    fn value(&self, key: &str) -> Option<&'a Value> {
        let entry = self.0.and_then(|section| section.entry(key));
        debug_assert!(entry.is_some(), "no key {key}");
        entry.map(|entry| &entry.value)
    }

    fn address(&self, key: &str) -> SocketAddr {
        match self.value(key) {
            Some(Value::Address(address)) => *address,
            _ => (Ipv4Addr::LOCALHOST, 0).into(),
        }
    }

    /// A size in bytes or another number.
    fn number(&self, key: &str) -> u64 {
        match self.value(key) {
            Some(Value::Bytes(number) | Value::Integer(number)) => *number,
            _ => 0,
        }
    }

    fn size(&self, key: &str) -> usize {
        usize::try_from(self.number(key)).unwrap_or(usize::MAX)
    }

    fn bool(&self, key: &str) -> bool {
        matches!(self.value(key), Some(Value::Bool(true)))
    }

    fn text(&self, key: &str) -> &'a str {
        match self.value(key) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// Texts by name, in the order of the file.
    fn table(&self, key: &str) -> &'a [(String, Placed<String>)] {
        match self.value(key) {
            Some(Value::Templates(table)) => table,
            _ => &[],
        }
    }

    /// The text of a key, where it is set.
    fn set_text(&self, key: &str) -> Option<String> {
        match self.value(key) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn texts(&self, key: &str) -> Vec<String> {
        match self.value(key) {
            Some(Value::Texts(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        match self.value(key) {
            Some(Value::Path(path)) => Some(path.clone()),
            _ => None,
        }
    }

    fn duration(&self, key: &str) -> Option<Duration> {
        match self.value(key) {
            Some(Value::Duration(duration)) => Some(*duration),
            _ => None,
        }
    }

    /// How messages are read: `zone` and `parse`.
    fn parse(&self) -> ParseOptions {
        ParseOptions {
            zone: match self.value("zone") {
                Some(Value::Zone(zone)) => zone.zone.clone(),
                _ => TimeZone::UTC,
            },
            mode: match self.text("parse") {
                "none" => ParseMode::None,
                _ => ParseMode::Syslog,
            },
            host: HostRule::Message,
        }
    }

    fn host(&self) -> HostRule {
        match (self.text("host_override"), self.text("host_from")) {
            ("", "peer" | "dns") => HostRule::Peer,
            ("", _) => HostRule::Message,
            (name, _) => HostRule::Fixed(name.to_owned()),
        }
    }

    fn tokens(&self) -> Option<Tokens> {
        match self.value("tokens") {
            Some(Value::Tokens(tokens)) => Some(*tokens),
            _ => None,
        }
    }

    fn encoding(&self) -> Option<Encoding> {
        match self.value("encoding") {
            Some(Value::Encoding(encoding)) => Some(*encoding),
            _ => None,
        }
    }

    fn framing(&self) -> Framing {
        match self.text("framing") {
            "lines" => Framing::Lines,
            "nul" => Framing::Nul,
            _ => Framing::Auto,
        }
    }

    fn socket_file(&self) -> SocketFileOptions {
        let account = |key| Some(self.text(key)).filter(|name| !name.is_empty());
        SocketFileOptions {
            mode: self
                .mode("mode")
                .unwrap_or(SocketFileOptions::default().mode),
            owner: account("owner").map(str::to_owned),
            group: account("group").map(str::to_owned),
        }
    }

    fn mode(&self, key: &str) -> Option<u32> {
        match self.value(key) {
            Some(Value::Mode(mode)) => Some(*mode),
            _ => None,
        }
    }

    fn expected(&self, tells_senders: bool) -> Expected {
        let number = |key| Some(self.number(key)).filter(|number| *number > 0);
        let default = Expected::default();
        Expected {
            period: self.duration("period").unwrap_or(default.period),
            source: Bounds {
                min: number("messages_min"),
                max: number("messages_max"),
            },
            sender: match tells_senders {
                true => Bounds {
                    min: number("sender_messages_min"),
                    max: number("sender_messages_max"),
                },
                false => Bounds::default(),
            },
        }
    }

    fn durability(&self) -> Durability {
        let name = self.text("durability");
        let mut all = Durability::ALL.into_iter();
        all.find(|durability| durability.name() == name)
            .unwrap_or_default()
    }

    fn names(&self, key: &str) -> Vec<String> {
        match self.value(key) {
            Some(Value::Names(names)) => names.iter().map(|name| name.text.clone()).collect(),
            _ => Vec::new(),
        }
    }

    fn networks(&self, key: &str) -> Vec<Network> {
        match self.value(key) {
            Some(Value::Networks(networks)) => {
                networks.iter().map(|network| network.item).collect()
            }
            _ => Vec::new(),
        }
    }

    fn logspace(&self, key: &str) -> LogspaceName {
        LogspaceName::parse(self.text(key)).unwrap_or_else(|_| LogspaceName::main())
    }
}

#[cfg(test)]
mod tests;
