//! The values of a field of many records: by kinds and columns in segments, message by message where those
//! do not tell, and record by record where it may be in structured data, and in the tail.

use model::RecordRef;
use query::{Leaf, Target, Test};
use segment::KindRows;
use store::{OpenChunk, Part, ReadError, SegmentHandle};
use text_fields::Lead;

use crate::chunks::{ChunkSink, each_chunk};
use crate::evaluate::with_field;
use crate::field_reader::{FieldReader, MessageSink, Messages, ValueSink, Where, read_data};
use crate::in_text::{InText, Places};
use crate::part::Block;
use crate::row_set::RowSet;
use crate::run::Run;

/// What becomes of values, and of records that have to be looked at.
pub(crate) trait RecordSink: ValueSink {
    /// A record, with all its values.
    fn record(&mut self, record: RecordRef<'_>);

    /// The records of a block.
    fn records(&mut self, block: &Block) {
        for (_, record) in block.records() {
            self.record(record);
        }
        self.settle();
    }
}

/// Reads the values of the fields of a name.
#[derive(Clone, Debug)]
pub(crate) struct FieldValues {
    reader: FieldReader,
    in_text: InText,
    /// Where the rows of the segment at hand may have it in their messages.
    places: Places,
}

impl FieldValues {
    /// For the fields of this name.
    pub(crate) fn new(name: &str) -> Self {
        let leaf = Leaf {
            target: Target::Named(name.to_owned()),
            test: Test::Present,
        };
        Self {
            reader: FieldReader::new(name.as_bytes()),
            in_text: InText::new(name, &leaf),
            places: Places::default(),
        }
    }

    /// Hands the values of rows of a part to `sink`. A row whose values are not handed over as those of a record
    /// or of a message has one at most.
    pub(crate) fn read(
        &mut self,
        run: &mut Run<'_>,
        part: &Part,
        set: RowSet,
        sink: &mut (impl MessageSink + RecordSink),
    ) {
        let set = self.with_field(part, set);
        self.read_among(run, part, &set, sink);
    }

    /// Reads rows that may have a value.
    fn read_among(
        &mut self,
        run: &mut Run<'_>,
        part: &Part,
        set: &RowSet,
        sink: &mut (impl MessageSink + RecordSink),
    ) {
        self.begin(part, set);
        each_chunk(run, part, set, &mut FieldChunks { values: self, sink });
    }

    /// The rows of a part, of some, that may have a value.
    pub(crate) fn with_field(&mut self, part: &Part, set: RowSet) -> RowSet {
        let Part::Segment(segment) = part else {
            return set;
        };
        let (set, in_text) = with_field(self.in_text.ask(), set, segment);
        self.in_text.turn_to(segment, in_text);
        set
    }

    /// Makes ready to read some rows of a part, of those that [`Self::with_field`] has returned.
    pub(crate) fn begin(&mut self, part: &Part, set: &RowSet) {
        if let Part::Segment(segment) = part {
            self.places = self.in_text.places(segment, set);
        }
    }

    /// Hands the values of rows of a chunk with some ordinals, which ascend, to `sink`; returns the ordinals of those
    /// whose records have to be looked at. They are of those that [`Self::begin`] was told of.
    pub(crate) fn read_chunk(
        &mut self,
        opened: &OpenChunk<'_>,
        ordinals: &[u32],
        sink: &mut impl MessageSink,
    ) -> Vec<u32> {
        let first = ordinals.first().copied().unwrap_or_default();
        let range = first..ordinals.last().map_or(first, |last| last + 1);
        let (done, mut open) = self.read_data(opened, ordinals, sink);
        for (rows, place) in [
            (&self.places.anywhere, Where::Anywhere),
            (&self.places.in_log, Where::InLog),
        ] {
            let mut own = rows.first_rows(&range, usize::MAX);
            own.retain(|ordinal| !done.contains(*ordinal));
            let kinds = opened.kind_rows(&own);
            let left = self.reader.read(opened, &kinds, place, sink);
            for kind in opened.kind_rows(&left) {
                self.read_messages(opened, &kind, place, sink, &mut open);
            }
        }
        open.sort_unstable();
        open
    }

    /// Hands messages of a kind to `sink`, and adds the ordinals of those that cannot be had without their records to
    /// `open`.
    fn read_messages(
        &self,
        opened: &OpenChunk<'_>,
        kind: &KindRows<'_>,
        place: Where,
        sink: &mut impl MessageSink,
        open: &mut Vec<u32>,
    ) {
        let name = self.reader.name();
        let is_no_use =
            |start: &[u8]| place == Where::InLog && Lead::of(name, start) == Lead::NoLog;
        let mut messages = Messages::of(kind);
        for (ordinal, rank) in kind.ranked() {
            let ordinal = opened.ordinal(ordinal);
            let message = messages
                .as_mut()
                .map(|messages| messages.get(opened, kind, rank, is_no_use));
            match message {
                Some(Ok(Some(message))) => sink.message(ordinal, None, message),
                Some(Ok(None)) => {}
                Some(Err(_)) | None => open.push(ordinal),
            }
            if sink.is_full() {
                sink.settle();
            }
        }
    }

    /// Hands the values in structured data to `sink`; returns the rows that are done with or have to be looked at, and
    /// the ordinals of the latter.
    fn read_data(
        &mut self,
        opened: &OpenChunk<'_>,
        ordinals: &[u32],
        sink: &mut impl MessageSink,
    ) -> (RowSet, Vec<u32>) {
        let name = self.reader.name();
        let Places { anywhere, in_log } = &self.places;
        let is_in_text = |ordinal| anywhere.contains(ordinal) || in_log.contains(ordinal);
        let (mut done, mut open) = (Vec::new(), Vec::new());
        for kind in opened.kind_rows(ordinals) {
            let fields = kind.fields_named(name);
            if fields.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let Some(fields) = fields else {
                let own = kind.ranked().map(|(ordinal, _)| opened.ordinal(ordinal));
                let from = open.len();
                open.extend(own);
                done.extend_from_slice(open.get(from..).unwrap_or(&[]));
                continue;
            };
            let mut read = read_data(opened, &kind, (name, &fields), is_in_text, sink);
            done.append(&mut read.with);
            open.append(&mut read.open);
        }
        (RowSet::from_sorted(&done), open)
    }
}

/// Reads a field chunk by chunk.
struct FieldChunks<'s, S> {
    values: &'s mut FieldValues,
    sink: &'s mut S,
}

impl<S: MessageSink + RecordSink> ChunkSink for FieldChunks<'_, S> {
    fn chunk(
        &mut self,
        segment: &SegmentHandle,
        chunk: usize,
        ordinals: &[u32],
    ) -> Result<Vec<u32>, ReadError> {
        let opened = segment.open_chunk(chunk)?;
        let open = self.values.read_chunk(&opened, ordinals, self.sink);
        self.sink.settle();
        Ok(open)
    }

    fn block(&mut self, block: &Block) {
        self.sink.records(block);
    }
}
