//! Unions tell what lists told, whatever the columns are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use model::RecordNumber;
use proptest::prelude::*;

use super::*;
use crate::columns::{Column, encode};
use crate::merge::TermCursor;
use crate::page::PageWriter;
use crate::testing::{
    InMemory, accesses, any_batch, batch_of, build, compacted, merge_whole, naive_index, read,
    with_unions,
};
use crate::{BuildOptions, Builder, Built, Section};

fn listed(offset: u32) -> Listed {
    Listed {
        count: 5,
        location: Location::List { page: 0, offset },
    }
}

fn page_of(union: &Union) -> (PageEntry, Vec<u8>) {
    let (mut raw, mut file) = (Vec::new(), Vec::new());
    put_varint(100, &mut raw);
    union.encode(&mut raw);
    (PageWriter::new(1).append(&raw, &mut file), file)
}

fn any_numbers(end: u32) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(0..end, 1..9).prop_map(|numbers| numbers.into_iter().collect())
}

/// Rows of a part of a column of numbers below four, which follow from a seed.
fn part_rows(start: u32, rows: u32, seed: u32) -> PartRows {
    let values: Vec<[u8; 1]> = (0..rows)
        .map(|row| [b'0' + ((row.wrapping_mul(seed) >> 5) % 4) as u8])
        .collect();
    let values: Vec<&[u8]> = values.iter().map(|value| &value[..]).collect();
    let mut raw = Vec::new();
    encode(&values, &mut raw);
    let column = Column::decode(&mut Reader::new("column", &raw), values.len());
    PartRows {
        ordinals: start..start + rows,
        column: Arc::new(column.expect("valid")),
    }
}

/// A union of the ordinals of these parts with their codes, and of every 9th ordinal that no part has; and all of them.
fn union_of(parts: &[(PartRows, Vec<u32>)], end: u32) -> (Union, BTreeSet<u32>) {
    let (mut all, mut union) = (BTreeSet::new(), Union::default());
    for (number, (rows, codes)) in (0..).zip(parts) {
        let before = all.len();
        let mut own = Vec::new();
        rows.column.codes(0, &mut own);
        let told = rows.ordinals.clone().zip(own);
        all.extend(
            told.filter(|(_, code)| codes.contains(code))
                .map(|(ordinal, _)| ordinal),
        );
        union.parts.push(CodedOrdinals {
            part: number,
            track: 0,
            codes: codes.clone(),
            new: (all.len() - before) as u32,
        });
    }
    union.others = (0..end)
        .step_by(9)
        .filter(|ordinal| !all.contains(ordinal))
        .collect();
    all.extend(&union.others);
    (union, all)
}

proptest! {
    #[test]
    fn ordinals_before_edges_are_counted_as_one_by_one(
        parts in prop::collection::vec(
            (0..100_u32, 1..60_u32, any::<u32>(), prop::collection::btree_set(0..4_u32, 1..4)),
            1..7,
        ),
        // Most parts are on one side of each.
        edges in prop::collection::vec(prop::collection::btree_set(0..200_u32, 2..5), 1..3),
    ) {
        let parts = parts.into_iter();
        let parts = parts.map(|(start, rows, seed, codes)| {
            (part_rows(start, rows, seed), codes.into_iter().collect())
        });
        let parts: Vec<(PartRows, Vec<u32>)> = parts.collect();
        let (union, all) = union_of(&parts, 200);
        let edges = edges.into_iter().map(|ends| {
            let ends: Vec<u32> = ends.into_iter().collect();
            ends.chunks_exact(2).map(|ends| ends[0]..ends[1]).collect()
        });
        let edges: Vec<Vec<Range<u32>>> = edges.collect();
        let counts = union.count_before(
            &edges.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            |part| Ok::<_, Corrupt>(parts[part as usize].0.ordinals.clone()),
            |part| Ok((0, parts[part as usize].0.clone())),
        );
        let expected = edges.iter().map(|edge| {
            let is_before = |ordinal: &&u32| edge.iter().any(|range| range.contains(ordinal));
            all.iter().filter(is_before).count() as u64
        });
        prop_assert_eq!(counts, Ok(expected.collect::<Vec<u64>>()));
        let mut bits = vec![0; 25];
        let marked = union.mark_counted::<Corrupt>(&mut bits, |part| {
            Ok((0, parts[part as usize].0.clone()))
        });
        prop_assert_eq!(marked, Ok(()));
        prop_assert!(super::marked(&bits).into_iter().eq(all));
    }

    #[test]
    fn unions_round_trip(
        parts in prop::collection::btree_map((0..500_u32, 0..20_u32), any_numbers(1 << 20), 1..9),
        others in any_numbers(100),
    ) {
        let parts = parts.into_iter();
        let parts = parts.map(|((part, track), codes)| CodedOrdinals {
            part,
            track,
            new: part + track,
            codes,
        });
        let union = Union { parts: parts.collect(), others };
        let (entry, file) = page_of(&union);
        let page = UnionPage::decode(&entry, &file).expect("valid");
        prop_assert_eq!(page.union(&listed(1)), Ok(union));
    }

    #[test]
    fn any_bytes_are_survived(
        raw in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..60),
    ) {
        let mut file = Vec::new();
        let entry = PageWriter::new(1).append(&raw, &mut file);
        if let Ok(page) = UnionPage::decode(&entry, &file)
            && let Ok(union) = page.union(&listed(1))
        {
            let mut bits = vec![0; 20];
            let refused = union.mark(&mut bits, |_| Err::<Option<(u32, PartRows)>, ()>(()));
            prop_assert_eq!(refused.is_err(), !union.parts.is_empty());
        }
    }

    #[test]
    fn every_term_of_any_records_has_the_same_rows(batch in any_batch(60)) {
        let before = read(&build(&[batch]).bytes).expect("valid");
        let made = with_unions(&build(&before.chunks));
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(&before.terms, &after.terms);
        prop_assert_eq!(before.seen(), after.seen());
    }

    #[test]
    fn every_term_of_columns_has_the_same_rows(seed in any::<u64>(), count in 50..2_000_usize) {
        let batch = accesses(seed, count);
        let made = with_unions(&build(std::slice::from_ref(&batch)));
        prop_assert!(!made.footer.union_pages.is_empty());
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(&after.footer, &made.footer);
        prop_assert_eq!(&after.terms, &naive_index(&[batch]));
    }
}

/// Lines in which words stand at the ends of slots, joined by what is fixed or by other slots.
#[test]
fn words_that_go_on_beyond_a_value_are_not_taken_for_its_own() {
    let lines = (0..600_u32).map(|row| {
        let (one, two) = (row * 7 % 5, row * 11 % 3);
        format!("x{one}y{two} [a{one}b]=c{two}d k=v{one}{two} \"w{one} {two}w\"z {two}.{one}")
    });
    let batch = batch_of("udp", lines);
    let made = with_unions(&build(std::slice::from_ref(&batch)));
    assert!(!made.footer.union_pages.is_empty());
    let after = read(&made.bytes).expect("valid");
    assert_eq!(after.terms, naive_index(&[batch]));
}

#[test]
fn they_are_made_where_they_pay_and_leave_columns_as_they_are() {
    let built = build(&[accesses(1, 20_000)]);
    let made = compacted(&built, 15);
    assert!(!made.footer.union_pages.is_empty());
    let index = |footer: &crate::Footer| {
        let of = |section| {
            matches!(
                section,
                Section::Postings | Section::Unions | Section::Lexicon
            )
        };
        let pages = footer.pages().filter(|(section, _)| of(*section));
        pages
            .map(|(_, page)| u64::from(page.stored_len))
            .sum::<u64>()
    };
    assert!(index(&made.footer) * 2 < index(&built.footer));
    let again = compacted(&made, 15);
    assert!(again.bytes == made.bytes);
    // Nothing is said twice here.
    let few = build(&[batch_of(
        "udp",
        (0..500).map(|row| format!("{row} is done")),
    )]);
    assert!(compacted(&few, 15).footer.union_pages.is_empty());
}

#[test]
fn what_is_merged_has_lists_again() {
    let mut first = accesses(2, 1_500);
    let mut second = accesses(3, 900);
    let last = first.make_received_monotone(model::Timestamp::MIN);
    second.make_received_monotone(last);
    let build_from = |number, batch: &model::RecordBatch| {
        let mut builder = Builder::new(BuildOptions {
            first_number: RecordNumber(number),
            ..BuildOptions::default()
        });
        builder.push(batch).expect("in order");
        builder.finish().expect("small")
    };
    let parts = [build_from(1, &first), build_from(1_501, &second)];
    let merged = |parts: &[Built; 2]| {
        let inputs = parts
            .each_ref()
            .map(|built| InMemory(&built.bytes, &built.footer));
        merge_whole(&inputs, 3).expect("merges")
    };
    let plain = merged(&parts);
    let made = merged(&parts.each_ref().map(with_unions));
    assert!(made.footer.union_pages.is_empty());
    assert!(made.bytes == plain.bytes);
}

#[test]
fn a_damaged_column_or_union_page_is_named() {
    let made = with_unions(&build(&[accesses(4, 2_000)]));
    let column = made.footer.chunks[0].columns[0];
    for page in [column, made.footer.union_pages[0]] {
        let mut damaged = made.clone();
        damaged.bytes[page.offset as usize + 9] ^= 1;
        let input = InMemory(&damaged.bytes, &damaged.footer);
        let mut terms = TermCursor::new(&input, 0).expect("whole");
        let mut offsets = BTreeSet::new();
        while terms.key().is_some() {
            if let Err(crate::MergeError::Damaged { offset, .. }) = terms.slot_ordinals() {
                offsets.insert(offset);
            }
            terms.advance().expect("whole");
        }
        assert_eq!(offsets.into_iter().collect::<Vec<_>>(), [page.offset]);
    }
}
