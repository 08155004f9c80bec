use std::time::Duration;

use jiff::tz::Offset;
use query::Delimiters;

use super::*;
use crate::document::Origin;
use crate::overrides::Overrides;
use crate::schema::SECTIONS;
use crate::testing::{address, config};

#[test]
fn every_default_can_be_read_and_is_written_as_effective_shows_it() {
    for spec in SECTIONS {
        for key in spec.keys {
            let Some(text) = key.default else { continue };
            let value = toml::de::DeValue::parse(text).expect(key.name);
            let value = key.kind.read(value.get_ref()).expect(key.name);
            assert_eq!(value.to_toml().as_deref(), Some(text), "{}", key.name);
            assert!(!key.required, "{}: a default and required", key.name);
        }
    }
}

#[test]
fn nothing_said_is_the_defaults_of_the_other_crates() {
    use ingest::{HttpOptions, ListenerOptions, TlsIdentity, Transport};

    let config = config("", &Overrides::default());
    assert_eq!(config.store, store::Options::new("./logwood-data"));
    assert_eq!(config.http, address("127.0.0.1:8514"));
    let main = LogspaceOptions {
        name: LogspaceName::main(),
        retention: Retention::default(),
        archive: None,
        tokens: None,
    };
    assert_eq!(config.logspaces, [main]);
    assert!(config.routes.is_empty());
    let mut http = HttpOptions::default();
    http.parse.zone = config.ingest.http.parse.zone.clone();
    assert_eq!(format!("{:?}", config.ingest.http), format!("{http:?}"));
    assert_eq!(
        config.ingest.budget_bytes,
        ingest::Options::new(Vec::new()).budget_bytes
    );
    let expected = [
        ("udp", Transport::Udp, "127.0.0.1:5514"),
        ("tcp", Transport::Tcp, "127.0.0.1:5514"),
        ("tls", Transport::Tls, "127.0.0.1:6514"),
        ("relp", Transport::Relp, "127.0.0.1:2514"),
    ];
    assert_eq!(config.ingest.listeners.len(), expected.len());
    for (listener, (name, transport, listen)) in config.ingest.listeners.iter().zip(expected) {
        let mut plain = ListenerOptions::new(name, transport, address(listen));
        plain.parse.zone = listener.parse.zone.clone();
        plain.tls = listener.tls.clone();
        assert_eq!(format!("{listener:?}"), format!("{plain:?}"));
        assert_eq!(listener.tls.is_some(), transport == Transport::Tls);
        if let Some(tls) = &listener.tls {
            let directory = "./logwood-data/tls".into();
            assert_eq!(tls.identity, TlsIdentity::SelfSigned { directory });
        }
    }
}

#[test]
fn what_is_kept_of_a_logspace_arrives() {
    let config = config(
        "[logspace.web]\nkeep_age = \"90d\"\nkeep_size = \"2GiB\"\narchive_after = \"30d\"\n\
         archive_dir = \"/slow\"\ntokens = \"ssb\"\n",
        &Overrides::default(),
    );
    let web = LogspaceOptions {
        name: LogspaceName::parse("web").expect("a name"),
        retention: Retention {
            age_max: Some(Duration::from_secs(90 * 86_400)),
            bytes_max: Some(2 << 30),
        },
        archive: Some(Archive {
            after: Duration::from_secs(30 * 86_400),
            dir: "/slow".into(),
        }),
        tokens: Some(Tokens::Between(Delimiters::SSB)),
    };
    assert!(config.logspaces.contains(&web), "{:?}", config.logspaces);
}

#[test]
fn host_lists_arrive() {
    let config = config(
        "[source.udp.u]\nlisten = \"[::1]:514\"\nallow = [\"10.0.0.0/8\", \"::1\"]\n\
         deny = [\"10.0.0.7\"]\n\
         [source.relp.r]\nproxy_from = [\"192.0.2.0/24\"]\n",
        &Overrides::default(),
    );
    let [udp, relp] = config.ingest.listeners.as_slice() else {
        panic!("two listeners: {:?}", config.ingest.listeners);
    };
    let network = |text: &str| Network::parse(text).expect("a network");
    let hosts = |allow: &[&str], deny: &[&str], proxies: &[&str]| ingest::HostLists {
        allow: allow.iter().copied().map(network).collect(),
        deny: deny.iter().copied().map(network).collect(),
        proxies: proxies.iter().copied().map(network).collect(),
    };
    let expected = hosts(&["10.0.0.0/8", "::1/128"], &["10.0.0.7/32"], &[]);
    assert_eq!(udp.hosts, expected);
    assert_eq!(relp.hosts, hosts(&[], &[], &["192.0.2.0/24"]));
}

#[test]
fn every_value_of_a_file_arrives() {
    use ingest::{ClientCertificates, TlsIdentity};

    let config = config(
        "[source.udp.u]\nlisten = \"[::1]:514\"\nmessage_max = \"16MiB\"\nparse = \"none\"\n\
         zone = \"-05:30\"\nsockets = 7\nreceive_buffer = \"1MiB\"\nlogspace = \"web.eu\"\n\
         [source.relp.r]\ntls = true\ncertificate = \"/c\"\nkey = \"/k\"\nclient_ca = \"/ca\"\n\
         client_certificates = \"optional\"\nidle_timeout = \"90s\"\nhandshake_timeout = \"3s\"\n\
         connections_max = 3\n\
         [logspace.\"web.eu\"]\n\
         [route.zz]\nmatch = \"*\"\nlogspace = \"main\"\n\
         [route.aa]\nfrom = [\"u\", \"http\"]\nmatch = 'error'\nlogspace = \"web.eu\"\n\
         tags = [\"bad\"]\nfinal = true\n\
         [http]\nlogspace = \"web.eu\"\nmessage_max = \"1MiB\"\n\
         [receive]\nmemory_max = \"8MiB\"\n[log]\nlevel = \"debug\"\nformat = \"json\"\n\
         [store]\ndata_dir = \"/data\"\nmemory_max = \"9MiB\"\nsegment_rows_max = 5000\nthreads = 7\n\
         journal_file = \"5MiB\"\nfree_min = \"7MiB\"\nfree_warn = \"0B\"\ncompression_level = 9\ncompaction_level = 0\n",
        &Overrides::default(),
    );
    let [udp, relp] = config.ingest.listeners.as_slice() else {
        panic!("two listeners: {:?}", config.ingest.listeners);
    };
    assert_eq!(
        (udp.name.as_str(), udp.address.internet()),
        ("u", Some(address("[::1]:514")))
    );
    assert_eq!(udp.message_bytes_max, 16 << 20);
    assert_eq!(udp.parse.mode, ParseMode::None);
    let zone = Offset::from_seconds(-(5 * 3_600 + 1_800)).expect("in range");
    assert_eq!(udp.parse.zone, TimeZone::fixed(zone));
    assert_eq!(
        (udp.udp_sockets, udp.receive_buffer_bytes),
        (7, Some(1 << 20))
    );
    assert_eq!(udp.logspace.as_str(), "web.eu");
    assert_eq!(relp.connections_max, 3);
    assert_eq!(relp.idle_timeout, Some(Duration::from_secs(90)));
    assert_eq!(relp.handshake_timeout, Duration::from_secs(3));
    let tls = relp.tls.as_ref().expect("encrypted");
    let (certificate, key) = ("/c".into(), "/k".into());
    assert_eq!(tls.identity, TlsIdentity::Files { certificate, key });
    let authorities = "/ca".into();
    assert_eq!(tls.clients, ClientCertificates::Optional { authorities });
    let [first, second] = config.routes.as_slice() else {
        panic!("two routes: {:?}", config.routes);
    };
    assert_eq!((first.name.as_str(), second.name.as_str()), ("zz", "aa"));
    assert_eq!(second.from, ["u", "http"]);
    assert_eq!(second.matching, Some(query::parse("error").query));
    assert_eq!(
        (second.tags.as_slice(), second.is_final),
        (&["bad".to_owned()][..], true)
    );
    assert_eq!(config.ingest.http.message_bytes_max, 1 << 20);
    assert_eq!(config.ingest.http.logspace.as_str(), "web.eu");
    assert_eq!(config.ingest.budget_bytes, 8 << 20);
    assert_eq!(
        (config.log.level, config.log.format),
        (LogLevel::Debug, LogFormat::Json)
    );
    let store = store::Options {
        data_dir: "/data".into(),
        memory_bytes: 9 << 20,
        threads: 7,
        segment_rows: 5_000,
        journal_file_bytes: 5 << 20,
        free_bytes_min: 7 << 20,
        free_bytes_warn: 0,
        compression_level: 9,
        compaction_level: 0,
    };
    assert_eq!(config.store, store);
}

#[test]
fn what_is_said_of_senders_arrives() {
    use ingest::{Bounds, Expected};

    let config = config(
        "[source.udp.u]\nencoding = \"latin1\"\nhost_override = \"fw1\"\ncompression = \"none\"\n\
         period = \"1h\"\nmessages_min = 3\nsender_messages_max = 9\n\
         [source.tcp.t]\nframing = \"nul\"\n\
         host_from = \"peer\"\n",
        &Overrides::default(),
    );
    let [udp, tcp] = config.ingest.listeners.as_slice() else {
        panic!("two listeners: {:?}", config.ingest.listeners);
    };
    assert_eq!(udp.encoding, Encoding::parse("windows-1252"));
    assert_eq!(udp.parse.host, HostRule::Fixed("fw1".to_owned()));
    assert_eq!(tcp.parse.host, HostRule::Peer);
    assert_eq!((udp.unpacks, tcp.unpacks), (false, true));
    assert_eq!(tcp.framing, Framing::Nul);
    let bounds = |min, max| Bounds { min, max };
    let expected = Expected {
        period: Duration::from_secs(3_600),
        source: bounds(Some(3), None),
        sender: bounds(None, Some(9)),
    };
    assert_eq!(udp.expected, expected);
}

#[test]
fn only_the_sources_of_the_file_are_used() {
    let config = config(
        "[source.tcp.x]\nlisten = \"127.0.0.1:1\"\n",
        &Overrides::default(),
    );
    let names: Vec<_> = config
        .ingest
        .listeners
        .iter()
        .map(|l| l.name.as_str())
        .collect();
    assert_eq!(names, ["x"]);
}

/// The example with its settings switched on: they begin with `#` and no space.
fn switched_on(example: &str) -> String {
    let switch = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
        _ => format!("{line}\n"),
    };
    example.lines().map(switch).collect()
}

#[test]
fn the_example_is_the_defaults() {
    let example = include_str!("../../../../packaging/logwood.toml");
    let effective = config(example, &Overrides::default()).effective();
    let default = config("", &Overrides::default()).effective();
    assert_eq!(effective, default);
}

#[test]
fn the_example_shows_defaults_or_says_so() {
    let example = switched_on(include_str!("../../../../packaging/logwood.toml"));
    let mut section = "";
    for line in example.lines() {
        if let Some(path) = line.strip_prefix('[') {
            section = path.trim_end_matches(']');
        }
        let Some((name, rest)) = line.split_once(" = ") else {
            continue;
        };
        let (value, comment) = rest.split_once("  #").unwrap_or((rest, ""));
        let mut specs = SECTIONS.iter();
        let spec = specs.find(|spec| section.starts_with(&spec.path.join(".")));
        let key = spec.and_then(|spec| spec.keys.iter().find(|key| key.name == name));
        let default = key.and_then(|key| key.default);
        if let Some(default) = default.filter(|_| !comment.contains("default:")) {
            assert_eq!(value.trim(), default, "{section}: {name}");
        }
    }
}

#[test]
fn the_example_switched_on_has_every_key_and_no_problem() {
    let example = switched_on(include_str!("../../../../packaging/logwood.toml"));
    let effective = config(&example, &Overrides::default()).effective();
    for spec in SECTIONS {
        let path = spec.path.join(".");
        let mut sections = effective.sections.iter();
        let is_kind = |section: &&crate::EffectiveSection| section.path.starts_with(&path);
        assert!(sections.any(|section| is_kind(&section)), "{path}");
        for key in spec.keys {
            let sections = effective.sections.iter().filter(is_kind);
            let set = sections
                .flat_map(|section| &section.settings)
                .any(|setting| setting.key == key.name && setting.origin != Origin::Default);
            assert!(set, "{path}.{}", key.name);
        }
    }
}
