//! What comes over HTTP is bounded, and said to be.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

/// Polls until a condition holds.
fn wait_for(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A connection with a request on it.
fn send(fixture: &Fixture, method: &str, path: &str, headers: &str, body: &[u8]) -> TcpStream {
    let host = fixture.client.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("connects");
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all(head.as_bytes()).expect("sends");
    // A server that refuses may close before all is sent.
    _ = stream.write_all(body);
    stream
}

/// The status and all that comes behind it.
fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.unwrap_or_default(), text)
}

fn encoded(fixture: &Fixture, path: &str, encoding: &str, body: &[u8]) -> (u16, String) {
    let header = format!("content-encoding: {encoding}\r\n");
    let method = if path.contains("/searches/") {
        "PUT"
    } else {
        "POST"
    };
    answer(send(fixture, method, path, &header, body))
}

#[test]
fn compressed_bodies_are_unpacked_by_every_endpoint() {
    let fixture = Fixture::start();
    let lines = b"<13>one\r\n\n<13>two";
    let packed = [
        ("gzip", gzip(lines)),
        ("x-gzip", gzip(lines)),
        ("GZip", [gzip(b"<13>on"), gzip(b"e\n<13>two\n")].concat()),
        ("deflate", zlib(lines)),
        ("deflate", deflate(lines)),
        ("zstd", zstd(lines)),
        (
            "identity, zstd",
            [zstd(b"<13>on"), zstd(b"e\n<13>two\n")].concat(),
        ),
        ("identity", lines.to_vec()),
    ];
    for (encoding, body) in &packed {
        for (path, expected) in [
            ("/api/v1/ingest", "{\"accepted\":2}"),
            ("/api/v1/import", "{\"imported\":2,"),
            ("/api/v1/explain", "\"two\""),
        ] {
            let (status, text) = encoded(&fixture, path, encoding, body);
            assert_eq!(status, 200, "{path} {encoding}: {text}");
            assert!(text.contains(expected), "{path} {encoding}: {text}");
        }
    }
    let count = fixture.client.count(&Parameters::query("two"));
    assert_eq!(count.expect("answers").count, 2 * packed.len() as u64);
    for (path, body) in [
        ("/api/v1/config/check", &b"[http]\n"[..]),
        ("/api/v1/searches/a", b"{\"q\": \"x\"}"),
        ("/api/v1/ingest?format=ndjson", b"{\"message\": \"m\"}"),
    ] {
        for (encoding, body) in [("gzip", gzip(body)), ("zstd", zstd(body))] {
            let (status, text) = encoded(&fixture, path, encoding, &body);
            assert_eq!(status, 200, "{path} {encoding}: {text}");
        }
    }
    for path in ["/api/v1/ingest", "/api/v1/import", "/api/v1/explain"] {
        for encoding in ["br", "compress", "gzip, gzip", "gzip, br", "aes"] {
            let (status, text) = encoded(&fixture, path, encoding, &gzip(lines));
            assert_eq!(status, 415, "{path} {encoding}: {text}");
            assert!(text.contains("encoding-unsupported"), "{text}");
            assert!(
                text.contains("accept-encoding: gzip, deflate, zstd\r\n"),
                "{text}"
            );
        }
        let (status, text) = encoded(&fixture, path, "gzip", b"");
        assert_eq!(status, 200, "{path}: {text}");
    }
}

#[test]
fn a_broken_body_is_refused_and_says_what_is_stored() {
    let fixture = Fixture::start();
    // Numbers that compress badly, so that damage is far behind the start.
    let lines: String = (0..20_000_u32)
        .map(|n| format!("<13>{}\n", n.wrapping_mul(2_654_435_761)))
        .collect();
    let mut total = 0;
    for (encoding, body) in [
        ("gzip", gzip(lines.as_bytes())),
        ("deflate", zlib(lines.as_bytes())),
        ("deflate", deflate(lines.as_bytes())),
        ("zstd", zstd(lines.as_bytes())),
    ] {
        let cut = body[..body.len() - 4].to_vec();
        let followed = [body.clone(), b"more".to_vec()].concat();
        for body in [cut, followed] {
            let (status, text) = encoded(&fixture, "/api/v1/ingest", encoding, &body);
            assert_eq!(status, 400, "{encoding}: {text}");
            let (_, json) = text.split_once("\r\n\r\n").expect("a body");
            let problem: api::Problem = serde_json::from_str(json).expect("a problem");
            assert_eq!(problem.code, "upload-broken");
            let stored = problem.stored.expect("it brought records");
            assert!((10_000..=20_000).contains(&stored), "{encoding}: {stored}");
            total += stored;
            let count = fixture.client.count(&Parameters::default());
            assert_eq!(count.expect("answers").count, total, "{encoding}");
        }
        let (status, text) = encoded(&fixture, "/api/v1/import", encoding, &body[..100]);
        assert_eq!(status, 400, "{encoding}: {text}");
        assert!(text.contains("\"stored\":0"), "{text}");
    }
}

#[test]
fn bombs_and_large_bodies_are_refused() {
    let fixture = Fixture::start();
    let zeros = vec![0; 80 << 20];
    for (encoding, body) in [("gzip", gzip(&zeros)), ("zstd", zstd(&zeros))] {
        for path in ["/api/v1/ingest", "/api/v1/explain"] {
            let (status, text) = encoded(&fixture, path, encoding, &body);
            assert_eq!(status, 413, "{path} {encoding}: {text}");
            assert!(text.contains("body-too-large"), "{text}");
        }
    }
    let host = fixture.client.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("connects");
    let head = format!(
        "POST /api/v1/ingest HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\n\r\n",
        (64 << 20) + 1
    );
    stream.write_all(head.as_bytes()).expect("sends");
    stream.shutdown(std::net::Shutdown::Write).expect("closes");
    let (status, text) = answer(stream);
    assert_eq!(status, 413, "{text}");
    let count = fixture.client.count(&Parameters::default());
    assert_eq!(count.expect("answers").count, 0);
}

#[test]
fn a_late_bad_object_leaves_what_came_before() {
    let fixture = Fixture::start();
    let good = "{\"message\": \"good\"}\n".repeat(50_000);
    let body = [good.as_bytes(), b"{\"mesage\": 1}\n"].concat();
    let path = "/api/v1/ingest?format=ndjson";
    let (status, text) = answer(send(&fixture, "POST", path, "", &body));
    assert_eq!(status, 400, "{text}");
    assert!(text.contains("line 50001: unknown field"), "{text}");
    let count = fixture.client.count(&Parameters::default());
    let count = count.expect("answers").count;
    assert!(
        text.contains(&format!("\"stored\":{count}")),
        "{count}: {text}"
    );
    assert!(count > 0);
}

#[test]
fn what_goes_on_for_long_has_places_of_its_own() {
    let clients = ClientLimits {
        connections_max: 64,
        questions_max: 1,
        exports_max: 1,
        tails_max: 2,
    };
    let fixture = Fixture::bounded(clients);
    let line = format!("<13>{}\n", "x".repeat(1_000));
    for _ in 0..8 {
        let lines = line.repeat(1_000);
        let accepted = fixture
            .client
            .ingest(&Parameters::default(), lines.as_bytes());
        accepted.expect("accepts");
    }
    // A reader that takes nothing: more than the kernel holds is to come.
    let stalled = send(&fixture, "GET", "/api/v1/export?mark=stalled", "", b"");
    let tails = [(); 2].map(|()| {
        let mut tail = send(&fixture, "GET", "/api/v1/tail?after=main:0", "", b"");
        tail.read_exact(&mut [0; 12]).expect("it began");
        tail
    });
    wait_for(|| !fixture.app.running.list().is_empty());
    for path in ["/api/v1/export", "/api/v1/tail"] {
        let (status, text) = answer(send(&fixture, "GET", path, "", b""));
        assert_eq!(status, 503, "{path}: {text}");
        assert!(text.contains("\r\nretry-after: 5\r\n"), "{text}");
        assert!(text.contains("\"code\":\"busy\""), "{text}");
    }
    // Questions go on beside them.
    let count = fixture.client.count(&Parameters::default());
    assert_eq!(count.expect("answers").count, 8_000);
    let (_, metrics) = fixture.client.text("/metrics").expect("answers");
    for sample in [
        "logwood_http_active{kind=\"exports\"} 1",
        "logwood_http_active{kind=\"tails\"} 2",
        "logwood_http_refused_total{kind=\"exports\"} 1",
        "logwood_http_refused_total{kind=\"tails\"} 1",
    ] {
        assert!(metrics.contains(sample), "{sample} in {metrics}");
    }
    // An export ends when its client goes, and makes room.
    drop(stalled);
    wait_for(|| fixture.app.running.list().is_empty());
    let lines = fixture.client.export(&Parameters::default());
    assert_eq!(lines.expect("answers").count(), 8_001);
    drop(tails);
}

#[test]
fn an_export_that_the_server_stops_does_not_look_whole() {
    let mut fixture = Fixture::start();
    let lines = format!("<13>{}\n", "x".repeat(1_000)).repeat(8_000);
    let accepted = fixture
        .client
        .ingest(&Parameters::default(), lines.as_bytes());
    accepted.expect("accepts");
    let stream = send(&fixture, "GET", "/api/v1/export?format=raw", "", b"");
    wait_for(|| !fixture.app.running.list().is_empty());
    let reader = std::thread::spawn(move || answer(stream));
    let server = fixture.server.take().expect("it runs");
    fixture.runtime.block_on(server.shutdown());
    let (status, text) = reader.join().expect("no panic");
    let is_whole = text.matches(&"x".repeat(1_000)).count() == 8_000;
    let is_ended = text.ends_with("\r\n0\r\n\r\n");
    assert_eq!((status, is_ended), (200, is_whole));
}
