//! Against the broker that the client brings along for tests, which speaks the protocol over sockets.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use krafka::error::ErrorCode;
use krafka::testing::{ApiKey, Control, FakeBroker};
use tokio::runtime::Runtime;

use super::*;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::{Options, Status};

struct Broker {
    broker: FakeBroker,
    runtime: Runtime,
}

impl Broker {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let broker = runtime.block_on(FakeBroker::start()).expect("starts");
        for topic in ["host0", "host1", "host2"] {
            assert!(broker.create_topic(topic, 3));
        }
        Self { broker, runtime }
    }

    fn kafka(&self) -> Kafka {
        let servers = self.broker.bootstrap_servers();
        Kafka {
            servers: servers
                .split(',')
                .map(|one| Target::parse(one).expect("a target"))
                .collect(),
            topic: TopicTemplate::parse("${HOST}").expect("a topic"),
            key: Some(Rendering::template("key").expect("a template")),
            value: Rendering::template("${MSG}").expect("a template"),
            compression: KafkaCompression::Lz4,
            login: None,
            tls: None,
            timeout: Duration::from_secs(10),
        }
    }

    /// The values of a topic in order, with their ids.
    fn values(&self, topic: &str) -> Vec<(String, String)> {
        let _inside = self.runtime.enter();
        let records = self.broker.all_records(topic).expect("a topic");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("a text");
        let values = records.iter().map(|record| {
            let id = record
                .headers
                .iter()
                .find(|header| header.0 == "id")
                .expect("an id");
            let id = text(id.1.as_deref().expect("a value"));
            (text(record.value.as_deref().expect("a value")), id)
        });
        values.collect()
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

fn by_host(texts: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut by_host: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in texts {
        let host = text.split(' ').next().expect("a host").to_owned();
        by_host.entry(host).or_default().push(text.clone());
    }
    by_host
}

#[test]
fn records_are_in_the_topics_of_their_values_in_order_and_with_their_ids() {
    let broker = Broker::start();
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..3_000);
    send(dir.path(), hasty(broker.kafka()), &texts);
    for (host, expected) in by_host(&texts) {
        let values = broker.values(&host);
        let found: Vec<_> = values.iter().map(|(value, _)| value.clone()).collect();
        assert_eq!(found, expected, "{host}");
        for (value, id) in values {
            let number: u64 = value
                .rsplit(' ')
                .next()
                .expect("one")
                .parse()
                .expect("a number");
            assert!(
                id.ends_with(&format!("-main-{}", number + 1)),
                "{id}: {value}"
            );
        }
    }
}

#[test]
fn what_the_cluster_cannot_take_now_comes_again() {
    let broker = Broker::start();
    for code in [
        ErrorCode::NotEnoughReplicas,
        ErrorCode::TopicAuthorizationFailed,
    ] {
        broker
            .broker
            .on_times(ApiKey::Produce, 2, move |_| Control::Error(code));
    }
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..300);
    let status = send(dir.path(), hasty(broker.kafka()), &texts);
    assert_eq!(
        (status.totals.delivered, status.totals.dropped.all()),
        (300, 0)
    );
    for (host, mut expected) in by_host(&texts) {
        let mut found: Vec<_> = broker
            .values(&host)
            .into_iter()
            .map(|(value, _)| value)
            .collect();
        found.sort();
        found.dedup();
        expected.sort();
        assert_eq!(found, expected, "{host}");
    }
}

#[test]
fn who_we_are_is_asked_and_told() {
    let broker = Broker::start();
    broker.broker.require_sasl_plain("logwood", "right");
    let dir = tempfile::tempdir().expect("makes one");
    let login = |password: &str| SaslLogin {
        mechanism: SaslMechanism::Plain,
        user: "logwood".to_owned(),
        password: Secret::Text(password.to_owned()),
    };
    let with = |password: &str| {
        let kafka = Kafka {
            login: Some(login(password)),
            ..broker.kafka()
        };
        let mut options = hasty(kafka);
        // What a reload sees of a change.
        options.definition = password.to_owned();
        options
    };
    let house = House::open(dir.path());
    let destinations = house.destinations(vec![with("wrong")]);
    house.put("main", &messages(0..10));
    until("it fails", || {
        let error = only(&destinations.status()).last_error.clone();
        error.is_some_and(|(_, error)| error.contains("authentication"))
    });
    destinations.reload(vec![with("right")]);
    until("all are there", || {
        only(&destinations.status()).totals.delivered == 10
    });
    destinations.shutdown(Duration::from_secs(10));
}
