//! The text of a pattern as literal text and parsers.

use crate::error::PatternProblem;
use crate::limits::PATTERN_BYTES_MAX;
use crate::parser::Parser;

/// A part of a pattern.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    Literal(Vec<u8>),
    Parser(Parser),
}

/// The parts of a pattern. `@@` is an at sign.
pub(crate) fn elements(pattern: &str) -> Result<Vec<Element>, PatternProblem> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(PatternProblem::TooLong(pattern.len()));
    }
    if pattern.is_empty() {
        return Err(PatternProblem::Empty);
    }
    let mut elements = Vec::new();
    let mut literal = Vec::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('@') {
        literal.extend_from_slice(before.as_bytes());
        let Some((inner, behind)) = behind.split_once('@') else {
            return Err(PatternProblem::UnclosedParser);
        };
        rest = behind;
        if inner.is_empty() {
            literal.push(b'@');
            continue;
        }
        let parser = Parser::read(inner)?;
        if !literal.is_empty() {
            elements.push(Element::Literal(std::mem::take(&mut literal)));
        }
        elements.push(Element::Parser(parser));
    }
    literal.extend_from_slice(rest.as_bytes());
    if !literal.is_empty() {
        elements.push(Element::Literal(literal));
    }
    Ok(elements)
}
