//! A compiled template: text, macros, fields and functions, one behind the other.

use std::fmt;
use std::sync::Arc;

use crate::compile::{Compiler, Options, Source};
use crate::context::{Context, Scene};
use crate::error::{OutputTooLong, Problem, TemplateError};
use crate::functions::Function;
use crate::limits::{OUTPUT_BYTES_MAX, TEMPLATE_BYTES_MAX};
use crate::macro_name::Macro;
use crate::output::Output;
use crate::values;
use crate::view::View;

/// A template, compiled once and rendered for each record. Cheap to clone.
#[derive(Clone)]
pub struct Template {
    text: Arc<str>,
    pieces: Arc<[Piece]>,
}

/// A part of a template.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Text as it is.
    Literal(Box<[u8]>),
    /// What a name stands for, or a default where that is empty.
    Value(Value, Box<[u8]>),
    /// The same of a record of the context so many before this one.
    Earlier(usize, Value, Box<[u8]>),
    /// What a function makes.
    Call(Box<dyn Function>),
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A part of the record, or something known when it is written.
    Macro(Macro),
    /// A field, by its name.
    Field(Box<[u8]>),
}

impl Value {
    pub(crate) fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self {
            Self::Macro(name) => values::write(*name, scene, out),
            Self::Field(name) => out.push(scene.view.field(name)),
        }
    }

    fn write_or(&self, default: &[u8], scene: &Scene<'_>, out: &mut Output<'_>) {
        let start = out.len();
        self.write(scene, out);
        if out.len() == start {
            out.push(default);
        }
    }
}

impl Template {
    /// Compiles a template without environment and other templates; see [`Template::compile_with`].
    pub fn compile(text: &str) -> Result<Self, TemplateError> {
        Self::compile_with(text, &Options::default())
    }

    /// Compiles a template: text with `$NAME`, `${NAME}`, `${NAME:-default}` and `$(function arguments)`;
    /// `$$` is a dollar sign. `docs/reference/templates.md` has all names.
    pub fn compile_with(text: &str, options: &Options<'_>) -> Result<Self, TemplateError> {
        if text.len() > TEMPLATE_BYTES_MAX {
            let problem = Problem::TooLong(text.len());
            return Err(TemplateError::new(0..text.len(), problem));
        }
        let pieces = Compiler::new(options).pieces(&Source::whole(text))?;
        Ok(Self::of_pieces(text, pieces))
    }

    /// A template that writes a text as it is, dollar signs too.
    pub fn literal(text: &str) -> Self {
        Self {
            text: text.replace('$', "$$").into(),
            pieces: [Piece::Literal(text.as_bytes().into())].into(),
        }
    }

    pub(crate) fn of_pieces(text: &str, pieces: Vec<Piece>) -> Self {
        Self {
            text: text.into(),
            pieces: pieces.into(),
        }
    }

    /// The template as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it writes the same of every record; `${LOGHOST}` counts as the same, dates do not.
    pub fn is_constant(&self) -> bool {
        let is_constant = |piece: &Piece| match piece {
            Piece::Literal(_) | Piece::Value(Value::Macro(Macro::OwnHost), _) => true,
            Piece::Value(..) | Piece::Earlier(..) | Piece::Call(_) => false,
        };
        self.pieces.iter().all(is_constant)
    }

    /// Appends what it makes of a record. Where that is too long, nothing is appended.
    pub fn render(
        &self,
        view: &View<'_>,
        context: &Context,
        out: &mut Vec<u8>,
    ) -> Result<(), OutputTooLong> {
        bounded(out, |out| self.write(&Scene::new(view, context), out))
    }

    /// Appends what it makes of a record with others before it, the oldest first: `${X}@1` and functions such
    /// as `$(grep)` see those. Where it is too long, nothing is appended.
    pub fn render_behind(
        &self,
        earlier: &[View<'_>],
        view: &View<'_>,
        context: &Context,
        out: &mut Vec<u8>,
    ) -> Result<(), OutputTooLong> {
        let scene = Scene {
            view,
            context,
            earlier,
        };
        bounded(out, |out| self.write(&scene, out))
    }

    pub(crate) fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        for piece in &*self.pieces {
            match piece {
                Piece::Literal(text) => out.push(text),
                Piece::Value(value, default) => value.write_or(default, scene, out),
                Piece::Earlier(count, value, default) => {
                    if let Some(scene) = scene.back(*count) {
                        value.write_or(default, &scene, out);
                    }
                }
                Piece::Call(function) => function.write(scene, out),
            }
        }
    }

    /// What it writes of a record, where that stands somewhere as it is.
    pub(crate) fn slice<'v>(&'v self, view: &View<'v>) -> Option<&'v [u8]> {
        match &*self.pieces {
            [] => Some(b""),
            [Piece::Literal(text)] => Some(text),
            [Piece::Value(Value::Macro(name), default)] if default.is_empty() => {
                values::text(*name, view)
            }
            [Piece::Value(Value::Field(name), default)] if default.is_empty() => {
                Some(view.field(name))
            }
            _ => None,
        }
    }
}

/// Lets something write up to the bound, and takes all of it back where that is passed.
pub(crate) fn bounded(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Output<'_>),
) -> Result<(), OutputTooLong> {
    let start = out.len();
    let mut output = Output::new(out);
    write(&mut output);
    if output.is_full() {
        out.truncate(start);
        return Err(OutputTooLong {
            bytes_max: OUTPUT_BYTES_MAX,
        });
    }
    Ok(())
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.text).finish()
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Template {}

#[cfg(test)]
mod tests;
