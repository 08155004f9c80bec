//! Records as bodies of requests.
//!
//! A record is written once, as a piece; a body is put together from the pieces of its records when the request goes
//! out, since only then it is known which they are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use macros::append_json_string;

use super::grouped;
use crate::http::{ClientOptions, Run};
use crate::render::{Rendering, Scene, one_line};
use crate::sink::Item;

/// What a body is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// How records stand in it.
    pub form: Form,
    /// What is written of a record.
    pub text: Text,
    /// Labels of Loki, attributes of the resource of OpenTelemetry, attributes of Pub/Sub: by their names. What is
    /// empty is left out.
    pub labels: Vec<(String, Rendering)>,
    /// What stands in front of the records.
    pub prefix: String,
    /// What stands behind them.
    pub suffix: String,
}

/// How records stand in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A request for each record.
    Single,
    /// A line for each.
    Lines,
    /// An array in JSON.
    Array,
    /// What Grafana Loki takes.
    Loki,
    /// Logs of OpenTelemetry in JSON.
    Otlp,
    /// An array for the Logs Ingestion API of Azure.
    Azure,
    /// Messages of Google Pub/Sub.
    PubSub,
}

/// What is written of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// JSON, by a format that makes nothing else.
    Json(Rendering),
    /// Any text.
    Plain(Rendering),
    /// What a template makes: JSON, where it stands in an array, else any text.
    Template(Rendering),
}

impl Form {
    /// URLs without a path mean that of the API.
    pub(super) fn client(self, mut client: ClientOptions) -> ClientOptions {
        let path = match self {
            Self::Loki => "/loki/api/v1/push",
            Self::Otlp => "/v1/logs",
            _ => return client,
        };
        for url in &mut client.urls {
            if url.path().is_empty() {
                *url = url.with_path(path);
            }
        }
        client
    }

    /// Most records of a request.
    pub(super) fn records_max(self) -> usize {
        match self {
            Self::Single => 1,
            // Pub/Sub takes no more.
            Self::PubSub => 1_000,
            _ => 100_000,
        }
    }

    /// Most bytes of a request, whatever the configuration says.
    pub(super) fn bytes_max(self) -> usize {
        match self {
            // Azure takes a megabyte, before compression.
            Self::Azure => 1_000_000,
            // Pub/Sub takes ten, with the text of the request around.
            Self::PubSub => 9_000_000,
            _ => usize::MAX,
        }
    }

    /// Whether records have their times, by which whoever gets them puts them in order.
    pub(super) fn has_times(self) -> bool {
        matches!(self, Self::Loki | Self::Otlp | Self::Azure | Self::PubSub)
    }
}

impl Body {
    /// One without labels.
    pub fn new(form: Form, text: Text) -> Self {
        Self {
            form,
            text,
            labels: Vec::new(),
            prefix: String::new(),
            suffix: String::new(),
        }
    }

    /// The type of bodies, where nobody says another.
    pub(super) fn content_type(&self) -> &'static str {
        match (self.form, &self.text) {
            (Form::Single | Form::Lines, Text::Plain(_)) => "text/plain; charset=utf-8",
            (Form::Lines, Text::Json(_)) => "application/x-ndjson",
            (Form::Lines, Text::Template(_)) => "text/plain; charset=utf-8",
            _ => "application/json",
        }
    }

    /// Appends the piece of a record.
    pub(super) fn write(
        &self,
        (item, store): (Item<'_>, &str),
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        match self.form {
            Form::Single => self.text.rendering().render(item, scene, out),
            Form::Lines => {
                let start = out.len();
                self.text.rendering().render(item, scene, out)?;
                one_line(out, start);
                Ok(())
            }
            Form::Array | Form::Azure => self.text.write_json(item, scene, out),
            Form::Loki => grouped::write_loki(self, item, scene, out),
            Form::Otlp => grouped::write_otlp(self, item, scene, out),
            Form::PubSub => self.write_message((item, store), scene, out),
        }
    }

    /// Puts the pieces of a run together.
    pub(super) fn assemble(&self, run: &Run) -> Bytes {
        let mut body = Vec::from(self.prefix.as_bytes());
        match self.form {
            Form::Single | Form::Lines if self.prefix.is_empty() && self.suffix.is_empty() => {
                return run.body();
            }
            Form::Single | Form::Lines => body.extend_from_slice(&run.body()),
            Form::Array | Form::Azure => push_array(run, &mut body),
            Form::Loki => grouped::push_loki(run.records(), &mut body),
            Form::Otlp => grouped::push_otlp(run.records(), &mut body),
            Form::PubSub => {
                body.extend_from_slice(b"{\"messages\":");
                push_array(run, &mut body);
                body.push(b'}');
            }
        }
        body.extend_from_slice(self.suffix.as_bytes());
        body.into()
    }

    /// A message of Pub/Sub. Its attribute `id` is the same whenever the record is sent, for those who read.
    fn write_message(
        &self,
        (item, store): (Item<'_>, &str),
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let mut text = Vec::new();
        self.text.rendering().render(item, scene, &mut text)?;
        let head = format!("{{\"data\":\"{}\",\"attributes\":", STANDARD.encode(&text));
        out.extend_from_slice(head.as_bytes());
        let id = format!("{store}-{}-{}", item.logspace, item.number.0);
        self.write_labels((item, Some(("id", &id))), scene, out)?;
        out.push(b'}');
        Ok(())
    }

    /// Appends the labels as an object in JSON, with another in front of them.
    pub(super) fn write_labels(
        &self,
        (item, first): (Item<'_>, Option<(&str, &str)>),
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.push(b'{');
        let start = out.len();
        if let Some((name, value)) = first {
            push_member(name, value.as_bytes(), out)?;
        }
        let mut value = Vec::new();
        for (name, rendering) in &self.labels {
            value.clear();
            rendering.render(item, scene, &mut value)?;
            if value.is_empty() {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            push_member(name, &value, out)?;
        }
        out.push(b'}');
        Ok(())
    }
}

impl Text {
    /// What is written.
    pub(super) fn rendering(&self) -> &Rendering {
        match self {
            Self::Json(rendering) | Self::Plain(rendering) | Self::Template(rendering) => rendering,
        }
    }

    /// Appends a value in JSON.
    fn write_json(&self, item: Item<'_>, scene: &Scene, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Json(format) => format.render(item, scene, out),
            Self::Plain(format) => {
                let mut text = Vec::new();
                format.render(item, scene, &mut text)?;
                push_string(&text, out)
            }
            Self::Template(template) => {
                let start = out.len();
                template.render(item, scene, out)?;
                let made = out.get(start..).unwrap_or_default();
                let read = serde_json::from_slice::<serde::de::IgnoredAny>(made);
                read.map_err(|error| format!("the template makes no JSON: {error}"))?;
                Ok(())
            }
        }
    }
}

/// Appends a string in JSON.
pub(super) fn push_string(text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    append_json_string(text, out).map_err(|error| error.to_string())
}

fn push_member(name: &str, value: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    push_string(name.as_bytes(), out)?;
    out.push(b':');
    push_string(value, out)
}

fn push_array(run: &Run, out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, record) in run.records().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(record);
    }
    out.push(b']');
}
