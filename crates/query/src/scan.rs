//! The smallest parts of a query text: words, phrases, expressions between slashes, field names.
//!
//! What a character means depends on where it stands (`/` starts an expression only where a value
//! may start, `=` is an operator only behind a field), so the parser asks for the part it wants and
//! nothing is cut into tokens beforehand. Every part that is taken is noted as a [`Token`].

use std::ops::Range;

use crate::ast::{Pattern, Piece};
use crate::fields;
use crate::parse::{Token, TokenKind};

/// Characters that a backslash takes the meaning from in a word.
const WORD_ESCAPES: &str = r#"*?\"/()[]=<>:|"#;

/// Characters that a backslash takes the meaning from between double quotes.
const PHRASE_ESCAPES: &str = r#"*?\""#;

/// An operator between terms; capitals only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Not,
}

impl Operator {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
        }
    }
}

/// A word or phrase with its escapes and wildcards resolved.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) span: Range<usize>,
    /// Whether a phrase has its second quote; always true of words.
    pub(crate) is_closed: bool,
}

/// A position in the text.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            tokens: Vec::new(),
        }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn into_tokens(self) -> Vec<Token> {
        self.tokens
    }

    /// What is not read yet.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn next_char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Leaves the rest of the text unread.
    pub(crate) fn skip_all(&mut self) {
        self.at = self.text.len();
    }

    /// Leaves everything up to and including the character unread, or all where it is not there.
    pub(crate) fn skip_past(&mut self, character: char) {
        match self.rest().split_once(character) {
            Some((_, behind)) => self.at = self.text.len() - behind.len(),
            None => self.skip_all(),
        }
    }

    /// Takes a fixed text where it stands here.
    pub(crate) fn eat(&mut self, expected: &str, kind: TokenKind) -> Option<Range<usize>> {
        self.rest()
            .starts_with(expected)
            .then(|| self.take(expected.len(), kind))
    }

    /// The operator that stands here, not taken.
    pub(crate) fn peek_operator(&self) -> Option<Operator> {
        let rest = self.rest();
        let word = rest.get(..rest.find(ends_word).unwrap_or(rest.len()))?;
        match word {
            "AND" => Some(Operator::And),
            "OR" => Some(Operator::Or),
            "NOT" => Some(Operator::Not),
            _ => None,
        }
    }

    /// Takes a field name and its colon.
    pub(crate) fn field_name(&mut self) -> Option<(&'t str, Range<usize>)> {
        let name = field_prefix(self.rest())?;
        let span = self.take(name.len() + 1, TokenKind::Field);
        Some((name, span))
    }

    /// Takes the name behind `nvpair:`, in quotes or up to `=`, and the `=`. `None`, and nothing
    /// taken, where that is not what stands here.
    pub(crate) fn pair_name(&mut self) -> Option<(String, Range<usize>)> {
        let rest = self.rest();
        if rest.starts_with('"') {
            let (pieces, len) = phrase_pieces(rest, false);
            let pattern = Pattern::new(pieces)?;
            let [Piece::Literal(name)] = pattern.pieces() else {
                return None;
            };
            let len = len.filter(|len| rest.get(*len..).is_some_and(|r| r.starts_with('=')))?;
            let name = String::from_utf8_lossy(name).into_owned();
            return Some((name, self.take(len + 1, TokenKind::Field)));
        }
        let len = rest.find(|c| c == '=' || ends_word(c))?;
        let name = rest.get(..len).filter(|name| !name.is_empty())?;
        rest.get(len..)?.strip_prefix('=')?;
        Some((name.into(), self.take(len + 1, TokenKind::Field)))
    }

    /// The word of a stage that stands here, not taken: up to white space, a comma, a quote, a pipe
    /// or a parenthesis.
    pub(crate) fn peek_stage_word(&self) -> &'t str {
        let rest = self.rest();
        let ends = |c: char| ends_word(c) || c == ',';
        rest.get(..rest.find(ends).unwrap_or(rest.len()))
            .unwrap_or("")
    }

    /// Takes the word of a stage. Empty where none stands here.
    pub(crate) fn stage_word(&mut self, kind: TokenKind) -> Range<usize> {
        self.take(self.peek_stage_word().len(), kind)
    }

    /// Takes a prefix, a colon and a name in quotes, where that is what stands here.
    pub(crate) fn quoted_pair_name(&mut self, prefix: &str) -> Option<(String, Range<usize>)> {
        let word = self.peek_stage_word();
        let is_prefix = word.strip_suffix(':')?.eq_ignore_ascii_case(prefix);
        let rest = self.rest().get(word.len()..)?;
        let (pieces, len) = rest
            .starts_with('"')
            .then(|| phrase_pieces(rest, false))
            .filter(|_| is_prefix)?;
        let pattern = Pattern::new(pieces)?;
        let [Piece::Literal(name)] = pattern.pieces() else {
            return None;
        };
        let name = String::from_utf8_lossy(name).into_owned();
        Some((name, self.take(word.len() + len?, TokenKind::Field)))
    }

    /// So many bytes from here on, not taken.
    pub(crate) fn here(&self, len: usize) -> Range<usize> {
        self.at..self.at + len
    }

    /// Leaves everything unread up to the next pipe that does not stand in quotes.
    pub(crate) fn skip_to_pipe(&mut self) {
        let mut is_quoted = false;
        let pipe = self.rest().find(|character| {
            is_quoted ^= character == '"';
            character == '|' && !is_quoted
        });
        self.at = pipe.map_or(self.text.len(), |offset| self.at + offset);
    }

    /// Takes a word: everything up to white space, a parenthesis, a quote, a pipe or a character
    /// that `ends` it. Empty where one of these stands here.
    pub(crate) fn word(&mut self, ends: impl Fn(char) -> bool) -> Text {
        let start = self.at;
        let mut pieces = Vec::new();
        let mut plain_from = self.at;
        let mut characters = self.rest().char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            let at = start + offset;
            let escaped = (character == '\\')
                .then(|| characters.next_if(|(_, next)| WORD_ESCAPES.contains(*next)))
                .flatten();
            let piece = match (escaped, character) {
                (Some((_, escaped)), _) => literal(escaped),
                (None, c) if ends_word(c) || ends(c) => break,
                (None, '*') => Piece::AnyRun,
                (None, '?') => Piece::AnyOne,
                (None, c) => literal(c),
            };
            self.at = at + character.len_utf8() + escaped.map_or(0, |(_, c)| c.len_utf8());
            if !matches!(piece, Piece::Literal(_)) {
                self.note(TokenKind::Term, plain_from..at);
                self.note(TokenKind::Wildcard, at..self.at);
                plain_from = self.at;
            }
            pieces.push(piece);
        }
        self.note(TokenKind::Term, plain_from..self.at);
        Text {
            pieces,
            span: start..self.at,
            is_closed: true,
        }
    }

    /// Takes a phrase; a double quote stands here. Without its second quote it goes to the end.
    pub(crate) fn phrase(&mut self, has_wildcards: bool) -> Text {
        let (pieces, len) = phrase_pieces(self.rest(), has_wildcards);
        let span = self.take(len.unwrap_or(self.rest().len()), TokenKind::Phrase);
        Text {
            pieces,
            span,
            is_closed: len.is_some(),
        }
    }

    /// Takes an expression between slashes, where one stands here: its second slash ends the word,
    /// otherwise it is a path. Returns it without the slashes, `\/` made `/`.
    pub(crate) fn regex(&mut self) -> Option<(String, Range<usize>)> {
        let body = self.rest().strip_prefix('/')?;
        let mut source = String::new();
        let mut characters = body.char_indices();
        let len = loop {
            match characters.next()? {
                (len, '/') => break len,
                (_, '\\') => match characters.next()?.1 {
                    '/' => source.push('/'),
                    other => source.extend(['\\', other]),
                },
                (_, other) => source.push(other),
            }
        };
        let is_last = body.get(len + 1..)?.chars().next().is_none_or(ends_word);
        (is_last && len > 0).then(|| (source, self.take(len + 2, TokenKind::Regex)))
    }

    fn take(&mut self, len: usize, kind: TokenKind) -> Range<usize> {
        let span = self.at..self.at + len;
        self.at = span.end;
        self.note(kind, span.clone());
        span
    }

    fn note(&mut self, kind: TokenKind, span: Range<usize>) {
        if !span.is_empty() {
            self.tokens.push(Token { kind, span });
        }
    }
}

/// Whether the character ends any word.
pub(crate) fn ends_word(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | ')' | '"' | '|')
}

/// Whether the name can stand before a colon; any other name needs `nvpair:`.
pub(crate) fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.' | '@'))
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | '-'))
}

/// The name of the field that the text starts with, without its colon.
///
/// Not every colon ends a field name. Unless the name is one of Logwood's own, these are terms:
/// `10:23:45` (a name does not start with a digit), `std::io`, `http://host/`, `C:\dir`, and
/// addresses such as `aa:bb:cc:00:11:22` and `fe80:0:0::1`.
pub(crate) fn field_prefix(text: &str) -> Option<&str> {
    let (name, value) = text.split_once(':')?;
    if !is_plain_name(name) {
        return None;
    }
    let is_own = fields::target(name).is_some() || name.eq_ignore_ascii_case(fields::PAIR);
    let is_term = value.starts_with(':')
        || value.starts_with("//")
        || value.starts_with('\\') && name.len() == 1
        || is_address(text);
    (is_own || !is_term).then_some(name)
}

/// Whether the first word is made of hexadecimal digits and at least two colons, as a MAC or IPv6
/// address is; wildcards may stand in it.
fn is_address(text: &str) -> bool {
    let word = text.split(ends_word).next().unwrap_or("");
    word.chars().filter(|c| *c == ':').count() >= 2
        && word
            .chars()
            .all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.' | '*' | '?'))
}

/// The pieces of a phrase and its length with both quotes; no length where the second is missing.
fn phrase_pieces(text: &str, has_wildcards: bool) -> (Vec<Piece>, Option<usize>) {
    let mut pieces = Vec::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((offset, character)) = characters.next() {
        let piece = match character {
            '"' => return (pieces, Some(offset + 1)),
            '*' if has_wildcards => Piece::AnyRun,
            '?' if has_wildcards => Piece::AnyOne,
            '\\' => match characters.next_if(|(_, next)| PHRASE_ESCAPES.contains(*next)) {
                Some((_, escaped)) => literal(escaped),
                None => literal('\\'),
            },
            other => literal(other),
        };
        pieces.push(piece);
    }
    (pieces, None)
}

fn literal(character: char) -> Piece {
    Piece::Literal(character.encode_utf8(&mut [0; 4]).as_bytes().to_vec())
}
