//! What is written of a record: a format, or a template of the author of the configuration.

use std::ops::Range;

use jiff::tz::TimeZone;
use macros::{Context, Format, Template, View, Zone};
use store::{Clock as _, SystemClock};

use crate::sink::Item;

/// How a record is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendering(Format);

/// What is known when records are written: the time, this host, the zone.
#[derive(Clone, Debug)]
pub struct Scene(Context);

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
    pub const FORMATS: &[&str] = &["raw", "rfc3164", "rfc5424", "json", "ecs", "cef"];

    /// One of the formats that have a name.
    pub fn format(name: &str) -> Option<Self> {
        Format::parse(name).ok().map(Self)
    }

    /// By a template.
    ///
    /// # Errors
    /// When it is none.
    pub fn template(text: &str) -> Result<Self, BadTemplate> {
        let template = Template::compile(text).map_err(|error| BadTemplate {
            span: error.span.clone(),
            message: error.problem.to_string(),
            hint: error.hint,
        })?;
        Ok(Self(Format::Template(template)))
    }

    /// What it writes, where that is the same of every record.
    pub fn constant(&self) -> Option<String> {
        match &self.0 {
            Format::Template(template) if !template.text().contains('$') => {
                Some(template.text().to_owned())
            }
            _ => None,
        }
    }

    /// Appends what it makes of a record.
    ///
    /// # Errors
    /// When that is too long, in words; nothing is appended then.
    pub fn render(&self, item: Item<'_>, scene: &Scene, out: &mut Vec<u8>) -> Result<(), String> {
        // Most often asked for, and needs nothing else.
        if self.0 == Format::Raw {
            out.extend_from_slice(item.record.raw());
            return Ok(());
        }
        let view = View::from(item.record).with_id(item.logspace.as_str(), item.number);
        let rendered = self.0.render(&view, &scene.0, out);
        rendered.map_err(|error| error.to_string())
    }
}

impl Scene {
    /// What is known now. Times are written with the offset that the message states, and in the zone of this
    /// machine where it states none.
    pub fn now() -> Self {
        let host = rustix::system::uname();
        Self(Context {
            now: SystemClock.now(),
            own_host: host.nodename().to_string_lossy().into_owned(),
            zone: Zone::OfMessage(TimeZone::system()),
            ..Context::default()
        })
    }

    /// Sets the time.
    pub fn refresh(&mut self) {
        self.0.now = SystemClock.now();
    }

    /// Counts a record that is written, for `${SEQNUM}`.
    pub fn count(&mut self) {
        self.0.sequence += 1;
    }
}

/// Makes what was appended one line: line ends inside of it become spaces.
pub(crate) fn one_line(out: &mut Vec<u8>, start: usize) {
    if out.len() > start && out.last() == Some(&b'\n') {
        out.pop();
    }
    for byte in out.get_mut(start..).unwrap_or_default() {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    out.push(b'\n');
}
