//! `pattern:"took <*> ms"`: the messages that a pattern fits, as `| patterns` gives it.
//!
//! It is short for an expression over the whole message, so the index and the columns of a kind help
//! with it as they do with any other.

use crate::ast::{Expr, Pattern, Piece, Target};
use crate::parse::Parser;

/// Stands for each part in which messages of a pattern differ.
const VARIES: &str = "<*>";

impl Parser<'_> {
    /// The pattern in quotes that stands here.
    pub(crate) fn message_pattern(&mut self) -> Option<Expr> {
        let text = self.text(false, "")?;
        let span = text.span.clone();
        let pattern = Pattern::new(text.pieces)?;
        let [Piece::Literal(bytes)] = pattern.pieces() else {
            return None;
        };
        let source = expression(&String::from_utf8_lossy(bytes));
        let test = self.regex_test(&source, span.clone())?;
        self.leaf(span, &Target::Message, test)
    }
}

/// The expression for all of a message that has the text of a pattern, with anything in place of
/// the parts that vary.
fn expression(pattern: &str) -> String {
    let fixed: Vec<String> = pattern.split(VARIES).map(escaped).collect();
    format!("(?s)^{}$", fixed.join(".*"))
}

/// A text that an expression takes as it is, in one line.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in regex_syntax::escape(text).chars() {
        if character.is_control() {
            out += &format!("\\x{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_question;

    fn finds(query: &str, message: &str) -> bool {
        let parsed = parse_question(query);
        assert_eq!(parsed.diagnostics, [], "{query}");
        let Expr::Leaf(leaf) = parsed.question.query.root else {
            panic!("{query} is no leaf");
        };
        assert_eq!(leaf.target, Target::Message, "{query}");
        crate::naive::matches_text(&leaf.test, message.as_bytes())
    }

    #[test]
    fn a_pattern_finds_messages_that_are_like_it_from_end_to_end() {
        let query = "pattern:\"took <*> ms\"";
        assert!(finds(query, "took 5 ms"));
        assert!(finds(query, "took <*> ms"));
        assert!(!finds(query, "it took 5 ms"));
        assert!(!finds(query, "took 5 ms in all"));
        assert!(!finds(query, "Took 5 ms"));
    }

    #[test]
    fn what_is_special_in_an_expression_is_text_in_a_pattern() {
        assert!(finds("pattern:\"a.b (<*>) [x]* c\"", "a.b (1) [x]* c"));
        assert!(!finds("pattern:\"a.b\"", "a-b"));
        assert!(finds(
            "pattern:\"say \\\"<*>\\\" in C:\\\\<*>\"",
            "say \"hi\" in C:\\x"
        ));
        assert!(finds("pattern:\"/a/<*>\"", "/a/b/c"));
    }

    #[test]
    fn every_message_is_found_by_its_pattern() {
        let mut patterns = segment::Patterns::default();
        for message in [
            "Accepted password for root from 192.0.2.7 port 51022 ssh2",
            "user=\"two words\" took 12ms, path /a/b?c=d",
            "[UFW BLOCK] IN=eth0 SRC=10.0.3.4 DST=10.0.0.1",
            "C:\\dir\\file * ? (x) {y} 99 %",
            "two\nlines 5",
            "plain",
        ] {
            let pattern = String::from_utf8_lossy(patterns.of(message.as_bytes())).into_owned();
            let quoted = pattern.replace('\\', "\\\\").replace('"', "\\\"");
            assert!(
                finds(&format!("pattern:\"{quoted}\""), message),
                "{pattern}"
            );
        }
    }
}
