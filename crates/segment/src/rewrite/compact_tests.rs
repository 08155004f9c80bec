//! What was compacted says what it said before, is smaller, and carries no damage along.

use model::{RecordBatch, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::page::CODEC_PLAIN;
use crate::testing::{
    self, any_batch, batch_of, build, build_with_heads, joined, merge_whole, read,
    stored as stored_in,
};
use crate::{Built, Spare};

/// A segment in memory that is read as far as is wanted.
struct InMemory<'a> {
    built: &'a Built,
    pages: std::cell::Cell<usize>,
}

#[derive(Debug, PartialEq)]
struct GivenUp;

impl RewriteInput for InMemory<'_> {
    type Error = GivenUp;

    fn footer(&self) -> &Footer {
        &self.built.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, GivenUp> {
        let left = self.pages.get().checked_sub(1).ok_or(GivenUp)?;
        self.pages.set(left);
        Ok(stored_in(&self.built.bytes, entry).to_vec())
    }
}

fn compacted(built: &Built, pages: usize) -> Result<Built, RewriteError<GivenUp>> {
    let input = InMemory {
        built,
        pages: std::cell::Cell::new(pages),
    };
    joined(&[input], 19, How::COMPACTED)
}

/// Lines that level 1 makes larger than they need be.
fn lines(count: usize) -> RecordBatch {
    let line = |index: usize| {
        let word = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
        format!("user name{word} of group{} has left", word % 97)
    };
    batch_of("test", (0..count).map(line))
}

/// What readers look a few bytes up in is stored plain by every writer.
#[test]
fn what_is_looked_into_is_stored_plain() {
    let built = build_with_heads(&[lines(2_000)]);
    let compacted = compacted(&built, usize::MAX).expect("whole");
    let merged = merge_whole(&[testing::InMemory(&compacted.bytes, &compacted.footer)], 1);
    for segment in [&built, &compacted, &merged.expect("whole")] {
        let chunk = &segment.footer.chunks[0];
        for page in [&chunk.directory, &chunk.rows] {
            assert_eq!(stored_in(&segment.bytes, page)[0], CODEC_PLAIN);
        }
        let lexicon = &segment.footer.lexicon_pages[0].page;
        assert_ne!(stored_in(&segment.bytes, lexicon)[0], CODEC_PLAIN);
    }
}

/// Where the last page of a file ends.
fn end_of_pages(footer: &Footer) -> u64 {
    let last = footer.pages().last();
    last.map_or(Header::LEN as u64, |(_, last)| {
        last.offset + u64::from(last.stored_len)
    })
}

proptest! {
    #[test]
    fn what_was_compacted_reads_as_before(batch in any_batch(60)) {
        let mut batch = batch;
        batch.make_received_monotone(Timestamp::MIN);
        let built = build_with_heads(&[batch]);
        let made = compacted(&built, usize::MAX).expect("whole");
        prop_assert!(made.bytes.len() <= built.bytes.len());
        let (before, after) = (read(&built.bytes).expect("valid"), read(&made.bytes).expect("valid"));
        prop_assert_eq!(before.seen(), after.seen());
        prop_assert_eq!(&before.terms, &after.terms);
        prop_assert_eq!(&after.footer, &made.footer);
        let end = end_of_pages(&after.footer);
        prop_assert_eq!(after.footer.first_gap(end), None);
        prop_assert_eq!(&compacted(&made, usize::MAX).expect("again").bytes, &made.bytes);
    }

    #[test]
    fn a_changed_byte_is_not_carried_along(place in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let mut built = build(&[lines(200)]);
        let whole = compacted(&built, usize::MAX).expect("whole").bytes;
        let end = end_of_pages(&built.footer) as usize;
        let at = Header::LEN + place.index(end - Header::LEN);
        built.bytes[at] ^= change;
        match compacted(&built, usize::MAX) {
            // The spare page and the bigram page are made anew of the others.
            Ok(made) => prop_assert_eq!(made.bytes, whole),
            Err(error) => {
                let is_damaged = matches!(error, RewriteError::Damaged { input: 0, .. });
                prop_assert!(is_damaged, "{error:?}");
            }
        }
    }
}

#[test]
fn it_gets_smaller_and_is_found_without_its_footer() {
    let built = build(&[lines(20_000)]);
    let made = compacted(&built, usize::MAX).expect("whole");
    assert!(made.bytes.len() * 100 < built.bytes.len() * 98);
    let contents = read(&made.bytes).expect("valid");
    let spare = Spare::find(&made.bytes).expect("there");
    assert_eq!(spare.footer.chunks, contents.footer.chunks);
    assert_eq!(spare.footer.received_pages, contents.footer.received_pages);
    assert_eq!(spare.footer.spare_page, contents.footer.spare_page);
    assert!(spare.footer.lexicon_pages.is_empty());
}

#[test]
fn it_can_be_given_up_between_any_two_pages() {
    let built = build(&[lines(3_000)]);
    let pages = built.footer.pages().count();
    // The spare page and the bigram page are not read.
    for left in 0.. {
        let Err(error) = compacted(&built, left) else {
            assert!(left + 2 >= pages);
            break;
        };
        assert!(
            matches!(
                error,
                RewriteError::Read {
                    input: 0,
                    source: GivenUp
                }
            ),
            "{error:?}"
        );
    }
}
