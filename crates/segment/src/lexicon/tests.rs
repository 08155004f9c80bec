//! Pages of any words come back, are searched as a list would be, and any bytes are survived.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::class::{order_into, ordered_starts};
use super::*;
use crate::LexiconPageEntry;
use crate::limits::{LEXICON_INLINE_MAX, LEXICON_PAGE_BYTES};
use crate::page::PageWriter;
use crate::term::{Listed, Location};

const ROWS: u32 = 1000;

fn any_word() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => "[a-c]{1,4}".prop_map(String::into_bytes),
        2 => "[0-9]{1,21}".prop_map(String::into_bytes),
        2 => "[0-9a-f]{7,34}".prop_map(String::into_bytes),
        1 => "00112233445566778[0-9a-f]{1,3}".prop_map(String::into_bytes),
        1 => prop::collection::vec(1..=255_u8, 1..6),
    ]
}

fn any_listed(all: u32) -> impl Strategy<Value = Listed> {
    let few = prop::collection::btree_set(0..ROWS, 2..=LEXICON_INLINE_MAX).prop_map(|numbers| {
        let mut few = [0; LEXICON_INLINE_MAX];
        for (place, number) in few.iter_mut().zip(&numbers) {
            *place = *number;
        }
        Listed {
            count: numbers.len() as u32,
            location: Location::Few(few),
        }
    });
    let list = (5..ROWS, any::<u32>(), any::<u32>());
    prop_oneof![
        6 => (0..ROWS).prop_map(|row| Listed { count: 1, location: Location::One(row) }),
        1 => few,
        1 => list.prop_map(|(count, page, offset)| {
            Listed { count, location: Location::List { page, offset } }
        }),
        u32::from(all > 0) => Just(Listed { count: all, location: Location::All }),
    ]
}

fn any_entry() -> impl Strategy<Value = TermEntry> {
    let slots = any_listed(ROWS).prop_map(|slots| TermEntry {
        rows: slots.count,
        groups: Listed::default(),
        slots,
    });
    let groups = (any_listed(0), 0..ROWS).prop_map(|(groups, more)| TermEntry {
        rows: ROWS.min(1 + more),
        groups,
        slots: Listed::default(),
    });
    prop_oneof![6 => slots, 1 => groups]
}

fn any_terms() -> impl Strategy<Value = BTreeMap<Vec<u8>, TermEntry>> {
    let key = (prop::sample::select(vec![b'h', b'm']), any_word());
    let key = key.prop_map(|(namespace, word)| [&[namespace], &word[..]].concat());
    prop::collection::btree_map(key, any_entry(), 0..300)
}

fn write(terms: &BTreeMap<Vec<u8>, TermEntry>) -> (Vec<u8>, Vec<LexiconPageEntry>) {
    let mut ordered: Vec<(Vec<u8>, TermEntry)> = terms
        .iter()
        .map(|(key, entry)| {
            let mut ordered = Vec::new();
            order_into(key, &mut ordered);
            (ordered, *entry)
        })
        .collect();
    ordered.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut writer, mut pages) = (LexiconWriter::new(ROWS), PageWriter::new(1));
    for (key, entry) in &ordered {
        writer.push(key, *entry, &mut pages);
    }
    let mut file = b"before".to_vec();
    let lexicon = writer.finish(&mut pages, &mut file);
    (file, lexicon.pages)
}

fn open_all(file: &[u8], entries: &[LexiconPageEntry]) -> Vec<LexiconPage> {
    let open = |entry: &LexiconPageEntry| {
        let start = entry.page.offset as usize;
        let stored = &file[start..start + entry.page.stored_len as usize];
        LexiconPage::decode(&entry.page, stored).expect("valid")
    };
    entries.iter().map(open).collect()
}

fn scan(pages: &[LexiconPage], prefix: &[u8]) -> Vec<(Vec<u8>, TermEntry)> {
    let mut found = Vec::new();
    for page in pages {
        let scanned = page.scan(prefix, &mut |key, entry| {
            found.push((key.to_vec(), entry));
            true
        });
        assert_eq!(scanned, Ok(true));
    }
    found
}

proptest! {
    #[test]
    fn words_with_a_part_are_found_by_going_through(
        terms in any_terms(),
        part in prop_oneof![
            2 => "[a-c]{0,3}".prop_map(String::into_bytes),
            1 => "[0-9]{1,2}".prop_map(String::into_bytes),
            1 => any_word(),
        ],
        whole in any::<prop::sample::Index>(),
        is_of_a_word in any::<bool>(),
    ) {
        let part = match terms.keys().nth(whole.index(terms.len().max(1))) {
            Some(key) if is_of_a_word => key[key.len() / 2..].to_vec(),
            _ => part,
        };
        let has_part = |key: &[u8]| {
            part.is_empty() || key[1..].windows(part.len()).any(|window| window == part)
        };
        let (file, entries) = write(&terms);
        let mut through = LexiconThrough::new(&part);
        let mut found = Vec::new();
        for entry in &entries {
            let start = entry.page.offset as usize;
            let stored = &file[start..start + entry.page.stored_len as usize];
            let mut wanted = |key: &[u8]| has_part(key);
            let mut visit = |term| found.push(term);
            let gone = through.stored_page(&entry.page, stored, b'm', &mut wanted, &mut visit);
            prop_assert_eq!(gone, Ok(()));
        }
        let mut again = Vec::new();
        for page in open_all(&file, &entries) {
            let mut wanted = |key: &[u8]| has_part(key);
            let gone = through.page(&page, b'm', &mut wanted, &mut |term| again.push(term));
            prop_assert_eq!(gone, Ok(()));
        }
        prop_assert_eq!(&again, &found);
        let all = scan(&open_all(&file, &entries), b"m").into_iter();
        let expected: Vec<_> = all.filter(|(key, _)| has_part(key)).map(|(_, term)| term).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn terms_come_back(terms in any_terms(), starts in prop::collection::vec(any_word(), 4)) {
        let (file, entries) = write(&terms);
        let pages = open_all(&file, &entries);
        let mut found = scan(&pages, b"");
        let ordered = |key: &[u8]| {
            let mut ordered = Vec::new();
            order_into(key, &mut ordered);
            ordered
        };
        prop_assert!(found.is_sorted_by_key(|(key, _)| ordered(key)));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert!(terms.iter().eq(found.iter().map(|(key, entry)| (key, entry))));
        for (key, entry) in &terms {
            let entries: Vec<_> = pages.iter().filter_map(|page| page.find(key).expect("valid")).collect();
            prop_assert_eq!(&entries, &[*entry]);
        }
        for start in starts.iter().flat_map(|word| (0..=word.len()).map(|len| &word[..len])) {
            let prefix = [b"m", start].concat();
            let mut keys: Vec<_> = scan(&pages, &prefix).into_iter().map(|(key, _)| key).collect();
            keys.sort();
            let expected: Vec<_> = terms.keys().filter(|key| key.starts_with(&prefix)).cloned().collect();
            for key in &expected {
                prop_assert!(ordered_starts(&prefix).iter().any(|start| ordered(key).starts_with(start)));
            }
            prop_assert_eq!(keys, expected);
            if !terms.contains_key(&prefix) {
                prop_assert!(pages.iter().all(|page| page.find(&prefix) == Ok(None)));
            }
        }
        let mut cursor = LexiconCursor::default();
        let mut walked = Vec::new();
        for entry in &entries {
            let start = entry.page.offset as usize;
            let stored = &file[start..start + entry.page.stored_len as usize];
            cursor.open(&entry.page, stored).expect("valid");
            while let Some(entry) = cursor.advance() {
                walked.push((cursor.key().to_vec(), entry));
            }
        }
        let expected = scan(&pages, b"");
        prop_assert!(walked.iter().map(|(key, entry)| (key.clone(), *entry)).eq(
            expected.into_iter().map(|(key, entry)| (ordered(&key), entry))
        ));
    }

    #[test]
    fn any_bytes_are_survived(
        terms in any_terms(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (file, entries) = write(&terms);
        for page in entries {
            let start = page.page.offset as usize;
            let stored = &file[start..start + page.page.stored_len as usize];
            let mut raw = open("test", &page.page, stored).expect("valid").into_owned();
            for (place, byte) in &places {
                let place = place.index(raw.len());
                raw[place] ^= byte;
            }
            let mut file = Vec::new();
            let entry = PageEntry { rows: page.page.rows, ..PageWriter::new(1).append(&raw, &mut file) };
            if let Ok(page) = LexiconPage::decode(&entry, &file) {
                let found = scan(std::slice::from_ref(&page), b"");
                prop_assert_eq!(found.len(), entry.rows as usize);
                for (key, entry) in found {
                    prop_assert_eq!(page.find(&key), Ok(Some(entry)));
                }
            }
        }
    }
}

#[test]
fn an_identifier_takes_few_bytes() {
    // Multiples of an odd number, as good as random.
    let word = |number: u64| format!("m{:010x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24);
    let entry = |row| TermEntry {
        rows: 1,
        groups: Listed::default(),
        slots: Listed {
            count: 1,
            location: Location::One(row),
        },
    };
    let terms: BTreeMap<Vec<u8>, TermEntry> = (0..20_000_u64)
        .map(|number| (word(number).into_bytes(), entry(number as u32 * 7 % ROWS)))
        .collect();
    let (file, pages) = write(&terms);
    assert!(pages.len() > 1);
    // 25.7 bits of distance, 1.5 for not knowing it, 10 for the row.
    assert!(
        file.len() < 5 * terms.len(),
        "{} B",
        file.len() as f64 / terms.len() as f64
    );
}

#[test]
fn long_words_that_share_much_are_in_blocks_of_their_own() {
    let long = "x".repeat(200_000);
    let words = (0..200).map(|number| format!("m{long}{number:03}").into_bytes());
    let entry = TermEntry {
        rows: ROWS,
        groups: Listed::default(),
        slots: Listed {
            count: ROWS,
            location: Location::All,
        },
    };
    let terms: BTreeMap<_, _> = words.map(|word| (word, entry)).collect();
    let (file, entries) = write(&terms);
    let pages = open_all(&file, &entries);
    assert_eq!(scan(&pages, b"m").len(), 200);
    assert!(
        entries
            .iter()
            .all(|entry| (entry.page.raw_len as usize) < LEXICON_PAGE_BYTES + 300_000)
    );
}
