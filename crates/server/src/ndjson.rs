//! Records given as JSON objects, one a line.

use model::limits::MESSAGE_BYTES_MAX;
use model::{Facility, Priority, RecordBatch, RecordParts, Severity, Span, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::limits::OBJECTS_BYTES;
use crate::problem::Refusal;

/// A record that is sent. A line with other members is refused, so that a misspelt one is noticed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The message.
    message: String,
    /// The host.
    #[serde(default)]
    host: String,
    /// The program.
    #[serde(default)]
    program: String,
    /// The process id.
    #[serde(default)]
    pid: String,
    /// The message id (RFC 5424 MSGID).
    #[serde(default)]
    msgid: String,
    /// The facility, by name or number.
    facility: Option<String>,
    /// The severity, by name or number.
    severity: Option<String>,
    /// When it happened, as a parameter takes times; now where it is missing.
    time: Option<String>,
}

/// Lines on their way into batches. A bad line refuses all that is not taken before.
#[derive(Default)]
pub(crate) struct Objects {
    batch: RecordBatch,
    lines: u64,
}

impl Objects {
    /// Takes the next line; an empty one is passed over.
    pub(crate) fn push(&mut self, line: &[u8], now: Timestamp) -> Result<(), Refusal> {
        self.lines += 1;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let number = self.lines;
        if line.len() > MESSAGE_BYTES_MAX {
            let detail = format!("line {number} has more than {MESSAGE_BYTES_MAX} bytes");
            return Err(Refusal::message_too_large(detail));
        }
        let parts = parts(line, now).map_err(|what| {
            let detail = format!("line {number}: {what}");
            let hint = "each line is an object with message and, if known, host, program, pid, \
                        msgid, facility, severity, time";
            Refusal::parameter("body", detail, hint)
        })?;
        let too_large = |_| Refusal::message_too_large(format!("line {number} is too large"));
        let source = self.batch.source_index("http").map_err(too_large)?;
        self.batch
            .push(line, &parts, now, None, source)
            .map_err(too_large)
    }

    /// Whether what is gathered should be taken before more is.
    pub(crate) fn is_large(&self) -> bool {
        self.batch.memory_bytes() > OBJECTS_BYTES
    }

    /// What is gathered.
    pub(crate) fn take(&mut self) -> RecordBatch {
        std::mem::take(&mut self.batch)
    }
}

/// The parts of a line; their text goes behind the line itself, which is kept as `raw`.
fn parts(line: &[u8], now: Timestamp) -> Result<RecordParts, String> {
    let object: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let mut parts = RecordParts {
        time: now,
        ..RecordParts::default()
    };
    if let Some(time) = &object.time {
        parts.time = query::parse_time(time, now).map_err(|error| error.to_string())?;
    }
    let facility = match &object.facility {
        None => Priority::DEFAULT.facility(),
        Some(name) => Facility::parse(name).ok_or(format!("{name:?} is no facility"))?,
    };
    let severity = match &object.severity {
        None => Priority::DEFAULT.severity(),
        Some(name) => Severity::parse(name).ok_or(format!("{name:?} is no severity"))?,
    };
    parts.priority = Priority::new(facility, severity);
    let mut extra = Vec::new();
    let mut add = |text: &str| {
        let start = line.len() + extra.len();
        extra.extend_from_slice(text.as_bytes());
        if text.is_empty() {
            Span::default()
        } else {
            Span::new(start, start + text.len())
        }
    };
    parts.message = add(&object.message);
    parts.host = add(&object.host);
    parts.program = add(&object.program);
    parts.pid = add(&object.pid);
    parts.msgid = add(&object.msgid);
    parts.extra = extra;
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &[u8], now: Timestamp) -> Result<RecordBatch, Refusal> {
        let mut objects = Objects::default();
        let mut lines = body.split(|byte| *byte == b'\n');
        lines.try_for_each(|line| objects.push(line, now))?;
        Ok(objects.take())
    }

    #[test]
    fn an_object_becomes_a_record_and_stays_as_raw() {
        let line = r#"{"message":"disk \"full\"","host":"db1","severity":"err","time":"1000"}"#;
        let batch = parse(line.as_bytes(), Timestamp::from_seconds(5)).expect("valid");
        let record = batch.get(0).expect("one record");
        assert_eq!(record.message(), b"disk \"full\"");
        assert_eq!(
            (record.host(), record.raw()),
            (&b"db1"[..], line.as_bytes())
        );
        assert_eq!(record.priority().severity().name(), "err");
        assert_eq!(record.time(), Timestamp::from_seconds(1_000));
        assert_eq!(record.received(), Timestamp::from_seconds(5));
    }

    #[test]
    fn a_bad_line_is_named() {
        for (body, words) in [
            (
                "{\"message\":\"a\"}\n{\"mesage\":\"b\"}",
                "line 2: unknown field `mesage`",
            ),
            ("{}", "line 1: missing field `message`"),
            (
                "{\"message\":\"a\",\"severity\":\"bad\"}",
                "line 1: \"bad\" is no severity",
            ),
        ] {
            let refusal = parse(body.as_bytes(), Timestamp::default()).expect_err("refused");
            let detail = refusal.into_problem().detail;
            assert!(detail.starts_with(words), "{detail}");
        }
    }
}
