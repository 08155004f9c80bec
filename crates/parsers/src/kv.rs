//! Pairs such as `user=root msg="two words", n=3`.
//!
//! A name is what stands in front of the value separator and is made of the bytes of names; so of `(uid=0)`
//! it is `uid`. A value in quotation marks ends at the second one, if a separator follows; a backslash
//! takes its meaning from a quotation mark or another backslash. Any other value goes on up to the pair
//! separator or the white space in front of the next name, as syslog-ng has it; so it may be several words.
//! What is neither are stray words.

use memchr::{memchr, memchr2};
use text_fields::Escapes;

use crate::classes::Classes;
use crate::limits::{NAME_BYTES_MAX, SEPARATOR_BYTES_MAX};
use crate::{Error, Failed, Pairs, Parser, Piece};

/// Options of [`KvParser`]; the defaults are those of syslog-ng's `kv-parser`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvOptions {
    /// What stands between name and value.
    pub value_separator: String,
    /// What stands between pairs, beside the white space in front of a name.
    pub pair_separator: String,
    /// The bytes of names, beside letters and digits of ASCII.
    pub key_bytes: String,
    /// The bytes that quote values.
    pub quotes: String,
    /// The name for text that is no part of a pair, one pair for each stretch of it.
    pub stray_words: Option<String>,
    /// Bytes that are taken off both ends of values without quotes.
    pub trim: String,
}

impl Default for KvOptions {
    fn default() -> Self {
        Self {
            value_separator: "=".to_owned(),
            pair_separator: ", ".to_owned(),
            key_bytes: "_.-".to_owned(),
            quotes: "\"'".to_owned(),
            stray_words: None,
            trim: String::new(),
        }
    }
}

/// The byte may stand in a name.
const KEY: u8 = 1;
/// The byte quotes values.
const QUOTE: u8 = 2;
/// The byte is white space.
const SPACE: u8 = 4;
/// The pair separator starts with the byte.
const PAIR: u8 = 8;
/// The byte is taken off the ends of values.
const TRIM: u8 = 16;

/// Takes pairs with a separator apart.
#[derive(Clone, Debug)]
pub struct KvParser {
    value_separator: Box<[u8]>,
    /// Without the white space around it, which is no part of a value anyway.
    pair_separator: Box<[u8]>,
    /// Whether white space has to follow the pair separator.
    is_spaced: bool,
    stray_words: Option<Box<str>>,
    has_trim: bool,
    /// What each byte means.
    classes: Classes,
}

impl KvParser {
    /// Checks the options.
    pub fn new(options: &KvOptions) -> Result<Self, Error> {
        let value_separator = options.value_separator.as_str();
        Error::check_filled(
            "value_separator",
            value_separator,
            SEPARATOR_BYTES_MAX,
            "write what stands between name and value, such as \"=\"",
        )?;
        let option = "pair_separator";
        Error::check_length(option, &options.pair_separator, SEPARATOR_BYTES_MAX)?;
        if let Some(name) = &options.stray_words {
            let remedy = "write a name for stray words, or leave the option out";
            Error::check_filled("stray_words", name, NAME_BYTES_MAX, remedy)?;
        }
        let pair_separator = options.pair_separator.trim_ascii();
        let mut parser = Self {
            value_separator: value_separator.as_bytes().into(),
            pair_separator: pair_separator.as_bytes().into(),
            is_spaced: options
                .pair_separator
                .ends_with(|last: char| last.is_ascii_whitespace()),
            stray_words: options.stray_words.as_deref().map(Into::into),
            has_trim: !options.trim.is_empty(),
            classes: Classes::default(),
        };
        for byte in u8::MIN..=u8::MAX {
            if byte.is_ascii_alphanumeric() {
                parser.classes.mark(byte, KEY);
            }
            if byte.is_ascii_whitespace() {
                parser.classes.mark(byte, SPACE);
            }
        }
        parser.mark_all("key_bytes", &options.key_bytes, KEY)?;
        parser.mark_all("quotes", &options.quotes, QUOTE)?;
        parser.mark_all("trim", &options.trim, TRIM)?;
        if let Some(first) = pair_separator.bytes().next() {
            parser.classes.mark(first, PAIR);
        }
        parser.check_classes(options)?;
        Ok(parser)
    }

    fn mark_all(&mut self, option: &'static str, bytes: &str, class: u8) -> Result<(), Error> {
        if !bytes.is_ascii() {
            return Err(Error::unfit(option, bytes, "write characters of ASCII"));
        }
        bytes
            .bytes()
            .for_each(|byte| self.classes.mark(byte, class));
        Ok(())
    }

    /// What ends a name or a value must not be a part of it.
    fn check_classes(&self, options: &KvOptions) -> Result<(), Error> {
        let first = |text: &str| text.bytes().next().unwrap_or_default();
        for (option, text, classes, remedy) in [
            (
                "value_separator",
                options.value_separator.as_str(),
                KEY | QUOTE | SPACE,
                "it starts with white space, a quotation mark or a byte of names",
            ),
            (
                "pair_separator",
                options.pair_separator.trim_ascii(),
                KEY | QUOTE,
                "it starts with a quotation mark or a byte of names",
            ),
        ] {
            if !text.is_empty() && self.classes.is(Some(&first(text)), classes) {
                return Err(Error::unfit(option, text, remedy));
            }
        }
        if options.value_separator.ends_with('\\') {
            let remedy = "it ends with a backslash, which escapes quotation marks";
            return Err(Error::unfit(
                "value_separator",
                &options.value_separator,
                remedy,
            ));
        }
        for byte in options.quotes.bytes() {
            if byte == b'\\' || self.classes.is(Some(&byte), KEY | SPACE) {
                let remedy =
                    "a quotation mark is no backslash, no white space and no byte of names";
                return Err(Error::unfit("quotes", &options.quotes, remedy));
            }
        }
        for byte in options.key_bytes.bytes() {
            if self.classes.is(Some(&byte), SPACE) {
                let remedy = "white space ends a name";
                return Err(Error::unfit("key_bytes", &options.key_bytes, remedy));
            }
        }
        Ok(())
    }
}

impl Parser for KvParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let mut reader = Reader {
            parser: self,
            input,
            pairs,
            stray: None,
            has_found: false,
        };
        reader.read();
        if reader.has_found {
            Ok(())
        } else {
            let reason = "expected a name, the value separator and a value";
            Err(Failed::new(0, reason))
        }
    }
}

/// Reads from left to right. Names and values are short, so most bytes are looked at one by one: a search
/// that is quick over long stretches costs more than such a value.
struct Reader<'a> {
    parser: &'a KvParser,
    input: &'a [u8],
    pairs: &'a mut Pairs,
    /// The name of stray words, once there are some.
    stray: Option<Piece>,
    has_found: bool,
}

/// A name, and the place behind the value separator.
#[derive(Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    value: usize,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut next = self.next_name(0);
        while let Some(name) = next {
            self.has_found = true;
            let piece = Piece::input(name.start, name.end);
            let mut start = name.value;
            if self.is_at(start, SPACE) {
                start = self.skip(start, SPACE);
                // White space in front of the next name is no value.
                next = self.name_at(start);
                if next.is_some() {
                    continue;
                }
            }
            let quoted = self.is_at(start, QUOTE).then(|| self.quoted(start));
            let has_room = if let Some((value, end)) = quoted.flatten() {
                // An own text without room is left out; others may have room.
                let has_room = value.is_none_or(|value| self.pairs.push(piece, value));
                next = self.next_name(end);
                has_room
            } else {
                let (end, name) = self.plain(start);
                let has_room = self.pairs.push(piece, self.trimmed(start, end));
                next = name.or_else(|| self.next_name(end));
                has_room
            };
            if !has_room {
                return;
            }
        }
    }

    /// The next name from a place on; what stands before it are stray words.
    fn next_name(&mut self, at: usize) -> Option<Name> {
        let at = self.skip_separators(at);
        if let Some(name) = self.name_at(at) {
            return Some(name);
        }
        let name = self.find_name(at);
        let end = name.map_or(self.input.len(), |name| name.start);
        self.stray_words(at, end);
        name
    }

    /// The name that starts at a place.
    #[inline]
    fn name_at(&self, start: usize) -> Option<Name> {
        let end = self.skip(start, KEY);
        let mut behind = end;
        if self.is_at(behind, SPACE) {
            behind = self.skip(behind, SPACE);
        }
        let is_name = end > start && self.is_separator(behind);
        is_name.then(|| Name {
            start,
            end,
            value: behind + self.parser.value_separator.len(),
        })
    }

    /// Whether the value separator stands at a place.
    #[inline]
    fn is_separator(&self, at: usize) -> bool {
        let separator = &*self.parser.value_separator;
        // Most have one byte.
        self.input.get(at) == separator.first()
            && (separator.len() == 1
                || self
                    .input
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(separator)))
    }

    /// The first name from a place on, wherever it starts.
    fn find_name(&self, from: usize) -> Option<Name> {
        let first = *self.parser.value_separator.first()?;
        let (mut low, mut at) = (from, from);
        loop {
            let separator = at + memchr(first, self.input.get(at..)?)?;
            at = separator + 1;
            if !self.is_separator(separator) {
                continue;
            }
            let value = separator + self.parser.value_separator.len();
            // No byte is looked at twice: a separator is no part of a name.
            let before = self.input.get(low..separator)?.trim_ascii_end();
            let end = low + before.len();
            let start = end - self.parser.classes.run_at_end(before, KEY);
            if start < end {
                return Some(Name { start, end, value });
            }
            (low, at) = (value, value);
        }
    }

    /// The value in quotation marks at a place, and the place behind it.
    fn quoted(&mut self, at: usize) -> Option<(Option<Piece>, usize)> {
        let quote = *self.input.get(at)?;
        let start = at + 1;
        let mut end = start;
        let mut has_escapes = false;
        loop {
            end += memchr2(quote, b'\\', self.input.get(end..)?)?;
            if self.input.get(end) == Some(&quote) {
                break;
            }
            has_escapes = true;
            end += 2;
        }
        // A quotation mark inside would end it too early; a separator without its space is one.
        let is_over = end + 1 == self.input.len() || self.is_at(end + 1, SPACE | PAIR);
        is_over.then_some(())?;
        let value = if has_escapes {
            let value = self.input.get(start..end).unwrap_or_default();
            let append = |own: &mut Vec<u8>| unescape(value, quote, own);
            self.pairs.push_own_with(value.len(), append)
        } else {
            Some(Piece::input(start, end))
        };
        Some((value, end + 1))
    }

    /// Where the value without quotation marks at a place ends, and the name behind it where that has ended
    /// it.
    #[inline]
    fn plain(&self, at: usize) -> (usize, Option<Name>) {
        let mut end = at;
        loop {
            let rest = self.input.get(end..).unwrap_or_default();
            end += self.parser.classes.before(rest, SPACE | PAIR);
            if self.is_at(end, SPACE) {
                let behind = self.skip(end, SPACE);
                let next = self.name_at(behind);
                if next.is_some() {
                    return (end, next);
                }
                end = behind;
            } else if end >= self.input.len() || self.separator_len(end) > 0 {
                return (end, None);
            } else {
                end += 1;
            }
        }
    }

    /// A value without white space at its end, and without the bytes that are taken off its ends.
    #[inline]
    fn trimmed(&self, start: usize, end: usize) -> Piece {
        let classes = &self.parser.classes;
        let value = self
            .input
            .get(start..end)
            .unwrap_or_default()
            .trim_ascii_end();
        let value = Piece::input(start, start + value.len());
        if !self.parser.has_trim {
            return value;
        }
        let bytes = self.pairs.get(value, self.input);
        let first = classes.run(bytes, TRIM);
        let rest = bytes.get(first..).unwrap_or_default();
        value.part(first, rest.len() - classes.run_at_end(rest, TRIM))
    }

    /// The length of what separates pairs at a place; 0 where nothing does.
    fn separator_len(&self, at: usize) -> usize {
        if self.is_at(at, SPACE) {
            return 1;
        }
        if !self.is_at(at, PAIR) {
            return 0;
        }
        let rest = self.input.get(at..).unwrap_or_default();
        let Some(behind) = rest.strip_prefix(&*self.parser.pair_separator) else {
            return 0;
        };
        // At the end nothing has to follow.
        let is_spaced = behind.first().is_none_or(u8::is_ascii_whitespace);
        if self.parser.is_spaced && !is_spaced {
            return 0;
        }
        self.parser.pair_separator.len()
    }

    #[inline]
    fn skip_separators(&self, mut at: usize) -> usize {
        while self.is_at(at, SPACE | PAIR) {
            match self.separator_len(at) {
                0 => break,
                len => at += len,
            }
        }
        at
    }

    /// Takes what stands between two places for stray words, without separators around it.
    fn stray_words(&mut self, start: usize, mut end: usize) {
        let Some(name) = &self.parser.stray_words else {
            return;
        };
        let separator = &*self.parser.pair_separator;
        while let Some(words) = self.input.get(start..end) {
            let words = words.trim_ascii_end();
            end = start + words.len();
            match words.strip_suffix(separator) {
                Some(words) if !separator.is_empty() => end = start + words.len(),
                _ => break,
            }
        }
        if start >= end {
            return;
        }
        if self.stray.is_none() {
            self.stray = self.pairs.push_own(name.as_bytes());
        }
        if let Some(name) = self.stray {
            self.has_found = true;
            self.pairs.push(name, Piece::input(start, end));
        }
    }

    /// The place behind the bytes of a class that stand at another.
    #[inline]
    fn skip(&self, at: usize, class: u8) -> usize {
        let rest = self.input.get(at..).unwrap_or_default();
        at + self.parser.classes.run(rest, class)
    }

    /// Whether a byte of one of these classes stands at a place.
    #[inline]
    fn is_at(&self, at: usize, classes: u8) -> bool {
        self.parser.classes.is(self.input.get(at), classes)
    }
}

/// Appends a value without its escapes: those of the quotation mark and the backslash. Others are none, for
/// paths of Windows stand there too.
fn unescape(value: &[u8], quote: u8, out: &mut Vec<u8>) {
    if quote == b'"' {
        return Escapes::Quotes.append(value, out);
    }
    let mut rest = value;
    while let Some(at) = memchr(b'\\', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let byte = match escape.get(1) {
            Some(byte) if *byte == quote || *byte == b'\\' => *byte,
            _ => {
                out.push(b'\\');
                rest = escape.get(1..).unwrap_or_default();
                continue;
            }
        };
        out.push(byte);
        rest = escape.get(2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests;
