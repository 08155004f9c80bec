//! The functions of templates: a table of names, each with what builds it from its arguments.

mod choice;
mod digests;
mod encodings;
mod lists;
mod numbers;
mod sanitize;
mod surroundings;
mod text;

use std::fmt::Debug;
use std::ops::Range;

use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::error::{Problem, TemplateError};
use crate::nearest::nearest;
use crate::output::Output;
use crate::pairs;
use crate::template::Template;

pub(crate) use lists::{each_element, write_element};

/// A call of a function, ready to be written for each record.
pub(crate) trait Function: Debug + Send + Sync {
    /// Appends what it makes.
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>);
}

/// What is built of the arguments of a call.
pub(crate) type Built = Result<Box<dyn Function>, TemplateError>;

type Build = fn(Arguments, &mut Compiler<'_>) -> Built;

/// Every function.
const FUNCTIONS: [(&str, Build); 67] = [
    ("%", numbers::remainder),
    ("*", numbers::multiply),
    ("+", numbers::add),
    ("-", numbers::subtract),
    ("/", numbers::divide),
    ("average", numbers::average),
    ("base64-decode", encodings::base64_decode),
    ("base64-encode", encodings::base64_encode),
    ("ceil", numbers::ceil),
    ("context-length", choice::context_length),
    ("context-lookup", choice::context_lookup),
    ("context-values", choice::context_values),
    ("cut", text::cut),
    ("echo", text::echo),
    ("env", surroundings::environment),
    ("explode", lists::explode),
    ("floor", numbers::floor),
    ("format-cef-extension", pairs::cef_extension),
    ("format-flat-json", pairs::flat_json),
    ("format-json", pairs::json),
    ("format-welf", pairs::welf),
    ("grep", choice::grep),
    ("hash", digests::sha256),
    ("if", choice::choose),
    ("implode", lists::implode),
    ("indent-multi-line", text::indent),
    ("ipv4-to-int", encodings::ipv4_to_int),
    ("length", text::length),
    ("list-append", lists::append),
    ("list-concat", lists::concat),
    ("list-count", lists::count),
    ("list-head", lists::head),
    ("list-nth", lists::nth),
    ("list-search", lists::search),
    ("list-slice", lists::slice),
    ("list-tail", lists::tail),
    ("lowercase", text::lowercase),
    ("max", numbers::max),
    ("md5", digests::md5),
    ("min", numbers::min),
    ("names", pairs::names),
    ("or", choice::or),
    ("padding", text::padding),
    ("replace", text::replace),
    ("replace-delimiter", text::replace_delimiter),
    ("round", numbers::round),
    ("sanitize", sanitize::sanitize),
    ("sha1", digests::sha1),
    ("sha256", digests::sha256),
    ("sha384", digests::sha384),
    ("sha512", digests::sha512),
    ("strip", text::strip),
    ("substr", text::substr),
    ("sum", numbers::sum),
    ("template", surroundings::template),
    ("uppercase", text::uppercase),
    ("url-decode", encodings::url_decode),
    ("url-encode", encodings::url_encode),
    ("values", pairs::values),
    // Other names for the same, of other programs.
    ("lower", text::lowercase),
    ("upper", text::uppercase),
    ("trim", text::strip),
    ("len", text::length),
    ("coalesce", choice::or),
    ("urlencode", encodings::url_encode),
    ("urldecode", encodings::url_decode),
    ("concat", text::concat),
];

/// Functions of syslog-ng that there are not, and what to do.
const UNSUPPORTED: [(&str, &str); 16] = [
    (
        "dns-resolve-ip",
        "names of senders are looked up by the source: `use_dns`",
    ),
    ("filter", LISTS),
    ("for-each", LISTS),
    (
        "format-date",
        "write the date of its parts: `$YEAR-$MONTH-$DAY`",
    ),
    (
        "format-gelf",
        "write the members: `$(format-json version=1.1 host=$HOST short_message=$MSG)`",
    ),
    ("format-snare", NO_FORMAT),
    ("geoip", "a step of a route adds places to a record"),
    ("geoip2", "a step of a route adds places to a record"),
    ("graphite-output", NO_FORMAT),
    ("iterate", "`$SEQNUM` counts what is written"),
    ("map", LISTS),
    ("md4", "the digest is broken: write `$(sha256 ...)`"),
    ("python", "Python runs in a step of a route"),
    ("stardate", "write `$UNIXTIME`"),
    (
        "uuid",
        "`$ID` names a record for ever, and is the same when it is sent again",
    ),
    ("vp-transform", "write `$(format-json --rekey ...)`"),
];

const LISTS: &str = "functions for lists are `$(list-...)`, `$(explode)` and `$(implode)`";
const NO_FORMAT: &str = "write `$(format-json)`, `$(format-welf)` or `$(format-cef-extension)`";

/// Builds a call.
pub(crate) fn build(
    name: &str,
    span: &Range<usize>,
    arguments: Arguments,
    compiler: &mut Compiler<'_>,
) -> Built {
    // syslog-ng takes names with underscores too.
    let name = name.replace('_', "-");
    let found = FUNCTIONS.iter().find(|(known, _)| *known == name);
    if let Some((_, build)) = found {
        return build(arguments, compiler);
    }
    if let Some((_, hint)) = UNSUPPORTED.iter().find(|(known, _)| *known == name) {
        let problem = Problem::UnsupportedFunction(name);
        return Err(TemplateError::new(span.clone(), problem).with_hint(*hint));
    }
    let hint = match nearest(&name, FUNCTIONS.iter().map(|(known, _)| *known)) {
        Some(near) => format!("did you mean `$({near} ...)`?"),
        None => "for a dollar sign write `$$`".to_owned(),
    };
    Err(TemplateError::new(span.clone(), Problem::UnknownFunction(name)).with_hint(hint))
}

/// Changes what was made from a place on.
type Change = fn(usize, &mut Output<'_>);

/// A function that changes its arguments, each by itself or all joined.
#[derive(Debug)]
struct Changed {
    parts: Box<[Template]>,
    between: &'static [u8],
    is_each: bool,
    change: Change,
}

impl Function for Changed {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let whole = out.len();
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                out.push(self.between);
            }
            let start = out.len();
            part.write(scene, out);
            if self.is_each {
                (self.change)(start, out);
            }
        }
        if !self.is_each {
            (self.change)(whole, out);
        }
    }
}

/// A function that changes each of its arguments; they are joined with a text between.
fn each(
    mut arguments: Arguments,
    compiler: &mut Compiler<'_>,
    between: &'static [u8],
    change: Change,
) -> Built {
    Ok(Box::new(Changed {
        parts: arguments.templates(compiler)?,
        between,
        is_each: true,
        change,
    }))
}

/// A function that joins its arguments with a text between and changes all of that.
fn joined(
    mut arguments: Arguments,
    compiler: &mut Compiler<'_>,
    between: &'static [u8],
    change: Change,
) -> Built {
    Ok(Box::new(Changed {
        parts: arguments.templates(compiler)?,
        between,
        is_each: false,
        change,
    }))
}

/// Writes templates with a text between.
fn join(parts: &[Template], between: &[u8], scene: &Scene<'_>, out: &mut Output<'_>) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push(between);
        }
        part.write(scene, out);
    }
}

/// The number that an argument is.
fn number(
    argument: Option<&crate::arguments::Argument>,
    span: &Range<usize>,
) -> Result<i64, TemplateError> {
    let Some(argument) = argument else {
        return Err(TemplateError::argument(span.clone(), "a number is missing"));
    };
    argument.text.trim().parse().map_err(|_| {
        let what = format!("`{}` is no whole number", argument.text);
        TemplateError::argument(argument.span.clone(), what)
    })
}

#[cfg(test)]
mod tests;
