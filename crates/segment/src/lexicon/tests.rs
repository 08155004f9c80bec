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
        2 => "(0x)?[0-9a-f]{8,40}".prop_map(String::into_bytes),
        1 => "[0-9a-z]{10,18}".prop_map(String::into_bytes),
        1 => "[0-9]{12,19}".prop_map(String::into_bytes),
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

/// The entry of a term that is in one row alone.
fn in_row(row: u32) -> TermEntry {
    TermEntry {
        rows: 1,
        groups: Listed::default(),
        slots: Listed {
            count: 1,
            location: Location::One(row),
        },
    }
}

fn any_terms() -> impl Strategy<Value = BTreeMap<Vec<u8>, TermEntry>> {
    let key = (prop::sample::select(vec![b'h', b'm']), any_word());
    let key = key.prop_map(|(namespace, word)| [&[namespace], &word[..]].concat());
    let mixed = prop::collection::btree_map(key, any_entry(), 0..300);
    // As many beside each other as letters are left out for.
    let id = "mc[0-9a-z]{11,14}".prop_map(String::into_bytes);
    let ids = prop::collection::btree_map(id, any_entry(), 60..150);
    let ids = prop_oneof![1 => Just(BTreeMap::new()), 1 => ids];
    (mixed, ids).prop_map(|(mixed, ids)| mixed.into_iter().chain(ids).collect())
}

/// Pages of terms, with words cut where they may be or none.
fn write(
    terms: &BTreeMap<Vec<u8>, TermEntry>,
    is_cutting: bool,
) -> (Vec<u8>, Vec<LexiconPageEntry>) {
    let mut pages = PageWriter::new(1);
    let mut writer = match is_cutting {
        true => LexiconWriter::cutting(ROWS, Alphabet::Letters),
        false => LexiconWriter::new(ROWS),
    };
    for (key, entry) in in_order(terms) {
        let may_cut = entry.slots.count > 0;
        writer.push_cuttable(&ordered(&key), entry, may_cut, &mut pages);
    }
    let mut file = b"before".to_vec();
    let lexicon = writer.finish(&mut pages, &mut file);
    (file, lexicon.pages)
}

fn ordered(key: &[u8]) -> Vec<u8> {
    let mut ordered = Vec::new();
    order_into(key, &mut ordered);
    ordered
}

/// Terms as the lexicon orders them.
fn in_order(terms: &BTreeMap<Vec<u8>, TermEntry>) -> Vec<(Vec<u8>, TermEntry)> {
    let mut all: Vec<_> = terms
        .iter()
        .map(|(key, entry)| (key.clone(), *entry))
        .collect();
    all.sort_by_cached_key(|(key, _)| ordered(key));
    all
}

fn open_all(file: &[u8], entries: &[LexiconPageEntry]) -> Vec<LexiconPage> {
    let open = |entry: &LexiconPageEntry| {
        let start = entry.page.offset as usize;
        let stored = &file[start..start + entry.page.stored_len as usize];
        LexiconPage::decode(&entry.page, stored).expect("valid")
    };
    entries.iter().map(open).collect()
}

/// What is known of a key, what is left out of it, and its entry.
type Scanned = (Vec<u8>, Option<Alphabet>, TermEntry);

fn scan(pages: &[LexiconPage], prefix: &[u8]) -> Vec<Scanned> {
    let mut found = Vec::new();
    for page in pages {
        let scanned = page.scan(prefix, &mut |key, entry| {
            found.push((key.bytes.to_vec(), key.left_out, entry));
            true
        });
        assert_eq!(scanned, Ok(true));
    }
    found
}

/// Whether this is what is known of a term.
fn is_of((bytes, left_out, entry): &Scanned, (key, expected): &(Vec<u8>, TermEntry)) -> bool {
    let left_out = *left_out;
    KnownKey { bytes, left_out }.may_be(key) && entry == expected
}

fn holds(word: &[u8], part: &[u8]) -> bool {
    part.is_empty() || word.windows(part.len()).any(|window| window == part)
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
        is_cutting in any::<bool>(),
    ) {
        let part = match terms.keys().nth(whole.index(terms.len().max(1))) {
            Some(key) if is_of_a_word => key[key.len() / 2..].to_vec(),
            _ => part,
        };
        // Each in a row of its own, so that it is known which is found.
        let terms = terms.into_keys().zip(0..).map(|(key, row)| (key, in_row(row))).collect();
        let is_wanted = |key: KnownKey<'_>| match holds(&key.bytes[1..], &part) {
            false if key.left_out.is_some() => None,
            holds => Some(holds),
        };
        let (file, entries) = write(&terms, is_cutting);
        let mut through = LexiconThrough::new(&part);
        let mut found = Vec::new();
        for entry in &entries {
            let start = entry.page.offset as usize;
            let stored = &file[start..start + entry.page.stored_len as usize];
            let mut visit = |term, is_sure| found.push((term, is_sure));
            let gone = through.stored_page(&entry.page, stored, b'm', &mut { is_wanted }, &mut visit);
            prop_assert_eq!(gone, Ok(()));
        }
        let (mut again, mut looked_for) = (Vec::new(), Vec::new());
        for page in open_all(&file, &entries) {
            let mut visit = |term, is_sure| again.push((term, is_sure));
            let gone = through.page(&page, b'm', &mut { is_wanted }, &mut visit);
            prop_assert_eq!(gone, Ok(()));
            let mut visit = |term, is_sure| looked_for.push((term, is_sure));
            let scanned = page.scan_wanted(b"m", &part, is_wanted, &mut visit);
            prop_assert_eq!(scanned, Ok(()));
        }
        prop_assert_eq!(&again, &found);
        // In order; those that have the part are all there, and those that are sure have it.
        let mut found = [found.into_iter().peekable(), looked_for.into_iter().peekable()];
        let all = in_order(&terms).into_iter().filter(|(key, _)| key[0] == b'm');
        for (key, entry) in all {
            let has_part = holds(&key[1..], &part);
            for found in &mut found {
                if let Some((_, is_sure)) = found.next_if(|(term, _)| *term == entry) {
                    prop_assert!(has_part || !is_sure && is_cutting, "{key:?}");
                } else {
                    prop_assert!(!has_part, "{key:?}");
                }
            }
        }
        prop_assert!(found.iter_mut().all(|found| found.next().is_none()));
    }

    #[test]
    fn terms_come_back(
        terms in any_terms(),
        starts in prop::collection::vec(any_word(), 4),
        is_cutting in any::<bool>(),
    ) {
        let (file, entries) = write(&terms, is_cutting);
        let pages = open_all(&file, &entries);
        let expected = in_order(&terms);
        let found = scan(&pages, b"");
        prop_assert_eq!(found.len(), expected.len());
        prop_assert!(found.iter().zip(&expected).all(|(found, term)| is_of(found, term)));
        for ((key, entry), (_, left_out, _)) in expected.iter().zip(&found) {
            let (entry, is_cut) = (*entry, left_out.is_some());
            let entries: Vec<_> = pages.iter().filter_map(|page| page.find(key).expect("valid")).collect();
            prop_assert_eq!(&entries, &[FoundTerm { entry, is_cut }]);
        }
        for start in starts.iter().flat_map(|word| (0..=word.len()).map(|len| &word[..len])) {
            let prefix = [b"m", start].concat();
            let mut scanned = scan(&pages, &prefix).into_iter().peekable();
            for (term, known) in expected.iter().zip(&found) {
                // What is left of truncated terms of two classes may be the same, and so may their rows.
                let may_start = Class::of(&term.0[1..]).may_start_with(start);
                let is_there = may_start && scanned.next_if_eq(known).is_some();
                prop_assert!(is_there || !term.0.starts_with(&prefix));
                if term.0.starts_with(&prefix) {
                    let ordered = ordered(&term.0);
                    prop_assert!(ordered_starts(&prefix).iter().any(|start| ordered.starts_with(start)));
                } else if is_there {
                    prop_assert!(is_cutting);
                }
            }
            prop_assert_eq!(scanned.next(), None);
            if !terms.contains_key(&prefix) {
                let mut found = pages.iter().filter_map(|page| page.find(&prefix).expect("valid"));
                prop_assert!(found.all(|found| found.is_cut));
            }
        }
        let mut cursor = LexiconCursor::default();
        let mut walked = Vec::new();
        for entry in &entries {
            let start = entry.page.offset as usize;
            let stored = &file[start..start + entry.page.stored_len as usize];
            cursor.open(&entry.page, stored).expect("valid");
            while let Some(entry) = cursor.advance() {
                let known = cursor.key();
                let known = [&known[..1], &known[2..]].concat();
                walked.push((known, cursor.left_out(), entry));
            }
        }
        prop_assert_eq!(walked, found);
    }

    #[test]
    fn any_bytes_are_survived(
        terms in any_terms(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        is_cutting in any::<bool>(),
    ) {
        let (file, entries) = write(&terms, is_cutting);
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
                for (key, left_out, entry) in found {
                    let whole = FoundTerm { entry, is_cut: false };
                    prop_assert!(left_out.is_some() || page.find(&key) == Ok(Some(whole)));
                }
            }
        }
    }
}

#[test]
fn an_identifier_takes_few_bytes() {
    // Multiples of an odd number, as good as random.
    let word = |number: u64| format!("m{:010x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24);
    let terms: BTreeMap<Vec<u8>, TermEntry> = (0..20_000_u64)
        .map(|number| (word(number).into_bytes(), in_row(number as u32 * 7 % ROWS)))
        .collect();
    let (file, pages) = write(&terms, false);
    assert!(pages.len() > 1);
    // 25.7 bits of distance, 1.5 for not knowing it, 10 for the row.
    let bytes_of_each = |file: &[u8]| file.len() as f64 / terms.len() as f64;
    assert!(bytes_of_each(&file) < 5.0, "{} B", bytes_of_each(&file));
    // As many bits of distance as tell 20,000 words apart, and 8 more.
    let (file, pages) = write(&terms, true);
    assert!(pages.len() > 1);
    assert!(bytes_of_each(&file) < 3.5, "{} B", bytes_of_each(&file));
}

#[test]
fn words_are_cut_where_they_differ_from_their_neighbours() {
    let words = [
        "m0x7b33aa00aa00",
        "m0x7b44aa00aa00zz",
        "m0x9",
        "m00112233445566778899aabbccddeeff",
        "m00112244445566778899aabbccddeeff",
        "mapple0123456789",
        "mappleaddedfaced",
        "munnamed",
        "mdeadbeefdeadbeef",
    ];
    let terms = words
        .iter()
        .zip(0..)
        .map(|(word, row)| (word.as_bytes().to_vec(), in_row(row)));
    let (file, entries) = write(&terms.collect(), true);
    let known = scan(&open_all(&file, &entries), b"m").into_iter();
    let known = known.map(|(key, left_out, _)| (String::from_utf8(key).expect("ASCII"), left_out));
    let cut = |word: &str| (word.to_owned(), Some(Alphabet::Hexadecimal));
    let whole = |word: &str| (word.to_owned(), None);
    let expected = [
        cut("m0x7b33a"),
        whole("m0x7b44aa00aa00zz"),
        whole("m0x9"),
        cut("mapple012"),
        whole("mappleaddedfaced"),
        whole("munnamed"),
        cut("mdeadbe"),
        cut("m0011223"),
        cut("m0011224"),
    ];
    assert_eq!(known.collect::<Vec<_>>(), expected);
}

/// Letters are left out where most of a block are identifiers that have them, and nowhere else.
#[test]
fn letters_are_left_out_where_most_words_have_them() {
    let id = |number: u64| {
        let mut rest = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let digit = |_| {
            let digit = std::char::from_digit((rest % 36) as u32, 36);
            rest /= 36;
            digit.expect("a digit")
        };
        format!("mc{}", (0..12).map(digit).collect::<String>())
    };
    let plain = ["mcab0123456789", "mcafeteria", "mcz_00112233"].map(str::to_owned);
    let known_of = |ids: u64| {
        let words = (0..ids).map(id).chain(plain.clone());
        let terms = words
            .zip(0..)
            .map(|(word, row)| (word.into_bytes(), in_row(row % ROWS)));
        let terms: BTreeMap<_, _> = terms.collect();
        let (file, entries) = write(&terms, true);
        let found = scan(&open_all(&file, &entries), b"m");
        let of = |alphabet| move |(_, left_out, _): &&Scanned| *left_out == Some(alphabet);
        let [letters, hexadecimal] = [Alphabet::Letters, Alphabet::Hexadecimal]
            .map(|alphabet| found.iter().filter(of(alphabet)).count());
        (terms, found, letters, hexadecimal)
    };
    let (terms, found, letters, hexadecimal) = known_of(20_000);
    assert!(letters > 19_000, "{letters} of {}", found.len());
    assert!(hexadecimal < 5, "{hexadecimal}");
    assert!(
        found
            .iter()
            .zip(in_order(&terms))
            .all(|(known, term)| is_of(known, &term))
    );
    assert!(
        found
            .iter()
            .any(|(known, left_out, _)| known == b"mcz_0" && left_out.is_some())
    );
    let (_, found, letters, hexadecimal) = known_of(20);
    assert_eq!((letters, found.len()), (0, 23));
    assert!((2..23).contains(&hexadecimal), "{hexadecimal}");
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
    let (file, entries) = write(&terms, false);
    let pages = open_all(&file, &entries);
    assert_eq!(scan(&pages, b"m").len(), 200);
    assert!(
        entries
            .iter()
            .all(|entry| (entry.page.raw_len as usize) < LEXICON_PAGE_BYTES + 300_000)
    );
}
