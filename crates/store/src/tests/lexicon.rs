//! Which pages of the lexicon a look for words reads.

use std::cell::Cell;

use segment::{KnownKey, Namespace, TermEntry};

use super::*;
use crate::{ReadError, SegmentHandle};

/// A store with a segment of identifiers, among which one word is.
fn filled(dir: &Path) -> Store {
    let store = open_with(segments_of(4_000, dir), Arc::new(RealDisk));
    let id = |row: u64| format!("x{:016x}", row.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut texts: Vec<String> = (0..4_000).map(id).collect();
    texts[1_234] = "pineapple".to_owned();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    append(&store, batch(&texts));
    wait_until(&store, |store| segments(store) == 1);
    store
}

fn segment_of(store: &Store) -> Arc<SegmentHandle> {
    match snapshot(store).parts.first() {
        Some(Part::Segment(segment)) => Arc::clone(segment),
        _ => panic!("no segment"),
    }
}

/// How many rows have a word that ends so.
fn rows_with_end(segment: &SegmentHandle, end: &[u8]) -> Result<u32, ReadError> {
    let mut rows = 0;
    let prefix = Namespace::Message.key(b"");
    let is_wanted = |key: KnownKey<'_>| Some(key.bytes.ends_with(end));
    let visit = &mut |term: TermEntry, _| rows += term.rows;
    assert!(segment.scan_wanted_terms(&prefix, end, is_wanted, visit, || true)?);
    Ok(rows)
}

#[test]
fn terms_are_gone_through_until_nobody_waits_for_them() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = filled(dir.path());
    let segment = segment_of(&store);
    for word in ["", "x"] {
        let prefix = Namespace::Message.key(word.as_bytes());
        let pages = segment
            .lexicon_pages_wanted(&prefix, b"")
            .expect("reads")
            .len();
        let asked = Cell::new(0);
        let scan = |pages_max: usize| {
            let mut terms = 0;
            let goes_on = || asked.replace(asked.get() + 1) < pages_max;
            asked.set(0);
            let visit = &mut |_, _| terms += 1;
            let whole = segment.scan_wanted_terms(&prefix, b"", |_| Some(true), visit, goes_on);
            (whole.expect("reads"), terms)
        };
        let (is_whole, all) = scan(pages);
        assert!(is_whole && all > 0);
        assert_eq!(scan(0), (false, 0));
        let (is_whole, some) = scan(pages - 1);
        assert!(!is_whole && some < all);
    }
}

#[test]
fn a_part_of_a_word_is_looked_for_on_pages_that_may_have_it() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = filled(dir.path());
    let segment = segment_of(&store);
    let prefix = Namespace::Message.key(b"");
    let all = segment.footer().lexicon_pages_with(&prefix).len();
    let wanted = |letters: &[u8]| {
        let pages = segment.lexicon_pages_wanted(&prefix, letters);
        pages.expect("reads").len()
    };
    assert!(all > 3, "{all}");
    assert_eq!(wanted(b"pple"), 1);
    assert_eq!(wanted(b"pplx"), 0, "no page has all pairs");
    assert!(wanted(b"a7") >= all - 1, "all identifiers may have it");
    assert_eq!(wanted(b"p"), all, "one letter is no pair");
    assert_eq!(rows_with_end(&segment, b"pple").expect("reads"), 1);
}

#[test]
fn damage_to_what_is_known_of_pages_is_told() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let store = filled(dir.path());
    let page = segment_of(&store).footer().bigram_page.expect("a page");
    drop(store);
    let name = segment_files(dir.path()).remove(0);
    let path = dir.path().join("logspaces/main/1970/01-01").join(name);
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[page.offset as usize + 9] ^= 0x40;
    std::fs::write(&path, bytes).expect("writes");
    let store = open_with(segments_of(4_000, dir.path()), Arc::new(RealDisk));
    let found = rows_with_end(&segment_of(&store), b"pple");
    assert!(
        matches!(found, Err(ReadError::Damaged { offset, .. }) if offset == page.offset),
        "{found:?}"
    );
}
