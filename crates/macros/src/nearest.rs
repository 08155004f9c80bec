//! The known name that somebody likely meant.

/// The nearest of some names, where it is near enough to be meant: one or two letters are wrong in a long
/// name; in a short one, which may well be another word, a letter is missing or too many, or all are there
/// in another order.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() < 3 {
        return None;
    }
    let is_near = |candidate: &str, distance: usize| match name.len() {
        0..6 => {
            distance == 1 && name.len() != candidate.len() || letters(name) == letters(candidate)
        }
        _ => distance <= 2,
    };
    known
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, candidate)| is_near(candidate, *distance))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The letters of a name, in order.
fn letters(name: &str) -> Vec<u8> {
    let mut letters = name.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// How many letters have to be put in, left out or replaced.
fn distance(left: &[u8], right: &[u8]) -> usize {
    if left.len().abs_diff(right.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, a) in left.iter().enumerate() {
        let mut diagonal = above;
        let mut before = above + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(right) {
            let replaced = diagonal + usize::from(!a.eq_ignore_ascii_case(b));
            diagonal = *cell;
            *cell = replaced.min(before + 1).min(*cell + 1);
            before = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found() {
        let known = ["MESSAGE", "HOST", "PROGRAM", "lowercase"];
        for (name, meant) in [
            ("MESAGE", Some("MESSAGE")),
            ("HOSTS", Some("HOST")),
            ("lowrcase", Some("lowercase")),
            ("PROGRAMME", Some("PROGRAM")),
            ("HOTS", Some("HOST")),
            ("USER", None),
            ("COST", None),
            ("ID", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), meant, "{name}");
        }
    }
}
