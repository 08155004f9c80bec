//! Whether value pages say what the columns of their segment have.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;

use super::{CountedText, ValuePage};
use crate::MergeInput;
use crate::columns::{Column, OwnCountedText};
use crate::input::{Common, PageError, Pages, damaged, stored};

/// How many parts of a segment have other counts than it says, and where the first page is that has one.
///
/// # Errors
/// When a page is damaged or cannot be read.
pub(crate) fn wrong_parts<I: MergeInput>(
    input: &I,
) -> Result<Option<(u64, u64)>, PageError<I::Error>> {
    let footer = input.footer();
    if footer.value_pages.is_empty() {
        return Ok(None);
    }
    let mut entries = footer.value_pages.iter();
    let (mut page, mut left) = (None, 0..0);
    let (mut wrong, mut first) = (0, None);
    let common = Common::read(input)?;
    for chunk in &footer.chunks {
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
    let values = page.part(part);
    let values = values.map(|(text, rows)| Some((page.text(text)?, rows)));
    let Some(values) = values.collect::<Option<Vec<_>>>() else {
        return false;
    };
    if values.is_empty() {
        return true;
    }
    let counts = counts_of(column);
    let mut left = match values.iter().any(|(text, _)| text.has_numbers) {
        true => but_for_digits(&counts),
        false => HashMap::new(),
    };
    let is_whole = |(text, rows): &(CountedText<'_>, u32)| {
        text.has_numbers || counts.get(text.text) == Some(rows)
    };
    let mut is_room = |(text, rows): &(CountedText<'_>, u32)| {
        let Some(left) = left.get_mut(&OwnCountedText::but_for_digits(text.text)) else {
            return !text.has_numbers;
        };
        let rest = left.checked_sub(*rows);
        *left = rest.unwrap_or_default();
        rest.is_some() && *rows > 0
    };
    values.iter().all(is_whole) && values.iter().all(&mut is_room)
}

/// How many rows of a column have each value.
fn counts_of(column: &Column) -> HashMap<Vec<u8>, u32> {
    let (mut counts, mut text) = (HashMap::new(), Vec::new());
    for row in 0..column.rows() {
        text.clear();
        column.append(row, &mut text);
        match counts.get_mut(&text) {
            Some(count) => *count += 1,
            None => _ = counts.insert(text.clone(), 1),
        }
    }
    counts
}

/// How many have each but for digits.
fn but_for_digits(counts: &HashMap<Vec<u8>, u32>) -> HashMap<OwnCountedText, u32> {
    let mut alike: HashMap<OwnCountedText, u32> = HashMap::new();
    for (value, rows) in counts {
        *alike
            .entry(OwnCountedText::but_for_digits(value))
            .or_default() += rows;
    }
    alike
}
