//! Lists: elements with commas between, in quotation marks where they have commas, spaces or quotation
//! marks themselves, as syslog-ng writes them.

use regex::bytes::Regex;

use super::{Built, Function, number};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::condition::{expression, glob};
use crate::context::Scene;
use crate::error::TemplateError;
use crate::output::Output;
use crate::template::Template;

/// Calls `visit` with each element of a list, without quotation marks, until it returns false. What is
/// empty without quotation marks is no element.
pub(crate) fn each_element(list: &[u8], mut visit: impl FnMut(&[u8]) -> bool) {
    let mut rest = list;
    let mut element = Vec::new();
    while !rest.is_empty() {
        let plain = rest.iter().position(|byte| b",\"'\\".contains(byte));
        let (is_plain, len) = match plain {
            None => (true, rest.len()),
            Some(at) => (rest.get(at) == Some(&b','), at),
        };
        let taken = if is_plain {
            let text = rest.get(..len).unwrap_or_default();
            if !text.is_empty() && !visit(text) {
                return;
            }
            len
        } else {
            element.clear();
            let len = read_quoted(rest, &mut element);
            if !visit(&element) {
                return;
            }
            len
        };
        rest = rest.get(taken + 1..).unwrap_or_default();
    }
}

/// Reads an element with quotation marks up to its comma; its length as it stands.
fn read_quoted(text: &[u8], element: &mut Vec<u8>) -> usize {
    let mut quoted = None;
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        at += 1;
        match (quoted, byte) {
            (None, b',') => return at - 1,
            (None, b'"' | b'\'') => quoted = Some(byte),
            (None, b' ') if element.is_empty() => {}
            (Some(mark), byte) if mark == byte => quoted = None,
            (Some(_), b'\\') => {
                element.extend(text.get(at));
                at += 1;
            }
            (_, byte) => element.push(byte),
        }
    }
    text.len()
}

/// Appends an element, quoted where it has to be.
pub(crate) fn write_element(element: &[u8], out: &mut Output<'_>) {
    let needs = |byte: &u8| *byte <= b' ' || b",\"'\\".contains(byte) || *byte == 0x7f;
    if !element.is_empty() && !element.iter().any(needs) {
        out.push(element);
        return;
    }
    let mark = if element.contains(&b'"') && !element.contains(&b'\'') {
        b'\''
    } else {
        b'"'
    };
    out.byte(mark);
    for byte in element {
        match byte {
            b'\n' => out.push(b"\\n"),
            b'\r' => out.push(b"\\r"),
            b'\t' => out.push(b"\\t"),
            byte if *byte == mark || *byte == b'\\' => out.push(&[b'\\', *byte]),
            byte => out.byte(*byte),
        }
    }
    out.byte(mark);
}

/// A list while it is written.
struct Writer {
    is_first: bool,
}

impl Writer {
    fn new() -> Self {
        Self { is_first: true }
    }

    fn element(&mut self, element: &[u8], out: &mut Output<'_>) {
        if !self.is_first {
            out.byte(b',');
        }
        self.is_first = false;
        write_element(element, out);
    }
}

/// What a function for lists makes of the elements.
#[derive(Clone, Debug)]
enum Task {
    /// All lists one behind the other.
    Concat,
    /// A list, and the other arguments as elements behind it.
    Append,
    Count,
    /// One element, from the end if negative, as it is.
    Nth(i64),
    /// Elements from one place on, up to another.
    Slice(i64, i64),
    /// The place of the first element that is found, from a place on.
    Search(Wanted, usize),
    /// Elements with a text between.
    Implode,
    /// What stands between separators, as elements.
    Explode,
}

/// What a search looks for.
#[derive(Clone, Debug)]
enum Wanted {
    Literal(Vec<u8>),
    Prefix(Vec<u8>),
    Substring(Vec<u8>),
    Expression(Regex),
}

impl Wanted {
    fn is(&self, element: &[u8]) -> bool {
        match self {
            Self::Literal(wanted) => element == wanted,
            Self::Prefix(wanted) => element.starts_with(wanted),
            Self::Substring(wanted) => memchr::memmem::find(element, wanted).is_some(),
            Self::Expression(wanted) => wanted.is_match(element),
        }
    }
}

#[derive(Debug)]
struct Lists {
    task: Task,
    /// The separator of `implode` and `explode`.
    separator: Option<Template>,
    parts: Box<[Template]>,
}

fn build(task: Task, mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    Ok(Box::new(Lists {
        task,
        separator: None,
        parts: arguments.templates(compiler)?,
    }))
}

/// `$(list-concat LIST LIST)`.
pub(super) fn concat(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Task::Concat, arguments, compiler)
}

/// `$(list-append LIST ELEMENT)`.
pub(super) fn append(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Task::Append, arguments, compiler)
}

/// `$(list-count LIST)`.
pub(super) fn count(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Task::Count, arguments, compiler)
}

/// `$(list-head LIST)`.
pub(super) fn head(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Task::Nth(0), arguments, compiler)
}

/// `$(list-tail LIST)`.
pub(super) fn tail(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Task::Slice(1, i64::MAX), arguments, compiler)
}

/// `$(list-nth N LIST)`.
pub(super) fn nth(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let index = number(arguments.next().as_ref(), &arguments.span)?;
    build(Task::Nth(index), arguments, compiler)
}

/// `$(list-slice FROM:TO LIST)`.
pub(super) fn slice(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let range = arguments.next().unwrap_or_default();
    let (from, to) = range.text.split_once(':').unwrap_or((&range.text, ""));
    let read = |text: &str, default: i64| match text {
        "" => Ok(default),
        text => text.parse().map_err(|_| {
            let what = format!("`{}` is no range", range.text);
            TemplateError::argument(range.span.clone(), what)
                .with_hint("write `1:3`, `1:` or `:-1`")
        }),
    };
    let task = Task::Slice(read(from, 0)?, read(to, i64::MAX)?);
    build(task, arguments, compiler)
}

/// `$(list-search [--mode MODE] [--start-index N] PATTERN LIST)`.
pub(super) fn search(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let (mut mode, mut start) = ("literal".to_owned(), 0);
    while let Some(option) = arguments.next_option() {
        let value = arguments.next();
        match option.text.as_str() {
            "--mode" => mode = value.unwrap_or_default().text,
            "--start-index" => {
                let index = number(value.as_ref(), &arguments.span)?;
                start = usize::try_from(index).unwrap_or(0);
            }
            _ => {
                let error = TemplateError::argument(option.span, "no such option of `list-search`");
                return Err(error.with_hint("options are --mode MODE and --start-index N"));
            }
        }
    }
    arguments.expect(2..=usize::MAX, "$(list-search --mode glob PATTERN LIST)")?;
    let pattern = arguments.next().unwrap_or_default();
    let text = pattern.text.clone().into_bytes();
    let wanted = match mode.as_str() {
        "literal" => Wanted::Literal(text),
        "prefix" => Wanted::Prefix(text),
        "substring" => Wanted::Substring(text),
        "glob" => Wanted::Expression(glob(&pattern.text, false, pattern.span)?),
        "pcre" => Wanted::Expression(expression(&pattern.text, false, pattern.span)?),
        _ => {
            let error =
                TemplateError::argument(arguments.span, format!("there is no mode `{mode}`"));
            return Err(error.with_hint("modes are literal, prefix, substring, glob and pcre"));
        }
    };
    build(Task::Search(wanted, start), arguments, compiler)
}

/// `$(implode SEPARATOR LIST)`.
pub(super) fn implode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    separated(
        Task::Implode,
        "$(implode SEPARATOR LIST)",
        arguments,
        compiler,
    )
}

/// `$(explode SEPARATOR TEXT)`.
pub(super) fn explode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    separated(
        Task::Explode,
        "$(explode SEPARATOR TEXT)",
        arguments,
        compiler,
    )
}

fn separated(
    task: Task,
    usage: &str,
    mut arguments: Arguments,
    compiler: &mut Compiler<'_>,
) -> Built {
    arguments.expect(2..=usize::MAX, usage)?;
    Ok(Box::new(Lists {
        task,
        separator: Some(arguments.template(compiler)?),
        parts: arguments.templates(compiler)?,
    }))
}

impl Function for Lists {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        let mut writer = Writer::new();
        if let (Task::Append, Some((list, elements))) = (&self.task, self.parts.split_first()) {
            let list = made(list, scene, out);
            each_element(&list, |element| {
                writer.element(element, out);
                true
            });
            for element in elements {
                let element = made(element, scene, out);
                writer.element(&element, out);
            }
            return;
        }
        let separator = self.separator.as_ref().map(|text| made(text, scene, out));
        let separator = separator.unwrap_or_default();
        if matches!(self.task, Task::Explode) {
            for part in &self.parts {
                let text = made(part, scene, out);
                explode_text(&text, &separator, &mut writer, out);
            }
            return;
        }
        let mut list = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                list.push(b',');
            }
            list.extend(made(part, scene, out));
        }
        debug_assert_eq!(out.len(), start);
        self.task.write(&list, &separator, out);
    }
}

/// What a template makes, taken back from the output. Lists allocate: they are rare.
fn made(template: &Template, scene: &Scene<'_>, out: &mut Output<'_>) -> Vec<u8> {
    let start = out.len();
    template.write(scene, out);
    let made = out.since(start).to_vec();
    out.truncate(start);
    made
}

impl Task {
    fn write(&self, list: &[u8], separator: &[u8], out: &mut Output<'_>) {
        let mut writer = Writer::new();
        match self {
            Self::Concat | Self::Append | Self::Explode => each_element(list, |element| {
                writer.element(element, out);
                true
            }),
            Self::Count => out.decimal(count_of(list) as u64),
            Self::Nth(index) => {
                let wanted = from_end(*index, count_of(list));
                each_at(list, |at, element| {
                    if Some(at) == wanted {
                        out.push(element);
                    }
                    Some(at) != wanted
                });
            }
            Self::Slice(from, to) => {
                let count = count_of(list);
                let from = from_end(*from, count).unwrap_or(0);
                let to = from_end(*to, count).unwrap_or(0);
                each_at(list, |at, element| {
                    if (from..to).contains(&at) {
                        writer.element(element, out);
                    }
                    at < to
                });
            }
            Self::Search(wanted, start) => each_at(list, |at, element| {
                let is_found = at >= *start && wanted.is(element);
                if is_found {
                    out.decimal(at as u64);
                }
                !is_found
            }),
            Self::Implode => each_at(list, |at, element| {
                if at > 0 {
                    out.push(separator);
                }
                out.push(element);
                true
            }),
        }
    }
}

fn explode_text(text: &[u8], separator: &[u8], writer: &mut Writer, out: &mut Output<'_>) {
    if text.is_empty() {
        return;
    }
    let mut rest = text;
    while let Some(found) = memchr::memmem::find(rest, separator).filter(|_| !separator.is_empty())
    {
        writer.element(rest.get(..found).unwrap_or_default(), out);
        rest = rest.get(found + separator.len()..).unwrap_or_default();
    }
    writer.element(rest, out);
}

fn each_at(list: &[u8], mut visit: impl FnMut(usize, &[u8]) -> bool) {
    let mut at = 0;
    each_element(list, |element| {
        at += 1;
        visit(at - 1, element)
    });
}

fn count_of(list: &[u8]) -> usize {
    let mut count = 0;
    each_element(list, |_| {
        count += 1;
        true
    });
    count
}

/// A place, counted from the end if negative; `None` in front of the first.
fn from_end(index: i64, count: usize) -> Option<usize> {
    match index {
        0.. => Some(usize::try_from(index).unwrap_or(usize::MAX)),
        _ => count.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}
