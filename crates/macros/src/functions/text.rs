//! Functions that change text.

use memchr::memmem;

use super::{Built, Function, each, join, joined, number};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::TemplateError;
use crate::limits::PADDING_BYTES_MAX;
use crate::output::Output;
use crate::template::Template;

/// `$(echo A B)`: its arguments with a space between.
pub(super) fn echo(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b" ", |_, _| {})
}

/// `$(concat A B)`: its arguments with nothing between.
pub(super) fn concat(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b"", |_, _| {})
}

/// `$(lowercase A)`.
pub(super) fn lowercase(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b" ", |start, out| {
        if out.since(start).is_ascii() {
            out.since_mut(start).make_ascii_lowercase();
        } else {
            let changed = change_case(out.since(start), |c, text| text.extend(c.to_lowercase()));
            out.replace(start, &changed);
        }
    })
}

/// `$(uppercase A)`.
pub(super) fn uppercase(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b" ", |start, out| {
        if out.since(start).is_ascii() {
            out.since_mut(start).make_ascii_uppercase();
        } else {
            let changed = change_case(out.since(start), |c, text| text.extend(c.to_uppercase()));
            out.replace(start, &changed);
        }
    })
}

/// Changes what is UTF-8, and leaves other bytes as they are.
fn change_case(text: &[u8], change: fn(char, &mut String)) -> Vec<u8> {
    let mut changed = Vec::with_capacity(text.len());
    let mut piece = String::new();
    for chunk in text.utf8_chunks() {
        piece.clear();
        for c in chunk.valid().chars() {
            change(c, &mut piece);
        }
        changed.extend_from_slice(piece.as_bytes());
        changed.extend_from_slice(chunk.invalid());
    }
    changed
}

/// `$(strip A)`: without white space at both ends.
pub(super) fn strip(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    each(arguments, compiler, b" ", |start, out| {
        let text = out.since(start);
        let front = text.len() - text.trim_ascii_start().len();
        let kept = text.trim_ascii().len();
        out.truncate(start + front + kept);
        out.remove(start, start + front);
    })
}

/// `$(length A)`: bytes.
pub(super) fn length(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    each(arguments, compiler, b" ", |start, out| {
        let len = out.len() - start;
        out.truncate(start);
        out.decimal(len as u64);
    })
}

/// `$(indent-multi-line A)`: a tab in front of each line but the first.
pub(super) fn indent(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b" ", |start, out| {
        let end = out.len();
        let Some(first) = memchr::memchr(b'\n', out.since(start)) else {
            return;
        };
        let mut at = start + first;
        out.repeat(start, at);
        while at < end {
            let rest = out.since(at + 1).get(..end - at - 1).unwrap_or_default();
            let next = memchr::memchr(b'\n', rest).map_or(end, |found| at + 1 + found);
            out.push(b"\n\t");
            out.repeat(at + 1, next);
            at = next;
        }
        out.remove(start, end);
    })
}

/// `$(substr A START [LEN])`: bytes; negative numbers count from the end.
pub(super) fn substr(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(2..=3, "$(substr TEXT START LENGTH)")?;
    let text = arguments.template(compiler)?;
    let start = number(arguments.next().as_ref(), &arguments.span)?;
    let len = match arguments.next() {
        Some(argument) => Some(number(Some(&argument), &arguments.span)?),
        None => None,
    };
    Ok(Box::new(Substring { text, start, len }))
}

#[derive(Debug)]
struct Substring {
    text: Template,
    start: i64,
    len: Option<i64>,
}

impl Function for Substring {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let from = out.len();
        self.text.write(scene, out);
        let whole = i64::try_from(out.len() - from).unwrap_or(0);
        let start = match self.start < 0 {
            true => whole + self.start,
            false => self.start,
        };
        let end = match self.len {
            None => whole,
            Some(len) if len < 0 => whole + len,
            Some(len) => start.saturating_add(len).min(whole),
        };
        let place = |at: i64| usize::try_from(at).ok().map(|at| from + at);
        match (place(start), place(end)) {
            (Some(start), Some(end)) if start < end => {
                out.truncate(end);
                out.remove(from, start);
            }
            _ => out.truncate(from),
        }
    }
}

/// `$(replace FROM TO A)`: every FROM in A becomes TO.
pub(super) fn replace(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    const USAGE: &str = "$(replace FROM TO TEXT)";
    arguments.expect(3..=3, USAGE)?;
    let from = arguments.next().unwrap_or_default();
    if from.text.is_empty() {
        let error = TemplateError::argument(from.span, "nothing cannot be replaced");
        return Err(error.with_hint(format!("write `{USAGE}`")));
    }
    Ok(Box::new(Replace {
        finder: memmem::Finder::new(from.text.as_bytes()).into_owned(),
        to: arguments.template(compiler)?,
        text: arguments.template(compiler)?,
    }))
}

#[derive(Debug)]
struct Replace {
    finder: memmem::Finder<'static>,
    to: Template,
    text: Template,
}

impl Function for Replace {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        self.to.write(scene, out);
        let text = out.len();
        self.text.write(scene, out);
        let end = out.len();
        let mut at = text;
        let stretch = |out: &Output<'_>, at: usize| {
            let rest = out.since(at).get(..end - at)?;
            Some(at + self.finder.find(rest)?)
        };
        while let Some(found) = stretch(out, at) {
            if out.is_full() {
                return;
            }
            out.repeat(at, found);
            out.repeat(start, text);
            at = found + self.finder.needle().len();
        }
        out.repeat(at, end);
        out.remove(start, end);
    }
}

/// `$(replace-delimiter CHARACTERS TO A)`: each of the characters becomes TO.
pub(super) fn replace_delimiter(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(3..=3, "$(replace-delimiter CHARACTERS TO TEXT)")?;
    Ok(Box::new(ReplaceDelimiter {
        delimiters: arguments.template(compiler)?,
        to: arguments.template(compiler)?,
        text: arguments.template(compiler)?,
    }))
}

#[derive(Debug)]
struct ReplaceDelimiter {
    delimiters: Template,
    to: Template,
    text: Template,
}

impl Function for ReplaceDelimiter {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        self.delimiters.write(scene, out);
        let mut is_delimiter = [false; 256];
        for byte in out.since(start) {
            if let Some(flag) = is_delimiter.get_mut(usize::from(*byte)) {
                *flag = true;
            }
        }
        out.truncate(start);
        self.to.write(scene, out);
        let text = out.len();
        self.text.write(scene, out);
        let end = out.len();
        let is_delimiter = |byte: &u8| is_delimiter.get(usize::from(*byte)) == Some(&true);
        let mut at = text;
        while at < end && !out.is_full() {
            let rest = out.since(at).get(..end - at).unwrap_or_default();
            let found = rest.iter().position(is_delimiter);
            let next = found.map_or(end, |found| at + found);
            out.repeat(at, next);
            if found.is_some() {
                out.repeat(start, text);
            }
            at = next + 1;
        }
        out.remove(start, end);
    }
}

/// `$(padding A WIDTH [FILL])`: filled up from the left, with spaces by default.
pub(super) fn padding(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    arguments.expect(2..=3, "$(padding TEXT WIDTH FILL)")?;
    let text = arguments.template(compiler)?;
    let argument = arguments.next();
    let width = number(argument.as_ref(), &arguments.span)?;
    let width = usize::try_from(width)
        .ok()
        .filter(|width| *width <= PADDING_BYTES_MAX);
    let Some(width) = width else {
        let span = argument.map_or_else(|| arguments.span.clone(), |argument| argument.span);
        let what = format!("a width is a number from 0 to {PADDING_BYTES_MAX}");
        return Err(TemplateError::argument(span, what));
    };
    let fill = arguments.template(compiler)?;
    Ok(Box::new(Padding { text, width, fill }))
}

#[derive(Debug)]
struct Padding {
    text: Template,
    width: usize,
    fill: Template,
}

impl Function for Padding {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        self.text.write(scene, out);
        let text_end = out.len();
        let missing = self.width.saturating_sub(text_end - start);
        if missing == 0 {
            return;
        }
        self.fill.write(scene, out);
        if out.len() == text_end {
            out.byte(b' ');
        }
        let fill_end = out.len();
        let fill_len = (fill_end - text_end).max(1);
        for _ in 0..missing / fill_len {
            out.repeat(text_end, fill_end);
        }
        out.repeat(text_end, text_end + missing % fill_len);
        out.repeat(start, text_end);
        out.remove(start, fill_end);
    }
}

/// `$(cut -d DELIMITER -f N A)`: the N-th part of A, counted from 1.
pub(super) fn cut(mut arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    const USAGE: &str = "$(cut -d , -f 2 TEXT)";
    let (mut delimiter, mut field) = (b"\t".to_vec(), None);
    while let Some(option) = arguments.next_option() {
        match option.text.as_str() {
            "-d" => {
                let text = arguments.next().unwrap_or_default();
                delimiter = text.text.into_bytes();
            }
            "-f" => {
                let argument = arguments.next();
                let wanted = number(argument.as_ref(), &arguments.span)?;
                field = usize::try_from(wanted)
                    .ok()
                    .and_then(|wanted| wanted.checked_sub(1));
            }
            _ => {
                let error = TemplateError::argument(option.span, "no such option of `cut`");
                return Err(error.with_hint(format!("write `{USAGE}`")));
            }
        }
    }
    let (Some(field), false) = (field, delimiter.is_empty()) else {
        let error = TemplateError::argument(arguments.span, "the delimiter or the part is missing");
        return Err(error.with_hint(format!("write `{USAGE}`; parts count from 1")));
    };
    Ok(Box::new(Cut {
        finder: memmem::Finder::new(&delimiter).into_owned(),
        field,
        text: arguments.templates(compiler)?,
    }))
}

#[derive(Debug)]
struct Cut {
    finder: memmem::Finder<'static>,
    field: usize,
    text: Box<[Template]>,
}

impl Function for Cut {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        join(&self.text, b" ", scene, out);
        let text = out.since(start);
        let len = self.finder.needle().len();
        let mut from = 0;
        for _ in 0..self.field {
            let found = self.finder.find(text.get(from..).unwrap_or_default());
            let Some(found) = found else {
                out.truncate(start);
                return;
            };
            from += found + len;
        }
        let rest = text.get(from..).unwrap_or_default();
        let to = self
            .finder
            .find(rest)
            .map_or(text.len(), |found| from + found);
        out.truncate(start + to);
        out.remove(start, start + from);
    }
}
