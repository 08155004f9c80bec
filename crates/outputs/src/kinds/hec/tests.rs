use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::http::Url;
use crate::render::Rendering;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::tls::TlsOptions;
use crate::{Destinations, Options, State, Status};
use double::{Double, TOKEN};

mod double;

fn client(urls: &[String]) -> ClientOptions {
    ClientOptions {
        urls: urls
            .iter()
            .map(|url| Url::parse(url).expect("a URL"))
            .collect(),
        tls: TlsOptions::default(),
        timeout: Duration::from_secs(30),
        gzip: None,
    }
}

fn template(text: &str) -> Rendering {
    Rendering::template(text).expect("a template")
}

fn hec(doubles: &[&Double]) -> Hec {
    let urls: Vec<_> = doubles.iter().map(|double| double.url()).collect();
    let token = Secret::Text(TOKEN.to_owned());
    Hec::new(client(&urls), token, Event::new(template("${MSG}")))
}

/// Sends messages through a destination, and waits until each is settled.
fn send(dir: &Path, options: Options, texts: &[String]) -> Status {
    let house = House::open(dir);
    let destinations = house.destinations(vec![options]);
    house.put("main", texts);
    settled(&destinations, texts.len() as u64);
    let status = only(&destinations.status()).clone();
    destinations.shutdown(Duration::from_secs(10));
    status
}

fn settled(destinations: &Destinations, count: u64) {
    until("all are settled", || {
        let status = destinations.status();
        assert_adds_up(only(&status));
        let totals = &only(&status).totals;
        totals.delivered + totals.dropped.all() == count
    });
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn events_arrive_with_their_metadata() {
    let double = Double::start();
    let mut hec = hec(&[&double]);
    hec.event.metadata = Metadata {
        host: Some(template("${HOST}")),
        source: Some(template("")),
        sourcetype: Some(template("syslog")),
        index: Some(template("main")),
    };
    hec.event.fields = vec![
        ("of".to_owned(), template("${HOST}")),
        ("none".to_owned(), template("${PROGRAM}")),
    ];
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..1_000);
    send(dir.path(), hasty(hec), &texts);
    assert_eq!(sorted(double.texts()), sorted(texts));
    let state = double.lock();
    for event in &state.events {
        let text = event["event"].as_str().expect("a text");
        let host = text.split(' ').next().expect("a word");
        assert_eq!(event["host"], host);
        assert_eq!(event["fields"], json!({ "of": host }));
        assert_eq!(event["index"], "main");
        assert_eq!(event["sourcetype"], "syslog");
        assert_eq!(event.get("source"), None);
        assert!(event["time"].is_number());
    }
}

#[test]
fn large_batches_go_in_several_requests_compressed_or_not() {
    for gzip in [None, Some(1)] {
        let double = Double::start();
        double.lock().bytes_max = Some(10_000);
        let mut hec = hec(&[&double]);
        hec.client.gzip = gzip;
        // Larger than what Splunk takes here: halves are sent.
        hec.request_bytes = 20_000;
        let dir = tempfile::tempdir().expect("makes one");
        let texts = messages(0..2_000);
        send(dir.path(), hasty(hec), &texts);
        assert_eq!(sorted(double.texts()), sorted(texts));
        assert!(double.lock().requests > 4);
    }
}

#[test]
fn wrong_events_are_refused_one_by_one_and_the_others_arrive_once() {
    let double = Double::start();
    double.lock().indexes = vec!["host0", "host1"];
    let mut hec = hec(&[&double]);
    hec.event.metadata.index = Some(template("${HOST}"));
    let mut options = hasty(hec);
    options.on_reject = model::LogspaceName::parse("refused").ok();
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..90);
    let totals = send(dir.path(), options, &texts).totals;
    assert_eq!((totals.delivered, totals.dropped.rejected), (60, 30));
    let expected = texts.into_iter().filter(|text| !text.starts_with("host2 "));
    assert_eq!(sorted(double.texts()), sorted(expected.collect()));
}

#[test]
fn an_index_that_no_event_may_have_is_no_fault_of_events() {
    let double = Double::start();
    double.lock().indexes = vec!["other"];
    let mut hec = hec(&[&double]);
    hec.event.metadata.index = Some(template("main"));
    let house_dir = tempfile::tempdir().expect("makes one");
    let house = House::open(house_dir.path());
    let destinations = house.destinations(vec![hasty(hec)]);
    house.put("main", &messages(0..10));
    until("it says so", || {
        let status = destinations.status();
        let error = &only(&status).last_error;
        error
            .as_ref()
            .is_some_and(|(_, what)| what.contains("Incorrect index (code 7"))
    });
    double.lock().indexes = vec!["main"];
    settled(&destinations, 10);
    assert_eq!(only(&destinations.status()).totals.dropped.all(), 0);
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn what_can_pass_is_tried_again_until_it_has() {
    for (status, body) in [
        (401, json!({ "text": "Token is required", "code": 2 })),
        (401, json!({ "text": "Invalid authorization", "code": 3 })),
        (403, json!({ "text": "Token disabled", "code": 1 })),
        (403, json!({ "text": "Invalid token", "code": 4 })),
        (
            404,
            json!({ "text": "The requested URL was not found on this server.", "code": 404 }),
        ),
        (429, json!({ "text": "Queue is at capacity", "code": 26 })),
        (500, json!({ "text": "Internal server error", "code": 8 })),
        (503, json!({ "text": "Server is busy", "code": 9 })),
        (
            503,
            json!({ "text": "Server is shutting down", "code": 23 }),
        ),
        (502, json!("a proxy in between")),
    ] {
        let double = Double::start();
        double.lock().answers.push_back((status, body));
        let dir = tempfile::tempdir().expect("makes one");
        let texts = messages(0..10);
        let totals = send(dir.path(), hasty(hec(&[&double])), &texts).totals;
        assert_eq!(double.texts(), texts, "{status}");
        assert_eq!(totals.dropped.all(), 0, "{status}");
    }
}

#[test]
fn what_was_taken_before_it_was_busy_does_not_come_again() {
    let double = Double::start();
    let busy = json!({ "text": "Server is busy", "code": 9, "invalid-event-number": 4 });
    double.lock().answers.push_back((503, busy));
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..10);
    send(dir.path(), hasty(hec(&[&double])), &texts);
    // The double has not taken those that it said it had.
    assert_eq!(double.texts(), texts[4..]);
}

#[test]
fn an_acknowledged_record_is_with_an_indexer() {
    let double = Double::start();
    let mut state = double.lock();
    (state.acknowledges, state.polls_in_vain, state.loses) = (true, 2, 1);
    drop(state);
    let mut hec = hec(&[&double]);
    hec.acknowledgement = Some(Acknowledgement {
        timeout: Duration::from_millis(200),
        poll: Duration::from_millis(5),
    });
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    let mut options = hasty(hec);
    options.batch.records_max = 1_000;
    send(dir.path(), options, &texts);
    // What was never acknowledged came again.
    let got = double.texts();
    assert!(got.len() > texts.len());
    let mut once = sorted(got);
    once.dedup();
    assert_eq!(once, sorted(texts));
}

#[test]
fn acknowledgement_that_is_off_is_told() {
    for (here, there, said) in [
        (true, false, "it acknowledges nothing"),
        (false, true, "Data channel is missing"),
    ] {
        let double = Double::start();
        double.lock().acknowledges = there;
        let mut hec = hec(&[&double]);
        hec.acknowledgement = here.then_some(Acknowledgement {
            timeout: Duration::from_secs(1),
            poll: Duration::from_millis(5),
        });
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(dir.path());
        let destinations = house.destinations(vec![hasty(hec)]);
        house.put("main", &messages(0..10));
        until("it says so", || {
            let status = destinations.status();
            let error = &only(&status).last_error;
            error
                .as_ref()
                .is_some_and(|(_, what)| what.contains(said) && what.contains("acknowledge = "))
        });
        assert_eq!(only(&destinations.status()).state, State::Failing);
        destinations.shutdown(Duration::from_secs(10));
    }
}

#[test]
fn lines_have_the_same_metadata_for_all() {
    let double = Double::start();
    let mut hec = hec(&[&double]);
    hec.endpoint = Endpoint::Raw;
    hec.event.metadata.sourcetype = Some(template("a b/c"));
    hec.event.metadata.host = Some(template("${HOST}"));
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    send(dir.path(), hasty(hec), &texts);
    let state = double.lock();
    assert_eq!(sorted(state.lines.clone()), sorted(texts));
    for query in &state.queries {
        assert_eq!(query.get("sourcetype").map(String::as_str), Some("a b/c"));
        assert_eq!(query.len(), 1);
    }
}

#[test]
fn several_share_the_work_and_one_that_is_sick_is_left_alone() {
    let (well, sick) = (Double::start(), Double::start());
    let mut state = sick.lock();
    state.is_unhealthy = true;
    let busy = json!({ "text": "Server is busy", "code": 9 });
    state.answers = std::iter::repeat_n((503, busy), 1_000).collect();
    drop(state);
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let mut options = hasty(hec(&[&sick, &well]));
    options.batch.records_max = 10;
    let destinations = house.destinations(vec![options]);
    let texts = messages(0..1_000);
    house.put("main", &texts);
    settled(&destinations, 1_000);
    assert_eq!(well.texts().len(), 1_000);
    assert!(sick.lock().requests < 10, "{}", sick.lock().requests);
    // It is well again, and says so before it gets anything.
    let mut state = sick.lock();
    (state.is_unhealthy, state.answers) = (false, Default::default());
    drop(state);
    let mut sent = 1_000;
    until("it has its share again", || {
        house.put("main", &messages(sent..sent + 10));
        sent += 10;
        settled(&destinations, sent as u64);
        !sick.lock().events.is_empty()
    });
    assert!(sick.lock().health_requests > 0);
    destinations.shutdown(Duration::from_secs(10));
    let both = well.lock().events.len() + sick.lock().events.len();
    assert_eq!(both, sent);
}

#[test]
fn one_that_nobody_listens_for_is_passed_over() {
    let double = Double::start();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = nobody.local_addr().expect("an address");
    drop(nobody);
    let mut hec = hec(&[&double]);
    hec.client.urls.insert(
        0,
        Url::parse(&format!("http://{address}/services/collector")).expect("a URL"),
    );
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    let status = send(dir.path(), hasty(hec), &texts);
    assert_eq!(double.texts(), texts);
    assert_eq!(status.retries, 0);
}

#[test]
fn a_token_is_read_anew_when_its_file_changes() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("token");
    std::fs::write(&path, "of yesterday\n").expect("writes");
    let mut hec = hec(&[&double]);
    hec.token = Secret::File(path.clone());
    let house = House::open(&dir.path().join("data"));
    let destinations = house.destinations(vec![hasty(hec)]);
    house.put("main", &messages(0..10));
    until("it says so", || {
        let status = destinations.status();
        let error = &only(&status).last_error;
        error
            .as_ref()
            .is_some_and(|(_, what)| what.contains("Invalid token (code 4"))
    });
    std::fs::write(&path, format!("{TOKEN}\n")).expect("writes");
    settled(&destinations, 10);
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn urls_need_no_path() {
    for (written, meant) in [
        ("https://a:8088", "https://a:8088/services/collector/event"),
        (
            "https://a:8088/services/collector",
            "https://a:8088/services/collector/event",
        ),
        (
            "https://a/services/collector/event",
            "https://a/services/collector/event",
        ),
        (
            "https://a/services/collector/raw/1.0",
            "https://a/services/collector/event",
        ),
        ("https://a/proxy/", "https://a/proxy/event"),
    ] {
        let event = Event::new(template("${MSG}"));
        let hec = Hec::new(
            client(&[written.to_owned()]),
            Secret::Text("t".to_owned()),
            event,
        );
        let url = hec.client.urls.first().expect("one");
        assert_eq!(url.join(&hec.path()), meant);
    }
}

#[test]
fn channels_are_random_guids() {
    let (one, other) = (new_channel(), new_channel());
    assert_ne!(one, other);
    let groups: Vec<_> = one.split('-').collect();
    assert_eq!(
        groups.iter().map(|group| group.len()).collect::<Vec<_>>(),
        [8, 4, 4, 4, 12]
    );
    assert!(groups[2].starts_with('4') && groups[3].starts_with(['8', '9', 'a', 'b']));
    assert!(
        one.bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
    );
}

#[test]
fn bytes_of_any_kind_make_valid_events() {
    let event = Event {
        has_all_fields: true,
        ..Event::new(template("${MSG}"))
    };
    let mut batch = model::RecordBatch::new();
    let source = batch.source_index("test").expect("room");
    for text in [
        &b"\"quoted\" \\ \x00\x01\x7f"[..],
        b"\xff\xfe",
        "\u{1f600}\n".as_bytes(),
    ] {
        let parts = model::RecordParts {
            message: model::Span::new(0, text.len()),
            ..model::RecordParts::default()
        };
        let now = crate::tests::now();
        batch.push(text, &parts, now, None, source).expect("room");
    }
    let logspace = model::LogspaceName::main();
    for index in 0..3 {
        let record = batch.get(index).expect("a record");
        let item = Item {
            logspace: &logspace,
            number: model::RecordNumber(1),
            record,
        };
        let mut out = Vec::new();
        event
            .write_json(item, &Scene::now(), &mut out)
            .expect("fits");
        let read: Value = serde_json::from_slice(&out).expect("JSON");
        assert_eq!(
            read["event"],
            String::from_utf8_lossy(record.message()).as_ref()
        );
    }
}
