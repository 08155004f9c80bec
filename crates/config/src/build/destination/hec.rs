//! Splunk's HTTP event collector.

use outputs::kinds::{Acknowledgement, Endpoint, Event, Hec, Metadata};

use super::rendering;
use crate::build::Values;

pub(super) fn hec(values: &Values<'_>) -> Option<Hec> {
    let event = Event {
        text: rendering(values)?,
        is_json: values.text("template").is_empty()
            && matches!(values.text("format"), "json" | "ecs"),
        metadata: Metadata {
            host: values.template("host"),
            source: values.template("source"),
            sourcetype: values.template("sourcetype"),
            index: values.template("index"),
        },
        time: values.template("time"),
        fields: values.templates("fields"),
        has_all_fields: values.bool("all_fields"),
    };
    let token = values.secret(["token", "token_file", "token_env"])?;
    let mut hec = Hec::new(values.client()?, token, event);
    hec.request_bytes = values.size("request_bytes");
    if values.text("endpoint") == "raw" {
        hec.endpoint = Endpoint::Raw;
    }
    hec.acknowledgement = values.bool("acknowledge").then(|| Acknowledgement {
        timeout: values.duration("acknowledge_timeout").unwrap_or_default(),
        poll: values.duration("acknowledge_poll").unwrap_or_default(),
    });
    Some(hec)
}
