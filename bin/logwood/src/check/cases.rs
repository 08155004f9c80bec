//! The tests of a configuration: messages and what must become of them.

use std::sync::Arc;

use api::{ExplainedDestination, ExplainedMessage, FieldValue, Row};
use config::{Config, TestCase};
use ingest::Explainer;
use store::{Clock as _, SystemClock};
use syslog::Context;

use crate::failure::Failure;
use crate::output;
use crate::routes::pipeline_of;

/// Tries all of them, prints what is different, and fails where something is.
pub(super) fn run(config: &Config) -> Result<(), Failure> {
    let pipeline = Arc::new(pipeline_of(config)?);
    let mut failed = 0;
    for case in &config.tests {
        let source = case.source.as_deref();
        let explainer = Explainer::new(&config.ingest, source, Arc::clone(&pipeline));
        let differences = match explainer {
            Some(explainer) => differences(config, case, explainer),
            None => vec!["there is no source to receive it".to_owned()],
        };
        if !differences.is_empty() {
            failed += 1;
            output::words(&format!("test {}: not as it should be", case.name));
            for difference in differences {
                output::words(&format!("  {difference}"));
            }
        }
    }
    let all = config.tests.len();
    if failed > 0 {
        let message = format!("{failed} of {all} tests are not as they should be");
        let hint = "`logwood explain --config FILE MESSAGE` shows each step";
        return Err(Failure::new(message).hint(hint.to_owned()));
    }
    output::words(&format!("{all} tests: ok"));
    Ok(())
}

/// What becomes of the message of a test otherwise than it should.
fn differences(config: &Config, case: &TestCase, mut explainer: Explainer) -> Vec<String> {
    let sending = |item: outputs::Item<'_>| {
        let all = config.destinations.iter();
        all.map(|options| outputs::Explained::of(options, item))
            .collect()
    };
    let explaining = server::Explaining {
        explainer: &mut explainer,
        sending: &sending,
        most: 2,
    };
    let context = Context {
        received: SystemClock.now(),
        peer: None,
    };
    let (answer, _) = server::explain(explaining, case.message.as_bytes(), true, &context);
    let [message] = answer.messages.as_slice() else {
        return vec![format!(
            "this is {} messages, and should be one",
            answer.messages.len()
        )];
    };
    let mut found = Vec::new();
    logspaces(case, message, &mut found);
    for destination in &message.destinations {
        record(case, destination, &mut found);
    }
    for (name, expected) in &case.sent {
        let sent = message.sent.iter();
        let sent = sent.filter(|one| one.destination == *name && one.verdict == "takes");
        let sent: Vec<_> = sent.map(|one| one.text.trim_end_matches('\n')).collect();
        compare(
            &format!("sent by {name}"),
            expected,
            &sent.join("\n"),
            &mut found,
        );
    }
    found
}

fn logspaces(case: &TestCase, message: &ExplainedMessage, found: &mut Vec<String>) {
    if let Some(expected) = &case.logspaces {
        let mut expected = expected.clone();
        let logspaces = message.destinations.iter();
        let mut logspaces: Vec<_> = logspaces.map(|one| one.logspace.clone()).collect();
        expected.sort();
        logspaces.sort();
        compare(
            "logspaces",
            &expected.join(" "),
            &logspaces.join(" "),
            found,
        );
    }
}

/// What the record has in a logspace.
fn record(case: &TestCase, destination: &ExplainedDestination, found: &mut Vec<String>) {
    let ExplainedDestination { logspace, row, .. } = destination;
    for (name, expected) in &case.fields {
        let value = value(row, name);
        compare(&format!("{name} in {logspace}"), expected, &value, found);
    }
    if let Some(expected) = &case.tags {
        let (mut expected, mut tags) = (expected.clone(), row.tags.clone());
        expected.sort();
        tags.sort();
        let name = format!("tags in {logspace}");
        compare(&name, &expected.join(" "), &tags.join(" "), found);
    }
}

/// A part of a record, or the values of a field with commas between.
fn value(row: &Row, name: &str) -> String {
    match name {
        "host" => row.host.clone(),
        "program" => row.program.clone(),
        "pid" => row.pid.clone(),
        "msgid" => row.msgid.clone(),
        "message" => row.message.clone(),
        "severity" => row.severity.clone(),
        "facility" => row.facility.clone(),
        "time" => short_time(&row.time),
        name => match row.fields.get(name) {
            Some(FieldValue::One(value)) => value.clone(),
            Some(FieldValue::Many(values)) => values.join(","),
            None => String::new(),
        },
    }
}

/// A time without zeros at the end of its fraction, as people write it.
fn short_time(time: &str) -> String {
    let digits = time.trim_end_matches('Z').trim_end_matches('0');
    format!("{}Z", digits.trim_end_matches('.'))
}

fn compare(what: &str, expected: &str, is: &str, found: &mut Vec<String>) {
    if expected != is {
        found.push(format!("{what}: expected {expected:?}, is {is:?}"));
    }
}
