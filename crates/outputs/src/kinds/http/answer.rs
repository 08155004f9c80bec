//! What the answer to a request means for its records.

use hyper::StatusCode;
use serde::Deserialize;

use super::{Form, Http};
use crate::http::{Answer, Verdict, text_of};

/// What a collector of OpenTelemetry says about records that it has not taken among others that it has.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Exported {
    partial_success: Partial,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Partial {
    rejected_log_records: Count,
    error_message: String,
}

/// A number of 64 bits in the JSON of protocol buffers: a text, or a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Text(String),
}

impl Default for Count {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl Count {
    fn number(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.parse().unwrap_or(0),
        }
    }
}

/// What became of so many records.
pub(super) fn verdict(options: &Http, answer: &Answer, name: &str, records: usize) -> Verdict {
    let status = answer.status;
    if options.success.has(status) {
        return match options.body.form {
            Form::Otlp => exported(answer, records),
            _ => Verdict::Taken,
        };
    }
    let words = format!("{status} {}", text_of(&answer.body));
    if options.refused.has(status) {
        return Verdict::Split(words.trim_end().to_owned());
    }
    let remedy = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            ": see that user, password or token are right, and may send records there"
        }
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            ": see that `url` and `method` are right"
        }
        status if status.is_redirection() => ": write the URL it leads to in `url`",
        _ => "",
    };
    Verdict::Later {
        taken: 0,
        failure: answer.failure(format!("{name}: {}{remedy}", words.trim_end())),
    }
}

/// A collector says how many records it refuses and not which, and they must not be sent again: all of the request
/// count as refused, so that none is missing silently.
fn exported(answer: &Answer, records: usize) -> Verdict {
    let exported: Exported = serde_json::from_slice(&answer.body).unwrap_or_default();
    let Partial {
        rejected_log_records,
        error_message,
    } = exported.partial_success;
    let rejected = rejected_log_records.number();
    if rejected == 0 {
        return Verdict::Taken;
    }
    let reason = match rejected >= records as u64 {
        true => error_message,
        false => format!("{rejected} of {records} are refused, not said which: {error_message}"),
    };
    Verdict::Each {
        rejected: (0..records).map(|at| (at, reason.clone())).collect(),
        left: Vec::new(),
        failure: None,
    }
}
