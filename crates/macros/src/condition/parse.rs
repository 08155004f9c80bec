//! Reads conditions: `("$HOST" eq "web1") and not program("cron")`.

use std::ops::Range;

use super::{
    CONDITION_NESTING_MAX, Compiler, Condition, Facility, Matcher, Network, Order, Problem,
    Severity, Source, Template, TemplateError, Value, expression, glob, memmem,
};
use crate::arguments::Argument;
use crate::macro_name::Macro;
use crate::nearest::nearest;

const COMPARISONS: [(&str, Order, bool); 14] = [
    ("eq", Order::Equal, true),
    ("ne", Order::NotEqual, true),
    ("lt", Order::Less, true),
    ("le", Order::LessOrEqual, true),
    ("gt", Order::Greater, true),
    ("ge", Order::GreaterOrEqual, true),
    ("===", Order::Equal, true),
    ("!==", Order::NotEqual, true),
    ("==", Order::Equal, false),
    ("!=", Order::NotEqual, false),
    ("<=", Order::LessOrEqual, false),
    (">=", Order::GreaterOrEqual, false),
    ("<", Order::Less, false),
    (">", Order::Greater, false),
];

const TESTS: [&str; 12] = [
    "facility", "host", "level", "match", "message", "msgid", "netmask", "netmask6", "priority",
    "program", "severity", "tags",
];

/// A word of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Comma,
    /// In quotation marks.
    Quoted(Text),
    /// Anything else.
    Word(Text),
    End,
}

/// A text of a condition, and where it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Text {
    text: String,
    place: Range<usize>,
    /// Where its text starts, if it stands there as it is.
    start: Option<usize>,
}

pub(super) struct Parser<'s, 't, 'c, 'o> {
    source: &'s Source<'t>,
    compiler: &'c mut Compiler<'o>,
    at: usize,
    depth: usize,
    token: Token,
    /// Where the token stands.
    place: Range<usize>,
}

impl<'s, 't, 'c, 'o> Parser<'s, 't, 'c, 'o> {
    pub(super) fn new(source: &'s Source<'t>, compiler: &'c mut Compiler<'o>) -> Self {
        Self {
            source,
            compiler,
            at: 0,
            depth: 0,
            token: Token::End,
            place: 0..0,
        }
    }

    /// The whole text as a condition.
    pub(super) fn condition(mut self) -> Result<Condition, TemplateError> {
        self.advance()?;
        let condition = self.any()?;
        match self.token {
            Token::End => Ok(condition),
            _ => Err(self.unexpected("`and`, `or` or the end of the condition")),
        }
    }

    fn error(&self, what: impl Into<String>) -> TemplateError {
        let span = self.source.span(self.place.clone());
        TemplateError::new(span, Problem::Condition(what.into()))
    }

    fn unexpected(&self, wanted: &str) -> TemplateError {
        let error = self.error(format!("a condition has {wanted} here"));
        error.with_hint("write `(\"$HOST\" eq \"web1\" and program(\"sshd\"))`")
    }

    fn is_word(&self, wanted: &str) -> bool {
        matches!(&self.token, Token::Word(word) if word.text == wanted)
    }

    /// Conditions with `or` between.
    fn any(&mut self) -> Result<Condition, TemplateError> {
        self.depth += 1;
        if self.depth > CONDITION_NESTING_MAX {
            let span = self.source.span(self.place.clone());
            return Err(TemplateError::new(span, Problem::ConditionTooDeep));
        }
        let mut left = self.all()?;
        while self.is_word("or") {
            self.advance()?;
            left = Condition::Or(Box::new((left, self.all()?)));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Conditions with `and` between.
    fn all(&mut self) -> Result<Condition, TemplateError> {
        let mut left = self.one()?;
        while self.is_word("and") {
            self.advance()?;
            left = Condition::And(Box::new((left, self.one()?)));
        }
        Ok(left)
    }

    fn one(&mut self) -> Result<Condition, TemplateError> {
        let mut is_negated = false;
        while self.is_word("not") {
            is_negated = !is_negated;
            self.advance()?;
        }
        let condition = match self.token.clone() {
            Token::Open => {
                self.advance()?;
                let inner = self.any()?;
                if self.token != Token::Close {
                    return Err(self.unexpected("`)`"));
                }
                self.advance()?;
                inner
            }
            Token::Word(word) if self.is_call() => self.test(&word)?,
            Token::Word(text) | Token::Quoted(text) => self.comparison(&text)?,
            _ => return Err(self.unexpected("a comparison or a test")),
        };
        Ok(match is_negated {
            true => Condition::Not(Box::new(condition)),
            false => condition,
        })
    }

    /// Whether a parenthesis follows the word at hand.
    fn is_call(&self) -> bool {
        let rest = self.source.text.get(self.at..).unwrap_or_default();
        rest.trim_start().starts_with('(')
    }

    fn template(&mut self, text: &Text) -> Result<Template, TemplateError> {
        let base = self.source.start();
        let argument = Argument {
            text: text.text.clone(),
            start: base.zip(text.start).map(|(base, start)| base + start),
            span: self.source.span(text.place.clone()),
        };
        Template::of_argument(&argument, self.compiler)
    }

    fn comparison(&mut self, left: &Text) -> Result<Condition, TemplateError> {
        self.advance()?;
        let operator = match &self.token {
            Token::Word(word) => COMPARISONS.iter().find(|(text, ..)| *text == word.text),
            _ => None,
        };
        let Some((_, order, is_text)) = operator else {
            let error = self.unexpected("a comparison");
            return Err(error.with_hint(
                "comparisons are eq ne lt le gt ge (text), == != < <= > >= (numbers); \
                 for a regular expression write `match(\"error\" value(\"MESSAGE\"))`",
            ));
        };
        self.advance()?;
        let (Token::Quoted(right) | Token::Word(right)) = self.token.clone() else {
            return Err(self.unexpected("a text"));
        };
        let left = self.template(left)?;
        let right = self.template(&right)?;
        self.advance()?;
        Ok(match is_text {
            true => Condition::Text(Box::new((left, *order, right))),
            false => Condition::Number(Box::new((left, *order, right))),
        })
    }

    /// `host("web")` and the like.
    fn test(&mut self, name: &Text) -> Result<Condition, TemplateError> {
        let place = self.place.clone();
        let arguments = self.arguments()?;
        match name.text.as_str() {
            "host" => self.matching(Some(Value::Macro(Macro::Host)), &arguments),
            "program" => self.matching(Some(Value::Macro(Macro::Program)), &arguments),
            "message" => self.matching(Some(Value::Macro(Macro::Message)), &arguments),
            "msgid" => self.matching(Some(Value::Macro(Macro::MsgId)), &arguments),
            "match" => self.matching(None, &arguments),
            "facility" => Ok(Condition::Facility(self.set(&arguments, |text| {
                Facility::parse(text).map(Facility::number)
            })?)),
            "severity" | "level" | "priority" => {
                Ok(Condition::Severity(self.set(&arguments, |text| {
                    Severity::parse(text).map(Severity::number)
                })?))
            }
            "tags" => {
                let names = arguments.into_iter().map(|argument| argument.text.text);
                Ok(Condition::Tags(names.collect()))
            }
            "netmask" | "netmask6" => {
                let text = arguments.first().map_or("", |argument| &argument.text.text);
                let network = Network::parse(text).ok_or_else(|| {
                    self.place = place;
                    let error = self.error(format!("`{text}` is no network"));
                    error.with_hint("write `netmask(\"192.0.2.0/24\")`")
                })?;
                Ok(Condition::Network(network))
            }
            other => {
                self.place = place;
                let error = self.error(format!("there is no test `{other}`"));
                Err(match nearest(other, TESTS.into_iter()) {
                    Some(near) => error.with_hint(format!("did you mean `{near}(...)`?")),
                    None => error.with_hint(format!("tests are {}", TESTS.join(", "))),
                })
            }
        }
    }

    /// What is in parentheses behind the word at hand: texts, and options with texts in parentheses.
    fn arguments(&mut self) -> Result<Vec<TestArgument>, TemplateError> {
        self.advance()?;
        let mut arguments = Vec::new();
        self.advance()?;
        loop {
            match self.token.clone() {
                Token::Close => break,
                Token::Comma => {}
                Token::Word(word) if self.is_call() => {
                    self.advance()?;
                    self.advance()?;
                    while let Token::Word(text) | Token::Quoted(text) = self.token.clone() {
                        arguments.push(TestArgument {
                            option: word.text.clone(),
                            text,
                        });
                        self.advance()?;
                        if self.token == Token::Comma {
                            self.advance()?;
                        }
                    }
                    if self.token != Token::Close {
                        return Err(self.unexpected("`)`"));
                    }
                }
                Token::Word(text) | Token::Quoted(text) => arguments.push(TestArgument {
                    option: String::new(),
                    text,
                }),
                Token::Open | Token::End => return Err(self.unexpected("`)`")),
            }
            self.advance()?;
        }
        self.advance()?;
        Ok(arguments)
    }

    /// A set of numbers, of names and ranges.
    fn set(
        &mut self,
        arguments: &[TestArgument],
        number: impl Fn(&str) -> Option<u8>,
    ) -> Result<u32, TemplateError> {
        let mut set = 0;
        for argument in arguments {
            let text = argument.text.text.as_str();
            let (first, last) = text.split_once("..").unwrap_or((text, text));
            let (Some(first), Some(last)) = (number(first.trim()), number(last.trim())) else {
                self.place = argument.text.place.clone();
                let error = self.error(format!("`{text}` is neither a name nor a range of names"));
                return Err(error.with_hint("write `facility(auth)` or `severity(err..emerg)`"));
            };
            for bit in first.min(last)..=first.max(last) {
                set |= 1 << bit;
            }
        }
        Ok(set)
    }

    fn matching(
        &mut self,
        mut target: Option<Value>,
        arguments: &[TestArgument],
    ) -> Result<Condition, TemplateError> {
        let mut kind = "pcre";
        let (mut ignores_case, mut is_prefix, mut is_substring) = (false, false, false);
        let mut pattern = None;
        for argument in arguments {
            let text = argument.text.text.as_str();
            match argument.option.as_str() {
                "" => pattern = Some(&argument.text),
                "value" => {
                    let span = self.source.span(argument.text.place.clone());
                    let name = text.trim_start_matches('$');
                    target = Some(
                        self.compiler
                            .value(name)
                            .map_err(|error| error.at_span(span))?,
                    );
                }
                "type" => kind = text,
                "flags" => match text {
                    "ignore-case" | "icase" => ignores_case = true,
                    "prefix" => is_prefix = true,
                    "substring" => is_substring = true,
                    // They change how syslog-ng works, not what matches.
                    "utf8" | "store-matches" | "disable-jit" | "global" | "newline" => {}
                    _ => return Err(self.no_option(argument)),
                },
                _ => return Err(self.no_option(argument)),
            }
        }
        let Some(pattern) = pattern else {
            return Err(self.error("a text to look for is missing"));
        };
        let span = self.source.span(pattern.place.clone());
        let text = pattern.text.clone();
        let matcher = match (kind, ignores_case) {
            ("pcre" | "posix", _) => Matcher::Expression(expression(&text, ignores_case, span)?),
            ("glob", _) => Matcher::Expression(glob(&text, ignores_case, span)?),
            ("string", true) => {
                let start = if is_substring { "" } else { "\\A" };
                let end = if is_prefix || is_substring { "" } else { "\\z" };
                let pattern = format!("{start}{}{end}", regex::escape(&text));
                Matcher::Expression(expression(&pattern, true, span)?)
            }
            ("string", _) if is_prefix => Matcher::Prefix(text),
            ("string", _) if is_substring => {
                Matcher::Substring(Box::new(memmem::Finder::new(text.as_bytes()).into_owned()))
            }
            ("string", _) => Matcher::Whole(text),
            _ => {
                let error = self.error(format!("there is no type `{kind}`"));
                return Err(error.with_hint("types are pcre, glob and string"));
            }
        };
        Ok(Condition::Match(target, matcher))
    }

    fn no_option(&mut self, argument: &TestArgument) -> TemplateError {
        self.place = argument.text.place.clone();
        let error = self.error(format!(
            "there is no option `{}({})`",
            argument.option, argument.text.text
        ));
        error.with_hint(
            "options are value(NAME), type(pcre|glob|string), flags(ignore-case|prefix|substring)",
        )
    }

    /// Takes the next token.
    fn advance(&mut self) -> Result<(), TemplateError> {
        let text = self.source.text;
        let rest = text.get(self.at..).unwrap_or_default();
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = text.get(start..).unwrap_or_default();
        let (token, len) = match rest.chars().next() {
            None => (Token::End, 0),
            Some('(') => (Token::Open, 1),
            Some(')') => (Token::Close, 1),
            Some(',') => (Token::Comma, 1),
            Some(mark @ ('"' | '\'')) => {
                let quoted = read_quoted(rest, mark, start);
                let Some((quoted, len)) = quoted else {
                    let span = self.source.span(start..start + 1);
                    return Err(TemplateError::new(span, Problem::UnclosedQuote));
                };
                (Token::Quoted(quoted), len)
            }
            Some(_) => {
                let len = word_len(rest);
                let word = Text {
                    text: rest.get(..len).unwrap_or_default().to_owned(),
                    place: start..start + len,
                    start: Some(start),
                };
                (Token::Word(word), len)
            }
        };
        self.at = start + len;
        self.place = start..self.at;
        self.token = token;
        Ok(())
    }
}

/// An argument of a test.
struct TestArgument {
    /// `value` of `value("MESSAGE")`; empty for a plain text.
    option: String,
    text: Text,
}

/// The length of a comparison, or of a word up to a space, a comma, a quotation or a parenthesis that does
/// not belong to a `$(`.
fn word_len(text: &str) -> usize {
    let is_sign = |c: char| "=!<>~".contains(c);
    if text.starts_with(is_sign) {
        return text.find(|c| !is_sign(c)).unwrap_or(text.len());
    }
    let ends = |c: char| c.is_whitespace() || is_sign(c) || "()\"',".contains(c);
    text.find(ends).unwrap_or(text.len()).max(1)
}

/// A quotation; in double quotation marks `\"` and `\\` stand for what is behind the backslash.
fn read_quoted(text: &str, mark: char, at: usize) -> Option<(Text, usize)> {
    let mut inner = String::new();
    let mut is_plain = true;
    let mut characters = text.char_indices().skip(1);
    while let Some((place, c)) = characters.next() {
        if c == mark {
            let len = place + 1;
            let quoted = Text {
                text: inner,
                place: at..at + len,
                start: is_plain.then_some(at + 1),
            };
            return Some((quoted, len));
        }
        if c == '\\' && mark == '"' {
            is_plain = false;
            match characters.next()?.1 {
                c @ ('"' | '\\') => inner.push(c),
                c => inner.extend(['\\', c]),
            }
            continue;
        }
        inner.push(c);
    }
    None
}
