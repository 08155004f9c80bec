//! A log in memory, and where texts stand in it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use memchr::memmem;

/// Pieces between white space at the start of a line that may be its header: the longest are RFC 3164 with
/// a number, a year and a zone, or six fields of RFC 5424.
const HEADER_PIECES: usize = 8;

/// A log of at most so many bytes: it is held twice.
const BYTES_MAX: u64 = 4 << 30;

/// The lines of a log.
#[derive(Debug)]
pub(super) struct Text {
    bytes: Vec<u8>,
    /// The same in lower case.
    lower: Vec<u8>,
    lines: Vec<Line>,
}

/// Where a line that is not empty lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    start: usize,
    /// Behind what may be its header.
    body: usize,
    end: usize,
}

/// Which ends of a text must be those of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) left: bool,
    pub(super) right: bool,
}

impl Bounds {
    pub(super) const WORD: Self = Self {
        left: true,
        right: true,
    };
    pub(super) const PREFIX: Self = Self {
        left: true,
        right: false,
    };
    pub(super) const SUFFIX: Self = Self {
        left: false,
        right: true,
    };
    pub(super) const NONE: Self = Self {
        left: false,
        right: false,
    };
}

/// A place of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// Which line, by number.
    pub(super) line: usize,
    /// What stands in front of it in the line.
    pub(super) before: &'a [u8],
    /// The text as it is spelled there.
    pub(super) spelled: &'a [u8],
    /// What stands behind it in the line.
    pub(super) after: &'a [u8],
    /// Whether it may lie in the header.
    is_early: bool,
}

impl Text {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let about = || format!("cannot read {}", path.display());
        let bytes = fs::metadata(path).with_context(about)?.len();
        ensure!(
            bytes <= BYTES_MAX,
            "{} has {bytes} bytes, and a log of at most {BYTES_MAX} is searched",
            path.display()
        );
        let text = Self::new(fs::read(path).with_context(about)?);
        ensure!(!text.lines.is_empty(), "{} has no lines", path.display());
        Ok(text)
    }

    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for piece in bytes.split(|byte| *byte == b'\n') {
            let end = start + piece.len();
            if !piece.is_empty() {
                let body = start + body(piece);
                lines.push(Line { start, body, end });
            }
            start = end + 1;
        }
        Self {
            lower: bytes.to_ascii_lowercase(),
            bytes,
            lines,
        }
    }

    pub(super) fn messages(&self) -> u64 {
        self.lines.len() as u64
    }

    /// What surely is no header, line by line.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &[u8]> {
        let body = |line: &Line| &self.bytes[line.body..line.end];
        self.lines.iter().map(body)
    }

    /// The numbers of the lines that a text, in lower case, stands in within some bounds; `None` where one
    /// could count them in more than one way.
    pub(super) fn lines_with(&self, text: &str, bounds: Bounds) -> Option<Vec<usize>> {
        let mut found: Vec<usize> = Vec::new();
        let mut spelling: Option<&[u8]> = None;
        for place in self.places(text) {
            if !place.has(bounds)? {
                continue;
            }
            let is_spelled_so = *spelling.get_or_insert(place.spelled) == place.spelled;
            if place.is_early || !is_spelled_so {
                return None;
            }
            if found.last() != Some(&place.line) {
                found.push(place.line);
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Every place of a text that is in lower case, in order.
    pub(super) fn places(&self, text: &str) -> impl Iterator<Item = Place<'_>> {
        let finder = memmem::Finder::new(text.as_bytes()).into_owned();
        let (mut from, mut line) = (0, 0);
        std::iter::from_fn(move || {
            let at = from + finder.find(self.lower.get(from..)?)?;
            // The next one may begin within this one.
            from = at + 1;
            while self.lines.get(line)?.end < at {
                line += 1;
            }
            let (own, end) = (self.lines.get(line)?, at + finder.needle().len());
            Some(Place {
                line,
                before: &self.bytes[own.start..at],
                spelled: &self.bytes[at..end],
                after: &self.bytes[end..own.end],
                is_early: at < own.body,
            })
        })
    }
}

impl Place<'_> {
    /// Whether its ends are those of words; `None` next to a character beyond ASCII.
    pub(super) fn has(&self, bounds: Bounds) -> Option<bool> {
        let left = bounds.left.then(|| self.before.last()).flatten();
        let right = bounds.right.then(|| self.after.first()).flatten();
        let ends = [left, right];
        let mut ends = ends.iter().flatten().copied();
        if ends.clone().any(|byte| !byte.is_ascii()) {
            return None;
        }
        Some(!ends.any(|byte| is_word(*byte)))
    }

    /// Whether it may lie in the header.
    pub(super) fn is_early(&self) -> bool {
        self.is_early
    }
}

/// Whether an ASCII character is part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where the body of a line begins.
fn body(line: &[u8]) -> usize {
    let mut pieces = 0;
    let mut was_space = true;
    for (at, byte) in line.iter().enumerate() {
        let is_space = byte.is_ascii_whitespace();
        if was_space && !is_space {
            if pieces == HEADER_PIECES {
                return at;
            }
            pieces += 1;
        }
        was_space = is_space;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "<13>Oct  1 2026 00:00:01 UTC: host tag: x ";

    fn text(bodies: &[&str]) -> Text {
        let lines = bodies.iter().map(|body| format!("{HEADER}{body}\n"));
        Text::new(lines.collect::<String>().into_bytes())
    }

    #[test]
    fn lines_have_bodies_behind_their_headers() {
        let text = text(&["one two", "", "three"]);
        let bodies: Vec<&[u8]> = text.bodies().collect();
        assert_eq!(bodies, [&b"one two"[..], b"", b"three"]);
        assert_eq!(Text::new(b"a\n\nb".to_vec()).messages(), 2);
    }

    #[test]
    fn words_are_found_between_their_bounds() {
        let log = text(&["apple, apple", "pineapple", "apples", "pear", "(apple)"]);
        let lines = |bounds| log.lines_with("apple", bounds);
        assert_eq!(lines(Bounds::WORD), Some(vec![0, 4]));
        assert_eq!(lines(Bounds::PREFIX), Some(vec![0, 2, 4]));
        assert_eq!(lines(Bounds::SUFFIX), Some(vec![0, 1, 4]));
        assert_eq!(lines(Bounds::NONE), Some(vec![0, 1, 2, 4]));
        assert_eq!(log.lines_with("plum", Bounds::WORD), None);
        // One that begins within another.
        let twice = Text::new(b"1 2 3 4 5 6 7 8 xaaa".to_vec());
        assert_eq!(twice.lines_with("aa", Bounds::SUFFIX), Some(vec![0]));
    }

    #[test]
    fn what_could_be_counted_in_two_ways_is_not() {
        let text = text(&["Apple", "apple", "tag host", "pear\u{e9}", "plum"]);
        assert_eq!(text.lines_with("apple", Bounds::WORD), None);
        assert_eq!(text.lines_with("host", Bounds::WORD), None);
        assert_eq!(text.lines_with("pear", Bounds::WORD), None);
        assert_eq!(text.lines_with("pear", Bounds::PREFIX), Some(vec![3]));
        assert_eq!(text.lines_with("plum", Bounds::WORD), Some(vec![4]));
    }
}
