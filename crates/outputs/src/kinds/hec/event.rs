//! Records as Splunk's events.

use std::io::Write as _;

use macros::{View, append_json_fields, append_json_string};

use crate::render::{Rendering, Scene};
use crate::sink::Item;

/// What is sent of a record.
#[derive(Clone, Debug)]
pub struct Event {
    /// The event.
    pub text: Rendering,
    /// Whether that is JSON, and sent as such and not as a text.
    pub is_json: bool,
    /// What Splunk is told of it.
    pub metadata: Metadata,
    /// The time of the event in seconds since 1970; where it is none, and where there is no number, the time of the
    /// record.
    pub time: Option<Rendering>,
    /// Indexed fields by their names.
    pub fields: Vec<(String, Rendering)>,
    /// Whether all fields of the record are indexed fields too.
    pub has_all_fields: bool,
}

/// What Splunk is told of an event. What is empty is left out.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// The host.
    pub host: Option<Rendering>,
    /// The source.
    pub source: Option<Rendering>,
    /// The type of the source.
    pub sourcetype: Option<Rendering>,
    /// The index.
    pub index: Option<Rendering>,
}

impl Metadata {
    fn members(&self) -> [(&'static str, &Option<Rendering>); 4] {
        [
            ("host", &self.host),
            ("source", &self.source),
            ("sourcetype", &self.sourcetype),
            ("index", &self.index),
        ]
    }

    /// The query of a request for lines: what is the same for all of them.
    pub(super) fn query(&self) -> String {
        let mut query = String::new();
        for (name, rendering) in self.members() {
            let value = rendering.as_ref().and_then(Rendering::constant);
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                continue;
            };
            query.push(if query.is_empty() { '?' } else { '&' });
            query += name;
            query.push('=');
            for byte in value.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                        query.push(char::from(byte));
                    }
                    other => query += &format!("%{other:02X}"),
                }
            }
        }
        query
    }

    /// Whether the index is the same for all.
    pub(super) fn has_one_index(&self) -> bool {
        let constant = |index: &Rendering| index.constant().is_some();
        self.index.as_ref().is_none_or(constant)
    }
}

impl Event {
    /// An event of a text alone, from its host.
    pub fn new(text: Rendering) -> Self {
        Self {
            text,
            is_json: false,
            metadata: Metadata::default(),
            time: None,
            fields: Vec::new(),
            has_all_fields: false,
        }
    }

    /// Appends the event in JSON, on a line of its own.
    pub(super) fn write_json(
        &self,
        item: Item<'_>,
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let mut scratch = Vec::new();
        out.push(b'{');
        self.write_time(item, scene, &mut scratch, out);
        for (name, rendering) in self.metadata.members() {
            if let Some(rendering) = rendering {
                let name = [",\"", name, "\":"];
                member(&name, rendering, (item, scene), &mut scratch, out)?;
            }
        }
        out.extend_from_slice(b",\"event\":");
        scratch.clear();
        if self.is_json {
            self.text.render(item, scene, out)?;
        } else {
            self.text.render(item, scene, &mut scratch)?;
            append_json_string(&scratch, out).map_err(|error| error.to_string())?;
        }
        self.write_fields(item, scene, &mut scratch, out)?;
        out.extend_from_slice(b"}\n");
        Ok(())
    }

    /// Appends the event as a line.
    pub(super) fn write_line(
        &self,
        item: Item<'_>,
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        self.text.render(item, scene, out)?;
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
        Ok(())
    }

    fn write_time(&self, item: Item<'_>, scene: &Scene, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"time\":");
        scratch.clear();
        if let Some(time) = &self.time
            && time.render(item, scene, scratch).is_ok()
            && is_number(scratch)
        {
            out.extend_from_slice(scratch);
            return;
        }
        push_seconds(item.record.time().nanos(), out);
    }

    fn write_fields(
        &self,
        item: Item<'_>,
        scene: &Scene,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let begun = out.len();
        for (name, rendering) in &self.fields {
            let start = if out.len() == begun {
                ",\"fields\":{"
            } else {
                ","
            };
            scratch.clear();
            rendering.render(item, scene, scratch)?;
            if scratch.is_empty() {
                continue;
            }
            out.extend_from_slice(start.as_bytes());
            append_json_string(name.as_bytes(), out).map_err(|error| error.to_string())?;
            out.push(b':');
            append_json_string(scratch, out).map_err(|error| error.to_string())?;
        }
        let made = out.len();
        if self.has_all_fields {
            let start = if made == begun { ",\"fields\":{" } else { "," };
            let view = View::from(item.record);
            append_json_fields(start.as_bytes(), &view, out).map_err(|error| error.to_string())?;
        }
        if made > begun && out.len() == made {
            out.push(b'}');
        }
        Ok(())
    }
}

/// Appends a member, where there is a value for it.
fn member(
    name: &[&str],
    rendering: &Rendering,
    (item, scene): (Item<'_>, &Scene),
    scratch: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    scratch.clear();
    rendering.render(item, scene, scratch)?;
    if !scratch.is_empty() {
        name.iter()
            .for_each(|part| out.extend_from_slice(part.as_bytes()));
        append_json_string(scratch, out).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Whether a text is a number of seconds, with a fraction or not, as Splunk takes it.
fn is_number(text: &[u8]) -> bool {
    let (whole, fraction) = match text.iter().position(|byte| *byte == b'.') {
        Some(at) => (text.get(..at), text.get(at + 1..)),
        None => (Some(text), Some(&b"0"[..])),
    };
    let is_digits = |part: Option<&[u8]>| {
        part.is_some_and(|part| {
            (1..=20).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
        })
    };
    is_digits(whole) && is_digits(fraction)
}

/// Appends seconds since 1970 with microseconds. Splunk takes no time before that.
fn push_seconds(nanos: i64, out: &mut Vec<u8>) {
    let micros = nanos.max(0) / 1_000;
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    // Writing to memory does not fail.
    _ = write!(out, "{seconds}.{fraction:06}");
}
