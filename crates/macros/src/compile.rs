//! Reads a template. Names and functions are looked up here, so that nothing of that is left to do for
//! a record.

use std::fmt;
use std::ops::Range;

use crate::arguments::{Argument, Arguments, Call};
use crate::error::{Problem, TemplateError};
use crate::functions;
use crate::limits::NESTING_MAX;
use crate::macro_name;
use crate::template::{Piece, Template, Value};

/// The value of a variable of the environment, by its name.
pub type Environment<'o> = &'o dyn Fn(&str) -> Option<String>;

/// What templates may use beside the record; nothing by default.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// What `$(env NAME)` reads; without it, `$(env)` is an error.
    pub environment: Option<Environment<'o>>,
    /// The templates that `$(template NAME)` finds.
    pub templates: &'o [(String, Template)],
    /// Whether it is a template of a pattern database: `${X}@1` names another record of the context, and
    /// names that look like those of macros, spelt wrong, are those of fields.
    pub is_of_database: bool,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("environment", &self.environment.is_some())
            .field("templates", &self.templates)
            .finish()
    }
}

/// A text that is compiled, and where it stands in the whole template.
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    /// Where its first byte stands, if all of it stands there as it is.
    start: Option<usize>,
    /// Where it stands, with quotation marks.
    span: Range<usize>,
}

impl<'t> Source<'t> {
    pub(crate) fn whole(text: &'t str) -> Self {
        Self {
            text,
            start: Some(0),
            span: 0..text.len(),
        }
    }

    pub(crate) fn of_argument(argument: &'t Argument) -> Self {
        Self {
            text: &argument.text,
            start: argument.start,
            span: argument.span.clone(),
        }
    }

    /// The place in the whole template of a stretch of this text.
    pub(crate) fn span(&self, part: Range<usize>) -> Range<usize> {
        match self.start {
            Some(start) => start + part.start..start + part.end,
            None => self.span.clone(),
        }
    }

    /// Where the text starts, if it stands there as it is.
    pub(crate) fn start(&self) -> Option<usize> {
        self.start
    }

    fn error(&self, part: Range<usize>, problem: Problem) -> TemplateError {
        TemplateError::new(self.span(part), problem)
    }
}

/// Compiles templates that stand inside each other.
pub(crate) struct Compiler<'o> {
    options: &'o Options<'o>,
    depth: usize,
}

impl<'o> Compiler<'o> {
    pub(crate) fn new(options: &'o Options<'o>) -> Self {
        Self { options, depth: 0 }
    }

    pub(crate) fn options(&self) -> &'o Options<'o> {
        self.options
    }

    /// The pieces of a template.
    pub(crate) fn pieces(&mut self, source: &Source<'_>) -> Result<Vec<Piece>, TemplateError> {
        let text = source.text;
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')) {
            let dollar = at + found;
            literal += text.get(at..dollar).unwrap_or_default();
            let rest = text.get(dollar + 1..).unwrap_or_default();
            let next = rest.bytes().next();
            let (piece, end) = match next {
                Some(b'{') => self.braced(source, dollar)?,
                Some(b'(') => self.call(source, dollar)?,
                Some(byte) if is_name_byte(byte) => self.bare(source, dollar)?,
                _ => {
                    literal.push('$');
                    at = dollar + 1 + usize::from(next == Some(b'$'));
                    continue;
                }
            };
            push_literal(&mut literal, &mut pieces);
            pieces.push(piece);
            at = end;
        }
        literal += text.get(at..).unwrap_or_default();
        push_literal(&mut literal, &mut pieces);
        Ok(pieces)
    }

    /// `$(function arguments)`.
    fn call(
        &mut self,
        source: &Source<'_>,
        dollar: usize,
    ) -> Result<(Piece, usize), TemplateError> {
        let call = Call::read(source, dollar)?;
        let span = source.span(dollar..call.end);
        if self.depth == NESTING_MAX {
            return Err(TemplateError::new(span, Problem::TooDeep));
        }
        self.depth += 1;
        let arguments = Arguments::new(call.arguments, span);
        let built = functions::build(&call.name, &call.name_span, arguments, self);
        self.depth -= 1;
        Ok((Piece::Call(built?), call.end))
    }

    /// `$NAME`.
    fn bare(
        &mut self,
        source: &Source<'_>,
        dollar: usize,
    ) -> Result<(Piece, usize), TemplateError> {
        let rest = source.text.get(dollar + 1..).unwrap_or_default();
        let len = rest.bytes().take_while(|byte| is_name_byte(*byte)).count();
        let name = rest.get(..len).unwrap_or_default();
        let end = dollar + 1 + len;
        let value = self.value(name);
        let value = value.map_err(|error| error.at(source, dollar..end))?;
        self.behind_name(source, dollar, end, value, "")
    }

    /// `${NAME}` and `${NAME:-default}`.
    fn braced(
        &mut self,
        source: &Source<'_>,
        dollar: usize,
    ) -> Result<(Piece, usize), TemplateError> {
        let inner = source.text.get(dollar + 2..).unwrap_or_default();
        let Some(len) = inner.find('}') else {
            let error = source.error(dollar..dollar + 2, Problem::UnclosedName);
            return Err(error.with_hint("close the name with `}`, or write `$$` for a dollar sign"));
        };
        let inner = inner.get(..len).unwrap_or_default();
        let end = dollar + 3 + len;
        let (name, default) = inner.split_once(":-").unwrap_or((inner, ""));
        if name.is_empty() {
            let error = source.error(dollar..end, Problem::NoName);
            return Err(error.with_hint("write `${HOST}`, or `$$` for a dollar sign"));
        }
        let place = dollar + 2..dollar + 2 + name.len();
        let value = self.value(name);
        let value = value.map_err(|error| error.at(source, place))?;
        self.behind_name(source, dollar, end, value, default)
    }

    /// What a name stands for.
    pub(crate) fn value(&self, name: &str) -> Result<Value, NameError> {
        if !self.options.is_of_database {
            return value(name);
        }
        Ok(match macro_name::find(name) {
            Some(found) => Value::Macro(found),
            None if name == "CONTEXT_ID" => Value::Field((*b".classifier.context_id").into()),
            None => Value::Field(name.as_bytes().into()),
        })
    }

    /// The piece of a name, and where the template goes on: `@1` behind it is another record of a context,
    /// `@@` is an at sign, as syslog-ng has it.
    fn behind_name(
        &self,
        source: &Source<'_>,
        dollar: usize,
        end: usize,
        value: Value,
        default: &str,
    ) -> Result<(Piece, usize), TemplateError> {
        let default = default.as_bytes().into();
        let rest = source.text.get(end..).unwrap_or_default();
        let Some(rest) = rest.strip_prefix('@') else {
            return Ok((Piece::Value(value, default), end));
        };
        if rest.starts_with('@') {
            // The second one is the text that follows.
            return Ok((Piece::Value(value, default), end + 1));
        }
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        if len == 0 {
            return Ok((Piece::Value(value, default), end));
        }
        if !self.options.is_of_database {
            let error = source.error(dollar..end + 2, Problem::OtherMessage);
            return Err(error.with_hint("for an at sign in front of a digit write `@@`"));
        }
        let count = rest.get(..len).and_then(|count| count.parse().ok());
        // More than fit in a number are more than there are.
        let count = count.unwrap_or(usize::MAX);
        Ok((Piece::Earlier(count, value, default), end + 1 + len))
    }
}

fn push_literal(literal: &mut String, pieces: &mut Vec<Piece>) {
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal.as_bytes().into()));
        literal.clear();
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What is wrong with a name, before it is known where it stands.
pub(crate) struct NameError {
    problem: Problem,
    hint: String,
}

impl NameError {
    pub(crate) fn at(self, source: &Source<'_>, part: Range<usize>) -> TemplateError {
        source.error(part, self.problem).with_hint(self.hint)
    }

    pub(crate) fn at_span(self, span: Range<usize>) -> TemplateError {
        TemplateError::new(span, self.problem).with_hint(self.hint)
    }
}

/// What a name stands for. Every name may be that of a field, so only those are refused that are likely
/// meant as macros.
pub(crate) fn value(name: &str) -> Result<Value, NameError> {
    if let Some(found) = macro_name::find(name) {
        return Ok(Value::Macro(found));
    }
    if let Some(hint) = macro_name::unsupported(name) {
        return Err(NameError {
            problem: Problem::UnsupportedMacro(name.to_owned()),
            hint: format!("{hint}. For a field of that name write `${{.SDATA.{name}}}`"),
        });
    }
    if let Some(near) = macro_name::near(name) {
        return Err(NameError {
            problem: Problem::UnknownMacro(name.to_owned()),
            hint: format!(
                "did you mean `{near}`? For a field of that name write `${{.SDATA.{name}}}`"
            ),
        });
    }
    Ok(Value::Field(name.as_bytes().into()))
}
