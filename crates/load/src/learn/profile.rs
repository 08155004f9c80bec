//! What was learned of a log, and the file that keeps it.
//!
//! The file is JSON and is described in `docs/reference/profile.md`. It holds templates with their
//! frequencies; a template is fixed text and slots, a slot says how its values are distributed.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

use crate::learn::error::Error;
use crate::learn::limits::{
    LINE_BYTES_MAX, PARTS_MAX, PROFILE_BYTES_MAX, SLOTS_MAX, SUCCESSORS_MAX, TEMPLATES_MAX,
    VALUES_MAX,
};
use crate::learn::stamp::StampFormat;

/// The version of the file that this program writes, and the only one it reads.
pub const PROFILE_VERSION: u32 = 1;

/// The built-in profile: learned from the made-up company of [`crate::demo`].
const BUILTIN: &str = include_str!("builtin.json");

/// What was learned of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub(crate) version: u32,
    /// Lines learned from.
    pub(crate) lines: u64,
    pub(crate) templates: Vec<Template>,
}

/// A kind of message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Template {
    /// How many lines were of this kind.
    pub(crate) count: u64,
    /// The program; empty where lines named none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) program: String,
    /// Whether the process id was there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_pid: bool,
    /// The MSGID of RFC 5424.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) msgid: String,
    /// Facility and severity as one number.
    pub(crate) priority: u8,
    /// Whether the text begins with structured data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_data: bool,
    /// The message, structured data included.
    pub(crate) parts: Vec<Part>,
    /// The templates that followed this one, and how often.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) next: Vec<(u32, u64)>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Part {
    /// The same in each message.
    Text(String),
    /// Different from message to message.
    Slot(Slot),
}

/// How the values of a place are distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Slot {
    /// One of these, as often as its count; in so many of 1000 messages the same as before.
    Values {
        values: Vec<(String, u64)>,
        repeat: u16,
    },
    /// A number, as often between each two points; zeros in front up to the width.
    Number {
        points: Vec<u64>,
        width: u8,
        recent: u16,
    },
    /// A number that only grows.
    Counter { start: u64, step: u64, width: u8 },
    /// New hexadecimal digits, so many as often as the count says.
    Hex {
        digits: Vec<(u8, u64)>,
        is_upper: bool,
        recent: u16,
    },
    /// New letters and digits, such as base64, so many as often as the count says.
    Code { digits: Vec<(u8, u64)>, recent: u16 },
    /// A new UUID.
    Uuid { recent: u16 },
    /// A new address in one of these networks, given by their first two bytes.
    Address {
        networks: Vec<(u8, u8, u64)>,
        recent: u16,
    },
    /// The time of the message.
    Stamp { format: String },
    /// The same text as in that slot of the message, counted from 0.
    Same { slot: u8 },
}

impl Profile {
    /// The profile that is used where none is given.
    pub fn builtin() -> Result<Self, Error> {
        Self::read(BUILTIN.as_bytes())
    }

    /// Reads a profile and checks it.
    pub fn read(reader: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let mut limited = reader.take(PROFILE_BYTES_MAX + 1);
        limited.read_to_end(&mut bytes).map_err(Error::Read)?;
        if bytes.len() as u64 > PROFILE_BYTES_MAX {
            let bytes_max = PROFILE_BYTES_MAX;
            return Err(Error::TooLarge { bytes_max });
        }
        let profile: Self = serde_json::from_slice(&bytes).map_err(Error::NotAProfile)?;
        profile.check()?;
        Ok(profile)
    }

    /// Writes the profile, a template a line.
    pub fn write(&self, mut writer: impl Write) -> Result<(), Error> {
        let mut text = Vec::new();
        let head = format!(
            "{{\"version\":{},\"lines\":{},\"templates\":[\n",
            self.version, self.lines
        );
        text.extend_from_slice(head.as_bytes());
        for (place, template) in self.templates.iter().enumerate() {
            if place > 0 {
                text.extend_from_slice(b",\n");
            }
            serde_json::to_writer(&mut text, template).map_err(Error::NotAProfile)?;
        }
        text.extend_from_slice(b"\n]}\n");
        writer.write_all(&text).map_err(Error::Write)?;
        writer.flush().map_err(Error::Write)
    }

    /// How many lines it was learned from.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many kinds of messages it knows.
    pub fn templates(&self) -> usize {
        self.templates.len()
    }

    fn check(&self) -> Result<(), Error> {
        if self.version != PROFILE_VERSION {
            return Err(Error::Version {
                found: self.version,
                known: PROFILE_VERSION,
            });
        }
        if self.templates.is_empty() {
            return Err(Error::Empty);
        }
        let too_many = self.templates.len() > TEMPLATES_MAX;
        for (place, template) in self.templates.iter().enumerate() {
            let fault = match too_many {
                true => Some("there are more templates than a profile may hold"),
                false => fault(template, self.templates.len()),
            };
            if let Some(reason) = fault {
                return Err(Error::Template {
                    template: place,
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// What is wrong with a template among so many.
fn fault(template: &Template, templates: usize) -> Option<&'static str> {
    if template.parts.is_empty() || template.parts.len() > PARTS_MAX {
        return Some("it has no parts or too many");
    }
    if model::Priority::from_number(template.priority).is_none() {
        return Some("the priority is above 191");
    }
    let is_header = |text: &str| text.len() <= 255 && text.bytes().all(|b| b.is_ascii_graphic());
    if !is_header(&template.program) || !is_header(&template.msgid) {
        return Some("the program or the msgid is no word of a header");
    }
    let mut follow = template.next.iter();
    if template.next.len() > SUCCESSORS_MAX
        || follow.any(|(next, _)| usize::try_from(*next).is_ok_and(|next| next >= templates))
    {
        return Some("its next templates are too many or unknown");
    }
    let mut slots = 0;
    for part in &template.parts {
        match part {
            Part::Text(text) if !is_line(text) => return Some("its text is no part of a line"),
            Part::Text(_) => {}
            Part::Slot(slot) => {
                if let Some(reason) = slot_fault(slot, slots) {
                    return Some(reason);
                }
                slots += 1;
            }
        }
    }
    (slots > SLOTS_MAX).then_some("it has too many slots")
}

/// What is wrong with a slot behind so many others.
fn slot_fault(slot: &Slot, place: usize) -> Option<&'static str> {
    let is_sound = match slot {
        Slot::Values { values, .. } => {
            !values.is_empty()
                && values.len() <= VALUES_MAX
                && values.iter().all(|(value, _)| is_line(value))
        }
        Slot::Number { points, width, .. } => {
            points.len() >= 2 && points.len() <= VALUES_MAX && points.is_sorted() && *width <= 20
        }
        Slot::Counter { width, .. } => *width <= 20,
        Slot::Hex { digits, .. } | Slot::Code { digits, .. } => {
            !digits.is_empty() && digits.len() <= VALUES_MAX && digits.iter().all(|(n, _)| *n > 0)
        }
        Slot::Uuid { .. } => true,
        Slot::Address { networks, .. } => !networks.is_empty() && networks.len() <= VALUES_MAX,
        Slot::Stamp { format } => is_line(format) && StampFormat::parse(format).is_some(),
        Slot::Same { slot } => usize::from(*slot) < place,
    };
    (!is_sound).then_some("a slot has no values, too many, or none that can be written")
}

fn is_line(text: &str) -> bool {
    text.len() <= LINE_BYTES_MAX && !text.contains(['\n', '\r', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(template: &str) -> Result<Profile, Error> {
        let text = format!("{{\"version\":1,\"lines\":1,\"templates\":[{template}]}}");
        Profile::read(text.as_bytes())
    }

    #[test]
    fn what_is_written_is_read_back() {
        let builtin = Profile::builtin().expect("sound");
        let mut text = Vec::new();
        builtin.write(&mut text).expect("memory");
        assert_eq!(Profile::read(text.as_slice()).expect("sound"), builtin);
    }

    #[test]
    fn a_profile_that_cannot_be_used_is_refused() {
        let sound = r#"{"count":1,"priority":13,"parts":["a ",{"kind":"uuid","recent":0}]}"#;
        assert_eq!(profile(sound).expect("sound").templates(), 1);
        for (template, why) in [
            (r#"{"count":1,"priority":200,"parts":["a"]}"#, "priority"),
            (r#"{"count":1,"priority":1,"parts":[]}"#, "no parts"),
            (r#"{"count":1,"priority":1,"parts":["a\nb"]}"#, "line"),
            (
                r#"{"count":1,"priority":1,"parts":["a"],"next":[[7,1]]}"#,
                "next",
            ),
            (
                r#"{"count":1,"priority":1,"parts":[{"kind":"same","slot":0}]}"#,
                "slot",
            ),
            (
                r#"{"count":1,"priority":1,"parts":[{"kind":"stamp","format":"%Q"}]}"#,
                "slot",
            ),
            (
                r#"{"count":1,"priority":1,"program":"a b","parts":["a"]}"#,
                "program",
            ),
            ("{}", "profile"),
        ] {
            let error = profile(template).expect_err(template).to_string();
            assert!(error.contains(why), "{error}");
        }
        let newer = Profile::read(&br#"{"version":2,"lines":1,"templates":[]}"#[..]);
        assert!(matches!(newer, Err(Error::Version { found: 2, .. })));
    }
}
