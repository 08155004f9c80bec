//! What a running server answers is what its OpenAPI document says.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::Fixture;

/// What came back.
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: BufReader<TcpStream>,
}

impl Answer {
    fn text(mut self) -> String {
        let mut bytes = Vec::new();
        self.body.read_to_end(&mut bytes).expect("reads");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn media_type(&self) -> &str {
        let whole = self.headers.get("content-type").map_or("", String::as_str);
        whole.split(';').next().unwrap_or_default()
    }
}

/// A request of HTTP 1.0, whose answer ends with the connection.
fn ask(fixture: &Fixture, method: &str, path: &str, media_type: &str, body: &str) -> Answer {
    let host = fixture.client.url().trim_start_matches("http://");
    let head = format!("host: {host}\r\ncontent-type: {media_type}\r\n");
    ask_with(fixture, method, path, &head, body)
}

/// The same with all headers but the length.
fn ask_with(fixture: &Fixture, method: &str, path: &str, head: &str, body: &str) -> Answer {
    let host = fixture.client.url().trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("connects");
    let request = format!(
        "{method} {path} HTTP/1.0\r\n{head}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sends");
    let mut body = BufReader::new(stream);
    let mut line = String::new();
    body.read_line(&mut line).expect("a status");
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        body.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    Answer {
        status: status.expect("a status"),
        headers,
        body,
    }
}

/// The document, with members that it does not name forbidden.
struct Document {
    paths: Map<String, Value>,
    components: Value,
    /// Answers that several operations share, by their references.
    shared: Value,
    /// Which answers have been seen: operation and status.
    seen: BTreeSet<(String, u16)>,
}

impl Document {
    fn fetch(fixture: &Fixture) -> Self {
        let text = ask(fixture, "GET", "/api/v1/openapi.json", "", "").text();
        let mut document: Value = serde_json::from_str(&text).expect("JSON");
        let shared = document["components"]["responses"].take();
        forbid_others(&mut document["components"]["schemas"]);
        Self {
            paths: document["paths"].as_object().expect("paths").clone(),
            components: document["components"].take(),
            shared,
            seen: BTreeSet::new(),
        }
    }

    fn validator(&self, schema: &Value) -> Validator {
        let mut whole = schema.clone();
        whole["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        whole["components"] = self.components.clone();
        jsonschema::validator_for(&whole).expect("a schema")
    }

    /// Holds an answer to the document, line by line where it is a stream.
    fn check(&mut self, method: &str, path: &str, answer: Answer, lines_max: usize) {
        let operation = &self.paths[path][method];
        let name = operation["operationId"]
            .as_str()
            .expect("a name")
            .to_owned();
        let (status, media_type) = (answer.status, answer.media_type().to_owned());
        let mut response = &operation["responses"][status.to_string()];
        if let Some(shared) = response["$ref"].as_str() {
            response = &self.shared[shared.trim_start_matches("#/components/responses/")];
        }
        assert!(response.is_object(), "{name} answers {status}");
        self.seen.insert((name.clone(), status));
        let Some(content) = response.get("content") else {
            assert_eq!(answer.text(), "", "{name}");
            return;
        };
        let schema = content.get(&media_type);
        let schema = &schema.unwrap_or_else(|| panic!("{name} answers {media_type}"))["schema"];
        if !media_type.contains("json") {
            return;
        }
        let validator = self.validator(schema);
        let texts: Vec<String> = match &media_type[..] {
            "application/x-ndjson" => {
                let lines = answer.body.lines().take(lines_max);
                lines.map(|line| line.expect("reads")).collect()
            }
            _ => vec![answer.text()],
        };
        assert!(!texts.is_empty(), "{name} answers nothing");
        for text in texts {
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let errors: Vec<_> = validator
                .iter_errors(&value)
                .map(|e| e.to_string())
                .collect();
            assert!(errors.is_empty(), "{name}: {errors:?} in {value}");
        }
    }
}

/// Objects may then have the members that are named, and no others.
fn forbid_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) {
                let others = members.entry("additionalProperties");
                others.or_insert(json!(false));
            }
            members.values_mut().for_each(forbid_others);
        }
        Value::Array(elements) => elements.iter_mut().for_each(forbid_others),
        _ => {}
    }
}

/// Requests that are answered as asked: method, path as described, path as sent, body.
const ASKED: &[(&str, &str, &str, &str)] = &[
    (
        "get",
        "/api/v1/search",
        "/api/v1/search?q=disk&raw=true&limit=1",
        "",
    ),
    ("get", "/api/v1/count", "/api/v1/count?q=disk", ""),
    ("get", "/api/v1/histogram", "/api/v1/histogram?bars=3", ""),
    (
        "get",
        "/api/v1/histogram",
        "/api/v1/histogram?progress=1",
        "",
    ),
    ("get", "/api/v1/stats", "/api/v1/stats?by=host", ""),
    ("get", "/api/v1/fields", "/api/v1/fields", ""),
    ("get", "/api/v1/patterns", "/api/v1/patterns?limit=2", ""),
    (
        "get",
        "/api/v1/query",
        "/api/v1/query?q=*%7Ccount%20by%20host,pid",
        "",
    ),
    (
        "get",
        "/api/v1/query",
        "/api/v1/query?q=*%7Cavg%20severity%20by%20pid",
        "",
    ),
    ("get", "/api/v1/query", "/api/v1/query?q=*%7Cpatterns", ""),
    ("get", "/api/v1/complete", "/api/v1/complete?q=sev", ""),
    ("get", "/api/v1/complete", "/api/v1/complete?q=*%7C", ""),
    ("get", "/api/v1/export", "/api/v1/export?raw=1", ""),
    ("get", "/api/v1/export", "/api/v1/export?format=csv", ""),
    ("get", "/api/v1/export", "/api/v1/export?format=raw", ""),
    ("get", "/api/v1/records/{id}", "/api/v1/records/main:1", ""),
    (
        "get",
        "/api/v1/query/parse",
        "/api/v1/query/parse?q=(sevrity:err&pipe=1",
        "",
    ),
    ("get", "/api/v1/destinations", "/api/v1/destinations", ""),
    (
        "post",
        "/api/v1/destinations/{name}/{action}",
        "/api/v1/destinations/all/pause",
        "{}",
    ),
    ("get", "/api/v1/searches", "/api/v1/searches", ""),
    (
        "put",
        "/api/v1/searches/{name}",
        "/api/v1/searches/a",
        "{\"q\": \"x\"}",
    ),
    ("get", "/api/v1/searches", "/api/v1/searches", ""),
    (
        "delete",
        "/api/v1/searches/{name}",
        "/api/v1/searches/a",
        "",
    ),
    (
        "post",
        "/api/v1/explain",
        "/api/v1/explain",
        "<13>1 - h p 1 m [a b=\"c\" b=\"d\"] text",
    ),
    ("get", "/api/v1/config", "/api/v1/config", ""),
    (
        "post",
        "/api/v1/config/check",
        "/api/v1/config/check",
        "[source.udp.x]\nlisen = 1\n",
    ),
    ("get", "/api/v1/status", "/api/v1/status", ""),
    (
        "get",
        "/api/v1/sources/{name}/senders",
        "/api/v1/sources/http/senders",
        "",
    ),
    ("post", "/api/v1/ingest", "/api/v1/ingest", "<13>one\n"),
    (
        "post",
        "/api/v1/ingest",
        "/api/v1/ingest?format=ndjson",
        "{\"message\": \"two\"}\n",
    ),
    ("post", "/api/v1/import", "/api/v1/import", "<13>three\n"),
    ("get", "/api/v1/openapi.json", "/api/v1/openapi.json", ""),
    ("get", "/healthz", "/healthz", ""),
    ("get", "/readyz", "/readyz", ""),
    ("get", "/metrics", "/metrics", ""),
];

/// Requests that are refused.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("get", "/api/v1/search", "/api/v1/search?q=(a", ""),
    ("get", "/api/v1/count", "/api/v1/count?from=never", ""),
    ("get", "/api/v1/count", "/api/v1/count?time=tea", ""),
    ("get", "/api/v1/histogram", "/api/v1/histogram?bars=0", ""),
    (
        "get",
        "/api/v1/histogram",
        "/api/v1/histogram?progress=1&bars=0",
        "",
    ),
    ("get", "/api/v1/stats", "/api/v1/stats", ""),
    (
        "get",
        "/api/v1/fields",
        "/api/v1/fields?logspace=nowhere",
        "",
    ),
    (
        "get",
        "/api/v1/patterns",
        "/api/v1/patterns?q=*%7Ccount",
        "",
    ),
    ("get", "/api/v1/query", "/api/v1/query?q=*%7Cnonsense", ""),
    ("get", "/api/v1/complete", "/api/v1/complete?q=a&at=x", ""),
    ("get", "/api/v1/tail", "/api/v1/tail?after=x", ""),
    ("get", "/api/v1/export", "/api/v1/export?format=xls", ""),
    ("get", "/api/v1/records/{id}", "/api/v1/records/main:99", ""),
    ("get", "/api/v1/records/{id}", "/api/v1/records/x", ""),
    (
        "get",
        "/api/v1/query/parse",
        "/api/v1/query/parse?pipe=perhaps",
        "",
    ),
    (
        "put",
        "/api/v1/searches/{name}",
        "/api/v1/searches/a",
        "{\"q\": \"(\"}",
    ),
    (
        "delete",
        "/api/v1/searches/{name}",
        "/api/v1/searches/b",
        "",
    ),
    (
        "get",
        "/api/v1/sources/{name}/senders",
        "/api/v1/sources/x/senders",
        "",
    ),
    (
        "post",
        "/api/v1/destinations/{name}/{action}",
        "/api/v1/destinations/none/pause",
        "{}",
    ),
    (
        "post",
        "/api/v1/destinations/{name}/{action}",
        "/api/v1/destinations/all/dance",
        "{}",
    ),
    (
        "post",
        "/api/v1/destinations/{name}/{action}",
        "/api/v1/destinations/all/skip",
        "{\"logspace\": \"other\"}",
    ),
    (
        "post",
        "/api/v1/ingest",
        "/api/v1/ingest?format=ndjson",
        "{\n",
    ),
    ("post", "/api/v1/import", "/api/v1/import?logspace=x", ""),
    (
        "post",
        "/api/v1/admin/backup",
        "/api/v1/admin/backup",
        "{\"directory\": \"x\"}",
    ),
];

/// One destination, into a file beside the data.
fn destinations(fixture: &Fixture) -> Arc<outputs::Destinations> {
    let path = fixture.dir.path().join("all.log").display().to_string();
    let text = format!("[destination.file.all]\npath = {path:?}\n");
    let checked = config::check(&text, "logwood.toml", &config::Overrides::default());
    Arc::new(outputs::Destinations::start(
        Arc::clone(&fixture.app.store),
        fixture.runtime.handle().clone(),
        Arc::clone(&fixture.app.clock),
        checked.config.expect("it is valid").destinations,
    ))
}

#[test]
fn answers_and_refusals_are_as_described() {
    let fixture = Fixture::with_records();
    fixture.app.set_destinations(destinations(&fixture));
    let mut document = Document::fetch(&fixture);
    for (requests, is_refused) in [(ASKED, false), (REFUSED, true)] {
        for (method, path, sent, body) in requests {
            let verb = method.to_ascii_uppercase();
            let answer = ask(&fixture, &verb, sent, "application/json", body);
            assert_eq!(
                answer.status >= 400,
                is_refused,
                "{sent}: {}",
                answer.status
            );
            document.check(method, path, answer, usize::MAX);
        }
    }
    let tail = ask(&fixture, "GET", "/api/v1/tail?after=main:0&raw=1", "", "");
    document.check("get", "/api/v1/tail", tail, 3);
    let directory = tempfile::tempdir().expect("temporary directory");
    let body = json!({"directory": directory.path()}).to_string();
    let backup = ask(
        &fixture,
        "POST",
        "/api/v1/admin/backup",
        "application/json",
        &body,
    );
    document.check("post", "/api/v1/admin/backup", backup, 1);

    for (path, operations) in &document.paths {
        for operation in operations.as_object().expect("operations").values() {
            let name = operation["operationId"].as_str().expect("a name");
            let is_answered = document
                .seen
                .iter()
                .any(|(n, status)| n == name && *status < 300);
            assert!(is_answered, "{name} ({path}) was not asked");
        }
    }
}

#[test]
fn no_path_answers_a_foreign_page_and_every_one_says_so() {
    let fixture = Fixture::start();
    let mut document = Document::fetch(&fixture);
    let host = fixture
        .client
        .url()
        .trim_start_matches("http://")
        .to_owned();
    let foreign =
        format!("host: {host}\r\norigin: http://evil.example\r\ncontent-type: text/plain\r\n");
    let rebound = "host: evil.example\r\ncontent-type: text/plain\r\n".to_owned();
    let paths = document.paths.clone();
    for (path, operations) in &paths {
        for method in operations.as_object().expect("operations").keys() {
            let sent = path.replace("{id}", "main:1").replace("{name}", "a");
            let verb = method.to_ascii_uppercase();
            for (head, status) in [(&foreign, 403), (&rebound, 421)] {
                let answer = ask_with(&fixture, &verb, &sent, head, "<13>1 - h p - - - stranger\n");
                assert_eq!(answer.status, status, "{verb} {sent}");
                document.check(method, path, answer, 1);
            }
        }
    }
    for path in ["/", "/search", "/app.js", "/nosuch", "/api/v1/nosuch"] {
        assert_eq!(
            ask_with(&fixture, "GET", path, &foreign, "").status,
            403,
            "{path}"
        );
        let answer = ask_with(&fixture, "GET", path, &rebound, "");
        assert_eq!(answer.status, 421, "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    let preflight = ask_with(&fixture, "OPTIONS", "/api/v1/ingest", &foreign, "");
    assert!(
        preflight.status == 403
            && !preflight
                .headers
                .contains_key("access-control-allow-origin")
    );
    let records = fixture.client.count(&client::Parameters::default());
    assert_eq!(records.expect("answers").count, 0);
    fixture.app.set_hosts(vec!["logs.example.com".to_owned()]);
    let proxied = "host: logs.example.com\r\norigin: https://logs.example.com\r\n";
    let written = ask_with(
        &fixture,
        "POST",
        "/api/v1/ingest",
        proxied,
        "<13>1 - h p - - - mine\n",
    );
    assert_eq!(written.status, 200);
}

#[test]
fn every_path_has_the_methods_described() {
    let fixture = Fixture::start();
    let document = Document::fetch(&fixture);
    for (path, operations) in &document.paths {
        let sent = path.replace("{id}", "main:1").replace("{name}", "a");
        let answer = ask(&fixture, "PATCH", &sent, "", "");
        assert_eq!(answer.status, 405, "{path}");
        let allowed = answer.headers.get("allow").expect("methods").to_lowercase();
        let allowed: BTreeSet<&str> = allowed.split(',').filter(|m| *m != "head").collect();
        let operations = operations.as_object().expect("operations");
        let described: BTreeSet<&str> = operations.keys().map(String::as_str).collect();
        assert_eq!(allowed, described, "{path}");
    }
}
