//! A message of its own: what contexts keep, and what actions make.

use std::net::IpAddr;

use macros::View;
use model::{Field, Priority, Span, Timestamp};

use crate::limits::TAGS_MAX;

/// A message with its values and tags, all in one piece of memory.
#[derive(Clone, Debug)]
pub struct Message {
    /// When it happened.
    pub time: Timestamp,
    /// When it was received.
    pub received: Timestamp,
    /// Facility and severity.
    pub priority: Priority,
    /// Address of the sender.
    pub peer: Option<IpAddr>,
    bytes: Vec<u8>,
    host: Span,
    program: Span,
    pid: Span,
    msgid: Span,
    message: Span,
    fields: Vec<Field>,
    tags: Vec<Box<str>>,
}

impl Message {
    /// A message of that time and nothing else.
    pub fn new(time: Timestamp) -> Self {
        Self {
            time,
            received: time,
            priority: Priority::DEFAULT,
            peer: None,
            bytes: Vec::new(),
            host: Span::default(),
            program: Span::default(),
            pid: Span::default(),
            msgid: Span::default(),
            message: Span::default(),
            fields: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// What a record has, but for its bytes as they arrived.
    pub fn of_view(view: &View<'_>) -> Self {
        let mut message = Self {
            received: view.received,
            priority: view.priority,
            peer: view.peer,
            ..Self::new(view.time)
        };
        message.host = message.push(view.host);
        message.program = message.push(view.program);
        message.pid = message.push(view.pid);
        message.msgid = message.push(view.msgid);
        message.message = message.push(view.message);
        for field in view.fields() {
            let field = Field {
                group: message.push(field.group),
                name: message.push(field.name),
                value: message.push(field.value),
            };
            message.fields.push(field);
        }
        for tag in view.tags() {
            message.add_tag(tag);
        }
        message
    }

    /// It as templates see it.
    pub fn view(&self) -> View<'_> {
        let tags = match self.tags.len() {
            TAGS_MAX.. => u64::MAX,
            count => (1 << count) - 1,
        };
        View {
            raw: &[],
            time: self.time,
            received: self.received,
            priority: self.priority,
            host: self.host.of(&self.bytes),
            program: self.program.of(&self.bytes),
            pid: self.pid.of(&self.bytes),
            msgid: self.msgid.of(&self.bytes),
            structured_data: &[],
            message: self.message.of(&self.bytes),
            peer: self.peer,
            source: "",
            logspace: "",
            number: None,
            bytes: &self.bytes,
            field_spans: &self.fields,
            tag_names: &self.tags,
            tags,
        }
    }

    /// Sets a value. `HOST`, `PROGRAM`, `PID`, `MSGID`, `MESSAGE` and `MSG` are its parts, all else are fields.
    pub fn set(&mut self, name: &str, value: &[u8]) {
        let value = self.push(value);
        if let Some(part) = self.part(name) {
            *part = value;
            return;
        }
        let bytes = &self.bytes;
        let is_named =
            |field: &&mut Field| field.group.is_empty() && field.name.of(bytes) == name.as_bytes();
        match self.fields.iter_mut().find(is_named) {
            Some(field) => field.value = value,
            None => {
                let field = Field {
                    group: Span::default(),
                    name: self.push(name.as_bytes()),
                    value,
                };
                self.fields.push(field);
            }
        }
    }

    /// The value of that name; empty where there is none.
    pub fn get(&self, name: &str) -> &[u8] {
        let view = self.view();
        match name {
            "HOST" => view.host,
            "PROGRAM" => view.program,
            "PID" => view.pid,
            "MSGID" => view.msgid,
            "MESSAGE" | "MSG" => view.message,
            _ => view.field(name.as_bytes()),
        }
    }

    /// Adds a tag, where it has not got it and there is room.
    pub fn add_tag(&mut self, tag: &str) {
        let has = self.tags.iter().any(|known| &**known == tag);
        if !has && self.tags.len() < TAGS_MAX {
            self.tags.push(tag.into());
        }
    }

    /// Its tags, in the order in which they came.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|tag| &**tag)
    }

    /// Sets each value of another message that this one has none of.
    pub(crate) fn merge(&mut self, other: &Self) {
        for name in ["HOST", "PROGRAM", "PID", "MSGID", "MESSAGE"] {
            let value = other.get(name);
            if !value.is_empty() && self.get(name).is_empty() {
                self.set(name, value);
            }
        }
        for field in other.view().fields() {
            let has = self
                .view()
                .fields()
                .any(|own| own.group == field.group && own.name == field.name);
            if !has {
                let field = Field {
                    group: self.push(field.group),
                    name: self.push(field.name),
                    value: self.push(field.value),
                };
                self.fields.push(field);
            }
        }
    }

    /// The memory it takes, roughly.
    pub(crate) fn size(&self) -> usize {
        let tags: usize = self
            .tags
            .iter()
            .map(|tag| tag.len() + size_of::<Box<str>>())
            .sum();
        size_of::<Self>() + self.bytes.len() + self.fields.len() * size_of::<Field>() + tags
    }

    fn part(&mut self, name: &str) -> Option<&mut Span> {
        Some(match name {
            "HOST" => &mut self.host,
            "PROGRAM" => &mut self.program,
            "PID" => &mut self.pid,
            "MSGID" => &mut self.msgid,
            "MESSAGE" | "MSG" => &mut self.message,
            _ => return None,
        })
    }

    fn push(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span::new(start, self.bytes.len())
    }
}
