//! Pairs such as `user=root msg="two words", n=3`.
//!
//! A name is what stands right before the value separator and is made of the bytes of names; so of `(uid=0)`
//! it is `uid`. A value stands right behind: in quotation marks, where a backslash takes its special meaning
//! from a quotation mark or another backslash; otherwise up to white space or the pair separator. What is
//! neither are stray words.

use memchr::{memchr2, memmem};
use text_fields::Escapes;

use crate::limits::{NAME_BYTES_MAX, SEPARATOR_BYTES_MAX};
use crate::{Error, Failed, Pairs, Parser, Piece};

/// Options of [`KvParser`]; the defaults are those of syslog-ng's `kv-parser`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvOptions {
    /// What stands between name and value.
    pub value_separator: String,
    /// What stands between pairs, beside white space.
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
    value_separator: memmem::Finder<'static>,
    /// Without the white space behind it, which ends a value as well.
    pair_separator: Box<[u8]>,
    /// Whether white space has to follow the pair separator.
    is_spaced: bool,
    stray_words: Option<Box<str>>,
    has_trim: bool,
    /// What each byte means.
    classes: Box<[u8; 256]>,
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
        let pair_separator = options.pair_separator.trim_ascii_end();
        let mut parser = Self {
            value_separator: memmem::Finder::new(value_separator).into_owned(),
            pair_separator: pair_separator.as_bytes().into(),
            is_spaced: pair_separator.len() < options.pair_separator.len(),
            stray_words: options.stray_words.as_deref().map(Into::into),
            has_trim: !options.trim.is_empty(),
            classes: Box::new([0; 256]),
        };
        for byte in u8::MIN..=u8::MAX {
            if byte.is_ascii_alphanumeric() {
                parser.mark(byte, KEY);
            }
            if byte.is_ascii_whitespace() {
                parser.mark(byte, SPACE);
            }
        }
        parser.mark_all("key_bytes", &options.key_bytes, KEY)?;
        parser.mark_all("quotes", &options.quotes, QUOTE)?;
        parser.mark_all("trim", &options.trim, TRIM)?;
        if let Some(first) = pair_separator.bytes().next() {
            parser.mark(first, PAIR);
        }
        parser.check_classes(options)?;
        Ok(parser)
    }

    fn mark(&mut self, byte: u8, class: u8) {
        if let Some(classes) = self.classes.get_mut(usize::from(byte)) {
            *classes |= class;
        }
    }

    fn mark_all(&mut self, option: &'static str, bytes: &str, class: u8) -> Result<(), Error> {
        if !bytes.is_ascii() {
            return Err(Error::unfit(option, bytes, "write characters of ASCII"));
        }
        bytes.bytes().for_each(|byte| self.mark(byte, class));
        Ok(())
    }

    /// What ends a name or a value must not be a part of it.
    fn check_classes(&self, options: &KvOptions) -> Result<(), Error> {
        let first = |text: &str| text.bytes().next().unwrap_or_default();
        for (option, text, classes, remedy) in [
            (
                "value_separator",
                &options.value_separator,
                KEY | QUOTE | SPACE,
                "it starts with white space, a quotation mark or a byte of names",
            ),
            (
                "pair_separator",
                &options.pair_separator,
                KEY | QUOTE,
                "it starts with a quotation mark or a byte of names",
            ),
        ] {
            if !text.is_empty() && self.is(Some(&first(text)), classes) {
                return Err(Error::unfit(option, text, remedy));
            }
        }
        for byte in options.quotes.bytes() {
            if byte == b'\\' || self.is(Some(&byte), KEY | SPACE) {
                let remedy =
                    "a quotation mark is no backslash, no white space and no byte of names";
                return Err(Error::unfit("quotes", &options.quotes, remedy));
            }
        }
        for byte in options.key_bytes.bytes() {
            if self.is(Some(&byte), SPACE) {
                let remedy = "white space ends a name";
                return Err(Error::unfit("key_bytes", &options.key_bytes, remedy));
            }
        }
        Ok(())
    }

    /// Whether a byte is of one of these classes.
    fn is(&self, byte: Option<&u8>, classes: u8) -> bool {
        let own = byte.and_then(|byte| self.classes.get(usize::from(*byte)));
        own.is_some_and(|own| own & classes != 0)
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
        let mut at = 0;
        while let Some(behind) = reader.pair(at) {
            at = behind;
        }
        if reader.has_found {
            Ok(())
        } else {
            Err(Failed::new(
                0,
                "expected a name, the value separator and a value",
            ))
        }
    }
}

struct Reader<'a> {
    parser: &'a KvParser,
    input: &'a [u8],
    pairs: &'a mut Pairs,
    /// The name of stray words, once there are some.
    stray: Option<Piece>,
    has_found: bool,
}

impl Reader<'_> {
    /// Reads the next pair from a place on; returns the place behind it, or nothing at the end.
    fn pair(&mut self, at: usize) -> Option<usize> {
        let at = self.skip_separators(at);
        let (start, end) = match self.name_at(at) {
            Some(end) => (at, end),
            None => {
                let name = self.next_name(at);
                let (start, _) = name.unwrap_or((self.input.len(), self.input.len()));
                self.stray_words(at, start);
                name?
            }
        };
        self.has_found = true;
        let value = end + self.parser.value_separator.needle().len();
        let (value, behind) = match self.quoted(value) {
            Some(found) => found,
            None => self.plain(value),
        };
        let name = Piece::input(start, end);
        // An own text without room is left out; others may have room.
        let has_room = value.is_none_or(|value| self.pairs.push(name, value));
        has_room.then_some(behind)
    }

    /// Where the name ends that starts at a place and has a value separator behind it.
    fn name_at(&self, at: usize) -> Option<usize> {
        let rest = self.input.get(at..)?;
        let len = self.run(rest, KEY);
        let behind = rest.get(len..)?;
        let has_separator = behind.starts_with(self.parser.value_separator.needle());
        (len > 0 && has_separator).then_some(at + len)
    }

    /// Start and end of the next name from a place on that has a value separator behind it.
    fn next_name(&self, from: usize) -> Option<(usize, usize)> {
        let finder = &self.parser.value_separator;
        let mut at = from;
        loop {
            let end = at + finder.find(self.input.get(at..)?)?;
            // No byte is looked at twice: a separator is no part of a name.
            let before = self.input.get(at..end)?;
            let key = before.iter().rev();
            let len = key.take_while(|byte| self.parser.is(Some(byte), KEY));
            let len = len.count();
            if len > 0 {
                return Some((end - len, end));
            }
            at = end + finder.needle().len();
        }
    }

    /// The value in quotation marks at a place, and the place behind it.
    fn quoted(&mut self, at: usize) -> Option<(Option<Piece>, usize)> {
        let quote = *self.input.get(at)?;
        if !self.parser.is(Some(&quote), QUOTE) {
            return None;
        }
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
        let value = if has_escapes {
            let value = self.input.get(start..end).unwrap_or_default();
            let append = |own: &mut Vec<u8>| unescape(value, quote, own);
            self.pairs.push_own_with(value.len(), append)
        } else {
            Some(Piece::input(start, end))
        };
        Some((value, end + 1))
    }

    /// The value without quotation marks at a place, and the place behind it.
    fn plain(&self, at: usize) -> (Option<Piece>, usize) {
        let mut end = at;
        while let Some(byte) = self.input.get(end) {
            if self.parser.is(Some(byte), SPACE | PAIR) && self.separator_len(end) > 0 {
                break;
            }
            end += 1;
        }
        let (mut first, mut last) = (at, end);
        if self.parser.has_trim {
            let value = self.input.get(at..end).unwrap_or_default();
            first += self.run(value, TRIM);
            let value = self.input.get(first..end).unwrap_or_default();
            let trimmed = value.iter().rev();
            last -= trimmed
                .take_while(|byte| self.parser.is(Some(byte), TRIM))
                .count();
        }
        (Some(Piece::input(first, last)), end)
    }

    /// The length of what separates pairs at a place; 0 where nothing does.
    fn separator_len(&self, at: usize) -> usize {
        let rest = self.input.get(at..).unwrap_or_default();
        if self.parser.is(rest.first(), SPACE) {
            return 1;
        }
        if !self.parser.is(rest.first(), PAIR) {
            return 0;
        }
        let Some(behind) = rest.strip_prefix(&*self.parser.pair_separator) else {
            return 0;
        };
        // At the end nothing has to follow.
        if self.parser.is_spaced && !behind.is_empty() && !self.parser.is(behind.first(), SPACE) {
            return 0;
        }
        self.parser.pair_separator.len()
    }

    fn skip_separators(&self, mut at: usize) -> usize {
        loop {
            match self.separator_len(at) {
                0 => return at,
                len => at += len,
            }
        }
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

    /// How many bytes of a class a text starts with.
    fn run(&self, text: &[u8], class: u8) -> usize {
        let run = text
            .iter()
            .take_while(|byte| self.parser.is(Some(byte), class));
        run.count()
    }
}

/// Appends a value without its escapes: those of the quotation mark and the backslash. Others are none, for
/// paths of Windows stand there too.
fn unescape(value: &[u8], quote: u8, out: &mut Vec<u8>) {
    if quote == b'"' {
        return Escapes::Quotes.append(value, out);
    }
    let mut rest = value;
    while let Some(at) = memchr::memchr(b'\\', rest) {
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
