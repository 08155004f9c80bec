use super::*;
use std::io::Read as _;
use std::net::TcpListener;

use crate::message::{Format, Recipe};

fn recipe() -> Recipe {
    Recipe {
        format: Format::Rfc3164,
        bytes: Some(299),
        bytes_max: None,
        connections: 1,
        run: 1,
        seed: 1,
        dynamic_ids: 0,
        json_cookie: None,
        structured_data: String::new(),
        zone: jiff::tz::TimeZone::UTC,
    }
}

fn sent(options: &Options) -> Report {
    let run = Run::new(options.connections);
    send(options, |connection| recipe().source(connection), &run).expect("a report")
}

/// The target of a listener, and what comes over each connection, in order of opening.
fn listener(connections: usize) -> (Target, std::thread::JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound");
    let reader = std::thread::spawn(move || {
        let opened: Vec<_> = (0..connections)
            .map(|_| listener.accept().expect("accepts").0)
            .collect();
        opened
            .into_iter()
            .map(|mut stream| {
                let mut bytes = Vec::new();
                stream.read_to_end(&mut bytes).expect("reads");
                bytes
            })
            .collect()
    });
    (
        format!("tcp://{address}").parse().expect("a target"),
        reader,
    )
}

#[test]
fn a_count_is_shared_and_arrives_whole_and_in_order() {
    let (target, reader) = listener(3);
    let options = Options {
        count: Some(1_000),
        connections: 3,
        ..Options::new(target)
    };
    let report = sent(&options);
    assert_eq!((report.sent, report.failed), (1_000, 0));
    assert_eq!(report.bytes, 300_000);
    let shares: Vec<u64> = report.connections.iter().map(|one| one.sent).collect();
    assert_eq!(shares, [334, 333, 333]);
    let mut arrived = 0;
    for bytes in reader.join().expect("no panic") {
        let text = String::from_utf8(bytes).expect("UTF-8");
        for (number, line) in text.lines().enumerate() {
            assert!(
                line.contains(&format!("seq: {number:010}, thread: ")),
                "{line}"
            );
            arrived += 1;
        }
    }
    assert_eq!(arrived, 1_000);
}

#[test]
fn a_rate_for_a_time_is_an_exact_number() {
    let (target, reader) = listener(2);
    let options = Options {
        pace: Pace::Total(1_000),
        duration: Some(Duration::from_millis(300)),
        connections: 2,
        ..Options::new(target)
    };
    let report = sent(&options);
    assert_eq!((report.sent, report.failed), (300, 0));
    assert!(report.seconds > 0.29, "{}", report.seconds);
    let arrived: usize = reader.join().expect("no panic").iter().map(Vec::len).sum();
    assert_eq!(arrived, 300 * 300);
}

#[test]
fn times_of_a_range_are_the_same_in_every_run() {
    let run = || {
        let (target, reader) = listener(1);
        let options = Options {
            count: Some(4),
            times: Times::Range {
                start: model::Timestamp::from_seconds(0),
                end: model::Timestamp::from_seconds(8),
            },
            ..Options::new(target)
        };
        assert_eq!(sent(&options).sent, 4);
        reader.join().expect("no panic").remove(0)
    };
    let bytes = run();
    assert_eq!(bytes, run());
    let text = String::from_utf8(bytes).expect("UTF-8");
    let stamps: Vec<&str> = text.lines().filter_map(|line| line.get(4..19)).collect();
    let expected = ["00", "02", "04", "06"].map(|second| format!("Jan  1 00:00:{second}"));
    assert_eq!(stamps, expected);
}

#[test]
fn what_cannot_be_sent_is_counted_as_failed() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound");
    let target: Target = format!("tcp://{address}").parse().expect("a target");
    // Takes the connection, reads a little and resets it, with the rest unread.
    let reader = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accepts");
        let mut some = [0; 1_000];
        stream.read_exact(&mut some).expect("reads");
    });
    let options = Options {
        count: Some(1_000_000),
        ..Options::new(target)
    };
    let report = sent(&options);
    reader.join().expect("no panic");
    assert!(report.failed > 0 && report.error.is_some(), "{report:?}");
    assert_eq!(report.sent + report.failed, 1_000_000);
    assert_eq!(report.bytes, report.sent * 300);
}

#[test]
fn datagrams_of_one_size_and_of_many_are_cut_where_they_end() {
    for (bytes_max, count) in [(None, 150), (Some(400), 150)] {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("binds");
        let address = socket.local_addr().expect("bound");
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 2_048];
            let mut lengths = Vec::new();
            for number in 0..count {
                let length = socket.recv(&mut buffer).expect("receives");
                let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
                assert!(text.contains(&format!("seq: {number:010}")), "{text}");
                lengths.push(length);
            }
            lengths
        });
        let options = Options {
            count: Some(count),
            // Slow enough for a socket's buffer, in bursts that may go together.
            pace: Pace::Burst {
                messages: 50,
                every: Duration::from_millis(20),
            },
            ..Options::new(format!("udp://{address}").parse().expect("a target"))
        };
        let recipe = Recipe {
            bytes_max,
            ..recipe()
        };
        let run = Run::new(1);
        let report = send(&options, |index| recipe.source(index), &run).expect("a report");
        assert_eq!((report.sent, report.failed), (count, 0));
        let lengths = reader.join().expect("no panic");
        let is_one_size = lengths.iter().all(|length| *length == 299);
        assert_eq!(is_one_size, bytes_max.is_none(), "{lengths:?}");
        assert_eq!(lengths.iter().sum::<usize>() as u64, report.bytes);
    }
}

#[test]
fn contradictions_are_refused_before_anything_is_opened() {
    let refused = |change: &dyn Fn(&mut Options), target: &str| {
        let mut options = Options::new(target.parse().expect("a target"));
        change(&mut options);
        options.check().expect_err(target).to_string()
    };
    let tcp = "tcp://127.0.0.1:1";
    for (text, said) in [
        (refused(&|o| o.connections = 0, tcp), "connections is 0"),
        (refused(&|o| o.threads = 1_000, tcp), "threads is 1000"),
        (refused(&|o| o.packing = Packing::Message, tcp), "octet"),
        (
            refused(&|o| o.packing = Packing::Stream, "udp://h:1"),
            "udp://h:1",
        ),
        (
            refused(&|o| o.proxy = Some(ProxyHeader::V1), "file:x"),
            "PROXY",
        ),
        (refused(&|o| o.framing = Framing::Lf, "relp://h:1"), "RELP"),
        (refused(&|o| o.pace = Pace::Total(0), tcp), "rate is 0"),
    ] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn a_lost_connection_is_opened_again_and_the_account_stays_exact() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound");
    let reader = std::thread::spawn(move || {
        let (mut first, _) = listener.accept().expect("accepts");
        let mut some = [0; 1_000];
        first.read_exact(&mut some).expect("reads");
        drop(first);
        let (mut second, _) = listener.accept().expect("accepts");
        let mut rest = Vec::new();
        second.read_to_end(&mut rest).expect("reads");
        rest
    });
    let options = Options {
        count: Some(200_000),
        is_reconnecting: true,
        ..Options::new(format!("tcp://{address}").parse().expect("a target"))
    };
    let report = sent(&options);
    let rest = reader.join().expect("no panic");
    assert_eq!(report.reconnects, 1);
    assert_eq!(report.sent + report.failed, 200_000);
    // The message that was cut is failed, and the next connection begins with a whole one.
    assert!(report.failed > 0, "{report:?}");
    assert!(rest.starts_with(b"<38>") && rest.len().is_multiple_of(300));
    assert!(rest.ends_with(b"\n") && rest.len() as u64 <= report.bytes);
}

#[test]
fn a_datagram_socket_of_the_file_system_gets_each_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).expect("binds");
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 1_000];
        for number in 0..100 {
            let length = socket.recv(&mut buffer).expect("receives");
            let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
            assert!(text.contains(&format!("seq: {number:010}")), "{text}");
        }
    });
    let target = format!("unixgram:{}", path.display());
    let options = Options {
        count: Some(100),
        ..Options::new(target.parse().expect("a target"))
    };
    assert_eq!(sent(&options).sent, 100);
    reader.join().expect("no panic");
}

#[test]
fn a_server_that_refuses_or_goes_away_leaves_messages_unacknowledged() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("bound");
    let reader = std::thread::spawn(move || {
        use std::io::Write as _;
        let (mut stream, _) = listener.accept().expect("accepts");
        let mut bytes = [0; 4_096];
        let _ = stream.read(&mut bytes).expect("the offers");
        // Frame 2 is taken, frame 3 refused, the rest without an answer.
        let answers = "1 rsp 6 200 OK\n2 rsp 6 200 OK\n3 rsp 6 500 no\n";
        for answer in answers.split_inclusive('\n') {
            stream.write_all(answer.as_bytes()).expect("answers");
            let _ = stream.read(&mut bytes).expect("messages");
        }
    });
    let options = Options {
        count: Some(1_000),
        window: 10,
        ..Options::new(format!("relp://{address}").parse().expect("a target"))
    };
    let report = sent(&options);
    reader.join().expect("no panic");
    assert_eq!(report.acknowledged, Some(1), "{report:?}");
    assert_eq!(report.failed, 999);
    assert!(report.sent >= 3 && report.sent <= 12, "{report:?}");
    assert!(report.ack_latency_ms.is_some() && report.error.is_some());
}
