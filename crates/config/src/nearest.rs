//! The name somebody probably meant.

use crate::limits::LISTED_NAMES_MAX;

/// The candidate that is nearest to what was written, where one is near enough: at most one edit
/// in three characters. Case, and `-` for `_`, count as no edit. The first of equals wins.
pub(crate) fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let written = plain(written);
    let edits_max = written.len().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (edits(&written, &plain(candidate)), candidate))
        .filter(|(edits, _)| *edits <= edits_max)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// `a`, `b` and `c`: a list for a sentence, each quoted as code; of many the first ones, and how
/// many more there are.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let first = names.by_ref().take(LISTED_NAMES_MAX);
    let mut quoted: Vec<_> = first.map(|name| format!("`{name}`")).collect();
    let more = names.count();
    if more > 0 {
        quoted.push(format!("{more} more"));
    }
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [firsts @ .., last] => format!("{} and {last}", firsts.join(", ")),
    }
}

fn plain(name: &str) -> Vec<char> {
    name.chars()
        .map(|character| match character {
            '-' => '_',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other
/// (optimal string alignment). Names are short; three rows are kept.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let at =
                |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX);
            let mut best = (at(&above, column) + usize::from(a != b))
                .min(at(&above, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = row > 0
                && column > 0
                && from.get(row - 1) == Some(b)
                && to.get(column - 1) == Some(a);
            if swapped {
                best = best.min(at(&before, column - 1) + 1);
            }
            current.push(best);
        }
        before = above;
        above = current;
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (from, to, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("", "ab", 2),
            ("listen", "listen", 0),
            ("lsiten", "listen", 1),
            ("lisen", "listen", 1),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(edits(&plain(from), &plain(to)), expected, "{from} {to}");
            assert_eq!(edits(&plain(to), &plain(from)), expected, "{to} {from}");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["listen", "message_max", "sockets"];
        for (written, expected) in [
            ("lisen", Some("listen")),
            ("Message-Max", Some("message_max")),
            ("socket", Some("sockets")),
            ("retention", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), expected, "{written}");
        }
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
