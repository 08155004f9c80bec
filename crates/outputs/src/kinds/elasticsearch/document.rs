//! Records as documents, and the index they go to.

use std::io::Write as _;

use crate::render::{BadTemplate, Rendering, Scene};
use crate::sink::Item;

/// Longest name of an index, in bytes.
const INDEX_BYTES_MAX: usize = 255;

/// What is sent of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// The names of the HTTP API, with the time of the record as `@timestamp` too.
    Json(Rendering),
    /// The names of the Elastic Common Schema.
    Ecs(Rendering),
    /// Whatever a template makes: an object in JSON.
    Template(Rendering),
}

impl Document {
    /// A document by the name of a format.
    pub fn format(name: &str) -> Option<Self> {
        match name {
            "json" => Rendering::format(name).map(Self::Json),
            "ecs" => Rendering::format(name).map(Self::Ecs),
            _ => None,
        }
    }

    /// Appends a document on one line.
    pub(super) fn write(
        &self,
        item: Item<'_>,
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        match self {
            Self::Json(format) => {
                let start = out.len();
                // Writing to memory does not fail.
                _ = write!(out, "{{\"@timestamp\":\"{}\"", item.record.time());
                let brace = out.len();
                format.render(item, scene, out)?;
                if let Some(brace) = out.get_mut(brace) {
                    *brace = b',';
                }
                debug_assert!(out.get(start) == Some(&b'{'));
                Ok(())
            }
            Self::Ecs(format) => format.render(item, scene, out),
            Self::Template(template) => {
                let start = out.len();
                template.render(item, scene, out)?;
                one_line(out.get_mut(start..).unwrap_or_default())
            }
        }
    }
}

/// Sees that a text is an object in JSON. Line ends can only be between its parts, and become spaces.
fn one_line(text: &mut [u8]) -> Result<(), String> {
    let is_object = text.trim_ascii_start().first() == Some(&b'{');
    let read = serde_json::from_slice::<serde::de::IgnoredAny>(text);
    match read {
        Ok(_) if is_object => {}
        Ok(_) => return Err("the template makes no object in JSON".to_owned()),
        Err(error) => return Err(format!("the template makes no JSON: {error}")),
    }
    for byte in text {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Ok(())
}

/// The index, alias or data stream of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexTemplate(Rendering);

impl IndexTemplate {
    /// Reads a template. What it makes of values becomes a name that is possible: in small letters, other
    /// characters as `_`.
    ///
    /// # Errors
    /// When it is no template, or a name that is not possible.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        let template = Rendering::template(text)?;
        let bad = |message: String, hint: String| BadTemplate {
            span: 0..text.len(),
            message,
            hint: Some(hint),
        };
        if let Some(name) = template.constant() {
            let mut possible = Vec::new();
            push_name(name.as_bytes(), &mut possible);
            let possible = String::from_utf8_lossy(&possible);
            if name.is_empty() {
                let hint = "write a name such as \"logs-${YEAR}.${MONTH}.${DAY}\"".to_owned();
                return Err(bad("an index must have a name".to_owned(), hint));
            }
            if *possible != name {
                let hint = format!("write {possible:?}");
                return Err(bad(format!("{name:?} can be no name of an index"), hint));
            }
        }
        Ok(Self(template))
    }

    /// Appends the name. It needs no escapes.
    pub(super) fn write(
        &self,
        item: Item<'_>,
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let mut name = Vec::new();
        self.0.render(item, scene, &mut name)?;
        if name.is_empty() {
            return Err("the name of the index is empty".to_owned());
        }
        push_name(&name, out);
        Ok(())
    }
}

/// Appends a name that an index can have.
fn push_name(made: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for chunk in made.utf8_chunks() {
        for character in chunk.valid().chars() {
            let is_bad = character.is_control()
                || character.is_whitespace()
                || matches!(
                    character,
                    '\\' | '/' | '*' | '?' | '"' | '<' | '>' | '|' | ',' | '#' | ':'
                );
            if is_bad {
                out.push(b'_');
                continue;
            }
            for small in character.to_lowercase() {
                out.extend_from_slice(small.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        if !chunk.invalid().is_empty() {
            out.push(b'_');
        }
    }
    let name = out.get_mut(start..).unwrap_or_default();
    // These cannot be the first, and the first two alone are no names.
    if let [b'.'] | [b'.', b'.'] | [b'-' | b'_' | b'+', ..] = name
        && let Some(first) = name.first_mut()
    {
        *first = b'x';
    }
    if name.len() > INDEX_BYTES_MAX {
        let text = String::from_utf8_lossy(name);
        let room = text.floor_char_boundary(INDEX_BYTES_MAX);
        out.truncate(start + room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_make_names_that_are_possible() {
        for (made, name) in [
            ("logs-web-1", "logs-web-1"),
            ("Logs-WEB", "logs-web"),
            ("a/b c,d", "a_b_c_d"),
            ("_x", "xx"),
            ("-", "x"),
            ("..", "x."),
            (".hidden", ".hidden"),
            ("a\u{0}b", "a_b"),
        ] {
            let mut out = Vec::new();
            push_name(made.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), name, "{made:?}");
        }
        let mut out = Vec::new();
        push_name("\u{f6}".repeat(300).as_bytes(), &mut out);
        assert!(out.len() <= INDEX_BYTES_MAX && str::from_utf8(&out).is_ok());
    }

    #[test]
    fn a_name_that_is_not_possible_is_told_with_one_that_is() {
        assert!(IndexTemplate::parse("logs-${HOST}").is_ok());
        let bad = IndexTemplate::parse("Logs").expect_err("no name");
        assert_eq!(bad.hint.as_deref(), Some("write \"logs\""));
        assert!(IndexTemplate::parse("").is_err());
        assert!(IndexTemplate::parse("logs-${").is_err());
    }

    #[test]
    fn what_a_template_makes_is_an_object_on_one_line() {
        let mut text = b"{\"a\":\n 1}".to_vec();
        assert_eq!(one_line(&mut text), Ok(()));
        assert_eq!(text, b"{\"a\":  1}");
        for wrong in ["[1]", "1", "", "{", "{\"a\":1}{}", "{\"a\":\"\n\"}"] {
            assert!(one_line(&mut wrong.as_bytes().to_vec()).is_err(), "{wrong}");
        }
    }
}
