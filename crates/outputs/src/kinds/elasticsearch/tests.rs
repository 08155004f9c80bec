use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::http::Url;
use crate::render::Rendering;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::tls::TlsOptions;
use crate::{Options, Status};
use double::Double;

mod double;

fn elasticsearch(doubles: &[&Double], index: &str) -> Elasticsearch {
    let urls = doubles.iter().map(|double| Url::parse(&double.url()));
    let client = ClientOptions {
        urls: urls.map(|url| url.expect("a URL")).collect(),
        tls: TlsOptions::default(),
        timeout: Duration::from_secs(30),
        gzip: None,
    };
    let index = IndexTemplate::parse(index).expect("an index");
    Elasticsearch::new(client, index, Document::format("json").expect("a format"))
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

fn sorted(texts: &[String]) -> Vec<String> {
    let mut texts = texts.to_vec();
    texts.sort();
    texts
}

#[test]
fn documents_arrive_under_their_own_identifiers_in_the_index_of_their_values() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..1_000);
    send(
        dir.path(),
        hasty(elasticsearch(&[&double], "logs-${HOST}")),
        &texts,
    );
    assert_eq!(double.messages(), sorted(&texts));
    let cluster = double.lock();
    for ((index, id), document) in &cluster.documents {
        assert_eq!(
            *index,
            format!("logs-{}", document["host"].as_str().expect("a host"))
        );
        assert!(
            document["@timestamp"]
                .as_str()
                .expect("a time")
                .ends_with('Z')
        );
        // The store, the logspace and the number.
        let number = document["id"].as_str().expect("an id").replace(':', "-");
        assert!(
            id.ends_with(&format!("-{number}")) && id.len() > 32 + number.len(),
            "{id}"
        );
    }
    assert_eq!(cluster.conflicts, 0);
}

#[test]
fn what_is_sent_twice_is_there_once_and_counts_once() {
    let double = Double::start();
    double.lock().forgets = 3;
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    let status = send(dir.path(), hasty(elasticsearch(&[&double], "logs")), &texts);
    assert_eq!(double.messages(), sorted(&texts));
    assert_eq!(status.totals.delivered, 100);
    assert!(double.lock().conflicts > 0);
}

#[test]
fn each_document_has_its_own_verdict() {
    let double = Double::start();
    double.lock().errors = vec![
        (
            "message 17",
            100,
            400,
            "mapper_parsing_exception",
            "failed to parse field",
        ),
        (
            "message 2",
            3,
            429,
            "es_rejected_execution_exception",
            "queue is full",
        ),
        (
            "message 3",
            3,
            503,
            "unavailable_shards_exception",
            "primary shard is not active",
        ),
        (
            "message 4",
            3,
            403,
            "cluster_block_exception",
            "blocked by: FORBIDDEN/12/read-only",
        ),
        (
            "message 5",
            3,
            400,
            "validation_exception",
            "this action would add [2] shards, but this cluster has [1000]/[1000] maximum shards open",
        ),
    ];
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    let mut options = hasty(elasticsearch(&[&double], "logs"));
    options.on_reject = model::LogspaceName::parse("refused").ok();
    let status = send(dir.path(), options, &texts);
    assert_eq!(
        (status.totals.delivered, status.totals.dropped.rejected),
        (99, 1)
    );
    let mut expected = sorted(&texts);
    expected.retain(|text| !text.ends_with("message 17"));
    assert_eq!(double.messages(), expected);
}

#[test]
fn requests_that_are_not_taken_as_a_whole_come_again() {
    for (status, body) in [
        (
            401,
            json!({ "error": { "type": "security_exception", "reason": "missing credentials" } }),
        ),
        (
            403,
            json!({ "error": { "type": "security_exception", "reason": "not allowed" } }),
        ),
        (404, json!("nothing here")),
        (
            429,
            json!({ "error": { "type": "circuit_breaking_exception", "reason": "Data too large" } }),
        ),
        (503, json!({ "error": "all shards failed" })),
        (200, json!({ "items": [] })),
        (200, json!("a page of a proxy")),
    ] {
        let double = Double::start();
        double.lock().answers.push_back((status, body));
        let dir = tempfile::tempdir().expect("makes one");
        let texts = messages(0..10);
        let status_of = send(dir.path(), hasty(elasticsearch(&[&double], "logs")), &texts);
        assert_eq!(double.messages(), sorted(&texts), "{status}");
        assert_eq!(status_of.totals.dropped.all(), 0, "{status}");
    }
}

#[test]
fn requests_are_cut_down_to_what_is_taken() {
    let double = Double::start();
    double.lock().bytes_max = Some(20_000);
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..1_000);
    send(dir.path(), hasty(elasticsearch(&[&double], "logs")), &texts);
    assert_eq!(double.messages(), sorted(&texts));
}

#[test]
fn we_say_who_we_are_and_which_pipeline_is_meant() {
    let double = Double::start();
    for (login, header) in [
        (
            Login::Password {
                user: "elastic".to_owned(),
                password: Secret::Text("changeme".to_owned()),
            },
            "Basic ZWxhc3RpYzpjaGFuZ2VtZQ==",
        ),
        (
            Login::ApiKey(Secret::Text("id:key".to_owned())),
            "ApiKey aWQ6a2V5",
        ),
        (
            Login::ApiKey(Secret::Text("aWQ6a2V5".to_owned())),
            "ApiKey aWQ6a2V5",
        ),
    ] {
        let dir = tempfile::tempdir().expect("makes one");
        let mut kind = elasticsearch(&[&double], "logs");
        kind.login = login;
        kind.pipeline = Some("geo".to_owned());
        send(dir.path(), hasty(kind), &messages(0..1));
        let cluster = double.lock();
        let headers = cluster.headers.last().expect("one");
        assert_eq!(headers.get("authorization").expect("a header"), header);
        let query = cluster.queries.last().expect("one");
        assert_eq!(query.get("pipeline").map(String::as_str), Some("geo"));
    }
}

#[test]
fn a_node_that_is_down_is_passed_over() {
    let (well, down) = (Double::start(), Double::start());
    let refusals = std::iter::repeat_n((503, json!({})), 1_000);
    down.lock().answers = refusals.collect();
    let dir = tempfile::tempdir().expect("makes one");
    let mut options = hasty(elasticsearch(&[&down, &well], "logs"));
    options.batch.records_max = 10;
    let texts = messages(0..500);
    let status = send(dir.path(), options, &texts);
    assert_eq!(well.messages(), sorted(&texts));
    assert_eq!(status.totals.dropped.all(), 0);
}

#[test]
fn other_documents_are_by_the_common_schema_or_a_template() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let mut kind = elasticsearch(&[&double], "ecs");
    kind.document = Document::format("ecs").expect("a format");
    let house = House::open(dir.path());
    let ecs = hasty(kind);
    let mut kind = elasticsearch(&[&double], "template");
    let template = Rendering::template("$(format-json message=$MSG)").expect("a template");
    kind.document = Document::Template(template);
    let mut template = hasty(kind);
    template.name = "two".to_owned();
    let mut kind = elasticsearch(&[&double], "wrong");
    kind.document = Document::Template(Rendering::template("${MSG}").expect("a template"));
    let mut wrong = hasty(kind);
    wrong.name = "zzz".to_owned();
    let destinations = house.destinations(vec![ecs, template, wrong]);
    house.put("main", &messages(0..10));
    until("all are settled", || {
        let status = destinations.status();
        status
            .iter()
            .all(|one| one.totals.delivered + one.totals.dropped.rejected == 10)
    });
    let status = destinations.status();
    assert_eq!(status.last().expect("one").totals.dropped.rejected, 10);
    destinations.shutdown(Duration::from_secs(10));
    let cluster = double.lock();
    let of = |name: &str| {
        let all = cluster
            .documents
            .iter()
            .filter(|((index, _), _)| index == name);
        all.map(|(_, document)| document.clone())
            .collect::<Vec<_>>()
    };
    for document in of("ecs") {
        assert!(document["@timestamp"].is_string() && document["host"]["name"].is_string());
    }
    let expected: Vec<_> = sorted(&messages(0..10))
        .into_iter()
        .map(|text| json!({ "message": text }))
        .collect();
    let mut found = of("template");
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, expected);
    assert!(of("wrong").is_empty());
}
