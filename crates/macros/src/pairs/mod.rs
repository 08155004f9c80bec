//! Names with values, as `$(format-json)` and its like write them: chosen by scope, by patterns and one by
//! one, renamed, and sorted by name.
//!
//! What is known of a template is chosen, renamed and sorted when it is compiled. For a record only its
//! fields are left to do.

mod select;
mod tree;

use model::FieldRef;
use smallvec::SmallVec;

use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::context::Scene;
use crate::functions::{Built, Function, write_element};
use crate::json::{self, Invalid};
use crate::output::Output;
use crate::pairs::select::Selection;
use crate::template::Template;
use crate::view::View;

/// What a value becomes in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Whole,
    Fraction,
    Boolean,
    List,
    /// A JSON value as it is.
    Literal,
}

/// A pair that is known when a template is compiled.
#[derive(Debug)]
struct Member {
    name: Box<[u8]>,
    value: Template,
    kind: Kind,
    /// Whether it is written without a value too.
    keeps_empty: bool,
}

/// A pair of a record: a field, its name made and lying in the output for a while.
#[derive(Clone, Copy)]
struct Found<'a> {
    name: (usize, usize),
    value: &'a [u8],
}

/// A pair as it is written.
#[derive(Clone, Copy)]
enum Pair<'p> {
    Known(&'p Member),
    Found(Found<'p>),
}

impl<'p> Pair<'p> {
    fn name<'n>(&self, out: &'n Output<'_>) -> &'n [u8]
    where
        'p: 'n,
    {
        match self {
            Self::Known(member) => &member.name,
            Self::Found(found) => name_of(found, out),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Known(member) => member.kind,
            Self::Found(_) => Kind::Text,
        }
    }

    /// Whether it is written without a value too: a field is there, whatever it says.
    fn keeps_empty(&self, omits_empty: bool) -> bool {
        match self {
            Self::Known(member) => member.keeps_empty,
            Self::Found(_) => !omits_empty,
        }
    }

    /// The value, where it stands somewhere as it is.
    fn slice(&self, view: &View<'p>) -> Option<&'p [u8]> {
        match self {
            Self::Known(member) => member.value.slice(view),
            Self::Found(found) => Some(found.value),
        }
    }

    fn write_value(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self {
            Self::Known(member) => member.value.write(scene, out),
            Self::Found(found) => out.push(found.value),
        }
    }
}

fn name_of<'n>(found: &Found<'_>, out: &'n Output<'_>) -> &'n [u8] {
    let (start, end) = found.name;
    out.since(start).get(..end - start).unwrap_or_default()
}

/// How pairs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    FlatJson,
    Welf,
    CefExtension,
    Names,
    Values,
}

pub(crate) fn json(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::Json, arguments, compiler)
}

pub(crate) fn flat_json(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::FlatJson, arguments, compiler)
}

pub(crate) fn welf(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::Welf, arguments, compiler)
}

pub(crate) fn cef_extension(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::CefExtension, arguments, compiler)
}

pub(crate) fn names(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::Names, arguments, compiler)
}

pub(crate) fn values(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    build(Form::Values, arguments, compiler)
}

fn build(form: Form, arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    let selection = Selection::compile(arguments, compiler)?;
    Ok(Box::new(Pairs { form, selection }))
}

#[derive(Debug)]
struct Pairs {
    form: Form,
    selection: Selection,
}

impl Function for Pairs {
    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        let found = self.selection.find(scene.view, out);
        let end = out.len();
        match self.form {
            Form::Json => {
                out.byte(b'{');
                let mut tree = tree::Tree::default();
                self.each(&found, scene, out, |pair, out| {
                    tree.member(pair, scene, self.selection.keeps_first_dot, out);
                });
                tree.close(out);
            }
            Form::FlatJson => {
                out.byte(b'{');
                let mut is_first = true;
                self.each(&found, scene, out, |pair, out| {
                    let comma: &[u8] = if is_first { b"" } else { b"," };
                    is_first = false;
                    out.push(comma);
                    write_copied(pair, out, |name, out| {
                        let rest = name
                            .strip_prefix(b".")
                            .filter(|_| !self.selection.keeps_first_dot);
                        out.byte(b'"');
                        out.push(if rest.is_some() { b"_" } else { b"" });
                        json::content(rest.unwrap_or(name), Invalid::Escape, out);
                        out.byte(b'"');
                    });
                    out.byte(b':');
                    write_json_value(pair, scene, out);
                });
                out.byte(b'}');
            }
            Form::Welf | Form::CefExtension | Form::Names | Form::Values => {
                let mut is_first = true;
                self.each(&found, scene, out, |pair, out| {
                    let lists = matches!(self.form, Form::Names | Form::Values);
                    let between: &[u8] = if lists { b"," } else { b" " };
                    out.push(if is_first { b"" } else { between });
                    is_first = false;
                    self.write_flat(pair, scene, out);
                });
            }
        }
        out.remove(start, end);
    }
}

impl Pairs {
    /// Calls `write` with each pair that is to be written, in the order of their names.
    fn each(
        &self,
        found: &[Found<'_>],
        scene: &Scene<'_>,
        out: &mut Output<'_>,
        mut write: impl FnMut(Pair<'_>, &mut Output<'_>),
    ) {
        let mut known = self.selection.members.iter().peekable();
        let mut found = found.iter().peekable();
        loop {
            let order = match (known.peek(), found.peek()) {
                (None, None) => return,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(member), Some(field)) => tree::order(&member.name, name_of(field, out)),
            };
            // Of two with the same name, that of the template is meant.
            if order.is_eq() {
                found.next();
            }
            let pair = match order.is_gt() {
                true => found.next().map(|field| Pair::Found(*field)),
                false => known.next().map(Pair::Known),
            };
            let Some(pair) = pair else {
                return;
            };
            if pair.keeps_empty(self.selection.omits_empty) || has_value(pair, scene, out) {
                write(pair, out);
            }
            if out.is_full() {
                return;
            }
        }
    }

    fn write_flat(&self, pair: Pair<'_>, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self.form {
            Form::Names => {
                write_copied(pair, out, write_element);
                return;
            }
            Form::Values => {
                let start = out.len();
                pair.write_value(scene, out);
                let value: SmallVec<[u8; 512]> = SmallVec::from_slice(out.since(start));
                out.truncate(start);
                write_element(&value, out);
                return;
            }
            _ => {}
        }
        write_copied(pair, out, |name, out| {
            for byte in name {
                let is_fit = byte.is_ascii_graphic() && *byte != b'=' || *byte >= 0x80;
                out.byte(if is_fit { *byte } else { b'_' });
            }
        });
        out.byte(b'=');
        let start = out.len();
        pair.write_value(scene, out);
        match self.form {
            Form::CefExtension => crate::formats::escape_cef_extension(start, out),
            _ => quote_welf(start, out),
        }
    }
}

/// Writes something of the name of a pair, which may lie in the output itself.
fn write_copied(pair: Pair<'_>, out: &mut Output<'_>, write: impl FnOnce(&[u8], &mut Output<'_>)) {
    match pair {
        Pair::Known(member) => write(&member.name, out),
        Pair::Found(found) => {
            let name: SmallVec<[u8; 64]> = SmallVec::from_slice(name_of(&found, out));
            write(&name, out);
        }
    }
}

fn has_value(pair: Pair<'_>, scene: &Scene<'_>, out: &mut Output<'_>) -> bool {
    if let Some(text) = pair.slice(scene.view) {
        return !text.is_empty();
    }
    let start = out.len();
    pair.write_value(scene, out);
    let is_there = out.len() > start;
    out.truncate(start);
    is_there
}

/// Writes a value of its kind. One that is not of that kind becomes a string.
fn write_json_value(pair: Pair<'_>, scene: &Scene<'_>, out: &mut Output<'_>) {
    let direct = pair.slice(scene.view);
    if let (Some(text), Kind::Text) = (direct, pair.kind()) {
        json::string(text, Invalid::Escape, out);
        return;
    }
    let start = out.len();
    pair.write_value(scene, out);
    let text: SmallVec<[u8; 512]> = SmallVec::from_slice(out.since(start));
    out.truncate(start);
    let is_written = match pair.kind() {
        Kind::Text => false,
        Kind::Whole => json::number(&text, true, out),
        Kind::Fraction => json::number(&text, false, out),
        Kind::Boolean => {
            let word = match text.as_slice() {
                b"true" | b"TRUE" | b"True" | b"yes" | b"1" | b"on" => Some("true"),
                b"false" | b"FALSE" | b"False" | b"no" | b"0" | b"off" => Some("false"),
                _ => None,
            };
            out.push(word.unwrap_or_default().as_bytes());
            word.is_some()
        }
        Kind::List => {
            out.byte(b'[');
            let mut is_first = true;
            crate::functions::each_element(&text, |element| {
                let comma: &[u8] = if is_first { b"" } else { b"," };
                is_first = false;
                out.push(comma);
                json::string(element, Invalid::Escape, out);
                true
            });
            out.byte(b']');
            true
        }
        Kind::Literal => {
            let is_value = json::is_value(&text);
            if is_value {
                out.push(&text);
            }
            is_value
        }
    };
    if !is_written {
        json::string(&text, Invalid::Escape, out);
    }
}

/// Escapes a value, and puts it in quotation marks where it has a space.
fn quote_welf(start: usize, out: &mut Output<'_>) {
    let is_odd = |byte: &u8| matches!(byte, 0..=b' ' | b'\\' | 0x7f..);
    if !out.since(start).iter().any(is_odd) {
        return;
    }
    let text = out.since(start).to_vec();
    let is_quoted = text.contains(&b' ');
    let mark: &[u8] = if is_quoted { b"\"" } else { b"" };
    out.replace(start, mark);
    for chunk in text.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            match byte {
                b'"' if is_quoted => out.push(b"\\\""),
                b'\\' => out.push(b"\\\\"),
                b'\n' => out.push(b"\\n"),
                b'\r' => out.push(b"\\r"),
                b'\t' => out.push(b"\\t"),
                0..b' ' => write_hex(byte, out),
                _ => out.byte(byte),
            }
        }
        for byte in chunk.invalid() {
            write_hex(*byte, out);
        }
    }
    out.push(mark);
}

fn write_hex(byte: u8, out: &mut Output<'_>) {
    let [high, low] = [byte >> 4, byte & 15].map(crate::values::hex_digit);
    out.push(&[b'\\', b'x', high, low]);
}

/// The name of a field as patterns see it: `.SDATA.group.name`, or its name alone.
fn write_full_name(field: &FieldRef<'_>, out: &mut Output<'_>) {
    if !field.group.is_empty() {
        out.push(b".SDATA.");
        out.push(field.group);
        out.byte(b'.');
    }
    out.push(field.name);
}
