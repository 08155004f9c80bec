//! Why a command failed, in the words of the one who typed it.

use std::fmt;
use std::io;

use api::ProblemSpan;

use crate::output::visible;

/// What happened, why, and what to do.
#[derive(Debug)]
pub(crate) struct Failure(Box<Details>);

#[derive(Debug, Default)]
struct Details {
    what: String,
    cause: Option<String>,
    hint: Option<String>,
    /// Places in the query that was asked, in bytes.
    spans: Vec<ProblemSpan>,
    /// The query with carets below those places.
    excerpt: Option<String>,
    is_broken_pipe: bool,
}

impl Failure {
    /// A failure that says all in one sentence.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(Box::new(Details {
            what: what.into(),
            ..Details::default()
        }))
    }

    /// With the reason.
    #[must_use]
    pub(crate) fn because(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// With what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// With the query that was asked, marked where it is wrong.
    #[must_use]
    pub(crate) fn in_query(mut self, query: &str) -> Self {
        if !self.0.spans.is_empty() {
            self.0.excerpt = Some(excerpt(query, &self.0.spans));
        }
        self
    }

    /// Whether the reader of the output has gone, which is no failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.0.is_broken_pipe
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = &self.0;
        write!(f, "error: {}", details.what)?;
        if let Some(excerpt) = &details.excerpt {
            write!(f, "\n{excerpt}")?;
        }
        if let Some(cause) = &details.cause {
            write!(f, "\ncause: {cause}")?;
        }
        if let Some(hint) = &details.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// The query on a line and carets below the places, which are in bytes of it.
pub(crate) fn excerpt(query: &str, spans: &[ProblemSpan]) -> String {
    let is_marked = |at: usize| {
        spans
            .iter()
            .any(|span| (span.start..span.end).contains(&at))
    };
    let mut carets: String = query
        .char_indices()
        .map(|(at, _)| if is_marked(at) { '^' } else { ' ' })
        .collect();
    // What is missing at the end has no character to stand below.
    if !carets.contains('^') {
        carets.push('^');
    }
    format!("  {}\n  {}", visible(query), carets.trim_end())
}

/// Standard output cannot be written.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let is_broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        let mut failure = Self::new("cannot write the output").because(error);
        failure.0.is_broken_pipe = is_broken_pipe;
        failure
    }
}

impl From<client::Error> for Failure {
    fn from(error: client::Error) -> Self {
        match error {
            client::Error::Refused(problem) => (*problem).into(),
            client::Error::Unreachable { url, source } => {
                Self::new(format!("no server answers at {url}"))
                    .because(source)
                    .hint(
                        "start one with `logwood serve`, or read a data directory with --data-dir",
                    )
            }
            client::Error::NotLogwood { .. } => Self::new(error.to_string()).hint(
                "name the address of http= in the line `ready` that `logwood serve` prints; it is \
                 127.0.0.1:8514 unless set",
            ),
            client::Error::Encrypted { .. } => Self::new(error.to_string()).hint(
                "write http:// and the address of the server itself; TLS in front of it is a reverse \
                 proxy's",
            ),
            client::Error::Input { source } => Self::new("cannot read the file").because(source),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<api::Problem> for Failure {
    fn from(problem: api::Problem) -> Self {
        let mut failure = Self::new(problem.detail);
        failure.0.spans = problem.spans;
        match problem.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<Box<api::Problem>> for Failure {
    fn from(problem: Box<api::Problem>) -> Self {
        (*problem).into()
    }
}

impl From<::load::Error> for Failure {
    fn from(error: ::load::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            store::Error::Locked { .. } => failure.hint(
                "stop that process, ask it with --url, or use another directory with --data-dir",
            ),
            store::Error::NotADataDirectory { .. } => {
                failure.hint("name the directory that `logwood serve --data-dir` was given")
            }
            _ => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_characters_meant() {
        let span = |start, end| ProblemSpan { start, end };
        assert_eq!(excerpt("é (a", &[span(3, 4)]), "  é (a\n    ^");
        assert_eq!(excerpt("a OR", &[span(4, 4)]), "  a OR\n      ^");
    }
}
