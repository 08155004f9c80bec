//! What a bulk request is answered.
//!
//! | status of a document | here |
//! |---|---|
//! | 200, 201 | delivered |
//! | 409 | delivered: it was sent before |
//! | 429, 5xx, and an index that is blocked or has no room for shards | later |
//! | other | refused |

use hyper::StatusCode;
use serde::Deserialize;

use crate::http::{Answer, Verdict, text_of};

#[derive(Debug, Deserialize)]
struct Bulk {
    #[serde(default)]
    items: Vec<ItemAnswer>,
}

#[derive(Debug, Deserialize)]
struct ItemAnswer {
    create: Created,
}

#[derive(Debug, Deserialize)]
struct Created {
    #[serde(default)]
    status: u16,
    #[serde(default)]
    error: Option<Reason>,
}

#[derive(Debug, Default, Deserialize)]
struct Reason {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    reason: String,
}

/// A request that was not taken as a whole says why, in an object or in words.
#[derive(Debug, Deserialize)]
struct Refusal {
    error: Reason,
}

/// What became of so many documents.
pub(super) fn verdict(answer: &Answer, name: &str, documents: usize) -> Verdict {
    let later = |remedy: &str| Verdict::Later {
        taken: 0,
        failure: answer.failure(format!("{name}: {}{remedy}", words(answer))),
    };
    match answer.status {
        StatusCode::OK => match serde_json::from_slice::<Bulk>(&answer.body) {
            Ok(bulk) if bulk.items.len() == documents => each(bulk, answer, name),
            // An answer that is too long is cut off.
            _ if documents > 1 => Verdict::Split(String::new()),
            _ => later(": this is no answer of a bulk request"),
        },
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::BAD_REQUEST => Verdict::Split(words(answer)),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => later(
            ": see that `user` and password, or `api_key`, are right, and may create documents",
        ),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            later(": see that `url` is that of Elasticsearch or OpenSearch, as https://HOST:9200")
        }
        _ => later(""),
    }
}

fn each(bulk: Bulk, answer: &Answer, name: &str) -> Verdict {
    let (mut rejected, mut left) = (Vec::new(), Vec::new());
    let mut failure = None;
    for (at, ItemAnswer { create }) in bulk.items.into_iter().enumerate() {
        if matches!(create.status, 200..=299 | 409) {
            continue;
        }
        let error = create.error.unwrap_or_default();
        let reason = format!(
            "{}: {} (status {})",
            error.kind, error.reason, create.status
        );
        if can_pass(create.status, &error) {
            failure.get_or_insert_with(|| answer.failure(format!("{name}: {reason}")));
            left.push(at);
        } else {
            rejected.push((at, reason));
        }
    }
    match (rejected.is_empty(), left.is_empty()) {
        (true, true) => Verdict::Taken,
        _ => Verdict::Each {
            rejected,
            left,
            failure,
        },
    }
}

/// Whether a document that was not taken may be taken later: the fault is not its own.
fn can_pass(status: u16, error: &Reason) -> bool {
    let is_blocked =
        error.kind == "cluster_block_exception" || error.kind == "index_closed_exception";
    // Too many shards is answered with 400.
    let is_full = error.reason.contains("shards open");
    status == 429 || status >= 500 || is_blocked || is_full
}

fn words(answer: &Answer) -> String {
    match serde_json::from_slice::<Refusal>(&answer.body) {
        Ok(Refusal { error }) if !error.kind.is_empty() => {
            format!(
                "{}: {} (status {})",
                error.kind,
                error.reason,
                answer.status.as_u16()
            )
        }
        _ => format!("{} {}", answer.status, text_of(&answer.body)),
    }
}
