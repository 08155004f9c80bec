//! Texts by how frequent they are.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::text::{Bounds, Text, is_word};
use crate::manifest::Query;

/// Lines that texts are chosen from; counts are those of all.
const SAMPLE_LINES: usize = 200_000;

/// Texts that are tried for a question, nearest to the frequency that is meant first. Each is a pass over
/// the log.
const TRIED_MAX: usize = 100;

/// How many lines of the sample a text stands in, in lower case; in the order of texts.
type Frequencies = Vec<(String, usize)>;

/// The numbers of lines.
type Lines = Vec<usize>;

/// Gives the pieces of a line that are meant.
type Cut = fn(&[u8], &mut dyn FnMut(&[u8]));

/// Takes a part of a word.
type Part = fn(&str) -> &str;

/// A text and the lines that have it.
#[derive(Clone, Debug)]
struct Found {
    text: String,
    lines: Lines,
}

/// Chooses questions about a log.
pub(super) struct Chooser<'a> {
    text: &'a Text,
    sample: usize,
    words: Frequencies,
    /// Words that are in use.
    used: HashSet<String>,
    queries: Vec<Query>,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(text: &'a Text) -> Self {
        let words = frequencies(text, &mut |body, give| {
            for word in body.split(|byte| !is_word(*byte)) {
                let is_plain = word.iter().all(u8::is_ascii_alphabetic);
                if is_plain && (4..=24).contains(&word.len()) {
                    give(word);
                }
            }
        });
        Self {
            text,
            sample: text.bodies().take(SAMPLE_LINES).count(),
            words,
            used: HashSet::new(),
            queries: Vec::new(),
        }
    }

    /// The questions; one that nothing in the log is fit for is left out.
    pub(super) fn queries(mut self) -> Vec<Query> {
        self.words();
        self.wildcards();
        self.others();
        self.queries
    }

    /// Words of several frequencies, and what operators make of them.
    fn words(&mut self) {
        let parts = [
            ("rare", usize::MAX),
            ("one_in_1000", 1_000),
            ("one_in_100", 100),
            ("one_in_10", 10),
            ("frequent", 1),
        ];
        let found = parts.map(|(name, part)| {
            let found = self.word(part, |_| true)?;
            self.add_text(name, &found, Bounds::WORD);
            Some(found)
        });
        let [_, few, some, many, _] = found;
        if let (Some(few), Some(some)) = (few, &some) {
            let [a, b] = [&few.text, &some.text];
            let count = union(&few.lines, &some.lines);
            let pattern = format!("\\b({a}|{b})\\b");
            self.add("or", format!("{a} OR {b}"), Some(pattern), count);
        }
        if let Some(some) = &some
            && let Some(other) = self.word(10, |lines| common(lines, &some.lines) > 0)
        {
            let [a, b] = [&some.text, &other.text];
            let both = common(&some.lines, &other.lines);
            let pattern = format!("\\b{a}\\b.*\\b{b}\\b|\\b{b}\\b.*\\b{a}\\b");
            self.add("and", format!("{a} AND {b}"), Some(pattern), both);
            let without = other.lines.len() - both;
            self.add("and_not", format!("{b} AND NOT {a}"), None, without);
        }
        if let Some(many) = many {
            let without = self.text.messages() as usize - many.lines.len();
            self.add("not", format!("NOT {}", many.text), None, without);
        }
    }

    /// Parts of words.
    fn wildcards(&mut self) {
        let cut: [(&str, Bounds, Part); 3] = [
            ("prefix", Bounds::PREFIX, |word| &word[..word.len() * 2 / 3]),
            ("suffix", Bounds::SUFFIX, |word| &word[word.len() / 3..]),
            ("inner", Bounds::NONE, |word| &word[1..word.len() - 1]),
        ];
        for (name, bounds, part) in cut {
            let words = near(&self.words, self.sample / 100);
            let parts = words.map(part).filter(|part| part.len() >= 3);
            if let Some(found) = self.first(parts, bounds, |_| true) {
                self.add_text(name, &found, bounds);
            }
        }
    }

    /// Phrases, numbers, addresses and identifiers.
    fn others(&mut self) {
        let kinds: [(&str, usize, Bounds, Cut); 5] = [
            ("phrase", 1_000, Bounds::WORD, phrases),
            ("digits", 10_000, Bounds::WORD, |body, give| {
                pieces(body, b"", give, |piece| {
                    piece.len() >= 4 && piece.iter().all(u8::is_ascii_digit)
                });
            }),
            ("id", usize::MAX, Bounds::WORD, |body, give| {
                pieces(body, b"", give, |piece| {
                    piece.len() >= 12
                        && piece.iter().all(u8::is_ascii_hexdigit)
                        && piece.iter().any(u8::is_ascii_digit)
                        && piece.iter().any(u8::is_ascii_alphabetic)
                });
            }),
            ("address", 10_000, Bounds::WORD, |body, give| {
                pieces(body, b".", give, is_address);
            }),
            ("network", 1_000, Bounds::PREFIX, |body, give| {
                pieces(body, b".", &mut |piece| give(network(piece)), is_address);
            }),
        ];
        for (name, part, bounds, mut cut) in kinds {
            let all = frequencies(self.text, &mut cut);
            let texts = near(&all, (self.sample / part).max(1));
            if let Some(found) = self.first(texts, bounds, |_| true) {
                self.add_text(name, &found, bounds);
            }
        }
    }

    /// The word that one in so many lines has, or comes next to it.
    fn word(&mut self, part: usize, is_fit: impl Fn(&Lines) -> bool) -> Option<Found> {
        let words = near(&self.words, (self.sample / part).max(1));
        let words = words.filter(|word| !self.used.contains(*word));
        let found = self.first(words, Bounds::WORD, is_fit)?;
        self.used.insert(found.text.clone());
        Some(found)
    }

    fn first<'b>(
        &self,
        texts: impl Iterator<Item = &'b str>,
        bounds: Bounds,
        is_fit: impl Fn(&Lines) -> bool,
    ) -> Option<Found> {
        texts.take(TRIED_MAX).find_map(|text| {
            let lines = self.text.lines_with(text, bounds)?;
            let place = self
                .text
                .places(text)
                .find(|place| place.has(bounds) == Some(true))?;
            // As it is spelled, for those who regard case.
            let text = String::from_utf8_lossy(place.spelled).into_owned();
            is_fit(&lines).then_some(Found { text, lines })
        })
    }

    fn add_text(&mut self, name: &str, found: &Found, bounds: Bounds) {
        let text = &found.text;
        let query = match (bounds.left, bounds.right) {
            (true, true) if text.contains(' ') => format!("\"{text}\""),
            (true, true) => text.clone(),
            (true, false) => format!("{text}*"),
            (false, true) => format!("*{text}"),
            (false, false) => format!("*{text}*"),
        };
        let edge = |is_bound| if is_bound { "\\b" } else { "" };
        let text = text.replace('.', "\\.");
        let pattern = format!("{}{text}{}", edge(bounds.left), edge(bounds.right));
        self.add(name, query, Some(pattern), found.lines.len());
    }

    fn add(&mut self, name: &str, query: String, pattern: Option<String>, count: usize) {
        self.queries.push(Query {
            name: name.to_owned(),
            query,
            pattern,
            count: count as u64,
        });
    }
}

/// Texts, those first that stand in nearly so many lines.
fn near(all: &Frequencies, target: usize) -> impl Iterator<Item = &str> {
    let mut sorted: Vec<&(String, usize)> = all.iter().collect();
    // Of equally near ones the longest, which are the most telling.
    sorted.sort_by_key(|(text, lines)| (lines.abs_diff(target), Reverse(text.len())));
    sorted.into_iter().map(|(text, _)| text.as_str())
}

/// In how many lines of the sample the texts stand that `cut` gives of each.
fn frequencies(text: &Text, cut: &mut impl FnMut(&[u8], &mut dyn FnMut(&[u8]))) -> Frequencies {
    let mut all: HashMap<Vec<u8>, (usize, usize)> = HashMap::new();
    for (line, body) in text.bodies().take(SAMPLE_LINES).enumerate() {
        cut(body, &mut |piece| {
            let (lines, last) = all.entry(piece.to_ascii_lowercase()).or_default();
            if *lines == 0 || *last != line {
                (*lines, *last) = (*lines + 1, line);
            }
        });
    }
    let told = |(piece, (lines, _))| Some((String::from_utf8(piece).ok()?, lines));
    let mut all: Frequencies = all.into_iter().filter_map(told).collect();
    all.sort();
    all
}

/// Runs of word characters and some others.
fn pieces(body: &[u8], more: &[u8], give: &mut dyn FnMut(&[u8]), is_meant: impl Fn(&[u8]) -> bool) {
    let is_part = |byte: &u8| is_word(*byte) || more.contains(byte);
    for piece in body.split(|byte| !is_part(byte)) {
        if is_meant(piece) {
            give(piece);
        }
    }
}

/// Two words with a space between them.
fn phrases(body: &[u8], give: &mut dyn FnMut(&[u8])) {
    let is_plain = |word: &[u8]| word.len() >= 4 && word.iter().all(u8::is_ascii_alphabetic);
    let mut last: Option<(usize, &[u8])> = None;
    let mut at = 0;
    for word in body.split(|byte| *byte == b' ') {
        if let Some((start, before)) = last
            && is_plain(before)
            && is_plain(word)
        {
            give(&body[start..at + word.len()]);
        }
        last = Some((at, word));
        at += word.len() + 1;
    }
}

/// Whether this is an IPv4 address.
pub(super) fn is_address(piece: &[u8]) -> bool {
    std::str::from_utf8(piece).is_ok_and(|text| text.parse::<std::net::Ipv4Addr>().is_ok())
}

/// The first three numbers of an address, and the dot behind them.
fn network(address: &[u8]) -> &[u8] {
    let dot = address.iter().rposition(|byte| *byte == b'.');
    dot.map_or(address, |dot| &address[..=dot])
}

/// How many lines two have in common.
fn common(a: &Lines, b: &Lines) -> usize {
    a.iter()
        .filter(|line| b.binary_search(line).is_ok())
        .count()
}

/// How many lines two have together.
fn union(a: &Lines, b: &Lines) -> usize {
    a.len() + b.len() - common(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_as_they_are_meant() {
        let given = |cut: Cut, body: &[u8]| {
            let mut all = Vec::new();
            cut(body, &mut |piece| {
                all.push(String::from_utf8_lossy(piece).into_owned());
            });
            all
        };
        let told = given(phrases, b"link state down, port seven went down");
        assert_eq!(
            told,
            ["link state", "port seven", "seven went", "went down"]
        );
        let addresses: Cut = |body, give| pieces(body, b".", give, is_address);
        let told = given(addresses, b"10.0.0.1:80 10.0.0.1. 1.2.3 300.1.1.1");
        assert_eq!(told, ["10.0.0.1"]);
        assert_eq!(network(b"10.0.0.17"), b"10.0.0.");
    }

    #[test]
    fn lines_are_counted_once() {
        let (a, b) = (vec![1, 3, 5], vec![3, 4, 5, 6]);
        assert_eq!((common(&a, &b), union(&a, &b)), (2, 5));
    }

    #[test]
    fn the_nearest_come_first() {
        let all = [("a", 1), ("b", 9), ("cc", 5), ("d", 5)];
        let all: Frequencies = all.map(|(text, lines)| (text.to_owned(), lines)).into();
        assert_eq!(near(&all, 5).collect::<Vec<_>>(), ["cc", "d", "a", "b"]);
        assert_eq!(near(&all, 8).next(), Some("b"));
    }
}
