//! Changes to the last record of a batch: what processing does to a record, in place.

use crate::batch::{BatchFull, RecordBatch};
use crate::limits::{BATCH_FIELDS_MAX, RECORD_EXTRA_BYTES_MAX, RECORD_FIELDS_MAX};
use crate::priority::Priority;
use crate::record::{Field, FieldRef, RecordHead, RecordRef, Span};
use crate::time::Timestamp;

/// A part of a record that is a text of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextPart {
    /// The host.
    Host,
    /// The program.
    Program,
    /// The process id.
    Pid,
    /// The message id.
    Msgid,
    /// The message.
    Message,
}

/// The last record of a batch, while it is changed. Its `raw` never changes: what is new goes to `extra`.
#[derive(Debug)]
pub struct Editor<'a> {
    batch: &'a mut RecordBatch,
}

/// A record as it was at some moment; reused, so that nothing allocates.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    head: Option<RecordHead>,
    fields: Vec<Field>,
}

impl RecordBatch {
    /// The last record, to be changed. `None` where there is none, or where its bytes and fields are not the
    /// last ones of the batch, as after sorting.
    pub fn edit_last(&mut self) -> Option<Editor<'_>> {
        self.is_last_at_the_end().then_some(Editor { batch: self })
    }

    /// Takes the last record off, where [`Self::edit_last`] could change it.
    pub fn pop(&mut self) -> bool {
        if !self.is_last_at_the_end() {
            return false;
        }
        let Some(head) = self.heads.pop() else {
            return false;
        };
        self.bytes.truncate(head.start as usize);
        self.fields.truncate(head.fields_start as usize);
        true
    }

    /// Adds a copy of the last record.
    ///
    /// # Errors
    /// When the batch is full.
    pub fn repeat_last(&mut self) -> Result<(), BatchFull> {
        let Some(head) = self.heads.last().copied() else {
            return Ok(());
        };
        let len = head.raw_len as usize + head.extra_len as usize;
        self.check_room(len, 1, head.fields_len as usize)?;
        let (start, fields_start) = (self.bytes.len(), self.fields.len());
        let from = head.start as usize;
        self.bytes.extend_from_within(from..from + len);
        let from = head.fields_start as usize;
        let fields = from..from + head.fields_len as usize;
        self.fields.extend_from_within(fields);
        self.heads.push(RecordHead {
            start: u32::try_from(start).map_err(|_| BatchFull)?,
            fields_start: u32::try_from(fields_start).map_err(|_| BatchFull)?,
            ..head
        });
        Ok(())
    }

    fn is_last_at_the_end(&self) -> bool {
        self.heads.last().is_some_and(|head| {
            let end = head.start as usize + head.raw_len as usize + head.extra_len as usize;
            let fields_end = head.fields_start as usize + head.fields_len as usize;
            (end, fields_end) == (self.bytes.len(), self.fields.len())
        })
    }
}

impl Editor<'_> {
    /// The record as it is now.
    pub fn record(&self) -> RecordRef<'_> {
        // An editor is made of a batch that has a record, and takes none off.
        RecordRef {
            batch: self.batch,
            head: self.batch.heads.last().unwrap_or(&EMPTY),
        }
    }

    /// Keeps what the record is now, for [`Self::restore`].
    pub fn mark(&self, mark: &mut Mark) {
        mark.head = self.batch.heads.last().copied();
        mark.fields.clear();
        mark.fields.extend_from_slice(self.record().field_spans());
    }

    /// Makes the record what it was at a mark, which must be of the same record.
    pub fn restore(&mut self, mark: &Mark) {
        let Some(head) = mark.head else { return };
        if let Some(own) = self.batch.heads.last_mut() {
            *own = head;
        }
        let end = head.start as usize + head.raw_len as usize + head.extra_len as usize;
        self.batch.bytes.truncate(end);
        self.batch.fields.truncate(head.fields_start as usize);
        self.batch.fields.extend_from_slice(&mark.fields);
    }

    /// Adds text behind the record's own; where it stands.
    ///
    /// # Errors
    /// When the record or the batch has no room for it.
    pub fn append(&mut self, text: &[u8]) -> Result<Span, BatchFull> {
        self.batch.check_room(text.len(), 0, 0)?;
        let head = self.batch.heads.last_mut().ok_or(BatchFull)?;
        let extra_len = head.extra_len as usize + text.len();
        if extra_len > RECORD_EXTRA_BYTES_MAX {
            return Err(BatchFull);
        }
        let start = head.raw_len as usize + head.extra_len as usize;
        head.extra_len = u32::try_from(extra_len).map_err(|_| BatchFull)?;
        self.batch.bytes.extend_from_slice(text);
        Ok(Span::new(start, start + text.len()))
    }

    /// Where a part stands.
    pub fn part(&self, part: TextPart) -> Span {
        let head = self.record().head;
        match part {
            TextPart::Host => head.host,
            TextPart::Program => head.program,
            TextPart::Pid => head.pid,
            TextPart::Msgid => head.msgid,
            TextPart::Message => head.message,
        }
    }

    /// Puts a part elsewhere in the record's text.
    pub fn set_part(&mut self, part: TextPart, span: Span) {
        let Some(head) = self.batch.heads.last_mut() else {
            return;
        };
        match part {
            TextPart::Host => head.host = span,
            TextPart::Program => head.program = span,
            TextPart::Pid => head.pid = span,
            TextPart::Msgid => head.msgid = span,
            TextPart::Message => head.message = span,
        }
    }

    /// Sets when it happened.
    pub fn set_time(&mut self, time: Timestamp) {
        if let Some(head) = self.batch.heads.last_mut() {
            head.time = time;
        }
    }

    /// Sets facility and severity.
    pub fn set_priority(&mut self, priority: Priority) {
        if let Some(head) = self.batch.heads.last_mut() {
            head.priority = priority;
        }
    }

    /// Adds a tag.
    ///
    /// # Errors
    /// When the batch has as many different tags as it can have.
    pub fn add_tag(&mut self, name: &str) -> Result<(), BatchFull> {
        let bit = self.batch.tag_bit(name)?;
        if let Some(head) = self.batch.heads.last_mut() {
            head.tags |= bit;
        }
        Ok(())
    }

    /// Takes a tag off.
    pub fn remove_tag(&mut self, name: &str) {
        let position = self.batch.tags().iter().position(|known| **known == *name);
        if let (Some(bit), Some(head)) = (position, self.batch.heads.last_mut()) {
            head.tags &= !(1 << bit);
        }
    }

    /// Adds a field behind the others.
    ///
    /// # Errors
    /// When the record or the batch has no room for it.
    pub fn push_field(&mut self, field: Field) -> Result<(), BatchFull> {
        let head = self.batch.heads.last_mut().ok_or(BatchFull)?;
        let is_full = head.fields_len as usize >= RECORD_FIELDS_MAX
            || self.batch.fields.len() >= BATCH_FIELDS_MAX;
        if is_full {
            return Err(BatchFull);
        }
        head.fields_len += 1;
        self.batch.fields.push(field);
        Ok(())
    }

    /// Takes off the fields that `keep` is false of; how many those were.
    pub fn retain_fields(&mut self, mut keep: impl FnMut(FieldRef<'_>) -> bool) -> usize {
        let Some(head) = self.batch.heads.last_mut() else {
            return 0;
        };
        let start = head.start as usize;
        let end = start + head.raw_len as usize + head.extra_len as usize;
        let bytes = self.batch.bytes.get(start..end).unwrap_or_default();
        let fields = &mut self.batch.fields;
        let (first, mut kept) = (head.fields_start as usize, head.fields_start as usize);
        for at in first..fields.len() {
            let Some(field) = fields.get(at).copied() else {
                break;
            };
            let seen = FieldRef {
                group: field.group.of(bytes),
                name: field.name.of(bytes),
                value: field.value.of(bytes),
            };
            if keep(seen) {
                if let Some(place) = fields.get_mut(kept) {
                    *place = field;
                }
                kept += 1;
            }
        }
        let removed = fields.len() - kept;
        fields.truncate(kept);
        head.fields_len -= u32::try_from(removed).unwrap_or(head.fields_len);
        removed
    }

    /// Replaces a field by its index among the record's own.
    pub fn replace_field(&mut self, index: usize, field: Field) {
        let Some(head) = self.batch.heads.last() else {
            return;
        };
        let at = head.fields_start as usize + index;
        if let Some(place) = self.batch.fields.get_mut(at) {
            *place = field;
        }
    }
}

/// Stands for a record that is not there.
static EMPTY: RecordHead = RecordHead {
    received: Timestamp::from_nanos(0),
    time: Timestamp::from_nanos(0),
    priority: Priority::DEFAULT,
    peer: None,
    source: 0,
    tags: 0,
    start: 0,
    raw_len: 0,
    extra_len: 0,
    host: NOWHERE,
    program: NOWHERE,
    pid: NOWHERE,
    msgid: NOWHERE,
    structured_data: NOWHERE,
    message: NOWHERE,
    fields_start: 0,
    fields_len: 0,
};

const NOWHERE: Span = Span { start: 0, len: 0 };

#[cfg(test)]
mod tests;
