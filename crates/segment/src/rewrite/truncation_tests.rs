//! Segments whose lexicon has the start of identifiers alone say what they said before, to whom looks at a row.

use model::RecordBatch;
use proptest::prelude::*;

use crate::compare::compare;
use crate::testing::{
    InMemory, accesses, any_batch, batch_of, build, compacted, connections, identified,
    merge_whole, naive_index, read, salvaged, with_truncated_terms,
};
use crate::{Built, Difference, Namespace, RewriteError, can_be_coalesced};

fn lexicon_bytes(built: &Built) -> u64 {
    let pages = built.footer.lexicon_pages.iter();
    pages.map(|page| u64::from(page.page.stored_len)).sum()
}

proptest! {
    #[test]
    fn every_term_of_any_records_has_the_same_rows(batch in any_batch(60)) {
        let before = read(&build(&[batch]).bytes).expect("valid");
        let made = with_truncated_terms(&build(&before.chunks));
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(&before.terms, &after.terms);
        prop_assert_eq!(before.seen(), after.seen());
    }

    #[test]
    fn every_identifier_has_the_same_rows(seed in any::<u64>(), count in 50..2_000_usize) {
        let batch = identified(seed, count);
        let made = with_truncated_terms(&build(std::slice::from_ref(&batch)));
        prop_assert!(made.footer.has_truncated_terms);
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(&after.footer, &made.footer);
        prop_assert_eq!(&after.terms, &naive_index(&[batch]));
    }

    #[test]
    fn every_identifier_of_letters_has_the_same_rows(seed in any::<u64>(), count in 300..900_usize) {
        let batch = connections(seed, count);
        let made = with_truncated_terms(&build(std::slice::from_ref(&batch)));
        prop_assert!(made.footer.has_truncated_terms);
        let after = read(&made.bytes).expect("valid");
        prop_assert_eq!(&after.footer, &made.footer);
        prop_assert_eq!(&after.terms, &naive_index(&[batch]));
    }
}

#[test]
fn words_are_cut_where_that_pays() {
    let built = build(&[identified(1, 20_000)]);
    let made = compacted(&built, 15);
    assert!(made.footer.has_truncated_terms);
    let (before, after) = (lexicon_bytes(&built), lexicon_bytes(&made));
    assert!(after * 10 < before * 6, "{after} of {before}");
    let built = build(&[connections(1, 20_000)]);
    let made = compacted(&built, 15);
    let (before, after) = (lexicon_bytes(&built), lexicon_bytes(&made));
    assert!(after * 10 < before * 7, "{after} of {before}");
    let few = compacted(&build(&[accesses(1, 20_000)]), 15);
    assert!(!few.footer.has_truncated_terms);
}

/// What is merged or made larger needs whole words.
#[test]
fn they_are_not_merged() {
    let made = with_truncated_terms(&build(&[identified(2, 300)]));
    let input = InMemory(&made.bytes, &made.footer);
    assert_eq!(
        merge_whole(std::slice::from_ref(&input), 3).map(drop),
        Err(RewriteError::TruncatedTerms { input: 0 })
    );
    assert!(!can_be_coalesced(&made.footer));
}

#[test]
fn what_is_mended_has_whole_words() {
    let batch = identified(3, 3_000);
    let made = with_truncated_terms(&build(std::slice::from_ref(&batch)));
    let (built, saved) = salvaged(&InMemory(&made.bytes, &made.footer), u32::MAX).expect("small");
    assert_eq!((built.len(), saved.lost_rows()), (1, 0));
    let read = read(&built[0].bytes).expect("valid");
    assert!(!read.footer.has_truncated_terms);
    assert_eq!(read.terms, naive_index(&[batch]));
}

#[test]
fn they_are_compared_with_whole_words() {
    let lines = |first: char| {
        let id = |row: u64| format!("{:016x}", (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let line = move |row| match row {
            7 => format!("{first}{} is done", &id(row)[1..]),
            row => format!("{} is done", id(row)),
        };
        batch_of("udp", (0..500).map(line))
    };
    let built: Vec<RecordBatch> = ['a', 'b'].map(lines).into();
    let [one, other] = [0, 1].map(|of| build(std::slice::from_ref(&built[of])));
    let made = with_truncated_terms(&one);
    let input = InMemory(&made.bytes, &made.footer);
    assert_eq!(compare(&input, &one), Ok(Vec::new()));
    let found = compare(&input, &other).expect("readable");
    let Some(Difference::Terms {
        terms, first_key, ..
    }) = found.first()
    else {
        panic!("{found:?}");
    };
    // The one is missing, the other made up.
    assert_eq!((*terms, first_key[0]), (2, Namespace::Message as u8));
}

/// Who reads one sees damage as in other segments.
#[test]
fn a_damaged_lexicon_is_noticed() {
    let mut damaged = with_truncated_terms(&build(&[identified(4, 3_000)]));
    let page = damaged.footer.lexicon_pages[1].page;
    damaged.bytes[page.offset as usize + 9] ^= 1;
    read(&damaged.bytes).expect_err("damaged");
    let input = InMemory(&damaged.bytes, &damaged.footer);
    let compared = compare(&input, &build(&[identified(4, 3_000)]));
    assert!(
        matches!(compared, Err(RewriteError::Damaged { offset, .. }) if offset == page.offset),
        "{compared:?}"
    );
}
