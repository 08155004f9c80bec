//! Problems as HTTP answers.

use api::{Problem, ProblemSpan};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

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
        .with_hint("send them again later; nothing of this request was acknowledged")
        .into()
    }

    /// Questions have all the memory that they may have together.
    pub(crate) fn memory() -> Self {
        let detail = "the questions that are being answered have all the memory there is for them";
        Problem::new(503, "busy", "the server is busy", detail)
            .with_hint("ask again in a few seconds, or for less; store.memory_max bounds it")
            .into()
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
        (
            status,
            [(header::CONTENT_TYPE, "application/problem+json")],
            body,
        )
            .into_response()
    }
}
