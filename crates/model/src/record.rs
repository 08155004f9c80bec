//! One record: its fixed part, its spans, and the borrowed view that everything reads it through.
//!
//! The bytes of a record are its `raw` followed by its `extra`. `raw` is what arrived, to the last
//! byte. `extra` holds text that did not stand in the message (the peer's address as host, an
//! unescaped parameter value). Spans point into the two together, so that a parsed part costs
//! eight bytes and no copy.

use std::net::IpAddr;

use crate::batch::RecordBatch;
use crate::priority::Priority;
use crate::time::Timestamp;

/// A run of bytes in a record's `raw` and `extra`. Empty stands for absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte from the start of `raw`.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Span {
    /// A span over `start..end`. Saturates at 32 bits; callers bound messages far below.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX),
        }
    }

    /// Whether the span is absent.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The bytes it names; empty where it does not fit.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        let start = self.start as usize;
        bytes
            .get(start..start.saturating_add(self.len as usize))
            .unwrap_or(&[])
    }
}

/// A named value of a record, such as a structured data parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The SD-ID, or empty.
    pub group: Span,
    /// The name within the group.
    pub name: Span,
    /// The value, unescaped.
    pub value: Span,
}

/// What a parser makes of one message; reused from message to message so that nothing allocates.
///
/// Spans point into the message followed by `extra`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordParts {
    /// When the sender says it happened.
    pub time: Timestamp,
    /// Facility and severity.
    pub priority: Priority,
    /// HOSTNAME, or the peer's address.
    pub host: Span,
    /// APP-NAME or the program part of TAG.
    pub program: Span,
    /// PROCID or the bracketed part of TAG.
    pub pid: Span,
    /// MSGID.
    pub msgid: Span,
    /// STRUCTURED-DATA as it stands in `raw`, brackets included.
    pub structured_data: Span,
    /// MSG, without leading space and byte order mark.
    pub message: Span,
    /// Set of tags, a bit each; the first are those of [`crate::Tag`].
    pub tags: u64,
    /// Structured data parameters and other parsed values.
    pub fields: Vec<Field>,
    /// Text that spans point to and that is not in the message.
    pub extra: Vec<u8>,
}

impl Default for RecordParts {
    fn default() -> Self {
        Self {
            time: Timestamp::default(),
            priority: Priority::DEFAULT,
            host: Span::default(),
            program: Span::default(),
            pid: Span::default(),
            msgid: Span::default(),
            structured_data: Span::default(),
            message: Span::default(),
            tags: 0,
            fields: Vec::new(),
            extra: Vec::new(),
        }
    }
}

impl RecordParts {
    /// Back to the default, keeping the allocations.
    pub fn clear(&mut self) {
        let mut fields = std::mem::take(&mut self.fields);
        let mut extra = std::mem::take(&mut self.extra);
        fields.clear();
        extra.clear();
        *self = Self {
            fields,
            extra,
            ..Self::default()
        };
    }
}

/// The fixed part of a record in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// When Logwood read it.
    pub received: Timestamp,
    /// When the sender says it happened.
    pub time: Timestamp,
    /// Facility and severity.
    pub priority: Priority,
    /// Address of the sender, where there was one.
    pub peer: Option<IpAddr>,
    /// Index into the batch's sources.
    pub source: u16,
    /// Set of the batch's tags, a bit each.
    pub tags: u64,
    /// Offset of `raw` in the batch's bytes.
    pub start: u32,
    /// Length of `raw`.
    pub raw_len: u32,
    /// Length of `extra`, which follows `raw`.
    pub extra_len: u32,
    /// See [`RecordParts::host`].
    pub host: Span,
    /// See [`RecordParts::program`].
    pub program: Span,
    /// See [`RecordParts::pid`].
    pub pid: Span,
    /// See [`RecordParts::msgid`].
    pub msgid: Span,
    /// See [`RecordParts::structured_data`].
    pub structured_data: Span,
    /// See [`RecordParts::message`].
    pub message: Span,
    /// Index of the first field in the batch's fields.
    pub fields_start: u32,
    /// Number of fields.
    pub fields_len: u32,
}

/// A record in a batch, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct RecordRef<'a> {
    pub(crate) batch: &'a RecordBatch,
    pub(crate) head: &'a RecordHead,
}

/// A field of a record, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRef<'a> {
    /// The SD-ID, or empty.
    pub group: &'a [u8],
    /// The name within the group.
    pub name: &'a [u8],
    /// The value, unescaped.
    pub value: &'a [u8],
}

impl FieldRef<'_> {
    /// The full name, `group.name`, or the name alone where there is no group. Bytes that are not
    /// UTF-8 are replaced.
    pub fn full_name(&self) -> String {
        let name = String::from_utf8_lossy(self.name);
        if self.group.is_empty() {
            return name.into_owned();
        }
        format!("{}.{name}", String::from_utf8_lossy(self.group))
    }

    /// Whether `name` is the full name, the name alone, or either behind SSB's `.sdata.`, in any
    /// ASCII case.
    pub fn is_named(&self, name: &[u8]) -> bool {
        let name = match name.split_at_checked(7) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(b".sdata.") => rest,
            _ => name,
        };
        if self.name.eq_ignore_ascii_case(name) {
            return true;
        }
        let group_len = self.group.len();
        name.len() == group_len + 1 + self.name.len()
            && name.get(group_len) == Some(&b'.')
            && name
                .get(..group_len)
                .is_some_and(|group| group.eq_ignore_ascii_case(self.group))
            && name
                .get(group_len + 1..)
                .is_some_and(|rest| rest.eq_ignore_ascii_case(self.name))
    }
}

impl<'a> RecordRef<'a> {
    /// The fixed part.
    pub fn head(&self) -> &'a RecordHead {
        self.head
    }

    /// When Logwood read it.
    pub fn received(&self) -> Timestamp {
        self.head.received
    }

    /// When the sender says it happened.
    pub fn time(&self) -> Timestamp {
        self.head.time
    }

    /// Facility and severity.
    pub fn priority(&self) -> Priority {
        self.head.priority
    }

    /// Address of the sender.
    pub fn peer(&self) -> Option<IpAddr> {
        self.head.peer
    }

    /// Exactly the bytes that arrived, without the framing.
    pub fn raw(&self) -> &'a [u8] {
        Span {
            start: 0,
            len: self.head.raw_len,
        }
        .of(self.bytes())
    }

    /// What spans point into: `raw` and `extra`.
    pub fn bytes(&self) -> &'a [u8] {
        let len = self.head.raw_len.saturating_add(self.head.extra_len);
        Span {
            start: self.head.start,
            len,
        }
        .of(self.batch.bytes())
    }

    /// The host.
    pub fn host(&self) -> &'a [u8] {
        self.head.host.of(self.bytes())
    }

    /// The program.
    pub fn program(&self) -> &'a [u8] {
        self.head.program.of(self.bytes())
    }

    /// The process id.
    pub fn pid(&self) -> &'a [u8] {
        self.head.pid.of(self.bytes())
    }

    /// The message id (RFC 5424 MSGID).
    pub fn msgid(&self) -> &'a [u8] {
        self.head.msgid.of(self.bytes())
    }

    /// The structured data as it stands in `raw`.
    pub fn structured_data(&self) -> &'a [u8] {
        self.head.structured_data.of(self.bytes())
    }

    /// The message text.
    pub fn message(&self) -> &'a [u8] {
        self.head.message.of(self.bytes())
    }

    /// The name of the source it came through.
    pub fn source(&self) -> &'a str {
        self.batch
            .sources()
            .get(usize::from(self.head.source))
            .map_or("", |name| name)
    }

    /// The names that its tags are of, a bit each of [`RecordHead::tags`].
    pub fn tag_names(&self) -> &'a [Box<str>] {
        self.batch.tags()
    }

    /// The names of its tags.
    pub fn tags(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let set = self.head.tags;
        self.batch
            .tags()
            .iter()
            .enumerate()
            .filter(move |(bit, _)| set >> bit & 1 == 1)
            .map(|(_, name)| &**name)
    }

    /// Its fields, in the order of the message.
    pub fn fields(&self) -> impl Iterator<Item = FieldRef<'a>> + use<'a> {
        let bytes = self.bytes();
        self.field_spans().iter().map(move |field| FieldRef {
            group: field.group.of(bytes),
            name: field.name.of(bytes),
            value: field.value.of(bytes),
        })
    }

    /// Where those stand in [`RecordRef::bytes`].
    pub fn field_spans(&self) -> &'a [Field] {
        let start = self.head.fields_start as usize;
        let end = start.saturating_add(self.head.fields_len as usize);
        self.batch.fields().get(start..end).unwrap_or(&[])
    }
}
