//! Values sorted by their shapes, the frequent ones: `GET /products/4711` and `GET /favicon.ico`.
//!
//! The shape of a value is what is left of it without its digits, decimal ones and those of
//! hexadecimal ids. It is known by its hash: two shapes with the same one would share a column,
//! which costs bytes and no contents.

use std::cmp::Reverse;

use crate::hash::Seeds;
use crate::limits::COLUMN_SHAPES_MAX;

/// So many values share a shape on average, or text is not larger.
const SHAPE_VALUES_MIN: usize = 8;
/// Shapes that are counted, the first ones: those of most values are among them.
const COUNTED_MAX: usize = 4 * COLUMN_SHAPES_MAX;
/// One value of so many may have a rare shape.
const RARE_OF: usize = 2;
/// Stands for a run of digits. A text that has it gives values of two shapes the same one.
const DIGITS: u8 = 0;
/// Stands for a hexadecimal id, with its length behind it.
const ID: u8 = 1;
/// Fewest letters and digits of such an id: shorter ones are mostly names with numbers.
const ID_BYTES_MIN: usize = 6;

/// To which group each value belongs: those of one shape, the last ones of all rare shapes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sorted {
    /// For each value the number of its group.
    pub(super) ids: Vec<u64>,
    /// For each group how many values it has.
    pub(super) counts: Vec<usize>,
}

impl Sorted {
    /// Sorts values; `None` where there is one shape, or too many have rare ones.
    pub(super) fn of(values: &[&[u8]]) -> Option<Self> {
        let groups_max = COLUMN_SHAPES_MAX.min(values.len() / SHAPE_VALUES_MIN);
        if groups_max < 2 {
            return None;
        }
        let rare_max = values.len() / RARE_OF;
        let (shapes, counts) = count(values, rare_max)?;
        let mut kept: Vec<usize> = (0..counts.len()).collect();
        if counts.len() > groups_max || shapes.contains(&COUNTED_MAX) {
            kept.sort_by_key(|shape| Reverse(counts.get(*shape)));
            kept.truncate(groups_max - 1);
            kept.retain(|shape| counts.get(*shape) >= Some(&SHAPE_VALUES_MIN));
            kept.sort_unstable();
        }
        let mut groups = [kept.len() as u64; COUNTED_MAX + 1];
        let mut of_groups = Vec::with_capacity(kept.len() + 1);
        for (group, shape) in (0..).zip(&kept) {
            *groups.get_mut(*shape)? = group;
            of_groups.push(*counts.get(*shape)?);
        }
        let rare = values.len() - of_groups.iter().sum::<usize>();
        if rare > rare_max {
            return None;
        }
        if rare > 0 {
            of_groups.push(rare);
        }
        let groups = shapes.iter().map(|shape| groups.get(*shape).copied());
        (of_groups.len() >= 2).then_some(Self {
            ids: groups.collect::<Option<_>>()?,
            counts: of_groups,
        })
    }
}

/// The number of the shape of each value, [`COUNTED_MAX`] for those that are not counted, of which
/// there are at most so many; and how many values each has.
fn count(values: &[&[u8]], rare_max: usize) -> Option<(Vec<usize>, Vec<usize>)> {
    let seeds = Seeds::of_process();
    let (mut known, mut counts): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut shapes = Vec::with_capacity(values.len());
    let (mut rare, mut shape) = (0, Vec::new());
    for value in values {
        shape_of(value, &mut shape);
        let hash = seeds.hash(&shape);
        let number = match known.iter().position(|known| *known == hash) {
            Some(number) => number,
            None if known.len() == COUNTED_MAX => {
                rare += 1;
                if rare > rare_max {
                    return None;
                }
                COUNTED_MAX
            }
            None => {
                known.push(hash);
                counts.push(0);
                // Where most are new, most are rare, and going on would be work for nothing.
                if known.len() == COUNTED_MAX && shapes.len() < RARE_OF * COUNTED_MAX {
                    return None;
                }
                known.len() - 1
            }
        };
        if let Some(count) = counts.get_mut(number) {
            *count += 1;
        }
        shapes.push(number);
    }
    Some((shapes, counts))
}

/// Replaces `shape` by the shape of a value. Signs go with the digits.
fn shape_of(value: &[u8], shape: &mut Vec<u8>) {
    shape.clear();
    let mut left = value;
    while !left.is_empty() {
        let len = left.iter().take_while(|byte| byte.is_ascii_alphanumeric());
        let (token, behind) = left.split_at(len.count());
        if is_id(token) {
            shape.extend([ID, token.len().min(usize::from(u8::MAX)) as u8]);
        } else {
            without_digits(token, shape);
        }
        let len = behind
            .iter()
            .take_while(|byte| !byte.is_ascii_alphanumeric());
        let (between, behind) = behind.split_at(len.count());
        shape.extend_from_slice(between);
        left = behind;
    }
}

/// Whether these are letters and digits of a hexadecimal number, both, and of one case.
#[inline]
fn is_id(token: &[u8]) -> bool {
    if token.len() < ID_BYTES_MIN || !token.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let lower = token.iter().any(u8::is_ascii_lowercase);
    let upper = token.iter().any(u8::is_ascii_uppercase);
    lower != upper && token.iter().any(u8::is_ascii_digit)
}

#[inline]
fn without_digits(token: &[u8], shape: &mut Vec<u8>) {
    for byte in token {
        if !byte.is_ascii_digit() {
            shape.push(*byte);
            continue;
        }
        if shape.last() == Some(&b'-') {
            shape.pop();
            shape.push(DIGITS);
        } else if shape.last() != Some(&DIGITS) {
            shape.push(DIGITS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_what_is_left_without_digits() {
        let shape = |value: &str| {
            let mut shape = Vec::new();
            shape_of(value.as_bytes(), &mut shape);
            let text = String::from_utf8(shape).expect("text");
            text.replace('\0', "#").replace('\u{1}', "$")
        };
        for (value, expected) in [
            ("", ""),
            ("-", "-"),
            ("cn142", "cn#"),
            ("-5", "#"),
            ("2026-11-22", "###"),
            ("10.0.0.1:80", "#.#.#.#:#"),
            ("b1", "b#"),
            ("app.3fa9c1d2.js", "app.$\u{8}.js"),
            ("id 3FA9C1D2, 12345678", "id $\u{8}, #"),
            ("3fA9c1, facade", "#fA#c#, facade"),
        ] {
            assert_eq!(shape(value), expected, "{value}");
        }
    }

    /// Values of so many shapes each, one shape behind another.
    fn values(of_shapes: &[usize]) -> Vec<String> {
        let shapes = ('a'..='z').flat_map(|first| ('a'..='z').map(move |last| [first, last]));
        let shapes = shapes.zip(of_shapes);
        let values = shapes.flat_map(|([first, last], count)| {
            (0..*count).map(move |number| format!("{first}{last}/{number}"))
        });
        values.collect()
    }

    fn counts(of_shapes: &[usize]) -> Option<Vec<usize>> {
        let values = values(of_shapes);
        let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
        let sorted = Sorted::of(&values)?;
        for (group, count) in (0..).zip(&sorted.counts) {
            let own = sorted.ids.iter().filter(|id| **id == group);
            assert_eq!(own.count(), *count, "group {group}");
        }
        assert_eq!(sorted.ids.len(), values.len());
        Some(sorted.counts)
    }

    #[test]
    fn rare_shapes_are_one_group() {
        assert_eq!(counts(&[100]), None, "one shape");
        assert_eq!(counts(&[100, 3]), Some(vec![100, 3]), "few shapes");
        let many = [&[150, 90][..], &[1; 198]].concat();
        assert_eq!(counts(&many), Some(vec![150, 90, 198]), "some are frequent");
        let many = [&[150][..], &[1; 198]].concat();
        assert_eq!(counts(&many), None, "most are rare");
        let many = [&[1; COUNTED_MAX][..], &[9_000]].concat();
        assert_eq!(counts(&many), None, "they seem to be rare");
        let full = vec![8; 2 * COLUMN_SHAPES_MAX];
        assert_eq!(counts(&full), None, "too many, as frequent as others");
        let full = [&[39, 38][..], &[40; COLUMN_SHAPES_MAX - 1]].concat();
        let expected = [&[40; COLUMN_SHAPES_MAX - 1][..], &[39 + 38]].concat();
        assert_eq!(counts(&full), Some(expected), "the rarest are left over");
    }
}
