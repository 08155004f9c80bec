use model::Timestamp;
use pipeline::{Route, Verdict};

use super::*;
use crate::address::Address;

fn options(transport: Transport) -> Options {
    let address: std::net::SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let mut listener = ListenerOptions::new("office", transport, Address::from(address));
    listener.message_bytes_max = 100;
    Options::new(vec![listener])
}

fn explainer(transport: Transport) -> Explainer {
    Explainer::new(&options(transport), None, Arc::default()).expect("a source")
}

fn context() -> Context {
    Context {
        received: Timestamp::from_seconds(1_795_300_000),
        peer: "192.0.2.7".parse().ok(),
    }
}

/// Each message as `COUNT|MESSAGE|TERMINATOR TAG...`, from an input that ends.
fn cuts(transport: Transport, input: &[u8]) -> Vec<String> {
    let mut explainer = explainer(transport);
    let (messages, consumed) = explainer.read(input, true, &context(), usize::MAX);
    assert_eq!(consumed, input.len());
    messages
        .iter()
        .map(|message| shown(message, input))
        .collect()
}

fn shown(message: &Explained, input: &[u8]) -> String {
    let text = |range: &Range<usize>| input[range.clone()].escape_ascii().to_string();
    let Cut {
        count,
        message: body,
        terminator,
    } = &message.cut;
    let record = message.record().expect("a record");
    let of_framing = |tag: &&str| {
        ["truncated", "count", "frame"]
            .iter()
            .any(|end| tag.ends_with(end))
    };
    let tags: Vec<_> = record.tags().filter(of_framing).collect();
    let line = format!("{}|{}|{}", text(count), text(body), text(terminator));
    format!("{line} {}", tags.join(" ")).trim_end().to_owned()
}

#[test]
fn a_stream_is_cut_as_its_source_cuts_it() {
    let tcp = |input: &[u8]| cuts(Transport::Tcp, input);
    assert_eq!(tcp(b"<34>one"), ["|<34>one|"]);
    assert_eq!(
        tcp(b"<34>one\r\n7 <34>two<34>x\n"),
        ["|<34>one\\r|\\n", "7 |<34>two|", "|<34>x|\\n"]
    );
    assert_eq!(tcp(b"8 <34>two\n"), ["8 |<34>two|\\n"]);
    assert_eq!(tcp(b"9 <34>two"), ["9 |<34>two| syslog.incomplete_frame"]);
    assert_eq!(
        tcp(b"99<34>a\nb\0"),
        ["|99<34>a|\\n syslog.invalid_octet_count", "|b|\\x00"]
    );
    let long = [&[b'x'; 150][..], b"\n<34>two\n"].concat();
    let cut = format!("|{}| syslog.truncated", "x".repeat(100));
    assert_eq!(tcp(&long), [&cut, "|<34>two|\\n"]);
    assert!(tcp(b"\n\0\n").is_empty() && tcp(b"").is_empty());
}

#[test]
fn a_datagram_is_one_message() {
    let udp = |input: &[u8]| cuts(Transport::Udp, input);
    assert_eq!(udp(b"<34>one\n<34>two\n"), ["|<34>one\\n<34>two|\\n"]);
    assert_eq!(udp(b"7 <34>two"), ["|7 <34>two|"]);
    assert!(udp(b"\n").is_empty());
    let cut = format!("|{}| syslog.truncated", "x".repeat(100));
    assert_eq!(udp(&[b'x'; 150]), [cut]);
}

#[test]
fn any_split_of_a_stream_is_read_the_same() {
    let input = b"<34>one\n7 <34>two<34>three\n11 <34>four\nxx<34>five";
    let whole = cuts(Transport::Tcp, input);
    assert_eq!(whole.len(), 5);
    for split in 0..input.len() {
        let mut explainer = explainer(Transport::Tcp);
        let (first, consumed) = explainer.read(&input[..split], false, &context(), usize::MAX);
        let rest = &input[consumed..];
        let (second, _) = explainer.read(rest, true, &context(), usize::MAX);
        let first = first.iter().map(|message| shown(message, input));
        let second = second.iter().map(|message| shown(message, rest));
        assert_eq!(first.chain(second).collect::<Vec<_>>(), whole, "at {split}");
    }
}

#[test]
fn as_many_messages_are_read_as_are_asked_for() {
    let mut explainer = explainer(Transport::Tcp);
    let (messages, consumed) = explainer.read(b"<34>one\n<34>two\n", true, &context(), 1);
    assert_eq!((messages.len(), consumed), (1, 8));
}

#[test]
fn the_source_is_the_one_that_is_named_or_takes_connections() {
    let mut options = options(Transport::Udp);
    let source = |options: &Options, name| {
        let explainer = Explainer::new(options, name, Arc::default());
        explainer.map(|explainer| (explainer.source().to_owned(), explainer.transport()))
    };
    let named = |name: &str, transport| Some((name.to_owned(), transport));
    assert_eq!(source(&options, None), named("office", "udp"));
    assert_eq!(source(&options, Some("http")), named("http", "http"));
    assert_eq!(source(&options, Some("nobody")), None);
    let mut tcp = options.listeners[0].clone();
    tcp.name = "branch".to_owned();
    tcp.transport = Transport::Tcp;
    options.listeners.push(tcp);
    assert_eq!(source(&options, None), named("branch", "tcp"));
    options.listeners.clear();
    assert_eq!(source(&options, None), named("http", "http"));
}

#[test]
fn host_and_admission_follow_the_source() {
    let check = |host: HostRule, input: &[u8], expected| {
        let mut options = options(Transport::Udp);
        options.listeners[0].parse.host = host;
        options.listeners[0].hosts.deny =
            query::Network::parse("192.0.2.0/24").into_iter().collect();
        let mut explainer = Explainer::new(&options, None, Arc::default()).expect("a source");
        let (messages, _) = explainer.read(input, true, &context(), 1);
        assert_eq!(messages[0].host, expected);
        assert!(!messages[0].is_admitted);
    };
    let said = b"<34>Oct 11 22:14:15 web su: x";
    check(HostRule::Message, said, Some(HostOrigin::Message));
    check(HostRule::Message, b"<34>x", Some(HostOrigin::Peer));
    check(HostRule::Peer, said, Some(HostOrigin::Peer));
    check(
        HostRule::Fixed("fw".to_owned()),
        said,
        Some(HostOrigin::Source),
    );
}

#[test]
fn routes_and_destinations_are_those_of_the_pipeline() {
    let route = |name: &str, tag: &str| Route {
        name: name.to_owned(),
        matching: query::parse("disk").into_result().ok(),
        logspace: LogspaceName::parse(name).ok(),
        tags: vec![tag.to_owned()],
        ..Route::default()
    };
    let pipeline =
        Pipeline::new(vec![route("disks", "full")], macros::Context::default()).expect("valid");
    let options = options(Transport::Tcp);
    let mut explainer = Explainer::new(&options, None, Arc::new(pipeline)).expect("a source");
    let mut check = |input: &[u8], verdict, logspace: &str, tagged: bool| {
        let (messages, _) = explainer.read(input, true, &context(), 1);
        let record = messages[0].record().expect("a record");
        let trace = explainer.trace(record);
        let verdicts: Vec<_> = trace.routes.iter().map(|route| route.verdict).collect();
        assert_eq!(verdicts, [verdict]);
        let [part] = &trace.split.parts[..] else {
            panic!("{trace:?}");
        };
        assert_eq!(part.logspace.as_str(), logspace);
        let record = part.batch.get(0).expect("a record");
        assert_eq!(record.tags().any(|tag| tag == "full"), tagged);
    };
    check(b"<34>the disk is full", Verdict::Takes, "disks", true);
    check(b"<34>all is well", Verdict::NoMatch, "main", false);
}
