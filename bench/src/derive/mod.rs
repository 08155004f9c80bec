//! Questions about a log that is given, each with its exact count.
//!
//! The counts are of the text and owe nothing to what is measured: bytes between the bounds of words, in
//! either case, as docs/reference/query.md has it. What makes that the same count everywhere:
//!
//! - No text is asked for that stands among the first pieces of any line, where the header is, which is
//!   no part of what a query without a field searches.
//! - Each text is spelled in one way throughout, so that it makes no difference who regards case.
//! - None stands next to a character beyond ASCII, which may or may not end a word.
//!
//! The choice is that of frequencies, so that the same log has the same questions.

mod choose;
mod fields;
mod text;

use std::path::Path;

use anyhow::Result;

use crate::manifest::{Manifest, Query};
use choose::Chooser;
use text::Text;

/// What to ask about a log.
pub(crate) fn manifest(path: &Path) -> Result<Manifest> {
    let text = Text::read(path)?;
    let mut queries = vec![Query {
        name: "all".to_owned(),
        query: "*".to_owned(),
        pattern: Some(".".to_owned()),
        count: text.messages(),
    }];
    queries.extend(Chooser::new(&text).queries());
    queries.extend(fields::queries(&text));
    Ok(Manifest::new(text.messages(), queries))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;

    /// The log of a server that answers every request, every tenth one from the same place.
    fn log() -> String {
        let mut log = String::new();
        for number in 0..1000_u32 {
            let place = if number % 10 == 3 { 77 } else { number % 50 };
            let slow = match number {
                0 => " zircon",
                1 => " beryl",
                _ if number % 100 == 7 => " slowly",
                _ => "",
            };
            let _ = writeln!(
                log,
                "<13>Oct  1 00:00:01 web-1 shop[7]: [ok] a request from 192.0.2.{place} was \
                 answered{slow} took={} state=done",
                number % 20
            );
        }
        log
    }

    #[test]
    fn counts_are_those_of_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        fs::write(&path, log()).unwrap();
        let manifest = manifest(&path).unwrap();
        assert_eq!(manifest.messages, 1000);
        let count = |name: &str| {
            let query = manifest.query(name).unwrap();
            (query.query.as_str(), query.count)
        };
        assert_eq!(count("all"), ("*", 1000));
        assert_eq!(count("rare"), ("zircon", 1));
        assert_eq!(count("one_in_100"), ("slowly", 10));
        assert_eq!(count("or"), ("beryl OR slowly", 11));
        assert_eq!(count("frequent").1, 1000);
        assert_eq!(count("address"), ("192.0.2.10", 20));
        assert_eq!(count("network"), ("192.0.2.*", 1000));
        assert_eq!(count("field"), ("state:done", 1000));
        assert_eq!(count("field_number"), ("took:>=18", 100));
        let again = super::manifest(&path).unwrap();
        assert_eq!(again, manifest);
    }
}
