//! A producer, and the records of a batch on their way.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use krafka::auth::{AuthConfig, TlsConfig};
use krafka::error::KrafkaError;
use krafka::producer::{Acks, Producer};
use krafka::{Compression, Kafka as Cluster, Record};

use super::answer::{NotTaken, of_record, words};
use super::{Kafka, KafkaCompression, SaslMechanism};
use crate::limits::{CONNECT_TIMEOUT, KAFKA_BATCH_BYTES, KAFKA_LINGER};
use crate::render::Scene;
use crate::sink::{Batch, Failure, Item, Outcome, Promise, Sink};
use crate::tls::{TlsOptions, system_authorities};

pub(super) struct KafkaSink {
    options: Kafka,
    store: String,
    scene: Scene,
    /// Made with the first batch, and anew when it is at its end.
    producer: Option<Producer>,
}

impl KafkaSink {
    pub(super) fn new(options: &Kafka, store: String) -> Self {
        Self {
            options: options.clone(),
            store,
            scene: Scene::now(),
            producer: None,
        }
    }

    async fn send(&mut self, batch: &Batch) -> Outcome {
        if self.producer.is_none() {
            match connect(&self.options).await {
                Ok(producer) => self.producer = Some(producer),
                Err(failure) => return Outcome::left_from(0, batch, failure),
            }
        }
        self.scene.refresh();
        let mut outcome = Outcome::default();
        let mut is_fatal = false;
        if let Some(producer) = &self.producer {
            let mut under_way = Vec::with_capacity(batch.len());
            for (place, item) in batch.iter().enumerate() {
                self.scene.count();
                let (record, bytes) = match self.options.record(item, &self.store, &self.scene) {
                    Ok(made) => made,
                    Err(reason) => {
                        outcome.reject(place, reason);
                        continue;
                    }
                };
                match producer.enqueue(record).await {
                    Ok(handle) => under_way.push((place, bytes, handle)),
                    Err(error) => {
                        is_fatal |= error.is_fatal();
                        let is_later = settle(place, &error, &mut outcome);
                        // Those behind it would wait for the same, each as long.
                        if is_later {
                            outcome.left.extend(place + 1..batch.len());
                            break;
                        }
                    }
                }
            }
            for (place, bytes, handle) in under_way {
                match handle.await {
                    Ok(_) => outcome.bytes += bytes,
                    Err(error) => {
                        is_fatal |= error.is_fatal();
                        settle(place, &error, &mut outcome);
                    }
                }
            }
        }
        outcome.left.sort_unstable();
        if is_fatal {
            self.producer = None;
        }
        outcome
    }
}

/// Notes what an error means for a record; whether it is to come again.
fn settle(place: usize, error: &KrafkaError, outcome: &mut Outcome) -> bool {
    match of_record(error) {
        NotTaken::Refused(reason) => {
            outcome.reject(place, reason);
            false
        }
        NotTaken::Later(reason) => {
            outcome.left.push(place);
            outcome.failure = Some(Failure::new(reason));
            true
        }
    }
}

impl Kafka {
    /// What is sent of a record, with its bytes.
    fn record(&self, item: Item<'_>, store: &str, scene: &Scene) -> Result<(Record, u64), String> {
        let topic = self.topic.render(item, scene)?;
        let mut value = Vec::new();
        self.value.render(item, scene, &mut value)?;
        let mut bytes = value.len();
        let id = format!("{store}-{}-{}", item.logspace, item.number.0);
        let millis = item.record.time().nanos() / 1_000_000;
        let mut record = Record::new(topic, value)
            .header("id", id)
            .timestamp(millis.max(0));
        if let Some(rendering) = &self.key {
            let mut key = Vec::new();
            rendering.render(item, scene, &mut key)?;
            if !key.is_empty() {
                bytes += key.len();
                record = record.key(key);
            }
        }
        Ok((record, bytes as u64))
    }
}

async fn connect(options: &Kafka) -> Result<Producer, Failure> {
    let servers = options.servers.iter().map(ToString::to_string);
    let servers: Vec<_> = servers.collect();
    let failed =
        |error: &KrafkaError| Failure::new(format!("{}: {}", servers.join(", "), words(error)));
    let cluster = Cluster::builder(servers.join(","))
        .client_id("logwood")
        .connect_timeout(CONNECT_TIMEOUT.min(options.timeout))
        .request_timeout(options.timeout)
        .security(security(options)?)
        .connect()
        .await
        .map_err(|error| failed(&error))?;
    let compression = match options.compression {
        KafkaCompression::None => Compression::None,
        KafkaCompression::Gzip => Compression::Gzip,
        KafkaCompression::Snappy => Compression::Snappy,
        KafkaCompression::Lz4 => Compression::Lz4,
        KafkaCompression::Zstd => Compression::Zstd,
    };
    cluster
        .producer()
        .acks(Acks::All)
        .idempotent(true)
        .compression(compression)
        .batch_size(KAFKA_BATCH_BYTES)
        .linger(KAFKA_LINGER)
        .max_block(options.timeout)
        .delivery_timeout(options.timeout + KAFKA_LINGER)
        .build()
        .await
        .map_err(|error| failed(&error))
}

/// Who we are, and whom we believe. Secrets are read for each connection of ours: a new one holds then.
fn security(options: &Kafka) -> Result<AuthConfig, Failure> {
    let tls = options.tls.as_ref().map(tls).transpose()?;
    let Some(login) = &options.login else {
        return Ok(tls.map_or_else(AuthConfig::plaintext, AuthConfig::ssl));
    };
    let (user, password) = (login.user.clone(), login.password.read()?);
    let sasl = match login.mechanism {
        SaslMechanism::Plain => AuthConfig::sasl_plain(user, password),
        SaslMechanism::Scram256 => AuthConfig::sasl_scram_sha256(user, password),
        SaslMechanism::Scram512 => AuthConfig::sasl_scram_sha512(user, password),
    };
    Ok(match tls {
        Some(tls) => sasl.with_tls(tls),
        None => sasl,
    })
}

fn tls(options: &TlsOptions) -> Result<TlsConfig, Failure> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let tls = match &options.authorities {
        Some(path) => TlsConfig::new().with_ca_cert(text(path)),
        // Lists of systems have some that are too odd to be used, and one alone would keep the client from starting.
        None => TlsConfig::new().with_ca_cert_pem(system_pem()?),
    };
    Ok(match (&options.certificate, &options.key) {
        (Some(certificate), Some(key)) => tls.with_client_cert(text(certificate), text(key)),
        _ => tls,
    })
}

/// The authorities of the system that can be used, as the client reads them.
fn system_pem() -> Result<Vec<u8>, Failure> {
    let mut pem = String::new();
    for certificate in system_authorities()? {
        pem += "-----BEGIN CERTIFICATE-----\n";
        for line in STANDARD.encode(&certificate).as_bytes().chunks(64) {
            pem += &String::from_utf8_lossy(line);
            pem.push('\n');
        }
        pem += "-----END CERTIFICATE-----\n";
    }
    Ok(pem.into_bytes())
}

impl Sink for KafkaSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(self.send(batch))
    }

    fn close(&mut self) -> Promise<'_, ()> {
        Box::pin(async move {
            if let Some(producer) = self.producer.take() {
                // All that was sent is settled already.
                _ = producer.close().await;
            }
        })
    }
}
