use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use super::*;
use crate::render::Rendering;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::tls::TlsOptions;
use crate::{Options, Status};
use double::{Asked, Double};

mod double;

fn options(url: &str) -> ClientOptions {
    ClientOptions {
        urls: vec![Url::parse(url).expect("a URL")],
        tls: TlsOptions::default(),
        timeout: Duration::from_secs(30),
        gzip: None,
    }
}

fn template(text: &str) -> Rendering {
    Rendering::template(text).expect("a template")
}

fn plain(form: Form) -> Body {
    Body::new(form, Text::Plain(template("${MSG}")))
}

fn labelled(form: Form) -> Body {
    Body {
        labels: vec![("host".to_owned(), template("${HOST}"))],
        ..plain(form)
    }
}

/// Sends messages, and waits until each is settled.
fn send(dir: &Path, options: Options, texts: &[String]) -> Status {
    let house = House::open(dir);
    let destinations = house.destinations(vec![options]);
    house.put("main", texts);
    until("all are settled", || {
        let status = destinations.status();
        assert_adds_up(only(&status));
        let totals = &only(&status).totals;
        totals.delivered + totals.dropped.all() == texts.len() as u64
    });
    let status = only(&destinations.status()).clone();
    destinations.shutdown(Duration::from_secs(10));
    status
}

fn send_to(double: &Double, path: &str, body: Body, texts: &[String]) -> Status {
    let dir = tempfile::tempdir().expect("makes one");
    let http = Http::new(options(&double.url(path)), body);
    send(dir.path(), hasty(http), texts)
}

/// All that is in an array at a place of the bodies that were taken.
fn items(double: &Double, pointer: &str) -> Vec<Value> {
    let taken = double.lock().taken.clone();
    let bodies = taken.iter().map(Asked::json);
    bodies
        .flat_map(|body| body.pointer(pointer).expect("a place").as_array().cloned())
        .flatten()
        .collect()
}

fn strings(values: &[Value]) -> Vec<&str> {
    values
        .iter()
        .map(|value| value.as_str().expect("a text"))
        .collect()
}

#[test]
fn records_arrive_in_order_as_lines_arrays_and_one_by_one() {
    let texts = messages(0..500);
    let double = Double::start();
    send_to(&double, "/hook/", plain(Form::Array), &texts);
    assert_eq!(strings(&items(&double, "")), texts);
    let first = double.lock().taken.first().cloned().expect("one");
    assert_eq!(
        (first.method.as_str(), first.path.as_str()),
        ("POST", "/hook/")
    );
    assert_eq!(first.header("content-type"), "application/json");

    let double = Double::start();
    let body = Body {
        prefix: "<".to_owned(),
        suffix: ">".to_owned(),
        ..plain(Form::Lines)
    };
    send_to(&double, "/", body, &texts);
    let all: Vec<_> = double.lock().taken.iter().map(Asked::text).collect();
    let lines = all.iter().flat_map(|body| {
        let inside = body
            .strip_prefix('<')
            .and_then(|body| body.strip_suffix('>'));
        inside.expect("both").lines()
    });
    assert_eq!(lines.collect::<Vec<_>>(), texts);

    let double = Double::start();
    send_to(&double, "/", plain(Form::Single), &texts);
    let all: Vec<_> = double.lock().taken.iter().map(Asked::text).collect();
    assert_eq!(all, texts);
}

#[test]
fn a_record_stays_on_its_line_and_json_stays_json() {
    let texts = [
        "a\nb\r\nc\n".to_owned(),
        "{\"a\":\n1}".to_owned(),
        "[".to_owned(),
    ];
    let double = Double::start();
    send_to(&double, "/", plain(Form::Lines), &texts);
    let all: String = double.lock().taken.iter().map(Asked::text).collect();
    assert_eq!(all, "a b  c\n{\"a\": 1}\n[\n");

    let double = Double::start();
    let body = Body::new(Form::Array, Text::Template(template("${MSG}")));
    let status = send_to(&double, "/", body, &texts);
    assert_eq!(items(&double, ""), [json!({ "a": 1 })]);
    assert_eq!(status.totals.dropped.rejected, 2);

    let double = Double::start();
    let format = Rendering::format("json").expect("a format");
    send_to(
        &double,
        "/",
        Body::new(Form::Array, Text::Json(format)),
        &texts,
    );
    let all = items(&double, "");
    assert_eq!(
        all.iter()
            .map(|one| one["message"].as_str().expect("one"))
            .collect::<Vec<_>>(),
        texts
    );
}

#[test]
fn refused_records_are_found_and_everything_else_comes_again() {
    let mut refusals = vec![
        (500, ""),
        (404, "no such hook"),
        (429, ""),
        (302, ""),
        (401, "who?"),
    ];
    let double = Double::start().judged(move |asked| {
        if let Some((status, text)) = refusals.pop() {
            return (status, text.to_owned());
        }
        match asked.text().contains("message 17\"") {
            true => (422, "17 is not liked".to_owned()),
            false => (202, String::new()),
        }
    });
    let texts = messages(0..100);
    let status = send_to(&double, "/", plain(Form::Array), &texts);
    assert_eq!(
        (status.totals.delivered, status.totals.dropped.rejected),
        (99, 1)
    );
    let mut expected = texts;
    expected.remove(17);
    assert_eq!(strings(&items(&double, "")), expected);
}

#[test]
fn statuses_mean_what_the_configuration_says() {
    let double = Double::start().judged(|asked| match asked.text().contains("message 3") {
        true => (418, String::new()),
        false => (304, String::new()),
    });
    let dir = tempfile::tempdir().expect("makes one");
    let mut http = Http::new(options(&double.url("/")), plain(Form::Single));
    http.success = Statuses(vec![StatusRange::parse("304").expect("a status")]);
    http.refused = Statuses(vec![StatusRange::parse("4xx").expect("statuses")]);
    http.method = HttpMethod::Put;
    http.headers = vec![("X-Tenant".to_owned(), "ours".to_owned())];
    http.content_type = Some("text/x-log".to_owned());
    let status = send(dir.path(), hasty(http), &messages(0..5));
    assert_eq!(
        (status.totals.delivered, status.totals.dropped.rejected),
        (4, 1)
    );
    let asked = double.lock().asked.clone();
    assert_eq!(asked.len(), 5);
    for one in asked {
        assert_eq!(one.method.as_str(), "PUT");
        assert_eq!(
            (one.header("x-tenant"), one.header("content-type")),
            ("ours", "text/x-log")
        );
    }
}

#[test]
fn loki_gets_streams_by_their_labels() {
    let double = Double::start().judged(|_| (204, String::new()));
    let texts = messages(0..300);
    send_to(&double, "", labelled(Form::Loki), &texts);
    let taken = double.lock().taken.clone();
    let mut found = Vec::new();
    for push in &taken {
        assert_eq!(push.path, "/loki/api/v1/push");
        let streams = push.json()["streams"].as_array().cloned().expect("streams");
        assert!(streams.len() <= 3, "{streams:?}");
        for stream in streams {
            assert_eq!(stream.as_object().expect("one").len(), 2);
            for entry in stream["values"].as_array().expect("values") {
                let [time, line] = [0, 1].map(|at| entry[at].as_str().expect("a text").to_owned());
                assert!(
                    time.parse::<i64>().is_ok_and(|nanos| nanos >= 0) && entry.get(2).is_none()
                );
                let host = stream["stream"]["host"].as_str().expect("a host");
                assert!(line.starts_with(host), "{host}: {line}");
                found.push(line);
            }
        }
    }
    let mut expected = texts;
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn loki_gets_a_label_where_a_record_has_none() {
    let double = Double::start();
    let body = Body {
        labels: vec![("none".to_owned(), template("${PROGRAM}"))],
        ..plain(Form::Loki)
    };
    send_to(&double, "", body, &messages(0..1));
    let streams = items(&double, "/streams");
    assert_eq!(
        streams.first().expect("one")["stream"],
        json!({ "job": "logwood" })
    );
}

#[test]
fn a_collector_gets_log_records_by_their_resource() {
    let double = Double::start().judged(|_| (200, json!({ "partialSuccess": {} }).to_string()));
    let texts = messages(0..30);
    send_to(&double, "", labelled(Form::Otlp), &texts);
    assert_eq!(double.lock().taken.first().expect("one").path, "/v1/logs");
    let mut found = Vec::new();
    for group in items(&double, "/resourceLogs") {
        let host = group["resource"]["attributes"][0]["value"]["stringValue"].clone();
        for record in group["scopeLogs"][0]["logRecords"]
            .as_array()
            .expect("records")
        {
            let text = record["body"]["stringValue"]
                .as_str()
                .expect("a text")
                .to_owned();
            assert!(text.starts_with(host.as_str().expect("a host")));
            // user.notice
            assert_eq!(
                (&record["severityNumber"], &record["severityText"]),
                (&json!(10), &json!("notice"))
            );
            assert!(
                record["timeUnixNano"]
                    .as_str()
                    .is_some_and(|time| time.parse::<u64>().is_ok())
            );
            assert_eq!(record["attributes"][0]["key"], "logwood.id");
            found.push(text);
        }
    }
    found.sort();
    let mut expected = texts;
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_a_collector_takes_in_part_is_not_sent_again_and_not_forgotten() {
    for count in [json!("3"), json!(3)] {
        let said =
            json!({ "partialSuccess": { "rejectedLogRecords": count, "errorMessage": "too old" } });
        let said = said.to_string();
        let double = Double::start().judged(move |_| (200, said.clone()));
        let texts = messages(0..10);
        let status = send_to(&double, "", plain(Form::Otlp), &texts);
        assert_eq!(status.totals.dropped.rejected, 10);
        let sent = items(&double, "/resourceLogs/0/scopeLogs/0/logRecords");
        assert_eq!(sent.len(), 10);
    }
}

#[test]
fn pubsub_gets_messages_with_an_id_that_stays() {
    let mut forgets = 1;
    let double = Double::start().judged(move |_| {
        let status = if forgets > 0 { 503 } else { 200 };
        forgets = 0;
        (status, String::new())
    });
    let texts = messages(0..10);
    send_to(
        &double,
        "/v1/projects/p/topics/t:publish",
        labelled(Form::PubSub),
        &texts,
    );
    let asked = double.lock().asked.clone();
    let all: Vec<_> = asked
        .iter()
        .flat_map(|one| one.json()["messages"].as_array().cloned())
        .flatten()
        .collect();
    let text = |message: &Value| {
        let bytes = STANDARD.decode(message["data"].as_str().expect("a text"));
        String::from_utf8(bytes.expect("base64")).expect("a text")
    };
    assert_eq!(
        asked.first().expect("one").path,
        "/v1/projects/p/topics/t:publish"
    );
    let mut ids: Vec<_> = all
        .iter()
        .map(|one| (text(one), one["attributes"]["id"].to_string()))
        .collect();
    assert!(all.len() > 10, "some came twice");
    let mut sorted = texts;
    sorted.sort();
    ids.sort();
    ids.dedup();
    assert_eq!(
        ids.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>(),
        sorted
    );
    assert!(
        all.iter()
            .all(|one| text(one).starts_with(one["attributes"]["host"].as_str().expect("one")))
    );
}

#[test]
fn we_say_who_we_are() {
    for (login, header, value) in [
        (
            HttpLogin::Password {
                user: "a".to_owned(),
                password: Secret::Text("b".to_owned()),
            },
            "authorization",
            "Basic YTpi",
        ),
        (
            HttpLogin::Token {
                token: Secret::Text("t".to_owned()),
                header: None,
            },
            "authorization",
            "Bearer t",
        ),
        (
            HttpLogin::Token {
                token: Secret::Text("t".to_owned()),
                header: Some("X-API-Key".to_owned()),
            },
            "x-api-key",
            "t",
        ),
    ] {
        let double = Double::start();
        let dir = tempfile::tempdir().expect("makes one");
        let mut http = Http::new(options(&double.url("/")), plain(Form::Array));
        http.login = login;
        send(dir.path(), hasty(http), &messages(0..1));
        assert_eq!(
            double.lock().taken.first().expect("one").header(header),
            value
        );
    }
}

fn grant(token: &str, seconds: u64) -> (u16, String) {
    let grant = json!({ "access_token": token, "token_type": "Bearer", "expires_in": seconds });
    (200, grant.to_string())
}

fn oauth(double: &Double) -> HttpLogin {
    HttpLogin::OAuth {
        url: Url::parse(&double.url("/token")).expect("a URL"),
        client: "our app".to_owned(),
        secret: Secret::Text("a:b".to_owned()),
        scope: Some("logs write".to_owned()),
    }
}

#[test]
fn a_token_is_fetched_once_and_anew_when_it_is_not_believed() {
    let double = Double::start().judged(|asked| match asked.header("authorization") {
        "Bearer second" => (200, String::new()),
        _ => (401, "expired".to_owned()),
    });
    let grants = [
        (503, "not now".to_owned()),
        (200, "{}".to_owned()),
        grant("first", 3_600),
        grant("second", 3_600),
    ];
    double.lock().grants = grants.into();
    let dir = tempfile::tempdir().expect("makes one");
    let mut http = Http::new(options(&double.url("/")), plain(Form::Array));
    http.login = oauth(&double);
    let mut options = hasty(http);
    options.batch.records_max = 10;
    options.workers = 4;
    let texts = messages(0..500);
    let status = send(dir.path(), options, &texts);
    assert_eq!(
        (status.totals.delivered, status.totals.dropped.all()),
        (500, 0)
    );
    let inside = double.lock();
    assert_eq!(inside.tokens.len(), 4, "one for each grant");
    let asked = inside.tokens.first().expect("one");
    assert_eq!(
        asked.text(),
        "grant_type=client_credentials&scope=logs%20write"
    );
    let basic = STANDARD.encode("our%20app:a%3Ab");
    assert_eq!(asked.header("authorization"), format!("Basic {basic}"));
}

#[test]
fn a_token_that_is_over_is_fetched_anew() {
    let double = Double::start();
    double.lock().grants = [grant("short", 0)].into();
    let dir = tempfile::tempdir().expect("makes one");
    let mut http = Http::new(options(&double.url("/")), plain(Form::Single));
    http.login = oauth(&double);
    send(dir.path(), hasty(http), &messages(0..5));
    assert_eq!(double.lock().tokens.len(), 5);
}

#[test]
fn google_gets_what_the_key_has_signed() {
    let double = Double::start();
    double.lock().grants = [grant("from google", 3_600)].into();
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("key.json");
    // A key of 2,048 bits that nobody uses: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048`.
    let pem = include_str!("tests/service_account.pem");
    let key = json!({
        "type": "service_account",
        "client_email": "logwood@p.iam.gserviceaccount.com",
        "private_key": pem,
        "private_key_id": "0123",
        "token_uri": double.url("/token"),
    });
    std::fs::write(&path, key.to_string()).expect("writes");
    let login = HttpLogin::Google {
        key: path.clone(),
        scope: "pubsub".to_owned(),
    };
    assert_eq!(login.examine(), None);
    let mut http = Http::new(options(&double.url("/")), plain(Form::PubSub));
    http.login = login;
    let store = tempfile::tempdir().expect("makes one");
    send(store.path(), hasty(http), &messages(0..3));
    let inside = double.lock();
    assert_eq!(
        inside.taken.first().expect("one").header("authorization"),
        "Bearer from google"
    );
    let asked = inside.tokens.first().expect("one").text();
    let assertion = asked
        .strip_prefix(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant%2Dtype%3Ajwt%2Dbearer&assertion=",
        )
        .expect("an assertion");
    let (signed, signature) = assertion.rsplit_once('.').expect("three parts");
    let claims = signed.split_once('.').expect("two parts").1;
    let claims: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base64")).expect("JSON");
    assert_eq!(
        (&claims["iss"], &claims["scope"]),
        (&key["client_email"], &json!("pubsub"))
    );
    // Whoever has the public key believes it.
    let der = rustls::pki_types::PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).expect("a key");
    let pair = ring::signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).expect("a key");
    ring::signature::UnparsedPublicKey::new(
        &ring::signature::RSA_PKCS1_2048_8192_SHA256,
        pair.public(),
    )
    .verify(
        signed.as_bytes(),
        &URL_SAFE_NO_PAD.decode(signature).expect("base64"),
    )
    .expect("signed");
    std::fs::write(&path, "{}").expect("writes");
    let login = HttpLogin::Google {
        key: path,
        scope: String::new(),
    };
    assert_eq!(login.examine().expect("a trouble").key, "google_key_file");
}
