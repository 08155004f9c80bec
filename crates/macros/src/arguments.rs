//! The arguments of a function: words with spaces between, as syslog-ng splits them.
//!
//! Quotation marks keep spaces together and take no escapes. Outside of them a backslash stands for the
//! character behind it. What is in parentheses stays as it is, since it is read once more.

use std::ops::Range;

use crate::compile::{Compiler, Source};
use crate::error::{Problem, TemplateError};
use crate::limits::{ARGUMENTS_MAX, NESTING_MAX};
use crate::template::{Piece, Template};

/// One argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Argument {
    /// Without quotation marks and backslashes.
    pub(crate) text: String,
    /// Where its text starts in the whole template, if it stands there as it is.
    pub(crate) start: Option<usize>,
    /// Where it stands in the whole template.
    pub(crate) span: Range<usize>,
}

/// A function and its arguments, as they stand.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) name_span: Range<usize>,
    pub(crate) arguments: Vec<Argument>,
    /// Behind the closing parenthesis, in the text it was read from.
    pub(crate) end: usize,
}

impl Call {
    /// Reads `$(name arguments)` whose dollar sign stands at a place.
    pub(crate) fn read(source: &Source<'_>, dollar: usize) -> Result<Self, TemplateError> {
        let mut reader = Reader {
            source,
            at: dollar + 2,
            open: dollar..dollar + 2,
        };
        let mut words = Vec::new();
        while let Some(word) = reader.word()? {
            if words.len() > ARGUMENTS_MAX {
                return Err(TemplateError::new(word.span, Problem::TooManyArguments));
            }
            words.push(word);
        }
        let end = reader.at + 1;
        if words.is_empty() {
            let error = TemplateError::new(source.span(dollar..end), Problem::NoName);
            return Err(error.with_hint("write a function such as `$(lowercase $HOST)`"));
        }
        let name = words.remove(0);
        Ok(Self {
            name: name.text,
            name_span: name.span,
            arguments: words,
            end,
        })
    }
}

struct Reader<'s, 't> {
    source: &'s Source<'t>,
    at: usize,
    /// The `$(` it is about.
    open: Range<usize>,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<char> {
        self.source.text.get(self.at..)?.chars().next()
    }

    /// The next word, or `None` at the closing parenthesis.
    fn word(&mut self) -> Result<Option<Argument>, TemplateError> {
        while let Some(c) = self.peek().filter(|c| c.is_ascii_whitespace()) {
            self.at += c.len_utf8();
        }
        if self.peek() == Some(')') {
            return Ok(None);
        }
        let start = self.at;
        let mut word = Word::default();
        loop {
            let Some(c) = self.peek() else {
                let error =
                    TemplateError::new(self.source.span(self.open.clone()), Problem::UnclosedCall);
                return Err(error.with_hint("close the function with `)`"));
            };
            match c {
                ')' => break,
                c if c.is_ascii_whitespace() => break,
                '"' | '\'' => self.quotation(c, &mut word)?,
                '(' => self.parentheses(&mut word)?,
                '\\' => {
                    self.at += 1;
                    if let Some(c) = self.peek() {
                        word.push(c, self.at);
                        self.at += c.len_utf8();
                    }
                }
                c => {
                    word.push(c, self.at);
                    self.at += c.len_utf8();
                }
            }
        }
        let is_whole = word.end - word.start == word.text.len();
        let text_start = if word.text.is_empty() {
            start
        } else {
            word.start
        };
        let place = self.source.start().filter(|_| is_whole);
        Ok(Some(Argument {
            start: place.map(|base| base + text_start),
            text: word.text,
            span: self.source.span(start..self.at),
        }))
    }

    /// What is in quotation marks.
    fn quotation(&mut self, mark: char, word: &mut Word) -> Result<(), TemplateError> {
        let start = self.at;
        self.at += 1;
        while let Some(c) = self.peek() {
            if c == mark {
                self.at += 1;
                return Ok(());
            }
            word.push(c, self.at);
            self.at += c.len_utf8();
        }
        let error = TemplateError::new(self.source.span(start..start + 1), Problem::UnclosedQuote);
        Err(error.with_hint(
            "within quotation marks of one sort use the other sort; a backslash changes nothing there",
        ))
    }

    /// What is in parentheses, as it is: parentheses and quotations in it are only passed over.
    fn parentheses(&mut self, word: &mut Word) -> Result<(), TemplateError> {
        let start = self.at;
        let mut depth = 0_usize;
        let mut quoted = None;
        while let Some(c) = self.peek() {
            word.push(c, self.at);
            self.at += c.len_utf8();
            match (quoted, c) {
                (Some(mark), c) if mark == c => quoted = None,
                (None, '"' | '\'') => quoted = Some(c),
                (None, '\\') => {
                    if let Some(c) = self.peek() {
                        word.push(c, self.at);
                        self.at += c.len_utf8();
                    }
                }
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            // Conditions bring parentheses of their own.
            if depth > 8 * NESTING_MAX {
                return Err(TemplateError::new(
                    self.source.span(start..self.at),
                    Problem::TooDeep,
                ));
            }
        }
        let open = self.source.span(start..start + 1);
        Err(TemplateError::new(open, Problem::UnclosedCall).with_hint("close it with `)`"))
    }
}

/// A word while it is read.
#[derive(Default)]
struct Word {
    text: String,
    /// Where its first character stands, and behind its last.
    start: usize,
    end: usize,
}

impl Word {
    fn push(&mut self, c: char, at: usize) {
        if self.text.is_empty() {
            self.start = at;
        }
        self.text.push(c);
        self.end = at + c.len_utf8();
    }
}

/// The arguments of a function that is being built, taken one by one.
#[derive(Debug)]
pub(crate) struct Arguments {
    left: std::vec::IntoIter<Argument>,
    /// The whole call.
    pub(crate) span: Range<usize>,
}

impl Arguments {
    pub(crate) fn new(arguments: Vec<Argument>, span: Range<usize>) -> Self {
        Self {
            left: arguments.into_iter(),
            span,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.left.len()
    }

    pub(crate) fn next(&mut self) -> Option<Argument> {
        self.left.next()
    }

    pub(crate) fn peek(&self) -> Option<&Argument> {
        self.left.as_slice().first()
    }

    /// The next argument if it is an option: it starts with a dash and a letter.
    pub(crate) fn next_option(&mut self) -> Option<Argument> {
        let text = &self.peek()?.text;
        let name = text.trim_start_matches('-');
        let is_option = text.len() > name.len()
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.len() - name.len() <= 2;
        if is_option { self.next() } else { None }
    }

    /// Fails unless so many arguments are left.
    pub(crate) fn expect(
        &self,
        counts: std::ops::RangeInclusive<usize>,
        usage: &str,
    ) -> Result<(), TemplateError> {
        if counts.contains(&self.len()) {
            return Ok(());
        }
        let what = match self.len() < *counts.start() {
            true => "an argument is missing",
            false => "there are too many arguments",
        };
        let hint = format!("write `{usage}`; quote an argument that has spaces");
        Err(TemplateError::argument(self.span.clone(), what).with_hint(hint))
    }

    /// The next argument as a template; the empty one where there is none.
    pub(crate) fn template(
        &mut self,
        compiler: &mut Compiler<'_>,
    ) -> Result<Template, TemplateError> {
        match self.next() {
            Some(argument) => Template::of_argument(&argument, compiler),
            None => Ok(Template::literal("")),
        }
    }

    /// All that are left, as templates.
    pub(crate) fn templates(
        &mut self,
        compiler: &mut Compiler<'_>,
    ) -> Result<Box<[Template]>, TemplateError> {
        let mut templates = Vec::with_capacity(self.len());
        while let Some(argument) = self.next() {
            templates.push(Template::of_argument(&argument, compiler)?);
        }
        Ok(templates.into())
    }
}

impl Template {
    pub(crate) fn of_argument(
        argument: &Argument,
        compiler: &mut Compiler<'_>,
    ) -> Result<Self, TemplateError> {
        let pieces: Vec<Piece> = compiler.pieces(&Source::of_argument(argument))?;
        Ok(Self::of_pieces(&argument.text, pieces))
    }
}
