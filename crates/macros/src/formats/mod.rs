//! Formats: whole lines and documents of a record, without a template.

mod cef;
mod document;
mod line;

use crate::context::{Context, Scene};
use crate::error::OutputTooLong;
use crate::nearest::nearest;
use crate::output::Output;
use crate::template::{Template, bounded};
use crate::view::View;

pub(crate) use cef::escape_extension as escape_cef_extension;
pub(crate) use document::fields as write_fields;

/// How a record is written: one of the known formats, or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// The message as it arrived.
    Raw,
    /// `<PRI>Mmm dd hh:mm:ss HOST TAG: MSG`.
    Rfc3164,
    /// `<PRI>1 TIMESTAMP HOST APP-NAME PROCID MSGID SD MSG`.
    Rfc5424,
    /// A JSON object with the names of the HTTP API.
    Json,
    /// A JSON object with the names of the Elastic Common Schema.
    Ecs,
    /// A line of ArcSight's Common Event Format.
    Cef,
    /// Whatever a template says.
    Template(Template),
}

const FORMATS: [(&str, Format); 6] = [
    ("raw", Format::Raw),
    ("rfc3164", Format::Rfc3164),
    ("rfc5424", Format::Rfc5424),
    ("json", Format::Json),
    ("ecs", Format::Ecs),
    ("cef", Format::Cef),
];

/// A name of no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{name}`; {hint}")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
    /// What to write instead.
    pub hint: String,
}

impl Format {
    /// A format by its name.
    pub fn parse(name: &str) -> Result<Self, UnknownFormat> {
        let found = FORMATS.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, format)| format.clone())
            .ok_or_else(|| UnknownFormat {
                name: name.to_owned(),
                hint: match nearest(name, Self::names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!(
                        "formats are {}",
                        Self::names().collect::<Vec<_>>().join(", ")
                    ),
                },
            })
    }

    /// The names of the formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|(name, _)| *name)
    }

    /// Appends a record, without a line end. Where it is too long, nothing is appended.
    pub fn render(
        &self,
        view: &View<'_>,
        context: &Context,
        out: &mut Vec<u8>,
    ) -> Result<(), OutputTooLong> {
        let scene = Scene::new(view, context);
        bounded(out, |out| self.write(&scene, out))
    }

    fn write(&self, scene: &Scene<'_>, out: &mut Output<'_>) {
        match self {
            Self::Raw => out.push(scene.view.raw),
            Self::Rfc3164 => line::rfc3164(scene, out),
            Self::Rfc5424 => line::rfc5424(scene, out),
            Self::Json => document::json(scene, out),
            Self::Ecs => document::ecs(scene, out),
            Self::Cef => cef::write(scene, out),
            Self::Template(template) => template.write(scene, out),
        }
    }
}

#[cfg(test)]
mod tests;
