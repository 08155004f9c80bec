use std::collections::HashMap;

use proptest::prelude::*;

use super::check::wrong_parts;
use super::*;
use crate::compare::compare;
use crate::limits::COUNTED_SEGMENT_ROWS_MIN;
use crate::page::PageWriter;
use crate::testing::{
    InMemory, accesses, any_batch, batch_of, build, compacted, identified, merge_whole, read,
    stored, with_values,
};
use crate::{Built, Difference, mend};

/// The values of all parts, with the rows of all parts of each.
fn all_values(built: &Built) -> HashMap<(String, bool), u32> {
    let mut all = HashMap::new();
    for entry in &built.footer.value_pages {
        let page = ValuePage::decode(entry, stored(&built.bytes, entry)).expect("valid");
        for part in 0..entry.rows as usize {
            for (text, rows) in page.part(part) {
                let own = page.text(text).expect("there");
                let text = String::from_utf8(own.text.to_vec()).expect("text");
                *all.entry((text, own.has_numbers)).or_default() += rows;
            }
        }
        assert_eq!(page.part(entry.rows as usize).count(), 0);
    }
    all
}

proptest! {
    /// Reading compares what is said with the columns.
    #[test]
    fn values_of_any_records_are_those_of_their_columns(batch in any_batch(60)) {
        let before = read(&build(&[batch]).bytes).expect("valid");
        let made = with_values(&build(&before.chunks));
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(before.seen(), after.seen());
        prop_assert_eq!(&after.footer, &made.footer);
    }

    #[test]
    fn values_of_logs_are_those_of_their_columns(seed in any::<u64>(), count in 50..2_000_usize) {
        let made = with_values(&build(&[accesses(seed, count)]));
        let after = read(&made.bytes).expect("valid");
        prop_assert!(!after.footer.value_pages.is_empty());
        read(&with_values(&build(&[identified(seed, count)])).bytes).expect("valid");
    }
}

/// What there are few of, numbers as well; of many numbers what they have in common; and no identifiers.
#[test]
fn what_comes_often_is_counted() {
    let line = |row: u64| {
        let spread = row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let path = match row % 8 {
            0 => format!("/item/{}", spread >> 40),
            1 => format!("/session/{spread:016x}"),
            2 | 3 => "/".to_owned(),
            _ => "/health".to_owned(),
        };
        let status = [200, 301, 404][row as usize % 3];
        format!("\"GET {path}\" {status} {}", spread >> 50)
    };
    let made = with_values(&build(&[batch_of("udp", (0..24_000).map(line))]));
    let all = all_values(&made);
    let rows = |text: &str, has_numbers| all.get(&(text.to_owned(), has_numbers)).copied();
    assert_eq!(rows("200", false), Some(8_000));
    assert_eq!(rows("404", false), Some(8_000));
    assert_eq!(rows("0", true), Some(24_000));
    assert_eq!(rows("GET /health", false), Some(12_000));
    assert_eq!(rows("GET /", false), Some(6_000));
    assert_eq!(rows("GET /item/0", true), Some(3_000));
    assert!(
        !all.keys().any(|(text, _)| text.contains("/session/")),
        "{all:?}"
    );
}

#[test]
fn long_values_are_not_counted() {
    let lines = |len: usize| {
        let line = move |row: usize| format!("\"{}\" is {}", "x".repeat(len + row % 2), row % 5);
        batch_of("udp", (0..300).map(line))
    };
    let values = |len| all_values(&with_values(&build(&[lines(len)])));
    let longest = |len| values(len).keys().map(|(text, _)| text.len()).max();
    assert_eq!(longest(COUNTED_BYTES_MAX - 1), Some(COUNTED_BYTES_MAX));
    assert_eq!(longest(COUNTED_BYTES_MAX), Some(COUNTED_BYTES_MAX));
    assert_eq!(longest(COUNTED_BYTES_MAX + 1), Some(1));
}

/// Only what stays as it is has them, where there are enough rows: not what is merged or mended of it.
#[test]
fn they_go_where_parts_change() {
    let few = build(&[accesses(3, COUNTED_SEGMENT_ROWS_MIN as usize - 1)]);
    assert!(compacted(&few, 15).footer.value_pages.is_empty());
    let made = compacted(
        &build(&[accesses(3, COUNTED_SEGMENT_ROWS_MIN as usize)]),
        15,
    );
    assert!(!made.footer.value_pages.is_empty());
    assert!(compacted(&made, 15).bytes == made.bytes);
    let input = InMemory(&made.bytes, &made.footer);
    let merged = merge_whole(std::slice::from_ref(&input), 3).expect("whole");
    assert!(merged.footer.value_pages.is_empty());
    let mended = mend(&input, 3, u32::MAX).expect("small");
    assert!(mended.built[0].footer.value_pages.is_empty());
}

#[test]
fn other_counts_are_noticed() {
    let built = build(&[accesses(4, 900)]);
    let mut made = with_values(&built);
    let entry = made.footer.value_pages[0];
    let mut raw = open("value page", &entry, stored(&made.bytes, &entry))
        .expect("valid")
        .into_owned();
    let last = raw.iter().rposition(|byte| *byte > 1).expect("a count");
    raw[last] -= 1;
    let mut pages = Vec::new();
    let plain = PageWriter::append_plain(&raw, &mut pages);
    let place = made.bytes.len() as u64;
    let moved = PageEntry::placed(
        place,
        &pages,
        &PageEntry {
            rows: entry.rows,
            ..plain
        },
    );
    made.bytes.extend_from_slice(&pages);
    made.footer.value_pages[0] = moved;
    let input = InMemory(&made.bytes, &made.footer);
    assert_eq!(wrong_parts(&input).ok(), Some(Some((1, place))));
    let expected = vec![Difference::Values {
        parts: 1,
        offset: place,
    }];
    assert_eq!(compare(&input, &built), Ok(expected));
    // A page fewer than there are parts.
    made.footer.value_pages.clear();
    made.footer.value_pages.push(PageEntry { rows: 1, ..moved });
    assert!(wrong_parts(&InMemory(&made.bytes, &made.footer)).is_err());
}
