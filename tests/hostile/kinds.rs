//! What hostile clients send, and what they may be answered beside 503.

/// A kind of hostile client.
pub(super) struct Kind {
    /// What it is called.
    pub(super) name: &'static str,
    /// What each client sends and then says no more, nor reads anything.
    pub(super) request: fn() -> Vec<u8>,
    /// What it may be answered.
    pub(super) statuses: &'static [&'static str],
}

/// Bytes of the large bodies.
const BODY_BYTES: usize = 256 * 1024;

/// An export that takes minutes and finds nothing.
pub(super) const ABANDONED: Kind = Kind {
    name: "abandoned exports",
    request: || get(&format!("export?q={}", expressions(600))),
    statuses: &["200"],
};

/// All kinds.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "silent",
        request: Vec::new,
        statuses: &[],
    },
    Kind {
        name: "slow heads",
        request: || b"GET /api/v1/count HTTP/1.1\r\nhost: 127.0.".to_vec(),
        statuses: &["408"],
    },
    Kind {
        name: "slow bodies",
        request: || post("ingest", 1 << 20, b"<13>the beginning\n<13>and"),
        statuses: &["408"],
    },
    Kind {
        name: "slow imports",
        request: || post("import", 1 << 20, b"<13>the beginning\n<13>and"),
        statuses: &["408"],
    },
    Kind {
        name: "line feeds",
        request: || post("ingest", 60 << 20, &vec![b'\n'; BODY_BYTES]),
        statuses: &["408"],
    },
    Kind {
        name: "huge bodies",
        request: || post("ingest", 60 << 20, &vec![b'x'; BODY_BYTES]),
        statuses: &["408"],
    },
    Kind {
        name: "larger than taken",
        request: || post("ingest", 1 << 40, &vec![b'x'; BODY_BYTES]),
        statuses: &["413"],
    },
    Kind {
        name: "large checks",
        request: || post("config/check", 1 << 20, &vec![b'#'; BODY_BYTES]),
        statuses: &["408"],
    },
    Kind {
        name: "stalled exports",
        request: || get("export?raw=true"),
        statuses: &["200"],
    },
    ABANDONED,
    Kind {
        name: "tails unread",
        request: || get("tail?after=main:0"),
        statuses: &["200"],
    },
    Kind {
        name: "expressions",
        request: || get(&format!("count?q={}", expressions(100))),
        statuses: &["200"],
    },
    Kind {
        name: "sorted tables",
        request: || get("query?q=*%7Csort%20message%7Chead%20100000&limit=100000"),
        statuses: &["200"],
    },
    Kind {
        name: "large statistics",
        request: || get("stats?by=meta.sequenceId&limit=100000"),
        statuses: &["200"],
    },
];

/// Expressions that no index helps with, of which none matches.
fn expressions(count: usize) -> String {
    let each = (0..count).map(|number| format!("/[a-z]%2B[0-9]*x{number}$/"));
    each.collect::<Vec<_>>().join("%20OR%20")
}

fn get(path: &str) -> Vec<u8> {
    format!("GET /api/v1/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").into_bytes()
}

/// A body that says it is as long as that, and brings its beginning.
fn post(path: &str, length: u64, start: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /api/v1/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), start].concat()
}
