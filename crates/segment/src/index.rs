//! The index of a segment: records into terms, terms into posting pages and lexicon pages.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use model::RecordRef;
use model::words::is_wildcard_stop;

use crate::Namespace;
use crate::footer::{Counts, Footer};
use crate::lexicon::LexiconWriter;
use crate::page::{PageEntry, PageWriter};
use crate::postings::PostingWriter;
use crate::term::{Location, TermEntry};
use crate::terms::{Term, Terms};
use crate::wire::put_varint;

/// Adds the words and numbers of a record, and counts it. Rows do not go back.
pub(crate) fn add_record(record: RecordRef<'_>, row: u32, terms: &mut Terms, counts: &mut Counts) {
    let severity = record.priority().severity().number();
    let facility = record.priority().facility().number();
    terms.add_number(Namespace::Severity, severity);
    terms.add_number(Namespace::Facility, facility);
    counts.severity[usize::from(severity)] += 1;
    counts.facility[usize::from(facility)] += 1;

    let mut has_words = false;
    let each = Namespace::WORDS
        .iter()
        .zip(&mut counts.present)
        .zip(&mut counts.worded);
    for ((namespace, present), worded) in each {
        let (is_present, is_worded) = if *namespace == Namespace::Tag {
            add_tags(record, terms)
        } else {
            let text = namespace.text(record).unwrap_or(&[]);
            (!text.is_empty(), terms.add_text(*namespace, text))
        };
        *present += u32::from(is_present);
        *worded += u32::from(is_worded);
        has_words |=
            is_worded && matches!(namespace, Namespace::Message | Namespace::StructuredData);
    }
    terms.close_row(row);
    let is_text = |text: &[u8]| text.iter().any(|byte| !is_wildcard_stop(*byte));
    let has_text = has_words || is_text(record.message()) || is_text(record.structured_data());
    counts.with_words += u32::from(has_words);
    counts.with_text += u32::from(has_text);
}

/// Adds the words of the names of a record's tags: whether there are tags, and words.
fn add_tags(record: RecordRef<'_>, terms: &mut Terms) -> (bool, bool) {
    let (mut is_present, mut is_worded) = (false, false);
    if record.head().tags != 0 {
        for name in record.tags() {
            is_present = true;
            is_worded |= terms.add_text(Namespace::Tag, name.as_bytes());
        }
    }
    (is_present, is_worded)
}

/// Writes the posting pages, then the lexicon pages, and enters them in the footer.
pub(crate) fn write(
    terms: &Terms,
    footer: &mut Footer,
    pages: &mut PageWriter,
    file: &mut Vec<u8>,
) {
    let order = terms.sorted();
    let mut lists = Lists::new(terms, footer.rows);
    let entries: Vec<_> = order
        .iter()
        .filter_map(|number| terms.get(*number))
        .map(|term| lists.entry(term, pages, file))
        .collect();
    footer.posting_pages = lists.writer.finish(pages, file);

    let mut lexicon = LexiconWriter::new(footer.rows);
    let mut key = Vec::new();
    let sorted = order.iter().filter_map(|number| terms.get(*number));
    for (term, entry) in sorted.zip(entries) {
        terms.key_into(term, &mut key);
        lexicon.push(&key, entry, pages, file);
    }
    footer.lexicon_pages = lexicon.finish(pages, file);
}

/// Writes the lists of terms, equal ones once.
struct Lists<'a> {
    terms: &'a Terms,
    segment_rows: u32,
    writer: PostingWriter,
    /// The first term with a list, and where the list is, by the hash of the list.
    known: HashMap<u64, (&'a Term, Location)>,
    list: Vec<u8>,
    other: Vec<u8>,
}

impl<'a> Lists<'a> {
    fn new(terms: &'a Terms, segment_rows: u32) -> Self {
        Self {
            terms,
            segment_rows,
            writer: PostingWriter::new(segment_rows),
            known: HashMap::new(),
            list: Vec::new(),
            other: Vec::new(),
        }
    }

    fn entry(&mut self, term: &'a Term, pages: &mut PageWriter, file: &mut Vec<u8>) -> TermEntry {
        let location = if term.rows == self.segment_rows {
            Location::All
        } else if term.rows == 1 {
            Location::Row(term.first_row)
        } else {
            self.list(term, pages, file)
        };
        TermEntry {
            rows: term.rows,
            location,
        }
    }

    fn list(&mut self, term: &'a Term, pages: &mut PageWriter, file: &mut Vec<u8>) -> Location {
        encode(self.terms, term, &mut self.list);
        // Without random keys, so that even a collision gives the same bytes.
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.list);
        let hash = hasher.finish();
        if let Some((known, location)) = self.known.get(&hash)
            && known.rows == term.rows
            && known.first_row == term.first_row
        {
            encode(self.terms, known, &mut self.other);
            if self.list == self.other {
                return *location;
            }
        }
        let location = self.writer.push(&self.list, pages, file);
        self.known.insert(hash, (term, location));
        location
    }
}

/// Writes lists whose terms are not at hand any more, equal ones once.
///
/// A list is known by its hash and length and compared with nothing: 128 bits do not collide.
pub(crate) struct SharedLists {
    writer: PostingWriter,
    known: HashMap<(u64, u64), Location>,
}

impl SharedLists {
    pub(crate) fn new(segment_rows: u32) -> Self {
        Self {
            writer: PostingWriter::new(segment_rows),
            known: HashMap::new(),
        }
    }

    /// Where a list is.
    pub(crate) fn push(
        &mut self,
        list: &[u8],
        pages: &mut PageWriter,
        file: &mut Vec<u8>,
    ) -> Location {
        *self
            .known
            .entry(wide_hash(list))
            .or_insert_with(|| self.writer.push(list, pages, file))
    }

    /// Writes the last page and returns all entries.
    pub(crate) fn finish(self, pages: &mut PageWriter, file: &mut Vec<u8>) -> Vec<PageEntry> {
        self.writer.finish(pages, file)
    }
}

/// Two hashes of a list, without random keys, so that the same input gives the same bytes.
fn wide_hash(list: &[u8]) -> (u64, u64) {
    let mut first = DefaultHasher::new();
    first.write(list);
    let mut second = DefaultHasher::new();
    second.write_u8(1);
    second.write(list);
    (first.finish(), second.finish())
}

/// Replaces `list` by the list of a term.
fn encode(terms: &Terms, term: &Term, list: &mut Vec<u8>) {
    list.clear();
    put_varint(u64::from(term.first_row), list);
    terms.list_into(term, list);
}
