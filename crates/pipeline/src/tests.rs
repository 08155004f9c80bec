//! Steps, seen from outside: a message goes in, and a record comes out somewhere, or not.

mod actions;
mod any;
mod flow;

use std::sync::Arc;

use macros::{Context, Template};
use model::{LogspaceName, RecordBatch, RecordParts, RecordRef, Span, Timestamp};
use parsers::{JsonOptions, JsonParser, KvOptions, KvParser};
use query::Query;

use crate::actions::{Parse, Set, Tag};
use crate::{Action, OnError, Origin, Pipeline, Route, Step, Target, Work};

/// A record whose host is the first word and whose message is what follows it.
fn message(text: &str) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("tcp").unwrap();
    let host = text.find(' ').unwrap_or(text.len());
    let parts = RecordParts {
        host: Span::new(0, host),
        message: Span::new((host + 1).min(text.len()), text.len()),
        ..RecordParts::default()
    };
    let received = Timestamp::from_seconds(1_000);
    batch
        .push(text.as_bytes(), &parts, received, None, source)
        .unwrap();
    batch
}

fn name(text: &str) -> LogspaceName {
    LogspaceName::parse(text).unwrap()
}

fn query(text: &str) -> Query {
    query::parse(text).into_result().unwrap()
}

fn target(name: &str) -> Target {
    Target::parse(name).unwrap()
}

fn step(work: Work) -> Step {
    Step {
        kind: "step",
        when: None,
        work,
        on_error: OnError::default(),
    }
}

fn act(action: impl Action + 'static) -> Step {
    step(Work::Act(Arc::new(action)))
}

fn when(condition: &str, step: Step) -> Step {
    Step {
        when: Some(query(condition)),
        ..step
    }
}

fn set(name: &str, value: &str) -> Step {
    act(Set {
        target: target(name),
        value: Template::compile(value).unwrap(),
    })
}

fn tag(name: &str) -> Step {
    act(Tag(vec![name.to_owned()]))
}

fn matching(condition: &str) -> Step {
    step(Work::Match(query(condition)))
}

fn kv(prefix: &str) -> Step {
    let parser = KvParser::new(&KvOptions::default()).unwrap();
    let from = (Origin::parse("message").unwrap(), "message");
    act(Parse::new(from, Arc::new(parser), prefix))
}

fn json() -> Step {
    let parser = JsonParser::new(&JsonOptions::default()).unwrap();
    let from = (Origin::parse("message").unwrap(), "message");
    act(Parse::new(from, Arc::new(parser), "js"))
}

/// A route to a logspace of its own name.
fn route(to: &str, steps: Vec<Step>) -> Route {
    Route {
        name: to.to_owned(),
        steps,
        logspace: Some(name(to)),
        ..Route::default()
    }
}

fn pipeline(routes: Vec<Route>) -> Pipeline {
    Pipeline::new(routes, Context::default()).unwrap()
}

/// Where a message goes, and as what: `LOGSPACE: HOST|MESSAGE|NAME=VALUE ... [TAG ...]` each.
fn outcome(pipeline: &Pipeline, text: &str) -> Vec<String> {
    let source = name("source");
    let split = pipeline.split(message(text), &source);
    let shown = split.parts.iter().flat_map(|part| {
        let records = part.batch.iter();
        records.map(|record| format!("{}: {}", part.logspace, show(record)))
    });
    let mut shown: Vec<_> = shown.collect();
    shown.extend((split.dropped > 0).then(|| format!("dropped {}", split.dropped)));
    for part in &split.parts {
        for record in part.batch.iter() {
            assert_eq!(record.raw(), text.as_bytes(), "raw never changes");
        }
    }
    shown
}

fn show(record: RecordRef<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let fields: Vec<_> = record
        .fields()
        .map(|field| format!("{}={}", field.full_name(), text(field.value)))
        .collect();
    let tags: Vec<_> = record.tags().collect();
    format!(
        "{}|{}|{} [{}]",
        text(record.host()),
        text(record.message()),
        fields.join(" "),
        tags.join(" ")
    )
}
