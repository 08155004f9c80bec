//! Sections of destinations as their options: what all share, and one function for each kind.

mod elasticsearch;
mod file;
mod hec;
mod http;
mod kafka;
mod objects;
mod program;
mod push;
mod sql;
mod syslog;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp as Time;
use model::{LogspaceName, Timestamp};
use outputs::{BatchBounds, Kind, Options, OrderBy, Rendering, Retry, Start, TlsOptions};
use store::Undelivered;

use super::Values;
use crate::document::Section;
use crate::effective::definition;
use crate::value::Value;

/// A destination. What is wrong with a template was told before; such a configuration is not built.
pub(super) fn destination(section: &Section, data_dir: &Path) -> Option<Options> {
    let values = Values(Some(section));
    let kind: Arc<dyn Kind> = match section.kind() {
        "elasticsearch" => Arc::new(elasticsearch::elasticsearch(&values)?),
        "file" => Arc::new(file::file(&values, data_dir)?),
        "hec" => Arc::new(hec::hec(&values)?),
        "http" => Arc::new(push::http(&values)?),
        "hdfs" => Arc::new(objects::hdfs(&values)?),
        "kafka" => Arc::new(kafka::kafka(&values)?),
        "program" => Arc::new(program::program(&values)?),
        "s3" => Arc::new(objects::s3(&values)?),
        "sql" => Arc::new(sql::sql(&values)?),
        "syslog" => Arc::new(syslog::syslog(&values)?),
        _ => return None,
    };
    let has = |key| section.entry(key).is_some();
    let mut options = Options::new(section.name(), kind);
    options.definition = definition(section);
    let from = values.names("from").into_iter();
    options.from = from
        .filter_map(|name| LogspaceName::parse(&name).ok())
        .collect();
    let expression = values.text("match");
    options.matching = (!expression.trim().is_empty()).then(|| query::parse(expression).query);
    options.start = start(values.text("start"));
    options.batch = BatchBounds {
        records_max: values.size("batch_records"),
        bytes_max: values.size("batch_bytes"),
        wait: values.duration("batch_wait").unwrap_or_default(),
    };
    if has("workers") {
        options.workers = values.size("workers");
    }
    if has("order_by") {
        let name = values.text("order_by");
        let mut all = OrderBy::ALL.into_iter();
        options.order_by = all
            .find(|(known, _)| *known == name)
            .map_or(OrderBy::Nothing, |(_, order_by)| order_by);
    }
    options.retry = Retry {
        min: values.duration("retry_min").unwrap_or_default(),
        max: values.duration("retry_max").unwrap_or_default(),
    };
    options.undelivered = match values.text("undelivered") {
        "delete" => Undelivered::Delete,
        _ => Undelivered::Keep,
    };
    options.on_reject = LogspaceName::parse(values.text("on_reject")).ok();
    Some(options)
}

fn start(text: &str) -> Start {
    let time = |text: &str| {
        let nanos = text.parse::<Time>().ok()?.as_nanosecond();
        Some(Timestamp::from_nanos(i64::try_from(nanos).ok()?))
    };
    match text {
        "beginning" => Start::Beginning,
        text => time(text).map_or(Start::Now, Start::Time),
    }
}

/// How certificates are checked.
fn tls(values: &Values<'_>) -> TlsOptions {
    TlsOptions {
        fingerprints: fingerprints(values),
        server_name: Some(values.text("server_name"))
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
        ..tls_files(values)
    }
}

/// How certificates are checked by those who know files only.
fn tls_files(values: &Values<'_>) -> TlsOptions {
    TlsOptions {
        authorities: values.path("ca"),
        certificate: values.path("certificate"),
        key: values.path("key"),
        ..TlsOptions::default()
    }
}

fn fingerprints(values: &Values<'_>) -> Vec<String> {
    match values.value("fingerprints") {
        Some(Value::Fingerprints(all)) => all.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// What is written of a record: `template`, or else `format`.
fn rendering(values: &Values<'_>) -> Option<Rendering> {
    match values.text("template") {
        "" => Rendering::format(values.text("format")),
        template => Rendering::template(template).ok(),
    }
}
