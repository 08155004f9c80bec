//! Whether an index that was made anew says of every term what the index before says of it, which is deleted.
#![deny(clippy::indexing_slicing)]

use super::index::Rewritten;
use crate::merge::{MergeError, MergeInput, TermCursor};
use crate::page::PageEntry;
use crate::{Corrupt, Footer};

/// Where the pages of the index begin in a view, behind those of any segment.
const INDEX_OFFSET: u64 = 1 << 62;

/// A segment with another index.
struct WithIndex<'a, I> {
    input: &'a I,
    footer: Footer,
    bytes: &'a [u8],
}

impl<'a, I: MergeInput> WithIndex<'a, I> {
    fn new(input: &'a I, rewritten: &'a Rewritten) -> Self {
        let mut footer = input.footer().clone();
        for entry in rewritten.put_into(&mut footer) {
            let page = rewritten.page(entry);
            *entry = PageEntry::placed(INDEX_OFFSET.saturating_add(entry.offset), page, entry);
        }
        let bytes = &rewritten.bytes;
        Self {
            input,
            footer,
            bytes,
        }
    }
}

impl<I: MergeInput> MergeInput for WithIndex<'_, I> {
    type Error = I::Error;

    fn footer(&self) -> &Footer {
        &self.footer
    }

    fn stored(&self, entry: &PageEntry) -> Result<Vec<u8>, I::Error> {
        let Some(start) = entry.offset.checked_sub(INDEX_OFFSET) else {
            return self.input.stored(entry);
        };
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = start.saturating_add(entry.stored_len as usize);
        Ok(self.bytes.get(start..end).unwrap_or(&[]).to_vec())
    }
}

/// Goes through both. A word that is cut is told from all others by what is left of it.
///
/// # Errors
/// When they differ, and when a page is damaged or cannot be read.
pub(crate) fn check<I: MergeInput>(
    input: &I,
    rewritten: &Rewritten,
) -> Result<(), MergeError<I::Error>> {
    let view = WithIndex::new(input, rewritten);
    let mut before = TermCursor::new(input, 0)?;
    let mut after = TermCursor::new(&view, 0)?;
    while before.key().is_some() || after.key().is_some() {
        let key = before.key().unwrap_or(&[]).to_vec();
        let is_same = after.is_key(&key)
            && before.count() == after.count()
            && before.groups()? == after.groups()?
            && before.slot_ordinals()? == after.slot_ordinals()?;
        if !is_same {
            return Err(MergeError::Damaged {
                input: 0,
                offset: before.offset(),
                source: Corrupt::Invalid {
                    what: "rows of a term in an index that was made anew",
                    value: u64::from(before.count()),
                },
            });
        }
        before.advance()?;
        after.advance()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Built;
    use crate::compact::index::{IndexChoice, Rewritten, rewrite};
    use crate::testing::{InMemory, accesses, build};

    fn forced(built: &Built) -> Rewritten {
        let input = InMemory(&built.bytes, &built.footer);
        let rewritten = rewrite(&input, IndexChoice::ALWAYS);
        rewritten.expect("sound").expect("truncated terms")
    }

    #[test]
    fn an_index_that_says_something_else_is_noticed() {
        let built = build(&[accesses(1, 300)]);
        let input = InMemory(&built.bytes, &built.footer);
        let mut rewritten = forced(&built);
        check(&input, &rewritten).expect("the same");
        // The last terms are missing.
        rewritten.lexicon_pages.pop().expect("a page");
        assert!(check(&input, &rewritten).is_err());
    }

    #[test]
    fn an_index_of_other_rows_is_noticed() {
        let [built, others] = [1, 2].map(|seed| build(&[accesses(seed, 300)]));
        assert!(check(&InMemory(&built.bytes, &built.footer), &forced(&others)).is_err());
    }
}
