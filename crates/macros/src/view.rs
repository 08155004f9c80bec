//! What a template reads of a record: slices, borrowed from wherever the record is.

use std::net::IpAddr;

use model::{Field, FieldRef, Priority, RecordNumber, RecordParts, RecordRef, Timestamp};

use crate::zone::stated_offset;

/// A record as templates see it. It is made of a stored record, or of what a parser made of a message
/// that is not stored yet, and copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The bytes as they arrived.
    pub raw: &'a [u8],
    /// When the sender says it happened.
    pub time: Timestamp,
    /// When Logwood read it.
    pub received: Timestamp,
    /// Facility and severity.
    pub priority: Priority,
    /// The host.
    pub host: &'a [u8],
    /// The program.
    pub program: &'a [u8],
    /// The process id.
    pub pid: &'a [u8],
    /// The message id.
    pub msgid: &'a [u8],
    /// The structured data as it stands in `raw`.
    pub structured_data: &'a [u8],
    /// The message.
    pub message: &'a [u8],
    /// Address of the sender.
    pub peer: Option<IpAddr>,
    /// The source it came through.
    pub source: &'a str,
    /// Its logspace; empty where it has none yet.
    pub logspace: &'a str,
    /// Its number in the logspace, where it has one.
    pub number: Option<RecordNumber>,
    /// What the spans of the fields point into: `raw` and what follows it.
    pub bytes: &'a [u8],
    /// Where the fields stand in those.
    pub field_spans: &'a [Field],
    /// The names of tags, a bit of `tags` each.
    pub tag_names: &'a [Box<str>],
    /// The set of its tags.
    pub tags: u64,
}

impl<'a> From<RecordRef<'a>> for View<'a> {
    fn from(record: RecordRef<'a>) -> Self {
        Self {
            raw: record.raw(),
            time: record.time(),
            received: record.received(),
            priority: record.priority(),
            host: record.host(),
            program: record.program(),
            pid: record.pid(),
            msgid: record.msgid(),
            structured_data: record.structured_data(),
            message: record.message(),
            peer: record.peer(),
            source: record.source(),
            logspace: "",
            number: None,
            bytes: record.bytes(),
            field_spans: record.field_spans(),
            tag_names: record.tag_names(),
            tags: record.head().tags,
        }
    }
}

impl<'a> View<'a> {
    /// The view of a message that no batch holds yet. `bytes` are the message followed by
    /// `parts.extra`, `raw_len` of them the message. Time of receipt, peer, source and names of tags
    /// are left for the caller to set.
    pub fn of_parts(bytes: &'a [u8], raw_len: usize, parts: &'a RecordParts) -> Self {
        Self {
            raw: bytes.get(..raw_len).unwrap_or(bytes),
            time: parts.time,
            received: parts.time,
            priority: parts.priority,
            host: parts.host.of(bytes),
            program: parts.program.of(bytes),
            pid: parts.pid.of(bytes),
            msgid: parts.msgid.of(bytes),
            structured_data: parts.structured_data.of(bytes),
            message: parts.message.of(bytes),
            peer: None,
            source: "",
            logspace: "",
            number: None,
            bytes,
            field_spans: &parts.fields,
            tag_names: &[],
            tags: parts.tags,
        }
    }

    /// The same record, called by its logspace and number.
    #[must_use]
    pub fn with_id(self, logspace: &'a str, number: RecordNumber) -> Self {
        Self {
            logspace,
            number: Some(number),
            ..self
        }
    }

    /// Its fields, in the order of the message.
    pub fn fields(&self) -> impl DoubleEndedIterator<Item = FieldRef<'a>> + use<'a> {
        let bytes = self.bytes;
        self.field_spans.iter().map(move |field| FieldRef {
            group: field.group.of(bytes),
            name: field.name.of(bytes),
            value: field.value.of(bytes),
        })
    }

    /// The value of a field by its full name, by its name alone, or by either behind `.SDATA.`; of
    /// several the last. Empty where there is none.
    pub fn field(&self, name: &[u8]) -> &'a [u8] {
        self.fields()
            .rfind(|field| field.is_named(name))
            .map_or(&[], |field| field.value)
    }

    /// The names of its tags.
    pub fn tags(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let set = self.tags;
        let named = self.tag_names.iter().take(64).enumerate();
        named
            .filter(move |(bit, _)| set >> bit & 1 == 1)
            .map(|(_, name)| &**name)
    }

    /// The tag in front of the message as it was written, with what follows it: `su[12]: `. Empty where
    /// there is none, as in messages of RFC 5424.
    pub fn written_header(&self) -> &'a [u8] {
        let place = |part: &[u8]| {
            let at = (part.as_ptr() as usize).checked_sub(self.raw.as_ptr() as usize)?;
            (at + part.len() <= self.raw.len()).then_some(at)
        };
        if self.program.is_empty() {
            return &[];
        }
        let header = place(self.program).and_then(|start| {
            let end = match self.message.is_empty() {
                true => self.raw.len(),
                false => place(self.message)?,
            };
            let header = self.raw.get(start..end)?;
            is_tag_end(header.get(self.program.len()..)?).then_some(header)
        });
        header.unwrap_or_default()
    }

    /// The offset from UTC in seconds that the message states, where its time stamp stands as RFC 5424
    /// has it, with or without version; `None` where it states none.
    pub fn stated_offset(&self) -> Option<i32> {
        stated_offset(self.raw, self.time)
    }
}

/// Whether a text is what may follow the program of a tag: `[12]: `, each part of it or none.
fn is_tag_end(text: &[u8]) -> bool {
    let rest = match text.strip_prefix(b"[") {
        Some(inner) => match memchr::memchr(b']', inner) {
            Some(end) => inner.get(end + 1..).unwrap_or_default(),
            None => return false,
        },
        None => text,
    };
    let rest = rest.strip_prefix(b":").unwrap_or(rest);
    rest.iter().all(|byte| *byte == b' ')
}
