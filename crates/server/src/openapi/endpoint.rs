//! What is said of an endpoint.

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// A method of a path.
pub(super) struct Endpoint {
    /// The method in lower case.
    pub(super) method: &'static str,
    /// The path, with `{name}` for what varies.
    pub(super) path: &'static str,
    /// The name that generated clients give it.
    pub(super) name: &'static str,
    /// Endpoints of a group belong together.
    pub(super) group: &'static str,
    /// What it does, in a sentence.
    pub(super) about: &'static str,
    /// What it is asked with.
    pub(super) parameters: &'static [Parameter],
    /// What is sent to it.
    pub(super) body: Option<Body>,
    /// What it answers where nothing is wrong.
    pub(super) answers: &'static [Answer],
    /// The codes of the problems that it answers with otherwise.
    pub(super) problems: &'static [&'static str],
}

/// A parameter of a URL.
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: &'static str,
    /// What it means.
    pub(super) about: &'static str,
    /// Where it stands.
    pub(super) place: Place,
    /// What its values are.
    pub(super) kind: Kind,
}

/// Where a parameter stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// In the path.
    Path,
    /// Behind the path, if at all.
    Query,
    /// Behind the path, always.
    QueryAlways,
}

/// What the values of a parameter are.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Any text.
    Text,
    /// A number from 0.
    Offset,
    /// A number from 1.
    Number {
        /// The number where none is given.
        default: usize,
        /// The greatest that is taken.
        max: usize,
    },
    /// A number from 1 to this; nothing where none is given.
    Upto(usize),
    /// `true` or `false`.
    Flag,
    /// One of these, the first of them where none is given.
    Choice(&'static [&'static str]),
}

/// The body of a request.
pub(super) struct Body {
    /// What it is.
    pub(super) about: &'static str,
    /// In which forms it is taken.
    pub(super) shapes: &'static [Shape],
}

/// A form of an answer.
pub(super) struct Answer {
    /// The HTTP status.
    pub(super) status: u16,
    /// What it is.
    pub(super) about: &'static str,
    /// Its form.
    pub(super) shape: Shape,
}

/// The form of a body.
pub(super) enum Shape {
    /// One JSON value.
    Json(fn(&mut SchemaGenerator) -> Schema),
    /// A JSON value in each line.
    Lines(fn(&mut SchemaGenerator) -> Schema),
    /// Text of a media type.
    Text(&'static str),
    /// Any bytes.
    Bytes,
    /// No body.
    Nothing,
}

/// The schema of a type.
pub(super) fn of<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Schema {
    schemas.subschema_for::<T>()
}

impl Parameter {
    /// A parameter that may be left out.
    pub(super) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            about,
            place: Place::Query,
            kind,
        }
    }

    /// A parameter of the path.
    pub(super) const fn in_path(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            place: Place::Path,
            kind: Kind::Text,
        }
    }
}

impl Answer {
    /// What is answered where all is well.
    pub(super) const fn ok(shape: Shape, about: &'static str) -> Self {
        Self {
            status: 200,
            about,
            shape,
        }
    }
}
