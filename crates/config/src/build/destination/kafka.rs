//! Topics of Kafka.

use outputs::TlsOptions;
use outputs::kinds::{Kafka, KafkaCompression, SaslLogin, SaslMechanism, Target, TopicTemplate};

use super::rendering;
use crate::build::Values;

pub(super) fn kafka(values: &Values<'_>) -> Option<Kafka> {
    let servers = values.texts("servers");
    let servers: Option<Vec<_>> = servers.iter().map(|server| Target::parse(server)).collect();
    Some(Kafka {
        servers: servers?,
        topic: TopicTemplate::parse(values.text("topic")).ok()?,
        key: values.template("key"),
        value: rendering(values)?,
        compression: match values.text("compression") {
            "gzip" => KafkaCompression::Gzip,
            "snappy" => KafkaCompression::Snappy,
            "lz4" => KafkaCompression::Lz4,
            "zstd" => KafkaCompression::Zstd,
            _ => KafkaCompression::None,
        },
        login: login(values),
        tls: values.bool("tls").then(|| TlsOptions {
            authorities: values.path("ca"),
            certificate: values.path("certificate"),
            key: values.path("certificate_key"),
            ..TlsOptions::default()
        }),
        timeout: values.duration("timeout").unwrap_or_default(),
    })
}

fn login(values: &Values<'_>) -> Option<SaslLogin> {
    let mechanism = match values.text("sasl") {
        "plain" => SaslMechanism::Plain,
        "scram-sha-256" => SaslMechanism::Scram256,
        "scram-sha-512" => SaslMechanism::Scram512,
        _ => return None,
    };
    Some(SaslLogin {
        mechanism,
        user: values.text("user").to_owned(),
        password: values.secret(["password", "password_file", "password_env"])?,
    })
}
