//! What people type, and what is made of it before anything is read.

use engine::{Cancel, Scope};
use model::{TimeRange, Timestamp};

/// A query and its pipe: parsed, completed, printed in the one form that means the same, and planned.
pub fn query(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let parsed = query::parse_question(&text);
    for diagnostic in &parsed.diagnostics {
        let span = text.get(diagnostic.span.start..diagnostic.span.end);
        assert!(span.is_some(), "a place between characters");
    }
    for at in [0, text.len() / 2, text.len()] {
        let completion = query::complete(&text, at);
        let span = text.get(completion.span.clone());
        assert!(span.is_some(), "a place between characters");
    }
    let canonical = parsed.question.canonical();
    if !parsed.is_valid() || canonical.len() > query::limits::QUERY_BYTES_MAX {
        return;
    }
    let again = query::parse_question(&canonical);
    assert!(again.is_valid(), "{text:?} is {canonical:?}");
    assert_eq!(again.question.canonical(), canonical, "{text:?}");
    let mut scope = Scope::new(Vec::new());
    scope.range = TimeRange {
        start: Timestamp::from_seconds(0),
        end: Timestamp::from_seconds(60),
    };
    let found = engine::tabulate(&scope, &parsed.question, 10, &Cancel::new());
    assert!(
        found.completeness.is_complete(),
        "nothing was there to miss"
    );
}
