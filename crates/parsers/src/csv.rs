//! Columns with delimiters between, as in CSV (RFC 4180), but of one row: a line break is a byte as any other.
//!
//! Own code, since the delimiters, quotation marks and escapes of logs are more than those of tables, and a
//! value that stands in the text as it is should not be copied.

use memchr::{memchr, memchr2};
use model::limits::RECORD_FIELDS_MAX;

use crate::classes::Classes;
use crate::limits::SEPARATOR_BYTES_MAX;
use crate::names::Names;
use crate::{Error, Failed, Pairs, Parser, Piece};

/// Options of [`CsvParser`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The names of the columns; those of columns that are not kept are empty.
    pub columns: Vec<String>,
    /// Each of these bytes ends a column.
    pub delimiters: String,
    /// Each of these texts ends a column too.
    pub string_delimiters: Vec<String>,
    /// Quotation marks in pairs: one that opens, one that closes.
    pub quote_pairs: String,
    /// How a quotation mark is written inside quotation marks.
    pub escapes: CsvEscapes,
    /// Whether the last column goes on to the end, as it stands there.
    pub is_greedy: bool,
    /// Whether a text with more or fewer columns, or without the end of a quotation, is not taken apart.
    pub drop_invalid: bool,
    /// What stands for no value, such as `-`.
    pub null: Option<String>,
    /// Whether white space around a column is no part of it. Spaces that are delimiters then count as one.
    pub strip_white_space: bool,
}

/// How a quotation mark is written inside quotation marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CsvEscapes {
    /// Not at all.
    None,
    /// Behind a backslash, as any other byte may.
    Backslash,
    /// Twice.
    #[default]
    Double,
}

/// The defaults are those of RFC 4180.
impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            delimiters: ",".to_owned(),
            string_delimiters: Vec::new(),
            quote_pairs: "\"\"".to_owned(),
            escapes: CsvEscapes::default(),
            is_greedy: false,
            drop_invalid: false,
            null: None,
            strip_white_space: true,
        }
    }
}

/// Takes columns apart.
#[derive(Clone, Debug)]
pub struct CsvParser {
    columns: Names,
    delimiters: Delimiters,
    /// What opens a quotation, and what closes it.
    quote_pairs: Box<[(u8, u8)]>,
    escapes: CsvEscapes,
    is_greedy: bool,
    drop_invalid: bool,
    null: Option<Box<[u8]>>,
    strip_white_space: bool,
}

impl CsvParser {
    /// Checks the options.
    pub fn new(options: &CsvOptions) -> Result<Self, Error> {
        let option = "columns";
        if options.columns.is_empty() {
            let remedy = "write the names of the columns in their order";
            return Err(Error::Empty { option, remedy });
        }
        Error::check_count(option, options.columns.len(), RECORD_FIELDS_MAX)?;
        let mut columns = Names::default();
        for name in &options.columns {
            columns.push(option, name)?;
        }
        if let Some(null) = &options.null {
            let remedy = "write what stands for no value, or leave the option out";
            Error::check_filled("null", null, SEPARATOR_BYTES_MAX, remedy)?;
        }
        let delimiters = Delimiters::new(options)?;
        Ok(Self {
            columns,
            quote_pairs: quote_pairs(options, &delimiters)?,
            delimiters,
            escapes: options.escapes,
            is_greedy: options.is_greedy,
            drop_invalid: options.drop_invalid,
            null: options.null.as_deref().map(|null| null.as_bytes().into()),
            strip_white_space: options.strip_white_space,
        })
    }
}

fn quote_pairs(options: &CsvOptions, delimiters: &Delimiters) -> Result<Box<[(u8, u8)]>, Error> {
    let (option, text) = ("quote_pairs", &options.quote_pairs);
    Error::check_length(option, text, SEPARATOR_BYTES_MAX)?;
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || !text.is_ascii() {
        let remedy = "write two characters of ASCII for each pair, such as \"\\\"\\\"[]\"";
        return Err(Error::unfit(option, text, remedy));
    }
    for byte in text.bytes() {
        if byte == b'\\' || byte == b' ' || byte == b'\t' || delimiters.is(Some(&byte)) {
            let remedy = "a quotation mark is no delimiter, no backslash and no white space";
            return Err(Error::unfit(option, text, remedy));
        }
    }
    Ok(pairs.iter().map(|[open, close]| (*open, *close)).collect())
}

impl Parser for CsvParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let Some(columns) = self.columns.add_to(pairs) else {
            return Ok(());
        };
        let mut at = 0;
        for (column, left) in columns.pieces().zip((0..self.columns.count()).rev()) {
            if self.is_greedy && left == 0 {
                let rest = self.stripped(input, at, input.len());
                self.push(column, rest, input, pairs);
                return Ok(());
            }
            at = match (self.read_column(column, input, at, pairs)?, left) {
                (Some(next), _) => next,
                (None, 1..) if self.drop_invalid => {
                    return Err(Failed::new(input.len(), "expected more columns"));
                }
                (None, _) => return Ok(()),
            };
        }
        if self.drop_invalid {
            return Err(Failed::new(at, "expected the end behind the last column"));
        }
        Ok(())
    }
}

impl CsvParser {
    /// Adds the column at a place; returns the place of the next one, or nothing at the end.
    pub(crate) fn read_column(
        &self,
        name: Piece,
        input: &[u8],
        at: usize,
        pairs: &mut Pairs,
    ) -> Result<Option<usize>, Failed> {
        let (value, end) = self.column(input, at, pairs)?;
        let has_room = value.is_none_or(|value| self.push(name, value, input, pairs));
        let len = self.delimiters.len_at(input, end);
        Ok((len > 0 && has_room).then_some(end + len))
    }

    /// Adds a pair, unless the value stands for none; returns whether there is room for more.
    fn push(&self, name: Piece, value: Piece, input: &[u8], pairs: &mut Pairs) -> bool {
        self.null.as_deref() == Some(pairs.get(value, input)) || pairs.push(name, value)
    }

    /// The value of the column at a place, and where the delimiter stands.
    fn column(
        &self,
        input: &[u8],
        at: usize,
        pairs: &mut Pairs,
    ) -> Result<(Option<Piece>, usize), Failed> {
        let start = self.skip_space(input, at);
        let first = input.get(start);
        let mut quotes = self.quote_pairs.iter();
        if let Some((_, close)) = quotes.find(|(open, _)| first == Some(open)) {
            return self.quoted(input, start + 1, *close, pairs);
        }
        let end = self.delimiters.find(input, start);
        Ok((Some(self.stripped(input, start, end)), end))
    }

    /// The same of a column behind a quotation mark.
    fn quoted(
        &self,
        input: &[u8],
        start: usize,
        quote: u8,
        pairs: &mut Pairs,
    ) -> Result<(Option<Piece>, usize), Failed> {
        let (close, has_escapes) = self.closing_quote(input, start, quote);
        if close.is_none() && self.drop_invalid {
            return Err(Failed::new(start - 1, "this quotation has no end"));
        }
        let close = close.unwrap_or(input.len());
        // What stands between the quotation mark and the delimiter is a part of the value.
        let behind = (close + 1).min(input.len());
        let end = self.delimiters.find(input, behind);
        let mut tail = input.get(behind..end).unwrap_or_default();
        if self.strip_white_space {
            tail = tail.trim_ascii_end();
        }
        if !has_escapes && tail.is_empty() {
            return Ok((Some(Piece::input(start, close)), end));
        }
        let quoted = input.get(start..close).unwrap_or_default();
        let value = pairs.push_own_with(quoted.len() + tail.len(), |own| {
            self.unescape(quoted, quote, own);
            own.extend_from_slice(tail);
        });
        Ok((value, end))
    }

    /// Where a quotation ends, and whether it has escapes.
    fn closing_quote(&self, input: &[u8], start: usize, quote: u8) -> (Option<usize>, bool) {
        let mut at = start;
        let mut has_escapes = false;
        loop {
            let rest = input.get(at..).unwrap_or_default();
            let found = match self.escapes {
                CsvEscapes::Backslash => memchr2(quote, b'\\', rest),
                _ => memchr(quote, rest),
            };
            let Some(len) = found else {
                return (None, has_escapes);
            };
            at += len;
            let is_escape = match self.escapes {
                CsvEscapes::None => false,
                CsvEscapes::Backslash => input.get(at) == Some(&b'\\'),
                CsvEscapes::Double => input.get(at + 1) == Some(&quote),
            };
            if !is_escape {
                return (Some(at), has_escapes);
            }
            has_escapes = true;
            at += 2;
        }
    }

    /// Appends a quotation without its escapes.
    fn unescape(&self, quoted: &[u8], quote: u8, out: &mut Vec<u8>) {
        let mark = match self.escapes {
            CsvEscapes::None => return out.extend_from_slice(quoted),
            CsvEscapes::Backslash => b'\\',
            CsvEscapes::Double => quote,
        };
        let mut rest = quoted;
        while let Some(at) = memchr(mark, rest) {
            let (before, escape) = rest.split_at(at);
            out.extend_from_slice(before);
            out.extend(escape.get(1).or(escape.first()));
            rest = escape.get(2..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
    }

    /// A stretch of the input, without white space around it if that is not wanted.
    fn stripped(&self, input: &[u8], start: usize, end: usize) -> Piece {
        if !self.strip_white_space {
            return Piece::input(start, end);
        }
        let text = input.get(start..end).unwrap_or_default();
        let first = end - text.trim_ascii_start().len();
        Piece::input(first, first + text.trim_ascii().len())
    }

    /// The next place where no white space stands that would be stripped.
    fn skip_space(&self, input: &[u8], mut at: usize) -> usize {
        while self.strip_white_space
            && let Some(byte) = input.get(at)
            && (*byte == b' ' || *byte == b'\t' && !self.delimiters.is(Some(byte)))
        {
            at += 1;
        }
        at
    }
}

/// The byte ends a column.
const BYTE: u8 = 1;
/// The byte ends a column, or is the first of a text that does.
const START: u8 = 2;

/// What ends a column.
#[derive(Clone, Debug)]
struct Delimiters {
    /// The byte, if it is the only delimiter.
    only: Option<u8>,
    classes: Classes,
    texts: Box<[Box<[u8]>]>,
}

impl Delimiters {
    fn new(options: &CsvOptions) -> Result<Self, Error> {
        let (option, bytes) = ("delimiters", options.delimiters.as_str());
        let texts = &options.string_delimiters;
        Error::check_length(option, bytes, SEPARATOR_BYTES_MAX)?;
        Error::check_count("string_delimiters", texts.len(), SEPARATOR_BYTES_MAX)?;
        if bytes.is_empty() && texts.is_empty() {
            let remedy = "write what stands between columns, such as \",\"";
            return Err(Error::Empty { option, remedy });
        }
        if !bytes.is_ascii() {
            let remedy = "write characters of ASCII, and others as `string_delimiters`";
            return Err(Error::unfit(option, bytes, remedy));
        }
        let mut classes = Classes::default();
        for byte in bytes.bytes() {
            classes.mark(byte, BYTE | START);
        }
        for text in texts {
            let remedy = "write at least one character";
            Error::check_filled("string_delimiters", text, SEPARATOR_BYTES_MAX, remedy)?;
            if let Some(first) = text.bytes().next() {
                classes.mark(first, START);
            }
        }
        let only = match bytes.as_bytes() {
            [only] if texts.is_empty() => Some(*only),
            _ => None,
        };
        Ok(Self {
            only,
            classes,
            texts: texts.iter().map(|text| text.as_bytes().into()).collect(),
        })
    }

    /// Whether a byte ends a column.
    fn is(&self, byte: Option<&u8>) -> bool {
        self.classes.is(byte, BYTE)
    }

    /// The length of the delimiter at a place; 0 where there is none.
    fn len_at(&self, input: &[u8], at: usize) -> usize {
        let rest = input.get(at..).unwrap_or_default();
        let texts = self.texts.iter().filter(|text| rest.starts_with(text));
        let longest = texts.map(|text| text.len()).max();
        longest.unwrap_or_else(|| usize::from(self.is(rest.first())))
    }

    /// The first delimiter from a place on, or the end.
    fn find(&self, input: &[u8], from: usize) -> usize {
        let rest = input.get(from..).unwrap_or_default();
        if let Some(only) = self.only {
            return memchr(only, rest).map_or(input.len(), |at| from + at);
        }
        let mut at = from;
        while at < input.len()
            && !(self.classes.is(input.get(at), START) && self.len_at(input, at) > 0)
        {
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests;
