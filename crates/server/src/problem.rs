//! Problems as HTTP answers.

use api::{Problem, ProblemSpan};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::limits::RETRY_AFTER_SECONDS;
use crate::unpack::ENCODINGS;

/// A request that is not answered, and why. A type of our own, since both the problem and the
/// trait are others'.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Problem>);

impl Refusal {
    /// A parameter that cannot be used.
    pub(crate) fn parameter(name: &str, detail: impl Into<String>, hint: &str) -> Self {
        let title = format!("the parameter {name} is wrong");
        Problem::new(400, "parameter-invalid", &title, detail)
            .with_hint(hint)
            .into()
    }

    /// A query that cannot be run.
    pub(crate) fn query(error: &query::InvalidQuery) -> Self {
        let errors = || {
            let is_error = |d: &&query::Diagnostic| d.severity == query::DiagnosticSeverity::Error;
            error.diagnostics.iter().filter(is_error)
        };
        let detail = errors()
            .next()
            .map_or_else(String::new, |first| first.message.clone());
        let mut problem = Problem::new(400, "query-invalid", "the query cannot be run", detail);
        problem.hint = errors().find_map(|diagnostic| diagnostic.hint.clone());
        problem.spans = errors()
            .map(|diagnostic| ProblemSpan {
                start: diagnostic.span.start,
                end: diagnostic.span.end,
            })
            .collect();
        problem.into()
    }

    /// A logspace that does not exist.
    pub(crate) fn unknown_logspace(name: &str, known: &[model::LogspaceName]) -> Self {
        let known = known
            .iter()
            .map(model::LogspaceName::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let detail = format!("there is no logspace {name:?}");
        Problem::new(404, "logspace-unknown", "no such logspace", detail)
            .with_hint(format!("the logspaces are: {known}"))
            .into()
    }

    /// A source that does not exist.
    pub(crate) fn unknown_source<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        let detail = format!("there is no source {name:?}");
        Problem::new(404, "source-unknown", "no such source", detail)
            .with_hint(format!("the sources are: {known}"))
            .into()
    }

    /// Something inside failed.
    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        Problem::new(500, "internal", "the server failed", detail).into()
    }

    /// The disk does not take records now.
    pub(crate) fn storage(detail: impl Into<String>) -> Self {
        Problem::new(
            503,
            "storage-stalled",
            "records cannot be made durable",
            detail,
        )
        .with_hint("send them again later")
        .into()
    }

    /// Questions have all the memory that they may have together.
    pub(crate) fn memory() -> Self {
        let detail = "the questions that are being answered have all the memory there is for them";
        Problem::new(503, "busy", "the server is busy", detail)
            .with_hint("ask again in a few seconds, or for less; store.memory_max bounds it")
            .into()
    }

    /// There is no room for the request now; `key` is the configuration's that says how much there
    /// is.
    pub(crate) fn busy(detail: impl Into<String>, key: &str) -> Self {
        Problem::new(503, "busy", "the server is busy", detail)
            .with_hint(format!("try again in a few seconds; {key} bounds it"))
            .into()
    }

    /// What the client had to send did not come.
    pub(crate) fn slow(detail: impl Into<String>) -> Self {
        Problem::new(408, "request-slow", "the request came too slowly", detail)
            .with_hint("send it without pauses")
            .into()
    }

    /// A body is larger than is taken.
    pub(crate) fn too_large(bytes_max: u64) -> Self {
        let detail = format!("the body has more than {bytes_max} bytes, unpacked");
        Problem::new(413, "body-too-large", "the body is too large", detail)
            .with_hint("send it in parts")
            .into()
    }

    /// A message is larger than any batch of records.
    pub(crate) fn message_too_large(detail: impl Into<String>) -> Self {
        let title = "a message is too large";
        Problem::new(413, "message-too-large", title, detail).into()
    }

    /// A body broke off, or cannot be unpacked.
    pub(crate) fn broken(detail: impl Into<String>) -> Self {
        Problem::new(400, "upload-broken", "the upload broke off", detail).into()
    }

    /// The same, saying how many records of the request are stored in spite of it.
    pub(crate) fn with_stored(mut self, stored: u64) -> Self {
        self.0.stored = Some(stored);
        if stored > 0 {
            let hint = format!("{stored} records of this request are stored already");
            self.0.hint = Some(match self.0.hint.take() {
                Some(first) => format!("{first}; {hint}"),
                None => hint,
            });
        }
        self
    }

    /// The problem itself.
    pub(crate) fn into_problem(self) -> Box<Problem> {
        self.0
    }
}

impl From<Box<Problem>> for Refusal {
    fn from(problem: Box<Problem>) -> Self {
        Self(problem)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let media_type = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (status, media_type, body).into_response();
        let headers = response.headers_mut();
        match status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS.into());
            }
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                let codings = HeaderValue::from_static(ENCODINGS);
                headers.insert(header::ACCEPT_ENCODING, codings);
            }
            _ => {}
        }
        response
    }
}
