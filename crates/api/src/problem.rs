//! Errors: RFC 9457 problem details with a stable code, a hint, and places in the query.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Always `about:blank`: the code says more.
    #[serde(rename = "type")]
    pub kind: String,
    /// What happened, in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// A stable word for programs: `query-invalid`.
    pub code: String,
    /// What exactly.
    pub detail: String,
    /// What to do.
    pub hint: Option<String>,
    /// Where in the query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<ProblemSpan>,
    /// How many records of the request are stored nevertheless; only where it brought records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<u64>,
}

/// A place in a query, in bytes of its UTF-8 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemSpan {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Problem {
    /// A problem without hint or place.
    pub fn new(status: u16, code: &str, title: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".to_owned(),
            title: title.to_owned(),
            status,
            code: code.to_owned(),
            detail: detail.into(),
            hint: None,
            spans: Vec::new(),
            stored: None,
        }
    }

    /// The problem with a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}
