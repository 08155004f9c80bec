//! How a message is understood.

use std::io::{self, BufRead as _, Write as _};

use model::{RecordBatch, RecordParts, RecordRef};
use store::{Clock as _, SystemClock};
use syslog::{Context, Parser};
use text_fields::Detector;

use crate::Outcome;
use crate::arguments::ExplainArguments;
use crate::check::default_parse_options;
use crate::failure::Failure;
use crate::output;

/// Prints each part of a message.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Outcome, Failure> {
    let mut out = output::data();
    match &arguments.message {
        Some(message) => explain_one(message.as_bytes(), &mut out)?,
        None => {
            for line in io::stdin().lock().split(b'\n') {
                explain_one(&line?, &mut out)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn explain_one(message: &[u8], out: &mut impl io::Write) -> Result<(), Failure> {
    let received = SystemClock.now();
    let mut parts = RecordParts::default();
    let mut parser = Parser::new(default_parse_options());
    parser.parse(
        message,
        &Context {
            received,
            peer: None,
        },
        &mut parts,
    );
    let mut batch = RecordBatch::new();
    let pushed = batch.push(message, &parts, received, None, 0);
    let record = batch.get(0).filter(|_| pushed.is_ok());
    let record = record.ok_or_else(|| Failure::new("the message is too long to be kept"))?;
    print(record, out)?;
    Ok(())
}

fn print(record: RecordRef<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let priority = record.priority();
    let mut line =
        |name: &str, value: &str| writeln!(out, "{name:>10}  {}", output::visible(value));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    line("raw", &text(record.raw()))?;
    line("facility", priority.facility().name())?;
    line("severity", priority.severity().name())?;
    line("time", &record.time().to_string())?;
    let parts = [
        ("host", record.host()),
        ("program", record.program()),
        ("pid", record.pid()),
        ("msgid", record.msgid()),
        ("message", record.message()),
    ];
    for (name, bytes) in parts {
        line(
            name,
            if bytes.is_empty() {
                "-".to_owned()
            } else {
                text(bytes)
            }
            .as_str(),
        )?;
    }
    for field in record.fields() {
        line(
            "field",
            &format!("{}={}", field.full_name(), text(field.value)),
        )?;
    }
    let mut in_text = Vec::new();
    Detector::default().each(record.message(), &mut |name, value| {
        in_text.push(format!("{}={}", text(name), text(value)));
    });
    for field in in_text {
        line("text field", &field)?;
    }
    for tag in record.tags() {
        line("tag", tag)?;
    }
    Ok(())
}
