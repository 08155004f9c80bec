//! Which lexicon pages are read for words that have some letters in them.

use std::sync::Arc;

use segment::Bigrams;

use super::{Kind, Page, SegmentHandle};
use crate::error::ReadError;

impl SegmentHandle {
    /// The indexes of the lexicon pages that can have keys which start with `prefix` and words which hold
    /// `letters`, one behind another, ascending.
    ///
    /// # Errors
    /// When what is known of the words of pages cannot be read.
    pub fn lexicon_pages_wanted(
        &self,
        prefix: &[u8],
        letters: &[u8],
    ) -> Result<Vec<usize>, ReadError> {
        let mut wanted = self.footer.lexicon_pages_wanted(prefix, letters);
        if letters.len() > 1
            && wanted.len() > 1
            && let Some(bigrams) = self.bigrams()?
        {
            wanted.retain(|page| bigrams.may_hold(*page, letters));
        }
        Ok(wanted)
    }

    /// The pairs of bytes in the words of each lexicon page; `None` in a segment that does not say.
    fn bigrams(&self) -> Result<Option<Arc<Bigrams>>, ReadError> {
        let Some(entry) = &self.footer.bigram_page else {
            return Ok(None);
        };
        let page = self.page(Kind::Bigrams, 0, || {
            let bigrams = Bigrams::decode(entry, &self.read(entry)?);
            Ok(Page::Bigrams(Arc::new(
                bigrams.map_err(|error| self.damaged(entry, &error))?,
            )))
        })?;
        match page {
            Page::Bigrams(bigrams) => Ok(Some(bigrams)),
            _ => Err(self.out_of_range()),
        }
    }
}
