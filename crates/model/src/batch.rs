//! Many records in one arena: what travels from a socket to the disk and from the disk to an answer.

use std::fmt;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use crate::limits::{
    BATCH_BYTES_MAX, BATCH_FIELDS_MAX, BATCH_RECORDS_MAX, BATCH_SOURCES_MAX, BATCH_TAGS_MAX,
    BATCHES_TOGETHER_MAX,
};
use crate::record::{Field, RecordHead, RecordParts, RecordRef};
use crate::tag::SYSLOG_TAG_NAMES;
use crate::time::Timestamp;

/// Records in the order of their receipt, with the tables of names they refer to.
///
/// The first tags are always [`SYSLOG_TAG_NAMES`], so that the parser's bits need no look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordBatch {
    pub(crate) bytes: Vec<u8>,
    pub(crate) heads: Vec<RecordHead>,
    pub(crate) fields: Vec<Field>,
    // Shared with the batches this one was cloned from: a clone of an empty batch allocates
    // nothing, and batches with the same names are joined without looking at them.
    sources: Arc<Vec<Box<str>>>,
    tags: Arc<Vec<Box<str>>>,
}

impl Default for RecordBatch {
    fn default() -> Self {
        Self::new()
    }
}

/// A batch that has reached one of its limits (see [`crate::limits`]); start another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchFull;

impl fmt::Display for BatchFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the batch is full")
    }
}

impl std::error::Error for BatchFull {}

impl RecordBatch {
    /// An empty batch.
    pub fn new() -> Self {
        let tags = SYSLOG_TAG_NAMES.iter().map(|name| Box::from(*name));
        Self {
            bytes: Vec::new(),
            heads: Vec::new(),
            fields: Vec::new(),
            sources: Arc::default(),
            tags: Arc::new(tags.collect()),
        }
    }

    /// Makes room for so many more bytes and records at once. A hint: without it room is made as
    /// they come.
    pub fn reserve(&mut self, bytes: usize, records: usize) {
        self.bytes.reserve(bytes.min(BATCH_BYTES_MAX));
        self.heads.reserve(records.min(BATCH_RECORDS_MAX));
    }

    /// Makes room for all records of other batches at once, and for no more.
    pub fn reserve_for(&mut self, others: &[Self]) {
        let bytes = others.iter().map(|other| other.bytes.len()).sum();
        let records = others.iter().map(Self::len).sum();
        let fields = others.iter().map(|other| other.fields.len()).sum();
        self.bytes.reserve_exact(bytes);
        self.heads.reserve_exact(records);
        self.fields.reserve_exact(fields);
    }

    /// Gives back memory that was taken for more records. For batches that live long: budgets
    /// count what records take, and a batch that grew may have taken twice that.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.fields.shrink_to_fit();
    }

    /// Forgets the records and keeps the names and the allocations.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.heads.clear();
        self.fields.clear();
    }

    /// Forgets the records and the names, as if it were new, and keeps the allocations.
    pub fn reset(&mut self) {
        self.clear();
        *self = Self {
            bytes: std::mem::take(&mut self.bytes),
            heads: std::mem::take(&mut self.heads),
            fields: std::mem::take(&mut self.fields),
            ..Self::new()
        };
    }

    /// An empty batch that has the names of this one, so that records are copied without looking them up.
    pub fn names_only(&self) -> Self {
        Self {
            bytes: Vec::new(),
            heads: Vec::new(),
            fields: Vec::new(),
            sources: Arc::clone(&self.sources),
            tags: Arc::clone(&self.tags),
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The arena: each record's `raw` and `extra` in turn.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The fixed parts, in order.
    pub fn heads(&self) -> &[RecordHead] {
        &self.heads
    }

    /// The fields of all records, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Names of the sources.
    pub fn sources(&self) -> &[Box<str>] {
        &self.sources
    }

    /// Names of the tags; a record's set has a bit for each.
    pub fn tags(&self) -> &[Box<str>] {
        &self.tags
    }

    /// Memory the records take, in bytes; what budgets count.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len()
            + self.heads.len() * size_of::<RecordHead>()
            + self.fields.len() * size_of::<Field>()
    }

    /// The record at an index.
    pub fn get(&self, index: usize) -> Option<RecordRef<'_>> {
        self.heads
            .get(index)
            .map(|head| RecordRef { batch: self, head })
    }

    /// The records in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = RecordRef<'_>> + ExactSizeIterator {
        self.heads
            .iter()
            .map(|head| RecordRef { batch: self, head })
    }

    /// The index of a source, added where it is new.
    pub fn source_index(&mut self, name: &str) -> Result<u16, BatchFull> {
        let index = match self.sources.iter().position(|known| &**known == name) {
            Some(index) => index,
            None if self.sources.len() == BATCH_SOURCES_MAX => return Err(BatchFull),
            None => {
                Arc::make_mut(&mut self.sources).push(name.into());
                self.sources.len() - 1
            }
        };
        u16::try_from(index).map_err(|_| BatchFull)
    }

    /// The bit of a tag, added where it is new.
    pub fn tag_bit(&mut self, name: &str) -> Result<u64, BatchFull> {
        let index = match self.tags.iter().position(|known| &**known == name) {
            Some(index) => index,
            None if self.tags.len() == BATCH_TAGS_MAX => return Err(BatchFull),
            None => {
                Arc::make_mut(&mut self.tags).push(name.into());
                self.tags.len() - 1
            }
        };
        Ok(1 << index)
    }

    /// Adds a record: `raw` as it arrived and what the parser made of it.
    pub fn push(
        &mut self,
        raw: &[u8],
        parts: &RecordParts,
        received: Timestamp,
        peer: Option<IpAddr>,
        source: u16,
    ) -> Result<(), BatchFull> {
        self.check_room(raw.len() + parts.extra.len(), 1, parts.fields.len())?;
        let head = RecordHead {
            received,
            time: parts.time,
            priority: parts.priority,
            peer,
            source,
            tags: parts.tags,
            start: narrow(self.bytes.len())?,
            raw_len: narrow(raw.len())?,
            extra_len: narrow(parts.extra.len())?,
            host: parts.host,
            program: parts.program,
            pid: parts.pid,
            msgid: parts.msgid,
            structured_data: parts.structured_data,
            message: parts.message,
            fields_start: narrow(self.fields.len())?,
            fields_len: narrow(parts.fields.len())?,
        };
        self.bytes.extend_from_slice(raw);
        self.bytes.extend_from_slice(&parts.extra);
        self.fields.extend_from_slice(&parts.fields);
        self.heads.push(head);
        Ok(())
    }

    /// Adds a record whose head is known, as a decoder does: `head.start` and `head.fields_start`
    /// are set here; `bytes` are `raw` and `extra`.
    pub fn push_head(
        &mut self,
        head: RecordHead,
        bytes: &[u8],
        fields: &[Field],
    ) -> Result<(), BatchFull> {
        self.check_room(bytes.len(), 1, fields.len())?;
        let start = narrow(self.bytes.len())?;
        let fields_start = narrow(self.fields.len())?;
        let fields_len = narrow(fields.len())?;
        self.bytes.extend_from_slice(bytes);
        self.fields.extend_from_slice(fields);
        self.heads.push(RecordHead {
            start,
            fields_start,
            fields_len,
            ..head
        });
        Ok(())
    }

    /// Replaces all records, as a decoder does that has them whole, and keeps the names. The bytes
    /// and fields of the records stand one after another; `start` and `fields_start` are set here.
    /// There may be as many bytes and fields as [`BATCHES_TOGETHER_MAX`] batches have. Where the lengths
    /// in `heads` do not add up to those of `bytes` and `fields`, or a limit is passed, the batch is left
    /// empty.
    pub fn set_records(
        &mut self,
        mut heads: Vec<RecordHead>,
        fields: Vec<Field>,
        bytes: Vec<u8>,
    ) -> Result<(), BatchFull> {
        self.clear();
        if bytes.len() > BATCHES_TOGETHER_MAX * BATCH_BYTES_MAX
            || heads.len() > BATCH_RECORDS_MAX
            || fields.len() > BATCHES_TOGETHER_MAX * BATCH_FIELDS_MAX
        {
            return Err(BatchFull);
        }
        let (mut start, mut fields_start) = (0_usize, 0_usize);
        for head in &mut heads {
            head.start = narrow(start)?;
            head.fields_start = narrow(fields_start)?;
            start += head.raw_len as usize + head.extra_len as usize;
            fields_start += head.fields_len as usize;
        }
        if (start, fields_start) != (bytes.len(), fields.len()) {
            return Err(BatchFull);
        }
        (self.bytes, self.heads, self.fields) = (bytes, heads, fields);
        Ok(())
    }

    /// Adds a copy of a record of another batch, its names carried over.
    pub fn push_record(&mut self, record: RecordRef<'_>) -> Result<(), BatchFull> {
        let source = self.source_index(record.source())?;
        let mut tags = 0;
        if self.tags == record.batch.tags {
            tags = record.head.tags;
        } else {
            for name in record.tags() {
                tags |= self.tag_bit(name)?;
            }
        }
        let start = record.head.fields_start as usize;
        let end = start + record.head.fields_len as usize;
        let fields = record.batch.fields.get(start..end).unwrap_or(&[]);
        self.push_head(
            RecordHead {
                source,
                tags,
                ..*record.head
            },
            record.bytes(),
            fields,
        )
    }

    /// Adds all records of another batch behind its own, or none where they do not fit.
    pub fn append(&mut self, other: &Self) -> Result<(), BatchFull> {
        self.check_room(other.bytes.len(), other.len(), other.fields.len())?;
        let sources = self.source_map(other)?;
        let bits = self.tag_map(other)?;
        let start = narrow(self.bytes.len())?;
        let fields_start = narrow(self.fields.len())?;
        self.bytes.extend_from_slice(&other.bytes);
        self.fields.extend_from_slice(&other.fields);
        self.heads.extend(other.heads.iter().map(|head| {
            RecordHead {
                start: head.start + start,
                fields_start: head.fields_start + fields_start,
                source: match &sources {
                    Some(map) => map
                        .get(usize::from(head.source))
                        .copied()
                        .unwrap_or_default(),
                    None => head.source,
                },
                tags: match &bits {
                    Some(map) => remap(head.tags, map),
                    None => head.tags,
                },
                ..*head
            }
        }));
        Ok(())
    }

    /// Adds copies of records of another batch, as [`Self::push_record`] does one by one, up to the
    /// first that does not fit; how many were added.
    pub fn append_range(&mut self, other: &Self, range: Range<usize>) -> usize {
        self.append_chosen(other, range, |_| true)
    }

    /// The same, with the bytes of those records alone for which `has_bytes` is true. It is asked once
    /// for each record that is added, in their order, with its head in the other batch. The others have
    /// no bytes here, so their spans and fields are empty.
    pub fn append_chosen(
        &mut self,
        other: &Self,
        range: Range<usize>,
        mut has_bytes: impl FnMut(&RecordHead) -> bool,
    ) -> usize {
        let heads = other.heads.get(range).unwrap_or(&[]);
        let mut names = Names::new(self, other);
        let (mut bytes, mut fields) = (Run::default(), Run::default());
        let mut added = 0;
        for head in heads {
            let len = head.raw_len as usize + head.extra_len as usize;
            let fields_len = head.fields_len as usize;
            let open = (bytes.0.len() + len, fields.0.len() + fields_len);
            let Ok(named) = names.carry(head, self) else {
                break;
            };
            if self.check_room(open.0, 1, open.1).is_err() {
                break;
            }
            let named = if has_bytes(head) { named } else { bare(&named) };
            let len = named.raw_len as usize + named.extra_len as usize;
            let start = bytes.add(head.start, len, &other.bytes, &mut self.bytes);
            let fields_start = fields.add(
                head.fields_start,
                fields_len,
                &other.fields,
                &mut self.fields,
            );
            self.heads.push(RecordHead {
                start,
                fields_start,
                ..named
            });
            added += 1;
        }
        bytes.copy(&other.bytes, &mut self.bytes);
        fields.copy(&other.fields, &mut self.fields);
        added
    }

    /// When the first and the last record were received; `None` where there is none.
    pub fn received_bounds(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.heads.first()?.received, self.heads.last()?.received))
    }

    /// Sets the time of receipt of each record to at least `floor` and never earlier than that of
    /// the record before it, and returns the last. Storage keeps records in order of receipt even
    /// when the clock steps back.
    pub fn make_received_monotone(&mut self, floor: Timestamp) -> Timestamp {
        let mut last = floor;
        for head in &mut self.heads {
            head.received = head.received.max(last);
            last = head.received;
        }
        last
    }

    /// Adds tags to the record at an index; the bits are those of [`Self::tag_bit`].
    pub fn add_tags(&mut self, index: usize, set: u64) {
        if let Some(head) = self.heads.get_mut(index) {
            head.tags |= set;
        }
    }

    /// Orders the records by time of receipt; equal ones keep their order.
    pub fn sort_by_received(&mut self) {
        self.heads.sort_by_key(|head| head.received);
    }

    /// The index here of each source of another batch; `None` where it is the same.
    fn source_map(&mut self, other: &Self) -> Result<Option<Vec<u16>>, BatchFull> {
        if self.sources == other.sources {
            return Ok(None);
        }
        other
            .sources
            .iter()
            .map(|name| self.source_index(name))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// The bit here of each tag of another batch; `None` where it is the same.
    fn tag_map(&mut self, other: &Self) -> Result<Option<Vec<u64>>, BatchFull> {
        if self.tags == other.tags {
            return Ok(None);
        }
        other
            .tags
            .iter()
            .map(|name| self.tag_bit(name))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    pub(crate) fn check_room(
        &self,
        bytes: usize,
        records: usize,
        fields: usize,
    ) -> Result<(), BatchFull> {
        let fits = self.bytes.len() + bytes <= BATCH_BYTES_MAX
            && self.heads.len() + records <= BATCH_RECORDS_MAX
            && self.fields.len() + fields <= BATCH_FIELDS_MAX;
        if fits { Ok(()) } else { Err(BatchFull) }
    }
}

/// The names of another batch that were carried over.
struct Names<'a> {
    other: &'a RecordBatch,
    /// The index of each source, once a record has it; none where both batches have the same.
    sources: Option<Vec<Option<u16>>>,
    /// The set of tags that was carried over last, and what it is here.
    tags: (u64, u64),
    are_tags_same: bool,
}

impl<'a> Names<'a> {
    fn new(own: &RecordBatch, other: &'a RecordBatch) -> Self {
        let are_same = own.sources == other.sources;
        Self {
            other,
            sources: (!are_same).then(|| vec![None; other.sources.len()]),
            tags: (0, 0),
            are_tags_same: own.tags == other.tags,
        }
    }

    /// The head with the names that it has here.
    fn carry(&mut self, head: &RecordHead, own: &mut RecordBatch) -> Result<RecordHead, BatchFull> {
        let mut source = head.source;
        if let Some(known) = &mut self.sources {
            let record = RecordRef {
                batch: self.other,
                head,
            };
            source = match known.get_mut(usize::from(source)) {
                Some(Some(source)) => *source,
                Some(known) => *known.insert(own.source_index(record.source())?),
                None => own.source_index(record.source())?,
            };
        }
        if !self.are_tags_same && head.tags != self.tags.0 {
            let record = RecordRef {
                batch: self.other,
                head,
            };
            let mut set = 0;
            for name in record.tags() {
                set |= own.tag_bit(name)?;
            }
            self.tags = (head.tags, set);
        }
        let tags = if self.are_tags_same {
            head.tags
        } else {
            self.tags.1
        };
        Ok(RecordHead {
            source,
            tags,
            ..*head
        })
    }
}

/// What is to be copied together: records mostly stand one behind another.
#[derive(Default)]
struct Run(Range<usize>);

impl Run {
    /// Adds what stands from `start` on; where it goes, which fits as there is room for it.
    fn add<T: Copy>(&mut self, start: u32, len: usize, from: &[T], to: &mut Vec<T>) -> u32 {
        let start = start as usize;
        if start != self.0.end {
            self.copy(from, to);
            self.0 = start..start;
        }
        let place = to.len() + self.0.len();
        self.0.end += len;
        place as u32
    }

    fn copy<T: Copy>(&self, from: &[T], to: &mut Vec<T>) {
        to.extend_from_slice(from.get(self.0.clone()).unwrap_or(&[]));
    }
}

/// A head without bytes.
fn bare(head: &RecordHead) -> RecordHead {
    RecordHead {
        raw_len: 0,
        extra_len: 0,
        ..*head
    }
}

fn narrow(value: usize) -> Result<u32, BatchFull> {
    u32::try_from(value).map_err(|_| BatchFull)
}

fn remap(set: u64, bits: &[u64]) -> u64 {
    bits.iter()
        .enumerate()
        .filter(|(index, _)| set >> index & 1 == 1)
        .fold(0, |remapped, (_, bit)| remapped | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Span;
    use crate::tag::Tag;

    fn batch(source: &str, tag: &str, texts: &[&str]) -> RecordBatch {
        let mut batch = RecordBatch::new();
        let source = batch.source_index(source).expect("room");
        let bit = batch.tag_bit(tag).expect("room");
        for text in texts {
            let parts = RecordParts {
                message: Span::new(1, text.len()),
                host: Span::new(text.len(), text.len() + 4),
                tags: bit | Tag::Empty.bit(),
                fields: vec![Field {
                    value: Span::new(0, 1),
                    ..Field::default()
                }],
                extra: b"peer".to_vec(),
                ..RecordParts::default()
            };
            let received = Timestamp::from_seconds(i64::from(text.as_bytes()[0]));
            batch
                .push(text.as_bytes(), &parts, received, None, source)
                .expect("room");
        }
        batch
    }

    type Seen = (Vec<u8>, Vec<u8>, String, Vec<String>, Vec<u8>);

    fn seen(batch: &RecordBatch) -> Vec<Seen> {
        batch
            .iter()
            .map(|r| {
                let tags = r.tags().map(String::from).collect();
                let value = r
                    .fields()
                    .next()
                    .map(|f| f.value.to_vec())
                    .unwrap_or_default();
                (
                    r.raw().to_vec(),
                    r.host().to_vec(),
                    r.source().to_owned(),
                    tags,
                    value,
                )
            })
            .collect()
    }

    #[test]
    fn appending_keeps_every_record_and_its_names() {
        let first = batch("udp", "a", &["1x", "2y"]);
        let second = batch("tcp", "b", &["3z"]);
        let mut both = first.clone();
        both.append(&second).expect("room");
        let mut expected = seen(&first);
        expected.extend(seen(&second));
        assert_eq!(seen(&both), expected);
        assert_eq!(expected[2].3, ["syslog.empty", "b"]);

        let mut copied = RecordBatch::new();
        for record in both.iter() {
            copied.push_record(record).expect("room");
        }
        assert_eq!(seen(&copied), expected);
    }

    #[test]
    fn ranges_are_added_as_their_records_are() {
        let mut first = batch("tcp", "a", &["3x", "1y", "2zz"]);
        first
            .append(&batch("udp", "b", &["1q", "2"]))
            .expect("room");
        first.sort_by_received();
        for start in 0..=first.len() {
            for end in start..=first.len() {
                let mut one = batch("udp", "c", &["0"]);
                let mut other = one.clone();
                assert_eq!(one.append_range(&first, start..end), end - start);
                for record in first.iter().take(end).skip(start) {
                    other.push_record(record).expect("room");
                }
                assert_eq!(one, other, "{start}..{end}");
            }
        }
    }

    #[test]
    fn records_are_added_without_bytes_that_nobody_wants() {
        let mut first = batch("tcp", "a", &["3x", "1y", "2zz"]);
        first.sort_by_received();
        let mut some = RecordBatch::new();
        let mut asked = Vec::new();
        let added = some.append_chosen(&first, 0..3, |head| {
            asked.push(head.raw_len);
            head.raw_len > 2
        });
        assert_eq!((added, asked), (3, vec![2, 3, 2]));
        let (seen, all) = (seen(&some), seen(&first));
        assert_eq!(seen[1], all[1]);
        for index in [0, 2] {
            let (raw, host, source, tags, value) = &seen[index];
            assert!(raw.is_empty() && host.is_empty() && value.is_empty());
            assert_eq!((source, tags), (&all[index].2, &all[index].3));
        }
    }

    #[test]
    fn a_batch_that_is_reset_is_as_a_new_one() {
        let mut reset = batch("udp", "a", &["1x", "2y"]);
        reset.reset();
        assert_eq!(reset, RecordBatch::new());
        let again = batch("tcp", "b", &["3z"]);
        reset.append(&again).expect("room");
        assert_eq!(seen(&reset), seen(&again));
        assert_eq!(reset.source_index("udp"), Ok(1));
    }

    #[test]
    fn ranges_are_added_up_to_names_that_do_not_fit() {
        let mut many = RecordBatch::new();
        while many.tag_bit(&format!("tag {}", many.tags().len())).is_ok() {}
        let more = batch("tcp", "another", &["1", "2"]);
        assert_eq!(many.append_range(&more, 0..2), 0);
        assert!(many.is_empty());
        let mut mixed = batch("tcp", "tag 20", &["1"]);
        mixed.append(&more).expect("room");
        assert_eq!(many.append_range(&mixed, 0..3), 1);
        assert_eq!(seen(&many), seen(&batch("tcp", "tag 20", &["1"])));
    }

    #[test]
    fn records_can_be_set_whole() {
        let batch = batch("udp", "a", &["1x", "2yy"]);
        let parts = || {
            (
                batch.heads.clone(),
                batch.fields.clone(),
                batch.bytes.clone(),
            )
        };
        let mut copy = batch.clone();
        let (mut heads, fields, bytes) = parts();
        for head in &mut heads {
            (head.start, head.fields_start) = (7, 7);
        }
        assert_eq!(copy.set_records(heads, fields, bytes), Ok(()));
        assert_eq!(copy, batch);

        let (heads, fields, mut bytes) = parts();
        bytes.pop();
        assert_eq!(copy.set_records(heads, fields, bytes), Err(BatchFull));
        assert!(copy.is_empty());
    }

    #[test]
    fn batches_of_one_template_go_their_own_ways() {
        let mut template = batch("udp", "a", &["1x"]);
        template.clear();
        template.reserve(100, 10);
        let (mut one, mut two) = (template.clone(), template.clone());
        for record in batch("udp", "a", &["1x", "2y"]).iter() {
            one.push_record(record).expect("room");
        }
        for record in batch("tcp", "b", &["3z"]).iter() {
            two.push_record(record).expect("room");
        }
        let tags = SYSLOG_TAG_NAMES.len() + 1;
        assert_eq!((template.sources().len(), template.tags().len()), (1, tags));
        let mut expected = seen(&one);
        expected.extend(seen(&one));
        expected.extend(seen(&two));
        let mut all = one.clone();
        all.append(&one).expect("room");
        all.append(&two).expect("room");
        assert_eq!(seen(&all), expected);
    }

    #[test]
    fn tags_are_added_to_one_record() {
        let mut batch = batch("udp", "a", &["1", "2"]);
        let bit = batch.tag_bit("b").expect("room");
        batch.add_tags(1, bit);
        let tags: Vec<Vec<_>> = batch.iter().map(|r| r.tags().collect()).collect();
        assert_eq!(
            tags,
            [vec!["syslog.empty", "a"], vec!["syslog.empty", "a", "b"]]
        );
    }

    #[test]
    fn receipt_never_goes_back() {
        let mut batch = batch("udp", "a", &["2", "1", "3"]);
        let last = batch.make_received_monotone(Timestamp::from_seconds(0));
        let received: Vec<_> = batch
            .iter()
            .map(|r| r.received().nanos() / 1_000_000_000)
            .collect();
        assert_eq!(received, [50, 50, 51]);
        assert_eq!(last, Timestamp::from_seconds(51));
    }

    #[test]
    fn tags_have_a_limit() {
        let mut batch = RecordBatch::new();
        for index in SYSLOG_TAG_NAMES.len()..BATCH_TAGS_MAX {
            batch.tag_bit(&format!("tag{index}")).expect("room");
        }
        assert_eq!(batch.tag_bit("one more"), Err(BatchFull));
        assert!(batch.tag_bit("syslog.empty").is_ok());
    }

    #[test]
    fn field_names_match_in_ssb_and_short_form() {
        let field = FieldName {
            group: "win@1.2",
            name: "event_id",
        };
        for name in [
            "event_id",
            "EVENT_ID",
            "win@1.2.event_id",
            ".SDATA.win@1.2.Event_Id",
        ] {
            assert!(field.is_named(name), "{name}");
        }
        for name in ["event", "win@1.2", "1.2.event_id", "xwin@1.2.event_id", ""] {
            assert!(!field.is_named(name), "{name}");
        }
    }

    struct FieldName {
        group: &'static str,
        name: &'static str,
    }

    impl FieldName {
        fn is_named(&self, name: &str) -> bool {
            let (group, own) = (self.group.as_bytes(), self.name.as_bytes());
            crate::FieldRef {
                group,
                name: own,
                value: b"",
            }
            .is_named(name.as_bytes())
        }
    }
}
