//! Whether value pages say what the columns of their segment have.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use super::ValuePage;
use crate::MergeInput;
use crate::columns::{Column, CountedText};
use crate::input::{Common, PageError, Pages, damaged, stored};

/// How many parts of a segment have other counts than it says, and where the first page is that has one.
///
/// # Errors
/// When a page is damaged or cannot be read.
pub(crate) fn wrong_parts<I: MergeInput>(
    input: &I,
) -> Result<Option<(u64, u64)>, PageError<I::Error>> {
    let footer = input.footer();
    let mut entries = footer.value_pages.iter();
    let (mut page, mut left) = (None, 0..0);
    let (mut wrong, mut first) = (0, None);
    let common = Common::read(input)?;
    for chunk in footer
        .chunks
        .iter()
        .filter(|_| !footer.value_pages.is_empty())
    {
        let mut pages = Pages::new(input, chunk, &common)?;
        for number in 0..pages.chunk().parts() {
            if left.is_empty()
                && let Some(entry) = entries.next()
            {
                let decoded = ValuePage::decode(entry, &stored(input, entry)?);
                page = Some((entry, decoded.map_err(damaged(entry))?));
                left = 0..entry.rows as usize;
            }
            let part = pages.part_rows(number, &common)?;
            pages.forget_before(number);
            let own = left.next().zip(page.as_ref());
            if !own.is_some_and(|(own, (_, page))| is_right(page, own, &part.column)) {
                wrong += 1;
                first = first.or(page.as_ref().map(|(entry, _)| entry.offset));
            }
        }
    }
    Ok((wrong > 0).then_some((wrong, first.unwrap_or_default())))
}

/// Whether the values of a part are as many as its column has: each value all that there are, and of those that
/// differ in digits no more than there are beside the ones that are counted by themselves.
fn is_right(page: &ValuePage, part: usize, column: &Column) -> bool {
    let mut counts: HashMap<CountedText, u32> = HashMap::new();
    for row in 0..column.rows() {
        let mut text = Vec::new();
        column.append(row, &mut text);
        *counts
            .entry(CountedText::but_for_digits(&text))
            .or_default() += 1;
        *counts.entry(CountedText::whole(text)).or_default() += 1;
    }
    let values = page.part(part).iter();
    let mut values = values.map(|(text, rows)| (page.text(*text), *rows));
    values.all(|(text, rows)| {
        let Some(text) = text else { return false };
        let own = counts.get(text).copied().unwrap_or_default();
        let alike = counts.get_mut(&CountedText::but_for_digits(&text.text));
        let is_room = alike.is_some_and(|left| {
            let rest = left.checked_sub(rows);
            *left = rest.unwrap_or_default();
            rest.is_some()
        });
        is_room && rows > 0 && (text.has_numbers || own == rows)
    })
}
