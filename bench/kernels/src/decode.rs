//! From the pages of a segment to an answer.

use std::hint::black_box;

use anyhow::{Context as _, Result};
use model::Timestamp;
use query::Matcher;
use segment::{Built, LexiconPage, PageEntry, PostingPage, TermEntry};

use crate::{input, measured};

/// What is looked for in every row: words that are rare, frequent and within others.
const QUERY: &str = "(*uthenticat* OR \"connection reset\") AND NOT program:cron";

/// Records as a block of the journal has them.
pub(crate) fn rows() -> Result<usize> {
    let batch = input::batch()?;
    let received: Vec<Timestamp> = batch.heads().iter().map(|head| head.received).collect();
    let mut encoded = Vec::new();
    segment::rows::encode_rows(&batch, 0..batch.len(), &mut encoded);
    measured(|| segment::rows::decode_rows(&encoded, &received))?;
    Ok(batch.len())
}

pub(crate) fn postings() -> Result<usize> {
    let built = input::segment()?;
    let mut terms: Vec<TermEntry> = Vec::new();
    for page in lexicon_pages(&built)? {
        page.scan(b"", &mut |_, term| {
            terms.push(term);
            true
        })?;
    }
    measured(|| {
        let mut pages = Vec::new();
        for page in &built.footer.posting_pages {
            pages.push(PostingPage::decode(page, stored(&built, page)?)?);
        }
        let mut postings = 0;
        for listed in terms.iter().flat_map(|term| [term.groups, term.slots]) {
            let page = listed.posting_page();
            if let Some(page) = page.and_then(|page| pages.get(page as usize)) {
                postings += black_box(page.numbers(&listed)?).len();
            }
        }
        Ok(postings)
    })
}

pub(crate) fn lexicon() -> Result<usize> {
    let built = input::segment()?;
    measured(|| {
        let mut terms = 0;
        for page in lexicon_pages(&built)? {
            page.scan(b"", &mut |key, term| {
                black_box((key, term));
                terms += 1;
                true
            })?;
        }
        Ok(terms)
    })
}

pub(crate) fn matcher() -> Result<usize> {
    let batch = input::batch()?;
    let mut matcher = Matcher::new(&query::parse(QUERY).into_result()?);
    measured(|| {
        for record in batch.iter() {
            black_box(matcher.matches(record));
        }
    });
    Ok(batch.len())
}

fn lexicon_pages(built: &Built) -> Result<Vec<LexiconPage>> {
    let pages = built.footer.lexicon_pages.iter();
    let decode = |page: &PageEntry| Ok(LexiconPage::decode(page, stored(built, page)?)?);
    pages.map(|page| decode(&page.page)).collect()
}

fn stored<'a>(built: &'a Built, page: &PageEntry) -> Result<&'a [u8]> {
    let start = page.offset as usize;
    let bytes = built.bytes.get(start..start + page.stored_len as usize);
    bytes.context("a page lies in its segment")
}
