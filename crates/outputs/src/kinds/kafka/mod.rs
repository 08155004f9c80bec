//! Kafka, and what speaks its language.
//!
//! A record counts as delivered when all replicas that are in sync have it (`acks=all`). The producer is idempotent: what
//! it sends again by itself is there once. A record that was under way when either side was killed may be there twice,
//! under the same `id` among its headers.

#[cfg(feature = "kafka")]
mod answer;
#[cfg(feature = "kafka")]
mod producer;
#[cfg(test)]
#[cfg(feature = "kafka")]
mod tests;
mod topic;

use std::time::Duration;

use crate::render::{Rendering, Scene};
use crate::secret::Secret;
use crate::sink::{Failure, Item, Kind, Opening, Preview, Sink, Trouble};
use crate::tls::TlsOptions;
pub use topic::TopicTemplate;

use super::syslog::Target;

/// Topics of a cluster.
#[derive(Clone, Debug)]
pub struct Kafka {
    /// Brokers that know the others.
    pub servers: Vec<Target>,
    /// Where records go.
    pub topic: TopicTemplate,
    /// What decides the partition; none for any. Records with the same stay in order.
    pub key: Option<Rendering>,
    /// What is sent of a record.
    pub value: Rendering,
    /// How batches are compressed.
    pub compression: KafkaCompression,
    /// Who we are.
    pub login: Option<SaslLogin>,
    /// How certificates are checked; nothing is encrypted without.
    pub tls: Option<TlsOptions>,
    /// How long a record may take.
    pub timeout: Duration,
}

/// How batches are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KafkaCompression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Snappy.
    Snappy,
    /// LZ4.
    Lz4,
    /// zstd.
    Zstd,
}

/// How we say who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaslLogin {
    /// By which mechanism.
    pub mechanism: SaslMechanism,
    /// The name.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// Mechanisms of SASL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaslMechanism {
    /// The password itself.
    Plain,
    /// SCRAM with SHA-256.
    Scram256,
    /// SCRAM with SHA-512.
    Scram512,
}

impl Kafka {
    /// Whether this build has what it takes.
    pub const IS_BUILT: bool = cfg!(feature = "kafka");
}

impl Kind for Kafka {
    fn name(&self) -> &'static str {
        "kafka"
    }

    #[cfg(feature = "kafka")]
    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        Ok(Box::new(producer::KafkaSink::new(self, opening.store)))
    }

    #[cfg(not(feature = "kafka"))]
    fn open(&self, _: Opening) -> Result<Box<dyn Sink>, Failure> {
        Err(Failure::new("this Logwood was built without `kafka`"))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let scene = Scene::now();
        let mut bytes = Vec::new();
        if let Err(reason) = self.value.render(record, &scene, &mut bytes) {
            bytes = reason.into_bytes();
        }
        let topic = self.topic.render(record, &scene);
        Preview {
            to: topic.unwrap_or_else(|reason| reason),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let tls = self.tls.as_ref().and_then(TlsOptions::examine);
        let password = self.login.as_ref().map(|login| &login.password);
        let password = password.and_then(|secret| {
            let other = match secret {
                Secret::Environment(_) => "password_env",
                _ => "password",
            };
            secret.examine("password_file", other)
        });
        tls.into_iter().chain(password).collect()
    }
}
