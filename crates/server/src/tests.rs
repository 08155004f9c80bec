//! The interface as a client sees it: a real store, a real listener, a real client.

mod bounds;
mod openapi;
mod query;
mod saved;
mod tail;
mod tokens;

use std::sync::Arc;

use api::{Cell, FieldValue, Row, StreamLine};
use client::{Client, ImportTime, Parameters};
use config::ClientLimits;
use ingest::Ingest;
use pipeline::Pipeline;
use store::{Options, RealDisk, Store, SystemClock};
use tokio::runtime::Runtime;

use crate::{App, Server};

/// A server on a free port, with a client for it.
struct Fixture {
    client: Client,
    runtime: Runtime,
    app: Arc<App>,
    server: Option<Server>,
    dir: tempfile::TempDir,
}

impl Fixture {
    fn start() -> Self {
        let defaults = config::check("", "logwood.toml", &config::Overrides::default());
        Self::bounded(defaults.config.expect("it is valid").clients)
    }

    /// A server that bounds what its clients may do.
    fn bounded(clients: ClientLimits) -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let runtime = Runtime::new().expect("runtime");
        let clock = Arc::new(SystemClock);
        let store = Store::open(Options::new(dir.path()), Arc::new(RealDisk), clock.clone());
        let store = Arc::new(store.expect("opens"));
        let (app, server) = runtime.block_on(async {
            let options = ingest::Options::new(Vec::new());
            let ingest = Ingest::start(options, Pipeline::default(), store.clone(), clock.clone());
            let app = App::new(store, Arc::new(ingest.expect("starts")), clock);
            let app = Arc::new(app);
            let server = Server::start(([127, 0, 0, 1], 0).into(), clients, Arc::clone(&app));
            (app, server.await.expect("listens"))
        });
        let client = Client::new(&server.address().to_string());
        Self {
            client,
            runtime,
            app,
            server: Some(server),
            dir,
        }
    }

    /// A server with three records.
    fn with_records() -> Self {
        let fixture = Self::start();
        let lines = "<11>1 2026-01-01T00:00:01Z web1 nginx 7 - [a@1 k=\"v 1\"] disk full\n\
                     <14>1 2026-01-01T00:00:02Z web2 nginx - - - all is well\n\
                     <30>1 2026-01-01T00:00:03Z db1 postgres - - - disk empty, \"quoted\"\n";
        let accepted = fixture
            .client
            .ingest(&Parameters::default(), lines.as_bytes());
        assert_eq!(accepted.expect("accepts").accepted, 3);
        fixture
    }

    fn search(&self, parameters: &Parameters) -> (Vec<Row>, api::End) {
        let mut rows = Vec::new();
        for line in self.client.search(parameters).expect("answers") {
            match line.expect("reads") {
                StreamLine::Row(row) => rows.push(*row),
                StreamLine::End(end) => return (rows, end),
                other => panic!("unexpected {other:?}"),
            }
        }
        panic!("no end")
    }

    fn refusal(&self, parameters: &Parameters) -> api::Problem {
        match self.client.count(parameters) {
            Err(client::Error::Refused(problem)) => *problem,
            other => panic!("not refused: {other:?}"),
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.shutdown());
        }
    }
}

fn messages(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.message.as_str()).collect()
}

#[test]
fn fields_of_the_text_are_found_counted_listed_and_shown() {
    let fixture = Fixture::start();
    let lines = "<30>1 2026-01-01T00:00:01Z web1 shop - - - {\"src\":{\"ip\":\"10.0.0.1\"},\"host\":\"a\"}\n\
                 <30>1 2026-01-01T00:00:02Z fw1 kernel - - - IN=eth0 SRC=10.9.0.1 DPT=22\n\
                 <30>1 2026-01-01T00:00:03Z web1 nginx - - - 192.0.2.7 - root \
                 [01/Jan/2026:00:00:03 +0000] \"GET /a?b HTTP/1.1\" 404 12\n";
    let accepted = fixture
        .client
        .ingest(&Parameters::default(), lines.as_bytes());
    assert_eq!(accepted.expect("accepts").accepted, 3);
    for (query, count) in [
        ("status:404", 1),
        ("src.ip:10.0.0.0/8 OR src:10.0.0.0/8", 2),
        ("dpt:<1024", 1),
        ("bytes:>12", 0),
        ("nvpair:host=a", 1),
        ("NOT user:root", 2),
    ] {
        let found = fixture.client.count(&Parameters::query(query));
        assert_eq!(found.expect("answers").count, count, "{query}");
    }
    let all = Parameters::default();
    let stats = fixture.client.stats(&all.clone().with("by", "path"));
    let stats = stats.expect("answers");
    let values: Vec<_> = stats.values.iter().map(|v| v.value.as_str()).collect();
    assert_eq!(values, ["/a"]);
    let fields = fixture.client.fields(&all).expect("answers").fields;
    for name in ["src.ip", "nvpair:host", "DPT", "status"] {
        assert!(fields.iter().any(|field| field.name == name), "{name}");
    }
    let (rows, _) = fixture.search(&Parameters::query("program:shop"));
    let one = |text: &str| FieldValue::One(text.to_owned());
    assert_eq!(rows[0].fields["src.ip"], one("10.0.0.1"));
    assert_eq!(rows[0].text_fields, ["host", "src.ip"]);
}

#[test]
fn what_was_accepted_is_found_in_both_orders_and_page_by_page() {
    let fixture = Fixture::with_records();
    let (rows, end) = fixture.search(&Parameters::query("disk").with("raw", "true"));
    assert_eq!(messages(&rows), ["disk empty, \"quoted\"", "disk full"]);
    assert!(end.cost.complete && end.cursor.is_none() && end.rows == 2);
    let row = &rows[1];
    assert_eq!(
        (row.host.as_str(), row.program.as_str(), row.pid.as_str()),
        ("web1", "nginx", "7")
    );
    assert_eq!(
        (row.facility.as_str(), row.severity.as_str()),
        ("user", "err")
    );
    assert_eq!(row.time, "2026-01-01T00:00:01.000000000Z");
    assert_eq!(row.fields["a@1.k"], FieldValue::One("v 1".to_owned()));
    assert!(
        row.raw_bytes()
            .expect("asked for")
            .starts_with(b"<11>1 2026")
    );

    let (rows, _) = fixture.search(&Parameters::query("disk").with("order", "asc"));
    assert_eq!(messages(&rows), ["disk full", "disk empty, \"quoted\""]);

    let mut found = Vec::new();
    let mut page = Parameters::default().with("limit", "1");
    loop {
        let (rows, end) = fixture.search(&page);
        found.extend(rows.into_iter().map(|row| row.id));
        match end.cursor {
            Some(cursor) => {
                page = Parameters::default()
                    .with("limit", "1")
                    .with("cursor", cursor);
            }
            None => break,
        }
    }
    assert_eq!(found, ["main:3", "main:2", "main:1"]);
}

#[test]
fn counts_bars_values_and_fields_agree() {
    let fixture = Fixture::with_records();
    let all = Parameters::default();
    let nginx = Parameters::query("program:nginx");
    assert_eq!(fixture.client.count(&nginx).expect("answers").count, 2);
    let bars = fixture
        .client
        .histogram(&all.clone().with("bars", "7"))
        .expect("answers");
    assert_eq!((bars.bars.len(), bars.total), (7, 3));
    assert_eq!(bars.bars.iter().map(|bar| bar.count).sum::<u64>(), 3);
    let stats = fixture
        .client
        .stats(&all.clone().with("by", "program"))
        .expect("answers");
    let values: Vec<_> = stats
        .values
        .iter()
        .map(|v| (v.value.as_str(), v.count))
        .collect();
    assert_eq!(values, [("nginx", 2), ("postgres", 1)]);
    assert_eq!((stats.distinct, stats.total), (2, 3));
    let fields = fixture.client.fields(&all).expect("answers");
    assert!(
        fields
            .fields
            .iter()
            .any(|field| field.name == "a@1.k" && field.count == 1)
    );
    let later = Parameters::default().with("from", "now+1h");
    assert_eq!(fixture.client.count(&later).expect("answers").count, 0);
}

#[test]
fn patterns_are_those_of_the_pipe() {
    let fixture = Fixture::start();
    let mut lines = String::new();
    for n in 0..9 {
        lines += &format!("<30>1 2026-01-01T00:00:0{n}Z web1 app - - - took {n} ms\n");
    }
    lines += "<30>1 2026-01-01T00:00:09Z web1 app - - - stopped by admin\n";
    let accepted = fixture
        .client
        .ingest(&Parameters::default(), lines.as_bytes());
    assert_eq!(accepted.expect("accepts").accepted, 10);
    let all = Parameters::default();
    let found = fixture.client.patterns(&all).expect("answers");
    assert_eq!(
        (found.patterns.len(), found.has_more, found.total),
        (2, false, 10)
    );
    let table = fixture.client.query(&Parameters::query("* | patterns"));
    for (row, pattern) in table.expect("answers").rows.iter().zip(&found.patterns) {
        let cells = [
            Cell::Text(pattern.pattern.clone()),
            Cell::Integer(i64::try_from(pattern.count).expect("small")),
            Cell::Text(pattern.first.clone()),
            Cell::Text(pattern.example.clone()),
        ];
        assert_eq!(row[..], cells);
    }
    assert_eq!(found.patterns[0].pattern, "took <*> ms");
    assert_eq!(found.patterns[0].count, 9);
    let one = fixture.client.patterns(&all.with("limit", "1"));
    let one = one.expect("answers");
    assert_eq!((one.patterns.len(), one.has_more, one.total), (1, true, 10));
}

#[test]
fn events_are_found_by_the_time_of_their_senders() {
    let fixture = Fixture::with_records();
    let day = |q: &str| {
        let day = Parameters::query(q).with("from", "2026-01-01");
        day.with("to", "2026-01-01T00:00:03Z")
    };
    let by_event = |q: &str| day(q).with("time", "event");
    let count = |parameters| fixture.client.count(&parameters).expect("answers").count;
    assert_eq!((count(by_event("")), count(by_event("disk"))), (2, 1));
    // They were received today.
    assert_eq!(
        (count(day("")), count(day("").with("time", "received"))),
        (0, 0)
    );
    let bars = by_event("").with("bars", "3");
    let bars = fixture.client.histogram(&bars).expect("answers").bars;
    assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 2);
    let (rows, end) = fixture.search(&by_event("").with("limit", "1"));
    assert_eq!(messages(&rows), ["all is well"]);
    let cursor = end.cursor.expect("there is more");
    let next = by_event("").with("cursor", cursor.clone());
    assert_eq!(messages(&fixture.search(&next).0), ["disk full"]);
    for wrong in [day("").with("cursor", cursor), day("").with("time", "tea")] {
        let refused = fixture.client.search(&wrong);
        assert!(
            matches!(refused, Err(client::Error::Refused(problem)) if problem.status == 400),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_record_has_a_place_of_its_own() {
    let fixture = Fixture::with_records();
    let row = fixture
        .client
        .record("main:1")
        .expect("answers")
        .expect("there");
    assert_eq!(row.message, "disk full");
    assert!(row.raw.is_some());
    assert_eq!(fixture.client.record("main:99").expect("answers"), None);
}

#[test]
fn what_is_wrong_with_a_question_is_said() {
    let fixture = Fixture::with_records();
    let problem = fixture.refusal(&Parameters::query("disk AND (full"));
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (400, "query-invalid")
    );
    assert_eq!(problem.spans.first().map(|span| span.start), Some(9));
    let problem = fixture.refusal(&Parameters::default().with("logspace", "nowhere"));
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (404, "logspace-unknown")
    );
    assert_eq!(problem.hint.as_deref(), Some("the logspaces are: main"));
    let problem = fixture.refusal(&Parameters::default().with("from", "yesterdayish"));
    assert_eq!(
        (problem.status, problem.code.as_str()),
        (400, "parameter-invalid")
    );
    let (status, text) = fixture.client.text("/api/v1/nothing").expect("answers");
    assert_eq!(status, 404);
    assert!(text.contains("endpoint-unknown"), "{text}");
    assert!(text.contains("/api/v1/nothing"), "{text}");
}

#[test]
fn an_export_has_everything_in_the_format_asked_for() {
    let fixture = Fixture::with_records();
    let lines = fixture
        .client
        .export(&Parameters::default())
        .expect("answers");
    assert_eq!(lines.filter(Result::is_ok).count(), 4);
    let (_, csv) = fixture
        .client
        .text("/api/v1/export?format=csv&q=quoted")
        .expect("answers");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1].ends_with(",\"disk empty, \"\"quoted\"\"\""),
        "{}",
        lines[1]
    );
    let (_, raw) = fixture
        .client
        .text("/api/v1/export?format=raw&q=well")
        .expect("answers");
    assert_eq!(
        raw,
        "<14>1 2026-01-01T00:00:02Z web2 nginx - - - all is well\n"
    );
}

#[test]
fn a_tail_shows_what_comes_and_what_came_meanwhile() {
    let fixture = Fixture::with_records();
    let parameters = Parameters::query("disk").with("after", "main:1");
    let mut tail = fixture.client.tail(&parameters).expect("answers");
    let mut next = || match tail.next().expect("goes on").expect("reads") {
        StreamLine::Row(row) => row.message,
        other => panic!("unexpected {other:?}"),
    };
    assert_eq!(next(), "disk empty, \"quoted\"");
    fixture
        .client
        .ingest(&Parameters::default(), b"<13>nothing\n<13>disk again\n")
        .expect("ok");
    assert!(next().ends_with("disk again"));
}

#[test]
fn a_tail_may_begin_with_the_last_rows() {
    let fixture = Fixture::with_records();
    let last = |number: &str| Parameters::query("disk").with("last", number);
    let mut tail = fixture.client.tail(&last("5")).expect("answers");
    let mut next = || match tail.next().expect("goes on").expect("reads") {
        StreamLine::Row(row) => row.message,
        other => panic!("unexpected {other:?}"),
    };
    assert_eq!(next(), "disk full");
    assert_eq!(next(), "disk empty, \"quoted\"");
    fixture
        .client
        .ingest(&Parameters::default(), b"<13>nothing\n<13>disk again\n")
        .expect("ok");
    assert!(next().ends_with("disk again"));
    for wrong in [last("2001"), last("5").with("after", "main:1")] {
        let refused = fixture.client.tail(&wrong);
        assert!(matches!(refused, Err(client::Error::Refused(problem)) if problem.status == 400));
    }
}

#[test]
fn ranges_in_which_nothing_can_be_are_refused() {
    let fixture = Fixture::with_records();
    for (from, to, hint) in [
        ("now", "now-1h", "swap them: from now-1h to now"),
        ("2026-01-02", "2026-01-01", "swap them"),
        ("2026-01-01", "2026-01-01", "choose a later one"),
    ] {
        let range = Parameters::default().with("from", from).with("to", to);
        let problem = fixture.refusal(&range);
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (400, "parameter-invalid")
        );
        let said = problem.hint.unwrap_or_default();
        assert!(said.contains(hint), "{said}");
    }
    let open = Parameters::default().with("from", "now+1h");
    assert_eq!(fixture.client.count(&open).expect("answers").count, 0);
}

#[test]
fn parameters_that_are_unknown_are_refused() {
    let fixture = Fixture::with_records();
    let problem = fixture.refusal(&Parameters::query("disk").with("form", "now-1h"));
    assert_eq!(problem.status, 400);
    assert_eq!(problem.hint.as_deref(), Some("did you mean from?"));
    fixture.client.greet().expect("it is a Logwood");
}

#[test]
fn imports_keep_their_times() {
    let fixture = Fixture::start();
    let lines = "<13>1 2001-02-03T04:05:06Z old p - - - first\nsecond line of it\n";
    let parameters = Parameters::default().with_import_time(ImportTime::Message);
    let imported = fixture
        .client
        .import(&parameters, lines.as_bytes())
        .expect("imports");
    assert_eq!(imported.imported, 2);
    let of_day = Parameters::default()
        .with("from", "2001-02-03")
        .with("to", "2001-02-04");
    assert_eq!(fixture.client.count(&of_day).expect("answers").count, 2);
    let parameters = Parameters::default().with_import_time(ImportTime::Now);
    fixture
        .client
        .import(&parameters, lines.as_bytes())
        .expect("imports");
    let recent = Parameters::default().with("from", "now-1h");
    assert_eq!(fixture.client.count(&recent).expect("answers").count, 2);
}

#[test]
fn json_objects_are_taken() {
    let fixture = Fixture::start();
    let ndjson = Parameters::default().with("format", "ndjson");
    let body = br#"{"message":"from json","host":"h1","severity":"crit"}"#;
    assert_eq!(
        fixture
            .client
            .ingest(&ndjson, body)
            .expect("accepts")
            .accepted,
        1
    );
    let (rows, _) = fixture.search(&Parameters::query("severity:<=crit host:h1"));
    assert_eq!(messages(&rows), ["from json"]);
    let refused = fixture.client.ingest(&ndjson, br#"{"massage":"x"}"#);
    assert!(matches!(refused, Err(client::Error::Refused(problem)) if problem.status == 400));
}

#[test]
fn state_and_page_are_served() {
    let fixture = Fixture::with_records();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            fixture.client.text(path).expect("answers"),
            (200, "ok\n".to_owned())
        );
    }
    let status = fixture.client.status().expect("answers");
    let http = status
        .sources
        .iter()
        .find(|source| source.name == "http")
        .expect("listed");
    assert_eq!((http.received, http.stored, http.in_flight), (3, 3, 0));
    assert_eq!(status.logspaces[0].records, 3);
    let (_, metrics) = fixture.client.text("/metrics").expect("answers");
    let sample = "logwood_ingest_stored_records_total{source=\"http\"} 3\n";
    assert!(metrics.contains(sample), "{metrics}");
    for path in ["/", "/search?q=x", "/overview", "/check"] {
        let (code, page) = fixture.client.text(path).expect("answers");
        assert!(code == 200 && page.contains("app.js") && !page.contains("__CSP_NONCE__"));
    }
    for path in [
        "/missing.js",
        "/nosuch",
        "/search/",
        "/search/x",
        "/Search",
        "//",
        "/index.html",
    ] {
        let (code, text) = fixture.client.text(path).expect("answers");
        assert!(code == 404 && text.contains("page-unknown"), "{path}");
    }
    let parsed = fixture.client.parse("sevrity:err").expect("answers");
    assert!(parsed.valid && parsed.diagnostics[0].severity == "warning");
}
