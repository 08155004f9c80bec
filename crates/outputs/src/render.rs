//! What is written of a record: as it arrived, or by a template.

use std::ops::Range;

use crate::sink::Item;

/// How a record is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Raw,
    Template(Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Host,
    Program,
    Message,
    Raw,
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTemplate {
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Rendering {
    /// The formats that have a name.
    pub const FORMATS: &[&str] = &["raw"];

    /// One of the formats that have a name.
    pub fn format(name: &str) -> Option<Self> {
        (name == "raw").then_some(Self(Form::Raw))
    }

    /// By a template.
    ///
    /// # Errors
    /// When it is none.
    pub fn template(text: &str) -> Result<Self, BadTemplate> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, name) = rest.split_at(at);
            pieces.push(Piece::Text(before.to_owned()));
            let start = text.len() - name.len();
            let bad = |message: &str| BadTemplate {
                span: start..text.len(),
                message: message.to_owned(),
                hint: None,
            };
            let (name, behind) = name
                .strip_prefix("${")
                .and_then(|name| name.split_once('}'))
                .ok_or_else(|| bad("this `${` has no `}`"))?;
            pieces.push(match name {
                "HOST" => Piece::Host,
                "PROGRAM" => Piece::Program,
                "MSG" | "MESSAGE" => Piece::Message,
                "RAWMSG" => Piece::Raw,
                _ => return Err(bad("there is no such macro")),
            });
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(Form::Template(pieces)))
    }

    /// Whether it writes the same of every record.
    pub fn constant(&self) -> Option<String> {
        match &self.0 {
            Form::Template(pieces) => match pieces.as_slice() {
                [Piece::Text(text)] => Some(text.clone()),
                _ => None,
            },
            Form::Raw => None,
        }
    }

    /// Appends what it makes of a record.
    ///
    /// # Errors
    /// When that is too long; nothing is appended then.
    pub fn render(&self, item: Item<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        let record = item.record;
        match &self.0 {
            Form::Raw => out.extend_from_slice(record.raw()),
            Form::Template(pieces) => {
                for piece in pieces {
                    out.extend_from_slice(match piece {
                        Piece::Text(text) => text.as_bytes(),
                        Piece::Host => record.host(),
                        Piece::Program => record.program(),
                        Piece::Message => record.message(),
                        Piece::Raw => record.raw(),
                    });
                }
            }
        }
        Ok(())
    }
}
