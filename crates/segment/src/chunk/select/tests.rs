//! Rows selected by their texts, compared with a look at every record.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use model::{RecordBatch, RecordParts, RecordRef, Span, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::chunk::tests::{
    chunk, of_a_kind, opened, repeated, row_kinds, row_metadata_page, stored,
};
use crate::testing::any_batch;
use crate::{ChunkEntry, Corrupt, Namespace};

/// Passes texts with some bytes in them.
struct Holds(&'static [u8]);

impl TextTest for Holds {
    fn passes(&mut self, text: &[u8]) -> bool {
        self.0.is_empty() || text.windows(self.0.len()).any(|window| window == self.0)
    }

    fn passes_around(&mut self, bytes: &[u8], _: Edges) -> bool {
        self.passes(bytes)
    }

    fn is_cut(&self, byte: u8) -> bool {
        byte.is_ascii() && !self.0.contains(&byte)
    }

    fn may_pass_with(&self, bytes: &ByteSet) -> bool {
        let has = |byte: &u8| bytes[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
        self.0.iter().all(has)
    }
}

/// Passes texts that end with some bytes.
struct EndsWith(&'static [u8]);

impl TextTest for EndsWith {
    fn passes(&mut self, text: &[u8]) -> bool {
        text.ends_with(self.0)
    }

    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool {
        edges.is_end && self.passes(bytes)
    }
}

/// Passes texts that start with some bytes.
struct StartsWith(&'static [u8]);

impl TextTest for StartsWith {
    fn passes(&mut self, text: &[u8]) -> bool {
        text.starts_with(self.0)
    }

    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool {
        edges.is_start && self.passes(bytes)
    }
}

/// Any of the others.
struct Any<'a>(&'a mut dyn TextTest);

impl TextTest for Any<'_> {
    fn passes(&mut self, text: &[u8]) -> bool {
        self.0.passes(text)
    }

    fn passes_around(&mut self, bytes: &[u8], edges: Edges) -> bool {
        self.0.passes_around(bytes, edges)
    }
}

/// Passes texts of a length, so that nothing follows from a part.
struct HasLen(usize);

impl TextTest for HasLen {
    fn passes(&mut self, text: &[u8]) -> bool {
        text.len() % 5 == self.0
    }

    fn passes_around(&mut self, _: &[u8], _: Edges) -> bool {
        false
    }
}

/// Passes whole numbers of a range, by the text or by the number.
struct IsWithin(RangeInclusive<i64>);

impl TextTest for IsWithin {
    fn passes(&mut self, text: &[u8]) -> bool {
        let number = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok());
        number.is_some_and(|number| self.0.contains(&number))
    }

    fn passes_around(&mut self, _: &[u8], _: Edges) -> bool {
        false
    }

    fn integers(&self) -> Option<RangeInclusive<i64>> {
        Some(self.0.clone())
    }
}

fn zone_maps(file: &[u8], entry: &ChunkEntry) -> Option<ZoneMaps> {
    let page = entry.zone_maps.as_ref()?;
    Some(ZoneMaps::decode(page, stored(file, page)).expect("valid"))
}

fn texts<'a>(part: &TextPart<'_>, record: RecordRef<'a>) -> Vec<&'a [u8]> {
    match part {
        TextPart::Part(Namespace::Host) => vec![record.host()],
        TextPart::Part(Namespace::StructuredData) => vec![record.structured_data()],
        TextPart::Part(Namespace::Pid) => vec![record.pid()],
        TextPart::Part(_) => vec![record.message()],
        TextPart::Field(name) => {
            let fields = record.fields().filter(|field| field.is_named(name));
            fields.map(|field| field.value).collect()
        }
    }
}

fn check(
    batch: &RecordBatch,
    parts: &[TextPart<'_>],
    mut test: impl TextTest,
) -> Result<(), TestCaseError> {
    let (file, entry, kinds) = chunk(batch);
    let opened = opened(&file, &entry, &kinds);
    let row_kinds = row_kinds(&file, &entry);
    let rows = (0..batch.len() as u32).filter(|row| row % 7 != 3);
    let mut ordinals: Vec<u32> = row_kinds
        .with_ordinals(rows.clone(), |number| {
            row_metadata_page(&file, &entry, number)
        })
        .expect("valid")
        .into_iter()
        .map(|(_, ordinal)| ordinal)
        .collect();
    ordinals.sort_unstable();
    let mut hints = Hints::default();
    let zone_maps = zone_maps(&file, &entry);
    let mut select = |zone_maps: Option<&ZoneMaps>| {
        opened.select(
            parts,
            &ordinals,
            &mut test,
            (&mut hints, &|| zone_maps),
            |index| {
                let page = &entry.columns[index];
                Ok::<_, Corrupt>(Arc::new(ColumnPage::open(page, stored(&file, page))?))
            },
        )
    };
    let (first, selected) = (select(None), select(zone_maps.as_ref()));
    prop_assert_eq!(
        (first.passed, first.open),
        (selected.passed.clone(), selected.open.clone())
    );
    let mut told = Vec::new();
    for (kind, rows) in row_kinds.kinds() {
        told.extend((0..*rows).map(|_| kinds.passes(*kind, parts, &mut test)));
    }
    let mut passes = |row: &u32| {
        let record = batch.get(*row as usize).expect("there");
        let mut texts = parts.iter().flat_map(|part| texts(part, record));
        texts.any(|text| test.passes(text))
    };
    let asked: BTreeSet<u32> = rows.clone().collect();
    let expected: BTreeSet<u32> = rows.clone().filter(&mut passes).collect();
    let rows_of = |mut ordinals: Vec<u32>| -> BTreeSet<u32> {
        ordinals.sort_unstable();
        let rows =
            row_kinds.at_ordinals(&ordinals, |number| row_metadata_page(&file, &entry, number));
        let rows = rows.expect("valid").into_iter();
        rows.map(|(row, _)| row).collect()
    };
    let open = rows_of(selected.open);
    let passed = rows_of(selected.passed.clone());
    prop_assert_eq!(passed.len(), selected.passed.len(), "a row passes once");
    prop_assert!(open.is_subset(&asked) && passed.is_disjoint(&open));
    let settled: BTreeSet<u32> = expected.difference(&open).copied().collect();
    prop_assert_eq!(passed, settled);
    for (row, ordinal) in row_kinds
        .with_ordinals(rows, |number| row_metadata_page(&file, &entry, number))
        .expect("valid")
    {
        let told = told[ordinal as usize];
        prop_assert!(told.is_none_or(|told| told == expected.contains(&row)));
    }
    Ok(())
}

proptest! {
    #[test]
    fn selected_rows_are_those_whose_texts_pass(
        batch in any_batch(12),
        times in 1..20_usize,
        bytes in select(vec!["", "error", "of 10", "x_y", "\u{e9}", "0"]),
        len in 0..5_usize,
        name in select(vec!["error", "10", "web", "", "of.error"]),
    ) {
        let batch = repeated(&batch, times);
        prop_assume!(!batch.is_empty());
        let name = batch.iter().flat_map(|record| record.fields()).next().map_or_else(
            || name.as_bytes().to_vec(),
            |field| if len % 2 == 0 { field.name.to_vec() } else { field.full_name().into_bytes() },
        );
        let parts = [
            vec![TextPart::Part(Namespace::Message), TextPart::Part(Namespace::StructuredData)],
            vec![TextPart::Part(Namespace::Host)],
            vec![TextPart::Field(&name)],
        ];
        for parts in parts {
            check(&batch, &parts, Holds(bytes.as_bytes()))?;
            check(&batch, &parts, StartsWith(bytes.as_bytes()))?;
            check(&batch, &parts, EndsWith(bytes.as_bytes()))?;
            check(&batch, &parts, HasLen(len))?;
            check(&batch, &parts, IsWithin(5..=10))?;
        }
    }
}

#[test]
fn a_kind_decides_without_its_columns() {
    let batch = of_a_kind(100);
    let (file, entry, kinds) = chunk(&batch);
    let opened = opened(&file, &entry, &kinds);
    let all: Vec<u32> = (0..100).collect();
    let message = [TextPart::Part(Namespace::Message)];
    let mut pages = 0;
    let mut ask = |parts: &[TextPart<'_>], bytes| {
        let before = pages;
        let selected = opened.select(
            parts,
            &all,
            &mut Holds(bytes),
            (&mut Hints::default(), &|| None),
            |index| {
                pages += 1;
                let page = &entry.columns[index];
                Ok::<_, Corrupt>(Arc::new(ColumnPage::open(page, stored(&file, page))?))
            },
        );
        (selected.passed.len(), selected.looked_at, pages > before)
    };
    assert_eq!(ask(&message, b" from "), (100, 0, false));
    let (number, _) = row_kinds(&file, &entry).kinds()[0];
    let tells = |bytes| kinds.passes(number, &message, &mut Holds(bytes));
    assert_eq!((tells(b" from "), tells(b" 42 from")), (Some(true), None));
    assert_eq!(ask(&message, b" 42 from"), (1, 100, true));
    assert_eq!(
        ask(&[TextPart::Part(Namespace::Host)], b"web"),
        (0, 0, false)
    );
    assert_eq!(ask(&[TextPart::Field(b"user")], b""), (0, 0, false));
}

#[test]
fn what_a_text_ends_with_is_known_of_a_kind() {
    let batch = of_a_kind(100);
    let (file, entry, kinds) = chunk(&batch);
    let opened = opened(&file, &entry, &kinds);
    let all: Vec<u32> = (0..100).collect();
    let message = [TextPart::Part(Namespace::Message)];
    let passed = |test: &mut dyn TextTest| {
        let none = |_| Err(Corrupt::Short { what: "a page" });
        opened
            .select(
                &message,
                &all,
                &mut Any(test),
                (&mut Hints::default(), &|| None),
                none,
            )
            .passed
            .len()
    };
    assert_eq!(passed(&mut EndsWith(b" ms")), 100);
    assert_eq!(passed(&mut StartsWith(b"request ")), 100);
    // Fixed too, and in the middle.
    assert_eq!(passed(&mut EndsWith(b" took ")), 0);
    assert_eq!(passed(&mut StartsWith(b" from ")), 0);
}

/// So many records whose hosts are the first bytes of their texts, so many, and whose messages stand a space
/// behind those; given for each a number that is like no other, what it is.
fn of_hosts(rows: u64, host_len: usize, text: impl Fn(u64, u64) -> String) -> RecordBatch {
    let mut batch = RecordBatch::new();
    for number in 0..rows {
        let raw = text(number, number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let parts = RecordParts {
            host: Span::new(0, host_len),
            message: Span::new(host_len + 1, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(number as i64);
        batch
            .push(raw.as_bytes(), &parts, received, None, 0)
            .expect("room");
    }
    batch
}

/// How many records pass by a part of them, which pages are read for that, and how many there are.
fn read_for(
    batch: &RecordBatch,
    part: Namespace,
    test: &mut impl TextTest,
    hints: &mut Hints,
) -> (usize, BTreeSet<usize>, usize) {
    let (file, entry, kinds) = chunk(batch);
    let opened = opened(&file, &entry, &kinds);
    let ordinals: Vec<u32> = (0..batch.len() as u32).collect();
    let mut pages = BTreeSet::new();
    let parts = [TextPart::Part(part)];
    let zone_maps = zone_maps(&file, &entry);
    let known = || zone_maps.as_ref();
    let selected = opened.select(&parts, &ordinals, test, (hints, &known), |index| {
        pages.insert(index);
        let page = &entry.columns[index];
        Ok::<_, Corrupt>(Arc::new(ColumnPage::open(page, stored(&file, page))?))
    });
    (selected.passed.len(), pages, entry.columns.len())
}

#[test]
fn a_slot_that_tells_is_all_that_is_read_of_a_row() {
    let batch = of_hosts(8_000, 3, |_, mixed| {
        let lamp = 1_000 + mixed % 1_000;
        format!("web {mixed:016x} is lit by {mixed:016x} and lamp-{lamp}")
    });
    let message = Namespace::Message;
    let none = &mut Hints::default();
    let (passed, pages, _) = read_for(&batch, message, &mut Holds(b"lamp-1"), none);
    let (not_passed, more_pages, all) = read_for(&batch, message, &mut Holds(b" dark "), none);
    assert_eq!((passed, not_passed, more_pages.len()), (8_000, 0, all));
    assert!(pages.len() < all, "{pages:?}");
}

/// Identifiers, numbers and words side by side, in as many rows that some are asked together.
fn identified(rows: u64) -> RecordBatch {
    of_hosts(rows, 3, |row, mixed| {
        let (other, unit) = (
            mixed.rotate_left(31) ^ row,
            ["ms", "us", "s"][row as usize % 3],
        );
        format!(
            "web trace={mixed:016x} took {row} {unit}, span=0x{other:012x}{row:x}, {mixed} done"
        )
    })
}

#[test]
fn rows_that_are_asked_together_are_those_that_pass() {
    let batch = identified(6_000);
    let message = [TextPart::Part(Namespace::Message)];
    // In few rows, in one, in none, over what is fixed, and in most.
    for wanted in [
        "ab1f", "9e3779b9", "fedcba98", "=0x0", "us, sp", "5 ms", "7", "took", "0 done",
    ] {
        check(&batch, &message, Holds(wanted.as_bytes())).expect(wanted);
    }
}

#[test]
fn rows_whose_columns_cannot_be_read_are_open() {
    let batch = identified(3_000);
    let (file, entry, kinds) = chunk(&batch);
    let opened = opened(&file, &entry, &kinds);
    let ordinals: Vec<u32> = (0..3_000).collect();
    let message = [TextPart::Part(Namespace::Message)];
    for lost in 0..entry.columns.len() {
        let hints = &mut Hints::default();
        let mut test = Holds(b"fedcba98");
        let selected = opened.select(&message, &ordinals, &mut test, (hints, &|| None), |index| {
            let page = &entry.columns[index];
            match index == lost {
                true => Err(Corrupt::Short { what: "a page" }),
                false => Ok(Arc::new(ColumnPage::open(page, stored(&file, page))?)),
            }
        });
        assert_eq!(selected.passed, [], "{lost}");
        let open: BTreeSet<u32> = selected.open.iter().copied().collect();
        assert_eq!(open.len(), selected.open.len(), "each once");
        assert!(!open.is_empty(), "{lost}");
    }
}

#[test]
fn columns_without_the_bytes_it_takes_are_not_read_once_rows_have_failed() {
    let batch = of_hosts(40_000, 3, |_, mixed| {
        format!("web {mixed:016x} is lit by {mixed:020} and {mixed:x}")
    });
    let none = &mut Hints::default();
    let mut pages_for = |wanted| {
        let (passed, pages, all) = read_for(&batch, Namespace::Message, &mut Holds(wanted), none);
        assert_eq!(passed, 0);
        (pages.len(), all)
    };
    let (with_letters, all) = pages_for(b"xyz");
    let (with_digits, _) = pages_for(b"00000000000000000000a");
    assert!(
        with_letters < with_digits && with_digits <= all,
        "{with_letters} {with_digits} of {all}"
    );
}

#[test]
fn what_told_of_a_kind_is_asked_first_in_the_next_chunk() {
    let batch = of_hosts(8_000, 3, |_, mixed| {
        let lamp = 1_000 + mixed % 1_000;
        format!("web {lamp}x on x{mixed:04x} is lit by {mixed:016x} and {mixed:x}")
    });
    let mut hints = Hints::default();
    // In one slot, and over two.
    for wanted in [&b"x on "[..], b"x on x"] {
        let mut read = || read_for(&batch, Namespace::Message, &mut Holds(wanted), &mut hints);
        let (passed, first, _) = read();
        let (still_passed, second, _) = read();
        assert_eq!((passed, still_passed), (8_000, 8_000));
        assert!(second.len() < first.len(), "{second:?} of {first:?}");
    }
}

#[test]
fn texts_of_one_part_lie_in_pages_of_their_own() {
    let batch = of_hosts(8_000, 8, |number, mixed| {
        let word = char::from(b'a' + (number % 20) as u8);
        format!("web-{:04x} {word}{word}{word} {mixed:016x}", mixed >> 48)
    });
    let (_, hosts, all) = read_for(
        &batch,
        Namespace::Host,
        &mut HasLen(9),
        &mut Hints::default(),
    );
    let (_, messages, _) = read_for(
        &batch,
        Namespace::Message,
        &mut HasLen(9),
        &mut Hints::default(),
    );
    assert_eq!(hosts.union(&messages).count(), all);
    // At most one page has both: that in which the hosts end.
    assert!(hosts.intersection(&messages).count() <= 1);
    assert!(hosts.len() < messages.len(), "{hosts:?} {messages:?}");
}

/// Records that are nothing but these process ids.
fn of_pids(pids: impl Iterator<Item = String>) -> RecordBatch {
    let mut batch = RecordBatch::new();
    for (number, pid) in (0..).zip(pids) {
        let parts = RecordParts {
            pid: Span::new(0, pid.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(number);
        batch
            .push(pid.as_bytes(), &parts, received, None, 0)
            .expect("room");
    }
    batch
}

#[test]
fn numbers_are_compared_without_their_texts() {
    for pid in ["1", "007", "-3", "18446744073709551615", "", "x"] {
        let batch = of_pids((0..300_u32).map(|number| match number % 50 {
            7 => pid.to_owned(),
            _ => number.to_string(),
        }));
        let part = [TextPart::Part(Namespace::Pid)];
        for range in [0..=6, 100..=i64::MAX, i64::MIN..=-1, 8..=8] {
            check(&batch, &part, IsWithin(range)).expect("the same rows");
        }
    }
}

#[test]
fn numbers_that_all_pass_or_none_are_known_without_their_columns() {
    let batch = of_pids((1_000..1_300_u32).map(|number| number.to_string()));
    for (range, passing, is_read) in [
        (1_300..=9_999, 0, false),
        (i64::MIN..=999, 0, false),
        (1_000..=1_299, 300, false),
        (0..=i64::MAX, 300, false),
        (1_100..=1_299, 200, true),
        (1_100..=1_109, 10, true),
    ] {
        let mut test = IsWithin(range.clone());
        let (passed, pages, _) = read_for(&batch, Namespace::Pid, &mut test, &mut Hints::default());
        assert_eq!((passed, !pages.is_empty()), (passing, is_read), "{range:?}");
    }
}

#[test]
fn rows_with_a_damaged_column_are_left_open() {
    let batch = of_a_kind(200);
    let (file, entry, kinds) = chunk(&batch);
    let opened = opened(&file, &entry, &kinds);
    let message = [TextPart::Part(Namespace::Message)];
    let all: Vec<u32> = (0..200).collect();
    let damaged = Corrupt::Short { what: "test" };
    let selected = opened.select(
        &message,
        &all,
        &mut Holds(b"7 ms"),
        (&mut Hints::default(), &|| None),
        |_| Err(damaged),
    );
    assert!(selected.passed.is_empty());
    assert_eq!(selected.open.len(), 200);
}
