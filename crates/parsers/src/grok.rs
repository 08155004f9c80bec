//! Grok: regular expressions put together of named patterns, `%{IP:client} %{WORD:method}`.
//!
//! A pattern is expanded when the parser is made, and from then on is a regular expression as any other, of
//! the time that those take. Patterns of others that look around or hold what they matched have to be
//! written without that: such expressions can take very long.

mod stock;

use std::collections::BTreeMap;

use crate::limits::{GROK_DEPTH_MAX, NAME_BYTES_MAX, REGEX_TEXT_BYTES_MAX};
use crate::{Error, Failed, Pairs, Parser, RegexParser};

pub use stock::stock_patterns;

/// Options of [`GrokParser`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrokOptions {
    /// What texts have to match: a regular expression with `%{NAME}` for a pattern, `%{NAME:field}` for one
    /// whose match is a pair. A type behind that, `%{NAME:field:int}`, says nothing more. A field `[a][b]` is
    /// called `a.b`.
    pub pattern: String,
    /// Patterns of one's own, which go before stock patterns of the same name.
    pub patterns: BTreeMap<String, String>,
}

/// Takes texts apart by a pattern of grok.
#[derive(Clone, Debug)]
pub struct GrokParser {
    regex: RegexParser,
}

impl GrokParser {
    /// Expands and compiles the pattern.
    pub fn new(options: &GrokOptions) -> Result<Self, Error> {
        let remedy = "write what texts have to match, such as \"%{IP:client} %{WORD:method}\"";
        Error::check_filled("pattern", &options.pattern, REGEX_TEXT_BYTES_MAX, remedy)?;
        let mut expansion = Expansion {
            own: &options.patterns,
            text: String::new(),
            fields: Vec::new(),
            open: Vec::new(),
        };
        expansion.expand(&options.pattern)?;
        let fields = expansion.fields;
        let regex = RegexParser::with_names(&expansion.text, |group| {
            let number = group.strip_prefix(GROUP).and_then(|end| end.parse().ok());
            match number {
                Some(number) => fields.get::<usize>(number).cloned(),
                None => Some(group.to_owned()),
            }
        })?;
        Ok(Self { regex })
    }
}

impl Parser for GrokParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let parsed = self.regex.parse(input, pairs);
        parsed.map_err(|failed| Failed::new(failed.at, "the pattern does not match"))
    }
}

/// What the names of the groups of fields start with; a number follows. Names of fields have bytes that
/// those of groups may not have.
const GROUP: &str = "__field";

/// A pattern that is put together.
struct Expansion<'a> {
    own: &'a BTreeMap<String, String>,
    text: String,
    /// The fields in the order of their groups.
    fields: Vec<String>,
    /// The patterns that the place at hand is in.
    open: Vec<String>,
}

impl Expansion<'_> {
    fn expand(&mut self, pattern: &str) -> Result<(), Error> {
        let mut rest = pattern;
        while let Some(start) = rest.find("%{") {
            let (before, reference) = rest.split_at(start);
            self.push(before)?;
            let Some(end) = reference.find('}') else {
                return Err(no_pattern(reference));
            };
            let (reference, behind) = reference.split_at(end + 1);
            self.refer(reference)?;
            rest = behind;
        }
        self.push(rest)
    }

    /// Puts a pattern in for `%{NAME:field:type}`.
    fn refer(&mut self, reference: &str) -> Result<(), Error> {
        let inside = reference.trim_start_matches("%{").trim_end_matches('}');
        let mut parts = inside.splitn(3, ':');
        let name = parts.next().unwrap_or_default();
        let field = parts.next().map(dotted);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_name) || field.as_deref() == Some("") {
            return Err(no_pattern(reference));
        }
        if self.open.iter().any(|open| open == name) || self.open.len() >= GROK_DEPTH_MAX {
            let name = name.to_owned();
            return Err(Error::PatternInItself { name });
        }
        let own = self.own.get(name).map(String::as_str);
        let Some(pattern) = own.or_else(|| stock::find(name)) else {
            let name = name.to_owned();
            return Err(Error::UnknownPattern { name });
        };
        match field {
            Some(field) => {
                Error::check_length("pattern", &field, NAME_BYTES_MAX)?;
                let group = format!("(?<{GROUP}{}>", self.fields.len());
                self.push(&group)?;
                self.fields.push(field);
            }
            None => self.push("(?:")?,
        }
        self.open.push(name.to_owned());
        self.expand(pattern)?;
        self.open.pop();
        self.push(")")
    }

    /// Appends a text; patterns inside patterns grow quickly.
    fn push(&mut self, text: &str) -> Result<(), Error> {
        self.text.push_str(text);
        if self.text.len() > REGEX_TEXT_BYTES_MAX {
            return Err(Error::RegexTooLarge);
        }
        Ok(())
    }
}

/// The name of a field, with dots also where each part of it is in brackets.
fn dotted(field: &str) -> String {
    let inside = field
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match inside {
        Some(inside) => inside.replace("][", "."),
        None => field.to_owned(),
    }
}

fn no_pattern(text: &str) -> Error {
    let text = text.chars().take(SHOWN_CHARACTERS).collect();
    Error::NoPattern { text }
}

/// Characters of a pattern that an error shows.
const SHOWN_CHARACTERS: usize = 40;

#[cfg(test)]
mod tests;
